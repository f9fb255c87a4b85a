#include "roofline/kernels/stream_check.h"

#include <stdbool.h>

#include "base/alloc.h"
#include "base/error.h"

enum { ALIGNMENT = 64, ELEMS = 3 * STREAM_BLOCK_ELEMS, PASSES = 3, FACTOR = 2 };

static double value_of(int array, int64_t i) {
    return (double)(1 + (i * 7 + array * 3) % 13);
}

/** Returns the value of an element of `a` after one pass. */
static double result_of(enum stream_operation operation, double a, double b, double c) {
    switch (operation) {
    case STREAM_STORE:
    case STREAM_STORE_1:
    case STREAM_STORE_2:
    case STREAM_STORE_4:
    case STREAM_STORE_8:
    case STREAM_STORE_16:
    case STREAM_STORE_32:
    case STREAM_STORE_64:
    case STREAM_STORE_NT: return FACTOR;
    case STREAM_COPY: return b;
    case STREAM_TRIAD:
    case STREAM_TRIAD_NT: return b + FACTOR * c;
    case STREAM_UPDATE: return FACTOR * a;
    case STREAM_AXPY: return a + FACTOR * b;
    case STREAM_LOAD:
    case STREAM_LOAD_RANDOM:
    case STREAM_LOAD_1:
    case STREAM_LOAD_2:
    case STREAM_LOAD_4:
    case STREAM_LOAD_8:
    case STREAM_LOAD_16:
    case STREAM_LOAD_32:
    case STREAM_LOAD_64:
    case STREAM_OPERATIONS: break;
    }
    return a;
}

double stream_check_loaded(const struct stream_kernel *kernel, const struct stream *stream) {
    const int lanes = kernel->vector_bits / 64;
    const int stride = stream_shape(kernel->operation).stride;
    double sum = 0;
    for (int64_t i = stream->elems - (int64_t)lanes * stride; i < stream->elems; i += stride)
        sum += stream->a[i];
    return sum;
}

static bool is_right(const struct stream_kernel *kernel, int parts, double *memory) {
    double *a = memory;
    double *b = memory + ELEMS;
    double *c = memory + (ptrdiff_t)2 * ELEMS;
    const struct stream_shape shape = stream_shape(kernel->operation);
    for (int64_t i = 0; i < ELEMS; i++) {
        a[i] = value_of(0, i);
        b[i] = value_of(1, i);
        c[i] = value_of(2, i);
    }
    const struct stream stream = {
        .a = a, .b = b, .c = c, .s = FACTOR, .elems = ELEMS, .parts = parts, .passes = PASSES};
    bool right = kernel->run(&stream) ==
                 (shape.written_bytes == 0 ? stream_check_loaded(kernel, &stream) : 0);
    for (int64_t i = 0; i < ELEMS; i++) {
        double expected = value_of(0, i);
        const int passes = i % shape.stride == 0 ? PASSES : 0; /* other elements are not visited */
        for (int p = 0; p < passes; p++)
            expected = result_of(kernel->operation, expected, value_of(1, i), value_of(2, i));
        right = right && a[i] == expected && b[i] == value_of(1, i) && c[i] == value_of(2, i);
    }
    return right;
}

enum tcplan_status stream_check(const struct kernel_set *set, struct tcplan_error *error) {
    double *memory = base_aligned_alloc(ALIGNMENT, (size_t)3 * ELEMS * sizeof *memory);
    enum tcplan_status status = TCPLAN_OK;
    if (!memory) return error_no_memory(error);
    for (int k = 0; k < set->stream_count && status == TCPLAN_OK; k++) {
        if (is_right(&set->stream[k], 1, memory) && is_right(&set->stream[k], STREAM_PARTS, memory))
            continue;
        status =
            error_set(error, TCPLAN_ENVIRONMENT,
                      "the kernel %s (%d bits) computes wrong results: the compiler changed it",
                      stream_name(set->stream[k].operation), set->stream[k].vector_bits);
    }
    base_free(memory);
    return status;
}
