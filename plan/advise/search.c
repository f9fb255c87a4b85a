#include "plan/advise/search.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"

/* Maximum number of dimensions (24 orders) for which all orders are tried. */
enum { ALL_ORDERS_RANK = 4 };

/* Maximum number of passes over a program's tensors: later passes improve the result less and
 * less. */
enum { MOST_PASSES = 20 };

struct layout layout_today(int rank) {
    struct layout layout = {{0}};
    for (int d = 0; d < rank; d++) layout.dim[d] = (uint8_t)d;
    return layout;
}

bool layout_equal(const struct layout *a, const struct layout *b, int rank) {
    return memcmp(a->dim, b->dim, (size_t)rank) == 0;
}

static void swap(struct layout *layout, int a, int b) {
    const uint8_t kept = layout->dim[a];
    layout->dim[a] = layout->dim[b];
    layout->dim[b] = kept;
}

static void reverse(struct layout *layout, int first, int last) {
    for (; first < last; first++, last--) swap(layout, first, last);
}

bool layout_next(struct layout *layout, int rank) {
    int at = rank - 2;
    while (at >= 0 && layout->dim[at] > layout->dim[at + 1]) at--;
    if (at >= 0) {
        int other = rank - 1;
        while (layout->dim[other] < layout->dim[at]) other--;
        swap(layout, at, other);
    }
    reverse(layout, at + 1, rank - 1);
    return at >= 0;
}

double layout_combinations(const struct layout_space *space) {
    double combinations = 1;
    for (int t = 0; t < space->tensor_count; t++) {
        for (int d = 2; d <= space->rank[t] && space->free[t]; d++) combinations *= d;
    }
    return combinations;
}

/** State of a search for layouts. */
struct search {
    const struct layout_space *space;
    const struct layout_search_options *options;
    struct layout_search *out;
    struct layout_choice *at; /* the current choice */
    struct layout_choice *today;
    enum tcplan_status status;
    /* Branch and bound decides one tensor at each depth; a term's cost is known when all its
     * tensors are decided. */
    int depths;
    int *tensor; /* the tensor decided at each depth */
    int *known;  /* for each term, the depth after which its cost is known; 0 if none of its tensors
                    is free */
    int64_t nodes; /* number of nodes that may still be visited */
};

static size_t choice_bytes(const struct layout_space *space) {
    return sizeof(struct layout_choice) + (size_t)space->tensor_count * sizeof(struct layout);
}

static struct layout_choice *new_choice(const struct layout_space *space) {
    struct layout_choice *choice = base_alloc_zero(1, choice_bytes(space));
    for (int t = 0; choice && t < space->tensor_count; t++)
        choice->layout[t] = layout_today(space->rank[t]);
    return choice;
}

static bool is_changed(const struct search *search, int tensor, const struct layout *layout) {
    return !layout_equal(layout, &search->today->layout[tensor], search->space->rank[tensor]);
}

static double change_cost(const struct search *search, int tensor) {
    const struct layout_space *space = search->space;
    const struct layout *layout = &search->at->layout[tensor];
    return space->change_cost && is_changed(search, tensor, layout)
               ? space->change_cost(space->context, tensor, layout)
               : 0;
}

/** Returns whether the search continues: all costs so far could be computed, and the time limit has
 * not passed. If the limit has passed, sets `out_of_time`. */
static bool goes_on(struct search *search) {
    if (search->status != TCPLAN_OK) return false;
    if (!deadline_is_over(search->options->deadline)) return true;
    search->out->out_of_time = true;
    return false;
}

static double term_cost(struct search *search, int term) {
    const double cost = search->space->term_cost(search->space->context, term, search->at->layout);
    if (isnan(cost)) search->status = TCPLAN_INVALID;
    return cost;
}

static bool is_better(const struct layout_choice *a, const struct layout_choice *b) {
    if (a->cost != b->cost) return a->cost < b->cost;
    return a->changed < b->changed;
}

/** Adds the current combination to the list of the best ones, unless the list already has a
 * combination of equal cost that changes as few tensors. */
static void enter(struct search *search, double cost) {
    struct layout_search *out = search->out;
    struct layout_choice *at = search->at;
    at->cost = cost;
    at->changed = 0;
    for (int t = 0; t < search->space->tensor_count; t++)
        at->changed += is_changed(search, t, &at->layout[t]);
    int place = 0;
    while (place < out->count && out->choice[place]->cost < cost) place++;
    const bool equal = place < out->count && out->choice[place]->cost == cost;
    if (equal && !is_better(at, out->choice[place])) return;
    if (!equal) {
        if (place == search->options->best) return;
        const int last = out->count < search->options->best ? out->count++ : out->count - 1;
        struct layout_choice *spare = out->choice[last];
        for (int c = last; c > place; c--) out->choice[c] = out->choice[c - 1];
        out->choice[place] = spare;
    }
    memcpy(out->choice[place], at, choice_bytes(search->space));
}

/** Evaluates the current combination of layouts and returns its cost. */
static double evaluate(struct search *search) {
    double cost = 0;
    for (int t = 0; t < search->space->tensor_count; t++) cost += change_cost(search, t);
    for (int m = 0; m < search->space->term_count && search->status == TCPLAN_OK; m++)
        cost += term_cost(search, m);
    if (search->status != TCPLAN_OK) return INFINITY;
    search->out->seen++;
    enter(search, cost);
    return cost;
}

/** Evaluates a layout of a tensor; updates `best` and its cost if it is better. */
static void try_layout(struct search *search, int tensor, const struct layout *layout,
                       struct layout *best, double *cost) {
    search->at->layout[tensor] = *layout;
    const double found = evaluate(search);
    if (!(found < *cost)) return;
    *cost = found;
    *best = *layout;
}

/** Tries each exchange of two adjacent runs of dimensions. */
static void try_moves(struct search *search, int tensor, struct layout *best, double *cost) {
    const struct layout from = *best;
    const int rank = search->space->rank[tensor];
    for (int a = 0; a < rank; a++) {
        for (int b = a + 1; b < rank; b++) {
            for (int c = b + 1; c <= rank && goes_on(search); c++) {
                struct layout moved = from;
                memcpy(moved.dim + a, from.dim + b, (size_t)(c - b));
                memcpy(moved.dim + a + (c - b), from.dim + a, (size_t)(b - a));
                try_layout(search, tensor, &moved, best, cost);
            }
        }
    }
}

static void try_all(struct search *search, int tensor, struct layout *best, double *cost) {
    const int rank = search->space->rank[tensor];
    struct layout layout = layout_today(rank);
    do {
        if (!layout_equal(&layout, best, rank)) try_layout(search, tensor, &layout, best, cost);
    } while (goes_on(search) && layout_next(&layout, rank));
}

/** Gives a tensor the layout with the lowest cost: of all orders or, if it has many dimensions, of
 * those that one move of a run of dimensions gives. */
static void improve_tensor(struct search *search, int tensor, double *cost) {
    struct layout best = search->at->layout[tensor];
    if (search->space->rank[tensor] <= ALL_ORDERS_RANK) {
        try_all(search, tensor, &best, cost);
    } else {
        try_moves(search, tensor, &best, cost);
    }
    search->at->layout[tensor] = best;
}

static void set_choice(struct search *search, const struct layout layout[]) {
    memcpy(search->at->layout, layout, (size_t)search->space->tensor_count * sizeof *layout);
}

static void descend(struct search *search, const struct layout from[]) {
    const struct layout_space *space = search->space;
    set_choice(search, from);
    double cost = evaluate(search), before = INFINITY;
    for (int pass = 0; pass < MOST_PASSES && cost < before && goes_on(search); pass++) {
        before = cost;
        for (int t = 0; t < space->tensor_count && goes_on(search); t++) {
            if (space->free[t] && space->rank[t] > 1) improve_tensor(search, t, &cost);
        }
    }
}

/** Evaluates every change of a single tensor, from the initial combination. */
static void change_each(struct search *search) {
    const struct layout_space *space = search->space;
    for (int t = 0; t < space->tensor_count && goes_on(search); t++) {
        set_choice(search, search->today->layout);
        double cost = INFINITY;
        if (space->free[t] && space->rank[t] > 1) improve_tensor(search, t, &cost);
    }
}

static void shuffle(struct search *search, struct layout layout[], struct random *random) {
    for (int t = 0; t < search->space->tensor_count; t++) {
        const int rank = search->space->rank[t];
        layout[t] = layout_today(rank);
        for (int d = rank - 1; d > 0 && search->space->free[t]; d--)
            swap(&layout[t], d, (int)random_below(random, d + 1));
    }
}

/**
 * Improves layouts from several starting points: the present ones, the caller's, and as many random
 * ones.
 */
static void descend_all(struct search *search) {
    const struct layout_search_options *options = search->options;
    const size_t tensors = (size_t)search->space->tensor_count;
    struct random random = {options->seed};
    struct layout *drawn = base_alloc((tensors + 1) * sizeof *drawn);
    if (!drawn) {
        search->status = TCPLAN_NO_MEMORY;
        return;
    }
    descend(search, search->today->layout);
    for (int s = 0; s < options->start_count && goes_on(search); s++)
        descend(search, options->start + (size_t)s * tensors);
    for (int s = 0; s < options->start_count && goes_on(search); s++) {
        shuffle(search, drawn, &random);
        descend(search, drawn);
    }
    base_free(drawn);
}

/* Branch and bound. */

static bool has_tensor(const struct layout_term *term, int tensor) {
    for (int n = 0; n < term->tensor_count; n++) {
        if (term->tensor[n] == tensor) return true;
    }
    return false;
}

/** Returns the undecided tensor that completes the most terms; of several, the one with the fewest
 * orders. */
static int next_tensor(const struct search *search, const bool decided[]) {
    const struct layout_space *space = search->space;
    int best = -1, most = -1;
    for (int t = 0; t < space->tensor_count; t++) {
        int completed = 0;
        if (decided[t]) continue;
        for (int m = 0; m < space->term_count; m++) {
            bool completes = has_tensor(&space->term[m], t);
            for (int n = 0; n < space->term[m].tensor_count; n++) {
                const int other = space->term[m].tensor[n];
                if (other != t && !decided[other]) completes = false;
            }
            completed += completes;
        }
        const bool is_smaller =
            best >= 0 && completed == most && space->rank[t] < space->rank[best];
        if (completed > most || is_smaller) {
            best = t;
            most = completed;
        }
    }
    return best;
}

/** Orders the free tensors, and finds the depth after which each term is known. */
static bool prepare(struct search *search) {
    const struct layout_space *space = search->space;
    bool *decided = base_alloc_zero((size_t)space->tensor_count + 1, sizeof *decided);
    search->tensor = base_alloc_zero((size_t)space->tensor_count + 1, sizeof *search->tensor);
    search->known = base_alloc_zero((size_t)space->term_count + 1, sizeof *search->known);
    const bool good = decided && search->tensor && search->known;
    for (int t = 0; good && t < space->tensor_count; t++)
        decided[t] = !space->free[t] || space->rank[t] < 2;
    for (int t; good && (t = next_tensor(search, decided)) >= 0;) {
        search->tensor[search->depths++] = t;
        decided[t] = true;
        for (int m = 0; m < space->term_count; m++) {
            if (has_tensor(&space->term[m], t)) search->known[m] = search->depths;
        }
    }
    base_free(decided);
    return good;
}

/** Returns the cost from which on combinations are not listed: the cost of the worst listed
 * combination, if the list is full. */
static double bound(const struct search *search) {
    const struct layout_search *out = search->out;
    return out->count == search->options->best ? out->choice[out->count - 1]->cost : INFINITY;
}

/**
 * Tries all layouts of the tensors from this depth on.
 *
 * @param cost  cost of the tensors and terms decided above this depth
 */
static void branch(struct search *search, int depth, double cost) {
    for (int m = 0; m < search->space->term_count && search->status == TCPLAN_OK; m++) {
        if (search->known[m] == depth) cost += term_cost(search, m);
    }
    search->nodes--;
    if (search->status != TCPLAN_OK || cost > bound(search)) return;
    if (depth == search->depths) {
        evaluate(search); /* sums the costs in the order of evaluate(), as local search does, so
                             that equal combinations have exactly equal costs */
        return;
    }
    const int tensor = search->tensor[depth];
    const int rank = search->space->rank[tensor];
    struct layout *layout = &search->at->layout[tensor];
    *layout = layout_today(rank);
    do {
        branch(search, depth + 1, cost + change_cost(search, tensor));
        if (search->nodes <= 0) search->out->exact = false;
    } while (search->nodes > 0 && goes_on(search) && layout_next(layout, rank));
}

static void branch_all(struct search *search) {
    if (!prepare(search)) {
        search->status = TCPLAN_NO_MEMORY;
        return;
    }
    set_choice(search, search->today->layout);
    search->nodes = 2 * search->options->exact_most +
                    1; /* a tree has fewer than twice as many nodes as leaves */
    search->out->exact = true;
    branch(search, 0, 0);
    if (search->out->out_of_time || search->status != TCPLAN_OK) search->out->exact = false;
}

/** Replaces the last listed combination by today's layouts, unless they are listed. */
static void enter_today(struct search *search, double cost) {
    struct layout_search *out = search->out;
    for (int c = 0; c < out->count; c++) {
        if (out->choice[c]->changed == 0) return;
    }
    struct layout_choice *last = out->choice[out->count++];
    memcpy(last, search->today, choice_bytes(search->space));
    last->cost = cost;
}

static bool allocate(struct search *search) {
    struct layout_search *out = search->out;
    const int room = search->options->best + 1;
    search->at = new_choice(search->space);
    search->today = new_choice(search->space);
    out->choice = base_alloc_zero((size_t)room + 1,
                                  sizeof *out->choice); /* NOLINT(bugprone-sizeof-expression):
                                                           an array of pointers */
    for (int c = 0; out->choice && c < room; c++) {
        out->choice[c] = new_choice(search->space);
        if (!out->choice[c]) return false;
    }
    return search->at && search->today && out->choice;
}

enum tcplan_status layout_search_run(struct layout_search *out, const struct layout_space *space,
                                     const struct layout_search_options *options) {
    struct search search = {.space = space, .options = options, .out = out};
    *out = (struct layout_search){.combinations = layout_combinations(space)};
    search.status = allocate(&search) ? TCPLAN_OK : TCPLAN_NO_MEMORY;
    const double today = search.status == TCPLAN_OK ? evaluate(&search) : 0;
    if (search.status == TCPLAN_OK) descend_all(&search);
    if (goes_on(&search)) change_each(&search);
    if (goes_on(&search) &&
        (out->combinations <= (double)options->exact_most || space->term_count > 1))
        branch_all(&search);
    if (search.status == TCPLAN_OK) enter_today(&search, today);
    base_free(search.at);
    base_free(search.today);
    base_free(search.tensor);
    base_free(search.known);
    return search.status;
}

void layout_search_free(struct layout_search *search) {
    for (struct layout_choice **choice = search->choice; choice && *choice; choice++)
        base_free(*choice);
    base_free(search->choice);
    *search = (struct layout_search){0};
}
