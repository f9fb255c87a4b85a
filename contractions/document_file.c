#include "contractions/document_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "base/temporary.h"

static enum tcplan_status refuse(const char *what, const char *path, int reason,
                                 struct tcplan_error *error) {
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot %s '%.200s': %s", what, path,
                     strerror(reason));
}

/* Creating. */

/** Writes the folder of a path to disk, so that a new or renamed file survives a power loss. */
static void sync_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    struct strbuf folder = {0};
    strbuf_add(&folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    const int descriptor =
        folder.failed ? -1 : open(folder.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    strbuf_free(&folder);
}

/** Creates the file and locks it. *reason receives 0 or an errno: EAGAIN if another process has
 * just created the file. */
static enum tcplan_status create(struct document_file *file, bool replace, int *reason,
                                 struct tcplan_error *error) {
    size_t length = 0;
    char *text = file->owner->empty(file->owner->context, &length);
    if (!text) return error_no_memory(error);
    *reason = temporary_replace(&file->descriptor, file->path, TEMPORARY_NEW, text, strlen(text),
                                replace ? -1 : 0);
    free(text);
    if (*reason == ENOMEM) return error_no_memory(error);
    if (*reason != 0) return refuse("write", file->path, *reason, error);
    sync_folder(file->path);
    file->at = (off_t)length;
    file->created = true;
    return TCPLAN_OK;
}

/* Opening an existing file to append to it. */

static enum tcplan_status find_place(struct document_file *file, struct tcplan_error *error) {
    struct document_source source;
    enum tcplan_status status =
        document_source_init(&source, file->owner->kind, file->descriptor, file->path, error);
    if (status != TCPLAN_OK) return status;
    file->at = document_source_append_at(&source);
    if (file->at >= 0) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "cannot append to '%.200s': its lines are not in the form that tcplan writes",
                     file->path);
}

/** Locks a file against other writers. */
static enum tcplan_status take_file(const struct document_file *file, int descriptor,
                                    struct tcplan_error *error) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return TCPLAN_OK;
    if (errno != EWOULDBLOCK) return refuse("lock", file->path, errno, error);
    return error_set(error, TCPLAN_INVALID, "another tcplan is adding %s to '%.200s'",
                     file->owner->kind->holds, file->path);
}

static enum tcplan_status go_on(struct document_file *file, struct tcplan_error *error) {
    enum tcplan_status status = file->owner->read(file->owner->context, file->path, error);
    return status == TCPLAN_OK ? find_place(file, error) : status;
}

static bool is_empty(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

/** Replaces the existing file, which must be empty or a document of this kind. */
static enum tcplan_status replace(struct document_file *file, int existing, int *reason,
                                  struct tcplan_error *error) {
    const struct document_kind *kind = file->owner->kind;
    if (is_empty(existing) || document_source_is(kind, existing))
        return create(file, true, reason, error);
    return error_set(error, TCPLAN_INVALID,
                     "'%.200s' exists and is not a file of %s; it was not replaced", file->path,
                     kind->holds);
}

/** Opens and locks the existing file. *existing is -1 if there is none, or if it was replaced
 * before it was locked; then *changed is true. */
static enum tcplan_status open_existing(const struct document_file *file, int *existing,
                                        bool *changed, struct tcplan_error *error) {
    *changed = false;
    *existing = open(file->path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (*existing < 0)
        return errno == ENOENT ? TCPLAN_OK : refuse("write", file->path, errno, error);
    enum tcplan_status status = take_file(file, *existing, error);
    *changed = status == TCPLAN_OK && !file_is_named(*existing, file->path);
    if (status == TCPLAN_OK && !*changed) return TCPLAN_OK;
    close(*existing);
    *existing = -1;
    return status;
}

/** Opens the existing file or creates one. *again is true if another process changed the file
 * meanwhile: the caller retries. */
static enum tcplan_status open_or_create(struct document_file *file, bool restart, bool *again,
                                         struct tcplan_error *error) {
    int existing, reason = 0;
    enum tcplan_status status = open_existing(file, &existing, again, error);
    if (status != TCPLAN_OK || *again) return status;
    if (existing < 0) {
        status = create(file, false, &reason, error);
        *again = reason == EAGAIN;
    } else if (restart || is_empty(existing)) {
        status = replace(file, existing, &reason, error);
        close(existing);
    } else {
        file->descriptor = existing;
        status = go_on(file, error);
    }
    return status;
}

/** Repeats open_or_create() until no other process interferes. */
static enum tcplan_status open_at_last(struct document_file *file, bool restart,
                                       struct tcplan_error *error) {
    for (;;) {
        bool again;
        enum tcplan_status status = open_or_create(file, restart, &again, error);
        if (!again) return status;
        if (file->descriptor >= 0) close(file->descriptor);
        file->descriptor = -1;
    }
}

/** Resolves symbolic links, so that replacing the file does not replace the link; returns NULL if
 * out of memory. */
static char *resolve(const char *path) {
    char *resolved = realpath(path, NULL);
    return resolved ? resolved : base_strdup(path);
}

enum tcplan_status document_file_open(struct document_file *out, const char *path,
                                      const struct document_owner *owner, bool restart,
                                      struct tcplan_error *error) {
    *out = (struct document_file){.owner = owner, .path = resolve(path), .descriptor = -1};
    return out->path ? open_at_last(out, restart, error) : error_no_memory(error);
}

/* Adding. */

/** Undoes a failed write: truncates the file to its previous length and closes the root. */
static void restore(const struct document_file *file) {
    char *end = file->owner->end(file->owner->context);
    size_t written;
    if (ftruncate(file->descriptor, file->at) == 0 && end)
        file_write_text(&written, file->descriptor, end, strlen(end), file->at);
    free(end);
}

enum tcplan_status document_file_write(struct document_file *file, const char *text, size_t record,
                                       bool synced, struct tcplan_error *error) {
    const size_t length = strlen(text);
    size_t written;
    int reason = file_write_text(&written, file->descriptor, text, length, file->at);
    if (reason == 0 && ftruncate(file->descriptor, file->at + (off_t)length) != 0) reason = errno;
    if (reason == 0 && synced && fdatasync(file->descriptor) != 0) reason = errno;
    if (reason != 0) {
        restore(file);
        return refuse("write", file->path, reason, error);
    }
    file->at += (off_t)record;
    return TCPLAN_OK;
}

void document_file_close(struct document_file *file) {
    if (file->path && file->descriptor >= 0) close(file->descriptor);
    free(file->path);
    *file = (struct document_file){.descriptor = -1};
}

void document_file_discard(struct document_file *file) {
    if (file->path && file->descriptor >= 0 && file->created) unlink(file->path);
    document_file_close(file);
}
