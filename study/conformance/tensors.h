/**
 * The memory of a product's tensors, and the result that it must have: nested loops, without
 * kernels or BLAS. Data that must not be read, and memory between elements, is NaN.
 */
#ifndef STUDY_CONFORMANCE_TENSORS_H
#define STUDY_CONFORMANCE_TENSORS_H

#include "study/conformance/product.h"

struct tensor_memory {
    unsigned char *map; /* start of the mapping; NULL: not mapped */
    size_t map_bytes;
    unsigned char *memory; /* lowest address of the tensor */
    void *at;              /* the element whose indices are all 0 */
    struct product_span span;
};

/**
 * Maps memory between two pages that cannot be accessed. A guarded tensor ends at the second page,
 * or begins right after the first if it has negative strides. Others have at least 4096 bytes
 * before and after them.
 */
bool tensor_init(struct tensor_memory *out, const struct product_tensor *tensor, bool is_guarded);
void tensor_free(struct tensor_memory *operand);

struct tensors {
    const struct product *product;
    struct tensor_memory tensor[PRODUCT_TENSORS];
    unsigned char *image; /* copy of D's memory before the call; NULL: D is too large to compare */
    double complex *expected;
    double *magnitude; /* for each element of D, the sum of the magnitudes of its terms */
    int64_t count;     /* number of elements of D */
    double terms;      /* number of products of elements in each sum */
};

/** Makes the tensors; returns false if memory runs out. To be freed with tensors_free() in any
 * case. */
bool tensors_init(struct tensors *out, const struct product *product);

/** Returns the pointer to pass to a library: that of the element whose indices are all 0. */
void *tensors_at(const struct tensors *tensors, int tensor);

/** Computes the expected result. To be called before the library, which overwrites D. */
void tensors_expect(struct tensors *tensors);

/** Returns the sum of the products of A and B for the element of D at the loops' current indices.
 * `magnitude` receives the sum of their magnitudes; sets `terms`. */
double complex tensors_sum(struct tensors *tensors, struct product_loops *loops, double *magnitude);

/** Restores D from its image. */
void tensors_reset(struct tensors *tensors);

/** Returns true if D is correct; else writes the reason. */
bool tensors_are_right(const struct tensors *tensors, char *why, size_t size);

/** Returns whether D's memory is unchanged; else writes the reason. */
bool tensors_are_untouched(const struct tensors *tensors, char *why, size_t size);

void tensors_free(struct tensors *tensors);

#endif
