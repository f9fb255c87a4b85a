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

static enum tcplan_status read_trial(struct tcplan_blas_trials *trials, const char *text,
                                     size_t length, struct tcplan_error *error) {
    struct tcplan_core_trial trial = {0};
    const enum tcplan_status status = fields_read(&trial, trial_fields, text, length, error);
    if (status != TCPLAN_OK) return status;
    if (trials->count == TCPLAN_CORE_TRIALS)
        return error_set(error, TCPLAN_INVALID, "more than %d core types", TCPLAN_CORE_TRIALS);
    trials->trial[trials->count++] = trial;
    return TCPLAN_OK;
}

static bool begins_with(const char *line, size_t length, const char *word) {
    return length >= strlen(word) && memcmp(line, word, strlen(word)) == 0;
}

static enum tcplan_status read_line(void *value, const void *context, const char *line,
                                    size_t length, struct tcplan_error *error) {
    static const char peak[] = "peak", core[] = "core";
    (void)context;
    if (begins_with(line, length, peak)) {
        struct tcplan_blas_trials read = {0};
        const enum tcplan_status status = fields_read(&read, peak_fields, line + sizeof peak - 1,
                                                      length - sizeof peak + 1, error);
        if (status == TCPLAN_OK)
            ((struct tcplan_blas_trials *)value)->peak_gflops = read.peak_gflops;
        return status;
    }
    if (!begins_with(line, length, core))
        return error_set(error, TCPLAN_INVALID, "expected peak or core");
    return read_trial(value, line + sizeof core - 1, length - sizeof core + 1, error);
}

static enum tcplan_status read_content(void *value, const char *content, size_t length,
                                       struct tcplan_error *error) {
    return fields_read_lines(value, NULL, content, length, read_line, "it holds no core types",
                             error);
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
