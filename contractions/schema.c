#include "contractions/schema.h"

#include <stddef.h>
#include <string.h>

#include "contractions/schema_values.h"

/* Types of attributes that occur in one kind of document only. */

static bool is_type(const char *value) {
    return *value && strchr("sdcz", *value) && !value[1];
}

static bool is_order(const char *value) {
    return strcmp(value, "column-major") == 0 || strcmp(value, "row-major") == 0;
}

static bool is_status(const char *value) {
    return strcmp(value, "done") == 0 || strcmp(value, "failed") == 0;
}

/* types = type { " " type } ; up to 4 */
static bool is_types(const char *value) {
    const char *at = schema_take(value, "sdcz", 1);
    for (int more = 3; at && *at == ' ' && more > 0; more--) at = schema_take(at + 1, "sdcz", 1);
    return schema_ends(at);
}

/* threads = count { " " count } ; up to 16 */
static bool is_threads(const char *value) {
    const char *at = schema_take_count(value, 4);
    for (int more = 15; at && *at == ' ' && more > 0; more--) at = schema_take_count(at + 1, 4);
    return schema_ends(at);
}

/* caches = [ digits { " " digits } ] ; up to 8 */
static bool are_caches(const char *value) {
    const char *at = *value ? schema_take(value, SCHEMA_DIGITS, 18) : value;
    for (int more = 7; at && *at == ' ' && more > 0; more--)
        at = schema_take(at + 1, SCHEMA_DIGITS, 18);
    return schema_ends(at);
}

/* The elements. Ranges of numbers are checked later, when the numbers are read. */

/* clang-format off */
#define COUNT .holds = schema_is_count, .expected = "a whole number of at least 1"
#define WHOLE .holds = schema_is_whole, .expected = "a whole number"
#define TEXT .holds = NULL
#define NUMBER .holds = NULL
#define ID .holds = schema_is_id, .expected = "16 hexadecimal digits"
#define CHECKSUM {"checksum", .holds = schema_is_checksum, .expected = "8 hexadecimal digits", .optional = true}
#define SETTINGS \
    {"types", .holds = is_types, .expected = "some of s, d, c and z, separated by blanks", .optional = true}, \
    {"threads", .holds = is_threads, .expected = "numbers from 1 to 9999, separated by blanks", .optional = true}, \
    {"order", .holds = is_order, .expected = "column-major or row-major", .optional = true}
#define ABOUT {"title", .place = 0}, {"source", .place = 1}, {"comment", .place = 2}
#define NAME .holds = schema_is_name, .expected = "letters, digits and _.+-"

static const struct schema_attribute no_attributes[] = {{0}};
static const struct schema_child no_children[] = {{0}};

static const struct schema_attribute library_attributes[] = {{"format", .holds = schema_is_one, .expected = "1"}, SETTINGS, {0}};
static const struct schema_child library_children[] = {ABOUT, {"group", .place = 3, .repeated = true}, {"contraction", .place = 3, .repeated = true}, {0}};

static const struct schema_attribute group_attributes[] = {{"name", NAME}, SETTINGS, {0}};
static const struct schema_child group_children[] = {ABOUT, {"contraction", .place = 3, .repeated = true}, {0}};

static const struct schema_attribute contraction_attributes[] = {
    {"name", NAME}, {"formula", TEXT}, {"strides", TEXT, .optional = true}, SETTINGS, {0}};
static const struct schema_child contraction_children[] = {ABOUT, {"sizes", .place = 3, .repeated = true, .required = true}, {0}};

static const struct schema_attribute sizes_attributes[] = {
    {"class", NAME, .optional = true},
    {"optional", .holds = schema_is_flag, .expected = "true or false", .optional = true},
    {"strides", TEXT, .optional = true},
    {"sections", TEXT, .optional = true},
    {"charge", TEXT, .optional = true, .with = "sections"},
    {"blocks", TEXT, .optional = true, .with = "sections"},
    SETTINGS,
    {0},
};

static const struct schema_attribute source_attributes[] = {{"href", TEXT, .optional = true}, {0}};

static const struct schema_element library_elements[] = {
    {"library", "format=\"1\" and optionally types, threads, order", "title, source, comment, then groups and contractions",
     false, library_attributes, library_children},
    {"group", "name (letters, digits, _.+-) and optionally types, threads, order", "title, source, comment, then contractions",
     false, group_attributes, group_children},
    {"contraction", "name (letters, digits, _.+-), formula and optionally strides, types, threads, order",
     "title, source, comment, then at least one element sizes", false, contraction_attributes, contraction_children},
    {"sizes", "optionally class, optional, strides, sections, charge, blocks, types, threads, order", "text", true, sizes_attributes, no_children},
    {"source", "maybe href", "text", true, source_attributes, no_children},
    {"title", "none", "text", true, no_attributes, no_children},
    {"comment", "none", "text", true, no_attributes, no_children},
    {0},
};

static const struct schema_attribute results_attributes[] = {
    {"format", .holds = schema_is_one, .expected = "1"}, {"shard", .holds = schema_is_shard, .expected = "K/N", .optional = true}, CHECKSUM, {0}};
static const struct schema_child results_children[] = {
    {"result", .place = 0, .repeated = true}, {"provenance", .place = 0, .repeated = true}, {"end", .place = 1}, {0}};

static const struct schema_attribute provenance_attributes[] = {
    {"id", COUNT},
    {"tcplan", TEXT},
    {"settings", TEXT},
    {"host", TEXT},
    {"cpu", TEXT},
    {"machine", TEXT},
    {"cores", COUNT},
    {"processing_units", COUNT},
    {"memory_bytes", WHOLE},
    {"cache_bytes", .holds = are_caches, .expected = "up to 8 whole numbers, separated by blanks"},
    {"blas_name", TEXT},
    {"blas_version", TEXT},
    {"blas_core", TEXT},
    {"blas_advice", TEXT, .optional = true},
    CHECKSUM,
    {0},
};

static const struct schema_attribute result_attributes[] = {
    {"id", ID},
    {"provenance", COUNT},
    {"library", TEXT},
    {"group", TEXT},
    {"name", TEXT},
    {"class", TEXT},
    {"source", TEXT},
    {"line", WHOLE},
    {"contraction", TEXT},
    {"sizes", TEXT},
    {"dtype", .holds = is_type, .expected = "s, d, c or z"},
    {"order", .holds = is_order, .expected = "column-major or row-major"},
    {"threads", COUNT},
    {"status", .holds = is_status, .expected = "done or failed"},
    {"reason", TEXT, .optional = true},
    {"winner", TEXT},
    {"fastest", TEXT, .optional = true},
    {"regret", .holds = schema_is_number, .expected = "a number", .optional = true, .with = "fastest"},
    {"flops", NUMBER},
    {"dgemm_gflops", NUMBER},
    {"planning_seconds", NUMBER},
    {"algorithms", NUMBER},
    {"pruned", NUMBER},
    {"max_memory_bytes", COUNT, .optional = true},
    {"reused_from", ID, .optional = true},
    {"finished", TEXT},
    {"strides", TEXT, .optional = true},
    {"sections", TEXT, .optional = true},
    {"charge", TEXT, .optional = true, .with = "sections"},
    {"blocks", TEXT, .optional = true, .with = "sections"},
    {"limit_seconds", NUMBER, .optional = true},
    CHECKSUM,
    {0},
};
static const struct schema_child result_children[] = {{"algorithm", .place = 0, .repeated = true}, {0}};

static const struct schema_attribute algorithm_attributes[] = {
    {"name", TEXT},
    {"kernel", TEXT},
    {"tied", .holds = schema_is_flag, .expected = "true or false"},
    {"chosen", .holds = schema_is_flag, .expected = "true or false", .optional = true},
    {"threads", WHOLE, .optional = true},
    {"calls", NUMBER},
    {"predicted_seconds", NUMBER, .optional = true},
    {"predicted_low", NUMBER, .optional = true, .with = "predicted_high"},
    {"predicted_high", NUMBER, .optional = true, .with = "predicted_low"},
    {"measured_seconds", NUMBER, .optional = true, .with = "measured_low"},
    {"measured_low", NUMBER, .optional = true, .with = "measured_high"},
    {"measured_high", NUMBER, .optional = true, .with = "measured_seconds"},
    {0},
};

static const struct schema_attribute end_attributes[] = {
    {"entries", WHOLE}, {"digest", ID}, {"results", WHOLE}, {"failed", WHOLE}, CHECKSUM, {0}};

static const struct schema_element results_elements[] = {
    {"results", "format=\"1\" and optionally shard, checksum", "format=\"1\" and optionally shard, checksum", false, results_attributes, results_children},
    {"algorithm", "name, kernel, tied, calls and optionally chosen, threads, predicted_*, measured_*", "nothing", false, algorithm_attributes, no_children},
    {"result", "the attributes in results.rng", "algorithms", false, result_attributes, result_children},
    {"provenance", "the attributes in results.rng", "nothing", false, provenance_attributes, no_children},
    {"end", "entries, digest, results, failed and optionally checksum", "nothing", false, end_attributes, no_children},
    {0},
};
/* clang-format on */

const struct schema schema_library = {library_elements};
const struct schema schema_results = {results_elements};

const struct schema_element *schema_find_element(const struct schema *schema, const char *name) {
    const struct schema_element *element = schema->elements;
    while (element->name && strcmp(element->name, name) != 0) element++;
    return element->name ? element : NULL;
}
