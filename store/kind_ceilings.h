/**
 * Ceilings as what is kept.
 */
#ifndef STORE_KIND_CEILINGS_H
#define STORE_KIND_CEILINGS_H

#include "tcplan/ceilings.h"

/** What is written. Read is a struct tcplan_roofline, whose ceilings are added to. */
struct kept_ceilings {
    struct tcplan_roofline roofline; /**< a copy of the struct, not of what it points to */
    int threads;                     /**< only the ceilings for so many; 0: all */
};

#endif
