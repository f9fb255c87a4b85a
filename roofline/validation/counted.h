/** Compares counted work and traffic with the expected values (Ofenbeck et al., table IV). */
#ifndef ROOFLINE_VALIDATION_COUNTED_H
#define ROOFLINE_VALIDATION_COUNTED_H

#include "roofline/validation/measure.h"
#include "tcplan/selftest.h"

/** The paper's repeats on one thread: 1e8 cycles each, two seconds a series. */
struct validation_setting counted_setting(const struct tcplan_machine *machine,
                                          const struct workspace *workspace, struct team *team,
                                          struct counter_source *counts, bool simulated);

/** Counts a kernel that fits the setting's workspace. Status as validation_measure(). */
enum tcplan_status counted_run(struct tcplan_counted *out, enum tcplan_point_kernel kernel,
                               int64_t n, bool cold, const struct validation_setting *setting,
                               struct tcplan_error *error);

/**
 * Judges the counts of a kernel: the pure part of counted_run(). Accepted is what the paper found:
 * up to 1.20 of the expected work, 1.40 of the bytes read and moved, 2 of those written, and 3 for
 * dgemv, which writes little; and not less than 0.95. Warm runs are expected to move nothing, and
 * that is not judged: the counts then include work of others. Counts that do not hold where half of
 * the repeats were disturbed could not be tested.
 */
struct tcplan_counted counted_judge(enum tcplan_point_kernel kernel, int64_t n, bool cold,
                                    const struct validation_result *result);

#endif
