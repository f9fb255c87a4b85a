/**
 * Documents of results for programs: JSON, XML and CSV.
 */
#ifndef CLI_RENDER_DIGEST_FORMAT_H
#define CLI_RENDER_DIGEST_FORMAT_H

#include "cli/digest.h"
#include "cli/render/document.h"

/**
 * Writes what each document comes to and its contractions into the writer's document, which is JSON or XML.
 *
 * @param rows  contractions of each document at most; 0: all
 * @return EXIT_DONE; another status after its message was printed
 */
enum exit_status digests_document(struct writer *writer, struct digest digest[], int count, int64_t rows);

/** The contractions as CSV: a line for each of each document. */
enum exit_status digests_csv(struct writer *writer, const struct digest digest[], int count, int64_t rows);

#endif
