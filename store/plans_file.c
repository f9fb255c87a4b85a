#include "store/plans_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "base/temporary.h"
#include "store/folder.h"

enum { WAITS = 3000 };

static const char magic[] = "tcplan store ";
static const char head[] = "tcplan store 1\nentry kind=plans ";
static const char last[] = "checksum ";

/* Pieces. */

struct plans_scan plans_scan(const char *text, size_t length) {
    return (struct plans_scan){.at = text, .end = text + length, .line = 1};
}

static bool begins(const char *line, const char *end, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(end - line) >= length && memcmp(line, word, length) == 0;
}

bool plans_scan_next(struct plans_scan *scan, struct plans_piece *out) {
    const char *line = scan->at;
    bool is_over = false;
    if (line == scan->end) return false;
    *out = (struct plans_piece){.text = line, .line = scan->line};
    while (line < scan->end && !is_over) {
        if (line > out->text && begins(line, scan->end, magic)) break;
        is_over = begins(line, scan->end, last);
        const char *newline = memchr(line, '\n', (size_t)(scan->end - line));
        line = newline ? newline + 1 : scan->end;
        scan->line++;
    }
    scan->at = line;
    out->length = (size_t)(line - out->text);
    return true;
}

/** The begin of the line that `at` is in. */
static const char *line_of(const char *text, const char *at) {
    while (at > text && at[-1] != '\n') at--;
    return at;
}

/** The last place of a word before `end`; NULL: there is none. */
static const char *find_last(const char *text, const char *end, const char *word, size_t length) {
    const char *found = NULL;
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), word, length)); at++)
        found = at;
    return found;
}

enum { WORD = 64 };

/** How a key stands in an entry. Returns how long it is. */
static size_t word_of(char out[WORD], const char *key) {
    return (size_t)snprintf(out, WORD, " key=%.48s ", key);
}

bool plans_find_last(struct plans_piece *out, const char *text, const char *before,
                     const char *key) {
    char word[WORD];
    const size_t length = word_of(word, key);
    const char *end = before;
    for (const char *at; (at = find_last(text, end, word, length)); end = at) {
        const char *line = line_of(text, at);
        const char *first = line > text ? line_of(text, line - 1) : line;
        struct plans_scan scan = plans_scan(first, (size_t)(before - first));
        if (begins(first, before, magic) && plans_scan_next(&scan, out)) return true;
    }
    return false;
}

/* Reading. */

enum tcplan_status plans_file_check(const char *text, size_t length, struct tcplan_error *error) {
    if (length == 0 || begins(text, text + length, head)) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "it is no file of plans: expected 'tcplan store 1' and 'entry kind=plans' in its first lines");
}

/** Puts the name of the file in front of a message. */
static enum tcplan_status blame(const char *path, struct tcplan_error *error) {
    if (!error) return TCPLAN_INVALID;
    const struct tcplan_error cause = *error;
    return error_set(error, cause.status, "'%.120s': %.180s", path, cause.message);
}

static enum tcplan_status refuse_kind(const struct stat *status, const char *path,
                                      struct tcplan_error *error) {
    if (!S_ISREG(status->st_mode))
        return error_set(error, TCPLAN_INVALID, "'%.200s' is no regular file", path);
    if (status->st_size <= PLANS_FILE_MOST_BYTES) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "'%.200s' has %lld bytes, where a file of plans has at most %d", path,
                     (long long)status->st_size, PLANS_FILE_MOST_BYTES);
}

enum tcplan_status plans_file_read_open(char **out, size_t *length, int descriptor,
                                        const char *path, struct tcplan_error *error) {
    struct stat found = {0};
    if (fstat(descriptor, &found) != 0) return folder_refuse("read", path, errno, error);
    enum tcplan_status status = refuse_kind(&found, path, error);
    if (status != TCPLAN_OK) return status;
    const size_t size = (size_t)found.st_size;
    char *text = base_alloc(size + 1);
    if (!text) return error_no_memory(error);
    for (*length = 0; *length < size && status == TCPLAN_OK;) {
        const ssize_t got = pread(descriptor, text + *length, size - *length, (off_t)*length);
        if (got < 0 && errno != EINTR) status = folder_refuse("read", path, errno, error);
        if (got == 0) break;
        *length += got > 0 ? (size_t)got : 0;
    }
    text[*length] = '\0';
    if (status == TCPLAN_OK && plans_file_check(text, *length, error) != TCPLAN_OK)
        status = blame(path, error);
    if (status == TCPLAN_OK) {
        *out = text;
    } else {
        base_free(text);
    }
    return status;
}

enum tcplan_status plans_file_read(char **out, size_t *length, const char *path,
                                   struct tcplan_error *error) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *out = NULL;
    if (descriptor < 0)
        return errno == ENOENT || errno == ENOTDIR ? TCPLAN_NOT_APPLICABLE
                                                   : folder_refuse("read", path, errno, error);
    const enum tcplan_status status = plans_file_read_open(out, length, descriptor, path, error);
    close(descriptor);
    return status;
}

/* Writing. */

enum tcplan_status plans_file_lock(int *out, const char *path, int flags, mode_t mode,
                                   struct tcplan_error *error) {
    struct stat found = {0};
    enum tcplan_status status = folder_lock_file(out, path, flags, mode, WAITS, error);
    if (status != TCPLAN_OK) return status;
    status = fstat(*out, &found) == 0 ? refuse_kind(&found, path, error)
                                      : folder_refuse("write", path, errno, error);
    if (status != TCPLAN_OK) close(*out);
    return status;
}

/** What a file of `size` bytes begins with is to be a plan; *ends: its last byte ends a line. */
static enum tcplan_status look_at(bool *ends, int descriptor, size_t size, const char *path,
                                  struct tcplan_error *error) {
    char first[sizeof head];
    char final = '\n';
    const ssize_t got = pread(descriptor, first, sizeof first, 0);
    const bool read = got >= 0 && (size == 0 || pread(descriptor, &final, 1, (off_t)size - 1) == 1);
    if (!read) return folder_refuse("read", path, errno, error);
    *ends = final == '\n';
    return plans_file_check(first, (size_t)got, error) == TCPLAN_OK ? TCPLAN_OK
                                                                    : blame(path, error);
}

/** At the end of a file that is locked, as a whole or not at all. */
static enum tcplan_status append(int descriptor, size_t size, const char *path, const char *text,
                                 size_t length, struct tcplan_error *error) {
    bool ends = true;
    size_t written;
    enum tcplan_status status = look_at(&ends, descriptor, size, path, error);
    if (status != TCPLAN_OK) return status;
    const off_t at = (off_t)size + !ends; /* a write before was cut off */
    int reason = ends ? 0 : file_write_text(&written, descriptor, "\n", 1, (off_t)size);
    if (reason == 0) reason = file_write_text(&written, descriptor, text, length, at);
    if (reason == 0) return TCPLAN_OK;
    if (ftruncate(descriptor, (off_t)size) != 0)
        return folder_refuse("restore", path, errno, error);
    return folder_refuse("write", path, reason, error);
}

static enum tcplan_status ask(bool *out, const struct plans_condition *condition,
                              struct tcplan_error *error) {
    *out = true;
    return condition ? condition->holds(out, condition->context, error) : TCPLAN_OK;
}

enum tcplan_status plans_file_append(bool *done, size_t *was, const char *path, mode_t mode,
                                     const char *text, size_t length,
                                     const struct plans_condition *condition,
                                     struct tcplan_error *error) {
    int descriptor = -1;
    struct stat found = {0};
    *was = 0;
    enum tcplan_status status =
        ask(done, condition, error); /* often it does not hold: nothing has to be writable */
    if (status != TCPLAN_OK || !*done) return status;
    *done = false;
    status = plans_file_lock(&descriptor, path, O_CREAT, mode, error);
    if (status != TCPLAN_OK) return status;
    status =
        fstat(descriptor, &found) == 0 ? TCPLAN_OK : folder_refuse("write", path, errno, error);
    *was = (size_t)found.st_size;
    if (status == TCPLAN_OK) status = ask(done, condition, error);
    if (status == TCPLAN_OK && *done) status = append(descriptor, *was, path, text, length, error);
    close(descriptor); /* nobody waits for the disk: what a crash cuts off is noticed, and can be
                          found again */
    return status;
}
