#include "store/plans_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "base/temporary.h"

enum { TRIES = 3000, TRY_NANOSECONDS = 10000000, FIRST_PIECES = 64 };

/* A file is searched through a buffer of this size, which stays in cache: a text as large as the
 * file would cost a page fault every 4 KiB. */
enum { STEP_BYTES = 64 << 10 };

/* Before its key an entry has one line and the begin of another. */
enum { BEFORE_KEY_BYTES = 128 };

static const char magic[] = "tcplan store ";
static const char head[] = "tcplan store 1\nentry kind=plans ";
static const char last[] = "checksum ";

static enum tcplan_status refuse(const char *doing, const char *path, int reason,
                                 struct tcplan_error *error) {
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot %s '%.200s': %s", doing, path,
                     strerror(reason));
}

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

/** Reads so many bytes from a place on; how many there were, negative where they cannot be read. */
static ssize_t read_at(int descriptor, char *out, size_t size, size_t at) {
    size_t length = 0;
    while (length < size) {
        const ssize_t got = pread(descriptor, out + length, size - length, (off_t)(at + length));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return got;
        if (got == 0) break;
        length += (size_t)got;
    }
    return (ssize_t)length;
}

/** Of an open file, from its begin on. */
static enum tcplan_status read_open(char **out, size_t *length, int descriptor, const char *path,
                                    struct tcplan_error *error) {
    struct stat found = {0};
    if (fstat(descriptor, &found) != 0) return refuse("read", path, errno, error);
    enum tcplan_status status = refuse_kind(&found, path, error);
    if (status != TCPLAN_OK) return status;
    const size_t size = (size_t)found.st_size;
    char *text = base_alloc(size + 1);
    if (!text) return error_no_memory(error);
    const ssize_t got = read_at(descriptor, text, size, 0);
    if (got < 0) status = refuse("read", path, errno, error);
    *length = got < 0 ? 0 : (size_t)got;
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

/* Finding. */

/** Where the last of a word is in the first `size` bytes of a file; `size`: nowhere. False where it
 * cannot be read. */
static bool find_word(size_t *out, int descriptor, size_t size, const char *word, size_t length,
                      char buffer[STEP_BYTES]) {
    size_t end = size;
    for (*out = size; end > 0;) {
        const size_t step = STEP_BYTES - length, start = end > step ? end - step : 0;
        const size_t behind = size - end < length ? size - end : length; /* a word may lie across */
        const ssize_t got = read_at(descriptor, buffer, end - start + behind, start);
        if (got < 0) return false;
        const char *found = find_last(buffer, buffer + got, word, length);
        if (found) *out = start + (size_t)(found - buffer);
        if (found) return true;
        end = start;
    }
    return true;
}

/** The entry around a key, where it lies in the window as a whole. */
static enum tcplan_status take_entry(struct plans_piece *out, char window[PLANS_WINDOW],
                                     int descriptor, size_t size, size_t at, const char *key) {
    const size_t start = at > BEFORE_KEY_BYTES ? at - BEFORE_KEY_BYTES : 0;
    const ssize_t got = read_at(descriptor, window, PLANS_WINDOW, start);
    const bool found = got > 0 && plans_find_last(out, window, window + got, key);
    const bool is_cut =
        found && out->text + out->length == window + got && start + (size_t)got < size;
    if (!found || is_cut) *out = (struct plans_piece){0};
    return TCPLAN_OK;
}

static enum tcplan_status find_open(struct plans_piece *out, char window[PLANS_WINDOW],
                                    int descriptor, const char *path, const char *key,
                                    struct tcplan_error *error) {
    struct stat found = {0};
    char first[sizeof head], word[WORD];
    const size_t length = word_of(word, key);
    if (fstat(descriptor, &found) != 0) return refuse("read", path, errno, error);
    enum tcplan_status status = refuse_kind(&found, path, error);
    if (status != TCPLAN_OK) return status;
    const size_t size = (size_t)found.st_size;
    size_t at = size;
    const ssize_t got = read_at(descriptor, first, sizeof first, 0);
    if (got < 0) return refuse("read", path, errno, error);
    if (plans_file_check(first, (size_t)got, error) != TCPLAN_OK) return blame(path, error);
    char *buffer = base_alloc(STEP_BYTES);
    if (!buffer) return error_no_memory(error);
    if (!find_word(&at, descriptor, size, word, length, buffer))
        status = refuse("read", path, errno, error);
    base_free(buffer);
    if (status != TCPLAN_OK) return status;
    return at < size ? take_entry(out, window, descriptor, size, at, key) : TCPLAN_NOT_APPLICABLE;
}

/** Opens a file to be read. TCPLAN_NOT_APPLICABLE: there is none. */
static enum tcplan_status open_to_read(int *out, const char *path, struct tcplan_error *error) {
    *out = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*out >= 0) return TCPLAN_OK;
    return errno == ENOENT || errno == ENOTDIR ? TCPLAN_NOT_APPLICABLE
                                               : refuse("read", path, errno, error);
}

enum tcplan_status plans_file_find(struct plans_piece *out, char window[PLANS_WINDOW],
                                   const char *path, const char *key, struct tcplan_error *error) {
    int descriptor;
    *out = (struct plans_piece){0};
    enum tcplan_status status = open_to_read(&descriptor, path, error);
    if (status != TCPLAN_OK) return status;
    status = find_open(out, window, descriptor, path, key, error);
    close(descriptor);
    return status;
}

enum tcplan_status plans_file_read(char **out, size_t *length, const char *path,
                                   struct tcplan_error *error) {
    int descriptor;
    *out = NULL;
    enum tcplan_status status = open_to_read(&descriptor, path, error);
    if (status != TCPLAN_OK) return status;
    status = read_open(out, length, descriptor, path, error);
    close(descriptor);
    return status;
}

/* The lock. */

static bool take(int descriptor) {
    const struct timespec pause = {.tv_nsec = TRY_NANOSECONDS};
    for (int t = 0; t < TRIES; t++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR) return true; /* a file system without locks */
        nanosleep(&pause, NULL);
    }
    return false;
}

/** Opens a file and locks it, which may have been replaced meanwhile: then the one that took its
 * place. */
static enum tcplan_status open_locked(int *out, const char *path, int flags,
                                      struct tcplan_error *error) {
    for (;;) {
        const int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | flags, 0666);
        if (descriptor < 0 && errno == ENOENT && !(flags & O_CREAT)) return TCPLAN_NOT_APPLICABLE;
        if (descriptor < 0) return refuse("write", path, errno, error);
        struct stat found = {0};
        const enum tcplan_status status = fstat(descriptor, &found) == 0
                                              ? refuse_kind(&found, path, error)
                                              : refuse("write", path, errno, error);
        if (status != TCPLAN_OK) {
            close(descriptor);
            return status;
        }
        const bool taken = take(descriptor);
        if (taken && file_is_named(descriptor, path)) {
            *out = descriptor;
            return TCPLAN_OK;
        }
        close(descriptor);
        if (!taken)
            return error_set(error, TCPLAN_ENVIRONMENT,
                             "another process holds the lock of '%.200s' for too long", path);
    }
}

/* Writing. */

/** Errno, or 0. */
static int write_all(int descriptor, const char *text, size_t length) {
    while (length > 0) {
        const ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : ENOSPC;
        text += written;
        length -= (size_t)written;
    }
    return 0;
}

/** What a file of `size` bytes begins with is to be a plan; *ends: its last byte ends a line. */
static enum tcplan_status look_at(bool *ends, int descriptor, size_t size, const char *path,
                                  struct tcplan_error *error) {
    char first[sizeof head];
    char final = '\n';
    const ssize_t got = pread(descriptor, first, sizeof first, 0);
    const bool read = got >= 0 && (size == 0 || pread(descriptor, &final, 1, (off_t)size - 1) == 1);
    if (!read) return refuse("read", path, errno, error);
    *ends = final == '\n';
    return plans_file_check(first, (size_t)got, error) == TCPLAN_OK ? TCPLAN_OK
                                                                    : blame(path, error);
}

/** At the end of a file that is locked, as a whole or not at all. */
static enum tcplan_status append(int descriptor, size_t size, const char *path, const char *text,
                                 size_t length, struct tcplan_error *error) {
    bool ends = true;
    enum tcplan_status status = look_at(&ends, descriptor, size, path, error);
    if (status != TCPLAN_OK) return status;
    int reason = lseek(descriptor, (off_t)size, SEEK_SET) < 0 ? errno : 0;
    if (reason == 0 && !ends)
        reason = write_all(descriptor, "\n", 1); /* a write before was cut off */
    if (reason == 0) reason = write_all(descriptor, text, length);
    if (reason == 0) return TCPLAN_OK;
    if (ftruncate(descriptor, (off_t)size) != 0) return refuse("restore", path, errno, error);
    return refuse("write", path, reason, error);
}

enum tcplan_status plans_file_append(bool *done, size_t *was, const char *path, const char *text,
                                     size_t length, const struct folder_condition *condition,
                                     struct tcplan_error *error) {
    int descriptor = -1;
    struct stat found = {0};
    *was = 0;
    enum tcplan_status status = condition->holds(
        done, condition->context, error); /* often it does not, and nothing has to be writable */
    if (status != TCPLAN_OK || !*done) return status;
    *done = false;
    status = open_locked(&descriptor, path, O_CREAT, error);
    if (status != TCPLAN_OK) return status;
    status = fstat(descriptor, &found) == 0 ? TCPLAN_OK : refuse("write", path, errno, error);
    *was = (size_t)found.st_size;
    if (status == TCPLAN_OK) status = condition->holds(done, condition->context, error);
    if (status == TCPLAN_OK && *done) status = append(descriptor, *was, path, text, length, error);
    close(descriptor); /* nobody waits for the disk: what a crash cuts off is noticed, and can be
                          found again */
    return status;
}

/** All pieces of a text, to be freed with base_free(); NULL when memory is out. */
static struct plans_piece *pieces_of(size_t *count, const char *text, size_t length) {
    struct plans_scan scan = plans_scan(text, length);
    struct plans_piece next;
    size_t capacity = FIRST_PIECES;
    struct plans_piece *piece = base_alloc(capacity * sizeof *piece);
    for (*count = 0; piece && plans_scan_next(&scan, &next); piece[(*count)++] = next) {
        if (*count < capacity) continue;
        capacity *= 2;
        struct plans_piece *grown = base_realloc(piece, capacity * sizeof *grown);
        if (!grown) base_free(piece);
        piece = grown;
        if (!piece) break;
    }
    return piece;
}

/** The text of the pieces that stay; NULL when memory is out. */
static char *text_of(size_t *length, const struct plans_piece piece[], const bool stays[],
                     size_t count) {
    struct strbuf out = {0};
    strbuf_add(&out, "%s", "");
    for (size_t p = 0; p < count; p++) {
        if (!stays[p]) continue;
        strbuf_append(&out, piece[p].text, piece[p].length);
        if (piece[p].text[piece[p].length - 1] != '\n') strbuf_add(&out, "\n");
    }
    *length = out.length;
    return strbuf_finish(&out);
}

/** Through a temporary beside it, with its mode. Errno, or 0. */
static int replace(const char *path, mode_t mode, const char *text, size_t length) {
    char *pattern = temporary_pattern(path);
    if (!pattern) return ENOMEM;
    temporary_sweep(path);
    const int descriptor = temporary_make(pattern, TEMPORARY_OWN);
    int reason = descriptor < 0 ? errno : write_all(descriptor, text, length);
    if (reason == 0 && (fchmod(descriptor, mode & 0777) != 0 || fsync(descriptor) != 0 ||
                        rename(pattern, path) != 0))
        reason = errno;
    if (descriptor >= 0 && reason != 0) unlink(pattern);
    if (descriptor >= 0) close(descriptor);
    free(pattern);
    return reason;
}

/** A file that is read and locked. */
struct locked {
    const char *path;
    int descriptor;
    const struct plans_piece *piece;
    size_t count;
};

static enum tcplan_status thin(const struct locked *file, plans_choose_fn *choose, void *context,
                               struct tcplan_error *error) {
    struct stat found = {0};
    size_t length = 0, staying = 0;
    bool *stays = base_alloc_zero(file->count + 1, sizeof *stays);
    if (!stays) return error_no_memory(error);
    enum tcplan_status status = choose(stays, file->piece, file->count, context, error);
    for (size_t p = 0; p < file->count; p++) staying += stays[p];
    if (status == TCPLAN_OK && staying < file->count) {
        char *text = text_of(&length, file->piece, stays, file->count);
        int reason = !text ? ENOMEM : fstat(file->descriptor, &found) != 0 ? errno : 0;
        if (reason == 0) reason = replace(file->path, found.st_mode, text, length);
        if (reason != 0) status = refuse("write", file->path, reason, error);
        free(text);
    }
    base_free(stays);
    return status;
}

enum tcplan_status plans_file_thin(const char *path, plans_choose_fn *choose, void *context,
                                   struct tcplan_error *error) {
    struct locked file = {.descriptor = -1};
    char *text = NULL, *target = realpath(path, NULL); /* a link stays one */
    size_t length = 0;
    if (!target && errno == ENOENT) return TCPLAN_NOT_APPLICABLE;
    if (!target) return refuse("write", path, errno, error);
    file.path = target;
    enum tcplan_status status = open_locked(&file.descriptor, target, 0, error);
    if (status == TCPLAN_OK) {
        status = read_open(&text, &length, file.descriptor, target, error);
        if (status == TCPLAN_OK) {
            struct plans_piece *piece = pieces_of(&file.count, text, length);
            file.piece = piece;
            status = piece ? thin(&file, choose, context, error) : error_no_memory(error);
            base_free(piece);
        }
        base_free(text);
        close(file.descriptor);
    }
    free(target);
    return status;
}
