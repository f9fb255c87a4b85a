/*
 * The decision between ways: each part is predicted pair by pair and as one product, candidates are
 * the sums, and executions of those that may be the fastest are compared (plan/decision/select.h).
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "blocks/block_plan.h"
#include "microbench/timing/clock.h"
#include "plan/decision/select.h"
#include "plan/effort.h"

/* Buffers of more bytes are not allocated for a comparison. */
#define MOST_BYTES 2e9

/* A candidate predicted to be slower by more than this factor is not executed. */
#define WORTH_TIMING 3.0

/* Standard deviation of the logarithm of a prediction's error. */
#define SPREAD 0.5

enum { FEWEST_ROUNDS = 2, MOST_ROUNDS = 6 };

static const struct {
    const char *way, *says;
} ways[BLOCK_CANDIDATES] = {
    {"blocks", "one product for each pair of blocks"},
    {"fused", "the blocks of each sector packed into one product"},
    {"mixed", "each sector in the faster of both ways"},
    {"dense", "all blocks packed into one product, with zeros between them"},
};
enum { WAY_BLOCKS, WAY_FUSED, WAY_MIXED, WAY_DENSE };

/* Predicting. */

static bool sums_first(const struct tcplan_contraction *contraction) {
    return tcplan_contraction_indices(contraction, TCPLAN_SUMMED_A) != 0 ||
           tcplan_contraction_indices(contraction, TCPLAN_SUMMED_B) != 0;
}

static enum tcplan_status predict_blocks(struct tcplan_block_plan *plan,
                                         struct tcplan_error *error) {
    const struct block_pairs *pairs = plan->product->pairs;
    enum tcplan_status status = TCPLAN_OK;
    for (int c = 0; c < pairs->class_count && status == TCPLAN_OK; c++)
        status = pairwise_prepare(plan, c, error);
    for (int p = 0; p < pairs->part_count && status == TCPLAN_OK; p++) {
        const struct block_part *part = &pairs->part[p];
        for (int64_t n = part->first; n < part->first + part->count; n++) {
            const int32_t c = pairs->order[n];
            for (int64_t q = pairs->first[c]; q < pairs->first[c + 1]; q++)
                plan->part_seconds[p] += plan->class_seconds[pairs->pair[q].class];
        }
    }
    return status;
}

/** Whether the plan's bound on its workspace excludes so many bytes. */
static bool exceeds(const struct tcplan_block_plan *plan, double bytes) {
    const int64_t most = plan->planning.settings.options.max_workspace_bytes;
    return most > 0 && bytes > (double)most;
}

/** Fills in the figures of a candidate from those of its parts. */
static void sum_up(struct tcplan_block_plan *plan, struct block_candidate *candidate) {
    const struct block_pairs *pairs = plan->product->pairs;
    const int64_t element = (int64_t)tcplan_dtype_bytes(plan->product->dtype);
    struct tcplan_block_candidate *figures = &candidate->figures;
    for (int p = 0; p < pairs->part_count; p++) {
        const struct fused_part *fused = &plan->fused[p];
        if (!candidate->is_fused[p]) {
            figures->predicted_seconds += plan->part_seconds[p];
            figures->flops += pairs->part[p].flops;
            figures->calls += pairs->part[p].pairs;
            continue;
        }
        figures->predicted_seconds += fused->seconds;
        figures->packing_seconds += fused->packing_seconds;
        figures->flops += fused->flops;
        figures->calls++;
        if (fused->workspace_elements * element > figures->workspace_bytes)
            figures->workspace_bytes = fused->workspace_elements * element;
    }
}

/** Makes the candidates; one that equals an earlier one is not considered. */
static enum tcplan_status make_candidates(struct tcplan_block_plan *plan, bool fuses,
                                          struct tcplan_error *error) {
    const int parts = plan->product->pairs->part_count;
    for (int w = 0; w < BLOCK_CANDIDATES; w++) {
        struct block_candidate *candidate = &plan->candidate[w];
        candidate->figures =
            (struct tcplan_block_candidate){.way = ways[w].way, .says = ways[w].says};
        if (w != WAY_BLOCKS && !fuses) {
            candidate->figures.why_not = "an index of A or B alone is summed over";
            continue;
        }
        if (w == WAY_DENSE) {
            candidate->figures.why_not = parts > 1 ? "sectors share nothing: fused has fewer zeros"
                                                   : "one sector: the same as fused";
            continue;
        }
        candidate->is_fused = base_alloc_zero((size_t)parts + 1, sizeof(bool));
        if (!candidate->is_fused) return error_no_memory(error);
        for (int p = 0; p < parts; p++) {
            const bool faster = plan->fused[p].seconds < plan->part_seconds[p];
            candidate->is_fused[p] = w == WAY_FUSED || (w == WAY_MIXED && faster);
        }
        sum_up(plan, candidate);
    }
    return TCPLAN_OK;
}

/** Withdraws candidates that are equal to others or exceed the bound on the workspace. */
static void withdraw(struct tcplan_block_plan *plan) {
    const int parts = plan->product->pairs->part_count;
    for (int w = 0; w < BLOCK_CANDIDATES; w++) {
        struct block_candidate *candidate = &plan->candidate[w];
        if (!candidate->is_fused) continue;
        if (exceeds(plan, (double)candidate->figures.workspace_bytes))
            candidate->figures.why_not = "its workspace exceeds the limit";
        for (int v = 0; v < w && w == WAY_MIXED; v++) {
            if (plan->candidate[v].is_fused && parts > 0 &&
                memcmp(candidate->is_fused, plan->candidate[v].is_fused, (size_t)parts) == 0)
                candidate->figures.why_not = "every sector is faster in the same way";
        }
    }
}

/* Comparing. */

/** Blocks in memory of the comparison. */
struct trial_blocks {
    char *memory;
    void **block;
};

struct comparing {
    struct tcplan_block_plan *plan;
    struct trial_blocks tensor[TCPLAN_OPERANDS];
    int candidate[BLOCK_CANDIDATES]; /* of each arm */
    struct block_factor alpha, beta;
};

/** Returns the elements that a block spans; *first: those before its element of indices 0. */
static int64_t span_of(const struct tcplan_block_product *product, enum tcplan_operand t,
                       int64_t block, int64_t *first) {
    const int rank = product->contraction->tensor[t].rank;
    int64_t extent[TCPLAN_MAX_RANK], stride[TCPLAN_MAX_RANK], span = 1;
    tcplan_block_product_shape(product, t, block, extent, stride);
    *first = 0;
    for (int d = 0; d < rank; d++) {
        span += (extent[d] - 1) * (stride[d] < 0 ? -stride[d] : stride[d]);
        *first += stride[d] < 0 ? (extent[d] - 1) * -stride[d] : 0;
    }
    return span;
}

static double bytes_of(const struct tcplan_block_product *product) {
    double elements = 0;
    int64_t first;
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        for (int64_t b = 0; b < product->tensor[t].count; b++)
            elements += (double)span_of(product, (enum tcplan_operand)t, b, &first);
    return elements * (double)tcplan_dtype_bytes(product->dtype);
}

static void fill(void *memory, size_t numbers, enum tcplan_dtype dtype) {
    struct random random = {1};
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    for (size_t n = 0; n < numbers; n++) {
        const double value = random_unit(&random) - 0.5;
        if (is_single)
            ((float *)memory)[n] = (float)value;
        else
            ((double *)memory)[n] = value;
    }
}

static bool make_blocks(struct trial_blocks *out, const struct tcplan_block_product *product,
                        enum tcplan_operand t) {
    const size_t element = tcplan_dtype_bytes(product->dtype);
    const size_t number = product->dtype == TCPLAN_FLOAT || product->dtype == TCPLAN_FLOAT_COMPLEX
                              ? sizeof(float)
                              : sizeof(double);
    size_t elements = 0;
    int64_t first;
    for (int64_t b = 0; b < product->tensor[t].count; b++)
        elements += (size_t)span_of(product, t, b, &first);
    out->memory = base_large_alloc(64, (elements + 1) * element);
    out->block = base_alloc(((size_t)product->tensor[t].count + 1) * sizeof *out->block);
    if (!out->memory || !out->block) return false;
    fill(out->memory, elements * element / number, product->dtype);
    elements = 0;
    for (int64_t b = 0; b < product->tensor[t].count; b++) {
        const size_t span = (size_t)span_of(product, t, b, &first);
        out->block[b] = out->memory + (elements + (size_t)first) * element;
        elements += span;
    }
    return true;
}

static enum tcplan_status execute(struct comparing *comparing, size_t arm,
                                  struct tcplan_error *error) {
    const struct block_run run = {.plan = comparing->plan,
                                  .alpha = comparing->alpha.number,
                                  .beta = comparing->beta.number,
                                  .A = (const void *const *)comparing->tensor[TCPLAN_A].block,
                                  .B = (const void *const *)comparing->tensor[TCPLAN_B].block,
                                  .D = comparing->tensor[TCPLAN_C].block};
    return block_plan_run(&run, &comparing->plan->candidate[comparing->candidate[arm]], error);
}

static enum tcplan_status sample(void *context, size_t arm, struct drift_sample *out,
                                 struct tcplan_error *error) {
    struct comparing *comparing = context;
    const struct clock_start start = clock_start();
    const enum tcplan_status status = execute(comparing, arm, error);
    const struct timing timing =
        clock_stop(&start, comparing->plan->planning.settings.options.threads == 1);
    *out = (struct drift_sample){.seconds = timing.ns * 1e-9, .disturbed = timing.disturbed};
    return status;
}

static double cost(void *context, size_t arm) {
    const struct comparing *comparing = context;
    return comparing->plan->candidate[comparing->candidate[arm]].figures.predicted_seconds;
}

static double left(void *context) {
    return deadline_left_seconds(((struct comparing *)context)->plan->planning.deadline);
}

/** Fewer calls and less memory are simpler: the order of the table. */
static int prefer(void *context, size_t a, size_t b) {
    const struct comparing *comparing = context;
    return comparing->candidate[a] - comparing->candidate[b];
}

/** Compares the candidates; each is executed once to warm up. */
static enum tcplan_status run_comparison(struct comparing *comparing, size_t arms, double fastest,
                                         struct tcplan_error *error) {
    struct tcplan_block_plan *plan = comparing->plan;
    const struct effort *effort = effort_of(plan->planning.settings.options.effort);
    const struct select_rules rules = {
        .least_rounds = FEWEST_ROUNDS,
        .most_rounds = MOST_ROUNDS,
        .final_rounds = FEWEST_ROUNDS,
        .baseline_factor = 1,
        .margin = 0.02,
        .price = effort_price(effort, fastest),
        .elasticity = 1,
        .expected = {.share = 0.05, .freedom = 3, .disturbed_factor = 1.5}};
    const struct select_means means = {
        .context = comparing, .sample = sample, .cost = cost, .left = left, .prefer = prefer};
    struct select *select = base_alloc_zero(1, sizeof *select);
    struct select_arm *arm = base_alloc_zero(arms, sizeof *arm);
    enum tcplan_status status = select && arm ? TCPLAN_OK : error_no_memory(error);
    for (size_t a = 0; a < arms && status == TCPLAN_OK; a++) {
        arm[a].seconds = cost(comparing, a);
        arm[a].spread = SPREAD;
        status = execute(comparing, a, error);
    }
    if (status == TCPLAN_OK) status = select_run(select, &rules, arm, arms, &means, error);
    for (size_t a = 0; a < arms && status == TCPLAN_OK; a++) {
        double seconds[SELECT_MAX_ROUNDS];
        int count = 0;
        for (int r = 0; r < select->all_rounds; r++) {
            if (arm[a].sample[r].seconds > 0) seconds[count++] = arm[a].sample[r].seconds;
        }
        if (count > 0)
            plan->candidate[comparing->candidate[a]].figures.seconds =
                statistics_median(seconds, count);
    }
    if (status == TCPLAN_OK) plan->chosen = comparing->candidate[select->pick];
    base_free(select);
    base_free(arm);
    return status;
}

/** Compares executions of the candidates that may be the fastest, if memory allows. */
static enum tcplan_status compare(struct tcplan_block_plan *plan, struct tcplan_error *error) {
    const struct tcplan_scalar one = {1, 0};
    const double fastest = plan->candidate[plan->chosen].figures.predicted_seconds;
    struct comparing comparing = {
        .plan = plan,
        .alpha = block_factor_of(one, plan->product->dtype),
        .beta = block_factor_of(plan->product->contraction->beta, plan->product->dtype)};
    size_t arms = 0;
    bool ok = true;
    enum tcplan_status status = TCPLAN_OK;
    for (int w = 0; w < BLOCK_CANDIDATES; w++) {
        const struct block_candidate *candidate = &plan->candidate[w];
        if (!candidate->figures.why_not && candidate->is_fused &&
            candidate->figures.predicted_seconds <= WORTH_TIMING * fastest)
            comparing.candidate[arms++] = w;
    }
    if (arms < 2 || bytes_of(plan->product) > MOST_BYTES) return TCPLAN_OK;
    for (int t = 0; t < TCPLAN_OPERANDS && ok; t++)
        ok = make_blocks(&comparing.tensor[t], plan->product, (enum tcplan_operand)t);
    if (ok) status = run_comparison(&comparing, arms, fastest, error); /* else: the predictions */
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        base_free(comparing.tensor[t].memory);
        base_free(comparing.tensor[t].block);
    }
    return status;
}

/* Choosing. */

static int fastest_predicted(const struct tcplan_block_plan *plan) {
    int best = -1;
    for (int w = 0; w < BLOCK_CANDIDATES; w++) {
        const struct block_candidate *candidate = &plan->candidate[w];
        if (candidate->figures.why_not || !candidate->is_fused) continue;
        if (best < 0 ||
            candidate->figures.predicted_seconds < plan->candidate[best].figures.predicted_seconds)
            best = w;
    }
    return best;
}

static enum tcplan_status choose_named(struct tcplan_block_plan *plan, const char *way,
                                       struct tcplan_error *error) {
    for (int w = 0; w < BLOCK_CANDIDATES; w++) {
        const struct block_candidate *candidate = &plan->candidate[w];
        if (strcmp(way, ways[w].way) != 0) continue;
        if (!candidate->is_fused)
            return error_set(error, TCPLAN_NOT_APPLICABLE, "'%s' cannot be used here: %s", way,
                             candidate->figures.why_not);
        plan->chosen = w;
        return TCPLAN_OK;
    }
    return error_set(error, TCPLAN_INVALID,
                     "no way is named '%.40s'; expected blocks, fused or mixed", way);
}

enum tcplan_status decide(struct tcplan_block_plan *plan, const char *way,
                          struct tcplan_error *error) {
    const struct block_pairs *pairs = plan->product->pairs;
    const bool fuses = !sums_first(plan->product->contraction);
    const bool is_estimate = plan->planning.settings.options.effort == TCPLAN_EFFORT_ESTIMATE;
    plan->planning.settings.options.effort = TCPLAN_EFFORT_ESTIMATE; /* of the dense products */
    enum tcplan_status status = predict_blocks(plan, error);
    for (int p = 0; p < pairs->part_count && fuses && status == TCPLAN_OK; p++)
        status = fused_prepare(plan, p, error);
    if (status == TCPLAN_OK) status = make_candidates(plan, fuses, error);
    if (status != TCPLAN_OK) return status;
    withdraw(plan);
    if (!is_estimate) plan->planning.settings.options.effort = TCPLAN_EFFORT_NORMAL;
    if (way) return choose_named(plan, way, error);
    plan->chosen = fastest_predicted(plan);
    if (plan->chosen < 0) plan->chosen = WAY_BLOCKS;
    return is_estimate || pairs->count == 0 ? TCPLAN_OK : compare(plan, error);
}
