#include "blocks/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"

/* Products are similar if no extent differs by more than this factor. */
#define NEAR 1.5

struct dense_choice {
    char *key;
    int threads;
    int index_count;
    int64_t extent[TCPLAN_MAX_INDICES];
    double flops;
    struct plan_choice choice;
    char *name; /* name of the algorithm; a stored choice is parsed only when a product needs it */
};

/** Returns the key of a product: for each tensor, the numbers of its indices as letters, and the
 * order of its strides; then factors other than 1 and 0. It is made for each class of pairs, so it
 * avoids the slow formatting of a notation. */
static char *key_of(const struct tcplan_product *product) {
    const struct tcplan_problem *problem = &product->problem;
    const struct tcplan_scalar alpha = product->contraction->alpha,
                               beta = product->contraction->beta;
    char text[TCPLAN_OPERANDS * (2 * TCPLAN_MAX_RANK + 2) + 2], *at = text;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_tensor *tensor = &product->contraction->tensor[t];
        *at++ = tensor->conjugated ? '*' : '.';
        for (int d = 0; d < tensor->rank; d++) {
            const int64_t mine = llabs(problem->stride_elems[t][tensor->dims[d]]);
            int before = 0;
            for (int e = 0; e < tensor->rank; e++)
                before += llabs(problem->stride_elems[t][tensor->dims[e]]) < mine;
            *at++ = (char)('0' + tensor->dims[d]);
            *at++ = (char)('0' + before);
        }
        *at++ = ';';
    }
    *at++ = (char)(beta.re == 0 && beta.im == 0 ? '0' : '1');
    *at = '\0';
    if (alpha.re == 1 && alpha.im == 0 && beta.im == 0 && (beta.re == 0 || beta.re == 1))
        return base_strdup(text);
    struct strbuf out = {0};
    strbuf_add(&out, "%s;%.17g,%.17g,%.17g,%.17g", text, alpha.re, alpha.im, beta.re, beta.im);
    return strbuf_finish(&out);
}

/** Returns the logarithm of the largest ratio between corresponding extents of a choice and of a
 * problem. */
static double distance(const struct dense_choice *choice, const struct tcplan_problem *problem) {
    double most = 0;
    for (int i = 0; i < choice->index_count; i++) {
        const double factor = log((double)problem->extent[i] / (double)choice->extent[i]);
        most = fmax(most, fabs(factor));
    }
    return most;
}

static const struct dense_choice *nearest(const struct dense_plans *plans, const char *key,
                                          const struct tcplan_problem *problem, int threads,
                                          double limit) {
    const struct dense_choice *best = NULL;
    double least = INFINITY;
    for (int n = 0; n < plans->count; n++) {
        const struct dense_choice *choice = &plans->choice[n];
        if (choice->threads != threads || strcmp(choice->key, key) != 0) continue;
        const double here = distance(choice, problem);
        if (here > limit || (best && here >= least)) continue;
        best = choice;
        least = here;
    }
    return best;
}

/** Plans a product by a search, and stores the algorithm as a choice for similar products. */
static enum tcplan_status search(struct tcplan_plan **out, struct dense_plans *plans,
                                 const struct tcplan_product *product, char *key, int threads,
                                 struct tcplan_error *error) {
    struct planning planning = *plans->planning;
    planning.settings.options.threads = threads;
    /* Each dense product is a small part of a larger one, so short code matters little, and
     * counting its lines takes longer than the estimate. */
    planning.settings.options.prefer = TCPLAN_PREFER_SPEED;
    struct dense_choice *larger =
        base_grow(plans->choice, (size_t)plans->count, sizeof *plans->choice);
    if (!larger) return error_no_memory(error);
    plans->choice = larger;
    const enum tcplan_status status = planning_plan(out, &planning, product, error);
    if (status != TCPLAN_OK) return status;
    struct dense_choice *choice = &larger[plans->count++];
    *choice = (struct dense_choice){.key = key,
                                    .threads = threads,
                                    .index_count = product->contraction->index_count,
                                    .flops = tcplan_product_flops(product),
                                    .choice = (*out)->choice};
    choice->choice.name = NULL; /* The plan owns the name. */
    choice->name = base_strdup(tcplan_plan_algorithm(*out));
    memcpy(choice->extent, product->problem.extent, sizeof choice->extent);
    return TCPLAN_OK;
}

enum tcplan_status dense_gemm(struct tcplan_plan **out, const struct dense_plans *plans,
                              const struct tcplan_product *product, int threads,
                              struct tcplan_error *error) {
    const struct tcplan_contraction *contraction = product->contraction;
    struct plan_choice choice = {
        .algorithm = tcplan_algorithm_empty(), .threads = threads, .origin = TCPLAN_PLAN_ESTIMATED};
    uint64_t *group = choice.algorithm.group;
    choice.algorithm.kernel = TCPLAN_GEMM;
    choice.algorithm.provider = TCPLAN_PROVIDER_BLAS;
    group[TCPLAN_M] = tcplan_contraction_indices(contraction, TCPLAN_FREE_A);
    group[TCPLAN_N] = tcplan_contraction_indices(contraction, TCPLAN_FREE_B);
    group[TCPLAN_K] = tcplan_contraction_indices(contraction, TCPLAN_CONTRACTED);
    const uint64_t used = group[TCPLAN_M] | group[TCPLAN_N] | group[TCPLAN_K];
    if (!group[TCPLAN_M] || !group[TCPLAN_N] || !group[TCPLAN_K] ||
        __builtin_popcountll(used) != contraction->index_count)
        return TCPLAN_NOT_APPLICABLE;
    const enum tcplan_status status =
        plan_of(out, product, &choice, plans->heuristics, plans->planning, true, error);
    return status == TCPLAN_OK || status == TCPLAN_NO_MEMORY ? status : TCPLAN_NOT_APPLICABLE;
}

/** Plans a product with an algorithm chosen for other extents, and scales its time by the
 * operations. */
static enum tcplan_status reuse(struct tcplan_plan **out, double *seconds,
                                const struct dense_plans *plans,
                                const struct tcplan_product *product,
                                const struct dense_choice *known, struct tcplan_error *error) {
    const double flops = tcplan_product_flops(product);
    struct plan_choice choice = known->choice;
    *seconds = known->choice.seconds * (known->flops > 0 ? flops / known->flops : 1);
    if (!out) return TCPLAN_OK;
    if (known->choice.origin == TCPLAN_PLAN_STORED) {
        const enum tcplan_status status = tcplan_algorithm_parse(
            &choice.algorithm, product->contraction, product->problem.dtype, known->name, error);
        if (status != TCPLAN_OK) return status;
    }
    return plan_of(out, product, &choice, plans->heuristics, plans->planning, false, error);
}

/* Stored choices. */

bool dense_choice_get(struct dense_text *out, const struct dense_plans *plans, int number) {
    const struct dense_choice *choice = &plans->choice[number];
    const size_t key = strlen(choice->key), name = choice->name ? strlen(choice->name) : 0;
    struct strbuf extents = {0};
    *out = (struct dense_text){
        .threads = choice->threads, .seconds = choice->choice.seconds, .flops = choice->flops};
    for (int i = 0; i < choice->index_count; i++)
        strbuf_add(&extents, "%s%lld", i > 0 ? "," : "", (long long)choice->extent[i]);
    const bool fits = key < sizeof out->key && name > 0 && name < sizeof out->algorithm &&
                      !extents.failed && extents.length < sizeof out->extents;
    if (fits) {
        memcpy(out->key, choice->key, key);
        memcpy(out->algorithm, choice->name, name);
        if (extents.length > 0) memcpy(out->extents, extents.text, extents.length);
    }
    strbuf_free(&extents);
    return fits;
}

enum tcplan_status dense_choice_add(struct dense_plans *plans, const struct dense_text *text,
                                    struct tcplan_error *error) {
    struct dense_choice choice = {.threads = text->threads,
                                  .flops = text->flops,
                                  .choice = {.algorithm = tcplan_algorithm_empty(),
                                             .threads = text->threads,
                                             .origin = TCPLAN_PLAN_STORED,
                                             .seconds = text->seconds}};
    for (const char *at = text->extents; *at; at += *at == ',') {
        char *end;
        const long long extent = strtoll(at, &end, 10);
        if (end == at || extent < 1 || extent > INT32_MAX || (*end && *end != ',') ||
            choice.index_count == TCPLAN_MAX_INDICES)
            return error_set(error, TCPLAN_INVALID,
                             "the stored plan is damaged: expected the extents of a dense product");
        choice.extent[choice.index_count++] = extent;
        at = end;
    }
    struct dense_choice *larger =
        base_grow(plans->choice, (size_t)plans->count, sizeof *plans->choice);
    if (!larger) return error_no_memory(error);
    plans->choice = larger;
    choice.key = base_strdup(text->key);
    choice.name = base_strdup(text->algorithm);
    if (!choice.key || !choice.name) {
        base_free(choice.key);
        base_free(choice.name);
        return error_no_memory(error);
    }
    larger[plans->count++] = choice;
    return TCPLAN_OK;
}

enum tcplan_status dense_plan(struct tcplan_plan **out, double *seconds, struct dense_plans *plans,
                              const struct tcplan_product *product, int threads,
                              struct tcplan_error *error) {
    const struct tcplan_problem *problem = &product->problem;
    char *key = key_of(product);
    if (!key) return error_no_memory(error);
    enum tcplan_status status = TCPLAN_NOT_APPLICABLE;
    const struct dense_choice *known = nearest(plans, key, problem, threads, log(NEAR));
    if (!known && plans->count >= plans->most_choices) {
        struct tcplan_plan *gemm = NULL;
        status = dense_gemm(&gemm, plans, product, threads, error);
        if (out && status == TCPLAN_OK)
            *out = gemm;
        else
            tcplan_plan_free(gemm);
        const struct dense_choice *other = nearest(plans, key, problem, threads, INFINITY);
        const double flops = tcplan_product_flops(product);
        *seconds = other && other->flops > 0 ? other->choice.seconds * flops / other->flops
                                             : flops / DENSE_ASSUMED_FLOPS + DENSE_ASSUMED_SECONDS;
        if (status == TCPLAN_NOT_APPLICABLE) known = other;
    }
    if (known) status = reuse(out, seconds, plans, product, known, error);
    if (status == TCPLAN_OK || status == TCPLAN_NO_MEMORY) {
        base_free(key);
        return status;
    }
    struct tcplan_plan *made = NULL;
    const int count = plans->count;
    status = search(&made, plans, product, key, threads, error);
    if (status == TCPLAN_OK) *seconds = tcplan_plan_seconds(made, NULL, NULL);
    if (plans->count == count) base_free(key);
    if (out && status == TCPLAN_OK)
        *out = made;
    else
        tcplan_plan_free(made);
    return status;
}

void dense_plans_free(struct dense_plans *plans) {
    for (int n = 0; n < plans->count; n++) {
        base_free(plans->choice[n].key);
        base_free(plans->choice[n].name);
    }
    base_free(plans->choice);
    plans->choice = NULL;
    plans->count = 0;
}
