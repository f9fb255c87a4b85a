#include <stdlib.h>

#include "base/strbuf.h"
#include "cli/batch.h"

/** What makes two entries equal: within one batch, all else is the same. NULL when memory is out. */
static char *key_of(const struct tcplan_problem *problem, int threads) {
    struct strbuf key = {0};
    char *canonical = tcplan_problem_canonical(problem);
    strbuf_add(&key, "%d %s", threads, canonical ? canonical : "");
    key.failed = key.failed || !canonical;
    free(canonical);
    return strbuf_finish(&key);
}

/** Ranks with the usual bound on memory and, where that is too small and none was asked for, with a quarter of the machine's. */
static enum tcplan_status rank(struct finding **out, const struct batch *batch, const struct tcplan_problem *problem,
                               struct tcplan_rank_options *options, struct tcplan_error *error) {
    enum tcplan_status status = finding_make(out, problem, options, batch->measured, error);
    const int64_t quarter = batch->request.machine.memory_bytes / 4;
    if (status != TCPLAN_NO_MEMORY || options->max_memory_bytes > 0 || batch->measured > 0 || !batch->request.machine.live) return status;
    options->max_memory_bytes = quarter;
    return finding_make(out, problem, options, 0, error);
}

enum { KERNEL_TIMES_MAX = 100000 };

/** Forgets kernel times where there are many: a batch may go on for ever. Without memory for new ones, each entry has its own. */
static void bound_kernel_times(struct batch *batch) {
    if (!batch->kernel_times || tcplan_kernel_times_count(batch->kernel_times) <= KERNEL_TIMES_MAX) return;
    tcplan_kernel_times_free(batch->kernel_times);
    batch->kernel_times = tcplan_kernel_times_new();
}

static enum tcplan_status find_out(struct finding **out, struct batch *batch, const struct tcplan_problem *problem, int threads,
                                   struct tcplan_error *error) {
    struct tcplan_rank_options options = request_rank_options(&batch->request);
    bound_kernel_times(batch);
    options.threads = threads;
    if (batch->gemm[problem->dtype].threads == threads) options.gemm_gflops = batch->gemm[problem->dtype].gflops;
    options.progress = progress_update;
    options.progress_context = &batch->progress;
    options.kernel_times = batch->kernel_times;
    enum tcplan_status status = rank(out, batch, problem, &options, error);
    node_lock_release(&batch->lock);
    if (status == TCPLAN_OK) {
        batch->gemm[problem->dtype].threads = threads;
        batch->gemm[problem->dtype].gflops = (*out)->gemm_gflops;
    }
    return status;
}

static enum exit_status fail(struct batch *batch, const char *reason) {
    return record_fail(&batch->record, reason) ? EXIT_DONE : diagnose_no_memory();
}

static enum exit_status evaluate_new(struct batch *batch, const struct tcplan_library_entry *entry, const struct tcplan_problem *problem,
                                     const char *key) {
    struct finding *finding = NULL;
    struct tcplan_error error;
    progress_clear(&batch->progress);
    const enum exit_status locked = node_lock_take(&batch->lock, batch->options->quiet);
    if (locked != EXIT_DONE) return locked;
    if (find_out(&finding, batch, problem, entry->threads, &error) != TCPLAN_OK) return fail(batch, error.message);
    const bool recorded = record_find(&batch->record, entry, finding, NULL);
    finding_cache_keep(&batch->cache, key, entry->id, finding);
    return recorded ? EXIT_DONE : diagnose_no_memory();
}

static enum exit_status evaluate_problem(struct batch *batch, const struct tcplan_library_entry *entry,
                                         const struct tcplan_problem *problem) {
    char *key = key_of(problem, entry->threads);
    if (!key) return diagnose_no_memory();
    const struct known_finding *known = finding_cache_find(&batch->cache, key);
    enum exit_status status;
    if (known) {
        status = record_find(&batch->record, entry, known->finding, known->id) ? EXIT_DONE : diagnose_no_memory();
    } else {
        status = evaluate_new(batch, entry, problem, key);
    }
    free(key);
    return status;
}

enum exit_status batch_evaluate(struct batch *batch, const struct tcplan_library_entry *entry) {
    struct tcplan_problem problem;
    struct tcplan_error error;
    record_begin(&batch->record, entry);
    if (entry->fault) return fail(batch, entry->fault->message);
    if (tcplan_problem_init(&problem, entry->contraction, entry->extent, entry->dtype, &error) != TCPLAN_OK) {
        return fail(batch, error.message);
    }
    return evaluate_problem(batch, entry, &problem);
}
