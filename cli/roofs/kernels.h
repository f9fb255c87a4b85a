/**
 * Kernels of known work under the roofs of this machine: daxpy, dgemv, dgemm, an FFT, cold and
 * warm.
 */
#ifndef CLI_ROOFS_KERNELS_H
#define CLI_ROOFS_KERNELS_H

#include "cli/request.h"
#include "tcplan/study/digest.h"

enum { KERNELS_MAX_SIZES = 256 };

/** A kernel of one size in one state of the caches, and its point. */
struct listed_kernel {
    const struct tcplan_kernel_point *point;
    struct tcplan_point place;
    struct tcplan_span speed; /**< quartiles, in the unit of the point; zeros: unknown */
    int line; /**< number of its kernel and state, from 1: equal numbers form a line */
};

/** Zero-initialise before use. */
struct kernel_list {
    const struct request *request;
    const struct tcplan_roofline *roofline; /**< NULL: not placed yet */
    struct tcplan_kernel_points *measured;
    size_t count;
    struct listed_kernel *kernel; /**< line by line: kernels in the given order, cold points before
                                     warm ones, by size */
};

/** Whether --kernel is given. */
bool kernels_are_asked(const struct options *options);

/**
 * Measures the kernels that --kernel names.
 *
 * @return EXIT_DONE; another status after a message. call kernels_free() in either case
 */
enum exit_status kernels_make(struct kernel_list *out, const struct request *request);

void kernels_place(struct kernel_list *list, const struct tcplan_roofline *roofline);

void kernels_free(struct kernel_list *list);

#endif
