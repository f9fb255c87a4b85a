#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "base/strbuf.h"

enum {
    RANDOM = 6,
    TRIES = 1000
}; /* RANDOM: number of random characters in a name; TRIES: number of names that are tried */

/** Returns the length of the folder in front of a name, with its slash; 0 if there is none. */
static int folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/** Returns the common prefix of a target's temporary files; long names are truncated. */
static char *prefix_of(const char *target) {
    struct strbuf prefix = {0};
    strbuf_add(&prefix, ".%.200s.tcplan-", target + folder_length(target));
    return strbuf_finish(&prefix);
}

char *temporary_pattern(const char *target) {
    struct strbuf pattern = {0};
    char *prefix = prefix_of(target);
    strbuf_add(&pattern, "%.*s%s%.*s", folder_length(target), target, prefix ? prefix : "", RANDOM,
               "XXXXXX");
    pattern.failed = pattern.failed || !prefix;
    free(prefix);
    return strbuf_finish(&pattern);
}

bool file_is_named(int descriptor, const char *path) {
    struct stat open_file, named;
    if (fstat(descriptor, &open_file) != 0 || stat(path, &named) != 0) return false;
    return open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/** Returns random bits. If the kernel gives none, they depend on process and time. */
static uint64_t random_bits(void) {
    uint64_t bits;
    struct timespec time;
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) == (ssize_t)sizeof bits) return bits;
    clock_gettime(CLOCK_MONOTONIC, &time);
    struct random random = {.state = (uint64_t)getpid() << 32 ^
                                     (uint64_t)time.tv_sec * 1000000000U ^ (uint64_t)time.tv_nsec};
    return random_next(&random);
}

/** Fills in the random characters of a name. */
static void choose_name(char random[RANDOM]) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    uint64_t bits = random_bits();
    for (int c = 0; c < RANDOM; c++, bits /= sizeof letters - 1)
        random[c] = letters[bits % (sizeof letters - 1)];
}

/** Creates the file as mkostemp() does, but with the given permissions: mkostemp() always uses
 * 0600. */
int temporary_make(char *pattern, mode_t mode) {
    char *random = pattern + strlen(pattern) - RANDOM;
    for (int t = 0; t < TRIES; t++) {
        choose_name(random);
        const int descriptor =
            open(pattern, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (descriptor < 0 && errno == EEXIST) continue;
        if (descriptor < 0) return -1;
        /* another process removed unused files; a file system without locks fails with another
         * errno */
        const bool swept = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!swept && file_is_named(descriptor, pattern)) return descriptor;
        close(descriptor);
    }
    errno = EEXIST;
    return -1;
}

/** Renames a file by means of a hard link, which fails if the new name exists; returns 0 or an
 * errno. */
static int link_file(const char *temporary, const char *path) {
    if (link(temporary, path) != 0) return errno;
    unlink(temporary);
    return 0;
}

int temporary_name(const char *temporary, const char *path, bool may_replace) {
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, may_replace ? 0 : RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno; /* EINVAL, ENOSYS: the flag is not supported */
    const int reason = may_replace ? EPERM : link_file(temporary, path);
    if (reason == 0 || reason == EEXIST) return reason;
    return rename(temporary, path) == 0 ? 0 : errno; /* hard links are not supported either */
}

int file_write_text(size_t *written, int descriptor, const char *text, size_t length, off_t at) {
    for (*written = 0; *written < length;) {
        const char *left = text + *written;
        const ssize_t count =
            at < 0 ? write(descriptor, left, length - *written)
                   : pwrite(descriptor, left, length - *written, at + (off_t)*written);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? errno : ENOSPC;
        *written += (size_t)count;
    }
    return 0;
}

/** Fills the temporary file and renames it; returns 0 or an errno. */
static int fill(int descriptor, const char *temporary, const char *path, const char *text,
                size_t length, off_t was) {
    struct stat status;
    size_t written;
    const int reason = file_write_text(&written, descriptor, text, length, 0);
    if (reason != 0) return reason;
    if (fsync(descriptor) != 0) return errno;
    const bool is_there = stat(path, &status) == 0;
    if (was >= 0 && (is_there ? status.st_size : 0) != was) return EAGAIN;
    if (is_there && fchmod(descriptor, status.st_mode & 07777) != 0) return errno;
    return temporary_name(temporary, path, was != 0);
}

int temporary_replace(int *opened, const char *path, mode_t mode, const char *text, size_t length,
                      off_t was) {
    char *pattern = temporary_pattern(path);
    if (opened) *opened = -1;
    if (!pattern) return ENOMEM;
    temporary_sweep(path);
    const int descriptor = temporary_make(pattern, mode);
    const int reason = descriptor < 0 ? errno : fill(descriptor, pattern, path, text, length, was);
    if (descriptor >= 0 && reason != 0) unlink(pattern);
    if (opened && reason == 0) *opened = descriptor;
    if (descriptor >= 0 && !(opened && reason == 0)) close(descriptor);
    free(pattern);
    return was == 0 && reason == EEXIST ? EAGAIN : reason;
}

/** Removes a file that no process has locked. */
static void remove_unused(int folder, const char *name) {
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid())
        return;
    const int descriptor = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name, 0);
    close(descriptor);
}

static void sweep(DIR *folder, const char *prefix) {
    const size_t length = strlen(prefix);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (strlen(entry->d_name) == length + RANDOM &&
            strncmp(entry->d_name, prefix, length) == 0) {
            remove_unused(dirfd(folder), entry->d_name);
        }
    }
}

void temporary_sweep(const char *target) {
    struct strbuf path = {0};
    strbuf_add(&path, "%.*s", folder_length(target) > 0 ? folder_length(target) : 1,
               folder_length(target) > 0 ? target : ".");
    char *name = strbuf_finish(&path), *prefix = prefix_of(target);
    DIR *folder = name && prefix ? opendir(name) : NULL;
    if (folder) {
        sweep(folder, prefix);
        closedir(folder);
    }
    free(name);
    free(prefix);
}
