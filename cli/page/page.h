/** Results of batches as one HTML page, which contains its style, script and plots. */
#ifndef CLI_PAGE_PAGE_H
#define CLI_PAGE_PAGE_H

#include <stdio.h>

#include "cli/render/conformance/conformance.h"
#include "cli/render/results/digest.h"
#include "cli/render/results/platforms.h"
#include "tcplan/ceilings.h"
#include "tcplan/experiment.h"

/** The contents of a page. */
struct page {
    FILE *file;
    const struct digests *all;              /**< documents to show side by side */
    const struct tcplan_roofline *ceilings; /**< ceilings of a machine in the results; NULL: no plot
                                               of ceilings */
    bool no_memory;
};

/** Writes the page. Reads the documents a second time. */
void page_write(struct page *page);

/** Write parts of the page: the plots, and the ceilings if there are any. */
void page_write_plots(struct page *page);
void page_write_ceilings(struct page *page);

/** Visits the records of a document as struct digested. Stops if an error occurred before. */
void page_walk(const struct page *page, int document, struct field_visit *visit);

/** Begins a page. The title is also its heading. */
void page_begin(FILE *file, const char *title);

/** Ends a page. */
void page_end(FILE *file);

/* Pages for reports of experiments: a picture for each metric and choice of statistics, between
 * which the reader switches. */

/** Begins the page; page_end() ends it. `metric` has the names of `count` metrics. */
void samples_page_begin(FILE *file, const char *title, const char *const metric[], int count);

/** Adds the pictures of a metric; the first one added is shown first. Returns false if memory runs
 * out. */
bool samples_page_add(FILE *file, const struct tcplan_evaluation *evaluation, bool is_first);

/** Contents of page.css and page.js, which the page includes. */
extern const char page_style[];
extern const char page_script[];

/** Lists the columns of a table for `record`, including those of --verbose; the list ends with
 * NULL. Returns their number. */
int page_columns(const struct field *out[FIELD_COLUMNS], const struct field *fields,
                 const void *record);

/** Writes the headings of columns. `place` counts the columns of a sortable table; NULL: the table
 * is not sortable. A group of columns has a line at its left. */
void page_write_headings(struct page *page, const struct field *fields, const void *record,
                         bool is_group, int *place);

/** Writes a row for each record in a list of `record`. */
void page_write_rows(struct page *page, const struct field *list, const void *record);

/** Writes the results of checks of libraries as an HTML page; false if memory runs out. */
bool check_page_write(FILE *file, const struct conformance_reports *reports);

/* Pages that show the winners on several machines. */

/** Writes the page; returns false if memory runs out. */
bool winners_page_write(FILE *file, const struct tcplan_platforms *machines);

#endif
