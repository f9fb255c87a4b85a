/*
 * Merges the reports of shards. Runs are in the order of their units; each run refers to the
 * provenance of the machine that made it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "routines/sampler/experiments/nest.h"
#include "routines/sampler/experiments/report.h"

struct merging {
    const char *const *paths;
    int count;
    bool mixed;
    struct tcplan_experiment_report **part;
    struct tcplan_error *error;
};

static enum tcplan_status refuse(const struct merging *merging, int file, const char *what) {
    return error_set(merging->error, TCPLAN_INVALID, "'%.120s' %.180s", merging->paths[file], what);
}

static enum tcplan_status check_shard(const struct merging *merging, int file) {
    const struct tcplan_experiment_report *first = merging->part[0], *found = merging->part[file];
    char what[160];
    if (!found->complete)
        return refuse(merging, file,
                      "is not complete: the run was interrupted or is still running");
    if (found->shards == 0) return refuse(merging, file, "is no shard");
    if (found->experiment->checksum != first->experiment->checksum) {
        return refuse(merging, file, "is of another experiment than the earlier files");
    }
    if (found->shards != first->shards) {
        snprintf(what, sizeof what,
                 "is shard %" PRId64 "/%" PRId64 ", expected a shard of %" PRId64 " as in the "
                 "earlier files",
                 found->shard, found->shards, first->shards);
        return refuse(merging, file, what);
    }
    for (int f = 0; f < file; f++) {
        if (merging->part[f]->shard != found->shard) continue;
        snprintf(what, sizeof what,
                 "overlaps with the earlier files: one of them is also shard %" PRId64 "/%" PRId64,
                 found->shard, found->shards);
        return refuse(merging, file, what);
    }
    return TCPLAN_OK;
}

static enum tcplan_status check_gaps(const struct merging *merging) {
    const int64_t shards = merging->part[0]->shards;
    for (int64_t shard = 1; shard <= shards && merging->count < shards; shard++) {
        int f = 0;
        while (f < merging->count && merging->part[f]->shard != shard) f++;
        if (f == merging->count) {
            return error_set(merging->error, TCPLAN_INVALID,
                             "shard %" PRId64 "/%" PRId64 " is missing", shard, shards);
        }
    }
    return TCPLAN_OK;
}

/** Adds the provenance of a file unless it is already present. Returns NULL if memory runs out, or
 * if the provenance is not comparable with the earlier ones; *difference is set in the latter
 * case. */
static const struct report_provenance *join_provenance(struct tcplan_experiment_report *out,
                                                       const struct report_provenance *found,
                                                       bool mixed, char *difference, size_t size) {
    struct report_provenance *last = out->provenances;
    for (struct report_provenance *known = out->provenances; known; known = known->next) {
        const bool equal = report_provenance_equal(known, found, difference, size);
        if (equal && strcmp(known->host, found->host) == 0) return known;
        if (!equal && !mixed) return NULL;
        last = known;
    }
    *difference = '\0';
    struct report_provenance *added = arena_alloc(&out->arena, sizeof *added);
    if (!added) return NULL;
    *added = *found;
    added->next = NULL;
    added->id = last ? last->id + 1 : 1;
    if (last) {
        last->next = added;
    } else {
        out->provenances = added;
    }
    return added;
}

static int compare_runs(const void *a, const void *b) {
    const struct report_run *x = *(const struct report_run *const *)a,
                            *y = *(const struct report_run *const *)b;
    const size_t xp = x->samples ? x->samples->point : 0, yp = y->samples ? y->samples->point : 0;
    return x->unit != y->unit ? (x->unit > y->unit) - (x->unit < y->unit) : (xp > yp) - (xp < yp);
}

/** Adds copies of a file's runs to `list`. */
static enum tcplan_status join_file(struct tcplan_experiment_report *out,
                                    const struct merging *merging, int file,
                                    struct report_run **list, size_t *at) {
    for (const struct report_run *run = merging->part[file]->runs; run; run = run->next) {
        char difference[200] = "";
        const struct report_provenance *provenance =
            join_provenance(out, run->provenance, merging->mixed, difference, sizeof difference);
        if (!provenance && *difference) {
            return error_set(
                merging->error, TCPLAN_MISMATCH,
                "'%.100s' has samples of another machine than the earlier files (%.150s)",
                merging->paths[file], difference);
        }
        struct report_run *copy = provenance ? arena_alloc(&out->arena, sizeof *copy) : NULL;
        if (!copy) return error_no_memory(merging->error);
        *copy = *run;
        copy->next = NULL;
        copy->provenance = provenance;
        list[(*at)++] = copy;
    }
    return TCPLAN_OK;
}

static enum tcplan_status join(struct tcplan_experiment_report *out,
                               const struct merging *merging) {
    size_t total = 0, at = 0;
    for (int f = 0; f < merging->count; f++) total += (size_t)merging->part[f]->run_count;
    struct report_run **list =
        base_alloc_zero(total + 1, sizeof *list); /* NOLINT(bugprone-sizeof-expression):
                                                     of pointers */
    if (!list) return error_no_memory(merging->error);
    enum tcplan_status status = TCPLAN_OK;
    for (int f = 0; f < merging->count && status == TCPLAN_OK; f++)
        status = join_file(out, merging, f, list, &at);
    if (status == TCPLAN_OK) {
        qsort(list, at, sizeof *list, compare_runs); /* NOLINT(bugprone-sizeof-expression) */
        for (size_t r = 0; r < at; r++) list[r]->next = list[r + 1];
        out->runs = list[0];
        out->run_count = (int64_t)at;
    }
    base_free(list);
    return status;
}

/** A document in memory, to be read again. */
struct memory_text {
    const char *text;
    size_t rest;
};

static ptrdiff_t read_text(void *context, char *buffer, size_t size) {
    struct memory_text *from = context;
    const size_t count = from->rest < size ? from->rest : size;
    memcpy(buffer, from->text, count);
    from->text += count;
    from->rest -= count;
    return (ptrdiff_t)count;
}

/** Makes a report that owns all its members from a report that borrows some: writes the report and
 * reads the text. */
static enum tcplan_status make_own(struct tcplan_experiment_report **out,
                                   const struct tcplan_experiment_report *joined,
                                   struct tcplan_error *error) {
    char *text = tcplan_experiment_report_text(joined);
    if (!text) return error_no_memory(error);
    struct memory_text from = {.text = text, .rest = strlen(text)};
    enum tcplan_status status = tcplan_experiment_report_from(out, read_text, &from, error);
    free(text);
    return status;
}

static enum tcplan_status merge(struct tcplan_experiment_report **out,
                                const struct merging *merging) {
    struct tcplan_experiment_report joined = {0};
    enum tcplan_status status = TCPLAN_OK;
    for (int f = 0; f < merging->count && status == TCPLAN_OK; f++) {
        status =
            tcplan_experiment_report_read(&merging->part[f], merging->paths[f], merging->error);
        if (status == TCPLAN_OK) status = check_shard(merging, f);
    }
    if (status == TCPLAN_OK) status = check_gaps(merging);
    if (status != TCPLAN_OK) return status;
    joined.experiment = merging->part[0]->experiment;
    joined.counter_count = merging->part[0]->counter_count;
    joined.complete = true;
    status = join(&joined, merging);
    if (status == TCPLAN_OK) status = make_own(out, &joined, merging->error);
    arena_free(&joined.arena);
    return status;
}

enum tcplan_status tcplan_experiment_report_merge(struct tcplan_experiment_report **out,
                                                  const char *const paths[], int count, bool mixed,
                                                  struct tcplan_error *error) {
    struct merging merging = {.paths = paths, .count = count, .mixed = mixed, .error = error};
    *out = NULL;
    if (count < 1) return error_set(error, TCPLAN_INVALID, "expected reports to join, found none");
    merging.part =
        base_alloc_zero((size_t)count, sizeof *merging.part); /* NOLINT(bugprone-sizeof-expression):
                                                                 an array of pointers */
    if (!merging.part) return error_no_memory(error);
    enum tcplan_status status = merge(out, &merging);
    for (int f = 0; f < count; f++) tcplan_experiment_report_free(merging.part[f]);
    base_free(merging.part);
    return status;
}
