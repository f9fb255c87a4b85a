#include "ast/algorithm/provider.h"

/* The CBLAS that tcplan is linked with, usually OpenBLAS. */
PROVIDER_TRAITS(openblas, "BLAS", .is_cblas = true);
