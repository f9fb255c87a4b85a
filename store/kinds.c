#include "store/kinds.h"

#include <string.h>

const struct store_kind *const store_kinds[] = {
    &store_kind_ceilings, &store_kind_costs,     &store_kind_looks,  &store_kind_kernels,
    &store_kind_states,   &store_kind_residuals, &store_kind_models, &store_kind_samples,
    &store_kind_plans,    &store_kind_code,      &store_kind_blas,   NULL,
};

const struct store_kind *store_kind_find(const char *name, size_t length) {
    for (const struct store_kind *const *kind = store_kinds; *kind; kind++) {
        if (strlen((*kind)->name) == length && memcmp((*kind)->name, name, length) == 0)
            return *kind;
    }
    return NULL;
}
