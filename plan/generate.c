#include "plan/generate.h"

#include <math.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "ast/algorithm/expand.h"
#include "ast/algorithm/provider.h"
#include "ast/problem/canonical_product.h"
#include "ast/scalar.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/indexset.h"
#include "base/units.h"
#include "cachesim/arrangement/arrangement.h"
#include "cachesim/arrangement/bound.h"
#include "gen/providers/provider.h"
#include "gen/space/enumerate.h"
#include "gen/space/structures.h"
#include "microbench/providers/built_in.h"
#include "microbench/providers/providers.h"
#include "plan/loop_sharing.h"
#include "plan/sketch.h"
#include "tcplan/blas.h"

/* Number of arrangements that are listed for a structure. */
enum { ARRANGEMENTS = 3 };

/* Factor on the best time; a structure whose kernels alone take longer is not arranged. */
#define BOUND_FACTOR 1.3

#define LISTED_FACTOR 1.5

/* Factor on the best time; an estimate skips a structure of the `blas` space whose guessed kernel
 * time is longer. */
#define SLOW_FACTOR 2.0

/*
 * Shares of the time for generating. Heuristic costs ("sketches") take at most SKETCHING_SHARE, so
 * that the more accurate arrangements have the larger part. Within it, finding families ends after
 * FAMILIES_SHARE. Until WITHOUT_STEPS_SHARE only structures without split indices are enumerated,
 * of which a family has few.
 */
#define SKETCHING_SHARE 0.4
#define FAMILIES_SHARE 0.5
#define WITHOUT_STEPS_SHARE 0.7
enum { MOST_FAMILIES = 1024, MOST_SKETCHES = 4096 };

/* Share of the time for generating that the canonical product gets, if the problem itself is
 * searched too. */
#define FUSED_SHARE 0.5

/** State of generating algorithms. */
struct generation {
    const struct generator *generator;
    const struct canonical_product *product; /* canonical product whose algorithms are generated;
                                                NULL: the problem itself */
    struct arranger *arranger;
    struct arrangement *arrangement; /* array of as many arrangements as the beam is wide */
    size_t structure_count;
    struct tcplan_algorithm *structure; /* structures of the `blas` space */
    int orders; /* number of loop orders that are listed for each structure */
    struct structures_options options; /* options for enumerating structures of the `full` space */
    struct arrangement_bound least;
    double tensors_seconds[2]; /* lower bounds of the time to move all tensors; the second if
                                  non-temporal stores write the result */
    bool knows_providers;      /* whether a gemm was timed with every provider */
    int sketched;
    int arranged;
    double family_seconds; /* lowest heuristic cost of the current family */
    struct sketches families;
    struct sketches sketches;
    enum tcplan_status status;
    struct tcplan_error *error;
};

/** Returns whether estimates are the answer. */
static bool estimates(const struct generation *generation) {
    return generation->generator->work.arranged > 0;
}

/**
 * Returns the largest estimate that is listed if nothing is timed. The first arrangement of a
 * structure may exceed the best estimate by LISTED_FACTOR, for callers who want to try several
 * algorithms. Other arrangements of the structure may not exceed it: they are alternatives for a
 * limited workspace.
 */
static double listed_seconds(const struct generator *generator, int arrangement) {
    return (arrangement == 0 ? LISTED_FACTOR : 1) * generator->best_seconds(generator->context);
}

/* Structures. */

/** Finds the call of a structure; false if there is none, or out of memory (see the generation's
 * status). Estimates compile no kernel, so the library must have it. */
static bool call_of(struct generation *generation, struct blas_call *call, double *calls,
                    const struct tcplan_algorithm *structure) {
    const struct tcplan_problem *problem = generation->generator->problem;
    const enum tcplan_status status =
        blas_call_of(call, calls, problem, structure, generation->error);
    if (status == TCPLAN_NO_MEMORY) generation->status = status;
    if (status != TCPLAN_OK || !blas_call_provider_applies(call, problem->dtype, call->provider))
        return false;
    return !effort_uses_built_in(estimates(generation), call->provider) ||
           (call->kernel == TCPLAN_LOOPS ? built_in_takes : built_in_suffices)(call,
                                                                               problem->dtype);
}

/** The calls of a structure: their number, and the time of one. */
struct rated_call {
    struct blas_call call;
    double calls;
    struct call_time time;
    int threads; /**< number of BLAS threads of each call */
};

/**
 * Converts an algorithm to the caller's indices, in canonical form; false if that is impossible.
 */
static bool expand(const struct generation *generation, struct tcplan_algorithm *out,
                   const struct tcplan_algorithm *algorithm) {
    const struct canonical_product *product = generation->product;
    *out = *algorithm;
    if (product && !algorithm_expand(out, product, algorithm)) return false;
    algorithm_canonical(out, product ? product->source->contraction
                                     : generation->generator->problem->contraction);
    return true;
}

/** Reports an event about a structure to the caller. */
static void tell(const struct generation *generation, enum tcplan_planning_event event,
                 const struct tcplan_algorithm *structure, double seconds) {
    const struct generator *generator = generation->generator;
    struct tcplan_algorithm own;
    if (!generator->tell) return;
    own = *structure;
    if (generation->product && !algorithm_expand(&own, generation->product, structure)) return;
    generator->tell(generator->context, event, &own, seconds);
}

/** Returns the problem whose indices the listed algorithms use. */
static const struct tcplan_problem *written_problem(const struct generation *generation) {
    return generation->product ? generation->product->source : generation->generator->problem;
}

/** Passes an arrangement to the caller, unless estimates are the answer and its estimate exceeds
 * `most_seconds`. */
static bool hand_out(const struct generation *generation, const struct arrangement *arrangement,
                     const struct rated_call *rated, double most_seconds) {
    const struct generator *generator = generation->generator;
    const bool is_shared = arrangement->algorithm.parallel >= 0;
    struct generated generated = {.calls = rated->calls};
    if (!expand(generation, &generated.algorithm, &arrangement->algorithm)) return true;
    const double share =
        loop_sharing_largest(written_problem(generation), &generated.algorithm, generator->threads);
    const struct estimate_task task = {.models = generator->models,
                                       .problem = generator->problem,
                                       .call = &rated->call,
                                       .call_time = rated->time,
                                       .calls = rated->calls * share,
                                       .threads = rated->threads,
                                       .threads_around = is_shared ? generator->threads : 1,
                                       .arrangement = arrangement};
    generated.estimate = estimate_of(&task);
    return (estimates(generation) && generated.estimate.seconds > most_seconds) ||
           generator->take(generator->context, &generated);
}

/** Passes an arrangement of the `full` space to the caller, like hand_out(), unless the `blas`
 * space contains it, because those arrangements were passed before. */
static bool hand_out_new(const struct generation *generation, const struct arrangement *arrangement,
                         const struct rated_call *rated, double most_seconds) {
    const struct generator *generator = generation->generator;
    struct tcplan_algorithm canonical = arrangement->algorithm;
    algorithm_canonical(&canonical, generator->problem->contraction);
    if (generator->orders > 0 &&
        tcplan_algorithm_in_blas_space(&canonical, generator->problem->contraction))
        return true;
    return hand_out(generation, arrangement, rated, most_seconds);
}

static bool hand_out_shared(const struct generation *generation,
                            const struct tcplan_algorithm *structure,
                            const struct arrangement *arrangement, const struct rated_call *rated,
                            double most_seconds) {
    const struct generator *generator = generation->generator;
    struct arrangement shared = *arrangement;
    const bool has_one =
        loop_sharing_choose(&shared.algorithm, generator->problem, structure, generator->threads);
    if (has_one && !hand_out_new(generation, &shared, rated, most_seconds)) return false;
    shared = *arrangement;
    if (structure->parallel >= 0 ||
        !loop_sharing_collapse(&shared.algorithm, generator->problem, generator->threads))
        return true;
    return hand_out_new(generation, &shared, rated, most_seconds);
}

static void rate_call(struct rated_call *rated, const struct generator *generator, int threads,
                      double doubtful_ns) {
    rated->threads = threads;
    rated->time = generator->call_time(generator->context, &rated->call, threads, doubtful_ns);
    if (rated->time.ns < 0) rated->time.ns = INFINITY;
}

/** Returns the calls of a structure if each is made by one of several threads; INFINITY with a
 * single thread, or if the provider lacks the call. */
static struct rated_call rated_by_one(const struct generator *generator,
                                      const struct rated_call *rated, double doubtful_ns) {
    struct rated_call one = *rated;
    one.time = (struct call_time){.ns = INFINITY};
    if (generator->threads > 1) rate_call(&one, generator, 1, generator->threads * doubtful_ns);
    return one;
}

/** Arranges a structure, unless its kernels alone take too long; a structures_fn. */
static bool arrange(void *context, const struct tcplan_algorithm *structure) {
    struct generation *generation = context;
    const struct generator *generator = generation->generator;
    struct rated_call rated = {.time = {.ns = INFINITY}};
    if (!call_of(generation, &rated.call, &rated.calls, structure))
        return generation->status == TCPLAN_OK;
    const bool is_shared = structure->parallel >= 0;
    const double most_ns =
        BOUND_FACTOR * generator->best_seconds(generator->context) * NS_PER_SECOND / rated.calls;
    if (!is_shared) rate_call(&rated, generator, generator->threads, most_ns);
    if (!is_shared && isinf(rated.time.ns)) return true;
    const struct rated_call by_one = rated_by_one(generator, &rated, most_ns);
    const double least_ns = fmin(rated.time.ns, by_one.time.ns / generator->threads);
    if (!(least_ns <= most_ns)) {
        tell(generation, TCPLAN_PLANNING_SLOW_KERNEL, structure,
             SECONDS_PER_NS * least_ns * rated.calls);
        return true;
    }
    const int found = arrangements_best(generation->arranger, generation->arrangement, structure);
    for (int a = 0; a < found && a < ARRANGEMENTS; a++) {
        const struct arrangement *arrangement = &generation->arrangement[a];
        const double most_seconds = listed_seconds(generator, a);
        if (!is_shared && !hand_out_new(generation, arrangement, &rated, most_seconds))
            return false;
        if (isfinite(by_one.time.ns) &&
            !hand_out_shared(generation, structure, arrangement, &by_one, most_seconds))
            return false;
    }
    return !deadline_is_over(generator->deadline);
}

/** Returns whether an estimate may skip a structure because its guessed kernel time is far above
 * the best time. Guesses are used only if no other call times are known. */
static bool is_guessed_slow(const struct generation *generation,
                            const struct tcplan_algorithm *structure) {
    const struct generator *generator = generation->generator;
    double calls;
    if (!estimates(generation) || generator->guess_error > 1) return false;
    const struct blas_call call = sketch_call(&calls, generator->problem, structure);
    const double seconds =
        SECONDS_PER_NS * calls * generator->guess_call(generator->context, &call);
    return seconds > SLOW_FACTOR * generator->threads * generator->best_seconds(generator->context);
}

/** Times the first gemm with every other provider, to calibrate heuristic costs before they decide
 * between structures. */
static void learn_providers(struct generation *generation, const struct rated_call *rated) {
    const struct generator *generator = generation->generator;
    struct blas_call call = rated->call;
    if (estimates(generation) || generator->structures == 0 || call.kernel != TCPLAN_GEMM ||
        generation->knows_providers)
        return;
    generation->knows_providers = true;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        call.provider = (enum tcplan_provider)p;
        if (call.provider == rated->call.provider ||
            !blas_call_provider_applies(&call, generator->problem->dtype, call.provider))
            continue;
        generator->call_time(generator->context, &call, generator->threads, INFINITY);
    }
}

static bool refuse(const struct generation *generation, const struct tcplan_algorithm *structure) {
    struct tcplan_algorithm own;
    return !expand(generation, &own, structure) ||
           generation->generator->refuse(generation->generator->context, &own);
}

static bool order(struct generation *generation, const struct tcplan_algorithm *structure) {
    const struct generator *generator = generation->generator;
    struct rated_call rated = {.time = {.ns = INFINITY}};
    if (is_guessed_slow(generation, structure)) return true;
    const bool has_call = call_of(generation, &rated.call, &rated.calls, structure);
    if (generation->status != TCPLAN_OK) return false;
    if (has_call) rate_call(&rated, generator, generator->threads, INFINITY);
    if (isinf(rated.time.ns)) return refuse(generation, structure);
    learn_providers(generation, &rated);
    if (estimates(generation) &&
        SECONDS_PER_NS * rated.time.ns * rated.calls > listed_seconds(generator, 0))
        return true;
    const int found =
        arrangements_by_rules(generation->arranger, generation->arrangement, structure);
    for (int a = 0; a < found && a < generation->orders; a++) {
        if (!hand_out(generation, &generation->arrangement[a], &rated,
                      listed_seconds(generation->generator, a)))
            return false;
    }
    return !deadline_is_over(generator->deadline);
}

/** Visits the structures of the `blas` space from the last to the first: the last ones do the most
 * work per call. */
static void order_all(struct generation *generation) {
    bool more = true;
    for (size_t s = generation->structure_count; s-- > 0 && more;)
        more = order(generation, &generation->structure[s]);
}

/* All structures. */

/** Returns whether the result is larger than the last cache and its old content is not read. */
static bool is_written_far(const struct generator *generator) {
    const struct tcplan_problem *problem = generator->problem;
    const struct tcplan_machine *machine = generator->machine;
    const struct tcplan_scalar beta = problem->contraction->beta;
    const int64_t last_bytes =
        machine->cache_count > 0 ? machine->cache[machine->cache_count - 1].size_bytes : 0;
    return scalar_is(beta, 0) &&
           problem->elems[TCPLAN_C] * (int64_t)problem->element_bytes > last_bytes;
}

static struct structures_options structures_of(const struct generator *generator) {
    const struct tcplan_problem *problem = generator->problem;
    const struct tcplan_machine *machine = generator->machine;
    struct structures_options options = {.problem = problem,
                                         .threads = generator->threads,
                                         .line_elems =
                                             machine->line_bytes / (int64_t)problem->element_bytes,
                                         .deadline = generator->deadline};
    /* The library's kernels are those of this machine's instruction set. */
    const bool has_built_in =
        generator->work.arranged > 0 && machine->live && built_in_has(built_in_set());
    if (options.line_elems < 1) options.line_elems = 1;
    for (int c = 0; c < STRUCTURES_NEAR_CACHES; c++) {
        const int64_t bytes =
            c < machine->cache_count ? machine->cache[c].size_bytes : 1 << (15 + 4 * c);
        options.near_elems[c] = bytes / (int64_t)problem->element_bytes;
    }
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        struct tcplan_provider_info info;
        const struct provider_traits *traits = provider_traits_of((enum tcplan_provider)p);
        const bool is_there = tcplan_provider_info(&info, (enum tcplan_provider)p);
        options.provider[p] =
            is_there && (generator->compiles || has_built_in || !traits->is_compiled);
        options.streams[p] = is_there && (generator->streams || has_built_in) && traits->streams &&
                             is_written_far(generator);
    }
    return options;
}

/** Returns whether a structure may be faster than the best so far, by a lower bound of its time
 * with one thread. */
static bool may_be_best(const struct generation *generation, double seconds) {
    const struct generator *generator = generation->generator;
    return seconds < generator->guess_error * generator->threads *
                         generator->best_seconds(generator->context);
}

/** Returns whether estimates are the answer, and a structure's kernels and moving each tensor once
 * already take longer than the best. */
static bool is_bounded_out(const struct generation *generation,
                           const struct tcplan_algorithm *structure, double kernel_seconds) {
    return estimates(generation) &&
           !may_be_best(generation,
                        kernel_seconds +
                            generation->tensors_seconds[structure->copy[TCPLAN_C].streamed]);
}

/** Counts a structure whose heuristic cost was computed; returns false after the last one that the
 * effort permits. */
static bool goes_on_sketching(struct generation *generation) {
    generation->sketched++;
    return !estimates(generation) || generation->sketched < generation->generator->work.sketched;
}

/** Computes the heuristic cost of a structure, and stores it if it is among the best; a
 * structures_fn. */
static bool sketch(void *context, const struct tcplan_algorithm *structure) {
    struct generation *generation = context;
    const struct generator *generator = generation->generator;
    double calls;
    struct blas_call call = sketch_call(&calls, generator->problem, structure);
    const bool is_built_in = effort_uses_built_in(estimates(generation), structure->provider);
    if (is_built_in && !call_of(generation, &call, &calls, structure))
        return generation->status == TCPLAN_OK && goes_on_sketching(generation);
    const double kernel_seconds =
        SECONDS_PER_NS * calls * generator->guess_call(generator->context, &call);
    if (is_bounded_out(generation, structure, kernel_seconds)) return goes_on_sketching(generation);
    const double seconds =
        kernel_seconds + arrangement_bound_seconds(&generation->least, structure, false);
    generation->family_seconds = fmin(generation->family_seconds, seconds);
    const bool is_wanted = !estimates(generation) || may_be_best(generation, seconds);
    if (!is_wanted || sketches_add(&generation->sketches, structure, seconds))
        return goes_on_sketching(generation);
    generation->status = error_no_memory(generation->error);
    return false;
}

/** Guesses the time of all calls of a family with the fastest provider. */
static double guess_kernels(const struct generation *generation,
                            const struct tcplan_algorithm *family) {
    const struct generator *generator = generation->generator;
    double least_ns = INFINITY, calls;
    struct blas_call call = sketch_call(&calls, generator->problem, family);
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        call.provider = (enum tcplan_provider)p;
        if (!generation->options.provider[p] || !provider_has_kernel(call.provider, call.kernel))
            continue;
        least_ns = fmin(least_ns, generator->guess_call(generator->context, &call));
    }
    return SECONDS_PER_NS * least_ns * calls;
}

/** Returns the structure whose calls also sum over the contracted loops (kernel brgemm). */
static struct tcplan_algorithm summed_up(const struct tcplan_algorithm *family,
                                         const struct tcplan_contraction *contraction) {
    struct tcplan_algorithm sums = *family;
    sums.kernel = TCPLAN_BRGEMM;
    sums.loop_count = 0;
    for (int l = 0; l < family->loop_count; l++) {
        const int index = family->loop[l];
        if (contraction->index[index].kind == TCPLAN_CONTRACTED) {
            sums.group[TCPLAN_R] |= indexset_of(index);
        } else {
            sums.loop[sums.loop_count++] = (uint8_t)index;
        }
    }
    return sums;
}

/** Returns whether some provider's kernel can write the result in place by non-temporal stores. */
static bool streams_by_itself(const struct generation *generation,
                              const struct tcplan_algorithm *structure) {
    const struct tcplan_contraction *contraction = generation->generator->problem->contraction;
    if (algorithm_copies(structure, TCPLAN_C)) return false;
    if (tcplan_contraction_indices(contraction, TCPLAN_CONTRACTED) & ~structure->group[TCPLAN_K])
        return false;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        if (generation->options.streams[p] &&
            provider_has_kernel((enum tcplan_provider)p, structure->kernel))
            return true;
    }
    return false;
}

/** Guesses the shortest time of any algorithm with a structure's copies, by the fastest provider,
 * with contracted loops or sums in the calls. */
static double guess_best(const struct generation *generation,
                         const struct tcplan_algorithm *structure) {
    double kernel_seconds = guess_kernels(generation, structure);
    if (structure->kernel == TCPLAN_GEMM && structure->group[TCPLAN_K]) {
        const struct tcplan_algorithm sums =
            summed_up(structure, generation->generator->problem->contraction);
        kernel_seconds = fmin(kernel_seconds, guess_kernels(generation, &sums));
    }
    struct tcplan_algorithm streamed = *structure;
    streamed.copy[TCPLAN_C].streamed = true;
    const double lines_seconds = arrangement_bound_seconds(&generation->least, structure, true);
    if (!streams_by_itself(generation, structure)) return kernel_seconds + lines_seconds;
    return kernel_seconds +
           fmin(lines_seconds, arrangement_bound_seconds(&generation->least, &streamed, true));
}

/** Returns whether a structure may be faster than the best so far; a structures_fn for
 * structures_options.may_win. */
static bool may_win(void *context, const struct tcplan_algorithm *structure) {
    struct generation *generation = context;
    generation->sketched++;
    return may_be_best(generation, guess_best(generation, structure));
}

/** Guesses the shortest time of any algorithm of a family. Only copies that the strides of a BLAS
 * require are assumed. */
static double guess_best_of_family(const struct generation *generation,
                                   const struct tcplan_algorithm *family) {
    struct tcplan_algorithm copied = *family;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        if (!algorithm_fits_in_place(family, generation->generator->problem->contraction, operand))
            copied.copy[t].depth = 0;
    }
    const double seconds = guess_best(generation, &copied);
    if (!estimates(generation)) return seconds;
    copied.copy[TCPLAN_C].depth = 0; /* copying the result permits non-temporal stores, which may
                                        save more than the copy costs */
    return fmin(seconds, guess_best(generation, &copied));
}

/** Adds a family with its guessed time; a structures_fn. */
static bool guess_family(void *context, const struct tcplan_algorithm *family) {
    struct generation *generation = context;
    if (sketches_add(&generation->families, family, guess_best_of_family(generation, family)))
        return true;
    generation->status = error_no_memory(generation->error);
    return false;
}

/** Returns options whose deadline is after a share of the remaining time for generating. */
static struct structures_options options_within(const struct generation *generation, double share) {
    struct structures_options options = generation->options;
    options.deadline = deadline_first(
        options.deadline, deadline_in_cpu(share * deadline_left_seconds(options.deadline)));
    return options;
}

static void find_families(struct generation *generation, const struct structures_options *options) {
    generation->families.most = MOST_FAMILIES;
    structures_families(options, guess_family, generation);
    sketches_sort(&generation->families);
}

/** Computes heuristic costs for the structures of all families until the deadline. Replaces the
 * guess of each family by the lowest cost. */
static void sketch_families(struct generation *generation, const struct structures_options *options,
                            enum structures_steps steps) {
    for (size_t f = 0; f < generation->families.count; f++) {
        struct sketch *family = &generation->families.sketch[f];
        generation->family_seconds = INFINITY;
        if (!structures_of_family(options, &family->structure, steps, sketch, generation)) break;
        if (isfinite(generation->family_seconds)) family->seconds = generation->family_seconds;
        if (generation->sketches.count > 0 && deadline_is_over(options->deadline)) break;
    }
}

/**
 * Computes heuristic costs for as many structures as time permits; all of them could take a
 * thousand times as long. Families are visited by increasing cost. Structures without divided
 * indices come first for all families, because there are many more with divided ones.
 */
static void sketch_promising(struct generation *generation) {
    const struct structures_options finding =
        options_within(generation, SKETCHING_SHARE * FAMILIES_SHARE);
    const struct structures_options without_steps =
        options_within(generation, SKETCHING_SHARE * WITHOUT_STEPS_SHARE);
    const struct structures_options in_steps = options_within(generation, SKETCHING_SHARE);
    find_families(generation, &finding);
    sketch_families(generation, &without_steps, STRUCTURES_WITHOUT_STEPS);
    sketches_sort(&generation->families);
    sketch_families(generation, &in_steps, STRUCTURES_IN_STEPS);
    sketches_sort(&generation->sketches);
}

static void notify_selected(const struct generation *generation) {
    for (size_t s = 0; s < generation->sketches.count; s++) {
        const struct sketch *sketch = &generation->sketches.sketch[s];
        tell(generation, TCPLAN_PLANNING_SELECTED, &sketch->structure, sketch->seconds);
    }
}

/** Computes heuristic costs, and arranges the structures with the lowest ones until the deadline.
 */
static void arrange_promising(struct generation *generation) {
    generation->sketches.most = generation->generator->structures;
    sketch_promising(generation);
    notify_selected(generation);
    for (size_t s = 0; s < generation->sketches.count && generation->status == TCPLAN_OK; s++) {
        if (!arrange(generation, &generation->sketches.sketch[s].structure)) break;
    }
}

/* Estimates. */

/** Arranges a structure with a heuristic cost, unless the best time now excludes it; false ends the
 * generation. */
static bool arrange_sketch(struct generation *generation, struct sketch *sketch) {
    const double seconds = sketch->seconds;
    sketch->seconds = INFINITY; /* excludes the structure from later arranging */
    if (!may_be_best(generation, seconds)) return true;
    generation->arranged++;
    return arrange(generation, &sketch->structure) && generation->status == TCPLAN_OK;
}

/** Arranges the structure with the lowest heuristic cost from `first` on; its estimate may exclude
 * others. False ends the generation. */
static bool arrange_best(struct generation *generation, size_t first) {
    struct sketches *sketches = &generation->sketches;
    size_t best = first;
    for (size_t s = first; s < sketches->count; s++) {
        if (sketches->sketch[s].seconds < sketches->sketch[best].seconds) best = s;
    }
    return first >= sketches->count || arrange_sketch(generation, &sketches->sketch[best]);
}

/**
 * Generates the answer of an estimate. Family by family, enumerates structures that may be faster
 * than the best so far and arranges the best one of each family. Then arranges the remaining
 * structures by cost. The lower bound excludes most structures, and the effort's counts limit the
 * rest.
 */
static void estimate_promising(struct generation *generation) {
    const struct effort_work work = generation->generator->work;
    struct structures_options options = generation->options;
    struct sketches *families = &generation->families, *sketches = &generation->sketches;
    bool goes_on = true;
    options.may_win = may_win;
    sketches->most = MOST_SKETCHES;
    sketches->by_guess = true;
    find_families(generation, &options);
    for (size_t f = 0; f < families->count && goes_on && generation->sketched < work.sketched;
         f++) {
        const size_t first = sketches->count;
        if (!may_be_best(generation, families->sketch[f].seconds)) break;
        structures_of_family(&options, &families->sketch[f].structure, STRUCTURES_ALL, sketch,
                             generation);
        goes_on = generation->status == TCPLAN_OK && arrange_best(generation, first);
    }
    sketches_sort(sketches);
    for (size_t s = 0; s < sketches->count && goes_on && generation->arranged < work.arranged;
         s++) {
        goes_on = arrange_sketch(generation, &sketches->sketch[s]);
    }
}

static void find_least(struct generation *generation) {
    generation->least =
        arrangement_bound_of(generation->generator->problem, generation->generator->machine);
    for (int streamed = 0; streamed < 2; streamed++)
        generation->tensors_seconds[streamed] =
            arrangement_bound_tensors_seconds(&generation->least, streamed != 0);
}

static void arrange_all(struct generation *generation) {
    generation->options = structures_of(generation->generator);
    find_least(generation);
    if (estimates(generation)) {
        estimate_promising(generation);
    } else if (generation->generator->structures > 0) {
        arrange_promising(generation);
    } else {
        structures_visit(&generation->options, arrange, generation);
    }
}

static enum tcplan_status prepare(struct generation *generation, int width) {
    const struct generator *generator = generation->generator;
    generation->arranger =
        arranger_new(generator->problem, generator->machine, width, generator->deadline);
    generation->arrangement = base_alloc((size_t)width * sizeof *generation->arrangement);
    return generation->arranger && generation->arrangement ? TCPLAN_OK
                                                           : error_no_memory(generation->error);
}

static enum tcplan_status finish(struct generation *generation) {
    arranger_free(generation->arranger);
    base_free(generation->arrangement);
    base_free(generation->structure);
    sketches_free(&generation->families);
    sketches_free(&generation->sketches);
    return generation->status;
}

static enum tcplan_status orders_of(const struct generator *generator,
                                    const struct canonical_product *product,
                                    struct tcplan_error *error) {
    struct generation generation = {.generator = generator, .product = product, .error = error};
    generation.structure =
        enumerator_structures(generator->problem->contraction, &generation.structure_count);
    if (!generation.structure) return error_no_memory(error);
    generation.orders = generator->orders / (int)generation.structure_count;
    if (generation.orders < ARRANGEMENTS) generation.orders = ARRANGEMENTS;
    generation.status =
        prepare(&generation, generation.orders > generator->beam_width ? generation.orders
                                                                       : generator->beam_width);
    if (generation.status == TCPLAN_OK) order_all(&generation);
    return finish(&generation);
}

static enum tcplan_status arrangements_of(const struct generator *generator,
                                          const struct canonical_product *product,
                                          struct tcplan_error *error) {
    struct generation generation = {.generator = generator, .product = product, .error = error};
    generation.status = prepare(&generation, generator->beam_width);
    if (generation.status == TCPLAN_OK) arrange_all(&generation);
    return finish(&generation);
}

/* The canonical product. */

/** Makes the canonical product of a generator's problem. Returns NULL if fusing is not requested,
 * has no effect, or memory runs out; *status is TCPLAN_OK except in the last case. */
static struct canonical_product *product_of(const struct generator *generator,
                                            enum tcplan_status *status,
                                            struct tcplan_error *error) {
    *status = TCPLAN_OK;
    if (!generator->fuses) return NULL;
    struct canonical_product *product = base_alloc(sizeof *product);
    if (!product) {
        *status = error_no_memory(error);
        return NULL;
    }
    canonical_product_make(product, generator->problem);
    if (!canonical_product_is_source(product)) return product;
    base_free(product);
    return NULL;
}

/** What to generate algorithms for: the canonical product, the problem itself, or both. */
struct fusion {
    struct canonical_product *product; /* canonical product; NULL: no indices can be fused */
    struct generator fused;            /* the generator for the canonical product */
    bool has_own; /* whether the structures of the problem itself are few enough to be enumerated */
    bool has_orders; /* whether the algorithms of the `blas` space are those of the canonical
                        product */
};

static enum tcplan_status fuse(struct fusion *out, const struct generator *generator,
                               struct tcplan_error *error) {
    enum tcplan_status status;
    *out = (struct fusion){.fused = *generator};
    out->has_own =
        !generator->fuses || structures_has_all_families(generator->problem->contraction);
    out->product = product_of(generator, &status, error);
    if (!out->product) return status;
    out->fused.problem = &out->product->problem;
    out->has_orders = !out->has_own && structures_has_all_families(&out->product->contraction);
    return status;
}

/** If the problem and its canonical product both have too many structures, nothing is generated
 * here: generate_arrangements() generates those with the largest kernels. */
enum tcplan_status generate_orders(const struct generator *generator, struct tcplan_error *error) {
    struct fusion fusion;
    enum tcplan_status status = fuse(&fusion, generator, error);
    if (status == TCPLAN_OK && fusion.has_own) status = orders_of(generator, NULL, error);
    if (status == TCPLAN_OK && fusion.has_orders)
        status = orders_of(&fusion.fused, fusion.product, error);
    base_free(fusion.product);
    return status;
}

/**
 * The structures of the canonical product come first: they have the largest kernels, and there are
 * few of them. If the problem itself can be enumerated, its own structures follow, which treat
 * parts of a fused index separately.
 */
enum tcplan_status generate_arrangements(const struct generator *generator,
                                         struct tcplan_error *error) {
    struct fusion fusion;
    enum tcplan_status status = fuse(&fusion, generator, error);
    if (status == TCPLAN_OK && (fusion.product || !fusion.has_own)) {
        if (!fusion.has_orders)
            fusion.fused.orders = 0; /* the limit 0 makes it include the algorithms of the `blas`
                                        space, which generate_orders() did not generate */
        if (fusion.has_own)
            fusion.fused.deadline = deadline_share(generator->deadline, FUSED_SHARE);
        status = arrangements_of(&fusion.fused, fusion.product, error);
    }
    base_free(fusion.product);
    return status == TCPLAN_OK && fusion.has_own ? arrangements_of(generator, NULL, error) : status;
}
