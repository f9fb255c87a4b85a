#include "ast/algorithm/provider.h"
#include "ast/problem/slice.h"
#include "gen/emit/arguments.h"
#include "gen/kernels/kernel_code.h"
#include "gen/lower/lowering.h"
#include "gen/providers/provider.h"

/** Sets the leading dimensions of a BLAS gemm. */
static void set_leading_dimensions(struct blas_call *out, struct lowering *lowering,
                                   enum tcplan_role rows, enum tcplan_role columns) {
    const bool *transposed = out->transposed;
    const int m = out->m, n = out->n, k = out->k;
    out->ld[0] = lowering_leading(lowering, out->first, transposed[0] ? rows : TCPLAN_K,
                                  transposed[0] ? k : m, transposed[0] ? m : k);
    out->ld[1] = lowering_leading(lowering, out->second, transposed[1] ? TCPLAN_K : columns,
                                  transposed[1] ? n : k, transposed[1] ? k : n);
    out->ld[2] = lowering_leading(lowering, TCPLAN_C, columns, m, n);
    blas_call_set_strides(out);
}

/** Returns whether no two elements of a matrix have the same address, as gemm requires. */
static bool lies_apart(const int64_t strides[2], int rows, int columns) {
    const int inner = strides[0] <= strides[1] ? 0 : 1;
    const int64_t within = inner == 0 ? rows : columns;
    return rows <= 1 || columns <= 1 ||
           strides[1 - inner] / within >= strides[inner]; /* an inner extent may be 0 */
}

/** Lists the indices of a role, fusing those that are contiguous with each other in both operands.
 */
static void set_split(struct blas_call_split *out, struct lowering *lowering, enum tcplan_role role,
                      const enum tcplan_operand operand[2]) {
    const struct tcplan_group *group = &lowering->call->group[role];
    *out = (struct blas_call_split){0};
    for (int i = 0; i < group->count; i++) {
        const int index = group->index[i], last = out->count - 1;
        const int extent = (int)blas_call_extent(lowering->problem, index, lowering->place.partial);
        int64_t stride[2];
        for (int o = 0; o < 2; o++)
            stride[o] = slice_stride(lowering->problem, lowering->call->slice[operand[o]], index);
        bool continues = out->count > 0;
        for (int o = 0; o < 2 && continues; o++)
            continues = stride[o] == out->stride[o][last] * out->extent[last];
        if (continues) {
            out->extent[last] *=
                extent; /* cannot overflow: the product of all extents fits a BLAS integer */
            continue;
        }
        if (out->count == BLAS_CALL_PIECES) {
            lowering_refuse(lowering, operand[0], "the fused indices form too many pieces");
            break;
        }
        out->extent[out->count] = extent;
        for (int o = 0; o < 2; o++) out->stride[o][out->count] = stride[o];
        out->count++;
    }
    if (out->count < 2) *out = (struct blas_call_split){0};
}

/** Sets both strides of each matrix for a provider that takes any strides. */
static void set_general_strides(struct blas_call *out, struct lowering *lowering,
                                enum tcplan_role rows, enum tcplan_role columns) {
    const int extent[3][2] = {{out->m, out->k}, {out->k, out->n}, {out->m, out->n}};
    const enum tcplan_operand operand[3] = {out->first, out->second, TCPLAN_C};
    const enum tcplan_role role[3][2] = {{rows, TCPLAN_K}, {TCPLAN_K, columns}, {rows, columns}};
    static const int split[3][2] = {{0, 2}, {2, 1}, {0, 1}};
    if (provider_traits_of(lowering->call->provider)->splits_groups &&
        lowering->status == TCPLAN_OK) {
        set_split(&out->split[0], lowering, rows, (enum tcplan_operand[]){out->first, TCPLAN_C});
        set_split(&out->split[1], lowering, columns,
                  (enum tcplan_operand[]){out->second, TCPLAN_C});
        set_split(&out->split[2], lowering, TCPLAN_K,
                  (enum tcplan_operand[]){out->first, out->second});
    }
    for (int part = 0; part < 3; part++) {
        const bool is_split =
            out->split[split[part][0]].count > 0 || out->split[split[part][1]].count > 0;
        for (int side = 0; side < 2; side++)
            out->strides[part][side] =
                lowering_long_stride(lowering, operand[part], role[part][side]);
        if (!is_split && !lies_apart(out->strides[part], extent[part][0], extent[part][1])) {
            lowering_refuse(lowering, operand[part], "the columns of a matrix overlap");
        }
    }
}

static void lower(struct blas_call *out, struct lowering *lowering) {
    enum tcplan_role rows;
    enum tcplan_role columns;
    lowering_set_result(out, lowering, &rows, &columns);
    out->k = lowering_extent(lowering, TCPLAN_K);
    if (provider_traits_of(lowering->call->provider)->takes_any_strides) {
        set_general_strides(out, lowering, rows, columns);
        return;
    }
    out->transposed[0] = lowering_transposes(lowering, out->first);
    out->transposed[1] = lowering_transposes(lowering, out->second);
    set_leading_dimensions(out, lowering, rows, columns);
}

static void emit(const struct emitter *emitter, const struct emit_call *call) {
    emit_matrix_call(emitter, call, 2, 3);
}

KERNEL_CODE(gemm, lower, kernel_matrix_role_at, kernel_matrix_step, emit,
            .emit_setup = emit_factor_setup,
            .argument = {{"transA", KERNEL_FLAG, 0},
                         {"transB", KERNEL_FLAG, 1},
                         {"alpha", KERNEL_ALPHA, 0},
                         {"beta", KERNEL_BETA, 0}});
