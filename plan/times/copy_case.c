#include "plan/times/copy_case.h"

#include <stdio.h>

enum { PERMUTED = 3 };

/** Returns the dimension that is contiguous in the source or in the destination; -1 if no
 * dimension is. */
static int contiguous_in(const struct copy_case_block *block, bool in_source) {
    for (int d = 0; d < block->rank; d++) {
        const struct copy_case_dimension *dimension = &block->dimension[d];
        if ((in_source ? dimension->from : dimension->to) == 1) return d;
    }
    return -1;
}

static double elements_of(const struct copy_case_block *block) {
    double elements = block->rank > 0 ? 1 : 0;
    for (int d = 0; d < block->rank; d++) elements *= block->dimension[d].extent;
    return elements;
}

/** Returns the position of a dimension when sorted by stride in the source or destination, from 0.
 */
static int place_of(const struct copy_case_block *block, int dimension, bool in_source) {
    const struct copy_case_dimension *own = &block->dimension[dimension];
    int place = 0;
    for (int d = 0; d < block->rank; d++) {
        const struct copy_case_dimension *other = &block->dimension[d];
        place += in_source ? other->from < own->from : other->to < own->to;
    }
    return place;
}

/** Writes the order of three dimensions: for each dimension of the source, its place in the
 * destination. Then writes their sizes in the order of the source. */
static bool add_permute(struct copy_case *out, const struct copy_case_block *block) {
    char order[PERMUTED + 1] = "";
    if (block->rank != PERMUTED || contiguous_in(block, true) < 0 ||
        contiguous_in(block, false) < 0)
        return false;
    *out = (struct copy_case){.model_case = {.sizes = PERMUTED}, .calls = 1};
    for (int d = 0; d < PERMUTED; d++) {
        const int from = place_of(block, d, true);
        order[place_of(block, d, false)] = (char)('1' + from);
        out->model_case.size[from] = (int64_t)block->dimension[d].extent;
    }
    snprintf(out->model_case.text, sizeof out->model_case.text, "%cpermute order=%s streamed=%d",
             tcplan_dtype_letter(block->dtype), order, block->streamed);
    return true;
}

static bool add_transpose(struct copy_case *out, const struct copy_case_block *block) {
    const int from = contiguous_in(block, true), to = contiguous_in(block, false);
    if (from < 0 || to < 0 || from == to) return false;
    const double m = block->dimension[from].extent, n = block->dimension[to].extent;
    *out = (struct copy_case){.model_case = {.sizes = 2, .size = {(int64_t)m, (int64_t)n}},
                              .calls = elements_of(block) / (m * n)};
    snprintf(out->model_case.text, sizeof out->model_case.text, "%ctranspose streamed=%d",
             tcplan_dtype_letter(block->dtype), block->streamed);
    return true;
}

/** Adds the case of runs along a contiguous dimension, if no other dimension is contiguous. */
static bool add_move(struct copy_case *out, const struct copy_case_block *block) {
    const int from = contiguous_in(block, true), to = contiguous_in(block, false);
    if ((from < 0 && to < 0) || (from >= 0 && to >= 0 && from != to)) return false;
    const struct copy_case_dimension *run = &block->dimension[to >= 0 ? to : from];
    *out = (struct copy_case){.model_case = {.sizes = 1, .size = {(int64_t)run->extent}},
                              .calls = elements_of(block) / run->extent,
                              .is_run = block->rank > 1};
    const double apart = run->from > 1 ? run->from : run->to; /* stride in the tensor where the run
                                                                 is not contiguous; 1: nowhere */
    const char *text =
        apart > 1 ? model_case_increment(&out->model_case, apart, block->dtype, block->line_bytes)
                  : "1";
    snprintf(out->model_case.text, sizeof out->model_case.text, "%cmove incx=%s incy=%s",
             tcplan_dtype_letter(block->dtype), run->from > 1 ? text : "1",
             run->to > 1 ? text : "1");
    return true;
}

int copy_case_of(struct copy_case out[COPY_CASES], const struct copy_case_block *block) {
    int count = 0;
    if (!(elements_of(block) > 0)) return 0;
    count += add_permute(&out[count], block);
    count += add_transpose(&out[count], block);
    count += add_move(&out[count], block);
    return count;
}
