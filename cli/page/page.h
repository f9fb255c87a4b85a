/**
 * Results of batches as one HTML page that needs nothing else: style, script and plots are within
 * it.
 */
#ifndef CLI_PAGE_PAGE_H
#define CLI_PAGE_PAGE_H

#include <stdio.h>

#include "cli/render/conformance/conformance.h"
#include "cli/render/results/digest.h"
#include "cli/render/results/platforms.h"
#include "tcplan/ceilings.h"

/** The contents of a page. */
struct page {
    FILE *file;
    const struct digests *all;              /**< the documents, side by side */
    const struct tcplan_roofline *ceilings; /**< of a machine of the results; NULL: none */
    bool no_memory;
};

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

/* Tables of fields in pages: the columns of text output, including those of --verbose. */

/** Lists the columns that apply to `record`, NULL-terminated; returns their number. */
int page_columns(const struct field *out[FIELD_COLUMNS], const struct field *fields,
                 const void *record);

/** Writes their headings. `place` counts the columns of a sortable table; NULL: not sortable. A
 * group has a line at its left. */
void page_write_headings(struct page *page, const struct field *fields, const void *record,
                         bool is_group, int *place);

/** Writes a row for each record of a list that `record` has. */
void page_write_rows(struct page *page, const struct field *list, const void *record);

/* Checks of libraries as one HTML page that needs nothing else. */

/** Writes the page; returns false if memory runs out. */
bool check_page_write(FILE *file, const struct conformance_reports *reports);

/* The winners on several machines as such a page. */

/** Writes the page; returns false if memory runs out. */
bool winners_page_write(FILE *file, const struct tcplan_platforms *machines);

#endif
