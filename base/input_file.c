#include "base/input_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"

/** Why a file cannot be read, by reading from it: a directory opens. 0: it can. */
static int try_reading(const char *path) {
    FILE *file = fopen(path, "re");
    if (!file) return errno;
    errno = 0;
    const int reason = fgetc(file) == EOF && ferror(file) ? errno : 0;
    fclose(file);
    return reason;
}

enum tcplan_status input_file_check(const char *kind, const char *path,
                                    struct tcplan_error *error) {
    struct stat status;
    const bool there = stat(path, &status) == 0;
    if (there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        return error_set(error, TCPLAN_INVALID,
                         "cannot read %s'%.200s': expected a regular file, found a pipe or device",
                         kind, path);
    }
    const int reason = there ? try_reading(path) : errno;
    if (reason == 0) return TCPLAN_OK;
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot read %s'%.200s': %s", kind, path,
                     strerror(reason));
}

/** All of an open file, `most` bytes of it at most and one more; NULL when memory is out. */
static char *read_all(FILE *file, size_t *length, size_t most) {
    size_t capacity = 4096;
    char *text = base_alloc(capacity);
    for (*length = 0; text;) {
        *length += fread(text + *length, 1, capacity - 1 - *length, file);
        text[*length] = '\0';
        if (*length < capacity - 1 || *length > most) return text;
        char *larger = base_realloc(text, capacity *= 2);
        if (!larger) base_free(text);
        text = larger;
    }
    return NULL;
}

enum tcplan_status input_file_read(char **out, size_t *length, const char *kind, const char *path,
                                   size_t most, struct tcplan_error *error) {
    enum tcplan_status status = input_file_check(kind, path, error);
    if (status != TCPLAN_OK) return status;
    FILE *file = fopen(path, "re");
    if (!file)
        return error_set(error, TCPLAN_ENVIRONMENT, "cannot read %s'%.200s': %s", kind, path,
                         strerror(errno));
    char *text = read_all(file, length, most);
    const bool is_broken = ferror(file) != 0;
    fclose(file);
    if (!text) return error_no_memory(error);
    if (!is_broken && *length <= most) {
        *out = text;
        return TCPLAN_OK;
    }
    base_free(text);
    if (is_broken)
        return error_set(error, TCPLAN_ENVIRONMENT, "cannot read %s'%.200s' to its end", kind,
                         path);
    return error_set(error, TCPLAN_INVALID, "%s'%.200s' is longer than %zu bytes", kind, path,
                     most);
}

bool input_file_is_named(const char *text, const char *ending) {
    const size_t length = strlen(text), tail = strlen(ending);
    return (length >= tail && strcmp(text + length - tail, ending) == 0) || access(text, F_OK) == 0;
}
