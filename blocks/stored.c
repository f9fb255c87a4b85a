/*
 * Stores plans as the text of the decision: how each way was timed, the way of each sector, the
 * library and the time of each class of pairs that was timed, and the algorithms of dense
 * products.
 *
 *   found effort=normal way=mixed planning=0.012
 *   way name=blocks predicted=2.6e-05 seconds=2.5e-05 ...
 *   sector way=fused seconds=1e-05              one line for each part, in order
 *   shape class=3 gemm=1 provider=libxsmm seconds=1e-07 sum=8e-08
 *   copies                                      only of the way `packed`: the decision of the plan
 *                                               of copies follows
 *   dense threads=1 seconds=1e-06 flops=2000 extents=4,5,6 algorithm=dgemm key=...
 *
 * A stored plan is found by the lines that identify the product (identity_of()). These contain the
 * lists of blocks only as a hash of 128 bits, to be short.
 */
#include "blocks/stored.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm/provider.h"
#include "ast/scalar.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "microbench/providers/providers.h"
#include "store/fields.h"
#include "store/orders.h"
#include "tcplan/blas.h"

enum { MOST_SECTORS = 10000 };

static const char *const way_names[] = {"blocks", "grouped", "fused", "mixed",
                                        "dense",  "packed",  NULL};

struct found_line {
    int effort, way;
    double planning_seconds;
};

static const struct field found_fields[] = {
    {INT_OF("effort", found_line, effort, 0, TCPLAN_EFFORT_THOROUGH)},
    {WORD_OF("way", found_line, way, way_names)},
    {FIELD_OF("planning", REAL, found_line, planning_seconds)},
    {0},
};

struct way_line {
    double predicted, packing, seconds, flops;
    int64_t calls, workspace_bytes;
    char why_not[BLOCK_WHY_NOT];
};

static const struct field way_fields[] = {
    {FIELD_OF("predicted", REAL, way_line, predicted)},
    {FIELD_OF("packing", REAL, way_line, packing)},
    {FIELD_OF("seconds", REAL, way_line, seconds)},
    {FIELD_OF("flops", REAL, way_line, flops)},
    {INT64_OF("calls", way_line, calls, 0, INT64_MAX)},
    {INT64_OF("workspace", way_line, workspace_bytes, 0, INT64_MAX)},
    {TEXT_OF("why_not", way_line, why_not)},
    {0},
};

struct sector_line {
    int way;
    double seconds;
};

static const struct field sector_fields[] = {
    {INT_OF("way", sector_line, way, 0, PART_WAYS - 1)},
    {FIELD_OF("seconds", REAL, sector_line, seconds)},
    {0},
};

struct shape_line {
    int class, provider;
    bool is_gemm;
    double seconds, sum_seconds;
};

static const struct field shape_fields[] = {
    {INT_OF("class", shape_line, class, 0, INT32_MAX)},
    {FIELD_OF("gemm", FLAG, shape_line, is_gemm)},
    {INT_OF("provider", shape_line, provider, 0, TCPLAN_PROVIDER_EMITTED - 1)},
    {FIELD_OF("seconds", REAL, shape_line, seconds)},
    {FIELD_OF("sum", REAL, shape_line, sum_seconds)},
    {0},
};

static const struct field dense_fields[] = {
    {INT_OF("threads", dense_text, threads, 1, TCPLAN_MAX_THREADS)},
    {FIELD_OF("seconds", REAL, dense_text, seconds)},
    {FIELD_OF("flops", REAL, dense_text, flops)},
    {TEXT_OF("extents", dense_text, extents)},
    {TEXT_OF("algorithm", dense_text, algorithm)},
    {TEXT_OF("key", dense_text, key)},
    {0},
};

/* The identity. */

/** Hashes the sections and the lists of blocks; different values of `start` give independent
 * hashes. */
static uint64_t hash_of(const struct tcplan_block_product *product, uint64_t start) {
    uint64_t hash = hash_add_number(HASH_OF_NOTHING, start);
    for (int i = 0; i < product->contraction->index_count; i++) {
        const struct block_sections *index = &product->index[i];
        hash = hash_add(hash, &index->count, sizeof index->count);
        hash = hash_add(hash, index->extent, (size_t)index->count * sizeof *index->extent);
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct block_list *list = &product->tensor[t];
        const size_t numbers = (size_t)list->count * (size_t)product->contraction->tensor[t].rank;
        hash = hash_add(hash, &list->count, sizeof list->count);
        if (numbers > 0) hash = hash_add(hash, list->at, numbers * sizeof *list->at);
        if (numbers > 0 && list->stride)
            hash = hash_add(hash, list->stride, numbers * sizeof *list->stride);
    }
    return hash_spread(hash);
}

/** Returns the lines that identify the product and the options; NULL if memory runs out. */
static char *identity_of(const struct tcplan_block_plan *plan) {
    const struct tcplan_block_product *product = plan->product;
    const struct tcplan_contraction *contraction = product->contraction;
    const struct tcplan_rank_options *options = &plan->planning.settings.options;
    char *text = tcplan_contraction_text(contraction);
    struct strbuf out = {0};
    strbuf_add(&out, "product %s\n", text ? text : "");
    out.failed = out.failed || !text;
    free(text);
    strbuf_add(&out, "blocks %" PRId64 " %" PRId64 " %" PRId64 " %016" PRIx64 "%016" PRIx64 "\n",
               product->tensor[0].count, product->tensor[1].count, product->tensor[2].count,
               hash_of(product, 1), hash_of(product, 2));
    strbuf_add(&out, "options type=%d order=%d alpha=%d beta=%d threads=%d workspace=%" PRId64 "\n",
               (int)product->dtype, (int)contraction->order,
               (int)scalar_class_of(contraction->alpha), (int)scalar_class_of(contraction->beta),
               plan->threads, options->max_workspace_bytes);
    return strbuf_finish(&out);
}

/* Writing. */

static void write_dense(struct strbuf *out, const struct tcplan_block_plan *plan) {
    struct dense_text line;
    for (int n = 0; n < plan->dense.count; n++)
        if (dense_choice_get(&line, &plan->dense, n))
            fields_write(out, "dense", dense_fields, &line);
}

void block_stored_write(struct strbuf *out, const struct tcplan_block_plan *plan) {
    const struct block_candidate *chosen = &plan->candidate[plan->chosen];
    const struct found_line found = {.effort = (int)plan->effort,
                                     .way = plan->chosen,
                                     .planning_seconds = plan->planning_seconds};
    fields_write(out, "found", found_fields, &found);
    for (int w = 0; w < BLOCK_CANDIDATES; w++) {
        const struct tcplan_block_candidate *figures = &plan->candidate[w].figures;
        struct way_line line = {.predicted = figures->predicted_seconds,
                                .packing = figures->packing_seconds,
                                .seconds = figures->seconds,
                                .flops = figures->flops,
                                .calls = figures->calls,
                                .workspace_bytes = figures->workspace_bytes};
        if (figures->why_not) snprintf(line.why_not, sizeof line.why_not, "%s", figures->why_not);
        fields_write(out, "way", way_fields, &line);
    }
    for (int p = 0; p < plan->product->pairs->part_count; p++) {
        const struct sector_line line = {.way = chosen->way[p],
                                         .seconds = plan->part_seconds[p][chosen->way[p]]};
        fields_write(out, "sector", sector_fields, &line);
    }
    for (int n = 0; n < plan->probed_count; n++) {
        const struct pair_class *class = plan->classes[plan->probed[n]];
        const struct shape_line line = {.class = plan->probed[n],
                                        .provider = (int)class->provider,
                                        .is_gemm = class->is_gemm,
                                        .seconds = class->seconds,
                                        .sum_seconds = class->sum_seconds};
        fields_write(out, "shape", shape_fields, &line);
    }
    write_dense(out, plan);
    if (plan->chosen != WAY_PACKED) return;
    strbuf_add(out, "copies\n");
    block_stored_write(out, plan->packed.inner);
}

/* Reading. */

/** State of reading the lines of a text: the lines that have not been read yet. */
struct lines {
    const char *at;
    struct tcplan_error *error;
};

static enum tcplan_status refuse(const struct lines *lines, const char *expected) {
    return error_set(lines->error, TCPLAN_INVALID, "the stored plan is damaged: expected %s",
                     expected);
}

static bool is_next(const struct lines *lines, const char *word) {
    const size_t length = strlen(word);
    return strncmp(lines->at, word, length) == 0 &&
           (lines->at[length] == ' ' || lines->at[length] == '\n');
}

static enum tcplan_status take(void *object, struct lines *lines, const char *word,
                               const struct field fields[]) {
    if (!is_next(lines, word)) return refuse(lines, word);
    const char *text = lines->at + strlen(word), *end = strchr(text, '\n');
    if (!end) return refuse(lines, "the end of a line");
    lines->at = end + 1;
    return fields_read(object, fields, text, (size_t)(end - text), lines->error);
}

static enum tcplan_status read_ways(struct tcplan_block_plan *plan, struct lines *lines) {
    enum tcplan_status status = TCPLAN_OK;
    for (int w = 0; w < BLOCK_CANDIDATES && status == TCPLAN_OK; w++) {
        struct tcplan_block_candidate *figures = &plan->candidate[w].figures;
        struct way_line line = {0};
        status = take(&line, lines, "way", way_fields);
        figures->predicted_seconds = line.predicted;
        figures->packing_seconds = line.packing;
        figures->seconds = line.seconds;
        figures->flops = line.flops;
        figures->calls = line.calls;
        figures->workspace_bytes = line.workspace_bytes;
        snprintf(plan->candidate[w].why_not, sizeof plan->candidate[w].why_not, "%s", line.why_not);
        figures->why_not = *line.why_not ? plan->candidate[w].why_not : NULL;
    }
    if (status == TCPLAN_OK && plan->candidate[plan->chosen].figures.why_not)
        return refuse(lines, "a way that can compute the product");
    return status;
}

/** Reads the way and the seconds of each part. */
static enum tcplan_status read_sectors(struct tcplan_block_plan *plan, struct lines *lines) {
    const int parts = plan->product->pairs->part_count;
    struct block_candidate *chosen = &plan->candidate[plan->chosen];
    enum tcplan_status status = TCPLAN_OK;
    chosen->way = base_alloc_zero((size_t)parts + 1, 1);
    if (!chosen->way) return error_no_memory(lines->error);
    for (int p = 0; p < parts && status == TCPLAN_OK; p++) {
        struct sector_line line = {0};
        status = take(&line, lines, "sector", sector_fields);
        chosen->way[p] = (unsigned char)line.way;
        plan->part_seconds[p][line.way] = line.seconds;
    }
    return status;
}

static enum tcplan_status read_dense(struct tcplan_block_plan *plan, struct lines *lines) {
    enum tcplan_status status = TCPLAN_OK;
    while (status == TCPLAN_OK && is_next(lines, "dense")) {
        struct dense_text line = {0};
        status = take(&line, lines, "dense", dense_fields);
        if (status == TCPLAN_OK) status = dense_choice_add(&plan->dense, &line, lines->error);
    }
    if (status == TCPLAN_OK && plan->chosen == WAY_PACKED) {
        static const char word[] = "copies\n";
        if (strncmp(lines->at, word, strlen(word)) != 0) return refuse(lines, "copies");
        lines->at += strlen(word);
        return TCPLAN_OK;
    }
    return status == TCPLAN_OK && *lines->at ? refuse(lines, "the end") : status;
}

/** Returns whether the chosen way computes some part pair by pair or in sums. */
static bool has_pairs(const struct tcplan_block_plan *plan) {
    const struct block_candidate *chosen = &plan->candidate[plan->chosen];
    bool any = false;
    for (int p = 0; p < plan->product->pairs->part_count && plan->chosen < WAY_DENSE; p++)
        any = any || chosen->way[p] != PART_FUSED;
    return any;
}

enum tcplan_status block_stored_read(struct tcplan_block_plan *plan, const char *text,
                                     struct tcplan_error *error) {
    struct lines lines = {.at = text, .error = error};
    struct found_line found = {0};
    struct shape_line shape[MOST_PROBED];
    int shapes = 0;
    decide_describe(plan);
    enum tcplan_status status = take(&found, &lines, "found", found_fields);
    plan->chosen = found.way;
    if (status == TCPLAN_OK && found.effort < (int)plan->effort) return TCPLAN_NOT_APPLICABLE;
    if (status == TCPLAN_OK) status = read_ways(plan, &lines);
    if (status == TCPLAN_OK) status = read_sectors(plan, &lines);
    for (; status == TCPLAN_OK && shapes < MOST_PROBED && is_next(&lines, "shape"); shapes++) {
        shape[shapes] = (struct shape_line){0};
        status = take(&shape[shapes], &lines, "shape", shape_fields);
        if (status == TCPLAN_OK && shape[shapes].class >= plan->product->pairs->class_count)
            status = refuse(&lines, "a class of the product");
    }
    if (status == TCPLAN_OK) status = read_dense(plan, &lines);
    plan->dense.most_choices = plan->dense.count;
    if (status == TCPLAN_OK && has_pairs(plan)) status = pairwise_prepare(plan, error);
    for (int n = 0; n < shapes && status == TCPLAN_OK && has_pairs(plan); n++)
        status = pairwise_restore(plan, shape[n].class, shape[n].is_gemm ? shape[n].provider : -1,
                                  shape[n].seconds, shape[n].sum_seconds, error);
    return status == TCPLAN_OK ? decide_as_stored(plan, lines.at, error) : status;
}

/* The store. */

/** Returns whether plans of this effort and structure can be stored. */
static bool is_stored_kind(const struct tcplan_block_plan *plan) {
    return plan->effort != TCPLAN_EFFORT_ESTIMATE && plan->product->pairs->count > 0 &&
           plan->product->pairs->part_count <= MOST_SECTORS && !provider_has_files();
}

enum tcplan_status block_stored_recall(struct tcplan_block_plan *plan, struct tcplan_error *error) {
    struct tcplan_stored_plans *plans = NULL;
    char *text = NULL;
    if (!is_stored_kind(plan)) return TCPLAN_NOT_APPLICABLE;
    char *identity = identity_of(plan);
    if (!identity) return error_no_memory(error);
    enum tcplan_status status = planning_take_plans(&plans, &plan->planning, NULL);
    if (status == TCPLAN_OK && plans)
        status = stored_text_find(&text, plans, STORED_BLOCKS, identity, NULL);
    planning_give_plans(&plan->planning, plans);
    if (status == TCPLAN_OK && text) status = block_stored_read(plan, text, NULL);
    const bool found = status == TCPLAN_OK && text;
    free(identity);
    base_free(text);
    if (status == TCPLAN_NO_MEMORY) return error_no_memory(error);
    return found ? TCPLAN_OK : TCPLAN_NOT_APPLICABLE;
}

void block_stored_keep(struct tcplan_block_plan *plan) {
    struct tcplan_stored_plans *plans = NULL;
    struct strbuf text = {0};
    if (!is_stored_kind(plan)) return;
    char *identity = identity_of(plan);
    block_stored_write(&text, plan);
    char *finished = strbuf_finish(&text);
    if (identity && finished && planning_take_plans(&plans, &plan->planning, NULL) == TCPLAN_OK &&
        plans)
        stored_text_keep(plans, STORED_BLOCKS, identity, finished, NULL);
    planning_give_plans(&plan->planning, plans);
    free(identity);
    free(finished);
}
