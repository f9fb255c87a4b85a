#include "cli/render/blocked/blocked_common.h"

/** An entry of a ranking by windows. */
struct entry {
    const struct windows_ranking *all;
    const struct windowed_point *point;
    const struct windowed *of;
};

/** The predictions for one size point, for printing. */
struct size {
    const struct windows_ranking *all;
    const struct windowed_point *point;
};

static void visit_sizes(const struct windows_ranking *all, struct field_visit *visit) {
    for (size_t p = 0; p < all->count; p++) {
        const struct size size = {all, &all->point[p]};
        FIELD_VISIT(&size);
    }
}

/** Returns the name of an earlier algorithm that makes the same calls. */
static struct field_value same_as(const struct entry *entry) {
    const struct windowed *first = &entry->point->of[entry->of->place - 1];
    return field_if(first < entry->of, field_text(tcplan_blocked_name(first->blocked)));
}

/** Returns half of the width of the 95 % interval, in per cent of the time. */
static struct field_value half_of(const struct tcplan_estimate *estimate) {
    return field_printed("+- %.1f %%",
                         100 * (estimate->high - estimate->low) / 2 / estimate->seconds);
}

/** Returns the relative error of a predicted time; unknown unless `known`. */
static struct field_value error_of(const struct entry *entry, bool known, double seconds) {
    return field_if(known && entry->all->measured,
                    field_number(seconds / entry->of->windows.measured.seconds - 1));
}

FIELD_TEST(struct size, is_measured, r->all->measured)
FIELD_TEST(struct size, is_modelled, r->all->has_models)
FIELD_TEST(struct size, is_compared, is_measured(r) && is_modelled(r))

#define WINDOWS r->of->windows
#define MEASURED(value) field_if(r->all->measured, value)
#define MODELLED r->of->models.seconds[TCPLAN_MODEL_MEDIAN]
#define NAME tcplan_blocked_name(r->of->blocked)
#define FIRST (&r->point->of[0])
#define SIZE(s) field_integer(FIRST->sizes.size[s])
#define SIZE_COUNT tcplan_blocked_blocks(FIRST->blocked)->size_count

FIELD_GETTER(struct entry, shown_executed,
             field_printed("%.2f%s", WINDOWS.executed, WINDOWS.whole ? " *" : ""))

/* clang-format off */

#define KERNEL(F, T) \
    F(T, name, TEXT, field_text(r->name), "routine and flags, such as dtrsm_RLTN", ALWAYS) \
    F(T, calls, INTEGER, field_integer(r->calls), "calls of the algorithm", ALWAYS) \
    F(T, timed, INTEGER, field_integer(r->timed), "timed calls", ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->seconds), "total time of its calls", ALWAYS)

#define ENTRY(F, T) \
    F(T, rank, INTEGER, field_integer(r->of->place), "rank, from 1; algorithms with the same calls share one", ALWAYS, CSV(5), COLUMN(1, "")) \
    F(T, name, TEXT, field_text(NAME), "name, such as potrf_L3", ALWAYS, CSV(6), COLUMN(2, "algorithm")) \
    F(T, same_calls_as, TEXT, same_as(r), "earlier algorithm with the same calls at this size", CSV(23)) \
    F(T, block, INTEGER, field_integer(r->of->sizes.block), "block size", ALWAYS, CSV(7), COLUMN(3, "b")) \
    F(T, predicted_seconds, NUMBER, field_number(WINDOWS.estimate.seconds), "mean of the samples", ALWAYS, CSV(8), COLUMN(4, "predicted"), \
      .format = FIELD_SECONDS) \
    F(T, interval, TEXT, half_of(&WINDOWS.estimate), "95 % interval", COLUMN(5, "interval"), .optional = '1', .hidden = true) \
    F(T, predicted_low, NUMBER, field_number(WINDOWS.estimate.low), "lower end of the 95 % interval", ALWAYS, CSV(9)) \
    F(T, predicted_high, NUMBER, field_number(WINDOWS.estimate.high), "upper end of the 95 % interval", ALWAYS, CSV(10)) \
    F(T, predicted_gflops, NUMBER, field_number(1e-9 * WINDOWS.flops / WINDOWS.estimate.seconds), "performance", \
      ALWAYS, CSV(11), COLUMN(6, "GFLOP/s"), .format = FIELD_RATIO) \
    F(T, samples, INTEGER, field_integer(WINDOWS.estimate.sample_count), "number of samples", ALWAYS, CSV(12)) \
    F(T, calls, INTEGER, field_integer(WINDOWS.calls), "number of calls", ALWAYS, CSV(13)) \
    F(T, stretches, INTEGER, field_integer(WINDOWS.stretches), "timed stretches", ALWAYS, CSV(14)) \
    F(T, whole, FLAG, field_flag(WINDOWS.whole), "whether samples are whole runs", ALWAYS, CSV(15)) \
    F(T, disturbed, FLAG, field_flag(WINDOWS.disturbed), "whether other load disturbed every timing of a stretch", ALWAYS, CSV(16)) \
    F(T, executed, NUMBER, field_number(WINDOWS.executed), "work of all executed calls, relative to the algorithm's", \
      ALWAYS, CSV(17), COLUMN(7, "executed"), .optional = '1', .shown = shown_executed) \
    F(T, spent_seconds, NUMBER, field_number(WINDOWS.spent_seconds), "time of the prediction", ALWAYS, CSV(18), COLUMN(8, "cost"), \
      .format = FIELD_SECONDS, .optional = '2') \
    F(T, measured_seconds, NUMBER, MEASURED(field_number(WINDOWS.measured.seconds)), "mean of whole runs", \
      CSV(19), COLUMN(9, "measured"), .format = FIELD_SECONDS, .applies = is_measured) \
    F(T, measured_interval, TEXT, half_of(&WINDOWS.measured), "95 % interval", COLUMN(10, "interval"), .optional = '1', .applies = is_measured, \
      .hidden = true) \
    F(T, measured_low, NUMBER, MEASURED(field_number(WINDOWS.measured.low)), "lower end of the 95 % interval") \
    F(T, measured_high, NUMBER, MEASURED(field_number(WINDOWS.measured.high)), "upper end of the 95 % interval") \
    F(T, measured_spent_seconds, NUMBER, MEASURED(field_number(WINDOWS.measured_spent_seconds)), "time spent on the whole runs") \
    F(T, error, NUMBER, error_of(r, true, WINDOWS.estimate.seconds), "predicted over measured time, minus 1", \
      CSV(20), COLUMN(11, "error"), .format = FIELD_SIGNED, .applies = is_measured, .schema = "\"type\": \"number\"") \
    F(T, models_seconds, NUMBER, field_if(r->of->has_models, field_number(MODELLED)), "median by models of the kernels", \
      CSV(21), COLUMN(12, "models"), .format = FIELD_SECONDS, .applies = is_modelled) \
    F(T, models_error, NUMBER, error_of(r, r->of->has_models, MODELLED), "median by models over measured time, minus 1", \
      CSV(22), COLUMN(13, "error"), .format = FIELD_SIGNED, .applies = is_compared, .schema = "\"type\": \"number\"") \
    F(T, kernels, LIST, FIELD_VISIT_ALL(WINDOWS.kernel_count, &WINDOWS.kernel[i]), "the kernels, in the order of their first calls", \
      .item = "kernel", .fields = kernel_fields, ALWAYS)

#define POINT(F, T) \
    F(T, m, INTEGER, field_if(SIZE_COUNT == 2, SIZE(0)), "rows, if the operation has a number of rows") \
    F(T, n, INTEGER, field_if(SIZE_COUNT <= 2, SIZE(SIZE_COUNT > 1)), "order, or columns") \
    F(T, sizes, SIZES, blocked_sizes(FIRST->blocked, &FIRST->sizes), "extents of the matrices", ALWAYS, CSV(3)) \
    F(T, flops, NUMBER, field_number(FIRST->windows.flops), "total operations", ALWAYS, CSV(4)) \
    F(T, algorithms, LIST, FIELD_VISIT_ALL(r->point->count, &(struct entry){r->all, r->point, &r->point->of[i]}), \
      "algorithms with each block size, fastest first", .item = "algorithm", .fields = entry_fields, ALWAYS)

#define RANKING(F, T) \
    F(T, threads, INTEGER, field_integer(r->threads), "threads", ALWAYS, CSV(1)) \
    F(T, library, TEXT, field_text(r->library), "library with its version", ALWAYS, CSV(2)) \
    F(T, binding, TEXT, field_text(r->binding), "cores and memory nodes to which the process was bound; absent: not bound") \
    F(T, models_spent_seconds, NUMBER, field_if(r->has_models, field_number(r->models_spent_seconds)), "time to evaluate the models, without generating them") \
    F(T, points, LIST, visit_sizes(r, visit), "rankings, one for each size", .item = "point", .fields = size_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(kernel, tcplan_blocked_windows_kernel, KERNEL);
FIELD_TABLE(entry, entry, ENTRY);
FIELD_TABLE(size, size, POINT);
FIELD_TABLE(ranking, windows_ranking, RANKING);

/** Prints the table of one size point; implements field_visit. */
static void print_size(struct field_visit *visit, const void *record) {
    struct writer *writer = visit->writer;
    const struct size *size = record;
    const struct windowed *of = size->point->of;
    bool whole = false, disturbed = false;
    fputc('\n', writer->file);
    blocked_sizes_print(writer->file, of->blocked, &of->sizes, ", ");
    fputs("\n\n", writer->file);
    fields_print_list(writer, field_named(size_fields, "algorithms"), size);
    for (size_t a = 0; a < size->point->count; a++) {
        whole = whole || of[a].windows.whole;
        disturbed = disturbed || of[a].windows.disturbed;
        if ((size_t)of[a].place < a + 1)
            fprintf(writer->file, "%s, b=%lld makes the same calls as %s, b=%lld: they tie.\n",
                    tcplan_blocked_name(of[a].blocked), (long long)of[a].sizes.block,
                    tcplan_blocked_name(of[of[a].place - 1].blocked),
                    (long long)of[of[a].place - 1].sizes.block);
    }
    if (whole)
        fputs("* Samples are whole runs, because an algorithm has too few steps for stretches.\n",
              writer->file);
    if (disturbed) fputs("Other load disturbed every timing of some stretches.\n", writer->file);
}

static void print(struct writer *writer, const void *record) {
    const struct windows_ranking *all = record;
    struct field_visit sizes = {.use = print_size, .writer = writer};
    fprintf(writer->file, "windows  stretches of calls at random positions, %s, %s%s%s\n",
            counted(all->threads, "thread").text, all->library, *all->binding ? ", " : "",
            all->binding);
    visit_sizes(all, &sizes);
    fputs(
        "\nexecuted: work of all executed calls relative to the algorithm; cost: their time, including preparation of memory.\n",
        writer->file);
    if (all->has_models)
        fprintf(writer->file,
                "models: medians from models of the kernels, computed in %s, without the time to "
                "generate them.\n",
                quantity_seconds(all->models_spent_seconds).text);
}

VIEW(blocked_windows, ranking, "blocked_windows", print,
     "Blocked algorithms ranked by predictions from stretches of their own calls.");
