#include "torture/operands.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/complex_of.h"
#include "support/rng.h"

static double _Complex load(const char *at, enum tcplan_dtype dtype) {
    switch (dtype) {
    case TCPLAN_FLOAT: return *(const float *)(const void *)at;
    case TCPLAN_DOUBLE: return *(const double *)(const void *)at;
    case TCPLAN_FLOAT_COMPLEX:
        return complex_of(((const float *)(const void *)at)[0],
                          ((const float *)(const void *)at)[1]);
    case TCPLAN_DOUBLE_COMPLEX:
        return complex_of(((const double *)(const void *)at)[0],
                          ((const double *)(const void *)at)[1]);
    case TCPLAN_DTYPES: break;
    }
    return 0;
}

static void store(char *at, enum tcplan_dtype dtype, double re, double im) {
    switch (dtype) {
    case TCPLAN_FLOAT: *(float *)(void *)at = (float)re; break;
    case TCPLAN_DOUBLE: *(double *)(void *)at = re; break;
    case TCPLAN_FLOAT_COMPLEX:
        ((float *)(void *)at)[0] = (float)re, ((float *)(void *)at)[1] = (float)im;
        break;
    case TCPLAN_DOUBLE_COMPLEX:
        ((double *)(void *)at)[0] = re, ((double *)(void *)at)[1] = im;
        break;
    case TCPLAN_DTYPES: break;
    }
}

static bool is_single(const struct operands *operands) {
    return operands->problem->dtype == TCPLAN_FLOAT ||
           operands->problem->dtype == TCPLAN_FLOAT_COMPLEX;
}

static bool is_zero(struct tcplan_scalar scalar) {
    return scalar.re == 0 && scalar.im == 0;
}

static uint64_t all_indices(const struct tcplan_problem *problem) {
    return (UINT64_C(1) << problem->contraction->index_count) - 1;
}

static bool is_empty(const struct tcplan_problem *problem, uint64_t indices) {
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (indices >> i & 1 && problem->extent[i] == 0) return true;
    }
    return false;
}

/**
 * Returns the next index value to check. A long index has nonzero elements only at its first and
 * last values, and around powers of two.
 */
static int64_t following(int64_t extent, int64_t value) {
    value++;
    if (extent < SUBJECT_LONG || value >= extent - 3) return value;
    for (int64_t power = SUBJECT_LONG / 2; power < extent + 3; power *= 2) {
        if (value <= power + 2)
            return value <= 3 || value >= power - 2 ? value
                   : power - 2 < extent - 3         ? power - 2
                                                    : extent - 3;
    }
    return extent - 3;
}

/** Advances to the next point of some indices; returns false after the last one. */
static bool advance(const struct tcplan_problem *problem, uint64_t indices, int64_t point[]) {
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (!(indices >> i & 1)) continue;
        point[i] = following(problem->extent[i], point[i]);
        if (point[i] < problem->extent[i]) return true;
        point[i] = 0;
    }
    return false;
}

static int64_t count_points(const struct tcplan_problem *problem, uint64_t indices) {
    int64_t point[TCPLAN_MAX_INDICES] = {0}, points = 0;
    if (is_empty(problem, indices)) return 0;
    do {
        points++;
    } while (advance(problem, indices, point));
    return points;
}

static int64_t offset(const struct tcplan_problem *problem, int t, const int64_t point[]) {
    int64_t at = 0;
    for (int i = 0; i < problem->contraction->index_count; i++)
        at += problem->stride_elems[t][i] * point[i];
    return at * (int64_t)problem->element_bytes;
}

/* Memory. */

/** Returns whether a check may use BLIS; true if tcplan chooses the algorithm. */
static bool is_of_blis(const struct subject *subject) {
    return !*subject->algorithm || strstr(subject->algorithm, "@blis");
}

/**
 * Returns how many bytes libraries read beyond the end of a matrix or vector. OpenBLAS 0.3.21 does
 * so for complex ones; BLIS 0.9.0's kernels for Haswell and Zen (its issues 635 and 821) read up
 * to a line or a leading dimension further. 0 for tcplan's own kernels.
 */
static size_t slack_of(const struct tcplan_problem *problem, const struct subject *subject, int t) {
    int64_t largest = 0;
    if (!tcplan_dtype_is_complex(problem->dtype) && !is_of_blis(subject)) return 0;
    for (int i = 0; i < problem->contraction->index_count; i++) {
        const int64_t step = llabs(problem->stride_elems[t][i]);
        if (step > largest) largest = step;
    }
    return (size_t)largest * problem->element_bytes + 64;
}

/** Allocates a tensor. For even seeds it ends before an inaccessible page, for odd ones it starts
 * after one. */
static bool map(struct operands *out, int t) {
    const struct tcplan_problem *problem = out->problem;
    const size_t element = problem->element_bytes, bytes = (size_t)problem->elems[t] * element;
    struct operand *own = &out->tensor[t];
    if (!pages_init(&own->pages, bytes, slack_of(problem, out->subject, t), element,
                    (out->subject->seed >> t) % 2 == 0))
        return false;
    own->at = own->pages.memory + (size_t)problem->first_elems[t] * element;
    return true;
}

/* Data. */

static double draw_part(const struct operands *operands, int t, uint64_t *random) {
    static const double strange[] = {INFINITY, -INFINITY, NAN};
    const double tiny = is_single(operands) ? 0x1p-149 : 0x1p-1074,
                 value = rng_below(random, 7) - 3;
    switch (operands->subject->data) {
    case SUBJECT_WHOLE: return value;
    case SUBJECT_SUBNORMAL: return t == TCPLAN_B ? value : value * tiny;
    case SUBJECT_REAL: return rng_real(random);
    case SUBJECT_NONFINITE:
        return rng_once_in(random, 150)
                   ? strange[rng_below(random, 3)]
                   : fabs(value) + 1; /* positive values: no partial sum is 0, for which a BLAS
                                         might skip products */
    case SUBJECT_DATA: break;
    }
    return 0;
}

static void fill(struct operands *operands, int t, uint64_t *random) {
    const struct tcplan_problem *problem = operands->problem;
    const uint64_t indices = problem->contraction->tensor[t].indices;
    int64_t point[TCPLAN_MAX_INDICES] = {0};
    if (is_empty(problem, indices)) return;
    do {
        const double re = draw_part(operands, t, random);
        store(operands->tensor[t].at + offset(problem, t, point), problem->dtype, re,
              draw_part(operands, t, random));
    } while (advance(problem, indices, point));
}

static double _Complex transposed(const struct operands *operands, int t, const int64_t point[]) {
    const double _Complex value = load(operands->tensor[t].at + offset(operands->problem, t, point),
                                       operands->problem->dtype);
    return operands->problem->contraction->tensor[t].conjugated ? conj(value) : value;
}

static bool keep_before(struct operands *out) {
    const struct tcplan_problem *problem = out->problem;
    const uint64_t indices = problem->contraction->tensor[TCPLAN_C].indices;
    const int from = out->subject->has_addend ? TCPLAN_ADDEND : TCPLAN_C;
    int64_t point[TCPLAN_MAX_INDICES] = {0}, number = 0;
    out->points = count_points(problem, indices);
    out->before = malloc(((size_t)out->points + 1) * sizeof *out->before);
    if (!out->before) return false;
    if (out->points == 0) return true;
    do {
        out->before[number++] = transposed(out, from, point);
    } while (advance(problem, indices, point));
    return true;
}

static bool keep_image(struct operands *out) {
    const struct tcplan_problem *problem = out->problem;
    const struct operand *result = &out->tensor[TCPLAN_C];
    const size_t bytes = pages_room(&result->pages);
    int64_t point[TCPLAN_MAX_INDICES] = {0};
    if (result->pages.map_bytes > PAGES_POISONED_MAX) return true;
    out->image = malloc(bytes);
    out->elements = malloc(bytes);
    if (!out->image || !out->elements) return false;
    memset(out->elements, 0xFF, bytes);
    memcpy(out->image, pages_begin(&result->pages), bytes);
    if (out->points == 0) return true;
    do {
        const char *at = result->at + offset(problem, TCPLAN_C, point);
        memset(out->elements + (at - pages_begin(&result->pages)), 0, problem->element_bytes);
    } while (advance(problem, problem->contraction->tensor[TCPLAN_C].indices, point));
    return true;
}

static bool make(struct operands *out, const struct tcplan_problem *problem,
                 const struct subject *subject, struct tcplan_scalar alpha,
                 struct tcplan_scalar beta) {
    uint64_t random = subject->seed ^ 0x5eed;
    const int count = subject->has_addend ? TCPLAN_TENSORS : TCPLAN_OPERANDS;
    *out = (struct operands){.problem = problem, .subject = subject, .alpha = alpha, .beta = beta};
    for (int t = 0; t < count; t++) {
        if (!map(out, t)) return false;
    }
    const bool adds = !is_zero(out->beta),
               multiplies = !is_zero(out->alpha) && !is_empty(problem, all_indices(problem));
    for (int t = 0; t < count; t++) {
        const bool is_read = t == TCPLAN_C        ? adds && !subject->has_addend
                             : t == TCPLAN_ADDEND ? adds
                                                  : multiplies;
        if (is_read) fill(out, t, &random);
    }
    if (!keep_before(out) || !keep_image(out)) return false;
    for (int t = 0; t < count; t++) {
        const bool is_read = t == TCPLAN_ADDEND ? adds : multiplies;
        if (t != TCPLAN_C) pages_protect(&out->tensor[t].pages, is_read ? PROT_READ : PROT_NONE);
    }
    return true;
}

/* Number of checks whose operands are stored for reuse. */

enum { RECENT = 4 };

static struct recent {
    bool is_there;
    struct subject subject; /* the check that used the operands last */
    struct operands operands;
} recent[RECENT];

static bool is_same(struct tcplan_scalar one, struct tcplan_scalar other) {
    return memcmp(&one, &other, sizeof one) == 0;
}

/** Returns whether two checks have the same product and data, and the same extra bytes after their
 * operands. */
static bool is_alike(const struct subject *one, const struct subject *other) {
    return memcmp(one, other, offsetof(struct subject, way)) == 0 &&
           is_of_blis(one) == is_of_blis(other);
}

static bool take(struct operands *out, const struct tcplan_problem *problem,
                 const struct subject *subject, struct tcplan_scalar alpha,
                 struct tcplan_scalar beta) {
    for (int k = 0; k < RECENT; k++) {
        const struct operands *own = &recent[k].operands;
        if (!recent[k].is_there || !is_same(own->alpha, alpha) || !is_same(own->beta, beta) ||
            !is_alike(&recent[k].subject, subject))
            continue;
        *out = *own;
        out->problem = problem;
        out->subject = subject;
        recent[k].is_there = false;
        operands_reset(out);
        return true;
    }
    return false;
}

static void release(struct operands *operands) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) pages_free(&operands->tensor[t].pages);
    free(operands->before);
    free(operands->image);
    free(operands->elements);
    free(operands->sums);
    free(operands->magnitudes);
}

/** Stores operands for reuse, in place of the oldest ones. */
static void keep(const struct operands *operands) {
    static int next;
    struct recent *place = &recent[next++ % RECENT];
    if (place->is_there) release(&place->operands);
    *place =
        (struct recent){.is_there = true, .subject = *operands->subject, .operands = *operands};
}

bool operands_init(struct operands *out, const struct tcplan_problem *problem,
                   const struct subject *subject, struct tcplan_scalar alpha,
                   struct tcplan_scalar beta) {
    const bool done =
        take(out, problem, subject, alpha, beta) || make(out, problem, subject, alpha, beta);
    out->conjugates_before = false;
    return done;
}

void operands_reset(struct operands *operands) {
    const struct tcplan_problem *problem = operands->problem;
    const struct operand *result = &operands->tensor[TCPLAN_C];
    int64_t point[TCPLAN_MAX_INDICES] = {0}, number = 0;
    if (operands->image) {
        memcpy(pages_begin(&result->pages), operands->image, pages_room(&result->pages));
        return;
    }
    if (operands->points == 0) return;
    const bool is_conjugated =
        problem->contraction->tensor[TCPLAN_C].conjugated; /* of the addend */
    do {
        const double _Complex value =
            operands->subject->has_addend ? complex_of(NAN, NAN) : operands->before[number++];
        store(result->at + offset(problem, TCPLAN_C, point), problem->dtype, creal(value),
              is_conjugated ? -cimag(value) : cimag(value));
    } while (advance(problem, problem->contraction->tensor[TCPLAN_C].indices, point));
}

void *operands_at(const struct operands *operands, enum tcplan_operand operand) {
    return operand == TCPLAN_ADDEND && !operands->subject->has_addend
               ? NULL
               : operands->tensor[operand].at;
}

/* Comparing. */

/** Returns the sum of products for one element of the result; also the sum of their magnitudes. */
static double _Complex sum_products(const struct operands *operands, int64_t point[],
                                    double *magnitude, double *terms) {
    const struct tcplan_problem *problem = operands->problem;
    const uint64_t summed = all_indices(problem) & ~problem->contraction->tensor[TCPLAN_C].indices;
    double _Complex sum = 0;
    if (is_empty(problem, summed)) return 0;
    do {
        const double _Complex product =
            transposed(operands, TCPLAN_A, point) * transposed(operands, TCPLAN_B, point);
        sum += product;
        *magnitude += fabs(creal(product)) + fabs(cimag(product));
        ++*terms;
    } while (advance(problem, summed, point));
    return sum;
}

/** Computes the expected sums, once for all executions with these operands. Returns false if memory
 * runs out. */
static bool sum_all(struct operands *operands) {
    const struct tcplan_problem *problem = operands->problem;
    int64_t point[TCPLAN_MAX_INDICES] = {0}, number = 0;
    if (operands->sums || operands->points == 0) return true;
    operands->sums = calloc((size_t)operands->points, sizeof *operands->sums);
    operands->magnitudes = calloc((size_t)operands->points, sizeof *operands->magnitudes);
    if (!operands->sums || !operands->magnitudes) return false;
    do {
        operands->terms = 0;
        operands->sums[number] =
            is_zero(operands->alpha)
                ? 0
                : sum_products(operands, point, &operands->magnitudes[number], &operands->terms);
        number++;
    } while (advance(problem, problem->contraction->tensor[TCPLAN_C].indices, point));
    return true;
}

static bool is_finite(double _Complex value) {
    return isfinite(creal(value)) && isfinite(cimag(value));
}

/** Returns a bound on an element's error. If a kernel sums A and B first, (sum of A) * (sum of B)
 * has larger intermediate results than the sum of products. */
static double bound(const struct operands *operands, double magnitude, double terms) {
    return (terms + 16) * 4 * magnitude * (is_single(operands) ? FLT_EPSILON : DBL_EPSILON);
}

static const char *compare(const struct operands *operands, const int64_t point[], int64_t number) {
    static char text[300];
    const struct tcplan_problem *problem = operands->problem;
    const double _Complex alpha = complex_of(operands->alpha.re, operands->alpha.im),
                          beta = complex_of(operands->beta.re, operands->beta.im);
    const double _Complex before =
        operands->conjugates_before ? conj(operands->before[number]) : operands->before[number];
    double _Complex value = is_zero(operands->alpha) ? 0 : alpha * operands->sums[number];
    if (!is_zero(operands->beta)) value += beta * before;
    if (!tcplan_dtype_is_complex(problem->dtype)) value = creal(value);
    const double magnitude = cabs(alpha) * operands->magnitudes[number] +
                             (is_zero(operands->beta) ? 0 : cabs(beta) * cabs(before));
    const double _Complex got =
        load(operands->tensor[TCPLAN_C].at + offset(problem, TCPLAN_C, point), problem->dtype);
    const double most =
        operands->subject->data == SUBJECT_REAL ? bound(operands, magnitude, operands->terms) : 0;
    if (!is_finite(value) && !is_finite(got)) return NULL;
    if (is_finite(value) && is_finite(got) && cabs(got - value) <= most) return NULL;
    snprintf(text, sizeof text,
             "offset %" PRId64 ": got %.17g%+.17gi instead of %.17g%+.17gi, %.3g allowed",
             offset(problem, TCPLAN_C, point) / (int64_t)problem->element_bytes, creal(got),
             cimag(got), creal(value), cimag(value), most);
    return text;
}

/** Returns whether two blocks of memory differ in the bits that `bits` selects. */
static bool differs(const char *one, const unsigned char *other, const unsigned char *bits,
                    size_t bytes) {
    uint64_t found = 0;
    for (size_t b = 0; b < bytes; b += sizeof found) {
        uint64_t left, right, mask;
        memcpy(&left, one + b, sizeof left);
        memcpy(&right, other + b, sizeof right);
        memcpy(&mask, bits + b, sizeof mask);
        found |= (left ^ right) & mask;
    }
    return found != 0;
}

/** Returns a message if memory outside of the result's elements has changed; NULL if not. */
static const char *find_change(const struct operands *operands) {
    const struct operand *result = &operands->tensor[TCPLAN_C];
    const char *begin = pages_begin(&result->pages);
    const size_t bytes = pages_room(&result->pages);
    static char text[100];
    if (!operands->image || !differs(begin, operands->image, operands->elements, bytes))
        return NULL;
    for (size_t b = 0; b < bytes; b++) {
        if (((unsigned char)begin[b] & operands->elements[b]) ==
            (operands->image[b] & operands->elements[b]))
            continue;
        snprintf(text, sizeof text, "byte %td, which is no element of the result, was written",
                 begin + b - result->pages.memory);
        return text;
    }
    return NULL;
}

/** Counts nonzero numbers in memory; zero words are skipped fast. */
static int64_t count_numbers(const char *memory, size_t bytes, bool single) {
    int64_t count = 0;
    for (size_t b = 0; b + 8 <= bytes + 4; b += 8) {
        double both;
        float one[2] = {0};
        memcpy(one, memory + b, b + 8 <= bytes ? 8 : 4);
        memcpy(&both, one, sizeof both);
        count += single ? (one[0] != 0) + (one[1] != 0) : both != 0;
    }
    return count;
}

/** Checks a result with a long index: all elements other than the compared ones must be 0. */
static const char *find_number(const struct operands *operands) {
    static char text[100];
    const struct tcplan_problem *problem = operands->problem;
    const struct pages *pages = &operands->tensor[TCPLAN_C].pages;
    int64_t point[TCPLAN_MAX_INDICES] = {0}, own = 0;
    if (operands->image) return NULL;
    do {
        own += count_numbers(operands->tensor[TCPLAN_C].at + offset(problem, TCPLAN_C, point),
                             problem->element_bytes, is_single(operands));
    } while (advance(problem, problem->contraction->tensor[TCPLAN_C].indices, point));
    const int64_t all = count_numbers(pages->memory, pages->bytes, is_single(operands));
    if (all == own) return NULL;
    snprintf(text, sizeof text,
             "%" PRId64 " numbers where the result is 0, or between its elements", all - own);
    return text;
}

static bool has_long(const struct tcplan_problem *problem) {
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (problem->extent[i] >= SUBJECT_LONG) return true;
    }
    return false;
}

const char *operands_wrong(struct operands *operands) {
    const struct tcplan_problem *problem = operands->problem;
    int64_t point[TCPLAN_MAX_INDICES] = {0}, number = 0;
    const char *wrong = find_change(operands);
    if (wrong || operands->points == 0) return wrong;
    if (!sum_all(operands)) return "there is not enough memory for what nested loops compute";
    do {
        wrong = compare(operands, point, number++);
    } while (!wrong && advance(problem, problem->contraction->tensor[TCPLAN_C].indices, point));
    return !wrong && has_long(problem) ? find_number(operands) : wrong;
}

void operands_free(struct operands *operands) {
    /* For large operands, no copy of the result's memory is stored. */
    if (operands->image && operands->elements) {
        keep(operands);
    } else {
        release(operands);
    }
    *operands = (struct operands){0};
}
