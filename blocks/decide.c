/*
 * Chooses between the ways to compute a product. Predicts the time of each part for three ways:
 * pair by pair, in sums, and as one product. From effort `quick` on, each part is then executed in
 * each way (blocks/trial.c). The time of a candidate is the sum over its parts. From effort
 * `normal` on, whole executions of the candidates that may be the fastest are compared
 * (plan/decision/select.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/quantity.h"
#include "blocks/block_plan.h"
#include "microbench/timing/clock.h"
#include "plan/decision/select.h"
#include "plan/effort.h"

/* All blocks are computed as one product only if this takes at most this many times the operations
 * of the pairs. */
#define MOST_ZEROS 4.0

/* A way is executed only if its predicted time is at most this many times the shortest one. */
#define WORTH_TRYING 4.0

/* A candidate whose time is not rough (is_rough()) is compared only if its time is at most this
 * many times the shortest time that is not rough. */
#define WORTH_COMPARING 1.25

/* The way `mixed` is a candidate only if it is faster than every other way by more than this
 * share. */
#define WORTH_MIXING 0.03

/* If there are more than MOST_CACHED_CLASSES classes, their code does not stay in the first cache:
 * each class then adds this many seconds to an execution. */
#define MOST_CACHED_CLASSES 64
#define FETCHING_SECONDS 150e-9

/* Standard deviations of the logarithm of an estimated time. SPREAD applies to a sum of measured
 * parts, the second constant to a rough time (is_rough()). */
#define SPREAD 0.1
#define SPREAD_OF_PREDICTION 0.5

/* Assumed seconds to plan a dense product, which limit how many dense products are searched.
 * Assumed times instead of a clock make estimates reproducible. */
#define ASSUMED_PLANNING_SECONDS 4e-3

/* Planning with effort `normal` times something only as long as it has taken at most this many
 * executions of the fastest way. Timing parts, and then comparing ways, may each take at least
 * LEAST_TIMING_RUNS executions and LEAST_TIMING_SECONDS. */
#define MOST_PLANNING_RUNS 16.0
#define LEAST_TIMING_RUNS 8.0
#define LEAST_TIMING_SECONDS 1e-3

/* Assumed seconds to make the plan and the code of a class. If this takes longer than
 * MOST_PREPARING_RUNS executions and MOST_PREPARING_SECONDS for all classes of a way, the way is
 * tried only if its time looks less than WORTH_PREPARING times that of the others. */
#define ASSUMED_CLASS_SECONDS 75e-6
#define MOST_PREPARING_RUNS 8.0
#define MOST_PREPARING_SECONDS 8e-3
#define WORTH_PREPARING 0.7

/* The way `packed` is planned in full if its estimate is at most this many times the shortest time
 * of the other ways; WORTH_PREPARING times, if it needs too many classes. */
#define WORTH_COPYING 2.0

/* Executions that take at least this long need no warm-up. Fused parts need a longer time, because
 * their first execution allocates memory. */
#define LONG_SECONDS 100e-6
#define LONG_SECONDS_OF_FUSED 5e-3

/* Sums of parts that are shorter than this are rough (is_rough()). */
#define ROUGH_SECONDS 1e-3

/* Minimum seconds of a sample in a comparison, unless this takes too many executions. */
#define LEAST_SAMPLE_SECONDS 0.2e-3

enum { MOST_EXECUTIONS = 8 };

enum { FEWEST_ROUNDS = 2, MOST_ROUNDS = 6, MOST_CHOICES = 64 };

/** The amount of work at each effort. */
static const struct block_effort {
    int least_choices;    /* minimum number of dense products that are searched */
    double planning_runs; /* limit of the time for searching further dense products, in executions
                           */
    double probing_runs;  /* limit of the time for probing classes, in executions */
    int part_runs;        /* number of timed executions of each part in each way */
    bool compares;        /* whether executions of whole candidates are compared */
    bool times_dense;     /* whether dense products are planned by timing; otherwise by estimates */
} efforts[] = {[TCPLAN_EFFORT_ESTIMATE] = {.least_choices = 6, .planning_runs = 4},
               [TCPLAN_EFFORT_QUICK] = {.planning_runs = 1, .part_runs = 1},
               [TCPLAN_EFFORT_NORMAL] = {.planning_runs = 0.5,
                                         .probing_runs = 3,
                                         .part_runs = 1,
                                         .compares = true},
               [TCPLAN_EFFORT_THOROUGH] = {.least_choices = 6,
                                           .planning_runs = 100,
                                           .probing_runs = 20,
                                           .part_runs = 4,
                                           .compares = true,
                                           .times_dense = true}};

static const struct {
    const char *way, *says;
} ways[BLOCK_CANDIDATES] = {
    [WAY_BLOCKS] = {"blocks", "one product for each pair of blocks"},
    [WAY_GROUPED] = {"grouped",
                     "pairs of equal shapes that contribute to the same block, computed as "
                     "one sum"},
    [WAY_FUSED] = {"fused", "the blocks of each sector packed into one product"},
    [WAY_MIXED] = {"mixed", "each sector in the fastest of the other ways"},
    [WAY_DENSE] = {"dense", "all blocks packed into one product, with zeros between the blocks"},
    [WAY_PACKED] = {"packed",
                    "each block copied once into the order of matrices; all of its pairs use the "
                    "copy"},
};

/* Predicting. */

static bool sums_first(const struct tcplan_contraction *contraction) {
    return tcplan_contraction_indices(contraction, TCPLAN_SUMMED_A) != 0 ||
           tcplan_contraction_indices(contraction, TCPLAN_SUMMED_B) != 0;
}

/** Returns whether some block of the result has two pairs of the same class, which can be computed
 * as one sum. */
static bool has_sums(const struct tcplan_block_plan *plan) {
    const struct block_pairs *pairs = plan->product->pairs;
    for (int64_t c = 0; c < plan->product->tensor[TCPLAN_C].count; c++) {
        for (int64_t p = pairs->first[c] + 1; p < pairs->first[c + 1]; p++) {
            if (pairs->pair[p].class == pairs->pair[p - 1].class &&
                plan->classes[pairs->pair[p].class]->has_sums)
                return true;
        }
    }
    return false;
}

/** Computes the seconds of each part, for pair by pair and for sums, from the seconds of its
 * pairs. */
static void predict_pairs(struct tcplan_block_plan *plan) {
    const struct block_pairs *pairs = plan->product->pairs;
    const double fetching = pairs->class_count > MOST_CACHED_CLASSES
                                ? FETCHING_SECONDS * pairs->class_count / (double)pairs->count
                                : 0;
    for (int p = 0; p < pairs->part_count; p++) {
        const struct block_part *part = &pairs->part[p];
        double *seconds = plan->part_seconds[p];
        seconds[PART_PAIRS] = seconds[PART_SUMS] = 0;
        for (int64_t n = part->first; n < part->first + part->count; n++) {
            const int32_t c = pairs->order[n];
            for (int64_t q = pairs->first[c]; q < pairs->first[c + 1]; q++) {
                seconds[PART_PAIRS] += fetching + plan->classes[pairs->pair[q].class]->seconds;
                seconds[PART_SUMS] += fetching + plan->classes[pairs->pair[q].class]->sum_seconds;
            }
        }
    }
}

static double total(const struct tcplan_block_plan *plan, enum part_way way) {
    double seconds = 0;
    for (int p = 0; p < plan->product->pairs->part_count; p++)
        seconds += plan->part_seconds[p][way];
    return seconds;
}

/** Returns whether `bytes` exceeds the plan's workspace limit. */
static bool exceeds(const struct tcplan_block_plan *plan, double bytes) {
    const int64_t most = plan->planning.settings.options.max_workspace_bytes;
    return most > 0 && bytes > (double)most;
}

static enum tcplan_status prepare_fused(struct tcplan_block_plan *plan,
                                        struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int p = 0; p < plan->product->pairs->part_count && status == TCPLAN_OK; p++) {
        status = fused_prepare(plan, p, error);
        plan->part_seconds[p][PART_FUSED] = plan->fused[p].seconds;
    }
    return status;
}

/** Returns why one product of all blocks is not considered; NULL if it is considered. */
static const char *why_not_dense(struct tcplan_block_plan *plan) {
    char *why_not = plan->candidate[WAY_DENSE].why_not;
    const struct tcplan_block_product *product = plan->product;
    const double factor = fused_whole_flops(product) / fmax(product->pairs->flops, 1);
    const double bytes = fused_whole_elements(product) * (double)tcplan_dtype_bytes(product->dtype);
    if (product->pairs->part_count < 2)
        return "there is one sector, so this way is the same as fused";
    if (tcplan_contraction_indices(product->contraction, TCPLAN_BATCH) != 0)
        return "a batch index has sections";
    if (exceeds(plan, bytes)) {
        snprintf(why_not, BLOCK_WHY_NOT, "the matrices take %s; the limit is %s",
                 quantity_bytes(bytes).text,
                 quantity_bytes((double)plan->planning.settings.options.max_workspace_bytes).text);
        return why_not;
    }
    if (factor <= MOST_ZEROS) return NULL;
    snprintf(why_not, BLOCK_WHY_NOT, "%.3g times as many operations, because of zeros", factor);
    return why_not;
}

/* Candidates. */

/** Computes the time and operations of a candidate as the sums over its parts. */
static void sum_up(struct tcplan_block_plan *plan, struct block_candidate *candidate) {
    const struct block_pairs *pairs = plan->product->pairs;
    const int64_t element = (int64_t)tcplan_dtype_bytes(plan->product->dtype);
    struct tcplan_block_candidate *figures = &candidate->figures;
    figures->predicted_seconds = figures->packing_seconds = figures->flops = 0;
    figures->calls = figures->workspace_bytes = 0;
    candidate->has_pairs = false;
    for (int p = 0; p < pairs->part_count; p++) {
        const struct fused_part *fused = &plan->fused[p];
        const enum part_way way = (enum part_way)candidate->way[p];
        figures->predicted_seconds += plan->part_seconds[p][way];
        if (way != PART_FUSED) {
            candidate->has_pairs = true;
            figures->flops += pairs->part[p].flops;
            figures->calls += way == PART_SUMS ? pairs->part[p].count : pairs->part[p].pairs;
            continue;
        }
        figures->packing_seconds += fused->packing_seconds;
        figures->flops += fused->flops;
        figures->calls++;
        if (fused->workspace_elements * element > figures->workspace_bytes)
            figures->workspace_bytes = fused->workspace_elements * element;
    }
    figures->workspace_bytes = (figures->workspace_bytes + 63) / 64 * 64 * plan->threads;
}

static int candidate_of(enum part_way way) {
    return way == PART_PAIRS ? WAY_BLOCKS : way == PART_SUMS ? WAY_GROUPED : WAY_FUSED;
}

/** Returns the fastest way of a part. If parts were timed in some ways, the others are ignored. */
static enum part_way fastest_way(const struct tcplan_block_plan *plan, int part) {
    int best = -1;
    for (int w = 0; w < PART_WAYS; w++) {
        if (plan->candidate[candidate_of((enum part_way)w)].figures.why_not) continue;
        if (plan->timed_ways != 0 && !(plan->timed_ways >> w & 1U)) continue;
        if (best < 0 || plan->part_seconds[part][w] < plan->part_seconds[part][best]) best = w;
    }
    return best < 0 ? PART_PAIRS : (enum part_way)best;
}

/** Sets the way of each part for candidate `w`; returns false if an earlier candidate has the same
 * ways. */
static bool set_ways(struct tcplan_block_plan *plan, int w) {
    static const enum part_way way_of[] = {
        [WAY_BLOCKS] = PART_PAIRS, [WAY_GROUPED] = PART_SUMS, [WAY_FUSED] = PART_FUSED};
    const size_t parts = (size_t)plan->product->pairs->part_count;
    struct block_candidate *candidate = &plan->candidate[w];
    for (size_t p = 0; p < parts; p++)
        candidate->way[p] = (unsigned char)(w == WAY_MIXED ? fastest_way(plan, (int)p) : way_of[w]);
    for (int v = 0; v < w && w == WAY_MIXED; v++) {
        if (plan->candidate[v].way && memcmp(candidate->way, plan->candidate[v].way, parts) == 0)
            return false;
    }
    return true;
}

/** Returns whether the time of a candidate may be wrong by a factor of two or more. This applies to
 * predictions, and to sums of parts so short that the first calls of kernels matter. */
static bool is_rough(const struct tcplan_block_plan *plan, int candidate) {
    return candidate >= WAY_DENSE || plan->threads > 1 ||
           plan->candidate[candidate].figures.predicted_seconds < ROUGH_SECONDS;
}

/** Returns the shortest predicted seconds among the candidates below `end` that can be executed;
 * INFINITY if there are none. `exact`: ignores candidates whose times are rough. */
static double least_seconds(const struct tcplan_block_plan *plan, int end, bool exact) {
    double least = INFINITY;
    for (int w = 0; w < end; w++) {
        const struct block_candidate *candidate = &plan->candidate[w];
        if (!candidate->figures.why_not && candidate->way && !(exact && is_rough(plan, w)))
            least = fmin(least, candidate->figures.predicted_seconds);
    }
    return least;
}

/** Makes the candidates from the times of their parts. */
static enum tcplan_status make_candidates(struct tcplan_block_plan *plan,
                                          struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int w = 0; w <= WAY_MIXED && status == TCPLAN_OK; w++) {
        struct block_candidate *candidate = &plan->candidate[w];
        if (candidate->figures.why_not && w != WAY_MIXED) continue;
        candidate->figures.why_not = NULL;
        if (!candidate->way)
            candidate->way = base_alloc_zero((size_t)plan->product->pairs->part_count + 1, 1);
        if (!candidate->way) return error_no_memory(error);
        if (!set_ways(plan, w))
            candidate->figures.why_not = "every sector is fastest in the same way";
        sum_up(plan, candidate);
        if (w == WAY_MIXED && !candidate->figures.why_not && plan->threads == 1 &&
            candidate->figures.predicted_seconds >
                (1 - WORTH_MIXING) * least_seconds(plan, WAY_MIXED, false))
            candidate->figures.why_not = "it saves less than 3 % of the time";
        if (exceeds(plan, (double)candidate->figures.workspace_bytes))
            candidate->figures.why_not = "its workspace exceeds the limit";
        candidate->is_alone = candidate->figures.predicted_seconds < LEAST_SHARED_SECONDS;
        if (plan->threads == 1 || candidate->is_alone) continue;
        status = block_schedule_make(plan, candidate, error);
        if (status == TCPLAN_OK)
            candidate->figures.predicted_seconds =
                block_schedule_seconds(plan, &candidate->schedule);
    }
    return status;
}

/** Plans one matrix product of all blocks together. */
static enum tcplan_status make_dense(struct tcplan_block_plan *plan, struct tcplan_error *error) {
    struct block_candidate *candidate = &plan->candidate[WAY_DENSE];
    const int whole = plan->product->pairs->part_count;
    const enum tcplan_status status = fused_prepare(plan, whole, error);
    if (status != TCPLAN_OK) return status;
    candidate->way = base_alloc_zero((size_t)whole + 1, 1);
    if (!candidate->way) return error_no_memory(error);
    const struct fused_part *part = &plan->fused[whole];
    candidate->figures.predicted_seconds = part->seconds;
    candidate->figures.packing_seconds = part->packing_seconds;
    candidate->figures.flops = part->flops;
    candidate->figures.calls = 1;
    candidate->figures.workspace_bytes =
        part->workspace_elements * (int64_t)tcplan_dtype_bytes(plan->product->dtype);
    return TCPLAN_OK;
}

/** Returns whether every planned class computes its pairs as one gemm; copying blocks then gains
 * nothing. */
static bool are_gemms(const struct tcplan_block_plan *plan) {
    bool all = true;
    for (int c = 0; c < plan->product->pairs->class_count; c++)
        all = all && (!plan->classes[c]->plan || plan->classes[c]->has_gemm);
    return all;
}

/** Sets the figures of the way `packed` from those of its inner plan. */
static void sum_up_packed(struct tcplan_block_plan *plan) {
    struct tcplan_block_candidate *figures = &plan->candidate[WAY_PACKED].figures;
    const struct packed_plan *packed = &plan->packed;
    const struct tcplan_block_candidate *inner =
        &packed->inner->candidate[packed->inner->chosen].figures;
    figures->predicted_seconds = packed->packing_seconds + tcplan_block_plan_seconds(packed->inner);
    figures->packing_seconds = packed->packing_seconds + inner->packing_seconds;
    figures->flops = inner->flops;
    figures->calls = inner->calls;
    figures->workspace_bytes =
        packed->workspace_elements * (int64_t)tcplan_dtype_bytes(plan->product->dtype);
    if (exceeds(plan, (double)(figures->workspace_bytes + inner->workspace_bytes)))
        figures->why_not = "its workspace exceeds the limit";
}

/** Plans the way `packed`: the blocks are copied so that their products become products of
 * matrices. */
static enum tcplan_status make_packed(struct tcplan_block_plan *plan, const char *text,
                                      struct tcplan_error *error) {
    struct block_candidate *candidate = &plan->candidate[WAY_PACKED];
    const enum tcplan_status status = packed_prepare(plan, text, error);
    if (status != TCPLAN_OK) return status;
    base_free(candidate->way); /* the ways that a stored plan has read */
    candidate->way = base_alloc_zero((size_t)plan->product->pairs->part_count + 1, 1);
    if (!candidate->way) return error_no_memory(error);
    sum_up_packed(plan);
    return TCPLAN_OK;
}

const char *decide_way_of(const struct tcplan_block_plan *plan, int part) {
    static const int way_of[PART_WAYS] = {WAY_BLOCKS, WAY_GROUPED, WAY_FUSED};
    const bool is_whole = plan->chosen == WAY_DENSE || plan->chosen == WAY_PACKED;
    return ways[is_whole ? plan->chosen : way_of[plan->candidate[plan->chosen].way[part]]].way;
}

/* Measuring. */

/** Returns whether preparing a way takes long in comparison to executions of `seconds`. */
static bool is_costly(double preparing_seconds, double seconds) {
    return preparing_seconds > fmax(MOST_PREPARING_RUNS * seconds, MOST_PREPARING_SECONDS);
}

/** Returns the approximate seconds to make the plans of the classes that have none yet. */
static double preparing_seconds(const struct tcplan_block_plan *plan) {
    int count = 0;
    for (int c = 0; c < plan->product->pairs->class_count; c++) count += !plan->classes[c]->plan;
    return count * ASSUMED_CLASS_SECONDS;
}

/** Returns whether a candidate is predicted only, and has so many classes that it must look much
 * faster than the others. */
static bool is_doubtful(const struct tcplan_block_plan *plan, int w) {
    const enum part_way way = w == WAY_BLOCKS ? PART_PAIRS : PART_SUMS;
    return (w == WAY_BLOCKS || w == WAY_GROUPED) && plan->timed_ways != 0 &&
           !(plan->timed_ways >> way & 1U) &&
           is_costly(preparing_seconds(plan), plan->candidate[w].figures.predicted_seconds);
}

/** Returns for how long planning may still time something. */
static double left_seconds(const struct tcplan_block_plan *plan) {
    const double now = monotonic_seconds();
    const double once = least_seconds(plan, BLOCK_CANDIDATES, false);
    const double least = fmax(LEAST_TIMING_RUNS * once, LEAST_TIMING_SECONDS);
    return plan->effort > TCPLAN_EFFORT_NORMAL
               ? INFINITY
               : fmax(MOST_PLANNING_RUNS * once - (now - plan->start_seconds),
                      least - (now - plan->timing_seconds));
}

/** Plans the way `packed` with the requested effort if it may become the fastest way, or if
 * `always` is true. */
static enum tcplan_status plan_copies(struct tcplan_block_plan *plan, bool always,
                                      struct tcplan_error *error) {
    struct block_candidate *packed = &plan->candidate[WAY_PACKED];
    if (!packed->way || packed->figures.why_not) return TCPLAN_OK;
    const double least = least_seconds(plan, WAY_PACKED, false);
    const double preparing =
        plan->packed.inner->product->pairs->class_count * ASSUMED_CLASS_SECONDS;
    const double factor = is_costly(preparing, least) ? WORTH_PREPARING : WORTH_COPYING;
    if (!always && packed->figures.predicted_seconds > factor * least) return TCPLAN_OK;
    const enum tcplan_status status = packed_plan_again(plan, error);
    if (status == TCPLAN_OK) sum_up_packed(plan);
    return status;
}

/** Returns whether a way may be the fastest. A way that needs many plans must already look faster
 * than the others. */
static bool is_worth_trying(const struct tcplan_block_plan *plan, enum part_way way) {
    double least = INFINITY;
    for (int w = 0; w < PART_WAYS; w++) {
        const enum part_way other = (enum part_way)w;
        if (other != way && !plan->candidate[candidate_of(other)].figures.why_not)
            least = fmin(least, total(plan, other));
    }
    const bool costs = way != PART_FUSED && is_costly(preparing_seconds(plan), least);
    return !plan->candidate[candidate_of(way)].figures.why_not &&
           total(plan, way) <= (costs ? WORTH_PREPARING : WORTH_TRYING) * least;
}

/** Executes all parts in one way, after a warm-up execution. */
static enum tcplan_status measure_way(struct block_trial *trial, enum part_way way, int runs,
                                      struct tcplan_error *error) {
    const struct tcplan_block_plan *plan = trial->run.plan;
    enum tcplan_status status = TCPLAN_OK;
    const double long_seconds = way == PART_FUSED ? LONG_SECONDS_OF_FUSED : LONG_SECONDS;
    for (int r = total(plan, way) > long_seconds; r <= runs && status == TCPLAN_OK; r++) {
        if (r > 0 && deadline_is_over(plan->planning.deadline)) break;
        status = block_trial_parts(trial, way, r > 1, error);
    }
    return status;
}

/** Executes the parts in each way that may be the fastest. Fused parts come first, because they
 * need no plans of classes. After each way, checks again whether another way is worth trying. */
static enum tcplan_status measure_parts(struct block_trial *trial, int runs,
                                        struct tcplan_error *error) {
    static const enum part_way order[PART_WAYS] = {PART_FUSED, PART_SUMS, PART_PAIRS};
    enum tcplan_status status = TCPLAN_OK;
    struct tcplan_block_plan *plan = trial->run.plan;
    for (int n = 0; n < PART_WAYS * PART_WAYS && status == TCPLAN_OK; n++) {
        const enum part_way way = order[n % PART_WAYS];
        if ((plan->timed_ways >> way & 1U) || !is_worth_trying(plan, way) ||
            total(plan, way) > left_seconds(plan))
            continue;
        status = measure_way(trial, way, runs, error);
        plan->timed_ways |= 1U << way;
    }
    return status;
}

/* Comparing. */

struct comparing {
    struct block_trial *trial;
    int candidate[BLOCK_CANDIDATES]; /* for each arm of the comparison, the candidate that it
                                        executes */
};

static enum tcplan_status execute(struct comparing *comparing, size_t arm,
                                  struct tcplan_error *error) {
    const struct block_run *run = &comparing->trial->run;
    return block_plan_run(run, &run->plan->candidate[comparing->candidate[arm]], error);
}

/** Returns the number of executions in a sample: more than one if executions are short. */
static int executions_of(const struct tcplan_block_candidate *figures) {
    const double count = LEAST_SAMPLE_SECONDS / fmax(figures->predicted_seconds, 1e-9);
    return count < 1 ? 1 : count > MOST_EXECUTIONS ? MOST_EXECUTIONS : (int)count;
}

static enum tcplan_status sample(void *context, size_t arm, struct drift_sample *out,
                                 struct tcplan_error *error) {
    struct comparing *comparing = context;
    const struct tcplan_block_plan *plan = comparing->trial->run.plan;
    const int count = executions_of(&plan->candidate[comparing->candidate[arm]].figures);
    const struct clock_start start = clock_start();
    enum tcplan_status status = TCPLAN_OK;
    for (int n = 0; n < count && status == TCPLAN_OK; n++) status = execute(comparing, arm, error);
    const struct timing timing = clock_stop(&start, comparing->trial->run.plan->threads == 1);
    *out =
        (struct drift_sample){.seconds = timing.ns * 1e-9 / count, .disturbed = timing.disturbed};
    return status;
}

static double cost(void *context, size_t arm) {
    const struct comparing *comparing = context;
    const struct tcplan_block_candidate *figures =
        &comparing->trial->run.plan->candidate[comparing->candidate[arm]].figures;
    return figures->predicted_seconds * executions_of(figures);
}

static double left(void *context) {
    const struct tcplan_block_plan *plan = ((struct comparing *)context)->trial->run.plan;
    return fmin(left_seconds(plan), deadline_left_seconds(plan->planning.deadline));
}

/** Returns which of two equally fast candidates to prefer: the one that comes first in `ways`,
 * whose order is by fewer calls and less memory. */
static int prefer(void *context, size_t a, size_t b) {
    const struct comparing *comparing = context;
    return comparing->candidate[a] - comparing->candidate[b];
}

/** Compares the candidates. A candidate with a rough time is first executed once as a warm-up. */
static enum tcplan_status run_comparison(struct comparing *comparing, size_t arms, double fastest,
                                         enum tcplan_effort level, struct tcplan_error *error) {
    struct tcplan_block_plan *plan = comparing->trial->run.plan;
    const struct select_rules rules = {
        .least_rounds = FEWEST_ROUNDS,
        .most_rounds = MOST_ROUNDS,
        .final_rounds = FEWEST_ROUNDS,
        .margin = 0.02,
        .price = effort_price(effort_of(level), fastest),
        .elasticity = 1,
        .expected = {.share = 0.05, .freedom = 3, .disturbed_factor = 1.5}};
    const struct select_means means = {
        .context = comparing, .sample = sample, .cost = cost, .left = left, .prefer = prefer};
    struct select *select = base_alloc_zero(1, sizeof *select);
    struct select_arm *arm = base_alloc_zero(arms, sizeof *arm);
    enum tcplan_status status = select && arm ? TCPLAN_OK : error_no_memory(error);
    for (size_t a = 0; a < arms && status == TCPLAN_OK; a++) {
        arm[a].seconds = plan->candidate[comparing->candidate[a]].figures.predicted_seconds;
        const bool rough = is_rough(plan, comparing->candidate[a]);
        arm[a].spread = rough ? SPREAD_OF_PREDICTION : SPREAD;
        if (rough) status = execute(comparing, a, error);
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

/** Compares executions of the candidates that may be the fastest. */
static enum tcplan_status compare(struct block_trial *trial, enum tcplan_effort level,
                                  struct tcplan_error *error) {
    struct tcplan_block_plan *plan = trial->run.plan;
    plan->timing_seconds = monotonic_seconds();
    const double fastest = plan->candidate[plan->chosen].figures.predicted_seconds;
    const double limit_of_rough = WORTH_TRYING * least_seconds(plan, BLOCK_CANDIDATES, false),
                 limit_of_exact = WORTH_COMPARING * least_seconds(plan, BLOCK_CANDIDATES, true);
    struct comparing comparing = {.trial = trial};
    size_t arms = 0;
    for (int w = 0; w < BLOCK_CANDIDATES; w++) {
        const struct block_candidate *candidate = &plan->candidate[w];
        if (w == WAY_PACKED && plan->packed.inner && plan->packed.inner->is_draft) continue;
        if (w != plan->chosen && is_doubtful(plan, w)) continue;
        const double limit = is_rough(plan, w) ? limit_of_rough : limit_of_exact;
        if (!candidate->figures.why_not && candidate->way &&
            candidate->figures.predicted_seconds <= limit)
            comparing.candidate[arms++] = w;
    }
    return arms < 2 ? TCPLAN_OK : run_comparison(&comparing, arms, fastest, level, error);
}

/* Choosing. */

static int fastest_predicted(const struct tcplan_block_plan *plan) {
    int best = WAY_BLOCKS;
    double least = INFINITY;
    for (int w = 0; w < BLOCK_CANDIDATES; w++) {
        const struct block_candidate *candidate = &plan->candidate[w];
        const double seconds =
            candidate->figures.predicted_seconds / (is_doubtful(plan, w) ? WORTH_PREPARING : 1);
        if (candidate->figures.why_not || !candidate->way || seconds >= least) continue;
        best = w;
        least = seconds;
    }
    return best;
}

/** Measures parts and candidates, as far as the effort and the memory allow. `copies`: the caller
 * requested the way `packed`. */
static enum tcplan_status measure(struct tcplan_block_plan *plan, enum tcplan_effort level,
                                  bool compares, bool copies, struct tcplan_error *error) {
    const struct block_effort *effort = &efforts[level];
    struct block_trial trial = {.run = {NULL}};
    enum tcplan_status status = block_trial_begin(&trial, plan, error);
    if (status == TCPLAN_OK) {
        const double fastest = plan->candidate[fastest_predicted(plan)].figures.predicted_seconds;
        plan->timing_seconds = monotonic_seconds();
        if (effort->probing_runs > 0)
            block_trial_classes(&trial, fmin(effort->probing_runs * fastest, left_seconds(plan)));
        predict_pairs(plan);
        plan->timing_seconds = monotonic_seconds();
        status = measure_parts(&trial, effort->part_runs, error);
    }
    if (status == TCPLAN_OK) status = make_candidates(plan, error);
    if (status == TCPLAN_OK) status = plan_copies(plan, copies, error);
    if (status == TCPLAN_OK) {
        plan->chosen = fastest_predicted(plan);
        /* Of a plan of copies, only the time matters, which is compared as that of `packed`. */
        if (compares && !plan->is_of_copies) status = compare(&trial, level, error);
    }
    block_trial_end(&trial);
    /* If the blocks do not fit into memory, the predictions decide. */
    return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
}

/** Finds a candidate by its name, and checks that it can compute the product. */
static enum tcplan_status find_way(int *out, const struct tcplan_block_plan *plan, const char *way,
                                   struct tcplan_error *error) {
    for (int w = 0; w < BLOCK_CANDIDATES; w++) {
        const struct block_candidate *candidate = &plan->candidate[w];
        if (strcmp(way, ways[w].way) != 0) continue;
        *out = w;
        if (candidate->way && (!candidate->figures.why_not || w == WAY_MIXED)) return TCPLAN_OK;
        return error_set(error, TCPLAN_NOT_APPLICABLE, "'%s' cannot be used here: %s", way,
                         candidate->figures.why_not);
    }
    return error_set(
        error, TCPLAN_INVALID,
        "no way is named '%.40s'; expected blocks, grouped, fused, mixed, dense or packed", way);
}

enum tcplan_status decide_ways(unsigned *out, const struct tcplan_block_plan *plan,
                               const char *const name[], int count, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    *out = 0;
    for (int n = 0; n < count && status == TCPLAN_OK; n++) {
        int way = 0;
        status = find_way(&way, plan, name[n], error);
        *out |= 1U << way;
    }
    for (int w = 0; w < BLOCK_CANDIDATES && count == 0; w++)
        if (plan->candidate[w].way && !plan->candidate[w].figures.why_not) *out |= 1U << w;
    return status;
}

/** Returns the maximum number of dense products to search. */
static int choices_of(const struct tcplan_block_plan *plan, const struct block_effort *effort) {
    const struct block_pairs *pairs = plan->product->pairs;
    const double seconds =
        pairs->flops / DENSE_ASSUMED_FLOPS + (double)pairs->count * DENSE_ASSUMED_SECONDS;
    const double count = effort->planning_runs * seconds / ASSUMED_PLANNING_SECONDS;
    if (plan->is_draft) return 1; /* copies are matrices, whose products are calls of gemm */
    if (count > MOST_CHOICES) return MOST_CHOICES;
    return count < effort->least_choices ? effort->least_choices : (int)count;
}

void decide_describe(struct tcplan_block_plan *plan) {
    for (int w = 0; w < BLOCK_CANDIDATES; w++)
        plan->candidate[w].figures =
            (struct tcplan_block_candidate){.way = ways[w].way, .says = ways[w].says};
}

enum tcplan_status decide_as_stored(struct tcplan_block_plan *plan, const char *inner,
                                    struct tcplan_error *error) {
    const int parts = plan->product->pairs->part_count;
    const bool is_dense = plan->chosen == WAY_DENSE,
               fuses = !sums_first(plan->product->contraction);
    struct block_candidate *chosen = &plan->candidate[plan->chosen];
    const struct tcplan_block_candidate figures = chosen->figures;
    enum tcplan_status status = TCPLAN_OK;
    if (plan->chosen == WAY_PACKED) {
        status = fuses ? make_packed(plan, inner, error) : TCPLAN_NOT_APPLICABLE;
        const int64_t bytes = chosen->figures.workspace_bytes;
        chosen->figures = figures;
        chosen->figures.workspace_bytes = bytes;
        return status;
    }
    if (is_dense) {
        status = fuses && parts > 1 ? fused_prepare(plan, parts, error) : TCPLAN_NOT_APPLICABLE;
        chosen->figures.workspace_bytes = plan->fused[parts].workspace_elements *
                                          (int64_t)tcplan_dtype_bytes(plan->product->dtype);
        return status;
    }
    for (int p = 0; p < parts && status == TCPLAN_OK; p++) {
        if (chosen->way[p] != PART_FUSED) continue;
        status = fuses ? fused_prepare(plan, p, error) : TCPLAN_NOT_APPLICABLE;
    }
    if (status != TCPLAN_OK) return status;
    sum_up(plan, chosen);
    const int64_t workspace_bytes = chosen->figures.workspace_bytes;
    chosen->is_alone = chosen->figures.predicted_seconds < LEAST_SHARED_SECONDS;
    chosen->figures = figures;
    chosen->figures.workspace_bytes = workspace_bytes;
    if (plan->threads > 1 && !chosen->is_alone) status = block_schedule_make(plan, chosen, error);
    if (status != TCPLAN_OK || !chosen->has_pairs) return status;
    return pairwise_prepare_for(plan, chosen, error);
}

enum tcplan_status decide(struct tcplan_block_plan *plan, const char *way, bool measures,
                          struct tcplan_error *error) {
    const struct block_pairs *pairs = plan->product->pairs;
    const bool fuses = !sums_first(plan->product->contraction);
    const enum tcplan_effort level = plan->planning.settings.options.effort;
    const struct block_effort *effort = &efforts[level];
    plan->planning.settings.options.effort =
        effort->times_dense ? TCPLAN_EFFORT_NORMAL : TCPLAN_EFFORT_ESTIMATE;
    plan->dense.most_choices = choices_of(plan, effort);
    decide_describe(plan);
    enum tcplan_status status = pairwise_prepare(plan, error);
    if (status == TCPLAN_OK && fuses) status = prepare_fused(plan, error);
    if (status != TCPLAN_OK) return status;
    predict_pairs(plan);
    if (!has_sums(plan))
        plan->candidate[WAY_GROUPED].figures.why_not =
            "no two pairs of equal shapes contribute to the same block";
    if (!fuses)
        plan->candidate[WAY_FUSED].figures.why_not = plan->candidate[WAY_DENSE].figures.why_not =
            plan->candidate[WAY_PACKED].figures.why_not =
                "an index that only A or B has is summed over";
    else
        plan->candidate[WAY_DENSE].figures.why_not = why_not_dense(plan);
    status = make_candidates(plan, error);
    if (status == TCPLAN_OK && !plan->candidate[WAY_DENSE].figures.why_not)
        status = make_dense(plan, error);
    if (status == TCPLAN_OK && fuses && are_gemms(plan))
        plan->candidate[WAY_PACKED].figures.why_not =
            "each pair is already one product of matrices";
    else if (status == TCPLAN_OK && fuses)
        status = make_packed(plan, NULL, error);
    if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE) return status;
    status = TCPLAN_OK;
    plan->chosen = fastest_predicted(plan);
    if (effort->part_runs > 0 && pairs->count > 0)
        status = measure(plan, level, effort->compares && !way && !measures,
                         measures || (way && strcmp(way, ways[WAY_PACKED].way) == 0), error);
    if (status == TCPLAN_OK && way) status = find_way(&plan->chosen, plan, way, error);
    if (status != TCPLAN_OK || plan->is_draft) return status;
    struct tcplan_block_plan *runs = plan->chosen == WAY_PACKED ? plan->packed.inner : plan;
    if (!runs->candidate[runs->chosen].has_pairs) return TCPLAN_OK;
    /* Make all plans now, so that executions need no planning. */
    return pairwise_prepare_for(runs, &runs->candidate[runs->chosen], error);
}
