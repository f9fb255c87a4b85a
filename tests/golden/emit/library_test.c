/*
 * Compares every function of the library with the sums that define it, at its own sizes. Of large
 * results only some elements are compared. Emitted by tcplan @VERSION@.
 */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contractions.h"

static const double MOST_BYTES =
    1073741824.0; /* contractions with more bytes are skipped by default */
enum {
    MOST_TERMS = 1 << 22,
    FEWEST_ELEMENTS = 16
}; /* limits on the number of products in a comparison, and on the compared elements */

/* The factors, the result, and a separate addend. */
enum { FACTOR_A, FACTOR_B, RESULT, ADDEND, TENSORS };

/* Extent of an index, and its stride in each tensor; 0: the tensor lacks the index. */
struct index {
    int64_t extent;
    int64_t stride[TENSORS];
};

struct contraction {
    const char *name;
    void (*function)(void); /* a function of type int (const T *, const T *, T *); with an addend,
                               int (const T *, const T *, const T *, T *) */
    char type;              /* element type: s, d, c or z */
    double alpha[2];        /* real and imaginary part */
    double beta[2];
    int added;               /* tensor that beta multiplies: ADDEND, or the old RESULT */
    int conjugated[TENSORS]; /* whether each tensor is conjugated; for the result: its old value */
    int64_t elements[TENSORS]; /* elements between the lowest and the highest address */
    int64_t first[TENSORS];    /* position of the element whose indices are all 0 */
    int indices;
    const struct index *index;
};

enum outcome { PASSED, FAILED, SKIPPED };

static const struct contraction contractions[] = {
    {"contract_gemm", (void (*)(void))contract_gemm, 'd',
     {1, 0}, {0, 0}, RESULT, {0, 0, 0, 0}, {96, 1456, 2184, 0}, {0, 0, 0, 0}, 4,
     (const struct index[]){{12, {1, 0, 1, 0}}, {13, {0, 8, 12, 0}}, {14, {0, 104, 156, 0}}, {8, {12, 1, 0, 0}}}},
    {"contract_copies", (void (*)(void))contract_copies, 's',
     {2, 0}, {-0.5, 0}, RESULT, {0, 0, 0, 0}, {864, 39312, 6552, 0}, {0, 0, 0, 0}, 6,
     (const struct index[]){{3, {0, 13104, 1, 0}}, {12, {72, 0, 3, 0}}, {14, {0, 936, 36, 0}}, {13, {0, 9, 504, 0}}, {8, {1, 117, 0, 0}}, {9, {8, 1, 0, 0}}}},
    {"contract_zdot", (void (*)(void))contract_zdot, 'z',
     {0, -1}, {0.5, 2}, RESULT, {0, 0, 0, 0}, {12, 20, 15, 0}, {0, 0, 0, 0}, 3,
     (const struct index[]){{3, {4, 0, 5, 0}}, {5, {0, 1, 1, 0}}, {4, {1, 5, 0, 0}}}},
    /* the end of the list */
    {.name = NULL},
};

/* Returns an element of a tensor: a uniform number in [-1, 1) that depends on its position only,
 * so the result's old values need not be stored. */
static double element(uint64_t tensor, uint64_t place) {
    uint64_t x = (place + 1) * 0x9E3779B97F4A7C15U + tensor * 0xD1B54A32D192ED03U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1.0;
}

/* Returns an element, rounded to the element type. */
static double _Complex initial(char type, uint64_t tensor, uint64_t place) {
    const double re = element(tensor, 2 * place), im = element(tensor, 2 * place + 1);
    switch (type) {
    case 's': return (float)re;
    case 'd': return re;
    case 'c': return (float)re + (float)im * _Complex_I;
    default: return re + im * _Complex_I;
    }
}

static double _Complex load(char type, const void *tensor, int64_t place) {
    switch (type) {
    case 's': return ((const float *)tensor)[place];
    case 'd': return ((const double *)tensor)[place];
    case 'c': return ((const float _Complex *)tensor)[place];
    default: return ((const double _Complex *)tensor)[place];
    }
}

static void store(char type, void *tensor, int64_t place, double _Complex value) {
    switch (type) {
    case 's': ((float *)tensor)[place] = (float)creal(value); break;
    case 'd': ((double *)tensor)[place] = creal(value); break;
    case 'c': ((float _Complex *)tensor)[place] = (float _Complex)value; break;
    default: ((double _Complex *)tensor)[place] = value; break;
    }
}

static size_t element_bytes(char type) {
    return type == 's'   ? sizeof(float)
           : type == 'd' ? sizeof(double)
           : type == 'c' ? 2 * sizeof(float)
                         : 2 * sizeof(double);
}

static int call(const struct contraction *contraction, void *const tensor[TENSORS]) {
    const void *const a = tensor[FACTOR_A], *const b = tensor[FACTOR_B];
    void *const c = tensor[RESULT];
    switch (contraction->type) {
    case 's':
        return ((int (*)(const float *, const float *, float *))contraction->function)(a, b, c);
    case 'd':
        return ((int (*)(const double *, const double *, double *))contraction->function)(a, b, c);
    case 'c':
        return ((int (*)(const float _Complex *, const float _Complex *,
                         float _Complex *))contraction->function)(a, b, c);
    default:
        return ((int (*)(const double _Complex *, const double _Complex *,
                         double _Complex *))contraction->function)(a, b, c);
    }
}

static int call_adding(const struct contraction *contraction, void *const tensor[TENSORS]) {
    typedef int s_function(const float *, const float *, const float *, float *);
    typedef int d_function(const double *, const double *, const double *, double *);
    typedef int c_function(const float _Complex *, const float _Complex *, const float _Complex *,
                           float _Complex *);
    typedef int z_function(const double _Complex *, const double _Complex *,
                           const double _Complex *, double _Complex *);
    const void *const a = tensor[FACTOR_A], *const b = tensor[FACTOR_B], *const c = tensor[ADDEND];
    void *const d = tensor[RESULT];
    switch (contraction->type) {
    case 's': return ((s_function *)contraction->function)(a, b, c, d);
    case 'd': return ((d_function *)contraction->function)(a, b, c, d);
    case 'c': return ((c_function *)contraction->function)(a, b, c, d);
    default: return ((z_function *)contraction->function)(a, b, c, d);
    }
}

/* Returns whether the sum runs over an index, because the result lacks it. */
static int is_summed(const struct index *index) {
    return index->stride[RESULT] == 0;
}

static int64_t count_of(const struct contraction *contraction, int summed) {
    int64_t count = 1;
    for (int i = 0; i < contraction->indices; i++) {
        if (is_summed(&contraction->index[i]) == summed) count *= contraction->index[i].extent;
    }
    return count;
}

/* Sets the positions in all tensors for combination number `number` of the summed indices, or of
 * the others. */
static void add_places(const struct contraction *contraction, int summed, int64_t number,
                       int64_t place[TENSORS]) {
    for (int i = 0; i < contraction->indices; i++) {
        const struct index *index = &contraction->index[i];
        if (is_summed(index) != summed) continue;
        for (int t = 0; t < TENSORS; t++) place[t] += index->stride[t] * (number % index->extent);
        number /= index->extent;
    }
}

static double _Complex factor(const struct contraction *contraction, void *const tensor[TENSORS],
                              int t, const int64_t place[TENSORS]) {
    const double _Complex own = load(contraction->type, tensor[t], place[t]);
    return contraction->conjugated[t] ? conj(own) : own;
}

/* Returns the error of an element of the result, divided by the sum of magnitudes of its terms. */
static double error_of(const struct contraction *contraction, void *const tensor[TENSORS],
                       int64_t number) {
    const double _Complex alpha = contraction->alpha[0] + contraction->alpha[1] * _Complex_I;
    const double _Complex beta = contraction->beta[0] + contraction->beta[1] * _Complex_I;
    const int64_t terms = count_of(contraction, 1);
    const int added = contraction->added;
    int64_t start[TENSORS] = {0, 0, 0, 0};
    double _Complex sum = 0.0;
    double size = 0.0;
    add_places(contraction, 0, number, start);
    for (int64_t term = 0; term < terms; term++) {
        int64_t place[TENSORS] = {start[FACTOR_A], start[FACTOR_B], start[RESULT], start[ADDEND]};
        add_places(contraction, 1, term, place);
        const double _Complex product = factor(contraction, tensor, FACTOR_A, place) *
                                        factor(contraction, tensor, FACTOR_B, place);
        sum += product;
        size += cabs(product);
    }
    const double _Complex old = initial(contraction->type, (uint64_t)added,
                                        (uint64_t)(contraction->first[added] + start[added]));
    const double _Complex expected =
        alpha * sum +
        (beta == 0.0 ? 0.0 : beta * (contraction->conjugated[added] ? conj(old) : old));
    size = cabs(alpha) * size + cabs(beta) * cabs(old);
    return cabs(load(contraction->type, tensor[RESULT], start[RESULT]) - expected) /
           (size > 0.0 ? size : 1.0);
}

/* Returns the largest error of the result's elements. If comparing all would take too long,
 * compares the first, the last and random ones. */
static double largest_error(const struct contraction *contraction, void *const tensor[TENSORS],
                            int64_t *checked) {
    const int64_t elements = count_of(contraction, 0);
    const int64_t terms = count_of(contraction, 1);
    const int64_t affordable = MOST_TERMS / (terms > 0 ? terms : 1);
    const int all = elements <= affordable || elements <= FEWEST_ELEMENTS;
    double largest = 0.0;
    *checked = all ? elements : affordable > FEWEST_ELEMENTS ? affordable : FEWEST_ELEMENTS;
    for (int64_t e = 0; e < *checked; e++) {
        int64_t number = all || e == 0 ? e : elements - 1;
        if (!all && e > 1)
            number = (int64_t)((element(3, (uint64_t)e) + 1.0) / 2.0 * (double)elements);
        const double error =
            error_of(contraction, tensor, number < elements ? number : elements - 1);
        if (!(error <= largest)) largest = error;
        if (isnan(error)) break;
    }
    return largest;
}

/* Returns the tolerance: a few rounding errors for each term of an element's sum. */
static double allowed_error(const struct contraction *contraction) {
    const int single = contraction->type == 's' || contraction->type == 'c';
    return ((double)count_of(contraction, 1) + 8.0) * (single ? 0x1p-22 : 0x1p-51);
}

/* Returns whether memory between the elements of the result is unchanged. `is_element` is all 0
 * before and after. */
static int keeps_gaps(const struct contraction *contraction, const void *memory, char *is_element) {
    const int64_t elements = count_of(contraction, 0);
    for (int64_t e = 0; e < elements; e++) {
        int64_t place[TENSORS] = {0, 0, 0, 0};
        add_places(contraction, 0, e, place);
        is_element[contraction->first[RESULT] + place[RESULT]] = 1;
    }
    for (int64_t e = 0; e < contraction->elements[RESULT]; e++) {
        if (!is_element[e] &&
            load(contraction->type, memory, e) != initial(contraction->type, RESULT, (uint64_t)e))
            return 0;
    }
    return 1;
}

static enum outcome compare_gaps(const struct contraction *contraction, const void *memory) {
    if (count_of(contraction, 0) == contraction->elements[RESULT]) return PASSED;
    char *is_element = calloc((size_t)contraction->elements[RESULT], 1);
    const int kept = is_element && keeps_gaps(contraction, memory, is_element);
    const int known = is_element != NULL;
    free(is_element);
    if (known && !kept)
        printf("%s: FAILED: it writes between the elements of the result\n", contraction->name);
    if (!known)
        printf("%s: the elements between those of the result are not checked: out of memory\n",
               contraction->name);
    return kept ? PASSED : known ? FAILED : SKIPPED;
}

static enum outcome compare(const struct contraction *contraction, void *const memory[TENSORS]) {
    const size_t bytes = element_bytes(contraction->type);
    void *tensor[TENSORS];
    int64_t checked = 0;
    for (uint64_t t = 0; t < TENSORS; t++) {
        for (int64_t e = 0; e < contraction->elements[t]; e++) {
            store(contraction->type, memory[t], e, initial(contraction->type, t, (uint64_t)e));
        }
        tensor[t] = (char *)memory[t] + (size_t)contraction->first[t] * bytes;
    }
    const int status =
        contraction->added == ADDEND ? call_adding(contraction, tensor) : call(contraction, tensor);
    if (status != 0) {
        printf("%s: FAILED: it returned %d (%s)\n", contraction->name, status, strerror(status));
        return FAILED;
    }
    const double error = largest_error(contraction, tensor, &checked),
                 allowed = allowed_error(contraction);
    const int passed = error <= allowed;
    printf("%s: %s: %lld of %lld elements compared, largest error %.1e, allowed %.1e\n",
           contraction->name, passed ? "passed" : "FAILED", (long long)checked,
           (long long)count_of(contraction, 0), error, allowed);
    return passed ? compare_gaps(contraction, memory[RESULT]) : FAILED;
}

static double most_bytes(void) {
    const char *text = getenv("CONTRACTIONS_TEST_BYTES");
    const double bytes = text ? strtod(text, NULL) : 0.0;
    return bytes > 0.0 ? bytes : MOST_BYTES;
}

static enum outcome test(const struct contraction *contraction) {
    const size_t bytes = element_bytes(contraction->type);
    double total = 0.0;
    for (int t = 0; t < TENSORS; t++) total += (double)contraction->elements[t] * (double)bytes;
    if (total > most_bytes()) {
        printf("%s: skipped: the tensors take %.4g bytes, more than the %.4g of "
               "CONTRACTIONS_TEST_BYTES\n",
               contraction->name, total, most_bytes());
        return SKIPPED;
    }
    void *memory[TENSORS];
    for (int t = 0; t < TENSORS; t++)
        memory[t] = malloc((size_t)contraction->elements[t] * bytes + 1);
    enum outcome outcome = SKIPPED;
    if (memory[FACTOR_A] && memory[FACTOR_B] && memory[RESULT] && memory[ADDEND]) {
        outcome = compare(contraction, memory);
    } else {
        printf("%s: skipped: out of memory for tensors of %.4g bytes\n", contraction->name, total);
    }
    for (int t = 0; t < TENSORS; t++) free(memory[t]);
    return outcome;
}

/* Tests the named functions, or all. Exit status 0: passed; 1: failed; 2: unknown function; 77:
 * passed, but some were skipped. */
int main(int count, char *arguments[]) {
    const size_t all = sizeof contractions / sizeof *contractions - 1;
    int found[3] = {0, 0, 0};
    int named = 0;
    for (size_t c = 0; c < all; c++) {
        int wanted = count < 2;
        for (int a = 1; a < count; a++)
            wanted = wanted || strcmp(arguments[a], contractions[c].name) == 0;
        if (!wanted) continue;
        named++;
        found[test(&contractions[c])]++;
        fflush(stdout);
    }
    if (count >= 2 && named < count - 1) {
        fprintf(stderr, "unknown functions: %d of the %d names\n", count - 1 - named, count - 1);
        return 2;
    }
    return found[FAILED] ? 1 : found[SKIPPED] ? 77 : 0;
}
