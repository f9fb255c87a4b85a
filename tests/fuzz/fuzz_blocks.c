/** Reads any bytes as sections, rules and a list of blocks, separated by '|'; a list with a ':' is
 * one of several tensors. All blocks of an accepted structure must be within its sections. */
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
    free(text);
    return 0;
}
