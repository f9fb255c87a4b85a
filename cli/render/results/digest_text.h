/**
 * Documents of results as text: what the terminal shows.
 */
#ifndef CLI_RENDER_RESULTS_DIGEST_TEXT_H
#define CLI_RENDER_RESULTS_DIGEST_TEXT_H

#include <stdio.h>

#include "tcplan/study/digest.h"

/**
 * Prints what the documents come to: where they come from, a table of the first `rows`
 * contractions, statements.
 *
 * @param digest  of each document
 * @param peers   of each document; not read where there is only one
 * @return as tcplan_results_walk()
 */
enum tcplan_status digests_print(FILE *file, struct tcplan_digest digest[],
                                 struct tcplan_peers *const peers[], int count, int64_t rows,
                                 struct tcplan_error *error);

#endif
