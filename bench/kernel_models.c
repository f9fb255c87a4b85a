/**
 * Measures the errors of performance models for kernels of contractions, which often have one
 * small extent. Nothing is timed: earlier rankings stored the times of these kernels
 * (docs/store.md).
 *
 *   bench_kernel_models KERNELS MODELS
 *
 * Both are folders of stores of this machine. The kernel times of the first are compared with the
 * predictions of the second's models for the same calls, as with `--effort estimate`
 * (plan/times/model_times.h), and with the machine's ceilings, if MODELS has them. Prints a line
 * for each time and source:
 *
 *   KERNEL SMALLEST-EXTENT models|beyond|ceilings ERROR
 *
 * with the error |model / time - 1|. bench/estimate makes the table.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/times/call_model.h"
#include "plan/times/model_times.h"
#include "store/experience.h"
#include "tcplan/unstable.h"

enum { SKEWS = 4 };

/** Bins by a call's smallest extent; each bin has an upper end. */
static const struct {
    const char *name;
    int64_t most;
} skews[SKEWS] = {{"1-8", 8}, {"9-24", 24}, {"25-64", 64}, {"65-", INT64_MAX}};

struct study {
    struct tcplan_machine machine;
    struct tcplan_experience *experience;
    struct tcplan_models *models;
    struct model_times times;
};

static void check(const char *what, enum tcplan_status status, const struct tcplan_error *error) {
    if (status == TCPLAN_OK || status == TCPLAN_MISMATCH) return;
    fprintf(stderr, "bench_kernel_models: %s: %s\n", what, error->message);
    exit(1);
}

/** Returns the call to which a stored time belongs. */
static struct blas_call call_of(const struct kernel_key *key) {
    static const struct tcplan_scalar scalar[] = {{0, 0}, {1, 0}, {2, 0}};
    const int *part = key->call;
    struct blas_call call = {.kernel = (enum tcplan_kernel)part[KERNEL_KEY_KERNEL],
                             .provider = (enum tcplan_provider)part[KERNEL_KEY_PROVIDER],
                             .first = TCPLAN_A,
                             .second = TCPLAN_B,
                             .m = part[KERNEL_KEY_EXTENTS],
                             .n = part[KERNEL_KEY_EXTENTS + 1],
                             .k = part[KERNEL_KEY_EXTENTS + 2],
                             .products = (int)key->products,
                             .length = key->length,
                             .alpha = scalar[part[KERNEL_KEY_SCALARS]],
                             .beta = scalar[part[KERNEL_KEY_SCALARS + 1]]};
    memcpy(call.ld, part + KERNEL_KEY_LEADING, sizeof call.ld);
    memcpy(call.strides, key->strides, sizeof call.strides);
    for (int factor = 0; factor < 2; factor++) {
        call.transposed[factor] = part[KERNEL_KEY_FACTORS + factor] & 1;
        call.conjugated[factor] = part[KERNEL_KEY_FACTORS + factor] >> 1 & 1;
    }
    return call;
}

/** Returns the smallest extent of a call. Extents that a kernel class lacks count as 1. */
static int64_t smallest_extent(const struct blas_call *call) {
    const bool has_n =
        call->kernel != TCPLAN_DOT && call->kernel != TCPLAN_AXPY && call->kernel != TCPLAN_MUL;
    const bool has_k = call->kernel == TCPLAN_GEMM || call->kernel == TCPLAN_BRGEMM;
    int64_t smallest = call->kernel == TCPLAN_MUL ? call->length : call->m;
    if (has_n && call->n < smallest) smallest = call->n;
    if (has_k && call->k < smallest) smallest = call->k;
    return smallest;
}

static void print(const struct blas_call *call, const char *way, double model_ns, double ns) {
    const int64_t smallest = smallest_extent(call);
    int skew = 0;
    while (smallest > skews[skew].most) skew++;
    printf("%s %s %s %.6f\n", tcplan_kernel_name(call->kernel, TCPLAN_DOUBLE), skews[skew].name,
           way, fabs(model_ns / ns - 1));
}

static void study_kernel(const struct study *study, const struct kernel_time *kernel) {
    const struct blas_call call = call_of(&kernel->key);
    const enum tcplan_dtype dtype = (enum tcplan_dtype)kernel->key.call[KERNEL_KEY_DTYPE];
    const int threads = kernel->key.call[KERNEL_KEY_THREADS];
    struct call_time time;
    if (model_times_call(&time, &study->times, &call, dtype, threads, TCPLAN_MODEL_WARM)) {
        print(&call, "models", time.ns, kernel->ns);
    } else if (model_times_beyond(&time, &study->times, &call, dtype, threads, &study->machine)) {
        print(&call, "beyond", time.ns, kernel->ns);
    }
    print(&call, "ceilings", call_model_time(&call, dtype, threads, &study->machine).ns,
          kernel->ns);
}

int main(int count, char *arguments[]) {
    static struct study study;
    static const int threads[] = {1};
    struct tcplan_error error = {0};
    struct tcplan_roofline *ceilings = NULL;
    if (count != 3) {
        fputs("usage: bench_kernel_models KERNELS MODELS\n", stderr);
        return 2;
    }
    check("the machine", tcplan_machine_load(&study.machine, "live", &error), &error);
    struct tcplan_store store = {.folder = arguments[1],
                                 .fingerprint = tcplan_fingerprint_make(&study.machine)};
    check(arguments[1], tcplan_store_experience(&study.experience, &store, &error), &error);
    store.folder = arguments[2];
    check(arguments[2], tcplan_store_models(&study.models, &store, &error), &error);
    check(arguments[2], tcplan_store_ceilings(&ceilings, &store, threads, 1, &error), &error);
    study.machine.ceilings = ceilings;
    study.times = model_times_of(study.models, &study.machine);
    for (size_t k = 0; k < study.experience->kernel_count; k++)
        study_kernel(&study, &study.experience->kernel[k]);
    tcplan_roofline_free(ceilings);
    tcplan_models_free(study.models);
    tcplan_experience_free(study.experience);
    return 0;
}
