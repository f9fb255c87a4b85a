/**
 * A document that grows record by record. Invariant: after every record the document is complete,
 * and earlier content is unchanged.
 *
 * A record is written after the last one, together with the root's end, in a single call. If that
 * is interrupted (kill, power loss, full disk), the next opening drops the incomplete record. The
 * file is created under another name and renamed, so that its beginning is always complete. While
 * it is open, no other process can open it here.
 */
#ifndef CONTRACTIONS_DOCUMENT_FILE_H
#define CONTRACTIONS_DOCUMENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "contractions/document_source.h"

/** The functions of a document's owner. */
struct document_owner {
    const struct document_kind *kind;
    void *context;
    /** The document without any record, closed, and in *length how much of it stands before the
     * first; NULL if out of memory. */
    char *(*empty)(void *context, size_t *length);
    /** Reads the content of the file and decides whether records may be added. */
    enum tcplan_status (*read)(void *context, const char *path, struct tcplan_error *error);
    /** The root's end, as empty() wrote it; NULL if out of memory. To be freed with free(). */
    char *(*end)(void *context);
};

/** Zero-initialise before use; its fields are private. */
struct document_file {
    const struct document_owner *owner;
    char *path;
    int descriptor;
    off_t at;     /**< where the next record goes */
    bool created; /**< by this opening */
};

/**
 * Opens or creates a file and has the owner read its content.
 * @param out      close with document_file_close() whatever is returned
 * @param owner    borrowed
 * @param restart  replaces the content; a file of another kind is rejected
 * @return TCPLAN_OK; TCPLAN_INVALID if the file is not such a document or is open elsewhere; the
 *   status of read(); TCPLAN_ENVIRONMENT if it cannot be read or written; TCPLAN_NO_MEMORY
 */
enum tcplan_status document_file_open(struct document_file *out, const char *path,
                                      const struct document_owner *owner, bool restart,
                                      struct tcplan_error *error);

/**
 * Writes `text`, which ends with the root's end, at the place for records.
 * @param record  how much of the text precedes the next record, which overwrites the rest
 * @param synced  returns only after the data is safe from a power loss
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if it cannot be written: the file is unchanged
 */
enum tcplan_status document_file_write(struct document_file *file, const char *text, size_t record,
                                       bool synced, struct tcplan_error *error);

/** Closes the file; has no effect if it was not opened. */
void document_file_close(struct document_file *file);

#endif
