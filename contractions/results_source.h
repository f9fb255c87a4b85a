/**
 * A file of results as bytes, also where writing it was interrupted: then what follows the last whole record is left out, and the root is
 * closed behind it.
 *
 * tcplan writes results so that the lines `  </result>` and `  </provenance>` end a record and a provenance and are never anything else. A
 * file that does not end with the root's end was interrupted, and so was one with blocks of zero bytes, which a loss of power leaves.
 */
#ifndef CONTRACTIONS_RESULTS_SOURCE_H
#define CONTRACTIONS_RESULTS_SOURCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "tcplan/status.h"

struct results_source {
    int descriptor;
    bool torn;   /**< the file was interrupted */
    off_t at;    /**< next byte to read */
    off_t size;  /**< bytes that are good: with the root's end, or, where torn, without */
    size_t tail; /**< of the root's end added to a torn file, given so far */
};

/**
 * Finds out what is good of an open file, `path` in messages. The descriptor stays the caller's.
 *
 * @return TCPLAN_OK, also where nothing is good, which the parser will say; TCPLAN_ENVIRONMENT where it cannot be read
 */
enum tcplan_status results_source_init(struct results_source *out, int descriptor, const char *path, struct tcplan_error *error);

/** A tcplan_read_fn; `context` is a struct results_source. */
ssize_t results_source_read(void *context, char *buffer, size_t size);

/**
 * Where the next record goes: behind the last record or provenance, at the marker of the end where there is one. -1 where the file is not as
 * tcplan writes it.
 */
off_t results_source_append_at(const struct results_source *source);

/** Whether a file is a document of results by its root, however damaged behind it. */
bool results_source_is_results(int descriptor);

#endif
