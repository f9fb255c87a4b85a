/** Compares counted work and traffic with the expected values (Ofenbeck et al., table IV). */
#ifndef ROOFLINE_VALIDATION_COUNTED_H
#define ROOFLINE_VALIDATION_COUNTED_H

#include "roofline/validation/measure.h"
#include "tcplan/selftest.h"

/** Returns the paper's setting: one thread, repeats of 1e8 cycles, and two seconds for each series.
 */
struct validation_setting counted_setting(const struct tcplan_machine *machine,
                                          const struct workspace *workspace, struct team *team,
                                          struct counter_source *counts, bool simulated);

/** Counts work and traffic of a kernel that fits the setting's workspace. Returns the statuses of
 * validation_measure(). */
enum tcplan_status counted_run(struct tcplan_counted *out, enum tcplan_point_kernel kernel,
                               int64_t n, bool cold, const struct validation_setting *setting,
                               struct tcplan_error *error);

/**
 * Judges the counts of a kernel. Pure. Counts pass if they are at most the ratios that the paper
 * found: 1.20 of the expected work, 1.40 of the bytes read and moved, and 2 of the bytes written,
 * but 3 for dgemv, which writes little. They must also be at least 0.95 of the expected values.
 * Warm runs are expected to move nothing; their traffic is not judged, because it includes that of
 * other programs. Counts that do not pass are not tested if half of the repeats were disturbed.
 */
struct tcplan_counted counted_judge(enum tcplan_point_kernel kernel, int64_t n, bool cold,
                                    const struct validation_result *result);

#endif
