/** How kernels are executed: one file in microbench/kernels/ for each class. */
#ifndef MICROBENCH_KERNEL_BURSTS_H
#define MICROBENCH_KERNEL_BURSTS_H

#include "microbench/kernels/kernels.h"
#include "microbench/providers/cblas_routines.h"

/** Largest increment of vectors in a call that is timed by itself; larger increments are
 * replaced by this one. */
enum { KERNEL_PACKED_INCREMENT = 8 };

/**
 * The default cost of a call: `call_ns`, plus the time of gemm for its operations, multiplied by
 * `rate`. Each extent e increases the rate by the constant of its role divided by e: if one row
 * costs as much as a full tile of 4 rows, `rows` is 4, and m rows add 4 / m.
 */
struct kernel_cost {
    double call_ns;
    double rate; /**< factor in the limit of large extents */
    double rows, columns, products;
};

/** How calls of a class are executed; defined in its file by KERNEL_BURSTS(). */
struct kernel_bursts {
    struct kernel_cost cost; /**< a provider's gemm may have its own, see struct provider */
    kernel_burst_fn *burst[TCPLAN_DTYPES]; /**< functions that make calls of each type, for BLAS
                                              classes through kernel->cblas */

    /** Routines of a class that not every CBLAS has, such as `cblas_daxpby`. They are looked up
     * in the library and stored in kernel->generated. NULL: the class uses only routines of struct
     * cblas_routines. */
    const char *symbol[TCPLAN_DTYPES];

    /** Sets further data that the bursts need; NULL: none. */
    void (*prepare)(struct kernel *kernel, enum tcplan_dtype dtype);

    /** Makes the operands contiguous for timing the call by itself; NULL: unchanged. */
    void (*pack)(struct blas_call *call);

    /** returns the most elements of an operand of a packed call; NULL: the class has three matrices
     */
    double (*elements)(const struct blas_call *call);
};

/* The cost and the bursts of a class: arguments of KERNEL_BURSTS(). */
#define KERNEL_COST(CALL_NS, RATE, ROWS, COLUMNS, PRODUCTS)                                        \
    { CALL_NS, RATE, ROWS, COLUMNS, PRODUCTS }
#define KERNEL_ROUTINES(S, D, C, Z)                                                                \
    { S, D, C, Z } /* routines by type; NULL: there is none for the type */

/**
 * Defines how calls of a class are executed, `bursts_NAME`. A cost is required, and bursts unless
 * its providers make them; other members follow as designated initializers.
 */
#define KERNEL_BURSTS(NAME, COST, ROUTINES, ...)                                                   \
    const struct kernel_bursts bursts_##NAME = {.cost = COST, .burst = ROUTINES, __VA_ARGS__}

#define KERNEL_BURSTS_DECLARE(NAME, name) extern const struct kernel_bursts bursts_##name;
TCPLAN_KERNEL_LIST(KERNEL_BURSTS_DECLARE)

const struct kernel_bursts *kernel_bursts_of(enum tcplan_kernel kernel);

/** Returns the leading dimension of a packed matrix: whole lines, since columns that begin
 * within a line cost more, but at most `ld`. */
static inline int kernel_packed_ld(int ld, int rows) {
    const int lines =
        (rows + KERNEL_PACKED_INCREMENT - 1) / KERNEL_PACKED_INCREMENT * KERNEL_PACKED_INCREMENT;
    return ld < lines ? ld : lines;
}

/** Makes one call; inlined into the loop over calls, so that a step costs as much as in a compiled
 * loop around CBLAS. */
typedef void kernel_call_fn(const struct kernel *kernel, struct kernel_operands at);

static inline __attribute__((always_inline)) void kernel_repeat(kernel_call_fn *call,
                                                                const struct kernel *kernel,
                                                                struct kernel_operands at,
                                                                struct kernel_steps steps,
                                                                int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        call(kernel, at);
        at.first += steps.first;
        at.second += steps.second;
        at.result += steps.result;
    }
}

static inline CBLAS_TRANSPOSE kernel_transposition(const struct kernel *k, int operand) {
    return !k->call.transposed[operand]  ? CblasNoTrans
           : k->call.conjugated[operand] ? CblasConjTrans
                                         : CblasTrans;
}

/** Defines the loop over calls of one routine, which is known at compile time. */
#define KERNEL_BURST(routine)                                                                      \
    static void burst_##routine(const struct kernel *kernel, struct kernel_operands at,            \
                                struct kernel_steps steps, int64_t count) {                        \
        kernel_repeat(call_##routine, kernel, at, steps, count);                                   \
    }

#endif
