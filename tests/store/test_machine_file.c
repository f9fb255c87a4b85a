/*
 * Tests exported machines: one file with all stored data of a machine, for planning on another one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/experience.h"
#include "store/machine_file.h"
#include "store/store.h"

static char folder[] = "/tmp/tcplan-machine-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static struct tcplan_store store_with(const char *path) {
    struct tcplan_store store = {.folder = path};
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++)
        snprintf(store.fingerprint.part[p], TCPLAN_MACHINE_TEXT, "part %d", p);
    return store;
}

/** Makes a store with ceilings for two numbers of threads, and with one error of evaluations. */
static struct tcplan_store filled_store(void) {
    const struct tcplan_store store = store_with(folder);
    static struct tcplan_ceiling compute[] = {{.name = "dgemm",
                                               .precision = TCPLAN_DOUBLE,
                                               .threads = 1,
                                               .cache = -1,
                                               .rate = 60,
                                               .q1 = 59,
                                               .q3 = 61,
                                               .windows = 20},
                                              {.name = "dgemm",
                                               .precision = TCPLAN_DOUBLE,
                                               .threads = 2,
                                               .cache = -1,
                                               .rate = 90,
                                               .q1 = 89,
                                               .q3 = 91,
                                               .windows = 20}};
    struct tcplan_experience *experience = tcplan_experience_new();
    struct tcplan_roofline roofline = {.compute = compute, .compute_count = 2};
    struct tcplan_roofline *found = NULL;
    struct tcplan_error cause = {0};
    const struct evaluation_error error = {.basis = 1, .count = 3, .squares = 0.03};
    assert_int_equal(tcplan_machine_load(&roofline.machine, "live", NULL), TCPLAN_OK);
    assert_int_equal(tcplan_store_keep_ceilings(&store, &roofline, NULL), TCPLAN_OK);
    if (tcplan_store_ceilings(&found, &store, (const int[]){1, 2}, 2, &cause) != TCPLAN_OK)
        fail_msg("%s", cause.message);
    assert_non_null(found);
    tcplan_roofline_free(found);
    assert_int_equal(experience_add(experience, &store_kind_errors, &error, 1), TCPLAN_OK);
    assert_int_equal(tcplan_store_keep_experience(&store, experience, NULL), TCPLAN_OK);
    tcplan_experience_free(experience);
    return store;
}

static char *exported(const struct tcplan_store *store) {
    struct tcplan_error error = {0};
    char *text = NULL;
    if (tcplan_machine_export(&text, store, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return text;
}

static void check_refused(const char *text, size_t length, const char *why) {
    struct tcplan_machine_file file = {0};
    struct tcplan_error error = {0};
    assert_int_equal(machine_file_read(&file, text, length, &error), TCPLAN_INVALID);
    assert_int_equal(error.status, TCPLAN_INVALID);
    if (!strstr(error.message, why)) fail_msg("expected '%s', found '%s'", why, error.message);
    assert_null(file.experience);
}

static void an_export_has_what_is_stored(void **state) {
    (void)state;
    const struct tcplan_store store = filled_store();
    struct tcplan_machine here;
    struct tcplan_machine_file file = {0};
    char *text = exported(&store), unknown[TCPLAN_MESSAGE_SIZE];
    assert_int_equal(machine_file_read(&file, text, strlen(text), NULL), TCPLAN_OK);
    assert_int_equal(tcplan_machine_load(&here, "live", NULL), TCPLAN_OK);
    assert_string_equal(file.machine.cpu, here.cpu);
    assert_int_equal(file.machine.cache_count, here.cache_count);
    assert_memory_equal(file.machine.cache, here.cache, sizeof here.cache);
    assert_memory_equal(&file.machine.heuristics, &here.heuristics, sizeof here.heuristics);
    assert_false(file.machine.live);
    assert_memory_equal(&file.fingerprint, &store.fingerprint, sizeof store.fingerprint);
    assert_ptr_equal(file.machine.ceilings, file.ceilings);
    assert_int_equal(file.ceilings->compute_count, 2);
    assert_true(file.ceilings->compute[0].rate == 60 && file.ceilings->compute[1].rate == 90);
    assert_int_equal(file.experience->error_count, 1);
    assert_true(file.experience->error[0].count == 3);
    tcplan_machine_unknown(unknown, &file, 2);
    assert_null(strstr(unknown, "ceilings"));
    assert_non_null(strstr(unknown, "no kernel times"));
    tcplan_machine_unknown(unknown, &file, 3);
    assert_non_null(strstr(unknown, "no ceilings for 3 threads"));
    tcplan_machine_file_free(&file);
    free(text);
}

static void without_a_store_the_topology_is_exported(void **state) {
    (void)state;
    const struct tcplan_store store = store_with(NULL);
    struct tcplan_machine_file file = {0};
    char *text = exported(&store), unknown[TCPLAN_MESSAGE_SIZE];
    assert_int_equal(machine_file_read(&file, text, strlen(text), NULL), TCPLAN_OK);
    assert_true(file.machine.cores > 0);
    assert_null(file.ceilings);
    tcplan_machine_unknown(unknown, &file, 1);
    assert_string_equal(unknown, "no ceilings for 1 thread (speeds are nominal), no costs of cache "
                                 "lines and copies, no kernel times, no models");
    tcplan_machine_file_free(&file);
    free(text);
}

static void damage_is_refused(void **state) {
    (void)state;
    const struct tcplan_store store = filled_store();
    char *text = exported(&store);
    const size_t length = strlen(text);
    for (size_t at = 0; at < length; at += 97) {
        text[at] ^= 1;
        check_refused(text, length, "");
        text[at] ^= 1;
        if (at > 0) check_refused(text, at, "");
    }
    check_refused("", 0, "found nothing");
    free(text);
}

static void data_of_other_kinds_and_machines_are_refused(void **state) {
    (void)state;
    const struct tcplan_store store = filled_store();
    struct tcplan_store other = store_with(NULL);
    char *text = exported(&store), *both = NULL;
    snprintf(other.fingerprint.part[0], TCPLAN_MACHINE_TEXT, "another");
    char *foreign = exported(&other);
    assert_true(asprintf(&both, "%s%s", text, strstr(text, "tcplan store 1\nentry kind=ceilings")) >
                0);
    struct tcplan_machine_file file = {0};
    assert_int_equal(machine_file_read(&file, both, strlen(both), NULL),
                     TCPLAN_OK); /* twice the same */
    tcplan_machine_file_free(&file);
    free(both);
    assert_true(asprintf(&both, "%s%s", text, foreign) > 0);
    check_refused(both, strlen(both), "several machines");
    free(both);
    const char *behind = strstr(text, "tcplan store 1\nentry kind=ceilings");
    check_refused(behind, strlen(behind), "expected a machine, found ceilings");
    assert_true(asprintf(&both, "%s%s", text, text) > 0);
    check_refused(both, strlen(both), "expected data about a machine, found machine");
    free(both);
    free(foreign);
    free(text);
}

static void files_are_recognised_by_their_beginning(void **state) {
    (void)state;
    const struct tcplan_store store = store_with(NULL);
    char *text = exported(&store), path[sizeof folder + 24];
    struct tcplan_machine_file read = {0};
    struct tcplan_error error = {0};
    snprintf(path, sizeof path, "%s/machine", folder);
    assert_false(tcplan_machine_is_exported(path));
    assert_int_equal(tcplan_machine_import(&read, path, &error), TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, path));
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    assert_true(tcplan_machine_is_exported(path));
    assert_int_equal(tcplan_machine_import(&read, path, &error), TCPLAN_OK);
    assert_string_equal(read.machine.source, path);
    tcplan_machine_file_free(&read);
    file = fopen(path, "w");
    fputs("<topology/>", file);
    fclose(file);
    assert_false(tcplan_machine_is_exported(path));
    assert_true(tcplan_machine_is_exported("/no/such/node.tcplan"));
    assert_false(tcplan_machine_is_exported(".tcplan"));
    assert_int_equal(mkfifo(strcat(path, "-pipe"), 0600), 0);
    assert_false(tcplan_machine_is_exported(path)); /* opening a pipe must not wait for a writer */
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_export_has_what_is_stored),
        cmocka_unit_test(without_a_store_the_topology_is_exported),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(data_of_other_kinds_and_machines_are_refused),
        cmocka_unit_test(files_are_recognised_by_their_beginning),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
