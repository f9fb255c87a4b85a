#include <string.h>

#include "store/kinds.h"
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
                                           .nothing = "it holds no core types",
                                           .print = print};
