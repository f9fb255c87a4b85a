/*
 * Writes the shares of the work in emitted C. Share 0 is computed by all threads together, or is
 * the whole work if one thread does it; share t + 1 is that of thread t, from the plan's schedule.
 * The rows of the tables of sectors and runs are sorted by share. A thread that is not ready in
 * time loses its share to another one (gen/runtime/team.h).
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "blocks/emit.h"
#include "gen/emit/parts.h"

static const struct block_candidate *chosen_of(const struct block_writing *writing) {
    return &writing->tables->candidate[writing->tables->chosen];
}

enum tcplan_status block_shares_begin(struct block_writing *writing, struct tcplan_error *error) {
    const struct tcplan_block_plan *tables = writing->tables;
    const struct block_candidate *chosen = chosen_of(writing);
    const int parts = tables->product->pairs->part_count;
    const bool is_packed = writing->plan != tables;
    writing->is_shared = tables->threads > 1 && tables->chosen < WAY_DENSE && !chosen->is_alone &&
                         chosen->schedule.first != NULL;
    writing->is_together =
        writing->is_shared || (tables->chosen == WAY_DENSE && tables->fused[parts].threads > 1);
    writing->threads =
        writing->is_together || (is_packed && block_is_shared(tables->product->pairs->flops))
            ? writing->plan->threads
            : 1;
    writing->share = base_alloc_zero((size_t)writing->threads + 1, sizeof *writing->share);
    return writing->share ? TCPLAN_OK : error_no_memory(error);
}

bool block_each_task(struct block_writing *writing, block_task_fn *use, void *context) {
    const struct tcplan_block_plan *plan = writing->tables;
    const struct block_pairs *pairs = plan->product->pairs;
    const struct block_candidate *chosen = chosen_of(writing);
    const struct block_schedule *schedule = &chosen->schedule;
    if (plan->chosen == WAY_DENSE) {
        const struct block_task whole = {.number = pairs->part_count, .way = PART_FUSED};
        return pairs->count == 0 || use(writing, &whole, 0, context);
    }
    if (writing->is_shared) {
        for (int64_t n = 0; n < schedule->together_count; n++)
            if (!use(writing, &schedule->together[n], 0, context)) return false;
        for (int t = 0; t < writing->threads; t++)
            for (int64_t n = schedule->first[t]; n < schedule->first[t + 1]; n++)
                if (!use(writing, &schedule->task[n], t + 1, context)) return false;
        return true;
    }
    for (int p = 0; p < pairs->part_count; p++) {
        const struct block_part *part = &pairs->part[p];
        struct block_task task = {.number = p, .way = chosen->way[p]};
        if (task.way == PART_FUSED && !use(writing, &task, 0, context)) return false;
        for (int64_t n = part->first; n < part->first + part->count && task.way != PART_FUSED;
             n++) {
            task.number = pairs->order[n];
            if (!use(writing, &task, 0, context)) return false;
        }
    }
    return true;
}

/** Adds a call that does `count` pieces of work: in the calling thread, or divided among all. */
static void add_divided(struct strbuf *out, const struct block_writing *writing, const char *some,
                        const char *context, const char *count) {
    const char *function = writing->function;
    if (writing->threads > 1)
        strbuf_add(out, "        %s_divide(%s_%s, &%s, %s, %d);\n", function, function, some,
                   context, count, writing->threads);
    else
        strbuf_add(out, "        %s_%s(&%s, 0, %s);\n", function, some, context, count);
}

void block_write_divided(struct block_writing *writing) {
    struct template_values *values = &writing->values;
    const char *function = writing->function;
    struct strbuf *out = template_value(values, "matrix_threads");
    if (writing->threads > 1)
        strbuf_add(out, "    int threads; /* number of threads that copy the blocks */\n");
    strbuf_add(template_value(values, "pack_all"),
               writing->threads > 1
                   ? "    %s_divide(%s_pack_some, &packing, matrix->count, matrix->threads);\n"
                   : "    %s_pack_some(&packing, 0, matrix->count);\n",
               function, function);
    strbuf_add(
        template_value(values, "unpack_all"),
        writing->threads > 1
            ? "        %s_divide(%s_unpack_some, &packing, matrix[2].count, matrix[2].threads);\n"
            : "        %s_unpack_some(&packing, 0, matrix[2].count);\n",
        function, function);
    strbuf_add(template_value(values, "threads"), "%d", writing->threads);
    template_value(values, "copy_in_all");
    add_divided(out, writing, "copy_in", "copies_a", "FACTORS_A");
    add_divided(out, writing, "copy_in", "copies_b", "FACTORS_B");
    add_divided(template_value(values, "copy_out_all"), writing, "copy_out", "copies_c", "RESULTS");
}

bool block_calls_cblas(const struct block_writing *writing) {
    const char *functions = writing->products.functions.text;
    return writing->has_gemms || (functions && strstr(functions, "cblas_"));
}

bool block_limits_blas(const struct block_writing *writing) {
    return writing->plan->threads > 1 && (writing->is_shared || writing->threads == 1) &&
           block_calls_cblas(writing);
}

static void add_blas_begin(struct strbuf *out) {
    strbuf_add(out, "    const int blas_threads = openblas_get_num_threads ? "
                    "openblas_get_num_threads() : 1;\n"
                    "    if (blas_threads > 1) openblas_set_num_threads(1);\n");
}

static void add_blas_end(struct strbuf *out) {
    strbuf_add(out, "    if (blas_threads > 1) openblas_set_num_threads(blas_threads);\n");
}

/** Adds the calls that compute the sectors and pairs of a share. */
static void add_share(struct strbuf *out, const struct block_writing *writing, const char *indent,
                      const char *tensors, const char *workspace, const char *share) {
    if (writing->sector_count > 0)
        strbuf_add(out, "%sif (!status) status = %s_run_sectors(%s, %s, %s);\n", indent,
                   writing->function, tensors, workspace, share);
    if (writing->run_count > 0)
        strbuf_add(out, "%sif (!status) status = %s_run_pairs(%s, %s);\n", indent,
                   writing->function, tensors, share);
}

void block_add_run(struct strbuf *out, const struct block_writing *writing, const char *tensors,
                   const char *workspace) {
    struct strbuf share = {0};
    const bool limits = block_limits_blas(writing);
    if (writing->is_shared) {
        strbuf_add(out, "    if (!status) status = %s_run(%s, %s);\n", writing->function, tensors,
                   workspace);
        return;
    }
    strbuf_add(&share, "%s_shares", writing->function);
    if (limits) add_blas_begin(out);
    add_share(out, writing, "    ", tensors, workspace, share.text ? share.text : "");
    if (limits) add_blas_end(out);
    out->failed = out->failed || share.failed;
    strbuf_free(&share);
}

void block_write_shares(struct block_writing *writing) {
    struct template_values *values = &writing->values;
    struct strbuf workspace = {0}, together = {0};
    const int count = writing->is_shared ? writing->threads + 1 : 1;
    struct block_share first = {0};
    struct strbuf *out = template_value(values, "shares");
    for (int s = 0; s <= count; s++) {
        strbuf_add(out, "    {%" PRId64 ", %" PRId64 ", %" PRId64 "},\n", first.sectors, first.runs,
                   first.pairs);
        if (s == count) break;
        first.sectors += writing->share[s].sectors;
        first.runs += writing->share[s].runs;
        first.pairs += writing->share[s].pairs;
    }
    strbuf_add(template_value(values, "about_shares"), "%s",
               writing->is_shared
                   ? " All threads\n * compute the first share together, then each thread its own."
                   : "");
    if (!writing->is_shared) return;
    strbuf_add(&workspace,
               writing->thread_elements > 0 ? "shared->workspace + thread * %" PRId64
                                            : "shared->workspace",
               writing->thread_elements);
    strbuf_add(&together, "%s_shares", writing->function);
    add_share(template_value(values, "run_thread"), writing, "        ",
              "shared->A, shared->B, shared->C", workspace.text ? workspace.text : "", "share");
    template_value(values, "run_together");
    if (writing->share[0].sectors + writing->share[0].runs > 0)
        add_share(out, writing, "    ", "A, B, C", "workspace", together.text ? together.text : "");
    out->failed = out->failed || workspace.failed || together.failed;
    strbuf_free(&workspace);
    strbuf_free(&together);
    template_value(values, "blas_begin");
    if (block_limits_blas(writing)) add_blas_begin(out);
    template_value(values, "blas_end");
    if (block_limits_blas(writing)) add_blas_end(out);
}
