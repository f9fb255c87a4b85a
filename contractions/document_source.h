/**
 * A file of records as bytes, also where writing it was interrupted: then what follows the last
 * whole record is left out, and the root is closed behind it.
 *
 * tcplan writes such documents so that the lines that end a record, as `  </result>` and `
 * </provenance>`, are never anything else. A file that does not end with the root's end was
 * interrupted, and so was one with blocks of zero bytes, which a loss of power leaves.
 */
#ifndef CONTRACTIONS_DOCUMENT_SOURCE_H
#define CONTRACTIONS_DOCUMENT_SOURCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "tcplan/status.h"

enum { DOCUMENT_RECORDS_MAX = 4 };

/** What tells one kind of document from another. */
struct document_kind {
    const char *root;                         /**< the root element */
    const char *record[DOCUMENT_RECORDS_MAX]; /**< the elements that are kept whole, each child of
                                                 the root; NULL ends them */
    const char *holds;                        /**< for messages, as `results` */
};

struct document_source {
    const struct document_kind *kind;
    int descriptor;
    bool torn;   /**< the file was interrupted */
    off_t at;    /**< next byte to read */
    off_t size;  /**< bytes that are good: with the root's end, or, where torn, without */
    size_t tail; /**< of the root's end added to a torn file, given so far */
};

/**
 * Finds out what is good of an open file, `path` in messages. The descriptor stays the caller's.
 *
 * @return TCPLAN_OK, also where nothing is good, which the parser will say; TCPLAN_ENVIRONMENT
 *         where it cannot be read
 */
enum tcplan_status document_source_init(struct document_source *out,
                                        const struct document_kind *kind, int descriptor,
                                        const char *path, struct tcplan_error *error);

/** A tcplan_read_fn; `context` is a struct document_source. */
ssize_t document_source_read(void *context, char *buffer, size_t size);

/**
 * Where the next record goes: behind the last record, at the marker of the end where there is one.
 * -1 where the file is not as tcplan writes it.
 */
off_t document_source_append_at(const struct document_source *source);

/** Whether a file is such a document by its root, however damaged behind it. */
bool document_source_is(const struct document_kind *kind, int descriptor);

#endif
