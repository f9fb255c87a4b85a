#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dlmopen() */
#endif
#include "microbench/providers/tapp_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "microbench/providers/symbol.h"

/** A function and its place in the table. */
static const struct {
    const char *name;
    size_t offset;
    bool is_optional;
} entries[] = {
#define ENTRY(member) "TAPP_" #member, offsetof(struct tapp_functions, member)
    {ENTRY(create_handle), false},         {ENTRY(destroy_handle), false},
    {ENTRY(create_executor), false},       {ENTRY(destroy_executor), false},
    {ENTRY(create_tensor_info), false},    {ENTRY(destroy_tensor_info), false},
    {ENTRY(create_tensor_product), false}, {ENTRY(destroy_tensor_product), false},
    {ENTRY(execute_product), false},       {ENTRY(execute_batched_product), true},
    {ENTRY(destroy_status), true},         {ENTRY(check_success), false},
    {ENTRY(explain_error), false},
};

enum tcplan_status tapp_functions_find(struct tapp_functions *out, void *library, const char *path,
                                       struct tcplan_error *error) {
    for (size_t e = 0; e < sizeof entries / sizeof *entries; e++) {
        void *place = (char *)out + entries[e].offset;
        if (symbol_find(library, entries[e].name, place) || entries[e].is_optional) continue;
        return error_set(error, TCPLAN_INVALID, "'%.200s' has no function %s", path,
                         entries[e].name);
    }
    return TCPLAN_OK;
}

/** Returns whether the program, or a library whose symbols are visible to all others, has TAPP
 * functions. A library that is opened later would call those instead of its own. RTLD_DEFAULT is
 * not used: it would also find the functions of libraries that were opened here and depend on this
 * one. */
static bool program_exports(void) {
    void *program = dlopen(NULL, RTLD_LAZY);
    const bool exports = program && dlsym(program, "TAPP_create_tensor_product");
    if (program) dlclose(program);
    return exports;
}

void *tapp_library_open(const char *path) {
    return program_exports() ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW) : symbol_library(path);
}

TAPP_datatype tapp_datatype_of(enum tcplan_dtype dtype) {
    static const TAPP_datatype type[TCPLAN_DTYPES] = {TAPP_F32, TAPP_F64, TAPP_C32, TAPP_C64};
    return type[dtype];
}

/** Records a failed call with the library's explanation of the error code; returns false. */
static bool fail(struct tapp_planned *product, const char *function, TAPP_error code) {
    char text[100] = "";
    product->of->explain_error(code, sizeof text, text);
    text[sizeof text - 1] = '\0';
    snprintf(product->why, sizeof product->why, "TAPP_%s() returns %d (%.90s)", function, code,
             text);
    return false;
}

bool tapp_planned_make(struct tapp_planned *out, const struct tapp_functions *functions,
                       const struct blas_call *call, enum tcplan_dtype dtype) {
    struct tapp_modes modes[TCPLAN_OPERANDS];
    *out = (struct tapp_planned){.of = functions, .dtype = dtype};
    TAPP_error code = functions->create_handle(&out->handle);
    if (code != 0) return fail(out, "create_handle", code);
    code = functions->create_executor(&out->executor);
    if (code != 0) return fail(out, "create_executor", code);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        modes[t] = tapp_modes_of(call, t);
        code = functions->create_tensor_info(&out->info[t], tapp_datatype_of(dtype), modes[t].rank,
                                             modes[t].extent, modes[t].stride);
        if (code != 0) return fail(out, "create_tensor_info", code);
    }
    code = functions->create_tensor_product(
        &out->product, out->handle, call->conjugated[0] ? TAPP_CONJUGATE : TAPP_IDENTITY,
        out->info[0], modes[0].index, call->conjugated[1] ? TAPP_CONJUGATE : TAPP_IDENTITY,
        out->info[1], modes[1].index, TAPP_IDENTITY, out->info[2], modes[2].index, TAPP_IDENTITY,
        out->info[2], modes[2].index, TAPP_DEFAULT_PREC);
    if (code == 0) return true;
    out->product = 0;
    return fail(out, "create_tensor_product", code);
}

bool tapp_planned_execute(struct tapp_planned *product, const void *alpha, const void *A,
                          const void *B, const void *beta, void *C) {
    TAPP_status status = 0;
    const TAPP_error code = product->of->execute_product(product->product, product->executor,
                                                         &status, alpha, A, B, beta, C, C);
    if (code != 0) return fail(product, "execute_product", code);
    if (status != 0 && product->of->destroy_status) product->of->destroy_status(status);
    return true;
}

void tapp_planned_free(struct tapp_planned *product) {
    if (product->product) product->of->destroy_tensor_product(product->product);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (product->info[t]) product->of->destroy_tensor_info(product->info[t]);
    }
    if (product->executor) product->of->destroy_executor(product->executor);
    if (product->handle) product->of->destroy_handle(product->handle);
    *product = (struct tapp_planned){0};
}
