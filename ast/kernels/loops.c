#include "ast/algorithm/kernel_class.h"

/* The whole contraction as one kernel. */
KERNEL_CLASS(loops, ROLES(ROLE_M | ROLE_N | ROLE_K | ROLE_H), .takes_parts = true,
             .takes_loops = true, .has_beta = true, .conjugates = CONJUGATES_ANY);
