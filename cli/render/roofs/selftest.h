/**
 * The self-test's table, for people.
 */
#ifndef CLI_RENDER_ROOFS_SELFTEST_H
#define CLI_RENDER_ROOFS_SELFTEST_H

#include "cli/render/format.h"

void selftest_print_text(struct writer *writer, const struct tcplan_selftest *test);

#endif
