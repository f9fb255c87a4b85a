/*
 * Stored plans: what they are found by, in both places where they can be, by many at once, and what damage does.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/strbuf.h"
#include "store/folder.h"
#include "store/kind_plans.h"
#include "store/kinds.h"
#include "store/plan_key.h"
#include "store/store.h"
#include "support/random_contraction.h"
#include "tcplan/stored_plans.h"

enum { NOW = 1700000000, DAY = 86400, NORMAL = 2, THOROUGH = 3, QUICK = 1 };

static char root[] = "/tmp/tcplan-plans-XXXXXX";
static char folder[64], file[64];

static int make_root(void **state) {
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int clear_root(void **state) {
    char text[128];
    (void)state;
    snprintf(folder, sizeof folder, "%s/a/store", root);
    snprintf(file, sizeof file, "%s/plans", root);
    snprintf(text, sizeof text, "rm -rf %s/a %s/plans", root, root);
    return system(text);
}

static int remove_root(void **state) {
    char text[128];
    (void)state;
    snprintf(text, sizeof text, "rm -rf %s", root);
    return system(text);
}

/* Places: the same tests in a folder and in a file. */

enum place { IN_FOLDER, IN_FILE, PLACES };

static struct tcplan_store store_of(int64_t now) {
    struct tcplan_store store = {.folder = folder, .now = now};
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++) snprintf(store.fingerprint.part[p], TCPLAN_MACHINE_TEXT, "part %d", p);
    return store;
}

static struct tcplan_stored_plans *open_at(enum place place, int64_t now) {
    const struct tcplan_store store = store_of(now);
    struct tcplan_stored_plans *plans = NULL;
    assert_int_equal(tcplan_stored_plans_open(&plans, &store, place == IN_FILE ? file : NULL, NULL), TCPLAN_OK);
    return plans;
}

static struct tcplan_stored_plans *open_place(enum place place) {
    return open_at(place, NOW);
}

static const struct tcplan_plan_setup one_thread = {.threads = 1};

/** A problem and one of its algorithms. */
struct subject {
    struct random_contraction given;
    struct tcplan_found_plan plan;
};

static void subject_init(struct subject *out, const char *text, const char *sizes, const char *strides, const char *algorithm) {
    if (strides) {
        random_contraction_strided(&out->given, text, sizes, strides, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    } else {
        random_contraction_given(&out->given, text, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    }
    out->plan = (struct tcplan_found_plan){.effort = NORMAL, .seconds = 1e-3, .low = 9e-4, .high = 2e-3, .workspace_bytes = 64};
    assert_int_equal(tcplan_algorithm_parse(&out->plan.algorithm, out->given.contraction, TCPLAN_DOUBLE, algorithm, NULL), TCPLAN_OK);
}

static void subject_free(struct subject *subject) {
    random_contraction_free(&subject->given);
}

static enum tcplan_status keep(struct tcplan_stored_plans *plans, const struct subject *subject) {
    return tcplan_stored_plans_keep(plans, &subject->given.problem, &one_thread, &subject->plan, NULL);
}

static enum tcplan_status find(struct tcplan_stored_plans *plans, const struct subject *subject) {
    struct tcplan_found_plan found;
    const enum tcplan_status status = tcplan_stored_plans_find(&found, plans, &subject->given.problem, &one_thread, 0, NULL);
    if (status == TCPLAN_OK) assert_true(tcplan_algorithm_equal(&found.algorithm, &subject->plan.algorithm));
    return status;
}

/** The same in a process that knows nothing. */
static enum tcplan_status find_anew(enum place place, const struct subject *subject) {
    struct tcplan_stored_plans *plans = open_place(place);
    const enum tcplan_status status = find(plans, subject);
    tcplan_stored_plans_close(plans);
    return status;
}

static enum tcplan_status keep_anew(enum place place, const struct subject *subject) {
    struct tcplan_stored_plans *plans = open_place(place);
    const enum tcplan_status status = keep(plans, subject);
    tcplan_stored_plans_close(plans);
    return status;
}

/** Of extents that differ by number: `C_abc=A_ai*B_ibc`. */
static void numbered_init(struct subject *out, int number) {
    char sizes[64];
    snprintf(sizes, sizeof sizes, "a=%d,b=8,c=9,i=7", number);
    subject_init(out, "C_abc=A_ai*B_ibc", sizes, NULL, number % 2 ? "c-dgemm" : "b-dgemm");
}

static size_t count_of(enum place place) {
    struct tcplan_stored_plans *plans = open_place(place);
    struct tcplan_plan_list list;
    size_t used = 0;
    assert_int_equal(tcplan_stored_plans_list(&list, plans, NULL), TCPLAN_OK);
    for (size_t i = 0; i < list.count; i++) used += list.item[i].status == TCPLAN_OK;
    tcplan_plan_list_free(&list);
    tcplan_stored_plans_close(plans);
    return used;
}

static char *read_text(const char *path, size_t *length) {
    FILE *in = fopen(path, "rb");
    char *text = calloc(1, 1 << 22);
    assert_non_null(text);
    *length = in ? fread(text, 1, 1 << 22, in) : 0;
    if (in) fclose(in);
    return text;
}

static void write_text(const char *path, const char *text, size_t length) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, length, out), length);
    fclose(out);
}

static void assert_holds(const char *path, const char *text, size_t length) {
    size_t found;
    char *now = read_text(path, &found);
    assert_int_equal(found, length);
    assert_memory_equal(now, text, length);
    free(now);
}

/** The path of the only plan in the folder. */
static void only_path(char out[256]) {
    struct folder_names names = {0};
    assert_int_equal(folder_list(&names, folder, NULL), TCPLAN_OK);
    assert_int_equal(names.count, 1);
    snprintf(out, 256, "%s/%s.tcplan", folder, names.name[0]);
    folder_names_free(&names);
}

/* What plans are found by. */

static void key_of(char out[PLAN_KEY], unsigned char bytes[PLAN_KEY_BYTES], size_t *length, const struct tcplan_problem *problem,
                   const struct tcplan_plan_setup *setup) {
    struct tcplan_contraction canonical;
    struct tcplan_stored_plan plan;
    assert_true(plan_contraction_of(&canonical, problem));
    assert_int_equal(plan_identify(&plan, &canonical, problem, setup, NULL), TCPLAN_OK);
    plan_key(out, &plan);
    *length = plan_key_bytes(bytes, problem, setup);
    assert_in_range(*length, 1, PLAN_KEY_BYTES);
}

/** Whether two problems share their plan, by the texts and by the bytes, which must agree. */
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
        {{"C_abc=A_ai*B_ibc", "Z_xyq=U_xk*V_kyq"}, {"a=4,b=5,c=6,i=7", "x=4,y=5,q=6,k=7"}, {NULL, NULL}, true},
        {{"C_abc=A_ai*B_ibc", "C[row,col,x]=A[row,k]*B[k,col,x]"}, {"a=4,b=5,c=6,i=7", "row=4,col=5,x=6,k=7"}, {NULL, NULL}, true},
        {{"C_abc=A_ai*B_ibc", "C_abc=A_ai*B_ibc"}, {"a=4,b=5,c=6,i=7", "a=4,b=5,c=6,i=8"}, {NULL, NULL}, false},
        {{"C_abc=A_ai*B_ibc", "C_abc=A_ia*B_ibc"}, {"a=4,b=5,c=6,i=7", "a=4,b=5,c=6,i=7"}, {NULL, NULL}, false},
        {{"C_abc=A_ai*B_ibc", "C_abc=A_ibc*B_ai"}, {"a=4,b=5,c=6,i=7", "a=4,b=5,c=6,i=7"}, {NULL, NULL}, false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*A_ib"}, {"a=4,b=4,i=4", "a=4,b=4,i=4"}, {NULL, NULL}, false},
        {{"C_ab=3*A_ai*B_ib", "C_ab=-0.5*A_ai*B_ib"}, {"a=4,b=4,i=4", "a=4,b=4,i=4"}, {NULL, NULL}, true},
        {{"C_ab=3*A_ai*B_ib", "C_ab=A_ai*B_ib"}, {"a=4,b=4,i=4", "a=4,b=4,i=4"}, {NULL, NULL}, false},
        {{"C_ab=A_ai*B_ib", "C_ab+=A_ai*B_ib"}, {"a=4,b=4,i=4", "a=4,b=4,i=4"}, {NULL, NULL}, false},
        {{"C_ab=A_ai*B_ib+2*C_ab", "D_ab=A_ai*B_ib+2*C_ab"}, {"a=4,b=4,i=4", "a=4,b=4,i=4"}, {NULL, NULL}, false},
        {{"D_ab=A_ai*B_ib+2*C_ba", "D_ab=A_ai*B_ib+2*C_ab"}, {"a=4,b=4,i=4", "a=4,b=4,i=4"}, {NULL, NULL}, false},
        {{"D_ab=A_ai*B_ib+2*A_ab", "D_ab=A_ai*B_ib+2*C_ab"}, {"a=4,b=4,i=4", "a=4,b=4,i=4"}, {NULL, NULL}, false},
        {{"D_ab=A_ai*B_ib+2*A_ab", "D_ab=A_ai*B_ib+2*B_ab"}, {"a=4,b=4,i=4", "a=4,b=4,i=4"}, {NULL, NULL}, false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"}, {"a=4,b=5,i=6", "a=4,b=5,i=6"}, {"A=1,9", "A=1,70"}, true},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"}, {"a=4,b=5,i=6", "a=4,b=5,i=6"}, {"A=1,9", "A=1,4"}, false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"}, {"a=4,b=5,i=6", "a=4,b=5,i=6"}, {"A=1,9", "A=2,9"}, false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"}, {"a=4,b=5,i=6", "a=4,b=5,i=6"}, {"A=1,9", "A=9,1"}, false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"}, {"a=4,b=5,i=6", "a=4,b=5,i=6"}, {"A=1,9", "A=1,-9"}, false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"}, {"a=4,b=5,i=6", "a=4,b=5,i=6"}, {"A=1,9", "A=1,0"}, false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"}, {"a=4,b=5,i=6", "a=4,b=5,i=6"}, {"A=1,9", "B=1,9"}, false},
        {{"C_ab=A_ai*B_ib", "C_ab=A_ai*B_ib"}, {"a=4,b=5,i=6", "a=4,b=5,i=6"}, {"A=1,9", NULL}, false},
    };
    (void)state;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        struct random_contraction given[2];
        for (int i = 0; i < 2; i++) {
            if (pairs[p].strides[i]) {
                random_contraction_strided(&given[i], pairs[p].text[i], pairs[p].sizes[i], pairs[p].strides[i], TCPLAN_COLUMN_MAJOR,
                                           TCPLAN_DOUBLE);
            } else {
                random_contraction_given(&given[i], pairs[p].text[i], pairs[p].sizes[i], TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
            }
        }
        if (share(&given[0].problem, &given[1].problem) != pairs[p].same) fail_msg("%s and %s", pairs[p].text[0], pairs[p].text[1]);
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
        random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=b=4,i=5", k / SETUPS == 2 ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR,
                                 k / SETUPS == 1 ? TCPLAN_FLOAT : TCPLAN_DOUBLE);
        key_of(key[k], bytes[k], &length[k], &given.problem, &setups[k % SETUPS]);
        random_contraction_free(&given);
        for (size_t other = 0; other < k; other++) {
            assert_string_not_equal(key[k], key[other]);
            assert_true(length[k] != length[other] || memcmp(bytes[k], bytes[other], length[k]) != 0);
        }
    }
}

static void what_is_written_of_any_contraction_is_read_again_and_checked(void **state) {
    struct random_contraction_options options = random_contraction_defaults();
    (void)state;
    options.max_rank = 7;
    options.max_indices = 9;
    options.long_names = true;
    options.zeros = false;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct random_contraction given;
        struct tcplan_enumerator enumerator;
        struct tcplan_contraction canonical;
        struct tcplan_stored_plan plan, again = {0};
        struct tcplan_algorithm algorithm, checked;
        struct tcplan_error error = {0};
        struct strbuf text = {0};
        random_contraction_init(&given, seed, &options);
        tcplan_enumerator_init(&enumerator, given.contraction);
        assert_true(tcplan_enumerator_next(&enumerator, &algorithm));
        assert_true(plan_contraction_of(&canonical, &given.problem));
        assert_int_equal(plan_identify(&plan, &canonical, &given.problem, &one_thread, NULL), TCPLAN_OK);
        char *name = tcplan_algorithm_name(&algorithm, &canonical, given.problem.dtype);
        assert_non_null(name);
        snprintf(plan.algorithm, sizeof plan.algorithm, "%s", name);
        plan.seconds = plan.low = plan.high = 1;
        store_kind_plans.write(&text, &plan);
        assert_int_equal(store_kind_plans.read(&again, text.text, text.length, &error), TCPLAN_OK);
        assert_true(plan_is_same(&plan, &again));
        if (plan_check(&checked, &again, &error) != TCPLAN_OK) fail_msg("%s: %s", random_contraction_describe(&given), error.message);
        assert_true(tcplan_algorithm_equal(&checked, &algorithm));
        free(name);
        strbuf_free(&text);
        random_contraction_free(&given);
    }
}

/* Keeping and finding. */

static void a_plan_is_found_again_by_a_product_with_other_names(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct subject kept, asked, other;
        subject_init(&kept, "C_abc=A_ai*B_ibc", "a=4,b=5,c=6,i=7", NULL, "ci-dger");
        subject_init(&asked, "X_zyw=P_zc*Q_cyw", "z=4,y=5,w=6,c=7", NULL, "wc-dger");
        subject_init(&other, "C_abc=A_ai*B_ibc", "a=4,b=5,c=6,i=8", NULL, "ci-dger");
        assert_int_equal(find_anew((enum place)place, &kept), TCPLAN_NOT_APPLICABLE);
        assert_int_equal(keep_anew((enum place)place, &kept), TCPLAN_OK);
        assert_int_equal(find_anew((enum place)place, &kept), TCPLAN_OK);
        assert_int_equal(find_anew((enum place)place, &asked), TCPLAN_OK);
        assert_int_equal(find_anew((enum place)place, &other), TCPLAN_NOT_APPLICABLE);
        assert_int_equal(count_of((enum place)place), 1);
        subject_free(&kept);
        subject_free(&asked);
        subject_free(&other);
    }
}

static void what_a_plan_says_of_itself_is_found_with_it(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct subject kept;
        struct tcplan_found_plan found;
        numbered_init(&kept, 3);
        assert_int_equal(keep_anew((enum place)place, &kept), TCPLAN_OK);
        struct tcplan_stored_plans *plans = open_at((enum place)place, NOW + 5);
        assert_int_equal(tcplan_stored_plans_find(&found, plans, &kept.given.problem, &one_thread, NORMAL, NULL), TCPLAN_OK);
        assert_true(found.seconds == kept.plan.seconds && found.low == kept.plan.low && found.high == kept.plan.high);
        assert_int_equal(found.effort, NORMAL);
        assert_int_equal(found.workspace_bytes, 64);
        assert_int_equal(found.made, NOW);
        tcplan_stored_plans_close(plans);
        subject_free(&kept);
    }
}

static void a_process_need_not_read_again_what_it_has_met(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct subject kept;
        numbered_init(&kept, 5);
        assert_int_equal(keep_anew((enum place)place, &kept), TCPLAN_OK);
        struct tcplan_stored_plans *plans = open_place((enum place)place);
        assert_int_equal(find(plans, &kept), TCPLAN_OK);
        clear_root(NULL);
        assert_int_equal(find(plans, &kept), TCPLAN_OK);
        assert_int_equal(find_anew((enum place)place, &kept), TCPLAN_NOT_APPLICABLE);
        tcplan_stored_plans_close(plans);
        subject_free(&kept);
    }
}

static void many_plans_are_found_in_memory(void **state) {
    enum { MANY = 300 };
    (void)state;
    struct tcplan_stored_plans *plans = open_place(IN_FILE);
    for (int n = 1; n <= MANY; n++) {
        struct subject kept;
        numbered_init(&kept, n);
        assert_int_equal(keep(plans, &kept), TCPLAN_OK);
        subject_free(&kept);
    }
    clear_root(NULL);
    for (int n = 1; n <= MANY; n++) {
        struct subject kept;
        numbered_init(&kept, n);
        assert_int_equal(find(plans, &kept), TCPLAN_OK);
        subject_free(&kept);
    }
    tcplan_stored_plans_close(plans);
}

static void a_plan_that_was_found_with_more_effort_stays(void **state) {
    static const int efforts[] = {NORMAL, QUICK, THOROUGH, NORMAL};
    static const int stays[] = {NORMAL, NORMAL, THOROUGH, THOROUGH};
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        for (int e = 0; e < 4; e++) {
            struct subject kept;
            struct tcplan_found_plan found;
            numbered_init(&kept, 4);
            kept.plan.effort = efforts[e];
            assert_int_equal(keep_anew((enum place)place, &kept), TCPLAN_OK);
            struct tcplan_stored_plans *plans = open_place((enum place)place);
            assert_int_equal(tcplan_stored_plans_find(&found, plans, &kept.given.problem, &one_thread, 0, NULL), TCPLAN_OK);
            assert_int_equal(found.effort, stays[e]);
            const enum tcplan_status better = tcplan_stored_plans_find(&found, plans, &kept.given.problem, &one_thread, THOROUGH, NULL);
            assert_int_equal(better, stays[e] == THOROUGH ? TCPLAN_OK : TCPLAN_NOT_APPLICABLE);
            tcplan_stored_plans_close(plans);
            subject_free(&kept);
        }
        assert_int_equal(count_of((enum place)place), 1);
    }
}

static void plans_of_other_machines_are_kept_beside_and_not_used(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct subject kept;
        struct tcplan_store store = store_of(NOW);
        struct tcplan_stored_plans *plans = NULL;
        struct tcplan_plan_list list;
        numbered_init(&kept, 9);
        assert_int_equal(keep_anew((enum place)place, &kept), TCPLAN_OK);
        snprintf(store.fingerprint.part[TCPLAN_FINGERPRINT_LIBRARIES], TCPLAN_MACHINE_TEXT, "another BLAS");
        assert_int_equal(tcplan_stored_plans_open(&plans, &store, place == IN_FILE ? file : NULL, NULL), TCPLAN_OK);
        assert_int_equal(find(plans, &kept), TCPLAN_NOT_APPLICABLE);
        assert_int_equal(keep(plans, &kept), TCPLAN_OK);
        assert_int_equal(tcplan_stored_plans_list(&list, plans, NULL), TCPLAN_OK);
        assert_int_equal(list.count, 2);
        assert_int_equal((list.item[0].status == TCPLAN_OK) + (list.item[1].status == TCPLAN_OK), 1);
        assert_string_equal(list.item[0].name, list.item[1].name);
        tcplan_plan_list_free(&list);
        tcplan_stored_plans_close(plans);
        assert_int_equal(find_anew((enum place)place, &kept), TCPLAN_OK);
        subject_free(&kept);
    }
}

static void without_a_place_nothing_is_found_or_kept(void **state) {
    const struct tcplan_store store = {0};
    struct tcplan_stored_plans *plans = NULL;
    struct tcplan_plan_list list;
    struct subject kept;
    size_t count = 1;
    (void)state;
    numbered_init(&kept, 2);
    assert_int_equal(tcplan_stored_plans_open(&plans, &store, NULL, NULL), TCPLAN_OK);
    assert_null(tcplan_stored_plans_path(plans));
    assert_int_equal(keep(plans, &kept), TCPLAN_OK);
    assert_int_equal(find(plans, &kept), TCPLAN_NOT_APPLICABLE);
    assert_int_equal(tcplan_stored_plans_list(&list, plans, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 0);
    tcplan_plan_list_free(&list);
    assert_int_equal(tcplan_stored_plans_forget(&count, plans, &(struct tcplan_plan_choice){0}, NULL), TCPLAN_OK);
    assert_int_equal(count, 0);
    tcplan_stored_plans_close(plans);
    tcplan_stored_plans_close(NULL);
    subject_free(&kept);
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
        snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%c=1", i > 0 ? "," : "", letters[i]);
    }
    snprintf(text, sizeof text, "C_%s=A_%s*B", letters, letters);
    random_contraction_given(&given, text, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    tcplan_enumerator_init(&enumerator, given.contraction);
    assert_true(tcplan_enumerator_next(&enumerator, &plan.algorithm));
    struct tcplan_stored_plans *plans = open_place(IN_FOLDER);
    assert_int_equal(tcplan_stored_plans_keep(plans, &given.problem, &one_thread, &plan, &error), TCPLAN_NOT_APPLICABLE);
    assert_int_equal(tcplan_stored_plans_find(&plan, plans, &given.problem, &one_thread, 0, &error), TCPLAN_NOT_APPLICABLE);
    tcplan_stored_plans_close(plans);
    random_contraction_free(&given);
}

/* Near plans. */

static void the_nearest_plans_of_like_products_come_first(void **state) {
    static const struct {
        int a;
        const char *algorithm;
    } stored[] = {{100, "c-dgemm"}, {120, "b-dgemm"}, {200, "b-dgemm"}, {130, "ca-dgemv"}, {1000, "ci-dger"}};
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct tcplan_found_plan near[4];
        struct subject asked, other;
        size_t count = 0;
        for (size_t s = 0; s < sizeof stored / sizeof *stored; s++) {
            struct subject kept;
            char sizes[64];
            snprintf(sizes, sizeof sizes, "a=%d,b=8,c=9,i=7", stored[s].a);
            subject_init(&kept, "C_abc=A_ai*B_ibc", sizes, NULL, stored[s].algorithm);
            assert_int_equal(keep_anew((enum place)place, &kept), TCPLAN_OK);
            subject_free(&kept);
        }
        subject_init(&other, "C_abc=A_ia*B_ibc", "a=125,b=8,c=9,i=7", NULL, "cb-dgemv");
        assert_int_equal(keep_anew((enum place)place, &other), TCPLAN_OK);
        subject_init(&asked, "Z_xyz=A_xk*B_kyz", "x=125,y=8,z=9,k=7", NULL, "z-dgemm");
        struct tcplan_stored_plans *plans = open_place((enum place)place);
        assert_int_equal(tcplan_stored_plans_near(near, 4, &count, plans, &asked.given.problem, &one_thread, NULL), TCPLAN_OK);
        assert_int_equal(count, 3); /* 1000 is too far, b-dgemm there once */
        static const char *const expected[] = {"zx-dgemv", "y-dgemm", "z-dgemm"};
        for (size_t n = 0; n < count; n++) {
            char *name = tcplan_algorithm_name(&near[n].algorithm, asked.given.contraction, TCPLAN_DOUBLE);
            assert_string_equal(name, expected[n]);
            free(name);
        }
        assert_true(near[0].distance > 0 && near[0].distance < near[1].distance && near[1].distance < near[2].distance);
        assert_int_equal(tcplan_stored_plans_near(near, 1, &count, plans, &asked.given.problem, &one_thread, NULL), TCPLAN_OK);
        assert_int_equal(count, 1);
        assert_int_equal(keep(plans, &asked), TCPLAN_OK);
        assert_int_equal(tcplan_stored_plans_near(near, 4, &count, plans, &asked.given.problem, &one_thread, NULL), TCPLAN_OK);
        assert_int_equal(count, 3);
        assert_true(near[0].distance == 0 && tcplan_algorithm_equal(&near[0].algorithm, &asked.plan.algorithm));
        tcplan_stored_plans_close(plans);
        subject_free(&asked);
        subject_free(&other);
    }
}

/* Forgetting. */

/** Uses a plan at a time, in a process of its own. */
static void use(enum place place, int number, int64_t now) {
    struct subject kept;
    numbered_init(&kept, number);
    struct tcplan_stored_plans *plans = open_at(place, now);
    assert_int_equal(find(plans, &kept), TCPLAN_OK);
    tcplan_stored_plans_close(plans);
    subject_free(&kept);
}

static bool is_stored(enum place place, int number) {
    struct subject kept;
    numbered_init(&kept, number);
    const enum tcplan_status status = find_anew(place, &kept);
    subject_free(&kept);
    return status == TCPLAN_OK;
}

static size_t forget(enum place place, int64_t now, const struct tcplan_plan_choice *choice) {
    struct tcplan_stored_plans *plans = open_at(place, now);
    size_t count = 0;
    assert_int_equal(tcplan_stored_plans_forget(&count, plans, choice, NULL), TCPLAN_OK);
    tcplan_stored_plans_close(plans);
    return count;
}

static void what_was_not_used_for_longest_is_forgotten_first(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        for (int n = 1; n <= 4; n++) {
            struct subject kept;
            numbered_init(&kept, n);
            struct tcplan_stored_plans *plans = open_at((enum place)place, NOW - (10 - n) * DAY);
            assert_int_equal(keep(plans, &kept), TCPLAN_OK);
            tcplan_stored_plans_close(plans);
            subject_free(&kept);
        }
        use((enum place)place, 1, NOW);
        assert_int_equal(forget((enum place)place, NOW, &(struct tcplan_plan_choice){.most = 3}), 1);
        assert_true(is_stored((enum place)place, 1) && !is_stored((enum place)place, 2));
        assert_int_equal(forget((enum place)place, NOW, &(struct tcplan_plan_choice){.least_days = 30}), 0);
    }
}

static void plans_are_forgotten_by_name_by_age_and_all(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct tcplan_plan_list list;
        for (int n = 1; n <= 4; n++) {
            struct subject kept;
            numbered_init(&kept, n);
            struct tcplan_stored_plans *plans = open_at((enum place)place, NOW - (n == 4 ? 40 : 0) * DAY);
            assert_int_equal(keep(plans, &kept), TCPLAN_OK);
            tcplan_stored_plans_close(plans);
            subject_free(&kept);
        }
        struct tcplan_stored_plans *plans = open_place((enum place)place);
        assert_int_equal(tcplan_stored_plans_list(&list, plans, NULL), TCPLAN_OK);
        assert_int_equal(list.count, 4);
        const struct tcplan_plan_choice named = {.name = list.item[0].name}, short_name = {.name = "0"};
        assert_int_equal(forget((enum place)place, NOW, &short_name), 0);
        assert_int_equal(forget((enum place)place, NOW, &named), 1);
        assert_int_equal(forget((enum place)place, NOW, &named), 0);
        assert_int_equal(forget((enum place)place, NOW, &(struct tcplan_plan_choice){.unusable = true}), 0);
        assert_int_equal(forget((enum place)place, NOW, &(struct tcplan_plan_choice){.least_days = 30}), 1);
        assert_false(is_stored((enum place)place, 4));
        assert_int_equal(forget((enum place)place, NOW, &(struct tcplan_plan_choice){0}), 2);
        assert_int_equal(count_of((enum place)place), 0);
        tcplan_plan_list_free(&list);
        tcplan_stored_plans_close(plans);
    }
}

/** Appends entries of plans 1 to `count` to a text, each used a second after the one before. */
static char *many_entries(int count) {
    struct strbuf out = {0};
    for (int n = 1; n <= count; n++) {
        struct subject kept;
        struct tcplan_contraction canonical;
        struct tcplan_stored_plan plan;
        struct entry entry = {.made = NOW - 2 * count + n, .fingerprint = store_of(NOW).fingerprint, .kind = &store_kind_plans};
        numbered_init(&kept, n);
        assert_true(plan_contraction_of(&canonical, &kept.given.problem));
        assert_int_equal(plan_identify(&plan, &canonical, &kept.given.problem, &one_thread, NULL), TCPLAN_OK);
        snprintf(plan.algorithm, sizeof plan.algorithm, "%s", n % 2 ? "c-dgemm" : "b-dgemm");
        plan.seconds = plan.low = plan.high = 1;
        plan.effort = NORMAL;
        plan_key(entry.key, &plan);
        char *text = entry_text(&entry, &plan);
        assert_non_null(text);
        strbuf_append(&out, text, strlen(text));
        if (count > 1) {
            char name[TCPLAN_STORE_NAME], path[256];
            const struct tcplan_store store = store_of(NOW);
            store_name(name, &store, &store_kind_plans, entry.key);
            snprintf(path, sizeof path, "%s/%s.tcplan", folder, name);
            write_text(path, text, strlen(text));
            folder_touch(folder, name, entry.made);
        }
        free(text);
        subject_free(&kept);
    }
    return strbuf_finish(&out);
}

static void beyond_the_bound_the_least_recently_used_go(void **state) {
    enum { BEFORE = TCPLAN_PLANS_MOST + TCPLAN_PLANS_MOST / 20 };
    (void)state;
    assert_int_equal(folder_make(folder, NULL), TCPLAN_OK);
    char *text = many_entries(BEFORE);
    assert_non_null(text);
    write_text(file, text, strlen(text));
    free(text);
    for (int place = 0; place < PLACES; place++) {
        struct tcplan_stored_plans *plans = open_place((enum place)place);
        assert_int_equal(count_of((enum place)place), BEFORE);
        use((enum place)place, 1, NOW);
        for (int n = 1; n <= 2; n++) { /* a file is looked at when it has grown */
            struct subject kept;
            numbered_init(&kept, BEFORE + n);
            for (int again = 0; again < 120 && (n == 1 || place == IN_FILE); again++) assert_int_equal(keep(plans, &kept), TCPLAN_OK);
            subject_free(&kept);
            if (place == IN_FOLDER) break;
        }
        tcplan_stored_plans_close(plans);
        assert_in_range(count_of((enum place)place), TCPLAN_PLANS_MOST, TCPLAN_PLANS_MOST + 3);
        assert_false(is_stored((enum place)place, 2));
        assert_true(is_stored((enum place)place, 1) == (place == IN_FOLDER)); /* in a file to the day */
        assert_true(is_stored((enum place)place, BEFORE));
    }
}

static void a_file_that_is_added_to_over_and_over_stays_small(void **state) {
    size_t length;
    (void)state;
    struct tcplan_stored_plans *plans = open_place(IN_FILE);
    for (int n = 0; n < 600; n++) {
        struct subject kept;
        numbered_init(&kept, 1 + n % 3);
        assert_int_equal(keep(plans, &kept), TCPLAN_OK);
        subject_free(&kept);
    }
    tcplan_stored_plans_close(plans);
    free(read_text(file, &length));
    assert_in_range(length, 1, 3 * (64 << 10));
    assert_int_equal(count_of(IN_FILE), 3);
}

/* Damage. */

static void a_file_cut_anywhere_keeps_what_is_whole_and_takes_more(void **state) {
    enum { PLANS = 3 };
    size_t length, ends[PLANS + 1] = {0};
    (void)state;
    for (int n = 1; n <= PLANS; n++) {
        struct subject kept;
        numbered_init(&kept, n);
        assert_int_equal(keep_anew(IN_FILE, &kept), TCPLAN_OK);
        free(read_text(file, &ends[n]));
        subject_free(&kept);
    }
    char *text = read_text(file, &length);
    for (size_t cut = 0; cut < length; cut++) {
        struct subject kept;
        numbered_init(&kept, PLANS + 1);
        write_text(file, text, cut);
        const bool foreign = cut > 0 && cut < strlen("tcplan store 1\nentry kind=plans ");
        for (int n = 1; n <= PLANS && !foreign; n++) assert_int_equal(is_stored(IN_FILE, n), ends[n] <= cut);
        assert_int_equal(keep_anew(IN_FILE, &kept), foreign ? TCPLAN_INVALID : TCPLAN_OK);
        if (foreign) assert_holds(file, text, cut);
        for (int n = 1; n <= PLANS && !foreign; n++) { /* where the end of a line was all that lacked the next entry brings it */
            assert_int_equal(is_stored(IN_FILE, n), ends[n] <= cut + 1);
        }
        assert_int_equal(is_stored(IN_FILE, PLANS + 1), !foreign);
        subject_free(&kept);
    }
    free(text);
}

static void an_entry_in_a_folder_cut_anywhere_is_refused_and_left_alone(void **state) {
    size_t length;
    char path[256];
    struct subject kept, other;
    (void)state;
    numbered_init(&kept, 1);
    numbered_init(&other, 2);
    assert_int_equal(keep_anew(IN_FOLDER, &kept), TCPLAN_OK);
    only_path(path);
    char *text = read_text(path, &length);
    for (size_t cut = 0; cut < length; cut++) {
        write_text(path, text, cut);
        assert_int_equal(find_anew(IN_FOLDER, &kept), TCPLAN_INVALID);
        assert_int_equal(keep_anew(IN_FOLDER, &kept), TCPLAN_INVALID);
        assert_holds(path, text, cut);
    }
    assert_int_equal(keep_anew(IN_FOLDER, &other), TCPLAN_OK);
    assert_int_equal(find_anew(IN_FOLDER, &other), TCPLAN_OK);
    assert_int_equal(count_of(IN_FOLDER), 1);
    assert_int_equal(forget(IN_FOLDER, NOW, &(struct tcplan_plan_choice){.unusable = true}), 1);
    assert_int_equal(keep_anew(IN_FOLDER, &kept), TCPLAN_OK);
    free(text);
    subject_free(&kept);
    subject_free(&other);
}

static void any_changed_byte_is_noticed(void **state) {
    size_t length;
    char path[256];
    struct subject kept;
    (void)state;
    numbered_init(&kept, 1);
    assert_int_equal(keep_anew(IN_FOLDER, &kept), TCPLAN_OK);
    only_path(path);
    char *text = read_text(path, &length);
    for (size_t at = 0; at < length; at++) {
        text[at] ^= 1;
        write_text(path, text, length);
        write_text(file, text, length);
        assert_int_not_equal(find_anew(IN_FOLDER, &kept), TCPLAN_OK);
        assert_int_not_equal(find_anew(IN_FILE, &kept), TCPLAN_OK);
        text[at] ^= 1;
    }
    free(text);
    subject_free(&kept);
}

static void a_file_of_something_else_is_refused_and_left_alone(void **state) {
    static const char *const foreign[] = {"notes\n", "tcplan store 1\nentry kind=ceilings version=1 key=threads-1 made=1 tcplan=1\n",
                                          "tcplan store 2\nentry kind=plans version=1\n", "\n", "tcplan plans\n"};
    struct subject kept;
    (void)state;
    numbered_init(&kept, 1);
    for (size_t f = 0; f < sizeof foreign / sizeof *foreign; f++) {
        struct tcplan_stored_plans *plans = open_place(IN_FILE);
        struct tcplan_plan_list list;
        struct tcplan_error error = {0};
        size_t count = 7;
        write_text(file, foreign[f], strlen(foreign[f]));
        assert_int_equal(tcplan_stored_plans_check(plans, &error), TCPLAN_INVALID);
        assert_non_null(strstr(error.message, file));
        assert_int_equal(find(plans, &kept), TCPLAN_INVALID);
        assert_int_equal(keep(plans, &kept), TCPLAN_INVALID);
        assert_int_equal(tcplan_stored_plans_list(&list, plans, &error), TCPLAN_INVALID);
        tcplan_plan_list_free(&list);
        assert_int_equal(tcplan_stored_plans_forget(&count, plans, &(struct tcplan_plan_choice){0}, &error), TCPLAN_INVALID);
        assert_int_equal(count, 0);
        assert_holds(file, foreign[f], strlen(foreign[f]));
        tcplan_stored_plans_close(plans);
    }
    subject_free(&kept);
}

/** An entry of plan 1 with a part of its text replaced and a checksum that fits. */
static char *changed_entry(const char *from, const char *to) {
    struct strbuf out = {0};
    char *text = many_entries(1);
    char *at = strstr(text, from);
    assert_non_null(at);
    strbuf_append(&out, text, (size_t)(at - text));
    strbuf_add(&out, "%s", to);
    const char *last = strstr(at, "checksum ");
    strbuf_append(&out, at + strlen(from), (size_t)(last - at) - strlen(from));
    strbuf_add(&out, "checksum %08x\n", (unsigned)checksum_add(0, out.text, out.length));
    free(text);
    return strbuf_finish(&out);
}

static void plans_of_other_versions_and_nonsense_are_told_and_kept_as_they_are(void **state) {
    static const struct {
        const char *from, *to;
        enum tcplan_status status;
    } changes[] = {
        {"kind=plans version=1", "kind=plans version=2", TCPLAN_MISMATCH},
        {"algorithm=c-dgemm", "algorithm=q-dgemm", TCPLAN_INVALID},
        {"sizes=1,8,9,7", "sizes=1,8,9", TCPLAN_INVALID},
        {"C_abc%3dA_ad*B_dbc", "C_abx%3dA_ad*B_dbx", TCPLAN_INVALID},
        {"C_abc%3dA_ad*B_dbc", "nonsense", TCPLAN_INVALID},
        {"threads=1", "threads=0", TCPLAN_INVALID},
        {"seconds=1", "seconds=-1", TCPLAN_INVALID},
        {"effort=normal", "effort=much", TCPLAN_INVALID},
    };
    struct subject other;
    (void)state;
    numbered_init(&other, 2);
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
        char *text = changed_entry(changes[c].from, changes[c].to);
        const size_t length = strlen(text);
        struct tcplan_plan_list list;
        size_t found;
        write_text(file, text, length);
        assert_int_equal(keep_anew(IN_FILE, &other), TCPLAN_OK);
        struct tcplan_stored_plans *plans = open_place(IN_FILE);
        assert_int_equal(tcplan_stored_plans_list(&list, plans, NULL), TCPLAN_OK);
        assert_int_equal(list.count, 2);
        const struct tcplan_plan_item *wrong = &list.item[list.item[0].status == TCPLAN_OK];
        assert_int_equal(wrong->status, changes[c].status);
        assert_non_null(strstr(wrong->reason, "line 1: "));
        tcplan_plan_list_free(&list);
        assert_int_equal(forget(IN_FILE, NOW, &(struct tcplan_plan_choice){.most = 1}), 0);
        char *now = read_text(file, &found);
        assert_memory_equal(now, text, length);
        free(now);
        assert_int_equal(forget(IN_FILE, NOW, &(struct tcplan_plan_choice){.unusable = true}), 1);
        assert_int_equal(count_of(IN_FILE), 1);
        tcplan_stored_plans_close(plans);
        free(text);
    }
    subject_free(&other);
}

static void what_is_too_old_is_not_used_and_is_replaced(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct subject kept;
        numbered_init(&kept, 1);
        struct tcplan_stored_plans *plans = open_at((enum place)place, NOW - 400LL * DAY);
        assert_int_equal(keep(plans, &kept), TCPLAN_OK);
        tcplan_stored_plans_close(plans);
        assert_int_not_equal(find_anew((enum place)place, &kept), TCPLAN_OK);
        assert_int_equal(keep_anew((enum place)place, &kept), TCPLAN_OK);
        assert_int_equal(find_anew((enum place)place, &kept), TCPLAN_OK);
        subject_free(&kept);
    }
}

/* Disks. */

static void where_nothing_can_be_written_a_status_says_so(void **state) {
    static const char *const files[] = {"/proc/none/plans", "/nowhere/at/all", "/dev/full"};
    struct subject kept;
    struct tcplan_store store = store_of(NOW);
    (void)state;
    numbered_init(&kept, 1);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct tcplan_stored_plans *plans = NULL;
        struct tcplan_error error = {0};
        assert_int_equal(tcplan_stored_plans_open(&plans, &store, files[f], NULL), TCPLAN_OK);
        const enum tcplan_status status = tcplan_stored_plans_keep(plans, &kept.given.problem, &one_thread, &kept.plan, &error);
        assert_true(status == TCPLAN_ENVIRONMENT || status == TCPLAN_INVALID);
        assert_non_null(strstr(error.message, files[f]));
        tcplan_stored_plans_close(plans);
    }
    struct tcplan_stored_plans *plans = NULL;
    write_text(file, "no folder", 9);
    store.folder = file;
    assert_int_equal(tcplan_stored_plans_open(&plans, &store, NULL, NULL), TCPLAN_OK);
    assert_int_equal(keep(plans, &kept), TCPLAN_ENVIRONMENT);
    assert_holds(file, "no folder", 9);
    tcplan_stored_plans_close(plans);
    subject_free(&kept);
}

/** In a process of its own whose files cannot be larger than this, keeps a plan; its status. */
static enum tcplan_status keep_within(enum place place, size_t bytes, int number) {
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
        struct subject kept;
        signal(SIGXFSZ, SIG_IGN);
        numbered_init(&kept, number);
        struct tcplan_stored_plans *plans = open_place(place);
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit((int)keep(plans, &kept));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return (enum tcplan_status)WEXITSTATUS(status);
}

static void a_full_disk_loses_nothing(void **state) {
    size_t length;
    struct subject kept;
    (void)state;
    numbered_init(&kept, 1);
    for (int place = 0; place < PLACES; place++) assert_int_equal(keep_anew((enum place)place, &kept), TCPLAN_OK);
    char *text = read_text(file, &length);
    for (size_t more = 0; more < 300; more += 23) {
        assert_int_equal(keep_within(IN_FILE, length + more, 2), TCPLAN_ENVIRONMENT);
        assert_holds(file, text, length);
        assert_int_equal(keep_within(IN_FOLDER, more, 2), TCPLAN_ENVIRONMENT);
        assert_int_equal(keep_within(IN_FOLDER, more, 1), TCPLAN_ENVIRONMENT);
    }
    for (int place = 0; place < PLACES; place++) {
        assert_true(is_stored((enum place)place, 1) && !is_stored((enum place)place, 2));
        assert_int_equal(count_of((enum place)place), 1);
    }
    free(text);
    subject_free(&kept);
}

/* Many at once. */

enum { PROCESSES = 100, EACH = 3 };

/** One process of many: keeps plans of its own, and the one that all have; looks at others'. */
static int work(enum place place, int process) {
    int failed = 0;
    for (int n = 0; n < EACH; n++) {
        struct subject own, others;
        struct tcplan_found_plan found;
        numbered_init(&own, 2 + EACH * process + n);
        numbered_init(&others, 2 + EACH * ((process + 1) % PROCESSES) + n);
        struct tcplan_stored_plans *plans = open_place(place);
        failed += keep(plans, &own) != TCPLAN_OK;
        const enum tcplan_status status = tcplan_stored_plans_find(&found, plans, &others.given.problem, &one_thread, 0, NULL);
        failed += status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE && place == IN_FOLDER;
        failed += find(plans, &own) != TCPLAN_OK;
        tcplan_stored_plans_close(plans);
        subject_free(&own);
        subject_free(&others);
    }
    return failed;
}

static void a_hundred_processes_lose_nothing(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        pid_t child[PROCESSES];
        for (int p = 0; p < PROCESSES; p++) {
            child[p] = fork();
            assert_true(child[p] >= 0);
            if (child[p] == 0) _exit(work((enum place)place, p));
        }
        for (int p = 0; p < PROCESSES; p++) {
            int status = 0;
            assert_int_equal(waitpid(child[p], &status, 0), child[p]);
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 0);
        }
        assert_int_equal(count_of((enum place)place), PROCESSES * EACH);
        for (int n = 0; n < PROCESSES * EACH; n++) assert_true(is_stored((enum place)place, 2 + n));
    }
}

/** While others add to a file it is thinned: what is added meanwhile is not lost. */
static void a_file_that_is_rewritten_meanwhile_loses_nothing(void **state) {
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int n = 0; n < 40; n++) forget(IN_FILE, NOW, &(struct tcplan_plan_choice){.unusable = true, .name = "0000"});
        for (int n = 0; n < 40; n++) forget(IN_FILE, NOW, &(struct tcplan_plan_choice){.most = 1000});
        _exit(0);
    }
    for (int n = 1; n <= 80; n++) {
        struct subject kept;
        numbered_init(&kept, n);
        assert_int_equal(keep_anew(IN_FILE, &kept), TCPLAN_OK);
        kept.plan.effort = THOROUGH;
        assert_int_equal(keep_anew(IN_FILE, &kept), TCPLAN_OK);
        subject_free(&kept);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(count_of(IN_FILE), 80);
}

struct thread {
    pthread_t thread;
    struct tcplan_stored_plans *plans;
    int number;
    int failed;
};

static void *run_thread(void *context) {
    struct thread *thread = context;
    for (int n = 0; n < 60; n++) {
        struct random_contraction given;
        struct tcplan_found_plan plan = {.effort = NORMAL, .seconds = 1, .low = 1, .high = 1}, near[2];
        char sizes[64];
        size_t count;
        snprintf(sizes, sizeof sizes, "a=%d,b=8,c=9,i=7", 1 + (n + thread->number) % 20);
        random_contraction_given(&given, "C_abc=A_ai*B_ibc", sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
        struct tcplan_stored_plans *plans = thread->plans;
        thread->failed += tcplan_algorithm_parse(&plan.algorithm, given.contraction, TCPLAN_DOUBLE, "c-dgemm", NULL) != TCPLAN_OK;
        thread->failed += tcplan_stored_plans_keep(plans, &given.problem, &one_thread, &plan, NULL) != TCPLAN_OK;
        thread->failed += tcplan_stored_plans_find(&plan, plans, &given.problem, &one_thread, 0, NULL) != TCPLAN_OK;
        thread->failed += tcplan_stored_plans_near(near, 2, &count, plans, &given.problem, &one_thread, NULL) != TCPLAN_OK || count == 0;
        random_contraction_free(&given);
    }
    return NULL;
}

static void threads_share_a_place(void **state) {
    enum { THREADS = 8 };
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct thread thread[THREADS];
        struct tcplan_stored_plans *plans = open_place((enum place)place);
        for (int t = 0; t < THREADS; t++) {
            thread[t] = (struct thread){.plans = plans, .number = 3 * t};
            assert_int_equal(pthread_create(&thread[t].thread, NULL, run_thread, &thread[t]), 0);
        }
        for (int t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(thread[t].thread, NULL), 0);
            assert_int_equal(thread[t].failed, 0);
        }
        tcplan_stored_plans_close(plans);
        assert_int_equal(count_of((enum place)place), 20);
    }
}

/* Exchange. */

static void what_is_exported_can_be_imported(void **state) {
    struct tcplan_plan_import import;
    char *text = NULL, *again = NULL;
    size_t count = 0;
    (void)state;
    for (int n = 1; n <= 5; n++) {
        struct subject kept;
        numbered_init(&kept, n);
        assert_int_equal(keep_anew(IN_FOLDER, &kept), TCPLAN_OK);
        subject_free(&kept);
    }
    struct tcplan_stored_plans *from = open_place(IN_FOLDER), *to = open_place(IN_FILE);
    assert_int_equal(tcplan_stored_plans_export(&text, &count, from, NULL), TCPLAN_OK);
    assert_int_equal(count, 5);
    assert_int_equal(tcplan_stored_plans_import(&import, to, text, strlen(text), NULL), TCPLAN_OK);
    assert_true(import.added == 5 && import.known == 0 && import.refused == 0);
    assert_int_equal(tcplan_stored_plans_import(&import, to, text, strlen(text), NULL), TCPLAN_OK);
    assert_true(import.added == 0 && import.known == 5 && import.refused == 0);
    assert_int_equal(tcplan_stored_plans_export(&again, &count, to, NULL), TCPLAN_OK);
    assert_string_equal(again, text);
    for (int n = 1; n <= 5; n++) assert_true(is_stored(IN_FILE, n));
    tcplan_stored_plans_close(from);
    tcplan_stored_plans_close(to);
    free(text);
    free(again);
}

static void an_import_takes_what_is_whole_and_tells_of_the_rest(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct strbuf all = {0};
        struct tcplan_plan_import import;
        struct tcplan_error error = {0};
        char *wrong = changed_entry("algorithm=c-dgemm", "algorithm=q-dgemm"), *right = many_entries(1);
        struct subject kept, better;
        strbuf_add(&all, "%s%.60s\n%s", wrong, right, right);
        numbered_init(&kept, 1);
        numbered_init(&better, 1);
        better.plan.effort = THOROUGH;
        struct tcplan_stored_plans *plans = open_place((enum place)place);
        assert_int_equal(tcplan_stored_plans_import(&import, plans, all.text, all.length, &error), TCPLAN_INVALID);
        assert_true(import.added == 1 && import.known == 0 && import.refused == 2);
        assert_non_null(strstr(error.message, "line 1: "));
        assert_int_equal(find(plans, &kept), TCPLAN_OK);
        assert_int_equal(keep(plans, &better), TCPLAN_OK);
        assert_int_equal(tcplan_stored_plans_import(&import, plans, right, strlen(right), &error), TCPLAN_OK);
        assert_true(import.added == 0 && import.known == 1);
        assert_int_equal(tcplan_stored_plans_import(&import, plans, "notes", 5, &error), TCPLAN_INVALID);
        assert_true(import.added + import.known + import.refused == 0);
        assert_int_equal(tcplan_stored_plans_import(&import, plans, "", 0, &error), TCPLAN_OK);
        tcplan_stored_plans_close(plans);
        subject_free(&kept);
        subject_free(&better);
        strbuf_free(&all);
        free(wrong);
        free(right);
    }
}

/* Memory. */

static void lack_of_memory_is_a_status_at_every_place(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct subject kept;
        numbered_init(&kept, 1);
        assert_int_equal(keep_anew((enum place)place, &kept), TCPLAN_OK);
        for (long n = 0; n < 60; n++) {
            const struct tcplan_store store = store_of(NOW);
            struct tcplan_stored_plans *plans = NULL;
            struct tcplan_found_plan found, near[2];
            struct tcplan_plan_list list = {0};
            size_t count;
            base_alloc_fail_after(n);
            enum tcplan_status status = tcplan_stored_plans_open(&plans, &store, place == IN_FILE ? file : NULL, NULL);
            if (status == TCPLAN_OK) status = tcplan_stored_plans_find(&found, plans, &kept.given.problem, &one_thread, 0, NULL);
            assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
            if (status == TCPLAN_OK) status = tcplan_stored_plans_near(near, 2, &count, plans, &kept.given.problem, &one_thread, NULL);
            assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
            if (status == TCPLAN_OK) status = tcplan_stored_plans_list(&list, plans, NULL);
            assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
            if (status == TCPLAN_OK) status = keep(plans, &kept);
            assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
            base_alloc_fail_after(-1);
            tcplan_plan_list_free(&list);
            tcplan_stored_plans_close(plans);
        }
        assert_int_equal(find_anew((enum place)place, &kept), TCPLAN_OK);
        subject_free(&kept);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(names_of_indices_and_tensors_do_not_matter_and_all_else_does, clear_root),
        cmocka_unit_test_setup(setups_and_types_have_plans_of_their_own, clear_root),
        cmocka_unit_test_setup(what_is_written_of_any_contraction_is_read_again_and_checked, clear_root),
        cmocka_unit_test_setup(a_plan_is_found_again_by_a_product_with_other_names, clear_root),
        cmocka_unit_test_setup(what_a_plan_says_of_itself_is_found_with_it, clear_root),
        cmocka_unit_test_setup(a_process_need_not_read_again_what_it_has_met, clear_root),
        cmocka_unit_test_setup(many_plans_are_found_in_memory, clear_root),
        cmocka_unit_test_setup(a_plan_that_was_found_with_more_effort_stays, clear_root),
        cmocka_unit_test_setup(plans_of_other_machines_are_kept_beside_and_not_used, clear_root),
        cmocka_unit_test_setup(without_a_place_nothing_is_found_or_kept, clear_root),
        cmocka_unit_test_setup(products_of_many_indices_are_not_stored, clear_root),
        cmocka_unit_test_setup(the_nearest_plans_of_like_products_come_first, clear_root),
        cmocka_unit_test_setup(what_was_not_used_for_longest_is_forgotten_first, clear_root),
        cmocka_unit_test_setup(plans_are_forgotten_by_name_by_age_and_all, clear_root),
        cmocka_unit_test_setup(beyond_the_bound_the_least_recently_used_go, clear_root),
        cmocka_unit_test_setup(a_file_that_is_added_to_over_and_over_stays_small, clear_root),
        cmocka_unit_test_setup(a_file_cut_anywhere_keeps_what_is_whole_and_takes_more, clear_root),
        cmocka_unit_test_setup(an_entry_in_a_folder_cut_anywhere_is_refused_and_left_alone, clear_root),
        cmocka_unit_test_setup(any_changed_byte_is_noticed, clear_root),
        cmocka_unit_test_setup(a_file_of_something_else_is_refused_and_left_alone, clear_root),
        cmocka_unit_test_setup(plans_of_other_versions_and_nonsense_are_told_and_kept_as_they_are, clear_root),
        cmocka_unit_test_setup(what_is_too_old_is_not_used_and_is_replaced, clear_root),
        cmocka_unit_test_setup(where_nothing_can_be_written_a_status_says_so, clear_root),
        cmocka_unit_test_setup(a_full_disk_loses_nothing, clear_root),
        cmocka_unit_test_setup(a_hundred_processes_lose_nothing, clear_root),
        cmocka_unit_test_setup(a_file_that_is_rewritten_meanwhile_loses_nothing, clear_root),
        cmocka_unit_test_setup(threads_share_a_place, clear_root),
        cmocka_unit_test_setup(what_is_exported_can_be_imported, clear_root),
        cmocka_unit_test_setup(an_import_takes_what_is_whole_and_tells_of_the_rest, clear_root),
        cmocka_unit_test_setup(lack_of_memory_is_a_status_at_every_place, clear_root),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
