#include "base/error.h"
#include "store/experience.h"
#include "store/folder.h"
#include "store/store.h"

/* One entry for all problems. */
static const char key[] = "all";

enum tcplan_status tcplan_store_experience(struct tcplan_experience **out, const struct tcplan_store *store, struct tcplan_error *error) {
    bool found;
    struct tcplan_experience *experience = tcplan_experience_new();
    *out = experience;
    if (!experience) return error_no_memory(error);
    enum tcplan_status status = store_find(&found, experience, store, &store_kind_looks, key, error);
    if (status != TCPLAN_OK) experience->count = 0; /* those in front of what is wrong */
    const bool looks_failed = status != TCPLAN_OK;  /* the first error is told */
    const enum tcplan_status own = store_find(&found, experience, store, &store_kind_states, key, looks_failed ? NULL : error);
    if (own != TCPLAN_OK) experience->states_count = 0;
    if (!looks_failed || own == TCPLAN_NO_MEMORY) status = own;
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

static bool has_own_states(const struct tcplan_experience *experience) {
    int i = 0;
    while (i < experience->states_count && !experience->states[i].own) i++;
    return i < experience->states_count;
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

/** Adds what `from` has learnt itself. */
static enum tcplan_status merge(struct tcplan_experience *into, const struct tcplan_experience *from, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t i = 0, count; i < from->count && status == TCPLAN_OK; i += count) {
        const struct look *look = &from->look[i];
        for (count = 1; i + count < from->count && look[count].problem == look->problem && look[count].own == look->own; count++) continue;
        if (look->own) status = experience_add(into, look, count, error);
    }
    return status;
}

/** With the lock. */
static enum tcplan_status update(const struct tcplan_store *store, const struct tcplan_experience *experience, struct tcplan_error *error) {
    struct tcplan_experience *kept;
    enum tcplan_status status = tcplan_store_experience(&kept, store, NULL);
    if (status == TCPLAN_NO_MEMORY) return error_no_memory(error);
    const bool is_used = kept->count > 0;
    status = TCPLAN_OK;
    if (is_used) status = merge(kept, experience, error);
    if (status == TCPLAN_OK && has_own_looks(experience))
        status = store_replace(store, &store_kind_looks, key, is_used ? kept : experience, error);
    merge_states(kept, experience);
    if (status == TCPLAN_OK && has_own_states(experience)) status = store_replace(store, &store_kind_states, key, kept, error);
    tcplan_experience_free(kept);
    return status;
}

enum tcplan_status tcplan_store_keep_experience(const struct tcplan_store *store, struct tcplan_experience *experience,
                                                struct tcplan_error *error) {
    int lock;
    if (!store->folder || (!has_own_looks(experience) && !has_own_states(experience))) return TCPLAN_OK;
    enum tcplan_status status = folder_lock(&lock, store->folder, error);
    if (status != TCPLAN_OK) return status;
    status = update(store, experience, error);
    folder_unlock(lock);
    for (size_t i = 0; i < experience->count && status == TCPLAN_OK; i++) experience->look[i].own = false;
    for (int i = 0; i < experience->states_count && status == TCPLAN_OK; i++) experience->states[i].own = false;
    return status;
}
