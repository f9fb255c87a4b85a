/* CBLAS libraries that are opened as files. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input_file.h"
#include "base/strbuf.h"
#include "microbench/providers/cblas_library.h"
#include "microbench/providers/cblas_routines.h"
#include "microbench/providers/providers.h"
#include "microbench/providers/small_products.h"
#include "microbench/providers/symbol.h"

/** The result of checking a routine. */
enum verdict { VERDICT_NONE, VERDICT_RIGHT, VERDICT_WRONG };

/** An open library. */
struct file {
    char *path;
    void *library;
    struct cblas_routines routines;
    struct cblas_library is;
    atomic_int verdict[TCPLAN_KERNELS][TCPLAN_DTYPES]; /* enum verdict */
};

static struct file files[TCPLAN_PROVIDER_BLAS_FILES];
static atomic_int file_count; /* number of open files in `files`; an open one does not change */
static int threads;           /* number of threads set for every file; 0: not set */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* lock for the number of threads */
static pthread_mutex_t opening =
    PTHREAD_MUTEX_INITIALIZER; /* only one thread opens a file at a time */

/** Returns the file of a provider; NULL: not a provider of a file, or the file is not open. */
static struct file *file_of(enum tcplan_provider provider) {
    const int number = (int)provider - TCPLAN_PROVIDER_FILE_1;
    return number >= 0 && number < atomic_load_explicit(&file_count, memory_order_acquire)
               ? &files[number]
               : NULL;
}

/** Opens file->path and identifies the library; after a failure nothing stays open. */
static enum tcplan_status load(struct file *file, struct tcplan_error *error) {
    enum tcplan_status status = cblas_open(&file->library, &file->routines, file->path, error);
    if (status != TCPLAN_OK) return status;
    status = cblas_library_describe(&file->is, file->library, file->path, error);
    if (status != TCPLAN_OK) {
        dlclose(file->library);
        return status;
    }
    pthread_mutex_lock(&mutex);
    if (threads > 0) cblas_library_set_threads(&file->is, threads);
    pthread_mutex_unlock(&mutex);
    return TCPLAN_OK;
}

/** Returns the number of the open file with this path, or `count`. */
static int number_of(const char *path, int count) {
    int number = 0;
    while (number < count && strcmp(files[number].path, path) != 0) number++;
    return number;
}

/** Takes ownership of `path` on success. */
static enum tcplan_status add(char *path, int count, struct tcplan_error *error) {
    if (count == TCPLAN_PROVIDER_BLAS_FILES) {
        return error_set(error, TCPLAN_INVALID,
                         "cannot open '%s': %d BLAS files are open, which is the limit", path,
                         count);
    }
    files[count] = (struct file){.path = path};
    const enum tcplan_status status = load(&files[count], error);
    if (status == TCPLAN_OK) atomic_store_explicit(&file_count, count + 1, memory_order_release);
    return status;
}

/** Takes ownership of `path` if the file is new and can be opened. */
static enum tcplan_status open_path(int *number, char *path, struct tcplan_error *error) {
    const int count = atomic_load(&file_count);
    *number = number_of(path, count);
    const bool is_new = *number == count;
    enum tcplan_status status = is_new ? input_file_check("the BLAS ", path, error)
                                       : TCPLAN_OK; /* opening a pipe would block the loader */
    if (is_new && status == TCPLAN_OK) status = add(path, count, error);
    if (!is_new || status != TCPLAN_OK) free(path);
    return status;
}

enum tcplan_status tcplan_provider_open(enum tcplan_provider *out, const char *file,
                                        struct tcplan_error *error) {
    char *path = realpath(file, NULL);
    int number = 0;
    if (!path && errno == ENOMEM) return error_no_memory(error);
    if (!path)
        return error_set(error, TCPLAN_ENVIRONMENT, "cannot open the BLAS '%s': %s", file,
                         strerror(errno));
    pthread_mutex_lock(&opening);
    const enum tcplan_status status = open_path(&number, path, error);
    pthread_mutex_unlock(&opening);
    if (status == TCPLAN_OK) *out = (enum tcplan_provider)(TCPLAN_PROVIDER_FILE_1 + number);
    return status;
}

/** Checks a routine when it is first bound. A library that crashes does so in this check. */
static bool is_right(struct file *file, enum tcplan_provider provider, enum tcplan_kernel kernel,
                     enum tcplan_dtype dtype) {
    atomic_int *verdict = &file->verdict[kernel][dtype];
    if (atomic_load(verdict) == VERDICT_NONE)
        atomic_store(verdict, small_products_are_right(&file->routines, provider, kernel, dtype)
                                  ? VERDICT_RIGHT
                                  : VERDICT_WRONG);
    return atomic_load(verdict) == VERDICT_RIGHT;
}

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype, struct kernel_maker *maker) {
    (void)maker;
    struct file *file = file_of(kernel->call.provider);
    if (!file || !is_right(file, kernel->call.provider, kernel->call.kernel, dtype)) return false;
    return cblas_bind(kernel, dtype, &file->routines);
}

static bool is_wrong(char out[TCPLAN_MESSAGE_SIZE], enum tcplan_provider provider) {
    const struct file *file = file_of(provider);
    struct strbuf text = {0};
    for (int number = 0; file && number < TCPLAN_KERNELS * TCPLAN_DTYPES; number++) {
        const enum tcplan_kernel kernel = (enum tcplan_kernel)(number / TCPLAN_DTYPES);
        const enum tcplan_dtype dtype = (enum tcplan_dtype)(number % TCPLAN_DTYPES);
        if (atomic_load(&file->verdict[kernel][dtype]) != VERDICT_WRONG) continue;
        strbuf_add(&text, "%s%c%s", text.length > 0 ? ", " : "", tcplan_dtype_letter(dtype),
                   tcplan_kernel_name(kernel, dtype));
    }
    char *routines = text.length > 0 ? strbuf_finish(&text) : NULL;
    if (routines)
        snprintf(out, TCPLAN_MESSAGE_SIZE, "'%.200s' computes wrong small products with %.60s",
                 file->path, routines);
    free(routines);
    return routines != NULL;
}

static bool find(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    const struct file *file = file_of(provider);
    if (!file) return false;
    *out = cblas_library_info(&file->is);
    out->file = file->path;
    return true;
}

static provider_routine *symbol(enum tcplan_provider provider, const char *name) {
    const struct file *file = file_of(provider);
    provider_routine *routine = NULL;
    if (file) symbol_find(file->library, name, &routine);
    return routine;
}

static void set_threads(enum tcplan_provider provider, int count) {
    const struct file *file = file_of(provider);
    pthread_mutex_lock(&mutex);
    threads = count;
    if (file) cblas_library_set_threads(&file->is, count);
    pthread_mutex_unlock(&mutex);
}

static struct provider_threads get_threads(enum tcplan_provider provider) {
    const struct file *file = file_of(provider);
    pthread_mutex_lock(&mutex);
    const struct provider_threads now = {.is_open = file != NULL,
                                         .own = file ? cblas_library_threads(&file->is) : 0,
                                         .wanted = threads};
    pthread_mutex_unlock(&mutex);
    return now;
}

static void put_back(enum tcplan_provider provider, struct provider_threads before) {
    const struct file *file = file_of(provider);
    pthread_mutex_lock(&mutex);
    threads = before.wanted;
    if (file && before.own != 0) cblas_library_set_threads(&file->is, before.own);
    pthread_mutex_unlock(&mutex);
}

const struct provider provider_file = {.is_blas = true,
                                       .find = find,
                                       .bind = bind,
                                       .symbol = symbol,
                                       .is_wrong = is_wrong,
                                       .set_threads = set_threads,
                                       .threads = get_threads,
                                       .put_back = put_back};
