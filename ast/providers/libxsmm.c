#include "ast/algorithm/provider.h"

enum { GEMM = 1 << TCPLAN_GEMM, BRGEMM = 1 << TCPLAN_BRGEMM };

/* Kernels generated for the extents of a call. Sums of products do not prefetch, because
 * prefetching made them slower. */
PROVIDER_TRAITS(libxsmm, "libxsmm", .kernels = GEMM | BRGEMM, .fetches_ahead = GEMM,
                .goes_by_columns = true);
