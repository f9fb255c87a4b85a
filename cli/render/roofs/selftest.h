/**
 * The self-test's result.
 */
#ifndef CLI_RENDER_ROOFS_SELFTEST_H
#define CLI_RENDER_ROOFS_SELFTEST_H

#include "cli/render/view.h"
#include "tcplan/selftest.h"

/** Of struct tcplan_selftest. */
extern const struct view selftest_view;

#endif
