/** Sums of tensors in one pass, by the functions of gen/runtime/terms.h for the four element types.
 */
#ifndef MICROBENCH_TERMS_H
#define MICROBENCH_TERMS_H

#include "gen/lower/terms_shape.h"

struct terms_kernel {
    int64_t (*planes)(const struct terms_shape *shape);
    void (*run)(const struct terms_shape *shape, const void *const from[], void *to, int64_t begin,
                int64_t end);
};

extern const struct terms_kernel terms_s;
extern const struct terms_kernel terms_d;
extern const struct terms_kernel terms_c;
extern const struct terms_kernel terms_z;

/**
 * Computes a sum with several threads.
 *
 * @param from  the tensor of each term
 */
void terms_run(const struct terms_shape *shape, const void *const from[], void *to, int threads);

#endif
