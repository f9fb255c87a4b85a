#include "microbench/providers/cblas_routines.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "microbench/predict/kernel_bursts.h"
#include "microbench/providers/providers.h"
#include "microbench/providers/symbol.h"

bool cblas_bind(struct kernel *kernel, enum tcplan_dtype dtype,
                const struct cblas_routines *routines) {
    const struct kernel_bursts *bursts = kernel_bursts_of(kernel->call.kernel);
    const struct provider *provider = provider_of(kernel->call.provider);
    const char *symbol = bursts->symbol[dtype];
    kernel->cblas = routines;
    kernel->burst = bursts->burst[dtype];
    if (symbol) {
        kernel->generated =
            provider->symbol ? provider->symbol(kernel->call.provider, symbol) : NULL;
        if (!kernel->generated) kernel->burst = NULL;
    }
    return kernel->burst != NULL;
}

/** Name of a routine, and its position in the table. */
struct entry {
    const char *name;
    size_t offset;
};

static const struct entry entries[] = {
    {"cblas_sdot", offsetof(struct cblas_routines, sdot)},
    {"cblas_ddot", offsetof(struct cblas_routines, ddot)},
    {"cblas_cdotu_sub", offsetof(struct cblas_routines, cdotu_sub)},
    {"cblas_zdotu_sub", offsetof(struct cblas_routines, zdotu_sub)},
    {"cblas_cdotc_sub", offsetof(struct cblas_routines, cdotc_sub)},
    {"cblas_zdotc_sub", offsetof(struct cblas_routines, zdotc_sub)},
    {"cblas_saxpy", offsetof(struct cblas_routines, saxpy)},
    {"cblas_daxpy", offsetof(struct cblas_routines, daxpy)},
    {"cblas_caxpy", offsetof(struct cblas_routines, caxpy)},
    {"cblas_zaxpy", offsetof(struct cblas_routines, zaxpy)},
    {"cblas_sgemv", offsetof(struct cblas_routines, sgemv)},
    {"cblas_dgemv", offsetof(struct cblas_routines, dgemv)},
    {"cblas_cgemv", offsetof(struct cblas_routines, cgemv)},
    {"cblas_zgemv", offsetof(struct cblas_routines, zgemv)},
    {"cblas_sger", offsetof(struct cblas_routines, sger)},
    {"cblas_dger", offsetof(struct cblas_routines, dger)},
    {"cblas_cgeru", offsetof(struct cblas_routines, cgeru)},
    {"cblas_zgeru", offsetof(struct cblas_routines, zgeru)},
    {"cblas_cgerc", offsetof(struct cblas_routines, cgerc)},
    {"cblas_zgerc", offsetof(struct cblas_routines, zgerc)},
    {"cblas_sgemm", offsetof(struct cblas_routines, sgemm)},
    {"cblas_dgemm", offsetof(struct cblas_routines, dgemm)},
    {"cblas_cgemm", offsetof(struct cblas_routines, cgemm)},
    {"cblas_zgemm", offsetof(struct cblas_routines, zgemm)}};
enum { ENTRIES = sizeof entries / sizeof *entries };

static enum tcplan_status fill_routines(struct cblas_routines *out, void *library, const char *path,
                                        struct tcplan_error *error) {
    const char *lacking = NULL;
    int lacking_count = 0;
    for (int e = 0; e < ENTRIES; e++) {
        if (symbol_find(library, entries[e].name, (char *)out + entries[e].offset)) continue;
        if (lacking_count++ == 0) lacking = entries[e].name;
    }
    if (lacking_count == 0) return TCPLAN_OK;
    if (lacking_count == ENTRIES)
        return error_set(error, TCPLAN_INVALID,
                         "'%s' is not a CBLAS: it has neither %s nor any other routine", path,
                         lacking);
    if (lacking_count == 1)
        return error_set(error, TCPLAN_INVALID, "'%s' lacks the routine %s", path, lacking);
    return error_set(error, TCPLAN_INVALID, "'%s' lacks the routine %s and %d more", path, lacking,
                     lacking_count - 1);
}

enum tcplan_status cblas_open(void **library, struct cblas_routines *out, const char *path,
                              struct tcplan_error *error) {
    *library = symbol_library(path);
    if (!*library)
        return error_set(error, TCPLAN_INVALID, "cannot open '%s' as a shared library: %s", path,
                         dlerror());
    const enum tcplan_status status = fill_routines(out, *library, path, error);
    if (status != TCPLAN_OK) dlclose(*library);
    return status;
}
