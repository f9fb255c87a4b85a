/**
 * Kernels of known work under the roofs of this machine: daxpy, dgemv, dgemm, an FFT, cold and
 * warm.
 */
#ifndef CLI_ROOFS_KERNELS_H
#define CLI_ROOFS_KERNELS_H

#include "cli/request.h"
#include "tcplan/study/digest.h"

enum { KERNELS_MAX_SIZES = 256 };

/** A kernel of one size in one state of the caches, in its place. */
struct listed_kernel {
    const struct tcplan_kernel_point *point;
    struct tcplan_point place;
    struct tcplan_span speed; /**< quartiles, in the unit of the place; zeros: not known */
    int line; /**< of its kernel and state: points with the same lie on one line, from 1 */
};

/** Zero-initialise before use. */
struct kernel_list {
    const struct request *request;
    const struct tcplan_roofline *roofline; /**< NULL: not placed yet */
    struct tcplan_kernel_points *measured;
    size_t count;
    struct listed_kernel *kernel; /**< line by line: kernels as they were named, of each the cold
                                     points before the warm ones, in the order of their sizes */
};

/** Whether the options ask for kernels: --kernel. */
bool kernels_are_asked(const struct options *options);

/**
 * Measures the kernels that --kernel names.
 *
 * @return EXIT_DONE; another status after a message. kernels_free() is needed in either case
 */
enum exit_status kernels_make(struct kernel_list *out, const struct request *request);

void kernels_place(struct kernel_list *list, const struct tcplan_roofline *roofline);

void kernels_free(struct kernel_list *list);

#endif
