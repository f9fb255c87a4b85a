/**
 * A document that grows record by record: after every one it is whole, and what is in it stays.
 *
 * A record is written behind the last one, together with the root's end, in one go. Where that is
 * interrupted (kill, power loss, full disk), the next opening drops what is torn. The file is
 * created under another name and renamed, so that its beginning is never torn. As long as it is
 * open, no other process can open it here.
 */
#ifndef CONTRACTIONS_DOCUMENT_FILE_H
#define CONTRACTIONS_DOCUMENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "contractions/document_source.h"

/** What its owner knows. */
struct document_owner {
    const struct document_kind *kind;
    void *context;
    /** The document without any record, closed, and in *length how much of it stands before the
     * first; NULL when memory is out. */
    char *(*empty)(void *context, size_t *length);
    /** Reads what the file holds and says whether more may be added to it. */
    enum tcplan_status (*read)(void *context, const char *path, struct tcplan_error *error);
    /** The root's end, as empty() wrote it; NULL when memory is out. To be freed with free(). */
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
 * Opens or creates a file and has the owner read what it holds.
 *
 * @param out      to be closed with document_file_close() whatever is returned
 * @param owner    borrowed
 * @param restart  what is there is replaced; a file of anything else is refused
 * @return TCPLAN_OK; TCPLAN_INVALID where the file is no such document or is open elsewhere; what
 *         read() returned; TCPLAN_ENVIRONMENT where it cannot be read or written; TCPLAN_NO_MEMORY
 */
enum tcplan_status document_file_open(struct document_file *out, const char *path,
                                      const struct document_owner *owner, bool restart,
                                      struct tcplan_error *error);

/**
 * Writes `text`, which ends with the root's end, at the place for records.
 *
 * @param record  how much of the text is in front of the next record; what is behind it will be
 *                written over
 * @param synced  it is also safe from a loss of power when this returns
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT where it cannot be written: the file is as it was
 */
enum tcplan_status document_file_write(struct document_file *file, const char *text, size_t record,
                                       bool synced, struct tcplan_error *error);

/** Fine also where it was not opened. */
void document_file_close(struct document_file *file);

#endif
