#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tcplan/sampler.h"

/** What a script has printed. */
struct said {
    int count;
    struct tcplan_call_sample sample[64];
    char kernel[64][16];
    char text[2048]; /* results of print and info, and notes, one per line */
};

static void take_sample(void *context, const struct tcplan_call_sample *sample) {
    struct said *said = context;
    assert_true(said->count < 64);
    snprintf(said->kernel[said->count], sizeof said->kernel[0], "%s", sample->kernel);
    said->sample[said->count++] = *sample;
}

static void take_text(void *context, const char *text) {
    struct said *said = context;
    const size_t length = strlen(said->text);
    snprintf(said->text + length, sizeof said->text - length, "%s\n", text);
}

static void take_note(void *context, size_t line, const char *text) {
    char numbered[400];
    snprintf(numbered, sizeof numbered, "%zu: %s", line, text);
    take_text(context, numbered);
}

static struct said said;

static struct tcplan_sampler *open_with(struct tcplan_sampler_options options) {
    struct tcplan_sampler *sampler;
    struct tcplan_error error;
    memset(&said, 0, sizeof said);
    options.context = &said;
    options.sample = take_sample;
    options.print = options.info = take_text;
    options.note = take_note;
    if (tcplan_sampler_open(&sampler, &options, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return sampler;
}

static struct tcplan_sampler *open_one(void) {
    return open_with(tcplan_sampler_defaults());
}

static void take(struct tcplan_sampler *sampler, const char *line) {
    struct tcplan_error error;
    if (tcplan_sampler_line(sampler, line, &error) != TCPLAN_OK)
        fail_msg("%s: %s", line, error.message);
}

static void take_all(struct tcplan_sampler *sampler, const char *const lines[]) {
    for (; *lines; lines++) take(sampler, *lines);
}

/** Checks that a line after some valid lines is refused, and that no call is executed. */
static void refuse_behind(const char *const before[], const char *line, size_t column,
                          size_t length, const char *message) {
    struct tcplan_sampler *sampler = open_one();
    struct tcplan_error error;
    size_t number = 1;
    for (int i = 0; before && before[i]; i++, number++) take(sampler, before[i]);
    assert_int_equal(tcplan_sampler_line(sampler, line, &error), TCPLAN_INVALID);
    if (strcmp(error.message, message) != 0)
        fail_msg("%s\n  found    %s\n  expected %s", line, error.message, message);
    assert_int_equal(error.column, column);
    assert_int_equal(error.length, length);
    assert_int_equal(error.line, number);
    assert_int_equal(tcplan_sampler_go(sampler, &error), TCPLAN_INVALID);
    assert_int_equal(said.count, 0);
    tcplan_sampler_close(sampler);
}

static void refuse(const char *line, size_t column, size_t length, const char *message) {
    refuse_behind(NULL, line, column, length, message);
}

/* Execution. */

static void calls_wait_for_go(void **state) {
    struct tcplan_sampler *sampler = open_one();
    (void)state;
    take_all(sampler, (const char *const[]){
                          "# three products", "", "dmalloc A 100", "dmalloc B 100  # named",
                          "dgemm N N 10 10 10 1 A 10 B 10 0.5 [100] 10", "zdotc 10 [10] 1 [20] -2",
                          "dgemv t 10 10 -1 A 10 1,2,3,4,5,6,7,8,9,10 1 0 B 1", NULL});
    assert_int_equal(said.count, 0);
    take(sampler, "  go");
    assert_int_equal(said.count, 3);
    assert_true(said.sample[0].line == 5 && said.sample[1].line == 6 && said.sample[2].line == 7);
    assert_string_equal(said.kernel[0], "dgemm");
    assert_string_equal(said.kernel[1], "zdotc");
    assert_true(said.sample[0].flops == 2000 && said.sample[1].flops == 80 &&
                said.sample[2].flops == 200);
    for (int s = 0; s < 3; s++)
        assert_true(said.sample[s].cycles > 0 && said.sample[s].seconds > 0 &&
                    said.sample[s].calls == 1);
    take(sampler, "go");
    assert_int_equal(said.count, 3);
    take(sampler, "dgemm N N 10 10 10 1 A 10 B 10 0.5 [100] 10");
    assert_int_equal(tcplan_sampler_go(sampler, NULL), TCPLAN_OK);
    assert_int_equal(said.count, 4);
    tcplan_sampler_close(sampler);
    tcplan_sampler_close(NULL);
}

static void a_region_is_one_sample(void **state) {
    struct tcplan_sampler_options options = tcplan_sampler_defaults();
    options.threads = 2;
    struct tcplan_sampler *sampler = open_with(options);
    (void)state;
    take_all(sampler,
             (const char *const[]){"{omp", "dgerand 8 8 [64] 8", "{seq",
                                   "dgemm N N 8 8 8 1 [64] 8 [64] 8 0 [64] 8", "dporand L 8 [64] 8",
                                   "}", "dgemm N N 8 8 8 1 [64] 8 [64] 8 0 [64] 8", "}",
                                   "dscal 5 1 [5] 1", "go", NULL});
    assert_int_equal(said.count, 2);
    assert_string_equal(said.kernel[0], "omp");
    assert_true(said.sample[0].line == 1 && said.sample[0].calls == 4 &&
                said.sample[0].flops == 2048);
    assert_true(said.sample[1].line == 9 && said.sample[1].calls == 1 && said.sample[1].flops == 5);
    tcplan_sampler_close(sampler);
}

static void print_and_info_write_immediately(void **state) {
    struct tcplan_sampler *sampler = open_one();
    (void)state;
    take_all(sampler, (const char *const[]){"print   sizes  10 and 20 # not this", "print",
                                            "info sscal", NULL});
    assert_string_equal(
        said.text,
        "  sizes  10 and 20\n\nsscal(n, alpha, x, incx): x := alpha x\n"
        "  n        size\n  alpha    scalar: float\n  x        vector of float (n), read and written\n"
        "  incx     increment of x\n  operations n*mul\n"
        "  with sizes of 1000: the operands take 0.004 MB, a call moves 0.008 MB, 0.125 operations per byte\n\n");
    tcplan_sampler_close(sampler);
}

static void buffers_have_names_and_parts(void **state) {
    struct tcplan_sampler *sampler = open_one();
    (void)state;
    /* Operands: column 3 of A, a factor in the lower right block of A, and A again. */
    take_all(sampler, (const char *const[]){"dmalloc A 100",
                                            "dporand L 10 A 10",
                                            "doffset A 30 A_3",
                                            "dscal 10 1 A_3 1",
                                            "doffset A 55 rest",
                                            "dpotrf L 5 rest 10 0",
                                            "doffset rest 11 deeper",
                                            "dpotf2 L 4 deeper 10 [1]",
                                            "go",
                                            "free rest",
                                            "imalloc pivots 4",
                                            "smalloc s 3",
                                            "cmalloc c 3",
                                            "zmalloc z 3",
                                            "malloc raw 800",
                                            "dscal 100 1 raw 1",
                                            "zdscal 50 1 A 1",
                                            "cscal 3 1,0.5 c 1",
                                            "sscal 3 c s 1",
                                            NULL});
    struct tcplan_error error;
    assert_int_equal(tcplan_sampler_line(sampler, "dpotf2 L 4 deeper 10 [1]", &error),
                     TCPLAN_INVALID); /* a part of A: freeing A has freed it */
    tcplan_sampler_reset(sampler);
    take(sampler, "free A");
    take(sampler, "dmalloc A 4");
    assert_string_equal(said.text, "");
    tcplan_sampler_close(sampler);
}

static void pivots_of_getrf_are_rows_and_random_ones_are_not(void **state) {
    static const char *const lines[] = {"imalloc p 5", "dmalloc A 35", "dlaswp 7 A 5 1 5 p 1",
                                        NULL};
    struct tcplan_sampler *sampler = open_one();
    struct tcplan_error error;
    (void)state;
    take_all(sampler, lines);
    assert_int_equal(tcplan_sampler_go(sampler, &error), TCPLAN_INVALID);
    assert_non_null(strstr(
        error.message, "line 3: the pivots that dlaswp reads are not rows of its matrix (1 to 5)"));
    assert_int_equal(said.count, 0);
    tcplan_sampler_reset(sampler);
    take_all(sampler, (const char *const[]){"dgetrf 5 7 A 5 p 0", "dlaswp 7 A 5 1 5 p 1",
                                            "dlaswp 7 [35] 5 1 5 [5] 1", "go",
                                            "dlaswp 7 A 5 1 5 p -1", "go", NULL});
    assert_int_equal(said.count, 4);
    tcplan_sampler_close(sampler);
}

static void failures_of_routines_are_noted(void **state) {
    struct tcplan_sampler *sampler = open_one();
    (void)state;
    take_all(sampler, (const char *const[]){"dmalloc A 9", "dmemset 3 3 -1 A 3", "dpotrf L 3 A 3 0",
                                            "dpotrf U 3 A 3 0", "go", NULL});
    assert_int_equal(said.count, 3);
    assert_string_equal(said.text, "3: dpotrf returned info = 1, and 1 more calls failed\n");
    tcplan_sampler_close(sampler);
}

static void counters_are_chosen_by_name(void **state) {
    struct tcplan_sampler_options options = tcplan_sampler_defaults();
    static const char counts[] =
        "counts 1\nevent misses 64 0 lines\nmissing instructions this machine has none\nevent cycles 1 0 core\ngrowth 7 900\n";
    char path[] = "/tmp/tcplan-test-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, counts, strlen(counts)) == (ssize_t)strlen(counts));
    close(file);
    options.counters = path;
    struct tcplan_sampler *sampler = open_with(options);
    (void)state;
    take_all(sampler, (const char *const[]){
                          "set_counters cycles PAPI_L3_TCM instructions PAPI_BR_MSP",
                          "dscal 3 1 [3] 1", "go", "set_counters", "dscal 3 1 [3] 1", "go", NULL});
    assert_int_equal(said.count, 2);
    assert_true(said.sample[0].counters == 3 && said.sample[1].counters == 0);
    assert_string_equal(said.sample[0].counter_name[0], "cycles");
    assert_true(said.sample[0].counted[0] && said.sample[0].counter[0] == 900);
    assert_true(said.sample[0].counted[1] && said.sample[0].counter[1] == 7);
    assert_false(said.sample[0].counted[2]);
    assert_string_equal(
        said.text, "1: PAPI_BR_MSP is skipped: expected cycles, instructions, misses or flops\n"
                   "1: no instructions: this machine has none\n");
    tcplan_sampler_close(sampler);
    unlink(path);
}

static void recorded_events_are_chosen_by_name(void **state) {
    struct tcplan_sampler_options options = tcplan_sampler_defaults();
    static const char counts[] = "counts 1\nevent named 1 0 branch-misses\nevent cycles 1 0 core\n"
                                 "event named 1 0 r01c2\ngrowth 7 900 33\n";
    char path[] = "/tmp/tcplan-test-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, counts, strlen(counts)) == (ssize_t)strlen(counts));
    close(file);
    options.counters = path;
    struct tcplan_sampler *sampler = open_with(options);
    (void)state;
    take_all(sampler, (const char *const[]){"set_counters r01c2 cycles r0fff branch-misses",
                                            "dscal 3 1 [3] 1", "go", "set_counters branch-misses",
                                            "dscal 3 1 [3] 1", "go", NULL});
    assert_int_equal(said.count, 2);
    assert_string_equal(said.sample[0].counter_name[1], "cycles");
    assert_true(said.sample[0].counted[0] && said.sample[0].counter[0] == 33);
    assert_true(said.sample[0].counted[1] && said.sample[0].counter[1] == 900);
    assert_false(said.sample[0].counted[2]);
    assert_true(said.sample[0].counted[3] && said.sample[0].counter[3] == 7);
    assert_true(said.sample[1].counters == 1 && said.sample[1].counter[0] == 7);
    assert_string_equal(said.sample[1].counter_name[0], "branch-misses");
    assert_string_equal(said.text, "1: no r0fff: the recorded counts have no such event\n");
    tcplan_sampler_close(sampler);
    unlink(path);
}

static void anonymous_memory_is_disjoint_and_has_its_offset(void **state) {
    struct tcplan_sampler_options options = tcplan_sampler_defaults();
    options.alignment_bytes = 4096;
    options.offset_bytes = 48;
    options.max_memory_bytes = 1 << 20;
    struct tcplan_sampler *sampler = open_with(options);
    struct tcplan_error error;
    (void)state;
    take_all(sampler,
             (const char *const[]){"dcopy 8 1,2,3,4,5,6,7,8 1 [8] 1", "dswap 100 [100] 1 [100] 1",
                                   "dgetrf 4 4 [16] 4 [4] [1]", "go", NULL});
    assert_int_equal(said.count, 3);
    assert_int_equal(tcplan_sampler_line(sampler, "dswap 70000 [70000] 1 [70000] 1", &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "of memory are needed, but only"));
    tcplan_sampler_close(sampler);
}

static void checking_a_script_runs_nothing(void **state) {
    struct tcplan_sampler_options options = tcplan_sampler_defaults();
    options.check_only = true;
    struct tcplan_sampler *sampler = open_with(options);
    struct tcplan_error error;
    (void)state;
    take_all(sampler, (const char *const[]){"dmalloc A 100", "doffset A 50 B", "dscal 50 1 B 1",
                                            "go", NULL});
    assert_int_equal(tcplan_sampler_line(sampler, "dscal 51 1 B 1", &error), TCPLAN_INVALID);
    assert_int_equal(said.count, 0);
    tcplan_sampler_close(sampler);
}

/* Invalid input. */

static void unknown_words_are_refused_with_a_suggestion(void **state) {
    (void)state;
    refuse("dgmem N", 1, 5, "unknown kernel 'dgmem'; did you mean 'dgemm'?");
    refuse(" goo", 2, 3, "unknown command 'goo'; did you mean 'go'?");
    refuse("dmaloc A 5", 1, 6, "unknown command 'dmaloc'; did you mean 'dmalloc'?");
    refuse("dgemm@bliss N N 1 1 1 1 [1] 1 [1] 1 1 [1] 1", 7, 5,
           "unknown provider 'bliss'; did you mean 'blis'?");
    refuse("info dgeem", 6, 5, "unknown kernel 'dgeem'; did you mean 'dgemm'?");
    refuse("set_counters cycle", 14, 5,
           "expected cycles, instructions, misses or flops, found 'cycle'; did you mean 'cycles'?");
    refuse("qwertyuiopasdfghjklzxcvbnm", 1, 26, "unknown kernel 'qwertyuiopasdfghjklzxcvbnm'");
}

static void wrong_numbers_of_words_are_refused(void **state) {
    (void)state;
    refuse("daxpy 5 1 [5] 1 [5]", 1, 5, "daxpy takes 6 arguments, found 5: n alpha x incx y incy");
    refuse("daxpy 5 1 [5] 1 [5] 1 1", 23, 1,
           "daxpy takes 6 arguments, found 7: n alpha x incx y incy");
    refuse("go now", 4, 3, "expected `go`, found more");
    refuse("dmalloc A", 1, 7, "expected `dmalloc NAME COUNT`, found less");
    refuse("free", 1, 4, "expected `free NAME`, found less");
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    refuse("dgemm X N 1 1 1 1 [1] 1 [1] 1 1 [1] 1", 7, 1, "transA is N, T or C, not X");
    refuse("dgemm NN N 1 1 1 1 [1] 1 [1] 1 1 [1] 1", 7, 2, "transA is one letter, found 'NN'");
    refuse("dgemm N N 1.5 1 1 1 [1] 1 [1] 1 1 [1] 1", 11, 3, "m is an integer, found '1.5'");
    refuse("dgemm N N -1 1 1 1 [1] 1 [1] 1 1 [1] 1", 11, 2, "m is -1, expected at least 0");
    refuse("dgemm N N 2 1 1 1 [2] 1 [1] 1 1 [2] 2", 23, 1,
           "ldA is 1, expected at least 2, the rows of A");
    refuse("dgemm N N 1 1 1 1,2 [1] 1 [1] 1 1 [1] 1", 17, 3,
           "alpha is one real number, found '1,2'");
    refuse("dgemm N N 1 1 1 one [1] 1 [1] 1 1 [1] 1", 17, 3,
           "alpha is a number, [COUNT] or a buffer's name, found 'one'");
    refuse("zscal 1 1,2,3 [1] 1", 9, 5, "alpha is one complex number, found '1,2,3'");
    refuse("dscal 1 1e999 [1] 1", 9, 5,
           "alpha is a number, [COUNT] or a buffer's name, found '1e999'");
    refuse("dscal 5 1 [-5] 1", 11, 4,
           "x is a buffer's name, [COUNT] or a list of numbers, found '[-5]'");
    refuse("dscal 5 1 [5] 0", 15, 1, "incx is 0; expected an increment other than 0");
    refuse("dscal 3000000000 1 [5] 1", 7, 10,
           "n is 3000000000, beyond the integers of Fortran (2147483647)");
    refuse("dscal 99999999999999999999 1 [5] 1", 7, 20,
           "n is an integer, found '99999999999999999999'");
    refuse("dsygst 4 L 1 [1] 1 [1] 1 0", 8, 1, "itype is 1, 2 or 3, not 4");
    refuse("dgeqrf 5 5 [25] 5 [5] [5] 4 0", 27, 1, "lwork is 4, expected at least 5");
    refuse("dlarfb L N F C 2 2 3 [9] 3 [9] 3 [9] 3 [9] 3", 16, 1, "m is 2, expected at least 3");
    refuse("dlaswp 1 [2] 2 1 2 1,2.5 1", 20, 5, "ipiv is a list of integers, found '1,2.5'");
}

static void buffers_that_are_too_small_are_refused(void **state) {
    static const char *const buffers[] = {"dmalloc A 100", "doffset A 50 B", NULL};
    (void)state;
    refuse("dscal 5 1 [4] 1", 11, 3, "x has 4 elements, but dscal accesses 5");
    refuse("dscal 5 1 [8] -2", 11, 3, "x has 8 elements, but dscal accesses 9");
    refuse("dscal 5 1 1,2,3,4 1", 11, 7, "x has 4 elements, but dscal accesses 5");
    refuse("zscal 2 1 1,2,3 1", 11, 5, "x has 1 elements, but zscal accesses 2");
    refuse_behind(buffers, "dscal 101 1 A 1", 13, 1, "x has 100 elements, but dscal accesses 101");
    refuse_behind(buffers, "dscal 51 1 B 1", 12, 1, "x has 50 elements, but dscal accesses 51");
    refuse_behind(buffers, "dgemm N N 10 10 10 1 A 10 B 10 0 A 10", 27, 1,
                  "B has 50 elements, but dgemm accesses 100");
    refuse("dgemm N N 2147483647 2147483647 1 1 [1] 2147483647 [1] 1 1 [1] 2147483647", 37, 3,
           "A has 1 elements, but dgemm accesses 2147483647");
}

static void buffers_are_named_once_and_freed_after_their_last_use(void **state) {
    static const char *const one[] = {"dmalloc A 10", "doffset A 5 half", NULL};
    static const char *const used[] = {"dmalloc A 10", "doffset A 5 half", "dscal 5 1 half 1",
                                       NULL};
    (void)state;
    refuse_behind(one, "dmalloc A 20", 9, 1, "a buffer 'A' exists already; free it first");
    refuse_behind(one, "doffset A 2 half", 13, 4, "a buffer 'half' exists already; free it first");
    refuse_behind(one, "doffset A 11 more", 11, 2,
                  "11 exceeds 'A', which has 10 elements of type double");
    refuse_behind(one, "zoffset A 6 more", 11, 1,
                  "6 exceeds 'A', which has 5 elements of type double complex");
    refuse_behind(one, "free halb", 6, 4, "unknown buffer 'halb'; did you mean 'half'?");
    refuse_behind(one, "sscal 5 1 A 1", 11, 1,
                  "'A' has elements of type double, but sscal expects other elements for x");
    refuse_behind(one, "dgetrf 1 1 A 1 A 0", 16, 1,
                  "'A' has elements of type double, but dgetrf expects other elements for ipiv");
    refuse_behind(used, "free A", 6, 1, "'A' is used by queued calls; `go` runs them");
    refuse("dmalloc 5 5", 9, 1, "expected a name of at most 31 letters, digits and _, found '5'");
    refuse("dmalloc A -5", 11, 2, "expected a number of elements, found '-5'");
}

static void sizes_beyond_memory_are_refused(void **state) {
    struct tcplan_sampler *sampler = open_one();
    struct tcplan_error error;
    (void)state;
    assert_int_equal(tcplan_sampler_line(sampler, "dmalloc A 1000000000000000", &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "of memory are needed, but only"));
    assert_int_equal(tcplan_sampler_line(sampler, "zmalloc A 9223372036854775807", &error),
                     TCPLAN_INVALID);
    assert_int_equal(tcplan_sampler_line(sampler, "zscal 5 1 [9223372036854775807] 1", &error),
                     TCPLAN_INVALID);
    assert_string_equal(error.message, "9223372036854775807 elements exceed the address space");
    tcplan_sampler_close(sampler);
}

static void regions_that_do_not_nest_are_refused(void **state) {
    static const char *const region[] = {"{omp", NULL}, *const sequence[] = {"{omp", "{seq", NULL};
    struct tcplan_sampler *sampler = open_one();
    struct tcplan_error error;
    (void)state;
    refuse("{seq", 1, 4, "{seq outside {omp; expected {omp before it");
    refuse("}", 1, 1, "} closes no region: no {omp or {seq is open");
    refuse_behind(region, "{omp", 1, 4, "{omp inside another {omp; expected }");
    refuse_behind(sequence, "{seq", 1, 4, "{seq inside another {seq; expected }");
    take_all(sampler, sequence);
    assert_int_equal(tcplan_sampler_go(sampler, &error), TCPLAN_INVALID);
    assert_string_equal(error.message,
                        "no call was run: line 2 opens a region that is not closed; expected }");
    tcplan_sampler_close(sampler);
}

static void options_that_make_no_sense_are_refused(void **state) {
    struct tcplan_sampler *sampler;
    struct tcplan_sampler_options options = tcplan_sampler_defaults();
    (void)state;
    options.threads = 0;
    assert_int_equal(tcplan_sampler_open(&sampler, &options, NULL), TCPLAN_INVALID);
    options = tcplan_sampler_defaults();
    options.alignment_bytes = 48;
    assert_int_equal(tcplan_sampler_open(&sampler, &options, NULL), TCPLAN_INVALID);
    options = tcplan_sampler_defaults();
    options.offset_bytes = 8;
    assert_int_equal(tcplan_sampler_open(&sampler, &options, NULL), TCPLAN_INVALID);
}

static void out_of_memory_returns_a_status(void **state) {
    static const char *const lines[] = {"dmalloc A 100",
                                        "dgemm N N 10 10 10 1 A 10 [100] 10 0 A 10",
                                        "{omp",
                                        "dscal 2 1 1,2 1",
                                        "}",
                                        "print done",
                                        "info dgemm",
                                        "go"};
    (void)state;
    for (long successes = 0;; successes++) {
        struct tcplan_sampler *sampler = NULL;
        const struct tcplan_sampler_options options = tcplan_sampler_defaults();
        base_alloc_fail_after(successes);
        enum tcplan_status status = tcplan_sampler_open(&sampler, &options, NULL);
        for (size_t l = 0; l < sizeof lines / sizeof *lines && status == TCPLAN_OK; l++)
            status = tcplan_sampler_line(sampler, lines[l], NULL);
        base_alloc_fail_after(-1);
        tcplan_sampler_close(sampler);
        if (status == TCPLAN_OK) break;
        assert_int_equal(status, TCPLAN_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_wait_for_go),
        cmocka_unit_test(a_region_is_one_sample),
        cmocka_unit_test(print_and_info_write_immediately),
        cmocka_unit_test(buffers_have_names_and_parts),
        cmocka_unit_test(pivots_of_getrf_are_rows_and_random_ones_are_not),
        cmocka_unit_test(failures_of_routines_are_noted),
        cmocka_unit_test(counters_are_chosen_by_name),
        cmocka_unit_test(recorded_events_are_chosen_by_name),
        cmocka_unit_test(anonymous_memory_is_disjoint_and_has_its_offset),
        cmocka_unit_test(checking_a_script_runs_nothing),
        cmocka_unit_test(unknown_words_are_refused_with_a_suggestion),
        cmocka_unit_test(wrong_numbers_of_words_are_refused),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(buffers_that_are_too_small_are_refused),
        cmocka_unit_test(buffers_are_named_once_and_freed_after_their_last_use),
        cmocka_unit_test(sizes_beyond_memory_are_refused),
        cmocka_unit_test(regions_that_do_not_nest_are_refused),
        cmocka_unit_test(options_that_make_no_sense_are_refused),
        cmocka_unit_test(out_of_memory_returns_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
