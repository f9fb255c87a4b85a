#include "store/experience.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/log.h"

/* Beyond the most observations a share of the oldest goes at once, so that not each one that is
 * added moves all others; so many bytes are noted at most, where nothing can be kept. */
enum { MINUTE = 60, FORGOTTEN_SHARE = 20, MOST_NOTED_BYTES = 1 << 20 };

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

/** Takes an observation of this process; one that cannot be is left out. */
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

/* Lists. */

/** Removes entries of a list. */
static void drop(void *list, size_t size, size_t *count, size_t first, size_t dropped) {
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

/** Moves the looks at a problem behind all others; returns where they begin. */
static size_t bring_last(struct tcplan_experience *experience, int64_t problem) {
    struct look *look = experience->look, group[EXPERIENCE_LOOKS_OF_A_PROBLEM];
    size_t first = experience->count, end;
    while (first > 0 && look[first - 1].problem == problem) first--;
    if (first < experience->count) return first;
    for (first = 0; first < experience->count && look[first].problem != problem; first++) continue;
    for (end = first; end < experience->count && look[end].problem == problem; end++)
        group[end - first] = look[end];
    const size_t count = end - first;
    drop(look, sizeof *look, &experience->count, first, count);
    memcpy(&look[experience->count], group, count * sizeof *group);
    experience->count += count;
    return experience->count - count;
}

/** Of one ranking, which has one time, looks that are alike stand beside each other. */
enum tcplan_status experience_fold_look(struct tcplan_experience *experience,
                                        const void *observation) {
    const struct look *added = observation;
    struct look *look = experience->look;
    if (!look) experience->look = look = base_alloc(EXPERIENCE_LOOKS * sizeof *look);
    if (!look) return TCPLAN_NO_MEMORY;
    if (experience->count == EXPERIENCE_LOOKS)
        drop(look, sizeof *look, &experience->count, 0, EXPERIENCE_LOOKS / FORGOTTEN_SHARE);
    const size_t first = bring_last(experience, added->problem);
    for (size_t i = experience->count; i-- > first;) {
        if (look[i].made != added->made && look_is_alike(&look[i], added))
            drop(look, sizeof *look, &experience->count, i, 1);
    }
    if (experience->count - first == EXPERIENCE_LOOKS_OF_A_PROBLEM)
        drop(look, sizeof *look, &experience->count, first, 1);
    look[experience->count++] = *added;
    return TCPLAN_OK;
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

/** The extents tell most calls apart, at little cost. */
static bool is_same(const struct kernel_key *a, const struct kernel_key *b) {
    return a->call[KERNEL_KEY_EXTENTS] == b->call[KERNEL_KEY_EXTENTS] &&
           memcmp(a, b, sizeof *a) == 0;
}

enum tcplan_status experience_fold_kernel(struct tcplan_experience *experience,
                                          const void *observation) {
    struct kernel_time added = *(const struct kernel_time *)observation;
    size_t place = 0;
    struct kernel_time *kernel = experience->kernel;
    if (!kernel) experience->kernel = kernel = base_alloc(EXPERIENCE_KERNELS * sizeof *kernel);
    if (!kernel) return TCPLAN_NO_MEMORY;
    while (place < experience->kernel_count && !is_same(&kernel[place].key, &added.key)) place++;
    if (place < experience->kernel_count) {
        added.ns = fmin(added.ns, kernel[place].ns);
        if (added.timed < kernel[place].timed) added.timed = kernel[place].timed;
        drop(kernel, sizeof *kernel, &experience->kernel_count, place, 1);
    } else if (place == EXPERIENCE_KERNELS) {
        drop(kernel, sizeof *kernel, &experience->kernel_count, 0,
             EXPERIENCE_KERNELS / FORGOTTEN_SHARE);
    }
    kernel[experience->kernel_count++] = added;
    return TCPLAN_OK;
}

enum tcplan_status experience_add_kernel(struct tcplan_experience *experience,
                                         const struct kernel_time *kernel,
                                         struct tcplan_error *error) {
    const enum tcplan_status status = observe(experience, &observation_kernel, kernel);
    return status == TCPLAN_OK ? status : error_no_memory(error);
}

/* States. */

/** The mean of two numbers, in logarithms, weighted; of one where the other is not known. */
static double joined(double a, double b, double weight_of_a, double nothing) {
    if (a <= nothing || b <= nothing) return a > b ? a : b;
    return exp(weight_of_a * log(a) + (1 - weight_of_a) * log(b));
}

static struct states join(const struct states *a, const struct states *b) {
    const double watched = a->watched_seconds + b->watched_seconds;
    const double weight = a->watched_seconds / watched;
    return (struct states){.good = joined(a->good, b->good, weight, 0),
                           .ratio = joined(a->ratio, b->ratio, weight, 1),
                           .share = weight * a->share + (1 - weight) * b->share,
                           .dwell_seconds = joined(a->dwell_seconds, b->dwell_seconds, weight, 0),
                           .watched_seconds = watched};
}

enum tcplan_status experience_fold_states(struct tcplan_experience *experience,
                                          const void *observation) {
    const struct states_kept *added = observation;
    size_t count = (size_t)experience->states_count;
    struct states_kept *last = count > 0 ? &experience->states[count - 1] : NULL;
    if (last && last->memory == added->memory && added->made - last->made < MINUTE &&
        added->made >= last->made) {
        last->states = join(&last->states, &added->states);
        return TCPLAN_OK;
    }
    if (count == EXPERIENCE_STATES) drop(experience->states, sizeof *added, &count, 0, 1);
    experience->states[count++] = *added;
    experience->states_count = (int)count;
    return TCPLAN_OK;
}

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

/** The summary of a kind; one without residuals behind the others where there is none. */
static struct residual *residual_of(struct tcplan_experience *experience, enum residual_kind kind,
                                    bool memory) {
    int r = 0;
    struct residual *residual = experience->residual;
    while (r < experience->residual_count &&
           (residual[r].kind != kind || residual[r].memory != memory))
        r++;
    if (r == experience->residual_count)
        residual[experience->residual_count++] = (struct residual){.kind = kind, .memory = memory};
    return &residual[r];
}

/** Where there are more than the most, all count less. */
enum tcplan_status experience_fold_residual(struct tcplan_experience *experience,
                                            const void *observation) {
    const struct residual *added = observation;
    struct residual *sum = residual_of(experience, added->kind, added->memory);
    const double count = sum->count + added->count;
    sum->made = added->made;
    sum->count = fmin(count, EXPERIENCE_RESIDUALS_COUNT);
    sum->squares += added->squares;
    if (sum->count < count) sum->squares *= sum->count / count;
    return TCPLAN_OK;
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

static size_t place_of(const struct tcplan_experience *experience, int64_t of) {
    const size_t count = (size_t)experience->said_count;
    size_t s = 0;
    while (s < count && experience->said[s].of != of) s++;
    return s;
}

enum tcplan_status experience_fold_said(struct tcplan_experience *experience,
                                        const void *observation) {
    const struct said *added = observation;
    size_t count = (size_t)experience->said_count, s = place_of(experience, added->of);
    if (s == EXPERIENCE_SAID) s = 0; /* the oldest */
    if (s < count) drop(experience->said, sizeof *added, &count, s, 1);
    experience->said[count++] = *added;
    experience->said_count = (int)count;
    return TCPLAN_OK;
}

void experience_add_said(struct tcplan_experience *experience, const struct said *said) {
    observe(experience, &observation_said, said);
}

const struct said *experience_said(const struct tcplan_experience *experience, int64_t of) {
    const size_t s = place_of(experience, of);
    return s < (size_t)experience->said_count ? &experience->said[s] : NULL;
}
