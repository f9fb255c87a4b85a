/**
 * Extensions of libtcplan-tapp to the interface: keys of attributes, and names of errors.
 *
 * The library reads these variables of the environment, when a handle is made, and once for
 * products without one:
 *
 *   TCPLAN_EFFORT    default effort of planning, without an attribute: estimate (the default),
 *                    quick, normal or thorough
 *   TCPLAN_THREADS   how many threads an executor has that does not say (default 1)
 *   TCPLAN_PLANS     the file of stored plans, which is read and added to; empty: none. If it is
 *                    not set, plans are in the store
 *   TCPLAN_STORE     the store of data about the machine, as for the command; empty: none
 */
#ifndef TAPP_TCPLAN_H_
#define TAPP_TCPLAN_H_

#include "tapp/attributes.h"
#include "tapp/error.h"

/**
 * Keys. The comment of an attribute names its object and the type to which the pointers of
 * TAPP_attr_set() and TAPP_attr_get() point. Attributes of handles hold for products made later.
 */
enum {
    TAPP_TCPLAN_EFFORT =
        0x1000, /**< handle; char[]: `estimate` (nothing is timed), `quick`, `normal`, `thorough` */
    TAPP_TCPLAN_TIME_LIMIT, /**< handle; double: seconds that planning a product may take; 0: no
                               limit */
    TAPP_TCPLAN_THREADS,    /**< handle, executor; int: threads that products are planned for, and
                               executed with. An executor with another number than the handle has
                               products planned anew, once, when it first executes them. Of a status:
                               that ran */
    TAPP_TCPLAN_PLANS, /**< handle; char[]: the file of stored plans, which is read and added to, or
                          a folder; empty: none */
    TAPP_TCPLAN_STORE, /**< handle; char[]: the store of data about the machine; empty: none */
    TAPP_TCPLAN_IMPROVE, /**< handle; int: the first executions in which a product's plan improves
                            itself, each by another algorithm; 0, as at first: none */

    TAPP_TCPLAN_ALGORITHM =
        0x1100, /**< product, status; char[]: the name of the algorithm, as `tcplan rank` prints it.
                   To be read only, as all that follow */
    TAPP_TCPLAN_ORIGIN, /**< product, status; char[]: how it was chosen, as `estimated`, `compared`,
                           `stored` */
    TAPP_TCPLAN_DESCRIPTION,      /**< product; char[]: some lines about the plan */
    TAPP_TCPLAN_PLANNING_SECONDS, /**< product; double: what planning took */
    TAPP_TCPLAN_SECONDS,          /**< status; double: how long the execution took */
    TAPP_TCPLAN_BATCHES           /**< status; int: how many products were computed */
};

/** Codes. The first are those of the reference implementation. */
enum {
    TAPP_TCPLAN_SUCCESS = 0,
    TAPP_TCPLAN_EXTENT_A_B = 1,      /**< an index has one extent in A and another in B */
    TAPP_TCPLAN_EXTENT_A_D = 2,      /**< in A and D */
    TAPP_TCPLAN_EXTENT_B_D = 3,      /**< in B and D */
    TAPP_TCPLAN_INDEX_ONLY_IN_D = 4, /**< an index of D is in neither A nor B */
    TAPP_TCPLAN_RANK_C_D = 5,        /**< C and D have not as many dimensions */
    TAPP_TCPLAN_INDEX_C_D = 6,       /**< C has another index in a place than D */
    TAPP_TCPLAN_EXTENT_C_D = 7,      /**< another extent */
    TAPP_TCPLAN_ALIASING = 8, /**< two elements of D are one, or it would take too long to tell */
    TAPP_TCPLAN_EXTENT_A = 9, /**< an index that is twice in A has two extents */
    TAPP_TCPLAN_EXTENT_B = 10,
    TAPP_TCPLAN_EXTENT_D = 11,
    TAPP_TCPLAN_NULL_C = 12, /**< C is NULL, and beta is not 0 */
    TAPP_TCPLAN_NEGATIVE_RANK = 14,
    TAPP_TCPLAN_NEGATIVE_EXTENT = 15,
    TAPP_TCPLAN_NO_EXECUTOR = 33, /**< that is no executor */

    TAPP_TCPLAN_NO_MEMORY = 64,
    TAPP_TCPLAN_NULL_POINTER = 65,
    TAPP_TCPLAN_NO_OBJECT = 66, /**< that is no object of the kind wanted, or it was destroyed */
    TAPP_TCPLAN_TYPE = 67,      /**< a type of elements that is not here: 16 bits, or unknown */
    TAPP_TCPLAN_OPERATION =
        68,                 /**< neither the identity nor the conjugate, or an unknown precision */
    TAPP_TCPLAN_LIMIT = 69, /**< more than 64 indices, or an extent beyond 2147483647, or a tensor
                               beyond the address space */
    TAPP_TCPLAN_PLANNING = 70,  /**< no plan could be made */
    TAPP_TCPLAN_EXECUTION = 71, /**< a plan could not be executed */
    TAPP_TCPLAN_ATTRIBUTE =
        72, /**< the object has no such attribute, or it cannot be set, or not to this */
    TAPP_TCPLAN_C_IS_OTHER_D = 73, /**< C is D, but has other strides or another type */
    TAPP_TCPLAN_NEGATIVE_BATCHES = 74,
    TAPP_TCPLAN_ENVIRONMENT = 75 /**< a variable of the environment is malformed */
};

#endif
