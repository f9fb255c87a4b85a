#include "ast/algorithm/kernel_class.h"

/* A vector times an element, added to a vector. */
KERNEL_CLASS(axpy, ROLES(ROLE_M, ROLE_N), .is_blas = true, .conjugates = CONJUGATES_SECOND);
