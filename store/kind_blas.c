/* Measured times of a BLAS library's core types on a processor, as entries of the store. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "microbench/providers/blas_cores.h"
#include "store/kinds.h"
#include "store/store.h"
#include "tcplan/blas_cores.h"
#include "tcplan/store.h"

enum { DAYS = 365 };

static const struct field trial_fields[] = {
    {TEXT_OF("core", tcplan_core_trial, core)},
    {TEXT_OF("setting", tcplan_core_trial, setting)},
    {TEXT_OF("wrong", tcplan_core_trial, wrong)},
    {FIELD_OF("gflops", REAL, tcplan_core_trial, gflops)},
    {0},
};

static const struct field peak_fields[] = {
    {FIELD_OF("peak_gflops", REAL, tcplan_blas_trials, peak_gflops)}, {0}};

static const struct fields_line lines[] = {
    {LINE_SELF("peak", peak_fields, tcplan_blas_trials)},
    {LINE_SEVERAL("core", trial_fields, tcplan_blas_trials, trial, count)},
    {0},
};

static void print(struct strbuf *out, const void *value) {
    const struct tcplan_blas_trials *trials = value;
    strbuf_add(
        out,
        "core types of a BLAS, each tried in a process of its own; FMA peak of one core %.4g GFLOP/s\n\n",
        trials->peak_gflops);
    for (int t = 0; t < trials->count; t++) {
        const struct tcplan_core_trial *trial = &trials->trial[t];
        strbuf_add(out, "%-16s dgemm %6.4g GFLOP/s, %s%s%s%s\n",
                   *trial->core ? trial->core : "unknown", trial->gflops,
                   *trial->wrong ? "wrong results: " : "right results", trial->wrong,
                   *trial->setting ? "; selected by " : "", trial->setting);
    }
}

const struct store_kind store_kind_blas = {.name = "blas",
                                           .version = 1,
                                           .days = DAYS,
                                           .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                           .size = sizeof(struct tcplan_blas_trials),
                                           .line = lines,
                                           .print = print};

enum { KEY_SIZE = 48 };

/** Writes the key, which identifies the library's file, so that each build has its own entry;
 * the fingerprint identifies the processor. */
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
    return store_keep(store, &store_kind_blas, key, trials, error);
}
