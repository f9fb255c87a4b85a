#include "ast/algorithm/kernel_class.h"

/* The product of two matrices. */
KERNEL_CLASS(gemm, ROLES(ROLE_M | ROLE_N | ROLE_K), .takes_parts = true, .has_beta = true,
             .is_blas = true, .blocks_contracted = true, .follows_result = true,
             .conjugates = CONJUGATES_TRANSPOSED);
