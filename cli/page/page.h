/**
 * Results of batches as one HTML page that needs nothing else: style, script and plots are within it.
 */
#ifndef CLI_PAGE_PAGE_H
#define CLI_PAGE_PAGE_H

#include "cli/page/plot.h"
#include "cli/peers.h"

/** The documents that a page shows side by side. */
struct page {
    FILE *file;
    struct digest *digest; /**< of each document */
    struct peers *peers;   /**< of each document; not filled where there is only one */
    int count;             /**< of documents, at most PLOT_SERIES */
    bool no_memory;
    enum exit_status status; /**< EXIT_DONE, or why a document could not be read again, which was printed */
};

/** Writes the page; the documents are read once more. */
void page_write(struct page *page);

/** Parts of it. */
void page_write_plots(struct page *page);
void page_write_table(struct page *page);

/** Bars of the share of gemm speed, for few contractions, in the order of the first document; the longest one is that of the share `highest`. */
void page_write_bars(struct page *page, double most);

/** "ccsd5 a=72,b=72: ", what every tooltip begins with. */
void page_write_entry(FILE *file, const struct tcplan_result *result);

/** The same with the winner, its speed and its share. */
void page_write_share_of(FILE *file, const struct tcplan_result *result, const struct facts *facts);

/** Reads document `d` again, unless something failed before. */
void page_walk(struct page *page, int d, record_use *use, void *context);

/** A time with four digits and its unit, or a dash where it is not known. */
void page_write_seconds(FILE *file, double seconds);

/** A cell of a table with a time that it is sorted by. */
void page_write_seconds_cell(FILE *file, double seconds);

extern const char *const page_share_caption;

/** What stands in the page as it is. */
extern const char *const page_style;
extern const char *const page_script;

#endif
