#include "tcplan/blas_trial.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "microbench/kernels/kernels.h"
#include "microbench/providers/blas_cores.h"
#include "microbench/providers/large_products.h"
#include "microbench/providers/providers.h"
#include "microbench/providers/small_products.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/session.h"
#include "roofline/tuning/peak.h"
#include "roofline/tuning/tune_process.h"

enum { EXTENT = 384, LEAST_CALLS = 5, MOST_CALLS = 40, ALIGNMENT = 64, SETTING_SIZE = 96 };

#define GOOD_SHARE 0.6 /* share of the FMA peak at which dgemm counts as fast enough */
#define TIMED_SECONDS 0.05
#define PATIENCE_SECONDS                                                                           \
    20.0 /* time limit of a trial process, which takes a third of a second on an idle machine */
#define MOST_SECONDS                                                                               \
    20.0 /* time limit of all trials; trials that would begin later are skipped                    \
          */

struct question {
    enum tcplan_provider provider;
    char file[PATH_MAX]; /* file of the provider to open; empty: the provider is built in */
    bool checks;         /* whether to check results as well */
    bool finds_peak;
};

struct answer {
    struct tcplan_core_trial trial;
    double peak_gflops;
};

/* The trial process. */

/** Returns the GFLOP/s of the fastest of several square dgemms. */
static double dgemm_gflops(enum tcplan_provider provider) {
    const size_t bytes = (size_t)EXTENT * EXTENT * sizeof(double);
    const struct blas_call call = {.kernel = TCPLAN_GEMM,
                                   .provider = provider,
                                   .m = EXTENT,
                                   .n = EXTENT,
                                   .k = EXTENT,
                                   .ld = {EXTENT, EXTENT, EXTENT},
                                   .strides = {{1, EXTENT}, {1, EXTENT}, {1, EXTENT}},
                                   .alpha = {1, 0}};
    const struct kernel kernel = kernel_bind(&call, TCPLAN_DOUBLE, NULL);
    char *memory = kernel.burst ? base_aligned_alloc(ALIGNMENT, 3 * bytes) : NULL;
    double least_ns = INFINITY, all_ns = 0;
    if (!memory) return 0;
    for (size_t e = 0; e < 3 * bytes / sizeof(double); e++) ((double *)memory)[e] = 1;
    const struct kernel_operands at = {
        .first = memory, .second = memory + bytes, .result = memory + 2 * bytes};
    for (int c = 0; c < MOST_CALLS && (c < LEAST_CALLS || all_ns < 1e9 * TIMED_SECONDS); c++) {
        const struct clock_start start = clock_start();
        kernel.burst(&kernel, at, (struct kernel_steps){0}, 1);
        const double ns = clock_stop(&start, true).ns;
        least_ns = fmin(least_ns, ns);
        all_ns += ns;
    }
    base_free(memory);
    return 2.0 * EXTENT * EXTENT * EXTENT / least_ns;
}

static bool is_right(enum tcplan_provider provider, enum tcplan_kernel kernel,
                     enum tcplan_dtype dtype) {
    return small_products_of(provider, kernel, dtype) &&
           (kernel != TCPLAN_GEMM || large_products_of(provider, dtype));
}

/** Lists the routines with wrong results: `sgemm, zgemm`. */
static void check_results(char out[TCPLAN_CORE_WRONG], enum tcplan_provider provider) {
    static const enum tcplan_kernel kernels[] = {TCPLAN_GEMM, TCPLAN_GEMV, TCPLAN_GER, TCPLAN_AXPY,
                                                 TCPLAN_DOT};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (int d = 0; d < TCPLAN_DTYPES; d++) {
            const enum tcplan_dtype dtype = (enum tcplan_dtype)d;
            const size_t length = strlen(out);
            if (is_right(provider, kernels[k], dtype)) continue;
            snprintf(out + length, TCPLAN_CORE_WRONG - length, "%s%c%s", length > 0 ? ", " : "",
                     tcplan_dtype_letter(dtype), tcplan_kernel_name(kernels[k], dtype));
        }
    }
}

bool tcplan_blas_serve(void) {
    struct question question;
    struct answer answer;
    struct tcplan_provider_info is;
    struct session session;
    memset(&answer, 0, sizeof answer); /* the whole struct is sent, including padding */
    if (!tune_process_receive(&question, sizeof question)) return false;
    if (*question.file &&
        tcplan_provider_open(&question.provider, question.file, NULL) != TCPLAN_OK)
        return false;
    if (!tcplan_provider_info(&is, question.provider)) return false;
    if (session_begin(&session, 1, NULL) != TCPLAN_OK) return false;
    snprintf(answer.trial.core, sizeof answer.trial.core, "%s", is.core ? is.core : "");
    if (question.checks) check_results(answer.trial.wrong, question.provider);
    answer.trial.gflops = dgemm_gflops(question.provider);
    if (question.finds_peak)
        answer.peak_gflops = peak_find(&(struct tcplan_data_sheet){0}).core_gflops;
    session_end(&session);
    return tune_process_send(&answer, sizeof answer);
}

/* The process that starts the trials. */

struct trials {
    struct tcplan_blas_trials *out;
    enum tcplan_provider provider;
    const char *file; /* path of the library; NULL: the provider is not opened from a file */
    const char *const *program;
    const char *variable;
    double deadline;
};

/** Runs a trial with the environment variable set to `setting`; "" leaves the variable unchanged.
 */
static enum tcplan_status ask(struct answer *answer, const struct trials *trials,
                              const char *setting, bool checks, bool *lost,
                              struct tcplan_error *error) {
    char assignment[SETTING_SIZE];
    struct question question;
    memset(&question, 0, sizeof question);
    question.provider = trials->provider;
    if (trials->file) snprintf(question.file, sizeof question.file, "%s", trials->file);
    question.checks = checks;
    question.finds_peak = checks && !(trials->out->peak_gflops > 0);
    if (*setting) snprintf(assignment, sizeof assignment, "%s=%s", trials->variable, setting);
    const struct tune_process process = {.program = trials->program,
                                         .patience_seconds = PATIENCE_SECONDS,
                                         .assignment = *setting ? assignment : NULL,
                                         .is_silent = true};
    return tune_process_ask(&process, &question, sizeof question, answer, sizeof *answer, lost,
                            error);
}

/** Returns the trial of a core type, or a free element for it. If there is none, the last trial is
 * replaced. */
static struct tcplan_core_trial *place_of(struct tcplan_blas_trials *out, const char *core) {
    int place = 0;
    while (place < out->count && strcasecmp(out->trial[place].core, core) != 0) place++;
    if (place == TCPLAN_CORE_TRIALS) return &out->trial[TCPLAN_CORE_TRIALS - 1];
    if (place == out->count) out->count++;
    return &out->trial[place];
}

static void add(struct tcplan_blas_trials *out, const struct answer *answer, const char *setting) {
    struct tcplan_core_trial *trial = place_of(out, answer->trial.core);
    *trial = answer->trial;
    snprintf(trial->setting, sizeof trial->setting, "%s", setting);
    out->peak_gflops = fmax(out->peak_gflops, answer->peak_gflops);
}

/** Tries the settings that may select a core type until the library reports that type. A setting
 * whose process dies does not suit the processor and is skipped. */
static enum tcplan_status try_candidate(const struct trials *trials,
                                        const struct core_candidate *candidate,
                                        struct tcplan_error *error) {
    for (int s = 0; s < 2 && *candidate->setting[s]; s++) {
        struct answer answer;
        bool lost;
        const enum tcplan_status status =
            ask(&answer, trials, candidate->setting[s], true, &lost, error);
        if (status != TCPLAN_OK) return status;
        if (lost || strcasecmp(answer.trial.core, candidate->core) != 0) continue;
        add(trials->out, &answer, candidate->setting[s]);
        return TCPLAN_OK;
    }
    return TCPLAN_OK;
}

static enum tcplan_status try_present(const struct tcplan_core_trial **present,
                                      const struct trials *trials, const char *setting,
                                      struct tcplan_error *error) {
    struct answer answer;
    bool lost;
    const enum tcplan_status status = ask(&answer, trials, "", true, &lost, error);
    if (status != TCPLAN_OK) return status;
    if (lost) return error ? error->status : TCPLAN_ENVIRONMENT;
    /* Returns whether the library reports the type that the setting names. */
    const bool names_it = setting && strcasecmp(setting, answer.trial.core) == 0;
    add(trials->out, &answer, names_it ? setting : "");
    *present = place_of(trials->out, answer.trial.core);
    return TCPLAN_OK;
}

/** Returns whether a core type that suits the processor has been found. */
static bool has_good(const struct tcplan_blas_trials *trials) {
    for (int t = 0; t < trials->count; t++) {
        const struct tcplan_core_trial *trial = &trials->trial[t];
        if (*trial->setting && !*trial->wrong && trial->gflops > GOOD_SHARE * trials->peak_gflops)
            return true;
    }
    return false;
}

/** Times each core type once more, because other load may have slowed down some of the first
 * timings. */
static enum tcplan_status time_again(const struct trials *trials,
                                     const struct tcplan_core_trial *present,
                                     struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int t = 0;
         t < trials->out->count && status == TCPLAN_OK && monotonic_seconds() < trials->deadline;
         t++) {
        struct tcplan_core_trial *trial = &trials->out->trial[t];
        struct answer answer;
        bool lost;
        if (!*trial->setting && trial != present) continue; /* no setting selects this core type */
        status = ask(&answer, trials, trial->setting, false, &lost, error);
        if (status == TCPLAN_OK && !lost) trial->gflops = fmax(trial->gflops, answer.trial.gflops);
    }
    return status;
}

enum tcplan_status tcplan_blas_try(struct tcplan_blas_trials *out, enum tcplan_provider provider,
                                   const char *const *program, const char *setting,
                                   struct tcplan_error *error) {
    const struct core_facts facts = blas_cores_facts(provider);
    const struct trials trials = {.out = out,
                                  .provider = provider,
                                  .file = provider < TCPLAN_PROVIDER_FILE_1 ? NULL : facts.is.file,
                                  .program = program,
                                  .variable = tcplan_blas_variable(provider),
                                  .deadline = monotonic_seconds() + MOST_SECONDS};
    struct core_candidate candidate[CORE_CANDIDATES];
    const struct tcplan_core_trial *present = NULL;
    if (!facts.is.name || !provider_of(provider)->is_blas)
        return error_set(error, TCPLAN_NOT_APPLICABLE, "this program has no BLAS %s",
                         tcplan_provider_name(provider));
    enum tcplan_status status = try_present(&present, &trials, setting, error);
    if (status != TCPLAN_OK || !blas_cores_are_suspect(&facts, present, out->peak_gflops))
        return status;
    const int count = trials.variable ? blas_cores_candidates(candidate, provider) : 0;
    for (int c = 0; c < count && status == TCPLAN_OK && !has_good(out) &&
                    monotonic_seconds() < trials.deadline;
         c++) {
        status = try_candidate(&trials, &candidate[c], error);
    }
    return status == TCPLAN_OK ? time_again(&trials, present, error) : status;
}
