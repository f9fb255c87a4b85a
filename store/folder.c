#include "store/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
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
#include "store/entry.h"

enum { TRIES = 100, TRY_NANOSECONDS = 10000000 };

static const char ending[] = ".tcplan";

/** FOLDER/NAME.tcplan, to be freed with free(); NULL when memory is out. */
static char *path_of(const char *folder, const char *name) {
    struct strbuf path = {0};
    strbuf_add(&path, "%s/%s%s", folder, name, ending);
    return strbuf_finish(&path);
}

static enum tcplan_status refuse(const char *doing, const char *path, int reason,
                                 struct tcplan_error *error) {
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot %s '%.200s': %s", doing, path,
                     strerror(reason));
}

bool folder_is_own(const char *folder) {
    struct stat status;
    return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The lock. */

enum tcplan_status folder_make(const char *folder, struct tcplan_error *error) {
    struct stat status;
    if (stat(folder, &status) == 0 && S_ISDIR(status.st_mode)) return TCPLAN_OK;
    char *path = base_strdup(folder);
    if (!path) return error_no_memory(error);
    int reason = 0;
    for (char *slash = path + 1; reason == 0 && *path && (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) reason = errno;
        *slash = '/';
    }
    if (reason == 0 && mkdir(path, 0700) != 0 &&
        (errno != EEXIST || stat(path, &status) != 0 || !S_ISDIR(status.st_mode))) {
        reason = errno == EEXIST ? ENOTDIR : errno;
    }
    base_free(path);
    return reason == 0 ? TCPLAN_OK : refuse("make the store's folder", folder, reason, error);
}

static bool take(int descriptor) {
    const struct timespec pause = {.tv_nsec = TRY_NANOSECONDS};
    for (int t = 0; t < TRIES; t++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return true; /* a file system without locks: replacing is atomic there, too */
        nanosleep(&pause, NULL);
    }
    return false;
}

enum tcplan_status folder_lock(int *lock, const char *folder, struct tcplan_error *error) {
    enum tcplan_status status = folder_make(folder, error);
    if (status != TCPLAN_OK) return status;
    struct strbuf buffer = {0};
    strbuf_add(&buffer, "%s/.lock", folder);
    char *path = strbuf_finish(&buffer);
    if (!path) return error_no_memory(error);
    *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (*lock < 0) {
        status = refuse("write", path, errno, error);
    } else if (!take(*lock)) {
        close(*lock);
        status = error_set(error, TCPLAN_ENVIRONMENT,
                           "another process holds the store's lock '%.200s' for more than a second",
                           path);
    }
    free(path);
    return status;
}

void folder_unlock(int lock) {
    close(lock);
}

/* Writing. */

/** Writes a text, with one call where the disk has room; *written: what is there. */
static bool write_all(size_t *written, int descriptor, const char *text, size_t length) {
    for (*written = 0; *written < length;) {
        const ssize_t count = write(descriptor, text + *written, length - *written);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        *written += (size_t)count;
    }
    return true;
}

/** A temporary file, and what it becomes. */
struct draft {
    const char *path;
    const char *temporary;
    const struct folder_condition *condition; /**< NULL: none */
};

/** Replaces a file that is there, whose lock is taken, if the condition holds. *again where another
 * process was faster. */
static enum tcplan_status replace_locked(bool *done, bool *again, const struct draft *draft,
                                         struct tcplan_error *error) {
    const int descriptor = open(draft->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    enum tcplan_status status = TCPLAN_OK;
    *again = descriptor < 0 && errno == ENOENT;
    if (*again) return TCPLAN_OK;
    if (descriptor < 0) return refuse("write", draft->path, errno, error);
    if (!take(descriptor)) {
        status = refuse("write", draft->path, EWOULDBLOCK, error);
    } else if (!file_is_named(descriptor, draft->path)) {
        *again = true;
    } else {
        status = draft->condition->holds(done, draft->condition->context, error);
        const int reason =
            status == TCPLAN_OK && *done ? temporary_name(draft->temporary, draft->path, true) : 0;
        if (reason != 0) status = refuse("write", draft->path, reason, error);
    }
    close(descriptor);
    return status;
}

/** Gives the temporary file its name, if the condition holds of what stands there. */
static enum tcplan_status name_draft(bool *done, const struct draft *draft,
                                     struct tcplan_error *error) {
    for (;;) {
        bool again = false;
        const int reason = temporary_name(draft->temporary, draft->path, !draft->condition);
        *done = reason == 0;
        if (reason == 0) return TCPLAN_OK;
        if (reason != EEXIST) return refuse("write", draft->path, reason, error);
        const enum tcplan_status status = replace_locked(done, &again, draft, error);
        if (!again) return status;
    }
}

/** Through a temporary beside it, whose name replaces the pattern. */
static enum tcplan_status replace(bool *done, const struct draft *draft, char *pattern,
                                  const char *text, size_t length, struct tcplan_error *error) {
    const int descriptor = temporary_make(pattern, TEMPORARY_OWN);
    if (descriptor < 0) return refuse("write", draft->path, errno, error);
    size_t bytes;
    const bool written = write_all(&bytes, descriptor, text, length) && fsync(descriptor) == 0;
    const enum tcplan_status status =
        written ? name_draft(done, draft, error) : refuse("write", draft->path, errno, error);
    if (status != TCPLAN_OK || !*done) unlink(pattern);
    close(descriptor);
    return status;
}

enum tcplan_status folder_replace_if(bool *done, const char *folder, const char *name,
                                     const char *text, size_t length,
                                     const struct folder_condition *condition,
                                     struct tcplan_error *error) {
    *done = true;
    if (condition) { /* often it does not hold, and nothing has to be written */
        const enum tcplan_status status = condition->holds(done, condition->context, error);
        if (status != TCPLAN_OK || !*done) return status;
    }
    char *path = path_of(folder, name);
    char *pattern = path ? temporary_pattern(path) : NULL;
    enum tcplan_status status = pattern ? TCPLAN_OK : error_no_memory(error);
    *done = false;
    if (pattern) {
        const struct draft draft = {.path = path, .temporary = pattern, .condition = condition};
        temporary_sweep(path);
        status = replace(done, &draft, pattern, text, length, error);
    }
    free(pattern);
    free(path);
    return status;
}

enum tcplan_status folder_replace(const char *folder, const char *name, const char *text,
                                  size_t length, struct tcplan_error *error) {
    bool done;
    return folder_replace_if(&done, folder, name, text, length, NULL, error);
}

/** Of a path. Where there are no locks the file may have been replaced meanwhile: then to the one
 * that took its place. */
static int append(size_t *written, const char *path, const char *text, size_t length) {
    for (;;) {
        const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
        const int descriptor = open(path, flags, 0600);
        *written = 0;
        if (descriptor < 0) return errno;
        errno = 0;
        int reason = write_all(written, descriptor, text, length) ? 0 : errno ? errno : ENOSPC;
        const bool stays = file_is_named(descriptor, path);
        if (close(descriptor) != 0 && reason == 0) { /* nobody knows what is there */
            reason = errno;
            *written = 0;
        }
        if (stays || reason != 0) return reason;
    }
}

enum tcplan_status folder_append(size_t *written, const char *folder, const char *name,
                                 const char *text, size_t length, struct tcplan_error *error) {
    char *path = path_of(folder, name);
    if (!path) return error_no_memory(error);
    const int reason = append(written, path, text, length);
    const enum tcplan_status status =
        reason == 0 ? TCPLAN_OK : refuse("write", path, reason, error);
    free(path);
    return status;
}

/* Times. */

void folder_touch(const char *folder, const char *name, int64_t seconds) {
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = (time_t)seconds}};
    char *path = path_of(folder, name);
    if (path) utimensat(AT_FDCWD, path, times, 0);
    free(path);
}

struct folder_file folder_file_of(const char *folder, const char *name) {
    struct stat status;
    char *path = path_of(folder, name);
    const bool found = path && stat(path, &status) == 0;
    free(path);
    if (!found) return (struct folder_file){0};
    return (struct folder_file){.bytes = (int64_t)status.st_size,
                                .touched = (int64_t)status.st_mtime};
}

enum tcplan_status folder_remove(const char *folder, const char *name, struct tcplan_error *error) {
    char *path = path_of(folder, name);
    if (!path) return error_no_memory(error);
    const bool removed = unlink(path) == 0 || errno == ENOENT;
    const enum tcplan_status status = removed ? TCPLAN_OK : refuse("remove", path, errno, error);
    free(path);
    return status;
}

/* Reading. */

static enum tcplan_status read_open(char **out, size_t *length, int descriptor, const char *path,
                                    struct tcplan_error *error) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return refuse("read", path, errno, error);
    if (!S_ISREG(status.st_mode)) return error_set(error, TCPLAN_INVALID, "it is no regular file");
    if (status.st_size > ENTRY_MOST_BYTES) {
        return error_set(error, TCPLAN_INVALID,
                         "it has %lld bytes, where an entry of a store has at most %d",
                         (long long)status.st_size, ENTRY_MOST_BYTES);
    }
    char *text = base_alloc((size_t)status.st_size + 1);
    if (!text) return error_no_memory(error);
    for (*length = 0; *length < (size_t)status.st_size;) {
        const ssize_t got = read(descriptor, text + *length, (size_t)status.st_size - *length);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            const int reason = errno;
            base_free(text);
            return refuse("read", path, reason, error);
        }
        if (got == 0) break;
        *length += (size_t)got;
    }
    text[*length] = '\0';
    *out = text;
    return TCPLAN_OK;
}

enum tcplan_status folder_read_file(char **out, size_t *length, const char *path,
                                    struct tcplan_error *error) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        const int reason = errno;
        if (reason == ENOENT || reason == ENOTDIR) return TCPLAN_NOT_APPLICABLE;
        return refuse("read", path, reason, error);
    }
    const enum tcplan_status status = read_open(out, length, descriptor, path, error);
    close(descriptor);
    return status;
}

enum tcplan_status folder_read(char **out, size_t *length, const char *folder, const char *name,
                               struct tcplan_error *error) {
    char *path = path_of(folder, name);
    if (!path) return error_no_memory(error);
    const enum tcplan_status status = folder_read_file(out, length, path, error);
    free(path);
    return status;
}

/* Names. */

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

/** Appends the name of a file, if it is an entry's; false when memory is out. */
static bool add_name(struct folder_names *out, const char *file) {
    const size_t length = strlen(file), tail = sizeof ending - 1;
    if (file[0] == '.' || length <= tail || length - tail >= FOLDER_NAME ||
        strcmp(file + length - tail, ending) != 0)
        return true;
    if ((out->count & (out->count - 1)) == 0) { /* 0 and powers of two */
        char(*grown)[FOLDER_NAME] =
            base_realloc(out->name, (out->count > 0 ? 2 * out->count : 1) * sizeof *grown);
        if (!grown) return false;
        out->name = grown;
    }
    memcpy(out->name[out->count], file, length - tail);
    out->name[out->count++][length - tail] = '\0';
    return true;
}

/** Whether a folder that could not be opened is not there, nor can be: what it would be in is a
 * file. */
static bool is_nowhere(const char *folder, int reason) {
    struct stat status;
    const bool nowhere = reason == ENOENT || (reason == ENOTDIR && stat(folder, &status) != 0);
    errno = reason;
    return nowhere;
}

enum tcplan_status folder_list(struct folder_names *out, const char *folder,
                               struct tcplan_error *error) {
    DIR *open_folder = opendir(folder);
    bool added = true;
    if (!open_folder && is_nowhere(folder, errno)) return TCPLAN_OK;
    if (!open_folder) return refuse("read the store's folder", folder, errno, error);
    for (const struct dirent *entry; added && (entry = readdir(open_folder));)
        added = add_name(out, entry->d_name);
    closedir(open_folder);
    if (!added) return error_no_memory(error);
    if (out->count > 0) qsort(out->name, out->count, sizeof *out->name, compare_names);
    return TCPLAN_OK;
}

void folder_names_free(struct folder_names *names) {
    base_free(names->name);
    *names = (struct folder_names){0};
}
