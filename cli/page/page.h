/**
 * Results of batches as one HTML page that needs nothing else: style, script and plots are within
 * it.
 */
#ifndef CLI_PAGE_PAGE_H
#define CLI_PAGE_PAGE_H

#include "cli/render/results/digest.h"
#include "tcplan/ceilings.h"

/** What is shown. */
struct page {
    FILE *file;
    const struct digests *all;              /**< the documents, side by side */
    const struct tcplan_roofline *ceilings; /**< of a machine that the results are of; NULL: none */
    bool no_memory;
};

/** Writes the page; the documents are read again. */
void page_write(struct page *page);

#endif
