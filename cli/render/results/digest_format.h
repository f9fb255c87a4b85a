/**
 * Documents of results for programs: JSON, XML and CSV.
 */
#ifndef CLI_RENDER_RESULTS_DIGEST_FORMAT_H
#define CLI_RENDER_RESULTS_DIGEST_FORMAT_H

#include "cli/render/document.h"
#include "tcplan/study/digest.h"

/**
 * Writes what each document comes to and its contractions into the writer's document, which is JSON
 * or XML.
 *
 * @param rows  contractions of each document at most; 0: all
 * @return as tcplan_results_walk()
 */
enum tcplan_status digests_document(struct writer *writer, struct tcplan_digest digest[], int count,
                                    int64_t rows, struct tcplan_error *error);

/** The contractions as CSV: a line for each of each document. */
enum tcplan_status digests_csv(struct writer *writer, const struct tcplan_digest digest[],
                               int count, int64_t rows, struct tcplan_error *error);

#endif
