#include "plan/explain.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm/algorithm_check.h"
#include "ast/nest/heuristics.h"
#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/units.h"
#include "microbench/predict/repeated.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/load.h"
#include "microbench/timing/session.h"
#include "microbench/timing/statistics.h"
#include "plan/options.h"
#include "plan/rank.h"
#include "store/code_stored.h"

enum { STRATA_SAMPLES = 8 };

/* Share by which the sum of separately timed parts may exceed the whole. */
#define MISFIT_SHARE 0.1

/* Smallest relative difference that eight alternating samples can show. */
#define TIE_SHARE 0.05

/** The winner or loser while it is explained: its nest and its windows. */
struct dissection {
    const struct tcplan_entry *entry;
    struct tcplan_explained *out;
    struct tcplan_nest *nest;
    struct window window;
};

/** State of an explanation. */
struct explainer {
    struct tcplan_explanation *explanation;
    struct tcplan_ranking *ranking;
    struct tcplan_rank_options options;
    struct kernel_maker maker;
    struct tcplan_entry unlisted; /**< entry of a loser that the ranking does not list */
    struct dissection side[TCPLAN_EXPLAINED_SIDES];
};

static void report(const struct explainer *explainer, double done, double total) {
    if (explainer->options.progress)
        explainer->options.progress(explainer->options.progress_context, "explaining", done, total);
}

/** Returns the position of an algorithm's entry; entry_count if there is none. */
static size_t find_entry(const struct tcplan_ranking *ranking,
                         const struct tcplan_algorithm *algorithm) {
    size_t place = 0;
    while (place < ranking->entry_count &&
           !tcplan_algorithm_equal(&ranking->entry[place].algorithm, algorithm))
        place++;
    return place;
}

/** Returns the position of the fastest entry that is not tied with the chosen one. If all are
 * tied, returns the fastest entry other than the chosen one; entry_count: none. */
static size_t find_runner_up(const struct tcplan_ranking *ranking, size_t chosen) {
    for (size_t place = 0; place < ranking->entry_count && ranking->entry[place].predicted;
         place++) {
        if (place != chosen && !ranking->entry[place].tied) return place;
    }
    const size_t other = chosen == 0 ? 1 : 0;
    const bool has_other =
        other < ranking->entry_count && ranking->entry[other].status != TCPLAN_ENTRY_NOT_APPLICABLE;
    return has_other ? other : ranking->entry_count;
}

/** Returns the entry at a position of the ranking; the position after the last one is the unlisted
 * loser. */
static const struct tcplan_entry *entry_at(const struct explainer *explainer, size_t place) {
    return place < explainer->ranking->entry_count ? &explainer->ranking->entry[place]
                                                   : &explainer->unlisted;
}

static void take_side(struct explainer *explainer, size_t place) {
    struct tcplan_explanation *explanation = explainer->explanation;
    const struct tcplan_entry *entry = entry_at(explainer, place);
    struct tcplan_explained *out = &explanation->side[explanation->side_count];
    *out = (struct tcplan_explained){.algorithm = entry->algorithm,
                                     .place = place,
                                     .pruned = !entry->predicted,
                                     .tied = entry->tied,
                                     .prediction = entry->prediction,
                                     .estimate_seconds = entry->estimate_seconds,
                                     .kernel_source = entry->kernel_source,
                                     .copy_source = entry->copy_source};
    explainer->side[explanation->side_count++] = (struct dissection){.entry = entry, .out = out};
}

static enum tcplan_status choose_sides(struct explainer *explainer,
                                       const struct tcplan_algorithm *algorithm,
                                       struct tcplan_error *error) {
    const struct tcplan_ranking *ranking = explainer->ranking;
    if (tcplan_problem_only_scales(&ranking->problem)) {
        error_set(
            error, TCPLAN_NOT_APPLICABLE,
            "nothing is multiplied at these sizes: the result is scaled, whatever the algorithm");
        return TCPLAN_NOT_APPLICABLE;
    }
    if (ranking->entry_count == 0 || !ranking->entry[0].predicted) {
        error_set(
            error, TCPLAN_NOT_APPLICABLE,
            "no algorithm can run at these sizes: strides or matrices exceed what kernels take");
        return TCPLAN_NOT_APPLICABLE;
    }
    const enum tcplan_status status =
        algorithm ? algorithm_check(algorithm, ranking->problem.contraction, error) : TCPLAN_OK;
    if (status != TCPLAN_OK) return status;
    const size_t chosen = (size_t)(tcplan_ranking_chosen(ranking) - ranking->entry);
    size_t place = algorithm ? find_entry(ranking, algorithm) : chosen;
    if (place == ranking->entry_count) {
        explainer->unlisted = (struct tcplan_entry){.algorithm = *algorithm,
                                                    .threads = explainer->options.threads,
                                                    .status = TCPLAN_ENTRY_OPEN,
                                                    .ordinal = place,
                                                    .estimate_seconds = INFINITY};
    } else if (place == chosen) {
        place = find_runner_up(ranking, chosen);
        algorithm = NULL;
    }
    take_side(explainer, chosen);
    if (place == ranking->entry_count && !algorithm) return TCPLAN_OK;
    take_side(explainer, place); /* a failure is reported when the kernel is bound */
    return TCPLAN_OK;
}

/** Returns the bytes of a slice that a call touches, in whole lines or pages. */
static double footprint_bytes(const struct refined_problem *problem, struct tcplan_slice slice,
                              int64_t unit_bytes) {
    static const int64_t nowhere[TCPLAN_MAX_INDICES] = {0};
    const struct region_scope scope = {.at = nowhere, .fixed = UINT64_MAX, .ranged = -1};
    const struct region region = region_of(problem, slice, false, &scope);
    return region_footprint_bytes(&region, unit_bytes);
}

/** Returns the nearest cache that holds both the data touched since the last use and the lines of
 * the call itself. */
static int level_of(const struct tcplan_machine *machine, double distance_bytes,
                    double call_bytes) {
    int level = 0;
    while (level < machine->cache_count &&
           (double)machine->cache[level].size_bytes < distance_bytes + call_bytes)
        level++;
    return level;
}

/**
 * Describes where an operand of the calls comes from.
 *
 * @param problem     the nest's refined problem
 * @param call_bytes  lines of all operands of a call
 */
static struct tcplan_explained_operand explain_operand(const struct tcplan_explanation *explanation,
                                                       const struct refined_problem *problem,
                                                       const struct tcplan_access *access,
                                                       double call_bytes, int64_t calls) {
    const struct tcplan_machine *machine = &explanation->machine;
    const double element_bytes = (double)problem->written.element_bytes;
    const double line_bytes = footprint_bytes(problem, access->slice, machine->line_bytes);
    const double page_bytes = footprint_bytes(problem, access->slice, explanation->page_bytes);
    struct tcplan_explained_operand out = {
        .slice = access->slice,
        .bytes = access->elems * (int64_t)problem->written.element_bytes,
        .never = access->never,
        .distance_bytes = access->never ? INFINITY : (double)access->distance_elems * element_bytes,
        .prefetched = access->prefetched,
        .lines = line_bytes / (double)machine->line_bytes,
        .pages = page_bytes / (double)explanation->page_bytes,
        .total_traffic_bytes = line_bytes * (double)calls};
    out.used_share = fmin(1, (double)out.bytes / line_bytes);
    out.level = level_of(machine, out.distance_bytes, call_bytes);
    out.prefetch_level = out.level;
    if (out.prefetched)
        out.prefetch_level =
            level_of(machine, (double)access->prefetch_distance_elems * element_bytes, call_bytes);
    if (out.prefetch_level > out.level) out.prefetch_level = out.level;
    return out;
}

static void note_analysis(const struct tcplan_explanation *explanation,
                          const struct dissection *side, const struct tcplan_analysis *analysis) {
    const struct tcplan_access *access = analysis->call_class[0].access;
    struct tcplan_explained *out = side->out;
    double call_bytes = 0;
    const struct refined_problem problem =
        problem_refine(&explanation->problem, side->nest->refinement);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        call_bytes += footprint_bytes(&problem, access[t].slice, explanation->machine.line_bytes);
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        out->operand[t] =
            explain_operand(explanation, &problem, &access[t], call_bytes, analysis->calls);
    }
    out->class_count = analysis->class_count;
    for (int c = 0; c < analysis->class_count; c++) {
        const struct tcplan_call_class *from = &analysis->call_class[c];
        out->call_class[c] = (struct tcplan_explained_class){
            .kind = from->kind, .loop = from->loop, .calls = from->calls};
    }
}

static enum tcplan_status analyse(const struct explainer *explainer, struct dissection *side,
                                  struct tcplan_error *error) {
    const struct tcplan_explanation *explanation = explainer->explanation;
    struct tcplan_analysis_options options = tcplan_analysis_defaults(&explanation->machine);
    struct tcplan_analysis *analysis = NULL;
    options.cache = explainer->options.cache;
    enum tcplan_status status =
        tcplan_analysis_build(&analysis, side->nest, &explanation->problem, &options, error);
    if (status == TCPLAN_OK) note_analysis(explanation, side, analysis);
    tcplan_analysis_free(analysis);
    return status;
}

static enum tcplan_status start_side(struct explainer *explainer, struct dissection *side,
                                     struct tcplan_error *error) {
    assert(side->entry);
    const struct tcplan_problem *problem = &explainer->ranking->problem;
    struct window_settings settings = window_settings_for(
        &explainer->explanation->machine, explainer->options.cache, WINDOW_STANDARD);
    settings.threads = side->entry->threads;
    settings.maker = &explainer->maker;
    blas_set_threads(side->entry->threads);
    const uint64_t seed = explainer->options.seed << 32 ^ side->entry->ordinal ^ (uint64_t)1 << 30;
    struct buffers *buffers;
    enum tcplan_status status =
        ranking_buffers(&buffers, explainer->ranking, &explainer->options, error);
    if (status == TCPLAN_OK)
        status =
            tcplan_nest_build(&side->nest, problem->contraction, &side->entry->algorithm, error);
    if (status == TCPLAN_OK) status = analyse(explainer, side, error);
    if (status == TCPLAN_OK)
        status = window_init(&side->window, side->nest, problem, buffers, &settings, seed, error);
    return status;
}

static enum tcplan_status time_kernel(struct dissection *side, struct tcplan_error *error) {
    double sample_ns[REPEATED_REPETITIONS];
    enum tcplan_status status = repeated_kernel(&side->window, sample_ns, error);
    if (status != TCPLAN_OK) return status;
    side->out->kernel_seconds =
        statistics_median(sample_ns, REPEATED_REPETITIONS) * SECONDS_PER_NS * side->out->share;
    status = repeated_smallest(&side->window, sample_ns, error);
    side->out->smallest_call_seconds =
        statistics_median(sample_ns, REPEATED_REPETITIONS) * SECONDS_PER_NS;
    return status;
}

/** Samples winner and loser alternately, so that drift affects both equally. */
static enum tcplan_status sample_sides(struct explainer *explainer, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int sample = 0; sample < STRATA_SAMPLES; sample++) {
        report(explainer, sample, STRATA_SAMPLES);
        for (int s = 0; s < explainer->explanation->side_count && status == TCPLAN_OK; s++) {
            blas_set_threads(explainer->side[s].entry->threads);
            status = window_sample(&explainer->side[s].window, error);
        }
    }
    return status;
}

/** Returns which share of the sampled time a part of `ns` nanoseconds takes. */
static double share_of_samples(const struct window *window, double ns) {
    double total_ns = window->strata.calls_ns;
    for (int r = 0; r < window->rare_count; r++) total_ns += window->strata.rare_ns[r];
    return ns / total_ns;
}

static struct tcplan_explained_copy describe(const struct window *window,
                                             const struct operation *operation) {
    const struct tcplan_node *node = operation->node;
    struct tcplan_explained_copy copy = {.kind = node->kind,
                                         .times = program_occurrences(window->program, operation)};
    if (node->kind == TCPLAN_NODE_SCALE) {
        copy.to = node->scale.slice;
    } else {
        copy.to = node->copy.to;
        copy.from = node->copy.from;
        copy.summed = node->copy.summed;
        copy.accumulates = update_reads(&node->copy.update);
        copy.streamed = heuristics_stream(&window->problem, &node->copy);
    }
    return copy;
}

/** Sets the time of a copy or scaling: from samples if these time it separately, otherwise by
 * repeating it with warm caches. */
static enum tcplan_status time_copy(struct dissection *side, const struct operation *operation,
                                    struct tcplan_explained_copy *copy,
                                    struct tcplan_error *error) {
    struct window *window = &side->window;
    for (int r = 0; r < window->rare_count; r++) {
        if (window->rare[r].operation != operation) continue;
        copy->apart = true;
        copy->seconds =
            side->out->prediction.seconds * share_of_samples(window, window->strata.rare_ns[r]);
        return TCPLAN_OK;
    }
    double sample_ns[REPEATED_REPETITIONS];
    enum tcplan_status status = repeated_operation(window, operation, sample_ns, error);
    const bool is_divided = program_divides(window->program, operation);
    const double share = is_divided ? 1.0 / window->program->sharing.threads
                                    : program_largest_share(window->program, operation);
    if (status == TCPLAN_OK)
        copy->seconds = statistics_median(sample_ns, REPEATED_REPETITIONS) * SECONDS_PER_NS * share;
    return status;
}

static enum tcplan_status time_copies(struct dissection *side, const struct operation *body,
                                      struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (const struct operation *o = body; o && status == TCPLAN_OK; o = o->next) {
        if (o->kind == OPERATION_LOOP) status = time_copies(side, o->body, error);
        if (o->kind != OPERATION_COPY && o->kind != OPERATION_SCALE) continue;
        assert(side->out->copy_count < TCPLAN_MAX_EXPLAINED_COPIES);
        struct tcplan_explained_copy *copy = &side->out->copy[side->out->copy_count++];
        *copy = describe(&side->window, o);
        status = time_copy(side, o, copy, error);
    }
    return status;
}

bool explain_divide(struct tcplan_explained *side, double scale) {
    double *part = side->part_seconds;
    double within_seconds = side->kernel_seconds;
    for (int c = 0; c < side->copy_count; c++)
        within_seconds += side->copy[c].apart ? 0 : side->copy[c].seconds;
    const double most_scale = within_seconds > 0 ? side->stretch_seconds / within_seconds : scale;
    const double used_scale = fmin(scale, most_scale);
    const double kernel_seconds = used_scale * side->kernel_seconds;
    side->scale = used_scale;
    part[TCPLAN_PART_OVERHEAD] =
        fmin(used_scale * side->smallest_call_seconds * (double)side->calls * side->share,
             kernel_seconds);
    part[TCPLAN_PART_KERNEL] = kernel_seconds - part[TCPLAN_PART_OVERHEAD];
    part[TCPLAN_PART_COPIES] = 0;
    for (int c = 0; c < side->copy_count; c++) {
        if (!side->copy[c].apart) side->copy[c].seconds *= used_scale;
        part[TCPLAN_PART_COPIES] += side->copy[c].seconds;
    }
    part[TCPLAN_PART_WAITING] =
        fmax(0, side->prediction.seconds - kernel_seconds - part[TCPLAN_PART_COPIES]);
    return scale <= (1 + MISFIT_SHARE) * most_scale;
}

/** Returns whether the ranking compared the winner with the loser. */
static bool was_compared(const struct explainer *explainer, const struct dissection *side) {
    return explainer->side[TCPLAN_WINNER].entry->compared && side->entry->compared;
}

/** Sets the time of a loser that was not compared, from the alternating samples. */
static void predict_loser(struct explainer *explainer, const struct dissection *loser,
                          struct tcplan_estimate sampled) {
    const struct dissection *winner = &explainer->side[TCPLAN_WINNER];
    const double factor = winner->out->prediction.seconds / winner->out->sampled_seconds;
    struct tcplan_estimate *prediction = &loser->out->prediction;
    *prediction = sampled;
    prediction->seconds *= factor;
    prediction->low *= factor;
    prediction->high *= factor;
    for (int s = 0; s < prediction->sample_count; s++) prediction->sample[s] *= factor;
    loser->out->tied =
        fabs(log(prediction->seconds / winner->out->prediction.seconds)) <= log(1 + TIE_SHARE);
}

static enum tcplan_status dissect(struct explainer *explainer, struct dissection *side,
                                  struct tcplan_error *error) {
    struct tcplan_explained *out = side->out;
    const struct window *window = &side->window;
    const struct tcplan_estimate sampled =
        statistics_mean_estimate(window->sample_ns, window->sample_count);
    out->sampled_seconds = sampled.seconds;
    if (side != &explainer->side[TCPLAN_WINNER] && !was_compared(explainer, side))
        predict_loser(explainer, side, sampled);
    out->calls = window->total_calls;
    out->stretch_seconds =
        out->prediction.seconds * share_of_samples(window, window->strata.calls_ns);
    out->share = program_largest_share(window->program, window->program->kernel);
    out->call_seconds = out->stretch_seconds / ((double)out->calls * out->share);
    const int before = blas_set_threads(window->program->shared ? 1 : side->entry->threads);
    enum tcplan_status status = time_kernel(side, error);
    if (status == TCPLAN_OK) status = time_copies(side, window->program->body, error);
    blas_set_threads(before);
    out->kernel_gflops = explainer->explanation->problem.product_flops / out->kernel_seconds * 1e-9;
    if (!explain_divide(out, out->prediction.seconds / out->sampled_seconds))
        explainer->explanation->unreliable = true;
    explainer->explanation->load.windows += window->taken;
    explainer->explanation->load.disturbed += window->disturbed;
    return status;
}

static enum tcplan_status explain_sides(struct explainer *explainer, struct tcplan_error *error) {
    const int count = explainer->explanation->side_count;
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < count && status == TCPLAN_OK; s++)
        status = start_side(explainer, &explainer->side[s], error);
    if (status == TCPLAN_OK) status = sample_sides(explainer, error);
    for (int s = 0; s < count && status == TCPLAN_OK; s++)
        status = dissect(explainer, &explainer->side[s], error);
    for (int s = 0; s < count; s++) {
        window_free(&explainer->side[s].window);
        tcplan_nest_free(explainer->side[s].nest);
    }
    return status;
}

/** Explains on one core, with the ranking's number of BLAS threads. */
static enum tcplan_status explain_as_ranked(struct explainer *explainer,
                                            struct tcplan_error *error) {
    struct tcplan_explanation *explanation = explainer->explanation;
    const struct load_mark mark = load_begin();
    struct session session;
    enum tcplan_status status = session_begin(&session, explainer->options.threads, error);
    if (status == TCPLAN_OK) status = explain_sides(explainer, error);
    session_end(&session);
    const struct load_report load = load_end(&mark);
    const double seconds = SECONDS_PER_NS * (double)(clock_now_ns() - mark.wall_ns);
    explanation->load.lost_share = load.lost_share;
    explanation->load.other_cores = load.other_cores;
    explanation->unreliable =
        explanation->unreliable || tcplan_load_disturbs(&explanation->load, seconds);
    return status;
}

static enum tcplan_status choose_machine(struct explainer *explainer, struct tcplan_error *error) {
    struct tcplan_explanation *explanation = explainer->explanation;
    enum tcplan_status status = TCPLAN_OK;
    if (explainer->options.machine) {
        explanation->machine = *explainer->options.machine;
    } else {
        status = tcplan_machine_load(&explanation->machine, "live", error);
    }
    explanation->page_bytes = explanation->machine.page_bytes;
    return status;
}

enum tcplan_status tcplan_explain(struct tcplan_explanation **out, struct tcplan_ranking *ranking,
                                  const struct tcplan_algorithm *algorithm,
                                  const struct tcplan_rank_options *options,
                                  struct tcplan_error *error) {
    struct tcplan_explanation *explanation = base_alloc(sizeof *explanation);
    if (!explanation) return error_no_memory(error);
    *explanation = (struct tcplan_explanation){.problem = ranking->problem};
    struct explainer explainer = {.explanation = explanation,
                                  .ranking = ranking,
                                  .options = options ? *options : tcplan_rank_defaults()};
    explainer.maker.keeper = store_code_keeper(explainer.options.code);
    enum tcplan_status status = rank_options_check(&explainer.options, error);
    if (status == TCPLAN_OK) status = choose_sides(&explainer, algorithm, error);
    if (status == TCPLAN_OK) status = choose_machine(&explainer, error);
    if (status == TCPLAN_OK) status = explain_as_ranked(&explainer, error);
    if (status == TCPLAN_OK) {
        explain_reasons(explanation);
        *out = explanation;
    } else {
        tcplan_explanation_free(explanation);
    }
    return status;
}

void tcplan_explanation_free(struct tcplan_explanation *explanation) {
    base_free(explanation);
}
