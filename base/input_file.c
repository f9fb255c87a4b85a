#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"

static enum tcplan_status refuse(const char *kind, const char *path, int reason,
                                 struct tcplan_error *error) {
    if (reason == ENOMEM) return error_no_memory(error);
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot read %s'%.200s': %s", kind, path,
                     strerror(reason));
}

/** Opens a regular file. A directory also opens, but reading it fails. */
static enum tcplan_status open_file(int *out, const char *kind, const char *path,
                                    struct tcplan_error *error) {
    struct stat status;
    const bool there = stat(path, &status) == 0;
    if (there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        return error_set(error, TCPLAN_INVALID,
                         "cannot read %s'%.200s': expected a regular file, found a pipe or device",
                         kind, path);
    }
    *out = there ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    return *out >= 0 ? TCPLAN_OK : refuse(kind, path, errno, error);
}

enum tcplan_status input_file_check(const char *kind, const char *path,
                                    struct tcplan_error *error) {
    int descriptor = -1;
    char first;
    enum tcplan_status status = open_file(&descriptor, kind, path, error);
    if (status != TCPLAN_OK) return status;
    if (read(descriptor, &first, 1) < 0) status = refuse(kind, path, errno, error);
    close(descriptor);
    return status;
}

/** Reads up to `most` bytes and one more. The memory is first sized by the file's reported length.
 * Returns 0 or an errno; the caller frees the text in either case. */
static int read_all(char **text, size_t *length, int descriptor, size_t most) {
    struct stat status;
    const bool known = fstat(descriptor, &status) == 0 && (uint64_t)status.st_size < most;
    size_t capacity = (known ? (size_t)status.st_size : most) + 2;
    for (*length = 0; *length <= most;) {
        if (!*text || *length + 1 == capacity) {
            char *larger = base_realloc(*text, *text ? capacity *= 2 : capacity);
            if (!larger) return ENOMEM;
            *text = larger;
        }
        const ssize_t got = read(descriptor, *text + *length, capacity - 1 - *length);
        if (got < 0 && errno != EINTR) return errno;
        if (got == 0) break;
        *length += got > 0 ? (size_t)got : 0;
    }
    (*text)[*length] = '\0';
    return 0;
}

enum tcplan_status input_file_read(char **out, size_t *length, const char *kind, const char *path,
                                   size_t most, struct tcplan_error *error) {
    int descriptor = -1;
    char *text = NULL;
    enum tcplan_status status = open_file(&descriptor, kind, path, error);
    if (status != TCPLAN_OK) return status;
    const int reason = read_all(&text, length, descriptor, most);
    close(descriptor);
    if (reason == 0 && *length <= most) {
        *out = text;
        return TCPLAN_OK;
    }
    base_free(text);
    if (reason != 0) return refuse(kind, path, reason, error);
    return error_set(error, TCPLAN_INVALID, "%s'%.200s' is longer than %zu bytes", kind, path,
                     most);
}

bool input_file_is_named(const char *text, const char *ending) {
    const size_t length = strlen(text), tail = strlen(ending);
    return (length >= tail && strcmp(text + length - tail, ending) == 0) || access(text, F_OK) == 0;
}
