#include "cli/render/blocked/blocked_common.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/render/common_fields.h"

/** One of several measurements. */
struct measurement {
    const struct blocked_measurements *all;
    const struct tcplan_blocked_measured *of;
    const struct tcplan_blocked_prediction *prediction;
    double error[TCPLAN_MODEL_STATISTICS], raw_error[TCPLAN_MODEL_STATISTICS];
    bool ran, compared; /* whether it has valid runs; whether it has a prediction, too */
};

static void visit_measurements(const struct blocked_measurements *all, struct field_visit *visit) {
    for (size_t m = 0; m < all->count; m++) {
        struct measurement measurement = {
            .all = all, .of = &all->of[m], .prediction = &all->prediction[m]};
        measurement.ran = measurement.of->count > 0;
        measurement.compared = measurement.ran && all->predicted;
        tcplan_blocked_errors(measurement.error, measurement.prediction->seconds,
                              measurement.of->seconds);
        tcplan_blocked_errors(measurement.raw_error, measurement.prediction->seconds,
                              measurement.of->raw_seconds);
        FIELD_VISIT(&measurement);
    }
}

/** Means over all measurements. */
struct means {
    struct field_visit visit;
    int count, compared;
    double error, raw_error, spread, raw_spread;
};

/** Adds a measurement to the sums from which means are computed; implements field_visit. */
static void add_to_means(struct field_visit *visit, const void *record) {
    struct means *means = (struct means *)visit;
    const struct measurement *measurement = record;
    if (!measurement->ran) return;
    means->count++;
    means->compared += measurement->compared;
    means->error += fabs(measurement->error[TCPLAN_MODEL_MEDIAN]);
    means->raw_error += fabs(measurement->raw_error[TCPLAN_MODEL_MEDIAN]);
    means->spread += measurement->of->spread;
    means->raw_spread += measurement->of->raw_spread;
}

static struct means means_of(const struct blocked_measurements *all) {
    struct means means = {.visit = {.use = add_to_means}};
    visit_measurements(all, &means.visit);
    return means;
}

static struct field_value mean(int count, double sum) {
    return field_if(count > 0, field_number(sum / (count > 0 ? count : 1)));
}

/* Choices. */

/** Alternatives among which predictions choose: the block sizes of an algorithm, or several
 * algorithms. */
struct group {
    const struct blocked_measurements *all;
    size_t first;
    bool of_blocks;
    const struct tcplan_blocked_measured *picked, *fastest;
    double yield;
    double usual_yield; /* speed of LAPACK's block size relative to the fastest; 0: not measured */
};

static bool is_with(const struct tcplan_blocked_measured *a,
                    const struct tcplan_blocked_measured *b, bool of_blocks) {
    return memcmp(a->sizes.size, b->sizes.size, sizeof a->sizes.size) == 0 &&
           (!of_blocks || a->blocked == b->blocked);
}

static double median_of(const struct tcplan_blocked_measured *of) {
    return of->count > 0 ? of->seconds[TCPLAN_MODEL_MEDIAN] : 0;
}

/** Makes a group; false if none of its alternatives was measured. `room` is memory for two numbers
 * per measurement. */
static bool make_group(struct group *out, const struct blocked_measurements *all, double *room,
                       size_t first, size_t end, bool of_blocks) {
    double *predicted = room, *measured = room + all->count;
    for (size_t m = first; m < end; m++) {
        predicted[m] = all->prediction[m].seconds[TCPLAN_MODEL_MEDIAN];
        measured[m] = median_of(&all->of[m]);
    }
    const struct tcplan_blocked_pick pick =
        tcplan_blocked_pick(predicted + first, measured + first, (int)(end - first));
    if (pick.picked < 0) return false;
    *out = (struct group){.all = all,
                          .first = first,
                          .of_blocks = of_blocks,
                          .picked = &all->of[first + (size_t)pick.picked],
                          .fastest = &all->of[first + (size_t)pick.fastest],
                          .yield = pick.yield};
    for (size_t m = first; of_blocks && m < end; m++) {
        if (all->of[m].sizes.block == all->default_block && measured[m] > 0)
            out->usual_yield = median_of(out->fastest) / measured[m];
    }
    return true;
}

static void visit_groups_of(const struct blocked_measurements *all, double *room, bool of_blocks,
                            struct field_visit *visit) {
    for (size_t first = 0, end; first < all->count; first = end) {
        struct group group;
        for (end = first + 1;
             end < all->count && is_with(&all->of[first], &all->of[end], of_blocks);)
            end++;
        const bool several =
            of_blocks ? end - first > 1 : all->of[first].blocked != all->of[end - 1].blocked;
        if (several && make_group(&group, all, room, first, end, of_blocks)) FIELD_VISIT(&group);
    }
}

/** Visits the groups: the block sizes of each algorithm and, if there are several algorithms, the
 * algorithms. */
static void visit_groups(const struct blocked_measurements *all, struct field_visit *visit) {
    double *room = base_alloc((2 * all->count + 1) * sizeof *room);
    if (room) {
        visit_groups_of(all, room, true, visit);
        visit_groups_of(all, room, false, visit);
    } else {
        visit->no_memory = true;
    }
    base_free(room);
}

#define PREDICTED r->all->predicted
#define MEDIAN TCPLAN_MODEL_MEDIAN

/* clang-format off */

#define IN_CSV(F, T) \
    F(T, predicted_seconds, NUMBER, field_if(PREDICTED, field_number(r->prediction->seconds[MEDIAN])), "predicted median time", CSV(10), .hidden = true)

#define MEASUREMENT(F, T) \
    F(T, algorithm, TEXT, field_text(tcplan_blocked_name(r->of->blocked)), "name, such as potrf_L3", ALWAYS, CSV(6), COLUMN(1, "algorithm")) \
    F(T, b, INTEGER, field_integer(r->of->sizes.block), "block size", COLUMN(3, "b"), .hidden = true) \
    F(T, predicted, NUMBER, field_if(PREDICTED, field_number(r->prediction->seconds[MEDIAN])), "predicted median time", \
      COLUMN(4, "predicted"), .format = FIELD_TIME, .hidden = true) \
    F(T, in_csv, GROUP, FIELD_VISIT(r), "of CSV", .fields = in_csv_fields) \
    F(T, flops, NUMBER, field_number(r->prediction->flops), "operations", ALWAYS, CSV(22)) \
    F(T, runs, INTEGER, field_integer(r->of->count), "number of valid runs; 0: too few", ALWAYS, CSV(11)) \
    F(T, disturbed, INTEGER, field_integer(r->of->disturbed), "runs that other load disturbed", ALWAYS) \
    F(T, measured, NUMBER, field_if(r->ran, field_number(r->of->seconds[MEDIAN])), "measured median time", COLUMN(5, "measured"), \
      .format = FIELD_TIME, .hidden = true) \
    STATISTICS_CSV(F, T, 12, r->ran, r->of->seconds) \
    F(T, raw_median_seconds, NUMBER, field_if(r->ran, field_number(r->of->raw_seconds[MEDIAN])), "median time as measured (raw)", \
      CSV(17), COLUMN(8, "raw"), .format = FIELD_TIME, .optional = '3', .hidden = true) \
    F(T, error, NUMBER, field_if(r->compared, field_number(r->error[MEDIAN])), "predicted over measured time, minus 1", \
      CSV(18), COLUMN(6, "error"), .format = FIELD_SIGNED, .hidden = true) \
    F(T, raw_error, NUMBER, field_if(r->compared, field_number(r->raw_error[MEDIAN])), "predicted over raw time, minus 1", \
      CSV(19), COLUMN(9, "raw error"), .format = FIELD_SIGNED, .optional = '4', .hidden = true) \
    F(T, spread, NUMBER, field_if(r->ran, field_number(r->of->spread)), "difference between the medians of even and odd runs", \
      CSV(20), COLUMN(7, "spread"), .format = FIELD_PERCENT, .optional = '2') \
    F(T, raw_spread, NUMBER, field_if(r->ran, field_number(r->of->raw_spread)), "spread of the raw times", CSV(21)) \
    EXTRAPOLATED(F, T, 24, r->prediction) \
    F(T, rate, NUMBER, field_if(r->ran, field_number(blocked_gflops(r->of->seconds, r->prediction->flops))), "measured performance", \
      COLUMN(10, "GFLOP/s"), .format = FIELD_DIGITS, .optional = '1', .hidden = true) \
    F(T, at, GROUP, const struct blocked_at at = BLOCKED_AT(r->of->blocked, &r->of->sizes); FIELD_VISIT(&at), "sizes of the run", .fields = blocked_at_fields) \
    F(T, sizes, SIZES, blocked_sizes(r->of->blocked, &r->of->sizes), "extents of the matrices", ALWAYS, CSV(23), COLUMN(2, "sizes")) \
    STATISTICS(F, T, predicted_seconds, PREDICTED, r->prediction->seconds, 1, "predicted time") \
    STATISTICS(F, T, measured_seconds, r->ran, r->of->seconds, 1, "measured time, converted to the state of the core that the models assume") \
    STATISTICS(F, T, raw_seconds, r->ran, r->of->raw_seconds, 1, "measured time") \
    STATISTICS(F, T, errors, r->compared, r->error, 1, "predicted over measured time, minus 1") \
    STATISTICS(F, T, raw_errors, r->compared, r->raw_error, 1, "predicted over raw time, minus 1")

#define GROUP(F, T) \
    F(T, algorithm, TEXT, field_if(PREDICTED, field_text(tcplan_blocked_name(r->picked->blocked))), "algorithm with the shortest predicted time") \
    F(T, block, INTEGER, field_if(PREDICTED, field_integer(r->picked->sizes.block)), "block size of the predicted choice") \
    F(T, fastest_algorithm, TEXT, field_text(tcplan_blocked_name(r->fastest->blocked)), "fastest measured algorithm", ALWAYS) \
    F(T, fastest_block, INTEGER, field_integer(r->fastest->sizes.block), "block size of the fastest", ALWAYS) \
    F(T, yield, NUMBER, field_if(PREDICTED, field_number(r->yield)), "measured time of the fastest relative to the predicted choice") \
    F(T, default_yield, NUMBER, field_positive(r->usual_yield), "measured time of the fastest relative to LAPACK's block size") \
    F(T, gain, NUMBER, field_if(PREDICTED && r->usual_yield > 0, field_number(r->yield / (r->usual_yield > 0 ? r->usual_yield : 1) - 1)), \
      "speed of the predicted choice relative to LAPACK's block size, minus 1", .schema = "\"type\": \"number\"") \
    F(T, sizes, SIZES, blocked_sizes(r->picked->blocked, &r->picked->sizes), "extents of the matrices", ALWAYS)

#define MEANS(F, T) \
    F(T, error, NUMBER, mean(r->compared, r->error), "mean absolute error of medians") \
    F(T, raw_error, NUMBER, mean(r->compared, r->raw_error), "mean absolute error of the raw medians") \
    F(T, spread, NUMBER, mean(r->count, r->spread), "mean spread of the times") \
    F(T, raw_spread, NUMBER, mean(r->count, r->raw_spread), "mean spread of the raw times")

#define MEASUREMENTS(F, T) \
    F(T, head, GROUP, FIELD_VISIT(r->head), "the operation", .fields = blocked_head_fields) \
    F(T, default_block, INTEGER, field_integer(r->default_block), "LAPACK's block size", ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->measuring->seconds), "measurement time", ALWAYS) \
    F(T, run_seconds, NUMBER, field_number(r->measuring->run_seconds), "time in valid runs", ALWAYS) \
    F(T, time_over, FLAG, field_flag(r->measuring->time_over), "whether the time limit ended the measurement", ALWAYS) \
    F(T, same_state, FLAG, field_if(r->predicted, field_flag(r->measuring->same_state)), "whether the models recorded the speed of the core") \
    F(T, means, GROUP, const struct means means = means_of(r); FIELD_VISIT(&means), "means", .fields = means_fields) \
    F(T, core, OBJECT, FIELD_VISIT(&r->measuring->core), "speed of the core during the measurement", .fields = tcplan_core_speed_fields, ALWAYS) \
    F(T, measurements, LIST, visit_measurements(r, visit), "the measurements", .item = "measurement", .fields = measurement_fields, ALWAYS) \
    F(T, picks, LIST, visit_groups(r, visit), "choices among block sizes of an algorithm, and among algorithms", .item = "pick", .fields = group_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(in_csv, measurement, IN_CSV);
FIELD_TABLE(measurement, measurement, MEASUREMENT);
FIELD_TABLE(group, group, GROUP);
FIELD_TABLE(means, means, MEANS);
FIELD_TABLE(measurements, blocked_measurements, MEASUREMENTS);

/* Text. */

/** Prints a line for a size: the alternative that the prediction chose, and the fastest one;
 * implements field_visit. */
static void print_group(struct field_visit *visit, const void *record) {
    FILE *file = visit->writer->file;
    const struct group *group = record;
    const char *picked = group->of_blocks ? "" : tcplan_blocked_name(group->picked->blocked),
               *fastest = group->of_blocks ? "" : tcplan_blocked_name(group->fastest->blocked);
    const char *with = group->of_blocks ? "" : " with ";
    if (visit->writer->written++ == 0) fputc('\n', file);
    if (group->of_blocks) fprintf(file, "%s, ", tcplan_blocked_name(group->picked->blocked));
    blocked_sizes_print(file, group->picked->blocked, &group->picked->sizes, ",");
    fputs(":", file);
    if (group->all->predicted)
        fprintf(file, " picked %s%sb=%lld,", picked, with, (long long)group->picked->sizes.block);
    fprintf(file, " fastest %s%sb=%lld", fastest, with, (long long)group->fastest->sizes.block);
    if (group->all->predicted) fprintf(file, "; yield %.2f %%", 100 * group->yield);
    if (group->all->predicted && group->usual_yield > 0)
        fprintf(file, ", for b=%lld %.2f %%: a gain of %.2f %%",
                (long long)group->all->default_block, 100 * group->usual_yield,
                100 * (group->yield / group->usual_yield - 1));
    fputc('\n', file);
}

static void print_state(FILE *file, const struct blocked_measurements *all) {
    if (all->measuring->core.good_seconds > 0)
        fprintf(
            file,
            "The core had %.0f %% of its best speed on average; times are converted to the models' state, raw times are not.\n",
            100 * all->measuring->core.share);
    if (all->predicted && !all->measuring->same_state)
        fputs("These models did not record the speed of the core: errors include its changes.\n",
              file);
    if (all->measuring->time_over)
        fputs("Time limit reached: algorithms with too few runs have no figures.\n", file);
}

static void print(struct writer *writer, const void *record) {
    const struct blocked_measurements *all = record;
    const struct means means = means_of(all);
    struct field_visit groups = {.use = print_group, .writer = writer};
    blocked_head_print(writer->file, all->head);
    fputc('\n', writer->file);
    fields_print_list(writer, field_named(measurements_fields, "measurements"), all);
    visit_groups(all, &groups);
    fputc('\n', writer->file);
    if (means.compared > 0)
        fprintf(
            writer->file,
            "Mean absolute error of medians: %.2f %% in the models' state, %.2f %% raw; spread of the runs: %.2f %%, %.2f %% raw.\n",
            100 * means.error / means.compared, 100 * means.raw_error / means.compared,
            100 * means.spread / means.count, 100 * means.raw_spread / means.count);
    struct extrapolated extrapolated = {.share = 0};
    for (size_t m = 0; m < all->count; m++)
        extrapolated_add(&extrapolated, all->of[m].blocked, &all->of[m].sizes, &all->prediction[m]);
    extrapolated_print(writer->file, &extrapolated);
    if (!all->predicted)
        fputs("No predictions: models are missing (--generate makes them).\n", writer->file);
    print_state(writer->file, all);
}

VIEW(blocked_measure, measurements, "blocked_measure", print,
     "Predicted and measured times of blocked algorithms.");
