/**
 * Extensions of libtcplan-tapp to the interface: keys of attributes, and names of errors.
 *
 * The library reads these environment variables when a handle is made, and once for products
 * without a handle:
 *
 *   TCPLAN_EFFORT    effort of planning unless an attribute sets it: estimate (the default), quick,
 *                    normal or thorough
 *   TCPLAN_THREADS   number of threads unless an attribute sets it (default 1)
 *   TCPLAN_PLANS     file of stored plans, which is read and extended; empty: none. If it is not
 *                    set, plans are in the store
 *   TCPLAN_STORE     folder of the store of data about the machine, as for the command; empty: none
 */
#ifndef TAPP_TCPLAN_H_
#define TAPP_TCPLAN_H_

#include "tapp/attributes.h"
#include "tapp/error.h"

/**
 * Keys. The comment of an attribute names its object and the type to which the pointers of
 * TAPP_attr_set() and TAPP_attr_get() point. Attributes of a handle apply to products made later.
 */
enum {
    TAPP_TCPLAN_EFFORT =
        0x1000, /**< handle; char[]: `estimate` (nothing is timed), `quick`, `normal`, `thorough` */
    TAPP_TCPLAN_TIME_LIMIT, /**< handle; double: seconds that planning a product may take; 0: no
                               limit */
    TAPP_TCPLAN_THREADS,    /**< handle, executor; int: number of threads that plan and execute
                                 products. If an executor and the handle have different numbers, the
                                 first execution plans the product anew. status; int: number of
                                 threads that ran */
    TAPP_TCPLAN_PLANS,   /**< handle; char[]: file of stored plans, which is read and extended, or a
                            folder; empty: none */
    TAPP_TCPLAN_STORE,   /**< handle; char[]: folder of the store of data about the machine; empty:
                            none */
    TAPP_TCPLAN_IMPROVE, /**< handle; int: number of executions, from the first on, in which a
                            product's plan tries other algorithms to improve itself; 0 (the
                            default): none */

    TAPP_TCPLAN_ALGORITHM = 0x1100, /**< product, status; char[]: name of the algorithm, as `tcplan
                   rank` prints it. This attribute and all that follow are read-only */
    TAPP_TCPLAN_ORIGIN, /**< product, status; char[]: how the algorithm was chosen: `estimated`,
                           `compared`, `stored` and others */
    TAPP_TCPLAN_DESCRIPTION,      /**< product; char[]: a description of the plan in a few lines */
    TAPP_TCPLAN_PLANNING_SECONDS, /**< product; double: seconds that planning took */
    TAPP_TCPLAN_SECONDS,          /**< status; double: seconds that the execution took */
    TAPP_TCPLAN_BATCHES           /**< status; int: number of products computed */
};

/** Error codes. The reference implementation has some of them, with the same values. */
enum {
    TAPP_TCPLAN_SUCCESS = 0,
    TAPP_TCPLAN_EXTENT_A_B = 1,      /**< an index has one extent in A and another in B */
    TAPP_TCPLAN_EXTENT_A_D = 2,      /**< an index has one extent in A and another in D */
    TAPP_TCPLAN_EXTENT_B_D = 3,      /**< an index has one extent in B and another in D */
    TAPP_TCPLAN_INDEX_ONLY_IN_D = 4, /**< an index of D is in neither A nor B */
    TAPP_TCPLAN_RANK_C_D = 5,        /**< C and D have different numbers of dimensions */
    TAPP_TCPLAN_INDEX_C_D = 6,       /**< a dimension has different indices in C and D */
    TAPP_TCPLAN_EXTENT_C_D = 7,      /**< a dimension has different extents in C and D */
    TAPP_TCPLAN_ALIASING = 8, /**< elements of D coincide, or the check would take too long */
    TAPP_TCPLAN_EXTENT_A = 9, /**< an index that occurs twice in A has two extents */
    TAPP_TCPLAN_EXTENT_B = 10,
    TAPP_TCPLAN_EXTENT_D = 11,
    TAPP_TCPLAN_NULL_C = 12, /**< C is NULL and beta is not 0 */
    TAPP_TCPLAN_NEGATIVE_RANK = 14,
    TAPP_TCPLAN_NEGATIVE_EXTENT = 15,
    TAPP_TCPLAN_NO_EXECUTOR = 33, /**< the handle is not an executor */

    TAPP_TCPLAN_NO_MEMORY = 64,
    TAPP_TCPLAN_NULL_POINTER = 65,
    TAPP_TCPLAN_NO_OBJECT =
        66, /**< the handle is not an object of this kind, or the object was destroyed */
    TAPP_TCPLAN_TYPE = 67, /**< the type of elements is not supported: 16 bits, or unknown */
    TAPP_TCPLAN_OPERATION =
        68, /**< an operation other than identity and conjugate, or an unknown precision */
    TAPP_TCPLAN_LIMIT = 69, /**< more than 64 indices, or an extent beyond 2147483647, or a tensor
                               beyond the address space */
    TAPP_TCPLAN_PLANNING = 70,  /**< no plan could be made */
    TAPP_TCPLAN_EXECUTION = 71, /**< a plan could not be executed */
    TAPP_TCPLAN_ATTRIBUTE = 72, /**< the object lacks the attribute, or the attribute cannot be set,
                                   or not to this value */
    TAPP_TCPLAN_C_IS_OTHER_D = 73, /**< C is D, but with other strides or another type */
    TAPP_TCPLAN_NEGATIVE_BATCHES = 74,
    TAPP_TCPLAN_ENVIRONMENT = 75 /**< an environment variable has an invalid value */
};

#endif
