#include "study/record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/** Copies a text into the memory of the record, and frees the original; returns NULL if memory runs
 * out. */
static const char *keep(struct record *record, char *text) {
    const char *copy = text ? arena_strndup(&record->arena, text, strlen(text)) : NULL;
    free(text);
    return copy;
}

static const char *now(struct record *record) {
    char text[32] = "";
    const time_t seconds = time(NULL);
    struct tm utc;
    if (gmtime_r(&seconds, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    const char *copy = arena_strndup(&record->arena, text, strlen(text));
    return copy ? copy : "";
}

/** Sets the identity of a result. Borrows from the entry. */
static void name_result(struct tcplan_result *result, const struct tcplan_library_entry *entry) {
    result->library = entry->library;
    result->group = entry->group;
    result->name = entry->name;
    result->size_class = entry->size_class;
    result->source = entry->source;
    result->line = (int64_t)entry->line;
    result->contraction = entry->formula;
    result->sizes = entry->sizes;
    result->strides = entry->strides;
    result->sections = entry->sections;
    result->charge = entry->charge;
    result->blocks = entry->blocks;
    result->dtype = entry->dtype;
    result->order = entry->order;
    result->threads = entry->threads;
    result->finished = "";
    memcpy(result->id, entry->id, sizeof result->id);
}

void record_begin(struct record *record, const struct tcplan_library_entry *entry) {
    record_free(record);
    name_result(&record->result, entry);
}

/** Returns the name of a kernel with the letter of the type, as `dgemm`. */
static const char *kernel_name(struct record *record, enum tcplan_kernel kernel,
                               enum tcplan_dtype dtype) {
    const char *name = tcplan_kernel_name(kernel, dtype);
    char *text = arena_alloc(&record->arena, strlen(name) + 2);
    if (!text) return NULL;
    text[0] = tcplan_dtype_letter(dtype);
    memcpy(text + 1, name, strlen(name) + 1);
    return text;
}

static bool describe(struct record *record, struct tcplan_result_algorithm *out,
                     const struct found_algorithm *found,
                     const struct tcplan_library_entry *entry) {
    *out = found->numbers;
    if (*found->way) {
        out->name = arena_strndup(&record->arena, found->way, strlen(found->way));
        out->kernel = "";
        return out->name != NULL;
    }
    out->name =
        keep(record, tcplan_algorithm_name(&found->algorithm, entry->contraction, entry->dtype));
    out->kernel = kernel_name(record, found->algorithm.kernel, entry->dtype);
    return out->name && out->kernel;
}

bool record_find(struct record *record, const struct tcplan_library_entry *entry,
                 const struct finding *finding, const char *reused_from) {
    struct tcplan_result_algorithm *algorithm =
        arena_alloc(&record->arena, finding->count * sizeof *algorithm);
    if (!algorithm) return false;
    for (size_t a = 0; a < finding->count; a++) {
        if (!describe(record, &algorithm[a], &finding->algorithm[a], entry)) return false;
    }
    struct tcplan_result *result = &record->result;
    *result = finding->numbers;
    name_result(result, entry);
    result->algorithm = algorithm;
    result->algorithm_count = finding->count;
    if (reused_from) result->planning_seconds = 0;
    result->reused_from = reused_from;
    result->finished = now(record);
    return true;
}

bool record_fail(struct record *record, const char *reason) {
    record->result.reason = arena_strndup(&record->arena, reason, strlen(reason));
    record->result.finished = now(record);
    return record->result.reason != NULL;
}

void record_free(struct record *record) {
    arena_free(&record->arena);
    record->result = (struct tcplan_result){0};
}
