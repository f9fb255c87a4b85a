/* Fuses indices by chains: each index has at most one index that continues it. A chain becomes the
 * index of its innermost part, whose strides it has; the dimensions of the other parts are removed.
 * Dense tensors stay dense, because the dimensions of a chain are adjacent. */
#include "ast/problem/canonical_product.h"

#include <assert.h>
#include <string.h>

#include "ast/contraction/contraction.h"
#include "ast/contraction/tensor.h"
#include "base/checked.h"
#include "base/indexset.h"

enum { BLAS_INTEGER_MAX = 2147483647 };

/** The chains of a problem's indices. An index continues another if its stride is the other's
 * stride times the other's extent, in every tensor that has them. */
struct chains {
    int behind[TCPLAN_MAX_INDICES]; /* the index that continues each index; -1: none */
    uint64_t inner; /* the innermost index of each chain, which continues no other */
};

/** Returns the tensors that have an index, as a bit set. */
static unsigned tensors_of(const struct tcplan_contraction *contraction, int index) {
    unsigned tensors = 0;
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        if (indexset_has(contraction->tensor[t].indices, index)) tensors |= 1U << t;
    }
    return tensors;
}

static bool continues_in(const struct tcplan_problem *problem, enum tcplan_operand operand,
                         int inner, int outer) {
    const struct tcplan_contraction *contraction = problem->contraction;
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    const int64_t *stride = problem->stride_elems[operand];
    int64_t wanted;
    if (tensor_is_diagonal(tensor, inner) || tensor_is_diagonal(tensor, outer)) return false;
    return contraction_place(contraction, operand, outer) ==
               contraction_place(contraction, operand, inner) + 1 &&
           checked_mul_i64(stride[inner], problem->extent[inner], &wanted) &&
           stride[outer] == wanted;
}

/** Returns whether `outer` continues `inner` in every tensor that has either. */
static bool continues(const struct tcplan_problem *problem, int inner, int outer) {
    const unsigned tensors = tensors_of(problem->contraction, inner);
    if (tensors != tensors_of(problem->contraction, outer)) return false;
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        if (tensors >> t & 1U && !continues_in(problem, (enum tcplan_operand)t, inner, outer))
            return false;
    }
    return true;
}

/** Returns the only index that may continue this one: the next dimension in a tensor that has
 * it. -1: none. */
static int next_of(const struct tcplan_contraction *contraction, int index) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const struct tcplan_tensor *tensor = &contraction->tensor[t];
        if (!indexset_has(tensor->indices, index)) continue;
        const int place = contraction_place(contraction, (enum tcplan_operand)t, index);
        return place + 1 < tensor->rank ? tensor->nearest[place + 1] : -1;
    }
    return -1;
}

static void find_chains(struct chains *out, const struct tcplan_problem *problem) {
    const int count = problem->contraction->index_count;
    const bool multiplies = !tcplan_problem_only_scales(problem);
    out->inner = indexset_below(count);
    for (int i = 0; i < count; i++) {
        const int next = next_of(problem->contraction, i);
        out->behind[i] =
            multiplies && next >= 0 && next != i && continues(problem, i, next) ? next : -1;
        if (out->behind[i] >= 0) out->inner &= ~indexset_of(next);
    }
}

/** Splits chains whose extent would be too large for one index. */
static void cut_chains(struct chains *chains, const struct tcplan_problem *problem) {
    for (uint64_t rest = chains->inner; rest; rest &= rest - 1) {
        int64_t extent = 1;
        for (int i = indexset_first(rest), next; i >= 0; i = next) {
            next = chains->behind[i];
            extent *= problem->extent[i];
            if (next < 0 || extent * problem->extent[next] <= BLAS_INTEGER_MAX) continue;
            chains->behind[i] = -1;
            chains->inner |= indexset_of(next);
            extent = 1;
        }
    }
}

/** Returns whether an index is the contiguous one of a tensor with several indices. */
static bool is_nearest(const struct tcplan_contraction *contraction, int index) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const struct tcplan_tensor *tensor = &contraction->tensor[t];
        if (tensor->rank > 1 && tensor->nearest[0] == index) return true;
    }
    return false;
}

/** Returns the indices of extent 1 that can be dropped. */
static uint64_t droppable(const struct chains *chains, const struct tcplan_problem *problem) {
    uint64_t dropped = 0;
    if (tcplan_problem_only_scales(problem)) return 0;
    for (uint64_t rest = chains->inner & contraction_run(problem->contraction); rest;
         rest &= rest - 1) {
        const int inner = indexset_first(rest);
        uint64_t parts = 0;
        int64_t extent = 1;
        for (int i = inner; i >= 0; i = chains->behind[i]) {
            parts |= indexset_of(i);
            extent *= problem->extent[i];
        }
        if (extent == 1 && !is_nearest(problem->contraction, inner)) dropped |= parts;
    }
    return dropped == indexset_below(problem->contraction->index_count) ? 0 : dropped;
}

static uint64_t numbers_of(uint64_t indices, const int number[]) {
    uint64_t numbers = 0;
    for (; indices; indices &= indices - 1) {
        const int own = number[indexset_first(indices)];
        if (own >= 0) numbers |= indexset_of(own);
    }
    return numbers;
}

/** Removes the dimensions of a tensor whose index has no number in the product (`number` is -1). */
static void keep_dimensions(struct tcplan_tensor *tensor, const int number[]) {
    const struct tcplan_tensor source = *tensor;
    tensor->rank = 0;
    for (int d = 0; d < source.rank; d++) {
        const int own = number[source.dims[d]];
        if (own < 0) continue;
        tensor->stride[tensor->rank] = source.stride[d];
        tensor->dims[tensor->rank++] = (uint8_t)own;
    }
    for (int d = 0, kept = 0; d < source.rank; d++) {
        const int own = number[source.nearest[d]];
        if (own >= 0) tensor->nearest[kept++] = (uint8_t)own;
    }
    tensor->indices = numbers_of(source.indices, number);
    tensor->falling = numbers_of(source.falling, number);
    tensor->still = numbers_of(source.still, number);
}

/** Adds a chain, or a single index, as the next index. */
static void add_index(struct canonical_product *out, const struct chains *chains, int inner) {
    const struct tcplan_problem *source = out->source;
    const int own = out->contraction.index_count++;
    struct canonical_index *index = &out->index[own];
    out->contraction.index[own] = source->contraction->index[inner];
    out->problem.extent[own] = 1;
    index->count = 0;
    for (int part = inner; part >= 0; part = chains->behind[part]) {
        index->part[index->count++] = (uint8_t)part;
        assert(index->count <= source->contraction->index_count); /* chains have no cycles */
        out->problem.extent[own] *= source->extent[part];
    }
    for (int t = 0; t < TCPLAN_TENSORS; t++)
        out->problem.stride_elems[t][own] = source->stride_elems[t][inner];
}

void canonical_product_make(struct canonical_product *out, const struct tcplan_problem *problem) {
    struct chains chains;
    int number[TCPLAN_MAX_INDICES];
    out->source = problem;
    out->contraction = *problem->contraction;
    out->contraction.index_count = 0;
    out->problem = *problem;
    out->problem.contraction = &out->contraction;
    memset(out->problem.extent, 0, sizeof out->problem.extent);
    memset(out->problem.stride_elems, 0, sizeof out->problem.stride_elems);
    find_chains(&chains, problem);
    cut_chains(&chains, problem);
    out->dropped = droppable(&chains, problem);
    for (int i = 0; i < problem->contraction->index_count && i < TCPLAN_MAX_INDICES; i++) {
        const bool remains = indexset_has(chains.inner & ~out->dropped, i);
        number[i] = remains ? out->contraction.index_count : -1;
        if (remains) add_index(out, &chains, i);
    }
    for (int t = 0; t < TCPLAN_TENSORS; t++) keep_dimensions(&out->contraction.tensor[t], number);
}

bool canonical_product_is_source(const struct canonical_product *product) {
    return product->contraction.index_count == product->source->contraction->index_count;
}
