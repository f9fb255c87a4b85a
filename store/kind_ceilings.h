/**
 * Ceilings as what is kept.
 */
#ifndef STORE_KIND_CEILINGS_H
#define STORE_KIND_CEILINGS_H

#include "tcplan/ceilings.h"

/** What is written. Read is a struct tcplan_roofline, whose ceilings are added to. */
struct kept_ceilings {
    const struct tcplan_roofline *roofline;
    int threads; /**< only the ceilings for so many; 0: all */
};

#endif
