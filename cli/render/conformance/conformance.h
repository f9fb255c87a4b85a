/** Output of the results of `check`. */
#ifndef CLI_RENDER_CONFORMANCE_H
#define CLI_RENDER_CONFORMANCE_H

#include "cli/render/view.h"
#include "tcplan/study/conformance.h"
#include "tcplan/study/speeds.h"

/** The results of `check` for a library. */
struct conformance_report {
    const char *path;
    struct tcplan_conformance *of; /**< NULL: not checked */
};

struct conformance_reports {
    uint64_t seed;
    int count;
    struct conformance_report report[TCPLAN_SPEED_LIBRARIES];
    struct tcplan_speeds *speeds; /**< NULL: not timed */
    int threads;                  /**< of the times */
};

#endif
