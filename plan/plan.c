#include "tcplan/rank.h"

#include "ast/contraction.h"
#include "base/alloc.h"
#include "base/error.h"

struct tcplan_plan {
    struct tcplan_algorithm algorithm;
    struct tcplan_contraction *contraction; /**< the plan's own: the caller's may go */
    struct tcplan_nest *nest;
    struct tcplan_program *program;
};

static enum tcplan_status build(struct tcplan_plan *plan, const struct tcplan_problem *problem, struct tcplan_error *error) {
    enum tcplan_status status = contraction_copy(&plan->contraction, problem->contraction, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_problem own = *problem;
    own.contraction = plan->contraction;
    status = tcplan_nest_build(&plan->nest, plan->contraction, &plan->algorithm, error);
    return status == TCPLAN_OK ? tcplan_program_build(&plan->program, plan->nest, &own, error) : status;
}

enum tcplan_status tcplan_plan_from(struct tcplan_plan **out, const struct tcplan_problem *problem,
                                    const struct tcplan_algorithm *algorithm, struct tcplan_error *error) {
    struct tcplan_plan *plan = base_alloc(sizeof *plan);
    if (!plan) return error_no_memory(error);
    *plan = (struct tcplan_plan){.algorithm = *algorithm};
    enum tcplan_status status = build(plan, problem, error);
    if (status == TCPLAN_OK) {
        *out = plan;
    } else {
        tcplan_plan_free(plan);
    }
    return status;
}

enum tcplan_status tcplan_plan_set_threads(struct tcplan_plan *plan, int threads, struct tcplan_error *error) {
    return tcplan_program_set_threads(plan->program, threads, error);
}

enum tcplan_status tcplan_plan_new(struct tcplan_plan **out, const struct tcplan_problem *problem,
                                   const struct tcplan_rank_options *options, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_rank_options without_gemm = options ? *options : tcplan_rank_defaults();
    without_gemm.gemm_gflops = -1;
    enum tcplan_status status = tcplan_rank(&ranking, problem, &without_gemm, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_plan *plan = NULL;
    status = tcplan_plan_from(&plan, problem, &ranking->entry[0].algorithm, error);
    tcplan_ranking_free(ranking);
    if (status == TCPLAN_OK && plan) status = tcplan_plan_set_threads(plan, without_gemm.threads, error);
    if (status == TCPLAN_OK) {
        *out = plan;
    } else {
        tcplan_plan_free(plan);
    }
    return status;
}

enum tcplan_status tcplan_plan_execute(struct tcplan_plan *plan, const void *A, const void *B, void *C) {
    return tcplan_program_run(plan->program, A, B, C);
}

enum tcplan_status tcplan_plan_execute_adding(struct tcplan_plan *plan, const void *A, const void *B, const void *C, void *D,
                                              struct tcplan_error *error) {
    return tcplan_program_run_adding(plan->program, A, B, C, D, error);
}

const struct tcplan_algorithm *tcplan_plan_algorithm(const struct tcplan_plan *plan) {
    return &plan->algorithm;
}

void tcplan_plan_free(struct tcplan_plan *plan) {
    if (!plan) return;
    tcplan_program_free(plan->program);
    tcplan_nest_free(plan->nest);
    tcplan_contraction_free(plan->contraction);
    base_free(plan);
}
