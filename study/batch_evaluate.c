#include <stdlib.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "study/batch.h"
#include "study/batch_worker.h"
#include "tcplan/canonical.h"

/** Returns the key of an entry; NULL if memory runs out. Entries with equal keys have equal
 * findings, because all other settings are the same within a batch. */
static char *key_of(const struct tcplan_problem *problem, int threads) {
    struct strbuf key = {0};
    char *canonical = tcplan_problem_canonical(problem);
    strbuf_add(&key, "%d %s", threads, canonical ? canonical : "");
    key.failed = key.failed || !canonical;
    free(canonical);
    return strbuf_finish(&key);
}

/**
 * Has the worker rank and measure an entry, while this batch holds the lock of the machine, and
 * records the speed of gemm. If the entry fails, `*out` is NULL and `reason` has the cause.
 */
static enum tcplan_status find_out(struct finding **out, struct tcplan_batch *batch,
                                   const struct tcplan_library_entry *entry,
                                   struct tcplan_error *reason, struct tcplan_error *error) {
    const struct batch_gemm known = batch->gemm[entry->dtype];
    const struct tcplan_batch_listener *listener = &batch->options.listener;
    if (listener->pause) listener->pause(listener->context);
    enum tcplan_status status =
        tcplan_node_lock_take(batch->lock, listener->waiting, listener->context, error);
    if (status != TCPLAN_OK) return status;
    status = batch_worker_find(out, batch, entry,
                               known.threads == entry->threads ? known.gflops : 0, reason, error);
    tcplan_node_lock_release(batch->lock);
    if (status == TCPLAN_OK && *out) {
        batch->gemm[entry->dtype] =
            (struct batch_gemm){.threads = entry->threads, .gflops = (*out)->numbers.gemm_gflops};
    }
    return status;
}

static enum tcplan_status fail(struct tcplan_batch *batch, const char *reason,
                               struct tcplan_error *error) {
    return record_fail(&batch->record, reason) ? TCPLAN_OK : error_no_memory(error);
}

static enum tcplan_status evaluate_new(struct tcplan_batch *batch,
                                       const struct tcplan_library_entry *entry, const char *key,
                                       struct tcplan_error *error) {
    struct finding *finding = NULL;
    struct tcplan_error reason;
    const enum tcplan_status status = find_out(&finding, batch, entry, &reason, error);
    if (status != TCPLAN_OK) return status;
    if (!finding) return fail(batch, reason.message, error);
    const bool recorded = record_find(&batch->record, entry, finding, NULL);
    finding_cache_keep(&batch->cache, key, entry->id, finding);
    return recorded ? TCPLAN_OK : error_no_memory(error);
}

enum tcplan_status batch_evaluate(struct tcplan_batch *batch,
                                  const struct tcplan_library_entry *entry,
                                  struct tcplan_error *error) {
    struct tcplan_problem problem;
    struct tcplan_error reason;
    record_begin(&batch->record, entry);
    if (entry->fault) return fail(batch, entry->fault->message, error);
    if (tcplan_problem_init(&problem, entry->contraction, entry->extent, entry->dtype, &reason) !=
        TCPLAN_OK) {
        return fail(batch, reason.message, error);
    }
    char *key = key_of(&problem, entry->threads);
    if (!key) return error_no_memory(error);
    const struct known_finding *known = finding_cache_find(&batch->cache, key);
    enum tcplan_status status = TCPLAN_OK;
    if (!known) {
        status = evaluate_new(batch, entry, key, error);
    } else if (!record_find(&batch->record, entry, known->finding, known->id)) {
        status = error_no_memory(error);
    }
    free(key);
    return status;
}
