/**
 * Tensor products through TAPP, compared with naive loops: random tensors of any types, extents,
 * strides and operations.
 */
#ifndef SUPPORT_TAPP_CASE_H
#define SUPPORT_TAPP_CASE_H

#include <complex.h>
#include <stddef.h>

#include <tapp.h>

enum { TAPP_CASE_RANK = 12, TAPP_CASE_TENSORS = 4 };
enum { CASE_A, CASE_B, CASE_C, CASE_D };

/** A tensor of a case. */
struct tapp_case_tensor {
    TAPP_datatype type;
    TAPP_element_op op;
    int rank;
    int64_t index[TAPP_CASE_RANK];
    int64_t extent[TAPP_CASE_RANK];
    int64_t stride[TAPP_CASE_RANK];
    TAPP_tensor_info info;
    int64_t elems; /**< number of elements that it spans, at least 1 */
    int64_t first; /**< elements from the lowest address to the element whose indices are all 0 */
    void *memory;  /**< starts at the lowest address */
};

/** A product with its tensors. */
struct tapp_case {
    struct tapp_case_tensor tensor[TAPP_CASE_TENSORS];
    double complex alpha;
    double complex beta;
    TAPP_prectype prec;
    bool is_in_place; /**< C is the memory of D */
    bool lacks_C;     /**< C is passed as NULL: beta is 0 */
};

/** Features of random cases. */
struct tapp_case_kind {
    bool mixes_types; /**< false: all tensors have the same type */
    bool has_empty;   /**< extents may be 0 */
};

/** Returns the bytes of an element. */
size_t tapp_case_bytes(TAPP_datatype type);

/** Makes a random case of a type, or of any type. Fills the tensors, and the gaps between their
 * elements. */
void tapp_case_random(struct tapp_case *out, TAPP_datatype type, struct tapp_case_kind kind,
                      uint64_t *random);

/** Makes infos, spans and memory of tensors with type, rank, indices, extents and strides, and
 * fills them. */
void tapp_case_fill(struct tapp_case *out, uint64_t *random);

/** Sets what the execution must not read to NaN: A and B if alpha is 0, C if beta is 0, and D
 * unless it is added. */
void tapp_case_spoil(struct tapp_case *with);

/** Makes the product of a case; fails the test if this fails. */
TAPP_tensor_product tapp_case_product(const struct tapp_case *with, TAPP_handle handle);

/** A number in the type of the elements, as TAPP functions receive it. */
struct tapp_case_number {
    double complex room; /* aligned for every type */
};
struct tapp_case_number tapp_case_number(double complex value, TAPP_datatype type);

/** Returns the element whose indices are all 0. */
void *tapp_case_at(const struct tapp_case_tensor *tensor);

/** Executes a product; fails the test if this fails. */
void tapp_case_execute(const struct tapp_case *with, TAPP_tensor_product product,
                       TAPP_executor exec, TAPP_status *status);

/** The expected D, to be compared with the result. */
struct tapp_case_expected {
    double complex *value; /**< of every element that D spans; unwritten ones have their old values
                            */
    double *magnitude;     /**< the sum of the magnitudes of the terms; -1: not written */
};

/** Computes the expected D after one execution, from its current value. */
struct tapp_case_expected tapp_case_expect(const struct tapp_case *with);

/** Fails the test if D differs from the expected value, or something between its elements changed.
 * Frees `expected`. */
void tapp_case_check(const struct tapp_case *with, struct tapp_case_expected *expected);

/** Destroys the infos and frees the memory. */
void tapp_case_free(struct tapp_case *out);

#endif
