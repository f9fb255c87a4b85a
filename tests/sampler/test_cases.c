/*
 * Tests the selection of a routine's cases by flags such as `L U N` and by ranges of sizes; unknown
 * flags are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "routines/sampler/generation/cases.h"
#include "routines/sampler/generation/cases_used.h"

static struct generation_cases read(const char *words, const char *domain) {
    struct generation_cases cases = {0};
    struct tcplan_error error;
    const char *const word[] = {words};
    if (cases_read(&cases, word, 1, domain, 8, &error) != TCPLAN_OK)
        fail_msg("%s: %s", words, error.message);
    return cases;
}

static void assert_refused(const char *words, const char *domain, const char *message) {
    struct generation_cases cases = {0};
    struct tcplan_error error = {0};
    const char *const word[] = {words};
    assert_int_equal(cases_read(&cases, word, 1, domain, 8, &error), TCPLAN_INVALID);
    if (!strstr(error.message, message))
        fail_msg("%s: found '%s', expected '%s'", words, error.message, message);
    cases_free(&cases);
}

static bool has(const struct generation_cases *cases, const char *text) {
    for (int c = 0; c < cases->count; c++) {
        if (strcmp(cases->of[c].text, text) == 0) return true;
    }
    return false;
}

static void a_routine_means_the_cases_that_are_used(void **state) {
    (void)state;
    struct generation_cases cases = read("dtrsm:alpha=1", "m=24:536,n=24:4152");
    assert_int_equal(cases.count, 4); /* the four kernels of chapter 4 in Peise (2017) */
    assert_true(has(&cases, "dtrsm side=R uplo=L transA=T diag=N alpha=1"));
    assert_true(has(&cases, "dtrsm side=L uplo=L transA=N diag=N alpha=1"));
    assert_true(has(&cases, "dtrsm side=R uplo=L transA=N diag=N alpha=1"));
    assert_true(has(&cases, "dtrsm side=L uplo=L transA=N diag=U alpha=1"));
    for (int c = 0; c < cases.count; c++) {
        const struct tcplan_model_domain *domain = &cases.of[c].domain;
        const bool is_left = strstr(cases.of[c].text, "side=L") != NULL;
        assert_true(domain->count == 2 && domain->low[0] == 24 && domain->high[0] == 536 &&
                    domain->low[1] == 24 && domain->high[1] == 4152);
        assert_int_equal(cases.of[c].degree[0], is_left ? 2 : 1);
        assert_int_equal(cases.of[c].degree[1], is_left ? 1 : 2);
    }
    cases_free(&cases);
}

/** Cases as plan/times/model_case.h makes them. */
static void planning_finds_its_calls(void **state) {
    (void)state;
    struct generation_cases cases = read("dgemm dgemv,dger:incx=1 ddot daxpy", NULL);
    assert_true(has(&cases, "dgemm transA=N transB=T alpha=1 beta=0"));
    assert_true(has(&cases, "dgemm transA=T transB=T alpha=1 beta=1"));
    assert_true(has(&cases, "dgemv trans=T alpha=1 beta=0 incx=large incy=1"));
    assert_true(has(&cases, "dger alpha=1 incx=1 incy=large"));
    assert_false(has(&cases, "dger alpha=1 incx=large incy=1"));
    assert_true(has(&cases, "ddot incx=large incy=1"));
    assert_true(has(&cases, "daxpy alpha=any incx=1 incy=1"));
    cases_free(&cases);
}

static void all_arguments_mean_one_case_used_or_not(void **state) {
    (void)state;
    struct generation_cases cases = read("dtrsm side=L uplo=U transA=T diag=U alpha=any", NULL);
    assert_int_equal(cases.count, 1);
    assert_string_equal(cases.of[0].text, "dtrsm side=L uplo=U transA=T diag=U alpha=any");
    assert_true(cases.of[0].domain.low[0] == CASES_LOW && cases.of[0].domain.high[1] == CASES_HIGH);
    cases_free(&cases);
    cases = read("dgemm:transA=N,transB=N,alpha=1,beta=1", "m=16,k=8:64");
    assert_int_equal(cases.of[0].domain.low[0], 16);
    assert_int_equal(cases.of[0].domain.high[0], 16);
    assert_int_equal(cases.of[0].domain.high[2], 64);
    cases_free(&cases);
}

/** One generation can make models on several domains. Two models of one case remain separate. */
static void words_have_domains_of_their_own(void **state) {
    (void)state;
    struct generation_cases cases =
        read("dpotf2:uplo=L,n=8:64 dtrsm:side=R,uplo=L,transA=T,diag=N,alpha=1,m=24:4000,n=32",
             "n=16:128,m=8:80");
    assert_int_equal(cases.count, 2);
    assert_true(cases.of[0].domain.low[0] == 8 && cases.of[0].domain.high[0] == 64);
    assert_true(cases.of[1].domain.low[0] == 24 && cases.of[1].domain.high[0] == 4000);
    assert_true(cases.of[1].domain.low[1] == 32 && cases.of[1].domain.high[1] == 32);
    cases_free(&cases);
    cases = read("dpotf2:n=8:64:dpotf2 n=72:536", NULL);
    assert_int_equal(cases.count, 2);
    assert_true(cases.of[1].domain.low[0] == 72 && cases.of[1].domain.high[0] == 536);
    cases_free(&cases);
    cases = read("dsyrk:uplo=L,trans=N,alpha=-1,beta=1,k=24:64",
                 NULL); /* n has the domain in the table */
    assert_int_equal(cases.count, 2);
    assert_true(cases.of[0].domain.high[0] == 536 && cases.of[1].domain.high[0] == 4152 &&
                cases.of[0].domain.high[1] == 64);
    cases_free(&cases);
}

/** A call has the same case as the words that select its model, so the model is found. */
static void a_call_has_the_case_of_its_words(void **state) {
    static const char *const words[] = {"dtrsm:side=R,uplo=L,transA=T,diag=N,alpha=1",
                                        "dgemm:transA=N,transB=T,alpha=-1,beta=1",
                                        "dlaswp",
                                        "dcopy:incx=large,incy=1",
                                        "dsygs2:itype=1,uplo=L",
                                        "dsymm:side=R,uplo=L,alpha=any,beta=1"};
    (void)state;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        struct generation_cases cases = read(words[w], NULL);
        const struct generation_case *of = &cases.of[0];
        int64_t value[SIGNATURE_MAX_ARGUMENTS];
        struct called_case called;
        case_values(value, of, of->domain.high, 5000);
        assert_true(case_of_call(&called, of->signature, value, of->scalar, false));
        assert_string_equal(called.text, of->text);
        assert_int_equal(called.sizes, of->domain.count);
        for (int s = 0; s < called.sizes; s++)
            assert_int_equal(called.size_argument[s], of->size_argument[s]);
        cases_free(&cases);
    }
}

static void other_scalars_match_any_on_request(void **state) {
    struct generation_cases cases =
        read("dgemm:transA=N,transB=T,alpha=-1,beta=0,m=64,n=64,k=64", NULL);
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    struct called_case called;
    (void)state;
    case_values(value, &cases.of[0], cases.of[0].domain.high, 0);
    assert_true(case_of_call(&called, cases.of[0].signature, value, cases.of[0].scalar, true));
    assert_string_equal(called.text, "dgemm transA=N transB=T alpha=any beta=0");
    cases_free(&cases);
}

static void impossible_domains_of_the_caller_are_refused(void **state) {
    (void)state;
    assert_refused("dpotf2:n=20:48", NULL, "expected multiples of 8");
    assert_refused("dpotf2:n=48:24", NULL, "ends at 24, before its begin at 48");
    assert_refused("dpotf2:n=8:16,n=8:24", NULL,
                   "expected the domain of a size of dpotf2, each once");
    assert_refused("dpotf2:n=", NULL, "expected the domain of a size of dpotf2");
    assert_refused("dpotf2:n=8:x", NULL, "'x'");
    assert_refused("dpotf2:n=8:16x", NULL, "expected the domain of a size of dpotf2");
    assert_refused("dpotf2:n=99999999999999999999", NULL,
                   "expected the domain of a size of dpotf2");
    assert_refused("dpotf2:m=8", NULL, "dpotf2 has no flag, scalar, increment or size 'm'");
    assert_refused("n=8:16", NULL, "expected a routine, found 'n=8:16'");
}

static void words_without_a_case_are_refused(void **state) {
    (void)state;
    assert_refused("", NULL, "expected a routine");
    assert_refused("side=L", NULL, "expected a routine, found 'side=L'");
    assert_refused("dtrsn", NULL, "'dtrsn'");
    assert_refused("dtrsm:sides=L", NULL, "dtrsm has no flag, scalar, increment or size 'sides'");
    assert_refused("dtrsm:ldA=4", NULL, "dtrsm has no flag, scalar, increment or size 'ldA'");
    assert_refused("dtrsm:side=X", NULL, "side of dtrsm is L or R, found 'X'");
    assert_refused("dtrsm:alpha=2", NULL, "alpha of dtrsm is -1, 0, 1 or any, found '2'");
    assert_refused("daxpy:incx=3", NULL, "incx of daxpy is 1 or large, found '3'");
    assert_refused(
        "dtrsm:uplo=U,side=R", NULL,
        "algorithms use no case of dtrsm with these flags; for another case, specify all of side, uplo, transA, diag, "
        "alpha");
    assert_refused(
        "dsymv", NULL,
        "the cases of dsymv that algorithms use are unknown; specify all of uplo, alpha, beta, incx, incy");
    assert_refused("dspmv", NULL, "packed");
    assert_refused("dgbmv", NULL, "band");
    assert_refused("drotg", NULL, "no size");
    assert_refused("dgemmdgemmdgemmdgemmdgemmdgemmdgemmdgemmdgemmdgemmdgemmdgemmdgemmdgemm", NULL,
                   "expected a routine or argument");
}

static void impossible_domains_are_refused(void **state) {
    (void)state;
    assert_refused("dpotf2", "q=24:48", "none of the routines has a size 'q'");
    assert_refused("dpotf2", "n=48:24", "ends at 24, before its begin at 48");
    assert_refused("dpotf2", "n=20:48", "expected multiples of 8");
    assert_refused("dpotf2", "n=0:48", "expected a domain such as");
    assert_refused("dpotf2", "n", "expected a domain such as");
    assert_refused("dpotf2", "n=", "expected a domain such as");
    assert_refused("dpotf2", "n=8:", "expected a domain such as");
    assert_refused("dpotf2", "n=8:16:8", "expected a domain such as");
    assert_refused("dpotf2", "n=8;m=8", "expected a domain such as");
    assert_refused("dpotf2", "n=99999999999999999999", "expected a domain such as");
    assert_refused("dgemm", "m=8,n=8,k=8,m=8,n=8", "at most 4 sizes");
    assert_refused("dlarft", "n=24:48,k=24:64", "does not accept some sizes");
}

/** Every row of the table of cases is complete and names an existing routine. */
static void every_line_of_the_table_can_be_read(void **state) {
    (void)state;
    for (const struct cases_used_line *line = cases_used; line->routine; line++) {
        char words[200], canonical[TCPLAN_MODEL_TEXT];
        struct tcplan_error error;
        snprintf(words, sizeof words, "d%s", line->routine);
        struct generation_cases cases = read(words, NULL);
        assert_true(cases.count >= 1);
        for (int c = 0; c < cases.count; c++) {
            const struct generation_case *of = &cases.of[c];
            assert_int_equal(tcplan_model_case_read(canonical, of->text, &error), TCPLAN_OK);
            assert_string_equal(canonical, of->text);
            for (int s = 0; s < of->domain.count; s++) {
                const bool single = of->domain.low[s] ==
                                    of->domain.high[s]; /* a single value: the first row of laswp */
                assert_true(single || (of->domain.low[s] % 8 == 0 && of->domain.high[s] % 8 == 0 &&
                                       of->domain.low[s] < of->domain.high[s]));
                char name[SIGNATURE_NAME + 2];
                snprintf(name, sizeof name,
                         "%s=", of->signature->argument[of->size_argument[s]].name);
                assert_non_null(strstr(line->domain, name));
            }
            assert_true(case_work(of, of->domain.high) > case_work(of, of->domain.low));
            assert_true(case_least_leading(of) >= 1);
        }
        cases_free(&cases);
    }
}

static void calls_have_the_values_of_their_case(void **state) {
    (void)state;
    struct generation_cases cases = read("dgemv:trans=N,incx=large,incy=1,beta=1", NULL);
    const struct generation_case *of = &cases.of[0];
    const int64_t size[TCPLAN_MODEL_SIZES] = {16, 24};
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    assert_int_equal(cases.count, 1);
    case_values(value, of, size, 5000);
    assert_int_equal(value[signature_argument(of->signature, "trans")], 'N');
    assert_int_equal(value[signature_argument(of->signature, "m")], 16);
    assert_int_equal(value[signature_argument(of->signature, "n")], 24);
    assert_int_equal(value[signature_argument(of->signature, "ldA")], 5000);
    assert_int_equal(value[signature_argument(of->signature, "incx")], 5000);
    assert_int_equal(value[signature_argument(of->signature, "incy")], 1);
    assert_true(case_flops(of, size) == 2 * 16 * 24);
    cases_free(&cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_routine_means_the_cases_that_are_used),
        cmocka_unit_test(planning_finds_its_calls),
        cmocka_unit_test(all_arguments_mean_one_case_used_or_not),
        cmocka_unit_test(words_have_domains_of_their_own),
        cmocka_unit_test(a_call_has_the_case_of_its_words),
        cmocka_unit_test(other_scalars_match_any_on_request),
        cmocka_unit_test(impossible_domains_of_the_caller_are_refused),
        cmocka_unit_test(words_without_a_case_are_refused),
        cmocka_unit_test(impossible_domains_are_refused),
        cmocka_unit_test(every_line_of_the_table_can_be_read),
        cmocka_unit_test(calls_have_the_values_of_their_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
