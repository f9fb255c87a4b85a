#include "ast/algorithm/kernel_class.h"

/* A matrix times a vector. */
KERNEL_CLASS(gemv, ROLES(ROLE_M | ROLE_K, ROLE_N | ROLE_K), .has_beta = true, .is_blas = true,
             .conjugates = CONJUGATES_TRANSPOSED_FIRST);
