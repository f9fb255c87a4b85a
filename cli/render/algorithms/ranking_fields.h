/**
 * The fields of a ranking: the settings of the whole and the algorithms of its rows. Text, CSV,
 * JSON, XML, the JSON schema, the man page and docs/ranking.md are generated from this table.
 */
#ifndef CLI_RENDER_ALGORITHMS_RANKING_FIELDS_H
#define CLI_RENDER_ALGORITHMS_RANKING_FIELDS_H

#include "cli/render/algorithms/report.h"
#include "cli/render/algorithms/row.h"
#include "cli/render/format.h"
#include "cli/render/view.h"

/** The record of the fields. For fields of the whole ranking, and to choose columns of text, only
 * `report` is set. */
struct ranked {
    const struct report *report;
    const struct tcplan_entry *entry;
    const struct tcplan_entry *baseline; /**< marked in text; NULL: none */
    struct row row;
    enum tcplan_provider library[TCPLAN_ALGORITHM_LIBRARIES];
    const char *library_name[TCPLAN_ALGORITHM_LIBRARIES];
    int libraries;
};

/** Fields of a row. */
extern const struct field ranked_fields[];

/** Describes an entry of a ranking; false: out of memory, and there is nothing to free. */
bool ranked_make(struct ranked *out, const struct report *report, const struct tcplan_entry *entry);

void ranked_free(struct ranked *ranked);

void ranking_print_text(struct writer *writer, const struct report *report);

/** Whether each size of a sweep has one line. Options about rows of a table imply a table for each
 * size, as --full does. */
bool sweep_is_brief(const struct report *report);

/** Prints the line of one size, and before the first one the problem and the headings. */
void sweep_print_text(struct writer *writer, const struct report *report);

#endif
