/* Public interface: makes products from lists of blocks, plans them, and executes them. */
#include "tcplan/blocksparse.h"

#include <stdlib.h>
#include <string.h>

#include "api/product.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/strbuf.h"
#include "blocks/block_plan.h"
#include "blocks/stored.h"
#include "microbench/providers/threads.h"

static const char *const tensor_names[TCPLAN_OPERANDS] = {"A", "B", "D"};

/* Products. */

/** Makes the contraction of three lists of labels. Uses a dense product whose extents are all 1 to
 * do so. */
static enum tcplan_status contraction_of(struct tcplan_contraction **out,
                                         const struct tcplan_block_tensor *const tensor[],
                                         enum tcplan_dtype dtype, enum tcplan_order order,
                                         struct tcplan_error *error) {
    int64_t one[TCPLAN_MAX_RANK];
    struct tcplan_dimensions dimensions[TCPLAN_OPERANDS];
    struct tcplan_product *product = NULL;
    for (int d = 0; d < TCPLAN_MAX_RANK; d++) one[d] = 1;
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        dimensions[t] = (struct tcplan_dimensions){.rank = tensor[t]->rank,
                                                   .label = tensor[t]->label,
                                                   .extent = one,
                                                   .conjugated = tensor[t]->conjugated};
    const enum tcplan_status status =
        tcplan_product_make(&product, &dimensions[TCPLAN_A], &dimensions[TCPLAN_B], NULL,
                            &dimensions[TCPLAN_C], dtype, order, error);
    if (status != TCPLAN_OK) return status;
    *out = product->contraction;
    product->contraction = NULL;
    tcplan_product_free(product);
    return TCPLAN_OK;
}

/** Records the sections of the indices of tensor `t`. Rejects an index whose sections differ from
 * those in an earlier tensor. */
static enum tcplan_status take_sections(struct block_sections index[],
                                        const struct tcplan_contraction *contraction, int t,
                                        const struct tcplan_block_tensor *tensor,
                                        struct tcplan_error *error) {
    const int64_t *extent = tensor->extent;
    for (int d = 0; d < tensor->rank; d++) {
        const int i = contraction->tensor[t].dims[d];
        if (tensor->sections[d] < 1)
            return error_set(error, TCPLAN_INVALID,
                             "dimension %d of %s has %d sections; expected 1 or more", d + 1,
                             tensor_names[t], tensor->sections[d]);
        if (!index[i].extent)
            index[i] = (struct block_sections){.count = tensor->sections[d],
                                               .extent = (int64_t *)(uintptr_t)extent};
        if (index[i].count != tensor->sections[d])
            return error_set(error, TCPLAN_INVALID,
                             "dimension %d of %s has %d sections; this index has %d in another "
                             "tensor",
                             d + 1, tensor_names[t], tensor->sections[d], index[i].count);
        for (int s = 0; s < index[i].count; s++) {
            if (index[i].extent[s] != extent[s])
                return error_set(
                    error, TCPLAN_INVALID,
                    "section %d of dimension %d of %s has extent %lld; this index has %lld in "
                    "another tensor",
                    s, d + 1, tensor_names[t], (long long)extent[s], (long long)index[i].extent[s]);
        }
        extent += tensor->sections[d];
    }
    return TCPLAN_OK;
}

enum tcplan_status tcplan_block_product_make(struct tcplan_block_product **out,
                                             const struct tcplan_block_tensor *A,
                                             const struct tcplan_block_tensor *B,
                                             const struct tcplan_block_tensor *D,
                                             enum tcplan_dtype dtype, enum tcplan_order order,
                                             struct tcplan_error *error) {
    const struct tcplan_block_tensor *const tensor[TCPLAN_OPERANDS] = {A, B, D};
    struct block_sections index[TCPLAN_MAX_INDICES] = {{0}};
    struct block_list list[TCPLAN_OPERANDS];
    struct tcplan_contraction *contraction = NULL;
    if (!out || !A || !B || !D)
        return error_set(error, TCPLAN_INVALID, "expected a product, A, B and D; found NULL");
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (tensor[t]->rank < 0 || tensor[t]->rank > TCPLAN_MAX_RANK ||
            (tensor[t]->rank > 0 &&
             (!tensor[t]->label || !tensor[t]->sections || !tensor[t]->extent)))
            return error_set(
                error, TCPLAN_INVALID,
                "%s has %d dimensions, of 0 to 64, or lacks labels, sections or extents",
                tensor_names[t], tensor[t]->rank);
        /* structure_make() copies the lists */
        list[t] = (struct block_list){.count = tensor[t]->blocks,
                                      .at = (int32_t *)(uintptr_t)tensor[t]->coordinate,
                                      .stride = (int64_t *)(uintptr_t)tensor[t]->stride};
    }
    enum tcplan_status status = contraction_of(&contraction, tensor, dtype, order, error);
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++)
        status = take_sections(index, contraction, t, tensor[t], error);
    if (status != TCPLAN_OK) {
        tcplan_contraction_free(contraction);
        return status;
    }
    contraction->order = order;
    return structure_make(out, contraction, index, list, dtype, error);
}

int64_t tcplan_block_product_blocks(const struct tcplan_block_product *product,
                                    enum tcplan_operand operand) {
    return product->tensor[operand].count;
}

int tcplan_block_product_rank(const struct tcplan_block_product *product,
                              enum tcplan_operand operand) {
    return product->contraction->tensor[operand].rank;
}

const int32_t *tcplan_block_product_coordinate(const struct tcplan_block_product *product,
                                               enum tcplan_operand operand, int64_t block) {
    return structure_at(product, operand, block);
}

void tcplan_block_product_shape(const struct tcplan_block_product *product,
                                enum tcplan_operand operand, int64_t block, int64_t extent[],
                                int64_t stride[]) {
    const struct tcplan_tensor *tensor = &product->contraction->tensor[operand];
    const int64_t *own = product->tensor[operand].stride;
    const int32_t *at = structure_at(product, operand, block);
    const bool is_row_major = product->contraction->order == TCPLAN_ROW_MAJOR;
    int64_t elements = 1;
    for (int n = 0; n < tensor->rank; n++) {
        const int d = is_row_major ? tensor->rank - 1 - n : n;
        const int64_t here = product->index[tensor->dims[d]].extent[at[d]];
        if (extent) extent[d] = here;
        if (stride) stride[d] = own ? own[block * tensor->rank + d] : elements;
        elements = saturated_mul_i64(elements, here);
    }
}

int64_t tcplan_block_product_pairs(const struct tcplan_block_product *product) {
    return product->pairs->count;
}

int64_t tcplan_block_product_unreached(const struct tcplan_block_product *product) {
    return product->pairs->unreached;
}

double tcplan_block_product_flops(const struct tcplan_block_product *product) {
    return product->pairs->flops;
}

char *tcplan_block_product_text(const struct tcplan_block_product *product) {
    return tcplan_contraction_text(product->contraction);
}

/* Plans. */

struct block_factor block_factor_of(struct tcplan_scalar scalar, enum tcplan_dtype dtype) {
    struct block_factor out = {{scalar.re, scalar.im}};
    const float single[2] = {(float)scalar.re, (float)scalar.im};
    if (dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX)
        memcpy(out.number, single, sizeof single);
    return out;
}

bool block_factor_is_zero(const void *factor, enum tcplan_dtype dtype) {
    const double *number = factor;
    const float *single = factor;
    if (dtype == TCPLAN_FLOAT) return single[0] == 0;
    if (dtype == TCPLAN_FLOAT_COMPLEX) return single[0] == 0 && single[1] == 0;
    return number[0] == 0 && (dtype == TCPLAN_DOUBLE || number[1] == 0);
}

struct strided block_copy(int rank, const int64_t extent[], const int64_t to[],
                          const int64_t from[], enum tcplan_dtype dtype) {
    struct strided out = {.dtype = dtype};
    const ptrdiff_t bytes = (ptrdiff_t)tcplan_dtype_bytes(dtype);
    int order[TCPLAN_MAX_RANK], count = 0;
    for (int d = 0; d < rank; d++) {
        if (extent[d] == 1) continue;
        int place = count++;
        for (; place > 0 && llabs(from[order[place - 1]]) > llabs(from[d]); place--)
            order[place] = order[place - 1];
        order[place] = d;
    }
    int first = 0; /* number of the dimension with the smallest stride in the destination */
    for (int n = 1; n < count; n++)
        if (llabs(to[order[n]]) < llabs(to[order[first]])) first = n;
    for (int n = first; n > 0; n--) {
        const int d = order[n];
        order[n] = order[n - 1];
        order[n - 1] = d;
    }
    for (int n = 0; n < count; n++) {
        const int d = order[n], last = out.rank - 1;
        if (last >= 0 && to[d] * bytes == out.to_bytes[last] * out.extent[last] &&
            from[d] * bytes == out.from_bytes[last] * out.extent[last]) {
            out.extent[last] *= extent[d];
            continue;
        }
        out.extent[out.rank] = extent[d];
        out.to_bytes[out.rank] = (ptrdiff_t)to[d] * bytes;
        out.from_bytes[out.rank++] = (ptrdiff_t)from[d] * bytes;
    }
    if (out.rank == 0) {
        out.rank = 1;
        out.extent[0] = 1;
        out.to_bytes[0] = out.from_bytes[0] = bytes;
    }
    return out;
}

struct by_flops {
    double flops;
    int part;
};

static int more_flops(const void *a, const void *b) {
    const struct by_flops *x = a, *y = b;
    if (x->flops != y->flops) return x->flops > y->flops ? -1 : 1;
    return x->part - y->part;
}

/** Lists the parts in `by_flops`, sorted by decreasing operations. */
static enum tcplan_status sort_parts(struct tcplan_block_plan *plan, struct tcplan_error *error) {
    const struct block_pairs *pairs = plan->product->pairs;
    struct by_flops *sorted = base_alloc(((size_t)pairs->part_count + 1) * sizeof *sorted);
    plan->by_flops = base_alloc(((size_t)pairs->part_count + 1) * sizeof *plan->by_flops);
    const bool ok = sorted && plan->by_flops;
    for (int p = 0; ok && p < pairs->part_count; p++)
        sorted[p] = (struct by_flops){pairs->part[p].flops, p};
    if (ok) qsort(sorted, (size_t)pairs->part_count, sizeof *sorted, more_flops);
    for (int p = 0; ok && p < pairs->part_count; p++) plan->by_flops[p] = sorted[p].part;
    base_free(sorted);
    return ok ? TCPLAN_OK : error_no_memory(error);
}

/** Allocates the lists that have one element for each part, class or thread. */
static enum tcplan_status make_lists(struct tcplan_block_plan *plan, struct tcplan_error *error) {
    const struct block_pairs *pairs = plan->product->pairs;
    const size_t parts = (size_t)pairs->part_count + 1, classes = (size_t)pairs->class_count + 1;
    int64_t most = 0; /* maximum number of pairs that one block has */
    for (int64_t c = 0; c < plan->product->tensor[TCPLAN_C].count; c++)
        if (pairs->first[c + 1] - pairs->first[c] > most)
            most = pairs->first[c + 1] - pairs->first[c];
    plan->classes = base_alloc_zero(classes, sizeof(void *));
    plan->code = base_alloc_zero(classes, sizeof *plan->code);
    plan->fused = base_alloc_zero(parts, sizeof *plan->fused);
    plan->part_seconds = base_alloc_zero(parts, sizeof *plan->part_seconds);
    plan->thread = base_alloc_zero((size_t)plan->threads, sizeof *plan->thread);
    bool ok = plan->classes && plan->code && plan->fused && plan->part_seconds && plan->thread;
    for (int t = 0; t < plan->threads && ok; t++) {
        struct pair_thread *thread = &plan->thread[t];
        thread->instance = base_alloc_zero(2 * classes, sizeof(void *));
        thread->first = base_alloc_zero((size_t)most + 1, sizeof(void *));
        thread->second = base_alloc_zero((size_t)most + 1, sizeof(void *));
        ok = thread->instance && thread->first && thread->second;
    }
    return ok ? TCPLAN_OK : error_no_memory(error);
}

/** Arguments for making a plan. */
struct wanted {
    struct tcplan_planner *planner;
    const struct tcplan_block_product *product;
    const char *way;  /* name of the requested way; NULL: the fastest way is chosen */
    const char *text; /* text of a stored decision; NULL: look it up in the planner's stored plans
                       */
    const struct tcplan_block_plan *outer; /* plan whose way `packed` needs this plan as its inner
                                              plan; NULL: none */
    bool draft;                            /* whether only an estimate is made */
    bool measures; /* whether to measure the listed ways, or all ways if none is listed */
    const char *const *measured;
    int count;
};

/** Chooses the way of computing the product or, if requested, measures several ways. */
static enum tcplan_status decide_or_measure(struct tcplan_block_plan *plan,
                                            const struct wanted *wanted,
                                            struct tcplan_error *error) {
    unsigned ways = 0;
    enum tcplan_status status = decide(plan, wanted->way, wanted->measures, error);
    if (status == TCPLAN_OK && wanted->measures)
        status = decide_ways(&ways, plan, wanted->measured, wanted->count, error);
    return status == TCPLAN_OK && ways != 0 ? block_measure(plan, ways, error) : status;
}

/** Makes a plan. With `recalls`, uses the stored decision; returns TCPLAN_NOT_APPLICABLE if there
 * is none. */
static enum tcplan_status make_plan(struct tcplan_block_plan **out, const struct wanted *wanted,
                                    bool recalls, struct tcplan_error *error) {
    const double start = monotonic_seconds();
    const struct tcplan_machine *machine = NULL;
    struct tcplan_block_plan *plan = base_alloc_zero(1, sizeof *plan);
    if (!plan) return error_no_memory(error);
    plan->product = structure_share(wanted->product);
    planning_begin(&plan->planning, wanted->planner);
    if (wanted->outer) plan->planning.deadline = wanted->outer->planning.deadline;
    if (wanted->draft) plan->planning.settings.options.effort = TCPLAN_EFFORT_ESTIMATE;
    plan->is_of_copies = wanted->outer != NULL;
    plan->start_seconds = wanted->outer ? wanted->outer->start_seconds : start;
    plan->is_draft = wanted->draft;
    const bool has_plans =
        plan->planning.settings.has_plans && !wanted->way && !wanted->measures && !wanted->outer;
    plan->planning.settings.improving = 0;
    plan->threads = plan->planning.settings.options.threads;
    plan->effort = plan->planning.settings.options.effort;
    plan->is_stored = recalls;
    enum tcplan_status status = recalls && !has_plans && !wanted->text
                                    ? TCPLAN_NOT_APPLICABLE
                                    : knowledge_machine(&machine, error);
    if (status == TCPLAN_OK && !plan->planning.settings.options.oversubscribe)
        status = tcplan_check_threads(plan->threads, error);
    if (status == TCPLAN_OK) {
        plan->costs = tcplan_costs_of(machine);
        plan->dense =
            (struct dense_plans){.planning = &plan->planning, .heuristics = &machine->heuristics};
        status = make_lists(plan, error);
        if (status == TCPLAN_OK) status = sort_parts(plan, error);
    }
    if (status == TCPLAN_OK && recalls)
        status = wanted->text ? block_stored_read(plan, wanted->text, error)
                              : block_stored_recall(plan, error);
    /* dense products are not stored as plans of their own */
    plan->planning.settings.has_plans = false;
    if (status == TCPLAN_OK && !recalls) status = decide_or_measure(plan, wanted, error);
    if (status == TCPLAN_OK) status = planning_check(&plan->planning, error);
    plan->planning_seconds = monotonic_seconds() - start;
    plan->planning.settings.has_plans = has_plans;
    if (status == TCPLAN_OK && !recalls && has_plans && !deadline_is_over(plan->planning.deadline))
        block_stored_keep(plan);
    dense_plans_free(&plan->dense);
    if (status == TCPLAN_OK) {
        plan->candidate[plan->chosen].figures.chosen = true;
        *out = plan;
    } else {
        tcplan_block_plan_free(plan);
    }
    return status;
}

/** Makes a plan from a stored decision, or a new one if none is stored. */
static enum tcplan_status recall_or_make(struct tcplan_block_plan **out,
                                         const struct wanted *wanted, struct tcplan_error *error) {
    if (!out || !wanted->product)
        return error_set(error, TCPLAN_INVALID, "expected a plan and a product; found NULL");
    const enum tcplan_status status = make_plan(out, wanted, true, error);
    return status == TCPLAN_NOT_APPLICABLE || status == TCPLAN_INVALID
               ? make_plan(out, wanted, false, error)
               : status;
}

enum tcplan_status block_plan_of_text(struct tcplan_block_plan **out,
                                      const struct tcplan_block_product *product, const char *text,
                                      struct tcplan_error *error) {
    const struct wanted wanted = {.product = product, .text = text};
    return make_plan(out, &wanted, true, error);
}

enum tcplan_status block_plan_of_copies(struct tcplan_block_plan **out,
                                        const struct tcplan_block_plan *outer,
                                        const struct tcplan_block_product *product,
                                        const char *text, bool draft, struct tcplan_error *error) {
    const struct wanted wanted = {.planner = outer->planning.planner,
                                  .product = product,
                                  .text = text,
                                  .outer = outer,
                                  .draft = draft};
    return make_plan(out, &wanted, text != NULL, error);
}

enum tcplan_status tcplan_block_plan_new(struct tcplan_block_plan **out,
                                         struct tcplan_planner *planner,
                                         const struct tcplan_block_product *product,
                                         struct tcplan_error *error) {
    const struct wanted wanted = {.planner = planner, .product = product};
    return recall_or_make(out, &wanted, error);
}

enum tcplan_status tcplan_block_plan_named(struct tcplan_block_plan **out,
                                           struct tcplan_planner *planner,
                                           const struct tcplan_block_product *product,
                                           const char *way, struct tcplan_error *error) {
    if (!way) return error_set(error, TCPLAN_INVALID, "expected the name of a way; found NULL");
    const struct wanted wanted = {.planner = planner, .product = product, .way = way};
    return recall_or_make(out, &wanted, error);
}

enum tcplan_status tcplan_block_plan_measure(struct tcplan_block_plan **out,
                                             struct tcplan_planner *planner,
                                             const struct tcplan_block_product *product,
                                             const char *const way[], int count,
                                             struct tcplan_error *error) {
    const struct wanted wanted = {
        .planner = planner, .product = product, .measures = true, .measured = way, .count = count};
    return recall_or_make(out, &wanted, error);
}

/* Executions. */

void block_scale(const struct block_run *run, int64_t block) {
    const struct tcplan_block_product *product = run->plan->product;
    const int rank = product->contraction->tensor[TCPLAN_C].rank;
    int64_t extent[TCPLAN_MAX_RANK], stride[TCPLAN_MAX_RANK];
    tcplan_block_product_shape(product, TCPLAN_C, block, extent, stride);
    struct strided scaled = block_copy(rank, extent, stride, stride, product->dtype);
    scaled.scales = true;
    scaled.zero = block_factor_is_zero(run->beta, product->dtype);
    memset(scaled.from_bytes, 0, sizeof scaled.from_bytes);
    memcpy(&scaled.factor, run->beta, tcplan_dtype_bytes(product->dtype));
    strided_run_scale(&scaled, run->D[block]);
}

/** Multiplies by beta the blocks of the result to which no pair contributes. */
static void scale_unreached(const struct block_run *run) {
    const struct tcplan_block_product *product = run->plan->product;
    const struct block_factor one = block_factor_of((struct tcplan_scalar){1, 0}, product->dtype);
    if (product->pairs->unreached == 0 ||
        memcmp(run->beta, one.number, tcplan_dtype_bytes(product->dtype)) == 0)
        return;
    for (int64_t c = 0; c < product->tensor[TCPLAN_C].count; c++)
        if (product->pairs->first[c + 1] == product->pairs->first[c]) block_scale(run, c);
}

/** Enlarges the plan's workspace if necessary. */
static enum tcplan_status provide(struct tcplan_block_plan *plan, int64_t bytes,
                                  struct tcplan_error *error) {
    if (bytes <= plan->workspace_bytes) return TCPLAN_OK;
    base_free(plan->workspace);
    plan->workspace_bytes = 0;
    plan->workspace = base_large_alloc(64, (size_t)bytes);
    if (!plan->workspace) return error_no_memory(error);
    plan->workspace_bytes = bytes;
    return TCPLAN_OK;
}

enum tcplan_status block_run_part(const struct block_run *run, int part, enum part_way way,
                                  struct tcplan_error *error) {
    struct tcplan_block_plan *plan = run->plan;
    const struct block_pairs *pairs = plan->product->pairs;
    if (way == PART_FUSED) {
        const int64_t bytes = plan->fused[part].workspace_elements *
                              (int64_t)tcplan_dtype_bytes(plan->product->dtype);
        const enum tcplan_status status = provide(plan, bytes, error);
        return status == TCPLAN_OK ? fused_run(run, &plan->fused[part], plan->workspace, error)
                                   : status;
    }
    for (int64_t n = pairs->part[part].first; n < pairs->part[part].first + pairs->part[part].count;
         n++)
        pairwise_run(run, 0, pairs->order[n], way == PART_SUMS);
    return TCPLAN_OK;
}

/** Computes the parts of a candidate one after the other. */
static enum tcplan_status run_parts(const struct block_run *run,
                                    const struct block_candidate *candidate,
                                    struct tcplan_error *error) {
    struct tcplan_block_plan *plan = run->plan;
    const int parts = plan->product->pairs->part_count;
    enum tcplan_status status = TCPLAN_OK;
    if (candidate == &plan->candidate[WAY_DENSE])
        return fused_run(run, &plan->fused[parts], plan->workspace, error);
    if (candidate == &plan->candidate[WAY_PACKED]) return packed_run(run, plan->workspace, error);
    if (plan->threads > 1 && !candidate->is_alone) return block_schedule_run(run, candidate, error);
    for (int p = 0; p < parts && status == TCPLAN_OK; p++)
        status = block_run_part(run, p, (enum part_way)candidate->way[p], error);
    return status;
}

enum tcplan_status block_plan_run(const struct block_run *run,
                                  const struct block_candidate *candidate,
                                  struct tcplan_error *error) {
    enum tcplan_status status = provide(run->plan, candidate->figures.workspace_bytes, error);
    if (status == TCPLAN_OK && candidate->has_pairs) status = pairwise_bind(run, candidate, error);
    if (status != TCPLAN_OK) return status;
    const uint64_t blas = provider_borrow_threads(TCPLAN_PROVIDER_BLAS, 1),
                   blis = provider_borrow_threads(TCPLAN_PROVIDER_BLIS, 1);
    scale_unreached(run);
    status = run_parts(run, candidate, error);
    provider_return_threads(TCPLAN_PROVIDER_BLIS, blis);
    provider_return_threads(TCPLAN_PROVIDER_BLAS, blas);
    return status;
}

enum tcplan_status tcplan_block_plan_run(struct tcplan_block_plan *plan, const void *alpha,
                                         const void *beta, const void *const A[],
                                         const void *const B[], void *const D[],
                                         struct tcplan_error *error) {
    const struct tcplan_contraction *contraction = plan->product->contraction;
    const struct block_factor own[2] = {block_factor_of(contraction->alpha, plan->product->dtype),
                                        block_factor_of(contraction->beta, plan->product->dtype)};
    const void *const *const given[TCPLAN_OPERANDS] = {A, B, (const void *const *)D};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!given[t] && plan->product->tensor[t].count > 0)
            return error_set(error, TCPLAN_INVALID, "expected the blocks of %s; found NULL",
                             tensor_names[t]);
        for (int64_t b = 0; b < plan->product->tensor[t].count; b++) {
            if (!given[t][b])
                return error_set(
                    error, TCPLAN_INVALID, "block %s is NULL",
                    structure_name(plan->product, (enum tcplan_operand)t,
                                   structure_at(plan->product, (enum tcplan_operand)t, b))
                        .text);
        }
    }
    const struct block_run run = {.plan = plan,
                                  .alpha = alpha ? alpha : own[0].number,
                                  .beta = beta ? beta : own[1].number,
                                  .A = A,
                                  .B = B,
                                  .D = D};
    return block_plan_run(&run, &plan->candidate[plan->chosen], error);
}

enum tcplan_status tcplan_block_plan_execute(struct tcplan_block_plan *plan, const void *const A[],
                                             const void *const B[], void *const D[],
                                             struct tcplan_error *error) {
    return tcplan_block_plan_run(plan, NULL, NULL, A, B, D, error);
}

/* The following functions return candidates in the form of the public interface. */

int tcplan_block_plan_candidates(const struct tcplan_block_plan *plan) {
    (void)plan;
    return BLOCK_CANDIDATES;
}

/** Returns a key by which candidates are sorted: the chosen candidate first, then other usable ones
 * by time, then unusable ones. */
static double sort_key(const struct tcplan_block_candidate *figures) {
    if (figures->chosen) return -1;
    if (figures->why_not) return 1e300;
    return figures->seconds > 0 ? figures->seconds : figures->predicted_seconds;
}

bool tcplan_block_plan_candidate(const struct tcplan_block_plan *plan, int number,
                                 struct tcplan_block_candidate *out) {
    for (int w = 0; w < BLOCK_CANDIDATES; w++) {
        const double mine = sort_key(&plan->candidate[w].figures);
        int before = 0;
        for (int v = 0; v < BLOCK_CANDIDATES; v++) {
            const double other = sort_key(&plan->candidate[v].figures);
            before += other < mine || (other == mine && v < w);
        }
        if (before != number) continue;
        *out = plan->candidate[w].figures;
        return true;
    }
    return false;
}

bool tcplan_block_plan_sector(const struct tcplan_block_plan *plan, int number,
                              struct tcplan_block_sector *out) {
    const struct block_pairs *pairs = plan->product->pairs;
    const struct block_candidate *chosen = &plan->candidate[plan->chosen];
    if (number < 0 || number >= pairs->part_count) return false;
    const int p = plan->by_flops[number];
    const enum part_way way = (enum part_way)chosen->way[p];
    *out = (struct tcplan_block_sector){
        .blocks = pairs->part[p].count,
        .pairs = pairs->part[p].pairs,
        .flops = pairs->part[p].flops,
        .fused_flops = plan->fused[p].flops,
        .seconds = plan->chosen < WAY_DENSE ? plan->part_seconds[p][way] : 0,
        .way = decide_way_of(plan, p)};
    return true;
}

const char *tcplan_block_plan_way(const struct tcplan_block_plan *plan) {
    return plan->candidate[plan->chosen].figures.way;
}

double tcplan_block_plan_seconds(const struct tcplan_block_plan *plan) {
    const struct tcplan_block_candidate *figures = &plan->candidate[plan->chosen].figures;
    return figures->seconds > 0 ? figures->seconds : figures->predicted_seconds;
}

bool tcplan_block_plan_is_stored(const struct tcplan_block_plan *plan) {
    return plan->is_stored;
}

double tcplan_block_plan_planning_seconds(const struct tcplan_block_plan *plan) {
    return plan->planning_seconds;
}

char *tcplan_block_plan_describe(const struct tcplan_block_plan *plan) {
    const struct tcplan_block_product *product = plan->product;
    const struct block_pairs *pairs = product->pairs;
    struct strbuf out = {0};
    char *text = tcplan_contraction_text(product->contraction);
    if (!text) return NULL;
    strbuf_add(&out, "product:     %s\n", text);
    base_free(text);
    strbuf_add(&out, "blocks:      %lld of A, %lld of B, %lld of the result\n",
               (long long)product->tensor[TCPLAN_A].count,
               (long long)product->tensor[TCPLAN_B].count,
               (long long)product->tensor[TCPLAN_C].count);
    strbuf_add(&out, "pairs:       %lld of %d shapes, in %d sectors\n", (long long)pairs->count,
               pairs->class_count, pairs->part_count);
    if (pairs->unreached > 0)
        strbuf_add(&out,
                   "note:        no pair of blocks contributes to %lld blocks of the "
                   "result\n",
                   (long long)pairs->unreached);
    struct tcplan_block_candidate figures;
    for (int n = 0; tcplan_block_plan_candidate(plan, n, &figures); n++) {
        strbuf_add(&out, "%-12s ", figures.way);
        if (figures.why_not)
            strbuf_add(&out, "not considered: %s\n", figures.why_not);
        else
            strbuf_add(&out, "predicted %s", quantity_seconds(figures.predicted_seconds).text);
        if (!figures.why_not && figures.seconds > 0)
            strbuf_add(&out, ", executed in %s", quantity_seconds(figures.seconds).text);
        if (!figures.why_not) strbuf_add(&out, "%s\n", figures.chosen ? "  <- chosen" : "");
    }
    return strbuf_finish(&out);
}

void tcplan_block_plan_free(struct tcplan_block_plan *plan) {
    if (!plan) return;
    pairwise_free(plan);
    for (int p = 0; plan->fused && p <= plan->product->pairs->part_count; p++)
        fused_free(&plan->fused[p]);
    packed_free(&plan->packed);
    dense_plans_free(&plan->dense);
    for (int w = 0; w < BLOCK_CANDIDATES; w++) {
        block_schedule_free(&plan->candidate[w].schedule);
        base_free(plan->candidate[w].way);
    }
    base_free(plan->fused);
    base_free(plan->part_seconds);
    base_free(plan->by_flops);
    base_free(plan->workspace);
    tcplan_block_product_free(plan->product);
    base_free(plan);
}
