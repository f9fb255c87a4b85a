/** A library with the interface TAPP, and products that it has planned. */
#ifndef MICROBENCH_TAPP_LIBRARY_H
#define MICROBENCH_TAPP_LIBRARY_H

#include <tapp.h>

#include "gen/providers/tapp.h"
#include "tcplan/status.h"

/** Functions of a TAPP library. */
struct tapp_functions {
    __typeof__(TAPP_create_handle) *create_handle;
    __typeof__(TAPP_destroy_handle) *destroy_handle;
    __typeof__(TAPP_create_executor) *create_executor;
    __typeof__(TAPP_destroy_executor) *destroy_executor;
    __typeof__(TAPP_create_tensor_info) *create_tensor_info;
    __typeof__(TAPP_destroy_tensor_info) *destroy_tensor_info;
    __typeof__(TAPP_create_tensor_product) *create_tensor_product;
    __typeof__(TAPP_destroy_tensor_product) *destroy_tensor_product;
    __typeof__(TAPP_execute_product) *execute_product;
    __typeof__(TAPP_execute_batched_product) *execute_batched_product; /**< NULL: the library has no
                                                                          such function */
    __typeof__(TAPP_destroy_status) *destroy_status; /**< NULL: the library has no such function */
    __typeof__(TAPP_check_success) *check_success;
    __typeof__(TAPP_explain_error) *explain_error;
    char *function; /**< receives the name of each function before its call, for messages about a
                       crash */
};

/** Finds the functions of an open library; TCPLAN_INVALID if one that is required is missing. */
enum tcplan_status tapp_functions_find(struct tapp_functions *out, void *library, const char *path,
                                       struct tcplan_error *error);

/**
 * Opens a TAPP library without making its symbols visible to other libraries. If the program itself
 * exports TAPP functions, the library is opened in a separate namespace, where they cannot replace
 * its own.
 * @return NULL if it cannot be opened, with the reason in dlerror()
 */
void *tapp_library_open(const char *path);

/** A product, ready to be executed. Zero-initialise before use. */
struct tapp_planned {
    const struct tapp_functions *of;
    TAPP_handle handle;
    TAPP_executor executor;
    TAPP_tensor_info info[TCPLAN_OPERANDS];
    TAPP_tensor_product product;
    enum tcplan_dtype dtype;
    char why[160]; /**< the call that failed last; empty: none */
};

TAPP_datatype tapp_datatype_of(enum tcplan_dtype dtype);

/** Plans a call; returns false, with the reason, if the library refuses it. */
bool tapp_planned_make(struct tapp_planned *out, const struct tapp_functions *functions,
                       const struct blas_call *call, enum tcplan_dtype dtype);
bool tapp_planned_execute(struct tapp_planned *product, const void *alpha, const void *A,
                          const void *B, const void *beta, void *C);
void tapp_planned_free(struct tapp_planned *product);

#endif
