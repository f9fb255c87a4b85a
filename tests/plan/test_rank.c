/* Tests the contents of rankings. No time is asserted. */
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cachesim/places.h"
#include "microbench/program/buffers.h"
#include "microbench/providers/blas.h"
#include "support/ranked.h"
#include "tcplan/candidates.h"
#include "tcplan/rank.h"

/* Rankings. */

static void the_dissertations_contractions_are_ranked(void **state) {
    (void)state;
    static const char *const given[][2] = {{"C_abc=A_ai*B_ibc", "a=b=c=40,i=8"},
                                           {"C_a=A_iaj*B_ji", "a=60,i=8,j=50"},
                                           {"C_abc=A_ija*B_jbic", "a=b=c=16,i=j=4"}};
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        const struct tcplan_rank_options options = ranked_options();
        struct ranked ranked;
        ranked_init(&ranked, given[g][0], given[g][1], TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        ranked_free(&ranked);
    }
}

static void this_machine_is_the_default(void **state) {
    (void)state;
    struct ranked ranked;
    ranked_init(&ranked, "C_a=A_iaj*B_ji", "a=60,i=8,j=50", TCPLAN_DOUBLE, NULL);
    ranked_check(&ranked);
    ranked_free(&ranked);
}

static void check_ranked(enum tcplan_dtype dtype, enum tcplan_predictor predictor,
                         enum tcplan_cache_state cache) {
    struct tcplan_rank_options options = ranked_options();
    struct ranked ranked;
    options.predictor = predictor;
    options.cache = cache;
    ranked_init(&ranked, "C_xab=2*A_xiai*B_ibx-0.5*C_xab", "a=9,b=7,i=6,x=5", dtype, &options);
    ranked_check(&ranked);
    if (predictor != TCPLAN_PREDICT_WINDOW)
        assert_int_equal(ranked_count(ranked.ranking, TCPLAN_ENTRY_PRUNED), 0);
    ranked_free(&ranked);
}

static void all_types_predictors_and_cache_states_are_ranked(void **state) {
    (void)state;
    static const enum tcplan_predictor predictors[] = {
        TCPLAN_PREDICT_WINDOW, TCPLAN_PREDICT_REPEATED, TCPLAN_PREDICT_THESIS};
    /* Each predictor with each element type; half of the rankings have cold caches. */
    for (int p = 0; p < 3; p++) {
        for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++)
            check_ranked((enum tcplan_dtype)dtype, predictors[p],
                         (dtype + p) % 2 ? TCPLAN_CACHE_COLD : TCPLAN_CACHE_WARM);
    }
}

static void contractions_of_one_algorithm_or_one_element_are_ranked(void **state) {
    (void)state;
    static const char *const given[][2] = {{"C=A*B", ""},
                                           {"C=A_i*B_i", "i=1"},
                                           {"C+=A_i*B_i", "i=1000"},
                                           {"C_ab=A_ab*B_ba", "a=3,b=1"}};
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        const struct tcplan_rank_options options = ranked_options();
        struct ranked ranked;
        ranked_init(&ranked, given[g][0], given[g][1], TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        ranked_free(&ranked);
    }
}

static void the_calls_of_an_entry_are_those_of_its_program(void **state) {
    (void)state;
    const struct tcplan_rank_options options = ranked_options();
    struct ranked ranked;
    ranked_init(&ranked, "C_abc=A_ai*B_ibc", "a=11,b=7,c=5,i=3", TCPLAN_DOUBLE, &options);
    for (size_t e = 0; e < ranked.ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranked.ranking->entry[e];
        int64_t calls = 1;
        for (int l = 0; l < entry->algorithm.loop_count; l++)
            calls *= ranked.given.problem.extent[entry->algorithm.loop[l]];
        assert_int_equal(entry->calls, calls);
    }
    ranked_free(&ranked);
}

static void predicting_all_prunes_nothing(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_options();
    struct ranked ranked;
    options.predict_all = true;
    ranked_init(&ranked, "C_abc=A_ai*B_ibc", "a=b=c=24,i=8", TCPLAN_DOUBLE, &options);
    ranked_check(&ranked);
    assert_int_equal(ranked_count(ranked.ranking, TCPLAN_ENTRY_PREDICTED), 36);
    ranked_free(&ranked);
}

static void a_ranking_is_predicted_anew_with_other_options(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_options();
    struct tcplan_error error = {0};
    struct ranked ranked;
    ranked_init(&ranked, "C_a=A_iaj*B_ji", "a=60,i=8,j=50", TCPLAN_DOUBLE, &options);
    options.predictor = TCPLAN_PREDICT_REPEATED;
    assert_int_equal(tcplan_ranking_predict(ranked.ranking, &options, &error), TCPLAN_OK);
    ranked_check(&ranked);
    assert_int_equal(ranked_count(ranked.ranking, TCPLAN_ENTRY_PREDICTED), 8);
    ranked_free(&ranked);
}

/* One algorithm. */

static void one_named_algorithm_is_predicted_alone(void **state) {
    (void)state;
    const struct tcplan_rank_options options = ranked_options();
    struct tcplan_error error = {0};
    struct tcplan_algorithm algorithm;
    struct ranked ranked = {0};
    random_contraction_given(&ranked.given, "C_abc=A_ai*B_ibc", "a=b=c=24,i=8", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(tcplan_algorithm_parse(&algorithm, ranked.given.contraction, TCPLAN_DOUBLE,
                                            "ca-dgemv", &error),
                     TCPLAN_OK);
    assert_int_equal(
        tcplan_rank_one(&ranked.ranking, &ranked.given.problem, &algorithm, &options, &error),
        TCPLAN_OK);
    assert_int_equal(ranked.ranking->entry_count, 1);
    ranked_same_algorithm(&ranked.ranking->entry[0].algorithm, &algorithm);
    assert_int_equal(ranked.ranking->entry[0].status, TCPLAN_ENTRY_PREDICTED);
    ranked_check_entry(&ranked.ranking->entry[0]);
    ranked_check_ties(ranked.ranking);
    ranked_free(&ranked);
}

static void one_algorithm_of_more_than_can_be_counted_is_predicted(void **state) {
    (void)state;
    const struct tcplan_rank_options options = ranked_options();
    struct tcplan_error error = {0};
    struct tcplan_algorithm algorithm;
    struct tcplan_enumerator enumerator;
    struct ranked ranked = {0};
    random_contraction_given(
        &ranked.given, "C_abcdefghijklmnopqrstuvw=A_abcdefghijklx*B_xmnopqrstuvw",
        "a=b=c=d=e=f=g=h=i=j=k=l=m=n=o=p=q=r=s=t=u=v=w=1,x=9", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    tcplan_enumerator_init(&enumerator, ranked.given.contraction);
    assert_true(tcplan_enumerator_next(&enumerator, &algorithm));
    assert_int_equal(
        tcplan_rank_one(&ranked.ranking, &ranked.given.problem, &algorithm, &options, &error),
        TCPLAN_OK);
    ranked_check_entry(&ranked.ranking->entry[0]);
    ranked_free(&ranked);
}

static void one_algorithm_that_does_not_apply_is_refused(void **state) {
    (void)state;
    const struct tcplan_rank_options options = ranked_options();
    struct tcplan_error error = {0};
    struct tcplan_algorithm algorithm;
    struct ranked ranked = {0};
    random_contraction_given(&ranked.given, "C_abc=A_ai*B_ibc", "a=65536,b=65536,c=2,i=1",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_FLOAT);
    assert_int_equal(tcplan_algorithm_parse(&algorithm, ranked.given.contraction, TCPLAN_FLOAT,
                                            "b-sgemm", &error),
                     TCPLAN_OK);
    assert_int_equal(
        tcplan_rank_one(&ranked.ranking, &ranked.given.problem, &algorithm, &options, &error),
        TCPLAN_NOT_APPLICABLE);
    assert_null(ranked.ranking);
    assert_non_null(strstr(error.message, "beyond the BLAS integer"));
    ranked_free(&ranked);
}

/* Refusals. */

static void algorithms_that_do_not_apply_come_last(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_options();
    struct ranked ranked;
    options.predictor = TCPLAN_PREDICT_REPEATED; /* windows would take long at this size */
    ranked_init(&ranked, "C_abc=A_ai*B_ibc", "a=2,b=1073741824,c=2,i=2", TCPLAN_FLOAT, &options);
    ranked_check(&ranked);
    const size_t refused = ranked_count(ranked.ranking, TCPLAN_ENTRY_NOT_APPLICABLE);
    assert_in_range(refused, 1, 35);
    for (size_t e = 0; e < ranked.ranking->entry_count; e++) {
        const bool last = e >= ranked.ranking->entry_count - refused;
        assert_int_equal(ranked.ranking->entry[e].status == TCPLAN_ENTRY_NOT_APPLICABLE, last);
    }
    ranked_free(&ranked);
}

static void predicting_all_of_more_algorithms_than_a_ranking_lists_is_refused(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_options();
    options.predict_all = true;
    struct random_contraction given;
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_error error = {0};
    random_contraction_given(&given, "C_abcdef=A_abcijk*B_ijkdef", "a=b=c=d=e=f=i=j=k=2",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_rank(&ranking, &given.problem, &options, &error), TCPLAN_OVERFLOW);
    assert_null(ranking);
    assert_non_null(strstr(error.message,
                           "518400 algorithms are too many to predict all of them (limit: 20000)"));
    random_contraction_free(&given);
}

static void tensors_beyond_the_address_space_are_no_memory(void **state) {
    (void)state;
    const struct tcplan_rank_options options = ranked_options();
    struct random_contraction given;
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_error error = {0};
    random_contraction_given(&given, "C_ab=A_a*B_b", "a=2147483647,b=536870912",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_rank(&ranking, &given.problem, &options, &error), TCPLAN_NO_MEMORY);
    assert_null(ranking);
    assert_string_equal(error.message,
                        "cannot reserve 9223372032559808512 bytes of address space for tensor C");
    random_contraction_free(&given);
}

static void assert_options_refused(const struct tcplan_rank_options *options, const char *reason) {
    struct random_contraction given;
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_candidate_list *list = NULL;
    struct tcplan_error error = {0};
    random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=5,b=6,i=7", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(tcplan_rank(&ranking, &given.problem, options, &error), TCPLAN_INVALID);
    if (!strstr(error.message, reason))
        fail_msg("'%s' says nothing of '%s'", error.message, reason);
    assert_int_equal(tcplan_candidates_list(&list, &given.problem, options, NULL), TCPLAN_INVALID);
    assert_null(ranking);
    assert_null(list);
    random_contraction_free(&given);
}

static void invalid_options_are_refused(void **state) {
    (void)state;
    const struct tcplan_rank_options zero = {.threads = 0};
    assert_options_refused(&zero, "1 to 4096 as the option threads of a ranking, found 0");
    struct tcplan_rank_options options = ranked_options();
    options.threads = 1000000;
    assert_options_refused(&options, "found 1000000");
    options = ranked_options();
    options.effort = (enum tcplan_effort)7;
    assert_options_refused(&options, "effort");
    options = ranked_options();
    options.max_memory_bytes = -1;
    assert_options_refused(&options, "max_memory_bytes");
    options = ranked_options();
    options.time_limit_seconds = NAN;
    assert_options_refused(&options, "time_limit_seconds");
}

/* Memory. */

static void backed_memory_stays_within_the_bound(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_options();
    struct tcplan_error error = {0};
    struct ranked ranked = {0};
    options.max_memory_bytes = 64 << 20;
    random_contraction_given(&ranked.given, "C_abc=A_ai*B_ibc", "a=b=c=300,i=8",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    if (tcplan_rank(&ranked.ranking, &ranked.given.problem, &options, &error))
        fail_msg("%s", error.message);
    ranked_check(&ranked);
    assert_true(ranked.ranking->buffers->resident_bytes <= (size_t)options.max_memory_bytes);
    ranked_free(&ranked);
}

/** Ranks in a child process; returns the peak of its resident memory in KiB. */
static long peak_of_ranking(const char *contraction, const char *sizes) {
    struct tcplan_rank_options options = tcplan_rank_defaults();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct random_contraction given;
        struct tcplan_ranking *ranking = NULL;
        random_contraction_given(&given, contraction, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
        options.max_memory_bytes = (int64_t)384 << 20;
        options.time_limit_seconds = 60; /* suffices on a slow machine */
        _exit(tcplan_rank(&ranking, &given.problem, &options, NULL) == TCPLAN_OK ? 0 : 1);
    }
    int status = -1;
    struct rusage usage;
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return usage.ru_maxrss;
}

static void a_result_of_8_gb_is_planned_within_512_mib(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    skip(); /* the address sanitizer's own memory would count */
#endif
    const long kibibytes = peak_of_ranking("C_abc=A_ai*B_ibc", "a=b=c=1000,i=8");
    print_message("peak: %ld MiB\n", kibibytes / 1024);
    assert_true(kibibytes < 512 * 1024);
}

static void measuring_more_than_the_memory_allowed_is_refused_with_both_figures(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_options();
    struct tcplan_error error = {0};
    struct ranked ranked;
    ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=512,b=512,i=16", TCPLAN_DOUBLE, &options);
    options.max_memory_bytes = 1 << 20;
    assert_int_equal(tcplan_ranking_measure(ranked.ranking, 0, 1, &options, &error),
                     TCPLAN_NO_MEMORY);
    assert_string_equal(error.message,
                        "the tensors take 2.125 MiB to run, more than the 1 MiB allowed");
    assert_int_equal(ranked_count(ranked.ranking, TCPLAN_ENTRY_MEASURED), 0);
    ranked_free(&ranked);
}

static void a_tensor_that_is_added_takes_memory_too(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_options();
    struct tcplan_error error = {0};
    struct ranked ranked;
    ranked_init(&ranked, "D_ab=A_ai*B_ib+C_ba", "a=512,b=512,i=16", TCPLAN_DOUBLE, &options);
    options.max_memory_bytes = 3 << 20;
    assert_int_equal(tcplan_ranking_measure(ranked.ranking, 0, 1, &options, &error),
                     TCPLAN_NO_MEMORY);
    assert_string_equal(error.message,
                        "the tensors take 4.125 MiB to run, more than the 3 MiB allowed");
    ranked_free(&ranked);
}

static void measuring_more_than_the_machine_has_is_refused_with_both_figures(void **state) {
    (void)state;
    const struct tcplan_rank_options options = ranked_options();
    struct tcplan_error error = {0};
    struct tcplan_algorithm algorithm;
    struct ranked ranked = {0};
    if (buffers_available_bytes() == 0) skip();
    random_contraction_given(&ranked.given, "C_ab=A_a*B_b", "a=2147483647,b=4096",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_algorithm_parse(&algorithm, ranked.given.contraction, TCPLAN_DOUBLE,
                                            "b-daxpy", &error),
                     TCPLAN_OK);
    assert_int_equal(
        tcplan_rank_one(&ranked.ranking, &ranked.given.problem, &algorithm, &options, &error),
        TCPLAN_OK);
    assert_int_equal(tcplan_ranking_measure(ranked.ranking, 0, 1, &options, &error),
                     TCPLAN_NO_MEMORY);
    assert_non_null(strstr(error.message, "the tensors take 64.02 TiB to run, more than the "));
    assert_non_null(strstr(error.message, "iB free"));
    ranked_free(&ranked);
}

/* Measuring. */

static void measured_entries_have_samples_and_the_others_stay(void **state) {
    (void)state;
    const struct tcplan_rank_options options = ranked_options();
    struct tcplan_error error = {0};
    struct ranked ranked;
    uint64_t ordinal[8];
    ranked_init(&ranked, "C_a=A_iaj*B_ji", "a=60,i=8,j=50", TCPLAN_DOUBLE, &options);
    for (size_t e = 0; e < 8; e++) ordinal[e] = ranked.ranking->entry[e].ordinal;
    assert_int_equal(tcplan_ranking_measure(ranked.ranking, 1, 2, &options, &error), TCPLAN_OK);
    for (size_t e = 0; e < 8; e++) {
        assert_int_equal(ranked.ranking->entry[e].ordinal, ordinal[e]);
        assert_int_equal(ranked.ranking->entry[e].status == TCPLAN_ENTRY_MEASURED,
                         e == 1 || e == 2);
        ranked_check_entry(&ranked.ranking->entry[e]);
    }
    ranked_free(&ranked);
}

static void entries_behind_the_last_are_not_measured(void **state) {
    (void)state;
    const struct tcplan_rank_options options = ranked_options();
    struct tcplan_error error = {0};
    struct ranked ranked;
    ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=5,b=6,i=7", TCPLAN_FLOAT_COMPLEX, &options);
    assert_int_equal(tcplan_ranking_measure(ranked.ranking, 9, 1000, &options, &error), TCPLAN_OK);
    assert_int_equal(ranked_count(ranked.ranking, TCPLAN_ENTRY_MEASURED), 1);
    assert_int_equal(tcplan_ranking_measure(ranked.ranking, 10, 1, &options, &error), TCPLAN_OK);
    assert_int_equal(tcplan_ranking_measure(ranked.ranking, SIZE_MAX, SIZE_MAX, &options, &error),
                     TCPLAN_OK);
    assert_int_equal(tcplan_ranking_measure(ranked.ranking, 0, 0, &options, &error), TCPLAN_OK);
    assert_int_equal(ranked_count(ranked.ranking, TCPLAN_ENTRY_MEASURED), 1);
    assert_int_equal(tcplan_ranking_measure(ranked.ranking, 0, SIZE_MAX, &options, &error),
                     TCPLAN_OK);
    assert_int_equal(ranked_count(ranked.ranking, TCPLAN_ENTRY_MEASURED), 10);
    ranked_free(&ranked);
}

/* The surrounding process. */

struct progress {
    int reports;
    bool sensible;
};

static void note_progress(void *context, const char *activity, double done, double total) {
    struct progress *progress = context;
    progress->reports++;
    progress->sensible = progress->sensible && activity && *activity && done >= 0 && done <= total;
}

static void progress_is_reported(void **state) {
    (void)state;
    struct progress progress = {.sensible = true};
    struct tcplan_rank_options options = ranked_options();
    struct ranked ranked;
    options.progress = note_progress;
    options.progress_context = &progress;
    ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=15,b=16,i=17", TCPLAN_DOUBLE, &options);
    const int while_ranking = progress.reports;
    assert_true(while_ranking > 2);
    assert_int_equal(tcplan_ranking_measure(ranked.ranking, 0, 2, &options, NULL), TCPLAN_OK);
    assert_true(progress.reports > while_ranking);
    assert_true(progress.sensible);
    ranked_free(&ranked);
}

/** Counts the reports of a thread that may only run on processor `processor`. */
struct bound_progress {
    size_t processor;
    int reports, bound;
};

static void note_affinity(void *context, const char *activity, double done, double total) {
    struct bound_progress *progress = context;
    cpu_set_t set;
    (void)activity, (void)done, (void)total;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    progress->reports++;
    progress->bound += CPU_COUNT(&set) == 1 && CPU_ISSET(progress->processor, &set);
}

static void a_bound_ranking_runs_on_its_core(void **state) {
    (void)state;
    struct tcplan_error error;
    struct places places;
    assert_int_equal(places_load(&places, NULL, &error), TCPLAN_OK);
    for (int core = 0; core < places.count && core < 2; core++) {
        struct bound_progress progress = {.processor = (size_t)places.place[core].processor};
        struct tcplan_rank_options options = ranked_options();
        struct ranked ranked;
        options.progress = note_affinity;
        options.progress_context = &progress;
        assert_int_equal(tcplan_binding_make(&options.binding, core == 0 ? "0" : "1", NULL, &error),
                         TCPLAN_OK);
        ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=15,b=16,i=17", TCPLAN_DOUBLE, &options);
        assert_true(progress.bound > 0);
        const int while_ranking = progress.bound;
        assert_int_equal(tcplan_ranking_measure(ranked.ranking, 0, 2, &options, NULL), TCPLAN_OK);
        assert_true(progress.bound > while_ranking);
        assert_int_equal(tcplan_binding_make(&options.binding, "4000", NULL, &error), TCPLAN_OK);
        assert_int_equal(tcplan_ranking_measure(ranked.ranking, 0, 2, &options, &error),
                         TCPLAN_INVALID);
        ranked_free(&ranked);
    }
}

static void threads_and_affinity_are_left_as_they_were(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_options();
    struct ranked ranked;
    cpu_set_t before, after;
    blas_set_threads(2);
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=15,b=16,i=17", TCPLAN_DOUBLE, &options);
    assert_int_equal(tcplan_ranking_measure(ranked.ranking, 0, 1, &options, NULL), TCPLAN_OK);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    assert_int_equal(blas_set_threads(1), 2);
    ranked_free(&ranked);
}

static size_t count_predicted(const struct tcplan_ranking *ranking) {
    size_t count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) count += ranking->entry[e].predicted;
    return count;
}

static size_t count_with(const struct tcplan_ranking *ranking, int threads, bool predicted) {
    size_t count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++)
        count +=
            (ranking->entry[e].predicted || !predicted) && ranking->entry[e].threads == threads;
    return count;
}

/** A ranking with two threads has algorithms with one thread as well, in both spaces, timed and
 * estimated. */
static void one_thread_competes_with_two(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct tcplan_rank_options options = ranked_options();
        struct ranked ranked;
        options.threads = 2;
        options.space = kind % 2 ? TCPLAN_SPACE_FULL : TCPLAN_SPACE_BLAS;
        options.effort = kind < 2 ? TCPLAN_EFFORT_QUICK : TCPLAN_EFFORT_ESTIMATE;
        options.gemm_gflops = 1;
        ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=150,b=160,i=170", TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        assert_true(count_with(ranked.ranking, 1, false) > 0 &&
                    count_with(ranked.ranking, 2, false) > 0);
        assert_int_equal(count_with(ranked.ranking, 1, true) + count_with(ranked.ranking, 2, true),
                         count_predicted(ranked.ranking));
        if (kind < 2)
            assert_int_equal(tcplan_ranking_measure(ranked.ranking, 0, 3, &options, NULL),
                             TCPLAN_OK);
        if (kind < 2)
            assert_int_equal(tcplan_ranking_predict(ranked.ranking, &options, NULL), TCPLAN_OK);
        ranked_free(&ranked);
    }
}

static void an_exact_number_of_threads_competes_with_none(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_options();
    struct ranked ranked;
    options.threads = 2;
    options.exact_threads = true;
    ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=150,b=160,i=170", TCPLAN_DOUBLE, &options);
    ranked_check(&ranked);
    assert_int_equal(count_with(ranked.ranking, 2, true), count_predicted(ranked.ranking));
    ranked_free(&ranked);
}

static void more_threads_than_processing_units_are_refused(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_error error;
    struct tcplan_rank_options options = ranked_options();
    options.threads = TCPLAN_MAX_THREADS;
    options.oversubscribe = false;
    random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=5,b=6,i=7", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(tcplan_rank(&ranking, &given.problem, &options, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "the processing unit"));
    assert_null(ranking);
    random_contraction_free(&given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_dissertations_contractions_are_ranked),
        cmocka_unit_test(this_machine_is_the_default),
        cmocka_unit_test(all_types_predictors_and_cache_states_are_ranked),
        cmocka_unit_test(contractions_of_one_algorithm_or_one_element_are_ranked),
        cmocka_unit_test(the_calls_of_an_entry_are_those_of_its_program),
        cmocka_unit_test(predicting_all_prunes_nothing),
        cmocka_unit_test(a_ranking_is_predicted_anew_with_other_options),
        cmocka_unit_test(one_named_algorithm_is_predicted_alone),
        cmocka_unit_test(one_algorithm_of_more_than_can_be_counted_is_predicted),
        cmocka_unit_test(one_algorithm_that_does_not_apply_is_refused),
        cmocka_unit_test(algorithms_that_do_not_apply_come_last),
        cmocka_unit_test(predicting_all_of_more_algorithms_than_a_ranking_lists_is_refused),
        cmocka_unit_test(tensors_beyond_the_address_space_are_no_memory),
        cmocka_unit_test(invalid_options_are_refused),
        cmocka_unit_test(backed_memory_stays_within_the_bound),
        cmocka_unit_test(a_result_of_8_gb_is_planned_within_512_mib),
        cmocka_unit_test(measuring_more_than_the_memory_allowed_is_refused_with_both_figures),
        cmocka_unit_test(a_tensor_that_is_added_takes_memory_too),
        cmocka_unit_test(measuring_more_than_the_machine_has_is_refused_with_both_figures),
        cmocka_unit_test(measured_entries_have_samples_and_the_others_stay),
        cmocka_unit_test(entries_behind_the_last_are_not_measured),
        cmocka_unit_test(progress_is_reported),
        cmocka_unit_test(a_bound_ranking_runs_on_its_core),
        cmocka_unit_test(threads_and_affinity_are_left_as_they_were),
        cmocka_unit_test(one_thread_competes_with_two),
        cmocka_unit_test(an_exact_number_of_threads_competes_with_none),
        cmocka_unit_test(more_threads_than_processing_units_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
