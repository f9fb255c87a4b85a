/**
 * Reads a file of records even if writing was interrupted: the part after the last complete record
 * is then omitted, and the root is closed. tcplan writes such documents so that the lines that end
 * a record, `</result>` and `</provenance>` after two blanks, occur nowhere else. A file was
 * interrupted if it does not end with the root's end, or contains blocks of zero bytes, which a
 * power loss leaves.
 */
#ifndef CONTRACTIONS_DOCUMENT_SOURCE_H
#define CONTRACTIONS_DOCUMENT_SOURCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "tcplan/status.h"

enum { DOCUMENT_RECORDS_MAX = 4 };

/** A kind of document. */
struct document_kind {
    const char *root;                         /**< name of the root element */
    const char *record[DOCUMENT_RECORDS_MAX]; /**< names of the record elements, which are children
                                                 of the root; NULL after the last */
    const char *holds; /**< the records' name in messages, such as `results` */
};

struct document_source {
    const struct document_kind *kind;
    int descriptor;
    bool torn;   /**< whether the document ends early, because writing it was interrupted */
    off_t at;    /**< offset of the next byte to read */
    off_t size;  /**< number of valid bytes: the whole file or, if writing was interrupted, the part
                    up to the last complete record */
    size_t tail; /**< number of bytes returned so far of the root's end that is added to an
                    interrupted file */
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

/** Reads the next bytes; implements tcplan_read_fn. `context` is a struct document_source. */
ssize_t document_source_read(void *context, char *buffer, size_t size);

/**
 * Returns the offset of the next record: after the last record, before the element `end` if there
 * is one; -1 if the file does not have tcplan's line format.
 */
off_t document_source_append_at(const struct document_source *source);

/** Returns whether the root element of a file is that of this kind of document. The rest of the
 * file is not checked. */
bool document_source_is(const struct document_kind *kind, int descriptor);

#endif
