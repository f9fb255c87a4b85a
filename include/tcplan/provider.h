/**
 * Who provides a kernel.
 */
#ifndef TCPLAN_PROVIDER_H
#define TCPLAN_PROVIDER_H

#include "tcplan/export.h"

enum tcplan_provider {
    TCPLAN_PROVIDER_BLAS, /**< the BLAS that tcplan is built on */
    TCPLAN_PROVIDERS
};

#endif
