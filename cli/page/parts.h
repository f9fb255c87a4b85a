/**
 * Parts of the page of results.
 */
#ifndef CLI_PAGE_PARTS_H
#define CLI_PAGE_PARTS_H

#include "cli/page/page.h"

/** Writes the plots, and the ceilings where there are any. */
void page_write_plots(struct page *page);
void page_write_ceilings(struct page *page);

/** Visits the records of a document, struct digested, unless something failed before. */
void page_walk(const struct page *page, int document, struct field_visit *visit);

/** page.css and page.js, which stand in the page as they are. */
extern const char page_style[];
extern const char page_script[];

#endif
