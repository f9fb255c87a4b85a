#include "ast/algorithm/provider.h"

#include <string.h>

#include "ast/algorithm/kernel_class.h"

enum { GEMM = 1 << TCPLAN_GEMM, BRGEMM = 1 << TCPLAN_BRGEMM, LOOPS = 1 << TCPLAN_LOOPS };

/** The registry: a line for each provider. Sums of products are not fetched ahead: it made them
 * slower. */
static const struct provider_traits providers[TCPLAN_PROVIDERS] = {
    [TCPLAN_PROVIDER_BLAS] = {.name = "openblas", .library = "BLAS", .is_cblas = true},
    [TCPLAN_PROVIDER_LIBXSMM] = {.name = "libxsmm",
                                 .library = "libxsmm",
                                 .kernels = GEMM | BRGEMM,
                                 .fetches_ahead = GEMM,
                                 .goes_by_columns = true},
    [TCPLAN_PROVIDER_BLIS] = {.name = "blis",
                              .library = "BLIS",
                              .kernels = GEMM,
                              .takes_any_strides = true,
                              .conjugates_whatever = true},
    [TCPLAN_PROVIDER_EMITTED] = {.name = "emitted",
                                 .kernels = GEMM | LOOPS,
                                 .takes_any_strides = true,
                                 .splits_groups = true,
                                 .conjugates_whatever = true,
                                 .streams = true,
                                 .is_compiled = true},
    [TCPLAN_PROVIDER_FILE_1] = {.name = "blas1", .is_cblas = true},
    [TCPLAN_PROVIDER_FILE_2] = {.name = "blas2", .is_cblas = true},
    [TCPLAN_PROVIDER_FILE_3] = {.name = "blas3", .is_cblas = true},
    [TCPLAN_PROVIDER_FILE_4] = {.name = "blas4", .is_cblas = true},
};

const struct provider_traits *provider_traits_of(enum tcplan_provider provider) {
    return &providers[provider];
}

bool provider_has_kernel(enum tcplan_provider provider, enum tcplan_kernel kernel) {
    const struct kernel_class *class = kernel_class_of(kernel);
    if (class->is_own)
        return provider == TCPLAN_PROVIDER_BLAS; /* the default, where no library is asked */
    return (providers[provider].is_cblas && class->is_blas) ||
           ((providers[provider].kernels >> kernel | class->providers >> provider) & 1U) != 0;
}

const char *tcplan_provider_name(enum tcplan_provider provider) {
    return providers[provider].name;
}

bool tcplan_provider_find(enum tcplan_provider *out, const char *name) {
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        if (strcmp(providers[p].name, name) != 0) continue;
        *out = (enum tcplan_provider)p;
        return true;
    }
    return false;
}
