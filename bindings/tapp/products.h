/**
 * The internals of a tensor product: its four tensors as given, the type of the computation, the
 * conversions for it, and the plans of libtcplan that compute it.
 *
 * All tensors of one type: libtcplan computes the product on the operands in place. Otherwise it is
 * computed in the widest precision of A, B and D, complex where A or B is. Operands of another type
 * are copied, converted, into temporaries; where D has another type so is the result, T := A * B,
 * and D := op_D(alpha * T + beta * op_C(C)) follows.
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
    bool conjugated;         /**< and complex: of real numbers the conjugate is the same */
    bool converted;          /**< a temporary takes its place, in the type that is computed with */
    struct tapp_shape shape; /**< of a converted one, every index once: the strides of one that it
                                has twice are added */
    int64_t stride[TAPP_MAX_INDICES]; /**< of its temporary, by the dimensions of `shape`; 0 where
                                         the tensor's is */
    int64_t place_bytes;              /**< of its temporary, from where the temporaries begin */
};

/** A plan of libtcplan for a product. */
struct tapp_plan {
    struct tapp_plan *next;
    int threads;
    bool adds; /**< C is a tensor of its own */
    struct tcplan_plan *plan;
    double planning_seconds;
};

struct tapp_product {
    struct tapp_operand operand[TAPP_TENSORS];
    enum tcplan_dtype type;  /**< that is computed with */
    bool same_layout;        /**< C has the strides and the type of D: it may be D */
    bool empty;              /**< D has no elements */
    bool sums_nothing;       /**< A or B has no elements: neither is read, and D becomes beta * C */
    int64_t temporary_bytes; /**< of one execution; 0: nothing is converted */
    void *_Atomic temporaries; /**< of that size, of an execution that ended; NULL: in use, or
                                  not allocated yet */
    struct tapp_settings *settings;
    pthread_mutex_t planning;
    struct tapp_plan *_Atomic plans; /**< grows at its head, under the lock */
    char *description[2]; /**< made when they are asked for, under the lock: of the plan, of the
                             improved plan */
};

/**
 * Checks whether four tensors make a product, in the order of the reference implementation.
 *
 * @return 0, or a code of tapp/tcplan.h, which is noted
 */
TAPP_error tapp_check_structure(const struct tapp_operand operand[TAPP_TENSORS]);

/** Decides on the conversions and the places of temporaries. Fails with TAPP_TCPLAN_LIMIT if they
 * are too large. */
TAPP_error tapp_decide_types(struct tapp_product *product, TAPP_prectype prec);

/**
 * The plan for that many threads, which is made if there is none yet.
 *
 * @param adds  whether C is a tensor of its own
 * @return 0, or a code, which is noted
 */
TAPP_error tapp_product_plan(struct tapp_plan **out, struct tapp_product *product, int threads,
                             bool adds);

/** The plan that was made with the product. */
struct tapp_plan *tapp_product_first_plan(const struct tapp_product *product);

/** Translates an error of libtcplan to a code and records it; `code` if there is no better one. */
TAPP_error tapp_fail_as(TAPP_error code, enum tcplan_status status,
                        const struct tcplan_error *error);

/** `estimated` and so on. */
const char *tapp_origin_name(enum tcplan_plan_origin origin);

/** Frees a product; NULL is fine. */
void tapp_product_free(struct tapp_product *product);

#endif
