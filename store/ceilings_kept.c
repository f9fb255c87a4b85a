#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/entry.h"
#include "store/folder.h"
#include "store/kind_ceilings.h"
#include "store/store.h"

enum { KEY_SIZE = 40 };

/** `threads-1`. */
static void ceilings_key(char out[KEY_SIZE], int threads) {
    snprintf(out, KEY_SIZE, "threads-%d", threads);
}

/** Of another BLAS: all that is not its own. */
static void drop_gemm(struct tcplan_roofline *roofline, int threads) {
    size_t left = 0;
    for (size_t c = 0; c < roofline->compute_count; c++) {
        const struct tcplan_ceiling *ceiling = &roofline->compute[c];
        if (ceiling->m == 0 || ceiling->threads != threads) roofline->compute[left++] = *ceiling;
    }
    roofline->compute_count = left;
}

/** Adds what there is for a number of threads; what was made with another BLAS, of which the first
 * error tells, without gemm. */
static enum tcplan_status add_threads(struct tcplan_roofline *roofline, bool *any,
                                      const struct tcplan_store *store, int threads,
                                      struct tcplan_error *error) {
    char key[KEY_SIZE];
    bool found;
    ceilings_key(key, threads);
    const enum tcplan_status status =
        store_find(&found, roofline, store, &store_kind_ceilings, key, error);
    if (found && status == TCPLAN_MISMATCH) drop_gemm(roofline, threads);
    *any = *any || found;
    return status;
}

enum tcplan_status tcplan_store_ceilings(struct tcplan_roofline **out,
                                         const struct tcplan_store *store, const int thread[],
                                         int count, struct tcplan_error *error) {
    struct tcplan_roofline *roofline = base_alloc_zero(1, sizeof *roofline);
    enum tcplan_status status = TCPLAN_OK;
    bool any = false;
    *out = NULL;
    if (!roofline) return error_no_memory(error);
    for (int t = 0; t < count && (status == TCPLAN_OK || status == TCPLAN_MISMATCH); t++) {
        struct tcplan_error one = {0};
        const enum tcplan_status found = add_threads(roofline, &any, store, thread[t], &one);
        if (found != TCPLAN_OK && error) *error = one;
        if (found != TCPLAN_OK) status = found;
    }
    const bool use = any && (status == TCPLAN_OK || status == TCPLAN_MISMATCH);
    if (use) snprintf(roofline->machine.source, sizeof roofline->machine.source, "live");
    if (!use) tcplan_roofline_free(roofline);
    *out = use ? roofline : NULL;
    return status;
}

/** Whether this is the first ceiling for its number of threads. */
static bool is_first(const struct tcplan_roofline *roofline, size_t place) {
    for (size_t c = 0; c < place; c++) {
        if (roofline->compute[c].threads == roofline->compute[place].threads) return false;
    }
    return true;
}

enum tcplan_status tcplan_store_keep_ceilings(const struct tcplan_store *store,
                                              const struct tcplan_roofline *roofline,
                                              struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t c = 0; c < roofline->compute_count && store->folder && status == TCPLAN_OK; c++) {
        if (!is_first(roofline, c)) continue;
        const struct kept_ceilings kept = {.roofline = *roofline,
                                           .threads = roofline->compute[c].threads};
        char key[KEY_SIZE];
        ceilings_key(key, kept.threads);
        status = store_keep(store, &store_kind_ceilings, key, &kept, error);
    }
    return status;
}

char *tcplan_ceilings_text(const struct tcplan_roofline *roofline,
                           const struct tcplan_fingerprint *fingerprint) {
    const struct kept_ceilings kept = {.roofline = *roofline};
    return store_text(&(struct tcplan_store){.fingerprint = *fingerprint}, &store_kind_ceilings,
                      "file", &kept);
}

static enum tcplan_status read_ceilings(struct tcplan_roofline **out,
                                        struct tcplan_fingerprint *fingerprint, const char *text,
                                        size_t length, struct tcplan_error *error) {
    struct entry entry;
    struct tcplan_roofline *roofline = base_alloc_zero(1, sizeof *roofline);
    enum tcplan_status status = roofline ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK) status = entry_read(&entry, text, length, error);
    if (status == TCPLAN_OK && entry.kind != &store_kind_ceilings) {
        status = error_set(error, TCPLAN_INVALID, "it holds %s, not ceilings", entry.kind->name);
    }
    if (status == TCPLAN_OK) status = entry_value(roofline, &entry, error);
    if (status == TCPLAN_OK) {
        if (fingerprint) *fingerprint = entry.fingerprint;
        *out = roofline;
    } else {
        tcplan_roofline_free(roofline);
    }
    return status;
}

enum tcplan_status tcplan_ceilings_load(struct tcplan_roofline **out,
                                        struct tcplan_fingerprint *fingerprint, const char *path,
                                        struct tcplan_error *error) {
    char *text = NULL;
    size_t length = 0;
    struct tcplan_error cause = {0};
    enum tcplan_status status = folder_read_file(&text, &length, path, ENTRY_MOST_BYTES, &cause);
    if (status == TCPLAN_NOT_APPLICABLE)
        return error_set(error, TCPLAN_ENVIRONMENT,
                         "cannot read '%.200s': No such file or directory", path);
    if (status == TCPLAN_OK) status = read_ceilings(out, fingerprint, text, length, &cause);
    if (status == TCPLAN_OK)
        snprintf((*out)->machine.source, sizeof(*out)->machine.source, "%s", path);
    base_free(text);
    if (status == TCPLAN_OK) return status;
    if (error) *error = cause;
    if (status == TCPLAN_INVALID) store_blame(path, error);
    if (status != TCPLAN_MISMATCH) return status;
    store_blame(path, error);
    if (error) error->status = TCPLAN_INVALID;
    return TCPLAN_INVALID;
}
