#include "network/search/orders.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"

enum {
    OUTER_MOST = 10, /* with up to this many leaves, outer products are considered too; n leaves
                        have 3^n / 2 splits */
    PART_LEAVES = 8  /* maximum number of leaves of a part for which the best order is searched */
};

/* Orders. */

bool order_init(struct order *order, const struct subject *subject) {
    *order =
        (struct order){.pair = base_alloc((size_t)(subject->leaves + 1) * sizeof *order->pair)};
    return order->pair != NULL;
}

void order_free(struct order *order) {
    base_free(order->pair);
    *order = (struct order){0};
}

bool order_copy(struct order *out, const struct order *order) {
    *out = *order;
    out->pair = base_alloc((size_t)(order->steps + 2) * sizeof *out->pair);
    if (out->pair) memcpy(out->pair, order->pair, (size_t)order->steps * sizeof *out->pair);
    return out->pair != NULL;
}

double order_value(const struct subject *subject, const struct order *order) {
    return order->peak_bytes > subject->max_bytes ? INFINITY : order->value;
}

/** Cost of computing the product of a set of leaves. */
struct part {
    double value; /* cost in the unit of the objective */
    double flops;
    double peak;  /* peak memory of intermediates in bytes */
    double bytes; /* size of the result in bytes */
};

/** Returns the cost of two parts and of the step that multiplies them. `whole`: the product is the
 * term's result, which does not count as an intermediate. */
static struct part combine(const struct subject *subject, const struct part *left,
                           const struct part *right, struct step_cost step, double made_elements,
                           bool whole) {
    struct part part = {.flops = left->flops + right->flops + step.flops,
                        .bytes = whole ? 0 : made_elements * (double)subject->element_bytes};
    /* The part whose peak exceeds its result by more is computed first. */
    const double left_first = fmax(left->peak, left->bytes + right->peak),
                 right_first = fmax(right->peak, right->bytes + left->peak);
    part.peak = fmax(fmin(left_first, right_first), left->bytes + right->bytes + part.bytes);
    switch (subject->objective) {
    case TCPLAN_OBJECTIVE_TIME: part.value = left->value + right->value + step.seconds; break;
    case TCPLAN_OBJECTIVE_FLOPS: part.value = part.flops; break;
    case TCPLAN_OBJECTIVE_MEMORY: part.value = part.peak; break;
    }
    return part;
}

static bool is_better(const struct part *a, const struct part *b) {
    return a->value < b->value || (a->value == b->value && a->flops < b->flops);
}

/* Nodes: the leaves and intermediates of an order, each with its set of indices. */

struct nodes {
    int leaves;
    int count;
    uint64_t *set;
    double *elements;
    struct part *part;
    int (*child)[2];
};

static uint64_t *node_set(const struct nodes *nodes, const struct subject *subject, int node) {
    return nodes->set + (size_t)node * (size_t)subject->words;
}

static bool nodes_init(struct nodes *nodes, const struct subject *subject) {
    const size_t most = (size_t)subject->leaves * 2;
    *nodes = (struct nodes){.leaves = subject->leaves, .count = subject->leaves};
    nodes->set = base_alloc_zero(most * (size_t)subject->words, sizeof *nodes->set);
    nodes->elements = base_alloc(most * sizeof *nodes->elements);
    nodes->part = base_alloc_zero(most, sizeof *nodes->part);
    nodes->child = base_alloc_zero(most, sizeof *nodes->child);
    if (!nodes->set || !nodes->elements || !nodes->part || !nodes->child) return false;
    memcpy(nodes->set, subject->leaf,
           (size_t)subject->leaves * (size_t)subject->words * sizeof *nodes->set);
    memcpy(nodes->elements, subject->elements, (size_t)subject->leaves * sizeof *nodes->elements);
    return true;
}

static void nodes_free(struct nodes *nodes) {
    base_free(nodes->set);
    base_free(nodes->elements);
    base_free(nodes->part);
    base_free(nodes->child);
}

/** Counts, for each index, the leaves that have it; the term's result counts as one more. */
static int *count_uses(const struct subject *subject) {
    int *uses = base_alloc_zero((size_t)subject->indices + 1, sizeof *uses);
    for (int i = 0; uses && i < subject->indices; i++) {
        uses[i] = set_has(subject->out, i);
        for (int l = 0; l < subject->leaves; l++) uses[i] += set_has(subject_leaf(subject, l), i);
    }
    return uses;
}

/** Computes the indices of a product. `uses` must still count both factors. */
static void make_set(uint64_t *made, const struct subject *subject, const uint64_t *left,
                     const uint64_t *right, const int *uses) {
    for (int w = 0; w < subject->words; w++) {
        made[w] = 0;
        for (uint64_t rest = left[w] | right[w]; rest; rest &= rest - 1) {
            const int bit = __builtin_ctzll(rest);
            const int others =
                uses[w * 64 + bit] - (int)(left[w] >> bit & 1) - (int)(right[w] >> bit & 1);
            assert(others >= 0); /* `uses` counts both factors, so no count is negative. */
            if (others > 0) made[w] |= (uint64_t)1 << bit;
        }
    }
}

static void change_uses(int *uses, const struct subject *subject, const uint64_t *set, int change) {
    for (int w = 0; w < subject->words; w++) {
        for (uint64_t rest = set[w]; rest; rest &= rest - 1) {
            int *own = &uses[w * 64 + __builtin_ctzll(rest)];
            *own += change;
            assert(*own >= 0); /* No index has fewer uses than were counted. */
        }
    }
}

/** Makes a node the product of two other nodes, and computes its cost. */
static void join(struct nodes *nodes, const struct subject *subject, int node, int left, int right,
                 bool whole) {
    const struct step_cost step =
        subject_step(subject, node_set(nodes, subject, left), node_set(nodes, subject, right),
                     node_set(nodes, subject, node), nodes->elements[left], nodes->elements[right],
                     nodes->elements[node]);
    nodes->child[node][0] = left;
    nodes->child[node][1] = right;
    nodes->part[node] = combine(subject, &nodes->part[left], &nodes->part[right], step,
                                nodes->elements[node], whole);
}

/** Makes the nodes that the steps of an order compute. */
static bool nodes_of(struct nodes *nodes, const struct subject *subject,
                     const struct order *order) {
    int *uses = count_uses(subject);
    bool made = nodes_init(nodes, subject) && uses;
    for (int s = 0; made && s < order->steps; s++) {
        const int node = nodes->count++, left = order->pair[s][0], right = order->pair[s][1];
        assert(left != right && left < node && right < node); /* A step multiplies two different
                                                                 earlier nodes. */
        uint64_t *set = node_set(nodes, subject, node);
        make_set(set, subject, node_set(nodes, subject, left), node_set(nodes, subject, right),
                 uses);
        change_uses(uses, subject, node_set(nodes, subject, left), -1);
        change_uses(uses, subject, node_set(nodes, subject, right), -1);
        change_uses(uses, subject, set, 1);
        nodes->elements[node] = subject_elements(subject, set);
        join(nodes, subject, node, left, right, s + 1 == order->steps);
    }
    base_free(uses);
    return made;
}

/** Writes the steps below a node, in the order that needs less memory. `number` receives the new
 * number of each node. */
static void write_steps(struct order *order, const struct nodes *nodes, int node, int *number) {
    if (node < nodes->leaves) {
        number[node] = node;
        return;
    }
    const int left = nodes->child[node][0], right = nodes->child[node][1];
    const struct part *l = &nodes->part[left], *r = &nodes->part[right];
    const bool right_first = fmax(r->peak, r->bytes + l->peak) < fmax(l->peak, l->bytes + r->peak);
    write_steps(order, nodes, right_first ? right : left, number);
    write_steps(order, nodes, right_first ? left : right, number);
    assert(order->steps < nodes->leaves - 1); /* A tree has one step less than it has leaves. */
    order->pair[order->steps][0] = number[left];
    order->pair[order->steps][1] = number[right];
    number[node] = nodes->leaves + order->steps++;
}

/** Writes all steps of the tree with this root. */
static bool write_order(struct order *order, const struct nodes *nodes, int root) {
    int *number = base_alloc((size_t)nodes->leaves * 2 * sizeof *number);
    if (!number) return false;
    order->steps = 0;
    write_steps(order, nodes, root, number);
    base_free(number);
    order->value = nodes->part[root].value;
    order->flops = nodes->part[root].flops;
    order->peak_bytes = nodes->part[root].peak;
    return true;
}

bool order_finish(const struct subject *subject, struct order *order) {
    struct nodes nodes;
    bool finished = nodes_of(&nodes, subject, order);
    if (finished && order->steps > 0) finished = write_order(order, &nodes, nodes.count - 1);
    nodes_free(&nodes);
    return finished;
}

/* The best order. */

/** Properties of all subsets of the leaves, numbered by bits: bit l is leaf l. */
struct subsets {
    const struct subject *subject;
    uint64_t *all; /* the indices of each subset's leaves */
    uint64_t *set; /* for each subset, those of its indices that other leaves or the result also
                      have */
    double *elements;
    struct part *part;
    uint32_t *split; /* for each subset, the half of its best split that contains the lowest leaf;
                        0: no split was found */
    uint32_t *near;  /* for each leaf, the set of leaves that may be multiplied with it */
};

static bool subsets_init(struct subsets *subsets, const struct subject *subject) {
    const size_t count = (size_t)1 << subject->leaves, words = (size_t)subject->words;
    *subsets = (struct subsets){.subject = subject};
    subsets->all = base_alloc_zero(count * words, sizeof *subsets->all);
    subsets->set = base_alloc(count * words * sizeof *subsets->set);
    subsets->elements = base_alloc(count * sizeof *subsets->elements);
    subsets->part = base_alloc(count * sizeof *subsets->part);
    subsets->split = base_alloc_zero(count, sizeof *subsets->split);
    subsets->near = base_alloc_zero((size_t)subject->leaves, sizeof *subsets->near);
    return subsets->all && subsets->set && subsets->elements && subsets->part && subsets->split &&
           subsets->near;
}

static void subsets_free(struct subsets *subsets) {
    base_free(subsets->all);
    base_free(subsets->set);
    base_free(subsets->elements);
    base_free(subsets->part);
    base_free(subsets->split);
    base_free(subsets->near);
}

static void find_sets(struct subsets *subsets) {
    const struct subject *subject = subsets->subject;
    const uint32_t full = ((uint32_t)1 << subject->leaves) - 1;
    const size_t words = (size_t)subject->words;
    for (uint32_t mask = 1; mask <= full; mask++) {
        const uint64_t *rest = subsets->all + (mask & (mask - 1)) * words,
                       *leaf = subject_leaf(subject, __builtin_ctz(mask));
        for (size_t w = 0; w < words; w++) subsets->all[mask * words + w] = rest[w] | leaf[w];
    }
    for (uint32_t mask = 1; mask <= full; mask++) {
        for (size_t w = 0; w < words; w++) {
            subsets->set[mask * words + w] =
                subsets->all[mask * words + w] &
                (subject->out[w] | subsets->all[(full ^ mask) * words + w]);
        }
        const bool is_leaf = (mask & (mask - 1)) == 0;
        subsets->elements[mask] = is_leaf ? subject->elements[__builtin_ctz(mask)]
                                          : subject_elements(subject, subsets->set + mask * words);
        subsets->part[mask] = (struct part){.value = is_leaf ? 0 : INFINITY};
    }
}

/** Finds which leaves may be multiplied with each other: leaves that share an index, and leaves of
 * different components, whose outer product is needed. With few leaves, any two may be. */
static void find_neighbours(struct subsets *subsets) {
    const struct subject *subject = subsets->subject;
    const int n = subject->leaves;
    uint32_t component[TCPLAN_SEARCH_EXACT];
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            if (a != b &&
                set_meets(subject_leaf(subject, a), subject_leaf(subject, b), subject->words))
                subsets->near[a] |= (uint32_t)1 << b;
        }
    }
    for (int a = 0; a < n; a++) {
        uint32_t reached = (uint32_t)1 << a, before = 0;
        while (reached != before) {
            before = reached;
            for (int b = 0; b < n; b++) reached |= before >> b & 1 ? subsets->near[b] : 0;
        }
        component[a] = reached;
    }
    const uint32_t full = ((uint32_t)1 << n) - 1;
    for (int a = 0; a < n; a++) subsets->near[a] |= n <= OUTER_MOST ? full : full & ~component[a];
}

static bool is_connected(const struct subsets *subsets, uint32_t mask) {
    uint32_t reached = mask & (0U - mask), before = 0;
    while (reached != before) {
        uint32_t added = reached & ~before;
        before = reached;
        for (; added; added &= added - 1) reached |= subsets->near[__builtin_ctz(added)] & mask;
    }
    return reached == mask;
}

static void find_split(struct subsets *subsets, uint32_t mask, double bound) {
    const struct subject *subject = subsets->subject;
    const size_t words = (size_t)subject->words;
    const bool whole = mask == ((uint32_t)1 << subject->leaves) - 1,
               adds = subject->objective != TCPLAN_OBJECTIVE_MEMORY;
    const uint32_t lowest = mask & (0U - mask);
    struct part *best = &subsets->part[mask];
    best->flops = INFINITY;
    for (uint32_t left = (mask - 1) & mask; left; left = (left - 1) & mask) {
        if (!(left & lowest)) continue;
        const uint32_t right = mask ^ left;
        const struct part *l = &subsets->part[left], *r = &subsets->part[right];
        const double least = adds ? l->value + r->value : fmax(l->value, r->value);
        if (least > bound || least > best->value || least == INFINITY) continue;
        const struct step_cost step =
            subject_step(subject, subsets->set + left * words, subsets->set + right * words,
                         subsets->set + mask * words, subsets->elements[left],
                         subsets->elements[right], subsets->elements[mask]);
        const struct part part = combine(subject, l, r, step, subsets->elements[mask], whole);
        if (part.peak > subject->max_bytes || !is_better(&part, best)) continue;
        *best = part;
        subsets->split[mask] = left;
    }
    if (best->value > bound) best->value = INFINITY;
}

/** Makes the nodes of a subset and of the subsets into which it is split; returns the node of the
 * subset. */
static int make_nodes(struct nodes *nodes, const struct subsets *subsets, uint32_t mask) {
    if ((mask & (mask - 1)) == 0) return __builtin_ctz(mask);
    assert((subsets->split[mask] & ~mask) == 0 && (subsets->split[mask] & mask & (0U - mask)));
    const int left = make_nodes(nodes, subsets, subsets->split[mask]),
              right = make_nodes(nodes, subsets, mask ^ subsets->split[mask]);
    assert(nodes->count < 2 * nodes->leaves - 1);
    const int node = nodes->count++;
    nodes->child[node][0] = left;
    nodes->child[node][1] = right;
    nodes->part[node] = subsets->part[mask];
    return node;
}

bool order_optimal(struct order *out, const struct subject *subject, double bound) {
    struct subsets subsets;
    struct nodes nodes = {0};
    const uint32_t full = ((uint32_t)1 << subject->leaves) - 1;
    /* Allow for rounding errors: the costs are added in another order than for the bound. */
    const double above = bound * (1 + 1e-9);
    bool found = order_init(out, subject) && subsets_init(&subsets, subject);
    if (!out->pair) return false;
    if (found) {
        find_sets(&subsets);
        find_neighbours(&subsets);
        for (uint32_t mask = 1; mask <= full && !deadline_is_over(subject->deadline); mask++) {
            if ((mask & (mask - 1)) != 0 && is_connected(&subsets, mask))
                find_split(&subsets, mask, above);
        }
        if (subsets.split[full] && subsets.part[full].value < INFINITY) {
            found = nodes_init(&nodes, subject);
            if (found) found = write_order(out, &nodes, make_nodes(&nodes, &subsets, full));
            nodes_free(&nodes);
        }
    }
    subsets_free(&subsets);
    return found;
}

/* Greedy orders. */

/** A pair of nodes that the next step may multiply. */
struct pair {
    int left, right;
    double cost;
};

struct greedy_search {
    const struct subject *subject;
    enum greedy by;
    double temperature;
    struct random *random;
    struct nodes nodes;
    int *uses;
    bool *alive;
    uint64_t *made;
    size_t count, capacity;
    struct pair *pair;
    bool failed;
};

static double pair_cost(struct greedy_search *search, int left, int right) {
    const struct subject *subject = search->subject;
    const uint64_t *l = node_set(&search->nodes, subject, left),
                   *r = node_set(&search->nodes, subject, right);
    make_set(search->made, subject, l, r, search->uses);
    const double read = subject_elements(subject, l) + subject_elements(subject, r),
                 made = subject_elements(subject, search->made);
    switch (search->by) {
    case GREEDY_RATIO: return log(fmax(made, DBL_MIN)) - log(fmax(read, DBL_MIN));
    case GREEDY_FLOPS: return subject_step(subject, l, r, search->made, 0, 0, 0).flops;
    case GREEDY_SIZE:
    case GREEDIES: break;
    }
    return made - read;
}

static void add_pair(struct greedy_search *search, int left, int right) {
    if (search->count == search->capacity) {
        const size_t capacity = search->capacity > 0 ? 2 * search->capacity : 64;
        struct pair *larger = base_realloc(search->pair, capacity * sizeof *larger);
        search->failed = search->failed || !larger;
        if (!larger) return;
        search->pair = larger;
        search->capacity = capacity;
    }
    search->pair[search->count++] =
        (struct pair){.left = left, .right = right, .cost = pair_cost(search, left, right)};
}

/** Adds the pairs of a node with all earlier nodes that share an index with it. */
static void add_pairs(struct greedy_search *search, int node) {
    for (int other = 0; other < node; other++) {
        if (search->alive[other] &&
            set_meets(node_set(&search->nodes, search->subject, other),
                      node_set(&search->nodes, search->subject, node), search->subject->words)) {
            add_pair(search, other, node);
        }
    }
}

/** Chooses the next pair: the cheapest one, after adding random noise in proportion to the
 * temperature. */
static size_t choose_pair(struct greedy_search *search) {
    size_t best = 0;
    double best_score = INFINITY, least = INFINITY;
    for (size_t p = 0; p < search->count; p++) least = fmin(least, search->pair[p].cost);
    const double scale =
        search->temperature * (search->by == GREEDY_RATIO ? 1 : fmax(1, fabs(least)));
    for (size_t p = 0; p < search->count; p++) {
        double score = search->pair[p].cost;
        if (scale > 0)
            score += scale * log(-log(random_unit(search->random) * (1 - 1e-12) + 1e-300));
        if (score < best_score || p == 0) best = p;
        if (score < best_score) best_score = score;
    }
    return best;
}

/** Returns the pair of the two smallest nodes, for use if no two nodes share an index. */
static struct pair smallest_pair(const struct greedy_search *search) {
    struct pair pair = {.left = -1, .right = -1};
    for (int node = 0; node < search->nodes.count; node++) {
        const double *elements = search->nodes.elements;
        if (!search->alive[node]) continue;
        if (pair.left < 0 || elements[node] < elements[pair.left]) {
            pair.right = pair.left;
            pair.left = node;
        } else if (pair.right < 0 || elements[node] < elements[pair.right]) {
            pair.right = node;
        }
    }
    return pair;
}

static void take_pair(struct greedy_search *search, struct pair pair) {
    const struct subject *subject = search->subject;
    struct nodes *nodes = &search->nodes;
    const int node = nodes->count;
    assert(pair.left != pair.right && search->alive[pair.left] && search->alive[pair.right]);
    assert(node < 2 * subject->leaves - 1); /* A tree with n leaves has 2n - 1 nodes. */
    uint64_t *set = node_set(nodes, subject, node);
    make_set(set, subject, node_set(nodes, subject, pair.left),
             node_set(nodes, subject, pair.right), search->uses);
    change_uses(search->uses, subject, node_set(nodes, subject, pair.left), -1);
    change_uses(search->uses, subject, node_set(nodes, subject, pair.right), -1);
    change_uses(search->uses, subject, set, 1);
    nodes->elements[node] = subject_elements(subject, set);
    nodes->child[node][0] = pair.left;
    nodes->child[node][1] = pair.right;
    nodes->count++;
    search->alive[pair.left] = search->alive[pair.right] = false;
    search->alive[node] = true;
    size_t kept = 0;
    for (size_t p = 0; p < search->count; p++) {
        const struct pair *other = &search->pair[p];
        if (search->alive[other->left] && search->alive[other->right])
            search->pair[kept++] = *other;
    }
    search->count = kept;
    add_pairs(search, node);
}

bool order_greedy(struct order *out, const struct subject *subject, enum greedy by,
                  double temperature, struct random *random) {
    struct greedy_search search = {
        .subject = subject, .by = by, .temperature = temperature, .random = random};
    search.uses = count_uses(subject);
    search.alive = base_alloc_zero((size_t)subject->leaves * 2, sizeof *search.alive);
    search.made = base_alloc((size_t)subject->words * sizeof *search.made);
    bool found = order_init(out, subject) && nodes_init(&search.nodes, subject) && search.uses &&
                 search.alive && search.made;
    for (int l = 0; found && l < subject->leaves; l++) {
        search.alive[l] = true;
        add_pairs(&search, l);
    }
    for (int s = 0; found && s + 1 < subject->leaves && !deadline_is_cancelled(subject->deadline);
         s++) {
        const struct pair pair =
            search.count > 0 ? search.pair[choose_pair(&search)] : smallest_pair(&search);
        take_pair(&search, pair);
        out->pair[s][0] = pair.left;
        out->pair[s][1] = pair.right;
        out->steps++;
        found = !search.failed;
    }
    nodes_free(&search.nodes);
    base_free(search.uses);
    base_free(search.alive);
    base_free(search.made);
    base_free(search.pair);
    return found && (out->steps + 1 < subject->leaves || order_finish(subject, out));
}

/** Finds a part of the tree below a node. Begins with the node alone, and replaces the intermediate
 * of highest cost by its two factors until the part has PART_LEAVES leaves. Returns the number of
 * leaves. */
static int find_front(int front[PART_LEAVES], int inner[PART_LEAVES], const struct nodes *nodes,
                      int root) {
    int count = 1, opened = 0;
    front[0] = root;
    while (count < PART_LEAVES) {
        int best = -1;
        for (int f = 0; f < count; f++) {
            if (front[f] < nodes->leaves) continue;
            if (best < 0 || nodes->part[front[f]].value > nodes->part[front[best]].value) best = f;
        }
        if (best < 0) break;
        const int node = front[best];
        inner[opened++] = node;
        front[best] = nodes->child[node][0];
        front[count++] = nodes->child[node][1];
    }
    assert(opened == count - 1); /* Each replacement adds one leaf. */
    return count;
}

/** Recomputes the costs of all nodes above a node. */
static void count_up(struct nodes *nodes, const struct subject *subject, const int *parent,
                     int node, int root) {
    for (node = parent[node]; node >= 0; node = parent[node]) {
        join(nodes, subject, node, nodes->child[node][0], nodes->child[node][1], node == root);
    }
}

/** Gives the part below a node its best order. `*improved` receives whether this order is better
 * than the current one. */
static bool improve_part(struct nodes *nodes, const struct subject *subject, int *parent, int node,
                         int root, bool *improved) {
    int front[PART_LEAVES], inner[PART_LEAVES];
    const int count = find_front(front, inner, nodes, node);
    const size_t words = (size_t)subject->words;
    struct subject part = *subject;
    struct order order = {0};
    *improved = false;
    if (count < 3) return true;
    part.leaves = count;
    part.out = node_set(nodes, subject, node);
    part.leaf = base_alloc((size_t)count * words * sizeof *part.leaf);
    part.elements = base_alloc((size_t)count * sizeof *part.elements);
    bool done = part.leaf && part.elements;
    double below = 0; /* cost of computing the leaves of the part, which stays the same */
    for (int f = 0; done && f < count; f++) {
        memcpy(part.leaf + (size_t)f * words, node_set(nodes, subject, front[f]),
               words * sizeof *part.leaf);
        part.elements[f] = nodes->elements[front[f]];
        below += nodes->part[front[f]].value;
    }
    const double now = nodes->part[node].value - below;
    part.max_bytes = INFINITY;
    if (done) done = order_optimal(&order, &part, now);
    if (done && order.steps == count - 1 && order.value < now * (1 - 1e-9)) {
        for (int s = 0; s < order.steps; s++) {
            const int made = s + 1 == order.steps ? node : inner[count - 1 - s - 1];
            int side[2];
            for (int i = 0; i < 2; i++) {
                const int from = order.pair[s][i];
                assert(from < count + s); /* A tensor is a leaf or the result of an earlier step. */
                side[i] = from < count ? front[from] : inner[count - 1 - (from - count) - 1];
                parent[side[i]] = made;
            }
            uint64_t *set = node_set(nodes, subject, made);
            const uint64_t *l = node_set(nodes, subject, side[0]),
                           *r = node_set(nodes, subject, side[1]);
            if (made != node) {
                uint64_t outside[SUBJECT_WORDS];
                memcpy(outside, part.out, words * sizeof *outside);
                bool used[2 * PART_LEAVES] = {false};
                for (int t = 0; t <= s; t++) used[order.pair[t][0]] = used[order.pair[t][1]] = true;
                for (int f = 0; f < count + s; f++) {
                    const int other = f < count ? front[f] : inner[count - 1 - (f - count) - 1];
                    for (size_t w = 0; w < words && !used[f]; w++)
                        outside[w] |= node_set(nodes, subject, other)[w];
                }
                for (size_t w = 0; w < words; w++) set[w] = (l[w] | r[w]) & outside[w];
                nodes->elements[made] = subject_elements(subject, set);
            }
            join(nodes, subject, made, side[0], side[1], made == root);
        }
        count_up(nodes, subject, parent, node, root);
        *improved = true;
    }
    order_free(&order);
    base_free(part.leaf);
    base_free(part.elements);
    return done;
}

bool order_reconfigure(struct order *order, const struct subject *subject) {
    struct nodes nodes;
    struct order better = {0};
    int *parent = base_alloc((size_t)subject->leaves * 2 * sizeof *parent);
    bool done = nodes_of(&nodes, subject, order) && parent && order_copy(&better, order);
    const int root = nodes.count - 1;
    if (done) parent[root] = -1;
    for (int node = subject->leaves; done && node <= root; node++)
        parent[nodes.child[node][0]] = parent[nodes.child[node][1]] = node;
    /* With the objective memory, parts are not improved, because the peak of a tree is not the sum
     * of its parts' peaks. */
    for (bool again = subject->objective != TCPLAN_OBJECTIVE_MEMORY;
         done && again && !deadline_is_over(subject->deadline);) {
        again = false;
        for (int node = subject->leaves;
             done && node <= root && !deadline_is_over(subject->deadline); node++) {
            bool improved;
            done = improve_part(&nodes, subject, parent, node, root, &improved);
            again = again || improved;
        }
    }
    if (done) done = write_order(&better, &nodes, root);
    if (done && order_value(subject, &better) < order_value(subject, order)) {
        const struct order swapped = *order;
        *order = better;
        better = swapped;
    }
    nodes_free(&nodes);
    order_free(&better);
    base_free(parent);
    return done;
}
