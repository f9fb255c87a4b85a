#include "ast/algorithm/kernel_class.h"

/* The outer product of two vectors, added to a matrix. */
KERNEL_CLASS(ger, ROLES(ROLE_M | ROLE_N), .complex_name = "geru", .conjugating = "gerc",
             .is_blas = true, .follows_result = true, .conjugates = CONJUGATES_SECOND,
             .turns_second = true);
