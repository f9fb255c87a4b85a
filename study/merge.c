#include "tcplan/study/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/id_set.h"
#include "tcplan/result_fields.h"

/** A provenance of the merged results. */
struct merged_provenance {
    struct merged_provenance *next;
    struct tcplan_provenance provenance;
};

/** A merge in progress. */
struct merge {
    const struct tcplan_merge_options *options;
    const char *path; /* name of the document being read */
    bool first;
    struct arena arena;
    struct merged_provenance *provenances; /* provenances of the merged results, the last one first
                                            */
    int64_t provenance_count;
    struct id_set ids;
    int64_t shards;  /* number of shards; 0: the files are not shards */
    bool *seen;      /* for each shard, whether it was read */
    uint64_t digest; /* digest of all entries, as stated by the first shard */
    struct tcplan_results_summary summary;
};

static const char *keep(struct merge *merge, const char *text) {
    const char *copy = arena_strndup(&merge->arena, text, strlen(text));
    return copy ? copy : "";
}

/** Returns the merged provenance that equals one of a file, host included; NULL if there is none.
 */
static const struct tcplan_provenance *find_provenance(const struct merge *merge,
                                                       const struct tcplan_provenance *found) {
    char difference[8];
    for (const struct merged_provenance *known = merge->provenances; known; known = known->next) {
        const bool equal =
            tcplan_provenance_equal(&known->provenance, found, difference, sizeof difference);
        if (equal && strcmp(known->provenance.host, found->host) == 0) return &known->provenance;
    }
    return NULL;
}

static const struct tcplan_provenance *add_provenance(struct merge *merge,
                                                      const struct tcplan_provenance *found) {
    struct merged_provenance *added = arena_alloc(&merge->arena, sizeof *added);
    if (!added) return NULL;
    *added = (struct merged_provenance){.next = merge->provenances, .provenance = *found};
    struct tcplan_provenance *provenance = &added->provenance;
    provenance->id = ++merge->provenance_count;
    for (const struct tcplan_field *field = tcplan_provenance_fields; field->name; field++) {
        const char **text = (const char **)(void *)((char *)provenance + field->offset);
        if (field->kind == TCPLAN_FIELD_TEXT) *text = keep(merge, *text ? *text : "");
    }
    merge->provenances = added;
    return provenance;
}

/** Finds the provenance of a record among the merged ones, or adds it. Fails if it differs from
 * earlier ones and the options do not allow different provenances. */
static enum tcplan_status merge_provenance(const struct tcplan_provenance **out,
                                           struct merge *merge,
                                           const struct tcplan_provenance *found,
                                           struct tcplan_error *error) {
    char difference[160] = "";
    *out = find_provenance(merge, found);
    if (*out) return TCPLAN_OK;
    if (merge->provenances && !merge->options->mixed &&
        !tcplan_provenance_equal(&merge->provenances->provenance, found, difference,
                                 sizeof difference)) {
        return error_set(
            error, TCPLAN_MISMATCH,
            "'%.80s' holds results of other machines or settings than earlier ones (%s)",
            merge->path, difference);
    }
    *out = add_provenance(merge, found);
    return *out ? TCPLAN_OK : error_no_memory(error);
}

/** Rejects a result if an earlier file has a result for the same contraction. */
static enum tcplan_status refuse_overlap(const struct merge *merge,
                                         const struct tcplan_result *result,
                                         struct tcplan_error *error) {
    const struct merged_provenance *known = merge->provenances;
    char difference[160] = "";
    while (known && !tcplan_provenance_equal(&known->provenance, result->provenance, difference,
                                             sizeof difference))
        known = known->next;
    if (merge->provenances && !known)
        return error_set(error, TCPLAN_MISMATCH,
                         "'%.80s' and an earlier file have results of %.60s, %.80s, of different "
                         "machines or settings (%s)",
                         merge->path, result->name, result->sizes, difference);
    return error_set(
        error, TCPLAN_INVALID,
        "'%.80s' overlaps with the files before it: both have a result of %.60s, %.80s (id %s)",
        merge->path, result->name, result->sizes, result->id);
}

static enum tcplan_status merge_record(struct merge *merge, const struct tcplan_result *found,
                                       struct tcplan_error *error) {
    struct tcplan_result result = *found;
    const uint64_t id = strtoull(result.id, NULL, 16);
    if (id_set_has(&merge->ids, id)) return refuse_overlap(merge, found, error);
    if (!id_set_add(&merge->ids, id)) return error_no_memory(error);
    enum tcplan_status status =
        merge_provenance(&result.provenance, merge, found->provenance, error);
    if (status != TCPLAN_OK) return status;
    merge->summary.result_count++;
    merge->summary.failed_count += result.reason != NULL;
    merge->summary.digest += id;
    return merge->options->use ? merge->options->use(merge->options->context, &result, error)
                               : TCPLAN_OK;
}

/** Checks that the files are different shards of the same number of shards, or that none is a
 * shard. */
static enum tcplan_status check_shard(struct merge *merge,
                                      const struct tcplan_results_summary *found,
                                      struct tcplan_error *error) {
    const char *path = merge->path;
    if (merge->first) merge->shards = found->shards;
    if (found->shards != merge->shards && (found->shards == 0 || merge->shards == 0)) {
        return error_set(error, TCPLAN_INVALID, "'%.150s' is %s, unlike the files before it", path,
                         found->shards == 0 ? "no shard" : "a shard");
    }
    if (found->shards != merge->shards) {
        return error_set(error, TCPLAN_INVALID,
                         "'%.150s' is shard %" PRId64 "/%" PRId64 ", expected a shard of %" PRId64
                         " as the files before it",
                         path, found->shard, found->shards, merge->shards);
    }
    if (merge->shards == 0) return TCPLAN_OK;
    if (merge->first) {
        merge->seen = arena_alloc(&merge->arena, (size_t)merge->shards * sizeof *merge->seen);
        if (!merge->seen) return error_no_memory(error);
    }
    if (merge->seen[found->shard - 1]) {
        return error_set(error, TCPLAN_INVALID,
                         "'%.150s' overlaps with the files before it: one of them is shard %" PRId64
                         "/%" PRId64 " too",
                         path, found->shard, found->shards);
    }
    merge->seen[found->shard - 1] = true;
    return TCPLAN_OK;
}

/** Checks that the batch of a file is complete and, for shards, that all have the same libraries.
 */
static enum tcplan_status check_end(struct merge *merge, const struct tcplan_results_summary *found,
                                    struct tcplan_error *error) {
    const char *path = merge->path;
    if (found->state != TCPLAN_RESULTS_COMPLETE) {
        return error_set(error, TCPLAN_INVALID,
                         "'%.150s' is not complete: its batch was interrupted or is running", path);
    }
    if (merge->first) merge->summary.entry_count = found->entry_count;
    if (merge->shards == 0) merge->summary.entry_count = merge->summary.result_count;
    if (merge->first) merge->digest = found->digest;
    if (merge->shards == 0 ||
        (found->digest == merge->digest && found->entry_count == merge->summary.entry_count))
        return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "'%.150s' is a shard of different libraries (%" PRId64
                     " contractions; the earlier files have %" PRId64
                     "); merge only shards of one batch",
                     path, found->entry_count, merge->summary.entry_count);
}

static enum tcplan_status merge_document(struct merge *merge, struct tcplan_results *results,
                                         struct tcplan_error *error) {
    const struct tcplan_result *result = NULL;
    struct tcplan_results_summary found = tcplan_results_summary(results);
    enum tcplan_status status = check_shard(merge, &found, error);
    if (status == TCPLAN_OK) status = tcplan_results_next(results, &result, error);
    while (status == TCPLAN_OK && result) {
        status = merge_record(merge, result, error);
        if (status == TCPLAN_OK) status = tcplan_results_next(results, &result, error);
    }
    found = tcplan_results_summary(results);
    return status == TCPLAN_OK ? check_end(merge, &found, error) : status;
}

static enum tcplan_status merge_file(struct merge *merge, int file, struct tcplan_error *error) {
    struct tcplan_results *results = NULL;
    merge->path = merge->options->paths[file];
    merge->first = file == 0;
    enum tcplan_status status = tcplan_results_open(&results, merge->path, error);
    if (status != TCPLAN_OK) return status;
    status = merge_document(merge, results, error);
    tcplan_results_close(results);
    return status;
}

/** Checks that no shard is missing, and that there are as many results as entries. */
static enum tcplan_status check_gaps(const struct merge *merge, struct tcplan_error *error) {
    for (int64_t shard = 1; shard <= merge->shards; shard++) {
        if (merge->seen[shard - 1]) continue;
        return error_set(error, TCPLAN_INVALID, "shard %" PRId64 "/%" PRId64 " is missing", shard,
                         merge->shards);
    }
    if (merge->summary.result_count == merge->summary.entry_count) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "expected %" PRId64
                     " results, as many as the libraries have contractions, found %" PRId64,
                     merge->summary.entry_count, merge->summary.result_count);
}

enum tcplan_status tcplan_merge(const struct tcplan_merge_options *options,
                                struct tcplan_results_summary *summary,
                                struct tcplan_error *error) {
    struct merge merge = {.options = options};
    enum tcplan_status status = TCPLAN_OK;
    for (int f = 0; f < options->count && status == TCPLAN_OK; f++)
        status = merge_file(&merge, f, error);
    if (status == TCPLAN_OK) status = check_gaps(&merge, error);
    if (status == TCPLAN_OK && summary) *summary = merge.summary;
    id_set_free(&merge.ids);
    arena_free(&merge.arena);
    return status;
}
