#include "ast/algorithm/kernel_class.h"

/* The sum of products of matrices. */
KERNEL_CLASS(brgemm, ROLES(ROLE_M | ROLE_N | ROLE_K | ROLE_R), .takes_parts = true, .needs = ROLE_R,
             .has_beta = true, .blocks_contracted = true, .follows_result = true);
