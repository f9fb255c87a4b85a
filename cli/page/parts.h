/**
 * What the parts of the page are, and what they have in common.
 */
#ifndef CLI_PAGE_PARTS_H
#define CLI_PAGE_PARTS_H

#include "cli/page/page.h"

/** Parts of the page, each in a file of its own. */
void page_write_plots(struct page *page);    /* plots.c */
void page_write_ceilings(struct page *page); /* ceilings.c; where there are any */

/** Bars of the share of gemm speed, for few contractions, in the order of the first document; the
 * longest one is that of the share `highest`. */
void page_write_bars(struct page *page, double most);

/** "ccsd5 a=72,b=72: ", what every tooltip begins with. */
void page_write_entry(FILE *file, const struct tcplan_result *result);

/** The same with the winner, its speed and its share. */
void page_write_share_of(FILE *file, const struct digested *record);

/** Visits the records of a document, struct digested, unless something failed before. */
void page_walk(const struct page *page, int document, struct field_visit *visit);

extern const char *const page_share_caption;

/** page.css and page.js, which stand in the page as they are. */
extern const char page_style[];
extern const char page_script[];

#endif
