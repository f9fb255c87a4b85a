#include "cli/commands/model/model_cuts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/** A cut through samples, which may be chosen for the plot. */
struct candidate {
    struct model_cut cut;
    size_t samples;
    double distance; /* distance from the nearest chosen cut */
};

static struct model_cut cut_through(const struct model_cuts_wanted *wanted, const int64_t size[]) {
    struct model_cut cut = {{0}};
    for (int i = 0; i < wanted->model->domain.count; i++) {
        if (i != wanted->along) cut.size[i] = size[i];
    }
    return cut;
}

/** Returns whether a cut agrees with the sizes that the user gave. */
static bool suits(const struct model_cuts_wanted *wanted, const struct model_cut *cut) {
    for (int i = 0; i < wanted->model->domain.count; i++) {
        if (wanted->given[i] && cut->size[i] != wanted->size[i]) return false;
    }
    return true;
}

bool model_cut_has(const struct model_cut *cut, const struct model_cuts_wanted *wanted,
                   const struct tcplan_model_sample *sample) {
    const struct model_cut own = cut_through(wanted, sample->size);
    return memcmp(own.size, cut->size, sizeof own.size) == 0;
}

double model_cut_distance(const struct model_cut *cut, const struct model_cuts_wanted *wanted,
                          const int64_t size[]) {
    double largest = 1;
    for (int i = 0; i < wanted->model->domain.count; i++) {
        if (i == wanted->along || size[i] <= 0 || cut->size[i] <= 0) continue;
        const double factor = (double)size[i] / (double)cut->size[i];
        largest = fmax(largest, fmax(factor, 1 / factor));
    }
    return largest;
}

/* Candidates. */

static int compare_cuts(const void *a, const void *b) {
    const struct model_cut *x = a, *y = b;
    for (int i = 0; i < TCPLAN_MODEL_SIZES; i++) {
        if (x->size[i] != y->size[i]) return x->size[i] < y->size[i] ? -1 : 1;
    }
    return 0;
}

static int compare_candidates(const void *a, const void *b) {
    return compare_cuts(&((const struct candidate *)a)->cut, &((const struct candidate *)b)->cut);
}

/** Returns all distinct cuts through samples of the domain; NULL if memory runs out. */
static struct candidate *find_candidates(size_t *count, const struct model_cuts_wanted *wanted) {
    struct candidate *candidate = base_alloc((wanted->samples->count + 1) * sizeof *candidate);
    size_t all = 0;
    *count = 0;
    if (!candidate) return NULL;
    for (size_t s = 0; s < wanted->samples->count; s++) {
        const int64_t *size = wanted->samples->sample[s].size;
        const struct model_cut cut = cut_through(wanted, size);
        if (!suits(wanted, &cut) || !tcplan_model_domain_contains(&wanted->model->domain, size))
            continue;
        candidate[all++] = (struct candidate){.cut = cut, .samples = 1, .distance = INFINITY};
    }
    if (all > 1) qsort(candidate, all, sizeof *candidate, compare_candidates);
    for (size_t c = 0; c < all; c++) {
        if (*count > 0 && compare_candidates(&candidate[*count - 1], &candidate[c]) == 0) {
            candidate[*count - 1].samples++;
        } else {
            candidate[(*count)++] = candidate[c];
        }
    }
    return candidate;
}

/* Choosing. */

static struct candidate *with_most(struct candidate candidate[], size_t count) {
    struct candidate *most = candidate;
    for (size_t c = 1; c < count; c++) {
        if (candidate[c].samples > most->samples) most = &candidate[c];
    }
    return most;
}

/** Returns, among the cuts with at least `enough` samples, the one farthest from all chosen cuts;
 * NULL if none is left. */
static struct candidate *furthest(struct candidate candidate[], size_t count, size_t enough) {
    struct candidate *found = NULL;
    for (size_t c = 0; c < count; c++) {
        if (candidate[c].samples < enough || candidate[c].distance <= 1) continue;
        if (!found || candidate[c].distance > found->distance) found = &candidate[c];
    }
    return found;
}

static int choose(struct model_cut out[MODEL_CUTS], const struct model_cuts_wanted *wanted,
                  struct candidate candidate[], size_t count) {
    struct candidate *next = with_most(candidate, count);
    const size_t enough = (next->samples + 1) / 2;
    int chosen = 0;
    while (next && chosen < MODEL_CUTS) {
        const struct model_cut cut = next->cut;
        out[chosen++] = cut;
        for (size_t c = 0; c < count; c++) {
            candidate[c].distance = fmin(candidate[c].distance,
                                         model_cut_distance(&cut, wanted, candidate[c].cut.size));
        }
        next = furthest(candidate, count, enough);
    }
    qsort(out, (size_t)chosen, sizeof *out, compare_cuts);
    return chosen;
}

/** Returns a cut with the given sizes; all other sizes are in the middle of the domain. */
static struct model_cut in_the_middle(const struct model_cuts_wanted *wanted) {
    const struct tcplan_model_domain *domain = &wanted->model->domain;
    int64_t size[TCPLAN_MODEL_SIZES] = {0};
    for (int i = 0; i < domain->count; i++) {
        size[i] = wanted->given[i] ? wanted->size[i]
                                   : domain->low[i] + (domain->high[i] - domain->low[i]) / 2;
    }
    return cut_through(wanted, size);
}

int model_cuts_choose(struct model_cut out[MODEL_CUTS], const struct model_cuts_wanted *wanted) {
    size_t count;
    struct candidate *candidate = find_candidates(&count, wanted);
    if (!candidate) return 0;
    int chosen = 1;
    out[0] = in_the_middle(wanted);
    if (count > 0) chosen = choose(out, wanted, candidate, count);
    base_free(candidate);
    return chosen;
}
