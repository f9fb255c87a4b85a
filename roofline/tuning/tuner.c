#include "roofline/tuning/tuner.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/session.h"
#include "roofline/tuning/tune_process.h"
#include "tcplan/blas.h"

/** The request for one invocation of a configuration. */
struct question {
    bool is_gemm;
    char file[PATH_MAX]; /* file of the library of gemm; empty: it is built in */
    struct gemm_run gemm;
    struct triad_run triad;
    struct stop_rules rules;
    double best;
};

struct answer {
    struct tcplan_error error; /* error with the status of the invocation */
    struct autotune_invocation made;
    double good_reference_seconds;
};

int64_t tuner_count(const struct tuner *tuner) {
    return tuner->gemm ? gemm_choices_count(tuner->gemm) : tuner->triad->count;
}

static struct question question_of(const struct tuner *tuner, int64_t configuration,
                                   const struct stop_rules *rules, double best) {
    struct question question;
    memset(&question, 0, sizeof question); /* the whole struct is sent, including padding */
    question.is_gemm = tuner->gemm != NULL;
    question.rules = *rules;
    question.best = best;
    if (tuner->gemm) {
        struct tcplan_provider_info is;
        if (tuner->provider >= TCPLAN_PROVIDER_FILE_1 &&
            tcplan_provider_info(&is, tuner->provider) && is.file)
            snprintf(question.file, sizeof question.file, "%s", is.file);
        question.gemm =
            (struct gemm_run){.extents = gemm_choices_at(tuner->gemm, configuration),
                              .dtype = tuner->dtype,
                              .provider = tuner->provider,
                              .threads = tuner->threads,
                              .good_reference_seconds = tuner->state.good_reference_seconds};
    } else {
        question.triad.choice = tuner->triad->choice[configuration];
        places_choose(question.triad.processor, tuner->places, question.triad.choice.affinity,
                      question.triad.choice.threads);
    }
    return question;
}

static struct answer invoke_here(struct question *question) {
    struct answer answer;
    memset(&answer, 0, sizeof answer);
    answer.error.status = question->is_gemm
                              ? gemm_invoke(&answer.made, &question->gemm, &question->rules,
                                            question->best, &answer.error)
                              : triad_invoke(&answer.made, &question->triad, &question->rules,
                                             question->best, &answer.error);
    answer.good_reference_seconds = question->gemm.good_reference_seconds;
    return answer;
}

/** Sends the request to a new process. For gemm it is bound to the first cores, which restricts the
 * threads of the BLAS. */
static enum tcplan_status invoke_apart(struct answer *answer, struct tuner *tuner,
                                       const struct question *question,
                                       struct tcplan_error *error) {
    int processor[PLACES_MAX];
    struct tune_process process = {.program = tuner->program,
                                   .patience_seconds = tuner->patience_seconds,
                                   .processor = processor};
    struct tcplan_error reason = {0};
    bool lost;
    if (tuner->gemm && tuner->places) {
        process.processors =
            tuner->threads < tuner->places->count ? tuner->threads : tuner->places->count;
        places_choose(processor, tuner->places, PLACE_CLOSE, process.processors);
    }
    enum tcplan_status status = tune_process_ask(&process, question, sizeof *question, answer,
                                                 sizeof *answer, &lost, &reason);
    if (status != TCPLAN_OK) return error_set(error, status, "%s", reason.message);
    if (!lost) return TCPLAN_OK;
    memset(answer, 0, sizeof *answer);
    answer->made.lost = true;
    answer->good_reference_seconds = question->gemm.good_reference_seconds;
    snprintf(tuner->state.reason, sizeof tuner->state.reason, "%s", reason.message);
    return TCPLAN_OK;
}

static enum tcplan_status invoke(void *context, int64_t configuration,
                                 const struct stop_rules *rules, double best,
                                 struct autotune_invocation *out, struct tcplan_error *error) {
    struct tuner *tuner = context;
    struct question question = question_of(tuner, configuration, rules, best);
    struct answer answer;
    if (tuner->program) {
        enum tcplan_status status = invoke_apart(&answer, tuner, &question, error);
        if (status != TCPLAN_OK) return status;
    } else {
        answer = invoke_here(&question);
    }
    *out = answer.made;
    tuner->state.good_reference_seconds = answer.good_reference_seconds;
    return answer.error.status == TCPLAN_OK
               ? TCPLAN_OK
               : error_set(error, answer.error.status, "%s", answer.error.message);
}

static uint64_t now_ns(void *context) {
    (void)context;
    return clock_now_ns();
}

enum tcplan_status tuner_search(struct autotune_result *out, struct tuner *tuner,
                                const struct autotune_options *options,
                                struct tcplan_error *error) {
    const struct autotune_space space = {
        .count = tuner_count(tuner), .context = tuner, .invoke = invoke, .now_ns = now_ns};
    return autotune_search(out, &space, options, error);
}

bool tuner_serve(void) {
    struct question question;
    if (!tune_process_receive(&question, sizeof question)) return false;
    struct answer answer;
    if (question.is_gemm) {
        struct session session;
        /* opened here, because its number differs if other libraries precede it in the caller */
        if (*question.file &&
            tcplan_provider_open(&question.gemm.provider, question.file, NULL) != TCPLAN_OK)
            return false;
        if (session_begin(&session, question.gemm.threads, NULL) != TCPLAN_OK) return false;
        answer = invoke_here(&question);
        session_end(&session);
    } else {
        answer = invoke_here(&question);
    }
    return tune_process_send(&answer, sizeof answer);
}
