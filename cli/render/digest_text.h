/**
 * Documents of results as text: what the terminal shows.
 */
#ifndef CLI_RENDER_DIGEST_TEXT_H
#define CLI_RENDER_DIGEST_TEXT_H

#include <stdio.h>

#include "cli/peers.h"

/**
 * Prints what the documents come to: where they come from, a table of the first `rows` contractions, statements.
 *
 * @param digest  of each document
 * @param peers   of each document; not read where there is only one
 * @return EXIT_DONE; another status after its message was printed
 */
enum exit_status digests_print(FILE *file, struct digest digest[], struct peers peers[], int count, int64_t rows);

#endif
