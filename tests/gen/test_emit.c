/*
 * Tests emitted C: its text, its errors, and that all available compilers accept it.
 * test_algebra_emitted.c checks its results. Golden texts: tests/golden/emit.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "gen/providers/linked_blas.h"
#include "support/emitted.h"
#include "support/golden.h"
#include "support/naive.h"
#include "support/random_contraction.h"
#include "tcplan/emit.h"
#include "tcplan/version.h"

/** A contraction for which C is emitted. */
struct source {
    const char *contraction;
    const char *sizes;
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    const char *algorithm;
};

static const struct source papers[] = {
    {"C_abc=A_ai*B_ibc", "a=12,b=13,c=14,i=8", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "c-dgemm"},
    {"C_a=A_iaj*B_ji", "a=50,i=8,j=9", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "j-dgemv"},
    {"C_abc=A_ija*B_jbic", "a=12,b=13,c=14,i=8,j=9", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
     "ci'-dgemm"},
};
enum { PAPERS = sizeof papers / sizeof *papers };

static enum tcplan_status try_emit(char **out, const struct source *source,
                                   const struct tcplan_emit_options *options,
                                   struct tcplan_error *error) {
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    random_contraction_given(&given, source->contraction, source->sizes, source->order,
                             source->dtype);
    if (tcplan_algorithm_parse(&algorithm, given.contraction, source->dtype, source->algorithm,
                               error))
        fail_msg("%s", error->message);
    assert_int_equal(tcplan_nest_build(&nest, given.contraction, &algorithm, error), TCPLAN_OK);
    enum tcplan_status status = tcplan_emit_c(out, nest, &given.problem, options, error);
    tcplan_nest_free(nest);
    random_contraction_free(&given);
    return status;
}

static char *emit(const struct source *source, const char *function, bool with_main) {
    struct tcplan_error error = {0};
    char *text = NULL;
    if (try_emit(&text, source,
                 &(struct tcplan_emit_options){.function = function, .with_main = with_main},
                 &error)) {
        fail_msg("%s: %s", source->contraction, error.message);
    }
    return text;
}

static void check_golden(const char *name, struct source source, bool with_main) {
    char *text = emit(&source, NULL, with_main);
    golden_check(name, text);
    free(text);
}

static void a_gemm_in_a_loop_is_emitted(void **state) {
    (void)state;
    check_golden("emit/gemm.c", papers[0], false);
}

static void copies_are_emitted_as_loops(void **state) {
    (void)state;
    check_golden("emit/copies.c",
                 (struct source){"C_xacb=2*A_ija*B_jbicx-0.5*C_xacb", "a=12,b=13,c=14,i=8,j=9,x=3",
                                 TCPLAN_FLOAT, TCPLAN_COLUMN_MAJOR, "xb'i'-sgemm"},
                 false);
}

static void a_complex_dot_is_emitted_with_both_factors(void **state) {
    (void)state;
    check_golden("emit/complex_dot.c",
                 (struct source){"C[I,row]=(0,-1)*A[I,for]*B[for,row]+(0.5,2)*C[I,row]",
                                 "I=3,for=4,row=5", TCPLAN_DOUBLE_COMPLEX, TCPLAN_ROW_MAJOR,
                                 "row.I-zdotu"},
                 false);
}

static void the_result_is_zeroed_by_one_loop_where_it_is_contiguous(void **state) {
    (void)state;
    check_golden("emit/zeroing.c",
                 (struct source){"C_abc=A_ai*B_ibc", "a=12,b=13,c=14,i=8", TCPLAN_FLOAT_COMPLEX,
                                 TCPLAN_COLUMN_MAJOR, "ic-cgeru"},
                 false);
}

static void the_driver_is_emitted(void **state) {
    (void)state;
    check_golden("emit/driver.c", papers[1], true);
}

static int count(const char *text, const char *part) {
    int found = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) found++;
    return found;
}

/** Checks that the comment about linking names the BLAS with which tcplan was built. */
static void assert_link(const char *text, const char *rest) {
    struct strbuf line = {0};
    strbuf_add(&line, " * link: ");
    emit_linked_blas(&line);
    strbuf_add(&line, "%s\n", rest);
    char *expected = strbuf_finish(&line);
    assert_non_null(expected);
    if (!strstr(text, expected)) fail_msg("no '%s' in\n%s", expected, text);
    free(expected);
}

static void the_comment_describes_the_function(void **state) {
    (void)state;
    static const char *const parts[] = {"C_abc=A_ija*B_jbic",
                                        "a=12,b=13,c=14,i=8,j=9",
                                        "double",
                                        "column-major",
                                        "algorithm: ci'-dgemm",
                                        "for c = 1:c",
                                        TCPLAN_VERSION_STRING,
                                        "A = A[i,j,a]: 8 x 9 x 12, strides 1, 8, 72",
                                        "ENOMEM"};
    char *text = emit(&papers[2], NULL, false);
    const char *end = strstr(text, "*/");
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        const char *part = strstr(text, parts[p]);
        if (!part || part > end) fail_msg("no \"%s\" in the comment of\n%s", parts[p], text);
    }
    assert_int_equal(count(text, "link: "), 1);
    assert_link(text, "");
    free(text);
}

static void the_driver_keeps_one_link_line(void **state) {
    (void)state;
    char *text = emit(&papers[0], NULL, true);
    assert_int_equal(count(text, "link: "), 1);
    assert_link(text, " -lm");
    free(text);
}

static void row_major_strides_begin_with_the_last_index(void **state) {
    (void)state;
    struct source source = papers[0];
    source.order = TCPLAN_ROW_MAJOR;
    source.algorithm = "b-dgemm";
    char *text = emit(&source, NULL, false);
    assert_non_null(strstr(text, "C = C[a,b,c]: 12 x 13 x 14, strides 182, 14, 1"));
    free(text);
}

static void check_refused(const char *function) {
    struct tcplan_error error = {0};
    char *text = NULL;
    enum tcplan_status status =
        try_emit(&text, &papers[0], &(struct tcplan_emit_options){.function = function}, &error);
    if (status != TCPLAN_INVALID) fail_msg("the function may be called \"%s\"", function);
    assert_null(text);
    assert_int_equal(error.status, TCPLAN_INVALID);
    assert_true(strlen(error.message) > 0);
}

static void names_that_no_function_can_have_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {"",        "1st",         "a-b",          "two words",
                                        "a;b",     "f(",          "\xC3\xA4",     "int",
                                        "for",     "restrict",    "main",         "malloc",
                                        "free",    "cblas_dgemm", "_Complex",     "_private",
                                        "I",       "EDOM",        "ENOMEM",       "NULL",
                                        "size_t",  "ptrdiff_t",   "printf",       "A",
                                        "fabs",    "sqrtf",       "CblasTrans",   "uint64_t",
                                        "complex", "memcpy",      "copy_d_block", "mul_z_vectors"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) check_refused(names[n]);
}

static void other_names_are_taken_as_they_are(void **state) {
    (void)state;
    static const char *const names[] = {"contract", "F",        "Energy",   "E",        "x1",
                                        "abs_max",  "internal", "CONTRACT", "my_malloc"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char signature[128];
        char *text = emit(&papers[0], names[n], false);
        snprintf(signature, sizeof signature,
                 "\nint %s(const double *A, const double *B, double *C) {\n", names[n]);
        assert_non_null(strstr(text, signature));
        free(text);
    }
}

static void a_stride_beyond_the_blas_integer_does_not_apply(void **state) {
    (void)state;
    const struct source source = {"C_a=A_iaj*B_ji", "a=100000,i=100000,j=2", TCPLAN_DOUBLE,
                                  TCPLAN_COLUMN_MAJOR, "ia-ddot"};
    struct tcplan_error error = {0};
    char *text = NULL;
    assert_int_equal(try_emit(&text, &source, NULL, &error), TCPLAN_NOT_APPLICABLE);
    assert_null(text);
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_error error = {0};
    char *text = NULL;
    random_contraction_given(&given, papers[2].contraction, papers[2].sizes, papers[2].order,
                             papers[2].dtype);
    assert_int_equal(tcplan_algorithm_parse(&algorithm, given.contraction, papers[2].dtype,
                                            papers[2].algorithm, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_nest_build(&nest, given.contraction, &algorithm, NULL), TCPLAN_OK);
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    long successes = 0;
    for (; status == TCPLAN_NO_MEMORY && successes < 10000; successes++) {
        base_alloc_fail_after(successes);
        status = tcplan_emit_c(&text, nest, &given.problem,
                               &(struct tcplan_emit_options){.with_main = true}, &error);
        base_alloc_fail_after(-1);
        assert_int_equal(error.status,
                         status == TCPLAN_NO_MEMORY ? TCPLAN_NO_MEMORY : error.status);
        assert_true(status == TCPLAN_NO_MEMORY ? !text : text != NULL);
    }
    assert_int_equal(status, TCPLAN_OK);
    assert_true(successes > 5);
    free(text);
    tcplan_nest_free(nest);
    random_contraction_free(&given);
}

static void a_temporary_that_cannot_be_allocated_is_enomem_and_nothing_is_touched(void **state) {
    (void)state;
    const struct source source = {"C_abc=A_ija*B_jbic", "a=268435456,b=2,c=2,i=1,j=1073741824",
                                  TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "ci-dgemm"};
    char output[1000];
    struct strbuf program = {0};
    char *text = emit(&source, NULL, false);
    strbuf_add(
        &program,
        "%s\nint main(void) {\n    return contract(NULL, NULL, NULL) == ENOMEM ? 0 : 1;\n}\n",
        text);
    free(text);
    text = strbuf_finish(&program);
    assert_int_equal(emitted_run_unoptimized(NULL, text, output, sizeof output), 0);
    free(text);
}

/* The algorithm needs a temporary of 32.04 MiB. */
static const struct source large = {"C_abc=A_aib*B_ic", "a=1050,b=2000,c=2,i=2", TCPLAN_DOUBLE,
                                    TCPLAN_COLUMN_MAJOR, "'A-dgemm"};

static void the_memory_of_large_temporaries_stays_for_the_next_call(void **state) {
    (void)state;
    char output[1000];
    struct strbuf program = {0};
    char *text = emit(&large, NULL, false);
    strbuf_add(&program,
               "%s\nint main(void) {\n"
               "    enum { LONG = 1050 * 2 * 2000 };\n"
               "    const double B[] = {1, 2, 3, 4};\n"
               "    double *A = malloc(LONG * sizeof *A), *C = calloc(LONG, sizeof *C);\n"
               "    if (!A || !C) return 1;\n"
               "    for (int e = 0; e < LONG; e++) A[e] = e %% 7;\n"
               "    void *kept = NULL;\n"
               "    for (int t = 0; t < 3; t++) {\n"
               "        C[0] = C[LONG - 1] = 0;\n"
               "        if (contract(A, B, C) || C[0] != A[0] + 2 * A[1050]) return 2;\n"
               "        if (C[LONG - 1] != 3 * A[LONG - 1051] + 4 * A[LONG - 1]) return 3;\n"
               "        if (!tcplan_pool[0] || tcplan_pool[1] || tcplan_pool[2]) return 4;\n"
               "        if (t == 1 && tcplan_pool[0] != kept) return 5;\n"
               "        kept = tcplan_pool[0];\n"
               "        if (t == 1) tcplan_release_memory();\n"
               "        if (t == 1 && tcplan_pool[0]) return 6;\n"
               "    }\n"
               "    void *small = pool_take(0, 8);\n"
               "    if ((char *)small - 4096 != kept || tcplan_pool[0]) return 7;\n"
               "    void *other = pool_take(0, 16);\n"
               "    if (!other || other == small) return 8;\n"
               "    pool_give(0, small);\n"
               "    pool_give(0, other);\n"
               "    void *larger = pool_take(0, 32);\n"
               "    if (!larger || pool_take(1, SIZE_MAX - 100)) return 9;\n"
               "    pool_give(0, larger);\n"
               "    free(A);\n    free(C);\n    return 0;\n}\n",
               text);
    free(text);
    text = strbuf_finish(&program);
    assert_int_equal(emitted_run_unoptimized(NULL, text, output, sizeof output), 0);
    free(text);
    text = emit(&large, NULL, false);
    golden_check_without_copies("emit/large.c", text);
    free(text);
}

enum { MOST_DRIVERS = 10 };

static void check_drivers_of(emitted_run_function *run, const char *compiler,
                             const struct source *const source[], int count) {
    char name[40], *text[MOST_DRIVERS], *title[MOST_DRIVERS];
    assert_true(count <= MOST_DRIVERS);
    for (int d = 0; d < count; d++) {
        struct strbuf words = {0};
        snprintf(name, sizeof name, "compute_%d", d);
        text[d] = emit(source[d], name, true);
        strbuf_add(&words, "%s: %s of ", name, source[d]->algorithm);
        title[d] = strbuf_finish(&words);
        assert_non_null(title[d]);
    }
    emitted_check_drivers(run, compiler, text, count, (const char *const *)title);
    for (int d = 0; d < count; d++) free(text[d]), free(title[d]);
}

/** Compiles drivers with optimization by two compilers, and without by `cc`, for the contractions
 * of the papers as well. */
static void drivers_of_all_types_report_success_with_every_compiler(void **state) {
    (void)state;
    static const char *const compilers[] = {"cc", "gcc", "clang"};
    static const struct source sources[] = {
        {"C_ab=0.1*A_ai*B_ib+3*C_ab", "a=100,b=100,i=100", TCPLAN_FLOAT, TCPLAN_ROW_MAJOR,
         "a-sgemv"},
        {"C=A_i*B_i", "i=1000", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "ddot"},
        {"C[I,row]=(0,-1)*A[I,for]*B[for,row]+(0.5,2)*C[I,row]", "I=30,for=40,row=50",
         TCPLAN_DOUBLE_COMPLEX, TCPLAN_ROW_MAJOR, "for.row-zaxpy"},
        {"C_abc=A_ai*B_ibc", "a=12,b=13,c=14,i=1", TCPLAN_FLOAT_COMPLEX, TCPLAN_COLUMN_MAJOR,
         "ic-cgeru"},
        {"C_ab=A_iia*B_ib+C_ab", "a=20,b=30,i=1", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "ab-ddot"}};
    enum { SOURCES = sizeof sources / sizeof *sources };
    const struct source *all[SOURCES + PAPERS];
    for (int s = 0; s < SOURCES; s++) all[s] = &sources[s];
    for (int p = 0; p < PAPERS; p++) all[SOURCES + p] = &papers[p];
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        if (!emitted_has_compiler(compilers[c])) continue;
        check_drivers_of(c == 0 ? emitted_run_unoptimized : emitted_run, compilers[c], all,
                         c == 0 ? SOURCES + PAPERS : SOURCES);
    }
}

/** Lists the distinct C identifiers of a text, in order; returns their number. */
static size_t words_of(char *text, const char *word[], size_t most) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t words = 0;
    for (char *at = text; *(at += strcspn(at, letters));) {
        char *end = at + strspn(at, letters);
        const bool is_last = !*end;
        size_t same = 0;
        *end = '\0';
        while (same < words && strcmp(word[same], at) != 0) same++;
        if (same == words && words < most) word[words++] = at;
        at = end + !is_last;
    }
    return words;
}

/** Uses every word of the driver as the name of the emitted function, unless the name is refused.
 * One file contains all drivers. */
static void a_function_may_be_called_like_anything_in_the_driver(void **state) {
    (void)state;
    static const struct source complex_source = {"C_ab=0.1*A_ai*B_ib+3*C_ab", "a=5,b=6,i=7",
                                                 TCPLAN_DOUBLE_COMPLEX, TCPLAN_ROW_MAJOR,
                                                 "a-zgemv"};
    const char *word[400];
    char *driver = emit(&complex_source, NULL, true);
    const size_t words = words_of(strstr(driver, "#include"), word, sizeof word / sizeof *word);
    int taken = 0;
    struct tcplan_error error = {0};
    struct strbuf all = {0};
    for (size_t w = 0; w < words; w++) {
        char *text = NULL;
        const struct tcplan_emit_options options = {.function = word[w], .with_main = true};
        if (strncmp(word[w], "contract", 8) == 0)
            continue; /* the word is already defined by an earlier driver in the same file */
        if (try_emit(&text, &complex_source, &options, &error) != TCPLAN_OK) continue;
        if (taken > 0) strbuf_add(&all, "#define main main_%d\n", taken);
        strbuf_add(&all, "%s%s", text, taken > 0 ? "#undef main\n" : "");
        free(text);
        taken++;
    }
    char *text = strbuf_finish(&all);
    assert_non_null(text);
    assert_true(taken > 20);
    emitted_check(NULL, text);
    free(text);
    free(driver);
}

static void the_driver_notices_a_wrong_result(void **state) {
    (void)state;
    char output[1000];
    char *text = emit(&papers[0], NULL, true);
    char *second = strstr(strstr(text, "1.0, A,") + 1,
                          "1.0, A,"); /* the argument alpha in the check at small extents */
    assert_non_null(second);
    second[0] = '2';
    assert_int_equal(emitted_run_unoptimized(NULL, text, output, sizeof output), 1);
    assert_non_null(strstr(output, "check FAILED"));
    free(text);
}

static void add_function(struct strbuf *out, const struct random_contraction *given,
                         const struct tcplan_algorithm *algorithm, const char *name) {
    struct tcplan_nest *nest = NULL;
    char *text = NULL;
    assert_int_equal(tcplan_nest_build(&nest, given->contraction, algorithm, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_emit_c(&text, nest, &given->problem,
                                   &(struct tcplan_emit_options){.function = name}, NULL),
                     TCPLAN_OK);
    strbuf_add(out, "%s", text);
    free(text);
    tcplan_nest_free(nest);
}

static void add_element_wise(struct strbuf *out, const struct random_contraction *given) {
    struct tcplan_algorithm algorithm;
    char name[40];
    snprintf(name, sizeof name, "i=.b.a-%cmul", tcplan_dtype_letter(given->problem.dtype));
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given->contraction, given->problem.dtype, name, NULL),
        TCPLAN_OK);
    snprintf(name, sizeof name, "multiplies_%d", (int)given->problem.dtype);
    add_function(out, given, &algorithm, name);
}

/* Strides. */

struct strided_source {
    struct source source;
    const char *strides;
};

static const struct strided_source strided_sources[] = {
    {{"C_ab=A_ai*B_ib", "a=30,b=40,i=20", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "dgemm"},
     "A=1,160000;B=1,33;C=1,50"},
    {{"C_ab=A_ai*B_ib", "a=30,b=40,i=20", TCPLAN_FLOAT, TCPLAN_ROW_MAJOR, "'sgemm"},
     "A=-1,-60;B=0,1;C=-2,100"},
    {{"C_abc=0.5*A_ija*B_jbic+2*C_abc", "a=12,b=13,c=14,i=8,j=9", TCPLAN_DOUBLE_COMPLEX,
      TCPLAN_COLUMN_MAJOR, "c'i'-zgemm"},
     "A=1,-8,100;B=2,400,20,-6000;C=-300,1,-4000"},
    {{"C_abc=A_ai*B_ibc", "a=12,b=3,c=4,i=8", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "c:3'BC.b-dgemm"},
     "A=1,20;B=-1,10,50;C=1,15,-60"},
    {{"C_abc=A_ai*B_ibc", "a=12,b=3,c=4,i=8", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "dgemm"},
     "A=1,20;B=1,9,27;C=1,15,45"},
    {{"C_ab+=A_ai*B_ib", "a=5,b=6,i=7", TCPLAN_FLOAT_COMPLEX, TCPLAN_COLUMN_MAJOR, "b'a-cdotu"},
     "A=1,1;B=-1,0;C=9,-1"}};
enum { STRIDED = sizeof strided_sources / sizeof *strided_sources };

static char *emit_strided(const struct strided_source *given, const char *function) {
    const struct source *source = &given->source;
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_error error = {0};
    char *text = NULL;
    random_contraction_strided(&random, source->contraction, source->sizes, given->strides,
                               source->order, source->dtype);
    enum tcplan_status status = tcplan_algorithm_parse(&algorithm, random.contraction,
                                                       source->dtype, source->algorithm, &error);
    if (status == TCPLAN_OK)
        status = tcplan_nest_build(&nest, random.contraction, &algorithm, &error);
    const struct tcplan_emit_options options = {.function = function, .with_main = true};
    if (status == TCPLAN_OK) status = tcplan_emit_c(&text, nest, &random.problem, &options, &error);
    if (status != TCPLAN_OK)
        fail_msg("%s: %s", random_contraction_describe(&random), error.message);
    tcplan_nest_free(nest);
    random_contraction_free(&random);
    return text;
}

/** Compiles drivers with optimization by the first compiler. */
static void drivers_of_strided_tensors_report_success_with_every_compiler(void **state) {
    (void)state;
    static const char *const compilers[] = {"gcc", "clang"};
    static const char *const name[] = {"f0", "f1", "f2", "f3", "f4", "f5"};
    char *text[STRIDED];
    assert_int_equal(sizeof name / sizeof *name, STRIDED);
    for (int s = 0; s < STRIDED; s++) text[s] = emit_strided(&strided_sources[s], name[s]);
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        if (emitted_has_compiler(compilers[c]))
            emitted_check_drivers(c == 0 ? emitted_run : emitted_run_unoptimized, compilers[c],
                                  text, STRIDED, name);
    }
    for (int s = 0; s < STRIDED; s++) free(text[s]);
}

static void the_driver_detects_writes_between_elements(void **state) {
    (void)state;
    static const char *const head =
        "static int compute_small(const float *A, const float *B, float *C) {\n";
    char output[1000];
    struct strbuf changed = {0};
    char *text = emit_strided(&strided_sources[1], "compute");
    const char *body = strstr(text, head);
    assert_non_null(body);
    body += strlen(head);
    strbuf_add(&changed, "%.*s    C[1] = 0.5f;\n%s", (int)(body - text), text,
               body); /* each column of B starts at least 2 elements after the previous one */
    free(text);
    text = strbuf_finish(&changed);
    assert_int_equal(emitted_run_unoptimized(NULL, text, output, sizeof output), 1);
    assert_non_null(strstr(output, "check FAILED"));
    free(text);
}

/** Emits nests of all kernels, types and orders, with all constructs that could cause warnings.
 * Each algorithm is emitted for a real and a complex type, in different orders. */
static void every_compiler_takes_the_text_without_warnings(void **state) {
    (void)state;
    static const char *const compilers[] = {"gcc", "clang"};
    struct strbuf all = {0};
    for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
        struct random_contraction given;
        struct tcplan_enumerator enumerator;
        struct tcplan_algorithm algorithm;
        const enum tcplan_order given_order = dtype % 2 ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
        random_contraction_given(&given, "C_axbc=0.1*A_ijaa*B_jbicx+1e-30*C_axbc",
                                 "a=3,b=1,c=2147,i=100000,j=9,x=3", given_order,
                                 (enum tcplan_dtype)dtype);
        tcplan_enumerator_init(&enumerator, given.contraction);
        for (int number = 0; tcplan_enumerator_next(&enumerator, &algorithm); number++) {
            char name[40];
            snprintf(name, sizeof name, "f%d_%d", dtype, number);
            if (number % 17 == 0 && (number / 17 + dtype / 2 + dtype) % 2 == 0)
                add_function(&all, &given, &algorithm, name);
        }
        random_contraction_free(&given);
        random_contraction_given(&given, "C_xab=0.1*A_xiaa*B_xib+1e-30*C_xab",
                                 "a=3,b=2147,i=9,x=100000", given_order, (enum tcplan_dtype)dtype);
        add_element_wise(&all, &given);
        random_contraction_free(&given);
    }
    char *text = strbuf_finish(&all);
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        if (emitted_has_compiler(compilers[c])) emitted_free(emitted_build(compilers[c], text));
    }
    free(text);
}

/** Returns the copy node that writes to C, to set flags that enumerated algorithms do not have. */
static struct tcplan_copy *result_copy(const struct tcplan_node *node) {
    struct tcplan_copy *found = NULL;
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_COPY && !node->copy.to.temporary)
            found = (struct tcplan_copy *)(uintptr_t)&node->copy;
        if (node->kind == TCPLAN_NODE_LOOP && !found) found = result_copy(node->loop.body);
    }
    return found;
}

/** A nest whose copy to C gets additional flags, and the contraction that it then computes. */
struct flagged {
    enum tcplan_dtype dtype;
    bool accumulate;
    char name[20];
    struct random_contraction wanted;
};

static void add_flagged(struct strbuf *out, struct flagged *flagged) {
    static const char *const sizes = "x=3,a=40,b=24,i=8";
    const bool accumulate = flagged->accumulate;
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    char name[] = "x'-?gemm", *text = NULL;
    /* If the copy accumulates, the temporary holds the product plus 2 C, and the copy adds it to 2
     * C. */
    random_contraction_given(&given, accumulate ? "C_xab=A_ai*B_ibx+2*C_xab" : "C_xab=A_ai*B_ibx",
                             sizes, TCPLAN_COLUMN_MAJOR, flagged->dtype);
    random_contraction_given(&flagged->wanted,
                             accumulate ? "C_xab=A_ai*B_ibx+4*C_xab" : "C_xab=A_ai*B_ibx", sizes,
                             TCPLAN_COLUMN_MAJOR, flagged->dtype);
    name[3] = tcplan_dtype_letter(flagged->dtype);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, flagged->dtype, name, NULL),
        TCPLAN_OK);
    assert_int_equal(tcplan_nest_build(&nest, given.contraction, &algorithm, NULL), TCPLAN_OK);
    struct tcplan_copy *copy = result_copy(nest->body);
    assert_non_null(copy);
    copy->streamed = true;
    if (accumulate) copy->update.beta = given.contraction->beta;
    snprintf(flagged->name, sizeof flagged->name, "f%d_%d", (int)flagged->dtype, accumulate);
    const struct tcplan_emit_options options = {.function = flagged->name};
    assert_int_equal(tcplan_emit_c(&text, nest, &given.problem, &options, NULL), TCPLAN_OK);
    assert_non_null(strstr(text, accumulate ? " := C~[:,:] + 2 C[x,:,:] (streamed)"
                                            : " := C~[:,:] (streamed)"));
    assert_int_equal(count(text, accumulate ? "_ACCUMULATE, 2" : "_STREAM, 0.0"), 1);
    strbuf_add(out, "%s\n", text);
    free(text);
    tcplan_nest_free(nest);
    random_contraction_free(&given);
}

static void copies_stream_and_accumulate_like_the_nest(void **state) {
    (void)state;
    enum { FLAGGED = 2 * TCPLAN_DTYPES };
    struct flagged *all = calloc(FLAGGED, sizeof *all);
    struct strbuf texts = {0};
    assert_non_null(all);
    for (int f = 0; f < FLAGGED; f++) {
        all[f].dtype = (enum tcplan_dtype)(f / 2);
        all[f].accumulate = f % 2;
        add_flagged(&texts, &all[f]);
    }
    char *text = strbuf_finish(&texts);
    assert_non_null(text);
    struct emitted *emitted = emitted_build_unoptimized(NULL, text);
    for (int f = 0; f < FLAGGED; f++) {
        struct naive_case naive;
        naive_case_init(&naive, &all[f].wanted.problem, 1);
        naive_case_reset(&naive);
        assert_int_equal(emitted_compute(emitted, all[f].name, &naive), 0);
        assert_true(naive_case_error(&naive) <= naive_tolerance(&all[f].wanted.problem));
        naive_case_free(&naive);
        random_contraction_free(&all[f].wanted);
    }
    emitted_free(emitted);
    free(text);
    free(all);
}

static void functions_that_only_scale_name_nothing_of_a_library(void **state) {
    static const char *const algorithms[] = {"dgemm", "dgemm@libxsmm", "dgemm@blis",
                                             "dgemm@emitted"};
    (void)state;
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        const struct source source = {"C_ab=0*A_ai*B_ib+2*C_ab", "a=5,b=4,i=3", TCPLAN_DOUBLE,
                                      TCPLAN_COLUMN_MAJOR, algorithms[a]};
        char *text = emit(&source, NULL, false);
        assert_null(strstr(text, "blas.h"));
        assert_null(strstr(text, "libxsmm.h"));
        assert_null(strstr(text, "blis.h"));
        assert_null(strstr(text, "static")); /* clang would warn about unused static functions */
        free(text);
    }
}

static void the_comment_names_a_slow_blas(void **state) {
    (void)state;
    static const char advice[] = "OPENBLAS_CORETYPE=X makes dgemm 4.0 times faster";
    struct tcplan_error error = {0};
    char *text = NULL;
    assert_int_equal(
        try_emit(&text, &papers[0], &(struct tcplan_emit_options){.blas_advice = advice}, &error),
        TCPLAN_OK);
    assert_non_null(strstr(text, " * warning: OPENBLAS_CORETYPE=X makes dgemm 4.0 times faster\n"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_comment_names_a_slow_blas),
        cmocka_unit_test(a_gemm_in_a_loop_is_emitted),
        cmocka_unit_test(copies_are_emitted_as_loops),
        cmocka_unit_test(a_complex_dot_is_emitted_with_both_factors),
        cmocka_unit_test(the_result_is_zeroed_by_one_loop_where_it_is_contiguous),
        cmocka_unit_test(the_driver_is_emitted),
        cmocka_unit_test(the_comment_describes_the_function),
        cmocka_unit_test(the_driver_keeps_one_link_line),
        cmocka_unit_test(row_major_strides_begin_with_the_last_index),
        cmocka_unit_test(names_that_no_function_can_have_are_refused),
        cmocka_unit_test(other_names_are_taken_as_they_are),
        cmocka_unit_test(a_stride_beyond_the_blas_integer_does_not_apply),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(a_temporary_that_cannot_be_allocated_is_enomem_and_nothing_is_touched),
        cmocka_unit_test(the_memory_of_large_temporaries_stays_for_the_next_call),
        cmocka_unit_test(drivers_of_all_types_report_success_with_every_compiler),
        cmocka_unit_test(a_function_may_be_called_like_anything_in_the_driver),
        cmocka_unit_test(the_driver_notices_a_wrong_result),
        cmocka_unit_test(drivers_of_strided_tensors_report_success_with_every_compiler),
        cmocka_unit_test(the_driver_detects_writes_between_elements),
        cmocka_unit_test(every_compiler_takes_the_text_without_warnings),
        cmocka_unit_test(functions_that_only_scale_name_nothing_of_a_library),
        cmocka_unit_test(copies_stream_and_accumulate_like_the_nest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
