#include "routines/sampler/timing/reference_calls.h"

#include <math.h>

#include "base/alloc.h"
#include "base/error.h"

enum { ALIGNMENT = 64 };

/** Prepares calls of dgemm, on matrices whose elements are 1 / extent so that repeated products
 * keep their values. */
enum tcplan_status reference_calls_open(struct reference_calls *out, struct tcplan_error *error) {
    enum { ELEMENTS = SETTLING_EXTENT * SETTLING_EXTENT };
    static const char *const operand[] = {"A", "B", "C"};
    static const char *const size[] = {"m", "n", "k", "ldA", "ldB", "ldC"};
    int64_t value[SIGNATURE_MAX_ARGUMENTS] = {0};
    struct call_scalar scalar[SIGNATURE_MAX_ARGUMENTS] = {{0}};
    void *data[SIGNATURE_MAX_ARGUMENTS] = {NULL};
    const struct signature *signature = NULL;
    struct routine routine;
    out->data = NULL;
    enum tcplan_status status = signature_find(&signature, "dgemm", error);
    if (status == TCPLAN_OK)
        status = routine_bind(&routine, signature, TCPLAN_PROVIDER_BLAS, error);
    if (status != TCPLAN_OK) return status;
    out->data = base_aligned_alloc(ALIGNMENT, 3 * ELEMENTS * sizeof *out->data);
    if (!out->data) return error_no_memory(error);
    for (int e = 0; e < 3 * ELEMENTS; e++) out->data[e] = 1.0 / SETTLING_EXTENT;
    value[signature_argument(signature, "transA")] =
        value[signature_argument(signature, "transB")] = 'N';
    for (size_t s = 0; s < sizeof size / sizeof *size; s++)
        value[signature_argument(signature, size[s])] = SETTLING_EXTENT;
    for (int o = 0; o < 3; o++)
        data[signature_argument(signature, operand[o])] = out->data + (size_t)o * ELEMENTS;
    scalar[signature_argument(signature, "alpha")].re = 1;
    return call_prepare(&out->call, &routine, value, scalar, data, error);
}

void reference_calls_close(struct reference_calls *reference) {
    base_free(reference->data);
    reference->data = NULL;
}

enum tcplan_status reference_calls_add(struct queue *queue, const struct reference_calls *reference,
                                       int tag, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int r = 0; r < REFERENCE_CALLS && status == TCPLAN_OK; r++)
        status = queue_add(queue, &reference->call, tag, error);
    return status;
}

double reference_calls_seconds(const struct sample sample[], int count) {
    double least = INFINITY;
    for (int r = REFERENCE_CALLS - SETTLING_COUNTED; r < REFERENCE_CALLS && r < count; r++)
        least = fmin(least, sample[r].ns);
    return isfinite(least) ? least * 1e-9 : 0;
}
