#include "gen/kernels/kernel_code.h"

#define CODE(NAME, name) [TCPLAN_##NAME] = &kernel_##name,
static const struct kernel_code *const codes[TCPLAN_KERNELS] = {TCPLAN_KERNEL_LIST(CODE)};

const struct kernel_code *kernel_code_of(enum tcplan_kernel kernel) {
    return codes[kernel];
}

enum tcplan_role kernel_rows(const struct emit_call *call) {
    return call->blas.first == TCPLAN_A ? TCPLAN_M : TCPLAN_N;
}

enum tcplan_role kernel_matrix_role_at(const struct emit_call *call, int place) {
    const enum tcplan_role rows = kernel_rows(call);
    const enum tcplan_role columns = rows == TCPLAN_M ? TCPLAN_N : TCPLAN_M;
    return place == 0 ? rows : place == 1 ? columns : TCPLAN_K;
}

struct kernel_step kernel_matrix_step(const struct emit_call *call, int part) {
    const int own = part == 1 ? 1 : 0,
              other = part == 2 ? 1 : 2; /* roles of A (m x k), B (k x n) and C (m x n) */
    const bool own_rows =
        part == 1 ? call->blas.transposed[1] : part == 2 || !call->blas.transposed[0];
    return (struct kernel_step){.role = kernel_matrix_role_at(call, own_rows ? other : own),
                                .rows = own_rows ? own : other};
}
