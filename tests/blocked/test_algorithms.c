#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "routines/blocked/algorithms/families.h"
#include "routines/blocked/algorithms/text.h"
#include "support/golden.h"

static const enum tcplan_dtype dtypes[] = {TCPLAN_FLOAT, TCPLAN_DOUBLE, TCPLAN_FLOAT_COMPLEX,
                                           TCPLAN_DOUBLE_COMPLEX};

static struct tcplan_blocked *make(int operation, int algorithm, enum tcplan_dtype dtype) {
    struct tcplan_blocked *out;
    struct tcplan_error error;
    if (tcplan_blocked_make(&out, operation, algorithm, dtype, &error) != TCPLAN_OK) {
        char name[TCPLAN_BLOCKED_NAME];
        tcplan_blocked_algorithm_name(name, operation, algorithm);
        fail_msg("%s, column %zu: %s", name, error.column, error.message);
    }
    return out;
}

static int operation_of(const char *name) {
    enum tcplan_dtype dtype;
    struct tcplan_error error;
    int operation, algorithm;
    if (tcplan_blocked_find(&operation, &algorithm, &dtype, name, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return operation;
}

static int count_of(const char *name) {
    struct tcplan_blocked_operation of;
    tcplan_blocked_operation(&of, operation_of(name));
    return of.algorithms;
}

static void there_are_as_many_algorithms_as_in_the_dissertation(void **state) {
    (void)state;
    assert_int_equal(count_of("potrf"), 3 + 1);
    assert_int_equal(count_of("potrf_U"), 3 + 1);
    assert_int_equal(count_of("trtri"), 8 + 3);
    assert_int_equal(count_of("trsyl"), 64 + 2);
    assert_int_equal(count_of("lauum"), 1 + 1);
    assert_int_equal(count_of("sygst"), 1 + 1);
    assert_int_equal(count_of("getrf"), 1 + 1);
    assert_int_equal(count_of("geqrf"), 1);
}

static void every_algorithm_is_made_in_every_type_and_found_by_its_name(void **state) {
    (void)state;
    for (int o = 0; o < tcplan_blocked_operations(); o++) {
        struct tcplan_blocked_operation of;
        tcplan_blocked_operation(&of, o);
        for (int a = 0; a < of.algorithms; a++) {
            for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
                struct tcplan_blocked *blocked = make(o, a, dtypes[d]);
                enum tcplan_dtype dtype = TCPLAN_DTYPES;
                char typed[TCPLAN_BLOCKED_NAME + 1];
                int operation = -1, algorithm = -1;
                snprintf(typed, sizeof typed, "%c%s", tcplan_dtype_letter(dtypes[d]),
                         tcplan_blocked_name(blocked));
                assert_int_equal(tcplan_blocked_find(&operation, &algorithm, &dtype,
                                                     tcplan_blocked_name(blocked), NULL),
                                 TCPLAN_OK);
                assert_int_equal(operation, o);
                assert_int_equal(algorithm, a);
                assert_int_equal(dtype, TCPLAN_DTYPES);
                assert_int_equal(tcplan_blocked_find(&operation, &algorithm, &dtype, typed, NULL),
                                 TCPLAN_OK);
                assert_int_equal(operation, o);
                assert_int_equal(algorithm, a);
                assert_int_equal(dtype, dtypes[d]);
                tcplan_blocked_free(blocked);
            }
        }
    }
}

static void no_two_algorithms_of_an_operation_have_the_same_steps(void **state) {
    (void)state;
    for (int o = 0; o < tcplan_blocked_operations(); o++) {
        struct tcplan_blocked_operation of;
        tcplan_blocked_operation(&of, o);
        char **text = calloc((size_t)of.algorithms, sizeof *text);
        for (int a = 0; a < of.algorithms; a++) {
            struct tcplan_blocked *blocked = make(o, a, TCPLAN_DOUBLE);
            text[a] = tcplan_blocked_text(blocked);
            for (int b = 0; b < a; b++) assert_string_not_equal(text[a], text[b]);
            tcplan_blocked_free(blocked);
        }
        for (int a = 0; a < of.algorithms; a++) free(text[a]);
        free(text);
    }
}

/** Returns the steps of all blocked algorithms for an element type, one a line; to be freed. */
static char *all_steps(enum tcplan_dtype dtype) {
    struct strbuf out = {0};
    for (int o = 0; o < tcplan_blocked_operations(); o++) {
        struct tcplan_blocked_operation of;
        tcplan_blocked_operation(&of, o);
        for (int a = 0; a < of.algorithms; a++) {
            struct tcplan_blocked *blocked = make(o, a, dtype);
            char *text = tcplan_blocked_text(blocked);
            strbuf_add(&out, "%s%s\n%s", out.length > 0 ? "\n" : "", tcplan_blocked_name(blocked),
                       text);
            free(text);
            tcplan_blocked_free(blocked);
        }
    }
    return strbuf_finish(&out);
}

static void steps_are_those_of_the_dissertation(void **state) {
    (void)state;
    char *text = all_steps(TCPLAN_DOUBLE);
    golden_check("blocked/double.txt", text);
    free(text);
}

/** Converts the text of a step for doubles to that for complex numbers, with hermitian matrices and
 * conjugate transposes: `dtrsm_RLTN: A := A L^-T` becomes `ztrsm_RLCN: A := A L^-H`. */
static void make_complex(char *line) {
    static const char *const routines[][2] = {{"syr", "her"}, {"sym", "hem"}, {"syg", "heg"}};
    char *colon = strchr(line, ':'), *name = line + strspn(line, " ");
    if (*name != 'd' || !colon) return;
    *name = 'z';
    for (size_t r = 0; r < sizeof routines / sizeof *routines; r++) {
        for (char *at = line; (at = strstr(at, routines[r][0]));)
            memcpy(at, routines[r][1], strlen(routines[r][1]));
    }
    char *flags = strchr(line, '_');
    for (; flags && flags < colon; flags++) *flags = *flags == 'T' ? 'C' : *flags;
    for (char *at = colon; (at = strchr(at, '^')); at++) {
        char *operation = at + 1 + (at[1] == '-');
        if (*operation == 'T') *operation = 'H';
    }
}

/** Returns the next line of `rest`, and skips the conjugating copy after it, which only complex
 * algorithms have. */
static char *next_line(char **rest) {
    char *line;
    do line = strsep(rest, "\n");
    while (line && (strstr(line, "copy:") || strstr(line, "lacgv:")));
    return line;
}

static void complex_types_take_routines_for_hermitian_matrices(void **state) {
    (void)state;
    char *real = all_steps(TCPLAN_DOUBLE), *complex = all_steps(TCPLAN_DOUBLE_COMPLEX);
    char *of_real = real, *of_complex = complex, *line;
    while ((line = next_line(&of_real))) {
        make_complex(line);
        assert_string_equal(next_line(&of_complex), line);
    }
    assert_null(next_line(&of_complex));
    free(real);
    free(complex);
}

static void an_unknown_name_is_refused_with_the_nearest_one(void **state) {
    (void)state;
    enum tcplan_dtype dtype;
    struct tcplan_error error;
    int operation, algorithm;
    assert_int_equal(tcplan_blocked_find(&operation, &algorithm, &dtype, "potrv_L", &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "'potrf_L'"));
    assert_int_equal(tcplan_blocked_find(&operation, &algorithm, &dtype, "", &error),
                     TCPLAN_INVALID);
    assert_int_equal(tcplan_blocked_find(&operation, &algorithm, &dtype, "potrf_L4", &error),
                     TCPLAN_INVALID);
    assert_int_equal(tcplan_blocked_find(&operation, &algorithm, &dtype, "d", &error),
                     TCPLAN_INVALID);
}

/* Texts. */

/** Returns the steps of a blocked algorithm that is given as text; NULL if the text is invalid. */
static char *steps_of(const char *matrices, const char *steps, enum tcplan_dtype dtype,
                      struct tcplan_error *error) {
    const struct blocked_source source = {.name = "x", .matrices = matrices, .steps = steps};
    struct tcplan_blocked *blocked;
    if (blocked_build(&blocked, &source, dtype, NULL, error) != TCPLAN_OK) return NULL;
    char *text = tcplan_blocked_text(blocked);
    tcplan_blocked_free(blocked);
    return text;
}

static void a_routine_follows_from_the_form_of_a_statement(void **state) {
    static const struct {
        enum tcplan_dtype dtype;
        const char *matrices, *statement, *expected;
    } rows[] = {
        {TCPLAN_DOUBLE, "+A(n,n).lower", "A10 := A10 A00", "dtrmm_RLNN: A10 := A10 A00"},
        {TCPLAN_DOUBLE, "+A(n,n).lower", "A10 := -2 A11^-1 A10",
         "dtrsm_LLNN: A10 := -2 A11^-1 A10"},
        {TCPLAN_DOUBLE, "A(n,n).unit.upper +B(n,n)", "B10 := A11^-T B10",
         "dtrsm_LUTU: B10 := A11^-T B10"},
        {TCPLAN_DOUBLE_COMPLEX, "A(n,n).upper +B(n,n)", "B10 := A11^-H B10",
         "ztrsm_LUCN: B10 := A11^-H B10"},
        {TCPLAN_DOUBLE, "+A(n,n).hermitian.lower B(n,n)", "A11 := A11 + 0.5 B10 B10^H",
         "dsyrk_LN: A11 += 0.5 B10 B10^T"},
        {TCPLAN_DOUBLE_COMPLEX, "+A(n,n).hermitian.lower B(n,n)", "A11 := A11 + 0.5 B10 B10^H",
         "zherk_LN: A11 += 0.5 B10 B10^H"},
        {TCPLAN_DOUBLE_COMPLEX, "+A(n,n).symmetric.lower B(n,n)", "A11 := A11 + B01^T B01",
         "zsyrk_LT: A11 += B01^T B01"},
        {TCPLAN_DOUBLE_COMPLEX, "+A(n,n).hermitian.lower B(n,n)", "A11 := 2 B10 B10^H",
         "zherk_LN: A11 := 2 B10 B10^H"},
        {TCPLAN_DOUBLE, "+A(n,n).symmetric.upper B(n,n) C(n,n)",
         "A11 := A11 + B01^T C01 + C01^T B01", "dsyr2k_UT: A11 += B01^T C01 + C01^T B01"},
        {TCPLAN_FLOAT_COMPLEX, "+A(n,n).hermitian.upper B(n,n) C(n,n)",
         "A11 := A11 - B10 C10^H - C10 B10^H", "cher2k_UN: A11 -= B10 C10^H + C10 B10^H"},
        {TCPLAN_DOUBLE, "+A(n,n) S(n,n).symmetric.lower", "A10 := S11 A10", NULL},
        {TCPLAN_DOUBLE, "+A(n,n) S(n,n).symmetric.lower B(n,n)", "A10 := S11 B10",
         "dsymm_LL: A10 := S11 B10"},
        {TCPLAN_DOUBLE_COMPLEX, "+A(n,n) S(n,n).hermitian.upper B(n,n)", "A10 := A10 + 2 B10 S00",
         "zhemm_RU: A10 += 2 B10 S00"},
        {TCPLAN_DOUBLE_COMPLEX, "+A(n,n) S(n,n).symmetric.upper B(n,n)", "A10 := A10 + 2 B10 S00",
         "zsymm_RU: A10 += 2 B10 S00"},
        {TCPLAN_DOUBLE, "+A(m,n) B(m,n) C(n,n)", "A := B C^T",
         NULL}, /* no call: the loop divides n, so A needs a block number */
        {TCPLAN_DOUBLE, "+A(m,n) B(m,n) C(n,n)", "A1 := B2 C12^T", "dgemm_NT: A1 := B2 C12^T"},
        {TCPLAN_DOUBLE, "+A(n,n) B(n,n)", "A10 := B10", "dlacpy_A: A10 := B10"},
        {TCPLAN_DOUBLE, "+A(n,n) B(n,n)", "[A11,A12;A21,A22] := [B11,B12;B21,B22]",
         "dlacpy_A: [A11,A12;A21,A22] := [B11,B12;B21,B22]"},
        {TCPLAN_DOUBLE_COMPLEX, "+A(n,n).hermitian.lower =d(n).real e(n).real",
         "[A11,A12;A21,A22] := tridi([A11,A12;A21,A22], d1, [e1;e2])",
         "ztridi_L: [A11,A12;A21,A22] := tridi([A11,A12;A21,A22], d1, [e1;e2])"},
        {TCPLAN_DOUBLE, "+A(n,n).hermitian.lower =d(n) e(n).real",
         "[A11,A12;A21,A22] := tridi([A11,A12;A21,A22], d1, [e1;e2])",
         "dtridi_L: [A11,A12;A21,A22] := tridi([A11,A12;A21,A22], d1, [e1;e2])"},
        {TCPLAN_DOUBLE_COMPLEX, "+A(n,n).hermitian.lower =d(n) e(n).real",
         "[A11,A12;A21,A22] := tridi([A11,A12;A21,A22], d1, [e1;e2])", NULL},
        {TCPLAN_DOUBLE, "+A(n,n) B(n,n)", "A10 := A10 - 3 B01^T", "daddop_T: A10 -= 3 B01^T"},
        {TCPLAN_DOUBLE, "+A(n,n) B(n,n)", "[A11;A21] := [A11;A21] + [B11;B21] B11",
         "dgemm_NN: [A11;A21] += [B11;B21] B11"},
        {TCPLAN_DOUBLE, "+A(n,n).upper", "A11 := trti2(A11)", "dtrti2_UN: A11 := trti2(A11)"},
        {TCPLAN_DOUBLE, "+A(n,n) =p(n).int", "A11 := getf2(A11, p1)",
         "dgetf2: A11 := getf2(A11, p1)"},
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct tcplan_error error = {.message = ""};
        char steps[200], expected[200];
        snprintf(steps, sizeof steps, "for n down: %s", rows[r].statement);
        char *text = steps_of(rows[r].matrices, steps, rows[r].dtype, &error);
        if (!rows[r].expected) {
            assert_null(text);
            assert_true(*error.message);
            continue;
        }
        if (!text) fail_msg("%s: %s", rows[r].statement, error.message);
        snprintf(expected, sizeof expected, "for n1 = 1:b:n\n  %s\n", rows[r].expected);
        assert_string_equal(text, expected);
        free(text);
    }
}

static void statements_without_a_routine_are_refused_with_the_place(void **state) {
    static const struct {
        const char *matrices, *steps, *expected;
        size_t column;
    } rows[] = {
        {"", "for n down: A11 := potf2(A11)", "expected a matrix", 1},
        {"A", "for n down: A11 := potf2(A11)", "expected '(' with sizes", 2},
        {"A(n,n) A(n,n)", "", "there is a 'A' already", 8},
        {"A(n,m).lower", "", "as many columns as rows", 1},
        {"A(a,b) B(c,d) C(e,f) D(g,h) E(i,i)", "", "one size too many", 31},
        {"A(n,n).lover", "", "expected lower, upper, unit, symmetric, hermitian, int or real", 8},
        {"A(n,n).unit", "", "a triangle must be lower or upper", 8},
        {"L=A.lower", "", "unknown matrix 'A': declare it before its views", 3},
        {"A(n,n) L=A.lower U=L.upper", "", "'L' is a view: name its matrix instead", 20},
        {"abcdefghi(n)", "", "too long", 1},
        {"+A(n,n)", "", "expected 'for'", 1},
        {"+A(n,n)", "for k down: A11 := A11", "no matrix has a size 'k'", 5},
        {"+A(n,n)", "for n aside: A11 := A11", "no matrix has a size 'aside'", 7},
        {"+A(n,n)", "for n: A11 := A11", "expected a size", 6},
        {"+A(n,n)", "for n down", "expected ':'", 11},
        {"+A(n,n)", "for n down:", "expected a statement", 12},
        {"+A(m,n)", "for m up, n down together: A11 := A11", "all upward or all downward", 18},
        {"+A(n,n)", "for n down by 0: A11 := A11", "a step of at least 1", 15},
        {"+A(n,n)", "for n down: B11 := A11", "unknown matrix 'B'", 13},
        {"+A(n,n)", "for n down: A13 := A11", "expected 0, 1 or 2 after 'A'", 15},
        {"+A(n,n)", "for n down: A1 := A11", "expected 0, 1 or 2 after 'A'", 15},
        {"+A(n,n)", "for n down: A111 := A11", "one digit too many", 16},
        {"+A(n,n)", "for n down: [A11;A12] := A11", "not adjacent", 14},
        {"+A(n,n)", "for n down: [A11,A12;A21] := A11", "not adjacent", 14},
        {"+A(n,n)", "for n down: [A11] := A11", "expected ';' or ','", 17},
        {"+A(m,n)", "for m n down by all: A11 := A11", "'by all' divides two sizes", 17},
        {"+A(m,n)", "for m n up together by all: A11 := A11", "'by all' divides two sizes", 24},
        {"+A(n,n) p(n)", "for n down: A11 := laswp(k1=1, A11, p1)", "elements of another type", 13},
        {"+A(n,n)", "for n down: A11 = A11", "expected ':='", 17},
        {"+A(n,n)", "for n down: A11 := A11^2", "expected T, H", 24},
        {"+A(n,n)", "for n down: A11 := A11^-1 A11", "no routine computes", 13},
        {"+A(n,n) B(n,n)", "for n down: A11 := A11 + [A11;A21] B01",
         "does not take the block that it writes", 13},
        {"+A(n,n)", "for n down: A11 := A11 A11 A11", "expected at most two factors", 28},
        {"+A(n,n) B(n,n)", "for n down: A11 := A11 + B10 B20", "sizes of blocks do not match", 13},
        {"+A(n,n)", "for n down: A11 := potf2(A11)", "must be triangular", 13},
        {"+A(n,n).lower", "for n down: A10 := potf2(A10)", "must be triangular", 13},
        {"+A(n,n).lower", "for n down: A11 := potf9(A11)", "unknown routine or algorithm 'potf9'",
         20},
        {"+A(n,n).lower", "for n down: A11 := potf2(A11, A00)", "takes 1 blocks at most", 13},
        {"+A(n,n).lower", "for n down: A11 := potf2(side=L, A11)", "no flag or size 'side'", 26},
        {"+A(n,n).lower", "for n down: A11 := potf2(uplo=U, A11)", "does not take this triangle",
         13},
        {"+A(n,n).lower", "for n down: A11 := potf2(uplo=Q, A11)", "does not take this triangle",
         13},
        {"+A(n,n).lower", "for n down: A00 := potf2(A11)", "does not write the block on the left",
         13},
        {"+A(n,n).lower", "for n down: A11 := potf2(A11) A11", "expected ';'", 31},
        {"+A(n,n)", "for n down: A11 := dot(A11, A11)", "returns a number", 20},
        {"+A(n,n)", "for n down: A11 := copy(A11, A11)", "takes vectors", 13},
        {"+A(n,n)", "for n down: A11 := gemm(A11, A11, A11)", "write the call as a sum", 13},
        {"+A(n,n) p(n)", "for n down: A11 := laswp(k1=0, A11, p1)", "a number of at least 1", 29},
        {"+A(n,n)", "for n down: A11 := potrf_L3(A11, A11)", "the algorithm takes 2 matrices", 0},
        {"+A(n,n).lower", "for n down: A11 := again(A11)", "there is none", 20},
        {"+A(n,n).lower", "halve k: A11 := again(A11)", "no matrix has a size 'k'", 7},
        {"+A(n,n).lower", "halve n: A11 := again(A11)", "expected 'else:'", 27},
        {"+A(n,n).lower", "halve n: else: A := potf2(A)", "expected a statement", 16},
        {"+A(n,n).lower", "halve n: A11 := again(A11); else:", "expected a statement", 34},
        {"+A(n,n).lower", "halve n: A11 := again(A11); else: A11 := potf2(A11)",
         "one digit too many", 36},
        {"+A(n,n).lower", "halve n: A21 := again(A21); else: A := potf2(A)", "the same half", 10},
        {"+A(n,n).lower", "halve n: A11 := again(A22); else: A := potf2(A)",
         "does not write the block on the left", 10},
        {"+A(n,n).lower", "halve n: A11 := again(A11); A11 := again(A11); else: A := potf2(A)",
         "already applied to that half", 29},
        {"+A(n,n).lower", "halve n: A11 := again(); else: A := potf2(A)", "expected a block", 23},
        {"+A(n,n).lower", "halve n: A11 := again(A11, A11); else: A := potf2(A)",
         "takes 1 blocks here, found 2", 10},
        {"+A(n,n).lower B(n,n)", "halve n: A11 := again(A11); else: A := potf2(A)",
         "the same half of the halved size; B is not such a half", 10},
        {"+A(n,n).lower B(n,n)", "halve n: A11 := again(A11, B22); else: A := potf2(A)",
         "the same half", 10},
        {"+A(m,n)", "halve m n: A11 := again(A11); else: A := A", "expected 'together'", 10},
        {"+A(n,n).lower", "halve n together: A11 := again(A11)", "expected a second size", 17},
        {"+A(m,n)", "halve m n together by all: A11 := again(A11)", "cannot be 'by all'", 27},
        {"+A(m,n)", "halve m n together: [A21,A22] := again([A21,A22]); else: A := A",
         "the first half of a size", 21},
        {"+A(m,n)", "halve m n together: A11 := again(A11); A12 := again(A12); else: A := A",
         "already applied to that half", 40},
        {"+A(n,n).lower", "halve n: A := potf2(A); else: A := again(A)", "expected 0, 1 or 2", 0},
        {"+A(n,n).lower", "halve n: A11 := potf2(A11); else: A := again(A)", "there is none", 40},
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct tcplan_error error = {.message = ""};
        char *text = steps_of(rows[r].matrices, rows[r].steps, TCPLAN_DOUBLE, &error);
        if (text) fail_msg("taken: %s | %s: %s", rows[r].matrices, rows[r].steps, text);
        if (rows[r].column == 0) continue;
        if (!strstr(error.message, rows[r].expected))
            fail_msg("%s | %s: %s, expected %s", rows[r].matrices, rows[r].steps, error.message,
                     rows[r].expected);
        if (error.column != rows[r].column)
            fail_msg("%s: column %zu, expected %zu", rows[r].steps, error.column, rows[r].column);
    }
}

static void an_algorithm_within_another_is_a_loop_within_its_loop(void **state) {
    (void)state;
    struct tcplan_error error;
    char *text = steps_of(
        "+A(n,n).hermitian.lower L=A.lower",
        "for n down by 96: A11 := potrf_L1(A11); A21 := A21 L11^-H; A22 := A22 - A21 A21^H",
        TCPLAN_DOUBLE, &error);
    if (!text) fail_msg("%s", error.message);
    assert_string_equal(text, "for n1 = 1:96:n\n"
                              "  for n1' = 1:b:n1\n"
                              "    dtrsm_RLTN: A1'0' := A1'0' L0'0'^-T\n"
                              "    dsyrk_LN: A1'1' -= A1'0' A1'0'^T\n"
                              "    dpotf2_L: A1'1' := potf2(A1'1')\n"
                              "  dtrsm_RLTN: A21 := A21 L11^-T\n"
                              "  dsyrk_LN: A22 -= A21 A21^T\n");
    free(text);
}

static void algorithms_without_end_are_refused(void **state) {
    (void)state;
    struct strbuf steps = {0};
    struct tcplan_error error;
    strbuf_add(&steps, "for n down: ");
    for (int s = 0; s < 100; s++) strbuf_add(&steps, "A11 := trti2(A11);");
    char *text = strbuf_finish(&steps);
    assert_null(steps_of("+A(n,n).lower", text, TCPLAN_DOUBLE, &error));
    assert_non_null(strstr(error.message, "more than"));
    free(text);
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    const int operation = operation_of("geqrf");
    for (long allowed = 0;; allowed++) {
        struct tcplan_blocked *blocked = NULL;
        struct tcplan_error error;
        base_alloc_fail_after(allowed);
        enum tcplan_status status =
            tcplan_blocked_make(&blocked, operation, 0, TCPLAN_DOUBLE_COMPLEX, &error);
        base_alloc_fail_after(-1);
        if (status == TCPLAN_OK) {
            tcplan_blocked_free(blocked);
            assert_true(allowed > 2);
            return;
        }
        assert_true(status == TCPLAN_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_as_many_algorithms_as_in_the_dissertation),
        cmocka_unit_test(every_algorithm_is_made_in_every_type_and_found_by_its_name),
        cmocka_unit_test(no_two_algorithms_of_an_operation_have_the_same_steps),
        cmocka_unit_test(steps_are_those_of_the_dissertation),
        cmocka_unit_test(complex_types_take_routines_for_hermitian_matrices),
        cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest_one),
        cmocka_unit_test(a_routine_follows_from_the_form_of_a_statement),
        cmocka_unit_test(statements_without_a_routine_are_refused_with_the_place),
        cmocka_unit_test(an_algorithm_within_another_is_a_loop_within_its_loop),
        cmocka_unit_test(algorithms_without_end_are_refused),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
