#include "ast/algorithm/provider.h"

#include <string.h>

#include "ast/algorithm/kernel_class.h"

static const struct provider_traits emitted = {.kernels = 1 << TCPLAN_GEMM | 1 << TCPLAN_LOOPS,
                                               .takes_any_strides = true,
                                               .splits_groups = true,
                                               .conjugates_whatever = true,
                                               .streams = true,
                                               .is_compiled = true};
static const struct provider_traits file = {.is_cblas = true};

#define TRAITS(NUMBER, name) [TCPLAN_PROVIDER_##NUMBER] = &provider_traits_##name,
static const struct provider_traits *const providers[TCPLAN_PROVIDERS] = {
    [TCPLAN_PROVIDER_EMITTED] = &emitted, [TCPLAN_PROVIDER_FILE_1] = &file,
    [TCPLAN_PROVIDER_FILE_2] = &file,     [TCPLAN_PROVIDER_FILE_3] = &file,
    [TCPLAN_PROVIDER_FILE_4] = &file,     TCPLAN_PROVIDER_LIST(TRAITS)};

#define NAME(NUMBER, name) [TCPLAN_PROVIDER_##NUMBER] = #name,
static const char *const names[TCPLAN_PROVIDERS] = {
    [TCPLAN_PROVIDER_EMITTED] = "emitted", [TCPLAN_PROVIDER_FILE_1] = "blas1",
    [TCPLAN_PROVIDER_FILE_2] = "blas2",    [TCPLAN_PROVIDER_FILE_3] = "blas3",
    [TCPLAN_PROVIDER_FILE_4] = "blas4",    TCPLAN_PROVIDER_LIST(NAME)};

const struct provider_traits *provider_traits_of(enum tcplan_provider provider) {
    return providers[provider];
}

bool provider_has_kernel(enum tcplan_provider provider, enum tcplan_kernel kernel) {
    const struct kernel_class *class = kernel_class_of(kernel);
    if (class->is_own)
        return provider == TCPLAN_PROVIDER_BLAS; /* the default if no library is loaded */
    return (providers[provider]->is_cblas && class->is_blas) ||
           ((providers[provider]->kernels >> kernel | class->providers >> provider) & 1U) != 0;
}

const char *tcplan_provider_name(enum tcplan_provider provider) {
    return names[provider];
}

bool tcplan_provider_find(enum tcplan_provider *out, const char *name) {
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        if (strcmp(names[p], name) != 0) continue;
        *out = (enum tcplan_provider)p;
        return true;
    }
    return false;
}
