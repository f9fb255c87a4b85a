/* Tests the keys of stored plans, and how plans are found in memory and in the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "store/entry.h"
#include "store/folder.h"
#include "store/plans_file.h"
#include "support/stored_plans.h"

static void key_of(char out[PLAN_KEY], unsigned char bytes[PLAN_KEY_BYTES], size_t *length,
                   const struct tcplan_problem *problem, const struct tcplan_plan_setup *setup) {
    struct tcplan_contraction canonical;
    struct tcplan_stored_plan plan;
    assert_true(plan_contraction_of(&canonical, problem));
    assert_int_equal(plan_identify(&plan, &canonical, problem, setup, NULL), TCPLAN_OK);
    plan_key(out, &plan);
    *length = plan_key_bytes(bytes, problem, setup);
    assert_in_range(*length, 1, PLAN_KEY_BYTES);
}

/** Returns whether two problems share a plan. Their keys as text and their keys as bytes must
 * agree about it. */
static bool share(const struct tcplan_problem *a, const struct tcplan_problem *b) {
    char key[2][PLAN_KEY];
    unsigned char bytes[2][PLAN_KEY_BYTES];
    size_t length[2];
    key_of(key[0], bytes[0], &length[0], a, &one_thread);
    key_of(key[1], bytes[1], &length[1], b, &one_thread);
    const bool same = strcmp(key[0], key[1]) == 0;
    assert_int_equal(same, length[0] == length[1] && memcmp(bytes[0], bytes[1], length[0]) == 0);
    return same;
}

struct pair {
    const char *text[2];
    const char *sizes[2];
    const char *strides[2];
    bool same;
};

static void names_of_indices_and_tensors_do_not_matter_and_all_else_does(void **state) {
    static const struct pair pairs[] = {
        {{"C_abc=A_ai*B_ibc", "Z_xyq=U_xk*V_kyq"},
         {"a=4,b=5,c=6,i=7", "x=4,y=5,q=6,k=7"},
         {NULL, NULL},
         true},
        {{"C_abc=A_ai*B_ibc", "C[row,col,x]=A[row,k]*B[k,col,x]"},
         {"a=4,b=5,c=6,i=7", "row=4,col=5,x=6,k=7"},
         {NULL, NULL},
         true},
        {{"C_abc=A_ai*B_ibc", "C_abc=A_ai*B_ibc"},
         {"a=4,b=5,c=6,i=7", "a=4,b=5,c=6,i=8"},
         {NULL, NULL},
         false},
        {{"C_abc=A_ai*B_ibc", "C_abc=A_ia*B_ibc"},
         {"a=4,b=5,c=6,i=7", "a=4,b=5,c=6,i=7"},
         {NULL, NULL},
         false},
        {{"C_abc=A_ai*B_ibc", "C_abc=A_ibc*B_ai"},
         {"a=4,b=5,c=6,i=7", "a=4,b=5,c=6,i=7"},
         {NULL, NULL},
         false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*A_ib"}, {"a=4,b=4,i=4", "a=4,b=4,i=4"}, {NULL, NULL}, false},
        {{"C_ab=3*A_ai*B_ib", "C_ab=-0.5*A_ai*B_ib"},
         {"a=4,b=4,i=4", "a=4,b=4,i=4"},
         {NULL, NULL},
         true},
        {{"C_ab=3*A_ai*B_ib", "C_ab=A_ai*B_ib"},
         {"a=4,b=4,i=4", "a=4,b=4,i=4"},
         {NULL, NULL},
         false},
        {{"C_ab=A_ai*B_ib", "C_ab+=A_ai*B_ib"},
         {"a=4,b=4,i=4", "a=4,b=4,i=4"},
         {NULL, NULL},
         false},
        {{"C_ab=A_ai*B_ib+2*C_ab", "D_ab=A_ai*B_ib+2*C_ab"},
         {"a=4,b=4,i=4", "a=4,b=4,i=4"},
         {NULL, NULL},
         false},
        {{"D_ab=A_ai*B_ib+2*C_ba", "D_ab=A_ai*B_ib+2*C_ab"},
         {"a=4,b=4,i=4", "a=4,b=4,i=4"},
         {NULL, NULL},
         false},
        {{"D_ab=A_ai*B_ib+2*A_ab", "D_ab=A_ai*B_ib+2*C_ab"},
         {"a=4,b=4,i=4", "a=4,b=4,i=4"},
         {NULL, NULL},
         false},
        {{"D_ab=A_ai*B_ib+2*A_ab", "D_ab=A_ai*B_ib+2*B_ab"},
         {"a=4,b=4,i=4", "a=4,b=4,i=4"},
         {NULL, NULL},
         false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"},
         {"a=4,b=5,i=6", "a=4,b=5,i=6"},
         {"A=1,9", "A=1,70"},
         true},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"},
         {"a=4,b=5,i=6", "a=4,b=5,i=6"},
         {"A=1,9", "A=1,4"},
         false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"},
         {"a=4,b=5,i=6", "a=4,b=5,i=6"},
         {"A=1,9", "A=2,9"},
         false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"},
         {"a=4,b=5,i=6", "a=4,b=5,i=6"},
         {"A=1,9", "A=9,1"},
         false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"},
         {"a=4,b=5,i=6", "a=4,b=5,i=6"},
         {"A=1,9", "A=1,-9"},
         false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"},
         {"a=4,b=5,i=6", "a=4,b=5,i=6"},
         {"A=1,9", "A=1,0"},
         false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"},
         {"a=4,b=5,i=6", "a=4,b=5,i=6"},
         {"A=1,9", "B=1,9"},
         false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"},
         {"a=4,b=5,i=6", "a=4,b=5,i=6"},
         {"A=1,9", NULL},
         false},
    };
    (void)state;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        struct random_contraction given[2];
        for (int i = 0; i < 2; i++) {
            if (pairs[p].strides[i]) {
                random_contraction_strided(&given[i], pairs[p].text[i], pairs[p].sizes[i],
                                           pairs[p].strides[i], TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
            } else {
                random_contraction_given(&given[i], pairs[p].text[i], pairs[p].sizes[i],
                                         TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
            }
        }
        if (share(&given[0].problem, &given[1].problem) != pairs[p].same)
            fail_msg("%s and %s", pairs[p].text[0], pairs[p].text[1]);
        random_contraction_free(&given[0]);
        random_contraction_free(&given[1]);
    }
}

static void setups_and_types_have_plans_of_their_own(void **state) {
    const struct tcplan_plan_setup setups[] = {{.threads = 1},
                                               {.threads = 2},
                                               {.threads = 1, .cache = 1},
                                               {.threads = 1, .space = 1},
                                               {.threads = 1, .prefer = 1},
                                               {.threads = 1, .alignment_bytes = 64}};
    enum { SETUPS = sizeof setups / sizeof *setups, KEYS = SETUPS * 3 };
    static char key[KEYS][PLAN_KEY];
    static unsigned char bytes[KEYS][PLAN_KEY_BYTES];
    size_t length[KEYS];
    (void)state;
    for (size_t k = 0; k < KEYS; k++) {
        struct random_contraction given;
        random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=b=4,i=5",
                                 k / SETUPS == 2 ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR,
                                 k / SETUPS == 1 ? TCPLAN_FLOAT : TCPLAN_DOUBLE);
        key_of(key[k], bytes[k], &length[k], &given.problem, &setups[k % SETUPS]);
        random_contraction_free(&given);
        for (size_t other = 0; other < k; other++) {
            assert_string_not_equal(key[k], key[other]);
            assert_true(length[k] != length[other] ||
                        memcmp(bytes[k], bytes[other], length[k]) != 0);
        }
    }
}

static void plans_of_any_contraction_are_read_back_and_checked(void **state) {
    struct random_contraction_options options = random_contraction_defaults();
    static const struct tcplan_store any_machine = {0};
    (void)state;
    options.max_rank = 7;
    options.max_indices = 9;
    options.long_names = true;
    options.zeros = false;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct random_contraction given;
        struct tcplan_enumerator enumerator;
        struct tcplan_contraction canonical;
        struct tcplan_stored_plan plan;
        struct filed_plan read;
        struct tcplan_algorithm algorithm, checked;
        random_contraction_init(&given, seed, &options);
        tcplan_enumerator_init(&enumerator, given.contraction);
        assert_true(tcplan_enumerator_next(&enumerator, &algorithm));
        assert_true(plan_contraction_of(&canonical, &given.problem));
        assert_int_equal(plan_identify(&plan, &canonical, &given.problem, &one_thread, NULL),
                         TCPLAN_OK);
        char *name = tcplan_algorithm_name(&algorithm, &canonical, given.problem.dtype);
        assert_non_null(name);
        snprintf(plan.algorithm, sizeof plan.algorithm, "%s", name);
        plan.seconds = plan.low = plan.high = 1;
        struct entry entry = {.made = NOW, .kind = &store_kind_plans};
        plan_key(entry.key, &plan);
        char *text = entry_text(&entry, &plan);
        assert_non_null(text);
        plans_read(&read, &any_machine, &(struct plans_piece){text, strlen(text)}, text);
        if (!*read.item.name)
            fail_msg("%s: %s", random_contraction_describe(&given), read.item.reason);
        assert_true(plan_is_same(&plan, &read.item.plan));
        assert_int_equal(tcplan_algorithm_parse(&checked, &canonical, given.problem.dtype,
                                                read.item.plan.algorithm, NULL),
                         TCPLAN_OK);
        assert_true(tcplan_algorithm_equal(&checked, &algorithm));
        free(name);
        free(text);
        random_contraction_free(&given);
    }
}

/* Storing and finding. */

static void a_plan_is_found_again_by_a_product_with_other_names(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct subject stored, asked, other;
        subject_init(&stored, "C_abc=A_ai*B_ibc", "a=4,b=5,c=6,i=7", NULL, "ci-dger");
        subject_init(&asked, "X_zyw=P_zc*Q_cyw", "z=4,y=5,w=6,c=7", NULL, "wc-dger");
        subject_init(&other, "C_abc=A_ai*B_ibc", "a=4,b=5,c=6,i=8", NULL, "ci-dger");
        assert_int_equal(subject_find_anew((enum place)place, &stored), TCPLAN_NOT_APPLICABLE);
        assert_int_equal(subject_keep_anew((enum place)place, &stored), TCPLAN_OK);
        assert_int_equal(subject_find_anew((enum place)place, &stored), TCPLAN_OK);
        assert_int_equal(subject_find_anew((enum place)place, &asked), TCPLAN_OK);
        assert_int_equal(subject_find_anew((enum place)place, &other), TCPLAN_NOT_APPLICABLE);
        assert_int_equal(place_count((enum place)place), 1);
        subject_free(&stored);
        subject_free(&asked);
        subject_free(&other);
    }
}

static void a_plan_is_found_with_its_details(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct subject stored;
        struct tcplan_found_plan found;
        subject_numbered(&stored, 3);
        assert_int_equal(subject_keep_anew((enum place)place, &stored), TCPLAN_OK);
        struct tcplan_stored_plans *plans = place_open_at((enum place)place, NOW + 5);
        assert_int_equal(tcplan_stored_plans_find(&found, plans, &stored.given.problem, &one_thread,
                                                  NORMAL, NULL),
                         TCPLAN_OK);
        assert_true(found.seconds == stored.plan.seconds && found.low == stored.plan.low &&
                    found.high == stored.plan.high);
        assert_int_equal(found.effort, NORMAL);
        assert_int_equal(found.workspace_bytes, 64);
        assert_int_equal(found.made, NOW);
        tcplan_stored_plans_close(plans);
        subject_free(&stored);
    }
}

static void a_process_does_not_reread_known_plans(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct subject stored;
        subject_numbered(&stored, 5);
        assert_int_equal(subject_keep_anew((enum place)place, &stored), TCPLAN_OK);
        struct tcplan_stored_plans *plans = place_open((enum place)place);
        assert_int_equal(subject_find(plans, &stored), TCPLAN_OK);
        places_clear(NULL);
        assert_int_equal(subject_find(plans, &stored), TCPLAN_OK);
        assert_int_equal(subject_find_anew((enum place)place, &stored), TCPLAN_NOT_APPLICABLE);
        tcplan_stored_plans_close(plans);
        subject_free(&stored);
    }
}

static void many_plans_are_found_in_memory(void **state) {
    enum { MANY = 300 };
    (void)state;
    struct tcplan_stored_plans *plans = place_open(IN_FILE);
    for (int n = 1; n <= MANY; n++) {
        struct subject stored;
        subject_numbered(&stored, n);
        assert_int_equal(subject_keep(plans, &stored), TCPLAN_OK);
        subject_free(&stored);
    }
    places_clear(NULL);
    for (int n = 1; n <= MANY; n++) {
        struct subject stored;
        subject_numbered(&stored, n);
        assert_int_equal(subject_find(plans, &stored), TCPLAN_OK);
        subject_free(&stored);
    }
    tcplan_stored_plans_close(plans);
}

static void a_plan_that_was_found_with_more_effort_stays(void **state) {
    static const int efforts[] = {NORMAL, QUICK, THOROUGH, NORMAL};
    static const int stays[] = {NORMAL, NORMAL, THOROUGH, THOROUGH};
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        for (int e = 0; e < 4; e++) {
            struct subject stored;
            struct tcplan_found_plan found;
            subject_numbered(&stored, 4);
            stored.plan.effort = efforts[e];
            assert_int_equal(subject_keep_anew((enum place)place, &stored), TCPLAN_OK);
            struct tcplan_stored_plans *plans = place_open((enum place)place);
            assert_int_equal(tcplan_stored_plans_find(&found, plans, &stored.given.problem,
                                                      &one_thread, 0, NULL),
                             TCPLAN_OK);
            assert_int_equal(found.effort, stays[e]);
            const enum tcplan_status better = tcplan_stored_plans_find(
                &found, plans, &stored.given.problem, &one_thread, THOROUGH, NULL);
            assert_int_equal(better, stays[e] == THOROUGH ? TCPLAN_OK : TCPLAN_NOT_APPLICABLE);
            tcplan_stored_plans_close(plans);
            subject_free(&stored);
        }
        assert_int_equal(place_count((enum place)place), 1);
    }
}

/** Returns the distance of the only plan near a subject, which must have its algorithm. */
static double nearest_distance(struct tcplan_stored_plans *plans, const struct subject *subject) {
    struct tcplan_found_plan near[4];
    size_t count = 0;
    assert_int_equal(tcplan_stored_plans_near(near, 4, &count, plans, &subject->given.problem,
                                              &one_thread, NULL),
                     TCPLAN_OK);
    assert_int_equal(count, 1);
    assert_true(tcplan_algorithm_equal(&near[0].algorithm, &subject->plan.algorithm));
    return near[0].distance;
}

static void plans_of_other_machines_are_not_used_but_are_near(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct subject stored;
        struct tcplan_store store = places_store(NOW);
        struct tcplan_stored_plans *plans = NULL;
        struct tcplan_plan_list list;
        subject_numbered(&stored, 9);
        assert_int_equal(subject_keep_anew((enum place)place, &stored), TCPLAN_OK);
        snprintf(store.fingerprint.part[TCPLAN_FINGERPRINT_LIBRARIES], TCPLAN_MACHINE_TEXT,
                 "another BLAS");
        assert_int_equal(
            tcplan_stored_plans_open(&plans, &store, place == IN_FILE ? places_file : NULL, NULL),
            TCPLAN_OK);
        assert_int_equal(subject_find(plans, &stored), TCPLAN_NOT_APPLICABLE);
        assert_true(nearest_distance(plans, &stored) > 0);
        assert_int_equal(subject_keep(plans, &stored), TCPLAN_OK);
        assert_true(nearest_distance(plans, &stored) == 0);
        assert_int_equal(tcplan_stored_plans_list(&list, plans, NULL), TCPLAN_OK);
        assert_int_equal(list.count, 2);
        assert_int_equal((list.item[0].status == TCPLAN_OK) + (list.item[1].status == TCPLAN_OK),
                         1);
        assert_string_not_equal(list.item[0].name, list.item[1].name);
        tcplan_plan_list_free(&list);
        tcplan_stored_plans_close(plans);
        assert_int_equal(subject_find_anew((enum place)place, &stored), TCPLAN_OK);
        subject_free(&stored);
    }
}

static void without_a_place_nothing_is_found_or_stored(void **state) {
    const struct tcplan_store store = {0};
    struct tcplan_stored_plans *plans = NULL;
    struct tcplan_plan_list list;
    struct subject stored;
    size_t count = 1;
    (void)state;
    subject_numbered(&stored, 2);
    assert_int_equal(tcplan_stored_plans_open(&plans, &store, NULL, NULL), TCPLAN_OK);
    assert_null(tcplan_stored_plans_path(plans));
    assert_int_equal(subject_keep(plans, &stored), TCPLAN_OK);
    assert_int_equal(subject_find(plans, &stored), TCPLAN_NOT_APPLICABLE);
    assert_int_equal(tcplan_stored_plans_list(&list, plans, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 0);
    tcplan_plan_list_free(&list);
    assert_int_equal(
        tcplan_stored_plans_forget(&count, plans, &(struct tcplan_plan_choice){0}, NULL),
        TCPLAN_OK);
    assert_int_equal(count, 0);
    tcplan_stored_plans_close(plans);
    tcplan_stored_plans_close(NULL);
    subject_free(&stored);
}

static void products_of_many_indices_are_not_stored(void **state) {
    struct random_contraction given;
    struct tcplan_enumerator enumerator;
    struct tcplan_found_plan plan = {.effort = NORMAL, .seconds = 1};
    struct tcplan_error error = {0};
    char letters[28] = "", text[128], sizes[256] = "";
    (void)state;
    for (int i = 0; i < 27; i++) {
        letters[i] = (char)(i < 26 ? 'a' + i : 'X');
        snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%c=1", i > 0 ? "," : "",
                 letters[i]);
    }
    snprintf(text, sizeof text, "C_%s=A_%s*B", letters, letters);
    random_contraction_given(&given, text, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    tcplan_enumerator_init(&enumerator, given.contraction);
    assert_true(tcplan_enumerator_next(&enumerator, &plan.algorithm));
    struct tcplan_stored_plans *plans = place_open(IN_FOLDER);
    assert_int_equal(tcplan_stored_plans_keep(plans, &given.problem, &one_thread, &plan, &error),
                     TCPLAN_NOT_APPLICABLE);
    assert_int_equal(tcplan_stored_plans_find(&plan, plans, &given.problem, &one_thread, 0, &error),
                     TCPLAN_NOT_APPLICABLE);
    tcplan_stored_plans_close(plans);
    random_contraction_free(&given);
}

static void the_nearest_plans_of_like_products_come_first(void **state) {
    static const struct {
        int a;
        const char *algorithm;
    } stored[] = {
        {100, "c-dgemm"}, {120, "b-dgemm"}, {200, "b-dgemm"}, {130, "ca-dgemv"}, {1000, "ci-dger"}};
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct tcplan_found_plan near[4];
        struct subject asked, other;
        size_t count = 0;
        for (size_t s = 0; s < sizeof stored / sizeof *stored; s++) {
            struct subject subject;
            char sizes[64];
            snprintf(sizes, sizeof sizes, "a=%d,b=8,c=9,i=7", stored[s].a);
            subject_init(&subject, "C_abc=A_ai*B_ibc", sizes, NULL, stored[s].algorithm);
            assert_int_equal(subject_keep_anew((enum place)place, &subject), TCPLAN_OK);
            subject_free(&subject);
        }
        subject_init(&other, "C_abc=A_ia*B_ibc", "a=125,b=8,c=9,i=7", NULL, "cb-dgemv");
        assert_int_equal(subject_keep_anew((enum place)place, &other), TCPLAN_OK);
        subject_init(&asked, "Z_xyz=A_xk*B_kyz", "x=125,y=8,z=9,k=7", NULL, "z-dgemm");
        struct tcplan_stored_plans *plans = place_open((enum place)place);
        assert_int_equal(tcplan_stored_plans_near(near, 4, &count, plans, &asked.given.problem,
                                                  &one_thread, NULL),
                         TCPLAN_OK);
        assert_int_equal(count,
                         3); /* the plan for 1000 is too far away, and b-dgemm is listed once */
        static const char *const expected[] = {"zx-dgemv", "y-dgemm", "z-dgemm"};
        for (size_t n = 0; n < count; n++) {
            char *name =
                tcplan_algorithm_name(&near[n].algorithm, asked.given.contraction, TCPLAN_DOUBLE);
            assert_string_equal(name, expected[n]);
            free(name);
        }
        assert_true(near[0].distance > 0 && near[0].distance < near[1].distance &&
                    near[1].distance < near[2].distance);
        assert_int_equal(tcplan_stored_plans_near(near, 1, &count, plans, &asked.given.problem,
                                                  &one_thread, NULL),
                         TCPLAN_OK);
        assert_int_equal(count, 1);
        assert_int_equal(subject_keep(plans, &asked), TCPLAN_OK);
        assert_int_equal(tcplan_stored_plans_near(near, 4, &count, plans, &asked.given.problem,
                                                  &one_thread, NULL),
                         TCPLAN_OK);
        assert_int_equal(count, 3);
        assert_true(near[0].distance == 0 &&
                    tcplan_algorithm_equal(&near[0].algorithm, &asked.plan.algorithm));
        tcplan_stored_plans_close(plans);
        subject_free(&asked);
        subject_free(&other);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(names_of_indices_and_tensors_do_not_matter_and_all_else_does,
                               places_clear),
        cmocka_unit_test_setup(setups_and_types_have_plans_of_their_own, places_clear),
        cmocka_unit_test_setup(plans_of_any_contraction_are_read_back_and_checked, places_clear),
        cmocka_unit_test_setup(a_plan_is_found_again_by_a_product_with_other_names, places_clear),
        cmocka_unit_test_setup(a_plan_is_found_with_its_details, places_clear),
        cmocka_unit_test_setup(a_process_does_not_reread_known_plans, places_clear),
        cmocka_unit_test_setup(many_plans_are_found_in_memory, places_clear),
        cmocka_unit_test_setup(a_plan_that_was_found_with_more_effort_stays, places_clear),
        cmocka_unit_test_setup(plans_of_other_machines_are_not_used_but_are_near, places_clear),
        cmocka_unit_test_setup(without_a_place_nothing_is_found_or_stored, places_clear),
        cmocka_unit_test_setup(products_of_many_indices_are_not_stored, places_clear),
        cmocka_unit_test_setup(the_nearest_plans_of_like_products_come_first, places_clear),
    };
    return cmocka_run_group_tests(tests, places_make, places_remove);
}
