/**
 * Reads any bytes as the stored decision of a block-sparse plan, for several products. A text is
 * rejected with a message, or makes a plan that computes the product and is written to a text that
 * makes an equal plan.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/stored.h"
#include "fuzz.h"

enum { MOST_BLOCKS = 16, MOST_ELEMENTS = 64 };

static struct tcplan_block_product *make(const char *sections, const char *charge) {
    const struct tcplan_block_text text = {.sections = sections, .charge = charge};
    struct tcplan_block_product *product = NULL;
    struct tcplan_contraction *contraction = NULL;
    require(tcplan_contraction_parse(&contraction, "C_ij=A_ik*B_kj", TCPLAN_ROW_MAJOR, NULL) ==
                TCPLAN_OK &&
            tcplan_block_product_parse(&product, contraction, &text, TCPLAN_DOUBLE, NULL, NULL) ==
                TCPLAN_OK);
    tcplan_contraction_free(contraction);
    return product;
}

/** Checks that a plan multiplies blocks of ones: an element of the result is the sum of the
 * contracted extents of the pairs that contribute to its block. */
static void execute(struct tcplan_block_plan *plan, const struct tcplan_block_product *product) {
    static double memory[TCPLAN_OPERANDS][MOST_BLOCKS][MOST_ELEMENTS];
    void *block[TCPLAN_OPERANDS][MOST_BLOCKS];
    const struct block_pairs *pairs = product->pairs;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        for (int b = 0; b < MOST_BLOCKS; b++) {
            block[t][b] = memory[t][b];
            for (int e = 0; e < MOST_ELEMENTS; e++) memory[t][b][e] = t == TCPLAN_C ? -7 : 1;
        }
    }
    require(tcplan_block_plan_execute(plan, (const void *const *)block[TCPLAN_A],
                                      (const void *const *)block[TCPLAN_B], block[TCPLAN_C],
                                      NULL) == TCPLAN_OK);
    for (int64_t c = 0; c < product->tensor[TCPLAN_C].count; c++) {
        int64_t extent[TCPLAN_MAX_RANK], depth = 0;
        for (int64_t p = pairs->first[c]; p < pairs->first[c + 1]; p++) {
            tcplan_block_product_shape(product, TCPLAN_A, pairs->pair[p].a, extent, NULL);
            depth += extent[1];
        }
        tcplan_block_product_shape(product, TCPLAN_C, c, extent, NULL);
        for (int64_t e = 0; e < extent[0] * extent[1]; e++)
            require(memory[TCPLAN_C][c][e] == (double)depth);
        require(memory[TCPLAN_C][c][extent[0] * extent[1]] == -7);
    }
}

static char *text_of(const struct tcplan_block_plan *plan) {
    struct strbuf out = {0};
    block_stored_write(&out, plan);
    return strbuf_finish(&out);
}

static void check(const struct tcplan_block_product *product, const char *text) {
    struct tcplan_block_plan *plan = NULL, *again = NULL;
    struct tcplan_error error = {0};
    const enum tcplan_status status = block_plan_of_text(&plan, product, text, &error);
    if (status != TCPLAN_OK) {
        require(status == TCPLAN_NOT_APPLICABLE || *error.message);
        return;
    }
    execute(plan, product);
    char *written = text_of(plan);
    require(block_plan_of_text(&again, product, written, NULL) == TCPLAN_OK);
    require(strcmp(tcplan_block_plan_way(plan), tcplan_block_plan_way(again)) == 0);
    execute(again, product);
    free(written);
    tcplan_block_plan_free(plan);
    tcplan_block_plan_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct tcplan_block_product *product[3];
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (!product[0]) {
        product[0] = make("i=k=3@0+5@1+2@2 j=4", "A:i-k=0");
        product[1] = make("i=k=j=3@0+5@1", "A:i-k=0; B:k-j=0");
        product[2] = make("i=j=k=2x4", NULL);
    }
    for (int p = 0; p < 3; p++) check(product[p], text);
    free(text);
    return 0;
}
