#include "study/conformance/library.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/error.h"
#include "microbench/providers/symbol.h"

void library_let_crash(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    for (size_t s = 0; s < sizeof signals / sizeof *signals; s++) signal(signals[s], SIG_DFL);
    prctl(PR_SET_DUMPABLE, 0);
}

enum tcplan_status library_open(struct library *out, const char *path, struct tcplan_error *error) {
    void *function;
    *out = (struct library){.handle = symbol_library(path)};
    if (!out->handle)
        return error_set(error, TCPLAN_INVALID, "cannot open '%.120s': %.180s", path, dlerror());
    if (symbol_find(out->handle, "TAPP_create_tensor_product", &function)) {
        out->kind = TCPLAN_CONFORMANCE_TAPP;
        return tapp_functions_find(&out->tapp, out->handle, path, error);
    }
    out->kind = TCPLAN_CONFORMANCE_CBLAS;
    if (!symbol_find(out->handle, "cblas_dgemm", &function))
        return error_set(error, TCPLAN_INVALID,
                         "'%.200s' has neither TAPP_create_tensor_product nor cblas_dgemm", path);
    dlclose(out->handle);
    return cblas_open(&out->handle, &out->cblas, path, error);
}

/** Judges D after a call; `reply` is what the library returned. */
static struct judged judge(const struct tensors *tensors, const struct library_reply *reply) {
    struct judged judged = {.outcome = TCPLAN_CONFORMANCE_PASSED};
    const bool is_invalid = tensors->product->is_invalid;
    if (reply->is_refused && !is_invalid) {
        judged.outcome = TCPLAN_CONFORMANCE_REFUSED;
        snprintf(judged.why, sizeof judged.why, "%s", reply->why);
    } else if (reply->is_refused) {
        if (!tensors_are_untouched(tensors, judged.why, sizeof judged.why))
            judged.outcome = TCPLAN_CONFORMANCE_WRONG;
    } else if (is_invalid) {
        judged.outcome = TCPLAN_CONFORMANCE_ACCEPTED;
        snprintf(judged.why, sizeof judged.why, "no function returns an error");
    } else if (!tensors_are_right(tensors, judged.why, sizeof judged.why)) {
        judged.outcome = TCPLAN_CONFORMANCE_WRONG;
    }
    return judged;
}

struct judged library_judge(const struct library *library, const struct product *product) {
    struct tensors tensors;
    struct judged judged = {.outcome = TCPLAN_CONFORMANCE_SKIPPED, .why = "not enough memory"};
    if (tensors_init(&tensors, product)) {
        struct library_reply reply = {0};
        if (!product->is_invalid) tensors_expect(&tensors);
        if (library->kind == TCPLAN_CONFORMANCE_CBLAS)
            cblas_compute(&library->cblas, &tensors);
        else
            reply = tapp_compute(&library->tapp, &tensors);
        judged = judge(&tensors, &reply);
    }
    tensors_free(&tensors);
    return judged;
}
