#include <stdlib.h>

#include "base/alloc.h"
#include "cli/commands/blocked/blocked.h"
#include "cli/output/printed.h"
#include "cli/render/blocked/blocked.h"

/** The error relative to its bound; the largest of several errors is reported. */
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

enum exit_status blocked_check(const struct options *options) {
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
