/**
 * Reads any bytes as an einsum, a line feed and shapes. Errors must mark existing text; accepted
 * input must have a text that reads back, and sizes of one point that make a problem or exceed the
 * limits of a problem.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/problem.h"
#include "tcplan/shapes.h"

static void check_error(const struct tcplan_error *error, const char *text) {
    require(error->status == TCPLAN_INVALID && error->message[0] != '\0');
    require(error->column >= 1 && error->column - 1 + error->length <= strlen(text));
}

static void check_read(const struct tcplan_contraction *contraction,
                       const struct tcplan_sizes *sizes) {
    int64_t extent[TCPLAN_MAX_INDICES];
    struct tcplan_problem problem;
    struct tcplan_contraction *again = NULL;
    char *printed = tcplan_contraction_text(contraction);
    require(tcplan_contraction_parse(&again, printed, contraction->order, NULL) == TCPLAN_OK);
    require(again->index_count == contraction->index_count);
    require(tcplan_sizes_count(sizes) == 1);
    tcplan_sizes_point(sizes, 0, extent);
    enum tcplan_status status =
        tcplan_problem_init(&problem, contraction, extent, TCPLAN_DOUBLE, NULL);
    require(status == TCPLAN_OK || status == TCPLAN_OVERFLOW || status == TCPLAN_INVALID);
    tcplan_contraction_free(again);
    free(printed);
}

static void check_shaped(const char *text, const char *shapes_text, struct tcplan_shapes *shapes) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_error error = {0};
    if (tcplan_contraction_parse_shaped(&contraction, text, shapes, TCPLAN_ROW_MAJOR, &error) !=
        TCPLAN_OK) {
        check_error(&error, text);
    } else if (tcplan_shapes_sizes(&sizes, shapes, contraction, &error) != TCPLAN_OK) {
        check_error(&error, shapes_text);
    } else {
        check_read(contraction, sizes);
    }
    tcplan_sizes_free(sizes);
    tcplan_contraction_free(contraction);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char nothing[] = "";
    char *text = malloc(size + 1);
    struct tcplan_shapes *shapes = NULL;
    struct tcplan_error error = {0};
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    char *line_feed = strchr(text, '\n');
    char *shapes_text = line_feed ? line_feed + 1 : nothing;
    if (line_feed) *line_feed = '\0';
    if (tcplan_shapes_parse(&shapes, shapes_text, &error) == TCPLAN_OK) {
        check_shaped(text, shapes_text, shapes);
    } else {
        check_error(&error, shapes_text);
    }
    tcplan_shapes_free(shapes);
    free(text);
    return 0;
}
