/** How calls of providers are made in this process: each provider has a file in
 * microbench/providers/. */
#ifndef MICROBENCH_PROVIDERS_H
#define MICROBENCH_PROVIDERS_H

#include "microbench/kernels/kernels.h"
#include "microbench/predict/kernel_bursts.h"
#include "microbench/providers/maker.h"
#include "tcplan/blas.h"

/** The number of threads of a provider, whether it is open or not. */
struct provider_threads {
    bool is_open;
    int64_t own; /**< number of threads that the library reports; 0 if it reports none; unset if the
                    library is not open */
    int wanted;  /**< the last number set by set_threads(); 0: none */
};

/** A routine of any type. */
typedef void provider_routine(void);

struct provider {
    /** The cost of the provider's gemm, or of whole contractions; all 0: the cost of the kernel
     * class applies. It differs because code for one size decides nothing at run time, while BLIS
     * sets up its blocks in every call. */
    struct kernel_cost gemm_cost;

    /** Whether the provider is a BLAS, so that its kernels for other core types can be tried. */
    bool is_blas;

    /** Finds the provider; returns false if it is absent. Makes no call, because
     * recognising a machine and estimating make none. */
    bool (*find)(struct tcplan_provider_info *out, enum tcplan_provider provider);

    /** Prepares the calls of a kernel of kernel->call.provider, for a maker (NULL: none);
     * returns false if it cannot make them. */
    bool (*bind)(struct kernel *kernel, enum tcplan_dtype dtype, struct kernel_maker *maker);

    /**
     * Returns the routine of a Fortran symbol such as `dgemm_`, with all arguments by reference;
     * NULL if the provider is absent or lacks it. NULL: the provider has no such symbols.
     */
    provider_routine *(*symbol)(enum tcplan_provider provider, const char *name);

    /** Returns whether some routines compute wrong results, with a message, see
     * tcplan_provider_wrong(); NULL: never. */
    bool (*is_wrong)(char out[TCPLAN_MESSAGE_SIZE], enum tcplan_provider provider);

    /** Sets the threads of calls from now on, also for libraries opened later; NULL if its calls
     * are single-threaded. */
    void (*set_threads)(enum tcplan_provider provider, int threads);

    /** Returns the threads of a provider. With the next member, which restores them, NULL if its
     * calls are single-threaded. */
    struct provider_threads (*threads)(enum tcplan_provider provider);
    void (*put_back)(enum tcplan_provider provider, struct provider_threads before);
};

/**
 * Defines how the calls of a library are made, `provider_NAME`. Both functions are required; other
 * members follow as designated initializers.
 */
#define PROVIDER_CALLS(NAME, FIND, BIND, ...)                                                      \
    const struct provider provider_##NAME = {.find = FIND, .bind = BIND, __VA_ARGS__}

#define PROVIDER_CALLS_DECLARE(NUMBER, name) extern const struct provider provider_##name;
TCPLAN_PROVIDER_LIST(PROVIDER_CALLS_DECLARE)
extern const struct provider provider_emitted;
extern const struct provider provider_file;
extern const struct provider provider_tapp;

const struct provider *provider_of(enum tcplan_provider provider);

/** Returns whether the kernels of an algorithm are compiled for their calls. */
bool provider_needs_compiler(const struct tcplan_problem *problem,
                             const struct tcplan_algorithm *algorithm);

/** Returns whether libraries were opened as files. Their kernels may be the fastest, but stored
 * plans cannot name them, and the machine's fingerprint does not include them. */
bool provider_has_files(void);

/** Returns the expected time to compile one more kernel of a provider; 0 if its kernels need no
 * compiler. */
double provider_compile_seconds(enum tcplan_provider provider);

/** Returns the expected time to compile the kernel of a call; 0 if its provider needs no compiler,
 * or if the kernel was compiled before, in this process or in an earlier one that stored it. */
double provider_kernel_seconds(const struct blas_call *call, enum tcplan_dtype dtype,
                               struct kernel_maker *maker);

/** Returns whether the calls of a provider may use several threads. */
bool provider_has_threads(enum tcplan_provider provider);

/** Sets the threads of all providers. */
void providers_set_threads(int threads);

#endif
