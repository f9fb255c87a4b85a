/*
 * Pair by pair: one dense product for each pair of blocks, in the order of the result's blocks. The
 * first one of a block applies beta, the others add to it.
 */
#include <string.h>

#include "api/product.h"
#include "base/alloc.h"
#include "base/error.h"
#include "blocks/block_plan.h"

/** The product of a class of pairs, which adds to the result. */
static enum tcplan_status class_product(struct tcplan_product **out,
                                        const struct tcplan_block_plan *plan, int class,
                                        struct tcplan_error *error) {
    const struct tcplan_block_product *product = plan->product;
    const struct block_class *pair = &product->pairs->class[class];
    const int64_t block[TCPLAN_OPERANDS] = {pair->a, pair->b, pair->c};
    struct tcplan_contraction *contraction = NULL;
    int64_t extent[TCPLAN_MAX_INDICES] = {0};
    char *text = tcplan_contraction_text(product->contraction);
    if (!text) return error_no_memory(error);
    enum tcplan_status status =
        tcplan_contraction_parse(&contraction, text, product->contraction->order, error);
    base_free(text);
    if (status != TCPLAN_OK) return status;
    contraction->alpha = product->contraction->alpha;
    contraction->beta = (struct tcplan_scalar){1, 0};
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++) {
        const struct tcplan_tensor *tensor = &contraction->tensor[t];
        const int32_t *at = structure_at(product, (enum tcplan_operand)t, block[t]);
        const int64_t *stride = product->tensor[t].stride;
        for (int d = 0; d < tensor->rank; d++)
            extent[tensor->dims[d]] = product->index[tensor->dims[d]].extent[at[d]];
        if (stride)
            status = tcplan_contraction_set_strides(contraction, (enum tcplan_operand)t,
                                                    stride + block[t] * tensor->rank, error);
    }
    if (status == TCPLAN_OK) {
        tcplan_contraction_fit_type(contraction, product->dtype);
        return product_of(out, contraction, extent, product->dtype, error);
    }
    tcplan_contraction_free(contraction);
    return status;
}

enum tcplan_status pairwise_prepare(struct tcplan_block_plan *plan, int class,
                                    struct tcplan_error *error) {
    struct tcplan_product *product = NULL;
    if (plan->class[class]) return TCPLAN_OK;
    enum tcplan_status status = class_product(&product, plan, class, error);
    if (status == TCPLAN_OK)
        status = planning_plan(&plan->class[class], &plan -> planning, product, error);
    if (status == TCPLAN_OK)
        plan->class_seconds[class] = tcplan_plan_seconds(plan->class[class], NULL, NULL);
    tcplan_product_free(product);
    return status;
}

enum tcplan_status pairwise_run(const struct block_run *run, const struct block_part *part,
                                struct tcplan_error *error) {
    const struct block_pairs *pairs = run->plan->product->pairs;
    const struct block_factor one =
        block_factor_of((struct tcplan_scalar){1, 0}, run->plan->product->dtype);
    struct tcplan_execution execution = {.size = sizeof execution, .alpha = run->alpha};
    enum tcplan_status status = TCPLAN_OK;
    for (int64_t n = part->first; n < part->first + part->count; n++) {
        const int32_t c = pairs->order[n];
        execution.D = run->D[c];
        execution.beta = run->beta;
        for (int64_t p = pairs->first[c]; p < pairs->first[c + 1] && status == TCPLAN_OK; p++) {
            execution.A = run->A[pairs->pair[p].a];
            execution.B = run->B[pairs->pair[p].b];
            status = tcplan_plan_run(run->plan->class[pairs->pair[p].class], &execution, error);
            execution.beta = one.number;
        }
    }
    return status;
}
