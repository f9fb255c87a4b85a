#include "tcplan/results_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/id_set.h"
#include "base/strbuf.h"
#include "base/temporary.h"
#include "contractions/results_source.h"

struct tcplan_results_file {
    char *path;
    int descriptor;
    off_t at; /* where the next record goes */
    struct tcplan_provenance *provenance;
    bool provenance_written;
    struct id_set ids;
    struct tcplan_results_summary summary;
};

static enum tcplan_status refuse(const char *what, const char *path, int reason, struct tcplan_error *error) {
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot %s '%.200s': %s", what, path, strerror(reason));
}

static uint64_t id_number(const char *id) {
    return strtoull(id, NULL, 16);
}

/** Writes all of a text; 0, or the reason why that fails. */
static int write_all(int descriptor, const char *text, size_t length, off_t at) {
    while (length > 0) {
        const ssize_t count = pwrite(descriptor, text, length, at);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        text += count;
        at += count;
        length -= (size_t)count;
    }
    return 0;
}

/* Creating. */

/** Makes the folder of a path remember its files' names. */
static void sync_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    struct strbuf folder = {0};
    strbuf_add(&folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    const int descriptor = folder.failed ? -1 : open(folder.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    strbuf_free(&folder);
}

/** The document without any record: beginning, provenance, end of the root. The end is not part of *length. NULL when memory is out. */
static char *empty_document(const struct tcplan_results_file *file, size_t *length) {
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

/** Gives a file a second name, unless that is taken; 0 or the reason why that fails. */
static int link_file(const char *temporary, const char *path) {
    if (link(temporary, path) != 0) return errno;
    unlink(temporary);
    return 0;
}

/** Gives the temporary file its name; unless it may replace, what another process has just made there stays. 0 or the reason why that fails. */
static int name_file(const char *temporary, const char *path, bool replace) {
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, replace ? 0 : RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno; /* not every file system knows */
    const int reason = replace ? EPERM : link_file(temporary, path);
    if (reason == 0 || reason == EEXIST) return reason;
    return rename(temporary, path) == 0 ? 0 : errno; /* nor links */
}

/** Fills and names the temporary file, which is locked already; 0 or the reason why that fails. */
static int fill_temporary(struct tcplan_results_file *file, const char *temporary, const char *text, bool replace) {
    const mode_t mask = umask(0);
    umask(mask);
    int reason = write_all(file->descriptor, text, strlen(text), 0);
    if (reason == 0 && fchmod(file->descriptor, 0666 & ~mask) != 0) reason = errno;
    if (reason == 0 && fsync(file->descriptor) != 0) reason = errno;
    if (reason == 0) reason = name_file(temporary, file->path, replace);
    if (reason != 0) unlink(temporary);
    return reason;
}

/** Writes the empty document under a temporary name and renames it; 0 or the reason why that fails. */
static int create_as(struct tcplan_results_file *file, char *temporary, const char *text, bool replace) {
    temporary_sweep(file->path);
    file->descriptor = temporary_make(temporary);
    return file->descriptor < 0 ? errno : fill_temporary(file, temporary, text, replace);
}

/** Creates the file; *reason is EEXIST where another process has just made one there, else 0 or why it cannot be written. */
static enum tcplan_status create(struct tcplan_results_file *file, bool replace, int *reason, struct tcplan_error *error) {
    size_t length = 0;
    char *temporary = temporary_pattern(file->path);
    char *text = empty_document(file, &length);
    const bool allocated = temporary && text;
    *reason = allocated ? create_as(file, temporary, text, replace) : 0;
    free(temporary);
    free(text);
    if (!allocated) return error_no_memory(error);
    if (*reason != 0) return refuse("write", file->path, *reason, error);
    sync_folder(file->path);
    file->at = (off_t)length;
    file->provenance_written = true;
    return TCPLAN_OK;
}

/* Going on with what is there. */

static enum tcplan_status refuse_content(const struct tcplan_results_file *file, struct tcplan_error *error, const char *what) {
    return error_set(error, TCPLAN_MISMATCH, "'%.100s' holds results of %s", file->path, what);
}

static enum tcplan_status check_shard(const struct tcplan_results_file *file, const struct tcplan_results_summary *found,
                                      struct tcplan_error *error) {
    char what[80];
    if (found->shards == file->summary.shards && found->shard == file->summary.shard) return TCPLAN_OK;
    if (found->shards == 0) return refuse_content(file, error, "a batch that is not divided, expected those of a shard");
    snprintf(what, sizeof what, "shard %" PRId64 "/%" PRId64 ", expected those of %s", found->shard, found->shards,
             file->summary.shards > 0 ? "another one" : "a batch that is not divided");
    return refuse_content(file, error, what);
}

/** Takes note of a provenance that is there: whether it is ours, and whether ours may stand beside it. */
static enum tcplan_status check_provenance(struct tcplan_results_file *file, const struct tcplan_provenance *found, bool mixed,
                                           struct tcplan_error *error) {
    char difference[240] = "", what[280];
    const bool equal = tcplan_provenance_equal(found, file->provenance, difference, sizeof difference);
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

static enum tcplan_status read_records(struct tcplan_results_file *file, struct tcplan_results *results, struct tcplan_error *error) {
    const struct tcplan_result *result;
    for (;;) {
        enum tcplan_status status = tcplan_results_next(results, &result, error);
        if (status != TCPLAN_OK || !result) return status;
        if (!id_set_add(&file->ids, id_number(result->id))) return error_no_memory(error);
    }
}

static enum tcplan_status check_provenances(struct tcplan_results_file *file, const struct tcplan_results *results, bool mixed,
                                            struct tcplan_error *error) {
    const struct tcplan_provenance *found;
    for (size_t p = 0; (found = tcplan_results_provenance(results, p)); p++) {
        enum tcplan_status status = check_provenance(file, found, mixed, error);
        if (status != TCPLAN_OK) return status;
    }
    return TCPLAN_OK;
}

/** Reads what the file holds and checks that ours may be added. */
static enum tcplan_status read_file(struct tcplan_results_file *file, bool mixed, struct tcplan_error *error) {
    struct tcplan_results *results = NULL;
    enum tcplan_status status = tcplan_results_open(&results, file->path, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_results_summary summary = tcplan_results_summary(results);
    status = check_shard(file, &summary, error);
    if (status == TCPLAN_OK) status = read_records(file, results, error);
    if (status == TCPLAN_OK) status = check_provenances(file, results, mixed, error);
    file->summary = tcplan_results_summary(results);
    tcplan_results_close(results);
    return status;
}

static enum tcplan_status find_place(struct tcplan_results_file *file, struct tcplan_error *error) {
    struct results_source source;
    enum tcplan_status status = results_source_init(&source, file->descriptor, file->path, error);
    if (status != TCPLAN_OK) return status;
    file->at = results_source_append_at(&source);
    if (file->at >= 0) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "'%.200s' cannot be gone on with: its lines are not as tcplan writes them", file->path);
}

/** Locks a file that nobody else may be adding to. */
static enum tcplan_status take_file(const struct tcplan_results_file *file, int descriptor, struct tcplan_error *error) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return TCPLAN_OK;
    if (errno != EWOULDBLOCK) return refuse("lock", file->path, errno, error);
    return error_set(error, TCPLAN_INVALID, "another tcplan is adding results to '%.200s'", file->path);
}

static enum tcplan_status go_on(struct tcplan_results_file *file, bool mixed, struct tcplan_error *error) {
    enum tcplan_status status = read_file(file, mixed, error);
    return status == TCPLAN_OK ? find_place(file, error) : status;
}

static bool is_empty(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

/** Replaces what is there: nothing yet, or results. */
static enum tcplan_status replace(struct tcplan_results_file *file, int existing, int *reason, struct tcplan_error *error) {
    if (is_empty(existing) || results_source_is_results(existing)) return create(file, true, reason, error);
    return error_set(error, TCPLAN_INVALID, "'%.200s' is no file of results: only such are replaced, it stays as it is", file->path);
}

/** Opens and locks what is there; *existing is -1 where there is nothing, or where it was replaced meanwhile, which *changed says. */
static enum tcplan_status open_existing(const struct tcplan_results_file *file, int *existing, bool *changed, struct tcplan_error *error) {
    *changed = false;
    *existing = open(file->path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (*existing < 0) return errno == ENOENT ? TCPLAN_OK : refuse("write", file->path, errno, error);
    enum tcplan_status status = take_file(file, *existing, error);
    *changed = status == TCPLAN_OK && !file_is_named(*existing, file->path);
    if (status == TCPLAN_OK && !*changed) return TCPLAN_OK;
    close(*existing);
    *existing = -1;
    return status;
}

/** Opens what is there, or creates the file; *again where another process was faster, so that this is to be done again. */
static enum tcplan_status open_or_create(struct tcplan_results_file *file, const struct tcplan_results_file_options *options, bool *again,
                                         struct tcplan_error *error) {
    int existing, reason = 0;
    enum tcplan_status status = open_existing(file, &existing, again, error);
    if (status != TCPLAN_OK || *again) return status;
    if (existing < 0) {
        status = create(file, false, &reason, error);
        *again = reason == EEXIST;
    } else if (options->restart || is_empty(existing)) {
        status = replace(file, existing, &reason, error);
        close(existing);
    } else {
        file->descriptor = existing;
        status = go_on(file, options->mixed, error);
    }
    return status;
}

/** As open_or_create(), as often as another process was faster. */
static enum tcplan_status open_at_last(struct tcplan_results_file *file, const struct tcplan_results_file_options *options,
                                       struct tcplan_error *error) {
    for (;;) {
        bool again;
        enum tcplan_status status = open_or_create(file, options, &again, error);
        if (!again) return status;
        if (file->descriptor >= 0) close(file->descriptor);
        file->descriptor = -1;
    }
}

/** The file that a path leads to through symbolic links, so that a link stays one; NULL when memory is out. */
static char *resolve(const char *path) {
    char *resolved = realpath(path, NULL);
    return resolved ? resolved : base_strdup(path);
}

enum tcplan_status tcplan_results_file_open(struct tcplan_results_file **out, const char *path, struct tcplan_provenance *provenance,
                                            const struct tcplan_results_file_options *options, struct tcplan_error *error) {
    struct tcplan_results_file *file = base_alloc(sizeof *file);
    if (!file) return error_no_memory(error);
    *file = (struct tcplan_results_file){
        .path = resolve(path), .descriptor = -1, .provenance = provenance, .summary = {.shard = options->shard, .shards = options->shards}};
    provenance->id = 1;
    enum tcplan_status status = file->path ? open_at_last(file, options, error) : error_no_memory(error);
    if (status == TCPLAN_OK) {
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

/* Adding. */

/** Makes the file end at `at`, with the root closed: as it was before something could not be written. */
static void restore(const struct tcplan_results_file *file) {
    char *end = tcplan_results_text_end(NULL);
    if (ftruncate(file->descriptor, file->at) == 0 && end) write_all(file->descriptor, end, strlen(end), file->at);
    free(end);
}

/** Writes `text` at the place for records, and cuts off what was behind it. */
static enum tcplan_status write_behind(struct tcplan_results_file *file, const char *text, size_t length, bool synced,
                                       struct tcplan_error *error) {
    int reason = write_all(file->descriptor, text, length, file->at);
    if (reason == 0 && ftruncate(file->descriptor, file->at + (off_t)length) != 0) reason = errno;
    if (reason == 0 && synced && fdatasync(file->descriptor) != 0) reason = errno;
    if (reason == 0) return TCPLAN_OK;
    restore(file);
    return refuse("write", file->path, reason, error);
}

/** What is written for a record: the provenance where it is not there yet, the record, the root's end. */
static char *record_text(const struct tcplan_results_file *file, const struct tcplan_result *result, size_t *record_length,
                         size_t *length) {
    char *provenance = file->provenance_written ? base_strdup("") : tcplan_provenance_text(file->provenance);
    char *record = tcplan_result_text(result);
    char *end = tcplan_results_text_end(NULL);
    struct strbuf out = {0};
    if (provenance && record && end) {
        strbuf_add(&out, "%s%s", provenance, record);
        *record_length = out.length;
        strbuf_add(&out, "%s", end);
        *length = out.length;
    } else {
        out.failed = true;
    }
    free(provenance);
    free(record);
    free(end);
    return strbuf_finish(&out);
}

enum tcplan_status tcplan_results_file_append(struct tcplan_results_file *file, struct tcplan_result *result, bool synced,
                                              struct tcplan_error *error) {
    size_t record_length = 0, length = 0;
    result->provenance = file->provenance;
    char *text = record_text(file, result, &record_length, &length);
    if (!text) return error_no_memory(error);
    enum tcplan_status status = write_behind(file, text, length, synced, error);
    free(text);
    if (status != TCPLAN_OK) return status;
    file->at += (off_t)record_length;
    file->provenance_written = true;
    file->summary.result_count++;
    file->summary.failed_count += result->reason != NULL;
    return id_set_add(&file->ids, id_number(result->id)) ? TCPLAN_OK : error_no_memory(error);
}

enum tcplan_status tcplan_results_file_finish(struct tcplan_results_file *file, int64_t entry_count, uint64_t digest,
                                              struct tcplan_error *error) {
    file->summary.entry_count = entry_count;
    file->summary.digest = digest;
    char *end = tcplan_results_text_end(&file->summary);
    if (!end) return error_no_memory(error);
    enum tcplan_status status = write_behind(file, end, strlen(end), true, error);
    free(end);
    if (status == TCPLAN_OK) file->summary.state = TCPLAN_RESULTS_COMPLETE;
    return status;
}

void tcplan_results_file_close(struct tcplan_results_file *file) {
    if (!file) return;
    if (file->descriptor >= 0) close(file->descriptor);
    id_set_free(&file->ids);
    free(file->path);
    base_free(file);
}
