#include "cli/render/sampling/sampling.h"

#include "base/quantity.h"
#include "cli/render/common_fields.h"

/** A point at which a model was checked. */
struct point {
    const struct tcplan_model *model;
    const struct tcplan_checked_point *of;
};

/** Returns numbers in static memory that is valid until the next call; documents write them at
 * once. */
static struct field_value numbers(const double value[], int count, double factor) {
    static double number[TCPLAN_MODEL_SIZES];
    struct field_value out = field_flag(true);
    for (int i = 0; i < count; i++) number[i] = factor * value[i];
    out.numbers = number;
    out.count = count;
    return out;
}

static struct field_value sizes_of(const struct point *point) {
    double size[TCPLAN_MODEL_SIZES];
    for (int s = 0; s < point->model->domain.count; s++) size[s] = (double)point->of->size[s];
    return numbers(size, point->model->domain.count, 1);
}

#define MODEL r->model
#define MADE(value) field_if(MODEL != NULL, MODEL ? (value) : field_unknown())
#define KNOWN r->count > 0
#define CONFIG r->config
FIELD_GETTER(struct tcplan_generated, shown_spread, MADE(field_printed("%.2f %%", 100 * r->spread)))
FIELD_GETTER(struct tcplan_model_checked, shown_met,
             field_text(!(KNOWN) ? "not known"
                        : r->met ? "met"
                                 : "missed"))

/* clang-format off */

#define SETUP(F, T) \
    F(T, provider, TEXT, field_text(r->provider), "library", ALWAYS, CSV(1)) \
    F(T, version, TEXT, field_word(r->version), "version of the library", ALWAYS, CSV(2)) \
    F(T, threads, INTEGER, field_integer(r->threads), "threads", ALWAYS, CSV(3)) \
    F(T, placement, TEXT, field_text(tcplan_model_placement_name(r->placement)), "placement of operands", ALWAYS, CSV(4)) \
    F(T, binding, TEXT, field_text(r->binding), "cores and memory nodes to which the process was bound; absent: not bound") \
    F(T, counter, TEXT, field_text(r->counter), "event whose counts the model has instead of times (a count of 1e9 is written as 1 s); absent: times")

#define SET_UP(F, T) \
    F(T, setup, GROUP, FIELD_VISIT(&r->setup), "setup of the models", \
      .fields = setup_fields) \
    F(T, samples_file, TEXT, field_text(r->samples), "file of the samples")

#define GENERATED(F, T) \
    F(T, case, TEXT, field_text(r->case_text), "routine, flags and scalars", ALWAYS, CSV(5), COLUMN(1, "case")) \
    F(T, domain, TEXT, model_domain_value(&r->domain), "sizes of the model", ALWAYS, CSV(6), COLUMN(2, "domain")) \
    F(T, made, FLAG, field_flag(MODEL != NULL), "whether the time sufficed for a model", ALWAYS, CSV(7)) \
    F(T, complete, FLAG, MADE(field_flag(MODEL->complete)), "whether each piece is within the error bound or of minimal width", CSV(8)) \
    F(T, pieces, INTEGER, MADE(field_integer((int64_t)MODEL->piece_count)), "number of pieces", CSV(9), COLUMN(3, "pieces"), .optional = '2') \
    F(T, points, INTEGER, MADE(field_integer(MODEL->points)), "measured points", CSV(10), COLUMN(4, "points"), .optional = '4') \
    F(T, error, NUMBER, MADE(field_number(tcplan_model_error(MODEL))), "mean error at the measured points", CSV(11), COLUMN(6, "error"), .optional = '1', \
      .format = FIELD_PERCENT_2) \
    F(T, whole_error, NUMBER, MADE(field_number(r->whole_error)), "error of a single piece for the whole domain", CSV(12)) \
    F(T, rounds, INTEGER, field_integer(r->rounds), "rounds of halving", ALWAYS, CSV(13), COLUMN(5, "rounds"), .optional = '0') \
    F(T, measured_seconds, NUMBER, field_number(r->seconds), "measurement time", ALWAYS, CSV(14), COLUMN(8, "measured"), \
      .format = FIELD_SECONDS, .optional = '5') \
    F(T, again_seconds, NUMBER, field_number(r->again_seconds), "measurement time of repeated samples", ALWAYS, CSV(15)) \
    F(T, spread, NUMBER, field_number(r->spread), "relative difference between repetitions of points", ALWAYS, CSV(16), COLUMN(7, "spread"), .optional = '3', \
      .shown = shown_spread) \
    F(T, explained_pieces, INTEGER, field_integer((int64_t)r->explained), "pieces not halved because their errors are within the spread", ALWAYS, CSV(17)) \
    F(T, state, TEXT, field_word(!MODEL ? "none" : MODEL->complete ? "" : "incomplete"), "state of the model", COLUMN(9, ""), .hidden = true)

#define GENERATION(F, T) \
    SET_UP(F, T) \
    F(T, leading_dimension, INTEGER, field_integer(r->generation->leading), "leading dimension of the matrices", ALWAYS) \
    F(T, samples, INTEGER, field_integer(r->generation->measured), "new samples", ALWAYS) \
    F(T, known_samples, INTEGER, field_integer(r->generation->known), "samples from earlier runs", ALWAYS) \
    F(T, disturbed, INTEGER, field_integer(r->generation->disturbed), "samples that were disturbed and repeated", ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->generation->seconds), "total time", ALWAYS) \
    F(T, time_over, FLAG, field_flag(r->generation->time_over), "whether the time limit ended generation", ALWAYS) \
    F(T, core, OBJECT, FIELD_VISIT(&r->generation->core), "speed of the core during the measurement", .fields = tcplan_core_speed_fields, ALWAYS) \
    F(T, models, LIST, FIELD_VISIT_ALL(r->generation->count, &r->generation->of[i]), "the models", .item = "model", .fields = generated_fields, ALWAYS)

#define ERRORS(F, T) \
    F(T, mean, NUMBER, field_number(r->mean), "mean error", ALWAYS) \
    F(T, median, NUMBER, field_number(r->median), "median error", ALWAYS) \
    F(T, p90, NUMBER, field_number(r->p90), "90 % quantile of the errors", ALWAYS) \
    F(T, maximum, NUMBER, field_number(r->maximum), "largest error", ALWAYS)

#define POINT(F, T) \
    F(T, sizes, NUMBERS, sizes_of(r), "sizes of the point", ALWAYS) \
    F(T, model_seconds, NUMBER, field_number(1e-9 * r->of->model_ns), "predicted time", ALWAYS) \
    F(T, session_seconds, NUMBERS, numbers(r->of->ns, 2, 1e-9), "times in two sessions, converted to the core speed that the model assumes", ALWAYS) \
    F(T, raw_session_seconds, NUMBERS, numbers(r->of->raw_ns, 2, 1e-9), "times in two sessions, as measured (raw)", ALWAYS)

#define CHECKED(F, T) \
    F(T, case, TEXT, field_text(MODEL->case_text), "routine, flags and scalars", ALWAYS, CSV(5), COLUMN(1, "case")) \
    F(T, domain, TEXT, model_domain_value(&MODEL->domain), "sizes of the model", ALWAYS, CSV(6), COLUMN(2, "domain")) \
    F(T, points, INTEGER, field_integer(r->count), "random points", ALWAYS, CSV(7), COLUMN(3, "points"), .optional = '1') \
    F(T, mean, NUMBER, field_if(KNOWN, field_number(r->error.mean)), "mean error", CSV(8), COLUMN(4, "error"), .format = FIELD_PERCENT_2, .hidden = true) \
    F(T, median, NUMBER, field_if(KNOWN, field_number(r->error.median)), "median error", CSV(9), COLUMN(5, "median"), .optional = '3', \
      .format = FIELD_PERCENT_2, .hidden = true) \
    F(T, p90, NUMBER, field_if(KNOWN, field_number(r->error.p90)), "90 % quantile of the errors", CSV(10), COLUMN(6, "90 %"), \
      .optional = '4', .format = FIELD_PERCENT_2, .hidden = true) \
    F(T, maximum, NUMBER, field_if(KNOWN, field_number(r->error.maximum)), "largest error", CSV(11), COLUMN(7, "maximum"), .optional = '5', \
      .format = FIELD_PERCENT_2, .hidden = true) \
    F(T, spread, NUMBER, field_if(KNOWN, field_number(r->spread)), "median difference between the sessions", CSV(12), COLUMN(8, "spread"), \
      .format = FIELD_PERCENT_2) \
    F(T, raw_spread, NUMBER, field_if(KNOWN, field_number(r->raw_spread)), "raw median difference between the sessions", CSV(13), \
      COLUMN(12, "raw spread"), .optional = '2', \
      .format = FIELD_PERCENT_2) \
    F(T, target, NUMBER, field_if(KNOWN, field_number(r->target)), "largest accepted mean error", CSV(14), COLUMN(9, "target"), .format = FIELD_PERCENT_2) \
    F(T, met, FLAG, field_if(KNOWN, field_flag(r->met)), "whether the mean error is at most the target", CSV(15), COLUMN(10, "is"), .shown = shown_met) \
    F(T, raw_mean, NUMBER, field_if(KNOWN, field_number(r->raw.mean)), "mean error of the raw times", CSV(16), COLUMN(11, "raw error"), .optional = '2', \
      .format = FIELD_PERCENT_2, .hidden = true) \
    F(T, error, OBJECT, if (KNOWN) FIELD_VISIT(&r->error), "errors", .fields = errors_fields) \
    F(T, raw_error, OBJECT, if (KNOWN) FIELD_VISIT(&r->raw), "errors of the raw times", .fields = errors_fields) \
    F(T, measured, LIST, FIELD_VISIT_ALL(r->count, &(struct point){r->model, &r->point[i]}), "the points", .item = "point", .fields = point_fields, ALWAYS)

#define CHECK(F, T) \
    SET_UP(F, T) \
    F(T, seconds, NUMBER, field_number(r->check->seconds), "total time", ALWAYS) \
    F(T, time_over, FLAG, field_flag(r->check->time_over), "whether the time limit ended generation", ALWAYS) \
    F(T, same_state, FLAG, field_flag(r->check->same_state), "whether the models recorded the speed of the core", ALWAYS) \
    F(T, core, OBJECT, FIELD_VISIT(&r->check->core), "speed of the core during the measurement", .fields = tcplan_core_speed_fields, ALWAYS) \
    F(T, models, LIST, FIELD_VISIT_ALL(r->check->count, &r->check->of[i]), "the models", .item = "model", .fields = checked_fields, ALWAYS)

#define STUDIED(F, T) \
    F(T, case, TEXT, field_text(r->case_text), "routine, flags and scalars", ALWAYS, CSV(5)) \
    F(T, domain, TEXT, model_domain_value(&r->domain), "sizes of the model", ALWAYS, CSV(6)) \
    F(T, overfitting, INTEGER, field_integer(CONFIG.overfitting), "polynomial degrees above those of the operation count", ALWAYS, CSV(7), \
      COLUMN(1, "overfitting"), .optional = '6') \
    F(T, oversampling, INTEGER, field_integer(CONFIG.oversampling), "points along a size in addition to those that the degree needs", ALWAYS, CSV(8), \
      COLUMN(2, "oversampling"), .optional = '6') \
    F(T, grid, TEXT, field_text(tcplan_model_grid_name(CONFIG.grid)), "grid of the points", ALWAYS, CSV(9), COLUMN(3, "grid"), .optional = '6') \
    F(T, repetitions, INTEGER, field_integer(CONFIG.repetitions), "samples of each point", ALWAYS, CSV(10), COLUMN(4, "repetitions"), .optional = '5') \
    F(T, reference, TEXT, field_text(tcplan_model_statistic_name(CONFIG.reference)), "statistic to which the error of a piece refers", ALWAYS, CSV(11), \
      COLUMN(5, "reference"), .optional = '5') \
    F(T, measure, TEXT, field_text(tcplan_model_measure_name(CONFIG.measure)), "error measure of a piece", ALWAYS, CSV(12), COLUMN(6, "measure"), \
      .optional = '5') \
    F(T, bound, NUMBER, field_number(CONFIG.bound), "bound of the error of a piece", ALWAYS, CSV(13), COLUMN(7, "bound"), .optional = '5', \
      .format = FIELD_PERCENT_2) \
    F(T, min_width, INTEGER, field_integer(CONFIG.min_width), "smallest width of a piece that is halved", ALWAYS, CSV(14), COLUMN(8, "width"), \
      .optional = '5') \
    F(T, pieces, INTEGER, field_integer(r->pieces), "number of pieces", ALWAYS, CSV(15), COLUMN(9, "pieces"), .optional = '2') \
    F(T, points, INTEGER, field_integer(r->points), "points of the grid that the model used", ALWAYS, CSV(16), COLUMN(10, "points"), .optional = '1') \
    F(T, error, NUMBER, field_number(r->error), "mean relative error of the predicted minimum over all points of the grid", ALWAYS, CSV(17), \
      COLUMN(11, "error"), .format = FIELD_PERCENT_2) \
    F(T, cost_seconds, NUMBER, field_number(r->cost_seconds), "time of the samples that the model used", ALWAYS, CSV(18), COLUMN(12, "cost"), \
      .format = FIELD_SECONDS) \
    F(T, complete, FLAG, field_flag(r->complete), "whether each piece is within the error bound or of minimal width", ALWAYS, CSV(19)) \
    F(T, accurate, FLAG, field_flag(r->accurate), "whether the error is at most 1.5 times the smallest error of the case", ALWAYS, CSV(20)) \
    F(T, chosen, FLAG, field_flag(r->chosen), "whether the configuration is accurate and among the cheapest quarter", ALWAYS, CSV(21)) \
    F(T, pruning, TEXT, field_text(r->chosen ? "chosen" : r->accurate ? "accurate" : ""), "result of pruning", COLUMN(13, ""), .hidden = true)

#define STUDY(F, T) \
    SET_UP(F, T) \
    F(T, points, INTEGER, field_integer(r->study->points), "points of the grids", ALWAYS) \
    F(T, repetitions, INTEGER, field_integer(r->study->repetitions), "samples of each point", ALWAYS) \
    F(T, samples, INTEGER, field_integer(r->study->measured), "new samples", ALWAYS) \
    F(T, disturbed, INTEGER, field_integer(r->study->disturbed), "samples that were disturbed and repeated", ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->study->seconds), "total time", ALWAYS) \
    F(T, core, OBJECT, FIELD_VISIT(&r->study->core), "speed of the core during the measurement", .fields = tcplan_core_speed_fields, ALWAYS) \
    F(T, configurations, LIST, FIELD_VISIT_ALL(r->study->count, &r->study->of[i]), "the configurations of each case", .item = "configuration", \
      .fields = studied_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(setup, tcplan_model_setup, SETUP);
FIELD_TABLE(generated, tcplan_generated, GENERATED);
FIELD_TABLE(generation, generation_result, GENERATION);
FIELD_TABLE(errors, tcplan_model_check, ERRORS);
FIELD_TABLE(point, point, POINT);
FIELD_TABLE(checked, tcplan_model_checked, CHECKED);
FIELD_TABLE(check, generation_result, CHECK);
FIELD_TABLE(studied, tcplan_studied, STUDIED);
FIELD_TABLE(study, generation_result, STUDY);

/* Text. */

static void print_setup(FILE *file, const struct generation_result *result) {
    const struct tcplan_model_setup *setup = &result->setup;
    fprintf(file, "models   %s, %s, %s, %s%s%s%s%s\n", setup->provider, setup->version,
            counted(setup->threads, "thread").text, tcplan_model_placement_name(setup->placement),
            *setup->binding ? ", " : "", setup->binding, *setup->counter ? ", counts of " : "",
            setup->counter);
}

static void print_core(FILE *file, const struct tcplan_core_speed *core) {
    fputs("core     ", file);
    if (core->good_seconds > 0) {
        fprintf(file, "%.0f %% of its best speed on average; times are converted to the best",
                100 * core->share);
    } else {
        fputs("its speed is unknown", file);
    }
    if (core->other_cores > 0.1)
        fprintf(file, "; other processes used %.1f cores", core->other_cores);
    fputc('\n', file);
}

static void count_models(const struct tcplan_generation *generation, size_t *none,
                         size_t *incomplete, size_t *explained) {
    *none = *incomplete = *explained = 0;
    for (size_t g = 0; g < generation->count; g++) {
        const struct tcplan_model *model = generation->of[g].model;
        *none += !model;
        *incomplete += model && !model->complete;
        *explained += generation->of[g].explained;
    }
}

static void print_generation(struct writer *writer, const void *record) {
    const struct generation_result *result = record;
    const struct tcplan_generation *generation = result->generation;
    FILE *file = writer->file;
    size_t none, incomplete, explained;
    print_setup(file, result);
    fprintf(
        file,
        "samples  %lld in %s, %lld from earlier runs; %lld were disturbed and repeated; leading dimension %lld\n",
        (long long)generation->measured, quantity_seconds(generation->seconds).text,
        (long long)generation->known, (long long)generation->disturbed,
        (long long)generation->leading);
    print_core(file, &generation->core);
    fputc('\n', file);
    fields_print_list(writer, field_named(generation_fields, "models"), result);
    count_models(generation, &none, &incomplete, &explained);
    if (explained > 0)
        fprintf(
            file,
            "\nPieces not halved because their errors are within the spread of repetitions: %zu.\n",
            explained);
    if (!generation->time_over) return;
    fprintf(
        file,
        "\nTime limit reached: %zu of %zu models are missing, %zu are incomplete. The same command resumes%s.\n",
        none, generation->count, incomplete,
        result->samples ? "" : " only if samples are saved (--samples)");
}

static bool lacks_points(const struct tcplan_models_check *check) {
    for (size_t m = 0; m < check->count; m++) {
        if (check->of[m].count == 0) return true;
    }
    return false;
}

static void print_check(struct writer *writer, const void *record) {
    const struct generation_result *result = record;
    const struct tcplan_models_check *check = result->check;
    FILE *file = writer->file;
    print_setup(file, result);
    print_core(file, &check->core);
    if (!check->same_state)
        fputs("state    unknown for these models: they were made before models recorded it\n",
              file);
    fputc('\n', file);
    fields_print_list(writer, field_named(check_fields, "models"), result);
    fputs(
        "\nRandom points outside the fitted samples, measured in two sessions. The spread is the median difference between the sessions;\n"
        "the target of the mean error is 1.5 times the spread, or 0.7 % if the spread is below 0.5 %. Raw times are as measured,\n"
        "not converted to the speed of the core at which the models were made.\n",
        file);
    if (check->time_over) {
        fputs(
            "Time limit reached: points with too few measurements in both sessions are omitted.\n",
            file);
    } else if (lacks_points(check)) {
        fputs("Models without points: the fit used their whole domain.\n", file);
    }
}

/** Prints the configurations of each case under a line with the case and its domain. */
static void print_configurations(struct writer *writer, const struct generation_result *result) {
    const struct tcplan_study *study = result->study;
    for (size_t first = 0, count; first < study->count; first += count) {
        char domain[TCPLAN_MODEL_DOMAIN_TEXT];
        struct tcplan_study part = *study;
        struct generation_result part_result = *result;
        count = study->count / study->cases;
        part.of += first;
        part.count = count;
        part_result.study = &part;
        tcplan_model_domain_print(domain, &part.of->domain);
        fprintf(writer->file, "\n%s on %s\n\n", part.of->case_text, domain);
        fields_print_list(writer, field_named(study_fields, "configurations"), &part_result);
    }
}

static void print_study(struct writer *writer, const void *record) {
    const struct generation_result *result = record;
    const struct tcplan_study *study = result->study;
    FILE *file = writer->file;
    print_setup(file, result);
    fprintf(file, "grid     %lld points, each measured %s; %lld new samples in %s\n",
            (long long)study->points, counted(study->repetitions, "time").text,
            (long long)study->measured, quantity_seconds(study->seconds).text);
    print_core(file, &study->core);
    print_configurations(writer, result);
    fputs(
        "\nThe error is the mean error at all points of the grid; the cost is the time of the samples that a model used.\n"
        "Accurate: at most 1.5 times the smallest error. Chosen: also in the cheapest quarter.\n",
        file);
}

VIEW(study, study, "study", print_study,
     "Configurations of the model generator, fitted to the same samples.");

VIEW(generation, generation, "generation", print_generation, "Measured and fitted models.");

VIEW(models_check, check, "check", print_check,
     "Models compared with new measurements at random sizes.");
