/*
 * The compiler reads its source from an in-memory file, which is its standard input. It writes the
 * shared object to another in-memory file by that file's name in /proc. If the system has no
 * in-memory files or no such names, both files are in a folder that only this user can access.
 */
#include "microbench/providers/compiler.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process.h"
#include "base/temporary.h"
#include "microbench/providers/symbol.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* since Linux 6.3 */
#endif

enum { MOST_SECONDS = 20, MOST_BYTES = 16 << 20, NAME = 32, FOLDER = PATH_MAX - NAME };

/* Path of the compiler's standard output, as the compiler and its child processes see it. */
static const char output_name[] = "/proc/self/fd/1";

static const char *const options[] = {"-std=c11", "-O2", "-w", "-shared", "-fPIC", "-s"};
enum { OPTIONS = sizeof options / sizeof *options };

const char *compiler_options(void) {
    return "-std=c11 -O2 -w -shared -fPIC -s";
}

/* The compiler that compiler_find() found. */

static struct compiler found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void look(void) {
    char *path = process_find("cc", getenv("PATH"));
    char *last = path ? realpath(path, NULL) : NULL;
    if (!last) {
        free(path);
        return;
    }
    const char *slash = strrchr(last, '/');
    found = (struct compiler){
        .path = path, .name = slash ? slash + 1 : last, .limit_seconds = MOST_SECONDS};
}

bool compiler_find(struct compiler *out) {
    if (pthread_once(&once, look) != 0 || !found.path) return false;
    *out = found;
    return true;
}

/* Files. */

static enum tcplan_status fail(struct tcplan_error *error, const char *what) {
    return error_set(error, TCPLAN_ENVIRONMENT, "%s: %s", what, strerror(errno));
}

/** Returns an executable in-memory file; -1 if the system has no in-memory files, or no names
 * for them. */
static int make_memory(const char *name) {
    char path[64];
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_EXEC);
    if (descriptor < 0 && errno == EINVAL) descriptor = memfd_create(name, MFD_CLOEXEC);
    if (descriptor < 0) return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    if (file_is_named(descriptor, path)) return descriptor;
    close(descriptor);
    return -1;
}

static enum tcplan_status make_folder(char folder[FOLDER], const struct compiler *compiler,
                                      struct tcplan_error *error) {
    const char *named = getenv("TMPDIR"), *parent = compiler->folder         ? compiler->folder
                                                    : named && *named == '/' ? named
                                                                             : "/tmp";
    const int length =
        snprintf(folder, FOLDER, "%s/tcplan-kernel-XXXXXX",
                 parent); /* mkdtemp() makes a folder that only this user can access */
    if (length < FOLDER && mkdtemp(folder)) return TCPLAN_OK;
    error_set(error, TCPLAN_ENVIRONMENT, "cannot make a folder for compiling in '%.200s': %s",
              parent, strerror(errno));
    *folder = '\0';
    return TCPLAN_ENVIRONMENT;
}

/** Removes a folder and its content, to the depth that a compiler may create. */
static void remove_folder(int in, const char *name, int depth) {
    const int descriptor = openat(in, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *opened = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    for (const struct dirent *entry; opened && (entry = readdir(opened));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (unlinkat(descriptor, entry->d_name, 0) != 0 && depth > 0)
            remove_folder(descriptor, entry->d_name, depth - 1);
    }
    if (opened) closedir(opened);
    if (!opened && descriptor >= 0) close(descriptor);
    unlinkat(in, name, AT_REMOVEDIR);
}

enum { DEPTH = 8 };

static enum tcplan_status write_open(int descriptor, const void *bytes, size_t size,
                                     struct tcplan_error *error) {
    for (size_t done = 0; done < size;) {
        const ssize_t written = write(descriptor, (const char *)bytes + done, size - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return fail(error, "a file for compiling");
        done += (size_t)written;
    }
    return TCPLAN_OK;
}

/** Reads the compiled object from a descriptor and closes the descriptor; -1 if there is no
 * descriptor. */
static enum tcplan_status read_open(void **out, size_t *size, int descriptor,
                                    struct tcplan_error *error) {
    struct stat status = {0};
    const bool is_there =
        descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    if (!is_there || status.st_size <= 0 || status.st_size > MOST_BYTES) {
        if (descriptor >= 0) close(descriptor);
        return error_set(error, TCPLAN_ENVIRONMENT, "the compiler wrote no object file");
    }
    *size = (size_t)status.st_size;
    *out = malloc(*size);
    size_t done = 0;
    while (*out && done < *size) {
        const ssize_t count = pread(descriptor, (char *)*out + done, *size - done, (off_t)done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        done += (size_t)count;
    }
    close(descriptor);
    if (!*out) return error_no_memory(error);
    if (done == *size) return TCPLAN_OK;
    free(*out);
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot read the compiled object");
}

/* The workplace. */

/** The files that the compiler reads and writes. */
struct workplace {
    int source;            /**< descriptor of the source, in memory or in the folder */
    int object;            /**< descriptor of the object in memory; -1: in the folder */
    char folder[FOLDER];   /**< folder for the files; empty: all are in memory */
    char result[PATH_MAX]; /**< path of the object file */
};

static void leave(const struct workplace *workplace) {
    if (workplace->source >= 0) close(workplace->source);
    if (workplace->object >= 0) close(workplace->object);
    if (*workplace->folder) remove_folder(AT_FDCWD, workplace->folder, DEPTH);
}

static enum tcplan_status enter_folder(struct workplace *out, const struct compiler *compiler,
                                       struct tcplan_error *error) {
    const enum tcplan_status status = make_folder(out->folder, compiler, error);
    if (status != TCPLAN_OK) return status;
    snprintf(out->result, sizeof out->result, "%s/kernel.c", out->folder);
    out->source = open(out->result, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    snprintf(out->result, sizeof out->result, "%s/kernel.so", out->folder);
    return out->source >= 0 ? TCPLAN_OK : fail(error, "a file for compiling");
}

/** Makes the files with the source; call leave() afterwards, also on errors. */
static enum tcplan_status enter(struct workplace *out, const struct compiler *compiler,
                                const char *text, struct tcplan_error *error) {
    const bool in_memory = !compiler->folder;
    enum tcplan_status status = TCPLAN_OK;
    out->source = in_memory ? make_memory("tcplan-kernel.c") : -1;
    out->object = in_memory ? make_memory("tcplan-kernel.so") : -1;
    *out->folder = '\0';
    snprintf(out->result, sizeof out->result, "%s", output_name);
    if (out->object < 0 || out->source < 0) {
        if (out->source >= 0) close(out->source);
        if (out->object >= 0) close(out->object);
        out->source = out->object = -1;
        status = enter_folder(out, compiler, error);
    }
    if (status == TCPLAN_OK) status = write_open(out->source, text, strlen(text), error);
    return status == TCPLAN_OK && lseek(out->source, 0, SEEK_SET) != 0
               ? fail(error, "a file for compiling")
               : status;
}

/** Reads the compiled object from the files. */
static enum tcplan_status take_object(void **object, size_t *size, struct workplace *workplace,
                                      struct tcplan_error *error) {
    const int descriptor =
        workplace->object >= 0
            ? workplace->object
            : open(workplace->result, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    workplace->object = -1;
    return read_open(object, size, descriptor, error);
}

/* The process. */

/** Returns the environment with TMPDIR set to a folder. Free the array, not its strings. */
static char **environment_with(char *temporary) {
    size_t count = 0, used = 0;
    while (environ[count]) count++;
    char **out = malloc((count + 2) * sizeof *out);
    if (!out) return NULL;
    for (size_t e = 0; e < count; e++) {
        if (strncmp(environ[e], "TMPDIR=", strlen("TMPDIR=")) != 0) out[used++] = environ[e];
    }
    out[used++] = temporary;
    out[used] = NULL;
    return out;
}

/** Starts the compiler as leader of a process group, so that its children can be ended with it;
 * its output is discarded. Returns 0 or an errno. */
static int start(pid_t *out, const struct compiler *compiler, const struct workplace *workplace) {
    const struct process_files files = {
        workplace->source, workplace->object >= 0 ? workplace->object : PROCESS_NOTHING,
        PROCESS_NOTHING};
    const char *arguments[OPTIONS + 7] = {compiler->path};
    char temporary[PATH_MAX];
    char **environment = NULL;
    for (int o = 0; o < OPTIONS; o++) arguments[1 + o] = options[o];
    const char *const last[] = {"-o", workplace->result, "-x", "c", "-"};
    for (int l = 0; l < 5; l++) arguments[1 + OPTIONS + l] = last[l];
    if (*workplace->folder) {
        snprintf(temporary, sizeof temporary, "TMPDIR=%s", workplace->folder);
        environment = environment_with(temporary);
        if (!environment) return ENOMEM;
    }
    const int reason = process_start(out, compiler->path, arguments, &files,
                                     environment ? environment : environ, true);
    free(environment);
    return reason;
}

static enum tcplan_status wait_for(pid_t process, const struct compiler *compiler,
                                   struct deadline deadline, struct tcplan_error *error) {
    const struct deadline own = deadline_in(compiler->limit_seconds);
    const struct process_guard guard = process_guard_start(process);
    int status = 0;
    const int reason = process_wait_group(&status, process, deadline_first(deadline, own));
    process_guard_end(&guard);
    if (reason == ETIMEDOUT && !deadline_is_over(own)) {
        return error_set(error, TCPLAN_CANCELLED, "%s was stopped: out of time", compiler->path);
    }
    if (reason == ETIMEDOUT) {
        return error_set(error, TCPLAN_ENVIRONMENT, "%s did not end within %g s", compiler->path,
                         compiler->limit_seconds);
    }
    if (reason != 0)
        return error_set(error, TCPLAN_ENVIRONMENT, "%s: %s", compiler->path, strerror(reason));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return TCPLAN_OK;
    return error_set(error, TCPLAN_ENVIRONMENT, "%s failed", compiler->path);
}

enum tcplan_status compiler_build(void **object, size_t *size, const struct compiler *compiler,
                                  const char *text, struct deadline deadline,
                                  struct tcplan_error *error) {
    struct workplace workplace;
    pid_t process = 0;
    enum tcplan_status status = enter(&workplace, compiler, text, error);
    if (status == TCPLAN_OK) {
        const int reason = start(&process, compiler, &workplace);
        status = reason == 0 ? wait_for(process, compiler, deadline, error)
                             : error_set(error, TCPLAN_ENVIRONMENT, "%s cannot be started: %s",
                                         compiler->path, strerror(reason));
    }
    if (status == TCPLAN_OK) status = take_object(object, size, &workplace, error);
    leave(&workplace);
    return status;
}

/* Loading. */

static enum tcplan_status open_library(void **library, const char *path,
                                       struct tcplan_error *error) {
    *library = symbol_library(path);
    if (*library) return TCPLAN_OK;
    const char *reason = dlerror();
    return error_set(error, TCPLAN_ENVIRONMENT, "compiled code cannot be opened: %.200s",
                     reason ? reason : "the loader gives no reason");
}

/* Number from which in-memory files get their descriptors. */
enum { HIGH = 512 };

/**
 * Moves a descriptor to a high number, if the limit permits. Other files get the lowest free
 * number, so they do not get this one after it is closed. Otherwise the name of the loaded library
 * would name another file, and debuggers and sanitizers would read that as its code.
 */
static int move_high(int descriptor) {
    const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, HIGH);
    if (high >= 0) close(descriptor);
    return high >= 0 ? high : descriptor;
}

/** Names an in-memory file uniquely: the loader reuses a library that it has loaded under the
 * same name. */
static void name_memory(char path[PATH_MAX], int descriptor) {
    static atomic_uint count;
    char *end = path + snprintf(path, PATH_MAX, "/proc/self/fd");
    for (unsigned number = atomic_fetch_add(&count, 1); number > 0; number /= 2)
        end += sprintf(end, "%s", number % 2 ? "/." : "//.");
    snprintf(end, NAME, "/%d", descriptor);
}

static enum tcplan_status load_in_folder(void **library, const struct compiler *compiler,
                                         const void *object, size_t size,
                                         struct tcplan_error *error) {
    struct workplace workplace = {.source = -1, .object = -1};
    enum tcplan_status status = enter_folder(&workplace, compiler, error);
    const int file = status == TCPLAN_OK
                         ? open(workplace.result, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700)
                         : -1;
    if (status == TCPLAN_OK)
        status = file >= 0 ? write_open(file, object, size, error)
                           : fail(error, "create a file for compiled code");
    if (file >= 0 && close(file) != 0 && status == TCPLAN_OK)
        status = fail(error, "create a file for compiled code");
    if (status == TCPLAN_OK) status = open_library(library, workplace.result, error);
    leave(&workplace);
    return status;
}

enum tcplan_status compiler_load(void **library, const struct compiler *compiler,
                                 const void *object, size_t size, struct tcplan_error *error) {
    char path[PATH_MAX];
    int memory = compiler->folder ? -1 : make_memory("tcplan-kernel.so");
    if (memory < 0) return load_in_folder(library, compiler, object, size, error);
    memory = move_high(memory);
    name_memory(path, memory);
    enum tcplan_status status = write_open(memory, object, size, error);
    if (status == TCPLAN_OK) status = open_library(library, path, error);
    close(memory);
    return status;
}
