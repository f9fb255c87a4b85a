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
#include "routines/sampler/experiments/nest.h"
#include "support/golden.h"
#include "support/memory_source.h"

#define EXAMPLES TCPLAN_TESTS_DIR "/../examples/experiments"

static enum tcplan_status read_experiment(struct tcplan_experiment **out, const char *text,
                                          struct tcplan_error *error) {
    struct memory_source source = memory_source_of(text);
    return tcplan_experiment_from(out, memory_source_read, &source, error);
}

static struct tcplan_experiment *experiment_of(const char *text) {
    struct tcplan_experiment *experiment = NULL;
    struct tcplan_error error = {0};
    if (read_experiment(&experiment, text, &error) != TCPLAN_OK)
        fail_msg("line %zu: %s", error.line, error.message);
    return experiment;
}

static bool append(void *context, const char *text, size_t length) {
    strbuf_append(context, text, length);
    return true;
}

/** Compares the Sampler script of an experiment with tests/golden/experiments/NAME. */
static void check_script(const char *name, const char *text) {
    struct tcplan_experiment *experiment = experiment_of(text);
    struct strbuf out = {0};
    struct tcplan_error error = {0};
    char path[100];
    if (tcplan_experiment_script(experiment, NULL, append, &out, &error) != TCPLAN_OK)
        fail_msg("line %zu: %s", error.line, error.message);
    snprintf(path, sizeof path, "experiments/%s", name);
    golden_check(path, out.text);
    strbuf_free(&out);
    tcplan_experiment_free(experiment);
}

#define BEGIN "<experiment format=\"1\" name=\"x\" repetitions=\"2\">\n"
#define END "</experiment>"
#define GEMV "<call routine=\"dgemv\">trans=N m=n n=n alpha=1 A=A x=x beta=1 y=y</call>\n"
#define RANGE "<range variable=\"n\" values=\"10:30:10\"/>\n"

/* The loop nest. */

static void repetitions_run_within_the_range(void **state) {
    (void)state;
    check_script("plain.txt", BEGIN RANGE GEMV END);
}

static void shuffled_repetitions_run_around_the_range(void **state) {
    (void)state;
    check_script(
        "shuffled.txt",
        "<experiment format=\"1\" name=\"x\" repetitions=\"2\" shuffle=\"true\">\n" RANGE GEMV END);
}

static void varying_operands_are_adjacent(void **state) {
    (void)state;
    check_script("cold_along_1.txt", BEGIN RANGE GEMV
                 "<operand name=\"A\" vary=\"rep\" along=\"1\" offset=\"5\"/>" END);
}

static void varying_operands_are_stacked_with_a_larger_leading_dimension(void **state) {
    (void)state;
    check_script("cold_along_0.txt", BEGIN RANGE GEMV
                 "<operand name=\"A\" vary=\"rep\" along=\"0\" offset=\"5\"/>" END);
}

static void vectors_that_vary_follow_each_other(void **state) {
    (void)state;
    check_script(
        "vectors.txt", BEGIN RANGE
        "<call routine=\"ddot\">n=n x=x y=y incx=2</call>"
        "<operand name=\"x\" vary=\"rep\"/><operand name=\"y\" vary=\"rep\" along=\"0\" offset=\"n\"/>" END);
}

static void a_sum_is_a_blocked_algorithm(void **state) {
    (void)state;
    check_script(
        "blocked.txt",
        "<experiment format=\"1\" name=\"cholesky\" repetitions=\"1\">\n<range variable=\"n\" values=\"20,25\"/><sum variable=\"k\" values=\"0:n-1:10\"/>"
        "<call routine=\"dpotf2\">uplo=L n=min(10,n-k) A=A11</call>"
        "<call routine=\"dtrsm\">side=R uplo=L transA=T diag=N m=max(0,n-k-10) alpha=1 A=A11 B=A21</call>"
        "<call routine=\"dsyrk\">uplo=L trans=N alpha=-1 A=A21 beta=1 C=A22</call>"
        "<operand name=\"A11\" vary=\"k\"/><operand name=\"A21\" vary=\"k\" along=\"1\"/><operand name=\"A22\" vary=\"k\"/>" END);
}

static void a_sum_within_repetitions_is_the_innermost(void **state) {
    (void)state;
    check_script(
        "sum_and_rep.txt",
        "<experiment format=\"1\" name=\"x\" repetitions=\"2\">\n<sum variable=\"k\" values=\"1,3\"/>"
        "<call routine=\"dgemv\">trans=N m=4 n=k alpha=1 A=A x=x beta=0 y=y</call>"
        "<operand name=\"A\" vary=\"k rep\"/><operand name=\"y\" vary=\"k\"/>" END);
}

static void parallel_calls_are_regions(void **state) {
    (void)state;
    check_script(
        "parallel_calls.txt",
        "<experiment format=\"1\" name=\"x\" repetitions=\"1\" threads=\"2\" parallel_calls=\"true\">\n<sum variable=\"k\" values=\"1,2\"/>"
        "<call routine=\"ddot\">n=8 x=x y=y</call><call routine=\"daxpy\">alpha=0.5*k x=x y=z n=8</call>"
        "<operand name=\"x\" vary=\"k\"/>" END);
}

static void parallel_sums_are_sequences_in_a_region(void **state) {
    (void)state;
    check_script(
        "parallel_sum.txt",
        "<experiment format=\"1\" name=\"x\" repetitions=\"1\" threads=\"2\">\n<sum variable=\"k\" values=\"1,2\" parallel=\"true\"/>"
        "<call routine=\"ddot\">n=8 x=x y=y</call><call routine=\"daxpy\">alpha=0.5*k x=x y=z n=8</call>"
        "<operand name=\"x\" vary=\"k\"/>" END);
}

static void sizes_go_from_call_to_call_through_operands(void **state) {
    (void)state;
    check_script(
        "propagated.txt", BEGIN
        "<range variable=\"n\" values=\"10\"/>"
        "<call routine=\"dgemm\">transA=N transB=T m=n n=2*n k=3*n alpha=1 A=A B=B beta=0 C=C</call>"
        "<call routine=\"dgemv\">trans=T alpha=1 A=C x=x beta=0 y=y</call>"
        "<call routine=\"ddot\">x=y y=z</call>"
        "<call routine=\"dsyrk\">uplo=U trans=T alpha=1 A=A beta=0 C=D</call>" END);
}

static void leading_dimensions_are_shared_and_work_is_inferred(void **state) {
    (void)state;
    check_script(
        "inferred.txt", BEGIN
        "<range variable=\"n\" values=\"10\"/>"
        "<call routine=\"zgemm\">transA=C transB=N m=n n=n k=n alpha=1,-0.5 A=A ldA=n+7 B=B beta=0 C=C</call>"
        "<call routine=\"zgetrf\">A=A ipiv=p</call>"
        "<call routine=\"dgeqrf\">m=2*n n=n A=Q tau=tau</call>" END);
}

static void data_are_random_again_at_every_value(void **state) {
    (void)state;
    check_script(
        "randomized.txt",
        "<experiment format=\"1\" name=\"x\" repetitions=\"2\" shuffle=\"true\" randomize=\"true\" counters=\" cycles   misses\">\n"
        "<range variable=\"n\" values=\"1,2\"/><call routine=\"sdot\">n=n x=x y=y</call>" END);
}

static void an_experiment_without_a_range_has_one_point(void **state) {
    (void)state;
    check_script("single.txt",
                 BEGIN "<call routine=\"daxpy\">n=7 alpha=0-2 x=x y=y incx=0-1</call>" END);
}

/* Reading and writing. */

static void an_experiment_is_written_and_read_back(void **state) {
    static const char text[] =
        "<?xml version=\"1.0\"?>\n<experiment format=\"1\" name=\"all\" library=\"openblas\" threads=\"1\" repetitions=\"n\" randomize=\"true\" "
        "parallel_calls=\"true\" flops_per_cycle=\"32\"><title>a &lt; b &amp; \"c\"</title><comment>x\n  y</comment>"
        "<range variable=\"n\" values=\"1 : 9 : 2 , 20\"/><sum variable=\"k\" values=\"0:n-1\" parallel=\"true\"/>"
        "<call routine=\"DGEMM\" name=\"a.b+c\">transA=n transB=T m = 4</call></experiment>";
    static const char good[] =
        "<?xml version=\"1.0\"?>\n<experiment format=\"1\" name=\"all\" library=\"openblas\" threads=\"1\" repetitions=\"n\" randomize=\"true\" "
        "parallel_calls=\"true\" flops_per_cycle=\"32\"><title>a &lt; b &amp; \"c\"</title><comment>x\n  y</comment>"
        "<range variable=\"n\" values=\"1 : 9 : 2 , 20\"/><sum variable=\"k\" values=\"0:n-1\" parallel=\"true\"/>"
        "<call routine=\"DGEMM\" name=\"a.b+c\">transA=n\n transB=T  m=( 4 ) n=k k=n alpha=1 A=A B=B beta=0 C=C</call>"
        "<operand name=\"A\" vary=\"k rep\" along=\"0\" offset=\"n\"/></experiment>";
    struct tcplan_experiment *experiment = NULL;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(read_experiment(&experiment, text, &error),
                     TCPLAN_INVALID); /* `m = 4` contains blanks */
    experiment = experiment_of(good);
    char *once = tcplan_experiment_text(experiment);
    tcplan_experiment_free(experiment);
    experiment = experiment_of(once);
    char *twice = tcplan_experiment_text(experiment);
    assert_string_equal(once, twice);
    assert_non_null(strstr(once, "vary=\"rep k\""));
    assert_non_null(strstr(once, "values=\"1:9:2,20\""));
    free(once);
    free(twice);
    tcplan_experiment_free(experiment);
}

/* Cores and memory. */

/** Checks the comments of a shipped experiment's script for a machine of two sockets. */
static void check_bindings(const char *path, const char *expected) {
    struct tcplan_experiment *experiment = NULL;
    struct tcplan_error error = {0};
    struct strbuf out = {0}, found = {0};
    if (tcplan_experiment_read(&experiment, path, &error) != TCPLAN_OK ||
        tcplan_experiment_script(experiment, "pack:2 numa:1 core:8 pu:2", append, &out, &error) !=
            TCPLAN_OK)
        fail_msg("%s", error.message);
    for (const char *at = out.text; (at = strstr(at, "# binding: ")); at += 11)
        strbuf_add(&found, "%.*s\n", (int)strcspn(at + 11, "\n"), at + 11);
    assert_string_equal(found.text, expected);
    strbuf_free(&out);
    strbuf_free(&found);
    tcplan_experiment_free(experiment);
}

static void shipped_experiments_bind_cores_and_memory_as_in_the_paper(void **state) {
    (void)state;
    check_bindings(EXAMPLES "/pinning.xml",
                   "core 0\ncores 0-1\ncores 0-2\ncores 0-3\ncores 0-4\ncores 0-5\ncores 0-6\n"
                   "cores 0-7\n");
    check_bindings(EXAMPLES "/numa.xml",
                   "cores 0-7, memory of node 0\ncores 0-7, memory of nodes 0-1\n"
                   "cores 0-15, memory of node 0\ncores 0-15, memory of nodes 0-1\n");
}

static void a_call_may_name_its_library(void **state) {
    (void)state;
    struct tcplan_experiment *experiment =
        experiment_of("<experiment format=\"1\" name=\"x\" library=\"blas1\" repetitions=\"1\">"
                      "<call routine=\"ddot\">n=3 x=x y=y</call>"
                      "<call routine=\"ddot\" library=\"blis\">n=3 x=x y=y</call>"
                      "<call routine=\"dgerand\" library=\"blis\">m=1 n=3 A=A</call>" END);
    struct strbuf out = {0};
    struct tcplan_error error = {0};
    assert_int_equal(experiment->call[0].library, TCPLAN_PROVIDER_FILE_1);
    assert_int_equal(experiment->call[1].library, TCPLAN_PROVIDER_BLIS);
    if (tcplan_experiment_script(experiment, NULL, append, &out, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_non_null(strstr(out.text, "\nddot@blas1 3 "));
    assert_non_null(strstr(out.text, "\nddot@blis 3 "));
    assert_non_null(strstr(out.text, "\ndgerand 1 3 ")); /* a routine of tcplan has no library */
    char *text = tcplan_experiment_text(experiment);
    struct tcplan_experiment *again = experiment_of(text);
    assert_int_equal(again->checksum, experiment->checksum);
    assert_int_equal(again->call[1].library, TCPLAN_PROVIDER_BLIS);
    strbuf_free(&out);
    free(text);
    tcplan_experiment_free(again);
    tcplan_experiment_free(experiment);
}

static void another_binding_makes_another_experiment(void **state) {
    (void)state;
    struct tcplan_experiment *experiment = experiment_of(BEGIN RANGE GEMV END);
    struct tcplan_error error = {0};
    const uint32_t before = experiment->checksum;
    assert_int_equal(tcplan_experiment_bind(experiment, "close", NULL, &error), TCPLAN_OK);
    assert_int_not_equal(experiment->checksum, before);
    char *text = tcplan_experiment_text(experiment);
    assert_non_null(strstr(text, "cores=\"close\""));
    struct tcplan_experiment *again = experiment_of(text);
    assert_int_equal(again->checksum, experiment->checksum);
    assert_int_equal(tcplan_experiment_bind(experiment, "0|1", NULL, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "one for each of the 3 values of the range, found 2"));
    free(text);
    tcplan_experiment_free(again);
    tcplan_experiment_free(experiment);
}

/** Invalid input, and the expected message. */
struct refusal {
    const char *text;
    size_t line;
    const char *says;
};

static void check_refusal(const struct refusal *refusal) {
    struct tcplan_experiment *experiment = NULL;
    struct strbuf out = {0};
    struct tcplan_error error = {0};
    enum tcplan_status status = read_experiment(&experiment, refusal->text, &error);
    if (status == TCPLAN_OK)
        status = tcplan_experiment_script(experiment, NULL, append, &out, &error);
    if (status == TCPLAN_OK) fail_msg("taken: %s", refusal->text);
    if (!strstr(error.message, refusal->says))
        fail_msg("expected '%s', found '%s'", refusal->says, error.message);
    if (error.line != refusal->line)
        fail_msg("expected line %zu, found %zu: %s", refusal->line, error.line, error.message);
    strbuf_free(&out);
    tcplan_experiment_free(experiment);
}

static void errors_are_reported_with_their_line(void **state) {
    static const struct refusal refusals[] = {
        {"<experiment format=\"2\" name=\"x\"/>", 1, "format of element experiment: expected 1"},
        {"<experiment format=\"1\" name=\"x\"/>", 1, "expected an element call"},
        {"<experiment format=\"1\" name=\"x\" cores=\"near\">" RANGE GEMV END, 1,
         "cores: expected close"},
        {"<experiment format=\"1\" name=\"x\" memory=\"0|1\">" RANGE GEMV END, 1,
         "memory: expected one text, or one for each of the 3 values"},
        {"<experiment format=\"1\" name=\"x\" shuffle=\"true\" memory=\"0|1|0\">" RANGE GEMV END, 1,
         "with shuffle"},
        {BEGIN "<call routine=\"dgem\">m=1</call>" END, 2, "dgem"},
        {BEGIN "<call routine=\"ddot\">n=1 x=x</call>" END, 2, "ddot: y is not given"},
        {BEGIN "<call routine=\"ddot\">x=x y=y</call>" END, 2, "n is not given, and no operand"},
        {BEGIN "<call routine=\"ddot\">n=1 x=x y=y z=1</call>" END, 2, "ddot has no argument 'z'"},
        {BEGIN "<call routine=\"ddot\">n=1 n=2 x=x y=y</call>" END, 2,
         "this argument is given twice"},
        {BEGIN "<call routine=\"ddot\">n=m x=x y=y</call>" END, 2,
         "n=m: unknown variable 'm': there are no variables here"},
        {BEGIN "<call routine=\"ddot\">1 x=x y=y</call>" END, 2,
         "expected arguments such as m=n, found '1'"},
        {BEGIN "<call routine=\"ddot\">n=1 x=1 y=y</call>" END, 2,
         "expected the name of an operand"},
        {BEGIN "<call routine=\"dgemv\">trans=Q m=1 n=1 alpha=1 A=A x=x beta=1 y=y</call>" END, 2,
         "trans=Q: expected one of N, T, C"},
        {BEGIN "<call routine=\"dgemv\">trans=N m=1 n=1 alpha=1,2 A=A x=x beta=1 y=y</call>" END, 2,
         "the number is complex"},
        {BEGIN "<call routine=\"dgeqrf\">m=1 n=1 A=A tau=t work=w</call>" END, 2,
         "this argument cannot be given: workspaces"},
        {BEGIN
         "<call routine=\"ddot\">n=1 x=x y=y</call><call routine=\"sdot\">n=1 x=x y=z</call>" END,
         2, "but another call takes it with type d"},
        {BEGIN "<call routine=\"ddot\">n=1 x=x y=y</call>\n<operand name=\"z\" vary=\"rep\"/>" END,
         3, "no call has an operand 'z'"},
        {BEGIN "<call routine=\"ddot\">n=1 x=x y=y</call>\n<operand name=\"x\" vary=\"k\"/>" END, 3,
         "expected rep, the variable of <sum> or both"},
        {BEGIN
         "<call routine=\"ddot\">n=1 x=x y=y</call>\n<operand name=\"x\" vary=\"rep\"/><operand name=\"x\" vary=\"rep\"/>" END,
         3, "declared twice"},
        {BEGIN
         "<range variable=\"rep\" values=\"1\"/><call routine=\"ddot\">n=1 x=x y=y</call>" END,
         2, "'rep' is the repetition"},
        {BEGIN
         "<range variable=\"n\" values=\"3:1\"/><call routine=\"ddot\">n=1 x=x y=y</call>" END,
         1, "the range has no values"},
        {BEGIN
         "<range variable=\"n\" values=\"1:1000000\"/><call routine=\"ddot\">n=1 x=x y=y</call>" END,
         1, "more than 100000 values"},
        {BEGIN RANGE
         "<sum variable=\"n\" values=\"1\"/><call routine=\"ddot\">n=1 x=x y=y</call>" END,
         3, "the name is that of the variable of the range"},
        {BEGIN RANGE
         "<sum variable=\"k\" values=\"1:20-n\"/><call routine=\"ddot\">n=1 x=x y=y</call>" END,
         0, "sum at n=20"},
        {"<experiment format=\"1\" name=\"x\" shuffle=\"true\" repetitions=\"n\">\n" RANGE GEMV END,
         1, "must be the same for all values"},
        {"<experiment format=\"1\" name=\"x\" library=\"mkl\">\n" RANGE GEMV END, 1,
         "library: expected openblas"},
        {BEGIN RANGE "<call routine=\"ddot\" library=\"mkl\">n=n x=x y=y</call>\n" END, 3,
         "library: expected openblas"},
        {"<experiment format=\"1\" name=\"x\" threads=\"n-10\">\n" RANGE GEMV END, 0,
         "threads at n=10: expected 1 to 4096, found 0"},
        {"<experiment format=\"1\" name=\"x\" parallel_calls=\"true\" counters=\"cycles\">\n" RANGE
             GEMV END,
         1, "counters count one thread"},
        {BEGIN RANGE "<call routine=\"ddot\">n=n-20 x=x y=y</call>" END, 3,
         "n at n=10: expected a size of at least 0, found -10"},
        {BEGIN RANGE "<call routine=\"ddot\">n=n/20 x=x y=y</call>" END, 3,
         "is 0.5; expected a whole number"},
        {BEGIN RANGE "<call routine=\"ddot\">n=n*1e30 x=x y=y</call>" END, 3,
         "expected a whole number"},
        {BEGIN RANGE "<call routine=\"ddot\">n=n*9000000000000000000 x=x y=y</call>" END, 3,
         "beyond 9223372036854775807"},
        {BEGIN RANGE
         "<call routine=\"dgemv\">trans=N m=n n=n alpha=1 A=A ldA=n-1 x=x beta=1 y=y</call>" END,
         3, "ldA"},
        {BEGIN RANGE GEMV "<operand name=\"A\" vary=\"rep\" offset=\"0-1\"/>" END, 4,
         "offset: expected a number of at least 0, found -1"},
        {BEGIN RANGE GEMV "<operand name=\"A\" vary=\"rep\" offset=\"9223372036854775807\"/>" END,
         4, "the operand has too many elements"},
        {BEGIN RANGE "<call routine=\"ddot\" name=\"all\">n=1 x=x y=y</call>" END, 3,
         "the name of two calls, or the reserved name all"},
    };
    (void)state;
    for (size_t r = 0; r < sizeof refusals / sizeof *refusals; r++) check_refusal(&refusals[r]);
}

static void experiments_report_out_of_memory(void **state) {
    static const char text[] = BEGIN RANGE "<sum variable=\"k\" values=\"1:3\"/>" GEMV
                                           "<operand name=\"A\" vary=\"rep k\" offset=\"n\"/>" END;
    (void)state;
    for (long successes = 0;; successes++) {
        struct tcplan_experiment *experiment = NULL;
        struct strbuf out = {0};
        base_alloc_fail_after(successes);
        enum tcplan_status status = read_experiment(&experiment, text, NULL);
        if (status == TCPLAN_OK)
            status = tcplan_experiment_script(experiment, NULL, append, &out, NULL);
        base_alloc_fail_after(-1);
        const bool failed = status != TCPLAN_OK || out.failed;
        strbuf_free(&out);
        tcplan_experiment_free(experiment);
        if (!failed) break;
        if (status != TCPLAN_OK) assert_int_equal(status, TCPLAN_NO_MEMORY);
        assert_true(successes < 100000);
    }
}

/* Experiments of one routine. */

static struct tcplan_routine_experiment routine_of(const char *text) {
    struct tcplan_routine_experiment out;
    struct tcplan_error error = {0};
    if (tcplan_experiment_of_routine(&out, text, 2, 3, &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    return out;
}

static void a_routine_is_timed_with_given_and_default_arguments(void **state) {
    struct tcplan_routine_experiment routine = routine_of("dtrsm:side=R,ldB=20,m=5,n=10,20");
    char *text = tcplan_experiment_text(routine.experiment);
    (void)state;
    assert_string_equal(routine.label, "dtrsm:side=R,ldB=20,m=5");
    assert_non_null(strstr(text, "threads=\"2\""));
    assert_non_null(strstr(text, "repetitions=\"3\""));
    assert_non_null(strstr(text, "<range variable=\"n\" values=\"10,20\"/>"));
    assert_non_null(strstr(text, ">side=R ldB=20 m=5 uplo=L transA=N diag=N n=n alpha=1 A=A B=B<"));
    assert_non_null(strstr(text, "\"dporand\">uplo=L A=A<"));
    assert_non_null(strstr(text, "\"dgerand\">A=B<"));
    free(text);
    tcplan_experiment_free(routine.experiment);
    routine = routine_of("ddot=100:300:100"); /* nothing is overwritten, nothing prepared */
    text = tcplan_experiment_text(routine.experiment);
    assert_string_equal(routine.label, "ddot");
    assert_null(strstr(text, "rand"));
    free(text);
    tcplan_experiment_free(routine.experiment);
}

static void texts_of_routines_are_checked(void **state) {
    static const struct {
        const char *text, *message;
    } wrong[] = {{"dtrsm", "expected a routine and sizes"},
                 {"", "expected a routine and sizes"},
                 {"=3", "expected a routine and sizes"},
                 {"dtrsm=", "expected a routine and sizes"},
                 {"dtrsm:n=\"3", "expected a routine and sizes"},
                 {"dtrs=3", "unknown kernel 'dtrs'; did you mean"},
                 {"dtrsm@mkl=3", "library: expected openblas"},
                 {"dtrsm:n=3,side=L", "the last argument is the range: expected a size of dtrsm"},
                 {"dtrsm:x=1,n=3", "dtrsm has no argument 'x'"},
                 {"drotg=1", "drotg has no size"},
                 {"dtrsm=1:2:0", "step"}};
    (void)state;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        struct tcplan_routine_experiment out;
        struct tcplan_error error = {0};
        assert_int_equal(tcplan_experiment_of_routine(&out, wrong[w].text, 1, 1, &error),
                         TCPLAN_INVALID);
        assert_null(out.experiment);
        if (!strstr(error.message, wrong[w].message))
            fail_msg("%s: %s", wrong[w].text, error.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repetitions_run_within_the_range),
        cmocka_unit_test(shuffled_repetitions_run_around_the_range),
        cmocka_unit_test(varying_operands_are_adjacent),
        cmocka_unit_test(varying_operands_are_stacked_with_a_larger_leading_dimension),
        cmocka_unit_test(vectors_that_vary_follow_each_other),
        cmocka_unit_test(a_sum_is_a_blocked_algorithm),
        cmocka_unit_test(a_sum_within_repetitions_is_the_innermost),
        cmocka_unit_test(parallel_calls_are_regions),
        cmocka_unit_test(parallel_sums_are_sequences_in_a_region),
        cmocka_unit_test(sizes_go_from_call_to_call_through_operands),
        cmocka_unit_test(leading_dimensions_are_shared_and_work_is_inferred),
        cmocka_unit_test(data_are_random_again_at_every_value),
        cmocka_unit_test(an_experiment_without_a_range_has_one_point),
        cmocka_unit_test(an_experiment_is_written_and_read_back),
        cmocka_unit_test(a_routine_is_timed_with_given_and_default_arguments),
        cmocka_unit_test(texts_of_routines_are_checked),
        cmocka_unit_test(shipped_experiments_bind_cores_and_memory_as_in_the_paper),
        cmocka_unit_test(a_call_may_name_its_library),
        cmocka_unit_test(another_binding_makes_another_experiment),
        cmocka_unit_test(errors_are_reported_with_their_line),
        cmocka_unit_test(experiments_report_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
