/**
 * Tensor products through TAPP compared with naive loops: random tensors of any types, extents,
 * strides and operations, executed and compared.
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
    int64_t elems; /**< that it spans, one at least */
    int64_t first; /**< from the lowest address to the element whose indices are all 0 */
    void *memory;  /**< from the lowest address on */
};

/** A product with its tensors. */
struct tapp_case {
    struct tapp_case_tensor tensor[TAPP_CASE_TENSORS];
    double complex alpha;
    double complex beta;
    TAPP_prectype prec;
    bool is_in_place; /**< C is D's memory */
    bool lacks_C;     /**< C is passed as NULL: beta is 0 */
};

/** Features of random cases. */
struct tapp_case_kind {
    bool mixes_types; /**< else all are of the same */
    bool has_empty;   /**< extents may be 0 */
};

/** Bytes of an element. */
size_t tapp_case_bytes(TAPP_datatype type);

/** A random case of a type, or of any; the tensors are filled, what lies between their elements,
 * too. */
void tapp_case_random(struct tapp_case *out, TAPP_datatype type, struct tapp_case_kind kind,
                      uint64_t *random);

/** Makes infos, spans and memory of tensors whose type, rank, indices, extents and strides are set,
 * and fills them. */
void tapp_case_fill(struct tapp_case *out, uint64_t *random);

/** Fills with NaN what the execution must not read: A and B where alpha is 0, C where beta is 0,
 * and D unless it is added. */
void tapp_case_spoil(struct tapp_case *with);

/** Makes the product of a case: fails the test where that fails. */
TAPP_tensor_product tapp_case_product(const struct tapp_case *with, TAPP_handle handle);

/** A number in a type of elements, as functions take it. */
struct tapp_case_number {
    double complex room; /* aligned for all */
};
struct tapp_case_number tapp_case_number(double complex value, TAPP_datatype type);

/** The element whose indices are all 0. */
void *tapp_case_at(const struct tapp_case_tensor *tensor);

/** Executes a product; fails the test where that fails. */
void tapp_case_execute(const struct tapp_case *with, TAPP_tensor_product product,
                       TAPP_executor exec, TAPP_status *status);

/** D as naive loops have it, kept to be compared. */
struct tapp_case_expected {
    double complex *value; /**< of every element that D spans; what is not written stays */
    double *magnitude;     /**< the sum of the magnitudes of what was added; -1: not written */
};

/** The expected D after one execution, from its current value. */
struct tapp_case_expected tapp_case_expect(const struct tapp_case *with);

/** Fails the test where D is not as expected, or something between its elements changed. Frees
 * `expected`. */
void tapp_case_check(const struct tapp_case *with, struct tapp_case_expected *expected);

/** Destroys the infos and frees the memory. */
void tapp_case_free(struct tapp_case *out);

#endif
