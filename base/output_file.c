#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/temporary.h"

/** The descriptor below a stream. It records why a write failed, which streams of the C library do
 * not. */
struct output_sink {
    int descriptor; /* the descriptor; -1: closed */
    int reason;     /* errno of the first failure; 0: none */
};

/** A cookie_write_function_t. */
static ssize_t write_to_sink(void *cookie, const char *text, size_t size) {
    struct output_sink *sink = cookie;
    size_t written;
    const int reason = file_write_text(&written, sink->descriptor, text, size, -1);
    if (sink->reason == 0) sink->reason = reason;
    return (ssize_t)written; /* fewer bytes than `size`, or 0, make the stream fail */
}

/** A cookie_close_function_t. */
static int close_sink(void *cookie) {
    struct output_sink *sink = cookie;
    const int reason = close(sink->descriptor) != 0 ? errno : 0;
    sink->descriptor = -1;
    if (sink->reason == 0) sink->reason = reason;
    return reason == 0 ? 0 : -1;
}

/** Makes the stream over a descriptor, which it closes. */
static enum tcplan_status open_stream(struct output_file *out, int descriptor,
                                      struct tcplan_error *error) {
    const cookie_io_functions_t functions = {.write = write_to_sink, .close = close_sink};
    out->sink = base_alloc(sizeof *out->sink);
    if (out->sink) {
        *out->sink = (struct output_sink){.descriptor = descriptor};
        out->file = fopencookie(out->sink, "w", functions);
    }
    if (out->file) return TCPLAN_OK;
    close(descriptor);
    return error_no_memory(error);
}

static enum tcplan_status refuse(const struct output_file *out, int reason,
                                 struct tcplan_error *error) {
    const char *quote = out->path ? "'" : "";
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot write %s%.200s%s: %s", quote,
                     out->path ? out->path : "stdout", quote, strerror(reason));
}

/** Resolves symbolic links, so that replacing the file does not replace the link; returns the path
 * unchanged if nothing exists there yet. */
static char *resolve(const char *path) {
    char *resolved = realpath(path, NULL);
    return resolved ? resolved : base_strdup(path);
}

/** Returns whether an existing file is replaced; *mode receives its permissions, or those of a new
 * file. */
static bool replaces(mode_t *mode, const char *path) {
    struct stat status;
    const bool is_there = stat(path, &status) == 0;
    *mode = is_there ? status.st_mode & 07777 : TEMPORARY_NEW;
    return is_there;
}

static void hold(const struct output_file *out) {
    if (out->watch) out->watch->hold();
}

static void release(const struct output_file *out) {
    if (out->watch) out->watch->release();
}

/** Makes the temporary file and registers it for cleanup; returns -1 with errno on failure. */
static int make_temporary(struct output_file *out, char *pattern, mode_t mode) {
    hold(out);
    const int descriptor = temporary_make(pattern, mode);
    const int reason = errno;
    if (descriptor >= 0) {
        out->temporary = pattern;
        if (out->watch) out->slot = out->watch->add(pattern);
    } else {
        free(pattern);
    }
    release(out);
    errno = reason;
    return descriptor;
}

static enum tcplan_status open_temporary(struct output_file *out, struct tcplan_error *error) {
    temporary_sweep(out->target);
    char *pattern = temporary_pattern(out->target);
    if (!pattern) return error_no_memory(error);
    mode_t mode;
    const bool keeps_mode = replaces(&mode, out->target);
    const int descriptor = make_temporary(out, pattern, keeps_mode ? TEMPORARY_OWN : mode);
    if (descriptor < 0) return refuse(out, errno, error);
    out->lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    const int mode_refused = keeps_mode && fchmod(descriptor, mode) != 0 ? errno : 0;
    enum tcplan_status status = open_stream(out, descriptor, error);
    return status == TCPLAN_OK && mode_refused ? refuse(out, mode_refused, error) : status;
}

static enum tcplan_status open_directly(struct output_file *out, struct tcplan_error *error) {
    const int descriptor = open(out->target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return descriptor < 0 ? refuse(out, errno, error) : open_stream(out, descriptor, error);
}

static enum tcplan_status open_path(struct output_file *out, const char *path,
                                    struct tcplan_error *error) {
    struct stat status;
    out->path = path;
    out->target = resolve(path);
    if (!out->target) return error_no_memory(error);
    if (lstat(out->target, &status) != 0) return open_temporary(out, error);
    if (S_ISDIR(status.st_mode)) return refuse(out, EISDIR, error);
    if (S_ISLNK(status.st_mode))
        return open_directly(out, error); /* the symbolic link has no target yet */
    if (access(out->target, W_OK) != 0) return refuse(out, errno, error);
    return S_ISREG(status.st_mode) ? open_temporary(out, error) : open_directly(out, error);
}

enum tcplan_status output_file_open(struct output_file *out, const char *path,
                                    const struct tcplan_temporary_watch *watch,
                                    struct tcplan_error *error) {
    *out = (struct output_file){.lock = -1, .watch = watch};
    if (!path || strcmp(path, "-") == 0) {
        const int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        return descriptor < 0 ? refuse(out, errno, error) : open_stream(out, descriptor, error);
    }
    enum tcplan_status status = open_path(out, path, error);
    if (status != TCPLAN_OK) output_file_discard(out);
    return status;
}

int output_file_descriptor(const struct output_file *out) {
    return out->sink->descriptor;
}

/** Records the errno of the first failed write. `now`, the current errno, is used if the sink has
 * recorded none. */
static void note_reason(struct output_file *out, int now) {
    if (out->reason == 0)
        out->reason = out->sink && out->sink->reason ? out->sink->reason : now ? now : EIO;
}

bool output_file_good(struct output_file *out) {
    if (!ferror(out->file)) return true;
    note_reason(out, errno);
    return false;
}

/** Flushes and closes; returns 0, or the reason why not everything was written. */
static int finish_writing(struct output_file *out) {
    errno = 0;
    const bool flushed = fflush(out->file) == 0;
    if (!flushed || ferror(out->file)) note_reason(out, errno);
    /* some errors, such as a full disk, may be reported only by fclose() */
    const bool closed = fclose(out->file) == 0;
    if (!closed) note_reason(out, errno);
    out->file = NULL;
    return out->reason;
}

static int rename_temporary(struct output_file *out) {
    hold(out);
    const int reason = rename(out->temporary, out->target) == 0 ? 0 : errno;
    if (reason == 0) {
        if (out->watch) out->watch->remove(out->slot);
        free(out->temporary);
        out->temporary = NULL;
        if (out->lock >= 0) close(out->lock);
    }
    release(out);
    return reason;
}

enum tcplan_status output_file_commit(struct output_file *out, struct tcplan_error *error) {
    int reason = finish_writing(out);
    if (reason == 0 && out->temporary) reason = rename_temporary(out);
    enum tcplan_status status = reason == 0 ? TCPLAN_OK : refuse(out, reason, error);
    output_file_discard(out);
    return status;
}

void output_file_discard(struct output_file *out) {
    if (out->file && out->sink) fclose(out->file);
    if (out->temporary) {
        unlink(out->temporary);
        if (out->watch) out->watch->remove(out->slot);
        if (out->lock >= 0) close(out->lock);
    }
    base_free(out->sink);
    free(out->temporary);
    free(out->target);
    *out = (struct output_file){0};
}
