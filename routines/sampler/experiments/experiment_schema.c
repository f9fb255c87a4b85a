#include "routines/sampler/experiments/experiment_schema.h"

#include <stddef.h>
#include <string.h>

#include "contractions/schema_values.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

enum { IDENTIFIER_MAX = 32 };

/* identifier = letter { letter | digit | "_" } ; up to 32 characters */
static const char *take_identifier(const char *at) {
    return *at && strchr(LETTERS, *at) ? schema_take(at, LETTERS SCHEMA_DIGITS "_", IDENTIFIER_MAX)
                                       : NULL;
}

static bool is_identifier(const char *value) {
    return schema_ends(take_identifier(value));
}

/* variables = identifier [ " " identifier ] */
static bool are_variables(const char *value) {
    const char *at = take_identifier(value);
    if (at && *at == ' ') at = take_identifier(at + 1);
    return schema_ends(at);
}

static bool is_along(const char *value) {
    return strcmp(value, "0") == 0 || strcmp(value, "1") == 0;
}

/* numbers = whole { " " whole } ; of any length, because a report may contain many numbers */
static bool are_whole(const char *value) {
    for (;; value++) {
        const size_t length = strspn(value, SCHEMA_DIGITS);
        if (length == 0 || length > 18) return false;
        value += length;
        if (*value != ' ') return *value == '\0';
    }
}

/* clang-format off */
#define FLAG .holds = schema_is_flag, .expected = "true or false", .optional = true
#define NAME .holds = schema_is_name, .expected = "letters, digits and _.+-"
#define IDENTIFIER .holds = is_identifier, .expected = "a letter, then letters, digits and _, at most 32"
#define COUNT .holds = schema_is_count, .expected = "a whole number of at least 1"
#define WHOLE .holds = schema_is_whole, .expected = "a whole number"
#define NUMBER .holds = schema_is_number, .expected = "a number"
#define CHECKSUM {"checksum", .holds = schema_is_checksum, .expected = "8 hexadecimal digits"}

static const struct schema_attribute no_attributes[] = {{0}};
static const struct schema_child no_children[] = {{0}};

#define EXPERIMENT_ATTRIBUTES \
    {"format", .holds = schema_is_one, .expected = "1"}, \
    {"name", NAME}, \
    {"library", .holds = NULL, .optional = true}, \
    {"threads", .holds = NULL, .optional = true}, \
    {"repetitions", .holds = NULL, .optional = true}, \
    {"shuffle", FLAG}, \
    {"randomize", FLAG}, \
    {"parallel_calls", FLAG}, \
    {"cores", .holds = NULL, .optional = true}, \
    {"memory", .holds = NULL, .optional = true}, \
    {"counters", .holds = NULL, .optional = true}, \
    {"flops_per_cycle", NUMBER, .optional = true}

static const struct schema_attribute experiment_attributes[] = {EXPERIMENT_ATTRIBUTES, {0}};
static const struct schema_attribute recorded_experiment_attributes[] = {EXPERIMENT_ATTRIBUTES, CHECKSUM, {0}};
static const struct schema_child experiment_children[] = {
    {"title", .place = 0}, {"comment", .place = 1}, {"range", .place = 2}, {"sum", .place = 3},
    {"call", .place = 4, .repeated = true, .required = true}, {"operand", .place = 5, .repeated = true}, {0}};

static const struct schema_attribute range_attributes[] = {{"variable", IDENTIFIER}, {"values", .holds = NULL}, {0}};
static const struct schema_attribute sum_attributes[] = {{"variable", IDENTIFIER}, {"values", .holds = NULL}, {"parallel", FLAG}, {0}};
static const struct schema_attribute call_attributes[] = {
    {"routine", .holds = NULL}, {"name", NAME, .optional = true}, {"library", .holds = NULL, .optional = true}, {0}};
static const struct schema_attribute operand_attributes[] = {
    {"name", IDENTIFIER},
    {"vary", .holds = are_variables, .expected = "rep, the variable of <sum>, or both with a blank between them"},
    {"along", .holds = is_along, .expected = "0 or 1", .optional = true},
    {"offset", .holds = NULL, .optional = true},
    {0}};

#define ABOUT "format=\"1\", name and optionally library, threads, repetitions, shuffle, randomize, parallel_calls, cores, memory, counters, flops_per_cycle"
#define CONTENT "title, comment, range, sum, then at least one call, then operands"
#define PARTS \
    {"title", "none", "text", true, no_attributes, no_children}, \
    {"comment", "none", "text", true, no_attributes, no_children}, \
    {"range", "variable, values", "nothing", false, range_attributes, no_children}, \
    {"sum", "variable, values and optionally parallel", "nothing", false, sum_attributes, no_children}, \
    {"call", "routine and optionally name, library", "text", true, call_attributes, no_children}, \
    {"operand", "name, vary and optionally along, offset", "nothing", false, operand_attributes, no_children}

static const struct schema_element experiment_elements[] = {
    {"experiment", ABOUT, CONTENT, false, experiment_attributes, experiment_children}, PARTS, {0}};

static const struct schema_attribute report_attributes[] = {
    {"format", .holds = schema_is_one, .expected = "1"}, {"shard", .holds = schema_is_shard, .expected = "K/N", .optional = true}, CHECKSUM, {0}};
static const struct schema_child report_children[] = {
    {"experiment", .place = 0, .required = true}, {"provenance", .place = 1, .repeated = true}, {"run", .place = 1, .repeated = true},
    {"end", .place = 2}, {0}};

static const struct schema_attribute provenance_attributes[] = {
    {"id", COUNT},
    {"tcplan", .holds = NULL},
    {"host", .holds = NULL},
    {"library", .holds = NULL},
    {"ticks_per_second", NUMBER},
    {"cores", COUNT},
    {"flops_per_cycle", NUMBER, .optional = true},
    CHECKSUM,
    {0}};
static const struct schema_child provenance_children[] = {{"part", .place = 0, .repeated = true}, {0}};
static const struct schema_attribute part_attributes[] = {{"name", .holds = NULL}, {"value", .holds = NULL}, {0}};

static const struct schema_attribute run_attributes[] = {{"unit", WHOLE}, {"provenance", COUNT}, {"finished", .holds = NULL}, CHECKSUM, {0}};
static const struct schema_child run_children[] = {{"samples", .place = 0, .repeated = true}, {0}};

static const struct schema_attribute samples_attributes[] = {
    {"point", WHOLE},
    {"repetition", WHOLE},
    {"ticks", .holds = are_whole, .expected = "whole numbers, separated by blanks"},
    {"disturbed", .holds = are_whole, .expected = "whole numbers, separated by blanks", .optional = true},
    {"counts", .holds = NULL, .optional = true},
    {0}};

static const struct schema_attribute end_attributes[] = {{"runs", WHOLE}, CHECKSUM, {0}};

static const struct schema_element report_elements[] = {
    {"report", "format=\"1\", checksum and optionally shard", "experiment, then provenances and runs, then end", false, report_attributes, report_children},
    {"experiment", ABOUT ", checksum", CONTENT, false, recorded_experiment_attributes, experiment_children},
    PARTS,
    {"provenance", "id, tcplan, host, library, ticks_per_second, cores, checksum and optionally flops_per_cycle", "parts", false, provenance_attributes,
     provenance_children},
    {"part", "name, value", "nothing", false, part_attributes, no_children},
    {"run", "unit, provenance, finished, checksum", "samples", false, run_attributes, run_children},
    {"samples", "point, repetition, ticks and optionally disturbed, counts", "nothing", false, samples_attributes, no_children},
    {"end", "runs, checksum", "nothing", false, end_attributes, no_children},
    {0}};
/* clang-format on */

const struct schema schema_experiment = {experiment_elements};
const struct schema schema_experiment_report = {report_elements};
