/** Reads any bytes as sections, rules and a list of blocks, separated by '|'; a list with a ':' is
 * one of several tensors. All blocks of an accepted structure must be within its sections. The same
 * text is also that of an expression of three tensors. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/blocksparse.h"

static void check(const struct tcplan_block_product *product) {
    for (int t = 0; t < 3; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        for (int64_t b = 0; b < tcplan_block_product_blocks(product, operand); b++) {
            int64_t extent[TCPLAN_MAX_RANK];
            tcplan_block_product_shape(product, operand, b, extent, NULL);
            for (int d = 0; d < tcplan_block_product_rank(product, operand); d++)
                require(extent[d] >= 1 &&
                        tcplan_block_product_coordinate(product, operand, b)[d] >= 0);
        }
    }
    require(tcplan_block_product_pairs(product) >= 0);
}

/** Reads the structure of `D=A_ik*B_kj*C_ji`. */
static void read_expression(const struct tcplan_block_text *structure) {
    static const char *const index[] = {"i", "j", "k"};
    static const int dims[4][2] = {{0, 2}, {2, 1}, {1, 0}, {0}};
    static const struct tcplan_block_operand operand[] = {{"A", 2, dims[0], false},
                                                          {"B", 2, dims[1], false},
                                                          {"C", 2, dims[2], false},
                                                          {"D", 0, dims[3], false}};
    const struct tcplan_block_formula formula = {
        .index = index, .index_count = 3, .operand = operand, .count = 4, .alpha = {1, 0}};
    struct tcplan_block_expression *expression = NULL;
    struct tcplan_planner *planner = NULL;
    struct tcplan_error error = {0};
    const char *wrong = NULL;
    if (tcplan_planner_new(&planner, NULL) != TCPLAN_OK ||
        tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL) != TCPLAN_OK)
        abort();
    if (tcplan_block_expression_parse(&expression, planner, &formula, structure, TCPLAN_DOUBLE,
                                      &wrong, &error) == TCPLAN_OK) {
        require(tcplan_block_expression_seconds(expression) >= 0);
        tcplan_block_expression_free(expression);
    } else {
        require(error.message[0] != '\0');
        if (error.column > 0) require(wrong && error.column - 1 <= strlen(wrong));
    }
    tcplan_planner_free(planner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MOST_BYTES = 256 }; /* longer input only makes tests slow */
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_block_product *product = NULL;
    struct tcplan_error error = {0};
    const char *wrong = NULL;
    char *text = size <= MOST_BYTES ? malloc(size + 1) : NULL;
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    char *charge = strchr(text, '|'), *list = charge ? strchr(charge + 1, '|') : NULL;
    if (charge) *charge++ = '\0';
    if (list) *list++ = '\0';
    const bool is_several = list && strchr(list, ':');
    const struct tcplan_block_text structure = {.sections = text,
                                                .charge = charge && *charge ? charge : NULL,
                                                .blocks = {is_several ? NULL : list},
                                                .lists = is_several ? list : NULL};
    bool is_large = false; /* many sections on several indices give too many blocks for a fuzzer */
    for (const char *at = text; *at; at++)
        is_large = is_large || (at[0] >= '0' && at[0] <= '9' && at[1] >= '0' && at[1] <= '9');
    if (is_large && strchr(text, 'x')) {
        free(text);
        return 0;
    }
    if (tcplan_contraction_parse(&contraction, "C_ij=A_ik*B_kj", TCPLAN_ROW_MAJOR, NULL) !=
        TCPLAN_OK)
        abort();
    if (tcplan_block_product_parse(&product, contraction, &structure, TCPLAN_DOUBLE, &wrong,
                                   &error) == TCPLAN_OK) {
        check(product);
        tcplan_block_product_free(product);
    } else {
        require(error.message[0] != '\0');
        if (error.column > 0) require(wrong && error.column - 1 <= strlen(wrong));
    }
    tcplan_contraction_free(contraction);
    read_expression(&structure);
    free(text);
    return 0;
}
