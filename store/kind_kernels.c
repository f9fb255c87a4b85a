/*
 * Times of kernels. For equal calls only the smallest time is stored. Beyond the limit, the calls
 * that were unused for the longest time are dropped.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "store/experience.h"

enum { DAYS = 30 };

/* Nanoseconds above which a call is not timed alone. */
#define MOST_NS 1e12

#define PART(label, kind, part) FIELD_OF(label, kind, kernel_time, key.call[part])
#define NUMBER(label, part) PART(label, INT, part), .lowest = INT_MIN, .highest = INT_MAX
#define SMALL(label, part, most) PART(label, INT, part), .lowest = 0, .highest = (most)
#define LARGE(label, member) INT64_OF(label, kernel_time, member, INT64_MIN, INT64_MAX)

static const struct field fields[] = {
    {INT64_OF("made", kernel_time, made, 0, INT64_MAX)},
    {PART("kernel", WORD, KERNEL_KEY_KERNEL), .word_at = observation_kernel_name},
    {PART("provider", WORD, KERNEL_KEY_PROVIDER), .word_at = observation_provider_name},
    {PART("type", WORD, KERNEL_KEY_DTYPE), .word = fields_dtypes},
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
    {FIELD_OF("ns", REAL, kernel_time, ns)},
    {INT_OF("timed", kernel_time, timed, 1, INT_MAX)},
    {0},
};

static bool can_be(const void *observation) {
    const struct kernel_time *kernel = observation;
    return kernel->ns > 0 && kernel->ns < MOST_NS && kernel->timed >= 1 &&
           kernel->key.call[KERNEL_KEY_THREADS] >= 1;
}

/** Compares the extents first, which differ for most calls. */
static bool is_same(const struct kernel_key *a, const struct kernel_key *b) {
    return a->call[KERNEL_KEY_EXTENTS] == b->call[KERNEL_KEY_EXTENTS] &&
           memcmp(a, b, sizeof *a) == 0;
}

static enum tcplan_status fold(struct tcplan_experience *experience, const void *observation) {
    struct kernel_time added = *(const struct kernel_time *)observation;
    size_t place = 0;
    struct kernel_time *kernel = experience->kernel;
    if (!kernel) experience->kernel = kernel = base_alloc(EXPERIENCE_KERNELS * sizeof *kernel);
    if (!kernel) return TCPLAN_NO_MEMORY;
    while (place < experience->kernel_count && !is_same(&kernel[place].key, &added.key)) place++;
    if (place < experience->kernel_count) {
        added.ns = fmin(added.ns, kernel[place].ns);
        if (added.timed < kernel[place].timed) added.timed = kernel[place].timed;
        experience_drop(kernel, sizeof *kernel, &experience->kernel_count, place, 1);
    } else if (place == EXPERIENCE_KERNELS) {
        experience_drop(kernel, sizeof *kernel, &experience->kernel_count, 0,
                        EXPERIENCE_KERNELS / EXPERIENCE_FORGOTTEN_SHARE);
    }
    kernel[experience->kernel_count++] = added;
    return TCPLAN_OK;
}

/** Prints the number of timed calls of one kernel, and the shortest and longest time. */
static void show_kernel(struct strbuf *out, const struct tcplan_experience *experience, int kernel,
                        int provider) {
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
    strbuf_add(out, "%-7s of %-8s %5zu call%s  %.4g to %.4g us\n", observation_kernel_name(kernel),
               observation_provider_name(provider), count, count == 1 ? " " : "s", 1e-3 * least_ns,
               1e-3 * most_ns);
}

static void print(struct strbuf *out, const void *value) {
    const struct tcplan_experience *experience = value;
    strbuf_add(out, "%zu call%s with operands in cache; long calls were shortened\n\n",
               experience->kernel_count, experience->kernel_count == 1 ? "" : "s");
    for (int k = 0; k < TCPLAN_KERNELS; k++) {
        for (int p = 0; p < TCPLAN_PROVIDER_FILE_1; p++) show_kernel(out, experience, k, p);
    }
}

static const struct fields_line lines[] = {
    {LINE_GROWN("kernel", fields, tcplan_experience, kernel, kernel_count)}, {0}};

const struct store_kind store_kind_kernels = {.name = "kernels",
                                              .version = 1,
                                              .days = DAYS,
                                              .parts = TCPLAN_FINGERPRINT_PARTS,
                                              .line = lines,
                                              .can_be = can_be,
                                              .fold = fold,
                                              .print = print};
