#include "support/random_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "tcplan/problem.h"

static const char *const notations[][3] = {
    {"ik", "kj", "ij"},     {"abk", "kij", "abij"}, {"kab", "jk", "jab"}, {"xik", "xkj", "xij"},
    {"ikl", "lkj", "ji"},   {"ik", "j", "ij"},      {"i", "i", "i"},      {"ab", "ab", ""},
    {"abkl", "lkc", "cba"}, {"xi", "xj", "jxi"},    {"iks", "kj", "ij"},  {"ik", "tkj", "ji"},
};

static void make_subject(struct random_subject *out, const char *labels,
                         const struct random_shape *shape, struct random *random, bool strided,
                         double fill) {
    const int rank = (int)strlen(labels);
    int64_t combinations = 1, count = 0;
    int64_t *extent = out->extent;
    memset(out, 0, sizeof *out);
    out->block_elements = 1;
    for (int d = 0; d < rank; d++) {
        const int i = labels[d] - 'a';
        out->label[d] = labels[d];
        out->sections[d] = shape->sections[i];
        for (int s = 0; s < shape->sections[i]; s++) *extent++ = shape->extent[i][s];
        combinations *= shape->sections[i];
    }
    assert_true(combinations <= RANDOM_BLOCKS_COMBINATIONS);
    for (int64_t n = 0; n < combinations; n++) {
        int64_t rest = n;
        out->number[n] = -1;
        if (random_unit(random) > fill || count == RANDOM_BLOCKS_MOST) continue;
        int64_t elements = 1;
        for (int d = rank - 1; d >= 0; d--) {
            const int sections = out->sections[d];
            const int32_t s = (int32_t)(rest % sections);
            out->at[count * rank + d] = s;
            out->stride[count * rank + d] = elements * 2; /* strided: uses every other element */
            elements *= shape->extent[labels[d] - 'a'][s];
            rest /= sections;
        }
        assert_true(2 * elements < RANDOM_BLOCKS_ELEMENTS);
        if (2 * elements > out->block_elements) out->block_elements = 2 * elements;
        out->number[n] = (int)count++;
    }
    out->tensor = (struct tcplan_block_tensor){.rank = rank,
                                               .label = out->label,
                                               .sections = out->sections,
                                               .extent = out->extent,
                                               .blocks = count,
                                               .coordinate = out->at,
                                               .stride = strided ? out->stride : NULL};
}

static size_t bytes_of(enum tcplan_dtype dtype) {
    return tcplan_dtype_bytes(dtype);
}

static double complex get(const void *memory, int64_t n, enum tcplan_dtype dtype) {
    switch (dtype) {
    case TCPLAN_FLOAT: return ((const float *)memory)[n];
    case TCPLAN_DOUBLE: return ((const double *)memory)[n];
    case TCPLAN_FLOAT_COMPLEX: return ((const float complex *)memory)[n];
    case TCPLAN_DOUBLE_COMPLEX: return ((const double complex *)memory)[n];
    case TCPLAN_DTYPES: break;
    }
    return 0;
}

void random_blocks_set(void *memory, int64_t n, enum tcplan_dtype dtype, double complex value) {
    if (dtype == TCPLAN_FLOAT) ((float *)memory)[n] = (float)creal(value);
    if (dtype == TCPLAN_DOUBLE) ((double *)memory)[n] = creal(value);
    if (dtype == TCPLAN_FLOAT_COMPLEX) ((float complex *)memory)[n] = (float complex)value;
    if (dtype == TCPLAN_DOUBLE_COMPLEX) ((double complex *)memory)[n] = value;
}

static void fill(struct random_subject *subject, enum tcplan_dtype dtype, struct random *random) {
    const int64_t elements = (subject->tensor.blocks + 1) * subject->block_elements;
    const size_t bytes = (size_t)elements * bytes_of(dtype);
    subject->memory = malloc(bytes);
    subject->before = malloc(bytes);
    subject->value = malloc((size_t)elements * sizeof *subject->value);
    for (int64_t n = 0; n < elements; n++) {
        random_blocks_set(subject->memory, n, dtype,
                          (double)random_below(random, 9) - 4 +
                              ((double)random_below(random, 5) - 2) * I);
        subject->value[n] = get(subject->memory, n, dtype);
    }
    memcpy(subject->before, subject->memory, bytes);
    for (int64_t b = 0; b < subject->tensor.blocks; b++)
        subject->block[b] =
            subject->memory + (size_t)(b * subject->block_elements) * bytes_of(dtype);
}

void random_blocks_reset(struct random_blocks *blocks) {
    struct random_subject *result = &blocks->subject[TCPLAN_C];
    const int64_t elements = (result->tensor.blocks + 1) * result->block_elements;
    memcpy(result->memory, result->before, (size_t)elements * bytes_of(blocks->dtype));
}

static void release(struct random_subject *subject) {
    free(subject->memory);
    free(subject->before);
    free(subject->value);
}

/** Advances section numbers or index values to the next combination; returns false after the last
 * one. */
static bool next(const char *indices, const struct random_shape *shape,
                 int section[RANDOM_BLOCKS_LETTERS], int64_t at[RANDOM_BLOCKS_LETTERS]) {
    for (const char *name = indices; *name; name++) {
        const int i = *name - 'a';
        if (++at[i] < shape->extent[i][section[i]]) return true;
        at[i] = 0;
        if (++section[i] < shape->sections[i]) return true;
        section[i] = 0;
    }
    return false;
}

/** Returns the place of the element at `at`, which has index values within sections; -1 if its
 * block is zero. */
static int64_t find(const struct tcplan_block_product *product, enum tcplan_operand t,
                    const struct random_subject *subject, const char *labels,
                    const int section[RANDOM_BLOCKS_LETTERS],
                    const int64_t at[RANDOM_BLOCKS_LETTERS]) {
    int64_t stride[TCPLAN_MAX_RANK];
    int combination = 0;
    for (int d = 0; labels[d]; d++)
        combination = combination * subject->sections[d] + section[labels[d] - 'a'];
    const int block = subject->number[combination];
    if (block < 0) return -1;
    int64_t n = block * subject->block_elements;
    tcplan_block_product_shape(product, t, block, NULL, stride);
    for (int d = 0; labels[d]; d++) n += at[labels[d] - 'a'] * stride[d];
    return n;
}

/** Computes the expected elements of C by loops over all elements of the dense tensors. */
static void compute(const struct tcplan_block_product *product, struct random_subject subject[3],
                    const char *const notation[3], const struct random_shape *shape,
                    double complex alpha, double complex beta) {
    char indices[16] = "";
    int section[RANDOM_BLOCKS_LETTERS] = {0};
    int64_t at[RANDOM_BLOCKS_LETTERS] = {0};
    for (int t = 0; t < 3; t++) {
        for (const char *name = notation[t]; *name; name++)
            if (!strchr(indices, *name)) strncat(indices, name, 1);
    }
    bool *scaled = calloc((size_t)((subject[2].tensor.blocks + 1) * subject[2].block_elements),
                          sizeof *scaled);
    do {
        const int64_t c = find(product, TCPLAN_C, &subject[2], notation[2], section, at);
        const int64_t a = find(product, TCPLAN_A, &subject[0], notation[0], section, at);
        const int64_t b = find(product, TCPLAN_B, &subject[1], notation[1], section, at);
        if (c < 0) continue;
        if (!scaled[c]) subject[2].value[c] *= beta;
        scaled[c] = true;
        if (a < 0 || b < 0) continue;
        const double complex left =
            subject[0].tensor.conjugated ? conj(subject[0].value[a]) : subject[0].value[a];
        const double complex right =
            subject[1].tensor.conjugated ? conj(subject[1].value[b]) : subject[1].value[b];
        subject[2].value[c] += alpha * left * right;
    } while (next(indices, shape, section, at));
    free(scaled);
}

void random_blocks_make(struct random_blocks *out, uint64_t seed) {
    const double fills[] = {0.1, 0.5, 1};
    struct random random = {seed}, values = {seed + 77};
    struct random_subject *subject = out->subject;
    struct tcplan_error error = {0};
    *out = (struct random_blocks){
        .notation = notations[random_below(&random, sizeof notations / sizeof *notations)],
        .dtype = (enum tcplan_dtype)random_below(&random, TCPLAN_DTYPES)};
    const enum tcplan_order order = (enum tcplan_order)random_below(&random, 2);
    for (int i = 0; i < RANDOM_BLOCKS_LETTERS; i++) {
        out->shape.sections[i] = 1 + (int)random_below(&random, 3);
        for (int s = 0; s < RANDOM_BLOCKS_SECTIONS; s++)
            out->shape.extent[i][s] = 1 + random_below(&random, 3);
    }
    for (int t = 0; t < 3; t++)
        make_subject(&subject[t], out->notation[t], &out->shape, &values,
                     random_below(&values, 3) == 0, fills[random_below(&values, 3)]);
    subject[0].tensor.conjugated = random_below(&values, 2);
    subject[1].tensor.conjugated = random_below(&values, 2);
    for (int t = 0; t < 3; t++) fill(&subject[t], out->dtype, &values);
    if (tcplan_block_product_make(&out->product, &subject[0].tensor, &subject[1].tensor,
                                  &subject[2].tensor, out->dtype, order, &error) != TCPLAN_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
}

void random_blocks_compute(struct random_blocks *blocks, double complex alpha,
                           double complex beta) {
    compute(blocks->product, blocks->subject, blocks->notation, &blocks->shape, alpha, beta);
}

void random_blocks_check(const struct random_blocks *blocks, uint64_t seed, const char *what) {
    const struct random_subject *result = &blocks->subject[TCPLAN_C];
    for (int64_t n = 0; n < result->tensor.blocks * result->block_elements; n++) {
        const double complex found = get(result->memory, n, blocks->dtype);
        if (found != result->value[n])
            fail_msg("seed %llu, %s: element %lld is %g, expected %g", (unsigned long long)seed,
                     what, (long long)n, creal(found), creal(result->value[n]));
    }
}

void random_blocks_free(struct random_blocks *blocks) {
    tcplan_block_product_free(blocks->product);
    for (int t = 0; t < 3; t++) release(&blocks->subject[t]);
}
