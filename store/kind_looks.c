#include <limits.h>
#include <math.h>
#include <string.h>

#include "ast/algorithm/provider.h"
#include "base/alloc.h"
#include "base/error.h"
#include "store/experience.h"
#include "store/fields.h"
#include "store/kinds.h"
#include "tcplan/store.h"

enum { DAYS = 90, TENSOR_SETS = 8 };

/* Seconds over those estimated that are taken for a look; others were no times. */
#define MOST_RATIO 1e6

static const char *const dtypes[] = {"s", "d", "c", "z", NULL};

/** The names of kernels and providers, and the table that needs them. */
struct table {
    const char *kernel[TCPLAN_KERNELS + 1];
    const char *provider[TCPLAN_PROVIDER_FILE_1 + 1];
    struct field field[24];
};

#define FIELD(label, kind, member)                                                                 \
    .name = (label), .type = FIELD_##kind, .offset = offsetof(struct look, member)

static void table_make(struct table *out) {
    memset(out, 0, sizeof *out);
    for (int k = 0; k < TCPLAN_KERNELS; k++)
        out->kernel[k] = tcplan_kernel_name((enum tcplan_kernel)k, TCPLAN_DOUBLE);
    for (int p = 0; p < TCPLAN_PROVIDER_FILE_1; p++)
        out->provider[p] = tcplan_provider_name((enum tcplan_provider)p);
    const struct field fields[] = {
        {FIELD("problem", INT64, problem), .lowest = 0, .highest = INT64_MAX},
        {FIELD("type", WORD, dtype), .word = dtypes},
        {FIELD("kernel", WORD, kernel), .word = out->kernel},
        {FIELD("provider", WORD, provider), .word = out->provider},
        {FIELD("threads", INT, threads), .lowest = 1, .highest = INT_MAX},
        {FIELD("parallel", FLAG, parallel)},
        {FIELD("cold", FLAG, cold)},
        {FIELD("tiled", FLAG, tiled)},
        {FIELD("inner", INT, inner), .lowest = 0, .highest = TENSOR_SETS - 1},
        {FIELD("outer", INT, outer), .lowest = 0, .highest = TENSOR_SETS - 1},
        {FIELD("copyA", INT, copy[TCPLAN_A]), .lowest = 0, .highest = LOOK_COPIES - 1},
        {FIELD("copyB", INT, copy[TCPLAN_B]), .lowest = 0, .highest = LOOK_COPIES - 1},
        {FIELD("copyC", INT, copy[TCPLAN_C]), .lowest = 0, .highest = LOOK_COPIES - 1},
        {FIELD("m", REAL, m)},
        {FIELD("n", REAL, n)},
        {FIELD("k", REAL, k)},
        {FIELD("ns", REAL, call_ns)},
        {FIELD("ratio", REAL, ratio)},
        {FIELD("cut", FLAG, cut)},
        {0},
    };
    _Static_assert(sizeof fields <= sizeof out->field, "the table has room for all fields");
    memcpy(out->field, fields, sizeof fields);
}

/* Writing. */

static void write_content(struct strbuf *out, const void *value) {
    const struct tcplan_experience *experience = value;
    struct table table;
    table_make(&table);
    for (size_t i = 0; i < experience->count; i++)
        fields_write(out, "look", table.field, &experience->look[i]);
}

/* Reading. */

static bool is_whole(const struct look *look) {
    return look->threads >= 1 && look->m >= 1 && look->n >= 1 && look->k >= 1 &&
           look->call_ns > 0 && look->ratio > 1 / MOST_RATIO && look->ratio < MOST_RATIO;
}

static enum tcplan_status read_line(void *value, const void *context, const char *line,
                                    size_t length, struct tcplan_error *error) {
    const struct table *table = context;
    struct look look = {0};
    if (length < 4 || memcmp(line, "look", 4) != 0)
        return error_set(error, TCPLAN_INVALID, "expected look");
    enum tcplan_status status = fields_read(&look, table->field, line + 4, length - 4, error);
    if (status != TCPLAN_OK) return status;
    if (!is_whole(&look))
        return error_set(error, TCPLAN_INVALID,
                         "the look lacks threads, m, n, k, ns, or a ratio that can be");
    return experience_append(value, &look, error);
}

static enum tcplan_status read_content(void *value, const char *content, size_t length,
                                       struct tcplan_error *error) {
    struct table table;
    table_make(&table);
    return fields_read_lines(value, &table, content, length, read_line, "there is no look in it",
                             error);
}

/* Showing. */

static size_t count_problems(const struct tcplan_experience *experience) {
    size_t count = 0;
    for (size_t i = 0; i < experience->count; i++)
        count += i == 0 || experience->look[i].problem != experience->look[i - 1].problem;
    return count;
}

/** The looks at algorithms with one kernel: how many, and the mean of their ratios. */
static void show_kernel(struct strbuf *out, const struct tcplan_experience *experience,
                        const struct table *table, int kernel, int provider) {
    double logs = 0;
    size_t count = 0;
    for (size_t i = 0; i < experience->count; i++) {
        const struct look *look = &experience->look[i];
        if ((int)look->kernel != kernel || (int)look->provider != provider) continue;
        logs += log(look->ratio);
        count++;
    }
    if (count == 0) return;
    strbuf_add(out, "%-6s of %-8s %5zu look%s  %6.2f times the estimate\n", table->kernel[kernel],
               table->provider[provider], count, count == 1 ? " " : "s", exp(logs / (double)count));
}

static void show_experience(struct strbuf *out, const struct tcplan_experience *experience) {
    struct table table;
    const size_t problems = count_problems(experience);
    table_make(&table);
    strbuf_add(out, "%zu look%s at algorithms of %zu problem%s\n\n", experience->count,
               experience->count == 1 ? "" : "s", problems, problems == 1 ? "" : "s");
    for (int k = 0; k < TCPLAN_KERNELS; k++) {
        for (int p = 0; p < TCPLAN_PROVIDER_FILE_1; p++) show_kernel(out, experience, &table, k, p);
    }
}

static enum tcplan_status show_content(struct strbuf *out, const char *content, size_t length,
                                       struct tcplan_error *error) {
    return experience_show(out, content, length, read_content, show_experience, error);
}

const struct store_kind store_kind_looks = {.name = "looks",
                                            .version = 1,
                                            .days = DAYS,
                                            .parts = TCPLAN_FINGERPRINT_PARTS,
                                            .write = write_content,
                                            .read = read_content,
                                            .show = show_content};
