/*
 * Sums of products of block-sparse tensors. Each term is an expression (blocks/expression.c) with
 * the same list of blocks of the result; the first one applies beta, and the later ones add. If the
 * list is not given, it is the union of the blocks that the terms reach, which estimates of the
 * terms find.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/strbuf.h"
#include "blocks/expression.h"
#include "blocks/table.h"

struct tcplan_block_sum {
    int count;
    struct tcplan_block_expression **term;
};

/** Arguments for making a sum. */
struct wanted {
    struct tcplan_planner *planner;
    const struct tcplan_block_term *term;
    int count;
    struct tcplan_scalar beta;
    enum tcplan_dtype dtype;
    enum tcplan_order order;
};

static enum tcplan_status make_term(struct tcplan_block_expression **out,
                                    const struct wanted *wanted, struct tcplan_planner *planner,
                                    int number, const struct tcplan_block_tensor *D,
                                    struct tcplan_error *error) {
    const struct tcplan_block_term *term = &wanted->term[number];
    const struct tcplan_block_formula formula = {.alpha = term->factor,
                                                 .beta = number == 0 ? wanted->beta
                                                                     : (struct tcplan_scalar){1, 0},
                                                 .order = wanted->order};
    return block_expression_make(out, planner, term->tensor, term->count, D, &formula,
                                 wanted->dtype, error);
}

/** Adds the blocks of the result that a term reaches to `blocks`. */
static enum tcplan_status add_reached(struct id_table *blocks, const struct wanted *wanted,
                                      struct tcplan_planner *estimates, int number,
                                      const struct tcplan_block_tensor *D,
                                      struct tcplan_error *error) {
    struct tcplan_block_expression *term = NULL;
    enum tcplan_status status = make_term(&term, wanted, estimates, number, D, error);
    if (status != TCPLAN_OK) return status;
    const struct tcplan_block_product *last = term->step[term->count - 2].product;
    for (int64_t b = 0; b < last->tensor[TCPLAN_C].count && status == TCPLAN_OK; b++)
        if (id_table_find(blocks, structure_at(last, TCPLAN_C, b), true) < 0)
            status = error_no_memory(error);
    tcplan_block_expression_free(term);
    return status;
}

static enum tcplan_status check(const struct wanted *wanted, const struct tcplan_block_tensor *D,
                                struct tcplan_error *error) {
    if (!wanted->term || !D)
        return error_set(error, TCPLAN_INVALID, "expected terms and a result; found NULL");
    if (wanted->count < 1)
        return error_set(error, TCPLAN_INVALID, "expected at least one term, found %d",
                         wanted->count);
    return TCPLAN_OK;
}

enum tcplan_status tcplan_block_sum_new(struct tcplan_block_sum **out,
                                        struct tcplan_planner *planner,
                                        const struct tcplan_block_term term[], int count,
                                        const struct tcplan_block_tensor *D,
                                        struct tcplan_scalar beta, enum tcplan_dtype dtype,
                                        enum tcplan_order order, struct tcplan_error *error) {
    const struct wanted wanted = {planner, term, count, beta, dtype, order};
    struct tcplan_planner *estimates = NULL;
    enum tcplan_status status = check(&wanted, D, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_block_tensor result = *D;
    struct id_table blocks = {.width = D->rank};
    struct tcplan_block_sum *sum = base_alloc_zero(1, sizeof *sum);
    if (sum) sum->term = base_alloc_zero((size_t)count, sizeof *sum->term);
    if (!sum || !sum->term) status = error_no_memory(error);
    if (D->blocks == TCPLAN_BLOCKS_REACHED && count > 1) {
        if (status == TCPLAN_OK) status = block_expression_estimates(&estimates, planner, error);
        for (int t = 0; t < count && status == TCPLAN_OK; t++)
            status = add_reached(&blocks, &wanted, estimates, t, D, error);
        result.blocks = blocks.count;
        result.coordinate = blocks.key;
    }
    for (int t = 0; t < count && status == TCPLAN_OK && sum; t++) {
        status = make_term(&sum->term[t], &wanted, planner, t, &result, error);
        sum->count += status == TCPLAN_OK;
    }
    id_table_free(&blocks);
    tcplan_planner_free(estimates);
    if (status == TCPLAN_OK)
        *out = sum;
    else
        tcplan_block_sum_free(sum);
    return status;
}

const struct tcplan_block_expression *tcplan_block_sum_term(const struct tcplan_block_sum *sum,
                                                            int number) {
    return number >= 0 && number < sum->count ? sum->term[number] : NULL;
}

double tcplan_block_sum_seconds(const struct tcplan_block_sum *sum) {
    double seconds = 0;
    for (int t = 0; t < sum->count; t++) seconds += tcplan_block_expression_seconds(sum->term[t]);
    return seconds;
}

char *tcplan_block_sum_describe(const struct tcplan_block_sum *sum) {
    struct strbuf out = {0};
    for (int t = 0; t < sum->count; t++) {
        char *text = tcplan_block_expression_describe(sum->term[t]);
        if (!text) out.failed = true;
        strbuf_add(&out, "term %d:\n%s", t + 1, text ? text : "");
        base_free(text);
    }
    strbuf_add(&out, "all terms %s\n", quantity_seconds(tcplan_block_sum_seconds(sum)).text);
    return strbuf_finish(&out);
}

enum tcplan_status tcplan_block_sum_execute(struct tcplan_block_sum *sum,
                                            const void *const *const tensor[], void *const D[],
                                            struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int t = 0; t < sum->count && status == TCPLAN_OK; t++) {
        status = tcplan_block_expression_execute(sum->term[t], tensor, D, error);
        tensor += sum->term[t]->count;
    }
    return status;
}

void tcplan_block_sum_free(struct tcplan_block_sum *sum) {
    if (!sum) return;
    for (int t = 0; t < sum->count; t++) tcplan_block_expression_free(sum->term[t]);
    base_free(sum->term);
    base_free(sum);
}
