#include "cli/record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/** A copy of a text in the record, which frees the original; NULL when memory is out. */
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

void record_begin(struct record *record, const struct tcplan_library_entry *entry) {
    record_free(record);
    record->result = (struct tcplan_result){.library = entry->library,
                                            .group = entry->group,
                                            .name = entry->name,
                                            .size_class = entry->size_class,
                                            .source = entry->source,
                                            .line = (int64_t)entry->line,
                                            .contraction = entry->formula,
                                            .sizes = entry->sizes,
                                            .strides = entry->strides,
                                            .dtype = entry->dtype,
                                            .order = entry->order,
                                            .threads = entry->threads,
                                            .finished = ""};
    memcpy(record->result.id, entry->id, sizeof record->result.id);
}

/** The kernel's name with the type's letter. */
static const char *kernel_name(struct record *record, enum tcplan_kernel kernel, enum tcplan_dtype dtype) {
    const char *name = tcplan_kernel_name(kernel, dtype);
    char *text = arena_alloc(&record->arena, strlen(name) + 2);
    if (!text) return NULL;
    text[0] = tcplan_dtype_letter(dtype);
    memcpy(text + 1, name, strlen(name) + 1);
    return text;
}

static bool describe(struct record *record, struct tcplan_result_algorithm *out, const struct finding_algorithm *found,
                     const struct tcplan_library_entry *entry) {
    *out =
        (struct tcplan_result_algorithm){.name = keep(record, tcplan_algorithm_name(&found->algorithm, entry->contraction, entry->dtype)),
                                         .kernel = kernel_name(record, found->algorithm.kernel, entry->dtype),
                                         .tied = found->tied,
                                         .calls = found->calls,
                                         .predicted_seconds = found->predicted_seconds,
                                         .predicted_low = found->predicted_low,
                                         .predicted_high = found->predicted_high,
                                         .measured_seconds = found->measured_seconds,
                                         .measured_low = found->measured_low,
                                         .measured_high = found->measured_high};
    return out->name && out->kernel;
}

bool record_find(struct record *record, const struct tcplan_library_entry *entry, const struct finding *finding, const char *reused_from) {
    struct tcplan_result *result = &record->result;
    struct tcplan_result_algorithm *algorithm = arena_alloc(&record->arena, finding->count * sizeof *algorithm);
    if (!algorithm) return false;
    for (size_t a = 0; a < finding->count; a++) {
        if (!describe(record, &algorithm[a], &finding->algorithm[a], entry)) return false;
    }
    result->algorithm = algorithm;
    result->algorithm_count = finding->count;
    result->flops = finding->flops;
    result->gemm_gflops = finding->gemm_gflops;
    result->planning_seconds = reused_from ? 0 : finding->planning_seconds;
    result->algorithm_total = finding->algorithm_total;
    result->pruned_count = finding->pruned_count;
    result->max_memory_bytes = finding->max_memory_bytes;
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
