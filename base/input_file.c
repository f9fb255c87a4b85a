#include "base/input_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

enum tcplan_status input_file_check(const char *kind, const char *path, struct tcplan_error *error) {
    struct stat status;
    const bool there = stat(path, &status) == 0;
    if (there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        return error_set(error, TCPLAN_INVALID, "cannot read %s'%.200s': expected a regular file, found a pipe or device", kind, path);
    }
    const int reason = there ? try_reading(path) : errno;
    if (reason == 0) return TCPLAN_OK;
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot read %s'%.200s': %s", kind, path, strerror(reason));
}

bool input_file_is_named(const char *text, const char *ending) {
    const size_t length = strlen(text), tail = strlen(ending);
    return (length >= tail && strcmp(text + length - tail, ending) == 0) || access(text, F_OK) == 0;
}
