/**
 * Tables of fields in pages: the columns of text output, including those of --verbose.
 */
#ifndef CLI_PAGE_TABLE_H
#define CLI_PAGE_TABLE_H

#include "cli/page/page.h"

/** Lists the columns that apply to `record`, NULL-terminated; returns their number. */
int page_columns(const struct field *out[FIELD_COLUMNS], const struct field *fields,
                 const void *record);

/** Writes their headings. `place` counts the columns of a sortable table; NULL: not sortable. A
 * group has a line at its left. */
void page_write_headings(struct page *page, const struct field *fields, const void *record,
                         bool is_group, int *place);

/** Writes the cells of a record. */
void page_write_cells(struct page *page, const struct field *fields, const void *record,
                      bool is_group);

/** Writes a row for each record of a list that `record` has. */
void page_write_rows(struct page *page, const struct field *list, const void *record);

#endif
