#include "store/experience.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"

enum { MINUTE = 60, FIRST_KERNELS = 64 };

struct tcplan_experience *tcplan_experience_new(void) {
    return base_alloc_zero(1, sizeof(struct tcplan_experience));
}

size_t tcplan_experience_count(const struct tcplan_experience *experience) {
    return experience->count;
}

const struct tcplan_costs *tcplan_experience_costs(const struct tcplan_experience *experience) {
    return experience && experience->costs.measured ? &experience->costs : NULL;
}

void tcplan_experience_set_costs(struct tcplan_experience *experience,
                                 const struct tcplan_costs *costs) {
    experience->costs = *costs;
    experience->costs_own = true;
}

void tcplan_experience_free(struct tcplan_experience *experience) {
    if (experience) base_free(experience->look);
    if (experience) base_free(experience->kernel);
    base_free(experience);
}

bool look_is_alike(const struct look *a, const struct look *b) {
    return a->dtype == b->dtype && a->kernel == b->kernel && a->provider == b->provider &&
           a->threads == b->threads && a->parallel == b->parallel && a->cold == b->cold &&
           a->tiled == b->tiled && a->inner == b->inner && a->outer == b->outer &&
           memcmp(a->copy, b->copy, sizeof a->copy) == 0 && a->m == b->m && a->n == b->n &&
           a->k == b->k;
}

static bool reserve(struct tcplan_experience *experience, size_t count) {
    if (count <= experience->capacity) return true;
    const size_t capacity = count > 2 * experience->capacity ? count : 2 * experience->capacity;
    struct look *grown = base_realloc(experience->look, capacity * sizeof *grown);
    if (!grown) return false;
    experience->look = grown;
    experience->capacity = capacity;
    return true;
}

enum tcplan_status experience_append(struct tcplan_experience *experience, const struct look *look,
                                     struct tcplan_error *error) {
    if (experience->count >= EXPERIENCE_LOOKS)
        return error_set(error, TCPLAN_INVALID, "more than %d looks", (int)EXPERIENCE_LOOKS);
    if (!reserve(experience, experience->count + 1)) return error_no_memory(error);
    experience->look[experience->count++] = *look;
    return TCPLAN_OK;
}

static bool is_among(const struct look *look, const struct look list[], size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (look_is_alike(&list[i], look)) return true;
    }
    return false;
}

/** Looks at a problem that stay beside new ones of it. */
static size_t count_older(const struct tcplan_experience *experience, const struct look look[],
                          size_t count) {
    size_t older = 0;
    for (size_t i = 0; i < experience->count; i++) {
        older += experience->look[i].problem == look->problem &&
                 !is_among(&experience->look[i], look, count);
    }
    return older;
}

enum tcplan_status experience_add(struct tcplan_experience *experience, const struct look look[],
                                  size_t count, struct tcplan_error *error) {
    if (count > EXPERIENCE_LOOKS_OF_A_PROBLEM)
        count = EXPERIENCE_LOOKS_OF_A_PROBLEM; /* the first: they were most promising */
    if (count == 0) return TCPLAN_OK;
    const size_t older = count_older(experience, look, count);
    const size_t most_older = EXPERIENCE_LOOKS_OF_A_PROBLEM - count;
    size_t dropped = older > most_older ? older - most_older : 0;
    struct look *list = base_alloc((experience->count + count) * sizeof *list);
    if (!list) return error_no_memory(error);
    size_t kept = 0;
    for (size_t i = 0; i < experience->count; i++) {
        if (experience->look[i].problem != look->problem) list[kept++] = experience->look[i];
    }
    for (size_t i = 0; i < experience->count; i++) {
        const struct look *before = &experience->look[i];
        if (before->problem != look->problem || is_among(before, look, count)) continue;
        if (dropped > 0) {
            dropped--;
        } else {
            list[kept++] = *before;
        }
    }
    memcpy(&list[kept], look, count * sizeof *list);
    kept += count;
    const size_t forgotten = kept > EXPERIENCE_LOOKS ? kept - EXPERIENCE_LOOKS : 0;
    memmove(list, &list[forgotten], (kept - forgotten) * sizeof *list);
    base_free(experience->look);
    experience->count = kept - forgotten;
    experience->capacity = kept;
    experience->look = list;
    return TCPLAN_OK;
}

/* Kernels. */

static bool reserve_kernels(struct tcplan_experience *experience) {
    if (experience->kernel_count < experience->kernel_capacity) return true;
    const size_t capacity =
        experience->kernel_capacity > 0 ? 2 * experience->kernel_capacity : FIRST_KERNELS;
    struct kernel_time *grown = base_realloc(experience->kernel, capacity * sizeof *grown);
    if (!grown) return false;
    experience->kernel = grown;
    experience->kernel_capacity = capacity;
    return true;
}

enum tcplan_status experience_append_kernel(struct tcplan_experience *experience,
                                            const struct kernel_time *kernel,
                                            struct tcplan_error *error) {
    if (experience->kernel_count >= EXPERIENCE_KERNELS)
        return error_set(error, TCPLAN_INVALID, "more than %d kernels", (int)EXPERIENCE_KERNELS);
    if (!reserve_kernels(experience)) return error_no_memory(error);
    experience->kernel[experience->kernel_count++] = *kernel;
    return TCPLAN_OK;
}

static void drop_kernel(struct tcplan_experience *experience, size_t place) {
    struct kernel_time *kernel = &experience->kernel[place];
    memmove(kernel, kernel + 1, (--experience->kernel_count - place) * sizeof *kernel);
}

enum tcplan_status experience_add_kernel(struct tcplan_experience *experience,
                                         const struct kernel_time *kernel,
                                         struct tcplan_error *error) {
    struct kernel_time added = *kernel;
    size_t place = 0;
    if (!reserve_kernels(experience)) return error_no_memory(error);
    while (place < experience->kernel_count &&
           memcmp(&experience->kernel[place].key, &kernel->key, sizeof kernel->key) != 0)
        place++;
    if (place < experience->kernel_count) {
        added.ns = fmin(added.ns, experience->kernel[place].ns);
        added.timed = added.timed > experience->kernel[place].timed
                          ? added.timed
                          : experience->kernel[place].timed;
        drop_kernel(experience, place);
    } else if (place == EXPERIENCE_KERNELS) {
        drop_kernel(experience, 0);
    }
    experience->kernel[experience->kernel_count++] = added;
    return TCPLAN_OK;
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

void experience_add_states(struct tcplan_experience *experience, const struct states_kept *states) {
    struct states_kept *last =
        experience->states_count > 0 ? &experience->states[experience->states_count - 1] : NULL;
    if (last && last->own == states->own && last->memory == states->memory &&
        states->made - last->made < MINUTE && states->made >= last->made) {
        last->states = join(&last->states, &states->states);
        return;
    }
    if (experience->states_count == EXPERIENCE_STATES) {
        memmove(experience->states, &experience->states[1],
                --experience->states_count * sizeof *states);
    }
    experience->states[experience->states_count++] = *states;
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
    experience_add_states(
        experience,
        &(struct states_kept){.made = (int64_t)time(NULL), .own = true, .states = *met});
}

/* Residuals. */

double residual_deviation(const struct residual *residual) {
    return residual->count > 0 ? sqrt(residual->squares / residual->count) : 0;
}

static struct residual sum_of(const struct residual *a, const struct residual *b) {
    struct residual sum = *a;
    const double count = a->count + b->count;
    const double most = fmin(count, EXPERIENCE_RESIDUALS_COUNT);
    sum.count = most;
    sum.squares = count > 0 ? (a->squares + b->squares) * most / count : 0;
    return sum;
}

void experience_add_residual(struct tcplan_experience *experience,
                             const struct residual *residual) {
    int r = 0;
    if (!(residual->count > 0)) return;
    while (r < experience->residual_count && (experience->residual[r].kind != residual->kind ||
                                              experience->residual[r].own != residual->own ||
                                              experience->residual[r].memory != residual->memory)) {
        r++;
    }
    if (r < experience->residual_count) {
        experience->residual[r] = sum_of(&experience->residual[r], residual);
    } else {
        experience->residual[experience->residual_count++] = *residual;
    }
}

struct residual experience_residual(const struct tcplan_experience *experience,
                                    enum residual_kind kind, bool memory) {
    struct residual sum = {.kind = kind, .memory = memory};
    for (int r = 0; r < experience->residual_count; r++) {
        const struct residual *one = &experience->residual[r];
        if (one->kind == kind && one->memory == memory) sum = sum_of(&sum, one);
    }
    return sum;
}

static int place_of(const struct tcplan_experience *experience, int64_t of) {
    int s = 0;
    while (s < experience->said_count && experience->said[s].of != of) s++;
    return s;
}

void experience_add_said(struct tcplan_experience *experience, const struct said *said) {
    int s = place_of(experience, said->of);
    if (s == experience->said_count && s == EXPERIENCE_SAID) s = 0; /* the oldest */
    if (s < experience->said_count) {
        memmove(&experience->said[s], &experience->said[s + 1],
                (size_t)(experience->said_count - s - 1) * sizeof *said);
        experience->said_count--;
    }
    experience->said[experience->said_count++] = *said;
}

const struct said *experience_said(const struct tcplan_experience *experience, int64_t of) {
    const int s = place_of(experience, of);
    return s < experience->said_count ? &experience->said[s] : NULL;
}

enum tcplan_status experience_show(struct strbuf *out, const char *content, size_t length,
                                   enum tcplan_status (*read)(void *, const char *, size_t,
                                                              struct tcplan_error *),
                                   experience_show_fn *show, struct tcplan_error *error) {
    struct tcplan_experience *experience = tcplan_experience_new();
    if (!experience) return error_no_memory(error);
    const enum tcplan_status status = read(experience, content, length, error);
    if (status == TCPLAN_OK && out) show(out, experience);
    tcplan_experience_free(experience);
    return status;
}
