/** Output of the results of `check`. */
#ifndef CLI_RENDER_CONFORMANCE_H
#define CLI_RENDER_CONFORMANCE_H

#include "cli/render/view.h"
#include "tcplan/study/conformance.h"
#include "tcplan/study/speeds.h"

/** The results of `check` for a library. */
struct conformance_report {
    const char *path;
    struct tcplan_conformance *of; /**< results of the checks; NULL: not checked */
};

struct conformance_reports {
    uint64_t seed;
    int count;
    struct conformance_report report[TCPLAN_SPEED_LIBRARIES];
    struct tcplan_speeds *speeds; /**< measured speeds; NULL: not timed */
    int threads;                  /**< number of threads with which the libraries were timed */
};

#endif
