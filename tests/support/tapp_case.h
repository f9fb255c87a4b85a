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

/** A tensor of a product under test. */
struct tapp_case_tensor {
    TAPP_datatype type;
    TAPP_element_op op;
    int rank;
    int64_t index[TAPP_CASE_RANK];
    int64_t extent[TAPP_CASE_RANK];
    int64_t stride[TAPP_CASE_RANK];
    TAPP_tensor_info info;
    int64_t elems; /**< number of elements between its lowest and highest address, at least 1 */
    int64_t first; /**< position of the element whose indices are all 0, counted from the lowest
                      address */
    void *memory;  /**< lowest address of the tensor */
};

/** A product with its tensors. */
struct tapp_case {
    struct tapp_case_tensor tensor[TAPP_CASE_TENSORS];
    double complex alpha;
    double complex beta;
    TAPP_prectype prec;
    bool is_in_place; /**< whether C and D are the same memory */
    bool lacks_C;     /**< whether C is passed as NULL; beta is then 0 */
};

/** Which features random products have. */
struct tapp_case_kind {
    bool mixes_types; /**< whether tensors may have different types */
    bool has_empty;   /**< extents may be 0 */
};

/** Returns the bytes of an element. */
size_t tapp_case_bytes(TAPP_datatype type);

/** Makes a random product with elements of a type, or of any types. Fills the tensors, and the gaps
 * between their elements. */
void tapp_case_random(struct tapp_case *out, TAPP_datatype type, struct tapp_case_kind kind,
                      uint64_t *random);

/** Makes the TAPP infos and the memory of tensors whose type, rank, indices, extents and strides
 * are set, and fills them. */
void tapp_case_fill(struct tapp_case *out, uint64_t *random);

/** Sets elements that an execution must not read to NaN: A and B if alpha is 0, C if beta is 0, and
 * D unless C is D and beta is not 0. */
void tapp_case_spoil(struct tapp_case *with);

/** Makes the TAPP product of a case; fails the test on errors. */
TAPP_tensor_product tapp_case_product(const struct tapp_case *with, TAPP_handle handle);

/** alpha or beta in the type of the elements, as TAPP functions receive it. */
struct tapp_case_number {
    double complex room; /* largest type, for the alignment */
};
struct tapp_case_number tapp_case_number(double complex value, TAPP_datatype type);

/** Returns the address of the element whose indices are all 0. */
void *tapp_case_at(const struct tapp_case_tensor *tensor);

/** Executes a product; fails the test if this fails. */
void tapp_case_execute(const struct tapp_case *with, TAPP_tensor_product product,
                       TAPP_executor exec, TAPP_status *status);

/** The expected D after an execution. */
struct tapp_case_expected {
    double complex *value; /**< for each element that D spans; those not written keep their values
                            */
    double *magnitude;     /**< sum of the magnitudes of an element's terms; -1: not written */
};

/** Computes the expected D after one execution, from the current tensors. */
struct tapp_case_expected tapp_case_expect(const struct tapp_case *with);

/** Compares D with the expected values. Fails the test if they differ, or if memory between the
 * elements changed. Frees `expected`. */
void tapp_case_check(const struct tapp_case *with, struct tapp_case_expected *expected);

/** Destroys the TAPP infos and frees the tensors. */
void tapp_case_free(struct tapp_case *out);

#endif
