/**
 * Compares the function that tcplan emitted for the residual of ccsd_residual.txt with naive loops
 * that interpret the same text.
 *
 *   ccsd_residual EXPRESSION OCCUPIED VIRTUAL
 *
 * Indices i to l are occupied, a to d virtual. Run by ccsd_residual.sh. The exit status is 0 if
 * both agree.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 26, TENSORS = 13, FACTORS = 8 };

int residual(const double *Vvvoo, const double *Fvv, const double *T2, const double *Foo,
             const double *Voooo, const double *Vvvvv, const double *Vovvo, const double *Vvvvo,
             const double *T1, const double *Vovoo, const double *Voovv, const double *Vovov,
             double *R);

static const char *const names[TENSORS - 1] = {"Vvvoo", "Fvv",   "T2", "Foo",   "Voooo", "Vvvvv",
                                               "Vovvo", "Vvvvo", "T1", "Vovoo", "Voovv", "Vovov"};
static double *tensors[TENSORS]; /* in the order of `names`, then the result */
static int extents[LETTERS];

/** A tensor and its indices as written in the text. */
struct named {
    const double *data;
    const char *index;
    int rank;
};

/** Reads `NAME_indices` into `out`. Returns the address after the text that was read. */
static const char *read_named(struct named *out, const char *text) {
    const size_t length = strcspn(text, "_");
    int t = 0;
    while (t < TENSORS - 1 && (strlen(names[t]) != length || strncmp(names[t], text, length) != 0))
        t++;
    out->data = tensors[t];
    out->index = text + length + 1;
    out->rank = (int)strspn(out->index, "abcdijkl");
    return out->index + out->rank;
}

/** Returns the offset of an element; the first index is contiguous. */
static size_t place(const struct named *tensor, const int value[]) {
    size_t at = 0;
    for (int d = tensor->rank - 1; d >= 0; d--)
        at = at * (size_t)extents[tensor->index[d] - 'a'] + (size_t)value[tensor->index[d] - 'a'];
    return at;
}

/** Adds a term to the result, with one loop for each index of the term. */
static void add_term(double *result, const struct named *made, double factor,
                     const struct named factors[], int count) {
    int value[LETTERS] = {0}, has[LETTERS] = {0};
    for (int f = 0; f < count; f++) {
        for (int d = 0; d < factors[f].rank; d++) has[factors[f].index[d] - 'a'] = 1;
    }
    for (int letter = 0; letter < LETTERS;) {
        double product = factor;
        for (int f = 0; f < count; f++) product *= factors[f].data[place(&factors[f], value)];
        result[place(made, value)] += product;
        for (letter = 0; letter < LETTERS; letter++) {
            if (has[letter] && ++value[letter] < extents[letter]) break;
            value[letter] = 0;
        }
    }
}

/** Adds all terms of the text to the result. */
static void naive(double *result, const char *text) {
    struct named made, factors[FACTORS];
    text = read_named(&made, text) + 1;
    while (*text) {
        double factor = *text == '-' ? -1 : 1;
        int count = 0;
        if (*text == '-' || *text == '+') text++;
        if (*text >= '0' && *text <= '9') {
            char *end;
            factor *= strtod(text, &end);
            text = end + 1;
        }
        do {
            text = read_named(&factors[count++], text);
        } while (*text++ == '*');
        text--;
        add_term(result, &made, factor, factors, count);
    }
}

/** Returns a new array of random numbers from -1 to 1, to be freed by the caller. `kinds` has a
 * letter for each dimension: o for an occupied index, otherwise virtual. */
static double *filled(const char *kinds, int occupied, int virtual, size_t *elements) {
    static unsigned long long state = 1;
    *elements = 1;
    for (const char *at = kinds; *at; at++) *elements *= (size_t)(*at == 'o' ? occupied : virtual);
    double *data = malloc(*elements * sizeof *data);
    for (size_t e = 0; data && e < *elements; e++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        data[e] = (double)(state >> 33) / 0x40000000 - 1;
    }
    return data;
}

int main(int argc, char **argv) {
    const int occupied = argc == 4 ? atoi(argv[2]) : 0, virtual = argc == 4 ? atoi(argv[3]) : 0;
    size_t elements = 0;
    if (occupied < 1 || virtual < 1) return 2;
    for (int letter = 0; letter < LETTERS; letter++)
        extents[letter] = letter + 'a' < 'i' ? virtual : occupied;
    for (int t = 0; t < TENSORS; t++) {
        const char *kinds = t == TENSORS - 1 || strcmp(names[t], "T2") == 0 ? "vvoo"
                            : strcmp(names[t], "T1") == 0                   ? "vo"
                                                                            : names[t] + 1;
        tensors[t] = filled(kinds, occupied, virtual, &elements);
        if (!tensors[t]) return 3;
    }
    double *const *t = tensors, *expected = calloc(elements, sizeof *expected),
                  *made = tensors[TENSORS - 1];
    if (!expected) return 3;
    const int status =
        residual(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], t[10], t[11], made);
    naive(expected, argv[1]);
    double most = 0, difference = 0;
    for (size_t e = 0; e < elements; e++) {
        most = fmax(most, fabs(expected[e]));
        difference = fmax(difference, fabs(made[e] - expected[e]));
    }
    printf("status %d; the largest difference is %.1e of the largest element\n", status,
           difference / most);
    for (int n = 0; n < TENSORS; n++) free(tensors[n]);
    free(expected);
    return status == 0 && difference <= 1e-12 * most ? 0 : 1;
}
