#include "tcplan/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "plan/advise/conversion.h"
#include "plan/advise/costs.h"

enum { USUAL_CANDIDATES = 4, USUAL_EXACT_MOST = 20000 };

/* Share of the time limit for the search for layouts, which uses estimates only; planning the
 * contractions gets the rest. */
#define SEARCHING_SHARE 0.4

/** An advice with its memory; the public struct is its first member. */
struct advice {
    struct tcplan_advice shown;
    const struct tcplan_layout_program *program; /* borrowed */
    struct arena memory;
    struct tcplan_layouts layouts[TCPLAN_LAYOUTS_MOST];
    struct layout *layout[TCPLAN_LAYOUTS_MOST]; /* layouts of the tensors, for each advised
                                                   combination */
    double *conversion[TCPLAN_LAYOUTS_MOST]; /* seconds of one copy, for each tensor and layout */
    double *item_seconds[TCPLAN_LAYOUTS_MOST];
};

struct tcplan_advise_options tcplan_advise_defaults(void) {
    return (struct tcplan_advise_options){.rank = tcplan_rank_defaults(),
                                          .uses = 1,
                                          .candidates = USUAL_CANDIDATES,
                                          .exact_most = USUAL_EXACT_MOST};
}

static enum tcplan_status check(const struct tcplan_layout_program *program,
                                const struct tcplan_advise_options *options,
                                struct tcplan_error *error) {
    bool any = false;
    if (program->item_count == 0)
        return error_set(error, TCPLAN_INVALID,
                         "no contraction to advise on; expected at least one");
    for (int t = 0; t < program->tensor_count; t++) any = any || program->tensor[t].free;
    if (!any)
        return error_set(error, TCPLAN_INVALID,
                         "no tensor may change its layout; expected at least one without strides");
    if (!(options->uses >= 1) || isinf(options->uses)) {
        return error_set(error, TCPLAN_INVALID,
                         "%g uses of a conversion; expected a number of at least 1", options->uses);
    }
    if (options->candidates < 0 || options->candidates >= TCPLAN_LAYOUTS_MOST) {
        return error_set(error, TCPLAN_INVALID, "%d layouts to be planned; expected 1 to %d",
                         options->candidates, TCPLAN_LAYOUTS_MOST - 1);
    }
    if (!options->rank.machine) return error_set(error, TCPLAN_INVALID, "no machine to advise for");
    return TCPLAN_OK;
}

static double term_cost(void *context, int term, const struct layout layout[]) {
    struct layout_costs *costs = context;
    const struct layout_cost *cost = layout_costs_find(costs, term, layout);
    return cost ? costs->program->item[term].weight * cost->estimate_seconds : NAN;
}

static double change_cost(void *context, int tensor, const struct layout *layout) {
    struct layout_costs *costs = context;
    if (costs->options->conversion == TCPLAN_CONVERSION_NEVER) return 0;
    return layout_costs_paid(costs, tensor, layout_costs_conversion(costs, tensor, layout));
}

/** Returns the position of a dimension in the matrix of a gemm: rows before columns, or after them
 * if transposed; batch indices come last. */
static int place_in_gemm(const struct tcplan_contraction *contraction, int operand, int index,
                         bool transposed) {
    const enum tcplan_index_kind kind = contraction->index[index].kind;
    const bool is_row = operand == TCPLAN_B ? kind != TCPLAN_FREE_B : kind == TCPLAN_FREE_A;
    return kind == TCPLAN_BATCH ? 2 : is_row == transposed;
}

/** Returns the layout in which an operand is one matrix of a gemm; within a role, indices keep the
 * order of their numbers in the contraction. */
static struct layout gemm_layout(const struct tcplan_contraction *contraction, int operand,
                                 bool transposed) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    struct layout out = layout_today(tensor->rank);
    for (int d = 1; d < tensor->rank; d++) { /* insertion sort, as there are few dimensions */
        const uint8_t dim = out.dim[d];
        const int place = place_in_gemm(contraction, operand, tensor->dims[dim], transposed);
        int at = d;
        for (; at > 0; at--) {
            const int before =
                place_in_gemm(contraction, operand, tensor->dims[out.dim[at - 1]], transposed);
            if (before < place ||
                (before == place && tensor->dims[out.dim[at - 1]] <= tensor->dims[dim]))
                break;
            out.dim[at] = out.dim[at - 1];
        }
        out.dim[at] = dim;
    }
    return out;
}

/** Starting points of the search: each tensor laid out as a matrix of the gemm of its heaviest
 * contraction, once plain and once transposed. */
enum { STARTS = 2 };

static void make_starts(struct layout start[], const struct tcplan_layout_program *program) {
    for (int s = 0; s < STARTS; s++) {
        for (int t = 0; t < program->tensor_count; t++) {
            double heaviest = -1;
            struct layout *out = &start[s * program->tensor_count + t];
            *out = layout_today(program->tensor[t].rank);
            for (int i = 0; i < program->item_count && program->tensor[t].free; i++) {
                const struct tcplan_layout_item *item = &program->item[i];
                struct tcplan_problem problem;
                if (tcplan_problem_init(&problem, item->contraction, item->extent, item->dtype,
                                        NULL) != TCPLAN_OK)
                    continue;
                const double weight = item->weight * problem.flops;
                for (int o = 0; o < TCPLAN_OPERANDS && weight > heaviest; o++) {
                    if (program->operands[i].tensor[o] != t) continue;
                    heaviest = weight;
                    *out = gemm_layout(item->contraction, o, s == 1 && o != TCPLAN_C);
                }
            }
        }
    }
}

static enum tcplan_status search(struct layout_search *out, struct layout_costs *costs,
                                 struct tcplan_error *error) {
    const struct tcplan_layout_program *program = costs->program;
    const size_t tensors = (size_t)program->tensor_count;
    struct layout *start = base_alloc_zero(STARTS * tensors, sizeof *start);
    struct layout_term *term = base_alloc_zero((size_t)program->item_count, sizeof *term);
    int *rank = base_alloc_zero(tensors, sizeof *rank);
    bool *is_free = base_alloc_zero(tensors, sizeof *is_free);
    enum tcplan_status status =
        start && term && rank && is_free ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK) {
        for (int t = 0; t < program->tensor_count; t++) {
            rank[t] = program->tensor[t].rank;
            is_free[t] = program->tensor[t].free;
        }
        for (int i = 0; i < program->item_count; i++) term[i] = program_term(program, i);
        make_starts(start, program);
        const bool estimates = costs->options->rank.effort == TCPLAN_EFFORT_ESTIMATE;
        const struct layout_space space = {.tensor_count = program->tensor_count,
                                           .rank = rank,
                                           .free = is_free,
                                           .term_count = program->item_count,
                                           .term = term,
                                           .term_cost = term_cost,
                                           .change_cost = change_cost,
                                           .context = costs};
        const struct layout_search_options options = {
            .best = TCPLAN_LAYOUTS_MOST - 1,
            .exact_most =
                costs->options->exact_most > 0 ? costs->options->exact_most : USUAL_EXACT_MOST,
            .start_count = STARTS,
            .start = start,
            .seed = costs->options->rank.seed,
            .deadline =
                estimates ? costs->deadline : deadline_share(costs->deadline, SEARCHING_SHARE)};
        status = layout_search_run(out, &space, &options);
        if (status == TCPLAN_NO_MEMORY) error_no_memory(error);
        if (status == TCPLAN_INVALID) {
            status = costs->status;
            if (error) *error = costs->error;
        }
    }
    base_free(start);
    base_free(term);
    base_free(rank);
    base_free(is_free);
    return status;
}

/** Sets the times of one combination of layouts: planned if all its contractions are planned,
 * otherwise estimated. */
static enum tcplan_status fill(struct advice *advice, int l, struct layout_costs *costs) {
    const struct tcplan_layout_program *program = advice->program;
    struct tcplan_layouts *out = &advice->layouts[l];
    double estimate = 0, seconds = 0, low = 0, high = 0;
    bool planned = true;
    for (int i = 0; i < program->item_count; i++) {
        const struct layout_cost *cost = layout_costs_find(costs, i, advice->layout[l]);
        if (!cost) return costs->status;
        const double weight = program->item[i].weight;
        planned = planned && cost->planned;
        estimate += weight * cost->estimate_seconds;
        seconds += weight * cost->plan.seconds;
        low += weight * cost->plan.low;
        high += weight * cost->plan.high;
        advice->item_seconds[l][i] = cost->planned ? cost->plan.seconds : cost->estimate_seconds;
    }
    out->planned = planned;
    out->estimate_seconds = estimate;
    out->seconds = planned ? seconds : estimate;
    out->low = planned ? low : estimate;
    out->high = planned ? high : estimate;
    out->net_seconds = out->seconds;
    out->conversion_seconds = 0;
    for (int t = 0; t < program->tensor_count; t++) {
        out->conversion_seconds += advice->conversion[l][t];
        out->net_seconds += layout_costs_paid(costs, t, advice->conversion[l][t]);
    }
    return TCPLAN_OK;
}

/** Copies a combination of layouts from the result of the search. */
static enum tcplan_status take(struct advice *advice, const struct layout_choice *choice,
                               struct layout_costs *costs, struct tcplan_error *error) {
    const struct tcplan_layout_program *program = advice->program;
    const size_t tensors = (size_t)program->tensor_count, items = (size_t)program->item_count;
    const int l = advice->shown.count;
    struct tcplan_layouts *out = &advice->layouts[l];
    uint8_t **dims = arena_alloc(&advice->memory, tensors * sizeof *dims);
    advice->layout[l] = arena_alloc(&advice->memory, tensors * sizeof *advice->layout[l]);
    advice->conversion[l] = arena_alloc(&advice->memory, tensors * sizeof *advice->conversion[l]);
    advice->item_seconds[l] = arena_alloc(&advice->memory, items * sizeof *advice->item_seconds[l]);
    if (!dims || !advice->layout[l] || !advice->conversion[l] || !advice->item_seconds[l])
        return error_no_memory(error);
    memcpy(advice->layout[l], choice->layout, tensors * sizeof *choice->layout);
    *out = (struct tcplan_layouts){.dims = dims,
                                   .changed = choice->changed,
                                   .is_today = choice->changed == 0,
                                   .conversion = advice->conversion[l],
                                   .item_seconds = advice->item_seconds[l]};
    for (size_t t = 0; t < tensors; t++) {
        const struct layout today = layout_today(program->tensor[t].rank);
        dims[t] = advice->layout[l][t].dim;
        if (layout_equal(&today, &advice->layout[l][t], program->tensor[t].rank)) continue;
        advice->conversion[l][t] = layout_costs_conversion(costs, (int)t, &advice->layout[l][t]);
    }
    const enum tcplan_status status =
        costs->status == TCPLAN_OK ? fill(advice, l, costs) : costs->status;
    if (status != TCPLAN_OK && error) *error = costs->error;
    if (status == TCPLAN_OK) advice->shown.count++;
    return status;
}

/** Returns how many contractions of these combinations are not planned yet. */
static int open_items(const struct advice *advice, const int layouts[], int count,
                      struct layout_costs *costs) {
    int open = 0;
    for (int n = 0; n < count; n++) {
        for (int i = 0; i < advice->program->item_count; i++) {
            const struct layout_cost *cost =
                layout_costs_find(costs, i, advice->layout[layouts[n]]);
            open += cost && !cost->planned;
        }
    }
    return open;
}

/** Plans all contractions of the chosen combinations of layouts. If some do not fit in memory,
 * records the reason. */
static enum tcplan_status plan_layouts(struct advice *advice, int l, int open,
                                       struct layout_costs *costs, struct tcplan_error *error) {
    struct tcplan_error own = {0};
    for (int i = 0; i < advice->program->item_count; i++) {
        const struct layout_cost *cost = layout_costs_find(costs, i, advice->layout[l]);
        if (!cost || cost->planned) continue;
        if (deadline_is_over(costs->deadline)) {
            advice->shown.out_of_time = true;
            return TCPLAN_OK;
        }
        const double left = deadline_left_seconds(costs->deadline) / (open > 0 ? open-- : 1);
        const enum tcplan_status status =
            layout_costs_plan(costs, i, advice->layout[l], left, &own);
        if (status == TCPLAN_NO_MEMORY || status == TCPLAN_NOT_APPLICABLE) {
            memcpy(advice->shown.no_plans, own.message, sizeof own.message);
            return TCPLAN_OK;
        }
        if (status == TCPLAN_OK) continue;
        if (error) *error = own;
        return status;
    }
    return TCPLAN_OK;
}

/** Times the copies of this combination that take noticeable time, until the time limit; the
 * times of other copies stay estimated. */
static enum tcplan_status time_conversions(struct advice *advice, int l, struct layout_costs *costs,
                                           struct tcplan_error *error) {
    const int64_t limit_bytes = costs->options->rank.max_memory_bytes;
    for (int t = 0; t < advice->program->tensor_count; t++) {
        double seconds;
        if (!(advice->conversion[l][t] > 0) || deadline_is_over(costs->deadline)) continue;
        const enum tcplan_status status = conversion_time(
            &seconds, advice->program, t, &advice->layout[l][t], limit_bytes, error);
        if (status == TCPLAN_OK) advice->conversion[l][t] = seconds;
        if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE) return status;
    }
    return TCPLAN_OK;
}

/**
 * Chooses which combinations of layouts to plan: today's and those with the lowest estimates. The
 * last of these is replaced by the combination that changes the fewest tensors, if its estimate is
 * within 10 % of the lowest.
 */
static int choose(int chosen[], const struct advice *advice, int candidates) {
    int count = 0, least = -1;
    chosen[count++] = advice->shown.today;
    for (int l = 0; l < advice->shown.count && count <= candidates; l++) {
        if (l != advice->shown.today) chosen[count++] = l;
    }
    for (int l = 0; l < advice->shown.count && advice->shown.count > 1; l++) {
        const struct tcplan_layouts *own = &advice->layouts[l];
        const double best = advice->layouts[chosen[count > 1]].net_seconds;
        if (l == advice->shown.today || own->net_seconds > 1.1 * best) continue;
        if (least < 0 || own->changed < advice->layouts[least].changed) least = l;
    }
    for (int n = 0; n < count; n++) least = chosen[n] == least ? -1 : least;
    if (least >= 0 && count > 2) chosen[count - 1] = least;
    return count;
}

static enum tcplan_status decide(struct advice *advice, struct layout_costs *costs,
                                 struct tcplan_error *error) {
    int chosen[TCPLAN_LAYOUTS_MOST];
    const int candidates =
        costs->options->candidates > 0 ? costs->options->candidates : USUAL_CANDIDATES;
    const int count = choose(chosen, advice, candidates);
    enum tcplan_status status = TCPLAN_OK;
    for (int n = 0; n < count && status == TCPLAN_OK; n++) {
        status = plan_layouts(advice, chosen[n], open_items(advice, chosen + n, count - n, costs),
                              costs, error);
        if (status == TCPLAN_OK) status = time_conversions(advice, chosen[n], costs, error);
        if (status == TCPLAN_OK) status = fill(advice, chosen[n], costs);
    }
    return status;
}

static int compare_layouts(const void *a, const void *b) {
    const struct tcplan_layouts *x = a, *y = b;
    if (x->planned != y->planned) return x->planned ? -1 : 1;
    if (x->net_seconds != y->net_seconds) return x->net_seconds < y->net_seconds ? -1 : 1;
    return x->changed - y->changed;
}

/** Sorts combinations by time. Among equally fast combinations, the one that changes the fewest
 * tensors comes first, unless the options prefer speed. */
static void pick(struct advice *advice, enum tcplan_preference prefer) {
    struct tcplan_layouts *layouts = advice->layouts;
    const int count = advice->shown.count;
    int first = 0;
    qsort(layouts, (size_t)count, sizeof *layouts, compare_layouts);
    for (int l = 0; l < count; l++) {
        layouts[l].tied =
            layouts[l].planned == layouts[0].planned &&
            layouts[l].net_seconds <= (1 + TCPLAN_LAYOUT_TIE) * layouts[0].net_seconds;
        if (prefer == TCPLAN_PREFER_SIMPLE && layouts[l].tied &&
            layouts[l].changed < layouts[first].changed)
            first = l;
        advice->shown.planned_count += layouts[l].planned;
    }
    const struct tcplan_layouts advised = layouts[first];
    memmove(layouts + 1, layouts, (size_t)first * sizeof *layouts);
    layouts[0] = advised;
    for (int l = 0; l < count; l++) {
        if (layouts[l].is_today) advice->shown.today = l;
    }
}

static enum tcplan_status advise(struct advice *advice, struct layout_costs *costs,
                                 struct tcplan_error *error) {
    const double began = monotonic_seconds();
    struct layout_search found = {0};
    enum tcplan_status status = search(&found, costs, error);
    for (int c = 0; c < found.count && status == TCPLAN_OK; c++) {
        if (found.choice[c]->changed == 0) advice->shown.today = advice->shown.count;
        status = take(advice, found.choice[c], costs, error);
    }
    advice->shown.combinations = found.combinations;
    advice->shown.seen = found.seen;
    advice->shown.exact = found.exact;
    advice->shown.out_of_time = found.out_of_time;
    advice->shown.search_seconds = monotonic_seconds() - began;
    layout_search_free(&found);
    if (status == TCPLAN_OK && costs->options->rank.effort != TCPLAN_EFFORT_ESTIMATE)
        status = decide(advice, costs, error);
    if (status == TCPLAN_OK) pick(advice, costs->options->rank.prefer);
    advice->shown.estimates = costs->estimates;
    advice->shown.spent_seconds = monotonic_seconds() - began;
    return status;
}

enum tcplan_status tcplan_advise(struct tcplan_advice **out,
                                 const struct tcplan_layout_program *program,
                                 const struct tcplan_advise_options *options,
                                 struct tcplan_error *error) {
    struct layout_costs costs;
    enum tcplan_status status = check(program, options, error);
    if (status != TCPLAN_OK) return status;
    struct advice *advice = base_alloc_zero(1, sizeof *advice);
    if (!advice) return error_no_memory(error);
    advice->program = program;
    advice->shown = (struct tcplan_advice){.tensor_count = program->tensor_count,
                                           .tensor = program->tensor,
                                           .item_count = program->item_count,
                                           .item = program->item,
                                           .layouts = advice->layouts};
    status = layout_costs_init(&costs, program, options) == TCPLAN_OK ? TCPLAN_OK
                                                                      : error_no_memory(error);
    if (status == TCPLAN_OK) status = advise(advice, &costs, error);
    layout_costs_free(&costs);
    if (status == TCPLAN_OK) {
        *out = &advice->shown;
    } else {
        tcplan_advice_free(&advice->shown);
    }
    return status;
}

/** Returns the layouts of all tensors, which are consecutive in memory. */
static const struct layout *first_layout(const struct tcplan_layouts *layouts) {
    return (const struct layout *)(const void *)layouts->dims[0];
}

char *tcplan_advice_formula(const struct tcplan_advice *advice,
                            const struct tcplan_layouts *layouts, int item) {
    return program_formula(((const struct advice *)advice)->program, item, first_layout(layouts));
}

char *tcplan_advice_tensor(const struct tcplan_advice *advice, const struct tcplan_layouts *layouts,
                           int tensor) {
    return program_tensor_text(((const struct advice *)advice)->program, tensor,
                               first_layout(layouts) + tensor);
}

void tcplan_advice_free(struct tcplan_advice *shown) {
    struct advice *advice = (struct advice *)shown;
    if (!advice) return;
    arena_free(&advice->memory);
    base_free(advice);
}
