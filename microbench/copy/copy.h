/** The copy functions of gen/runtime for the four element types: the same code in this process and
 * in emitted C. */
#ifndef MICROBENCH_COPY_H
#define MICROBENCH_COPY_H

#include "microbench/copy/strided.h"

struct copy_kernel {
    /** copies a block with the given extents; `ends` is NULL, or the first of the buffers for
     * partial lines */
    void (*run)(const struct strided *block, const int64_t extent[], char *to, const char *from,
                char *ends);
    /** writes the elements that wait in `count` buffers */
    void (*write_ends)(char *ends, int64_t count);
    /** orders non-temporal stores before all later accesses */
    void (*fence)(void);
};

extern const struct copy_kernel copy_s;
extern const struct copy_kernel copy_d;
extern const struct copy_kernel copy_c;
extern const struct copy_kernel copy_z;

#endif
