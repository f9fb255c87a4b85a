#include "base/decimal.h"
#include "gen/emit_library_parts.h"
#include "tcplan/version.h"

/*
 * The test of an emitted library: one table with a row per function, and a comparison that reads it. The table comes from the contraction
 * alone, not from the nest.
 */
static const char *const begin =
    "/*\n"
    " * Compares every function of the library with the sums that define it, at its own sizes; of large results some elements.\n"
    " *\n"
    " * Emitted by tcplan " TCPLAN_VERSION_STRING ".\n"
    " */\n"
    "#include <complex.h>\n"
    "#include <math.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "\n"
    "#include \"contractions.h\"\n"
    "\n"
    "static const double MOST_BYTES = 1073741824.0; /* tensors that take more are skipped, unless CONTRACTIONS_TEST_BYTES says otherwise */\n"
    "enum { MOST_TERMS = 1 << 22, FEWEST_ELEMENTS = 16 }; /* that a comparison adds up and looks at */\n"
    "\n"
    "/* An extent, and the strides in A, B and C; 0: the tensor lacks the index. */\n"
    "struct index {\n"
    "    int64_t extent;\n"
    "    int64_t stride[3];\n"
    "};\n"
    "\n"
    "struct contraction {\n"
    "    const char *name;\n"
    "    void (*function)(void); /* by its type: const T *, const T *, T * */\n"
    "    char type;              /* of the elements: s, d, c, z */\n"
    "    double alpha[2];        /* real and imaginary part */\n"
    "    double beta[2];\n"
    "    int conjugated[3];      /* whether the conjugate of A, of B, of what C was is taken */\n"
    "    int64_t elements[3];    /* from the lowest address to the highest */\n"
    "    int64_t first[3];       /* of them the one of all indices 0 */\n"
    "    int indices;\n"
    "    const struct index *index;\n"
    "};\n"
    "\n"
    "enum outcome { PASSED, FAILED, SKIPPED };\n"
    "\n"
    "static const struct contraction contractions[] = {\n";

/* Everything behind the table, in pieces that a compiler must take. */
static const char *const end[] = {
    "};\n"
    "\n"
    "/* The elements of a tensor, a fixed function of their places: C's initial values need not be kept. Uniform in [-1, 1). */\n"
    "static double element(uint64_t tensor, uint64_t place) {\n"
    "    uint64_t x = (place + 1) * 0x9E3779B97F4A7C15U + tensor * 0xD1B54A32D192ED03U;\n"
    "    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;\n"
    "    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;\n"
    "    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1.0;\n"
    "}\n",

    "\n"
    "/* Rounded to the type of the elements. */\n"
    "static double _Complex initial(char type, uint64_t tensor, uint64_t place) {\n"
    "    const double re = element(tensor, 2 * place), im = element(tensor, 2 * place + 1);\n"
    "    switch (type) {\n"
    "    case 's': return (float)re;\n"
    "    case 'd': return re;\n"
    "    case 'c': return (float)re + (float)im * _Complex_I;\n"
    "    default: return re + im * _Complex_I;\n"
    "    }\n"
    "}\n",

    "\n"
    "static double _Complex load(char type, const void *tensor, int64_t place) {\n"
    "    switch (type) {\n"
    "    case 's': return ((const float *)tensor)[place];\n"
    "    case 'd': return ((const double *)tensor)[place];\n"
    "    case 'c': return ((const float _Complex *)tensor)[place];\n"
    "    default: return ((const double _Complex *)tensor)[place];\n"
    "    }\n"
    "}\n",

    "\n"
    "static void store(char type, void *tensor, int64_t place, double _Complex value) {\n"
    "    switch (type) {\n"
    "    case 's': ((float *)tensor)[place] = (float)creal(value); break;\n"
    "    case 'd': ((double *)tensor)[place] = creal(value); break;\n"
    "    case 'c': ((float _Complex *)tensor)[place] = (float _Complex)value; break;\n"
    "    default: ((double _Complex *)tensor)[place] = value; break;\n"
    "    }\n"
    "}\n",

    "\n"
    "static size_t element_bytes(char type) {\n"
    "    return type == 's' ? sizeof(float) : type == 'd' ? sizeof(double) : type == 'c' ? 2 * sizeof(float) : 2 * sizeof(double);\n"
    "}\n",

    "\n"
    "static int call(const struct contraction *contraction, void *const tensor[3]) {\n"
    "    switch (contraction->type) {\n"
    "    case 's': return ((int (*)(const float *, const float *, float *))contraction->function)(tensor[0], tensor[1], tensor[2]);\n"
    "    case 'd': return ((int (*)(const double *, const double *, double *))contraction->function)(tensor[0], tensor[1], tensor[2]);\n"
    "    case 'c':\n"
    "        return ((int (*)(const float _Complex *, const float _Complex *, float _Complex *))contraction->function)(tensor[0], tensor[1],\n"
    "                                                                                                                   tensor[2]);\n"
    "    default:\n"
    "        return ((int (*)(const double _Complex *, const double _Complex *, double _Complex *))contraction->function)(tensor[0], tensor[1],\n"
    "                                                                                                                      tensor[2]);\n"
    "    }\n"
    "}\n",

    "\n"
    "/* An index that the result lacks is summed over. */\n"
    "static int is_summed(const struct index *index) {\n"
    "    return index->stride[2] == 0;\n"
    "}\n",

    "\n"
    "static int64_t count_of(const struct contraction *contraction, int summed) {\n"
    "    int64_t count = 1;\n"
    "    for (int i = 0; i < contraction->indices; i++) {\n"
    "        if (is_summed(&contraction->index[i]) == summed) count *= contraction->index[i].extent;\n"
    "    }\n"
    "    return count;\n"
    "}\n",

    "\n"
    "/* The places in A, B and C at a number that counts through the indices that are summed over, or through the others. */\n"
    "static void add_places(const struct contraction *contraction, int summed, int64_t number, int64_t place[3]) {\n"
    "    for (int i = 0; i < contraction->indices; i++) {\n"
    "        const struct index *index = &contraction->index[i];\n"
    "        if (is_summed(index) != summed) continue;\n"
    "        for (int t = 0; t < 3; t++) place[t] += index->stride[t] * (number % index->extent);\n"
    "        number /= index->extent;\n"
    "    }\n"
    "}\n",

    "\n"
    "static double _Complex factor(const struct contraction *contraction, void *const tensor[3], int t, const int64_t place[3]) {\n"
    "    const double _Complex own = load(contraction->type, tensor[t], place[t]);\n"
    "    return contraction->conjugated[t] ? conj(own) : own;\n"
    "}\n",

    "\n"
    "/* How far an element of C is from the sum that defines it, relative to the magnitudes it adds up. */\n"
    "static double error_of(const struct contraction *contraction, void *const tensor[3], int64_t number) {\n"
    "    const double _Complex alpha = contraction->alpha[0] + contraction->alpha[1] * _Complex_I;\n"
    "    const double _Complex beta = contraction->beta[0] + contraction->beta[1] * _Complex_I;\n"
    "    const int64_t terms = count_of(contraction, 1);\n"
    "    int64_t start[3] = {0, 0, 0};\n"
    "    double _Complex sum = 0.0;\n"
    "    double size = 0.0;\n"
    "    add_places(contraction, 0, number, start);\n"
    "    for (int64_t term = 0; term < terms; term++) {\n"
    "        int64_t place[3] = {start[0], start[1], start[2]};\n"
    "        add_places(contraction, 1, term, place);\n"
    "        const double _Complex product = factor(contraction, tensor, 0, place) * factor(contraction, tensor, 1, place);\n"
    "        sum += product;\n"
    "        size += cabs(product);\n"
    "    }\n"
    "    const double _Complex old = initial(contraction->type, 2, (uint64_t)(contraction->first[2] + start[2]));\n"
    "    const double _Complex expected = alpha * sum + (beta == 0.0 ? 0.0 : beta * (contraction->conjugated[2] ? conj(old) : old));\n"
    "    size = cabs(alpha) * size + cabs(beta) * cabs(old);\n"
    "    return cabs(load(contraction->type, tensor[2], start[2]) - expected) / (size > 0.0 ? size : 1.0);\n"
    "}\n",

    "\n"
    "/* The largest error of all elements of C or, where naive loops over all of them take too long, of some: the first, the last and others\n"
    " * anywhere. */\n"
    "static double largest_error(const struct contraction *contraction, void *const tensor[3], int64_t *checked) {\n"
    "    const int64_t elements = count_of(contraction, 0);\n"
    "    const int64_t terms = count_of(contraction, 1);\n"
    "    const int64_t affordable = MOST_TERMS / (terms > 0 ? terms : 1);\n"
    "    const int all = elements <= affordable || elements <= FEWEST_ELEMENTS;\n"
    "    double largest = 0.0;\n"
    "    *checked = all ? elements : affordable > FEWEST_ELEMENTS ? affordable : FEWEST_ELEMENTS;\n"
    "    for (int64_t e = 0; e < *checked; e++) {\n"
    "        int64_t number = all || e == 0 ? e : elements - 1;\n"
    "        if (!all && e > 1) number = (int64_t)((element(3, (uint64_t)e) + 1.0) / 2.0 * (double)elements);\n"
    "        const double error = error_of(contraction, tensor, number < elements ? number : elements - 1);\n"
    "        if (!(error <= largest)) largest = error;\n"
    "        if (isnan(error)) break;\n"
    "    }\n"
    "    return largest;\n"
    "}\n",

    "\n"
    "/* A few roundings for each term of an element's sum. */\n"
    "static double allowed_error(const struct contraction *contraction) {\n"
    "    const int single = contraction->type == 's' || contraction->type == 'c';\n"
    "    return ((double)count_of(contraction, 1) + 8.0) * (single ? 0x1p-22 : 0x1p-51);\n"
    "}\n",

    "\n"
    "/* Whether nothing between the elements of C changed. `is_element` is 0 throughout. */\n"
    "static int keeps_gaps(const struct contraction *contraction, const void *memory, char *is_element) {\n"
    "    const int64_t elements = count_of(contraction, 0);\n"
    "    for (int64_t e = 0; e < elements; e++) {\n"
    "        int64_t place[3] = {0, 0, 0};\n"
    "        add_places(contraction, 0, e, place);\n"
    "        is_element[contraction->first[2] + place[2]] = 1;\n"
    "    }\n"
    "    for (int64_t e = 0; e < contraction->elements[2]; e++) {\n"
    "        if (!is_element[e] && load(contraction->type, memory, e) != initial(contraction->type, 2, (uint64_t)e)) return 0;\n"
    "    }\n"
    "    return 1;\n"
    "}\n",

    "\n"
    "static enum outcome compare_gaps(const struct contraction *contraction, const void *memory) {\n"
    "    if (count_of(contraction, 0) == contraction->elements[2]) return PASSED;\n"
    "    char *is_element = calloc((size_t)contraction->elements[2], 1);\n"
    "    const int kept = is_element && keeps_gaps(contraction, memory, is_element);\n"
    "    const int known = is_element != NULL;\n"
    "    free(is_element);\n"
    "    if (known && !kept) printf(\"%s: FAILED: it writes between the elements of its result\\n\", contraction->name);\n"
    "    if (!known) printf(\"%s: skipped: there is no memory to look between the elements of its result\\n\", contraction->name);\n"
    "    return kept ? PASSED : known ? FAILED : SKIPPED;\n"
    "}\n",

    "\n"
    "static enum outcome compare(const struct contraction *contraction, void *const memory[3]) {\n"
    "    const size_t bytes = element_bytes(contraction->type);\n"
    "    void *tensor[3];\n"
    "    int64_t checked = 0;\n"
    "    for (uint64_t t = 0; t < 3; t++) {\n"
    "        for (int64_t e = 0; e < contraction->elements[t]; e++) {\n"
    "            store(contraction->type, memory[t], e, initial(contraction->type, t, (uint64_t)e));\n"
    "        }\n"
    "        tensor[t] = (char *)memory[t] + (size_t)contraction->first[t] * bytes;\n"
    "    }\n"
    "    const int status = call(contraction, tensor);\n"
    "    if (status != 0) {\n"
    "        printf(\"%s: FAILED: it returned %d (%s)\\n\", contraction->name, status, strerror(status));\n"
    "        return FAILED;\n"
    "    }\n"
    "    const double error = largest_error(contraction, tensor, &checked), allowed = allowed_error(contraction);\n"
    "    const int passed = error <= allowed;\n"
    "    printf(\"%s: %s: %lld of %lld elements compared, largest error %.1e, allowed %.1e\\n\", contraction->name, passed ? \"passed\" : \"FAILED\",\n"
    "           (long long)checked, (long long)count_of(contraction, 0), error, allowed);\n"
    "    return passed ? compare_gaps(contraction, memory[2]) : FAILED;\n"
    "}\n",

    "\n"
    "static double most_bytes(void) {\n"
    "    const char *text = getenv(\"CONTRACTIONS_TEST_BYTES\");\n"
    "    const double bytes = text ? strtod(text, NULL) : 0.0;\n"
    "    return bytes > 0.0 ? bytes : MOST_BYTES;\n"
    "}\n",

    "\n"
    "static enum outcome test(const struct contraction *contraction) {\n"
    "    const size_t bytes = element_bytes(contraction->type);\n"
    "    double total = 0.0;\n"
    "    for (int t = 0; t < 3; t++) total += (double)contraction->elements[t] * (double)bytes;\n"
    "    if (total > most_bytes()) {\n"
    "        printf(\"%s: skipped: its tensors take %.4g bytes, and CONTRACTIONS_TEST_BYTES allows %.4g\\n\", contraction->name, total, most_bytes());\n"
    "        return SKIPPED;\n"
    "    }\n"
    "    void *memory[3];\n"
    "    for (int t = 0; t < 3; t++) memory[t] = malloc((size_t)contraction->elements[t] * bytes + 1);\n"
    "    enum outcome outcome = SKIPPED;\n"
    "    if (memory[0] && memory[1] && memory[2]) {\n"
    "        outcome = compare(contraction, memory);\n"
    "    } else {\n"
    "        printf(\"%s: skipped: there is no memory for its tensors of %.4g bytes\\n\", contraction->name, total);\n"
    "    }\n"
    "    for (int t = 0; t < 3; t++) free(memory[t]);\n"
    "    return outcome;\n"
    "}\n",

    "\n"
    "/* Tests the functions named, or all. Exit status: 0: passed; 1: something failed; 2: no such function; 77: nothing failed, but something\n"
    " * was skipped. */\n"
    "int main(int count, char *arguments[]) {\n"
    "    const size_t all = sizeof contractions / sizeof *contractions;\n"
    "    int found[3] = {0, 0, 0};\n"
    "    int named = 0;\n"
    "    for (size_t c = 0; c < all; c++) {\n"
    "        int wanted = count < 2;\n"
    "        for (int a = 1; a < count; a++) wanted = wanted || strcmp(arguments[a], contractions[c].name) == 0;\n"
    "        if (!wanted) continue;\n"
    "        named++;\n"
    "        found[test(&contractions[c])]++;\n"
    "        fflush(stdout);\n"
    "    }\n"
    "    if (count >= 2 && named < count - 1) {\n"
    "        fprintf(stderr, \"%d of the %d names are no function of this library\\n\", count - 1 - named, count - 1);\n"
    "        return 2;\n"
    "    }\n"
    "    return found[FAILED] ? 1 : found[SKIPPED] ? 77 : 0;\n"
    "}\n"};

void emit_library_test_begin(struct strbuf *out) {
    strbuf_add(out, "%s", begin);
}

void emit_library_test_end(struct strbuf *out) {
    for (size_t p = 0; p < sizeof end / sizeof *end; p++) strbuf_add(out, "%s", end[p]);
}

static void add_factor(struct strbuf *out, struct tcplan_scalar scalar) {
    strbuf_add(out, "{");
    decimal_print(out, scalar.re);
    strbuf_add(out, ", ");
    decimal_print(out, scalar.im);
    strbuf_add(out, "}, ");
}

static void add_counts(struct strbuf *out, const int64_t count[TCPLAN_OPERANDS]) {
    strbuf_add(out, "{%lld, %lld, %lld}, ", (long long)count[TCPLAN_A], (long long)count[TCPLAN_B], (long long)count[TCPLAN_C]);
}

static void add_flags(struct strbuf *out, const struct tcplan_problem *problem) {
    const struct tcplan_tensor *tensor = problem->contraction->tensor;
    strbuf_add(out, "{%d, %d, %d}, ", tensor[TCPLAN_A].conjugated, tensor[TCPLAN_B].conjugated, tensor[TCPLAN_C].conjugated);
}

static void add_indices(struct strbuf *out, const struct tcplan_problem *problem) {
    const int count = problem->contraction->index_count;
    if (count == 0) {
        strbuf_add(out, "NULL");
        return;
    }
    strbuf_add(out, "(const struct index[]){");
    for (int i = 0; i < count; i++) {
        strbuf_add(out, "%s{%lld, {%lld, %lld, %lld}}", i > 0 ? ", " : "", (long long)problem->extent[i],
                   (long long)problem->stride_elems[TCPLAN_A][i], (long long)problem->stride_elems[TCPLAN_B][i],
                   (long long)problem->stride_elems[TCPLAN_C][i]);
    }
    strbuf_add(out, "}");
}

void emit_library_test_row(struct strbuf *out, const char *function, const struct tcplan_problem *problem) {
    strbuf_add(out, "    {\"%s\", (void (*)(void))%s, '%c',\n     ", function, function, tcplan_dtype_letter(problem->dtype));
    add_factor(out, problem->alpha);
    add_factor(out, problem->beta);
    add_flags(out, problem);
    add_counts(out, problem->elems);
    add_counts(out, problem->first_elems);
    strbuf_add(out, "%d,\n     ", problem->contraction->index_count);
    add_indices(out, problem);
    strbuf_add(out, "},\n");
}
