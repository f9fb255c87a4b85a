/**
 * The CBLAS routines of a library as a table, so that the same bursts run kernels of any library.
 */
#ifndef MICROBENCH_CBLAS_ROUTINES_H
#define MICROBENCH_CBLAS_ROUTINES_H

#include <stdbool.h>

#include <cblas.h>

#include "tcplan/problem.h"

struct cblas_routines {
    __typeof__(cblas_sdot) *sdot;
    __typeof__(cblas_ddot) *ddot;
    __typeof__(cblas_cdotu_sub) *cdotu_sub;
    __typeof__(cblas_zdotu_sub) *zdotu_sub;
    __typeof__(cblas_cdotc_sub) *cdotc_sub;
    __typeof__(cblas_zdotc_sub) *zdotc_sub;
    __typeof__(cblas_saxpy) *saxpy;
    __typeof__(cblas_daxpy) *daxpy;
    __typeof__(cblas_caxpy) *caxpy;
    __typeof__(cblas_zaxpy) *zaxpy;
    __typeof__(cblas_sgemv) *sgemv;
    __typeof__(cblas_dgemv) *dgemv;
    __typeof__(cblas_cgemv) *cgemv;
    __typeof__(cblas_zgemv) *zgemv;
    __typeof__(cblas_sger) *sger;
    __typeof__(cblas_dger) *dger;
    __typeof__(cblas_cgeru) *cgeru;
    __typeof__(cblas_zgeru) *zgeru;
    __typeof__(cblas_cgerc) *cgerc;
    __typeof__(cblas_zgerc) *zgerc;
    __typeof__(cblas_sgemm) *sgemm;
    __typeof__(cblas_dgemm) *dgemm;
    __typeof__(cblas_cgemm) *cgemm;
    __typeof__(cblas_zgemm) *zgemm;
};

struct kernel;

/** Binds a kernel of a CBLAS provider to its routine among `routines`, which must outlive the
 * kernel, or to the routine that its class names (struct kernel_bursts). Returns false if the
 * library has no such routine. */
bool cblas_bind(struct kernel *kernel, enum tcplan_dtype dtype,
                const struct cblas_routines *routines);

/**
 * Opens a library without adding its symbols to the process's.
 * @param library  receives its handle, for dlclose()
 * @return TCPLAN_OK; TCPLAN_INVALID if it cannot be opened or lacks a routine, and is closed again
 */
enum tcplan_status cblas_open(void **library, struct cblas_routines *out, const char *path,
                              struct tcplan_error *error);

#endif
