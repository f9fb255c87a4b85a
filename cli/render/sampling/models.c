#include "cli/render/sampling/sampling.h"

#include <inttypes.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/render/text/values.h"

struct field_value model_domain_value(const struct tcplan_model_domain *domain) {
    char text[TCPLAN_MODEL_DOMAIN_TEXT];
    tcplan_model_domain_print(text, domain);
    return field_owned(strdup(text));
}

/** A model of a list. */
struct listed {
    const struct models_listing *listing;
    const struct tcplan_model *of;
};

/** A piece of a model: a polynomial on a box of sizes. */
struct piece {
    const struct tcplan_model *model;
    const struct tcplan_model_piece *of;
};

/** The prediction of a model at the given sizes. */
struct estimate {
    const struct tcplan_model *model;
    int64_t size[TCPLAN_MODEL_SIZES];
    struct tcplan_model_estimate of;
};

static void visit_estimate(const struct listed *listed, struct field_visit *visit) {
    struct estimate estimate = {.model = listed->of};
    if (!listed->listing->whole || listed->listing->sizes->count == 0 ||
        !model_sizes_of(estimate.size, listed->listing->sizes, listed->of))
        return;
    tcplan_model_evaluate(&estimate.of, listed->of, estimate.size);
    FIELD_VISIT(&estimate);
}

FIELD_TEST(struct listed, is_whole, r->listing->whole)

/** Returns whether a list contains a model of counts. */
static bool some_count(const struct models_listing *listing) {
    for (size_t m = 0; m < listing->chosen->count; m++) {
        if (*listing->chosen->model[m]->setup.counter) return true;
    }
    return false;
}

FIELD_TEST(struct models_listing, counts, some_count(r))

/** Returns numbers in static memory that is valid until the next call; documents write them at
 * once. */
static struct field_value numbers(const int64_t value[], const int degree[], int count) {
    static double number[TCPLAN_MODEL_SIZES];
    struct field_value out = field_flag(true);
    for (int i = 0; i < count; i++) number[i] = value ? (double)value[i] : degree[i];
    out.numbers = number;
    out.count = count;
    return out;
}

static struct field_value size_names(const struct tcplan_model *model) {
    static const char *name[TCPLAN_MODEL_SIZES];
    for (int i = 0; i < model->domain.count; i++) name[i] = model->size_name[i];
    return field_names(name, model->domain.count);
}

#define MODEL r->of
#define COUNT MODEL->domain.count
#define SETUP MODEL->setup
#define PIECE r->of
#define IS_COUNT (*r->model->setup.counter)
#define NS(statistic) field_if(!IS_COUNT, field_number(1e-9 * r->of.ns[TCPLAN_MODEL_##statistic]))
#define COUNT_OF(statistic) field_if(IS_COUNT, field_number(r->of.ns[TCPLAN_MODEL_##statistic]))

FIELD_GETTER(struct piece, shown_piece, model_domain_value(&PIECE->domain))
FIELD_GETTER(struct piece, shown_piece_error, field_printed("%.3f %%", 100 * PIECE->error))
FIELD_GETTER(struct listed, shown_pieces,
             field_printed("%zu%s", MODEL->piece_count, MODEL->complete ? "" : "*"))

/* clang-format off */

#define PIECES(F, T) \
    F(T, low, NUMBERS, numbers(PIECE->domain.low, NULL, r->model->domain.count), "smallest sizes", ALWAYS, COLUMN(1, "piece"), .shown = shown_piece) \
    F(T, high, NUMBERS, numbers(PIECE->domain.high, NULL, r->model->domain.count), "largest sizes", ALWAYS) \
    F(T, degrees, NUMBERS, numbers(NULL, PIECE->degree, r->model->domain.count), "degrees of the piece's polynomial", ALWAYS, COLUMN(2, "degrees")) \
    F(T, points, INTEGER, field_integer(PIECE->points), "fitted points", ALWAYS, COLUMN(3, "points")) \
    F(T, error, NUMBER, field_number(PIECE->error), "error at the fitted points", ALWAYS, COLUMN(4, "error"), .shown = shown_piece_error)

#define CONFIGURATION(F, T) \
    F(T, overfitting, INTEGER, field_integer(r->overfitting), "polynomial degrees above those of the operation count", ALWAYS) \
    F(T, oversampling, INTEGER, field_integer(r->oversampling), "points along a size in addition to those that the degree needs", ALWAYS) \
    F(T, grid, TEXT, field_text(tcplan_model_grid_name(r->grid)), "grid of the points", ALWAYS) \
    F(T, repetitions, INTEGER, field_integer(r->repetitions), "samples for each point", ALWAYS) \
    F(T, reference, TEXT, field_text(tcplan_model_statistic_name(r->reference)), "statistic to which the error refers", ALWAYS) \
    F(T, measure, TEXT, field_text(tcplan_model_measure_name(r->measure)), "error measure of a piece", ALWAYS) \
    F(T, bound, NUMBER, field_number(r->bound), "bound of the error of a piece", ALWAYS) \
    F(T, min_width, INTEGER, field_integer(r->min_width), "smallest width of a piece that is halved", ALWAYS) \
    F(T, multiple, INTEGER, field_integer(r->multiple), "measured sizes and ends of pieces are multiples of this number", ALWAYS) \
    F(T, most_pieces, INTEGER, field_integer(r->most_pieces), "largest number of pieces", ALWAYS)

#define CHECK(F, T) \
    F(T, points, INTEGER, field_integer(r->points), "random points", ALWAYS) \
    F(T, mean, NUMBER, field_number(r->mean), "mean error", ALWAYS) \
    F(T, median, NUMBER, field_number(r->median), "median error", ALWAYS) \
    F(T, p90, NUMBER, field_number(r->p90), "90 % quantile of the errors", ALWAYS) \
    F(T, maximum, NUMBER, field_number(r->maximum), "largest error", ALWAYS) \
    F(T, made, DATE, field_if(r->made > 0, field_integer(r->made)), "date of the check")

#define ESTIMATE(F, T) \
    F(T, sizes, NUMBERS, numbers(r->size, NULL, r->model->domain.count), "the sizes", ALWAYS) \
    F(T, outside, FLAG, field_flag(r->of.outside), "whether the sizes are outside the domain; the nearest ones inside are used", ALWAYS) \
    F(T, error, NUMBER, field_number(r->of.error), "error of the piece", ALWAYS) \
    F(T, origin, TEXT, field_text(tcplan_origin_name(TCPLAN_ORIGIN_MODEL)), "source of the times", ALWAYS) \
    F(T, minimum_seconds, NUMBER, NS(MINIMUM), "smallest time") \
    F(T, median_seconds, NUMBER, NS(MEDIAN), "median time") \
    F(T, maximum_seconds, NUMBER, NS(MAXIMUM), "largest time") \
    F(T, mean_seconds, NUMBER, NS(MEAN), "mean time") \
    F(T, deviation_seconds, NUMBER, NS(DEVIATION), "standard deviation") \
    F(T, minimum_count, NUMBER, COUNT_OF(MINIMUM), "smallest count, if the model has a counter") \
    F(T, median_count, NUMBER, COUNT_OF(MEDIAN), "median count, if the model has a counter") \
    F(T, maximum_count, NUMBER, COUNT_OF(MAXIMUM), "largest count, if the model has a counter") \
    F(T, mean_count, NUMBER, COUNT_OF(MEAN), "mean count, if the model has a counter") \
    F(T, deviation_count, NUMBER, COUNT_OF(DEVIATION), "standard deviation of counts, if the model has a counter")

#define LISTED(F, T) \
    F(T, case, TEXT, field_text(MODEL->case_text), "routine, flags and scalars", ALWAYS, CSV(1), COLUMN(1, "case")) \
    F(T, provider, TEXT, field_text(SETUP.provider), "library", ALWAYS, CSV(2), COLUMN(2, "provider"), .optional = '1') \
    F(T, version, TEXT, field_text(SETUP.version), "version of the library", CSV(3)) \
    F(T, threads, INTEGER, field_integer(SETUP.threads), "threads", ALWAYS, CSV(4), COLUMN(3, "threads"), .optional = '3') \
    F(T, placement, TEXT, field_text(tcplan_model_placement_name(SETUP.placement)), "placement of operands", ALWAYS, CSV(5), COLUMN(4, "placement"), \
      .optional = '1') \
    F(T, binding, TEXT, field_text(SETUP.binding), "cores and memory nodes to which the process was bound; absent: not bound") \
    F(T, counter, TEXT, field_text(SETUP.counter), "event whose counts the model predicts; absent: the model predicts times", \
      COLUMN(10, "counter"), .optional = '1', .applies = counts) \
    F(T, domain, TEXT, model_domain_value(&MODEL->domain), "sizes of the domain", CSV(6), COLUMN(5, "domain"), .hidden = true) \
    F(T, sizes, NAMES, size_names(MODEL), "names of the sizes", ALWAYS, CSV(7)) \
    F(T, degrees, NUMBERS, numbers(NULL, MODEL->degree, COUNT), "degrees of the polynomials", ALWAYS) \
    F(T, low, NUMBERS, numbers(MODEL->domain.low, NULL, COUNT), "smallest sizes", ALWAYS) \
    F(T, high, NUMBERS, numbers(MODEL->domain.high, NULL, COUNT), "largest sizes", ALWAYS) \
    F(T, piece_count, INTEGER, field_integer((int64_t)MODEL->piece_count), "number of pieces", ALWAYS, CSV(8), COLUMN(6, "pieces"), .optional = '2', \
      .shown = shown_pieces) \
    F(T, points, INTEGER, field_integer(MODEL->points), "measured points", ALWAYS, CSV(9), COLUMN(7, "points"), .optional = '4') \
    F(T, error, NUMBER, field_number(tcplan_model_error(MODEL)), "mean error at the measured points", ALWAYS, CSV(10), COLUMN(8, "error"), .optional = '3', \
      .format = FIELD_PERCENT_2) \
    F(T, complete, FLAG, field_flag(MODEL->complete), "whether each piece is within the error bound or of minimal width", ALWAYS, CSV(11)) \
    F(T, made, DATE, field_if(MODEL->made > 0, field_integer(MODEL->made)), "date of creation", CSV(12), COLUMN(9, "made (UTC)")) \
    F(T, seconds, NUMBER, field_positive(MODEL->seconds), "measurement time", CSV(13)) \
    F(T, check, OBJECT, if (MODEL->check.points > 0) FIELD_VISIT(&MODEL->check), "a check at random points", .fields = check_fields) \
    F(T, configuration, OBJECT, FIELD_VISIT(&MODEL->config), "settings of the generation", .fields = configuration_fields, .applies = is_whole) \
    F(T, estimate, OBJECT, visit_estimate(r, visit), "prediction at --sizes", .fields = estimate_fields) \
    F(T, pieces, LIST, FIELD_VISIT_ALL(MODEL->piece_count, &(struct piece){MODEL, &MODEL->piece[i]}), \
      "pieces of the model", .item = "piece", .fields = pieces_fields, .applies = is_whole)

#define LISTING(F, T) \
    F(T, folder, TEXT, field_text(r->chosen->stored.store.folder), "folder of the store; absent: none") \
    F(T, count, INTEGER, field_integer((int64_t)r->chosen->count), "number of models", ALWAYS) \
    F(T, models, LIST, FIELD_VISIT_ALL(r->chosen->count, &(struct listed){r, r->chosen->model[i]}), \
      "the models", .item = "model", .fields = listed_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(pieces, piece, PIECES);
FIELD_TABLE(configuration, tcplan_model_config, CONFIGURATION);
FIELD_TABLE(check, tcplan_model_check, CHECK);
FIELD_TABLE(estimate, estimate, ESTIMATE);
FIELD_TABLE(listed, listed, LISTED);
FIELD_TABLE(listing, models_listing, LISTING);

/* Text. */

/** Returns a time in nanoseconds, or a count of a model of counts, as text. */
static struct quantity value_text(const struct tcplan_model *model, double value) {
    struct quantity count;
    if (!*model->setup.counter) return quantity_seconds(1e-9 * value);
    snprintf(count.text, sizeof count.text, "%.6g", value);
    return count;
}

static void print_setup(FILE *file, const struct tcplan_model *model) {
    char domain[TCPLAN_MODEL_DOMAIN_TEXT];
    const struct tcplan_model_setup *setup = &model->setup;
    fprintf(file, "case           %s\n", model->case_text);
    fprintf(file, "setup          %s%s%s%s, %s, %s%s%s%s%s\n", setup->provider,
            *setup->version ? " (" : "", setup->version, *setup->version ? ")" : "",
            counted(setup->threads, "thread").text, tcplan_model_placement_name(setup->placement),
            *setup->binding ? ", " : "", setup->binding, *setup->counter ? ", counts of " : "",
            setup->counter);
    tcplan_model_domain_print(domain, &model->domain);
    fprintf(file, "domain         %s of ", domain);
    for (int i = 0; i < model->domain.count; i++)
        fprintf(file, "%s%s", i > 0 ? ", " : "", model->size_name[i]);
    fputc('\n', file);
}

static void print_configuration(FILE *file, const struct tcplan_model_config *config) {
    fprintf(
        file,
        "configuration  overfitting %d, oversampling %d, %s grid, %d repetitions, %s, %s error up to %.3g %%, width %" PRId64
        ", multiples of %" PRId64 ", %d pieces at most\n",
        config->overfitting, config->oversampling, tcplan_model_grid_name(config->grid),
        config->repetitions, tcplan_model_statistic_name(config->reference),
        tcplan_model_measure_name(config->measure), 100 * config->bound, config->min_width,
        config->multiple, config->most_pieces);
}

static void print_made(FILE *file, const struct tcplan_model *model) {
    const struct tcplan_model_check *check = &model->check;
    fprintf(file, "made           %s, %d points", date_minute(model->made).text, model->points);
    if (model->seconds > 0) fprintf(file, " in %s", quantity_seconds(model->seconds).text);
    fputs(model->complete
              ? "\n"
              : "; stopped before every piece was within the error bound or of minimal width\n",
          file);
    if (check->points == 0) return;
    fprintf(
        file,
        "checked        %s at %d random points: error %.2f %% mean, %.2f %% median, %.2f %% 90 %% quantile, %.2f %% maximum\n",
        date_minute(check->made).text, check->points, 100 * check->mean, 100 * check->median,
        100 * check->p90, 100 * check->maximum);
}

static void print_estimate(FILE *file, const struct tcplan_model *model,
                           const struct model_sizes *sizes) {
    int64_t size[TCPLAN_MODEL_SIZES];
    struct tcplan_model_estimate estimate;
    if (sizes->count == 0) return;
    if (!model_sizes_of(size, sizes, model)) {
        fputs("estimate       none: --sizes lacks sizes of the routine\n", file);
        return;
    }
    tcplan_model_evaluate(&estimate, model, size);
    const double *ns = estimate.ns;
    fprintf(file, "estimate       %s to %s, median %s, mean %s, deviation %s%s\n",
            value_text(model, ns[TCPLAN_MODEL_MINIMUM]).text,
            value_text(model, ns[TCPLAN_MODEL_MAXIMUM]).text,
            value_text(model, ns[TCPLAN_MODEL_MEDIAN]).text,
            value_text(model, ns[TCPLAN_MODEL_MEAN]).text,
            value_text(model, ns[TCPLAN_MODEL_DEVIATION]).text,
            estimate.outside ? "; outside the domain: at the nearest sizes inside" : "");
}

static void print_list(struct writer *writer, const struct models_listing *listing) {
    const struct chosen_models *chosen = listing->chosen;
    bool incomplete = false;
    fprintf(writer->file, "%s in %s\n", counted((int64_t)chosen->count, "model").text,
            chosen->stored.store.folder);
    if (chosen->count == 0) return;
    fputc('\n', writer->file);
    fields_print_list(writer, field_named(listing_fields, "models"), listing);
    for (size_t m = 0; m < chosen->count; m++)
        incomplete = incomplete || !chosen->model[m]->complete;
    if (incomplete)
        fputs("\n* Stopped before every piece was within the error bound or of minimal width.\n",
              writer->file);
}

static void print_whole(struct writer *writer, const struct models_listing *listing) {
    for (size_t m = 0; m < listing->chosen->count; m++) {
        const struct listed listed = {listing, listing->chosen->model[m]};
        if (m > 0) fputc('\n', writer->file);
        print_setup(writer->file, listed.of);
        print_configuration(writer->file, &listed.of->config);
        print_made(writer->file, listed.of);
        print_estimate(writer->file, listed.of, listing->sizes);
        fputc('\n', writer->file);
        fields_print_list(writer, field_named(listed_fields, "pieces"), &listed);
    }
}

static void print(struct writer *writer, const void *record) {
    const struct models_listing *listing = record;
    if (!listing->chosen->stored.store.folder) {
        fputs("There is no store: $TCPLAN_STORE is empty, or $HOME is not set.\n", writer->file);
    } else if (listing->whole) {
        print_whole(writer, listing);
    } else {
        print_list(writer, listing);
    }
}

VIEW(models, listing, "models", print, "Models of routines.");
