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
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot write '%.200s': %s", out->target ? out->target : "stdout", strerror(reason));
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

/** Opens a temporary file in the target's directory. */
static enum tcplan_status open_temporary(struct output_file *out, struct tcplan_error *error) {
    struct strbuf name = {0};
    const char *slash = strrchr(out->target, '/');
    const int directory = slash ? (int)(slash - out->target) + 1 : 0;
    strbuf_add(&name, "%.*s.%.200s.XXXXXX", directory, out->target, slash ? slash + 1 : out->target);
    out->temporary = strbuf_finish(&name);
    if (!out->temporary) return error_no_memory(error);
    cleanup_hold();
    const int descriptor = mkostemp(out->temporary, O_CLOEXEC);
    const int reason = errno;
    if (descriptor >= 0) {
        out->slot = cleanup_add(out->temporary);
    } else {
        free(out->temporary);
        out->temporary = NULL;
    }
    cleanup_release();
    if (descriptor < 0) return refuse(out, reason, error);
    out->file = fdopen(descriptor, "w");
    if (out->file && fchmod(descriptor, wanted_mode(out->target)) == 0) return TCPLAN_OK;
    if (!out->file) close(descriptor);
    return refuse(out, errno, error);
}

static enum tcplan_status open_directly(struct output_file *out, struct tcplan_error *error) {
    out->file = fopen(out->target, "we");
    return out->file ? TCPLAN_OK : refuse(out, errno, error);
}

static enum tcplan_status open_path(struct output_file *out, const char *path, struct tcplan_error *error) {
    struct stat status;
    out->target = resolve(path);
    if (!out->target) return error_no_memory(error);
    const bool exists = stat(out->target, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) return refuse(out, EISDIR, error);
    if (exists && access(out->target, W_OK) != 0) return refuse(out, errno, error);
    return exists && !S_ISREG(status.st_mode) ? open_directly(out, error) : open_temporary(out, error);
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

bool output_file_good(const struct output_file *out) {
    return !ferror(out->file);
}

/** Everything is with the kernel, and on its way to the disk; false with errno otherwise. */
static bool finish_writing(struct output_file *out) {
    errno = 0;
    bool written = fflush(out->file) == 0 && !ferror(out->file);
    int reason = written ? 0 : errno;
    if (fclose(out->file) != 0 && written) {
        written = false;
        reason = errno;
    }
    out->file = NULL;
    errno = reason ? reason : EIO; /* a failure that an earlier write met has lost its reason */
    return written;
}

enum tcplan_status output_file_commit(struct output_file *out, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    if (!finish_writing(out)) {
        status = refuse(out, errno, error);
    } else if (out->temporary) {
        cleanup_hold();
        if (rename(out->temporary, out->target) != 0) {
            status = refuse(out, errno, error);
        } else {
            cleanup_remove(out->slot);
            free(out->temporary);
            out->temporary = NULL;
        }
        cleanup_release();
    }
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
