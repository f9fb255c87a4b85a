#include <string.h>

#include "contractions/schema_values.h"
#include "routines/blocked/algorithms/user_xml.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* name = letter { letter | digit | "_" } ; a name that statements can contain */
static bool is_identifier(const char *value) {
    return *value && strchr(LETTERS, *value) &&
           schema_ends(schema_take(value, LETTERS SCHEMA_DIGITS "_", TCPLAN_BLOCKED_NAME - 1));
}

/* clang-format off */
static const struct schema_attribute root_attributes[] = {{"format", .holds = schema_is_one, .expected = "1"}, {0}};
static const struct schema_child root_children[] = {{"algorithm", .place = 0, .repeated = true}, {"product", .place = 0, .repeated = true}, {0}};
static const struct schema_attribute algorithm_attributes[] = {
    {"name", .holds = is_identifier, .expected = "a letter, then letters, digits and _, at most 31"},
    {"matrices", .holds = NULL},
    {"routine", .holds = NULL, .optional = true},
    {"note", .holds = NULL, .optional = true},
    {"transposed", .holds = schema_is_flag, .expected = "true or false", .optional = true},
    {0}};
static const struct schema_attribute product_attributes[] = {
    {"name", .holds = is_identifier, .expected = "a letter, then letters, digits and _, at most 31"}, {"matrices", .holds = NULL}, {0}};
static const struct schema_child no_children[] = {{0}};

static const struct schema_element elements[] = {
    {"algorithms", "format=\"1\"", "algorithms and products", false, root_attributes, root_children},
    {"algorithm", "name, matrices and optionally routine, note, transposed", "text", true, algorithm_attributes, no_children},
    {"product", "name and matrices", "text", true, product_attributes, no_children},
    {0}};
/* clang-format on */

const struct schema schema_algorithms = {elements};
