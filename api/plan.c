#include "api/plan.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/improving.h"
#include "api/planner.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/strbuf.h"
#include "microbench/program/program.h"
#include "tcplan/blas.h"
#include "tcplan/emit.h"

/* Making plans. */

/** Makes `plan->burst`, if an instance is one. */
static enum tcplan_status make_burst(struct tcplan_plan *plan, const struct instance *instance,
                                     struct tcplan_error *error) {
    struct program_burst burst;
    if (!instance->reads_factors || !program_burst_of(&burst, instance->program, plan->threads))
        return TCPLAN_OK;
    plan->burst = base_alloc(sizeof burst);
    if (!plan->burst) return error_no_memory(error);
    *plan->burst = burst;
    return TCPLAN_OK;
}

static enum tcplan_status set_up(struct tcplan_plan *plan, const struct tcplan_product *product,
                                 const struct tcplan_heuristics *heuristics,
                                 struct kernel_maker *maker, bool exactly,
                                 struct tcplan_error *error) {
    struct instance *instance = NULL;
    enum tcplan_status status = product_copy(&plan->product, product, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_problem *problem = &plan->product->problem;
    problem->heuristics = *heuristics;
    const struct instance_task task = {.product = plan->product,
                                       .alpha = problem->alpha,
                                       .beta = problem->beta,
                                       .threads = plan->threads,
                                       .maker = maker};
    status = exactly ? instance_new(&instance, &task, &plan->choice.algorithm, error)
                     : instance_new_near(&instance, &task, &plan->choice.algorithm, error);
    if (status != TCPLAN_OK || !instance) return status;
    plan->choice.algorithm = instance->nest->algorithm;
    atomic_init(&plan->ready[0], instance);
    plan->choice.name =
        tcplan_algorithm_name(&plan->choice.algorithm, plan->product->contraction, problem->dtype);
    instance->algorithm = plan->choice.name;
    plan->function = instance->reads_factors ? program_code(instance->program) : NULL;
    return plan->choice.name ? make_burst(plan, instance, error) : error_no_memory(error);
}

enum tcplan_status plan_of(struct tcplan_plan **out, const struct tcplan_product *product,
                           const struct plan_choice *choice,
                           const struct tcplan_heuristics *heuristics,
                           const struct planning *planning, bool exactly,
                           struct tcplan_error *error) {
    struct tcplan_plan *plan = base_alloc_zero(1, sizeof *plan);
    if (!plan) return error_no_memory(error);
    struct tcplan_store code;
    struct kernel_maker maker = planning_maker(&code, planning, choice);
    plan->choice = *choice;
    plan->choice.name = NULL;
    plan->threads = choice->threads;
    atomic_init(&plan->chosen, &plan->choice);
    for (int i = 0; i < PLAN_INSTANCES; i++) atomic_init(&plan->ready[i], NULL);
    const enum tcplan_status status = set_up(plan, product, heuristics, &maker, exactly, error);
    planning_maker_free(&code);
    if (status == TCPLAN_OK) {
        *out = plan;
    } else {
        tcplan_plan_free(plan);
    }
    return status;
}

static enum tcplan_status check_product(struct tcplan_plan **out,
                                        const struct tcplan_product *product,
                                        struct tcplan_error *error) {
    if (out && product) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "expected a pointer for the plan and a product, found NULL");
}

static enum tcplan_plan_origin origin_of(const struct tcplan_ranking *ranking) {
    if (ranking->is_untimed) return TCPLAN_PLAN_ESTIMATED;
    return ranking->compared ? TCPLAN_PLAN_COMPARED : TCPLAN_PLAN_TIMED;
}

static struct plan_choice choice_of(const struct tcplan_ranking *ranking) {
    const struct tcplan_entry *pick = tcplan_ranking_chosen(ranking);
    struct plan_choice choice = {
        .algorithm = pick->algorithm, .threads = pick->threads, .origin = origin_of(ranking)};
    if (!pick->predicted) return choice;
    choice.seconds = pick->prediction.seconds;
    choice.low = pick->prediction.low;
    choice.high = pick->prediction.high;
    return choice;
}

/** Returns whether an index has extent 0. Then no algorithm multiplies anything, with any factors.
 */
static bool is_empty(const struct tcplan_problem *problem) {
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (problem->extent[i] == 0) return true;
    }
    return false;
}

static struct plan_choice first_choice(const struct tcplan_contraction *contraction) {
    struct plan_choice choice = {.algorithm = tcplan_algorithm_empty(),
                                 .origin = TCPLAN_PLAN_ESTIMATED};
    struct tcplan_enumerator enumerator;
    tcplan_enumerator_init(&enumerator, contraction);
    tcplan_enumerator_next(&enumerator, &choice.algorithm); /* every contraction has an algorithm */
    return choice;
}

/** Makes a plan from the stored plan of a problem; TCPLAN_NOT_APPLICABLE if there is none, or it
 * cannot be executed. */
static enum tcplan_status plan_stored(struct tcplan_plan **out, const struct planning *planning,
                                      const struct tcplan_product *product,
                                      const struct tcplan_problem *problem,
                                      struct tcplan_error *error) {
    const struct tcplan_machine *machine = NULL;
    struct tcplan_found_plan found;
    if (!planning->settings.has_plans) return TCPLAN_NOT_APPLICABLE;
    enum tcplan_status status = planning_recall(&found, planning, problem, error);
    if (status == TCPLAN_OK) status = knowledge_machine(&machine, error);
    if (status != TCPLAN_OK) return status;
    const struct plan_choice choice = {.algorithm = found.algorithm,
                                       .threads = found.threads,
                                       .origin = TCPLAN_PLAN_STORED,
                                       .seconds = found.seconds,
                                       .low = found.low,
                                       .high = found.high};
    status = plan_of(out, product, &choice, &machine->heuristics, planning, false, error);
    return status == TCPLAN_NO_MEMORY || status == TCPLAN_OK ? status : TCPLAN_NOT_APPLICABLE;
}

/** Makes a plan from a choice. The plan improves itself if the planner's settings enable that. */
static enum tcplan_status plan_ranked(struct tcplan_plan **out, const struct planning *planning,
                                      const struct tcplan_product *product,
                                      const struct tcplan_ranking *ranking,
                                      const struct plan_choice *choice,
                                      struct tcplan_error *error) {
    struct tcplan_plan *plan = NULL;
    enum tcplan_status status =
        plan_of(&plan, product, choice, &ranking->problem.heuristics, planning, false, error);
    if (status != TCPLAN_OK || !plan) return status;
    status = improving_new(&plan->improving, plan, ranking, planning->settings.improving, error);
    if (status == TCPLAN_OK) {
        *out = plan;
    } else {
        tcplan_plan_free(plan);
    }
    return status;
}

/** Makes a plan from the stored plan of a problem or, if there is none, from the algorithm that a
 * ranking chooses. */
static enum tcplan_status plan_best(struct tcplan_plan **out, const struct planning *planning,
                                    const struct tcplan_product *product,
                                    const struct tcplan_problem *problem,
                                    struct tcplan_error *error) {
    struct tcplan_ranking *ranking = NULL;
    enum tcplan_status status = plan_stored(out, planning, product, problem, error);
    if (status != TCPLAN_NOT_APPLICABLE) return status;
    status = planning_rank(&ranking, planning, problem, error);
    if (status != TCPLAN_OK) return status;
    if (ranking->entry_count > 0) {
        const struct plan_choice choice = choice_of(ranking);
        status = plan_ranked(out, planning, product, ranking, &choice, error);
    } else {
        status =
            error_set(error, TCPLAN_NOT_APPLICABLE, "no algorithm fits the limits of the planner");
    }
    tcplan_ranking_free(ranking);
    return status;
}

/** Makes a plan for an alpha of 0. With this alpha the product needs no algorithm, but executions
 * may give another one, so the plan is made for an alpha of 1. */
static enum tcplan_status plan_without_alpha(struct tcplan_plan **out,
                                             const struct planning *planning,
                                             const struct tcplan_product *product,
                                             struct tcplan_error *error) {
    struct tcplan_product *other = NULL;
    enum tcplan_status status = product_copy(&other, product, error);
    if (status != TCPLAN_OK) return status;
    other->contraction->alpha = (struct tcplan_scalar){.re = 1};
    status = tcplan_problem_init(&other->problem, other->contraction, product->problem.extent,
                                 product->problem.dtype, error);
    if (status == TCPLAN_OK) status = plan_best(out, planning, product, &other->problem, error);
    tcplan_product_free(other);
    return status;
}

enum tcplan_status planning_plan(struct tcplan_plan **out, const struct planning *planning,
                                 const struct tcplan_product *product, struct tcplan_error *error) {
    if (is_empty(&product->problem)) {
        struct plan_choice choice = first_choice(product->contraction);
        choice.threads = planning->settings.options.threads;
        return plan_of(out, product, &choice, &product->problem.heuristics, planning, false, error);
    }
    return tcplan_problem_only_scales(&product->problem)
               ? plan_without_alpha(out, planning, product, error)
               : plan_best(out, planning, product, &product->problem, error);
}

enum tcplan_status tcplan_plan_new(struct tcplan_plan **out, struct tcplan_planner *planner,
                                   const struct tcplan_product *product,
                                   struct tcplan_error *error) {
    struct planning planning;
    const enum tcplan_status status = check_product(out, product, error);
    if (status != TCPLAN_OK) return status;
    planning_begin(&planning, planner);
    return planning_plan(out, &planning, product, error);
}

enum tcplan_status tcplan_plan_named(struct tcplan_plan **out, struct tcplan_planner *planner,
                                     const struct tcplan_product *product, const char *algorithm,
                                     struct tcplan_error *error) {
    const struct tcplan_machine *machine = NULL;
    struct plan_choice choice = {.origin = TCPLAN_PLAN_NAMED};
    enum tcplan_status status = check_product(out, product, error);
    if (status == TCPLAN_OK && !algorithm)
        status = error_set(error, TCPLAN_INVALID, "expected the name of an algorithm, found NULL");
    if (status != TCPLAN_OK) return status;
    status = tcplan_algorithm_parse(&choice.algorithm, product->contraction, product->problem.dtype,
                                    algorithm, error);
    if (status == TCPLAN_OK) status = knowledge_machine(&machine, error);
    if (status != TCPLAN_OK) return status;
    struct planning planning;
    planning_begin(&planning, planner);
    choice.threads = planning.settings.options.threads;
    return plan_of(out, product, &choice, &machine->heuristics, &planning, true, error);
}

void tcplan_plan_free(struct tcplan_plan *plan) {
    if (!plan) return;
    for (int i = 0; i < PLAN_INSTANCES; i++) instance_free(atomic_load(&plan->ready[i]));
    improving_free(plan->improving);
    tcplan_product_free(plan->product);
    base_free(plan->burst);
    base_free(plan->choice.name);
    base_free(plan);
}

/* Functions that return properties of a plan. */

const char *tcplan_plan_algorithm(const struct tcplan_plan *plan) {
    return plan ? plan_chosen(plan)->name : NULL;
}

int tcplan_plan_threads(const struct tcplan_plan *plan) {
    return plan ? plan->threads : 0;
}

double tcplan_plan_seconds(const struct tcplan_plan *plan, double *low, double *high) {
    if (low) *low = plan ? plan_chosen(plan)->low : 0;
    if (high) *high = plan ? plan_chosen(plan)->high : 0;
    return plan ? plan_chosen(plan)->seconds : 0;
}

enum tcplan_plan_origin tcplan_plan_origin(const struct tcplan_plan *plan) {
    return plan ? plan_chosen(plan)->origin : TCPLAN_PLAN_NAMED;
}

enum tcplan_status tcplan_plan_emit(char **out, const struct tcplan_plan *plan,
                                    const char *function, bool with_main,
                                    struct tcplan_error *error) {
    const char *files[TCPLAN_PROVIDER_FILES];
    struct tcplan_nest *nest = NULL;
    if (!out || !plan)
        return error_set(error, TCPLAN_INVALID,
                         "expected a pointer for the text and a plan, found NULL");
    tcplan_provider_files(files);
    const struct tcplan_emit_options options = {.function = function,
                                                .with_main = with_main,
                                                .threads = plan->threads,
                                                .blas_files = files};
    enum tcplan_status status =
        tcplan_nest_build(&nest, plan->product->contraction, &plan_chosen(plan)->algorithm, error);
    if (status == TCPLAN_OK)
        status = tcplan_emit_c(out, nest, &plan->product->problem, &options, error);
    tcplan_nest_free(nest);
    return status;
}

/* Description. */

static const char *origin_text(enum tcplan_plan_origin origin) {
    switch (origin) {
    case TCPLAN_PLAN_NAMED: return "named by the caller";
    case TCPLAN_PLAN_ESTIMATED: return "estimated: nothing was timed";
    case TCPLAN_PLAN_TIMED: return "timed, not compared with all algorithms that may be as fast";
    case TCPLAN_PLAN_COMPARED: return "compared with all algorithms that may be as fast";
    case TCPLAN_PLAN_STORED: return "found among the stored plans";
    case TCPLAN_PLAN_IMPROVED: return "the fastest algorithm that executions tried";
    }
    return "";
}

/** Appends a line of a label and a text, and frees the text; an empty text adds no line. */
static void add_line(struct strbuf *out, const char *label, char *text) {
    if (!text) out->failed = true;
    if (text && *text) strbuf_add(out, "%-12s %s\n", label, text);
    free(text);
}

static void add_libraries(struct strbuf *out, const struct plan_choice *choice) {
    enum tcplan_provider library[TCPLAN_ALGORITHM_LIBRARIES];
    const int count = tcplan_algorithm_libraries(&choice->algorithm, library);
    for (int l = 0; l < count; l++) {
        struct tcplan_provider_info info = {.name = NULL};
        if (!tcplan_provider_info(&info, library[l])) info.name = tcplan_provider_name(library[l]);
        strbuf_add(out, "%-12s %s%s%s%s%s%s\n", l == 0 ? "libraries:" : "", info.name,
                   info.version ? " " : "", info.version ? info.version : "", info.core ? " (" : "",
                   info.core ? info.core : "", info.core ? ")" : "");
    }
}

static void add_time(struct strbuf *out, const struct plan_choice *choice) {
    if (!(choice->seconds > 0)) return;
    strbuf_add(out, "%-12s %s (%s to %s)\n", "expected:", quantity_seconds(choice->seconds).text,
               quantity_seconds(choice->low).text, quantity_seconds(choice->high).text);
}

char *tcplan_plan_describe(const struct tcplan_plan *plan) {
    struct strbuf out = {0};
    struct tcplan_nest *nest = NULL;
    if (!plan) return NULL;
    const struct tcplan_problem *problem = &plan->product->problem;
    const struct plan_choice *choice = plan_chosen(plan);
    if (tcplan_nest_build(&nest, plan->product->contraction, &choice->algorithm, NULL) != TCPLAN_OK)
        return NULL;
    char *text = tcplan_nest_text(nest, problem, problem->dtype);
    add_line(&out, "product:", tcplan_product_text(plan->product));
    add_line(&out, "sizes:", tcplan_product_sizes(plan->product));
    add_line(&out, "strides:", tcplan_product_strides(plan->product));
    strbuf_add(&out, "%-12s %s\n", "algorithm:", choice->name);
    add_time(&out, choice);
    strbuf_add(&out, "%-12s %s\n", "chosen:", origin_text(choice->origin));
    strbuf_add(&out, "%-12s %d\n", "threads:", plan->threads);
    strbuf_add(&out, "%-12s %lld bytes\n", "temporaries:",
               (long long)tcplan_nest_workspace_bytes(nest, problem, plan->threads));
    add_libraries(&out, choice);
    if (!text) out.failed = true;
    if (text) strbuf_add(&out, "%s", text);
    free(text);
    tcplan_nest_free(nest);
    return strbuf_finish(&out);
}
