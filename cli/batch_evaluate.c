#include <stdlib.h>

#include "base/strbuf.h"
#include "cli/batch.h"
#include "cli/batch_worker.h"

/** What makes two entries equal: within one batch, all else is the same. NULL when memory is out. */
static char *key_of(const struct tcplan_problem *problem, int threads) {
    struct strbuf key = {0};
    char *canonical = tcplan_problem_canonical(problem);
    strbuf_add(&key, "%d %s", threads, canonical ? canonical : "");
    key.failed = key.failed || !canonical;
    free(canonical);
    return strbuf_finish(&key);
}

/**
 * Has the worker find out while nobody else on this machine times, and remembers the speed of gemm. `out` receives NULL where the entry fails:
 * `error` says why.
 */
static enum exit_status find_out(struct finding **out, struct batch *batch, const struct tcplan_library_entry *entry,
                                 struct tcplan_error *error) {
    const struct batch_gemm known = batch->gemm[entry->dtype];
    progress_clear(&batch->progress);
    enum exit_status status = node_lock_take(&batch->lock, batch->options->quiet);
    if (status != EXIT_DONE) return status;
    status = batch_worker_find(out, batch, entry, known.threads == entry->threads ? known.gflops : 0, error);
    node_lock_release(&batch->lock);
    if (status == EXIT_DONE && *out) {
        batch->gemm[entry->dtype] = (struct batch_gemm){.threads = entry->threads, .gflops = (*out)->gemm_gflops};
    }
    return status;
}

static enum exit_status fail(struct batch *batch, const char *reason) {
    return record_fail(&batch->record, reason) ? EXIT_DONE : diagnose_no_memory();
}

static enum exit_status evaluate_new(struct batch *batch, const struct tcplan_library_entry *entry, const char *key) {
    struct finding *finding = NULL;
    struct tcplan_error error;
    const enum exit_status status = find_out(&finding, batch, entry, &error);
    if (status != EXIT_DONE) return status;
    if (!finding) return fail(batch, error.message);
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
        status = evaluate_new(batch, entry, key);
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
