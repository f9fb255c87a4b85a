#include "tcplan/provider.h"

#include <string.h>

static const char *const names[TCPLAN_PROVIDERS] = {"openblas", "libxsmm", "blis", "blas1", "blas2", "blas3", "blas4"};

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
