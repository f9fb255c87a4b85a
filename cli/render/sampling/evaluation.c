#include "cli/render/sampling/sampling.h"

#include <string.h>

#include "cli/render/text/visible.h"

/** A value of the experiment's range; with a selector, also the figure for both. */
struct at {
    const struct evaluated *all;
    size_t point;
    int selector;
    const struct tcplan_figure *figure;
};

static void visit_figures(const struct evaluated *all, size_t point, struct field_visit *visit) {
    const struct tcplan_evaluation *evaluation = all->evaluation;
    for (int s = 0; s < evaluation->selector_count; s++) {
        const struct at at = {
            all, point, s,
            &evaluation->figure[point * (size_t)evaluation->selector_count + (size_t)s]};
        FIELD_VISIT(&at);
    }
}

FIELD_TEST(struct evaluated, has_variable, r->evaluation->variable != NULL)
FIELD_UNIT(struct evaluated, variable_name, r->evaluation->variable)

static struct field_value value_of(const struct at *at) {
    return field_if(has_variable(at->all), field_integer(at->all->evaluation->point[at->point]));
}

static bool is_percent(const struct evaluated *all) {
    return strcmp(all->evaluation->unit, "%") == 0;
}

static struct field_value statistic(const struct at *at, enum tcplan_statistic statistic) {
    return field_if(at->figure->count > 0, field_number(at->figure->statistic[statistic]));
}

static struct field_value shown(const struct at *at, enum tcplan_statistic statistic) {
    return at->figure->count > 0 ? field_printed("%.5g", (is_percent(at->all) ? 100 : 1) *
                                                             at->figure->statistic[statistic])
                                 : field_unknown();
}

static struct field_value samples(const struct at *at) {
    struct field_value value = field_flag(true);
    value.numbers = at->figure->sample;
    value.count = (int)at->figure->count;
    return value;
}

#define EVALUATION r->all->evaluation
#define WANTED(name, of)                                                                           \
    static bool wants_##name(const void *record) {                                                 \
        return (((const struct evaluated *)record)->statistics & 1U << (of)) != 0;                 \
    }                                                                                              \
    FIELD_GETTER(struct at, shown_##name, shown(r, of))
WANTED(min, TCPLAN_STATISTIC_MIN)
WANTED(med, TCPLAN_STATISTIC_MEDIAN)
WANTED(max, TCPLAN_STATISTIC_MAX)
WANTED(avg, TCPLAN_STATISTIC_MEAN)
WANTED(std, TCPLAN_STATISTIC_DEVIATION)
WANTED(p25, TCPLAN_STATISTIC_P25)
WANTED(p75, TCPLAN_STATISTIC_P75)
WANTED(p90, TCPLAN_STATISTIC_P90)

/* clang-format off */

#define STATISTIC(F, T, name, of, says, place) \
    F(T, name, NUMBER, statistic(r, of), says, CSV((place) + 5), COLUMN(place, #name), .shown = shown_##name, .applies = wants_##name, \
      .schema = "\"type\": \"number\"")

#define FIGURE(F, T) \
    F(T, of_point, INTEGER, value_of(r), "value of the range", COLUMN(1, ""), .unit = variable_name, .applies = has_variable, .hidden = true) \
    F(T, calls, TEXT, field_text(EVALUATION->selector[r->selector]), "calls that the metric describes", ALWAYS, CSV(4), COLUMN(2, "calls")) \
    F(T, metric, TEXT, field_text(EVALUATION->metric), "metric of the calls", CSV(5), .hidden = true) \
    F(T, samples, INTEGER, field_integer((int64_t)r->figure->count), "number of samples", ALWAYS, CSV(6), COLUMN(11, "samples"), .optional = '1') \
    F(T, disturbed, INTEGER, field_integer((int64_t)r->figure->disturbed), "number of samples that other load disturbed", ALWAYS, CSV(7), \
      COLUMN(12, "disturbed"), .optional = '2') \
    STATISTIC(F, T, min, TCPLAN_STATISTIC_MIN, "smallest", 3) \
    STATISTIC(F, T, med, TCPLAN_STATISTIC_MEDIAN, "median", 4) \
    STATISTIC(F, T, max, TCPLAN_STATISTIC_MAX, "largest", 5) \
    STATISTIC(F, T, avg, TCPLAN_STATISTIC_MEAN, "mean", 6) \
    STATISTIC(F, T, std, TCPLAN_STATISTIC_DEVIATION, "standard deviation", 7) \
    STATISTIC(F, T, p25, TCPLAN_STATISTIC_P25, "first quartile", 8) \
    STATISTIC(F, T, p75, TCPLAN_STATISTIC_P75, "third quartile", 9) \
    STATISTIC(F, T, p90, TCPLAN_STATISTIC_P90, "90th percentile", 10) \
    F(T, values, NUMBERS, samples(r), "the samples", ALWAYS)

#define POINT(F, T) \
    F(T, value, INTEGER, value_of(r), "value of the range", CSV(3), .schema = "\"type\": \"integer\"") \
    F(T, figures, LIST, visit_figures(r->all, r->point, visit), \
      "figures of the value, one for each selection of calls", .item = "figure", .fields = figure_fields, ALWAYS)

#define EVALUATED(F, T) \
    F(T, experiment, TEXT, field_text(r->evaluation->name), "name of the experiment", ALWAYS, CSV(1)) \
    F(T, title, TEXT, field_word(r->evaluation->title), "title of the experiment", ALWAYS) \
    F(T, cpu, TEXT, field_word(r->evaluation->machine), "processor", ALWAYS) \
    F(T, library, TEXT, field_word(r->evaluation->library), "library with its version", ALWAYS) \
    F(T, cores, TEXT, field_text(r->evaluation->cores), "cores of the threads, if bound") \
    F(T, memory, TEXT, field_text(r->evaluation->nodes), "NUMA nodes of the memory, if bound") \
    F(T, metric, TEXT, field_text(r->evaluation->metric), "metric of the calls", ALWAYS) \
    F(T, unit, TEXT, field_word(is_percent(r) ? "share" : r->evaluation->unit), "unit of the metric", ALWAYS) \
    F(T, discard_first, FLAG, field_flag(r->discard_first), "whether the first repetition is omitted", ALWAYS) \
    F(T, variable, TEXT, field_text(r->evaluation->variable), "variable of the range", CSV(2)) \
    F(T, missing, INTEGER, field_integer((int64_t)r->evaluation->missing), "number of values of the range that lack samples", ALWAYS) \
    F(T, points, LIST, FIELD_VISIT_ALL(r->evaluation->point_count, &(struct at){.all = r, .point = i}), \
      "values of the range", .item = "point", .fields = point_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(figure, at, FIGURE);
FIELD_TABLE(point, at, POINT);
FIELD_TABLE(evaluated, evaluated, EVALUATED);

static void each_figure(const void *record, struct field_visit *visit) {
    const struct evaluated *all = record;
    for (size_t p = 0; p < all->evaluation->point_count; p++) visit_figures(all, p, visit);
}

static const struct field rows_of_text = {
    .kind = FIELD_LIST, .fields = figure_fields, .each = each_figure};

static void print_line(FILE *file, const char *name, const char *value) {
    fprintf(file, "%-13s", name);
    visible_print(file, value);
    fputc('\n', file);
}

static void print_head(FILE *file, const struct evaluated *print) {
    const struct tcplan_evaluation *evaluation = print->evaluation;
    print_line(file, "experiment", evaluation->title);
    print_line(file, "machine", *evaluation->machine ? evaluation->machine : "not known");
    print_line(file, "library", *evaluation->library ? evaluation->library : "not known");
    if (*evaluation->cores) print_line(file, "cores", evaluation->cores);
    if (*evaluation->nodes) print_line(file, "memory", evaluation->nodes);
    const bool told = *evaluation->unit && strcmp(evaluation->unit, evaluation->metric) != 0;
    fprintf(file, "%-13s%s%s%s%s\n", "metric", evaluation->metric, told ? ", " : "",
            told ? evaluation->unit : "",
            print->discard_first ? "; without the first repetition" : "");
}

static void print(struct writer *writer, const void *record) {
    const struct evaluated *all = record;
    const struct tcplan_evaluation *evaluation = all->evaluation;
    print_head(writer->file, all);
    fputc('\n', writer->file);
    fields_print_list(writer, &rows_of_text, all);
    if (evaluation->missing > 0) {
        fprintf(
            writer->file,
            "\n%zu of %zu %s not all of their samples: the run was interrupted or is not finished.\n",
            evaluation->missing, evaluation->point_count,
            evaluation->missing == 1 ? "point has" : "points have");
    }
}

VIEW(evaluation, evaluated, "evaluation", print,
     "Metrics of an experiment, computed from its report.");
