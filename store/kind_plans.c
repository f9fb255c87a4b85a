#include "store/kind_plans.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/quantity.h"
#include "store/fields.h"
#include "store/kinds.h"
#include "store/plan_key.h"

enum { DAYS = 365, MOST_THREADS = 4096, MOST_ALIGNMENT = 1 << 30 };

/* A longer execution is none that anybody waited for. */
#define MOST_SECONDS 1e9

const char *const plan_dtypes[] = {"s", "d", "c", "z", NULL};
const char *const plan_caches[] = {"warm", "cold", NULL};
const char *const plan_spaces[] = {"full", "blas", NULL};
const char *const plan_preferences[] = {"ease", "speed", NULL};
const char *const plan_efforts[] = {"estimate", "quick", "normal", "thorough", NULL};

static const char *const orders[] = {"column-major", "row-major", NULL};

#define OF(member) .offset = offsetof(struct tcplan_stored_plan, member)
#define TEXT(label, member)                                                                        \
    { .name = (label), .type = FIELD_TEXT, OF(member), .size = TCPLAN_PLAN_TEXT }
#define WORD(label, member, list)                                                                  \
    { .name = (label), .type = FIELD_WORD, OF(member), .word = (list) }

static const struct field plan_fields[] = {
    TEXT("product", product),
    TEXT("sizes", sizes),
    TEXT("strides", strides),
    WORD("type", dtype, plan_dtypes),
    WORD("order", order, orders),
    {.name = "threads", .type = FIELD_INT, OF(setup.threads), .lowest = 1, .highest = MOST_THREADS},
    WORD("cache", setup.cache, plan_caches),
    WORD("space", setup.space, plan_spaces),
    WORD("prefer", setup.prefer, plan_preferences),
    {.name = "alignment",
     .type = FIELD_INT64,
     OF(setup.alignment_bytes),
     .lowest = 0,
     .highest = MOST_ALIGNMENT},
    TEXT("algorithm", algorithm),
    {.name = "team", .type = FIELD_INT, OF(threads), .lowest = 0, .highest = MOST_THREADS},
    WORD("effort", effort, plan_efforts),
    {.name = "seconds", .type = FIELD_REAL, OF(seconds)},
    {.name = "low", .type = FIELD_REAL, OF(low)},
    {.name = "high", .type = FIELD_REAL, OF(high)},
    {.name = "workspace",
     .type = FIELD_INT64,
     OF(workspace_bytes),
     .lowest = 0,
     .highest = INT64_MAX},
    {.name = "used", .type = FIELD_INT64, OF(used), .lowest = 0, .highest = INT64_MAX},
    {0},
};

static void write_content(struct strbuf *out, const void *value) {
    fields_write(out, "plan", plan_fields, value);
}

/* Reading. */

static bool is_whole(const struct tcplan_stored_plan *plan) {
    return *plan->product && *plan->algorithm && plan->setup.threads >= 1 && plan->seconds > 0 &&
           plan->seconds < MOST_SECONDS && plan->low <= plan->seconds &&
           plan->high >= plan->seconds;
}

static enum tcplan_status take(void *value, const void *read, struct tcplan_error *error) {
    struct tcplan_stored_plan *plan = value;
    if (*plan->product) return error_set(error, TCPLAN_INVALID, "a second plan");
    *plan = *(const struct tcplan_stored_plan *)read;
    if (is_whole(plan)) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "the plan lacks a product, an algorithm, threads, or seconds that can be, within their interval");
}

_Static_assert(sizeof(struct tcplan_stored_plan) <= FIELDS_OBJECT, "a plan is read as a line");

static const struct fields_line lines[] = {{.word = "plan", .field = plan_fields, .take = take},
                                           {0}};

static enum tcplan_status read_content(void *value, const char *content, size_t length,
                                       struct tcplan_error *error) {
    *(struct tcplan_stored_plan *)value = (struct tcplan_stored_plan){0};
    return fields_read_lines(value, lines, content, length, "there is no plan in it", error);
}

/** Whether a problem of these sizes would be stored as this product: its names are canonical. */
static enum tcplan_status check_names(const struct tcplan_contraction *contraction,
                                      const struct tcplan_stored_plan *plan,
                                      struct tcplan_error *error) {
    struct tcplan_contraction canonical;
    const struct tcplan_problem problem = {
        .contraction = contraction, .alpha = contraction->alpha, .beta = contraction->beta};
    if (!plan_contraction_of(&canonical, &problem))
        return error_set(error, TCPLAN_INVALID, "the product has too many indices");
    char *text = tcplan_contraction_text(&canonical);
    if (!text) return error_no_memory(error);
    const bool same = strcmp(text, plan->product) == 0;
    free(text);
    return same ? TCPLAN_OK
                : error_set(error, TCPLAN_INVALID, "the product '%.80s' is not in canonical names",
                            plan->product);
}

/** Gives the contraction such strides: which copies a name stands for depends on what is
 * contiguous. */
static enum tcplan_status check_strides(struct tcplan_contraction *contraction,
                                        const struct tcplan_stored_plan *plan,
                                        const int64_t extent[], struct tcplan_error *error) {
    const bool read = plan_strides_read(contraction, plan->strides, extent);
    char *text = plan_strides_text(contraction, extent);
    if (!text) return error_no_memory(error);
    const bool same = read && strcmp(text, plan->strides) == 0;
    free(text);
    return same ? TCPLAN_OK
                : error_set(error, TCPLAN_INVALID,
                            "the strides of '%.80s' cannot be shaped as '%.80s'", plan->product,
                            plan->strides);
}

enum tcplan_status plan_check(struct tcplan_algorithm *algorithm,
                              const struct tcplan_stored_plan *plan, struct tcplan_error *error) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_error cause = {0};
    int64_t extent[TCPLAN_MAX_INDICES];
    enum tcplan_status status =
        tcplan_contraction_parse(&contraction, plan->product, plan->order, &cause);
    if (status == TCPLAN_INVALID)
        return error_set(error, TCPLAN_INVALID, "its product: %.240s", cause.message);
    if (status != TCPLAN_OK) return error_no_memory(error);
    status = check_names(contraction, plan, error);
    if (status == TCPLAN_OK && !plan_sizes_read(extent, contraction->index_count, plan->sizes)) {
        status = error_set(error, TCPLAN_INVALID, "expected %d sizes, found '%.80s'",
                           contraction->index_count, plan->sizes);
    }
    if (status == TCPLAN_OK) status = check_strides(contraction, plan, extent, error);
    if (status == TCPLAN_OK) {
        status =
            tcplan_algorithm_parse(algorithm, contraction, plan->dtype, plan->algorithm, &cause);
        if (status == TCPLAN_INVALID)
            error_set(error, TCPLAN_INVALID, "its algorithm: %.240s", cause.message);
        if (status == TCPLAN_NO_MEMORY) error_no_memory(error);
    }
    tcplan_contraction_free(contraction);
    return status;
}

/* Showing. */

static void show_plan(struct strbuf *out, const struct tcplan_stored_plan *plan) {
    const struct tcplan_plan_setup *setup = &plan->setup;
    strbuf_add(out, "product    %s; %s, type %s\n", plan->product, orders[plan->order],
               plan_dtypes[plan->dtype]);
    if (*plan->sizes) strbuf_add(out, "sizes      %s\n", plan->sizes);
    if (*plan->strides) strbuf_add(out, "strides    %s\n", plan->strides);
    strbuf_add(out, "setup      %d thread%s, %s cache, space %s, prefer %s", setup->threads,
               setup->threads == 1 ? "" : "s", plan_caches[setup->cache], plan_spaces[setup->space],
               plan_preferences[setup->prefer]);
    if (setup->alignment_bytes > 0)
        strbuf_add(out, ", aligned to %s", quantity_bytes(setup->alignment_bytes).text);
    strbuf_add(out, "\nalgorithm  %s, found with effort %s\n", plan->algorithm,
               plan_efforts[plan->effort]);
    strbuf_add(out, "time       %.4g ms, 95 %% interval %.4g - %.4g ms\n", 1e3 * plan->seconds,
               1e3 * plan->low, 1e3 * plan->high);
    strbuf_add(out, "workspace  %s\n", quantity_bytes(plan->workspace_bytes).text);
}

static enum tcplan_status show_content(struct strbuf *out, const char *content, size_t length,
                                       struct tcplan_error *error) {
    struct tcplan_stored_plan plan;
    const enum tcplan_status status = read_content(&plan, content, length, error);
    if (status == TCPLAN_OK && out) show_plan(out, &plan);
    return status;
}

const struct store_kind store_kind_plans = {.name = "plans",
                                            .version = 1,
                                            .days = DAYS,
                                            .parts = TCPLAN_FINGERPRINT_PARTS,
                                            .many = true,
                                            .write = write_content,
                                            .read = read_content,
                                            .show = show_content};
