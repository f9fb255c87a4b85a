#include "cli/render/blocked/blocked_measure.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"

/** Alternatives of one question: which block size for an algorithm, or which algorithm. */
struct group {
    size_t first, end;
    bool is_of_blocks;
    struct tcplan_blocked_pick pick; /* by place behind `first` */
    double usual_yield;              /* of LAPACK's block size; 0: it was not run */
};

struct groups {
    size_t count;
    struct group *of;
    double *predicted, *measured; /* of each measurement: medians */
};

/* What predictions are worth. */

static bool is_same_size(const struct tcplan_blocked_measured *a,
                         const struct tcplan_blocked_measured *b) {
    return memcmp(a->sizes.size, b->sizes.size, sizeof a->sizes.size) == 0;
}

static bool is_with(const struct tcplan_blocked_measured *a,
                    const struct tcplan_blocked_measured *b, bool of_blocks) {
    return is_same_size(a, b) && (!of_blocks || a->blocked == b->blocked);
}

static void add_group(struct groups *groups, const struct blocked_measurements *measurements,
                      size_t first, size_t end, bool of_blocks) {
    struct group group = {.first = first, .end = end, .is_of_blocks = of_blocks};
    group.pick = tcplan_blocked_pick(groups->predicted + first, groups->measured + first,
                                     (int)(end - first));
    if (group.pick.picked < 0) return;
    for (size_t m = first; of_blocks && m < end; m++) {
        if (measurements->of[m].sizes.block != measurements->default_block ||
            !(groups->measured[m] > 0))
            continue;
        group.usual_yield =
            groups->measured[first + (size_t)group.pick.fastest] / groups->measured[m];
    }
    groups->of[groups->count++] = group;
}

static void find_groups(struct groups *groups, const struct blocked_measurements *measurements,
                        bool of_blocks) {
    for (size_t first = 0; first < measurements->count;) {
        size_t end = first + 1;
        while (end < measurements->count &&
               is_with(&measurements->of[first], &measurements->of[end], of_blocks))
            end++;
        const bool several =
            of_blocks ? end - first > 1
                      : measurements->of[first].blocked != measurements->of[end - 1].blocked;
        if (several) add_group(groups, measurements, first, end, of_blocks);
        first = end;
    }
}

static void free_groups(struct groups *groups) {
    base_free(groups->of);
    base_free(groups->predicted);
    base_free(groups->measured);
}

/** Block sizes of each algorithm, and algorithms, where there are several; false when memory is
 * out. */
static bool make_groups(struct groups *out, const struct blocked_measurements *measurements) {
    const size_t count = measurements->count;
    *out = (struct groups){.of = base_alloc((count + 1) * sizeof *out->of),
                           .predicted = base_alloc((count + 1) * sizeof *out->predicted),
                           .measured = base_alloc((count + 1) * sizeof *out->measured)};
    if (!out->of || !out->predicted || !out->measured) return false;
    for (size_t m = 0; m < count; m++) {
        out->predicted[m] = measurements->prediction[m].seconds[TCPLAN_MODEL_MEDIAN];
        out->measured[m] =
            measurements->of[m].count > 0 ? measurements->of[m].seconds[TCPLAN_MODEL_MEDIAN] : 0;
    }
    find_groups(out, measurements, true);
    find_groups(out, measurements, false);
    return true;
}

/** Means over what was measured. */
struct means {
    int count;
    double error, raw_error, spread, raw_spread;
};

static struct means means_of(const struct blocked_measurements *measurements) {
    struct means means = {0};
    for (size_t m = 0; m < measurements->count; m++) {
        const struct tcplan_blocked_measured *of = &measurements->of[m];
        double error[TCPLAN_MODEL_STATISTICS], raw[TCPLAN_MODEL_STATISTICS];
        if (of->count == 0) continue;
        tcplan_blocked_errors(error, measurements->prediction[m].seconds, of->seconds);
        tcplan_blocked_errors(raw, measurements->prediction[m].seconds, of->raw_seconds);
        means.count++;
        means.error += fabs(error[TCPLAN_MODEL_MEDIAN]);
        means.raw_error += fabs(raw[TCPLAN_MODEL_MEDIAN]);
        means.spread += of->spread;
        means.raw_spread += of->raw_spread;
    }
    if (means.count == 0) return means;
    return (struct means){means.count, means.error / means.count, means.raw_error / means.count,
                          means.spread / means.count, means.raw_spread / means.count};
}

/* Text. */

static void add_measured(struct table *table, const struct blocked_measurements *measurements,
                         size_t m, struct time_unit unit) {
    const struct tcplan_blocked_measured *of = &measurements->of[m];
    const struct tcplan_blocked_prediction *prediction = &measurements->prediction[m];
    double error[TCPLAN_MODEL_STATISTICS], raw[TCPLAN_MODEL_STATISTICS];
    char sizes[BLOCKED_SIZES_TEXT];
    tcplan_blocked_errors(error, prediction->seconds, of->seconds);
    tcplan_blocked_errors(raw, prediction->seconds, of->raw_seconds);
    table_add(table, "%s", tcplan_blocked_name(of->blocked));
    table_add(table, "%s", blocked_sizes_text(sizes, of->blocked, &of->sizes));
    table_add(table, "%lld", (long long)of->sizes.block);
    table_add(table, "%.*f", unit.decimals,
              prediction->seconds[TCPLAN_MODEL_MEDIAN] / unit.seconds);
    if (of->count == 0) {
        for (int c = 0; c < 6; c++) table_add(table, "-");
        return;
    }
    table_add(table, "%.*f", unit.decimals, of->seconds[TCPLAN_MODEL_MEDIAN] / unit.seconds);
    table_add(table, "%+.2f %%", 100 * error[TCPLAN_MODEL_MEDIAN]);
    table_add(table, "%.2f %%", 100 * of->spread);
    table_add(table, "%.*f", unit.decimals, of->raw_seconds[TCPLAN_MODEL_MEDIAN] / unit.seconds);
    table_add(table, "%+.2f %%", 100 * raw[TCPLAN_MODEL_MEDIAN]);
    blocked_rate_add(table, of->seconds[TCPLAN_MODEL_MEDIAN] > 0
                                ? 1e-9 * prediction->flops / of->seconds[TCPLAN_MODEL_MEDIAN]
                                : 0);
}

static void print_table(struct writer *writer, const struct blocked_measurements *measurements) {
    struct table table = {.columns = "llrrrrrrrr", .optional = "0000002341"};
    double smallest = 0;
    for (size_t m = 0; m < measurements->count; m++) {
        const double seconds = measurements->prediction[m].seconds[TCPLAN_MODEL_MEDIAN];
        if (seconds > 0 && (smallest == 0 || seconds < smallest)) smallest = seconds;
    }
    const struct time_unit unit = time_unit_for(smallest);
    table_add(&table, "algorithm");
    table_add(&table, "sizes");
    table_add(&table, "b");
    table_add(&table, "predicted %s", unit.name);
    table_add(&table, "measured %s", unit.name);
    table_add(&table, "error");
    table_add(&table, "spread");
    table_add(&table, "raw %s", unit.name);
    table_add(&table, "raw error");
    table_add(&table, "GFLOP/s");
    for (size_t m = 0; m < measurements->count; m++) add_measured(&table, measurements, m, unit);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_group(FILE *file, const struct blocked_measurements *measurements,
                        const struct group *group) {
    const struct tcplan_blocked_measured *picked =
        &measurements->of[group->first + (size_t)group->pick.picked];
    const struct tcplan_blocked_measured *fastest =
        &measurements->of[group->first + (size_t)group->pick.fastest];
    char sizes[BLOCKED_SIZES_TEXT];
    blocked_sizes_text(sizes, picked->blocked, &picked->sizes);
    if (!group->is_of_blocks) {
        fprintf(file, "%s: picked %s with b=%lld, fastest %s with b=%lld; yield %.2f %%\n", sizes,
                tcplan_blocked_name(picked->blocked), (long long)picked->sizes.block,
                tcplan_blocked_name(fastest->blocked), (long long)fastest->sizes.block,
                100 * group->pick.yield);
        return;
    }
    fprintf(file, "%s, %s: picked b=%lld, fastest b=%lld; yield %.2f %%",
            tcplan_blocked_name(picked->blocked), sizes, (long long)picked->sizes.block,
            (long long)fastest->sizes.block, 100 * group->pick.yield);
    if (group->usual_yield > 0)
        fprintf(file, ", of b=%lld %.2f %%: a gain of %.2f %%",
                (long long)measurements->default_block, 100 * group->usual_yield,
                100 * (group->pick.yield / group->usual_yield - 1));
    fputc('\n', file);
}

static void print_groups(struct writer *writer, const struct blocked_measurements *measurements) {
    struct groups groups;
    if (!make_groups(&groups, measurements)) writer->no_memory = true;
    if (groups.count > 0) fputc('\n', writer->file);
    for (size_t g = 0; g < groups.count; g++)
        print_group(writer->file, measurements, &groups.of[g]);
    free_groups(&groups);
}

static void print_core(FILE *file, const struct tcplan_blocked_measuring *measuring) {
    const struct tcplan_core_states *states = &measuring->states;
    if (states->ratio > 1)
        fprintf(file,
                "The core was slower by %.2f in %.0f %% of the time; raw times are as they were.\n",
                states->ratio, 100 * states->share);
    if (!measuring->same_state)
        fputs(
            "What state of the core the models are of is not known, as they were made before models told it: errors have it in them.\n",
            file);
    if (measuring->time_over)
        fputs("The time was over: what was run too rarely has no figures.\n", file);
}

static void print_text(struct writer *writer, const struct blocked_measurements *measurements) {
    const struct means means = means_of(measurements);
    blocked_view_print(writer->file, &measurements->view);
    fputc('\n', writer->file);
    print_table(writer, measurements);
    print_groups(writer, measurements);
    fputc('\n', writer->file);
    if (means.count > 0) {
        fprintf(
            writer->file,
            "Mean of absolute errors of the median: %.2f %% in the models' state, %.2f %% raw; the runs' own spread: %.2f %%, %.2f %% raw.\n",
            100 * means.error, 100 * means.raw_error, 100 * means.spread, 100 * means.raw_spread);
    }
    print_core(writer->file, measurements->measuring);
}

/* CSV. */

static void print_csv(struct writer *writer, const struct blocked_measurements *measurements) {
    fputs(
        BLOCKED_VIEW_HEAD
        "," BLOCKED_SIZES_HEAD
        ",predicted_seconds,runs,minimum_seconds,median_seconds,maximum_seconds,mean_seconds,deviation_seconds,"
        "raw_median_seconds,error,raw_error,spread,raw_spread,flops\n",
        writer->file);
    for (size_t m = 0; m < measurements->count; m++) {
        const struct tcplan_blocked_measured *of = &measurements->of[m];
        const struct tcplan_blocked_prediction *prediction = &measurements->prediction[m];
        const bool ran = of->count > 0;
        double error[TCPLAN_MODEL_STATISTICS], raw[TCPLAN_MODEL_STATISTICS];
        struct csv_line line = {0};
        tcplan_blocked_errors(error, prediction->seconds, of->seconds);
        tcplan_blocked_errors(raw, prediction->seconds, of->raw_seconds);
        blocked_view_add(&line, &measurements->view);
        blocked_sizes_add(&line, of->blocked, &of->sizes);
        csv_add_number(&line, true, prediction->seconds[TCPLAN_MODEL_MEDIAN]);
        csv_add_integer(&line, of->count);
        for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
            csv_add_number(&line, ran, of->seconds[s]);
        csv_add_number(&line, ran, of->raw_seconds[TCPLAN_MODEL_MEDIAN]);
        csv_add_number(&line, ran, error[TCPLAN_MODEL_MEDIAN]);
        csv_add_number(&line, ran, raw[TCPLAN_MODEL_MEDIAN]);
        csv_add_number(&line, ran, of->spread);
        csv_add_number(&line, ran, of->raw_spread);
        csv_add_number(&line, true, prediction->flops);
        blocked_line_print(writer, &line);
    }
}

/* Documents. */

static void write_measurement(struct document *document,
                              const struct blocked_measurements *measurements, size_t m) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_blocked_measured *of = &measurements->of[m];
    const struct tcplan_blocked_prediction *prediction = &measurements->prediction[m];
    double error[TCPLAN_MODEL_STATISTICS], raw[TCPLAN_MODEL_STATISTICS];
    kind->object(document, "measurement");
    kind->text(document, "algorithm", tcplan_blocked_name(of->blocked));
    kind->number(document, "flops", prediction->flops);
    kind->integer(document, "runs", of->count);
    kind->integer(document, "disturbed", of->disturbed);
    if (of->count > 0) {
        kind->number(document, "spread", of->spread);
        kind->number(document, "raw_spread", of->raw_spread);
    }
    blocked_sizes_write(document, of->blocked, &of->sizes);
    blocked_statistics_write(document, "predicted_seconds", prediction->seconds, 1);
    if (of->count > 0) {
        tcplan_blocked_errors(error, prediction->seconds, of->seconds);
        tcplan_blocked_errors(raw, prediction->seconds, of->raw_seconds);
        blocked_statistics_write(document, "measured_seconds", of->seconds, 1);
        blocked_statistics_write(document, "raw_seconds", of->raw_seconds, 1);
        blocked_statistics_write(document, "errors", error, 1);
        blocked_statistics_write(document, "raw_errors", raw, 1);
    }
    kind->end(document);
}

static void write_group(struct document *document, const struct blocked_measurements *measurements,
                        const struct group *group) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_blocked_measured *picked =
        &measurements->of[group->first + (size_t)group->pick.picked];
    const struct tcplan_blocked_measured *fastest =
        &measurements->of[group->first + (size_t)group->pick.fastest];
    char sizes[BLOCKED_SIZES_TEXT];
    kind->object(document, "pick");
    kind->text(document, "algorithm", tcplan_blocked_name(picked->blocked));
    kind->integer(document, "block", picked->sizes.block);
    kind->text(document, "fastest_algorithm", tcplan_blocked_name(fastest->blocked));
    kind->integer(document, "fastest_block", fastest->sizes.block);
    kind->number(document, "yield", group->pick.yield);
    if (group->usual_yield > 0) {
        kind->number(document, "default_yield", group->usual_yield);
        kind->number(document, "gain", group->pick.yield / group->usual_yield - 1);
    }
    kind->sizes(document, blocked_sizes_text(sizes, picked->blocked, &picked->sizes));
    kind->end(document);
}

static void write_document(struct writer *writer, const struct blocked_measurements *measurements) {
    struct document *document = writer->document;
    const struct document_kind *kind = document->kind;
    const struct tcplan_blocked_measuring *measuring = measurements->measuring;
    const struct means means = means_of(measurements);
    struct groups groups;
    if (!make_groups(&groups, measurements)) writer->no_memory = true;
    document_open(document, "blocked_measure");
    blocked_view_write(document, &measurements->view);
    kind->integer(document, "default_block", measurements->default_block);
    kind->number(document, "seconds", measuring->seconds);
    kind->number(document, "run_seconds", measuring->run_seconds);
    kind->boolean(document, "time_over", measuring->time_over);
    kind->boolean(document, "same_state", measuring->same_state);
    if (means.count > 0) {
        kind->number(document, "error", means.error);
        kind->number(document, "raw_error", means.raw_error);
        kind->number(document, "spread", means.spread);
        kind->number(document, "raw_spread", means.raw_spread);
    }
    document_core_states(document, &measuring->states);
    kind->list(document, "measurements");
    for (size_t m = 0; m < measurements->count; m++) write_measurement(document, measurements, m);
    kind->end(document);
    kind->list(document, "picks");
    for (size_t g = 0; g < groups.count; g++) write_group(document, measurements, &groups.of[g]);
    kind->end(document);
    kind->end(document);
    free_groups(&groups);
}

void blocked_measurements_print(struct writer *writer,
                                const struct blocked_measurements *measurements) {
    if (writer->document) {
        write_document(writer, measurements);
    } else if (measurements->view.format == OUTPUT_CSV) {
        print_csv(writer, measurements);
    } else {
        print_text(writer, measurements);
    }
}
