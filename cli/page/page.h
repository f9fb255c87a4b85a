/**
 * Results of batches as one HTML page that needs nothing else: style, script and plots are within
 * it.
 */
#ifndef CLI_PAGE_PAGE_H
#define CLI_PAGE_PAGE_H

#include "cli/page/plot.h"
#include "tcplan/ceilings.h"
#include "tcplan/study/digest.h"

/** The documents that a page shows side by side. */
struct page {
    FILE *file;
    struct tcplan_digest *digest;           /**< of each document */
    struct tcplan_peers **peers;            /**< of each document; NULL where there is only one */
    int count;                              /**< of documents, at most PLOT_SERIES */
    const struct tcplan_roofline *ceilings; /**< of a machine that the results are of; NULL: none */
    bool no_memory;
    enum tcplan_status status; /**< TCPLAN_OK, or why a document could not be read again */
    struct tcplan_error error;
};

/** Writes the page; the documents are read once more. */
void page_write(struct page *page);

#endif
