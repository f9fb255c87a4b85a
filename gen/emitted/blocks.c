#include "gen/emitted/blocks.h"

#include <assert.h>
#include <stdlib.h>

#include "ast/scalar.h"

/**
 * A panel of A takes five eighths of a small first cache; the other three are for columns of B and
 * results. Processors with the longest vectors have second caches of 1 MiB and more, from which
 * tiles read a panel at full speed; longer parts of k then update the result fewer times (Zen 4:
 * 46 GFLOP/s with 30 KiB, 50 with 75, for C_abcd=A_aebf*B_fdec with all extents 48).
 */
static const int panel_bytes[EMITTED_SETS] = {20 << 10, 20 << 10, 75 << 10};

int blocks_panel_bytes(enum emitted_set set) {
    return panel_bytes[set];
}

int64_t blocks_divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

int64_t blocks_even_part(int64_t all, int64_t most) {
    return blocks_divide_up(all, blocks_divide_up(all, most > 1 ? most : 1));
}

int64_t blocks_columns(int64_t n, int64_t width, int64_t column_bytes, int64_t bytes) {
    const int64_t fits = bytes / (column_bytes * width);
    const int64_t most = BLOCKS_MOST_COLUMNS / width;
    return width * blocks_even_part(blocks_divide_up(n, width), fits < most ? fits : most);
}

bool blocks_is_split(const struct emitted_gemm *gemm, int role) {
    return gemm->split[role].count > 0;
}

/** Sorts the fused indices of a role by their strides in one of the two operands with the role. */
static void order_split(struct blas_call_split *split, int operand) {
    const int64_t *const by = split->stride[operand];
    for (int d = 1; d < split->count; d++) {
        for (int at = d; at > 0 && llabs(by[at - 1]) > llabs(by[at]); at--) {
            const int extent = split->extent[at];
            split->extent[at] = split->extent[at - 1];
            split->extent[at - 1] = extent;
            for (int o = 0; o < 2; o++) {
                const int64_t stride = split->stride[o][at];
                split->stride[o][at] = split->stride[o][at - 1];
                split->stride[o][at - 1] = stride;
            }
        }
    }
}

/** Returns whether an operand is contiguous along one of the fused indices. */
static bool has_unit(const struct blas_call_split *split, int operand) {
    for (int d = 0; d < split->count; d++) {
        if (llabs(split->stride[operand][d]) == 1) return true;
    }
    return false;
}

struct emitted_gemm blocks_in_order(const struct emitted_gemm *gemm) {
    struct emitted_gemm out = *gemm;
    struct blas_call_split *const contracted = &out.split[ROLE_CONTRACTED];
    order_split(contracted, has_unit(contracted, 1) && !has_unit(contracted, 0) ? 1 : 0);
    for (int part = 0; part < 2 && blocks_is_split(&out, ROLE_CONTRACTED); part++)
        out.strides[part][1 - part] = out.split[ROLE_CONTRACTED].stride[part][0];
    struct blas_call_split rows = out.split[ROLE_ROWS];
    order_split(&rows, 0);
    if (blocks_is_split(&out, ROLE_ROWS) && llabs(rows.stride[0][0]) <= llabs(out.strides[0][1])) {
        out.split[ROLE_ROWS] = rows;
        out.strides[0][0] = rows.stride[0][0];
        out.strides[2][0] = rows.stride[1][0];
    }
    return out;
}

/** Returns the largest divisor of an extent up to `most`, preferring multiples of `multiple`. */
static int64_t divisor_of(int64_t extent, int64_t most, int64_t multiple) {
    int64_t found = 1;
    for (int64_t divisor = 1; divisor <= extent && divisor <= most; divisor++) {
        const bool is_better = divisor % multiple == 0 || found % multiple != 0;
        if (extent % divisor == 0 && is_better) found = divisor;
    }
    return found;
}

/** Returns the fused index with the smallest stride in an operand. */
static int nearest_of(const struct blas_call_split *split, int operand) {
    int nearest = 0;
    for (int d = 1; d < split->count; d++) {
        if (llabs(split->stride[operand][d]) < llabs(split->stride[operand][nearest])) nearest = d;
    }
    return nearest;
}

static void insert_dimension(struct blas_call_split *split, int at, struct blas_call_split from,
                             int dimension, int64_t times, int64_t extent) {
    assert(at <= split->count && split->count < BLAS_CALL_PIECES);
    for (int d = split->count++; d > at; d--) {
        split->extent[d] = split->extent[d - 1];
        for (int o = 0; o < 2; o++) split->stride[o][d] = split->stride[o][d - 1];
    }
    split->extent[at] = (int)extent;
    for (int o = 0; o < 2; o++) split->stride[o][at] = from.stride[o][dimension] * times;
}

int64_t blocks_cut_contracted(struct emitted_gemm *gemm, int64_t most, int round) {
    const struct blas_call_split before = gemm->split[ROLE_CONTRACTED];
    const int64_t in_line = EMITTED_LINE_BYTES / (int64_t)tcplan_dtype_bytes(gemm->dtype);
    const int other = nearest_of(&before, 1);
    const bool are_contiguous =
        llabs(before.stride[0][0]) == 1 && llabs(before.stride[1][other]) == 1;
    if (other == 0 || before.count + 2 > BLAS_CALL_PIECES || !are_contiguous) return 0;
    const int64_t outer = divisor_of(before.extent[0], in_line, in_line);
    const int64_t inner = divisor_of(before.extent[other], most / outer, in_line);
    if (2 * outer < in_line || inner < in_line || inner * outer % round != 0) return 0;
    assert(before.extent[other] % inner == 0 && before.extent[0] % outer == 0);
    struct blas_call_split *split = &gemm->split[ROLE_CONTRACTED];
    split->extent[0] = (int)outer;
    split->extent[other] = (int)(before.extent[other] / inner);
    for (int o = 0; o < 2; o++) split->stride[o][other] *= inner;
    insert_dimension(split, 1, before, other, 1, inner);
    insert_dimension(split, 2, before, 0, outer, before.extent[0] / outer);
    assert(split->count == before.count + 2 && split->extent[1] == inner);
    return inner * outer;
}
