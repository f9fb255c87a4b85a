#include "support/tapp_case.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/complex_of.h"
#include "support/rng.h"

size_t tapp_case_bytes(TAPP_datatype type) {
    static const size_t bytes[] = {4, 8, 8, 16};
    return bytes[type];
}

static bool is_complex(TAPP_datatype type) {
    return type == TAPP_C32 || type == TAPP_C64;
}

static bool is_double(TAPP_datatype type) {
    return type == TAPP_F64 || type == TAPP_C64;
}

static double complex get(const void *memory, int64_t at, TAPP_datatype type) {
    switch (type) {
    case TAPP_F32: return (double)((const float *)memory)[at];
    case TAPP_F64: return ((const double *)memory)[at];
    case TAPP_C32: return (double complex)((const float complex *)memory)[at];
    default: return ((const double complex *)memory)[at];
    }
}

static void put(void *memory, int64_t at, TAPP_datatype type, double complex value) {
    switch (type) {
    case TAPP_F32: ((float *)memory)[at] = (float)creal(value); return;
    case TAPP_F64: ((double *)memory)[at] = creal(value); return;
    case TAPP_C32: ((float complex *)memory)[at] = (float complex)value; return;
    default: ((double complex *)memory)[at] = value; return;
    }
}

struct tapp_case_number tapp_case_number(double complex value, TAPP_datatype type) {
    struct tapp_case_number number = {0};
    put(&number, 0, type, value);
    return number;
}

void *tapp_case_at(const struct tapp_case_tensor *tensor) {
    return (char *)tensor->memory + (size_t)tensor->first * tapp_case_bytes(tensor->type);
}

/* Making cases. */

void tapp_case_fill(struct tapp_case *out, uint64_t *random) {
    for (int t = 0; t < TAPP_CASE_TENSORS; t++) {
        struct tapp_case_tensor *tensor = &out->tensor[t];
        tensor->elems = 1;
        tensor->first = 0;
        for (int d = 0; d < tensor->rank; d++) {
            const int64_t last =
                tensor->extent[d] > 0 ? (tensor->extent[d] - 1) * tensor->stride[d] : 0;
            tensor->elems += llabs(last);
            if (last < 0) tensor->first -= last;
        }
        assert_int_equal(TAPP_create_tensor_info(&tensor->info, tensor->type, tensor->rank,
                                                 tensor->extent, tensor->stride),
                         0);
        tensor->memory = malloc((size_t)tensor->elems * tapp_case_bytes(tensor->type));
        assert_non_null(tensor->memory);
        for (int64_t e = 0; e < tensor->elems; e++)
            put(tensor->memory, e, tensor->type, rng_real(random) + rng_real(random) * I);
    }
}

void tapp_case_spoil(struct tapp_case *with) {
    const bool not_read[TAPP_CASE_TENSORS] = {
        [CASE_A] = with->alpha == 0,
        [CASE_B] = with->alpha == 0,
        [CASE_C] = with->beta == 0 || with->is_in_place,
        [CASE_D] = with->beta == 0 || !with->is_in_place,
    };
    for (int t = 0; t < TAPP_CASE_TENSORS; t++) {
        struct tapp_case_tensor *tensor = &with->tensor[t];
        for (int64_t e = 0; e < tensor->elems && not_read[t]; e++)
            put(tensor->memory, e, tensor->type, complex_of(NAN, NAN));
    }
}

/** Which tensors have an index of a random product. */
enum place { FREE_A, FREE_B, CONTRACTED, HADAMARD, ONLY_A, ONLY_B, PLACES };

static void add_dimension(struct tapp_case_tensor *tensor, int64_t index, int64_t extent,
                          uint64_t *random) {
    if (tensor->rank == TAPP_CASE_RANK) return;
    const int at = rng_below(random, tensor->rank + 1); /* at any position */
    memmove(&tensor->index[at + 1], &tensor->index[at],
            (size_t)(tensor->rank - at) * sizeof *tensor->index);
    memmove(&tensor->extent[at + 1], &tensor->extent[at],
            (size_t)(tensor->rank - at) * sizeof *tensor->extent);
    tensor->index[at] = index;
    tensor->extent[at] = extent;
    tensor->rank++;
}

/** Draws strides of a part of a larger tensor, in any order and of either sign. Some strides of
 * inputs are 0. */
static void draw_strides(struct tapp_case_tensor *tensor, bool is_input, uint64_t *random) {
    int order[TAPP_CASE_RANK] = {0};
    for (int d = 0; d < tensor->rank; d++) {
        const int at = rng_below(random, d + 1);
        order[d] = order[at];
        order[at] = d;
    }
    int64_t stride = rng_once_in(random, 4) ? 2 : 1;
    for (int d = 0; d < tensor->rank; d++) {
        tensor->stride[order[d]] = rng_once_in(random, 4) ? -stride : stride;
        stride *= tensor->extent[order[d]] + (rng_once_in(random, 4) ? 1 : 0);
        if (stride == 0) stride = 1;
        if (is_input && rng_once_in(random, 10)) tensor->stride[order[d]] = 0;
    }
}

/** Draws the strides of C: strides of its own, or those of D. In the latter case, C may use the
 * memory of D. */
static void draw_addend(struct tapp_case *out, struct tapp_case_kind kind, uint64_t *random) {
    struct tapp_case_tensor *C = &out->tensor[CASE_C], *D = &out->tensor[CASE_D];
    const TAPP_datatype type = C->type;
    const TAPP_element_op op = C->op;
    *C = *D;
    C->op = op;
    if (kind.mixes_types) C->type = type;
    const bool like_result = rng_once_in(random, 2);
    if (!like_result) draw_strides(C, true, random);
    out->is_in_place = like_result && C->type == D->type && rng_once_in(random, 2);
}

static void draw_indices(struct tapp_case *out, struct tapp_case_kind kind, uint64_t *random) {
    struct tapp_case_tensor *tensor = out->tensor;
    const int count = rng_below(random, 7);
    for (int i = 0; i < count; i++) {
        const enum place place = (enum place)rng_below(random, PLACES);
        const int64_t extent =
            kind.has_empty && rng_once_in(random, 8) ? 0 : 1 + rng_below(random, 4);
        const int64_t index = rng_once_in(random, 2) ? 'a' + i : -1000000007LL * i;
        const bool in[TAPP_CASE_TENSORS] = {[CASE_A] = place != FREE_B && place != ONLY_B,
                                            [CASE_B] = place != FREE_A && place != ONLY_A,
                                            [CASE_D] = place == FREE_A || place == FREE_B ||
                                                       place == HADAMARD};
        for (int t = 0; t < TAPP_CASE_TENSORS; t++) {
            if (in[t]) add_dimension(&tensor[t], index, extent, random);
            if (in[t] && rng_once_in(random, 6))
                add_dimension(&tensor[t], index, extent, random); /* its diagonal */
        }
    }
}

void tapp_case_random(struct tapp_case *out, TAPP_datatype type, struct tapp_case_kind kind,
                      uint64_t *random) {
    static const TAPP_prectype precisions[] = {TAPP_DEFAULT_PREC, TAPP_DEFAULT_PREC,
                                               TAPP_F32F32_ACCUM_F32, TAPP_F64F64_ACCUM_F64,
                                               TAPP_F16F16_ACCUM_F32};
    *out = (struct tapp_case){.prec = precisions[kind.mixes_types ? rng_below(random, 5) : 0]};
    for (int t = 0; t < TAPP_CASE_TENSORS; t++) {
        out->tensor[t].type = kind.mixes_types ? rng_below(random, 4) : type;
        out->tensor[t].op = rng_below(random, 2);
    }
    draw_indices(out, kind, random);
    for (int t = 0; t < TAPP_CASE_TENSORS; t++)
        draw_strides(&out->tensor[t], t == CASE_A || t == CASE_B, random);
    draw_addend(out, kind, random);
    const double imaginary = is_complex(out->tensor[CASE_D].type) ? 1 : 0;
    out->alpha = rng_real(random) + imaginary * rng_real(random) * I;
    out->beta = rng_real(random) + imaginary * rng_real(random) * I;
    if (rng_once_in(random, 3)) out->beta = 0;
    if (rng_once_in(random, 8)) out->alpha = 0;
    if (rng_once_in(random, 4)) out->alpha = 1;
    out->lacks_C = creal(out->beta) == 0 && cimag(out->beta) == 0 && rng_once_in(random, 2);
    tapp_case_fill(out, random);
}

void tapp_case_free(struct tapp_case *out) {
    for (int t = 0; t < TAPP_CASE_TENSORS; t++) {
        assert_int_equal(TAPP_destroy_tensor_info(out->tensor[t].info), 0);
        free(out->tensor[t].memory);
    }
}

/* Execution. */

/** Describes the case. */
static void describe(const struct tapp_case *with) {
    static const char *const types[] = {"F32", "F64", "C32", "C64"};
    for (int t = 0; t < TAPP_CASE_TENSORS; t++) {
        const struct tapp_case_tensor *tensor = &with->tensor[t];
        print_error("%c: %s%s", 'A' + t, types[tensor->type],
                    tensor->op == TAPP_CONJUGATE ? ", conjugate" : "");
        for (int d = 0; d < tensor->rank; d++) {
            print_error("; index %lld, extent %lld, stride %lld", (long long)tensor->index[d],
                        (long long)tensor->extent[d], (long long)tensor->stride[d]);
        }
        print_error("\n");
    }
    print_error("alpha %g%+gi, beta %g%+gi, precision %d%s%s\n", creal(with->alpha),
                cimag(with->alpha), creal(with->beta), cimag(with->beta), with->prec,
                with->is_in_place ? ", in place" : "", with->lacks_C ? ", without C" : "");
}

TAPP_tensor_product tapp_case_product(const struct tapp_case *with, TAPP_handle handle) {
    const struct tapp_case_tensor *A = &with->tensor[CASE_A], *B = &with->tensor[CASE_B],
                                  *C = &with->tensor[CASE_C], *D = &with->tensor[CASE_D];
    TAPP_tensor_product product = 0;
    const TAPP_error error = TAPP_create_tensor_product(
        &product, handle, A->op, A->info, A->index, B->op, B->info, B->index, C->op, C->info,
        C->index, D->op, D->info, D->index, with->prec);
    char text[512];
    TAPP_explain_error(error, sizeof text, text);
    if (error != 0) describe(with);
    if (error != 0) fail_msg("the product was refused: %d, %s", error, text);
    return product;
}

void tapp_case_execute(const struct tapp_case *with, TAPP_tensor_product product,
                       TAPP_executor exec, TAPP_status *status) {
    const struct tapp_case_tensor *tensor = with->tensor;
    const struct tapp_case_number alpha = tapp_case_number(with->alpha, tensor[CASE_D].type);
    const struct tapp_case_number beta = tapp_case_number(with->beta, tensor[CASE_D].type);
    const void *C =
        with->is_in_place ? tapp_case_at(&tensor[CASE_D]) : tapp_case_at(&tensor[CASE_C]);
    const TAPP_error error = TAPP_execute_product(
        product, exec, status, &alpha, tapp_case_at(&tensor[CASE_A]), tapp_case_at(&tensor[CASE_B]),
        &beta, with->lacks_C ? NULL : C, tapp_case_at(&tensor[CASE_D]));
    char text[512];
    TAPP_explain_error(error, sizeof text, text);
    if (error != 0) describe(with);
    if (error != 0) fail_msg("the execution failed: %d, %s", error, text);
}

/* Naive loops. */

/** Loops over all indices of a case, those of D first. */
struct loops {
    int count;
    int result_count;
    int64_t index[TAPP_CASE_TENSORS * TAPP_CASE_RANK];
    int64_t extent[TAPP_CASE_TENSORS * TAPP_CASE_RANK];
    int64_t step[TAPP_CASE_TENSORS * TAPP_CASE_RANK];
};

static void add_loops(struct loops *loops, const struct tapp_case_tensor *tensor) {
    for (int d = 0; d < tensor->rank; d++) {
        int i = 0;
        while (i < loops->count && loops->index[i] != tensor->index[d]) i++;
        loops->index[i] = tensor->index[d];
        loops->extent[i] = tensor->extent[d];
        if (i == loops->count) loops->count++;
    }
}

static int64_t offset_of(const struct loops *loops, const struct tapp_case_tensor *tensor) {
    int64_t offset = tensor->first;
    for (int d = 0; d < tensor->rank; d++) {
        int i = 0;
        while (loops->index[i] != tensor->index[d]) i++;
        offset += loops->step[i] * tensor->stride[d];
    }
    return offset;
}

/** Advances the loops [first, last) to their next values; returns false after the last ones. */
static bool advance(struct loops *loops, int first, int last) {
    for (int i = first; i < last; i++) {
        if (++loops->step[i] < loops->extent[i]) return true;
        loops->step[i] = 0;
    }
    return false;
}

static bool is_empty(const struct loops *loops, int first, int last) {
    for (int i = first; i < last; i++) {
        if (loops->extent[i] == 0) return true;
    }
    return false;
}

static double complex element(const struct loops *loops, const struct tapp_case_tensor *tensor,
                              const void *memory) {
    const double complex value = get(memory, offset_of(loops, tensor), tensor->type);
    return tensor->op == TAPP_CONJUGATE ? conj(value) : value;
}

/** Computes the expected value of one element of D. */
static void expect_element(struct tapp_case_expected *out, struct loops *loops,
                           const struct tapp_case *with, double complex alpha,
                           double complex beta) {
    const struct tapp_case_tensor *A = &with->tensor[CASE_A], *B = &with->tensor[CASE_B],
                                  *C = &with->tensor[CASE_C], *D = &with->tensor[CASE_D];
    const int64_t at = offset_of(loops, D);
    double complex sum = 0;
    double magnitude = DBL_MIN;
    if (alpha != 0 && !is_empty(loops, loops->result_count, loops->count)) {
        do {
            const double complex term =
                alpha * element(loops, A, A->memory) * element(loops, B, B->memory);
            sum += term;
            magnitude += cabs(term);
        } while (advance(loops, loops->result_count, loops->count));
    }
    if (beta != 0) {
        const double complex term =
            beta * element(loops, C, with->is_in_place ? D->memory : C->memory);
        sum += term;
        magnitude += cabs(term);
    }
    out->value[at] = D->op == TAPP_CONJUGATE ? conj(sum) : sum;
    out->magnitude[at] = magnitude;
}

struct tapp_case_expected tapp_case_expect(const struct tapp_case *with) {
    const struct tapp_case_tensor *D = &with->tensor[CASE_D];
    struct loops loops = {.count = 0};
    add_loops(&loops, D);
    loops.result_count = loops.count;
    add_loops(&loops, &with->tensor[CASE_A]);
    add_loops(&loops, &with->tensor[CASE_B]);
    struct tapp_case_expected out = {.value = malloc((size_t)D->elems * sizeof *out.value),
                                     .magnitude = malloc((size_t)D->elems * sizeof *out.magnitude)};
    assert_true(out.value && out.magnitude);
    for (int64_t e = 0; e < D->elems; e++) {
        out.value[e] = get(D->memory, e, D->type);
        out.magnitude[e] = -1;
    }
    /* alpha and beta, rounded to the type in which the library receives them */
    const struct tapp_case_number a = tapp_case_number(with->alpha, D->type),
                                  b = tapp_case_number(with->beta, D->type);
    const double complex alpha = get(&a, 0, D->type), beta = get(&b, 0, D->type);
    if (is_empty(&loops, 0, loops.result_count)) return out;
    do {
        expect_element(&out, &loops, with, alpha, beta);
    } while (advance(&loops, 0, loops.result_count));
    return out;
}

/** Returns the permitted error of the result, relative to the sum of magnitudes of its terms. */
static double tolerance(const struct tapp_case *with) {
    const struct tapp_case_tensor *tensor = with->tensor;
    const bool computes_double = is_double(tensor[CASE_A].type) || is_double(tensor[CASE_B].type) ||
                                 is_double(tensor[CASE_D].type) ||
                                 with->prec == TAPP_F64F64_ACCUM_F64;
    if (!computes_double) return 1000 * (double)FLT_EPSILON;
    return is_double(tensor[CASE_D].type)
               ? 1000 * DBL_EPSILON
               : 2 * (double)FLT_EPSILON; /* if sums are computed in double precision, only the
                                             result is rounded */
}

static bool is_nan(double complex number) {
    return isnan(creal(number)) || isnan(cimag(number));
}

void tapp_case_check(const struct tapp_case *with, struct tapp_case_expected *expected) {
    const struct tapp_case_tensor *D = &with->tensor[CASE_D];
    for (int64_t e = 0; e < D->elems; e++) {
        const double complex got = get(D->memory, e, D->type);
        const double complex want =
            is_complex(D->type) ? expected->value[e] : creal(expected->value[e]);
        const double bound =
            expected->magnitude[e] < 0 ? 0 : tolerance(with) * expected->magnitude[e];
        const double difference = cabs(got - want);
        if (difference <= bound) continue;
        if (expected->magnitude[e] < 0 && is_nan(got) && is_nan(want)) continue;
        describe(with);
        fail_msg("element %lld of %lld of D is %g%+gi, expected %g%+gi: off by %g, at most %g",
                 (long long)e, (long long)D->elems, creal(got), cimag(got), creal(want),
                 cimag(want), difference, bound);
    }
    free(expected->value);
    free(expected->magnitude);
}
