/* Tests stored orders: they are found again unchanged, refused if damaged, and used by planners. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "network/search/fused.h"
#include "store/orders.h"
#include "tcplan/network_order.h"
#include "tcplan/network_stored.h"

static char folder[] = "/tmp/tcplan-orders-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/** An expression and what was found for it. */
struct subject {
    struct tcplan_network *network;
    int64_t extent[32];
    struct tcplan_rank_options rank;
    struct tcplan_stored_plans *plans;
    struct tcplan_order_key key;
    struct tcplan_network_found found;
};

static void open_plans(struct subject *subject) {
    struct tcplan_machine machine;
    assert_int_equal(tcplan_machine_load(&machine, "live", NULL), TCPLAN_OK);
    const struct tcplan_store store = {.folder = folder,
                                       .fingerprint = tcplan_fingerprint_make(&machine)};
    assert_int_equal(tcplan_stored_plans_open(&subject->plans, &store, NULL, NULL), TCPLAN_OK);
}

/** Searches by estimates; the result counts as timed, so that it is stored. */
static void set_up(struct subject *subject, const char *text, const char *sizes) {
    struct tcplan_network_search_options options = tcplan_network_search_defaults();
    *subject = (struct subject){.rank = tcplan_rank_defaults()};
    open_plans(subject);
    assert_int_equal(tcplan_network_parse(&subject->network, text, TCPLAN_ROW_MAJOR, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_network_sizes(subject->extent, subject->network, sizes, NULL),
                     TCPLAN_OK);
    options.objective = TCPLAN_OBJECTIVE_FLOPS;
    assert_int_equal(tcplan_network_search(&subject->found, subject->network, subject->extent,
                                           TCPLAN_DOUBLE, &options, NULL),
                     TCPLAN_OK);
    subject->found.timed = 2;
    subject->found.tree->step[0].timed = true;
    subject->key = (struct tcplan_order_key){.network = subject->network,
                                             .extent = subject->extent,
                                             .dtype = TCPLAN_DOUBLE,
                                             .rank = &subject->rank};
}

static void tear_down(struct subject *subject) {
    tcplan_network_found_free(&subject->found);
    tcplan_network_free(subject->network);
    tcplan_stored_plans_close(subject->plans);
}

/** Compares steps one by one: terms are joined again after reading, as is predicted then. */
static void check_same(const struct tcplan_network_found *again,
                       const struct tcplan_network_found *found) {
    fused_part(again->tree);
    fused_part(found->tree);
    char *expected = tcplan_tree_text(found->tree), *text = tcplan_tree_text(again->tree);
    assert_string_equal(text, expected);
    free(expected);
    free(text);
    assert_int_equal(!again->network, !found->network);
    for (int t = 0; found->network && t < found->network->tensor_count; t++)
        assert_string_equal(again->network->operand[again->network->tensor[t]].name,
                            found->network->operand[found->network->tensor[t]].name);
    for (int s = 0; s < found->tree->step_count; s++) {
        const struct tcplan_tree_step *one = &again->tree->step[s], *other = &found->tree->step[s];
        assert_true(one->seconds == other->seconds && one->timed == other->timed);
        assert_int_equal(!one->algorithm, !other->algorithm);
        if (one->algorithm) assert_string_equal(one->algorithm, other->algorithm);
    }
    assert_int_equal(again->timed, found->timed);
    assert_true(again->estimate_seconds == found->estimate_seconds);
}

static const struct {
    const char *text, *sizes;
} cases[] = {
    {"ab,bc,cd->ad", "a=30,b=3,c=25,d=2"},
    {"R[out,in]=A[out,mid]*B[mid,low]*C[low,in]+2*B[mid,low]*C[low,in]*A[out,mid]",
     "out=9,mid=8,low=7,in=6"},
    {"R_ab=D_cb*A_ac+A_ac*B_cb", "a=b=c=20"}, /* the distributive law makes a sum B+D, in which B
                                                 and D may be numbered otherwise */
    {"R_abij=V_abcd*T_cdij+W_abcd*T_cdij", "a=b=c=d=i=j=8"},
};

static void an_order_is_found_as_it_was(void **state) {
    (void)state;
    int with_sums = 0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct subject subject;
        struct tcplan_network_found again;
        set_up(&subject, cases[c].text, cases[c].sizes);
        with_sums += subject.found.network != NULL;
        assert_int_equal(tcplan_order_recall(&again, subject.plans, &subject.key, NULL),
                         TCPLAN_NOT_APPLICABLE);
        assert_int_equal(tcplan_order_keep(subject.plans, &subject.key, &subject.found, NULL),
                         TCPLAN_OK);
        assert_int_equal(tcplan_order_recall(&again, subject.plans, &subject.key, NULL), TCPLAN_OK);
        check_same(&again, &subject.found);
        tcplan_network_found_free(&again);
        tear_down(&subject);
    }
    assert_in_range(with_sums, 1, 3);
}

static void other_sizes_types_threads_and_efforts_have_none(void **state) {
    (void)state;
    struct subject subject;
    struct tcplan_network_found again;
    set_up(&subject, "ab,bc,cd->ad", "a=31,b=3,c=25,d=2");
    assert_int_equal(tcplan_order_keep(subject.plans, &subject.key, &subject.found, NULL),
                     TCPLAN_OK);
    struct tcplan_rank_options more_threads = subject.rank, more_effort = subject.rank;
    more_threads.threads = 2;
    more_effort.effort = TCPLAN_EFFORT_THOROUGH;
    int64_t other[32];
    memcpy(other, subject.extent, sizeof other);
    other[0]++;
    struct tcplan_order_key key[4] = {subject.key, subject.key, subject.key, subject.key};
    key[0].extent = other;
    key[1].dtype = TCPLAN_FLOAT;
    key[2].rank = &more_threads;
    key[3].rank = &more_effort;
    for (int k = 0; k < 4; k++)
        assert_int_equal(tcplan_order_recall(&again, subject.plans, &key[k], NULL),
                         TCPLAN_NOT_APPLICABLE);
    tear_down(&subject);
}

static void more_effort_replaces_less_and_not_the_reverse(void **state) {
    (void)state;
    struct subject subject;
    struct tcplan_network_found again;
    set_up(&subject, "ab,bc,cd->ad", "a=33,b=3,c=25,d=2");
    static const enum tcplan_effort effort[] = {TCPLAN_EFFORT_QUICK, TCPLAN_EFFORT_NORMAL,
                                                TCPLAN_EFFORT_QUICK};
    for (int e = 0; e < 3; e++) {
        subject.rank.effort = effort[e];
        subject.found.tree->step[0].seconds = e + 1;
        assert_int_equal(tcplan_order_keep(subject.plans, &subject.key, &subject.found, NULL),
                         TCPLAN_OK);
    }
    assert_int_equal(tcplan_order_recall(&again, subject.plans, &subject.key, NULL), TCPLAN_OK);
    assert_true(again.tree->step[0].seconds == 2);
    tcplan_network_found_free(&again);
    tear_down(&subject);
}

/** If a path gives the tree of a stored order, that order is found. */
static void a_path_finds_the_searched_order(void **state) {
    (void)state;
    struct subject subject;
    struct tcplan_network_found again;
    set_up(&subject, "ab,bc,cd->ad", "a=34,b=3,c=25,d=2");
    assert_int_equal(tcplan_order_keep(subject.plans, &subject.key, &subject.found, NULL),
                     TCPLAN_OK);
    subject.key.path = "[(1, 2), (0, 1)]";
    assert_int_equal(tcplan_order_recall(&again, subject.plans, &subject.key, NULL), TCPLAN_OK);
    tcplan_network_found_free(&again);
    subject.key.path = "[(0, 1), (0, 1)]";
    assert_int_equal(tcplan_order_recall(&again, subject.plans, &subject.key, NULL),
                     TCPLAN_NOT_APPLICABLE);
    tear_down(&subject);
}

/** Texts that are truncated, or changed in one byte (every third is tested), are refused or read
 * as another order. */
static void damaged_texts_are_refused(void **state) {
    (void)state;
    struct subject subject;
    struct tcplan_network_found again;
    struct tcplan_error error = {0};
    char *identity = NULL, *text = NULL;
    set_up(&subject, cases[2].text, cases[2].sizes);
    assert_int_equal(tcplan_order_keep(subject.plans, &subject.key, &subject.found, NULL),
                     TCPLAN_OK);
    identity = strdup("expression R_ab=D_cb*A_ac+A_ac*B_cb\nsizes 20,20,20\noptions type=d order=1 "
                      "threads=1 cache=0 space=0 prefer=0 alignment=0 workspace=0 objective=0 "
                      "memory=0 path=\n");
    assert_int_equal(stored_text_find(&text, subject.plans, STORED_ORDERS, identity, &error),
                     TCPLAN_OK);
    const size_t length = strlen(text);
    for (size_t cut = 0; cut < length; cut += 3) {
        const char kept = text[cut];
        text[cut] = '\0';
        assert_int_equal(stored_text_keep(subject.plans, STORED_ORDERS, identity, text, NULL),
                         TCPLAN_OK);
        assert_int_equal(tcplan_order_recall(&again, subject.plans, &subject.key, &error),
                         TCPLAN_INVALID);
        assert_true(*error.message);
        text[cut] = (char)(kept == 'x' ? 'y' : 'x');
        assert_int_equal(stored_text_keep(subject.plans, STORED_ORDERS, identity, text, NULL),
                         TCPLAN_OK);
        if (tcplan_order_recall(&again, subject.plans, &subject.key, &error) == TCPLAN_OK)
            tcplan_network_found_free(&again);
        text[cut] = kept;
    }
    free(identity);
    free(text);
    tear_down(&subject);
}

/** The times of a pass over a single term decide again when the order is read. */
static void a_timed_pass_of_one_term_is_found(void **state) {
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        struct subject subject;
        struct tcplan_network_found again;
        set_up(&subject, "S_klij=W_lkij", fast ? "k=l=i=j=6" : "k=l=i=j=7");
        struct tcplan_tree_step *step = &subject.found.tree->step[0];
        fused_part(subject.found.tree);
        step->seconds = 0.5;
        step->pass_seconds = fast ? 0.25 : 0.75;
        step->pass_streamed = fast;
        step->pass_threads = 3;
        assert_int_equal(tcplan_order_keep(subject.plans, &subject.key, &subject.found, NULL),
                         TCPLAN_OK);
        assert_int_equal(tcplan_order_recall(&again, subject.plans, &subject.key, NULL), TCPLAN_OK);
        assert_int_equal(again.tree->step[0].joined, fast ? 0 : -1);
        assert_true(again.tree->step[0].seconds == (fast ? 0.25 : 0.5));
        assert_true(again.tree->step[0].pass_streamed == fast);
        assert_int_equal(again.tree->step[0].pass_threads, 3);
        tcplan_network_found_free(&again);
        tear_down(&subject);
    }
}

/** Changes an algorithm in the stored order, so that the test notices whether a planner uses the
 * order. */
static void planners_use_it(void **state) {
    (void)state;
    struct subject subject;
    struct tcplan_planner *planner = NULL;
    struct tcplan_network_order *order = NULL;
    set_up(&subject, "ab,bc,cd->ad", "a=30,b=4,c=25,d=2");
    free(subject.found.tree->step[0].algorithm);
    subject.found.tree->step[0].algorithm = strdup("c'bd-inner");
    assert_int_equal(tcplan_order_keep(subject.plans, &subject.key, &subject.found, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, subject.rank.effort, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_plans(planner, folder, NULL), TCPLAN_OK);
    const struct tcplan_network_texts texts = {
        .notation = "ab,bc,cd->ad", .sizes = "a=30,b=4,c=25,d=2", .order = TCPLAN_ROW_MAJOR};
    assert_int_equal(tcplan_network_order_new(&order, planner, &texts, TCPLAN_DOUBLE, NULL),
                     TCPLAN_OK);
    assert_string_equal(tcplan_network_order_tree(order)->step[0].algorithm, "c'bd-inner");
    tcplan_network_order_free(order);
    tcplan_planner_free(planner);
    tear_down(&subject);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_is_found_as_it_was),
        cmocka_unit_test(other_sizes_types_threads_and_efforts_have_none),
        cmocka_unit_test(more_effort_replaces_less_and_not_the_reverse),
        cmocka_unit_test(a_path_finds_the_searched_order),
        cmocka_unit_test(damaged_texts_are_refused),
        cmocka_unit_test(a_timed_pass_of_one_term_is_found),
        cmocka_unit_test(planners_use_it),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
