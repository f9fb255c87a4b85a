/**
 * Results of batches as one HTML page that needs nothing else: style, script and plots are within
 * it.
 */
#ifndef CLI_PAGE_PAGE_H
#define CLI_PAGE_PAGE_H

#include "cli/render/results/digest.h"
#include "tcplan/ceilings.h"

/** The contents of a page. */
struct page {
    FILE *file;
    const struct digests *all;              /**< the documents, side by side */
    const struct tcplan_roofline *ceilings; /**< of a machine of the results; NULL: none */
    bool no_memory;
};

/** Write a page up to its title, from there to its contents, and its end. */
void page_begin_title(FILE *file);
void page_end_title(FILE *file);
void page_end(FILE *file);

/** Writes the page; the documents are read again. */
void page_write(struct page *page);

/** Write parts of the page: the plots, and the ceilings if there are any. */
void page_write_plots(struct page *page);
void page_write_ceilings(struct page *page);

/** Visits the records of a document, struct digested, unless an error occurred before. */
void page_walk(const struct page *page, int document, struct field_visit *visit);

/** page.css and page.js, which are copied into the page. */
extern const char page_style[];
extern const char page_script[];

#endif
