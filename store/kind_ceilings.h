/** Stored ceilings. */
#ifndef STORE_KIND_CEILINGS_H
#define STORE_KIND_CEILINGS_H

#include "tcplan/ceilings.h"

/** The value that is written. Reading adds to the ceilings of a struct tcplan_roofline. */
struct kept_ceilings {
    struct tcplan_roofline roofline; /**< a shallow copy of the struct */
    int threads;                     /**< only the ceilings for this number; 0: all */
};

#endif
