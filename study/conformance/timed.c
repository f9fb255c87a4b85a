#include "study/conformance/timed.h"

#include <math.h>
#include <stdio.h>

#include "base/deadline.h"
#include "base/random.h"
#include "microbench/providers/cblas_library.h"

enum { CHECKED = 32, MOST_EXECUTIONS = 1000000 };
static const double sample_seconds = 0.02;

bool timed_gemm(struct product *out, const struct product *product) {
    const struct product_tensor *tensor = product->tensor;
    const struct product_loops loops = product_loops(product);
    int64_t extent[3] = {1, 1, 1}; /* extents of m, n and k */
    for (int i = 0; i < loops.count; i++) {
        bool in[PRODUCT_TENSORS] = {false};
        for (int t = 0; t < PRODUCT_TENSORS; t++) {
            for (int d = 0; d < tensor[t].rank; d++)
                in[t] = in[t] || tensor[t].index[d] == loops.index[i];
        }
        if (in[PRODUCT_A] + in[PRODUCT_B] + in[PRODUCT_D] != 2) return false;
        extent[!in[PRODUCT_B] ? 0 : !in[PRODUCT_A] ? 1 : 2] *= loops.extent[i];
    }
    for (int e = 0; e < 3; e++) {
        if (extent[e] > INT32_MAX) return false;
    }
    const struct cblas_shape shape = {
        .routine = CBLAS_GEMM, .m = (int)extent[0], .n = (int)extent[1], .k = (int)extent[2]};
    cblas_product(out, &shape, tensor[PRODUCT_D].type);
    return true;
}

/** Makes and fills A and B; D is 0. */
static bool make_tensors(struct timed *timed) {
    const struct product *product = &timed->product;
    timed->tensors = (struct tensors){.product = product};
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        struct tensor_memory *own = &timed->tensors.tensor[t];
        const struct product_tensor *tensor = &product->tensor[t];
        if (t == PRODUCT_C) continue;
        if (!tensor_init(own, tensor, false)) return false;
        for (int64_t e = 0; e < own->span.elems && t != PRODUCT_D; e++)
            product_put(own->memory, e, tensor->type, product_number(t, e));
    }
    if (product->is_in_place) timed->tensors.tensor[PRODUCT_C] = timed->tensors.tensor[PRODUCT_D];
    return true;
}

static struct library_reply execute(struct timed *timed) {
    if (timed->library.kind == TCPLAN_CONFORMANCE_TAPP)
        return tapp_execute(&timed->planned, &timed->library.tapp, &timed->tensors);
    cblas_compute(&timed->library.cblas, &timed->tensors);
    return (struct library_reply){0};
}

/** Compares some elements of D, which was 0 before, with their sums. */
static bool is_right(struct timed *timed, char *why, size_t size) {
    const struct product_tensor *D = &timed->product.tensor[PRODUCT_D];
    struct product_loops loops = product_loops(&timed->product);
    struct random random = {1};
    const bool is_single = D->type == TAPP_F32 || D->type == TAPP_C32;
    double magnitude;
    if (product_is_empty(&loops, 0, loops.result_count)) return true;
    for (int c = 0; c < CHECKED; c++) {
        for (int i = 0; i < loops.result_count; i++)
            loops.step[i] = random_below(&random, loops.extent[i]);
        const double complex expected =
            timed->product.alpha * tensors_sum(&timed->tensors, &loops, &magnitude);
        const double complex got =
            product_get(tensors_at(&timed->tensors, PRODUCT_D), product_offset(&loops, D), D->type);
        const double allowed = cabs(timed->product.alpha) * magnitude * 8 * timed->tensors.terms *
                               (is_single ? 0x1p-22 : 0x1p-51);
        if (cabs(got - expected) <= allowed) continue;
        snprintf(why, size, "wrong: an element of D is %.6g%+.6gi, expected %.6g%+.6gi", creal(got),
                 cimag(got), creal(expected), cimag(expected));
        return false;
    }
    return true;
}

/** Opens the library, and sets the number of threads of a CBLAS, which may be loaded already with
 * another one. */
static enum tcplan_status open_library(struct timed *timed, const char *path,
                                       struct tcplan_error *error) {
    static char function[64];
    struct cblas_library is;
    library_let_crash();
    enum tcplan_status status = library_open(&timed->library, path, error);
    if (status == TCPLAN_OK && timed->library.kind == TCPLAN_CONFORMANCE_CBLAS) {
        status = cblas_library_describe(&is, timed->library.handle, path, error);
        if (status == TCPLAN_OK) cblas_library_set_threads(&is, timed->threads);
    }
    timed->library.tapp.function = function;
    timed->is_open = status == TCPLAN_OK;
    return status;
}

static struct timed_reply prepare(struct timed *timed, const char *path,
                                  const struct product *product) {
    struct timed_reply reply = {0};
    struct tcplan_error error;
    if (!timed->is_open && open_library(timed, path, &error) != TCPLAN_OK) {
        snprintf(reply.why, sizeof reply.why, "%s", error.message);
        return reply;
    }
    timed->product = *product;
    struct library_reply found = {0};
    const bool is_tapp = timed->library.kind == TCPLAN_CONFORMANCE_TAPP;
    if (!is_tapp && !timed_gemm(&timed->product, product)) {
        snprintf(reply.why, sizeof reply.why, "there is no gemm of these sizes");
        return reply;
    }
    if (!make_tensors(timed)) {
        snprintf(reply.why, sizeof reply.why, "not enough memory");
        return reply;
    }
    const double begin = monotonic_seconds();
    if (is_tapp) found = tapp_plan(&timed->planned, &timed->library.tapp, &timed->product);
    const double planned = monotonic_seconds();
    if (!found.is_refused) found = execute(timed);
    if (found.is_refused)
        snprintf(reply.why, sizeof reply.why, "refused: %s", found.why);
    else if (!is_right(timed, reply.why, sizeof reply.why))
        return reply;
    const double once = monotonic_seconds();
    if (!found.is_refused)
        execute(timed); /* executed separately, because the first execution may include
                           initialisation */
    const double seconds = fmax(monotonic_seconds() - once, 1e-9);
    timed->executions = (int)fmin(fmax(1, sample_seconds / seconds), MOST_EXECUTIONS);
    if (is_tapp) reply.seconds = planned - begin;
    return reply;
}

static struct timed_reply sample(struct timed *timed) {
    struct timed_reply reply = {0};
    if (timed->executions == 0) { /* this process is new, because the process that planned the
                                     product has ended */
        snprintf(reply.why, sizeof reply.why, "its process ended while it was timed");
        return reply;
    }
    const double begin = monotonic_seconds();
    for (int e = 0; e < timed->executions; e++) {
        const struct library_reply found = execute(timed);
        if (found.is_refused) snprintf(reply.why, sizeof reply.why, "%s", found.why);
    }
    reply.seconds = (monotonic_seconds() - begin) / timed->executions;
    return reply;
}

struct timed_reply timed_answer(struct timed *timed, const char *path,
                                const struct timed_request *request) {
    return request->step == TIMED_PREPARE ? prepare(timed, path, &request->product) : sample(timed);
}
