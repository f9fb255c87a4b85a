#include "cli/render/blocked/blocked_common.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "tcplan/study/words.h"

static struct strbuf sizes_text(const struct tcplan_blocked *blocked,
                                const struct tcplan_blocked_sizes *sizes, const char *separator) {
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(blocked);
    struct strbuf out = {0};
    for (int s = 0; s < blocks->size_count; s++)
        strbuf_add(&out, "%s%s=%" PRId64, s > 0 ? separator : "", blocks->size_name[s],
                   sizes->size[s]);
    return out;
}

struct field_value blocked_sizes(const struct tcplan_blocked *blocked,
                                 const struct tcplan_blocked_sizes *sizes) {
    struct strbuf text = sizes_text(blocked, sizes, ",");
    return field_owned(strbuf_finish(&text));
}

void blocked_sizes_print(FILE *file, const struct tcplan_blocked *blocked,
                         const struct tcplan_blocked_sizes *sizes, const char *separator) {
    struct strbuf text = sizes_text(blocked, sizes, separator);
    fputs(text.failed || !text.text ? "" : text.text, file);
    strbuf_free(&text);
}

/* clang-format off */

#define HEAD(F, T) \
    F(T, operation, TEXT, field_text(r->operation), "routine and flags, such as potrf_L; for a file, the name of the algorithm", ALWAYS, CSV(1)) \
    F(T, dtype, TEXT, FIELD_WORD(dtypes, r->dtype), "element type", ALWAYS, CSV(2), .words = tcplan_words_dtypes) \
    F(T, provider, TEXT, field_text(r->setup->provider), "library of the models", ALWAYS, CSV(3)) \
    F(T, version, TEXT, field_text(r->setup->version), "version of the library", CSV(4)) \
    F(T, threads, INTEGER, field_integer(r->setup->threads), "threads", ALWAYS, CSV(5)) \
    F(T, binding, TEXT, field_text(r->setup->binding), "cores and memory nodes to which the process was bound; absent: not bound") \
    F(T, peak_gflops, NUMBER, field_positive(r->peak_gflops), "measured peak of the threads, from the roofline")

#define SIZE(s) field_integer(r->sizes->size[s])
#define SIZES tcplan_blocked_blocks(r->blocked)->size_count

#define AT(F, T) \
    F(T, m, INTEGER, field_if(SIZES == 2, SIZE(0)), "rows, if the operation has a number of rows", CSV(7), .hidden = true) \
    F(T, n, INTEGER, field_if(SIZES <= 2, SIZE(SIZES == 2)), "order, or columns", CSV(8), .hidden = true) \
    F(T, block, INTEGER, field_integer(r->sizes->block), "block size", ALWAYS, CSV(9))

#define STATISTIC(F, T) \
    F(T, minimum, NUMBER, field_number(r->of[TCPLAN_MODEL_MINIMUM]), "smallest", ALWAYS, .schema = "\"type\": \"number\"") \
    F(T, median, NUMBER, field_number(r->of[TCPLAN_MODEL_MEDIAN]), "median", ALWAYS, .schema = "\"type\": \"number\"") \
    F(T, maximum, NUMBER, field_number(r->of[TCPLAN_MODEL_MAXIMUM]), "largest", ALWAYS, .schema = "\"type\": \"number\"") \
    F(T, mean, NUMBER, field_number(r->of[TCPLAN_MODEL_MEAN]), "mean", ALWAYS, .schema = "\"type\": \"number\"") \
    F(T, deviation, NUMBER, field_number(r->of[TCPLAN_MODEL_DEVIATION]), "standard deviation", ALWAYS, .schema = "\"type\": \"number\"")

/* clang-format on */

FIELD_TABLE_SHARED(blocked_head, blocked_head, HEAD);
FIELD_TABLE_SHARED(blocked_at, blocked_at, AT);
FIELD_TABLE_SHARED(statistics, statistics, STATISTIC);

void blocked_head_print(FILE *file, const struct blocked_head *head) {
    const struct tcplan_model_setup *setup = head->setup;
    fprintf(file, "operation  %s%s%s, type %s\n", head->operation, head->purpose ? ": " : "",
            head->purpose ? head->purpose : "", tcplan_word(tcplan_words_dtypes, (int)head->dtype));
    fprintf(file, "models     %s%s%s%s, %s, %s%s%s\n", setup->provider, *setup->version ? " (" : "",
            setup->version, *setup->version ? ")" : "", counted(setup->threads, "thread").text,
            tcplan_model_placement_name(setup->placement), *setup->binding ? ", " : "",
            setup->binding);
    if (head->peak_gflops > 0)
        fprintf(file, "peak       %.4g GFLOP/s, measured by the roofline\n", head->peak_gflops);
}

struct statistics statistics_of(const double value[TCPLAN_MODEL_STATISTICS], double factor) {
    struct statistics out;
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) out.of[s] = factor * value[s];
    return out;
}

double blocked_gflops(const double seconds[TCPLAN_MODEL_STATISTICS], double flops) {
    double performance[TCPLAN_MODEL_STATISTICS];
    tcplan_blocked_performance(performance, seconds, flops);
    return 1e-9 * performance[TCPLAN_MODEL_MEDIAN];
}

struct field_value blocked_share(double gflops, double peak_gflops) {
    return field_if(peak_gflops > 0, field_number(gflops / peak_gflops));
}

void extrapolated_add(struct extrapolated *sum, const struct tcplan_blocked *blocked,
                      const struct tcplan_blocked_sizes *sizes,
                      const struct tcplan_blocked_prediction *prediction) {
    const double median = prediction->seconds[TCPLAN_MODEL_MEDIAN];
    if (prediction->extrapolated == 0 || !(median > 0)) return;
    if (!sum->blocked) *sum = (struct extrapolated){*sizes, *sizes, blocked, .low = 1, .high = 1};
    for (int s = 0; s < TCPLAN_BLOCK_SIZES; s++) {
        if (sizes->size[s] < sum->first.size[s]) sum->first.size[s] = sizes->size[s];
        if (sizes->size[s] > sum->last.size[s]) sum->last.size[s] = sizes->size[s];
    }
    sum->share = fmax(sum->share, prediction->extrapolated_share);
    sum->low = fmin(sum->low, prediction->low_seconds / median);
    sum->high = fmax(sum->high, prediction->high_seconds / median);
}

void extrapolated_print(FILE *file, const struct extrapolated *sum) {
    if (!sum->blocked) return;
    fputs("Extrapolated: ", file);
    blocked_sizes_print(file, sum->blocked, &sum->first, ",");
    if (memcmp(sum->first.size, sum->last.size, sizeof sum->first.size) != 0) {
        fputs(" to ", file);
        blocked_sizes_print(file, sum->blocked, &sum->last, ",");
    }
    fprintf(file,
            "; calls outside the domains of the models take up to %.2g %% of the time, and the "
            "medians are uncertain by %.2g to +%.2g %%.\n",
            100 * sum->share, 100 * (sum->low - 1), 100 * (sum->high - 1));
}
