/**
 * Checks of libraries as one HTML page that needs nothing else.
 */
#ifndef CLI_PAGE_CHECK_PAGE_H
#define CLI_PAGE_CHECK_PAGE_H

#include <stdio.h>

#include "cli/render/conformance/conformance.h"

/** Writes the page; returns false if memory runs out. */
bool check_page_write(FILE *file, const struct conformance_reports *reports);

#endif
