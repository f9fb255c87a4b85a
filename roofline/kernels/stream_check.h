/**
 * Checks that stream kernels do their work: compares them with plain loops on small arrays of
 * whole numbers, whose sums and products are exact.
 */
#ifndef ROOFLINE_KERNELS_STREAM_CHECK_H
#define ROOFLINE_KERNELS_STREAM_CHECK_H

#include "roofline/kernels/kernels.h"
#include "tcplan/status.h"

/** Checks each stream kernel of a set.
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if a kernel computes something else; TCPLAN_NO_MEMORY */
enum tcplan_status stream_check(const struct kernel_set *set, struct tcplan_error *error);

/** Returns the value that a load kernel must return. */
double stream_check_loaded(const struct stream_kernel *kernel, const struct stream *stream);

#endif
