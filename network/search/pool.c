#include <math.h>
#include <string.h>

#include "base/error.h"
#include "network/search/search.h"

enum {
    IMPROVED_MOST = 8,     /* maximum number of orders of a pool that are improved */
    OPT_EINSUM_STARTS = 32 /* number of starts of opt_einsum's random-greedy optimizer */
};

static const double temperatures[] = {0.03, 0.1, 0.3, 1};
enum { TEMPERATURES = sizeof temperatures / sizeof *temperatures };

enum tcplan_status search_outcome(const struct search *search, bool done) {
    if (deadline_is_cancelled(search->deadline))
        return error_set(search->error, TCPLAN_CANCELLED, "the search was cancelled");
    return done ? TCPLAN_OK : error_no_memory(search->error);
}

bool order_is_same(const struct order *a, const struct order *b) {
    return a->steps == b->steps &&
           memcmp(a->pair, b->pair, (size_t)a->steps * sizeof *a->pair) == 0;
}

/** Adds an order to a pool. Frees it instead if it is incomplete, already in the pool, or worse
 * than all orders of a full pool. */
static void pool_add(struct pool *pool, const struct subject *subject, struct order *order) {
    int place = pool->count;
    bool known = order->steps + 1 != subject->leaves;
    for (int o = 0; o < pool->count; o++) known = known || order_is_same(&pool->order[o], order);
    while (place > 0 && order_value(subject, order) < order_value(subject, &pool->order[place - 1]))
        place--;
    if (known || place == POOL_MOST) {
        order_free(order);
        return;
    }
    if (pool->count == POOL_MOST) order_free(&pool->order[--pool->count]);
    memmove(&pool->order[place + 1], &pool->order[place],
            (size_t)(pool->count - place) * sizeof *pool->order);
    pool->order[place] = *order;
    pool->count++;
}

void pool_free(struct pool *pool) {
    for (int o = 0; o < pool->count; o++) order_free(&pool->order[o]);
    order_free(&pool->flops);
    for (int o = 0; o < pool->other_count; o++) order_free(&pool->other[o]);
    pool->count = pool->other_count = 0;
}

/** Makes the order that multiplies the factors from left to right, as they are written. */
static bool order_as_written(struct order *out, const struct subject *subject) {
    if (!order_init(out, subject)) return false;
    for (int s = 0; s + 1 < subject->leaves; s++) {
        out->pair[s][0] = s == 0 ? 0 : subject->leaves + s - 1;
        out->pair[s][1] = s + 1;
        out->steps++;
    }
    return order_finish(subject, out);
}

/** Adds the deterministic starting orders: a greedy order by each criterion, and the order as
 * written. */
static bool add_plain_starts(struct pool *pool, const struct subject *subject) {
    for (int by = 0;
         by <= (int)GREEDIES && !(pool->count > 0 && deadline_is_over(subject->deadline)); by++) {
        struct order order = {0};
        const bool made = by < (int)GREEDIES
                              ? order_greedy(&order, subject, (enum greedy)by, 0, NULL)
                              : order_as_written(&order, subject);
        if (!made) {
            order_free(&order);
            return false;
        }
        pool_add(pool, subject, &order);
    }
    return true;
}

static bool add_random_starts(struct pool *pool, const struct subject *subject,
                              struct search *search, int count) {
    for (int n = 0; n < count && !deadline_is_over(search->deadline); n++) {
        struct order order = {0};
        const enum greedy by = n % 2 ? GREEDY_RATIO : GREEDY_SIZE;
        if (!order_greedy(&order, subject, by, temperatures[n / 2 % TEMPERATURES],
                          &search->random)) {
            order_free(&order);
            return false;
        }
        pool_add(pool, subject, &order);
    }
    return true;
}

/** Improves copies of the best orders of a pool, one part of an order at a time, and adds them to
 * the pool. */
static bool improve(struct pool *pool, const struct subject *subject) {
    const int count = pool->count < IMPROVED_MOST ? pool->count : IMPROVED_MOST;
    struct order better[IMPROVED_MOST];
    bool improved = true;
    int copies = 0;
    for (; improved && copies < count; copies++) {
        improved = order_copy(&better[copies], &pool->order[copies]);
        if (improved) improved = order_reconfigure(&better[copies], subject);
    }
    for (int o = 0; o < copies; o++) {
        if (improved) {
            pool_add(pool, subject, &better[o]);
        } else {
            order_free(&better[o]);
        }
    }
    return improved;
}

/** Returns the number of random starting orders of a term. */
static int random_starts(const struct search *search, bool exact) {
    if (!exact) return search->options->starts;
    return search->options->candidates > 0 ? OPT_EINSUM_STARTS : 0;
}

/** Fills a pool with orders that are good by the given objective. */
static bool fill_pool(struct pool *pool, const struct subject *subject, struct search *search) {
    const bool exact = subject->leaves <= search->options->exact;
    bool filled = add_plain_starts(pool, subject);
    if (filled) filled = add_random_starts(pool, subject, search, random_starts(search, exact));
    if (filled && exact && subject->leaves > 2) {
        struct order order = {0};
        const double bound = pool->count > 0 ? order_value(subject, &pool->order[0]) : INFINITY;
        filled = order_optimal(&order, subject, bound);
        if (deadline_is_over(subject->deadline)) search->exact = false;
        if (filled) {
            pool_add(pool, subject, &order);
        } else {
            order_free(&order);
        }
    }
    return filled && (exact || improve(pool, subject));
}

struct subject search_subject(const struct search *search, enum tcplan_objective objective) {
    return (struct subject){.element_bytes = tcplan_dtype_bytes(search->dtype),
                            .is_complex = tcplan_dtype_is_complex(search->dtype),
                            .speeds = &search->speeds,
                            .objective = objective,
                            .max_bytes = search->options->max_memory_bytes > 0
                                             ? (double)search->options->max_memory_bytes
                                             : INFINITY,
                            .deadline = search->deadline};
}

/** Adds the orders that are always compared. */
static bool add_others(struct pool *pool, const struct subject *subject,
                       const struct pool *fewest) {
    bool added = order_greedy(&pool->other[pool->other_count++], subject, GREEDY_SIZE, 0, NULL);
    if (added && fewest->count > 1)
        added = order_copy(&pool->other[pool->other_count++], &fewest->order[1]);
    return added;
}

/** Searches for good orders of a term. A term with one factor has only one order. */
static bool search_term(struct search *search, int term) {
    struct subject subject = search_subject(search, TCPLAN_OBJECTIVE_FLOPS);
    struct pool *pool = &search->pool[term];
    struct pool fewest = {.count = 0};
    bool searched = subject_init(&subject, search->network, term, search->extent, search->sliced);
    if (searched && subject.leaves == 1) {
        searched = order_init(&pool->order[0], &subject) && order_init(&pool->flops, &subject);
        pool->count = 1;
    } else if (searched && search->options->candidates == 0) {
        subject.objective = search->options->objective;
        searched = fill_pool(pool, &subject, search);
    } else if (searched) {
        search->exact = search->exact && subject.leaves <= search->options->exact;
        searched = fill_pool(&fewest, &subject, search);
        if (searched && search->exact) searched = add_others(pool, &subject, &fewest);
        subject.objective = search->options->objective;
        for (int o = 0; searched && o < fewest.count;
             o++) { /* the orders with the fewest operations are added too */
            struct order copy;
            searched = order_copy(&copy, &fewest.order[o]) && order_finish(&subject, &copy);
            if (searched) {
                pool_add(pool, &subject, &copy);
            } else {
                order_free(&copy);
            }
        }
        if (searched)
            searched = fewest.count > 0 ? order_copy(&pool->flops, &fewest.order[0]) : false;
        if (searched && subject.objective != TCPLAN_OBJECTIVE_FLOPS)
            searched = fill_pool(pool, &subject, search);
    }
    pool_free(&fewest);
    subject_free(&subject);
    return searched;
}

enum tcplan_status search_terms(struct search *search) {
    enum tcplan_status status = TCPLAN_OK;
    search->exact = true;
    for (int t = 0; t < search->network->term_count && status == TCPLAN_OK; t++) {
        pool_free(&search->pool[t]);
        status = search_outcome(search, search_term(search, t));
    }
    return status;
}
