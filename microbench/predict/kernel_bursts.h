/**
 * How kernels are executed: what the classes know to do, one file in microbench/kernels/ for each
 * of them.
 */
#ifndef MICROBENCH_KERNEL_BURSTS_H
#define MICROBENCH_KERNEL_BURSTS_H

#include "microbench/kernels/kernels.h"
#include "microbench/providers/cblas_routines.h"

/** The largest increment of vectors on which a call is timed by itself. */
enum { KERNEL_PACKED_INCREMENT = 8 };

/**
 * What a call takes, where nothing is known of it: `call_ns`, and its operations at `rate` times
 * what gemm takes for them. Each extent adds a number over itself to the rate: a kernel for which
 * one row costs as much as a full tile of 4 has 4 for `rows`, so that m rows add 4 / m.
 */
struct kernel_cost {
    double call_ns;
    double rate; /**< of large extents */
    double rows, columns, products;
};

/** How calls of a class are executed. Its file defines it by KERNEL_BURSTS(). */
struct kernel_bursts {
    struct kernel_cost cost; /**< a provider's gemm may have its own, see struct provider */
    kernel_burst_fn *burst[TCPLAN_DTYPES]; /**< of classes of the BLAS through kernel->cblas */

    /** The routines of a class that not every CBLAS has, as `cblas_daxpby`: they are looked for in
     * the library, and kernel->generated is the one that was found. NULL: those in
     * struct cblas_routines. */
    const char *symbol[TCPLAN_DTYPES];

    /** Sets what the bursts need besides the call; NULL: nothing. */
    void (*prepare)(struct kernel *kernel, enum tcplan_dtype dtype);

    /** The call on operands that lie together, as it is timed by itself; NULL: as it is. */
    void (*pack)(struct blas_call *call);

    /** Elements that each operand of a packed call has at most; NULL: those of three matrices. */
    double (*elements)(const struct blas_call *call);
};

/* The cost and the bursts of a class: arguments of KERNEL_BURSTS(). */
#define KERNEL_COST(CALL_NS, RATE, ROWS, COLUMNS, PRODUCTS)                                        \
    { CALL_NS, RATE, ROWS, COLUMNS, PRODUCTS }
#define KERNEL_ROUTINES(S, D, C, Z)                                                                \
    { S, D, C, Z } /* NULL: none in this type */

/**
 * Defines how calls of a class are executed, `bursts_NAME`. Every class has a cost, and bursts
 * unless its providers make them: a file that leaves one out does not compile. Other members follow
 * as designated initializers.
 */
#define KERNEL_BURSTS(NAME, COST, ROUTINES, ...)                                                   \
    const struct kernel_bursts bursts_##NAME = {.cost = COST, .burst = ROUTINES, __VA_ARGS__}

#define KERNEL_BURSTS_DECLARE(NAME, name) extern const struct kernel_bursts bursts_##name;
TCPLAN_KERNEL_LIST(KERNEL_BURSTS_DECLARE)

const struct kernel_bursts *kernel_bursts_of(enum tcplan_kernel kernel);

/** The leading dimension of a packed matrix with such columns: whole lines, as a column that begins
 * within a line costs more, but no more than it has. */
static inline int kernel_packed_ld(int ld, int rows) {
    const int lines =
        (rows + KERNEL_PACKED_INCREMENT - 1) / KERNEL_PACKED_INCREMENT * KERNEL_PACKED_INCREMENT;
    return ld < lines ? ld : lines;
}

/** One call; inlined into the burst of its routine, so that a step costs what a compiled loop
 * around CBLAS costs. */
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

/** The burst of one routine: a loop around its call, which is known at compile time. */
#define KERNEL_BURST(routine)                                                                      \
    static void burst_##routine(const struct kernel *kernel, struct kernel_operands at,            \
                                struct kernel_steps steps, int64_t count) {                        \
        kernel_repeat(call_##routine, kernel, at, steps, count);                                   \
    }

#endif
