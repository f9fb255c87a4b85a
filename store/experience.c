#include "store/experience.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/log.h"

/* The bound of noted lines while the store cannot be written. */
enum { MOST_NOTED_BYTES = 1 << 20 };

const struct observation_type *const observation_types[] = {
    &observation_look,     &observation_kernel, &observation_states,
    &observation_residual, &observation_said,   NULL,
};

const char *observation_kernel_name(int kernel) {
    return kernel < TCPLAN_KERNELS ? tcplan_kernel_name((enum tcplan_kernel)kernel, TCPLAN_DOUBLE)
                                   : NULL;
}

const char *observation_provider_name(int provider) {
    return provider < TCPLAN_PROVIDER_FILE_1 ? tcplan_provider_name((enum tcplan_provider)provider)
                                             : NULL;
}

struct tcplan_experience *tcplan_experience_new(void) {
    return base_alloc_zero(1, sizeof(struct tcplan_experience));
}

size_t tcplan_experience_count(const struct tcplan_experience *experience) {
    return experience->count;
}

const struct tcplan_costs *tcplan_experience_costs(const struct tcplan_experience *experience) {
    return experience && experience->costs.measured ? &experience->costs : NULL;
}

void tcplan_experience_free(struct tcplan_experience *experience) {
    if (!experience) return;
    strbuf_free(&experience->noted);
    base_free(experience->look);
    base_free(experience->kernel);
    base_free(experience);
}

/* Observing. */

bool observation_write(struct strbuf *out, const struct observation_type *type,
                       const void *observation) {
    const size_t begin = out->length;
    log_write(out, type->word, type->field, observation);
    if (!out->failed) return true;
    out->failed = false;
    out->length = begin;
    return false;
}

/** Folds and notes an observation of this process; ignores an impossible one. */
static enum tcplan_status observe(struct tcplan_experience *experience,
                                  const struct observation_type *type, const void *observation) {
    union observation own = {0};
    memcpy(&own, observation, type->size);
    if (own.made == 0) own.made = (int64_t)time(NULL);
    if (!type->can_be(&own)) return TCPLAN_OK;
    const enum tcplan_status status = type->fold(experience, &own);
    struct strbuf *noted = &experience->noted;
    if (status != TCPLAN_OK || noted->length > MOST_NOTED_BYTES) return status;
    if (noted->length == 0) strbuf_append(noted, "\n", 1);
    if (!noted->failed) observation_write(noted, type, &own);
    noted->failed = false;
    return TCPLAN_OK;
}

void experience_drop(void *list, size_t size, size_t *count, size_t first, size_t dropped) {
    char *place = (char *)list + first * size;
    *count -= dropped;
    memmove(place, place + dropped * size, (*count - first) * size);
}

/* Looks. */

bool look_is_alike(const struct look *a, const struct look *b) {
    return a->dtype == b->dtype && a->kernel == b->kernel && a->provider == b->provider &&
           a->threads == b->threads && a->parallel == b->parallel && a->cold == b->cold &&
           a->tiled == b->tiled && a->inner == b->inner && a->outer == b->outer &&
           memcmp(a->copy, b->copy, sizeof a->copy) == 0 && a->m == b->m && a->n == b->n &&
           a->k == b->k;
}

enum tcplan_status experience_add(struct tcplan_experience *experience, const struct look look[],
                                  size_t count, struct tcplan_error *error) {
    const int64_t now = (int64_t)time(NULL);
    enum tcplan_status status = TCPLAN_OK;
    for (size_t i = 0; i < count && status == TCPLAN_OK; i++) {
        struct look one = look[i];
        if (one.made == 0) one.made = now;
        status = observe(experience, &observation_look, &one);
    }
    return status == TCPLAN_OK ? status : error_no_memory(error);
}

/* Kernels. */

enum tcplan_status experience_add_kernel(struct tcplan_experience *experience,
                                         const struct kernel_time *kernel,
                                         struct tcplan_error *error) {
    const enum tcplan_status status = observe(experience, &observation_kernel, kernel);
    return status == TCPLAN_OK ? status : error_no_memory(error);
}

/* States. */

void experience_add_states(struct tcplan_experience *experience, const struct states_kept *states) {
    observe(experience, &observation_states, states);
}

int experience_kept_states(struct states_kept out[EXPERIENCE_STATES],
                           const struct tcplan_experience *experience, bool memory) {
    int count = 0;
    for (int i = 0; i < experience->states_count; i++) {
        if (experience->states[i].memory == memory) out[count++] = experience->states[i];
    }
    return count;
}

struct states experience_known_states(const struct tcplan_experience *experience) {
    struct states_kept kept[EXPERIENCE_STATES];
    if (!experience) return (struct states){0};
    return states_known(kept, experience_kept_states(kept, experience, false), (int64_t)time(NULL));
}

void experience_note_states(struct tcplan_experience *experience, const struct states *met) {
    if (!experience || met->good <= 0 || met->watched_seconds <= 0) return;
    experience_add_states(experience, &(struct states_kept){.states = *met});
}

/* Residuals. */

double residual_deviation(const struct residual *residual) {
    return residual->count > 0 ? sqrt(residual->squares / residual->count) : 0;
}

void experience_add_residual(struct tcplan_experience *experience,
                             const struct residual *residual) {
    observe(experience, &observation_residual, residual);
}

struct residual experience_residual(const struct tcplan_experience *experience,
                                    enum residual_kind kind, bool memory) {
    for (int r = 0; r < experience->residual_count; r++) {
        const struct residual *one = &experience->residual[r];
        if (one->kind == kind && one->memory == memory) return *one;
    }
    return (struct residual){.kind = kind, .memory = memory};
}

void experience_add_said(struct tcplan_experience *experience, const struct said *said) {
    observe(experience, &observation_said, said);
}

const struct said *experience_said(const struct tcplan_experience *experience, int64_t of) {
    for (int s = 0; s < experience->said_count; s++) {
        if (experience->said[s].of == of) return &experience->said[s];
    }
    return NULL;
}
