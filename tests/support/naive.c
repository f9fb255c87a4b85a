#include "support/naive.h"

#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/complex_of.h"
#include "base/indexset.h"
#include "support/rng.h"

static double _Complex load(const void *data, int64_t at, enum tcplan_dtype dtype) {
    switch (dtype) {
    case TCPLAN_FLOAT: return ((const float *)data)[at];
    case TCPLAN_DOUBLE: return ((const double *)data)[at];
    case TCPLAN_FLOAT_COMPLEX: return ((const float _Complex *)data)[at];
    case TCPLAN_DOUBLE_COMPLEX: return ((const double _Complex *)data)[at];
    case TCPLAN_DTYPES: break;
    }
    return 0;
}

static void store(void *data, int64_t at, enum tcplan_dtype dtype, double _Complex value) {
    switch (dtype) {
    case TCPLAN_FLOAT: ((float *)data)[at] = (float)creal(value); break;
    case TCPLAN_DOUBLE: ((double *)data)[at] = creal(value); break;
    case TCPLAN_FLOAT_COMPLEX: ((float _Complex *)data)[at] = (float _Complex)value; break;
    case TCPLAN_DOUBLE_COMPLEX: ((double _Complex *)data)[at] = value; break;
    case TCPLAN_DTYPES: break;
    }
}

static double _Complex number(struct tcplan_scalar scalar) {
    return complex_of(scalar.re, scalar.im);
}

void naive_fill(void *data, int64_t elems, enum tcplan_dtype dtype, uint64_t *random) {
    for (int64_t e = 0; e < elems; e++) {
        const double re = rng_real(random);
        store(data, e, dtype,
              complex_of(re, tcplan_dtype_is_complex(dtype) ? rng_real(random) : 0));
    }
}

/** Returns the position of the element at `point` in a dense tensor. */
static int64_t place_in_dense(const struct tcplan_problem *problem,
                              const struct tcplan_tensor *tensor, const int64_t point[]) {
    int64_t at = 0;
    for (int step = 0; step < tensor->rank; step++) { /* slowest dimension first */
        const int d =
            problem->contraction->order == TCPLAN_ROW_MAJOR ? step : tensor->rank - 1 - step;
        at = at * problem->extent[tensor->dims[d]] + point[tensor->dims[d]];
    }
    return at;
}

int64_t naive_first(const struct tcplan_problem *problem, enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[operand];
    int64_t first = 0, step[TCPLAN_MAX_INDICES] = {0};
    for (int d = 0; d < tensor->rank && tensor->strided; d++)
        step[tensor->dims[d]] += tensor->stride[d];
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (step[i] < 0 && problem->extent[i] > 0) first -= step[i] * (problem->extent[i] - 1);
    }
    return first;
}

/** Returns the position of the element at `point`, counted from the lowest address. */
static int64_t place(const struct tcplan_problem *problem, enum tcplan_operand operand,
                     const int64_t point[]) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[operand];
    if (!tensor->strided) return place_in_dense(problem, tensor, point);
    int64_t at = naive_first(problem, operand);
    for (int d = 0; d < tensor->rank; d++) at += tensor->stride[d] * point[tensor->dims[d]];
    return at;
}

/** Advances `point` to the next combination of these indices; returns false after the last one. */
static bool advance(const struct tcplan_problem *problem, uint64_t indices, int64_t point[]) {
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (!indexset_has(indices, i)) continue;
        if (++point[i] < problem->extent[i]) return true;
        point[i] = 0;
    }
    return false;
}

/** Returns whether one of these indices has extent 0. */
static bool is_empty(const struct tcplan_problem *problem, uint64_t indices) {
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (indexset_has(indices, i) && problem->extent[i] == 0) return true;
    }
    return false;
}

/** Marks which positions in a tensor's memory are elements; others are in gaps or off a diagonal.
 */
static bool *elements_of(const struct tcplan_problem *problem, enum tcplan_operand operand) {
    int64_t point[TCPLAN_MAX_INDICES] = {0};
    bool *is_element = calloc((size_t)problem->elems[operand] + 1, sizeof *is_element);
    const uint64_t indices = problem->contraction->tensor[operand].indices;
    assert_non_null(is_element);
    if (is_empty(problem, indices)) return is_element;
    do {
        const int64_t at = place(problem, operand, point);
        assert_true(at >= 0 && at < problem->elems[operand]);
        is_element[at] = true;
    } while (advance(problem, indices, point));
    return is_element;
}

/** Returns the element of an operand at a position, conjugated if the contraction conjugates the
 * operand. */
static double _Complex conjugated(const struct tcplan_problem *problem, enum tcplan_operand operand,
                                  double _Complex element) {
    return problem->contraction->tensor[operand].conjugated ? conj(element) : element;
}

/** Adds the products to the result. Sums are in double precision, to be more precise than those of
 * floats. */
static void add_products(const struct tcplan_problem *problem, const void *A, const void *B,
                         double _Complex *sum, double *magnitude) {
    int64_t point[TCPLAN_MAX_INDICES] = {0};
    if (is_empty(problem, UINT64_MAX)) return;
    do {
        const double _Complex a =
            conjugated(problem, TCPLAN_A, load(A, place(problem, TCPLAN_A, point), problem->dtype));
        const double _Complex b =
            conjugated(problem, TCPLAN_B, load(B, place(problem, TCPLAN_B, point), problem->dtype));
        const int64_t at = place(problem, TCPLAN_C, point);
        sum[at] += a * b;
        magnitude[at] = fmax(magnitude[at], 0) + cabs(a * b);
    } while (advance(problem, UINT64_MAX, point));
}

/** Adds beta times the addend to each element of the result. */
static void add_addend(const struct tcplan_problem *problem, const void *addend, const void *C,
                       double _Complex *added) {
    const double _Complex beta = number(problem->beta);
    const enum tcplan_operand from = addend ? TCPLAN_ADDEND : TCPLAN_C;
    int64_t point[TCPLAN_MAX_INDICES] = {0};
    const uint64_t indices = problem->contraction->tensor[TCPLAN_C].indices;
    if (beta == 0 || is_empty(problem, indices)) return;
    do {
        const double _Complex own =
            load(addend ? addend : C, place(problem, from, point), problem->dtype);
        added[place(problem, TCPLAN_C, point)] = beta * conjugated(problem, from, own);
    } while (advance(problem, indices, point));
}

void naive_contract(const struct tcplan_problem *problem, const void *A, const void *B,
                    const void *addend, void *C, double *magnitude) {
    const double _Complex alpha = number(problem->alpha);
    const int64_t elems = problem->elems[TCPLAN_C];
    double _Complex *sum = calloc((size_t)elems + 1, sizeof *sum),
                    *added = calloc((size_t)elems + 1, sizeof *added);
    assert_true(sum && added);
    bool *written = elements_of(problem, TCPLAN_C);
    for (int64_t e = 0; e < elems; e++)
        magnitude[e] = written[e] ? 0 : -1; /* -1: in a gap, or off a diagonal */
    if (alpha != 0) add_products(problem, A, B, sum, magnitude);
    add_addend(problem, addend, C, added);
    for (int64_t e = 0; e < elems; e++) {
        if (!written[e]) continue;
        magnitude[e] = cabs(alpha) * magnitude[e] + cabs(added[e]);
        store(C, e, problem->dtype, alpha * sum[e] + added[e]);
    }
    free(written);
    free(added);
    free(sum);
}

double naive_error(const struct tcplan_problem *problem, const void *got, const void *expected,
                   const double *magnitude) {
    double worst = 0;
    for (int64_t e = 0; e < problem->elems[TCPLAN_C]; e++) {
        const double difference =
            cabs(load(got, e, problem->dtype) - load(expected, e, problem->dtype));
        if (isnan(difference) || (magnitude[e] < 0 && difference > 0)) return INFINITY;
        worst = fmax(worst, magnitude[e] > 0 ? difference / magnitude[e] : difference);
    }
    return worst;
}

double naive_tolerance(const struct tcplan_problem *problem) {
    const bool single = problem->dtype == TCPLAN_FLOAT || problem->dtype == TCPLAN_FLOAT_COMPLEX;
    double terms = 8;
    double summed = 1;
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (!indexset_has(problem->contraction->tensor[TCPLAN_C].indices, i))
            summed *= (double)problem->extent[i];
    }
    return (terms + summed) * (single ? 0x1p-22 : 0x1p-51);
}

enum { GUARD_BYTES = 256, GUARD = 0xA5, LINE_BYTES = 64 };

static size_t bytes_of(const struct tcplan_problem *problem, enum tcplan_operand operand) {
    return (size_t)problem->elems[operand] * problem->element_bytes;
}

/** Sets all elements of a tensor, or all gaps between them, to NaN. */
static void spoil(const struct tcplan_problem *problem, enum tcplan_operand operand, void *data,
                  bool elements) {
    bool *is_element = elements_of(problem, operand);
    for (int64_t e = 0; e < problem->elems[operand]; e++) {
        if (is_element[e] == elements) store(data, e, problem->dtype, complex_of(NAN, NAN));
    }
    free(is_element);
}

/** Returns how many bytes to allocate after a tensor: its largest stride and a cache line. OpenBLAS
 * 0.3.21 reads that far beyond the end of complex vectors. */
static size_t slack_bytes(const struct tcplan_problem *problem, enum tcplan_operand operand) {
    int64_t largest = 0;
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (problem->stride_elems[operand][i] > largest)
            largest = problem->stride_elems[operand][i];
    }
    return (size_t)largest * problem->element_bytes + 64;
}

static size_t origin_bytes(const struct tcplan_problem *problem, enum tcplan_operand operand) {
    return (size_t)naive_first(problem, operand) * problem->element_bytes;
}

/** Returns where in its memory a tensor starts: 0, 1, 2, ... elements after a line boundary,
 * depending on the seed. */
static size_t offset_bytes(const void *block, const struct tcplan_problem *problem, int operand,
                           uint64_t seed) {
    const size_t places = LINE_BYTES / problem->element_bytes,
                 to_line = (size_t)(-(uintptr_t)block % LINE_BYTES);
    return to_line + (seed * 3 + (uint64_t)operand * 5) % places * problem->element_bytes;
}

static void *random_tensor(const struct tcplan_problem *problem, enum tcplan_operand operand,
                           uint64_t *random) {
    void *data = malloc(bytes_of(problem, operand) + slack_bytes(problem, operand));
    assert_non_null(data);
    naive_fill(data, problem->elems[operand], problem->dtype, random);
    return data;
}

/** Makes an input tensor with NaN in all gaps. */
static void init_input(struct naive_case *out, enum tcplan_operand operand, uint64_t seed,
                       uint64_t *random) {
    const struct tcplan_problem *problem = out->problem;
    char *block = out->block[operand] =
        malloc(bytes_of(problem, operand) + slack_bytes(problem, operand) + 2 * LINE_BYTES);
    assert_non_null(block);
    out->memory[operand] = block + offset_bytes(block, problem, operand, seed);
    naive_fill(out->memory[operand], problem->elems[operand], problem->dtype, random);
    spoil(problem, operand, out->memory[operand], false);
}

/** Returns whether the addend is the result itself; both must have the same strides. */
static bool is_itself(const struct tcplan_problem *problem, uint64_t seed) {
    return seed % 2 == 1 && problem->elems[TCPLAN_ADDEND] == problem->elems[TCPLAN_C] &&
           memcmp(problem->stride_elems[TCPLAN_ADDEND], problem->stride_elems[TCPLAN_C],
                  sizeof problem->stride_elems[TCPLAN_C]) == 0;
}

void naive_case_init(struct naive_case *out, const struct tcplan_problem *problem, uint64_t seed) {
    uint64_t random = seed;
    const size_t bytes = bytes_of(problem, TCPLAN_C);
    const bool has_addend = tcplan_contraction_has_addend(problem->contraction),
               is_in_place = has_addend && is_itself(problem, seed);
    const bool adds = number(problem->beta) != 0;
    *out = (struct naive_case){.problem = problem};
    init_input(out, TCPLAN_A, seed, &random);
    init_input(out, TCPLAN_B, seed, &random);
    out->A = (char *)out->memory[TCPLAN_A] + origin_bytes(problem, TCPLAN_A);
    out->B = (char *)out->memory[TCPLAN_B] + origin_bytes(problem, TCPLAN_B);
    out->before = random_tensor(problem, TCPLAN_C, &random);
    out->expected = malloc(bytes + 1);
    out->magnitude = malloc((size_t)(problem->elems[TCPLAN_C] + 1) * sizeof *out->magnitude);
    char *block = out->block[TCPLAN_C] = malloc(bytes + 2 * GUARD_BYTES + 2 * LINE_BYTES);
    assert_true(out->expected && out->magnitude && block);
    out->guarded = (unsigned char *)block + offset_bytes(block, problem, TCPLAN_C, seed);
    out->memory[TCPLAN_C] = out->guarded + GUARD_BYTES;
    out->C = (char *)out->memory[TCPLAN_C] + origin_bytes(problem, TCPLAN_C);
    if (has_addend && !is_in_place) {
        init_input(out, TCPLAN_ADDEND, seed, &random);
        out->addend = (char *)out->memory[TCPLAN_ADDEND] + origin_bytes(problem, TCPLAN_ADDEND);
        if (!adds) spoil(problem, TCPLAN_ADDEND, out->memory[TCPLAN_ADDEND], true);
    }
    memcpy(out->expected, out->before, bytes);
    naive_contract(problem, out->memory[TCPLAN_A], out->memory[TCPLAN_B],
                   is_in_place ? out->before : out->memory[TCPLAN_ADDEND], out->expected,
                   out->magnitude);
    if (is_in_place) out->addend = out->C;
    if (!adds || (has_addend && !is_in_place)) spoil(problem, TCPLAN_C, out->before, true);
    if (number(problem->alpha) != 0 && !is_empty(problem, UINT64_MAX)) return;
    spoil(problem, TCPLAN_A, out->memory[TCPLAN_A], true);
    spoil(problem, TCPLAN_B, out->memory[TCPLAN_B], true);
}

void naive_case_reset(struct naive_case *naive) {
    const size_t bytes = bytes_of(naive->problem, TCPLAN_C);
    memset(naive->guarded, GUARD, bytes + 2 * GUARD_BYTES);
    memcpy(naive->memory[TCPLAN_C], naive->before, bytes);
}

double naive_case_error(const struct naive_case *naive) {
    const unsigned char *behind = naive->guarded + GUARD_BYTES + bytes_of(naive->problem, TCPLAN_C);
    for (int b = 0; b < GUARD_BYTES; b++) {
        if (naive->guarded[b] != GUARD || behind[b] != GUARD) return INFINITY;
    }
    return naive_error(naive->problem, naive->memory[TCPLAN_C], naive->expected, naive->magnitude);
}

void naive_case_free(struct naive_case *naive) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) free(naive->block[t]);
    free(naive->before);
    free(naive->expected);
    free(naive->magnitude);
    *naive = (struct naive_case){0};
}
