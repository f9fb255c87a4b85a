#include <limits.h>
#include <string.h>

#include "ast/algorithm/provider.h"
#include "base/error.h"
#include "store/experience.h"
#include "store/fields.h"
#include "store/kinds.h"
#include "tcplan/store.h"

enum { DAYS = 30, MOST_TIMED = 1000 };

/* A call that takes longer is none that is timed by itself. */
#define MOST_NS 1e12

static const char *const dtypes[] = {"s", "d", "c", "z", NULL};

/** The names of kernels and providers, and the table that needs them. */
struct table {
    const char *kernel[TCPLAN_KERNELS + 1];
    const char *provider[TCPLAN_PROVIDER_FILE_1 + 1];
    struct field field[26];
};

#define FIELD(label, kind, member)                                                                 \
    .name = (label), .type = FIELD_##kind, .offset = offsetof(struct kernel_time, member)
#define PART(label, kind, part) FIELD(label, kind, key.call[part])
#define NUMBER(label, part) PART(label, INT, part), .lowest = INT_MIN, .highest = INT_MAX
#define SMALL(label, part, most) PART(label, INT, part), .lowest = 0, .highest = (most)
#define LARGE(label, member) FIELD(label, INT64, member), .lowest = INT64_MIN, .highest = INT64_MAX

static void table_make(struct table *out) {
    memset(out, 0, sizeof *out);
    for (int k = 0; k < TCPLAN_KERNELS; k++)
        out->kernel[k] = tcplan_kernel_name((enum tcplan_kernel)k, TCPLAN_DOUBLE);
    for (int p = 0; p < TCPLAN_PROVIDER_FILE_1; p++)
        out->provider[p] = tcplan_provider_name((enum tcplan_provider)p);
    const struct field fields[] = {
        {PART("kernel", WORD, KERNEL_KEY_KERNEL), .word = out->kernel},
        {PART("provider", WORD, KERNEL_KEY_PROVIDER), .word = out->provider},
        {PART("type", WORD, KERNEL_KEY_DTYPE), .word = dtypes},
        {NUMBER("threads", KERNEL_KEY_THREADS)},
        {NUMBER("m", KERNEL_KEY_EXTENTS)},
        {NUMBER("n", KERNEL_KEY_EXTENTS + 1)},
        {NUMBER("k", KERNEL_KEY_EXTENTS + 2)},
        {NUMBER("lda", KERNEL_KEY_LEADING)},
        {NUMBER("ldb", KERNEL_KEY_LEADING + 1)},
        {NUMBER("ldc", KERNEL_KEY_LEADING + 2)},
        {SMALL("A", KERNEL_KEY_FACTORS, 3)},
        {SMALL("B", KERNEL_KEY_FACTORS + 1, 3)},
        {SMALL("alpha", KERNEL_KEY_SCALARS, 2)},
        {SMALL("beta", KERNEL_KEY_SCALARS + 1, 2)},
        {LARGE("products", key.products)},
        {LARGE("length", key.length)},
        {LARGE("rowsA", key.strides[0][0])},
        {LARGE("columnsA", key.strides[0][1])},
        {LARGE("rowsB", key.strides[1][0])},
        {LARGE("columnsB", key.strides[1][1])},
        {LARGE("rowsC", key.strides[2][0])},
        {LARGE("columnsC", key.strides[2][1])},
        {FIELD("ns", REAL, ns)},
        {FIELD("timed", INT, timed), .lowest = 1, .highest = MOST_TIMED},
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
    for (size_t i = 0; i < experience->kernel_count; i++) {
        struct kernel_time kernel = experience->kernel[i];
        if (kernel.timed > MOST_TIMED) kernel.timed = MOST_TIMED;
        fields_write(out, "kernel", table.field, &kernel);
    }
}

/* Reading. */

static bool is_whole(const struct kernel_time *kernel) {
    const int *call = kernel->key.call;
    return kernel->ns > 0 && kernel->ns < MOST_NS && kernel->timed >= 1 &&
           call[KERNEL_KEY_THREADS] >= 1;
}

static enum tcplan_status read_line(void *value, const void *context, const char *line,
                                    size_t length, struct tcplan_error *error) {
    const struct table *table = context;
    static const char word[] = "kernel";
    const size_t word_length = sizeof word - 1;
    struct kernel_time kernel = {0};
    if (length < word_length || memcmp(line, word, word_length) != 0)
        return error_set(error, TCPLAN_INVALID, "expected kernel");
    enum tcplan_status status =
        fields_read(&kernel, table->field, line + word_length, length - word_length, error);
    if (status != TCPLAN_OK) return status;
    if (!is_whole(&kernel))
        return error_set(error, TCPLAN_INVALID,
                         "the kernel lacks threads, timed, or ns that can be");
    return experience_append_kernel(value, &kernel, error);
}

static enum tcplan_status read_content(void *value, const char *content, size_t length,
                                       struct tcplan_error *error) {
    struct table table;
    table_make(&table);
    return fields_read_lines(value, &table, content, length, read_line, "there is no kernel in it",
                             error);
}

/* Showing. */

/** The calls of one kernel: how many, and the shortest and longest of them. */
static void show_kernel(struct strbuf *out, const struct tcplan_experience *experience,
                        const struct table *table, int kernel, int provider) {
    double least_ns = MOST_NS, most_ns = 0;
    size_t count = 0;
    for (size_t i = 0; i < experience->kernel_count; i++) {
        const struct kernel_time *one = &experience->kernel[i];
        if (one->key.call[KERNEL_KEY_KERNEL] != kernel ||
            one->key.call[KERNEL_KEY_PROVIDER] != provider)
            continue;
        if (one->ns < least_ns) least_ns = one->ns;
        if (one->ns > most_ns) most_ns = one->ns;
        count++;
    }
    if (count == 0) return;
    strbuf_add(out, "%-7s of %-8s %5zu call%s  %.4g to %.4g us\n", table->kernel[kernel],
               table->provider[provider], count, count == 1 ? " " : "s", 1e-3 * least_ns,
               1e-3 * most_ns);
}

static void show_experience(struct strbuf *out, const struct tcplan_experience *experience) {
    struct table table;
    table_make(&table);
    strbuf_add(out, "%zu call%s, of operands in cache, long ones cut down\n\n",
               experience->kernel_count, experience->kernel_count == 1 ? "" : "s");
    for (int k = 0; k < TCPLAN_KERNELS; k++) {
        for (int p = 0; p < TCPLAN_PROVIDER_FILE_1; p++) show_kernel(out, experience, &table, k, p);
    }
}

static enum tcplan_status show_content(struct strbuf *out, const char *content, size_t length,
                                       struct tcplan_error *error) {
    return experience_show(out, content, length, read_content, show_experience, error);
}

const struct store_kind store_kind_kernels = {.name = "kernels",
                                              .version = 1,
                                              .days = DAYS,
                                              .parts = TCPLAN_FINGERPRINT_PARTS,
                                              .write = write_content,
                                              .read = read_content,
                                              .show = show_content};
