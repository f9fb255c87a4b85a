/*
 * OpenBLAS, the CBLAS that tcplan is linked with.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "microbench/providers/cblas_routines.h"
#include "microbench/providers/providers.h"
#include "microbench/providers/symbol.h"

static const struct cblas_routines linked = {.sdot = cblas_sdot,
                                             .ddot = cblas_ddot,
                                             .cdotu_sub = cblas_cdotu_sub,
                                             .zdotu_sub = cblas_zdotu_sub,
                                             .cdotc_sub = cblas_cdotc_sub,
                                             .zdotc_sub = cblas_zdotc_sub,
                                             .saxpy = cblas_saxpy,
                                             .daxpy = cblas_daxpy,
                                             .caxpy = cblas_caxpy,
                                             .zaxpy = cblas_zaxpy,
                                             .sgemv = cblas_sgemv,
                                             .dgemv = cblas_dgemv,
                                             .cgemv = cblas_cgemv,
                                             .zgemv = cblas_zgemv,
                                             .sger = cblas_sger,
                                             .dger = cblas_dger,
                                             .cgeru = cblas_cgeru,
                                             .zgeru = cblas_zgeru,
                                             .cgerc = cblas_cgerc,
                                             .zgerc = cblas_zgerc,
                                             .sgemm = cblas_sgemm,
                                             .dgemm = cblas_dgemm,
                                             .cgemm = cblas_cgemm,
                                             .zgemm = cblas_zgemm};

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype) {
    cblas_bind(kernel, dtype, &linked);
    return true;
}

static char linked_version[32];

static void read_linked_version(void) {
    openblas_version(linked_version, sizeof linked_version, openblas_get_config());
}

static bool find(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)provider;
    pthread_once(&once, read_linked_version);
    *out = (struct tcplan_provider_info){.name = "OpenBLAS", .version = linked_version, .core = openblas_get_corename()};
    return true;
}

static void *library; /* the one that the linker found cblas_dgemm in */

static void open_library(void) {
    Dl_info info;
    void *address;
    __typeof__(cblas_dgemm) *const routine = cblas_dgemm;
    memcpy(&address, &routine, sizeof address);
    if (dladdr(address, &info) != 0) library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (!library) library = dlopen(NULL, RTLD_NOW);
}

static provider_routine *symbol(enum tcplan_provider provider, const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    provider_routine *routine = NULL;
    (void)provider;
    pthread_once(&once, open_library);
    if (library) symbol_find(library, name, &routine);
    return routine;
}

static void set_threads(enum tcplan_provider provider, int threads) {
    (void)provider;
    if (openblas_get_num_threads() != threads) openblas_set_num_threads(threads);
}

static struct provider_threads get_threads(enum tcplan_provider provider) {
    (void)provider;
    return (struct provider_threads){.is_open = true, .own = openblas_get_num_threads()};
}

static void put_back(enum tcplan_provider provider, struct provider_threads before) {
    set_threads(provider, (int)before.own);
}

const struct provider provider_openblas = {
    .find = find, .bind = bind, .symbol = symbol, .set_threads = set_threads, .threads = get_threads, .put_back = put_back};
