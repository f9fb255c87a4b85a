/**
 * The table of providers: what each of them knows to do, one file each.
 */
#ifndef MICROBENCH_PROVIDERS_H
#define MICROBENCH_PROVIDERS_H

#include "microbench/kernels.h"
#include "tcplan/blas.h"

struct provider {
    /** What it is; false where it is not there. */
    bool (*find)(struct tcplan_provider_info *out, enum tcplan_provider provider);

    /** Sets what the calls of a kernel need, of kernel->call.provider; false where it cannot make them. */
    bool (*bind)(struct kernel *kernel, enum tcplan_dtype dtype);

    /** Threads within a call, from now on; NULL where its calls have one. */
    void (*set_threads)(int threads);
};

extern const struct provider provider_linked;
extern const struct provider provider_libxsmm;
extern const struct provider provider_blis;
extern const struct provider provider_file; /**< all that were opened; set_threads() is for each of them */

const struct provider *provider_of(enum tcplan_provider provider);

/** Sets the threads of all but the linked BLAS. */
void providers_set_threads(int threads);

#endif
