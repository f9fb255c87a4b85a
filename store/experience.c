/*
 * An experience summarises earlier observations in bounded size. Observations of this process and
 * of a log enter it only by folding. Those of this process are also recorded as lines, for the log
 * to receive.
 */
#include "store/experience.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "store/log.h"

/* Maximum number of bytes of lines that wait to be written to the log. */
enum { MOST_NOTED_BYTES = 1 << 20 };

/* Largest plausible mean square of logarithms. */
#define MOST_SQUARE 100.0

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
    base_free(experience->evaluation);
    base_free(experience->kernel);
    base_free(experience);
}

/* Observing. */

bool observation_write(struct strbuf *out, const struct store_kind *kind, const void *observation) {
    const size_t begin = out->length;
    log_write(out, kind->line->word, kind->line->field, observation);
    if (!out->failed) return true;
    out->failed = false;
    out->length = begin;
    return false;
}

/** Adds an observation of this process to the summaries, and records it as a line; ignores an
 * impossible observation. */
static enum tcplan_status observe(struct tcplan_experience *experience,
                                  const struct store_kind *kind, const void *observation,
                                  int64_t now) {
    union observation own = {0};
    memcpy(&own, observation, kind->line->size);
    if (own.made == 0) own.made = now;
    if (!kind->can_be(&own)) return TCPLAN_OK;
    const enum tcplan_status status = kind->fold(experience, &own);
    struct strbuf *noted = &experience->noted;
    if (status != TCPLAN_OK || noted->length > MOST_NOTED_BYTES) return status;
    if (noted->length == 0) strbuf_append(noted, "\n", 1);
    if (!noted->failed) observation_write(noted, kind, &own);
    noted->failed = false;
    return TCPLAN_OK;
}

enum tcplan_status experience_add(struct tcplan_experience *experience,
                                  const struct store_kind *kind, const void *observations,
                                  size_t count) {
    const int64_t now = (int64_t)time(NULL);
    const char *one = observations;
    enum tcplan_status status = TCPLAN_OK;
    for (; count > 0 && status == TCPLAN_OK; count--, one += kind->line->size)
        status = observe(experience, kind, one, now);
    return status;
}

void experience_drop(void *list, size_t size, size_t *count, size_t first, size_t dropped) {
    assert(first + dropped <= *count);
    char *place = (char *)list + first * size;
    *count -= dropped;
    memmove(place, place + dropped * size, (*count - first) * size);
}

bool experience_is_sum(double count, double squares, double most) {
    return count >= 0 && count <= most && squares >= 0 && squares <= MOST_SQUARE * count;
}

void experience_bound(double *count, double *squares, double most) {
    assert(*count >= 0 && most > 0);
    if (*count <= most) return;
    *squares *= most / *count;
    *count = most;
}

const struct winner *experience_winner(const struct tcplan_experience *experience, int64_t of) {
    for (int w = 0; w < experience->winner_count; w++) {
        if (experience->winner[w].of == of) return &experience->winner[w];
    }
    return NULL;
}
