/**
 * Checks that stream kernels do their work: held against plain loops on small arrays of whole
 * numbers, whose sums and products are exact.
 */
#ifndef ROOFLINE_KERNELS_STREAM_CHECK_H
#define ROOFLINE_KERNELS_STREAM_CHECK_H

#include "roofline/kernels/kernels.h"
#include "tcplan/status.h"

/** Runs every stream kernel of a set. @return TCPLAN_OK; TCPLAN_ENVIRONMENT if one computes
 * something else; TCPLAN_NO_MEMORY */
enum tcplan_status stream_check(const struct kernel_set *set, struct tcplan_error *error);

/** The value that a load returns. */
double stream_check_loaded(const struct stream_kernel *kernel, const struct stream *stream);

#endif
