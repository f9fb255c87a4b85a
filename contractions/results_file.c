#include "tcplan/results_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/id_set.h"
#include "base/strbuf.h"
#include "contractions/document_file.h"
#include "contractions/results_document.h"

struct tcplan_results_file {
    struct document_owner owner;
    struct document_file file;
    bool mixed; /* whether the file may contain results of other provenances */
    struct tcplan_provenance *provenance;
    bool provenance_written;
    struct id_set ids;
    struct tcplan_results_summary summary;
};

static uint64_t id_number(const char *id) {
    return strtoull(id, NULL, 16);
}

/** Returns a document without records: beginning, provenance and end of the root. *length receives
 * the length without the end. */
static char *empty_document(void *context, size_t *length) {
    const struct tcplan_results_file *file = context;
    char *begin = tcplan_results_text_begin(file->summary.shard, file->summary.shards);
    char *provenance = tcplan_provenance_text(file->provenance);
    char *end = tcplan_results_text_end(NULL);
    struct strbuf out = {0};
    if (begin && provenance && end) {
        strbuf_add(&out, "%s%s", begin, provenance);
        *length = out.length;
        strbuf_add(&out, "%s", end);
    } else {
        out.failed = true;
    }
    free(begin);
    free(provenance);
    free(end);
    return strbuf_finish(&out);
}

/* The following functions append to an existing file. */

static enum tcplan_status refuse_content(const struct tcplan_results_file *file,
                                         struct tcplan_error *error, const char *what) {
    return error_set(error, TCPLAN_MISMATCH, "'%.100s' holds results of %s", file->file.path, what);
}

static enum tcplan_status check_shard(const struct tcplan_results_file *file,
                                      const struct tcplan_results_summary *found,
                                      struct tcplan_error *error) {
    char what[80];
    if (found->shards == file->summary.shards && found->shard == file->summary.shard)
        return TCPLAN_OK;
    if (found->shards == 0)
        return refuse_content(file, error, "the whole batch; expected the results of a shard");
    snprintf(what, sizeof what, "shard %" PRId64 "/%" PRId64 "; expected the results of %s",
             found->shard, found->shards,
             file->summary.shards > 0 ? "another shard" : "the whole batch");
    return refuse_content(file, error, what);
}

/** Compares a provenance in the file with the provenance of the results to be added. If they are
 * equal, the new provenance gets the same id. Otherwise it gets a larger id, and the status is
 * TCPLAN_MISMATCH unless `mixed` is true. */
static enum tcplan_status check_provenance(struct tcplan_results_file *file,
                                           const struct tcplan_provenance *found, bool mixed,
                                           struct tcplan_error *error) {
    char difference[240] = "", what[280];
    const bool equal =
        tcplan_provenance_equal(found, file->provenance, difference, sizeof difference);
    if (equal && strcmp(found->host, file->provenance->host) == 0) {
        file->provenance->id = found->id;
        file->provenance_written = true;
    } else if (found->id >= file->provenance->id && !file->provenance_written) {
        file->provenance->id = found->id + 1;
    }
    if (equal || mixed) return TCPLAN_OK;
    snprintf(what, sizeof what, "other provenance (%s)", difference);
    return refuse_content(file, error, what);
}

static enum tcplan_status read_records(struct tcplan_results_file *file,
                                       struct tcplan_results *results, struct tcplan_error *error) {
    const struct tcplan_result *result;
    for (;;) {
        enum tcplan_status status = tcplan_results_next(results, &result, error);
        if (status != TCPLAN_OK || !result) return status;
        if (!id_set_add(&file->ids, id_number(result->id))) return error_no_memory(error);
    }
}

static enum tcplan_status check_provenances(struct tcplan_results_file *file,
                                            const struct tcplan_results *results, bool mixed,
                                            struct tcplan_error *error) {
    const struct tcplan_provenance *found;
    for (size_t p = 0; (found = tcplan_results_provenance(results, p)); p++) {
        enum tcplan_status status = check_provenance(file, found, mixed, error);
        if (status != TCPLAN_OK) return status;
    }
    return TCPLAN_OK;
}

/** Reads the existing file and checks that new results may be added to it. */
static enum tcplan_status read_file(void *context, const char *path, struct tcplan_error *error) {
    struct tcplan_results_file *file = context;
    struct tcplan_results *results = NULL;
    enum tcplan_status status = tcplan_results_open(&results, path, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_results_summary summary = tcplan_results_summary(results);
    status = check_shard(file, &summary, error);
    if (status == TCPLAN_OK) status = read_records(file, results, error);
    if (status == TCPLAN_OK) status = check_provenances(file, results, file->mixed, error);
    file->summary = tcplan_results_summary(results);
    tcplan_results_close(results);
    return status;
}

static char *end_text(void *context) {
    (void)context;
    return tcplan_results_text_end(NULL);
}

enum tcplan_status tcplan_results_file_open(struct tcplan_results_file **out, const char *path,
                                            struct tcplan_provenance *provenance,
                                            const struct tcplan_results_file_options *options,
                                            struct tcplan_error *error) {
    struct tcplan_results_file *file = base_alloc(sizeof *file);
    if (!file) return error_no_memory(error);
    *file = (struct tcplan_results_file){
        .owner = {.kind = &document_results,
                  .context = file,
                  .empty = empty_document,
                  .read = read_file,
                  .end = end_text},
        .mixed = options->mixed,
        .provenance = provenance,
        .summary = {.shard = options->shard, .shards = options->shards}};
    provenance->id = 1;
    enum tcplan_status status =
        document_file_open(&file->file, path, &file->owner, options->restart, error);
    if (status == TCPLAN_OK) {
        file->provenance_written = file->provenance_written || file->file.created;
        *out = file;
    } else {
        tcplan_results_file_close(file);
    }
    return status;
}

bool tcplan_results_file_has(const struct tcplan_results_file *file, const char *id) {
    return id_set_has(&file->ids, id_number(id));
}

struct tcplan_results_summary tcplan_results_file_summary(const struct tcplan_results_file *file) {
    return file->summary;
}

/** Returns the text that adds a record: the provenance if the file lacks it, the record, and the
 * end of the root. */
static char *record_text(const struct tcplan_results_file *file, const struct tcplan_result *result,
                         size_t *record_length) {
    char *provenance =
        file->provenance_written ? base_strdup("") : tcplan_provenance_text(file->provenance);
    char *record = tcplan_result_text(result);
    char *end = tcplan_results_text_end(NULL);
    struct strbuf out = {0};
    if (provenance && record && end) {
        strbuf_add(&out, "%s%s", provenance, record);
        *record_length = out.length;
        strbuf_add(&out, "%s", end);
    } else {
        out.failed = true;
    }
    free(provenance);
    free(record);
    free(end);
    return strbuf_finish(&out);
}

enum tcplan_status tcplan_results_file_append(struct tcplan_results_file *file,
                                              struct tcplan_result *result, bool synced,
                                              struct tcplan_error *error) {
    size_t record_length = 0;
    result->provenance = file->provenance;
    char *text = record_text(file, result, &record_length);
    if (!text) return error_no_memory(error);
    enum tcplan_status status =
        document_file_write(&file->file, text, record_length, synced, error);
    free(text);
    if (status != TCPLAN_OK) return status;
    file->provenance_written = true;
    file->summary.result_count++;
    file->summary.failed_count += result->reason != NULL;
    return id_set_add(&file->ids, id_number(result->id)) ? TCPLAN_OK : error_no_memory(error);
}

enum tcplan_status tcplan_results_file_finish(struct tcplan_results_file *file, int64_t entry_count,
                                              uint64_t digest, struct tcplan_error *error) {
    file->summary.entry_count = entry_count;
    file->summary.digest = digest;
    char *end = tcplan_results_text_end(&file->summary);
    if (!end) return error_no_memory(error);
    enum tcplan_status status = document_file_write(&file->file, end, 0, true, error);
    free(end);
    if (status == TCPLAN_OK) file->summary.state = TCPLAN_RESULTS_COMPLETE;
    return status;
}

void tcplan_results_file_close(struct tcplan_results_file *file) {
    if (!file) return;
    document_file_close(&file->file);
    id_set_free(&file->ids);
    base_free(file);
}
