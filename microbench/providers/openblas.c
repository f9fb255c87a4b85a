/*
 * The CBLAS that tcplan is linked with, usually OpenBLAS. The loader may substitute another
 * library, so the one that serves the calls is identified at run time.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "microbench/providers/cblas_library.h"
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

static void *library; /* handle of the library that contains cblas_dgemm() */
static void *other;   /* handle of the library that contains LAPACK's dgelsd(), if that is another
                         library */
static const char *path;            /* path of `library` */
static struct cblas_library what;   /* name, version and core type of `library` */
static struct cblas_library lapack; /* name, version and core type of `other` */
static atomic_int wanted; /* number of threads that was set last, for a library that does not report
                             it; 0: none */

void dgelsd_(void); /* declared with its arguments in models/fit.c */

/** Returns a handle of the library that contains a function; the handle of the whole process if
 * the program itself contains it. */
static void *library_of(provider_routine *function, Dl_info *info) {
    void *address, *found = NULL;
    memcpy(&address, &function, sizeof address);
    *info = (Dl_info){0};
    if (dladdr(address, info) != 0) found = dlopen(info->dli_fname, RTLD_NOW | RTLD_NOLOAD);
    return found ? found : dlopen(NULL, RTLD_NOW);
}

/* Declared weak: NULL if another BLAS is linked. A statically linked OpenBLAS may have no
 * visible symbols, so it cannot be looked up. */
char *openblas_get_config(void);    /* NOLINT(readability-redundant-declaration) */
char *openblas_get_corename(void);  /* NOLINT(readability-redundant-declaration) */
int openblas_get_num_threads(void); /* NOLINT(readability-redundant-declaration) */
void openblas_set_num_threads(int); /* NOLINT(readability-redundant-declaration) */
#pragma weak openblas_get_config
#pragma weak openblas_get_corename
#pragma weak openblas_get_num_threads
#pragma weak openblas_set_num_threads

/** Identifies the library like cblas_library_describe() if it contains cblas_dgemm. */
static void describe_part(void *base) {
    Dl_info info;
    if (!openblas_get_config ||
        library_of((provider_routine *)openblas_get_config, &info) == NULL ||
        info.dli_fbase != base)
        return;
    what.name = "OpenBLAS";
    what.core = openblas_get_corename();
    what.set_int_threads = openblas_set_num_threads;
    what.int_threads = openblas_get_num_threads;
}

static void look(void) {
    Dl_info info, beside;
    library = library_of((provider_routine *)cblas_dgemm, &info);
    other = library_of(dgelsd_, &beside);
    path = info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
    if (!path) path = info.dli_fname ? info.dli_fname : "BLAS";
    cblas_library_describe(&what, library, path, NULL);
    if (!what.set_int_threads && !what.set_long_threads) describe_part(info.dli_fbase);
    if (other != library) cblas_library_describe(&lapack, other, "LAPACK", NULL);
}

static const struct cblas_library *linked_library(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    return &what;
}

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype, struct kernel_maker *maker) {
    (void)maker;
    return cblas_bind(kernel, dtype, &linked);
}

static bool find(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    (void)provider;
    *out = cblas_library_info(linked_library());
    if (!out->version)
        out->file = path; /* a name like `libblas.so.3` does not identify the library */
    return true;
}

/** Finds a routine. A routine that the BLAS lacks, often one of LAPACK, is looked up in the
 * library that contains LAPACK. */
static provider_routine *symbol(enum tcplan_provider provider, const char *name) {
    provider_routine *routine = NULL;
    (void)provider;
    linked_library();
    if (!symbol_find(library, name, &routine)) symbol_find(other, name, &routine);
    return routine;
}

static struct provider_threads get_threads(enum tcplan_provider provider) {
    const int64_t told = cblas_library_threads(linked_library());
    (void)provider;
    return (struct provider_threads){.is_open = true,
                                     .own = told != 0 ? told : atomic_load(&wanted),
                                     .wanted = (int)cblas_library_threads(&lapack)};
}

/** restores `wanted`, the number set last */
static void put_back(enum tcplan_provider provider, struct provider_threads before) {
    const struct provider_threads now = get_threads(provider);
    if (now.wanted != before.wanted) cblas_library_set_threads(&lapack, before.wanted);
    if (now.own == before.own) return;
    atomic_store(&wanted, (int)before.own);
    cblas_library_set_threads(linked_library(), before.own);
}

static void set_threads(enum tcplan_provider provider, int threads) {
    put_back(provider, (struct provider_threads){.own = threads, .wanted = threads});
}

PROVIDER_CALLS(openblas, find, bind, .is_blas = true, .symbol = symbol, .set_threads = set_threads,
               .threads = get_threads, .put_back = put_back);
