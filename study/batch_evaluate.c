#include <stdlib.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "study/batch.h"
#include "study/batch_worker.h"
#include "study/blocks.h"
#include "tcplan/canonical.h"

/**
 * Makes the key of an entry, to be freed with free(). Entries with equal keys have equal findings,
 * because all other settings are the same within a batch. Equal problems have equal keys whatever
 * the names of their indices; block-sparse ones only if their texts are equal.
 *
 * @return a status of tcplan_problem_init(); TCPLAN_NO_MEMORY
 */
static enum tcplan_status key_of(char **out, const struct tcplan_library_entry *entry,
                                 struct tcplan_error *error) {
    struct tcplan_problem problem;
    struct strbuf key = {0};
    strbuf_add(&key, "%d ", entry->threads);
    if (entry_is_blocks(entry)) {
        blocks_key(&key, entry);
    } else {
        const enum tcplan_status status =
            tcplan_problem_init(&problem, entry->contraction, entry->extent, entry->dtype, error);
        char *canonical = status == TCPLAN_OK ? tcplan_problem_canonical(&problem) : NULL;
        strbuf_add(&key, "%s", canonical ? canonical : "");
        key.failed = key.failed || !canonical;
        free(canonical);
        if (status != TCPLAN_OK) {
            strbuf_free(&key);
            return status;
        }
    }
    *out = strbuf_finish(&key);
    return *out ? TCPLAN_OK : error_no_memory(error);
}

/**
 * Makes the worker rank and measure an entry, while this batch holds the lock of the machine, and
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
    struct tcplan_error reason;
    char *key = NULL;
    record_begin(&batch->record, entry);
    if (entry->fault) return fail(batch, entry->fault->message, error);
    const enum tcplan_status keyed = key_of(&key, entry, &reason);
    if (keyed == TCPLAN_NO_MEMORY) return error_no_memory(error);
    if (keyed != TCPLAN_OK) return fail(batch, reason.message, error);
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
