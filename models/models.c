#include "tcplan/models.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

/** Models in order, and a hash table that finds them by case. Models in the same slot form a linked
 * list. */
struct tcplan_models {
    size_t count;
    size_t capacity;
    struct tcplan_model **model; /* owned */
    size_t *next;                /* position of the next model in the same slot plus 1; 0: none */
    size_t slots;                /* number of slots: a power of two, or 0 without models */
    size_t *slot;                /* position of the first model in the slot plus 1; 0: none */
};

enum { FIRST_CAPACITY = 16 };

struct tcplan_models *tcplan_models_new(void) {
    return base_alloc_zero(1, sizeof(struct tcplan_models));
}

void tcplan_models_free(struct tcplan_models *models) {
    if (!models) return;
    for (size_t m = 0; m < models->count; m++) tcplan_model_free(models->model[m]);
    base_free(models->model);
    base_free(models->next);
    base_free(models->slot);
    base_free(models);
}

double tcplan_models_good_reference_seconds(const struct tcplan_models *models) {
    double least = 0;
    for (size_t m = 0; m < models->count; m++) {
        const double seconds = models->model[m]->good_reference_seconds;
        if (seconds > 0 && (least == 0 || seconds < least)) least = seconds;
    }
    return least;
}

size_t tcplan_models_count(const struct tcplan_models *models) {
    return models->count;
}

const struct tcplan_model *tcplan_models_at(const struct tcplan_models *models, size_t place) {
    return models->model[place];
}

/* The table. */

static size_t *slot_of(const struct tcplan_models *models, const char *case_text) {
    return &models->slot[(size_t)hash_text(case_text) & (models->slots - 1)];
}

static void enter(struct tcplan_models *models, size_t place) {
    size_t *slot = slot_of(models, models->model[place]->case_text);
    models->next[place] = *slot;
    *slot = place + 1;
}

/** Rebuilds the table. Of models in the same slot, the first in order is found first. */
static void enter_all(struct tcplan_models *models) {
    memset(models->slot, 0, models->slots * sizeof *models->slot);
    for (size_t m = models->count; m-- > 0;) enter(models, m);
}

/** Makes room for one more model, in a table with twice as many slots as models fit. */
static bool reserve(struct tcplan_models *models) {
    if (models->count < models->capacity) return true;
    const size_t capacity = models->capacity > 0 ? 2 * models->capacity : FIRST_CAPACITY;
    struct tcplan_model **model =
        base_realloc(models->model, capacity * sizeof(struct tcplan_model *));
    if (!model) return false;
    models->model = model;
    size_t *next = base_realloc(models->next, capacity * sizeof *next);
    if (!next) return false;
    models->next = next;
    size_t *slot = base_alloc_zero(2 * capacity, sizeof *slot);
    if (!slot) return false;
    base_free(models->slot);
    models->slot = slot;
    models->slots = 2 * capacity;
    models->capacity = capacity;
    enter_all(models);
    return true;
}

/* Adding. */

static int compare_domains(const struct tcplan_model_domain *a,
                           const struct tcplan_model_domain *b) {
    if (a->count != b->count) return a->count - b->count;
    for (int i = 0; i < a->count; i++) {
        if (a->low[i] != b->low[i]) return a->low[i] < b->low[i] ? -1 : 1;
        if (a->high[i] != b->high[i]) return a->high[i] < b->high[i] ? -1 : 1;
    }
    return 0;
}

static int compare_models(const struct tcplan_model *x, const struct tcplan_model *y) {
    int order = strcmp(x->case_text, y->case_text);
    if (order == 0) order = strcmp(x->setup.provider, y->setup.provider);
    if (order == 0) order = strcmp(x->setup.version, y->setup.version);
    if (order == 0) order = strcmp(x->setup.binding, y->setup.binding);
    if (order == 0)
        order = (x->setup.threads > y->setup.threads) - (x->setup.threads < y->setup.threads);
    if (order == 0)
        order =
            (x->setup.placement > y->setup.placement) - (x->setup.placement < y->setup.placement);
    if (order == 0) order = strcmp(x->setup.counter, y->setup.counter);
    return order == 0 ? compare_domains(&x->domain, &y->domain) : order;
}

static int compare_places(const void *a, const void *b) {
    return compare_models(*(struct tcplan_model *const *)a, *(struct tcplan_model *const *)b);
}

enum tcplan_status tcplan_models_add(struct tcplan_models *models, struct tcplan_model *model,
                                     struct tcplan_error *error) {
    if (!reserve(models)) return error_no_memory(error);
    for (size_t at = *slot_of(models, model->case_text); at > 0; at = models->next[at - 1]) {
        if (compare_models(models->model[at - 1], model) != 0) continue;
        if (models->model[at - 1] != model) tcplan_model_free(models->model[at - 1]);
        models->model[at - 1] = model;
        return TCPLAN_OK;
    }
    models->model[models->count] = model;
    enter(models, models->count++);
    return TCPLAN_OK;
}

void tcplan_models_sort(struct tcplan_models *models) {
    if (models->count == 0) return;
    qsort(models->model, models->count, sizeof(struct tcplan_model *), compare_places);
    enter_all(models);
}

/* Finding. */

/** Returns the largest factor by which a size is outside a domain; 1 if all sizes are inside. */
static double distance(const struct tcplan_model_domain *domain, const int64_t size[]) {
    double largest = 1;
    for (int i = 0; i < domain->count; i++) {
        const double x = size[i] > 0 ? (double)size[i] : 1;
        const double factor = x < (double)domain->low[i]    ? (double)domain->low[i] / x
                              : x > (double)domain->high[i] ? x / (double)domain->high[i]
                                                            : 1;
        if (factor > largest) largest = factor;
    }
    return largest;
}

static double volume(const struct tcplan_model_domain *domain) {
    double product = 1;
    for (int i = 0; i < domain->count; i++)
        product *= (double)(domain->high[i] - domain->low[i] + 1);
    return product;
}

/** Returns whether a domain is nearer to the sizes than the best so far, or as near and smaller. */
static bool is_better(const struct tcplan_model_domain *domain,
                      const struct tcplan_model_domain *best, const int64_t size[]) {
    const double a = distance(domain, size), b = distance(best, size);
    return a < b || (a == b && volume(domain) < volume(best));
}

const struct tcplan_model *tcplan_models_find(const struct tcplan_models *models,
                                              const char *case_text,
                                              const struct tcplan_model_setup *setup,
                                              const int64_t size[]) {
    const struct tcplan_model *best = NULL;
    if (models->count == 0) return NULL;
    for (size_t at = *slot_of(models, case_text); at > 0; at = models->next[at - 1]) {
        const struct tcplan_model *model = models->model[at - 1];
        if (strcmp(model->case_text, case_text) != 0 ||
            !tcplan_model_setup_matches(&model->setup, setup))
            continue;
        if (!best || (size && is_better(&model->domain, &best->domain, size))) best = model;
        if (!size) break;
    }
    return best;
}
