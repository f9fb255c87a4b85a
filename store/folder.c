/*
 * Files of a folder. Writers take the folder's lock and replace a file as a whole, by renaming a
 * temporary one, or append to it by one call; so readers need no lock. On a file system without
 * locks, writers detect files that another writer replaced meanwhile.
 */
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
#include "base/input_file.h"
#include "base/strbuf.h"
#include "base/temporary.h"

enum { TRIES = 100, TRY_NANOSECONDS = 10000000 };

/* A file that another process creates at the same moment is opened again: opening it has failed
 * with ENOENT on ext4 in Linux 6.18. */
enum { ATTEMPTS = 4 };

static const char ending[] = ".tcplan";

/** Returns FOLDER/NAME.tcplan, to be released with free(); NULL if out of memory. */
static char *path_of(const char *folder, const char *name) {
    struct strbuf path = {0};
    strbuf_add(&path, "%s/%s%s", folder, name, ending);
    return strbuf_finish(&path);
}

enum tcplan_status folder_refuse(const char *doing, const char *path, int reason,
                                 struct tcplan_error *error) {
    if (reason == ENOMEM) return error_no_memory(error);
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
    return reason == 0 ? TCPLAN_OK
                       : folder_refuse("make the store's folder", folder, reason, error);
}

static bool take(int descriptor, int waits) {
    const struct timespec pause = {.tv_nsec = TRY_NANOSECONDS};
    for (int t = 0; t < waits; t++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return true; /* without locks on the file system, continues without the lock */
        nanosleep(&pause, NULL);
    }
    return false;
}

/** Opens a file like open(), with ATTEMPTS if it is to be created. */
static int open_file(const char *path, int flags, mode_t mode) {
    int descriptor = -1;
    errno = ENOENT;
    for (int a = 0; a < ATTEMPTS && descriptor < 0 && errno == ENOENT; a++) {
        descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK, mode);
        if (!(flags & O_CREAT)) break;
    }
    return descriptor;
}

enum tcplan_status folder_lock_file(int *out, const char *path, int flags, mode_t mode, int waits,
                                    struct tcplan_error *error) {
    for (;;) {
        *out = open_file(path, O_RDWR | flags, mode);
        if (*out < 0 && errno == ENOENT && !(flags & O_CREAT)) return TCPLAN_NOT_APPLICABLE;
        if (*out < 0) return folder_refuse("write", path, errno, error);
        const bool taken = take(*out, waits);
        if (taken && file_is_named(*out, path)) return TCPLAN_OK;
        close(*out);
        if (!taken)
            return error_set(error, TCPLAN_ENVIRONMENT,
                             "another process has held the lock of '%.200s' for too long", path);
    }
}

enum tcplan_status folder_lock(int *lock, const char *folder, struct tcplan_error *error) {
    enum tcplan_status status = folder_make(folder, error);
    if (status != TCPLAN_OK) return status;
    struct strbuf buffer = {0};
    strbuf_add(&buffer, "%s/.lock", folder);
    char *path = strbuf_finish(&buffer);
    if (!path) return error_no_memory(error);
    status = folder_lock_file(lock, path, O_CREAT | O_NOFOLLOW, 0600, TRIES, error);
    free(path);
    return status;
}

void folder_unlock(int lock) {
    close(lock);
}

/* Writing. */

enum tcplan_status folder_replace(const char *folder, const char *name, const char *text,
                                  size_t length, int64_t was, struct tcplan_error *error) {
    char *path = path_of(folder, name);
    if (!path) return error_no_memory(error);
    const int reason = temporary_replace(NULL, path, TEMPORARY_OWN, text, length, (off_t)was);
    const enum tcplan_status status =
        reason == 0 ? TCPLAN_OK : folder_refuse("write", path, reason, error);
    free(path);
    return status;
}

/** Appends to the file at a path. If another process replaced the file meanwhile, which can
 * happen without locks, appends to the new file. */
static int append(size_t *written, const char *path, const char *text, size_t length) {
    for (;;) {
        const int descriptor = open_file(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0600);
        *written = 0;
        if (descriptor < 0) return errno;
        int reason = file_write_text(written, descriptor, text, length, -1);
        const bool stays = file_is_named(descriptor, path);
        if (close(descriptor) != 0 && reason == 0) { /* after a failed close(), the content of the
                                                        file is unknown */
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
        reason == 0 ? TCPLAN_OK : folder_refuse("write", path, reason, error);
    free(path);
    return status;
}

/* Times. */

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
    const enum tcplan_status status =
        removed ? TCPLAN_OK : folder_refuse("remove", path, errno, error);
    free(path);
    return status;
}

/* Reading. */

enum tcplan_status folder_read_file(char **out, size_t *length, const char *path, size_t most,
                                    struct tcplan_error *error) {
    for (int attempt = 1;; attempt++) {
        const enum tcplan_status status = input_file_read(out, length, "", path, most, error);
        if (status != TCPLAN_ENVIRONMENT) return status;
        if (access(path, F_OK) != 0)
            return errno == ENOENT || errno == ENOTDIR ? TCPLAN_NOT_APPLICABLE : status;
        if (attempt == ATTEMPTS) return status;
    }
}

enum tcplan_status folder_read(char **out, size_t *length, const char *folder, const char *name,
                               size_t most, struct tcplan_error *error) {
    char *path = path_of(folder, name);
    if (!path) return error_no_memory(error);
    const enum tcplan_status status = folder_read_file(out, length, path, most, error);
    free(path);
    return status;
}

/* Names. */

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

/** Appends the name of a file if it is an entry's; returns false if out of memory. */
static bool add_name(struct folder_names *out, const char *file) {
    const size_t length = strlen(file), tail = sizeof ending - 1;
    if (file[0] == '.' || length <= tail || length - tail >= FOLDER_NAME ||
        strcmp(file + length - tail, ending) != 0)
        return true;
    char(*grown)[FOLDER_NAME] = base_grow(out->name, out->count, sizeof *grown);
    if (!grown) return false;
    out->name = grown;
    memcpy(out->name[out->count], file, length - tail);
    out->name[out->count++][length - tail] = '\0';
    return true;
}

/** Returns whether a folder does not exist, or cannot exist because its parent is a file. */
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
    if (!open_folder) return folder_refuse("read the store's folder", folder, errno, error);
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
