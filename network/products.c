#include "network/products.h"

#include <string.h>

#include "base/alloc.h"

/* Pairs of factors that are tried at most: products with more symmetry are not recognised. */
enum { TRIES_MOST = 4096, NOWHERE = 0xffff };

/** Two products on the way to be matched. */
struct matching {
    const struct tcplan_network *network;
    const int64_t *extent;
    const struct product_form *a, *b;
    int tries;
    bool *used; /* of each factor of b */
    bool kept_a[TCPLAN_NETWORK_INDICES], kept_b[TCPLAN_NETWORK_INDICES];
    uint16_t there[TCPLAN_NETWORK_INDICES], back[TCPLAN_NETWORK_INDICES]; /* from indices of a to those of b, and back; NOWHERE: not yet */
};

static uint64_t mixed(uint64_t value) {
    value = (value ^ value >> 31) * 0x9e3779b97f4a7c15U;
    return value ^ value >> 29;
}

uint64_t product_hash(const struct tcplan_network *network, const struct product_form *form) {
    uint64_t hash = mixed((uint64_t)form->kept_count + 1);
    for (int i = 0; i < form->count; i++) {
        const struct tcplan_network_operand *operand = &network->operand[form->operand[i]];
        hash += mixed(2 * (uint64_t)operand->tensor + operand->conjugated + 0x1234);
    }
    return hash;
}

static bool bind(struct matching *matching, int x, int y) {
    if (matching->there[x] != NOWHERE || matching->back[y] != NOWHERE) return matching->there[x] == y;
    if (matching->kept_a[x] != matching->kept_b[y] || matching->extent[x] != matching->extent[y]) return false;
    matching->there[x] = (uint16_t)y;
    matching->back[y] = (uint16_t)x;
    return true;
}

/** Lets the indices of one factor stand for those of another one; *added receives which of its dimensions brought a new one. */
static bool bind_all(struct matching *matching, const struct tcplan_network_operand *one, const struct tcplan_network_operand *other,
                     uint64_t *added) {
    bool bound = one->tensor == other->tensor && one->conjugated == other->conjugated && one->rank == other->rank;
    *added = 0;
    for (int d = 0; bound && d < one->rank; d++) {
        const bool is_new = matching->there[one->dims[d]] == NOWHERE;
        bound = bind(matching, one->dims[d], other->dims[d]);
        if (bound && is_new) *added |= (uint64_t)1 << d;
    }
    return bound;
}

static void unbind(struct matching *matching, const struct tcplan_network_operand *one, uint64_t added) {
    for (int d = 0; d < one->rank; d++) {
        if (!(added >> d & 1)) continue;
        matching->back[matching->there[one->dims[d]]] = NOWHERE;
        matching->there[one->dims[d]] = NOWHERE;
    }
}

/** Finds places for the factors of a from a number on. */
static bool match(struct matching *matching, int number) {
    if (number == matching->a->count) return true;
    const struct tcplan_network_operand *one = &matching->network->operand[matching->a->operand[number]];
    for (int n = 0; n < matching->b->count; n++) {
        uint64_t added;
        if (matching->used[n] || matching->tries++ > TRIES_MOST) continue;
        matching->used[n] = true;
        const bool bound = bind_all(matching, one, &matching->network->operand[matching->b->operand[n]], &added);
        if (bound && match(matching, number + 1)) return true;
        matching->used[n] = false;
        unbind(matching, one, added);
    }
    return false;
}

bool product_equal(uint16_t map[], const struct tcplan_network *network, const int64_t extent[], const struct product_form *a,
                   const struct product_form *b) {
    if (a->count != b->count || a->kept_count != b->kept_count) return false;
    struct matching *matching = base_alloc_zero(1, sizeof *matching);
    bool *used = base_alloc_zero((size_t)a->count, sizeof *used);
    bool equal = matching && used; /* without memory nothing is recognised, which costs time only */
    if (equal) {
        *matching = (struct matching){.network = network, .extent = extent, .a = a, .b = b, .used = used};
        memset(matching->there, 0xff, sizeof matching->there);
        memset(matching->back, 0xff, sizeof matching->back);
        for (int k = 0; k < a->kept_count; k++) matching->kept_a[a->kept[k]] = matching->kept_b[b->kept[k]] = true;
        equal = match(matching, 0);
        if (equal && map) memcpy(map, matching->there, sizeof matching->there);
    }
    base_free(used);
    base_free(matching);
    return equal;
}
