/**
 * Tensor products: four tensors as given, the type of the computation, the conversions that it
 * needs, and plans of libtcplan.
 *
 * If all tensors have the same type, libtcplan computes the product in place. Otherwise the
 * computation uses the widest precision of A, B and D, complex if A or B is. Operands of another
 * type are converted into temporaries. If D has another type, the result T := A * B is a temporary
 * too, and D := op_D(alpha * T + beta * op_C(C)) follows.
 */
#ifndef TAPP_PRODUCTS_H
#define TAPP_PRODUCTS_H

#include <pthread.h>
#include <stdatomic.h>

#include <tapp/product.h>

#include "bindings/tapp/convert.h"
#include "bindings/tapp/settings.h"
#include "tcplan/plan.h"

enum tapp_role { TAPP_A, TAPP_B, TAPP_C, TAPP_D, TAPP_TENSORS };

extern const char *const tapp_role_name[TAPP_TENSORS];

/** A tensor of a product. */
struct tapp_operand {
    struct tapp_shape given;
    enum tcplan_dtype type;
    bool conjugated; /**< whether the operand is conjugated and complex; conjugation does not change
                        real numbers */
    bool converted;  /**< whether the operand is replaced by a temporary in the type of the
                        computation */
    struct tapp_shape shape; /**< for converted operands: a shape in which each index occurs once;
                                the strides of an index that occurs twice are added */
    int64_t stride[TAPP_MAX_INDICES]; /**< strides of the temporary for the dimensions of `shape`; 0
                                         where the tensor's stride is 0 */
    int64_t place_bytes; /**< offset of the temporary in the memory of all temporaries, in bytes */
};

/** A plan of libtcplan for a product with this number of threads. */
struct tapp_plan {
    struct tapp_plan *next;
    int threads;
    bool adds; /**< whether C is a separate addend; false: D is scaled in place */
    struct tcplan_plan *plan;
    double planning_seconds;
};

struct tapp_product {
    struct tapp_operand operand[TAPP_TENSORS];
    enum tcplan_dtype type; /**< type of the computation */
    bool same_layout;  /**< whether C has the strides and the type of D, so they may be the same
                          array */
    bool empty;        /**< whether D has no elements */
    bool sums_nothing; /**< whether A or B has no elements; then neither is read, and the result is
                          beta * C */
    int64_t temporary_bytes; /**< bytes of all temporaries of an execution; 0: nothing is converted
                              */
    void *_Atomic temporaries; /**< temporary memory of `temporary_bytes`, left by an earlier
                                  execution; NULL: in use, or not yet allocated */
    struct tapp_settings *settings;
    pthread_mutex_t planning;
    struct tapp_plan *_Atomic plans; /**< list of plans; new ones are inserted at the front, under
                                        the lock */
    char *description[2]; /**< descriptions of the plan and of the improved plan, made on request,
                             under the lock */
};

/**
 * Checks whether four tensors make a product, in the order of the reference implementation.
 *
 * @return 0, or a code of tapp/tcplan.h that tapp_fail() has recorded
 */
TAPP_error tapp_check_structure(const struct tapp_operand operand[TAPP_TENSORS]);

/** Chooses the type of the computation, the operands to be converted, and the places of
 * temporaries. Fails with TAPP_TCPLAN_LIMIT if the temporaries are too large. */
TAPP_error tapp_decide_types(struct tapp_product *product, TAPP_prectype prec);

/**
 * Finds or makes the plan for this many threads.
 *
 * @param adds  whether C is an addend of its own
 * @return 0, or a code that tapp_fail() has recorded
 */
TAPP_error tapp_product_plan(struct tapp_plan **out, struct tapp_product *product, int threads,
                             bool adds);

/** Returns the plan that was made with the product. */
struct tapp_plan *tapp_product_first_plan(const struct tapp_product *product);

/** Translates an error of libtcplan to a code (to `code` if no other fits better), and records it.
 */
TAPP_error tapp_fail_as(TAPP_error code, enum tcplan_status status,
                        const struct tcplan_error *error);

/** Returns the name of an origin: `estimated`, `stored` and others. */
const char *tapp_origin_name(enum tcplan_plan_origin origin);

/** Frees a product; NULL is fine. */
void tapp_product_free(struct tapp_product *product);

#endif
