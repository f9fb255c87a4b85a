/*
 * Stored plans: the product, sizes and setup that a plan belongs to, its key, and its entry. The
 * entry contains the product with canonical names, the sizes and the setup as texts. The key
 * consists of two hashes: 8 digits for everything but the sizes, so that plans of other sizes are
 * found by their prefix, and 16 digits for everything. Plans in memory are found by an equivalent
 * binary key, which saves a microsecond.
 */
#include "store/plan.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/scalar.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/quantity.h"
#include "base/strbuf.h"
#include "store/fields.h"
#include "store/kinds.h"

/* Canonical names. */

static const char index_names[TCPLAN_PLAN_INDICES][2] = {
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
    "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"};

static bool is_one(const struct tcplan_contraction *contraction, enum tcplan_operand a,
                   enum tcplan_operand b) {
    return strcmp(contraction->tensor[a].name, contraction->tensor[b].name) == 0;
}

bool plan_contraction_of(struct tcplan_contraction *out, const struct tcplan_problem *problem) {
    const struct tcplan_contraction *from = problem->contraction;
    if (from->index_count > TCPLAN_PLAN_INDICES) return false;
    *out = *from;
    for (int i = 0; i < out->index_count; i++) out->index[i].name = index_names[i];
    const bool adds = tcplan_contraction_has_addend(from);
    out->tensor[TCPLAN_A].name = "A";
    out->tensor[TCPLAN_B].name = is_one(from, TCPLAN_A, TCPLAN_B) ? "A" : "B";
    out->tensor[TCPLAN_C].name = adds ? "D" : "C";
    if (adds) {
        const bool is_a = is_one(from, TCPLAN_A, TCPLAN_ADDEND),
                   is_b = is_one(from, TCPLAN_B, TCPLAN_ADDEND);
        out->tensor[TCPLAN_ADDEND].name = is_a ? "A" : is_b ? out->tensor[TCPLAN_B].name : "C";
    }
    out->alpha = (struct tcplan_scalar){.re = (double)scalar_class_of(problem->alpha)};
    out->beta = (struct tcplan_scalar){.re = (double)scalar_class_of(problem->beta)};
    out->long_names = false;
    return true;
}

/** A dimension of a tensor, relative to its other dimensions. */
struct place {
    int closer;     /**< number of dimensions with smaller strides; -1: its own stride is 0 */
    bool falls;     /**< whether the stride is negative */
    bool continues; /**< whether it is contiguous with the dimensions of smaller strides */
};

static uint64_t distance_of(int64_t stride) {
    return stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
}

/** Returns whether dimension d of a tensor has a smaller stride than e. */
static bool is_closer(const struct tcplan_tensor *tensor, int d, int e) {
    const uint64_t x = distance_of(tensor->stride[d]), y = distance_of(tensor->stride[e]);
    return x != y ? x < y : d < e;
}

static struct place place_of(const struct tcplan_tensor *tensor, const int64_t extent[],
                             int dimension) {
    struct place place = {.falls = tensor->stride[dimension] < 0};
    int before = -1;
    if (tensor->stride[dimension] == 0) return (struct place){.closer = -1};
    for (int d = 0; d < tensor->rank; d++) {
        if (tensor->stride[d] == 0 || d == dimension || !is_closer(tensor, d, dimension)) continue;
        place.closer++;
        if (before < 0 || is_closer(tensor, before, d)) before = d;
    }
    const uint64_t ends =
        before < 0 ? 1
                   : distance_of(tensor->stride[before]) * (uint64_t)extent[tensor->dims[before]];
    place.continues = distance_of(tensor->stride[dimension]) == ends;
    return place;
}

static const char *const tensor_words[TCPLAN_TENSORS] = {
    [TCPLAN_A] = "A", [TCPLAN_B] = "B", [TCPLAN_C] = "result", [TCPLAN_ADDEND] = "addend"};

/*
 * shape  = tensor { ";" tensor }
 * tensor = word ":" place { "," place }
 * place  = [ "-" ] number [ "+" ]
 */
static void print_shape(struct strbuf *out, const struct tcplan_contraction *contraction,
                        enum tcplan_operand operand, const int64_t extent[]) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    strbuf_add(out, "%s%s:", out->length > 0 ? ";" : "", tensor_words[operand]);
    for (int d = 0; d < tensor->rank; d++) {
        const struct place place = place_of(tensor, extent, d);
        strbuf_add(out, "%s%s%d%s", d > 0 ? "," : "", place.falls ? "-" : "", place.closer + 1,
                   place.continues ? "+" : "");
    }
}

/* Texts. */

static const enum tcplan_operand tensors[TCPLAN_TENSORS] = {TCPLAN_A, TCPLAN_B, TCPLAN_C,
                                                            TCPLAN_ADDEND};

static bool is_strided(const struct tcplan_contraction *contraction, enum tcplan_operand operand) {
    return contraction->tensor[operand].strided &&
           (operand != TCPLAN_ADDEND || tcplan_contraction_has_addend(contraction));
}

/** Copies a text into `out` and frees it; fails if it is too long. */
static enum tcplan_status take(char out[TCPLAN_PLAN_TEXT], char *text, struct tcplan_error *error) {
    if (!text) return error_no_memory(error);
    const size_t length = strlen(text);
    if (length < TCPLAN_PLAN_TEXT) memcpy(out, text, length + 1);
    free(text);
    if (length < TCPLAN_PLAN_TEXT) return TCPLAN_OK;
    return error_set(error, TCPLAN_NOT_APPLICABLE, "the product is too long to be stored");
}

static char *sizes_text(const struct tcplan_contraction *contraction,
                        const struct tcplan_problem *problem) {
    struct strbuf out = {0};
    strbuf_add(&out, "%s", "");
    for (int i = 0; i < contraction->index_count; i++)
        strbuf_add(&out, "%s%" PRId64, i > 0 ? "," : "", problem->extent[i]);
    return strbuf_finish(&out);
}

static char *strides_text(const struct tcplan_contraction *contraction, const int64_t extent[]) {
    struct strbuf out = {0};
    strbuf_add(&out, "%s", "");
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        if (is_strided(contraction, tensors[t])) print_shape(&out, contraction, tensors[t], extent);
    }
    return strbuf_finish(&out);
}

enum tcplan_status plan_identify(struct tcplan_stored_plan *out,
                                 const struct tcplan_contraction *contraction,
                                 const struct tcplan_problem *problem,
                                 const struct tcplan_plan_setup *setup,
                                 struct tcplan_error *error) {
    *out = (struct tcplan_stored_plan){
        .dtype = problem->dtype, .order = contraction->order, .setup = *setup};
    enum tcplan_status status = take(out->product, tcplan_contraction_text(contraction), error);
    if (status == TCPLAN_OK) status = take(out->sizes, sizes_text(contraction, problem), error);
    if (status == TCPLAN_OK)
        status = take(out->strides, strides_text(contraction, problem->extent), error);
    return status;
}

bool plan_is_alike(const struct tcplan_stored_plan *a, const struct tcplan_stored_plan *b) {
    const struct tcplan_plan_setup *x = &a->setup, *y = &b->setup;
    const bool same_setup = x->threads == y->threads && x->cache == y->cache &&
                            x->space == y->space && x->prefer == y->prefer &&
                            x->alignment_bytes == y->alignment_bytes;
    return same_setup && a->dtype == b->dtype && a->order == b->order &&
           strcmp(a->product, b->product) == 0 && strcmp(a->strides, b->strides) == 0;
}

bool plan_is_same(const struct tcplan_stored_plan *a, const struct tcplan_stored_plan *b) {
    return plan_is_alike(a, b) && strcmp(a->sizes, b->sizes) == 0;
}

void plan_key(char out[PLAN_KEY], const struct tcplan_stored_plan *plan) {
    const struct tcplan_plan_setup *setup = &plan->setup;
    char numbers[120];
    snprintf(numbers, sizeof numbers, "%d %d %d %d %d %d %" PRId64, (int)plan->dtype,
             (int)plan->order, setup->threads, setup->cache, setup->space, setup->prefer,
             setup->alignment_bytes);
    uint64_t hash = hash_add(HASH_OF_NOTHING, plan->product, strlen(plan->product) + 1);
    hash = hash_add(hash, plan->strides, strlen(plan->strides) + 1);
    hash = hash_add(hash, numbers, strlen(numbers) + 1);
    const uint64_t shape = hash_spread(hash) >> 32;
    const uint64_t name = hash_spread(hash_add(hash, plan->sizes, strlen(plan->sizes) + 1));
    snprintf(out, PLAN_KEY, "%08" PRIx64 "-%016" PRIx64, shape, name);
}

bool plan_sizes_read(int64_t extent[], int count, const char *text) {
    for (int i = 0; i < count; i++) {
        int64_t number = 0;
        if (i > 0 && *text++ != ',') return false;
        if (*text < '0' || *text > '9') return false;
        for (; *text >= '0' && *text <= '9'; text++) {
            number = 10 * number + *text - '0';
            if (number > INT_MAX) return false;
        }
        extent[i] = number;
    }
    return *text == '\0';
}

/* Bytes. */

static unsigned char *put(unsigned char *at, const void *value, size_t size) {
    memcpy(at, value, size);
    return at + size;
}

size_t plan_key_bytes(unsigned char out[PLAN_KEY_BYTES], const struct tcplan_problem *problem,
                      const struct tcplan_plan_setup *setup) {
    _Static_assert(4 * (2 + 2 * TCPLAN_MAX_RANK) + 8 * TCPLAN_PLAN_INDICES + 128 <= PLAN_KEY_BYTES,
                   "there is room for the largest");
    const struct tcplan_contraction *contraction = problem->contraction;
    const bool adds = tcplan_contraction_has_addend(contraction);
    const int numbers[] = {(int)problem->dtype,
                           (int)contraction->order,
                           is_one(contraction, TCPLAN_A, TCPLAN_B),
                           adds,
                           adds && is_one(contraction, TCPLAN_A, TCPLAN_ADDEND),
                           adds && is_one(contraction, TCPLAN_B, TCPLAN_ADDEND),
                           (int)scalar_class_of(problem->alpha),
                           (int)scalar_class_of(problem->beta),
                           contraction->index_count,
                           setup->threads,
                           setup->cache,
                           setup->space,
                           setup->prefer};
    if (contraction->index_count > TCPLAN_PLAN_INDICES) return 0;
    unsigned char *at = put(out, numbers, sizeof numbers);
    at = put(at, &setup->alignment_bytes, sizeof setup->alignment_bytes);
    at = put(at, problem->extent, (size_t)contraction->index_count * sizeof *problem->extent);
    for (int t = 0; t < TCPLAN_OPERANDS + adds; t++) {
        const struct tcplan_tensor *tensor = &contraction->tensor[tensors[t]];
        *at++ = (unsigned char)tensor->rank;
        *at++ = (unsigned char)(tensor->conjugated | tensor->strided << 1);
        for (int d = 0; d < tensor->rank; d++) *at++ = (unsigned char)tensor->dims[d];
        for (int d = 0; tensor->strided && d < tensor->rank; d++) {
            const struct place place = place_of(tensor, problem->extent, d);
            *at++ = (unsigned char)((place.closer + 1) | place.falls << 7 | place.continues << 6);
        }
    }
    return (size_t)(at - out);
}

enum { DAYS = 365, MOST_THREADS = 4096, MOST_ALIGNMENT = 1 << 30 };

/* Longest plausible execution time, in seconds. */
#define MOST_SECONDS 1e9

static const char *const caches[] = {"warm", "cold", NULL};
static const char *const spaces[] = {"full", "blas", NULL};
static const char *const preferences[] = {
    "ease", "speed", NULL}; /* `ease` is the name of TCPLAN_PREFER_SIMPLE in version 0.1.0 */
static const char *const efforts[] = {"estimate", "quick", "normal", "thorough", NULL};

static const char *const orders[] = {"column-major", "row-major", NULL};

static const struct field plan_fields[] = {
    {TEXT_OF("product", tcplan_stored_plan, product)},
    {TEXT_OF("sizes", tcplan_stored_plan, sizes)},
    {TEXT_OF("strides", tcplan_stored_plan, strides)},
    {WORD_OF("type", tcplan_stored_plan, dtype, fields_dtypes)},
    {WORD_OF("order", tcplan_stored_plan, order, orders)},
    {INT_OF("threads", tcplan_stored_plan, setup.threads, 1, MOST_THREADS)},
    {WORD_OF("cache", tcplan_stored_plan, setup.cache, caches)},
    {WORD_OF("space", tcplan_stored_plan, setup.space, spaces)},
    {WORD_OF("prefer", tcplan_stored_plan, setup.prefer, preferences)},
    {INT64_OF("alignment", tcplan_stored_plan, setup.alignment_bytes, 0, MOST_ALIGNMENT)},
    {TEXT_OF("algorithm", tcplan_stored_plan, algorithm)},
    {INT_OF("team", tcplan_stored_plan, threads, 0, MOST_THREADS)},
    {WORD_OF("effort", tcplan_stored_plan, effort, efforts)},
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
        "the plan lacks a product, an algorithm, threads, or a positive time inside its interval");
}

_Static_assert(sizeof(struct tcplan_stored_plan) <= FIELDS_OBJECT, "a plan is one line");

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
               setup->threads == 1 ? "" : "s", caches[setup->cache], spaces[setup->space],
               preferences[setup->prefer]);
    if (setup->alignment_bytes > 0)
        strbuf_add(out, ", aligned to %s", quantity_bytes(setup->alignment_bytes).text);
    strbuf_add(out, "\nalgorithm  %s, found with effort %s\n", plan->algorithm,
               efforts[plan->effort]);
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
                                            .print = print};
