/**
 * The kernels of gen/runtime in the four types: what copies run, here as in emitted C.
 */
#ifndef MICROBENCH_COPY_H
#define MICROBENCH_COPY_H

#include "microbench/copy/strided.h"

struct copy_kernel {
    /** Copies a block whose dimensions have extents of their own; `ends` is NULL, or the first of
     * those of its rows. */
    void (*run)(const struct strided *block, const int64_t extent[], char *to, const char *from,
                char *ends);
    /** Writes what waits in `count` ends. */
    void (*write_ends)(char *ends, int64_t count);
    /** Orders streamed stores before all that follow. */
    void (*fence)(void);
};

extern const struct copy_kernel copy_s;
extern const struct copy_kernel copy_d;
extern const struct copy_kernel copy_c;
extern const struct copy_kernel copy_z;

#endif
