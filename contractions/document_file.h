/**
 * A document that grows record by record. Invariant: after every record the document is complete,
 * and earlier content is unchanged.
 *
 * A record is written after the last one, together with the root's end, in a single call. If that
 * is interrupted (kill, power loss, full disk), the next opening drops the incomplete record. The
 * file is created under another name and renamed, so that its beginning is always complete. A lock
 * prevents other processes from opening the document to write.
 */
#ifndef CONTRACTIONS_DOCUMENT_FILE_H
#define CONTRACTIONS_DOCUMENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "contractions/document_source.h"

/** Callbacks that define the content of a document. */
struct document_owner {
    const struct document_kind *kind;
    void *context;
    /** Returns the text of a document without records; *length receives the position of the first
     * record. NULL if memory runs out. */
    char *(*empty)(void *context, size_t *length);
    /** Reads the content of the file and decides whether records may be added. */
    enum tcplan_status (*read)(void *context, const char *path, struct tcplan_error *error);
    /** Returns the text that ends the root, as in empty(), to be freed with free(); NULL if memory
     * runs out. */
    char *(*end)(void *context);
};

/** A file to which records are appended. Zero-initialise before use; its members are private. */
struct document_file {
    const struct document_owner *owner;
    char *path;
    int descriptor;
    off_t at;     /**< offset at which the next record is written */
    bool created; /**< whether this call of document_file_open() created the file */
};

/**
 * Opens or creates a file; the owner reads the content of an existing one.
 *
 * @param out  close with document_file_close(), also after a failure
 * @param owner  borrowed
 * @param restart  replaces the content; a file of another kind is rejected
 * @return TCPLAN_OK; TCPLAN_INVALID if the file is not such a document or another process has it
 *     open; the status of read(); TCPLAN_ENVIRONMENT if it cannot be read or written;
 *     TCPLAN_NO_MEMORY
 */
enum tcplan_status document_file_open(struct document_file *out, const char *path,
                                      const struct document_owner *owner, bool restart,
                                      struct tcplan_error *error);

/**
 * Writes `text` after the last record.
 *
 * @param text  records, then the end of the root
 * @param record  the number of bytes before the end of the root, which the next record overwrites
 * @param synced  waits until the data is on disk
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if writing fails: the file is restored to its previous
 *     content
 */
enum tcplan_status document_file_write(struct document_file *file, const char *text, size_t record,
                                       bool synced, struct tcplan_error *error);

/** Closes the file; has no effect if it was not opened. */
void document_file_close(struct document_file *file);

/** Closes the file like document_file_close(), and removes it if document_file_open() created it.
 */
void document_file_discard(struct document_file *file);

#endif
