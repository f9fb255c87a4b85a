#include <string.h>

#include "base/error.h"
#include "store/fields.h"
#include "store/kinds.h"
#include "tcplan/blas_cores.h"
#include "tcplan/store.h"

enum { DAYS = 365 };

#define FIELD(kind, member) .name = #member, .type = FIELD_##kind, .offset = offsetof(OF, member)

#define OF struct tcplan_core_trial
static const struct field trial_fields[] = {
    {FIELD(TEXT, core), .size = TCPLAN_CORE_NAME},
    {FIELD(TEXT, setting), .size = TCPLAN_CORE_NAME},
    {FIELD(TEXT, wrong), .size = TCPLAN_CORE_WRONG},
    {FIELD(REAL, gflops)},
    {0},
};
#undef OF

#define OF struct tcplan_blas_trials
static const struct field peak_fields[] = {{FIELD(REAL, peak_gflops)}, {0}};
#undef OF

static void write_content(struct strbuf *out, const void *value) {
    const struct tcplan_blas_trials *trials = value;
    fields_write(out, "peak", peak_fields, trials);
    for (int t = 0; t < trials->count; t++)
        fields_write(out, "core", trial_fields, &trials->trial[t]);
}

static enum tcplan_status take_trial(void *value, const void *read, struct tcplan_error *error) {
    struct tcplan_blas_trials *trials = value;
    if (trials->count == TCPLAN_CORE_TRIALS)
        return error_set(error, TCPLAN_INVALID, "more than %d core types", TCPLAN_CORE_TRIALS);
    trials->trial[trials->count++] = *(const struct tcplan_core_trial *)read;
    return TCPLAN_OK;
}

static const struct fields_line lines[] = {
    {.word = "peak", .field = peak_fields},
    {.word = "core", .field = trial_fields, .take = take_trial},
    {0}};

static enum tcplan_status read_content(void *value, const char *content, size_t length,
                                       struct tcplan_error *error) {
    return fields_read_lines(value, lines, content, length, "it holds no core types", error);
}

static enum tcplan_status show_content(struct strbuf *out, const char *content, size_t length,
                                       struct tcplan_error *error) {
    struct tcplan_blas_trials trials = {0};
    const enum tcplan_status status = read_content(&trials, content, length, error);
    if (status != TCPLAN_OK || !out) return status;
    strbuf_add(
        out,
        "core types of a BLAS, each tried in a process of its own; FMA peak of one core %.4g GFLOP/s\n\n",
        trials.peak_gflops);
    for (int t = 0; t < trials.count; t++) {
        const struct tcplan_core_trial *trial = &trials.trial[t];
        strbuf_add(out, "%-16s dgemm %6.4g GFLOP/s, %s%s%s%s\n",
                   *trial->core ? trial->core : "unknown", trial->gflops,
                   *trial->wrong ? "wrong results: " : "right results", trial->wrong,
                   *trial->setting ? "; selected by " : "", trial->setting);
    }
    return TCPLAN_OK;
}

const struct store_kind store_kind_blas = {.name = "blas",
                                           .version = 1,
                                           .days = DAYS,
                                           .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                           .write = write_content,
                                           .read = read_content,
                                           .show = show_content};
