/*
 * Trials execute pairs and parts on their own memory, once or a few times each. Order and cache
 * contents are those of an execution. Measured times replace predictions.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "blocks/block_plan.h"
#include "microbench/timing/clock.h"

/* Maximum bytes of the blocks that are allocated for a trial. */
#define MOST_BYTES 2e9

/* Minimum seconds of a timing of pairs: shorter runs of pairs are repeated. Runs of at least
 * LONG_SECONDS are timed once, after a warm-up with the first library only, or without one if they
 * take VERY_LONG_SECONDS. No more runs than take ENOUGH_SECONDS are timed. A library whose warm-up
 * takes HOPELESS times as long as the fastest library is not timed. */
#define LEAST_SECONDS 5e-6
#define HOPELESS 4.0
#define LONG_SECONDS 50e-6
#define VERY_LONG_SECONDS 5e-3
#define ENOUGH_SECONDS 100e-6

enum { MOST_RUNS = 16, REPETITIONS = 2 };

/* Memory. */

/** Returns the number of elements that a block spans. *first receives how many of them precede the
 * element whose indices are all 0. */
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
    enum {
        DRAWN = 4096
    }; /* number of random values, which are reused cyclically: only zeros and NaNs affect the speed
        */
    for (size_t n = 0; n < numbers && n < DRAWN; n++) {
        const double value = random_unit(&random) - 0.5;
        if (is_single)
            ((float *)memory)[n] = (float)value;
        else
            ((double *)memory)[n] = value;
    }
    const size_t bytes = is_single ? sizeof(float) : sizeof(double);
    for (size_t n = DRAWN; n < numbers; n += DRAWN)
        memcpy((char *)memory + n * bytes, memory,
               (numbers - n < DRAWN ? numbers - n : DRAWN) * bytes);
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

enum tcplan_status block_trial_allocate(struct block_trial *out, struct tcplan_block_plan *plan,
                                        struct tcplan_error *error) {
    const struct tcplan_scalar one = {1, 0};
    bool ok = true;
    if (bytes_of(plan->product) > MOST_BYTES)
        return error_set(error, TCPLAN_NOT_APPLICABLE, "the blocks are too large for a trial");
    out->alpha = block_factor_of(one, plan->product->dtype);
    out->beta = block_factor_of(plan->product->contraction->beta, plan->product->dtype);
    for (int t = 0; t < TCPLAN_OPERANDS && ok; t++)
        ok = make_blocks(&out->tensor[t], plan->product, (enum tcplan_operand)t);
    out->run = (struct block_run){.plan = plan,
                                  .alpha = out->alpha.number,
                                  .beta = out->beta.number,
                                  .A = (const void *const *)out->tensor[TCPLAN_A].block,
                                  .B = (const void *const *)out->tensor[TCPLAN_B].block,
                                  .D = out->tensor[TCPLAN_C].block};
    return ok ? TCPLAN_OK : error_set(error, TCPLAN_NOT_APPLICABLE, "no memory for a trial");
}

enum tcplan_status block_trial_begin(struct block_trial *out, struct tcplan_block_plan *plan,
                                     struct tcplan_error *error) {
    const enum tcplan_status status = block_trial_allocate(out, plan, error);
    if (status == TCPLAN_OK) pairwise_set_factors(&out->run);
    return status;
}

void block_trial_end(struct block_trial *trial) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        base_free(trial->tensor[t].memory);
        base_free(trial->tensor[t].block);
    }
}

/* Classes. */

/** Consecutive pairs of a class that contribute to one block of the result. */
struct run_of_pairs {
    int64_t first, count;
    int32_t block;
};

/** A class whose times will be measured. */
struct probed {
    int class, count;
    int64_t pairs;
    double weight; /* predicted seconds of all pairs of the class */
    struct run_of_pairs run[MOST_RUNS];
};

/** Lists the classes with the largest shares of the time, the largest first. */
static int list_probed(struct probed out[MOST_PROBED], const struct tcplan_block_plan *plan) {
    const struct block_pairs *pairs = plan->product->pairs;
    int count = 0;
    for (int c = 0; c < pairs->class_count; c++) {
        const double weight = plan->classes[c]->seconds * (double)pairs->class[c].pairs;
        if (count == MOST_PROBED && out[count - 1].weight >= weight) continue;
        if (count < MOST_PROBED) count++;
        int place = count - 1;
        for (; place > 0 && out[place - 1].weight < weight; place--) out[place] = out[place - 1];
        out[place] = (struct probed){.class = c, .weight = weight};
    }
    return count;
}

/** Finds consecutive pairs of the listed classes, in the order of an execution. */
static void find_runs(struct probed probed[], int count, const struct block_pairs *pairs) {
    int full = 0;
    for (int part = 0; part < pairs->part_count && full < count; part++) {
        for (int64_t n = pairs->part[part].first;
             n < pairs->part[part].first + pairs->part[part].count; n++) {
            const int32_t block = pairs->order[n];
            const int64_t end = pairs->first[block + 1];
            for (int64_t p = pairs->first[block], next; p < end; p = next) {
                const int class = pairs->pair[p].class;
                for (next = p + 1; next < end && pairs->pair[next].class == class;) next++;
                for (int i = 0; i < count; i++) {
                    if (probed[i].class != class || probed[i].count == MOST_RUNS) continue;
                    probed[i].run[probed[i].count++] = (struct run_of_pairs){p, next - p, block};
                    probed[i].pairs += next - p;
                    full += probed[i].count == MOST_RUNS;
                }
            }
        }
    }
}

/** Executes the listed runs of pairs so many times, and returns the seconds of each time. */
static double time_once(const struct block_trial *trial, const struct probed *probed, int rounds,
                        bool sums) {
    const int64_t *first = trial->run.plan->product->pairs->first;
    const struct clock_start start = clock_start();
    for (int round = 0; round < rounds; round++) {
        for (int n = 0; n < probed->count; n++) {
            const struct run_of_pairs *run = &probed->run[n];
            pairwise_run_some(&trial->run, 0, run->first, run->count, run->block,
                              run->first > first[run->block], sums);
        }
    }
    return clock_stop(&start, true).ns * 1e-9 / rounds;
}

/** Returns the seconds of one pair: the shortest of several repetitions, after a warm-up. `best`:
 * seconds with the fastest library so far; INFINITY if this is the first, whose long runs need a
 * warm-up. */
static double time_runs(const struct block_trial *trial, const struct probed *probed, bool sums,
                        double best) {
    const double pairs = (double)probed->pairs, warm = time_once(trial, probed, 1, sums);
    const int rounds = warm < LEAST_SECONDS ? 1 + (int)(LEAST_SECONDS / fmax(warm, 50e-9)) : 1;
    const bool is_warm = (warm > LONG_SECONDS && isfinite(best)) || warm > VERY_LONG_SECONDS;
    if (is_warm || warm > HOPELESS * best * pairs) return warm / pairs;
    double least = INFINITY;
    for (int r = 0; r < REPETITIONS && (r == 0 || least < LONG_SECONDS); r++)
        least = fmin(least, time_once(trial, probed, rounds, sums));
    return least / pairs;
}

/** Omits runs of pairs beyond those that take ENOUGH_SECONDS. */
static void limit_runs(struct probed *probed, double seconds_of_pair) {
    int64_t pairs = 0;
    int count = 0;
    while (count < probed->count && (double)pairs * seconds_of_pair < ENOUGH_SECONDS)
        pairs += probed->run[count++].count;
    probed->count = count;
    probed->pairs = pairs;
}

/** Times the pairs of a class by its plan and as a gemm of each library, and selects the fastest.
 */
static void probe(struct block_trial *trial, const struct probed *probed) {
    static const enum tcplan_provider providers[] = {TCPLAN_PROVIDER_BLAS, TCPLAN_PROVIDER_LIBXSMM,
                                                     TCPLAN_PROVIDER_BLIS};
    enum { PROVIDERS = sizeof providers / sizeof *providers };
    struct tcplan_block_plan *plan = trial->run.plan;
    const enum tcplan_dtype dtype = plan->product->dtype;
    struct pair_class *class = plan->classes[probed->class];
    if (pairwise_bind_class(plan, probed->class, NULL) != TCPLAN_OK) return;
    const bool is_plan = !class->is_gemm; /* the plan, not a gemm, executes the pairs */
    double least = INFINITY;
    int best = -1; /* number of the fastest provider; -1: the plan */
    for (int p = is_plan ? -1 : 0; p < PROVIDERS; p++) {
        if (p >= 0 && !pairwise_use(class, providers[p], dtype)) continue;
        if (pairwise_bind_class(plan, probed->class, NULL) != TCPLAN_OK) continue;
        const double seconds = time_runs(trial, probed, false, least);
        if (seconds >= least) continue;
        least = seconds;
        best = p;
    }
    if (best < 0)
        pairwise_use_plan(class);
    else
        pairwise_use(class, providers[best], dtype);
    if (!isfinite(least) || pairwise_bind_class(plan, probed->class, NULL) != TCPLAN_OK) return;
    class->is_probed = true;
    class->seconds = class->sum_seconds = least;
    if (plan->code[probed->class].sum[1])
        class->sum_seconds = time_runs(trial, probed, true, least);
}

/** Corrects the predicted times of classes that were not probed by `factor`, the mean error of the
 * probed ones. */
static void spread(struct tcplan_block_plan *plan, double factor) {
    for (int c = 0; c < plan->product->pairs->class_count; c++) {
        struct pair_class *class = plan->classes[c];
        if (class->is_probed) continue;
        class->seconds *= factor;
        class->sum_seconds *= factor;
        if (class->plan) pairwise_adopt(plan, class);
    }
}

void block_trial_classes(struct block_trial *trial, double budget_seconds) {
    struct tcplan_block_plan *plan = trial->run.plan;
    struct probed *probed = base_alloc(MOST_PROBED * sizeof *probed);
    if (!probed) return; /* no class was probed: leave the predictions unchanged */
    const int count = list_probed(probed, plan);
    const double start = monotonic_seconds();
    double before = 0, after = 0;
    find_runs(probed, count, plan->product->pairs);
    for (int i = 0; i < count; i++) {
        if (monotonic_seconds() - start > budget_seconds ||
            deadline_is_over(plan->planning.deadline))
            break;
        const struct pair_class *class = plan->classes[probed[i].class];
        if (probed[i].count == 0) continue;
        before += class->seconds;
        limit_runs(&probed[i], class->seconds);
        probe(trial, &probed[i]);
        after += class->seconds;
        if (class->is_probed) plan->probed[plan->probed_count++] = probed[i].class;
    }
    if (plan->probed_count > 0 && before > 0) spread(plan, after / before);
    base_free(probed);
}

/* Parts. */

enum tcplan_status block_trial_parts(struct block_trial *trial, enum part_way way, bool again,
                                     struct tcplan_error *error) {
    struct tcplan_block_plan *plan = trial->run.plan;
    enum tcplan_status status =
        way == PART_FUSED ? TCPLAN_OK : pairwise_bind(&trial->run, NULL, error);
    for (int p = 0; p < plan->product->pairs->part_count && status == TCPLAN_OK; p++) {
        const struct clock_start start = clock_start();
        status = block_run_part(&trial->run, p, way, error);
        const double seconds = clock_stop(&start, plan->threads == 1).ns * 1e-9;
        plan->part_seconds[p][way] = again ? fmin(plan->part_seconds[p][way], seconds) : seconds;
    }
    return status;
}
