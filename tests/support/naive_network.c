#include "support/naive_network.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/complex_of.h"

static int64_t elems_of(const struct naive_network *naive,
                        const struct tcplan_network_operand *operand) {
    int64_t elems = 1;
    for (int d = 0; d < operand->rank; d++) elems *= naive->extent[operand->dims[d]];
    return elems;
}

/** Returns the position of a tensor's element at `at`, which has a value for each index. */
static int64_t place_of(const struct naive_network *naive,
                        const struct tcplan_network_operand *operand, const int64_t at[]) {
    int64_t place = 0, stride = 1;
    for (int i = 0; i < operand->rank; i++) {
        const int d = naive->network->order == TCPLAN_COLUMN_MAJOR ? i : operand->rank - 1 - i;
        place += stride * at[operand->dims[d]];
        stride *= naive->extent[operand->dims[d]];
    }
    return place;
}

static double complex get(const struct naive_network *naive, const void *memory, int64_t place) {
    return naive->dtype == TCPLAN_DOUBLE ? ((const double *)memory)[place]
                                         : ((const double complex *)memory)[place];
}

static void set(const struct naive_network *naive, void *memory, int64_t place,
                double complex value) {
    if (naive->dtype == TCPLAN_DOUBLE) {
        ((double *)memory)[place] = creal(value);
    } else {
        ((double complex *)memory)[place] = value;
    }
}

/** Makes a tensor of whole numbers from -3 to 3, which depend on `seed`. */
static void *filled(const struct naive_network *naive, int64_t elems, int seed) {
    void *memory = calloc((size_t)elems + 1, tcplan_dtype_bytes(naive->dtype));
    assert_non_null(memory);
    for (int64_t e = 0; e < elems; e++)
        set(naive, memory, e,
            (double)((e * 5 + seed * 3 + e / 7) % 7 - 3) + I * (double)((e * 3 + seed) % 5 - 2));
    return memory;
}

static double complex scalar(struct tcplan_scalar value) {
    return value.re + I * value.im;
}

static void spoil(const struct naive_network *naive, void *memory, int64_t elems) {
    for (int64_t e = 0; e < elems; e++) set(naive, memory, e, complex_of(NAN, NAN));
}

/** Makes the initial values of the result; NaN if beta is 0. */
static void *result_before(const struct naive_network *naive) {
    void *memory = filled(naive, naive->result_elems, 100);
    if (scalar(naive->network->beta) == 0) spoil(naive, memory, naive->result_elems);
    return memory;
}

/** Returns whether a term with a nonzero factor contains the tensor. */
static bool is_read(const struct tcplan_network *network, int tensor) {
    for (int t = 0; t < network->term_count; t++) {
        const struct tcplan_network_term *term = &network->term[t];
        if (scalar(term->factor) == 0) continue;
        for (int f = 0; f < term->count; f++) {
            if (network->operand[term->first + f].tensor == tensor) return true;
        }
    }
    return false;
}

/** Makes a tensor; NaN if no term reads it. */
static void *tensor_of(const struct naive_network *naive, int tensor) {
    const struct tcplan_network *network = naive->network;
    const int64_t elems = elems_of(naive, &network->operand[network->tensor[tensor]]);
    void *memory = filled(naive, elems, tensor);
    if (!is_read(network, tensor)) spoil(naive, memory, elems);
    return memory;
}

/** Returns the product of a term's factors for the index values `at`. */
static double complex product(const struct naive_network *naive,
                              const struct tcplan_network_term *term, const int64_t at[]) {
    double complex value = scalar(term->factor);
    for (int f = 0; f < term->count; f++) {
        const struct tcplan_network_operand *operand = &naive->network->operand[term->first + f];
        const double complex element =
            get(naive, naive->tensor[operand->tensor], place_of(naive, operand, at));
        value *= operand->conjugated ? conj(element) : element;
    }
    return value;
}

static uint64_t *indices_of(const struct naive_network *naive,
                            const struct tcplan_network_term *term) {
    static uint64_t has[TCPLAN_NETWORK_INDICES / 64];
    memset(has, 0, sizeof has);
    for (int f = 0; f < term->count; f++) {
        const struct tcplan_network_operand *operand = &naive->network->operand[term->first + f];
        for (int d = 0; d < operand->rank; d++)
            has[operand->dims[d] / 64] |= (uint64_t)1 << operand->dims[d] % 64;
    }
    return has;
}

/** Adds a term to the expected result: loops over all values of its indices. */
static void add_term(struct naive_network *naive, const struct tcplan_network_term *term) {
    const uint64_t *has = indices_of(naive, term);
    int64_t at[TCPLAN_NETWORK_INDICES] = {0};
    for (;;) {
        const int64_t place = place_of(naive, &naive->network->result, at);
        int i = 0;
        set(naive, naive->expected, place,
            get(naive, naive->expected, place) + product(naive, term, at));
        for (; i < naive->network->index_count; i++) {
            if (!(has[i / 64] >> i % 64 & 1)) continue;
            if (++at[i] < naive->extent[i]) break;
            at[i] = 0;
        }
        if (i == naive->network->index_count) return;
    }
}

struct naive_network naive_network_of(const char *text, const char *sizes, enum tcplan_dtype dtype,
                                      enum tcplan_order order) {
    assert_true(dtype == TCPLAN_DOUBLE || dtype == TCPLAN_DOUBLE_COMPLEX);
    struct naive_network naive = {.dtype = dtype};
    struct tcplan_error error = {0};
    if (tcplan_network_parse(&naive.network, text, order, &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    if (tcplan_network_sizes(naive.extent, naive.network, sizes, &error) != TCPLAN_OK)
        fail_msg("%s: %s", sizes, error.message);
    assert_in_range(naive.network->tensor_count, 1, NAIVE_TENSORS);
    for (int t = 0; t < naive.network->tensor_count; t++) naive.tensor[t] = tensor_of(&naive, t);
    naive.result_elems = elems_of(&naive, &naive.network->result);
    naive.result = result_before(&naive);
    naive.expected = filled(&naive, naive.result_elems, 100);
    for (int64_t e = 0; e < naive.result_elems; e++) {
        const double complex before = get(&naive, naive.expected, e);
        set(&naive, naive.expected, e,
            scalar(naive.network->beta) *
                (naive.network->conjugates_added ? conj(before) : before));
    }
    for (int t = 0; t < naive.network->term_count; t++) {
        if (scalar(naive.network->term[t].factor) != 0) add_term(&naive, &naive.network->term[t]);
    }
    return naive;
}

bool naive_network_check(struct naive_network *naive) {
    bool equal = true;
    for (int64_t e = 0; e < naive->result_elems; e++)
        equal = equal && get(naive, naive->result, e) == get(naive, naive->expected, e);
    free(naive->result);
    naive->result = result_before(naive);
    return equal;
}

void naive_network_free(struct naive_network *naive) {
    for (int t = 0; t < naive->network->tensor_count; t++) free(naive->tensor[t]);
    free(naive->result);
    free(naive->expected);
    tcplan_network_free(naive->network);
}
