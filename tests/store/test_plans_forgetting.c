/* Tests how stored plans are removed: on request, and beyond the maximum number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "store/folder.h"
#include "support/stored_plans.h"

/* Forgetting. */

static void the_least_recently_used_plans_are_forgotten_first(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        for (int n = 1; n <= 4; n++) {
            struct subject stored;
            subject_numbered(&stored, n);
            struct tcplan_stored_plans *plans =
                place_open_at((enum place)place, NOW - (10 - n) * DAY);
            assert_int_equal(subject_keep(plans, &stored), TCPLAN_OK);
            tcplan_stored_plans_close(plans);
            subject_free(&stored);
        }
        place_use_plan((enum place)place, 1, NOW);
        assert_int_equal(
            place_forget_plans((enum place)place, NOW, &(struct tcplan_plan_choice){.most = 3}), 1);
        assert_true(place_has_plan((enum place)place, 1) && !place_has_plan((enum place)place, 2));
        assert_int_equal(place_forget_plans((enum place)place, NOW,
                                            &(struct tcplan_plan_choice){.least_days = 30}),
                         0);
    }
}

/** Plans that were stored while the clock was ahead must not count as the newest ones forever. */
static void what_was_used_ahead_of_the_clock_is_forgotten_before_others_until_it_is_used_again(
    void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        for (int n = 1; n <= 4; n++) {
            struct subject stored;
            subject_numbered(&stored, n);
            struct tcplan_stored_plans *plans =
                place_open_at((enum place)place, n <= 2 ? NOW + 4000LL * DAY + n : NOW - n * DAY);
            assert_int_equal(subject_keep(plans, &stored), TCPLAN_OK);
            tcplan_stored_plans_close(plans);
            subject_free(&stored);
        }
        place_use_plan((enum place)place, 1, NOW); /* the plan can still be used */
        assert_int_equal(
            place_forget_plans((enum place)place, NOW, &(struct tcplan_plan_choice){.most = 2}), 2);
        assert_true(place_has_plan((enum place)place, 1) && place_has_plan((enum place)place, 3));
        assert_int_equal(places_clear(NULL), 0);
    }
}

static void plans_are_forgotten_by_name_by_age_and_all(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct tcplan_plan_list list;
        for (int n = 1; n <= 4; n++) {
            struct subject stored;
            subject_numbered(&stored, n);
            struct tcplan_stored_plans *plans =
                place_open_at((enum place)place, NOW - (n == 4 ? 40 : 0) * DAY);
            assert_int_equal(subject_keep(plans, &stored), TCPLAN_OK);
            tcplan_stored_plans_close(plans);
            subject_free(&stored);
        }
        struct tcplan_stored_plans *plans = place_open((enum place)place);
        assert_int_equal(tcplan_stored_plans_list(&list, plans, NULL), TCPLAN_OK);
        assert_int_equal(list.count, 4);
        const struct tcplan_plan_choice named = {.name = list.item[0].name},
                                        short_name = {.name = "0"};
        assert_int_equal(place_forget_plans((enum place)place, NOW, &short_name), 0);
        assert_int_equal(place_forget_plans((enum place)place, NOW, &named), 1);
        assert_int_equal(place_forget_plans((enum place)place, NOW, &named), 0);
        assert_int_equal(place_forget_plans((enum place)place, NOW,
                                            &(struct tcplan_plan_choice){.unusable = true}),
                         0);
        assert_int_equal(place_forget_plans((enum place)place, NOW,
                                            &(struct tcplan_plan_choice){.least_days = 30}),
                         1);
        assert_false(place_has_plan((enum place)place, 4));
        assert_int_equal(
            place_forget_plans((enum place)place, NOW, &(struct tcplan_plan_choice){0}), 2);
        assert_int_equal(place_count((enum place)place), 0);
        tcplan_plan_list_free(&list);
        tcplan_stored_plans_close(plans);
    }
}

/** The store lists a file of plans as undamaged, however many plans it has. */
static void a_large_file_of_plans_is_an_entry_of_the_store(void **state) {
    enum { COPIES = 16000 };
    const struct tcplan_store store = places_store(NOW);
    struct tcplan_store_list list;
    struct strbuf text = {0};
    char path[256];
    size_t count;
    (void)state;
    char *entry = plan_entries(1);
    for (int copy = 0; copy < COPIES; copy++) strbuf_append(&text, entry, strlen(entry));
    assert_true(text.length > 4 << 20);
    assert_int_equal(folder_make(places_folder, NULL), TCPLAN_OK);
    snprintf(path, sizeof path, "%s/plans.tcplan", places_folder);
    file_write(path, text.text, text.length);
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.item[0].kind, "plans");
    assert_int_equal(list.item[0].status, TCPLAN_OK);
    tcplan_store_list_free(&list);
    assert_int_equal(
        tcplan_store_forget(&count, &store, &(struct tcplan_store_choice){.unusable = true}, NULL),
        TCPLAN_OK);
    assert_int_equal(count, 0);
    assert_int_equal(
        tcplan_store_forget(&count, &store, &(struct tcplan_store_choice){.name = "plans"}, NULL),
        TCPLAN_OK);
    assert_int_equal(count, 1);
    strbuf_free(&text);
    free(entry);
}

static void beyond_the_bound_the_least_recently_used_go(void **state) {
    enum { BEFORE = TCPLAN_PLANS_MOST + TCPLAN_PLANS_MOST / 20 };
    (void)state;
    assert_int_equal(folder_make(places_folder, NULL), TCPLAN_OK);
    char *text = plan_entries(BEFORE);
    assert_non_null(text);
    file_write(places_file, text, strlen(text));
    free(text);
    for (int place = 0; place < PLACES; place++) {
        struct tcplan_stored_plans *plans = place_open((enum place)place);
        assert_int_equal(place_count((enum place)place), BEFORE);
        place_use_plan((enum place)place, 1, NOW);
        for (int n = 1; n <= 2; n++) { /* each time the file grows, it is checked again */
            struct subject stored;
            subject_numbered(&stored, BEFORE + n);
            for (int again = 0; again < 120; again++)
                assert_int_equal(subject_keep(plans, &stored), TCPLAN_OK);
            subject_free(&stored);
        }
        tcplan_stored_plans_close(plans);
        assert_in_range(place_count((enum place)place), TCPLAN_PLANS_MOST, TCPLAN_PLANS_MOST + 3);
        assert_false(place_has_plan((enum place)place, 2));
        assert_false(place_has_plan((enum place)place, 1)); /* the date of last use has a resolution
                                                               of a day */
        assert_true(place_has_plan((enum place)place, BEFORE));
    }
}

static void a_file_that_is_added_to_over_and_over_stays_small(void **state) {
    size_t length;
    (void)state;
    struct tcplan_stored_plans *plans = place_open(IN_FILE);
    for (int n = 0; n < 600; n++) {
        struct subject stored;
        subject_numbered(&stored, 1 + n % 3);
        assert_int_equal(subject_keep(plans, &stored), TCPLAN_OK);
        subject_free(&stored);
    }
    tcplan_stored_plans_close(plans);
    free(file_read(places_file, &length));
    assert_in_range(length, 1, 3 * (64 << 10));
    assert_int_equal(place_count(IN_FILE), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_least_recently_used_plans_are_forgotten_first, places_clear),
        cmocka_unit_test_setup(
            what_was_used_ahead_of_the_clock_is_forgotten_before_others_until_it_is_used_again,
            places_clear),
        cmocka_unit_test_setup(plans_are_forgotten_by_name_by_age_and_all, places_clear),
        cmocka_unit_test_setup(a_large_file_of_plans_is_an_entry_of_the_store, places_clear),
        cmocka_unit_test_setup(beyond_the_bound_the_least_recently_used_go, places_clear),
        cmocka_unit_test_setup(a_file_that_is_added_to_over_and_over_stays_small, places_clear),
    };
    return cmocka_run_group_tests(tests, places_make, places_remove);
}
