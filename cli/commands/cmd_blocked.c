#include <stdlib.h>

#include "base/alloc.h"
#include "cli/commands/blocked/blocked_job.h"
#include "cli/commands/commands.h"
#include "cli/output/printed.h"
#include "cli/render/blocked/blocked.h"
#include "tcplan/blocked_emit.h"

static enum exit_status blocked_list(const struct options *options) {
    struct blocked_request request;
    if (options->argument_count < 2 && !options->blocked.algorithms)
        return printed_view(options, &blocked_operations_view, NULL);
    enum exit_status status = blocked_request_read_routine(&request, options);
    if (status == EXIT_DONE) {
        const struct blocked_listing listing = {
            .of = &request.of,
            .algorithm = (const struct tcplan_blocked *const *)request.algorithm,
            .count = request.count};
        status = printed_view(options, &blocked_list_view, &listing);
    }
    blocked_request_free(&request);
    return status;
}

static enum exit_status blocked_trace(const struct options *options) {
    struct blocked_request request;
    enum exit_status status = blocked_request_read(&request, options, true);
    if (status == EXIT_DONE) status = blocked_request_single(&request, "trace");
    if (status == EXIT_DONE) {
        const struct blocked_traced traced = {.algorithm = request.algorithm[0],
                                              .sizes = blocked_request_sizes(&request, 0, 0)};
        status = tcplan_blocked_check(traced.algorithm, &traced.sizes, &failure) == TCPLAN_OK
                     ? printed_view(options, &blocked_trace_view, &traced)
                     : diagnose_failure(NULL);
    }
    blocked_request_free(&request);
    return status;
}

static enum exit_status blocked_emit(const struct options *options) {
    const struct tcplan_blocked_emit_options of = {.function = options->function,
                                                   .with_main = options->with_main};
    struct blocked_request request;
    char *text = NULL;
    enum exit_status status = blocked_request_read(&request, options, false);
    if (status == EXIT_DONE) status = blocked_request_single(&request, "emit");
    if (status == EXIT_DONE)
        status = diagnosed(tcplan_blocked_emit(&text, request.algorithm[0], &of, &failure));
    if (status == EXIT_DONE) status = printed_text(options->output, text);
    blocked_request_free(&request);
    return status;
}

/** Returns an error divided by its bound; the case with the largest ratio is the worst one. */
static double share_of(const struct tcplan_blocked_verdict *verdict) {
    return verdict->passed ? verdict->error / verdict->allowed
                           : 2 + verdict->error / verdict->allowed;
}

typedef enum tcplan_status verify_fn(struct tcplan_blocked_verdict *out,
                                     const struct tcplan_blocked *blocked,
                                     const struct tcplan_blocked_sizes *sizes, uint64_t seed,
                                     struct tcplan_error *error);

/** Checks an algorithm at all sizes and block sizes. */
static enum exit_status check_algorithm(struct blocked_checked *out,
                                        const struct blocked_request *request,
                                        const struct tcplan_blocked *algorithm) {
    *out = (struct blocked_checked){.algorithm = algorithm};
    for (int64_t place = 0; place < blocked_request_points(request); place++) {
        for (int64_t block = 0; block < blocked_sweep_count(&request->block); block++) {
            const struct tcplan_blocked_sizes sizes = blocked_request_sizes(request, place, block);
            struct tcplan_blocked_verdict verdict;
            verify_fn *const verify = request->options->blocked.without_result
                                          ? tcplan_blocked_verify_info
                                          : tcplan_blocked_verify;
            if (verify(&verdict, algorithm, &sizes, (uint64_t)out->cases, &failure) != TCPLAN_OK)
                return diagnose_failure(NULL);
            out->cases++;
            out->failed += !verdict.passed;
            if (out->cases > 1 && share_of(&verdict) <= share_of(&out->worst)) continue;
            out->worst = verdict;
            out->at = sizes;
        }
    }
    return EXIT_DONE;
}

static enum exit_status blocked_check(const struct options *options) {
    struct blocked_request request;
    struct blocked_checks checks = {.count = 0};
    int64_t failed = 0;
    enum exit_status status = blocked_request_read(&request, options, true);
    if (status == EXIT_DONE) {
        checks.checked = base_alloc_zero((size_t)request.count, sizeof *checks.checked);
        if (!checks.checked) status = diagnose_no_memory();
    }
    for (int a = 0; checks.checked && a < request.count && status == EXIT_DONE; a++) {
        status = check_algorithm(&checks.checked[a], &request, request.algorithm[a]);
        failed += checks.checked[a].failed;
        checks.count++;
    }
    if (status == EXIT_DONE) status = printed_view(options, &blocked_check_view, &checks);
    base_free(checks.checked);
    blocked_request_free(&request);
    return status == EXIT_DONE && failed > 0 ? EXIT_ENVIRONMENT : status;
}

static enum exit_status show_models(void *own) {
    const struct blocked_job *job = own;
    const struct blocked_needs needs = {&job->head, &job->needs};
    return printed_view(job->options, &blocked_models_view, &needs);
}

static const struct blocked_work blocked_models_work = {.size = sizeof(struct blocked_job),
                                                        .show = show_models};

static void offer_names(struct strbuf *out) {
    char name[TCPLAN_BLOCKED_NAME];
    for (int o = 0; o < tcplan_blocked_operations(); o++) {
        struct tcplan_blocked_operation of;
        tcplan_blocked_operation(&of, o);
        strbuf_add(out, "%s%s", o > 0 ? " " : "", of.name);
        for (int a = 0; a < of.algorithms && of.algorithms > 1; a++) {
            tcplan_blocked_algorithm_name(name, o, a);
            strbuf_add(out, " %s", name);
        }
    }
}

static const struct action actions[] = {
    {"list", BLOCKED_LIST, "[NAME]", "list operations, or the steps of algorithms (default)", NULL,
     1, FILE_NONE, offer_names, blocked_list, NULL},
    {"trace", BLOCKED_TRACE, "NAME --n N", "print the calls of one algorithm", NULL, 1, FILE_NONE,
     offer_names, blocked_trace, NULL},
    {"models", BLOCKED_MODELS, "NAME --n N", "list the performance models that predictions need",
     NULL, 1, FILE_NONE, offer_names, blocked_job_run, &blocked_models_work},
    {"predict", BLOCKED_PREDICT, "NAME --n N", "predict times from performance models", NULL, 1,
     FILE_NONE, offer_names, blocked_job_run, &blocked_predict_work},
    {"rank", BLOCKED_RANK, "NAME --n N", "predict the fastest algorithm and block size", NULL, 1,
     FILE_NONE, offer_names, blocked_job_run, &blocked_rank_work},
    {"measure", BLOCKED_MEASURE, "NAME --n N", "run algorithms; print predicted and measured times",
     NULL, 1, FILE_NONE, offer_names, blocked_job_run, &blocked_measure_work},
    {"emit", BLOCKED_EMIT, "NAME", "write an algorithm as a C function", NULL, 1, FILE_NONE,
     offer_names, blocked_emit, NULL},
    {"check", BLOCKED_CHECK, "NAME --n N", "compare results with LAPACK on random matrices", NULL,
     1, FILE_NONE, offer_names, blocked_check, NULL},
    {"windows", BLOCKED_WINDOWS, "NAME --n N", "rank algorithms by short stretches of their calls",
     NULL, 1, FILE_NONE, offer_names, blocked_job_run, &blocked_windows_work},
    {"cache", BLOCKED_CACHE, "NAME --n N",
     "show how calls inside an algorithm differ from calls alone", NULL, 1, FILE_NONE, offer_names,
     blocked_job_run, &blocked_cache_work},
    {0},
};

const struct command command_blocked = {
    "blocked",
    COMMAND_BLOCKED,
    "[list [NAME] | trace | models | predict | rank | measure | emit | check | windows | cache NAME] [OPTIONS]",
    "list, predict, rank, time and emit blocked algorithms of matrix operations",
    "  tcplan blocked\n"
    "  tcplan blocked list potrf\n"
    "  tcplan blocked trace trtri_LN1 --n 800 --block 300\n"
    "  tcplan blocked models potrf --n 500:4000:500 --block 24:536:8\n"
    "  tcplan blocked predict potrf_L3 --n 4000 --block 128\n"
    "  tcplan blocked rank potrf --n 500:4000:500 --block 24:536:8\n"
    "  tcplan blocked rank potrf_L3 --n 500:4000:500 --block 24:536:8 --emit b.c\n"
    "  tcplan blocked measure potrf --n 1000 --block 128\n"
    "  tcplan blocked emit dpotrf_L3 -o cholesky.c\n"
    "  tcplan blocked check trtri --n 10:200:38 --block 8:64:8\n"
    "  tcplan blocked windows potrf --n 3000 --block 128 --measure\n"
    "  tcplan blocked cache geqrf --n 1568 --block 32 --level 2\n",
    .actions = actions,
    .manual =
        "A blocked algorithm is a loop over blocks that calls BLAS and unblocked routines. NAME is an operation, such as `potrf_L` (or `potrf`), or "
        "one of its algorithms, such as `potrf_L3`. A first letter sets the type, as in `dpotrf_L3`. `list` prints operations, or the steps of an "
        "operation's algorithms. `trace` prints the calls of one algorithm, including calls on empty operands. `emit` writes an algorithm as a C "
        "function for any sizes. `check` compares results with LAPACK's on random matrices. `windows` ranks algorithms by stretches of their calls, "
        "timed at random positions. `cache` shows how much the times of isolated calls differ from those inside an algorithm. `--algorithms` reads "
        "algorithms from a file; docs/blocked.md describes the format. `predict` and `rank` evaluate performance models of the routines (see "
        "`model`) and run nothing: `predict` prints times, `rank` the fastest algorithm and block size. `models` lists the models that this needs. "
        "`measure` runs the algorithms and also prints the predictions. Missing models are generated after a question, or with `--generate`."};
