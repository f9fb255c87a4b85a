/*
 * Tests explanations of rankings: their contents, and whether their numbers agree. No time is
 * asserted.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "microbench/providers/emitted.h"
#include "plan/explain.h"
#include "support/random_contraction.h"
#include "tcplan/unstable.h"

/** A machine with small caches, on which histories of accesses are short. */
static struct tcplan_machine small_machine;

static int load_machine(void **state) {
    (void)state;
    return tcplan_machine_load(&small_machine, "pack:1 l2:1(size=1MB) l1d:1(size=32kB) core:1 pu:1",
                               NULL);
}

/** A problem, its ranking and an explanation. */
struct explained {
    struct random_contraction given;
    struct tcplan_rank_options options;
    struct tcplan_ranking *ranking;
    struct tcplan_explanation *explanation;
};

static void explained_rank(struct explained *out, const char *contraction, const char *sizes,
                           enum tcplan_dtype dtype, enum tcplan_space space) {
    struct tcplan_error error = {0};
    *out = (struct explained){.options = tcplan_rank_defaults()};
    out->options.machine = &small_machine;
    out->options.space = space;
    random_contraction_given(&out->given, contraction, sizes, TCPLAN_COLUMN_MAJOR, dtype);
    if (tcplan_rank(&out->ranking, &out->given.problem, &out->options, &error))
        fail_msg("%s", error.message);
}

/** Makes an explanation of a ranking's winner and `loser`, the name of an algorithm; NULL: the
 * second algorithm. */
static void explained_init(struct explained *out, const char *contraction, const char *sizes,
                           enum tcplan_dtype dtype, const char *loser) {
    struct tcplan_error error = {0};
    struct tcplan_algorithm algorithm;
    explained_rank(out, contraction, sizes, dtype, TCPLAN_SPACE_BLAS);
    if (loser && tcplan_algorithm_parse(&algorithm, out->given.contraction, dtype, loser, &error))
        fail_msg("%s", error.message);
    if (tcplan_explain(&out->explanation, out->ranking, loser ? &algorithm : NULL, &out->options,
                       &error))
        fail_msg("%s", error.message);
}

static void explained_free(struct explained *explained) {
    tcplan_explanation_free(explained->explanation);
    tcplan_ranking_free(explained->ranking);
    random_contraction_free(&explained->given);
}

static const struct tcplan_explained *loser_of(const struct explained *explained) {
    return &explained->explanation->side[TCPLAN_LOSER];
}

/* Checks one side of an explanation: parts add up to their sums. */

static void assert_sums(const struct tcplan_explained *side) {
    double seconds = 0;
    int64_t calls = 0;
    double apart_seconds = 0;
    for (int part = 0; part < TCPLAN_PARTS; part++) seconds += side->part_seconds[part];
    for (int c = 0; c < side->class_count; c++) calls += side->call_class[c].calls;
    for (int c = 0; c < side->copy_count; c++)
        apart_seconds += side->copy[c].apart ? side->copy[c].seconds : 0;
    assert_true(fabs(seconds - side->prediction.seconds) <= 1e-9 * side->prediction.seconds);
    for (int part = 0; part < TCPLAN_PARTS; part++) assert_true(side->part_seconds[part] >= 0);
    assert_true(fabs(side->stretch_seconds + apart_seconds - side->prediction.seconds) <=
                1e-9 * side->prediction.seconds);
    assert_true(fabs(side->call_seconds * (double)side->calls - side->stretch_seconds) <=
                1e-9 * side->stretch_seconds);
    assert_int_equal(calls, side->calls);
}

static void assert_side(const struct tcplan_explanation *explanation,
                        const struct tcplan_explained *side) {
    assert_true(side->calls >= 1);
    assert_true(side->prediction.low <= side->prediction.seconds &&
                side->prediction.seconds <= side->prediction.high);
    assert_true(side->kernel_seconds > 0 && side->kernel_gflops > 0 &&
                side->smallest_call_seconds > 0);
    assert_true(side->part_seconds[TCPLAN_PART_OVERHEAD] > 0 &&
                side->part_seconds[TCPLAN_PART_KERNEL] >= 0);
    assert_sums(side);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_explained_operand *operand = &side->operand[t];
        assert_in_range(operand->level, 0, explanation->machine.cache_count);
        assert_in_range(operand->prefetch_level, 0, operand->level);
        assert_true(operand->lines >= 1 && operand->pages >= 1 &&
                    operand->pages <= operand->lines + 1);
        assert_true(operand->used_share > 0 && operand->used_share <= 1);
    }
}

static void assert_explanation(const struct tcplan_explanation *explanation) {
    for (int s = 0; s < explanation->side_count; s++)
        assert_side(explanation, &explanation->side[s]);
    if (explanation->side_count == 1) {
        assert_int_equal(explanation->reason_count, 0);
        return;
    }
    assert_in_range(explanation->reason_count, 2, TCPLAN_MAX_REASONS);
    assert_true(explanation->reason[0].kind == TCPLAN_REASON_FASTER ||
                explanation->reason[0].kind == TCPLAN_REASON_TIE);
    assert_int_equal(explanation->reason[1].kind, TCPLAN_REASON_CALLS);
}

/* Explaining a ranking. */

static void the_runner_up_is_explained_by_default(void **state) {
    (void)state;
    struct explained explained;
    explained_init(&explained, "C_abc=A_ai*B_ibc", "a=b=c=20,i=4", TCPLAN_DOUBLE, NULL);
    const struct tcplan_explanation *explanation = explained.explanation;
    assert_int_equal(explanation->side_count, TCPLAN_EXPLAINED_SIDES);
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(explained.ranking);
    const size_t place = loser_of(&explained)->place;
    assert_ptr_equal(&explained.ranking->entry[explanation->side[TCPLAN_WINNER].place], chosen);
    assert_ptr_not_equal(&explained.ranking->entry[place], chosen);
    for (size_t e = 0; e < place; e++) assert_true(explained.ranking->entry[e].tied);
    assert_true(explanation->side[TCPLAN_WINNER].prediction.seconds == chosen->prediction.seconds);
    explained_free(&explained);
}

static void a_named_algorithm_is_explained_though_it_was_pruned(void **state) {
    (void)state;
    struct explained explained;
    explained_init(&explained, "C_abc=A_ai*B_ibc", "a=b=c=60,i=8", TCPLAN_DOUBLE, "abc-ddot");
    assert_explanation(explained.explanation);
    assert_int_equal(loser_of(&explained)->algorithm.kernel, TCPLAN_DOT);
    assert_int_equal(loser_of(&explained)->calls, 60 * 60 * 60);
    assert_true(explained.ranking->entry[loser_of(&explained)->place].predicted !=
                loser_of(&explained)->pruned);
    explained_free(&explained);
}

static void naming_the_winner_compares_it_with_the_runner_up(void **state) {
    (void)state;
    struct explained explained;
    explained_rank(&explained, "C_ab=A_ai*B_ib", "a=b=i=20", TCPLAN_FLOAT, TCPLAN_SPACE_BLAS);
    const struct tcplan_algorithm winner = tcplan_ranking_chosen(explained.ranking)->algorithm;
    assert_int_equal(tcplan_explain(&explained.explanation, explained.ranking, &winner,
                                    &explained.options, NULL),
                     TCPLAN_OK);
    assert_explanation(explained.explanation);
    assert_ptr_not_equal(&explained.ranking->entry[loser_of(&explained)->place],
                         tcplan_ranking_chosen(explained.ranking));
    explained_free(&explained);
}

static void every_type_and_cache_state_is_explained(void **state) {
    (void)state;
    for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
        struct explained explained;
        explained_rank(&explained, "C_abc=2*A_ija*B_jbic+3*C_abc", "a=b=c=i=j=8",
                       (enum tcplan_dtype)dtype, TCPLAN_SPACE_BLAS);
        explained.options.cache = dtype % 2 ? TCPLAN_CACHE_COLD : TCPLAN_CACHE_WARM;
        for (size_t e = 0; e < explained.ranking->entry_count; e += 97) {
            const struct tcplan_algorithm algorithm = explained.ranking->entry[e].algorithm;
            assert_int_equal(tcplan_explain(&explained.explanation, explained.ranking, &algorithm,
                                            &explained.options, NULL),
                             TCPLAN_OK);
            assert_explanation(explained.explanation);
            tcplan_explanation_free(explained.explanation);
            explained.explanation = NULL;
        }
        explained_free(&explained);
    }
}

/** Returns the side of an explanation for the named algorithm: the loser's, unless the winner has
 * that name. */
static const struct tcplan_explained *side_named(const struct explained *explained,
                                                 const char *name) {
    for (int s = 0; s < explained->explanation->side_count; s++) {
        const struct tcplan_explained *side = &explained->explanation->side[s];
        char *found = tcplan_algorithm_name(&side->algorithm, explained->given.contraction,
                                            explained->given.problem.dtype);
        const bool same = strcmp(found, name) == 0;
        free(found);
        if (same) return side;
    }
    fail_msg("%s is not explained", name);
    return NULL;
}

static void copies_are_distinguished_and_named(void **state) {
    (void)state;
    struct explained explained;
    explained_init(&explained, "C_abc=A_ija*B_jbic", "a=b=c=i=j=10", TCPLAN_DOUBLE, "jc'-dgemm");
    const struct tcplan_explained *side = side_named(&explained, "jc'-dgemm");
    double seconds = 0;
    assert_int_equal(side->copy_count, 2); /* C[:,:,:] := 0 and B~[:,:] := B[j,:,:,c] */
    for (int c = 0; c < side->copy_count; c++) {
        assert_true(side->copy[c].times == (side->copy[c].kind == TCPLAN_NODE_SCALE ? 1 : 100));
        seconds += side->copy[c].seconds;
    }
    assert_true(fabs(seconds - side->part_seconds[TCPLAN_PART_COPIES]) <= 1e-9 * seconds);
    explained_free(&explained);
}

static void the_only_algorithm_is_explained_without_another(void **state) {
    (void)state;
    struct explained explained;
    explained_init(&explained, "C_a=A_a*B_a", "a=50", TCPLAN_DOUBLE, NULL);
    assert_int_equal(explained.explanation->side_count, 1);
    assert_explanation(explained.explanation);
    explained_free(&explained);
}

static void operands_come_from_the_level_that_holds_them(void **state) {
    (void)state;
    struct explained explained;
    explained_init(&explained, "C_abc+=A_ai*B_ibc", "a=b=c=100,i=8", TCPLAN_DOUBLE, "ca-dgemv");
    const struct tcplan_explained *side = loser_of(&explained);
    assert_int_equal(side->operand[TCPLAN_B].level,
                     0); /* level 0: 6400 bytes, the same in every call */
    assert_int_equal(side->operand[TCPLAN_C].level,
                     2); /* level 2, the memory: 8 MB since the previous execution */
    assert_true(side->operand[TCPLAN_C].lines == 100 &&
                side->operand[TCPLAN_C].used_share == 0.125);
    assert_true(side->operand[TCPLAN_C].prefetched);
    explained_free(&explained);
}

static void an_algorithm_of_another_contraction_is_refused(void **state) {
    (void)state;
    struct explained explained;
    struct tcplan_error error = {0};
    explained_rank(&explained, "C_ab=A_ai*B_ib", "a=b=i=5", TCPLAN_DOUBLE, TCPLAN_SPACE_BLAS);
    struct tcplan_algorithm stranger = tcplan_algorithm_empty();
    stranger.group[TCPLAN_K] = 1U << 7;
    assert_int_equal(tcplan_explain(&explained.explanation, explained.ranking, &stranger,
                                    &explained.options, &error),
                     TCPLAN_INVALID);
    assert_null(explained.explanation);
    assert_non_null(strstr(error.message, "the kernel's k has index number 7; expected 0 to 2"));
    explained_free(&explained);
}

/* Tests the rules of explanations with scripted times of the parts. */

static struct tcplan_explained scripted_side(const double part_seconds[TCPLAN_PARTS],
                                             double uncertainty) {
    struct tcplan_explained side = {.calls = 1};
    for (int part = 0; part < TCPLAN_PARTS; part++) {
        side.part_seconds[part] = part_seconds[part];
        side.prediction.seconds += part_seconds[part];
    }
    side.prediction.low = side.prediction.seconds * (1 - uncertainty);
    side.prediction.high = side.prediction.seconds * (1 + uncertainty);
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        side.operand[t] = (struct tcplan_explained_operand){.lines = 1, .used_share = 1};
    return side;
}

static struct tcplan_explanation scripted(const double winner[TCPLAN_PARTS],
                                          const double loser[TCPLAN_PARTS], double uncertainty) {
    return (struct tcplan_explanation){
        .side_count = TCPLAN_EXPLAINED_SIDES,
        .side = {scripted_side(winner, uncertainty), scripted_side(loser, uncertainty)}};
}

static void parts_are_named_by_their_difference(void **state) {
    (void)state;
    struct tcplan_explanation explanation =
        scripted((double[]){1, 10, 0, 5},
                 (double[TCPLAN_PARTS]){[TCPLAN_PART_OVERHEAD] = 4, 10, 0.5, 20}, 0.01);
    explain_reasons(&explanation);
    assert_int_equal(explanation.reason_count, 4);
    assert_int_equal(explanation.reason[0].kind, TCPLAN_REASON_FASTER);
    assert_int_equal(explanation.reason[1].kind, TCPLAN_REASON_CALLS);
    assert_int_equal(explanation.reason[2].kind, TCPLAN_REASON_PART);
    assert_int_equal(explanation.reason[2].part, TCPLAN_PART_WAITING);
    assert_true(explanation.reason[2].seconds == 15);
    assert_int_equal(explanation.reason[3].part, TCPLAN_PART_OVERHEAD);
}

static void advantages_of_the_loser_come_last(void **state) {
    (void)state;
    struct tcplan_explanation explanation =
        scripted((double[]){0, 10, 4, 0}, (double[]){0, 30, 0, 0}, 0.01);
    explain_reasons(&explanation);
    assert_int_equal(explanation.reason_count, 4);
    assert_int_equal(explanation.reason[3].kind, TCPLAN_REASON_AHEAD);
    assert_int_equal(explanation.reason[3].part, TCPLAN_PART_COPIES);
    assert_true(explanation.reason[3].seconds == -4);
}

static void parts_stay_within_the_whole(void **state) {
    (void)state;
    struct tcplan_explained side = {.prediction = {.seconds = 10},
                                    .stretch_seconds = 8,
                                    .calls = 4,
                                    .share = 1,
                                    .kernel_seconds = 27.7};
    side.smallest_call_seconds = 1;
    side.copy[0] = (struct tcplan_explained_copy){.seconds = 2, .apart = true};
    side.copy[1] = (struct tcplan_explained_copy){.seconds = 3};
    side.copy_count = 2;
    assert_false(explain_divide(&side, 1));
    double sum = 0;
    for (int part = 0; part < TCPLAN_PARTS; part++) {
        assert_true(side.part_seconds[part] >= 0 &&
                    side.part_seconds[part] <= side.prediction.seconds);
        sum += side.part_seconds[part];
    }
    assert_true(fabs(sum - 10) < 1e-12 && side.part_seconds[TCPLAN_PART_WAITING] < 1e-12);
}

static void parts_are_scaled_to_the_predicted_time(void **state) {
    (void)state;
    struct tcplan_explained side = {.prediction = {.seconds = 5},
                                    .stretch_seconds = 5,
                                    .calls = 1,
                                    .share = 1,
                                    .kernel_seconds = 6};
    assert_true(explain_divide(&side, 0.5)); /* its samples in the comparison took 10 s */
    assert_true(side.scale == 0.5);
    assert_true(fabs(side.part_seconds[TCPLAN_PART_KERNEL] - 3) < 1e-12);
    assert_true(fabs(side.part_seconds[TCPLAN_PART_WAITING] - 2) < 1e-12);
}

static void overlapping_intervals_are_no_tie(void **state) {
    (void)state;
    struct tcplan_explanation explanation =
        scripted((double[]){0, 10, 0, 0}, (double[]){0, 65, 0, 0}, 0.9);
    explanation.side[TCPLAN_LOSER].pruned = true;
    explain_reasons(&explanation);
    assert_int_equal(explanation.reason[0].kind, TCPLAN_REASON_FASTER);
    explanation.side[TCPLAN_LOSER].tied = true;
    explain_reasons(&explanation);
    assert_int_equal(explanation.reason[0].kind, TCPLAN_REASON_TIE);
}

static void lines_are_wasted_beyond_the_first_cache_only(void **state) {
    (void)state;
    struct tcplan_explanation explanation =
        scripted((double[]){0, 10, 0, 0}, (double[]){0, 20, 0, 0}, 0.01);
    struct tcplan_explained_operand *operand = &explanation.side[TCPLAN_LOSER].operand[TCPLAN_B];
    *operand = (struct tcplan_explained_operand){
        .lines = 50, .used_share = 0.125, .total_traffic_bytes = 1e6};
    explain_reasons(&explanation);
    assert_int_equal(explanation.reason_count, 3);
    operand->level = operand->prefetch_level = 1;
    explain_reasons(&explanation);
    assert_int_equal(explanation.reason_count, 4);
    assert_int_equal(explanation.reason[3].kind, TCPLAN_REASON_LINES);
    assert_int_equal(explanation.reason[3].operand, TCPLAN_B);
    explanation.side[TCPLAN_WINNER].operand[TCPLAN_B] = *operand;
    explain_reasons(&explanation);
    assert_int_equal(explanation.reason_count, 3);
}

static void threads_share_the_explained_loops(void **state) {
    (void)state;
    struct explained explained;
    struct tcplan_error error = {0};
    struct tcplan_algorithm algorithm;
    explained = (struct explained){.options = tcplan_rank_defaults()};
    explained.options.machine = &small_machine;
    explained.options.threads = 2;
    explained.options.exact_threads = explained.options.oversubscribe = true;
    explained.options.effort = TCPLAN_EFFORT_QUICK;
    random_contraction_given(&explained.given, "C_abc=A_ai*B_ibc", "a=b=40,c=16,i=20",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    if (tcplan_rank(&explained.ranking, &explained.given.problem, &explained.options, &error))
        fail_msg("%s", error.message);
    if (tcplan_algorithm_parse(&algorithm, explained.given.contraction, TCPLAN_DOUBLE, "c|-dgemm",
                               &error))
        fail_msg("%s", error.message);
    if (tcplan_explain(&explained.explanation, explained.ranking, &algorithm, &explained.options,
                       &error))
        fail_msg("%s", error.message);
    const int count = explained.explanation->side_count;
    bool found = false;
    for (int s = 0; s < count; s++) {
        const struct tcplan_explained *side = &explained.explanation->side[s];
        if (side->algorithm.parallel != 0 || side->algorithm.loop_count != 1 ||
            side->copy_count > 0)
            continue;
        found = true;
        assert_true(side->share == 0.5);
        assert_true(fabs(side->call_seconds - 2 * side->stretch_seconds / (double)side->calls) <=
                    1e-9 * side->call_seconds);
    }
    assert_true(found);
    explained_free(&explained);
}

static void the_reason_why_an_algorithm_cannot_run_is_reported(void **state) {
    (void)state;
    const struct compiler fails = {.path = "/bin/false", .name = "cc", .limit_seconds = 20};
    struct tcplan_algorithm algorithm;
    struct tcplan_error error = {0};
    struct explained explained;
    explained_rank(&explained, "C_abc=A_ai*B_ibc", "a=b=c=i=6", TCPLAN_DOUBLE, TCPLAN_SPACE_BLAS);
    assert_int_equal(tcplan_algorithm_parse(&algorithm, explained.given.contraction, TCPLAN_DOUBLE,
                                            "c-dgemm@emitted'1x4", &error),
                     TCPLAN_OK);
    struct tcplan_entry *last = &explained.ranking->entry[explained.ranking->entry_count - 1];
    last->algorithm = algorithm;
    last->status = TCPLAN_ENTRY_NOT_APPLICABLE;
    emitted_set_compiler(&fails);
    assert_int_equal(tcplan_explain(&explained.explanation, explained.ranking, &algorithm,
                                    &explained.options, &error),
                     TCPLAN_NOT_APPLICABLE);
    assert_non_null(strstr(error.message, "/bin/false failed"));
    emitted_set_compiler(NULL);
    explained_free(&explained);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reason_why_an_algorithm_cannot_run_is_reported),
        cmocka_unit_test(the_runner_up_is_explained_by_default),
        cmocka_unit_test(a_named_algorithm_is_explained_though_it_was_pruned),
        cmocka_unit_test(naming_the_winner_compares_it_with_the_runner_up),
        cmocka_unit_test(every_type_and_cache_state_is_explained),
        cmocka_unit_test(copies_are_distinguished_and_named),
        cmocka_unit_test(the_only_algorithm_is_explained_without_another),
        cmocka_unit_test(operands_come_from_the_level_that_holds_them),
        cmocka_unit_test(an_algorithm_of_another_contraction_is_refused),
        cmocka_unit_test(parts_are_named_by_their_difference),
        cmocka_unit_test(advantages_of_the_loser_come_last),
        cmocka_unit_test(parts_stay_within_the_whole),
        cmocka_unit_test(parts_are_scaled_to_the_predicted_time),
        cmocka_unit_test(overlapping_intervals_are_no_tie),
        cmocka_unit_test(lines_are_wasted_beyond_the_first_cache_only),
        cmocka_unit_test(threads_share_the_explained_loops),
    };
    return cmocka_run_group_tests(tests, load_machine, NULL);
}
