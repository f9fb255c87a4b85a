/**
 * The BLAS that kernels run on.
 */
#ifndef TCPLAN_BLAS_H
#define TCPLAN_BLAS_H

#include "tcplan/export.h"

struct tcplan_blas {
    const char *name;
    const char *version;
    const char *core; /**< the core type whose kernels it selected */
};

/** Asks the BLAS what it is. The strings live as long as the program. */
TCPLAN_API struct tcplan_blas tcplan_blas_info(void);

#endif
