#include "study/blocks.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/providers/blas.h"
#include "tcplan/sizes.h"

void blocks_key(struct strbuf *out, const struct tcplan_library_entry *entry) {
    strbuf_add(out, "%s %s %d %c %s; %s; %s", entry->formula, entry->sizes, (int)entry->order,
               tcplan_dtype_letter(entry->dtype), entry->sections, entry->charge, entry->blocks);
}

enum tcplan_status blocks_product(struct tcplan_block_product **out,
                                  const struct tcplan_library_entry *entry, const char **wrong,
                                  struct tcplan_error *error) {
    const struct tcplan_block_text text = {.sections = entry->sections,
                                           .charge = *entry->charge ? entry->charge : NULL,
                                           .lists = *entry->blocks ? entry->blocks : NULL,
                                           .extent = entry->extent};
    return tcplan_block_product_parse(out, entry->contraction, &text, entry->dtype, wrong, error);
}

/** Makes a planner with the same options as a ranking. */
static enum tcplan_status make_planner(struct tcplan_planner **out,
                                       const struct tcplan_rank_options *options, const char *plans,
                                       struct tcplan_error *error) {
    struct tcplan_planner *planner = NULL;
    const int64_t workspace =
        options->max_memory_bytes > 0 ? options->max_memory_bytes : options->max_workspace_bytes;
    enum tcplan_status status = tcplan_planner_new(&planner, error);
    if (status == TCPLAN_OK) status = tcplan_planner_set_effort(planner, options->effort, error);
    if (status == TCPLAN_OK) status = tcplan_planner_set_threads(planner, options->threads, error);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_oversubscription(planner, options->oversubscribe, error);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_time_limit(planner, options->time_limit_seconds, error);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_alignment(planner, options->alignment_bytes, error);
    if (status == TCPLAN_OK) status = tcplan_planner_set_workspace(planner, workspace, error);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_progress(planner, options->progress, options->progress_context,
                                             error);
    if (status == TCPLAN_OK && plans) status = tcplan_planner_set_plans(planner, plans, error);
    if (status == TCPLAN_OK) {
        *out = planner;
    } else {
        tcplan_planner_free(planner);
    }
    return status;
}

/** Describes a way to compute the product. Its predicted time is that of compared executions if
 * there are any, because that is more accurate than the model's time. */
static struct found_algorithm describe(const struct tcplan_block_plan *plan,
                                       const struct tcplan_block_candidate *way, int threads) {
    struct found_algorithm out = {.numbers = {.chosen = way->chosen,
                                              .tied = way->chosen,
                                              .threads = threads,
                                              .calls = way->calls,
                                              .predicted_seconds = way->predicted_seconds}};
    struct tcplan_result_algorithm *numbers = &out.numbers;
    snprintf(out.way, sizeof out.way, "%s", way->way);
    if (!tcplan_block_plan_ratio(plan, way->way, NULL, &numbers->measured_seconds,
                                 &numbers->measured_low, &numbers->measured_high) &&
        way->seconds > 0)
        numbers->predicted_seconds = way->seconds;
    return out;
}

/** Collects the ways that can compute the product, with their times; NULL if out of memory. */
static struct finding *summarise(const struct tcplan_block_plan *plan,
                                 const struct tcplan_block_product *product, int threads) {
    const int candidates = tcplan_block_plan_candidates(plan);
    struct tcplan_block_candidate way;
    struct finding *out = base_alloc(sizeof *out + (size_t)candidates * sizeof *out->algorithm);
    if (!out) return NULL;
    *out =
        (struct finding){.numbers = {.flops = tcplan_block_product_flops(product),
                                     .planning_seconds = tcplan_block_plan_planning_seconds(plan),
                                     .algorithm_total = candidates}};
    for (int n = 0; tcplan_block_plan_candidate(plan, n, &way); n++) {
        if (way.why_not)
            out->numbers.pruned_count++;
        else
            out->algorithm[out->count++] = describe(plan, &way, threads);
    }
    return out;
}

enum tcplan_status blocks_finding(struct finding **out, const struct tcplan_block_product *product,
                                  enum tcplan_dtype dtype,
                                  const struct tcplan_rank_options *options, size_t measured,
                                  const struct tcplan_stored_plans *plans,
                                  struct finding_plan *plan, struct tcplan_error *error) {
    const char *place = plans ? tcplan_stored_plans_path(plans) : NULL;
    struct tcplan_planner *planner = NULL;
    struct tcplan_block_plan *made = NULL;
    *plan = (struct finding_plan){0};
    enum tcplan_status status = make_planner(&planner, options, place, error);
    if (status == TCPLAN_OK)
        status = measured > 0 ? tcplan_block_plan_measure(&made, planner, product, NULL, 0, error)
                              : tcplan_block_plan_new(&made, planner, product, error);
    if (status == TCPLAN_OK) {
        *out = summarise(made, product, options->threads);
        if (!*out) status = error_no_memory(error);
    }
    if (status == TCPLAN_OK)
        (*out)->numbers.gemm_gflops =
            options->gemm_gflops > 0 ? options->gemm_gflops : blas_gemm_gflops(dtype);
    tcplan_block_plan_free(made);
    tcplan_planner_free(planner);
    return status;
}

static enum tcplan_status product_of_result(struct tcplan_block_product **out,
                                            const struct tcplan_result *result,
                                            struct tcplan_error *error) {
    int64_t extent[TCPLAN_MAX_INDICES];
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_sizes *sizes = NULL;
    const char *wrong = NULL;
    enum tcplan_status status =
        tcplan_contraction_parse(&contraction, result->contraction, result->order, error);
    if (status == TCPLAN_OK) tcplan_contraction_fit_type(contraction, result->dtype);
    if (status == TCPLAN_OK) status = tcplan_sizes_parse(&sizes, contraction, result->sizes, error);
    if (status == TCPLAN_OK) {
        const struct tcplan_block_text text = {
            .sections = result->sections,
            .charge = result->charge && *result->charge ? result->charge : NULL,
            .lists = result->blocks && *result->blocks ? result->blocks : NULL,
            .extent = extent};
        tcplan_sizes_point(sizes, 0, extent);
        status = tcplan_block_product_parse(out, contraction, &text, result->dtype, &wrong, error);
    }
    tcplan_sizes_free(sizes);
    tcplan_contraction_free(contraction);
    return status;
}

enum tcplan_status blocks_winner(struct tcplan_block_plan **out, const struct tcplan_result *result,
                                 int threads, const char *plans, struct tcplan_error *error) {
    const char *way = tcplan_result_winner(result)->name;
    const struct tcplan_rank_options options = {
        .effort = TCPLAN_EFFORT_ESTIMATE, .threads = threads, .oversubscribe = true};
    struct tcplan_block_product *product = NULL;
    struct tcplan_planner *planner = NULL;
    struct tcplan_block_plan *plan = NULL;
    enum tcplan_status status = product_of_result(&product, result, error);
    if (status == TCPLAN_OK) status = make_planner(&planner, &options, plans, error);
    if (status == TCPLAN_OK) status = tcplan_block_plan_new(&plan, planner, product, error);
    if (status == TCPLAN_OK && strcmp(tcplan_block_plan_way(plan), way) != 0) {
        tcplan_block_plan_free(plan);
        plan = NULL;
        status = tcplan_block_plan_named(&plan, planner, product, way, error);
    }
    if (status == TCPLAN_OK) *out = plan;
    tcplan_planner_free(planner);
    tcplan_block_product_free(product);
    return status;
}
