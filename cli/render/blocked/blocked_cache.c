#include <inttypes.h>

#include "cli/render/blocked/blocked_common.h"

/** Values of an error for all stages of the cache model. */
struct stages {
    double of[TCPLAN_CACHE_STAGES];
};

/** A stage of the cache model, as a line of text. */
struct stage {
    const struct tcplan_blocked_cache *study;
    int number;
};

/** A call of the algorithm, and its times. */
struct call {
    const struct tcplan_blocked_cache *study;
    const struct tcplan_blocked_cache_call *of;
};

/** A kernel (all calls of a routine with equal flags), and its times. */
struct kernel {
    const struct tcplan_blocked_cache *study;
    const struct tcplan_blocked_cache_kernel *of;
};

/** Descriptions of the stages of the cache model. */
static const char *const stage_words[TCPLAN_CACHE_STAGES] = {
    [TCPLAN_CACHE_REPEATED] = "time of the isolated call, repeated on the same operands",
    [TCPLAN_CACHE_IN] = "time of the isolated call with all operands in the cache",
    [TCPLAN_CACHE_OUT] = "time of the isolated call with no operand in the cache",
    [TCPLAN_CACHE_INITIAL] = "mix of `in` and `out` by the access distances of the operands",
    [TCPLAN_CACHE_SPLITTING] =
        "like `initial`; small results of large inputs count as accessed last",
    [TCPLAN_CACHE_SMOOTHED] =
        "like `splitting`, with smoothed weights; the final stage of the dissertation",
    [TCPLAN_CACHE_DISTINCT] = "like `smoothed`, with exact access distances",
    [TCPLAN_CACHE_AWARE] = "time of the call after the preceding calls of the algorithm",
};

FIELD_TEST(struct blocked_cache_studied, has_calls, r->calls)
FIELD_GETTER(struct kernel, shown_name,
             field_printed("%s%s", r->of->name, r->of->counts ? "" : " *"))

#define STUDY r->study
#define STAGE(values) field_number(STUDY->values[r->number])
#define SHOWN .format = FIELD_SIGNED
#define SIZE_COUNT tcplan_blocked_blocks(r->blocked)->size_count

/* clang-format off */

#define STAGE_VALUE(F, T, key, stage) \
    F(T, key, NUMBER, field_number(r->of[TCPLAN_CACHE_##stage]), "value at this stage of the cache model", ALWAYS, .schema = "\"type\": \"number\"")
#define STAGES(F, T) \
    STAGE_VALUE(F, T, repeated, REPEATED) STAGE_VALUE(F, T, in, IN) STAGE_VALUE(F, T, out, OUT) STAGE_VALUE(F, T, initial, INITIAL) \
    STAGE_VALUE(F, T, splitting, SPLITTING) STAGE_VALUE(F, T, smoothed, SMOOTHED) STAGE_VALUE(F, T, distinct, DISTINCT) STAGE_VALUE(F, T, aware, AWARE)

#define OF_STAGES(F, T, key, values, says) \
    F(T, key, OBJECT, FIELD_VISIT(values), says, .fields = stages_fields, ALWAYS)

/* In text. */
#define STAGE_LINE(F, T) \
    F(T, stage, TEXT, field_text(tcplan_cache_stage_name((enum tcplan_cache_stage)r->number)), "stage", COLUMN(1, "stage")) \
    F(T, error, NUMBER, STAGE(error), "mean error", COLUMN(2, "error"), .format = FIELD_PERCENT) \
    F(T, lowest, NUMBER, STAGE(under), "lowest error", COLUMN(3, "lowest"), SHOWN) \
    F(T, highest, NUMBER, STAGE(over), "highest error", COLUMN(4, "highest"), SHOWN) \
    F(T, total, NUMBER, STAGE(total), "error of the total time", COLUMN(5, "total"), SHOWN) \
    F(T, spent_seconds, NUMBER, STAGE(spent_seconds), "time of its measurements", COLUMN(6, "timings"), .format = FIELD_SECONDS, .optional = '2') \
    F(T, says, TEXT, field_text(stage_words[r->number]), "description", COLUMN(7, ""), .optional = '1')

#define KERNEL_STAGE(F, T, place, key, stage, ...) \
    F(T, key, NUMBER, field_number(r->of->error[TCPLAN_CACHE_##stage]), "mean error", COLUMN(place, #key), .format = FIELD_PERCENT, .hidden = true, __VA_ARGS__)

#define KERNEL(F, T) \
    F(T, name, TEXT, field_text(r->of->name), "routine and flags, such as dgemm_TN", ALWAYS, CSV(8), COLUMN(1, "kernel"), .shown = shown_name) \
    F(T, calls, INTEGER, field_integer(r->of->calls), "number of calls of the kernel", ALWAYS, CSV(9), COLUMN(2, "calls")) \
    F(T, share, NUMBER, field_if(STUDY->seconds > 0, field_number(r->of->seconds / STUDY->seconds)), "share of the time", \
      COLUMN(3, "of the time"), .format = FIELD_PERCENT, .optional = '1', .hidden = true) \
    KERNEL_STAGE(F, T, 4, repeated, REPEATED, .csv = 12) KERNEL_STAGE(F, T, 5, in, IN, .csv = 13, .optional = '3') \
    KERNEL_STAGE(F, T, 6, out, OUT, .csv = 14, .optional = '2') KERNEL_STAGE(F, T, 7, initial, INITIAL, .csv = 15, .optional = '2') \
    KERNEL_STAGE(F, T, 8, splitting, SPLITTING, .csv = 16, .optional = '1') KERNEL_STAGE(F, T, 9, smoothed, SMOOTHED, .csv = 17) \
    KERNEL_STAGE(F, T, 10, aware, AWARE, .csv = 18, .optional = '1') \
    F(T, counts, FLAG, field_flag(r->of->counts), "whether the kernel computes, so that it counts in the mean error", ALWAYS, CSV(10)) \
    F(T, seconds, NUMBER, field_number(r->of->seconds), "time of the kernel's calls in the algorithm", ALWAYS, CSV(11)) \
    OF_STAGES(F, T, error, r->of->error, "mean error of the kernel's calls")

#define CALL(F, T) \
    F(T, kernel, TEXT, field_text(STUDY->kernel[r->of->kernel].name), "name of the kernel", ALWAYS) \
    F(T, step, INTEGER, field_integer(r->of->step), "step of the outermost loop, from 1", ALWAYS) \
    F(T, flops, NUMBER, field_number(r->of->flops), "floating-point operations of the call", ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->of->seconds), "median time in the algorithm", ALWAYS) \
    F(T, in_cache_share, NUMBER, field_number(r->of->share), "share of the operands that is assumed in cache", ALWAYS) \
    OF_STAGES(F, T, estimate, r->of->estimate, "estimated times")

#define STUDIED(F, T) \
    F(T, algorithm, TEXT, field_text(tcplan_blocked_name(r->blocked)), "name, such as potrf_L3", ALWAYS, CSV(1)) \
    F(T, m, INTEGER, field_if(SIZE_COUNT == 2, field_integer(r->sizes->size[0])), "rows, if the operation has a number of rows") \
    F(T, n, INTEGER, field_if(SIZE_COUNT <= 2, field_integer(r->sizes->size[SIZE_COUNT > 1])), "order, or columns") \
    F(T, sizes, SIZES, blocked_sizes(r->blocked, r->sizes), "extents of the matrices", ALWAYS, CSV(2)) \
    F(T, block, INTEGER, field_integer(r->sizes->block), "block size", ALWAYS, CSV(3)) \
    F(T, threads, INTEGER, field_integer(r->threads), "threads", ALWAYS, CSV(4)) \
    F(T, library, TEXT, field_text(r->library), "library with its version", ALWAYS, CSV(5)) \
    F(T, binding, TEXT, field_text(r->binding), "cores and memory nodes to which the process was bound; absent: not bound") \
    F(T, level, INTEGER, field_if(STUDY->level > 0, field_integer(STUDY->level)), "cache level; absent: the size of the cache was given", CSV(6)) \
    F(T, cache_bytes, INTEGER, field_integer(STUDY->cache_bytes), "size of the cache", ALWAYS, CSV(7)) \
    F(T, matrix_bytes, NUMBER, field_number(STUDY->matrix_bytes), "size of all matrices", ALWAYS) \
    F(T, call_count, INTEGER, field_integer(STUDY->count), "number of calls", ALWAYS) \
    F(T, repetitions, INTEGER, field_integer(STUDY->repetitions), "repetitions within the time limit", ALWAYS) \
    F(T, runs, INTEGER, field_integer(STUDY->runs), "runs of the algorithm", ALWAYS) \
    F(T, time_over, FLAG, field_flag(STUDY->time_over), "whether the time limit ended the study", ALWAYS) \
    F(T, seconds, NUMBER, field_number(STUDY->seconds), "time of the algorithm", ALWAYS) \
    F(T, spread, NUMBER, field_number(STUDY->spread), "mean difference between the medians of even and odd runs", ALWAYS) \
    F(T, algorithm_spent_seconds, NUMBER, field_number(STUDY->algorithm_spent_seconds), "time of the algorithm's runs", ALWAYS) \
    OF_STAGES(F, T, error, STUDY->error, "mean of |estimate - time| / time over the calls") \
    OF_STAGES(F, T, lowest, STUDY->under, "the lowest (estimate - time) / time") \
    OF_STAGES(F, T, highest, STUDY->over, "the highest (estimate - time) / time") \
    OF_STAGES(F, T, total, STUDY->total, "(estimate - time) / time of the totals") \
    OF_STAGES(F, T, spent_seconds, STUDY->spent_seconds, "time for the timings of a stage") \
    F(T, lines, LIST, FIELD_VISIT_ALL(TCPLAN_CACHE_STAGES, &(struct stage){STUDY, i}), "stages, in text", .fields = stage_fields, .hidden = true) \
    F(T, kernels, LIST, FIELD_VISIT_ALL(STUDY->kernel_count, &(struct kernel){STUDY, &STUDY->kernel[i]}), \
      "the kernels, in the order of their first calls", .item = "kernel", .fields = kernel_fields, ALWAYS) \
    F(T, calls, LIST, FIELD_VISIT_ALL(r->study->count, &(struct call){r->study, &r->study->call[i]}), \
      "with --all, the calls", .item = "call", .fields = call_fields, .applies = has_calls)

/* clang-format on */

FIELD_TABLE(stages, stages, STAGES);
FIELD_TABLE(stage, stage, STAGE_LINE);
FIELD_TABLE(kernel, kernel, KERNEL);
FIELD_TABLE(call, call, CALL);
FIELD_TABLE(studied, blocked_cache_studied, STUDIED);

static void print_head(FILE *file, const struct blocked_cache_studied *studied) {
    const struct tcplan_blocked_cache *study = studied->study;
    fprintf(file, "algorithm  %s, ", tcplan_blocked_name(studied->blocked));
    blocked_sizes_print(file, studied->blocked, studied->sizes, ", ");
    fprintf(file, ", b=%" PRId64 ", %s, %s%s%s\n", studied->sizes->block,
            counted(studied->threads, "thread").text, studied->library,
            *studied->binding ? ", " : "", studied->binding);
    fprintf(file, "cache      %s%.0d, %s; the matrices are %s\n",
            study->level > 0 ? "L" : "of the given size", study->level,
            quantity_bytes((double)study->cache_bytes).text,
            quantity_bytes(study->matrix_bytes).text);
    fprintf(file,
            "calls      %" PRId64 ", %s in the algorithm, medians of %" PRId64
            " runs; isolated: medians of %d%s\n",
            study->count, quantity_seconds(study->seconds).text, study->runs, study->repetitions,
            study->time_over ? " (time limit reached)" : "");
    fprintf(file, "spread     %.2f %%: difference between the medians of even and odd runs\n\n",
            100 * study->spread);
}

static void print(struct writer *writer, const void *record) {
    const struct blocked_cache_studied *studied = record;
    bool uncounted = false;
    print_head(writer->file, studied);
    fields_print_list(writer, field_named(studied_fields, "lines"), studied);
    fputc('\n', writer->file);
    fields_print_list(writer, field_named(studied_fields, "kernels"), studied);
    fputs(
        "\nErrors are means over calls of |estimate - time in the algorithm| / time; total: the same for the sums of all calls.\n",
        writer->file);
    for (int k = 0; k < studied->study->kernel_count; k++)
        uncounted = uncounted || !studied->study->kernel[k].counts;
    if (uncounted)
        fputs("* Computes nothing: excluded from the mean over all calls, included in the total.\n",
              writer->file);
}

VIEW(blocked_cache, studied, "blocked_cache", print,
     "Times of calls inside a blocked algorithm and in isolation.");
