#include "store/models_schema.h"

#include <string.h>

/* Values are checked by those who read them. */

static bool is_one(const char *value) {
    return strcmp(value, "1") == 0;
}

/* clang-format off */
#define TEXT .holds = NULL

static const struct schema_attribute models_attributes[] = {{"format", .holds = is_one, .expected = "1"}, {"tcplan", .optional = true}, {0}};

static const struct schema_attribute machine_attributes[] = {
    {"CPU", TEXT}, {"cores", TEXT}, {"caches", TEXT}, {"BLAS", TEXT}, {"libxsmm", TEXT}, {"BLIS", TEXT}, {0}};

static const struct schema_attribute model_attributes[] = {
    {"case", TEXT}, {"provider", TEXT}, {"version", TEXT}, {"threads", TEXT}, {"placement", TEXT},
    {"overfitting", TEXT}, {"oversampling", TEXT}, {"grid", TEXT}, {"repetitions", TEXT}, {"reference", TEXT}, {"measure", TEXT}, {"bound", TEXT},
    {"min_width", TEXT}, {"multiple", TEXT}, {"most_pieces", TEXT}, {"made", TEXT}, {"seconds", TEXT},
    {"good_reference_seconds", .optional = true}, {"points", TEXT}, {"complete", TEXT}, {0}};

static const struct schema_attribute size_attributes[] = {{"name", TEXT}, {"degree", TEXT}, {"low", TEXT}, {"high", TEXT}, {0}};

static const struct schema_attribute check_attributes[] = {
    {"points", TEXT}, {"mean", TEXT}, {"median", TEXT}, {"p90", TEXT}, {"maximum", TEXT}, {"made", TEXT}, {0}};

static const struct schema_attribute piece_attributes[] = {
    {"low", TEXT}, {"high", TEXT}, {"degree", TEXT}, {"points", TEXT}, {"error", TEXT}, {"minimum", TEXT}, {"median", TEXT}, {"maximum", TEXT},
    {"mean", TEXT}, {"deviation", TEXT}, {0}};

static const struct schema_child models_children[] = {{"machine", .place = 0, .required = true}, {"model", .place = 1, .repeated = true}, {0}};
static const struct schema_child model_children[] = {
    {"size", .place = 0, .repeated = true, .required = true}, {"check", .place = 1}, {"piece", .place = 2, .repeated = true, .required = true}, {0}};
static const struct schema_child no_children[] = {{0}};

static const struct schema_element elements[] = {
    {"models", "format=\"1\" and maybe tcplan", "machine, then models", false, models_attributes, models_children},
    {"piece", "low, high, degree, points, error, minimum, median, maximum, mean, deviation", "nothing", false, piece_attributes, no_children},
    {"model", "those of models.rng", "sizes, maybe a check, then pieces", false, model_attributes, model_children},
    {"size", "name, degree, low, high", "nothing", false, size_attributes, no_children},
    {"check", "points, mean, median, p90, maximum, made", "nothing", false, check_attributes, no_children},
    {"machine", "CPU, cores, caches, BLAS, libxsmm, BLIS", "nothing", false, machine_attributes, no_children},
    {0},
};
/* clang-format on */

const struct schema models_schema = {elements};
