/**
 * Kernels with known operations as points under the roofs of this machine: daxpy, dgemv, dgemm and
 * FFT, with cold and with warm caches.
 */
#ifndef CLI_ROOFS_KERNELS_H
#define CLI_ROOFS_KERNELS_H

#include "cli/request.h"
#include "tcplan/study/digest.h"

enum { KERNELS_MAX_SIZES = 256 };

/** A kernel of one size with cold or warm caches, and its point. */
struct listed_kernel {
    const struct tcplan_kernel_point *point;
    struct tcplan_point place;
    struct tcplan_span speed; /**< quartiles of the speed, in the point's unit; zeros if unknown */
    int line; /**< number of the line, from 1. The points of a kernel with cold caches form a line,
                 those with warm caches another */
};

/** Zero-initialise before use. */
struct kernel_list {
    const struct request *request;
    const struct tcplan_roofline *roofline; /**< ceilings; NULL until the points are placed */
    struct tcplan_kernel_points *measured;
    size_t count;
    struct listed_kernel *kernel; /**< points line by line: kernels in the given order, cold before
                                     warm caches, sorted by size */
};

/** Returns whether --kernel is given. */
bool kernels_are_asked(const struct options *options);

/**
 * Measures the kernels that --kernel names.
 *
 * @return EXIT_DONE; another status after a message. The caller must call kernels_free() in either
 *         case
 */
enum exit_status kernels_make(struct kernel_list *out, const struct request *request);

void kernels_place(struct kernel_list *list, const struct tcplan_roofline *roofline);

void kernels_free(struct kernel_list *list);

#endif
