/**
 * Results of several platforms side by side.
 */
#ifndef CLI_RENDER_RESULTS_PORTABILITY_PRINT_H
#define CLI_RENDER_RESULTS_PORTABILITY_PRINT_H

#include "cli/render/view.h"
#include "tcplan/study/platforms.h"

struct portability_report {
    const struct tcplan_platforms *platforms;
    bool all; /**< text: every algorithm, not only the most portable */
};

extern const struct view portability_view;

#endif
