#include "network/products.h"

#include <string.h>

#include "base/alloc.h"
#include "network/match.h"

static uint64_t mixed(uint64_t value) {
    value = (value ^ value >> 31) * 0x9e3779b97f4a7c15U;
    return value ^ value >> 29;
}

uint64_t product_hash(const struct tcplan_network *network, const struct product_form *form) {
    uint64_t hash = mixed((uint64_t)form->open_count + 1);
    for (int i = 0; i < form->count; i++) {
        const struct tcplan_network_operand *operand = &network->operand[form->operand[i]];
        hash += mixed(2 * (uint64_t)operand->tensor + operand->conjugated + 0x1234);
    }
    return hash;
}

bool product_equal(uint16_t map[], const struct tcplan_network *network, const int64_t extent[],
                   const struct product_form *a, const struct product_form *b) {
    if (a->count != b->count || a->open_count != b->open_count) return false;
    const size_t count = (size_t)a->count;
    struct match *match = base_alloc_zero(1, sizeof *match);
    bool *used = base_alloc_zero(count, sizeof *used);
    const struct tcplan_network_operand **factor = base_alloc_zero(
        2 * count, sizeof *factor); /* NOLINT(bugprone-sizeof-expression): an array of pointers */
    bool equal = match && used && factor; /* If memory runs out, equal products are not recognised
                                             and are computed twice. */
    if (equal) {
        const struct match_product one = {.count = a->count, .factor = factor},
                                   other = {.count = b->count, .factor = factor + count};
        match_begin(match, extent);
        for (size_t i = 0; i < count; i++) {
            factor[i] = &network->operand[a->operand[i]];
            factor[count + i] = &network->operand[b->operand[i]];
        }
        for (int k = 0; k < a->open_count; k++)
            match->kind_a[a->open[k]] = match->kind_b[b->open[k]] = MATCH_OPEN;
        equal = match_products(match, &one, &other, used, NULL, NULL);
        if (equal && map) memcpy(map, match->there, sizeof match->there);
    }
    base_free(factor);
    base_free(used);
    base_free(match);
    return equal;
}
