#include "plan/generate.h"

#include <math.h>
#include <string.h>

#include "ast/algorithm.h"
#include "ast/algorithm_check.h"
#include "ast/provider.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/indexset.h"
#include "cachesim/arrangement.h"
#include "gen/enumerate.h"
#include "gen/provider.h"
#include "gen/structures.h"
#include "microbench/program/share.h"
#include "plan/sketch.h"
#include "tcplan/blas.h"

/* Arrangements of a structure that are handed out. */
enum { ARRANGEMENTS = 3 };

/*
 * Of the time for generating this much at most is for telling which structures promise most: the enumeration is never the smaller part of what is
 * known of them. And of that time this much is for telling which families do.
 */
#define SKETCHING_SHARE 0.4
#define FAMILIES_SHARE 0.5
enum { MOST_FAMILIES = 1024 };

/** A generation in progress. */
struct generation {
    const struct generator *generator;
    struct arranger *arranger;
    struct arrangement *arrangement; /* as many as the arranger is wide */
    size_t structure_count;
    struct tcplan_algorithm *structure; /* of the `blas` space */
    int orders;                         /* of the loops of each */
    struct structures_options options;  /* of the `full` space */
    struct sketches families;
    struct sketches sketches;
    enum tcplan_status status;
    struct tcplan_error *error;
};

/* Threads around the kernels. */

/** Iterations of a loop, the first where tiles differ. */
static int64_t loop_extent(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm, int loop) {
    const int number = algorithm->loop[loop];
    const int index = algorithm_source_index(algorithm, problem->contraction, number);
    const int64_t extent = problem->extent[index];
    for (int s = 0; s < algorithm->split_count; s++) {
        const int64_t step = algorithm->split[s].step;
        if (algorithm->split[s].index != index) continue;
        return number == index ? (step < extent ? step : extent) : (extent + step - 1) / step;
    }
    return extent;
}

double generate_share(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm, int threads) {
    if (algorithm->parallel < 0) return 1;
    const int64_t extent = loop_extent(problem, algorithm, algorithm->parallel);
    const int64_t most = (extent + threads - 1) / threads;
    return (double)most / (double)extent;
}

/** The outermost loop that so many threads may share; -1: none. */
static int loop_to_share(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm, int threads) {
    for (int l = 0; l < algorithm->loop_count; l++) {
        const int index = algorithm_source_index(algorithm, problem->contraction, algorithm->loop[l]);
        if (problem->contraction->index[index].kind == TCPLAN_CONTRACTED) continue;
        if (loop_extent(problem, algorithm, l) >= threads) return l;
    }
    return -1;
}

/** Makes a loop the outermost one. Copies of what varies with it come inside of it; others that were outside of all loops stay there. */
static void move_outside(struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction, int number) {
    const int index = algorithm_source_index(algorithm, contraction, number);
    int place = 0;
    while (algorithm->loop[place] != number) place++;
    memmove(algorithm->loop + 1, algorithm->loop, (size_t)place);
    algorithm->loop[0] = (uint8_t)number;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        int8_t *depth = &algorithm->copy[t].depth;
        const bool varies = indexset_has(contraction->tensor[t].indices, index);
        if (*depth >= 0 && *depth <= place && (varies || *depth > 0)) ++*depth;
    }
}

/**
 * Lets threads share a loop of an arrangement: the one that its structure names, which comes outermost, or else the outermost that has
 * work for all.
 */
static bool share_loop(struct tcplan_algorithm *algorithm, const struct tcplan_problem *problem, const struct tcplan_algorithm *structure,
                       int threads) {
    if (structure->parallel >= 0) {
        move_outside(algorithm, problem->contraction, structure->loop[structure->parallel]);
    } else {
        algorithm->parallel = (int8_t)loop_to_share(problem, algorithm, threads);
    }
    return algorithm->parallel >= 0;
}

/* Structures. */

/** The call of a structure; false where there is none, or memory is out, as the generation's status then says. */
static bool call_of(struct generation *generation, struct blas_call *call, double *calls, const struct tcplan_algorithm *structure) {
    const struct tcplan_problem *problem = generation->generator->problem;
    const enum tcplan_status status = blas_call_of(call, calls, problem, structure, generation->error);
    if (status == TCPLAN_NO_MEMORY) generation->status = status;
    return status == TCPLAN_OK && blas_call_provider_applies(call, problem->dtype, call->provider);
}

/** The calls of a structure, and what one takes. */
struct rated_call {
    struct blas_call call;
    double calls;
    struct call_time time;
    int threads; /**< of each */
};

static bool hand_out(const struct generation *generation, const struct arrangement *arrangement, const struct rated_call *rated) {
    const struct generator *generator = generation->generator;
    const struct tcplan_problem *problem = generator->problem;
    struct generated generated = {.algorithm = arrangement->algorithm, .calls = rated->calls};
    const bool is_shared = generated.algorithm.parallel >= 0;
    const struct estimate_task task = {.models = generator->models,
                                       .problem = problem,
                                       .call = &rated->call,
                                       .call_time = rated->time,
                                       .calls = rated->calls * generate_share(problem, &generated.algorithm, generator->threads),
                                       .threads = rated->threads,
                                       .threads_around = is_shared ? generator->threads : 1,
                                       .arrangement = arrangement};
    generated.estimate = estimate_of(&task);
    algorithm_canonical(&generated.algorithm, problem->contraction);
    return generator->take(generator->context, &generated);
}

/** An arrangement of a structure of the `full` space. Those of the `blas` space were handed out before. */
static bool hand_out_new(const struct generation *generation, const struct arrangement *arrangement, const struct rated_call *rated) {
    const struct generator *generator = generation->generator;
    struct tcplan_algorithm canonical = arrangement->algorithm;
    algorithm_canonical(&canonical, generator->problem->contraction);
    if (generator->orders > 0 && tcplan_algorithm_in_blas_space(&canonical, generator->problem->contraction)) return true;
    return hand_out(generation, arrangement, rated);
}

static bool hand_out_shared(const struct generation *generation, const struct tcplan_algorithm *structure,
                            const struct arrangement *arrangement, const struct rated_call *rated) {
    const struct generator *generator = generation->generator;
    struct arrangement shared = *arrangement;
    if (!share_loop(&shared.algorithm, generator->problem, structure, generator->threads)) return true;
    return hand_out_new(generation, &shared, rated);
}

static void rate_call(struct rated_call *rated, const struct generator *generator, int threads, double doubtful_ns) {
    rated->threads = threads;
    rated->time = generator->call_time(generator->context, &rated->call, threads, doubtful_ns);
    if (rated->time.ns < 0) rated->time.ns = INFINITY;
}

/** Calls made by one of several threads; INFINITY where threads are not asked for or the provider cannot make it. */
static struct rated_call rated_by_one(const struct generator *generator, const struct rated_call *rated, double doubtful_ns) {
    struct rated_call one = *rated;
    one.time = (struct call_time){.ns = INFINITY};
    if (generator->threads > 1 && share_is_possible()) rate_call(&one, generator, 1, generator->threads * doubtful_ns);
    return one;
}

/** A structures_fn. */
static bool arrange(void *context, const struct tcplan_algorithm *structure) {
    struct generation *generation = context;
    const struct generator *generator = generation->generator;
    struct rated_call rated = {.time = {.ns = INFINITY}};
    if (!call_of(generation, &rated.call, &rated.calls, structure)) return generation->status == TCPLAN_OK;
    const bool is_shared = structure->parallel >= 0;
    const double most_ns = generator->most_kernel_seconds(generator->context) * 1e9 / rated.calls;
    if (!is_shared) rate_call(&rated, generator, generator->threads, most_ns);
    if (!is_shared && isinf(rated.time.ns)) return true;
    const struct rated_call by_one = rated_by_one(generator, &rated, most_ns);
    const double least_ns = fmin(rated.time.ns, by_one.time.ns / generator->threads);
    if (!(least_ns <= most_ns)) {
        if (generator->tell) generator->tell(generator->context, TCPLAN_PLANNING_SLOW_KERNEL, structure, 1e-9 * least_ns * rated.calls);
        return true;
    }
    const int found = arrangements_best(generation->arranger, generation->arrangement, structure);
    for (int a = 0; a < found && a < ARRANGEMENTS; a++) {
        const struct arrangement *arrangement = &generation->arrangement[a];
        if (!is_shared && !hand_out_new(generation, arrangement, &rated)) return false;
        if (isfinite(by_one.time.ns) && !hand_out_shared(generation, structure, arrangement, &by_one)) return false;
    }
    return !deadline_is_over(generator->deadline);
}

static bool order(struct generation *generation, const struct tcplan_algorithm *structure) {
    const struct generator *generator = generation->generator;
    struct rated_call rated = {.time = {.ns = INFINITY}};
    const bool has_call = call_of(generation, &rated.call, &rated.calls, structure);
    if (generation->status != TCPLAN_OK) return false;
    if (has_call) rate_call(&rated, generator, generator->threads, INFINITY);
    if (isinf(rated.time.ns)) return generator->refuse(generator->context, structure);
    const int found = arrangements_by_rules(generation->arranger, generation->arrangement, structure);
    for (int a = 0; a < found && a < generation->orders; a++) {
        if (!hand_out(generation, &generation->arrangement[a], &rated)) return false;
    }
    return !deadline_is_over(generator->deadline);
}

/** The papers' structures from the last on: the enumeration ends with the kernels that do most in a call. */
static void order_all(struct generation *generation) {
    bool more = true;
    for (size_t s = generation->structure_count; s-- > 0 && more;) more = order(generation, &generation->structure[s]);
}

/* All structures. */

static struct structures_options structures_of(const struct generator *generator) {
    const struct tcplan_problem *problem = generator->problem;
    const struct tcplan_machine *machine = generator->machine;
    struct structures_options options = {.problem = problem,
                                         .threads = share_is_possible() ? generator->threads : 1,
                                         .line_elems = machine->line_bytes / (int64_t)problem->element_bytes,
                                         .deadline = generator->deadline};
    if (options.line_elems < 1) options.line_elems = 1;
    for (int c = 0; c < STRUCTURES_NEAR_CACHES; c++) {
        const int64_t bytes = c < machine->cache_count ? machine->cache[c].size_bytes : 1 << (15 + 4 * c);
        options.near_elems[c] = bytes / (int64_t)problem->element_bytes;
    }
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        struct tcplan_provider_info info;
        options.provider[p] = tcplan_provider_info(&info, (enum tcplan_provider)p);
    }
    return options;
}

/** A structures_fn. */
static bool sketch(void *context, const struct tcplan_algorithm *structure) {
    struct generation *generation = context;
    const struct generator *generator = generation->generator;
    double calls;
    const struct blas_call call = sketch_call(&calls, generator->problem, structure);
    const double kernel_seconds = 1e-9 * calls * generator->guess_call(generator->context, &call);
    const double copies_seconds = arrangement_copies_seconds(generator->problem, generator->machine, structure);
    if (sketches_add(&generation->sketches, structure, kernel_seconds + copies_seconds)) return true;
    generation->status = error_no_memory(generation->error);
    return false;
}

/** The fastest that a provider's kernel makes all calls of a family, by a guess. */
static double guess_kernels(const struct generation *generation, struct tcplan_algorithm family) {
    const struct generator *generator = generation->generator;
    double least_ns = INFINITY;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        double calls;
        family.provider = (enum tcplan_provider)p;
        if (!generation->options.provider[p] || !provider_has_kernel(family.provider, family.kernel)) continue;
        const struct blas_call call = sketch_call(&calls, generator->problem, &family);
        least_ns = fmin(least_ns, calls * generator->guess_call(generator->context, &call));
    }
    return 1e-9 * least_ns;
}

/** The family whose calls sum up all contracted loops. */
static struct tcplan_algorithm summed_up(const struct tcplan_algorithm *family, const struct tcplan_contraction *contraction) {
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

/** A structures_fn: what the best of a family may take, with the copies without which no kernel of it can be called, but for those that take any strides. */
static bool guess_family(void *context, const struct tcplan_algorithm *family) {
    struct generation *generation = context;
    const struct tcplan_problem *problem = generation->generator->problem;
    double kernel_seconds = guess_kernels(generation, *family);
    struct tcplan_algorithm copied = *family;
    if (family->kernel == TCPLAN_GEMM && family->group[TCPLAN_K]) {
        kernel_seconds = fmin(kernel_seconds, guess_kernels(generation, summed_up(family, problem->contraction)));
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!algorithm_fits_in_place(family, problem->contraction, (enum tcplan_operand)t)) copied.copy[t].depth = 0;
    }
    const double copies_seconds = arrangement_copies_seconds(problem, generation->generator->machine, &copied);
    if (sketches_add(&generation->families, family, kernel_seconds + copies_seconds)) return true;
    generation->status = error_no_memory(generation->error);
    return false;
}

/** Until a part of the time that is left for generating is over. */
static struct structures_options options_within(const struct generation *generation, double share) {
    struct structures_options options = generation->options;
    options.deadline = deadline_first(options.deadline, deadline_in_cpu(share * deadline_left_seconds(options.deadline)));
    return options;
}

/** As many structures as there is time for, those of the families first that promise most: an enumeration to its end may take a thousand times as long. */
static void sketch_promising(struct generation *generation) {
    const struct structures_options finding = options_within(generation, SKETCHING_SHARE * FAMILIES_SHARE);
    const struct structures_options sketching = options_within(generation, SKETCHING_SHARE);
    generation->families.most = MOST_FAMILIES;
    structures_families(&finding, guess_family, generation);
    sketches_sort(&generation->families);
    for (size_t f = 0; f < generation->families.count; f++) {
        if (!structures_of_family(&sketching, &generation->families.sketch[f].structure, sketch, generation)) break;
        if (generation->sketches.count > 0 && deadline_is_over(sketching.deadline)) break;
    }
    sketches_sort(&generation->sketches);
}

static void tell_sketches(const struct generation *generation) {
    const struct generator *generator = generation->generator;
    for (size_t s = 0; s < generation->sketches.count && generator->tell; s++) {
        const struct sketch *sketch = &generation->sketches.sketch[s];
        generator->tell(generator->context, TCPLAN_PLANNING_SKETCHED, &sketch->structure, sketch->seconds);
    }
}

/** The structures that promise most, as many as there is time for. */
static void arrange_promising(struct generation *generation) {
    generation->sketches.most = generation->generator->structures;
    sketch_promising(generation);
    tell_sketches(generation);
    for (size_t s = 0; s < generation->sketches.count && generation->status == TCPLAN_OK; s++) {
        if (!arrange(generation, &generation->sketches.sketch[s].structure)) break;
    }
}

static void arrange_all(struct generation *generation) {
    generation->options = structures_of(generation->generator);
    if (generation->generator->structures > 0) {
        arrange_promising(generation);
    } else {
        structures_visit(&generation->options, arrange, generation);
    }
}

static enum tcplan_status prepare(struct generation *generation, int width) {
    const struct generator *generator = generation->generator;
    generation->arranger = arranger_new(generator->problem, generator->machine, width, generator->deadline);
    generation->arrangement = base_alloc((size_t)width * sizeof *generation->arrangement);
    return generation->arranger && generation->arrangement ? TCPLAN_OK : error_no_memory(generation->error);
}

static enum tcplan_status finish(struct generation *generation) {
    arranger_free(generation->arranger);
    base_free(generation->arrangement);
    base_free(generation->structure);
    sketches_free(&generation->families);
    sketches_free(&generation->sketches);
    return generation->status;
}

enum tcplan_status generate_orders(const struct generator *generator, struct tcplan_error *error) {
    struct generation generation = {.generator = generator, .error = error};
    generation.structure = enumerator_structures(generator->problem->contraction, &generation.structure_count);
    if (!generation.structure) return error_no_memory(error);
    generation.orders = generator->orders / (int)generation.structure_count;
    if (generation.orders < ARRANGEMENTS) generation.orders = ARRANGEMENTS;
    generation.status = prepare(&generation, generation.orders > generator->beginnings ? generation.orders : generator->beginnings);
    if (generation.status == TCPLAN_OK) order_all(&generation);
    return finish(&generation);
}

enum tcplan_status generate_arrangements(const struct generator *generator, struct tcplan_error *error) {
    struct generation generation = {.generator = generator, .error = error};
    generation.status = prepare(&generation, generator->beginnings);
    if (generation.status == TCPLAN_OK) arrange_all(&generation);
    return finish(&generation);
}
