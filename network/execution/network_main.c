/*
 * Emits a program that checks an emitted function and times it. The check compares elements of the
 * result with naive loops.
 */
#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "gen/emit/text.h"
#include "network/execution/network_plan.h"
#include "network/network.h"
#include "network/tree.h"
#include "tcplan/network_emit.h"

/* Limits of the check: the number of products that naive loops may compute for one element of the
 * result and all sums, and the seconds after which no further element is checked. */
#define ELEMENT_PRODUCTS_MOST 1e9
#define CHECK_SECONDS 1

/* Number of products between two readings of the clock. */
#define PRODUCTS_UNCLOCKED 1e5

/* Distance between consecutively checked elements, as a share of all elements of the result. */
#define GOLDEN_SHARE 0.618

/* Numbers of the program's tensors: first those that the expression reads, then the new result, the
 * previous result, and the sums. The constants are added to the number of tensors that the
 * expression reads. */
enum { RESULT, BEFORE, OTHERS };

/** State of writing a test program. */
struct driver {
    struct strbuf *out;
    const struct tcplan_tree *tree;
    const char *function;
    bool is_complex;
    double products; /* number of products for one element of the result, in all terms */
    double longest;  /* largest number of products for one element in one term */
    double sums;     /* number of products for all elements of all sums */
    double elements; /* number of elements of the result */
    bool checks; /* whether the program checks elements, which requires that naive loops are fast
                    enough */
    int threads; /* number of threads that the BLAS uses */
};

static double elements_of(const struct tcplan_tree *tree,
                          const struct tcplan_network_operand *operand) {
    double elements = 1;
    for (int d = 0; d < operand->rank; d++) elements *= (double)tree->extent[operand->dims[d]];
    return elements;
}

/** Returns whether a term is summed over an index. */
static bool is_summed(const struct tcplan_network *network, int t, int index) {
    return network_term_has(network, &network->term[t], index) &&
           !network_operand_has(tcplan_network_target(network, t), index);
}

/** Returns the number, among the program's tensors, of a term's operand. */
static int tensor_of(const struct tcplan_network *network,
                     const struct tcplan_network_operand *operand) {
    const int sum = operand->tensor - TCPLAN_NETWORK_SUMS;
    return sum < 0 ? operand->tensor : network->tensor_count + OTHERS + sum;
}

/** Counts the products that naive loops compute. */
static void count_products(struct driver *driver) {
    const struct tcplan_network *network = driver->tree->network;
    for (int t = 0; t < network->term_count; t++) {
        double products = 1;
        for (int i = 0; i < network->index_count; i++)
            products *= is_summed(network, t, i) ? (double)driver->tree->extent[i] : 1;
        driver->longest = fmax(driver->longest, products);
        if (network->term[t].into == network->sum_count) {
            driver->products += products;
        } else {
            driver->sums += products * elements_of(driver->tree, tcplan_network_target(network, t));
        }
    }
    driver->elements = elements_of(driver->tree, &network->result);
    driver->checks =
        driver->elements > 0 && driver->products + driver->sums <= ELEMENT_PRODUCTS_MOST;
}

/** Returns a stride that visits all elements, with consecutively visited ones far apart. */
static int64_t stride_of(int64_t elements) {
    int64_t stride = (int64_t)(GOLDEN_SHARE * (double)elements);
    if (stride < 1) stride = 1;
    for (;; stride++) {
        int64_t a = elements, b = stride;
        while (b > 0) {
            const int64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return stride;
    }
}

/** Appends an element such as `tensor[2][i0 + 5 * i3]`, conjugated if `conjugated`. */
static void add_element(const struct driver *driver, int number,
                        const struct tcplan_network_operand *operand, bool conjugated) {
    const struct tcplan_tree *tree = driver->tree;
    const bool first = tree->network->order == TCPLAN_COLUMN_MAJOR;
    int64_t stride = 1;
    strbuf_add(driver->out, "%stensor[%d][0", conjugated && driver->is_complex ? "conj(" : "",
               number);
    for (int i = 0; i < operand->rank; i++) {
        const int dim = operand->dims[first ? i : operand->rank - 1 - i];
        strbuf_add(driver->out, " + %" PRId64 " * i%d", stride, dim);
        stride *= tree->extent[dim];
    }
    strbuf_add(driver->out, "]%s", conjugated && driver->is_complex ? ")" : "");
}

static void add_factor(const struct driver *driver, struct tcplan_scalar factor) {
    emit_constant(driver->out, driver->is_complex ? TCPLAN_DOUBLE_COMPLEX : TCPLAN_DOUBLE, factor);
}

static void add_term(const struct driver *driver, int t) {
    const struct tcplan_network *network = driver->tree->network;
    const struct tcplan_network_term *term = &network->term[t];
    strbuf_add(driver->out, "    ");
    for (int i = 0; i < network->index_count; i++) {
        if (!is_summed(network, t, i)) continue;
        strbuf_add(driver->out, "for (ptrdiff_t i%d = 0; i%d < %" PRId64 "; i%d++)\n    ", i, i,
                   driver->tree->extent[i], i);
    }
    strbuf_add(driver->out,
               "{\n        const double%s product = ", driver->is_complex ? " _Complex" : "");
    add_factor(driver, term->factor);
    for (int o = term->first; o < term->first + term->count; o++) {
        strbuf_add(driver->out, " * ");
        add_element(driver, tensor_of(network, &network->operand[o]), &network->operand[o],
                    network->operand[o].conjugated);
    }
    strbuf_add(driver->out,
               ";\n        sum += product;\n        *size += %s_size(product);\n    }\n",
               driver->function);
}

/** Adds a function that returns the magnitude of a number. For a complex number, this is the sum of
 * the magnitudes of its real and imaginary parts. */
static void add_size(const struct driver *driver) {
    if (driver->is_complex) {
        strbuf_add(
            driver->out,
            "\nstatic double %s_size(double _Complex value) {\n    return fabs(creal(value)) + fabs(cimag(value));\n}\n",
            driver->function);
    } else {
        strbuf_add(driver->out,
                   "\nstatic double %s_size(double value) {\n    return fabs(value);\n}\n",
                   driver->function);
    }
}

/** Adds the function that computes one element of a sum or of the result by naive loops. */
static void add_naive(const struct driver *driver, int into) {
    const struct tcplan_network *network = driver->tree->network;
    const struct tcplan_network_operand *made =
        into < network->sum_count ? &network->sum[into] : &network->result;
    const char *sum = driver->is_complex ? "double _Complex" : "double";
    const bool is_sum = into < network->sum_count;
    if (is_sum) {
        strbuf_add(
            driver->out,
            "\n/* An element of %s by naive loops; *size: the sum of the magnitudes of all products. */\nstatic %s %s_sum%d(",
            made->name, sum, driver->function, into + 1);
    } else {
        strbuf_add(
            driver->out,
            "\n/* An element of the result by naive loops; *size: the sum of the magnitudes of all products. "
            "The last tensor is the previous result. */\nstatic %s %s_naive(",
            sum, driver->function);
    }
    strbuf_add(driver->out, "%s *const tensor[], const ptrdiff_t at[], double *size) {\n",
               emit_type(driver->tree->dtype));
    for (int i = 0; i < network->index_count; i++) {
        if (network_operand_has(made, i))
            strbuf_add(driver->out, "    const ptrdiff_t i%d = at[%d];\n", i, i);
    }
    strbuf_add(driver->out, "    %s sum = 0;\n    (void)at;\n    *size = 0;\n", sum);
    for (int t = 0; t < network->term_count; t++) {
        if (network->term[t].into == into) add_term(driver, t);
    }
    if (!is_sum && (network->beta.re != 0 || network->beta.im != 0)) {
        strbuf_add(driver->out, "    sum += ");
        add_factor(driver, network->beta);
        strbuf_add(driver->out, " * ");
        add_element(driver, network->tensor_count + BEFORE, &network->result,
                    network->conjugates_added);
        strbuf_add(driver->out, ";\n    *size += %.17g * %s_size(",
                   hypot(network->beta.re, network->beta.im), driver->function);
        add_element(driver, network->tensor_count + BEFORE, &network->result, false);
        strbuf_add(driver->out, ");\n");
    }
    strbuf_add(driver->out, "    return sum;\n}\n");
}

/** Adds loops that compute all elements of a sum. */
static void add_sum(const struct driver *driver, int s) {
    const struct tcplan_network *network = driver->tree->network;
    const struct tcplan_network_operand *sum = &network->sum[s];
    strbuf_add(driver->out, "    {\n        ptrdiff_t at[%d] = {0};\n        double size;\n",
               network->index_count + 1);
    for (int d = 0; d < sum->rank; d++) {
        const int i = sum->dims[d];
        strbuf_add(driver->out, "        for (ptrdiff_t i%d = 0; i%d < %" PRId64 "; i%d++)\n", i, i,
                   driver->tree->extent[i], i);
    }
    strbuf_add(driver->out, "        {\n");
    for (int d = 0; d < sum->rank; d++)
        strbuf_add(driver->out, "            at[%d] = i%d;\n", sum->dims[d], sum->dims[d]);
    strbuf_add(driver->out, "            ");
    add_element(driver, network->tensor_count + OTHERS + s, sum, false);
    strbuf_add(driver->out, " = %s_sum%d(tensor, at, &size);\n        }\n    }\n", driver->function,
               s + 1);
}

/** Adds the check. It compares elements that are far apart with naive loops, until all are checked
 * or CHECK_SECONDS have passed. */
static void add_check(const struct driver *driver) {
    const struct tcplan_network *network = driver->tree->network;
    for (int s = 0; s < network->sum_count; s++) add_sum(driver, s);
    const char *sum = driver->is_complex ? "double _Complex" : "double";
    const int64_t elements = (int64_t)driver->elements;
    strbuf_add(
        driver->out,
        "    double error = 0;\n    const double checking = %s_seconds();\n    long long checked = 0, place = 0;\n"
        "    for (; checked < %" PRId64
        "LL && (checked %% %.0f > 0 || %s_seconds() - checking < %d); checked++) {\n"
        "        ptrdiff_t at[%d] = {0};\n        double size;\n",
        driver->function, elements, fmax(floor(PRODUCTS_UNCLOCKED / fmax(driver->products, 1)), 1),
        driver->function, CHECK_SECONDS, network->index_count + 1);
    if (network->result.rank > 0) strbuf_add(driver->out, "        long long rest = place;\n");
    for (int i = 0; i < network->index_count; i++) {
        if (!network_operand_has(&network->result, i)) continue;
        const long long extent = (long long)driver->tree->extent[i];
        strbuf_add(
            driver->out,
            "        const ptrdiff_t i%d = at[%d] = (ptrdiff_t)(rest %% %lld);\n        rest /= %lld;\n",
            i, i, extent, extent);
    }
    strbuf_add(
        driver->out,
        "        place = place < %" PRId64 "LL ? place + %" PRId64 "LL : place - %" PRId64 "LL;\n"
        "        const %s expected = %s_naive(tensor, at, &size);\n        const double relative = %s_size(",
        elements - stride_of(elements), stride_of(elements), elements - stride_of(elements), sum,
        driver->function, driver->function);
    add_element(driver, network->tensor_count + RESULT, &network->result, false);
    strbuf_add(
        driver->out,
        " - expected) / (size > 0 ? size : 1);\n        if (error <= error && !(relative <= error)) error = relative; /* NaN stays */\n    }\n");
    const bool is_single =
        driver->tree->dtype == TCPLAN_FLOAT || driver->tree->dtype == TCPLAN_FLOAT_COMPLEX;
    const double allowed =
        ldexp((16 + driver->longest) * (driver->is_complex ? 4 : 1), is_single ? -23 : -52);
    strbuf_add(
        driver->out,
        "    if (!(error <= %.3g)) {\n        printf(\"%s: check FAILED (max error %%.1e, allowed %.1e)\\n\", error);\n",
        allowed, driver->function, allowed);
    strbuf_add(
        driver->out,
        "        return 1;\n    }\n    printf(\"%s: check passed (max error %%.1e at %%lld of %" PRId64
        " elements), \", error, checked);\n",
        driver->function, elements);
}

static void add_helpers(const struct driver *driver) {
    strbuf_add(
        driver->out,
        "\nstatic unsigned long long %s_random(unsigned long long *state) {\n"
        "    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;\n    return *state >> 33;\n}\n"
        "\nstatic double %s_seconds(void) {\n    struct timespec now;\n    timespec_get(&now, TIME_UTC);\n"
        "    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;\n}\n",
        driver->function, driver->function);
}

static void add_call(const struct driver *driver) {
    strbuf_add(driver->out, "%s(", driver->function);
    for (int t = 0; t <= driver->tree->network->tensor_count; t++)
        strbuf_add(driver->out, "%stensor[%d]", t > 0 ? ", " : "", t);
    strbuf_add(driver->out, ")");
}

/** Adds the allocation of the program's tensors, the new and the previous result and the sums, and
 * fills them with random elements. */
static void add_tensors(const struct driver *driver) {
    const struct tcplan_network *network = driver->tree->network;
    const char *type = emit_type(driver->tree->dtype);
    const char *part =
        driver->tree->dtype == TCPLAN_FLOAT || driver->tree->dtype == TCPLAN_FLOAT_COMPLEX
            ? "float"
            : "double";
    strbuf_add(driver->out, "\nint main(void) {\n    static const size_t elements[] = {");
    for (int t = 0; t < network->tensor_count; t++)
        strbuf_add(driver->out, "%.0f, ",
                   elements_of(driver->tree, &network->operand[network->tensor[t]]));
    const double made = elements_of(driver->tree, &network->result);
    const int count = network->tensor_count + OTHERS + network->sum_count;
    strbuf_add(driver->out, "%.0f, %.0f", made, made);
    for (int s = 0; s < network->sum_count; s++)
        strbuf_add(driver->out, ", %.0f", elements_of(driver->tree, &network->sum[s]));
    strbuf_add(driver->out, "};\n    %s *tensor[%d];\n    unsigned long long state = 1;\n", type,
               count);
    strbuf_add(
        driver->out,
        "    for (int t = 0; t < %d; t++) {\n        tensor[t] = malloc(elements[t] * sizeof(%s) + 1);\n        if (!tensor[t]) {\n"
        "            printf(\"%s: out of memory\\n\");\n            return 3;\n        }\n",
        count, type, driver->function);
    strbuf_add(
        driver->out,
        "        for (size_t e = 0; e < elements[t] * (sizeof(%s) / sizeof(%s)); e++)\n"
        "            ((%s *)tensor[t])[e] = (%s)((double)%s_random(&state) / 0x40000000 - 1);\n    }\n",
        type, part, part, part, driver->function);
}

/** Adds a warning if other processes used the processor: the CPU time of a thread that runs all the
 * time equals the wall time. */
static void add_load(const struct driver *driver) {
    strbuf_add(
        driver->out,
        "    const double share = (double)(clock() - used) / CLOCKS_PER_SEC / all;\n"
        "    if (share < 0.9) printf(\"%s: other load disturbed the runs: the function ran %%.0f %%%% of the time\\n\", 100 * share);\n",
        driver->function);
}

static void add_main(const struct driver *driver) {
    const int result = driver->tree->network->tensor_count;
    const bool copies = driver->tree->network->beta.re != 0 || driver->tree->network->beta.im != 0;
    add_tensors(driver);
    strbuf_add(driver->out, "    if (openblas_set_num_threads) openblas_set_num_threads(%d);\n",
               driver->threads);
    strbuf_add(driver->out,
               "    memcpy(tensor[%d], tensor[%d], elements[%d] * sizeof(%s));\n    if (", result,
               result + 1, result, emit_type(driver->tree->dtype));
    add_call(driver);
    strbuf_add(driver->out,
               ") {\n        printf(\"%s: out of memory\\n\");\n        return 3;\n    }\n",
               driver->function);
    if (driver->checks) {
        add_check(driver);
    } else {
        strbuf_add(driver->out,
                   "    printf(\"%s: not checked: naive loops take too long, or the result has no "
                   "element; \");\n",
                   driver->function);
    }
    strbuf_add(
        driver->out,
        "    fflush(stdout);\n    double sample[101], all = 0;\n    int samples = 0;\n    const clock_t used = clock();\n"
        "    for (; samples < 101 && (samples < 3 || all < 0.5); samples++) {\n");
    if (copies)
        strbuf_add(driver->out,
                   "        memcpy(tensor[%d], tensor[%d], elements[%d] * sizeof(%s));\n", result,
                   result + 1, result, emit_type(driver->tree->dtype));
    strbuf_add(driver->out, "        const double start = %s_seconds();\n        if (",
               driver->function);
    add_call(driver);
    strbuf_add(
        driver->out,
        ") return 3;\n        const double seconds = %s_seconds() - start;\n        all += seconds;\n        int place = samples;\n"
        "        for (; place > 0 && sample[place - 1] > seconds; place--) sample[place] = sample[place - 1];\n"
        "        sample[place] = seconds;\n    }\n",
        driver->function);
    strbuf_add(
        driver->out,
        "    printf(\"%%.4g GFLOP/s, %%.2e s (median of %%d)\\n\", %.17g * 1e-9 / sample[samples / 2], sample[samples / 2], samples);\n",
        tcplan_tree_totals(driver->tree).flops);
    add_load(driver);
    strbuf_add(driver->out, "    for (int t = 0; t < %d; t++) free(tensor[t]);\n    return 0;\n}\n",
               result + OTHERS + driver->tree->network->sum_count);
}

enum tcplan_status tcplan_network_emit_main(char **out, const struct tcplan_tree *tree,
                                            const char *function, int threads,
                                            struct tcplan_error *error) {
    struct strbuf text = {0};
    struct driver driver = {.out = &text,
                            .tree = tree,
                            .function = function ? function : "contract",
                            .is_complex = tcplan_dtype_is_complex(tree->dtype),
                            .threads = threads};
    const enum tcplan_status status = emit_check_name(driver.function, error);
    if (status != TCPLAN_OK) return status;
    count_products(&driver);
    strbuf_add(
        &text,
        "\n%s#include <math.h>\n#include <stdio.h>\n#include <time.h>\n\n"
        "/* A function of OpenBLAS; NULL if another BLAS is linked, which then chooses its threads. */\n"
        "void openblas_set_num_threads(int);\n#pragma weak openblas_set_num_threads\n",
        driver.is_complex ? "#include <complex.h>\n" : "");
    add_helpers(&driver);
    if (driver.checks) add_size(&driver);
    for (int into = 0; driver.checks && into <= tree->network->sum_count; into++)
        add_naive(&driver, into);
    add_main(&driver);
    return strbuf_give(&text, out, TCPLAN_OK, error);
}
