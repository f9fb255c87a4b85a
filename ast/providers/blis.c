#include "ast/algorithm/provider.h"

/* BLIS through its typed interface, whose matrices may have two arbitrary strides. */
PROVIDER_TRAITS(blis, "BLIS", .kernels = 1 << TCPLAN_GEMM, .takes_any_strides = true,
                .conjugates_whatever = true);
