/** Stored ceilings. */
#ifndef STORE_KIND_CEILINGS_H
#define STORE_KIND_CEILINGS_H

#include "tcplan/ceilings.h"

/** Value of an entry of ceilings, used for writing. Reading adds ceilings to a struct
 * tcplan_roofline instead. */
struct stored_ceilings {
    struct tcplan_roofline roofline; /**< a shallow copy of the struct */
    int threads;                     /**< number of threads of the ceilings to write; 0: all */
};

#endif
