/**
 * Reads any bytes as a line with an expression of several tensors, followed by sizes. Errors must
 * mark existing text; accepted input must have a text that reads back to the same text, and a tree
 * if it has sizes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/network_tree.h"

static void check_error(const struct tcplan_error *error, const char *text) {
    require(error->status == TCPLAN_INVALID && error->message[0] != '\0');
    require(error->column >= 1 && error->column - 1 + error->length <= strlen(text));
}

static void check_round_trip(const struct tcplan_network *network) {
    char *printed = tcplan_network_text(network);
    struct tcplan_network *again = NULL;
    require(tcplan_network_parse(&again, printed, network->order, NULL) == TCPLAN_OK);
    char *reprinted = tcplan_network_text(again);
    require(strcmp(printed, reprinted) == 0);
    require(again->index_count == network->index_count &&
            again->operand_count == network->operand_count);
    require(again->term_count == network->term_count &&
            again->tensor_count == network->tensor_count);
    require(again->sum_count == network->sum_count);
    free(reprinted);
    tcplan_network_free(again);
    free(printed);
}

/** Checks the tree of the expression evaluated from left to right: its text must read back to the
 * same tree. */
static void check_tree(const struct tcplan_network *network, const int64_t extent[]) {
    struct tcplan_tree *tree = NULL, *again = NULL;
    struct tcplan_error error = {0};
    if (tcplan_tree_make(&tree, network, extent, TCPLAN_DOUBLE, NULL, 0, &error) != TCPLAN_OK) {
        require(error.message[0] != '\0');
        return;
    }
    char *text = tcplan_tree_text(tree);
    require(tcplan_tree_parse(&again, network, extent, TCPLAN_DOUBLE, text, NULL) == TCPLAN_OK);
    require(tcplan_tree_totals(tree).flops == tcplan_tree_totals(again).flops);
    free(text);
    tcplan_tree_free(again);
    tcplan_tree_free(tree);
}

static void check_sizes(const struct tcplan_network *network, const char *text) {
    int64_t *extent = calloc((size_t)network->index_count + 1, sizeof *extent);
    struct tcplan_error error = {0};
    if (!extent) abort();
    const enum tcplan_status status = tcplan_network_sizes(extent, network, text, &error);
    if (status == TCPLAN_OK) {
        check_tree(network, extent);
    } else {
        require(status == TCPLAN_INVALID && error.message[0] != '\0');
        require(error.column == 0 || error.column - 1 + error.length <= strlen(text));
    }
    free(extent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    char *sizes = strchr(text, '\n');
    if (sizes) *sizes++ = '\0';
    struct tcplan_network *network = NULL;
    struct tcplan_error error = {0};
    bool is_several;
    require(tcplan_network_is_several(&is_several, text) == TCPLAN_OK);
    if (tcplan_network_parse(&network, text, TCPLAN_ROW_MAJOR, &error) == TCPLAN_OK) {
        check_round_trip(network);
        if (sizes) check_sizes(network, sizes);
    } else {
        check_error(&error, text);
    }
    tcplan_network_free(network);
    free(text);
    return 0;
}
