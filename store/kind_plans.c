#include "store/kind_plans.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/quantity.h"
#include "store/fields.h"
#include "store/kinds.h"
#include "store/plan_key.h"

enum { DAYS = 365, MOST_THREADS = 4096, MOST_ALIGNMENT = 1 << 30 };

/* A longer execution is none that anybody waited for. */
#define MOST_SECONDS 1e9

const char *const plan_caches[] = {"warm", "cold", NULL};
const char *const plan_spaces[] = {"full", "blas", NULL};
const char *const plan_preferences[] = {"ease", "speed", NULL};
const char *const plan_efforts[] = {"estimate", "quick", "normal", "thorough", NULL};

static const char *const orders[] = {"column-major", "row-major", NULL};

static const struct field plan_fields[] = {
    {TEXT_OF("product", tcplan_stored_plan, product)},
    {TEXT_OF("sizes", tcplan_stored_plan, sizes)},
    {TEXT_OF("strides", tcplan_stored_plan, strides)},
    {WORD_OF("type", tcplan_stored_plan, dtype, fields_dtypes)},
    {WORD_OF("order", tcplan_stored_plan, order, orders)},
    {INT_OF("threads", tcplan_stored_plan, setup.threads, 1, MOST_THREADS)},
    {WORD_OF("cache", tcplan_stored_plan, setup.cache, plan_caches)},
    {WORD_OF("space", tcplan_stored_plan, setup.space, plan_spaces)},
    {WORD_OF("prefer", tcplan_stored_plan, setup.prefer, plan_preferences)},
    {INT64_OF("alignment", tcplan_stored_plan, setup.alignment_bytes, 0, MOST_ALIGNMENT)},
    {TEXT_OF("algorithm", tcplan_stored_plan, algorithm)},
    {INT_OF("team", tcplan_stored_plan, threads, 0, MOST_THREADS)},
    {WORD_OF("effort", tcplan_stored_plan, effort, plan_efforts)},
    {FIELD_OF("seconds", REAL, tcplan_stored_plan, seconds)},
    {FIELD_OF("low", REAL, tcplan_stored_plan, low)},
    {FIELD_OF("high", REAL, tcplan_stored_plan, high)},
    {INT64_OF("workspace", tcplan_stored_plan, workspace_bytes, 0, INT64_MAX)},
    {INT64_OF("used", tcplan_stored_plan, used, 0, INT64_MAX)},
    {0},
};

static bool is_whole(const struct tcplan_stored_plan *plan) {
    return *plan->product && *plan->algorithm && plan->setup.threads >= 1 && plan->seconds > 0 &&
           plan->seconds < MOST_SECONDS && plan->low <= plan->seconds &&
           plan->high >= plan->seconds;
}

static enum tcplan_status check_line(const struct fields_line *line, const void *value,
                                     const void *read, struct tcplan_error *error) {
    (void)line, (void)value;
    if (is_whole(read)) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "the plan lacks a product, an algorithm, threads, or seconds that can be, within their interval");
}

_Static_assert(sizeof(struct tcplan_stored_plan) <= FIELDS_OBJECT, "a plan is read as a line");

static const struct fields_line lines[] = {
    {LINE_SELF("plan", plan_fields, tcplan_stored_plan), .check = check_line}, {0}};

/* Checking. */

enum tcplan_status plan_check(const struct tcplan_stored_plan *plan, struct tcplan_error *error) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_algorithm algorithm;
    struct tcplan_error cause = {0};
    int64_t extent[TCPLAN_MAX_INDICES];
    enum tcplan_status status =
        tcplan_contraction_parse(&contraction, plan->product, plan->order, &cause);
    if (status == TCPLAN_INVALID)
        return error_set(error, TCPLAN_INVALID, "its product: %.240s", cause.message);
    if (status != TCPLAN_OK) return error_no_memory(error);
    if (!plan_sizes_read(extent, contraction->index_count, plan->sizes))
        status = error_set(error, TCPLAN_INVALID, "expected %d sizes, found '%.80s'",
                           contraction->index_count, plan->sizes);
    if (status == TCPLAN_OK && !*plan->strides)
        status =
            tcplan_algorithm_parse(&algorithm, contraction, plan->dtype, plan->algorithm, &cause);
    if (status == TCPLAN_INVALID && *cause.message)
        error_set(error, TCPLAN_INVALID, "its algorithm: %.240s", cause.message);
    tcplan_contraction_free(contraction);
    return status == TCPLAN_NO_MEMORY ? error_no_memory(error) : status;
}

/* Showing. */

static void print(struct strbuf *out, const void *value) {
    const struct tcplan_stored_plan *plan = value;
    const struct tcplan_plan_setup *setup = &plan->setup;
    strbuf_add(out, "product    %s; %s, type %s\n", plan->product, orders[plan->order],
               fields_dtypes[plan->dtype]);
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

const struct store_kind store_kind_plans = {.name = "plans",
                                            .version = 1,
                                            .days = DAYS,
                                            .parts = TCPLAN_FINGERPRINT_PARTS,
                                            .many = true,
                                            .size = sizeof(struct tcplan_stored_plan),
                                            .line = lines,
                                            .nothing = "there is no plan in it",
                                            .print = print};
