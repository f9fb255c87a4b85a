#include "microbench/providers/compiler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/error.h"
#include "base/process.h"
#include "microbench/providers/symbol.h"

enum { MOST_SECONDS = 20, FOLDER = 64, MOST_BYTES = 16 << 20 };

static const char *const options[] = {"-std=c11", "-O2", "-w", "-shared", "-fPIC", "-s"};
enum { OPTIONS = sizeof options / sizeof *options };

const char *compiler_options(void) {
    return "-std=c11 -O2 -w -shared -fPIC -s";
}

/* Where it is. */

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
    found = (struct compiler){.path = path, .name = slash ? slash + 1 : last, .limit_seconds = MOST_SECONDS};
}

bool compiler_find(struct compiler *out) {
    if (pthread_once(&once, look) != 0 || !found.path) return false;
    *out = found;
    return true;
}

/* A folder for a while. */

static enum tcplan_status fail(struct tcplan_error *error, const char *what) {
    return error_set(error, TCPLAN_ENVIRONMENT, "%s: %s", what, strerror(errno));
}

static enum tcplan_status make_folder(char folder[FOLDER], struct tcplan_error *error) {
    snprintf(folder, FOLDER, "/tmp/tcplan-kernel-XXXXXX"); /* mkdtemp(): for this user alone */
    return mkdtemp(folder) ? TCPLAN_OK : fail(error, "no folder for compiling");
}

static void remove_folder(const char *folder) {
    DIR *opened = opendir(folder);
    for (const struct dirent *entry; opened && (entry = readdir(opened));) unlinkat(dirfd(opened), entry->d_name, 0);
    if (opened) closedir(opened);
    rmdir(folder);
}

static enum tcplan_status write_file(const char *path, const void *bytes, size_t size, struct tcplan_error *error) {
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) return fail(error, "a file for compiling");
    size_t done = 0;
    while (done < size) {
        const ssize_t written = write(descriptor, (const char *)bytes + done, size - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        done += (size_t)written;
    }
    const enum tcplan_status status = done == size ? TCPLAN_OK : fail(error, "a file for compiling");
    return close(descriptor) == 0 || status != TCPLAN_OK ? status : fail(error, "a file for compiling");
}

static enum tcplan_status read_file(void **out, size_t *size, const char *path, struct tcplan_error *error) {
    FILE *file = fopen(path, "re");
    struct stat status;
    if (!file || fstat(fileno(file), &status) != 0 || status.st_size <= 0 || status.st_size > MOST_BYTES) {
        if (file) fclose(file);
        return error_set(error, TCPLAN_ENVIRONMENT, "the compiler made nothing");
    }
    *size = (size_t)status.st_size;
    *out = malloc(*size);
    const bool done = *out && fread(*out, 1, *size, file) == *size;
    fclose(file);
    if (done) return TCPLAN_OK;
    const bool has_memory = *out != NULL;
    free(*out);
    return has_memory ? fail(error, "what was compiled") : error_no_memory(error);
}

/* Running it. */

/** The environment, with temporary files in the folder. The array is to be freed, not what it points to. */
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

/** Starts it as the leader of a group of processes, which ends with it; what it says goes nowhere. 0 or an errno. */
static int start(pid_t *out, const struct compiler *compiler, const char *source, const char *object, char *temporary) {
    const struct process_files nothing = {PROCESS_NOTHING, PROCESS_NOTHING, PROCESS_NOTHING};
    const char *arguments[OPTIONS + 5] = {compiler->path};
    for (int o = 0; o < OPTIONS; o++) arguments[1 + o] = options[o];
    arguments[1 + OPTIONS] = "-o";
    arguments[2 + OPTIONS] = object;
    arguments[3 + OPTIONS] = source;
    char **environment = environment_with(temporary);
    const int reason = environment ? process_start(out, compiler->path, arguments, &nothing, environment, true) : ENOMEM;
    free(environment);
    return reason;
}

static enum tcplan_status wait_for(pid_t process, const struct compiler *compiler, struct tcplan_error *error) {
    int status = 0;
    const int reason = process_wait(&status, process, deadline_in(compiler->limit_seconds));
    if (reason == ETIMEDOUT) {
        kill(-process, SIGKILL);
        process_collect(&status, process);
        return error_set(error, TCPLAN_ENVIRONMENT, "%s did not end within %g s", compiler->path, compiler->limit_seconds);
    }
    if (reason != 0) return error_set(error, TCPLAN_ENVIRONMENT, "%s: %s", compiler->path, strerror(reason));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return TCPLAN_OK;
    return error_set(error, TCPLAN_ENVIRONMENT, "%s failed", compiler->path);
}

static enum tcplan_status build_in(const char *folder, void **object, size_t *size, const struct compiler *compiler, const char *text,
                                   struct tcplan_error *error) {
    char source[FOLDER + 16], result[FOLDER + 16], temporary[FOLDER + 16];
    pid_t process = 0;
    snprintf(source, sizeof source, "%s/kernel.c", folder);
    snprintf(result, sizeof result, "%s/kernel.so", folder);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    enum tcplan_status status = write_file(source, text, strlen(text), error);
    if (status != TCPLAN_OK) return status;
    const int reason = start(&process, compiler, source, result, temporary);
    if (reason != 0) return error_set(error, TCPLAN_ENVIRONMENT, "%s cannot be started: %s", compiler->path, strerror(reason));
    status = wait_for(process, compiler, error);
    return status == TCPLAN_OK ? read_file(object, size, result, error) : status;
}

enum tcplan_status compiler_build(void **object, size_t *size, const struct compiler *compiler, const char *text,
                                  struct tcplan_error *error) {
    char folder[FOLDER];
    enum tcplan_status status = make_folder(folder, error);
    if (status != TCPLAN_OK) return status;
    status = build_in(folder, object, size, compiler, text, error);
    remove_folder(folder);
    return status;
}

enum tcplan_status compiler_load(void **library, const void *object, size_t size, struct tcplan_error *error) {
    char folder[FOLDER], path[FOLDER + 16];
    enum tcplan_status status = make_folder(folder, error);
    if (status != TCPLAN_OK) return status;
    snprintf(path, sizeof path, "%s/kernel.so", folder);
    status = write_file(path, object, size, error);
    *library = status == TCPLAN_OK ? symbol_library(path) : NULL;
    if (status == TCPLAN_OK && !*library) status = error_set(error, TCPLAN_ENVIRONMENT, "compiled code cannot be opened");
    remove_folder(folder);
    return status;
}
