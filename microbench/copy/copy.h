/** The copy kernels of gen/runtime in the four types, as copies run here and in emitted C. */
#ifndef MICROBENCH_COPY_H
#define MICROBENCH_COPY_H

#include "microbench/copy/strided.h"

struct copy_kernel {
    /** Copies a block with the extents given here; `ends` is NULL or the first of the ends of
     * its rows. */
    void (*run)(const struct strided *block, const int64_t extent[], char *to, const char *from,
                char *ends);
    /** Writes the data waiting in `count` ends. */
    void (*write_ends)(char *ends, int64_t count);
    /** Orders non-temporal stores before all later ones. */
    void (*fence)(void);
};

extern const struct copy_kernel copy_s;
extern const struct copy_kernel copy_d;
extern const struct copy_kernel copy_c;
extern const struct copy_kernel copy_z;

#endif
