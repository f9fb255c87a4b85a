#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/cleanup.h"

static enum tcplan_status refuse(const struct output_file *out, int reason, struct tcplan_error *error) {
    const char *quote = out->path ? "'" : "";
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot write %s%.200s%s: %s", quote, out->path ? out->path : "stdout", quote,
                     strerror(reason));
}

/** The file that a path leads to through symbolic links, so that a link stays one; the path itself where there is nothing yet. */
static char *resolve(const char *path) {
    char *resolved = realpath(path, NULL);
    return resolved ? resolved : strdup(path);
}

/** As the file that is replaced, or as any new file. */
static mode_t wanted_mode(const char *path) {
    struct stat status;
    if (stat(path, &status) == 0) return status.st_mode & 07777;
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/** The pattern of a temporary file in the target's directory; NULL when memory is out. */
static char *temporary_pattern(const struct output_file *out) {
    struct strbuf name = {0};
    const char *slash = strrchr(out->target, '/');
    const int directory = slash ? (int)(slash - out->target) + 1 : 0;
    strbuf_add(&name, "%.*s.%.200s.XXXXXX", directory, out->target, slash ? slash + 1 : out->target);
    return strbuf_finish(&name);
}

/** Makes the temporary file and enters it for cleaning up; -1 with errno where that fails. */
static int make_temporary(struct output_file *out, char *pattern) {
    cleanup_hold();
    const int descriptor = mkostemp(pattern, O_CLOEXEC);
    const int reason = errno;
    if (descriptor >= 0) {
        out->temporary = pattern;
        out->slot = cleanup_add(pattern);
    } else {
        free(pattern);
    }
    cleanup_release();
    errno = reason;
    return descriptor;
}

static enum tcplan_status open_temporary(struct output_file *out, struct tcplan_error *error) {
    char *pattern = temporary_pattern(out);
    if (!pattern) return error_no_memory(error);
    const int descriptor = make_temporary(out, pattern);
    if (descriptor < 0) return refuse(out, errno, error);
    const int mode_refused = fchmod(descriptor, wanted_mode(out->target)) != 0 ? errno : 0;
    out->file = fdopen(descriptor, "w");
    if (out->file) return mode_refused ? refuse(out, mode_refused, error) : TCPLAN_OK;
    close(descriptor);
    return error_no_memory(error);
}

static enum tcplan_status open_directly(struct output_file *out, struct tcplan_error *error) {
    out->file = fopen(out->target, "we");
    return out->file ? TCPLAN_OK : refuse(out, errno, error);
}

static enum tcplan_status open_path(struct output_file *out, const char *path, struct tcplan_error *error) {
    struct stat status;
    out->path = path;
    out->target = resolve(path);
    if (!out->target) return error_no_memory(error);
    if (lstat(out->target, &status) != 0) return open_temporary(out, error);
    if (S_ISDIR(status.st_mode)) return refuse(out, EISDIR, error);
    if (S_ISLNK(status.st_mode)) return open_directly(out, error); /* leads to nothing yet */
    if (access(out->target, W_OK) != 0) return refuse(out, errno, error);
    return S_ISREG(status.st_mode) ? open_temporary(out, error) : open_directly(out, error);
}

enum tcplan_status output_file_open(struct output_file *out, const char *path, struct tcplan_error *error) {
    *out = (struct output_file){0};
    if (!path || strcmp(path, "-") == 0) {
        out->file = stdout;
        return TCPLAN_OK;
    }
    enum tcplan_status status = open_path(out, path, error);
    if (status != TCPLAN_OK) output_file_discard(out);
    return status;
}

bool output_file_good(struct output_file *out) {
    if (!ferror(out->file)) return true;
    if (out->reason == 0) out->reason = errno;
    return false;
}

/** Flushes and closes; 0, or the reason why not everything was taken. */
static int finish_writing(struct output_file *out) {
    errno = 0;
    bool flushed = fflush(out->file) == 0;
    if (out->reason == 0 && (!flushed || ferror(out->file))) out->reason = errno ? errno : EIO;
    bool closed = fclose(out->file) == 0; /* a full disk may show as late as this */
    if (out->reason == 0 && !closed) out->reason = errno;
    out->file = NULL;
    return out->reason;
}

static int rename_temporary(struct output_file *out) {
    cleanup_hold();
    const int reason = rename(out->temporary, out->target) == 0 ? 0 : errno;
    if (reason == 0) {
        cleanup_remove(out->slot);
        free(out->temporary);
        out->temporary = NULL;
    }
    cleanup_release();
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
    if (out->file && out->file != stdout) fclose(out->file);
    if (out->temporary) {
        unlink(out->temporary);
        cleanup_remove(out->slot);
    }
    free(out->temporary);
    free(out->target);
    *out = (struct output_file){0};
}
