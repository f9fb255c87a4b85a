#include "ast/algorithm/kernel_class.h"

/* The element-wise product of two vectors. */
KERNEL_CLASS(mul, ROLES(ROLE_H), .has_beta = true, .is_own = true, .conjugates = CONJUGATES_ANY,
             .times = " .* ");
