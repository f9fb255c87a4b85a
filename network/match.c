#include "network/match.h"

#include <assert.h>
#include <string.h>

/** Arguments of match_products(), which do not change during the search. */
struct trying {
    struct match *match;
    const struct match_product *a, *b;
    bool *used;
    match_done_fn *done;
    void *context;
};

void match_begin(struct match *match, const int64_t extent[]) {
    match->extent = extent;
    memset(match->there, 0xff, sizeof match->there);
    memset(match->back, 0xff, sizeof match->back);
}

static bool bind(struct match *match, int x, int y) {
    if (match->there[x] != MATCH_NOWHERE || match->back[y] != MATCH_NOWHERE)
        return match->there[x] == y;
    if (match->kind_b[y] != MATCH_ANY && match->kind_a[x] != match->kind_b[y]) return false;
    if (match->kind_a[x] == MATCH_ITSELF && x != y) return false;
    if (match->extent[x] != match->extent[y]) return false;
    match->there[x] = (uint16_t)y;
    match->back[y] = (uint16_t)x;
    return true;
}

/** Matches the indices of two factors; returns false if they cannot match. `*added` receives the
 * dimensions of `one` whose indices this call matched. */
static bool bind_all(struct match *match, const struct tcplan_network_operand *one,
                     const struct tcplan_network_operand *other, uint64_t *added) {
    bool bound = one->tensor == other->tensor && one->conjugated == other->conjugated &&
                 one->rank == other->rank;
    *added = 0;
    for (int d = 0; bound && d < one->rank; d++) {
        const bool is_new = match->there[one->dims[d]] == MATCH_NOWHERE;
        bound = bind(match, one->dims[d], other->dims[d]);
        if (bound && is_new) *added |= (uint64_t)1 << d;
    }
    return bound;
}

static void unbind(struct match *match, const struct tcplan_network_operand *one, uint64_t added) {
    for (int d = 0; d < one->rank; d++) {
        if (!(added >> d & 1)) continue;
        assert(match->back[match->there[one->dims[d]]] == one->dims[d]); /* the two maps are inverse
                                                                            to each other */
        match->back[match->there[one->dims[d]]] = MATCH_NOWHERE;
        match->there[one->dims[d]] = MATCH_NOWHERE;
    }
}

/** Finds a different factor of b for each factor of a, beginning with factor `number` of a. */
static bool match_from(const struct trying *trying, int number) {
    struct match *match = trying->match;
    if (number == trying->a->count) return !trying->done || trying->done(match, trying->context);
    const struct tcplan_network_operand *one = trying->a->factor[number];
    for (int n = 0; n < trying->b->count; n++) {
        uint64_t added;
        if (trying->used[n] || match->tries++ > MATCH_TRIES) continue;
        trying->used[n] = true;
        const bool bound = bind_all(match, one, trying->b->factor[n], &added);
        if (bound && match_from(trying, number + 1)) return true;
        trying->used[n] = false;
        unbind(match, one, added);
    }
    return false;
}

bool match_products(struct match *match, const struct match_product *a,
                    const struct match_product *b, bool used[], match_done_fn *done,
                    void *context) {
    const struct trying trying = {match, a, b, used, done, context};
    return a->count <= b->count && match_from(&trying, 0);
}
