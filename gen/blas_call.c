#include "gen/blas_call.h"

#include <limits.h>

#include "ast/algorithm.h"
#include "ast/refine.h"
#include "ast/slice.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/provider.h"

/* Where libxsmm adds up products, see the header. */
#define SUM_MAX_BYTES ((int64_t)512 << 10)
#define SUM_MAX_WALK_BYTES ((int64_t)4 << 20)
#define SUM_LEAST_COLUMNS 128
#define SUM_SHORT_PRODUCTS 2048

/* Where libxsmm fetches ahead no more, see the header. */
#define AHEAD_MAX_BYTES ((int64_t)64 << 10)
#define AHEAD_MAX_COLUMNS 128

/** One lowering in progress. */
struct lowering {
    const struct tcplan_nest *nest;
    const struct tcplan_problem *problem;
    const struct tcplan_kernel_call *call;
    struct blas_call_place place;
    struct tcplan_error *error;
    enum tcplan_status status;
};

int64_t blas_call_extent(const struct tcplan_problem *problem, int index, unsigned partial) {
    const int tile = contraction_tile_of_points(problem->contraction, index);
    return tile >= 0 && partial >> tile & 1U ? problem->last_extent[index] : problem->extent[index];
}

/** The product over the indices fused in a role; 1 where the kernel lacks it. */
static int extent(struct lowering *lowering, enum tcplan_role role) {
    const struct tcplan_group *group = &lowering->call->group[role];
    int64_t product = 1;
    for (int i = 0; i < group->count; i++) {
        const int64_t factor = blas_call_extent(lowering->problem, group->index[i], lowering->place.partial);
        if (checked_mul_i64(product, factor, &product) && product <= INT_MAX) continue;
        lowering->status = error_set(lowering->error, TCPLAN_NOT_APPLICABLE,
                                     "fused indices have more than %d values together, beyond the BLAS integer", INT_MAX);
        return 1;
    }
    return (int)product;
}

static bool has_role(const struct lowering *lowering, enum tcplan_role role) {
    return lowering->call->group[role].count > 0;
}

/** The innermost index of a role; -1 where the kernel lacks it. */
static int first_index(const struct lowering *lowering, enum tcplan_role role) {
    return has_role(lowering, role) ? lowering->call->group[role].index[0] : -1;
}

static void refuse(struct lowering *lowering, enum tcplan_operand operand, const char *why) {
    if (lowering->status != TCPLAN_OK) return; /* the first reason is said */
    lowering->status = error_set(lowering->error, TCPLAN_NOT_APPLICABLE, "the strides of tensor %.40s do not suit the kernel: %s",
                                 lowering->nest->contraction->tensor[operand].name, why);
}

/** Whether the indices fused in a role continue each other in an operand that is used in place, and its elements follow each other upwards. */
static void check_group(struct lowering *lowering, enum tcplan_operand operand, const struct tcplan_group *group) {
    const struct tcplan_problem *problem = lowering->problem;
    const int64_t *stride = problem->stride_elems[operand];
    for (int i = 0; i < group->count; i++) {
        if (stride[group->index[i]] < 1) refuse(lowering, operand, "a stride is not positive");
        if (i > 0 && stride[group->index[i]] != stride[group->index[i - 1]] * problem->extent[group->index[i - 1]]) {
            refuse(lowering, operand, "indices that are fused do not continue each other");
        }
    }
}

/** What only sizes show of strided tensors. */
static void check_strides(struct lowering *lowering) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        enum tcplan_role role[2];
        if (lowering->call->slice[t].temporary || !lowering->problem->contraction->tensor[t].strided) continue;
        operand_roles(operand, role);
        for (int r = 0; r < 2; r++) check_group(lowering, operand, &lowering->call->group[role[r]]);
    }
}

/** The stride of a role's index in an operand as a BLAS integer; 1 where the kernel lacks the role. */
static int stride(struct lowering *lowering, enum tcplan_operand operand, enum tcplan_role role) {
    const int index = first_index(lowering, role);
    if (index < 0) return 1;
    int64_t elems = slice_stride(lowering->problem, lowering->call->slice[operand], index);
    if (elems <= INT_MAX) return elems > 0 ? (int)elems : 1;
    lowering->status = error_set(
        lowering->error, TCPLAN_NOT_APPLICABLE, "index %s of tensor %s has stride %lld, beyond the BLAS integer %d",
        lowering->nest->contraction->index[index].name, lowering->nest->contraction->tensor[operand].name, (long long)elems, INT_MAX);
    return 1;
}

static bool is_unit(const struct lowering *lowering, enum tcplan_operand operand, enum tcplan_role role) {
    const int index = first_index(lowering, role);
    const struct tcplan_slice slice = lowering->call->slice[operand];
    if (index < 0) return false;
    return slice.temporary ? index == slice_unit_index(lowering->nest->contraction, slice)
                           : contraction_is_unit(lowering->nest->contraction, operand, index);
}

/** The operand that a free role belongs to. */
static enum tcplan_operand operand_of(enum tcplan_role role) {
    return role == TCPLAN_M ? TCPLAN_A : TCPLAN_B;
}

static enum tcplan_operand other_operand(enum tcplan_operand operand) {
    return operand == TCPLAN_A ? TCPLAN_B : TCPLAN_A;
}

static void set_order(struct blas_call *out, enum tcplan_operand first) {
    out->first = first;
    out->second = other_operand(first);
}

static void lower_dot(struct blas_call *out, struct lowering *lowering) {
    set_order(out, TCPLAN_A);
    out->m = extent(lowering, TCPLAN_K);
    if (out->m == 1) return; /* whatever the strides are */
    out->ld[0] = stride(lowering, TCPLAN_A, TCPLAN_K);
    out->ld[1] = stride(lowering, TCPLAN_B, TCPLAN_K);
}

static void lower_axpy(struct blas_call *out, struct lowering *lowering) {
    enum tcplan_role role = has_role(lowering, TCPLAN_M) ? TCPLAN_M : TCPLAN_N;
    set_order(out, operand_of(role));
    out->m = extent(lowering, role);
    out->ld[0] = stride(lowering, out->first, role);
    out->ld[2] = stride(lowering, TCPLAN_C, role);
}

/**
 * The leading dimension of a matrix, the stride along its columns. BLAS wants one no smaller than the rows even of a matrix of one column, which has
 * none; where there are more columns, they would overlap.
 */
static int leading(struct lowering *lowering, enum tcplan_operand operand, enum tcplan_role column_role, int rows, int columns) {
    const int own = stride(lowering, operand, column_role);
    if (own < rows && columns > 1) refuse(lowering, operand, "the columns of a matrix overlap");
    return own > rows ? own : rows;
}

static void lower_gemv(struct blas_call *out, struct lowering *lowering) {
    enum tcplan_role role = has_role(lowering, TCPLAN_M) ? TCPLAN_M : TCPLAN_N;
    set_order(out, operand_of(role));
    out->transposed[0] = !is_unit(lowering, out->first, role);
    out->m = extent(lowering, out->transposed[0] ? TCPLAN_K : role);
    out->n = extent(lowering, out->transposed[0] ? role : TCPLAN_K);
    out->ld[0] = leading(lowering, out->first, out->transposed[0] ? role : TCPLAN_K, out->m, out->n);
    out->ld[1] = stride(lowering, out->second, TCPLAN_K);
    out->ld[2] = stride(lowering, TCPLAN_C, role);
}

/** The free role along which the result is contiguous, and the other one; a vector that is not contiguous is a row. */
static void result_roles(const struct lowering *lowering, enum tcplan_role *rows, enum tcplan_role *columns) {
    const bool is_row = !has_role(lowering, TCPLAN_M) && !is_unit(lowering, TCPLAN_C, TCPLAN_N);
    *rows = is_row || is_unit(lowering, TCPLAN_C, TCPLAN_M) ? TCPLAN_M : TCPLAN_N;
    *columns = *rows == TCPLAN_M ? TCPLAN_N : TCPLAN_M;
}

static void lower_ger(struct blas_call *out, struct lowering *lowering) {
    enum tcplan_role rows;
    enum tcplan_role columns;
    result_roles(lowering, &rows, &columns);
    set_order(out, operand_of(rows));
    out->m = extent(lowering, rows);
    out->n = extent(lowering, columns);
    out->ld[0] = stride(lowering, out->first, rows);
    out->ld[1] = stride(lowering, out->second, columns);
    out->ld[2] = leading(lowering, TCPLAN_C, columns, out->m, out->n);
}

/** What all gemms but BLIS's take. */
static void set_leading_dimensions(struct blas_call *out, struct lowering *lowering, enum tcplan_role rows, enum tcplan_role columns) {
    const bool *transposed = out->transposed;
    const int m = out->m, n = out->n, k = out->k;
    out->ld[0] = leading(lowering, out->first, transposed[0] ? rows : TCPLAN_K, transposed[0] ? k : m, transposed[0] ? m : k);
    out->ld[1] = leading(lowering, out->second, transposed[1] ? TCPLAN_K : columns, transposed[1] ? n : k, transposed[1] ? k : n);
    out->ld[2] = leading(lowering, TCPLAN_C, columns, m, n);
    blas_call_set_strides(out);
}

/** Whether neither rows nor columns of a matrix overlap, which BLIS does not take. */
static bool lies_apart(const int64_t strides[2], int rows, int columns) {
    const int inner = strides[0] <= strides[1] ? 0 : 1;
    const int64_t within = inner == 0 ? rows : columns;
    return rows == 1 || columns == 1 || strides[1 - inner] >= strides[inner] * within;
}

/** What BLIS takes: both strides of each matrix as they are. */
static void set_general_strides(struct blas_call *out, struct lowering *lowering, enum tcplan_role rows, enum tcplan_role columns) {
    const int extent[3][2] = {{out->m, out->k}, {out->k, out->n}, {out->m, out->n}};
    out->transposed[0] = out->transposed[1] = false;
    const enum tcplan_operand operand[3] = {out->first, out->second, TCPLAN_C};
    const enum tcplan_role role[3][2] = {{rows, TCPLAN_K}, {TCPLAN_K, columns}, {rows, columns}};
    for (int part = 0; part < 3; part++) {
        for (int side = 0; side < 2; side++) out->strides[part][side] = stride(lowering, operand[part], role[part][side]);
        if (!lies_apart(out->strides[part], extent[part][0], extent[part][1])) {
            refuse(lowering, operand[part], "the columns of a matrix overlap");
        }
        out->ld[part] = (int)out->strides[part][1];
    }
}

static void lower_gemm(struct blas_call *out, struct lowering *lowering) {
    enum tcplan_role rows;
    enum tcplan_role columns;
    result_roles(lowering, &rows, &columns);
    set_order(out, operand_of(rows));
    out->m = extent(lowering, rows);
    out->n = extent(lowering, columns);
    out->k = extent(lowering, TCPLAN_K);
    /* Where a matrix is but a vector, its one index need not be contiguous: it becomes the leading dimension. */
    const bool has_rows = has_role(lowering, rows);
    out->transposed[0] = has_rows ? !is_unit(lowering, out->first, rows) : is_unit(lowering, out->first, TCPLAN_K);
    out->transposed[1] = has_role(lowering, TCPLAN_K) && !is_unit(lowering, out->second, TCPLAN_K);
    if (lowering->call->provider == TCPLAN_PROVIDER_BLIS) {
        set_general_strides(out, lowering, rows, columns);
    } else {
        set_leading_dimensions(out, lowering, rows, columns);
    }
}

void blas_call_first_steps(const struct blas_call *call, const struct tcplan_nest *nest, const struct tcplan_kernel_call *node,
                           const struct tcplan_problem *problem, int64_t *step, int64_t *outer_step) {
    const struct tcplan_algorithm *algorithm = &nest->algorithm;
    const struct tcplan_slice slice = node->slice[call->first];
    const int loops = algorithm->loop_count;
    *step = loops > 0 ? slice_stride(problem, slice, algorithm->loop[loops - 1]) : 0;
    *outer_step = loops > 1 ? slice_stride(problem, slice, algorithm->loop[loops - 2]) : 0;
}

/* Sums of products. */

/** Whether `loop` is around nothing but the kernel. */
static bool is_around_kernel(const struct tcplan_loop *loop, const struct tcplan_kernel_call *call) {
    return !loop->parallel && loop->body->kind == TCPLAN_NODE_KERNEL && &loop->body->kernel == call && !loop->body->next;
}

/** The contracted loop around nothing but the kernel; NULL where there is none. */
static const struct tcplan_loop *find_summing_loop(const struct lowering *lowering, const struct tcplan_node *node) {
    const struct tcplan_loop *found = NULL;
    for (; node && !found; node = node->next) {
        if (node->kind != TCPLAN_NODE_LOOP) continue;
        const bool contracted = lowering->nest->contraction->index[node->loop.index].kind == TCPLAN_CONTRACTED;
        found = contracted && is_around_kernel(&node->loop, lowering->call) ? &node->loop : find_summing_loop(lowering, node->loop.body);
    }
    return found;
}

/** Multiplies *bytes by an extent; false where more than `most` come out. */
static bool grows_up_to(int64_t *bytes, int64_t extent, int64_t most) {
    return checked_mul_i64(*bytes, extent, bytes) && *bytes <= most;
}

/** Whether the first factors of a sum of so many products stay in the second cache together: each few columns of the result read all of them. */
static bool is_sum_small(const struct blas_call *out, const struct lowering *lowering, int64_t products) {
    const struct tcplan_problem *problem = lowering->problem;
    int64_t bytes = (int64_t)problem->element_bytes;
    for (uint64_t rest = lowering->call->slice[out->first].span; rest; rest &= rest - 1) {
        if (!grows_up_to(&bytes, problem->extent[indexset_first(rest)], SUM_MAX_BYTES)) return false;
    }
    return grows_up_to(&bytes, products, SUM_MAX_BYTES);
}

/** Whether what the calls read of the first factor is still in or near the second cache when they return to it. */
static bool is_first_in_cache(const struct blas_call *out, const struct lowering *lowering) {
    const struct tcplan_problem *problem = lowering->problem;
    const struct tcplan_algorithm *algorithm = &lowering->nest->algorithm;
    const struct tcplan_slice slice = lowering->call->slice[out->first];
    uint64_t walked = slice.span;
    int64_t bytes = (int64_t)problem->element_bytes;
    for (int l = algorithm->loop_count - 1; l >= 0; l--) {
        const int index = algorithm->loop[l];
        const bool moves = indexset_has(slice_moving_indices(lowering->nest->contraction, slice), index);
        if (!moves && problem->extent[index] > 1) break;
        if (moves) walked |= indexset_of(index);
    }
    for (; walked; walked &= walked - 1) {
        if (!grows_up_to(&bytes, problem->extent[indexset_first(walked)], SUM_MAX_WALK_BYTES)) return false;
    }
    return true;
}

/** Whether the first factor need not be fetched ahead: by full tiles, as the decision has to be the same in all places. */
static bool can_do_without_fetching(const struct blas_call *out, const struct lowering *lowering) {
    struct lowering full = *lowering;
    struct blas_call whole = {.m = 1};
    full.place.partial = 0;
    full.error = NULL; /* what exceeds an integer is said of the call itself */
    lower_gemm(&whole, &full);
    return lowering->call->slice[out->first].temporary || whole.n >= SUM_LEAST_COLUMNS ||
           (int64_t)whole.m * whole.n <= SUM_SHORT_PRODUCTS / whole.k || is_first_in_cache(out, lowering);
}

static void lower_sum(struct blas_call *out, const struct lowering *lowering) {
    const enum tcplan_operand operand[2] = {out->first, out->second};
    const struct tcplan_problem *problem = lowering->problem;
    const struct tcplan_loop *loop = find_summing_loop(lowering, lowering->nest->body);
    if (!loop || problem->extent[loop->index] < 2 || !is_sum_small(out, lowering, problem->extent[loop->index])) return;
    for (int part = 0; part < 2; part++) {
        const int64_t elems = slice_stride(problem, lowering->call->slice[operand[part]], loop->index); /* libxsmm's walk is upwards */
        if (elems < 0 || elems > INT_MAX / (int64_t)problem->element_bytes) return;
        out->sum_step_bytes[part] = (int)(elems * (int64_t)problem->element_bytes);
    }
    if (can_do_without_fetching(out, lowering)) out->sums = (int)problem->extent[loop->index];
}

/** Whether processors fetch the next first factor in time by themselves. */
static bool is_long(const struct blas_call *out, const struct lowering *lowering) {
    const int64_t bytes = (int64_t)lowering->problem->element_bytes;
    return out->n >= AHEAD_MAX_COLUMNS && (int64_t)out->m * out->k > AHEAD_MAX_BYTES / bytes;
}

static void lower_for_libxsmm(struct blas_call *out, const struct lowering *lowering) {
    int64_t step;
    int64_t outer_step;
    if (out->kernel == TCPLAN_GEMM && provider_sums_pay()) lower_sum(out, lowering);
    blas_call_first_steps(out, lowering->nest, lowering->call, lowering->problem, &step, &outer_step);
    const bool moves = !lowering->call->slice[out->first].temporary && (step != 0 || outer_step != 0);
    out->fetches_ahead = out->sums == 0 && moves && !is_long(out, lowering);
}

enum tcplan_status blas_call_lower(struct blas_call *out, const struct tcplan_nest *nest, const struct tcplan_kernel_call *call,
                                   const struct tcplan_problem *problem, struct blas_call_place place, struct tcplan_error *error) {
    static void (*const lower[TCPLAN_KERNELS])(struct blas_call *, struct lowering *) = {[TCPLAN_DOT] = lower_dot,
                                                                                         [TCPLAN_AXPY] = lower_axpy,
                                                                                         [TCPLAN_GEMV] = lower_gemv,
                                                                                         [TCPLAN_GER] = lower_ger,
                                                                                         [TCPLAN_GEMM] = lower_gemm};
    struct lowering lowering = {.nest = nest, .problem = problem, .call = call, .place = place, .error = error, .status = TCPLAN_OK};
    const struct tcplan_scalar one = {1, 0};
    *out = (struct blas_call){.kernel = call->kernel,
                              .provider = call->provider,
                              .m = 1,
                              .n = 1,
                              .k = 1,
                              .ld = {1, 1, 1},
                              .alpha = call->update.alpha,
                              .beta = place.later ? one : call->update.beta};
    check_strides(&lowering);
    lower[call->kernel](out, &lowering);
    if (call->provider == TCPLAN_PROVIDER_LIBXSMM) lower_for_libxsmm(out, &lowering);
    return lowering.status;
}

bool blas_call_spares_last(const struct blas_call *call, enum tcplan_dtype dtype) {
    return call->kernel == TCPLAN_DOT && tcplan_dtype_is_complex(dtype) && (call->ld[0] != 1 || call->ld[1] != 1);
}
