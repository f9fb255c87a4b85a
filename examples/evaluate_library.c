/* Ranks every contraction of a list and stores the results in a file, so that the next run ranks
 * only the remaining ones. Prints a summary at the end. */
#include <stdio.h>
#include <string.h>

#include <tcplan/study/batch.h>
#include <tcplan/study/digest.h>

static const char list[] = "matrices: ai,ib->ab 60,50 50,40\n"
                           "tensor:   ai,ibc->abc 30,8 8,30,30\n";

/** Returns the next piece of the list, as tcplan_read_fn describes. */
static ptrdiff_t read_list(void *context, char *buffer, size_t size) {
    const char **at = context;
    const size_t length = strlen(*at) < size ? strlen(*at) : size;
    memcpy(buffer, *at, length);
    *at += length;
    return (ptrdiff_t)length;
}

static enum tcplan_status print_winner(void *context, const struct tcplan_result *result,
                                       struct tcplan_error *error) {
    const struct tcplan_facts facts = tcplan_result_facts(result);
    (void)context;
    (void)error;
    if (facts.winner) printf("%-10s %-24s %.3g s\n", result->name, facts.winner, facts.seconds);
    if (!facts.winner) printf("%-10s failed: %s\n", result->name, result->reason);
    return TCPLAN_OK;
}

/** Ranks the contractions and prints the fastest algorithm of each. Results are stored in a file
 * unless `results` is NULL. */
static enum tcplan_status evaluate(const char *results, const struct tcplan_machine *machine,
                                   struct tcplan_error *error) {
    const char *at = list, *const libraries[] = {"-"};
    struct tcplan_batch_options options = {.libraries = libraries,
                                           .library_count = 1,
                                           .read = read_list,
                                           .read_context = &at,
                                           .library = {.dtype = TCPLAN_DOUBLE, .threads = 1},
                                           .rank = tcplan_rank_defaults(),
                                           .results = results,
                                           .unlocked = true,
                                           .listener = {.result = print_winner}};
    options.rank.machine = machine;
    options.rank.effort = TCPLAN_EFFORT_QUICK;
    struct tcplan_batch *batch = NULL;
    enum tcplan_status status = tcplan_batch_open(&batch, &options, error);
    if (status == TCPLAN_OK) status = tcplan_batch_run(batch, error);
    tcplan_batch_close(batch);
    return status;
}

static enum tcplan_status summarise(const char *results, struct tcplan_error *error) {
    struct tcplan_digest digest = {.path = results};
    const enum tcplan_status status = tcplan_digest_read(&digest, error);
    if (status == TCPLAN_OK) {
        printf("%lld results, %.1f %% of the speed of gemm in the median\n",
               (long long)digest.summary.result_count,
               100 * tcplan_sample_quantile(&digest.share, 0.5));
    }
    tcplan_digest_free(&digest);
    return status;
}

int main(int count, char *arguments[]) {
    const char *results = count > 1 ? arguments[1] : NULL;
    struct tcplan_machine machine;
    struct tcplan_error error;
    enum tcplan_status status = tcplan_machine_load(&machine, "live", &error);
    if (status == TCPLAN_OK) status = evaluate(results, &machine, &error);
    if (status == TCPLAN_OK && results) status = summarise(results, &error);
    if (status == TCPLAN_OK) return 0;
    fprintf(stderr, "%s\n", error.message);
    return 1;
}
