#include "ast/algorithm/provider.h"

#include <ctype.h>
#include <string.h>

#include "ast/algorithm/kernel_class.h"

static const struct provider_traits emitted = {.kernels = 1 << TCPLAN_GEMM | 1 << TCPLAN_LOOPS,
                                               .takes_any_strides = true,
                                               .splits_groups = true,
                                               .conjugates_whatever = true,
                                               .streams = true,
                                               .is_compiled = true};
static const struct provider_traits file = {.is_cblas = true};
static const struct provider_traits tapp = {
    .kernels = 1 << TCPLAN_LOOPS, .takes_any_strides = true, .is_whole = true};

#define TRAITS(NUMBER, name) [TCPLAN_PROVIDER_##NUMBER] = &provider_traits_##name,
static const struct provider_traits *const providers[TCPLAN_PROVIDERS] = {
    [TCPLAN_PROVIDER_EMITTED] = &emitted, [TCPLAN_PROVIDER_FILE_1] = &file,
    [TCPLAN_PROVIDER_FILE_2] = &file,     [TCPLAN_PROVIDER_FILE_3] = &file,
    [TCPLAN_PROVIDER_FILE_4] = &file,     [TCPLAN_PROVIDER_TAPP_1] = &tapp,
    [TCPLAN_PROVIDER_TAPP_2] = &tapp,     [TCPLAN_PROVIDER_TAPP_3] = &tapp,
    [TCPLAN_PROVIDER_TAPP_4] = &tapp,     TCPLAN_PROVIDER_LIST(TRAITS)};

#define NAME(NUMBER, name) [TCPLAN_PROVIDER_##NUMBER] = #name,
static const char *const names[TCPLAN_PROVIDERS] = {
    [TCPLAN_PROVIDER_TAPP_1] = "tapp1",    [TCPLAN_PROVIDER_TAPP_2] = "tapp2",
    [TCPLAN_PROVIDER_TAPP_3] = "tapp3",    [TCPLAN_PROVIDER_TAPP_4] = "tapp4",
    [TCPLAN_PROVIDER_EMITTED] = "emitted", [TCPLAN_PROVIDER_FILE_1] = "blas1",
    [TCPLAN_PROVIDER_FILE_2] = "blas2",    [TCPLAN_PROVIDER_FILE_3] = "blas3",
    [TCPLAN_PROVIDER_FILE_4] = "blas4",    TCPLAN_PROVIDER_LIST(NAME)};

/** Names given to TAPP libraries, each set once before the library can be used; empty: the default
 * name. */
static char given[TCPLAN_PROVIDER_TAPPS][PROVIDER_NAME_BYTES];

const struct provider_traits *provider_traits_of(enum tcplan_provider provider) {
    return providers[provider];
}

bool provider_has_kernel(enum tcplan_provider provider, enum tcplan_kernel kernel) {
    const struct kernel_class *class = kernel_class_of(kernel);
    if (class->is_own)
        return provider == TCPLAN_PROVIDER_BLAS; /* tcplan's own kernels count as kernels of the
                                                    default provider */
    return (providers[provider]->is_cblas && class->is_blas) ||
           ((providers[provider]->kernels >> kernel | class->providers >> provider) & 1U) != 0;
}

const char *tcplan_provider_name(enum tcplan_provider provider) {
    const int number = (int)provider - TCPLAN_PROVIDER_TAPP_1;
    return number >= 0 && *given[number] ? given[number] : names[provider];
}

bool provider_set_name(enum tcplan_provider provider, const char *name) {
    enum tcplan_provider other;
    const size_t length = strlen(name);
    if (length == 0 || length >= PROVIDER_NAME_BYTES || tcplan_provider_find(&other, name))
        return false;
    for (size_t c = 0; c < length; c++) {
        if (!isalnum((unsigned char)name[c]) && !strchr("_-.", name[c])) return false;
    }
    memcpy(given[provider - TCPLAN_PROVIDER_TAPP_1], name, length + 1);
    return true;
}

bool tcplan_provider_find(enum tcplan_provider *out, const char *name) {
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        if (strcmp(tcplan_provider_name((enum tcplan_provider)p), name) != 0) continue;
        *out = (enum tcplan_provider)p;
        return true;
    }
    return false;
}
