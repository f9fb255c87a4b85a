#include "ast/algorithm/kernel_class.h"

/* The sum of the products of two vectors. */
KERNEL_CLASS(dot, ROLES(ROLE_K), .complex_name = "dotu", .conjugating = "dotc",
             .takes_elements = true, .has_beta = true, .is_blas = true,
             .conjugates = CONJUGATES_ANY);
