#include "cli/commands/commands.h"
#include "cli/contest.h"
#include "cli/node_lock.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/render/algorithms/turns.h"

static enum exit_status refuse_count(const struct options *options) {
    diagnose("compare needs two to %d algorithms, as `tcplan list` names them, found %d",
             TCPLAN_CONTENDERS_MAX, options->argument_count);
    return options_usage(options);
}

/** The contenders that the command line names. */
static enum exit_status read_contenders(struct tcplan_turns *turns,
                                        struct tcplan_algorithm algorithm[],
                                        const struct request *request) {
    const struct options *options = request->options;
    struct tcplan_error error;
    if (options->argument_count < 2 || options->argument_count > TCPLAN_CONTENDERS_MAX)
        return refuse_count(options);
    for (int n = 0; n < options->argument_count; n++) {
        const char *name = options->arguments[n];
        struct tcplan_contender *contender = &turns->contender[turns->count++];
        if (contender_find(&contender->kind, name)) continue;
        contender->algorithm = &algorithm[n];
        if (tcplan_algorithm_parse(&algorithm[n], request->contraction,
                                   (enum tcplan_dtype)options->dtype, name, &error) != TCPLAN_OK) {
            return diagnose_error(&error, name);
        }
    }
    return EXIT_DONE;
}

static bool has_numpy(const struct tcplan_turns *turns) {
    bool has = false;
    for (int c = 0; c < turns->count; c++)
        has = has || turns->contender[c].kind != TCPLAN_CONTENDER_ALGORITHM;
    return has;
}

/** Alone on this machine, as `measure` is. */
static enum exit_status run(struct tcplan_turns *turns, const struct request *request,
                            const struct tcplan_problem *problem) {
    struct tcplan_node_lock *lock;
    enum exit_status status = lock_open(&lock, request->options);
    if (status == EXIT_DONE) status = lock_take(lock, request->options);
    if (status == EXIT_DONE) status = contest_run(turns, request, problem);
    tcplan_node_lock_close(lock);
    return status;
}

static enum exit_status compare(const struct request *request, struct output_file *out) {
    struct tcplan_algorithm algorithm[TCPLAN_CONTENDERS_MAX];
    struct tcplan_turns turns = {0};
    const struct tcplan_problem problem = request_problem(request, 0);
    enum exit_status status = read_contenders(&turns, algorithm, request);
    if (status == EXIT_DONE && has_numpy(&turns)) status = contest_check_numpy(request->options);
    if (status == EXIT_DONE) status = run(&turns, request, &problem);
    if (status == EXIT_DONE)
        status = printed_into(out, request->options->format, &compared_view,
                              &(struct compared){request, &problem, &turns});
    return status;
}

enum exit_status cmd_compare(const struct options *options) {
    struct request request;
    struct output_file out = {0};
    struct tcplan_error error;
    enum exit_status status = request_read(&request, options, "compare",
                                           REQUEST_SIZES | REQUEST_MACHINE | REQUEST_ONE_POINT);
    if (status == EXIT_DONE && output_open(&out, options->output, &error) != TCPLAN_OK)
        status = diagnose_error(&error, NULL);
    if (status == EXIT_DONE && !options->oversubscribe &&
        tcplan_check_threads(options->threads, &error) != TCPLAN_OK)
        status = diagnose_error(&error, NULL);
    if (status == EXIT_DONE) status = compare(&request, &out);
    output_file_discard(&out);
    request_free(&request);
    return status;
}
