/**
 * The library under test, in the process that opened it: a TAPP library, or a CBLAS.
 */
#ifndef STUDY_CONFORMANCE_LIBRARY_H
#define STUDY_CONFORMANCE_LIBRARY_H

#include "microbench/providers/cblas_routines.h"
#include "microbench/providers/tapp_library.h"
#include "study/conformance/tensors.h"
#include "tcplan/study/conformance.h"

struct library {
    enum tcplan_conformance_kind kind;
    void *handle;
    struct tapp_functions tapp;
    struct cblas_routines cblas;
};

/** Lets a crash end the process, without this program's handlers and without a core file. */
void library_let_crash(void);

/** Opens a library and determines its kind. Its symbols are not added to the process's. */
enum tcplan_status library_open(struct library *out, const char *path, struct tcplan_error *error);

/** Reply of a library to a call. */
struct library_reply {
    bool is_refused; /**< whether the library returned an error; D is not compared */
    int code;
    char why[160];
};

/** A product that a library has planned, ready to be executed. */
struct planned {
    TAPP_handle handle;
    TAPP_executor executor;
    TAPP_tensor_info info[PRODUCT_TENSORS];
    int info_count;
    TAPP_tensor_product product;
};

/** Plans a product. Call tapp_free() in any case. */
struct library_reply tapp_plan(struct planned *out, const struct tapp_functions *tapp,
                               const struct product *product);
struct library_reply tapp_execute(const struct planned *planned, const struct tapp_functions *tapp,
                                  const struct tensors *tensors);
void tapp_free(struct planned *planned, const struct tapp_functions *tapp);

/** Plans a product and executes it in the manner of product->call. */
struct library_reply tapp_compute(const struct tapp_functions *tapp, struct tensors *tensors);

/** The kinds of routines of a CBLAS that are checked. */
enum cblas_kind { CBLAS_NONE, CBLAS_GEMM, CBLAS_GEMV, CBLAS_GER, CBLAS_DOT, CBLAS_AXPY };

/** Computes a product by the CBLAS routine product->routine. */
void cblas_compute(const struct cblas_routines *cblas, struct tensors *tensors);

/** The result of library_judge(), which computes a product with the library in this process. */
struct judged {
    enum tcplan_conformance_outcome outcome;
    char why[TCPLAN_MESSAGE_SIZE];
};
struct judged library_judge(const struct library *library, const struct product *product);

#endif
