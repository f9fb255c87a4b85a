/* Tests where the samples of windows are taken, and how grades differ. No time is asserted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "microbench/predict/precondition.h"
#include "microbench/predict/window.h"
#include "microbench/program/reduce.h"
#include "microbench/program/stretch.h"
#include "microbench/providers/blas.h"
#include "support/named_nest.h"

static const struct tcplan_machine machine = {
    .line_bytes = 64,
    .page_bytes = 4096,
    .cache_count = 2,
    .cache = {{.level = 1, .size_bytes = 32 << 10, .line_bytes = 64},
              {.level = 2, .size_bytes = 1 << 20, .line_bytes = 64}}};

/** A window, and the program and tensors that it samples. */
struct fixture {
    struct named_nest named;
    struct buffers buffers;
    struct window window;
};

static struct window_settings settings_for(enum window_grade grade) {
    struct window_settings settings = window_settings_for(&machine, TCPLAN_CACHE_WARM, grade);
    settings.threads = 3; /* threads of parallel loops */
    return settings;
}

static void fixture_init_settings(struct fixture *out, const char *algorithm,
                                  struct window_settings settings, uint64_t seed) {
    struct tcplan_error error = {0};
    named_nest_init(&out->named, "C_abc+=A_ija*B_jbic", TCPLAN_COLUMN_MAJOR, "a=b=c=30,i=5,j=6",
                    TCPLAN_DOUBLE, algorithm);
    if (buffers_reserve(&out->buffers, &out->named.problem, BUFFERS_ALIGNMENT, SIZE_MAX / 4,
                        &error))
        fail_msg("%s", error.message);
    if (window_init(&out->window, out->named.nest, &out->named.problem, &out->buffers, &settings,
                    seed, &error)) {
        fail_msg("%s", error.message);
    }
}

static void fixture_init_known(struct fixture *out, const char *algorithm, enum window_grade grade,
                               uint64_t seed, double known_call_ns) {
    struct window_settings settings = settings_for(grade);
    settings.known_call_ns = known_call_ns;
    fixture_init_settings(out, algorithm, settings, seed);
}

static void fixture_init(struct fixture *out, const char *algorithm, enum window_grade grade,
                         uint64_t seed) {
    fixture_init_settings(out, algorithm, settings_for(grade), seed);
}

static void fixture_free(struct fixture *fixture) {
    window_free(&fixture->window);
    buffers_free(&fixture->buffers);
    named_nest_free(&fixture->named);
}

static void sample(struct fixture *fixture) {
    struct tcplan_error error = {0};
    if (window_sample(&fixture->window, &error)) fail_msg("%s", error.message);
}

/* Places. */

/** The first iterations of a loop may take longer than later ones, so half of its iterations is not
 * representative. A probe is lengthened to all iterations if that takes not much longer. Windows
 * average over several places instead. */
static void probes_contain_complete_runs_of_a_loop(void **state) {
    (void)state;
    struct fixture fixture;
    for (int grade = WINDOW_PROBE; grade <= WINDOW_STANDARD; grade++) {
        fixture_init(&fixture, "a:16.c.i'A-dgemm", (enum window_grade)grade,
                     1); /* loops with 5 and with 150 iterations */
        fixture.window.calls = INT64_MAX;
        window_set_calls(&fixture.window, 50);
        assert_int_equal(fixture.window.calls, grade == WINDOW_PROBE ? 150 : 50);
        window_set_calls(&fixture.window, 30);
        assert_int_equal(fixture.window.calls,
                         30); /* all 150 iterations would take more than four times as long */
        window_set_calls(&fixture.window, 2);
        assert_int_equal(fixture.window.calls, grade == WINDOW_PROBE ? 5 : 2);
        fixture_free(&fixture);
    }
}

/** Samples that were planned with several tiles become shorter than one tile. Then full tiles and
 * the last tile get samples of their own. */
static void a_stretch_that_gets_shorter_is_sampled_by_its_own_strata(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "a:16.c.i'A-dgemm", WINDOW_STANDARD, 1);
    struct window *window = &fixture.window;
    window->calls = INT64_MAX;
    window_set_calls(window, 300); /* a has full tiles and a last one */
    window->settings.window_ns = 1e-3;
    sample(&fixture);
    assert_int_equal(window->calls, 1);
    assert_true(window->taken >= 3 + window->rare_count);
    assert_int_equal(window->sample_count, 1);
    fixture_free(&fixture);
}

/** Times one call after ten untimed ones; `after` receives the place after it. */
static void time_behind_ten(struct window *window, double warm_up_ns, struct cursor *after) {
    struct tcplan_error error = {0};
    struct timing timing;
    int64_t calls;
    window->settings.warm_up_ns = warm_up_ns;
    window->calls = 1;
    if (stretch_time(window, 7, 10, &calls, &timing, &error)) fail_msg("%s", error.message);
    assert_int_equal(calls, 1);
    *after = window->part[0].cursor;
}

/** Moving the warm-up must not replace the timed call by one of another stratum. */
static void a_warm_up_without_time_does_not_move_the_timed_call(void **state) {
    (void)state;
    struct fixture fixture;
    struct cursor whole, cut;
    fixture_init(&fixture, "a:16.c.i'A-dgemm", WINDOW_PROBE, 1);
    time_behind_ten(&fixture.window, INFINITY, &whole);
    time_behind_ten(&fixture.window, 0, &cut);
    for (int depth = 0; depth < 3; depth++)
        assert_int_equal(cut.iteration[depth], whole.iteration[depth]);
    fixture_free(&fixture);
}

enum { SAMPLES = 6 };

/** Takes samples. Records the state of the random generator after each: it shows how many places
 * were drawn. */
static void draw_samples(uint64_t draw[SAMPLES], struct fixture *fixture) {
    assert_int_equal(fixture->window.rare_count, 0);
    for (int s = 0; s < SAMPLES; s++) {
        sample(fixture);
        draw[s] = fixture->window.random.state;
    }
    assert_int_equal(fixture->window.sample_count, SAMPLES);
}

/** A sample of one call cannot be shortened, however long the call takes. */
static void one_call_is_timed_once(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "abcj-ddot", WINDOW_PROBE, 1);
    struct window *window = &fixture.window;
    window_set_calls(window, 1);
    window->settings.window_ns = 1e-3; /* shorter than any call */
    sample(&fixture);
    assert_int_equal(window->calls, 1);
    /* A disturbed sample may be taken again. */
    assert_true(window->taken - window->disturbed <= 1);
    assert_true(window_in_place_ns(window) == 0); /* 0: with many calls, some samples contain copies
                                                   */
    fixture_free(&fixture);
    fixture_init(&fixture, "'AB-dgemm", WINDOW_PROBE, 1);
    assert_int_equal(fixture.window.program->calls, 1);
    assert_true(window_in_place_ns(&fixture.window) > 0);
    fixture_free(&fixture);
}

/** The nest has a single long call. Its sample begins at the call, without a warm-up; the copies
 * before it are timed separately. */
static void copies_before_a_long_call_are_timed(void **state) {
    (void)state;
    struct fixture fixture;
    struct window_settings settings = settings_for(WINDOW_PROBE);
    settings.window_ns = settings.warm_up_ns =
        1e9; /* longer than any call, even on slow machines */
    fixture_init_settings(&fixture, "'ABC-dgemm", settings, 1);
    struct window *window = &fixture.window;
    assert_int_equal(window->program->calls, 1);
    window_set_calls(window, 1);
    assert_int_equal(window->rare_count, 0);
    window->settings.window_ns = window->settings.warm_up_ns = 1e-3; /* shorter than any call */
    window_set_calls(window, 1);
    assert_int_equal(window->rare_count,
                     2); /* copies of A and B; the copy of C comes after the call */
    sample(&fixture);
    for (int r = 0; r < window->rare_count; r++) assert_true(window->strata.rare_ns[r] > 0);
    assert_true(window->sample_ns[0] > window->strata.calls_ns);
    fixture_free(&fixture);
}

/** If the only call is long, sizing the windows has already timed it: a probe does not repeat it.
 */
static void a_long_call_timed_in_place_is_the_first_sample_of_a_probe(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "'AB-dgemm", WINDOW_PROBE, 1);
    struct window *window = &fixture.window;
    window->settings.window_ns = window->settings.warm_up_ns = 1e-3; /* shorter than any call */
    window->warm_disturbed = false;
    window_set_calls(window, 1);
    sample(&fixture);
    assert_true(window->strata.calls_ns == window->warm_call_ns * window->scale);
    const int64_t copies = window->taken - window->disturbed;
    assert_true(copies <= window->rare_count);
    sample(&fixture);
    assert_true(window->taken - copies > window->rare_count); /* each rare copy adds a sample of its
                                                                 own */
    fixture_free(&fixture);
    fixture_init(&fixture, "'AB-dgemm", WINDOW_STANDARD, 1);
    fixture.window.settings.window_ns = fixture.window.settings.warm_up_ns = 1e-3;
    window_set_calls(&fixture.window, 1);
    sample(&fixture);
    assert_true(fixture.window.taken > fixture.window.rare_count); /* samples that search for a
                                                                      history are not counted */
    fixture_free(&fixture);
}

/* Algorithms without copies and scalings: for each sample, one random place is drawn. */
static const char *const bare_algorithms[] = {"abcj-ddot", "cbij-daxpy", "jbc-dgemv"};
enum { BARE_ALGORITHMS = sizeof bare_algorithms / sizeof *bare_algorithms };

static void equal_seeds_sample_equal_places(void **state) {
    (void)state;
    for (int a = 0; a < BARE_ALGORITHMS; a++) {
        struct fixture first, second;
        uint64_t draw[SAMPLES], again[SAMPLES];
        fixture_init(&first, bare_algorithms[a], WINDOW_PROBE, 7);
        fixture_init(&second, bare_algorithms[a], WINDOW_STANDARD, 7);
        draw_samples(draw, &first);
        /* The result must not depend on the random numbers that were drawn before, for example to
         * size the windows. */
        for (int drawn = 0; drawn < 5; drawn++) random_next(&second.window.random);
        draw_samples(again, &second);
        for (int s = 0; s < SAMPLES; s++) assert_true(draw[s] == again[s]);
        fixture_free(&first);
        fixture_free(&second);
    }
}

static void each_sample_and_each_seed_has_a_place_of_its_own(void **state) {
    (void)state;
    struct fixture first, second;
    uint64_t draw[SAMPLES], other[SAMPLES];
    fixture_init(&first, bare_algorithms[0], WINDOW_PROBE, 7);
    fixture_init(&second, bare_algorithms[0], WINDOW_PROBE, 7000);
    draw_samples(draw, &first);
    draw_samples(other, &second);
    for (int s = 0; s < SAMPLES; s++) {
        for (int earlier = 0; earlier < s; earlier++) assert_true(draw[s] != draw[earlier]);
        for (int any = 0; any < SAMPLES; any++) assert_true(draw[s] != other[any]);
    }
    fixture_free(&first);
    fixture_free(&second);
}

/* Samples. */

static void samples_and_strata_add_up(void **state) {
    (void)state;
    static const char *const algorithms[] = {"abcj-ddot",         "i'c-dgemm",      "jb'-dgemm",
                                             "bij-dger",          "'A.c|'BC-dgemm", "i='A.c|-dgemm",
                                             "a:7|'AC.i=.c-dgemm"};
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        struct fixture fixture;
        fixture_init(&fixture, algorithms[a], WINDOW_PROBE, a);
        for (int s = 0; s < SAMPLES; s++) sample(&fixture);
        const struct window *window = &fixture.window;
        double sampled_ns = 0, strata_ns = window->strata.calls_ns;
        for (int s = 0; s < SAMPLES; s++) {
            assert_true(isfinite(window->sample_ns[s]) && window->sample_ns[s] > 0);
            sampled_ns += window->sample_ns[s];
        }
        for (int r = 0; r < window->rare_count; r++) strata_ns += window->strata.rare_ns[r];
        assert_true(fabs(sampled_ns - strata_ns) <= 1e-9 * sampled_ns);
        assert_true(window->disturbed >= 0 && window->disturbed <= window->taken &&
                    window->taken >= SAMPLES);
        fixture_free(&fixture);
    }
}

/** A whole execution backs all pages of the tensors, if the memory suffices; windows keep using
 * them. */
static void pages_backed_beyond_the_limit_stay(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, bare_algorithms[2], WINDOW_PROBE, 1);
    buffers_back_all(&fixture.buffers);
    fixture.buffers.limit_bytes = fixture.buffers.page_bytes;
    sample(&fixture);
    assert_true(buffers_all_backed(&fixture.buffers));
    fixture_free(&fixture);
}

static void samples_are_stored_up_to_capacity(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, bare_algorithms[2], WINDOW_PROBE, 1);
    for (int s = 0; s < TCPLAN_MAX_SAMPLES + 3; s++) sample(&fixture);
    assert_int_equal(fixture.window.sample_count, TCPLAN_MAX_SAMPLES);
    assert_true(fixture.window.taken >= TCPLAN_MAX_SAMPLES + 3);
    fixture_free(&fixture);
}

/** Copies before the first call and after the last call are timed separately, although no call
 * precedes them. */
static void long_calls_have_no_warm_up(void **state) {
    (void)state;
    static const char *const copies[] = {"'BC.c-dgemm", "'AB.c-dgemm", "'B.c:7'C.b-dgemm"};
    for (size_t a = 0; a < sizeof copies / sizeof *copies; a++) {
        for (uint64_t seed = 1; seed <= 10; seed++) {
            struct fixture fixture;
            fixture_init(&fixture, copies[a], seed % 2 ? WINDOW_LONG : WINDOW_PROBE, seed);
            fixture.window.settings.window_ns = fixture.window.settings.warm_up_ns =
                1; /* shorter than any call */
            window_set_calls(&fixture.window, 1);
            for (int s = 0; s < 3; s++) sample(&fixture);
            assert_true(fixture.window.rare_count > 0 && fixture.window.sample_count == 3);
            fixture_free(&fixture);
        }
    }
}

/* Long calls. */

#define MOST_FLOPS 1e9

/** Shortens a long call; `extent` receives m, n and k of the shorter call. Returns the ratio of
 * their work. */
static double reduced(int64_t extent[3], const char *contraction, const char *algorithm) {
    struct named_nest named;
    named_nest_init(&named, contraction, TCPLAN_COLUMN_MAJOR, "a=600,b=600,k=4000", TCPLAN_DOUBLE,
                    algorithm);
    struct refined_problem problem = named.refined;
    const double scale = kernel_reduce(&problem, named.nest, MOST_FLOPS);
    for (int i = 0; i < 3; i++) {
        for (int index = 0; index < named.contraction->index_count; index++) {
            if (named.contraction->index[index].name[0] == "abk"[i])
                extent[i] = problem.extent[index];
        }
    }
    named_nest_free(&named);
    return scale;
}

/**
 * A shortened call must leave the caches in the same state. A gemm blocks k, so k may be
 * shortened. If the gemm reads both factors for each column, n is reduced instead: with half of k,
 * a factor might fit in a cache.
 */
static void long_calls_are_shortened_without_changing_caches(void **state) {
    (void)state;
    int64_t extent[3] = {0};
    assert_true(fabs(reduced(extent, "C_ab=A_ak*B_kb", "dgemm") * (double)extent[2] - 4000) < 1e-6);
    assert_true(extent[0] == 600 && extent[1] == 600 && extent[2] < 4000);
    assert_true(fabs(reduced(extent, "C_ab=A_ak*B_kb", "dgemm@libxsmm") * (double)extent[1] - 600) <
                1e-6);
    assert_true(extent[0] == 600 && extent[1] < 600 && extent[2] == 4000);
    assert_true(fabs(reduced(extent, "C_ba=A_ak*B_kb", "dgemm@libxsmm") * (double)extent[0] - 600) <
                1e-6);
    assert_true(extent[0] < 600 && extent[1] == 600 && extent[2] == 4000);
}

/** A call that is known to be long is not timed for sizing the windows: its first timing is its
 * sample. Other calls are timed for sizing. */
static void a_call_that_is_known_to_be_long_is_not_timed_to_size_windows(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_init_known(&fixture, "'AB-dgemm", WINDOW_PROBE, 1, 1e9);
    assert_true(fixture.window.warm_call_ns == 1e9 && fixture.window.calls == 1);
    sample(&fixture);
    assert_true(fixture.window.taken > 0 && fixture.window.sample_ns[0] < 0.5e9);
    fixture_free(&fixture);
    fixture_init_known(&fixture, "'AB-dgemm", WINDOW_PROBE, 1, 1e3);
    assert_true(fixture.window.warm_call_ns != 1e3);
    fixture_free(&fixture);
}

/* Temporaries. */

static long page_faults(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_minflt;
}

/** Pages of temporaries that samples use are backed before anything is timed, even if they were
 * returned to the system before. */
static void pages_of_temporaries_that_went_back_are_there_before_anything_is_timed(void **state) {
    (void)state;
    static const char *const algorithms[] = {"'AB-dgemm", "'ABC-dgemm"};
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        struct fixture fixture;
        fixture_init(&fixture, algorithms[a], WINDOW_PROBE, 1);
        sample(&fixture);
        struct scratch *scratch = &fixture.buffers.scratch;
        struct cursor cursor;
        struct tcplan_error error = {0};
        long faults[2];
        for (int again = 0; again < 2; again++) {
            scratch->limit_bytes = 1;
            if (!again)
                assert_non_null(scratch_get(
                    scratch, TCPLAN_C, 1 << 24)); /* takes the pages from all other temporaries */
            assert_true(again || scratch->has_zeros);
            assert_int_equal(precondition_memory(&fixture.window, 0, 1, &error), TCPLAN_OK);
            program_seek(fixture.window.program, &cursor, 0, window_base(&fixture.window));
            const long before = page_faults();
            stretch_time_calls(&fixture.window, &cursor, 1);
            faults[again] = page_faults() - before;
        }
        assert_true(faults[0] <= faults[1] + 2); /* not more page faults than with all pages backed
                                                  */
        fixture_free(&fixture);
    }
}

/* Grades. */

static void a_better_grade_is_longer_and_follows_more_history(void **state) {
    (void)state;
    for (int grade = WINDOW_PROBE + 1; grade < WINDOW_GRADES; grade++) {
        const struct window_settings less =
            window_settings_for(&machine, TCPLAN_CACHE_COLD, (enum window_grade)(grade - 1));
        const struct window_settings more =
            window_settings_for(&machine, TCPLAN_CACHE_COLD, (enum window_grade)grade);
        assert_true(less.window_ns < more.window_ns && less.warm_up_ns < more.warm_up_ns);
        assert_true(less.history_bytes <= more.history_bytes);
        assert_int_equal(more.cache, TCPLAN_CACHE_COLD);
        assert_int_equal(more.granularity.line_bytes, machine.line_bytes);
    }
    assert_true(window_settings_for(&machine, TCPLAN_CACHE_WARM, WINDOW_PROBE).history_bytes == 0);
}

static void no_history_is_longer_than_the_last_cache(void **state) {
    (void)state;
    const struct tcplan_machine without_caches = {.line_bytes = 64, .page_bytes = 4096};
    const double last_bytes = (double)machine.cache[1].size_bytes;
    assert_true(window_settings_for(&machine, TCPLAN_CACHE_WARM, WINDOW_LONG).history_bytes ==
                last_bytes);
    assert_true(window_settings_for(&without_caches, TCPLAN_CACHE_WARM, WINDOW_LONG).history_bytes >
                last_bytes);
    assert_true(isfinite(
        window_settings_for(&without_caches, TCPLAN_CACHE_WARM, WINDOW_LONG).history_bytes));
}

int main(void) {
    blas_set_threads(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_call_is_timed_once),
        cmocka_unit_test(copies_before_a_long_call_are_timed),
        cmocka_unit_test(a_long_call_timed_in_place_is_the_first_sample_of_a_probe),
        cmocka_unit_test(equal_seeds_sample_equal_places),
        cmocka_unit_test(each_sample_and_each_seed_has_a_place_of_its_own),
        cmocka_unit_test(samples_and_strata_add_up),
        cmocka_unit_test(pages_backed_beyond_the_limit_stay),
        cmocka_unit_test(samples_are_stored_up_to_capacity),
        cmocka_unit_test(long_calls_have_no_warm_up),
        cmocka_unit_test(probes_contain_complete_runs_of_a_loop),
        cmocka_unit_test(a_stretch_that_gets_shorter_is_sampled_by_its_own_strata),
        cmocka_unit_test(a_warm_up_without_time_does_not_move_the_timed_call),
        cmocka_unit_test(long_calls_are_shortened_without_changing_caches),
        cmocka_unit_test(a_call_that_is_known_to_be_long_is_not_timed_to_size_windows),
        cmocka_unit_test(pages_of_temporaries_that_went_back_are_there_before_anything_is_timed),
        cmocka_unit_test(a_better_grade_is_longer_and_follows_more_history),
        cmocka_unit_test(no_history_is_longer_than_the_last_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
