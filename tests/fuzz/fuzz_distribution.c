/**
 * Reads any bytes as a grid, a distribution and the name of a distributed algorithm. Errors must
 * mark existing text; accepted input must have a text that reads back to the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/algorithm.h"
#include "fuzz.h"

static void check_refused(enum tcplan_status status, const struct tcplan_error *error,
                          const char *text) {
    require(status == TCPLAN_INVALID && error->status == status && error->message[0] != '\0');
    require(error->column >= 1 && error->column - 1 + error->length <= strlen(text));
}

static void check_grid(const char *text) {
    struct dist_grid grid, again;
    struct tcplan_error error = {0};
    const enum tcplan_status status = grid_parse(&grid, text, &error);
    if (status != TCPLAN_OK) {
        check_refused(status, &error, text);
        return;
    }
    struct strbuf out = {0};
    grid_add_text(&out, &grid);
    require(out.text && grid_parse(&again, out.text, NULL) == TCPLAN_OK);
    require(dist_grid_processes(&grid) == dist_grid_processes(&again) && grid.axes == again.axes);
    strbuf_free(&out);
}

static void check_distribution(const struct tcplan_contraction *contraction, const char *text) {
    const struct dist_grid grid = {.axes = 3, .size = {2, 3, 2}};
    struct distribution distribution;
    struct tcplan_error error = {0};
    const enum tcplan_status status =
        distribution_parse(&distribution, contraction, &grid, text, &error);
    if (status != TCPLAN_OK) {
        check_refused(status, &error, text);
        return;
    }
    for (int t = 0; t < DIST_TENSORS; t++) {
        struct strbuf out = {0}, again = {0};
        struct distribution read;
        if (!distribution.given[t]) continue;
        strbuf_add(&out, "%s=", contraction->tensor[t].name);
        layout_add_text(&out, contraction, &distribution.layout[t]);
        require(distribution_parse(&read, contraction, &grid, out.text, NULL) == TCPLAN_OK);
        strbuf_add(&again, "%s=", contraction->tensor[t].name);
        layout_add_text(&again, contraction, &read.layout[t]);
        require(strcmp(out.text, again.text) == 0);
        strbuf_free(&out);
        strbuf_free(&again);
    }
}

static void check_algorithm(const struct tcplan_contraction *contraction, const char *text) {
    struct algorithm algorithm, again;
    struct tcplan_error error = {0};
    const enum tcplan_status status = algorithm_parse(&algorithm, contraction, text, &error);
    if (status != TCPLAN_OK) {
        check_refused(status, &error, text);
        return;
    }
    struct strbuf name = {0}, twice = {0};
    algorithm_add_name(&name, contraction, &algorithm);
    require(name.text && algorithm_parse(&again, contraction, name.text, NULL) == TCPLAN_OK);
    algorithm_add_name(&twice, contraction, &again);
    require(strcmp(name.text, twice.text) == 0);
    strbuf_free(&name);
    strbuf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    struct tcplan_contraction *contraction = NULL;
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    require(tcplan_contraction_parse(&contraction, "C_abd=A_aiid*B_bid", TCPLAN_COLUMN_MAJOR,
                                     NULL) == TCPLAN_OK);
    check_grid(text);
    check_distribution(contraction, text);
    check_algorithm(contraction, text);
    tcplan_contraction_free(contraction);
    free(text);
    return 0;
}
