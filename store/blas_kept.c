#include <inttypes.h>
#include <stdio.h>

#include "microbench/providers/blas_cores.h"
#include "store/store.h"

enum { KEY_SIZE = 48 };

/** Of the library's file, so that another build does not find what this one did; the fingerprint
 * has the processor. */
static void key_of(char out[KEY_SIZE], enum tcplan_provider provider) {
    snprintf(out, KEY_SIZE, "%s-%016" PRIx64,
             provider < TCPLAN_PROVIDER_FILE_1 ? tcplan_provider_name(provider) : "file",
             blas_cores_file(provider));
}

enum tcplan_status tcplan_store_blas_trials(bool *found, struct tcplan_blas_trials *out,
                                            const struct tcplan_store *store,
                                            enum tcplan_provider provider,
                                            struct tcplan_error *error) {
    char key[KEY_SIZE];
    key_of(key, provider);
    *out = (struct tcplan_blas_trials){0};
    const enum tcplan_status status = store_find(found, out, store, &store_kind_blas, key, error);
    *found = *found && status == TCPLAN_OK;
    return status;
}

enum tcplan_status tcplan_store_keep_blas_trials(const struct tcplan_store *store,
                                                 const struct tcplan_blas_trials *trials,
                                                 enum tcplan_provider provider,
                                                 struct tcplan_error *error) {
    char key[KEY_SIZE];
    key_of(key, provider);
    return store->folder ? store_keep(store, &store_kind_blas, key, trials, error) : TCPLAN_OK;
}
