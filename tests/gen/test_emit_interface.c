/*
 * Tests the interface of an emitted function: its header, its Fortran module, and the names of its
 * parameters. tests/cli/emitted_languages.sh compiles them with C++ and Fortran, and checks the
 * results. Golden texts: tests/golden/emit.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "gen/emit/text.h"
#include "gen/providers/provider.h"
#include "support/emitted.h"
#include "support/golden.h"
#include "support/random_algorithm.h"
#include "tcplan/blas.h"
#include "tcplan/emit.h"

typedef enum tcplan_status emit_text(char **out, const struct tcplan_nest *nest,
                                     const struct tcplan_problem *problem,
                                     const struct tcplan_emit_options *options,
                                     struct tcplan_error *error);

static char *emit_random(emit_text *emit, const struct random_contraction *random,
                         const struct tcplan_algorithm *algorithm,
                         const struct tcplan_emit_options *options, enum tcplan_status *status) {
    struct tcplan_error error = {0};
    struct tcplan_nest *nest = NULL;
    char *text = NULL;
    *status = tcplan_nest_build(&nest, random->contraction, algorithm, &error);
    if (*status == TCPLAN_OK) *status = emit(&text, nest, &random->problem, options, &error);
    tcplan_nest_free(nest);
    return text;
}

static char *emit_named(emit_text *emit, struct random_contraction *given,
                        const char *algorithm_name, const char *function) {
    const struct tcplan_emit_options options = {.function = function};
    struct tcplan_algorithm algorithm;
    enum tcplan_status status = tcplan_algorithm_parse(&algorithm, given->contraction,
                                                       given->problem.dtype, algorithm_name, NULL);
    assert_int_equal(status, TCPLAN_OK);
    char *text = emit_random(emit, given, &algorithm, &options, &status);
    assert_int_equal(status, TCPLAN_OK);
    random_contraction_free(given);
    return text;
}

static void check_golden(const char *name, char *text) {
    golden_check(name, text);
    free(text);
}

static void a_header_declares_the_function_for_c_and_cpp(void **state) {
    (void)state;
    struct random_contraction given;
    random_contraction_given(&given, "R_abc=A_ai*T2_ibc", "a=4,b=5,c=6,i=8", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    check_golden("emit/interface.h", emit_named(tcplan_emit_header, &given, "c-dgemm", NULL));
    random_contraction_given(&given, "C_ab=(0,1)*A_ai*B_ib", "a=4,b=5,i=8", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_FLOAT_COMPLEX);
    check_golden("emit/interface_complex.h",
                 emit_named(tcplan_emit_header, &given, "'A-cgemm", "multiply"));
}

static void a_module_has_the_interface_of_the_function(void **state) {
    (void)state;
    struct random_contraction given;
    random_contraction_given(&given, "R_abc=A_ai*T2_ibc", "a=4,b=5,c=6,i=8", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    check_golden("emit/interface.f90", emit_named(tcplan_emit_fortran, &given, "c-dgemm", NULL));
}

static void dimensions_are_those_that_fortran_counts(void **state) {
    (void)state;
    struct random_contraction given;
    random_contraction_given(&given, "C_ab=A_aib*B_i", "a=2,b=3,i=4", TCPLAN_ROW_MAJOR,
                             TCPLAN_DOUBLE);
    char *text = emit_named(tcplan_emit_fortran, &given, "a-dgemv", NULL);
    assert_non_null(strstr(text, "intent(in) :: A(3,4,2)\n"));
    assert_non_null(strstr(text, "intent(in) :: B(4)\n"));
    assert_non_null(strstr(text, "intent(inout) :: C(3,2)\n"));
    free(text);
    random_contraction_strided(&given, "C=A_i*B_i", "i=4", "A=3", TCPLAN_COLUMN_MAJOR,
                               TCPLAN_DOUBLE);
    text = emit_named(tcplan_emit_fortran, &given, "ddot", NULL);
    assert_non_null(strstr(text, "intent(in) :: A(*)\n"));
    assert_non_null(strstr(text, "intent(inout) :: C\n"));
    free(text);
}

static void fortran_names_are_short_and_differ_in_more_than_capitals(void **state) {
    (void)state;
    struct random_contraction given;
    random_contraction_given(&given, "R_ab=A_ai*a_ib", "a=2,b=3,i=4", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    char *text =
        emit_named(tcplan_emit_fortran, &given, "dgemm",
                   "this_is_a_name_of_a_function_that_has_rather_more_than_sixty_three_characters");
    assert_non_null(
        strstr(text, "    function this_is_a_name_of_a_function_that_has_rather_more_than_"));
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        assert_true(*line == '!' || strcspn(line, "\n") <= 132);
    assert_non_null(strstr(text, ":: A(2,4)\n"));
    assert_non_null(strstr(text, ":: B(4,3)\n"));
    free(text);
}

/* Names of parameters. */

static void assert_prototype(const char *contraction, const char *sizes, const char *function,
                             const char *expected) {
    struct random_contraction given;
    random_contraction_given(&given, contraction, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    char *text = emit_named(tcplan_emit_c, &given, "dgemm", function);
    if (!strstr(text, expected)) fail_msg("expected %s in\n%s", expected, text);
    emitted_check(NULL, text);
    free(text);
}

static void parameters_are_called_as_in_the_notation(void **state) {
    (void)state;
    assert_prototype("R_ab=T1_ai*T2_ib", "a=2,b=3,i=4", NULL,
                     "int contract(const double *T1, const double *T2, double *R) {");
    assert_prototype("out[a,b]=q[a,i]*k[i,b]", "a=2,b=3,i=4", NULL,
                     "int contract(const double *q, const double *k, double *out) {");
    assert_prototype("C_ab=B_ai*A_ib", "a=2,b=3,i=4", NULL,
                     "int contract(const double *B, const double *A, double *C) {");
}

static void reserved_names_are_replaced_by_letters(void **state) {
    static const char *const letters = "(const double *A, const double *B, double *C) {";
    (void)state;
    assert_prototype("for_ab=T1_ai*T2_ib", "a=2,b=3,i=4", NULL, letters);
    assert_prototype("R_ab=class_ai*T2_ib", "a=2,b=3,i=4", NULL, letters);
    assert_prototype("R_ab=kernel_ai*T2_ib", "a=2,b=3,i=4", NULL, letters);
    assert_prototype("R_ab=j0_ai*T2_ib", "a=2,b=3,i=4", NULL, letters);
    assert_prototype("R_ab=I_ai*E2_ib", "a=2,b=3,i=4", NULL, letters);
    assert_prototype("R_ab=T_ai*T_ib", "a=2,b=2,i=2", NULL, letters);
    assert_prototype("R[a,b]=A_copy[a,i]*T[i,b]", "a=2,b=3,i=4", NULL, letters);
    assert_prototype("R_ab=T1_ai*multiply_ib", "a=2,b=3,i=4", "multiply", letters);
}

/** Checks that no parameter has the name of a function, type or variable without an underscore that
 * the emitted function uses. */
static void check_words(const char *text, const char *function) {
    const char *at = strstr(text, function);
    char word[200];
    for (at = at ? at + strlen(function) : text; *at;) {
        const char *comment_end = strncmp(at, "/*", 2) == 0 ? strstr(at, "*/") : NULL;
        const size_t directive = at[-1] == '\n' && *at == '#' ? strcspn(at, "\n") : 0;
        const size_t skipped = comment_end ? (size_t)(comment_end + 2 - at) : directive;
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
        if (length > 0 && length < sizeof word && isalpha((unsigned char)*at) &&
            !memchr(at, '_', length)) {
            memcpy(word, at, length);
            word[length] = '\0';
            const bool is_letter = strlen(word) == 1 && strchr("ABCD", *word);
            if (!is_letter && emit_is_free_operand(word))
                fail_msg("a parameter could be called %s as well as what is in\n%s", word, text);
        }
        at += skipped > 0 ? skipped : length > 0 ? length : 1;
    }
}

static void no_parameter_has_a_name_used_in_its_function(void **state) {
    (void)state;
    static const enum tcplan_provider providers[] = {TCPLAN_PROVIDER_BLAS, TCPLAN_PROVIDER_LIBXSMM,
                                                     TCPLAN_PROVIDER_BLIS};
    const struct random_contraction_options defaults = random_contraction_defaults();
    int checked = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct random_contraction random;
        struct tcplan_algorithm algorithm;
        uint64_t draw = seed;
        random_contraction_init(&random, seed, &defaults);
        for (int a = 0; a < 12; a++) {
            const enum tcplan_provider provider = providers[a % 3];
            if (!random_algorithm(&algorithm, random.contraction, provider, &draw)) continue;
            algorithm.provider = provider;
            const struct tcplan_emit_options options = {.function = "f_of", .threads = 2};
            if (a % 2 == 0) random_parallel_loop(&algorithm, random.contraction, &draw);
            enum tcplan_status status;
            char *text = emit_random(tcplan_emit_c, &random, &algorithm, &options, &status);
            if (status == TCPLAN_OK) check_words(text, "int f_of(");
            checked += status == TCPLAN_OK;
            free(text);
        }
        random_contraction_free(&random);
    }
    assert_true(checked > 200);
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    static emit_text *const emit[] = {tcplan_emit_header, tcplan_emit_fortran};
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    random_contraction_given(&given, "R_ab=(0,1)*A_ai*T2_ib", "a=4,b=5,i=8", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_FLOAT_COMPLEX);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_FLOAT_COMPLEX, "cgemm", NULL),
        TCPLAN_OK);
    for (int e = 0; e < 2; e++) {
        enum tcplan_status status = TCPLAN_NO_MEMORY;
        for (long n = 0; status != TCPLAN_OK; n++) {
            base_alloc_fail_after(n);
            char *text = emit_random(emit[e], &given, &algorithm, NULL, &status);
            base_alloc_fail_after(-1);
            assert_true(status == TCPLAN_OK || (status == TCPLAN_NO_MEMORY && !text));
            assert_true(n < 1000);
            free(text);
        }
    }
    random_contraction_free(&given);
}

/** Returns the preprocessed headers that emitted files may include, in a dialect of C; to be freed.
 */
static char *preprocessed(const char *dialect, const char *options) {
    char command[512], line[4096];
    struct strbuf text = {0};
    snprintf(
        command, sizeof command,
        "for h in complex errno math pthread sched stdatomic stdbool stddef stdint stdio stdlib string strings time unistd; do "
        "echo \"#include <$h.h>\"; done | %s -std=%s -E %s -x c -",
        TCPLAN_CC, dialect, options);
    FILE *pipe = popen(command, "r"); /* NOLINT: the command line is a constant of this test */
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe)) strbuf_add(&text, "%s", line);
    assert_int_equal(pclose(pipe), 0);
    return strbuf_finish(&text);
}

/** Names that headers declare: how many there are, and how many of them tcplan accepts as the name
 * of a function. */
struct tally {
    int names, accepted;
    char example[128];
};

static void count_name(struct tally *tally, const char *name, size_t length) {
    char copy[sizeof tally->example];
    if (length >= sizeof copy || *name == '_') return;
    snprintf(copy, sizeof copy, "%.*s", (int)length, name);
    tally->names++;
    if (emit_check_name(copy, NULL) == TCPLAN_INVALID) return;
    tally->accepted++;
    memcpy(tally->example, copy, sizeof copy);
}

static size_t identifier_length(const char *at) {
    return isalpha((unsigned char)*at) || *at == '_'
               ? strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
               : 0;
}

static void count_macros(struct tally *tally, const char *text) {
    static const char define[] = "#define ";
    for (const char *at = strstr(text, define); at; at = strstr(at, define)) {
        at += sizeof define - 1;
        count_name(tally, at, identifier_length(at));
    }
}

/** Counts the names that a preprocessed text declares outside of all brackets. */
static void count_declarations(struct tally *tally, const char *text) {
    int depth = 0;
    for (const char *at = text; *at;) {
        const size_t length = identifier_length(at);
        if (strchr("({[", *at)) depth++;
        if (strchr(")}]", *at)) depth--;
        if (length > 0 && depth == 0 && strchr("(;,[", at[length + strspn(at + length, " \n")]))
            count_name(tally, at, length);
        at += length > 0 ? length : 1;
    }
}

/** tcplan must refuse all names of the C11 library, and 98 % of those of its extensions, whose
 * number grows with each version. */
static void no_function_has_a_name_from_a_header(void **state) {
    static const struct {
        const char *dialect;
        int accepted_percent;
    } dialects[] = {{"c11", 0}, {"gnu11", 2}};
    (void)state;
    for (size_t d = 0; d < sizeof dialects / sizeof *dialects; d++) {
        struct tally tally = {0};
        char *macros = preprocessed(dialects[d].dialect, "-dM"),
             *declarations = preprocessed(dialects[d].dialect, "-P");
        count_macros(&tally, macros);
        count_declarations(&tally, declarations);
        free(macros);
        free(declarations);
        assert_true(tally.names > 400);
        if (100 * tally.accepted > dialects[d].accepted_percent * tally.names) {
            fail_msg("%d of %d names of C's headers can be a function's, such as %s",
                     tally.accepted, tally.names, tally.example);
        }
    }
}

static void no_function_is_called_like_a_word_of_cpp(void **state) {
    static const char *const words[] = {"class",         "new",          "this",     "nullptr",
                                        "static_assert", "thread_local", "template", "operator"};
    (void)state;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        assert_int_equal(emit_check_name(words[w], NULL), TCPLAN_INVALID);
    assert_int_equal(emit_check_name("contract_all", NULL), TCPLAN_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_function_has_a_name_from_a_header),
        cmocka_unit_test(no_function_is_called_like_a_word_of_cpp),
        cmocka_unit_test(a_header_declares_the_function_for_c_and_cpp),
        cmocka_unit_test(a_module_has_the_interface_of_the_function),
        cmocka_unit_test(dimensions_are_those_that_fortran_counts),
        cmocka_unit_test(fortran_names_are_short_and_differ_in_more_than_capitals),
        cmocka_unit_test(parameters_are_called_as_in_the_notation),
        cmocka_unit_test(reserved_names_are_replaced_by_letters),
        cmocka_unit_test(no_parameter_has_a_name_used_in_its_function),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
