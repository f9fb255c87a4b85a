/**
 * A file of records as bytes, even if its writing was interrupted: then the part after the last
 * complete record is omitted, and the root is closed. tcplan writes such documents so that the
 * lines that end a record, `</result>` and `</provenance>` after two blanks, occur nowhere else. A
 * file was interrupted if it does not end with the root's end, or contains blocks of zero bytes,
 * which a power loss leaves.
 */
#ifndef CONTRACTIONS_DOCUMENT_SOURCE_H
#define CONTRACTIONS_DOCUMENT_SOURCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "tcplan/status.h"

enum { DOCUMENT_RECORDS_MAX = 4 };

/** The properties of a kind of document. */
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
 * Determines the valid part of an open file, called `path` in messages. The caller keeps the
 * descriptor.
 * @return TCPLAN_OK, even if nothing is valid, which the parser reports; TCPLAN_ENVIRONMENT if it
 *   cannot be read
 */
enum tcplan_status document_source_init(struct document_source *out,
                                        const struct document_kind *kind, int descriptor,
                                        const char *path, struct tcplan_error *error);

/** A tcplan_read_fn; `context` is a struct document_source. */
ssize_t document_source_read(void *context, char *buffer, size_t size);

/**
 * Returns where the next record goes: after the last record, at the marker of the end if there is
 * one; -1 if the file does not have tcplan's line format.
 */
off_t document_source_append_at(const struct document_source *source);

/** Returns whether a file is such a document by its root, whatever follows. */
bool document_source_is(const struct document_kind *kind, int descriptor);

#endif
