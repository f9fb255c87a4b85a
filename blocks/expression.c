/*
 * Expressions of several block-sparse tensors. The order of their products is found by dynamic
 * programming over sets of tensors: the fastest way to multiply a set is the best split into two
 * parts: the fastest ways of both parts, plus the predicted time of the product of the parts. The
 * blocks of an intermediate result do not depend on the order: they are those to which some pair
 * contributes. Outer products are considered only if a set has no other split. Cost: an estimate
 * for each split, that is 25 estimates for four tensors, 3025 for eight.
 */
#include <math.h>
#include <string.h>

#include "api/planner.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/strbuf.h"
#include "blocks/expression.h"

enum { MOST_TENSORS = TCPLAN_BLOCK_TENSORS, MOST_SETS = 1 << MOST_TENSORS };

/** A set of tensors whose product is one tensor. */
struct set {
    struct tcplan_block_tensor tensor; /**< product of the tensors; unless it is a given tensor, its
                                          lists are the members below */
    int64_t label[TCPLAN_MAX_RANK];
    int sections[TCPLAN_MAX_RANK];
    int64_t *extent;
    int32_t *coordinate;
    double seconds;    /**< seconds of the fastest order; INFINITY if there is none */
    int first, second; /**< the two parts that the fastest order multiplies last */
};

/** A search for the fastest order. */
struct search {
    const struct tcplan_block_tensor *given;
    int count;
    const struct tcplan_block_tensor *D;
    const struct tcplan_block_formula *formula; /**< formula with the storage order and the scalar
                                                   factors */
    enum tcplan_dtype dtype;
    struct tcplan_planner *estimates; /**< a planner that times nothing */
    struct set set[MOST_SETS];
    double written_seconds[MOST_TENSORS]; /**< estimated seconds of multiplying the first tensors
                                             with the next one; 0: not estimated */
    struct tcplan_error *error;
};

/* Sets. */

static bool has_label(const struct tcplan_block_tensor *tensor, int64_t label) {
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->label[d] == label) return true;
    return false;
}

/** Returns whether an index of a set also occurs outside the set, so that it cannot be summed over
 * yet. */
static bool remains(const struct search *search, int set, int64_t label) {
    if (has_label(search->D, label)) return true;
    for (int t = 0; t < search->count; t++)
        if (!(set >> t & 1) && has_label(&search->given[t], label)) return true;
    return false;
}

static bool are_connected(const struct search *search, int a, int b) {
    const struct tcplan_block_tensor *first = &search->set[a].tensor;
    for (int d = 0; d < first->rank; d++)
        if (has_label(&search->set[b].tensor, first->label[d])) return true;
    return false;
}

/** Adds to a set the indices of a part that remain open, with their sections. */
static enum tcplan_status add_indices(struct search *search, int number, int part) {
    struct set *set = &search->set[number];
    const struct tcplan_block_tensor *from = &search->set[part].tensor;
    const int64_t *extent = from->extent;
    size_t extents = 0;
    for (int d = 0; d < set->tensor.rank; d++) extents += (size_t)set->sections[d];
    for (int d = 0; d < from->rank; extent += from->sections[d++]) {
        const size_t sections = (size_t)from->sections[d];
        if (!remains(search, number, from->label[d]) || has_label(&set->tensor, from->label[d]))
            continue;
        if (set->tensor.rank == TCPLAN_MAX_RANK)
            return error_set(search->error, TCPLAN_INVALID,
                             "an intermediate result has more than %d dimensions", TCPLAN_MAX_RANK);
        int64_t *larger = base_realloc(set->extent, (extents + sections) * sizeof *larger);
        if (!larger) return error_no_memory(search->error);
        memcpy(larger + extents, extent, sections * sizeof *larger);
        extents += sections;
        set->tensor.extent = set->extent = larger;
        set->label[set->tensor.rank] = from->label[d];
        set->sections[set->tensor.rank++] = from->sections[d];
    }
    return TCPLAN_OK;
}

/** Makes the product of two sets of tensors. Its result is the set `number`; if that set has all
 * tensors, the result of the expression. */
static enum tcplan_status make_product(struct tcplan_block_product **out, struct search *search,
                                       int number, int a, int b) {
    const bool is_last = number == (1 << search->count) - 1;
    const enum tcplan_status status =
        tcplan_block_product_make(out, &search->set[a].tensor, &search->set[b].tensor,
                                  is_last ? search->D : &search->set[number].tensor, search->dtype,
                                  search->formula->order, search->error);
    if (status == TCPLAN_OK && is_last) {
        (*out)->contraction->alpha = search->formula->alpha;
        (*out)->contraction->beta = search->formula->beta;
    }
    return status;
}

/** Copies the list of blocks to which a product contributes. */
static enum tcplan_status take_blocks(struct search *search, int number,
                                      const struct tcplan_block_product *product) {
    struct set *set = &search->set[number];
    const int64_t count = tcplan_block_product_blocks(product, TCPLAN_C);
    const size_t numbers = (size_t)count * (size_t)set->tensor.rank;
    set->coordinate = base_alloc((numbers + 1) * sizeof *set->coordinate);
    if (!set->coordinate) return error_no_memory(search->error);
    if (numbers > 0)
        memcpy(set->coordinate, product->tensor[TCPLAN_C].at, numbers * sizeof *set->coordinate);
    set->tensor.blocks = count;
    set->tensor.coordinate = set->coordinate;
    return TCPLAN_OK;
}

/* Searching. */

/** Considers the product of two parts of a set. */
static enum tcplan_status consider(struct search *search, int number, int a, int b) {
    struct set *set = &search->set[number];
    struct tcplan_block_product *product = NULL;
    struct tcplan_block_plan *plan = NULL;
    enum tcplan_status status = make_product(&product, search, number, a, b);
    if (status == TCPLAN_OK && set->tensor.blocks == TCPLAN_BLOCKS_REACHED)
        status = take_blocks(search, number, product);
    if (status == TCPLAN_OK)
        status = tcplan_block_plan_new(&plan, search->estimates, product, search->error);
    if (status == TCPLAN_OK) {
        const double own = tcplan_block_plan_seconds(plan);
        const double seconds = search->set[a].seconds + search->set[b].seconds + own;
        if ((number & (number + 1)) == 0 && (b & (b - 1)) == 0 && b > a)
            search->written_seconds[__builtin_ctz((unsigned)b)] = own;
        if (seconds < set->seconds) {
            set->seconds = seconds;
            set->first = a;
            set->second = b;
        }
    }
    tcplan_block_plan_free(plan);
    tcplan_block_product_free(product);
    return status;
}

/** Gives a set of several tensors its indices; no split is known yet. */
static enum tcplan_status begin_set(struct search *search, int number) {
    struct set *set = &search->set[number];
    enum tcplan_status status = TCPLAN_OK;
    set->seconds = INFINITY;
    set->tensor = (struct tcplan_block_tensor){
        .label = set->label, .sections = set->sections, .blocks = TCPLAN_BLOCKS_REACHED};
    for (int t = 0; t < search->count && status == TCPLAN_OK; t++)
        if (number >> t & 1) status = add_indices(search, number, 1 << t);
    return status;
}

/** Finds the fastest split of a set into two. */
static enum tcplan_status split(struct search *search, int number) {
    struct set *set = &search->set[number];
    const int lowest = number & -number;
    enum tcplan_status status = begin_set(search, number);
    for (int outer = 0; outer < 2 && set->seconds == INFINITY && status == TCPLAN_OK; outer++) {
        /* Consider each split once: the first part always has the first tensor. */
        for (int a = (number - 1) & number; a > 0 && status == TCPLAN_OK; a = (a - 1) & number) {
            const int b = number & ~a;
            if (!(a & lowest) || search->set[a].seconds == INFINITY ||
                search->set[b].seconds == INFINITY)
                continue;
            if (outer > 0 || are_connected(search, a, b)) status = consider(search, number, a, b);
        }
    }
    return status;
}

enum tcplan_status block_expression_estimates(struct tcplan_planner **out,
                                              struct tcplan_planner *planner,
                                              struct tcplan_error *error) {
    const struct tcplan_rank_options options = planner_settings_of(planner).options;
    enum tcplan_status status = tcplan_planner_new(out, error);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_effort(*out, TCPLAN_EFFORT_ESTIMATE, error);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_oversubscription(*out, options.oversubscribe, error);
    if (status == TCPLAN_OK) status = tcplan_planner_set_threads(*out, options.threads, error);
    return status == TCPLAN_OK
               ? tcplan_planner_set_workspace(*out, options.max_workspace_bytes, error)
               : status;
}

/* Steps. */

/** Allocates the blocks of an intermediate result. */
static enum tcplan_status allocate(struct block_step *step, enum tcplan_dtype dtype,
                                   struct tcplan_error *error) {
    const struct tcplan_block_product *product = step->product;
    const int64_t count = product->tensor[TCPLAN_C].count;
    double elements = 0;
    for (int64_t b = 0; b < count; b++)
        elements += structure_volume(product, TCPLAN_C, b, ~(uint64_t)0);
    if (elements > (double)(INT64_MAX / 64))
        return error_set(error, TCPLAN_OVERFLOW, "an intermediate result is too large");
    step->memory = base_large_alloc(64, ((size_t)elements + 1) * tcplan_dtype_bytes(dtype));
    step->block = base_alloc(((size_t)count + 1) * sizeof *step->block);
    if (!step->memory || !step->block) return error_no_memory(error);
    return tcplan_block_pointers(step->block, product, TCPLAN_C, step->memory, (int64_t)elements,
                                 NULL, error);
}

/** Plans the products of the fastest order of a set. *number receives the number of the set's
 * result, as in struct tcplan_block_step. */
static enum tcplan_status make_steps(struct tcplan_block_expression *out, int *steps, int *number,
                                     struct search *search, struct tcplan_planner *planner,
                                     int wanted) {
    /* The depth of the recursion is at most MOST_TENSORS. */
    const struct set *set = &search->set[wanted];
    if ((wanted & (wanted - 1)) == 0) {
        *number = __builtin_ctz((unsigned)wanted);
        return TCPLAN_OK;
    }
    int factor[2] = {0, 0};
    enum tcplan_status status = make_steps(out, steps, &factor[0], search, planner, set->first);
    if (status == TCPLAN_OK)
        status = make_steps(out, steps, &factor[1], search, planner, set->second);
    if (status != TCPLAN_OK) return status;
    struct block_step *step = &out->step[(*steps)++];
    *number = search->count + *steps - 1;
    const struct tcplan_block_tensor *result =
        wanted == (1 << search->count) - 1 ? search->D : &set->tensor;
    step->shown = (struct tcplan_block_step){.factor = {factor[0], factor[1]},
                                             .result = *number,
                                             .rank = result->rank,
                                             .label = step->label};
    memcpy(step->label, result->label, (size_t)result->rank * sizeof *step->label);
    status = make_product(&step->product, search, wanted, set->first, set->second);
    if (status == TCPLAN_OK)
        status = tcplan_block_plan_new(&step->plan, planner, step->product, search->error);
    step->shown.product = step->product;
    step->shown.plan = step->plan;
    return status == TCPLAN_OK && wanted != (1 << search->count) - 1
               ? allocate(step, search->dtype, search->error)
               : status;
}

/** Considers only the products of the formula's path. */
static enum tcplan_status follow(struct search *search) {
    int set[2 * MOST_TENSORS] = {0}; /* the factors of each tensor that is still to be multiplied;
                                        0: there is no such tensor */
    enum tcplan_status status = TCPLAN_OK;
    for (int t = 0; t < search->count; t++) set[t] = 1 << t;
    for (int s = 0; s < search->count - 1 && status == TCPLAN_OK; s++) {
        const int *factor = search->formula->path[s], made = search->count + s;
        for (int f = 0; f < 2; f++)
            if (factor[f] < 0 || factor[f] >= made || !set[factor[f]] || factor[0] == factor[1])
                return error_set(search->error, TCPLAN_INVALID,
                                 "product %d of the path: expected two tensors that are not yet "
                                 "multiplied, found %d and %d",
                                 s + 1, factor[0], factor[1]);
        const int a = set[factor[0]], b = set[factor[1]];
        set[factor[0]] = set[factor[1]] = 0;
        set[made] = a | b;
        status = begin_set(search, a | b);
        if (status == TCPLAN_OK)
            status =
                (a & -a) < (b & -b) ? consider(search, a | b, a, b) : consider(search, a | b, b, a);
    }
    return status;
}

static enum tcplan_status find_order(struct search *search, struct tcplan_planner *planner) {
    enum tcplan_status status =
        block_expression_estimates(&search->estimates, planner, search->error);
    for (int t = 0; t < search->count; t++) search->set[1 << t].tensor = search->given[t];
    if (search->formula->path) return status == TCPLAN_OK ? follow(search) : status;
    for (int set = 1; set < 1 << search->count && status == TCPLAN_OK; set++)
        if (set & (set - 1)) status = split(search, set);
    return status;
}

static void search_free(struct search *search) {
    for (int s = 0; s < MOST_SETS; s++) {
        base_free(search->set[s].extent);
        base_free(search->set[s].coordinate);
    }
    tcplan_planner_free(search->estimates);
    base_free(search);
}

/** Returns the estimated seconds of multiplying from left to right; 0 if unknown. */
static double written_seconds(const struct search *search) {
    double seconds = 0;
    for (int t = 1; t < search->count; t++) {
        if (search->written_seconds[t] <= 0) return 0;
        seconds += search->written_seconds[t];
    }
    return seconds;
}

enum tcplan_status block_expression_make(struct tcplan_block_expression **out,
                                         struct tcplan_planner *planner,
                                         const struct tcplan_block_tensor tensor[], int count,
                                         const struct tcplan_block_tensor *D,
                                         const struct tcplan_block_formula *formula,
                                         enum tcplan_dtype dtype, struct tcplan_error *error) {
    const int all = (1 << (count > 0 && count <= MOST_TENSORS ? count : 1)) - 1;
    int steps = 0, last = 0;
    if (!out || !tensor || !D)
        return error_set(error, TCPLAN_INVALID, "expected an expression and tensors; found NULL");
    if (count < 2 || count > MOST_TENSORS)
        return error_set(error, TCPLAN_INVALID, "expected 2 to %d tensors, found %d", MOST_TENSORS,
                         count);
    struct search *search = base_alloc_zero(1, sizeof *search);
    struct tcplan_block_expression *made = base_alloc_zero(1, sizeof *made);
    enum tcplan_status status = search && made ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK) {
        search->given = tensor;
        search->count = made->count = count;
        search->D = D;
        search->formula = formula;
        search->dtype = dtype;
        search->error = error;
        status = find_order(search, planner);
    }
    if (status == TCPLAN_OK) status = make_steps(made, &steps, &last, search, planner, all);
    if (status == TCPLAN_OK) {
        made->predicted_seconds = search->set[all].seconds;
        made->written_seconds = written_seconds(search);
    }
    for (int t = 0; t <= count && formula->operand && status == TCPLAN_OK; t++) {
        made->name[t] = base_strdup(formula->operand[t].name);
        if (!made->name[t]) status = error_no_memory(error);
    }
    if (search) search_free(search);
    if (status == TCPLAN_OK)
        *out = made;
    else
        tcplan_block_expression_free(made);
    return status;
}

enum tcplan_status tcplan_block_expression_new(struct tcplan_block_expression **out,
                                               struct tcplan_planner *planner,
                                               const struct tcplan_block_tensor tensor[], int count,
                                               const struct tcplan_block_tensor *D,
                                               enum tcplan_dtype dtype, enum tcplan_order order,
                                               struct tcplan_error *error) {
    const struct tcplan_block_formula formula = {.alpha = {1, 0}, .order = order};
    return block_expression_make(out, planner, tensor, count, D, &formula, dtype, error);
}

bool tcplan_block_expression_step(const struct tcplan_block_expression *expression, int number,
                                  struct tcplan_block_step *out) {
    if (number < 0 || number >= expression->count - 1) return false;
    *out = expression->step[number].shown;
    return true;
}

double tcplan_block_expression_seconds(const struct tcplan_block_expression *expression) {
    double seconds = 0;
    for (int s = 0; s < expression->count - 1; s++)
        seconds += tcplan_block_plan_seconds(expression->step[s].plan);
    return seconds;
}

double tcplan_block_expression_estimate(const struct tcplan_block_expression *expression,
                                        bool written) {
    return written ? expression->written_seconds : expression->predicted_seconds;
}

char *tcplan_block_expression_describe(const struct tcplan_block_expression *expression) {
    struct strbuf out = {0};
    for (int s = 0; s < expression->count - 1; s++) {
        const struct block_step *step = &expression->step[s];
        strbuf_add(&out, "%d = %d * %d: %lld pairs, %s, %s\n", step->shown.result + 1,
                   step->shown.factor[0] + 1, step->shown.factor[1] + 1,
                   (long long)tcplan_block_product_pairs(step->product),
                   tcplan_block_plan_way(step->plan),
                   quantity_seconds(tcplan_block_plan_seconds(step->plan)).text);
    }
    strbuf_add(&out, "together %s\n",
               quantity_seconds(tcplan_block_expression_seconds(expression)).text);
    return strbuf_finish(&out);
}

const void *const *block_step_factor(const struct tcplan_block_expression *expression, int step,
                                     int factor, const void *const *const tensor[]) {
    const int from = expression->step[step].shown.factor[factor];
    return from < expression->count
               ? tensor[from]
               : (const void *const *)expression->step[from - expression->count].block;
}

enum tcplan_status tcplan_block_expression_execute(struct tcplan_block_expression *expression,
                                                   const void *const *const tensor[],
                                                   void *const D[], struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < expression->count - 1 && status == TCPLAN_OK; s++) {
        struct block_step *step = &expression->step[s];
        status = tcplan_block_plan_execute(step->plan, block_step_factor(expression, s, 0, tensor),
                                           block_step_factor(expression, s, 1, tensor),
                                           step->block ? step->block : D, error);
    }
    return status;
}

void tcplan_block_expression_free(struct tcplan_block_expression *expression) {
    if (!expression) return;
    for (int s = 0; s < MOST_TENSORS; s++) {
        struct block_step *step = &expression->step[s];
        tcplan_block_plan_free(step->plan);
        tcplan_block_product_free(step->product);
        base_free(step->memory);
        base_free((void *)step->block);
    }
    for (int t = 0; t <= MOST_TENSORS; t++) base_free(expression->name[t]);
    base_free(expression);
}
