#include "study/conformance/product.h"

#include <stdlib.h>

size_t product_bytes(TAPP_datatype type) {
    static const size_t bytes[] = {4, 8, 8, 16};
    return bytes[type];
}

bool product_is_complex(TAPP_datatype type) {
    return type == TAPP_C32 || type == TAPP_C64;
}

double complex product_get(const void *memory, int64_t at, TAPP_datatype type) {
    switch (type) {
    case TAPP_F32: return (double)((const float *)memory)[at];
    case TAPP_F64: return ((const double *)memory)[at];
    case TAPP_C32: return (double complex)((const float complex *)memory)[at];
    default: return ((const double complex *)memory)[at];
    }
}

void product_put(void *memory, int64_t at, TAPP_datatype type, double complex value) {
    switch (type) {
    case TAPP_F32: ((float *)memory)[at] = (float)creal(value); return;
    case TAPP_F64: ((double *)memory)[at] = creal(value); return;
    case TAPP_C32: ((float complex *)memory)[at] = (float complex)value; return;
    default: ((double complex *)memory)[at] = value; return;
    }
}

struct product_span product_span(const struct product_tensor *tensor) {
    struct product_span span = {.elems = 1};
    for (int d = 0; d < tensor->rank; d++) {
        const int64_t last =
            tensor->extent[d] > 0 ? (tensor->extent[d] - 1) * tensor->stride[d] : 0;
        span.elems += llabs(last);
        if (last < 0) span.first -= last;
    }
    return span;
}

double complex product_number(int tensor, int64_t at) {
    const double re = (double)((at * 7 + tensor * 3) % 11 - 5) / 3;
    const double im = (double)((at * 5 + tensor) % 7 - 3) / 3;
    return re + im * I;
}

void product_make_dense(struct product_tensor *tensor) {
    int64_t stride = 1;
    for (int d = 0; d < tensor->rank; d++) {
        tensor->stride[d] = stride;
        if (tensor->extent[d] > 0) stride *= tensor->extent[d];
    }
}

bool product_same_strides(const struct product_tensor *a, const struct product_tensor *b) {
    for (int d = 0; d < a->rank; d++) {
        if (a->stride[d] != b->stride[d]) return false;
    }
    return true;
}

/* Loops over the indices. */

int product_loop_of(const struct product_loops *loops, int64_t index) {
    for (int i = 0; i < loops->count; i++) {
        if (loops->index[i] == index) return i;
    }
    return -1;
}

static void add_loops(struct product_loops *loops, const struct product_tensor *tensor) {
    for (int d = 0; d < tensor->rank; d++) {
        if (product_loop_of(loops, tensor->index[d]) >= 0) continue;
        loops->index[loops->count] = tensor->index[d];
        loops->extent[loops->count++] = tensor->extent[d];
    }
}

struct product_loops product_loops(const struct product *product) {
    struct product_loops loops = {.count = 0};
    add_loops(&loops, &product->tensor[PRODUCT_D]);
    loops.result_count = loops.count;
    add_loops(&loops, &product->tensor[PRODUCT_A]);
    add_loops(&loops, &product->tensor[PRODUCT_B]);
    return loops;
}

int64_t product_offset(const struct product_loops *loops, const struct product_tensor *tensor) {
    int64_t offset = 0;
    for (int d = 0; d < tensor->rank; d++) {
        const int loop = product_loop_of(loops, tensor->index[d]);
        if (loop >= 0) offset += loops->step[loop] * tensor->stride[d];
    }
    return offset;
}

bool product_advance(struct product_loops *loops, int first, int last) {
    for (int i = first; i < last; i++) {
        if (++loops->step[i] < loops->extent[i]) return true;
        loops->step[i] = 0;
    }
    return false;
}

bool product_is_empty(const struct product_loops *loops, int first, int last) {
    for (int i = first; i < last; i++) {
        if (loops->extent[i] == 0) return true;
    }
    return false;
}
