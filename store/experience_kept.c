#include "base/error.h"
#include "store/experience.h"
#include "store/folder.h"
#include "store/store.h"

/* One entry for all problems. */
static const char key[] = "all";

/** What there is of the kinds, one after the other; of one that is wrong nothing is used, and the
 * first such error is told. */
static enum tcplan_status find(struct tcplan_experience *experience,
                               const struct tcplan_store *store, struct tcplan_error *error) {
    enum { KINDS = 5 };
    static const struct store_kind *const kinds[KINDS] = {&store_kind_looks, &store_kind_kernels,
                                                          &store_kind_states, &store_kind_residuals,
                                                          &store_kind_costs};
    enum tcplan_status first = TCPLAN_OK;
    bool found;
    for (size_t k = 0; k < KINDS; k++) {
        const enum tcplan_status status =
            store_find(&found, experience, store, kinds[k], key, first == TCPLAN_OK ? error : NULL);
        if (status == TCPLAN_OK) continue;
        if (kinds[k] == &store_kind_looks)
            experience->count = 0; /* those in front of what is wrong */
        if (kinds[k] == &store_kind_kernels) experience->kernel_count = 0;
        if (kinds[k] == &store_kind_states) experience->states_count = 0;
        if (kinds[k] == &store_kind_residuals)
            experience->residual_count = experience->said_count = 0;
        if (kinds[k] == &store_kind_costs) experience->costs = (struct tcplan_costs){0};
        if (first == TCPLAN_OK || status == TCPLAN_NO_MEMORY) first = status;
    }
    return first;
}

enum tcplan_status tcplan_store_experience(struct tcplan_experience **out,
                                           const struct tcplan_store *store,
                                           struct tcplan_error *error) {
    struct tcplan_experience *experience = tcplan_experience_new();
    *out = experience;
    if (!experience) return error_no_memory(error);
    const enum tcplan_status status = find(experience, store, error);
    if (status != TCPLAN_NO_MEMORY) return status;
    tcplan_experience_free(experience);
    *out = NULL;
    return status;
}

static bool has_own_looks(const struct tcplan_experience *experience) {
    size_t i = 0;
    while (i < experience->count && !experience->look[i].own) i++;
    return i < experience->count;
}

static bool has_own_kernels(const struct tcplan_experience *experience) {
    size_t i = 0;
    while (i < experience->kernel_count && !experience->kernel[i].own) i++;
    return i < experience->kernel_count;
}

static bool has_own_states(const struct tcplan_experience *experience) {
    int i = 0;
    while (i < experience->states_count && !experience->states[i].own) i++;
    return i < experience->states_count;
}

static bool has_own_residuals(const struct tcplan_experience *experience) {
    bool has_own = false;
    for (int r = 0; r < experience->residual_count; r++)
        has_own = has_own || experience->residual[r].own;
    for (int s = 0; s < experience->said_count; s++) has_own = has_own || experience->said[s].own;
    return has_own;
}

static bool has_own(const struct tcplan_experience *experience) {
    return has_own_looks(experience) || has_own_kernels(experience) || has_own_states(experience) ||
           has_own_residuals(experience) || experience->costs_own;
}

static void merge_residuals(struct tcplan_experience *into, const struct tcplan_experience *from) {
    for (int r = 0; r < from->residual_count; r++) {
        struct residual one = from->residual[r];
        if (!one.own) continue;
        one.own = false;
        experience_add_residual(into, &one);
    }
    for (int s = 0; s < from->said_count; s++) {
        struct said one = from->said[s];
        if (!one.own) continue;
        one.own = false;
        experience_add_said(into, &one);
    }
}

/** What this process learnt of them is as good as kept from here on. */
static void disown_residuals(struct tcplan_experience *experience) {
    const int count = experience->residual_count;
    struct residual own[2 * 2 * RESIDUAL_KINDS];
    int owned = 0;
    experience->residual_count = 0;
    for (int r = 0; r < count; r++) {
        const struct residual one = experience->residual[r];
        *(one.own ? &own[owned++] : &experience->residual[experience->residual_count++]) = one;
    }
    for (int r = 0; r < owned; r++) {
        own[r].own = false;
        experience_add_residual(experience, &own[r]);
    }
    for (int s = 0; s < experience->said_count; s++) experience->said[s].own = false;
}

/** What this process met is as good as kept from here on. */
static void merge_states(struct tcplan_experience *into, const struct tcplan_experience *from) {
    for (int i = 0; i < from->states_count; i++) {
        struct states_kept one = from->states[i];
        if (!one.own) continue;
        one.own = false;
        experience_add_states(into, &one);
    }
}

static enum tcplan_status merge_kernels(struct tcplan_experience *into,
                                        const struct tcplan_experience *from,
                                        struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t i = 0; i < from->kernel_count && status == TCPLAN_OK; i++) {
        if (from->kernel[i].own) status = experience_add_kernel(into, &from->kernel[i], error);
    }
    return status;
}

/** Adds what `from` has learnt itself. */
static enum tcplan_status merge(struct tcplan_experience *into,
                                const struct tcplan_experience *from, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t i = 0, count; i < from->count && status == TCPLAN_OK; i += count) {
        const struct look *look = &from->look[i];
        for (count = 1; i + count < from->count && look[count].problem == look->problem &&
                        look[count].own == look->own;
             count++)
            continue;
        if (look->own) status = experience_add(into, look, count, error);
    }
    return status;
}

/** With the lock. */
static enum tcplan_status update(const struct tcplan_store *store,
                                 const struct tcplan_experience *experience,
                                 struct tcplan_error *error) {
    struct tcplan_experience *kept;
    enum tcplan_status status = tcplan_store_experience(&kept, store, NULL);
    if (status == TCPLAN_NO_MEMORY) return error_no_memory(error);
    const bool is_used = kept->count > 0;
    status = TCPLAN_OK;
    if (is_used) status = merge(kept, experience, error);
    if (status == TCPLAN_OK && has_own_looks(experience))
        status = store_replace(store, &store_kind_looks, key, is_used ? kept : experience, error);
    if (status == TCPLAN_OK) status = merge_kernels(kept, experience, error);
    if (status == TCPLAN_OK && has_own_kernels(experience))
        status = store_replace(store, &store_kind_kernels, key, kept, error);
    merge_states(kept, experience);
    if (status == TCPLAN_OK && has_own_states(experience))
        status = store_replace(store, &store_kind_states, key, kept, error);
    merge_residuals(kept, experience);
    if (status == TCPLAN_OK && has_own_residuals(experience))
        status = store_replace(store, &store_kind_residuals, key, kept, error);
    if (status == TCPLAN_OK && experience->costs_own)
        status = store_replace(store, &store_kind_costs, key, experience, error);
    tcplan_experience_free(kept);
    return status;
}

enum tcplan_status tcplan_store_keep_experience(const struct tcplan_store *store,
                                                struct tcplan_experience *experience,
                                                struct tcplan_error *error) {
    int lock;
    if (!store->folder || !has_own(experience)) return TCPLAN_OK;
    enum tcplan_status status = folder_lock(&lock, store->folder, error);
    if (status != TCPLAN_OK) return status;
    status = update(store, experience, error);
    if (status == TCPLAN_OK) store_trim(store);
    folder_unlock(lock);
    for (size_t i = 0; i < experience->count && status == TCPLAN_OK; i++)
        experience->look[i].own = false;
    for (size_t i = 0; i < experience->kernel_count && status == TCPLAN_OK; i++)
        experience->kernel[i].own = false;
    for (int i = 0; i < experience->states_count && status == TCPLAN_OK; i++)
        experience->states[i].own = false;
    if (status == TCPLAN_OK) disown_residuals(experience);
    if (status == TCPLAN_OK) experience->costs_own = false;
    return status;
}
