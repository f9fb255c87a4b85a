#include "support/stored_plans.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/checksum.h"
#include "base/strbuf.h"
#include "store/folder.h"
#include "store/kinds.h"
#include "store/plan.h"
#include "store/store.h"

static char root[] = "/tmp/tcplan-plans-XXXXXX";
char places_folder[64], places_file[64];

int places_make(void **state) {
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

int places_clear(void **state) {
    char text[128];
    (void)state;
    snprintf(places_folder, sizeof places_folder, "%s/a/store", root);
    snprintf(places_file, sizeof places_file, "%s/plans", root);
    snprintf(text, sizeof text, "rm -rf %s/a %s/plans", root, root);
    return system(text);
}

int places_remove(void **state) {
    char text[128];
    (void)state;
    snprintf(text, sizeof text, "rm -rf %s", root);
    return system(text);
}

struct tcplan_store places_store(int64_t now) {
    struct tcplan_store store = {.folder = places_folder, .now = now};
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++)
        snprintf(store.fingerprint.part[p], TCPLAN_MACHINE_TEXT, "part %d", p);
    return store;
}

struct tcplan_stored_plans *place_open_at(enum place place, int64_t now) {
    const struct tcplan_store store = places_store(now);
    struct tcplan_stored_plans *plans = NULL;
    assert_int_equal(
        tcplan_stored_plans_open(&plans, &store, place == IN_FILE ? places_file : NULL, NULL),
        TCPLAN_OK);
    return plans;
}

struct tcplan_stored_plans *place_open(enum place place) {
    return place_open_at(place, NOW);
}

const struct tcplan_plan_setup one_thread = {.threads = 1};

void subject_init(struct subject *out, const char *text, const char *sizes, const char *strides,
                  const char *algorithm) {
    if (strides) {
        random_contraction_strided(&out->given, text, sizes, strides, TCPLAN_COLUMN_MAJOR,
                                   TCPLAN_DOUBLE);
    } else {
        random_contraction_given(&out->given, text, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    }
    out->plan = (struct tcplan_found_plan){
        .effort = NORMAL, .seconds = 1e-3, .low = 9e-4, .high = 2e-3, .workspace_bytes = 64};
    assert_int_equal(tcplan_algorithm_parse(&out->plan.algorithm, out->given.contraction,
                                            TCPLAN_DOUBLE, algorithm, NULL),
                     TCPLAN_OK);
}

void subject_free(struct subject *subject) {
    random_contraction_free(&subject->given);
}

enum tcplan_status subject_keep(struct tcplan_stored_plans *plans, const struct subject *subject) {
    return tcplan_stored_plans_keep(plans, &subject->given.problem, &one_thread, &subject->plan,
                                    NULL);
}

enum tcplan_status subject_find(struct tcplan_stored_plans *plans, const struct subject *subject) {
    struct tcplan_found_plan found;
    const enum tcplan_status status =
        tcplan_stored_plans_find(&found, plans, &subject->given.problem, &one_thread, 0, NULL);
    if (status == TCPLAN_OK)
        assert_true(tcplan_algorithm_equal(&found.algorithm, &subject->plan.algorithm));
    return status;
}

/** Finds a plan as a new process does: without plans in memory. */
enum tcplan_status subject_find_anew(enum place place, const struct subject *subject) {
    struct tcplan_stored_plans *plans = place_open(place);
    const enum tcplan_status status = subject_find(plans, subject);
    tcplan_stored_plans_close(plans);
    return status;
}

enum tcplan_status subject_keep_anew(enum place place, const struct subject *subject) {
    struct tcplan_stored_plans *plans = place_open(place);
    const enum tcplan_status status = subject_keep(plans, subject);
    tcplan_stored_plans_close(plans);
    return status;
}

/** Makes a problem `C_abc=A_ai*B_ibc` whose extents depend on a number. */
void subject_numbered(struct subject *out, int number) {
    char sizes[64];
    snprintf(sizes, sizeof sizes, "a=%d,b=8,c=9,i=7", number);
    subject_init(out, "C_abc=A_ai*B_ibc", sizes, NULL, number % 2 ? "c-dgemm" : "b-dgemm");
}

size_t place_count(enum place place) {
    struct tcplan_stored_plans *plans = place_open(place);
    struct tcplan_plan_list list;
    size_t used = 0;
    assert_int_equal(tcplan_stored_plans_list(&list, plans, NULL), TCPLAN_OK);
    for (size_t i = 0; i < list.count; i++) used += list.item[i].status == TCPLAN_OK;
    tcplan_plan_list_free(&list);
    tcplan_stored_plans_close(plans);
    return used;
}

char *file_read(const char *path, size_t *length) {
    FILE *in = fopen(path, "rb");
    char *text = calloc(1, 1 << 22);
    assert_non_null(text);
    *length = in ? fread(text, 1, 1 << 22, in) : 0;
    if (in) fclose(in);
    return text;
}

void file_write(const char *path, const char *text, size_t length) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, length, out), length);
    fclose(out);
}

void assert_file_holds(const char *path, const char *text, size_t length) {
    size_t found;
    char *now = file_read(path, &found);
    assert_int_equal(found, length);
    assert_memory_equal(now, text, length);
    free(now);
}

/** Returns the path of the only plan in the folder. */
void places_only_path(char out[256]) {
    struct folder_names names = {0};
    assert_int_equal(folder_list(&names, places_folder, NULL), TCPLAN_OK);
    assert_int_equal(names.count, 1);
    snprintf(out, 256, "%s/%s.tcplan", places_folder, names.name[0]);
    folder_names_free(&names);
}

/** Uses a plan at a given time, in a child process. */
void place_use_plan(enum place place, int number, int64_t now) {
    struct subject kept;
    subject_numbered(&kept, number);
    struct tcplan_stored_plans *plans = place_open_at(place, now);
    assert_int_equal(subject_find(plans, &kept), TCPLAN_OK);
    tcplan_stored_plans_close(plans);
    subject_free(&kept);
}

bool place_has_plan(enum place place, int number) {
    struct subject kept;
    subject_numbered(&kept, number);
    const enum tcplan_status status = subject_find_anew(place, &kept);
    subject_free(&kept);
    return status == TCPLAN_OK;
}

size_t place_forget_plans(enum place place, int64_t now, const struct tcplan_plan_choice *choice) {
    struct tcplan_stored_plans *plans = place_open_at(place, now);
    size_t count = 0;
    assert_int_equal(tcplan_stored_plans_forget(&count, plans, choice, NULL), TCPLAN_OK);
    tcplan_stored_plans_close(plans);
    return count;
}

/** Returns the entries of plans 1 to `count`; each was last used a second after the previous one.
 */
char *plan_entries(int count) {
    struct strbuf out = {0};
    for (int n = 1; n <= count; n++) {
        struct subject kept;
        struct tcplan_contraction canonical;
        struct tcplan_stored_plan plan;
        struct entry entry = {.made = NOW - 2 * count + n,
                              .fingerprint = places_store(NOW).fingerprint,
                              .kind = &store_kind_plans};
        subject_numbered(&kept, n);
        assert_true(plan_contraction_of(&canonical, &kept.given.problem));
        assert_int_equal(plan_identify(&plan, &canonical, &kept.given.problem, &one_thread, NULL),
                         TCPLAN_OK);
        snprintf(plan.algorithm, sizeof plan.algorithm, "%s", n % 2 ? "c-dgemm" : "b-dgemm");
        plan.seconds = plan.low = plan.high = 1;
        plan.effort = NORMAL;
        plan_key(entry.key, &plan);
        char *text = entry_text(&entry, &plan);
        assert_non_null(text);
        strbuf_append(&out, text, strlen(text));
        if (count > 1) {
            char name[TCPLAN_STORE_NAME], path[256];
            const struct tcplan_store store = places_store(NOW);
            store_name(name, &store, &store_kind_plans, entry.key);
            snprintf(path, sizeof path, "%s/%s.tcplan", places_folder, name);
            file_write(path, text, strlen(text));
        }
        free(text);
        subject_free(&kept);
    }
    return strbuf_finish(&out);
}

/** Returns the entry of plan 1 with `from` replaced by `to`, and a correct checksum. */
char *plan_entry_changed(const char *from, const char *to) {
    struct strbuf out = {0};
    char *text = plan_entries(1);
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
