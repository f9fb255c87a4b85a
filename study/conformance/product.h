/**
 * A tensor product as TAPP describes it, with the data that a check runs it on. It contains no
 * pointers, so that it can be sent to another process.
 *
 *     D := op_D(alpha * sum op_A(A) * op_B(B) + beta * op_C(C))
 */
#ifndef STUDY_CONFORMANCE_PRODUCT_H
#define STUDY_CONFORMANCE_PRODUCT_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tapp.h>

enum { PRODUCT_RANK = 12, PRODUCT_TENSORS = 4, PRODUCT_INDICES = PRODUCT_TENSORS * PRODUCT_RANK };
enum { PRODUCT_A, PRODUCT_B, PRODUCT_C, PRODUCT_D };

struct product_tensor {
    TAPP_datatype type;
    TAPP_element_op op;
    int rank;
    int64_t index[PRODUCT_RANK];
    int64_t extent[PRODUCT_RANK];
    int64_t stride[PRODUCT_RANK];
};

/** How a library is called. */
enum product_call {
    PRODUCT_ONCE,
    PRODUCT_TWICE,   /**< one plan is executed twice, on the same data */
    PRODUCT_BATCHED, /**< two equal products are executed as one batch */
};

struct product {
    struct product_tensor tensor[PRODUCT_TENSORS];
    double complex alpha;
    double complex beta;
    TAPP_prectype prec;
    bool is_in_place;   /**< whether C is D's memory */
    bool lacks_C;       /**< whether C is passed as NULL */
    bool is_one_factor; /**< whether A and B are the same memory */
    bool is_guarded;    /**< whether tensors lie between pages that cannot be accessed */
    bool is_invalid;    /**< whether the library must return an error */
    unsigned unread;    /**< bits of tensors that must not be read: they are filled with NaN */
    unsigned with_nan;  /**< bits of tensors whose first element is NaN, which must reach D */
    enum product_call call;
    int routine;         /**< for a CBLAS: enum cblas_kind; otherwise 0 */
    bool is_row_major;   /**< for a CBLAS: whether the matrices are row-major */
    unsigned transposed; /**< for a CBLAS: bits of the tensors that are passed as transposed */
};

/** Returns the bytes of an element. */
size_t product_bytes(TAPP_datatype type);
bool product_is_complex(TAPP_datatype type);
double complex product_get(const void *memory, int64_t at, TAPP_datatype type);
void product_put(void *memory, int64_t at, TAPP_datatype type, double complex value);

/** Number of elements that a tensor spans, at least one, and the distance from its lowest address
 * to the element whose indices are all 0. */
struct product_span {
    int64_t elems;
    int64_t first;
};
struct product_span product_span(const struct product_tensor *tensor);

/** Returns the value of the element at a distance from a tensor's lowest address: a multiple of
 * 1/3, so that rounding to single precision shows. */
double complex product_number(int tensor, int64_t at);

/** Sets dense strides; the first dimension is contiguous. */
void product_make_dense(struct product_tensor *tensor);

/** Returns whether two tensors of equal rank have the same strides. */
bool product_same_strides(const struct product_tensor *a, const struct product_tensor *b);

/** All indices of a product, those of D first. */
struct product_loops {
    int count;
    int result_count;
    int64_t index[PRODUCT_INDICES];
    int64_t extent[PRODUCT_INDICES];
    int64_t step[PRODUCT_INDICES];
};
struct product_loops product_loops(const struct product *product);

/** Returns the number of an index among the loops; -1 if absent. */
int product_loop_of(const struct product_loops *loops, int64_t index);

/** Returns the distance of a tensor's element at the loops' current indices from its element whose
 * indices are all 0. */
int64_t product_offset(const struct product_loops *loops, const struct product_tensor *tensor);

/** Advances loops [first, last) by one iteration; returns false after the last one. */
bool product_advance(struct product_loops *loops, int first, int last);

/** Returns whether one of loops [first, last) has extent 0. */
bool product_is_empty(const struct product_loops *loops, int first, int last);

/** Draws a random product of one type. Equal seeds give equal products. */
void product_draw(struct product *out, uint64_t seed);

#endif
