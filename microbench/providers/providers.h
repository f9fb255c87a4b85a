/**
 * How providers make their calls in-process: one file in microbench/providers/ for each of them.
 */
#ifndef MICROBENCH_PROVIDERS_H
#define MICROBENCH_PROVIDERS_H

#include "microbench/kernels/kernels.h"
#include "microbench/predict/kernel_bursts.h"
#include "microbench/providers/maker.h"
#include "tcplan/blas.h"

/** Threads within the calls of a provider that may have been opened, or not yet. */
struct provider_threads {
    bool is_open;
    int64_t own; /**< what the library says; where it is not open nothing, where it does not tell 0
                  */
    int wanted;  /**< what set_threads() was told last; 0: nothing */
};

/** A routine of any type. */
typedef void provider_routine(void);

struct provider {
    /** Of its gemm; all 0: that of the class. Code for one size has nothing to decide, BLIS sets up
     * its blocks in every call. */
    struct kernel_cost gemm_cost;

    /** Whether it is a BLAS, whose core types can be tried; others have kernels for one purpose. */
    bool is_blas;

    /** What it is; false where it is not there. What only its calls need is not made ready: who
     * recognises a machine, or estimates, makes none. */
    bool (*find)(struct tcplan_provider_info *out, enum tcplan_provider provider);

    /** Sets what the calls of a kernel need, of kernel->call.provider, for a maker (NULL: none);
     * false where it cannot make them. */
    bool (*bind)(struct kernel *kernel, enum tcplan_dtype dtype, struct kernel_maker *maker);

    /**
     * The routine of a Fortran symbol, as `dgemm_`, with all arguments by reference; NULL where the
     * provider is not there or lacks it. The member is NULL where a provider has no such symbols.
     */
    provider_routine *(*symbol)(enum tcplan_provider provider, const char *name);

    /** Threads within a call, from now on, whatever is opened later; NULL where its calls have one.
     */
    void (*set_threads)(enum tcplan_provider provider, int threads);

    /** The threads of a provider as they are, and as they were then; NULL where its calls have one.
     */
    struct provider_threads (*threads)(enum tcplan_provider provider);
    void (*put_back)(enum tcplan_provider provider, struct provider_threads before);
};

/**
 * Defines how the calls of a library are made, `provider_NAME`. A file without the two functions
 * does not compile. Other members follow as designated initializers.
 */
#define PROVIDER_CALLS(NAME, FIND, BIND, ...)                                                      \
    const struct provider provider_##NAME = {.find = FIND, .bind = BIND, __VA_ARGS__}

#define PROVIDER_CALLS_DECLARE(NUMBER, name) extern const struct provider provider_##name;
TCPLAN_PROVIDER_LIST(PROVIDER_CALLS_DECLARE)
extern const struct provider provider_emitted;
extern const struct provider provider_file;

const struct provider *provider_of(enum tcplan_provider provider);

/** Whether a search looks at a provider's kernels that nobody named: at compiled ones where they
 * are kept (microbench/providers/maker.h). */
bool provider_is_searched(enum tcplan_provider provider, const struct kernel_maker *maker);

/** What a compiler is expected to take for one more kernel of a provider; 0 where none is needed.
 */
double provider_compile_seconds(enum tcplan_provider provider);

/** Likewise for the kernel of a call: 0, too, where it was compiled before, in this process or in
 * an earlier one that kept it. */
double provider_kernel_seconds(const struct blas_call *call, enum tcplan_dtype dtype,
                               struct kernel_maker *maker);

/** Whether the calls of a provider may have several threads. */
bool provider_has_threads(enum tcplan_provider provider);

/** Sets the threads of all providers. */
void providers_set_threads(int threads);

#endif
