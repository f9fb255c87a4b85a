#include "cli/render/blocked/blocked_common.h"

/** Text lists the kernels of each prediction for up to this many predictions; with more, each
 * prediction is one line. */
enum { WHOLE_PREDICTIONS = 2 };

/** One of several predictions. */
struct prediction {
    const struct blocked_predictions *all;
    const struct blocked_predicted *of;
    double gflops[TCPLAN_MODEL_STATISTICS];
};

/** A kernel of a prediction; a NULL kernel stands for the whole algorithm. */
struct kernel {
    const struct prediction *prediction;
    const struct tcplan_blocked_kernel *of;
};

static void visit_predictions(const struct blocked_predictions *all, struct field_visit *visit) {
    for (size_t p = 0; p < all->count; p++) {
        struct prediction prediction = {.all = all, .of = &all->of[p]};
        tcplan_blocked_performance(prediction.gflops, all->of[p].prediction.seconds,
                                   all->of[p].prediction.flops);
        for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) prediction.gflops[s] *= 1e-9;
        FIELD_VISIT(&prediction);
    }
}

/** Visits the kernels of a prediction; if `whole`, visits the whole algorithm first. */
static void visit_kernels(const struct prediction *prediction, bool whole,
                          struct field_visit *visit) {
    for (int k = whole ? -1 : 0; k < prediction->of->kernels; k++) {
        const struct kernel kernel = {prediction, k < 0 ? NULL : &prediction->of->kernel[k]};
        FIELD_VISIT(&kernel);
    }
}

static const double *seconds_of(const struct kernel *kernel) {
    return kernel->of ? kernel->of->seconds : kernel->prediction->of->prediction.seconds;
}

static double gflops_of(const struct kernel *kernel) {
    if (!kernel->of) return kernel->prediction->gflops[TCPLAN_MODEL_MEDIAN];
    const double seconds = kernel->of->seconds[TCPLAN_MODEL_MEAN];
    return seconds > 0 ? 1e-9 * kernel->of->flops / seconds : 0;
}

static struct field_value share_of(const struct kernel *kernel) {
    const double whole = kernel->prediction->of->prediction.seconds[TCPLAN_MODEL_MEDIAN];
    return field_number(whole > 0 ? seconds_of(kernel)[TCPLAN_MODEL_MEDIAN] / whole : 0);
}

#define PEAK r->all->head->peak_gflops
#define SECONDS r->of->prediction.seconds

/* clang-format off */

#define KERNEL(F, T) \
    F(T, name, TEXT, field_text(r->of->name), "routine and flags, such as dtrsm_RLTN", ALWAYS, COLUMN(1, "kernel")) \
    F(T, calls, INTEGER, field_integer(r->of->calls), "calls of the kernel", ALWAYS, COLUMN(2, "calls")) \
    F(T, median, NUMBER, field_number(seconds_of(r)[TCPLAN_MODEL_MEDIAN]), "median time of the calls", COLUMN(3, "median"), .format = FIELD_TIME, \
      .hidden = true) \
    F(T, share, NUMBER, share_of(r), "share of the median time", ALWAYS, COLUMN(4, "share"), .format = FIELD_PERCENT) \
    F(T, flops, NUMBER, field_number(r->of->flops), "operations of the calls of this kernel", ALWAYS) \
    F(T, gflops, NUMBER, field_if(r->of->flops > 0, field_number(gflops_of(r))), "mean performance", COLUMN(5, "GFLOP/s"), .format = FIELD_DIGITS) \
    STATISTICS(F, T, seconds, true, r->of->seconds, 1, "time of the calls of this kernel")

/* Fields of a line of CSV. There is one line for the whole algorithm and one for each kernel. */
#define LINE(F, T) \
    F(T, kernel, TEXT, field_text(r->of ? r->of->name : NULL), "name of the kernel; empty: the whole algorithm", CSV(10)) \
    F(T, calls, INTEGER, field_integer(r->of ? r->of->calls : r->prediction->of->prediction.calls), "calls", CSV(11)) \
    STATISTICS_CSV(F, T, 12, true, seconds_of(r)) \
    F(T, flops, NUMBER, field_number(r->of ? r->of->flops : r->prediction->of->prediction.flops), "operations", CSV(17)) \
    F(T, gflops, NUMBER, field_number(gflops_of(r)), "performance", CSV(18)) \
    F(T, efficiency, NUMBER, blocked_share(gflops_of(r), r->prediction->all->head->peak_gflops), "share of the peak", CSV(19)) \
    F(T, error, NUMBER, field_if(!r->of, field_number(r->prediction->of->prediction.error)), "mean error of the models", CSV(20))

#define PREDICTION(F, T) \
    F(T, algorithm, TEXT, field_text(tcplan_blocked_name(r->of->blocked)), "name, such as potrf_L3", ALWAYS, CSV(6), COLUMN(1, "algorithm")) \
    F(T, b, INTEGER, field_integer(r->of->sizes.block), "block size", COLUMN(3, "b"), .hidden = true) \
    F(T, median, NUMBER, field_number(SECONDS[TCPLAN_MODEL_MEDIAN]), "median time", COLUMN(4, "median"), .format = FIELD_TIME, .hidden = true) \
    F(T, range, NUMBER, field_interval(SECONDS[TCPLAN_MODEL_MINIMUM], SECONDS[TCPLAN_MODEL_MAXIMUM]), \
      "smallest and largest time", COLUMN(5, "from - to"), .format = FIELD_INTERVAL, .optional = '2', .hidden = true) \
    F(T, rate, NUMBER, field_number(r->gflops[TCPLAN_MODEL_MEDIAN]), "median performance", COLUMN(6, "GFLOP/s"), .format = FIELD_DIGITS, .hidden = true) \
    F(T, of_peak, NUMBER, blocked_share(r->gflops[TCPLAN_MODEL_MEDIAN], PEAK), "share of the peak", \
      COLUMN(7, "of peak"), .format = FIELD_PERCENT, .optional = '1', .hidden = true) \
    F(T, calls, INTEGER, field_integer(r->of->prediction.calls), "number of calls", ALWAYS, COLUMN(8, "calls"), .optional = '3') \
    F(T, empty_calls, INTEGER, field_integer(r->of->prediction.empty), "calls with a size of 0", ALWAYS) \
    F(T, calls_below_domain, INTEGER, field_integer(r->of->prediction.below), \
      "calls below the domains of their models, evaluated at the nearest sizes", ALWAYS) \
    EXTRAPOLATED(F, T, 22, &r->of->prediction) \
    F(T, flops, NUMBER, field_number(r->of->prediction.flops), "total operations", ALWAYS) \
    F(T, error, NUMBER, field_number(r->of->prediction.error), "mean error of the models", ALWAYS) \
    F(T, at, GROUP, const struct blocked_at at = BLOCKED_AT(r->of->blocked, &r->of->sizes); FIELD_VISIT(&at), "sizes of the prediction", \
      .fields = blocked_at_fields) \
    F(T, sizes, SIZES, blocked_sizes(r->of->blocked, &r->of->sizes), "extents of the matrices", ALWAYS, CSV(21), COLUMN(2, "sizes")) \
    STATISTICS(F, T, seconds, true, SECONDS, 1, "predicted time") \
    STATISTICS(F, T, gflops, true, r->gflops, 1, "predicted performance") \
    STATISTICS(F, T, efficiency, PEAK > 0, r->gflops, 1 / PEAK, "share of the peak") \
    F(T, kernels, LIST, visit_kernels(r, false, visit), "kernels, sorted by decreasing time", .item = "kernel", .fields = kernel_fields, ALWAYS) \
    F(T, lines, LIST, visit_kernels(r, true, visit), "lines of CSV", .fields = line_fields, .hidden = true)

#define PREDICTIONS(F, T) \
    F(T, head, GROUP, FIELD_VISIT(r->head), "the operation", .fields = blocked_head_fields) \
    F(T, predictions, LIST, visit_predictions(r, visit), "the predictions", .item = "prediction", .fields = prediction_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(kernel, kernel, KERNEL);
FIELD_TABLE(line, kernel, LINE);
FIELD_TABLE(prediction, prediction, PREDICTION);
FIELD_TABLE(predictions, blocked_predictions, PREDICTIONS);

/* Text. */

static void print_statistics(struct writer *writer, const struct prediction *prediction) {
    struct table table = {.columns = "lrrrrr"};
    const double *seconds = prediction->of->prediction.seconds;
    const double peak = prediction->all->head->peak_gflops;
    const struct time_unit unit = time_unit_for(seconds[TCPLAN_MODEL_MEDIAN]);
    table_add(&table, "%s", "");
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
        table_add(&table, "%s", tcplan_model_statistic_name((enum tcplan_model_statistic)s));
    table_add(&table, "time %s", unit.name);
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
        table_add(&table, "%.*f", unit.decimals, seconds[s] / unit.seconds);
    table_add(&table, "GFLOP/s");
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
        table_add(&table, prediction->gflops[s] < 9.995 ? "%.3f" : "%.2f", prediction->gflops[s]);
    if (peak > 0) table_add(&table, "of peak");
    for (int s = 0; peak > 0 && s < TCPLAN_MODEL_STATISTICS; s++)
        table_add(&table, "%.2f %%", 100 * prediction->gflops[s] / peak);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_remarks(FILE *file, const struct tcplan_blocked_prediction *prediction) {
    fprintf(file, "%lld calls, and %lld with a size of 0; mean error of the models %.2g %%.",
            (long long)prediction->calls, (long long)prediction->empty, 100 * prediction->error);
    if (prediction->below > 0)
        fprintf(file,
                " %lld of them are below their models' domains and evaluated at the nearest sizes.",
                (long long)prediction->below);
    fputc('\n', file);
}

/** Prints the prediction of a whole algorithm; implements field_visit. */
static void print_whole(struct field_visit *visit, const void *record) {
    struct writer *writer = visit->writer;
    const struct prediction *prediction = record;
    const struct blocked_predicted *of = prediction->of;
    const char *note = tcplan_blocked_note(of->blocked);
    fprintf(writer->file, "\n%s%s%s: ", tcplan_blocked_name(of->blocked), note && *note ? ", " : "",
            note ? note : "");
    blocked_sizes_print(writer->file, of->blocked, &of->sizes, ",");
    fprintf(writer->file, ", b=%lld; %s\n\n", (long long)of->sizes.block,
            quantity_flops(of->prediction.flops).text);
    print_statistics(writer, prediction);
    fputc('\n', writer->file);
    if (of->kernels > 0)
        fields_print_list(writer, field_named(prediction_fields, "kernels"), prediction);
    print_remarks(writer->file, &of->prediction);
    struct extrapolated extrapolated = {.share = 0};
    extrapolated_add(&extrapolated, of->blocked, &of->sizes, &of->prediction);
    extrapolated_print(writer->file, &extrapolated);
}

static void print(struct writer *writer, const void *record) {
    const struct blocked_predictions *predictions = record;
    struct field_visit whole = {.use = print_whole, .writer = writer};
    blocked_head_print(writer->file, predictions->head);
    if (predictions->count <= WHOLE_PREDICTIONS) {
        visit_predictions(predictions, &whole);
        return;
    }
    fputc('\n', writer->file);
    fields_print_list(writer, field_named(predictions_fields, "predictions"), predictions);
    struct extrapolated extrapolated = {.share = 0};
    for (size_t p = 0; p < predictions->count; p++)
        extrapolated_add(&extrapolated, predictions->of[p].blocked, &predictions->of[p].sizes,
                         &predictions->of[p].prediction);
    extrapolated_print(writer->file, &extrapolated);
}

VIEW(blocked_predict, predictions, "blocked_predict", print,
     "Predicted times of blocked algorithms, and the share of each kernel.");
