/* Tests that names of algorithms are printed and read back, and that wrong names are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "support/random_contraction.h"
#include "tcplan/algorithm.h"

static void assert_same_algorithm(const struct tcplan_algorithm *a,
                                  const struct tcplan_algorithm *b) {
    assert_int_equal(a->kernel, b->kernel);
    assert_true(tcplan_algorithm_equal(a, b));
    assert_int_equal(a->loop_count, b->loop_count);
    assert_memory_equal(a->loop, b->loop, a->loop_count);
}

/** Removes all apostrophes of a name, and a dot after an apostrophe at the start. */
static void remove_apostrophes(char *name) {
    char *to = name;
    for (const char *from = name; *from; from++) {
        if (from == name + 1 && *name == '\'' && *from == '.')
            continue; /* keeps the apostrophe before the first loop */
        if (*from != '\'') *to++ = *from;
    }
    *to = '\0';
}

static void check_reads_back(const struct random_contraction *random,
                             const struct tcplan_algorithm *algorithm, enum tcplan_dtype dtype) {
    struct tcplan_algorithm read;
    struct tcplan_error error = {0};
    char *name = tcplan_algorithm_name(algorithm, random->contraction, dtype);
    if (tcplan_algorithm_parse(&read, random->contraction, dtype, name, &error)) {
        fail_msg("%s: %s: %s", random_contraction_describe(random), name, error.message);
    }
    assert_same_algorithm(&read, algorithm);
    remove_apostrophes(name);
    if (tcplan_algorithm_parse(&read, random->contraction, dtype, name, &error)) {
        fail_msg("%s: %s: %s", random_contraction_describe(random), name, error.message);
    }
    assert_same_algorithm(&read, algorithm);
    free(name);
}

static void names_of_all_algorithms_and_types_are_accepted_back_with_and_without_apostrophes(
    void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.min_rank = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct random_contraction random;
        struct tcplan_enumerator enumerator;
        struct tcplan_algorithm algorithm;
        random_contraction_init(&random, seed, &options);
        tcplan_enumerator_init(&enumerator, random.contraction);
        while (tcplan_enumerator_next(&enumerator, &algorithm)) {
            for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++)
                check_reads_back(&random, &algorithm, (enum tcplan_dtype)dtype);
        }
        random_contraction_free(&random);
    }
}

/** A contraction, and a name of one of its algorithms. */
struct question {
    const char *contraction;
    enum tcplan_order order;
    enum tcplan_dtype dtype;
    const char *name;
};

static enum tcplan_status ask(const struct question *question, char **full_name,
                              struct tcplan_error *error) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_algorithm algorithm;
    assert_int_equal(
        tcplan_contraction_parse(&contraction, question->contraction, question->order, NULL),
        TCPLAN_OK);
    enum tcplan_status status =
        tcplan_algorithm_parse(&algorithm, contraction, question->dtype, question->name, error);
    *full_name = status == TCPLAN_OK
                     ? tcplan_algorithm_name(&algorithm, contraction, question->dtype)
                     : NULL;
    tcplan_contraction_free(contraction);
    return status;
}

static void assert_named(struct question question, const char *expected) {
    struct tcplan_error error = {0};
    char *name = NULL;
    if (ask(&question, &name, &error)) fail_msg("%s", error.message);
    assert_string_equal(name, expected);
    free(name);
}

static void an_apostrophe_follows_the_loop_that_carries_a_copy(void **state) {
    (void)state;
    assert_named(
        (struct question){"C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, "ca-dgemv"},
        "ca-dgemv");
    assert_named(
        (struct question){"C_abc=A_ai*B_bic", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, "ab-dgemv"},
        "ab'-dgemv");
    assert_named(
        (struct question){"C_abc=A_ija*B_jbic", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, "ic-dgemm"},
        "i'c-dgemm");
    assert_named(
        (struct question){"C_abc=A_ija*B_jbic", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, "ci-dgemm"},
        "ci'-dgemm");
    assert_named(
        (struct question){"C_abc=A_ija*B_bijc", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, "ib-dgemm"},
        "i'b'-dgemm");
}

static void a_copy_that_no_loop_carries_is_an_apostrophe_in_front(void **state) {
    (void)state;
    assert_named(
        (struct question){"C_ab=A_iaj*B_ijb", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, "i-dgemm"},
        "i'-dgemm");
    assert_named((struct question){"C_ab=A_iiai*B_ib", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, "dgemm"},
                 "'dgemm");
    assert_named(
        (struct question){"C_ab=A_iiai*B_ib", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, "b-dgemv"},
        "'b-dgemv");
    assert_named(
        (struct question){"C_ab=A_iiai*B_ib", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, "'b-dgemv"},
        "'b-dgemv");
}

static void kernels_are_named_as_in_blas(void **state) {
    (void)state;
    assert_named((struct question){"C=A_i*B_i", TCPLAN_COLUMN_MAJOR, TCPLAN_FLOAT, "sdot"}, "sdot");
    assert_named((struct question){"C=A_i*B_i", TCPLAN_COLUMN_MAJOR, TCPLAN_FLOAT_COMPLEX, "cdotu"},
                 "cdotu");
    assert_named(
        (struct question){"C_ab=A_a*B_b", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE_COMPLEX, "zgeru"},
        "zgeru");
    assert_named(
        (struct question){"C_ab=A_a*B_b", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE_COMPLEX, "a-zaxpy"},
        "a-zaxpy");
}

static void loops_of_long_names_are_separated_by_dots(void **state) {
    (void)state;
    assert_named((struct question){"C[row,col]=A[row,k]*B[k,col]", TCPLAN_COLUMN_MAJOR,
                                   TCPLAN_DOUBLE, "row.k-daxpy"},
                 "row.k-daxpy");
    assert_named((struct question){"C[row,x,col]=A[x,row,k]*B[k,col]", TCPLAN_COLUMN_MAJOR,
                                   TCPLAN_DOUBLE, "col.x-dgemv"},
                 "col.x'-dgemv");
}

/* Refusals. */

static void assert_refused(struct question question, const char *nearest) {
    struct tcplan_error error = {0};
    char *name = NULL;
    if (ask(&question, &name, &error) != TCPLAN_INVALID)
        fail_msg("\"%s\" is taken for \"%s\"", question.name, name ? name : "?");
    assert_int_equal(error.status, TCPLAN_INVALID);
    assert_int_equal(error.length, strlen(question.name));
    if (nearest && !strstr(error.message, nearest))
        fail_msg("no \"%s\" in \"%s\"", nearest, error.message);
}

static void assert_not_suggested(struct question question) {
    struct tcplan_error error = {0};
    char *name = NULL;
    assert_int_equal(ask(&question, &name, &error), TCPLAN_INVALID);
    assert_null(strstr(error.message, "the nearest"));
}

static void wrong_names_are_refused_and_the_nearest_ones_named(void **state) {
    (void)state;
    struct question question = {"C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, "c-dgem"};
    assert_refused(question,
                   "unknown algorithm 'c-dgem': unknown kernel 'dgem'; the nearest: c-dgemm");
    question.name = "foo"; /* resembles none */
    assert_refused(question, "unknown kernel 'foo'");
    assert_not_suggested(question);
    question.name = "C-DGEMM";
    assert_refused(question, NULL);
    question.name = "cadgemv";
    assert_refused(question, "; the nearest: ca-dgemv");
    question.name = "c-sgemm";
    assert_refused(question, "; the nearest: c-dgemm");
    question.name = "bc-ddot";
    assert_refused(question, "; the nearest: abc-ddot");
}

static void three_names_are_suggested_at_most(void **state) {
    (void)state;
    struct tcplan_error error = {0};
    char *name = NULL;
    const struct question many = {"C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE,
                                  "xx-dgemv"};
    assert_int_equal(ask(&many, &name, &error), TCPLAN_INVALID);
    const char *comma = strchr(error.message, ',');
    assert_non_null(comma);
    comma = strchr(comma + 1, ',');
    assert_non_null(comma);
    assert_null(strchr(comma + 1, ','));
    const struct question one = {"C=A_i*B_i", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, "sdot"};
    assert_int_equal(ask(&one, &name, &error), TCPLAN_INVALID);
    assert_string_equal(error.message,
                        "unknown algorithm 'sdot': unknown kernel 'sdot'; the nearest: ddot");
}

static void names_that_are_nearly_right_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {
        "c-dgemm ",  " c-dgemm",   "c--dgemm", "-c-dgemm", "c-dgemm-",  "cc-dgemm",  "ab-ddot",
        "abci-ddot", "c-ddot",     "c'-dgemm", "'c-dgemm", "c''-dgemm", "ca'-dgemv", "a'b'-dgemv",
        "a'b-dgemv", "c..a-dgemv", "c-dgemmx", "c-dgemv",  "b-dgemv",   "x-dgemm",   "ca-zgemv",
        "c-ddotu",   "c-",         "abc",      "abc-",     "c\t-dgemm", "c-dgemm\n"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        assert_refused(
            (struct question){"C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, names[n]},
            NULL);
    }
    static const char *const long_names[] = {"rowk-daxpy", "row..k-daxpy", ".row.k-daxpy",
                                             "row.-dger",  ".-daxpy",      "r.k-daxpy"};
    for (size_t n = 0; n < sizeof long_names / sizeof *long_names; n++) {
        assert_refused((struct question){"C[row,col]=A[row,k]*B[k,col]", TCPLAN_COLUMN_MAJOR,
                                         TCPLAN_DOUBLE, long_names[n]},
                       NULL);
    }
}

static void hostile_names_are_refused(void **state) {
    (void)state;
    enum { LONG = 100000 };
    static const char *const names[] = {
        "",       "-",         "''''", "'", "'-", "-'", "....", "\xff\xfe-dgemm", "\xc3\xa4-dgemm",
        "%s%n%d", "c-\x01gemm"};
    static const char *const contractions[] = {"C_abc=A_ai*B_ibc", "C[row,col]=A[row,k]*B[k,col]",
                                               "C=A*B", "C_ab=A_ab*B_ba", "C=A_i*B_i"};
    char *huge = malloc(LONG + 1);
    assert_non_null(huge);
    for (size_t c = 0; c < sizeof contractions / sizeof *contractions; c++) {
        struct question question = {contractions[c], TCPLAN_ROW_MAJOR, TCPLAN_DOUBLE, huge};
        static const char fill[] = "a-'.\x80";
        for (size_t f = 0; f < sizeof fill - 1; f++) {
            memset(huge, fill[f], LONG);
            huge[LONG] = '\0';
            question.name = huge;
            assert_refused(question, "unknown algorithm ");
        }
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            question.name = names[n];
            assert_refused(question, "unknown algorithm ");
        }
    }
    free(huge);
}

static void more_loops_than_a_contraction_can_have_are_refused(void **state) {
    (void)state;
    char name[1000];
    for (size_t i = 0; i < sizeof name - 1; i++) name[i] = "abci"[i % 4];
    memcpy(name + sizeof name - 7, "-dgemm", 7);
    assert_refused((struct question){"C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, name},
                   NULL);
}

static void a_name_among_very_many_is_found_and_a_wrong_one_refused(void **state) {
    (void)state;
    struct question question = {"C_abcdefgh=A_abcdijkl*B_ijkefghl", TCPLAN_COLUMN_MAJOR,
                                TCPLAN_DOUBLE, "gfedcbakij-dgemv"};
    assert_named(question, "gfedcbakij'-dgemv");
    question.name = "gfedcbakij-dger";
    assert_refused(question, "indices have roles that the kernel does not have");
    question.name = "gfedcbakij-ddor";
    assert_refused(question, "the nearest: ");
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_algorithm algorithm;
    struct tcplan_error error = {0};
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    assert_int_equal(
        tcplan_contraction_parse(&contraction, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    base_alloc_fail_after(0); /* parsing a valid name allocates nothing */
    status = tcplan_algorithm_parse(&algorithm, contraction, TCPLAN_DOUBLE, "c-dgemm", &error);
    base_alloc_fail_after(-1);
    assert_int_equal(status, TCPLAN_OK);
    for (long successes = 0; successes < 200; successes++) {
        base_alloc_fail_after(successes);
        status = tcplan_algorithm_parse(&algorithm, contraction, TCPLAN_DOUBLE, "c-dgemn", &error);
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_INVALID ||
                    status == TCPLAN_NO_MEMORY); /* the error then has fewer suggestions of names,
                                                    or none */
    }
    tcplan_contraction_free(contraction);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            names_of_all_algorithms_and_types_are_accepted_back_with_and_without_apostrophes),
        cmocka_unit_test(an_apostrophe_follows_the_loop_that_carries_a_copy),
        cmocka_unit_test(a_copy_that_no_loop_carries_is_an_apostrophe_in_front),
        cmocka_unit_test(kernels_are_named_as_in_blas),
        cmocka_unit_test(loops_of_long_names_are_separated_by_dots),
        cmocka_unit_test(wrong_names_are_refused_and_the_nearest_ones_named),
        cmocka_unit_test(three_names_are_suggested_at_most),
        cmocka_unit_test(names_that_are_nearly_right_are_refused),
        cmocka_unit_test(hostile_names_are_refused),
        cmocka_unit_test(more_loops_than_a_contraction_can_have_are_refused),
        cmocka_unit_test(a_name_among_very_many_is_found_and_a_wrong_one_refused),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
