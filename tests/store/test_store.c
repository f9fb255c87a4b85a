#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "store/folder.h"
#include "store/store.h"
#include "support/root_folder.h"
#include "tcplan/store.h"

enum { NOW = 1700000000, DAY = 86400 };

static char folder[sizeof root + 16]; /* folder of the running test, two levels below an existing
                                         one */

static int take_folder(void **state) {
    (void)state;
    run("rm -rf %s/a");
    snprintf(folder, sizeof folder, "%s/a/store", root);
    return 0;
}

/* Values. */

static struct tcplan_machine machine = {.source = "live",
                                        .cpu = "Model 5 @ 2%",
                                        .live = true,
                                        .cores = 2,
                                        .processing_units = 4,
                                        .memory_bytes = 1LL << 34,
                                        .line_bytes = 64,
                                        .page_bytes = 4096,
                                        .cache_count = 2,
                                        .cache = {{1, 32768, 64, 8, 2}, {2, 1 << 20, 64, 16, 2}}};

static struct tcplan_store store_at(const char *path) {
    struct tcplan_store store = {.folder = path, .now = NOW};
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++)
        snprintf(store.fingerprint.part[p], TCPLAN_MACHINE_TEXT, "part %d", p);
    return store;
}

static struct tcplan_ceiling compute[] = {{.name = "dgemm",
                                           .precision = TCPLAN_DOUBLE,
                                           .threads = 1,
                                           .cache = -1,
                                           .rate = 60,
                                           .q1 = 59,
                                           .q3 = 61,
                                           .windows = 20,
                                           .clock_hz = 3.5e9,
                                           .clock_drift = 0.02,
                                           .m = 128,
                                           .n = 120,
                                           .k = 32},
                                          {.name = "fma",
                                           .precision = TCPLAN_FLOAT,
                                           .mix = TCPLAN_MIX_BF16_S,
                                           .vector_bits = 512,
                                           .threads = 2,
                                           .cache = -1,
                                           .rate = 0.1,
                                           .q1 = 0.1,
                                           .q3 = 0.3,
                                           .limit = 7}};
static struct tcplan_ceiling bandwidth[] = {{.name = "load",
                                             .precision = TCPLAN_DOUBLE,
                                             .vector_bits = 512,
                                             .threads = 1,
                                             .cache = 2,
                                             .level = "DRAM",
                                             .working_set_bytes = 1 << 26,
                                             .reduced = true,
                                             .line_bytes_per_count_byte = 1,
                                             .rate = 9,
                                             .q1 = 8,
                                             .q3 = 9}};
static struct tcplan_level level[] = {{.name = "L1",
                                       .threads = 1,
                                       .first_bytes = 4096,
                                       .last_bytes = 30000,
                                       .holds_bytes = 32768,
                                       .rate = 90},
                                      {.cache = -1, .threads = 1, .holds_bytes = 65536, .rate = 40},
                                      {.name = "DRAM", .cache = 2, .threads = 2, .rate = 9}};
static struct tcplan_ceiling sweep[] = {{.name = "load",
                                         .threads = 1,
                                         .cache = -1,
                                         .working_set_bytes = 4096,
                                         .line_bytes_per_count_byte = 1,
                                         .rate = 90,
                                         .q1 = 89,
                                         .q3 = 91},
                                        {.name = "load",
                                         .threads = 2,
                                         .cache = -1,
                                         .working_set_bytes = 4096,
                                         .line_bytes_per_count_byte = 1,
                                         .rate = 180,
                                         .q1 = 1,
                                         .q3 = 191}};
static struct tcplan_ceiling intensity[] = {{.name = "flops",
                                             .level = "L1",
                                             .threads = 1,
                                             .intensity = 0.0625,
                                             .rate = 9,
                                             .q1 = 8,
                                             .q3 = 9}};
static const struct tcplan_roofline roofline = {.clock = {3e9, 2.9e9, 3.1e9},
                                                .compute_count = 2,
                                                .compute = compute,
                                                .bandwidth_count = 1,
                                                .bandwidth = bandwidth,
                                                .level_count = 3,
                                                .level = level,
                                                .sweep_count = 2,
                                                .sweep = sweep,
                                                .intensity_count = 1,
                                                .intensity = intensity,
                                                .left_out = 1,
                                                .above_limit = 2,
                                                .lacking = 1U << TCPLAN_MIX_FP16,
                                                .unbuilt = 1U << TCPLAN_MIX_S_D,
                                                .huge_page_share = 0,
                                                .seconds = 12.5,
                                                .made = NOW - 7};

static struct tcplan_roofline the_roofline(void) {
    struct tcplan_roofline out = roofline;
    out.machine = machine;
    return out;
}

static void keep(const struct tcplan_store *store) {
    struct tcplan_error error = {0};
    const struct tcplan_roofline stored = the_roofline();
    if (tcplan_store_keep_ceilings(store, &stored, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
}

static struct tcplan_roofline *find(const struct tcplan_store *store, int threads,
                                    enum tcplan_status status, const char *part_of_message) {
    struct tcplan_roofline *out = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_store_ceilings(&out, store, &threads, 1, &error), status);
    if (!strstr(error.message, part_of_message))
        fail_msg("expected '%s', found '%s'", part_of_message, error.message);
    return out;
}

/** Returns the path of the stored ceilings for a number of threads. */
static const char *file_of(const struct tcplan_store *store, int threads) {
    static char path[sizeof folder + TCPLAN_STORE_NAME + 16];
    char key[32];
    struct tcplan_store_list list;
    snprintf(key, sizeof key, "threads-%d", threads);
    assert_int_equal(tcplan_store_list(&list, store, NULL), TCPLAN_OK);
    *path = '\0';
    for (size_t i = 0; i < list.count; i++) {
        if (strstr(list.item[i].name, key))
            snprintf(path, sizeof path, "%s/%s.tcplan", store->folder, list.item[i].name);
    }
    tcplan_store_list_free(&list);
    assert_true(*path);
    return path;
}

static void overwrite(const char *path, long at, const char *text) {
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Tests. */

static void assert_same_ceilings(const struct tcplan_ceiling *a, const struct tcplan_ceiling *b) {
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->level, b->level);
    assert_true(a->precision == b->precision && a->mix == b->mix);
    assert_true(a->rate == b->rate && a->q1 == b->q1 && a->q3 == b->q3 && a->limit == b->limit);
    assert_true(a->clock_hz == b->clock_hz && a->clock_drift == b->clock_drift);
    assert_true(a->threads == b->threads && a->cache == b->cache && a->windows == b->windows &&
                a->vector_bits == b->vector_bits);
    assert_true(a->m == b->m && a->n == b->n && a->k == b->k &&
                a->working_set_bytes == b->working_set_bytes && a->reduced == b->reduced);
}

static void ceilings_are_found_by_their_number_of_threads(void **state) {
    (void)state;
    const struct tcplan_store store = store_at(folder);
    assert_null(find(&store, 1, TCPLAN_OK, ""));
    keep(&store);
    struct tcplan_roofline *one = find(&store, 1, TCPLAN_OK, "");
    assert_non_null(one);
    assert_int_equal(one->compute_count, 1);
    assert_int_equal(one->bandwidth_count, 1);
    assert_same_ceilings(&one->compute[0], &compute[0]);
    assert_same_ceilings(&one->bandwidth[0], &bandwidth[0]);
    assert_int_equal(one->level_count, 2);
    assert_memory_equal(one->level, level, 2 * sizeof *level);
    assert_int_equal(one->sweep_count, 1);
    assert_same_ceilings(&one->sweep[0], &sweep[0]);
    assert_int_equal(one->intensity_count, 1);
    assert_same_ceilings(&one->intensity[0], &intensity[0]);
    assert_true(one->intensity[0].intensity == 0.0625);
    assert_true(tcplan_roofline_has_sweeps(one, "load", 1, false) &&
                tcplan_roofline_has_sweeps(one, NULL, 1, false));
    assert_true(!tcplan_roofline_has_sweeps(one, "load,store", 1, false) &&
                !tcplan_roofline_has_sweeps(one, NULL, 2, true));
    assert_string_equal(one->machine.cpu, machine.cpu);
    assert_string_equal(one->machine.source, "live");
    assert_memory_equal(one->machine.cache, machine.cache, sizeof machine.cache);
    assert_int_equal(one->machine.cache_count, 2);
    assert_true(one->clock.hz == 3e9 && one->seconds == 12.5 && one->huge_page_share == 0 &&
                one->made == NOW - 7 && one->unmeasured == 0);
    assert_int_equal(one->left_out, 1);
    assert_int_equal(one->above_limit, 2);
    assert_true(one->lacking == 1U << TCPLAN_MIX_FP16 && one->unbuilt == 1U << TCPLAN_MIX_S_D);
    tcplan_roofline_free(one);
    struct tcplan_roofline *both = NULL;
    assert_int_equal(tcplan_store_ceilings(&both, &store, (const int[]){1, 2}, 2, NULL), TCPLAN_OK);
    assert_int_equal(both->compute_count, 2);
    assert_same_ceilings(&both->compute[1], &compute[1]);
    assert_true(both->level_count == 3 && both->sweep_count == 2);
    assert_int_equal(both->machine.cache_count, 2);
    tcplan_roofline_free(both);
    assert_null(find(&store, 3, TCPLAN_OK, ""));
}

static void a_store_without_folder_stores_nothing(void **state) {
    (void)state;
    const struct tcplan_store store = store_at(NULL);
    struct tcplan_store_list list;
    size_t count;
    char *text;
    keep(&store);
    assert_null(find(&store, 1, TCPLAN_OK, ""));
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 0);
    tcplan_store_list_free(&list);
    assert_int_equal(tcplan_store_forget(&count, &store, &(struct tcplan_store_choice){0}, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_store_show(&text, &store, "ceilings", NULL), TCPLAN_INVALID);
}

static void entries_of_another_machine_are_reported_with_the_differences(void **state) {
    (void)state;
    struct tcplan_store store = store_at(folder);
    keep(&store);
    snprintf(store.fingerprint.part[TCPLAN_FINGERPRINT_LIBRARIES + TCPLAN_PROVIDER_BLAS],
             TCPLAN_MACHINE_TEXT, "OpenBLAS 1");
    struct tcplan_roofline *without =
        find(&store, 1, TCPLAN_MISMATCH, "was made with BLAS part 3, not OpenBLAS 1");
    assert_non_null(without); /* needs all ceilings but gemm */
    assert_true(without->compute_count == 0 && without->bandwidth_count == 1);
    tcplan_roofline_free(without);
    keep(&store); /* adds the ceilings for OpenBLAS 1 next to those for the first BLAS */
    tcplan_roofline_free(find(&store, 1, TCPLAN_OK, ""));
    store = store_at(folder);
    tcplan_roofline_free(find(&store, 1, TCPLAN_OK, ""));
    snprintf(store.fingerprint.part[TCPLAN_FINGERPRINT_PARTS - 1], TCPLAN_MACHINE_TEXT,
             "a library that ceilings do not depend on");
    tcplan_roofline_free(find(&store, 1, TCPLAN_OK, ""));
    snprintf(store.fingerprint.part[TCPLAN_FINGERPRINT_LIBRARIES + TCPLAN_PROVIDER_BLAS],
             TCPLAN_MACHINE_TEXT, "OpenBLAS 2");
    snprintf(store.fingerprint.part[TCPLAN_FINGERPRINT_CPU], TCPLAN_MACHINE_TEXT, "other");
    assert_null(find(&store, 1, TCPLAN_MISMATCH, "CPU part 0, not other; BLAS "));
}

static void expired_entries_are_not_used_and_are_removed(void **state) {
    (void)state;
    struct tcplan_store store = store_at(folder);
    struct tcplan_store_list list;
    keep(&store);
    for (int threads = 1; threads <= 2; threads++) {
        const struct timespec times[2] = {{.tv_sec = NOW}, {.tv_sec = NOW}};
        assert_int_equal(utimensat(AT_FDCWD, file_of(&store, threads), times, 0), 0);
    }
    store.now = NOW + 366LL * DAY;
    assert_null(find(&store, 1, TCPLAN_MISMATCH, "older than 365 days"));
    struct tcplan_roofline one = the_roofline();
    one.compute_count = 1;
    assert_int_equal(tcplan_store_keep_ceilings(&store, &one, NULL),
                     TCPLAN_OK); /* replaces the entry of the same name; the other entry is too old
                                    to stay */
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.item[0].key, "threads-1");
    tcplan_store_list_free(&list);
}

static void every_changed_or_missing_byte_is_reported(void **state) {
    (void)state;
    const struct tcplan_store store = store_at(folder);
    struct stat status;
    keep(&store);
    const char *path = file_of(&store, 1);
    assert_int_equal(stat(path, &status), 0);
    for (long at = 0; at < status.st_size; at += 7) {
        keep(&store);
        FILE *file = fopen(path, "r+");
        fseek(file, at, SEEK_SET);
        const int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 1, file);
        fclose(file);
        struct tcplan_roofline *out = NULL;
        struct tcplan_error error = {0};
        const enum tcplan_status found =
            tcplan_store_ceilings(&out, &store, (const int[]){1}, 1, &error);
        assert_true((found == TCPLAN_INVALID || found == TCPLAN_MISMATCH) && !out &&
                    *error.message);
        assert_int_equal(truncate(path, at), 0);
        assert_int_equal(tcplan_store_ceilings(&out, &store, (const int[]){1}, 1, &error),
                         TCPLAN_INVALID);
        struct tcplan_roofline *other =
            find(&store, 2, TCPLAN_OK, ""); /* the undamaged entry is still readable */
        assert_non_null(other);
        tcplan_roofline_free(other);
    }
}

/** Data of one processor, in entries of every kind, is not used on another. */
static void entries_of_every_kind_are_of_their_machine(void **state) {
    (void)state;
    struct tcplan_store here = store_at(folder), elsewhere = store_at(folder);
    snprintf(elsewhere.fingerprint.part[TCPLAN_FINGERPRINT_CPU], TCPLAN_MACHINE_TEXT, "another");
    for (const struct store_kind *const *kind = store_kinds; *kind; kind++) {
        char name[TCPLAN_STORE_NAME], other[TCPLAN_STORE_NAME];
        const struct entry entry = {.made = NOW, .fingerprint = here.fingerprint, .kind = *kind};
        struct tcplan_error error = {0};
        store_name(name, &here, *kind, "key");
        store_name(other, &elsewhere, *kind, "key");
        assert_string_not_equal(name, other);
        assert_int_equal(store_check_use(&here, &entry, &error), TCPLAN_OK);
        assert_int_equal(store_check_use(&elsewhere, &entry, &error), TCPLAN_MISMATCH);
        assert_non_null(strstr(error.message, "CPU"));
    }
}

static void unknown_versions_and_kinds_are_reported(void **state) {
    (void)state;
    const struct tcplan_store store = store_at(folder);
    keep(&store);
    const char *path = file_of(&store, 1);
    overwrite(path, 13, "2");
    assert_null(find(&store, 1, TCPLAN_MISMATCH,
                     "version 2 of the store format; this tcplan reads version 1"));
    overwrite(path, 0, "something else");
    assert_null(find(&store, 1, TCPLAN_INVALID, "not an entry of a store"));
}

static void anything_but_a_regular_file_is_reported(void **state) {
    (void)state;
    const struct tcplan_store store = store_at(folder);
    keep(&store);
    const char *path = file_of(&store, 1);
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(find(&store, 1, TCPLAN_INVALID, "expected a regular file"));
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_null(find(&store, 1, TCPLAN_ENVIRONMENT, "Is a directory"));
    struct tcplan_error error = {0};
    const struct tcplan_roofline stored = the_roofline();
    assert_int_equal(tcplan_store_keep_ceilings(&store, &stored, &error), TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, "cannot write"));
}

static void files_that_are_too_large_are_not_read(void **state) {
    (void)state;
    const struct tcplan_store store = store_at(folder);
    keep(&store);
    assert_int_equal(truncate(file_of(&store, 1), 1LL << 40), 0);
    assert_null(find(&store, 1, TCPLAN_INVALID, "is longer than 4194304 bytes"));
}

static void a_lock_that_is_held_does_not_stall(void **state) {
    (void)state;
    const struct tcplan_store store = store_at(folder);
    const struct tcplan_roofline stored = the_roofline();
    struct tcplan_error error = {0};
    char path[sizeof folder + 16];
    size_t count;
    keep(&store);
    snprintf(path, sizeof path, "%s/.lock", folder);
    const int lock = open(path, O_RDONLY);
    assert_true(lock >= 0);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    assert_int_equal(tcplan_store_keep_ceilings(&store, &stored, &error), TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, "another process has held"));
    assert_int_equal(tcplan_store_forget(&count, &store, &(struct tcplan_store_choice){0}, &error),
                     TCPLAN_ENVIRONMENT);
    assert_int_equal(count, 0);
    tcplan_roofline_free(find(&store, 1, TCPLAN_OK, "")); /* reading needs no lock */
    close(lock);
    keep(&store);
}

static void a_folder_that_cannot_be_made_is_reported(void **state) {
    (void)state;
    char path[sizeof folder + 32];
    const struct tcplan_roofline stored = the_roofline();
    struct tcplan_error error = {0};
    run("mkdir -p %1$s/a; : >%1$s/a/file");
    snprintf(path, sizeof path, "%s/a/file/store", root);
    struct tcplan_store store = store_at(path);
    assert_int_equal(tcplan_store_keep_ceilings(&store, &stored, &error), TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, "cannot make the store's folder"));
    snprintf(path, sizeof path, "%s/a/file", root);
    assert_int_equal(tcplan_store_keep_ceilings(&store, &stored, &error), TCPLAN_ENVIRONMENT);
    store.folder = "";
    assert_int_equal(tcplan_store_keep_ceilings(&store, &stored, &error), TCPLAN_ENVIRONMENT);
}

static void the_folder_and_its_files_are_the_users_alone(void **state) {
    (void)state;
    const struct tcplan_store store = store_at(folder);
    struct stat status;
    keep(&store);
    assert_int_equal(stat(folder, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(stat(file_of(&store, 1), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void trials_of_core_types_belong_to_one_library_and_processor(void **state) {
    (void)state;
    struct tcplan_store store = store_at(folder);
    struct tcplan_error error = {0};
    struct tcplan_blas_trials found;
    bool any = true;
    const struct tcplan_blas_trials trials = {
        .peak_gflops = 100.5,
        .count = 3,
        .trial = {
            {.core = "Prescott", .gflops = 15},
            {.core = "SkylakeX", .setting = "SkylakeX", .wrong = "sgemm, zgemm", .gflops = 75},
            {{0}}}};
    assert_int_equal(tcplan_store_blas_trials(&any, &found, &store, TCPLAN_PROVIDER_BLAS, &error),
                     TCPLAN_OK);
    assert_false(any);
    assert_int_equal(tcplan_store_keep_blas_trials(&store, &trials, TCPLAN_PROVIDER_BLAS, &error),
                     TCPLAN_OK);
    snprintf(store.fingerprint.part[TCPLAN_FINGERPRINT_LIBRARIES], TCPLAN_MACHINE_TEXT,
             "OpenBLAS with another core type");
    assert_int_equal(tcplan_store_blas_trials(&any, &found, &store, TCPLAN_PROVIDER_BLAS, &error),
                     TCPLAN_OK);
    assert_true(any);
    assert_memory_equal(&found, &trials, sizeof found);
    snprintf(store.fingerprint.part[TCPLAN_FINGERPRINT_CPU], TCPLAN_MACHINE_TEXT, "another CPU");
    tcplan_store_blas_trials(&any, &found, &store, TCPLAN_PROVIDER_BLAS, &error);
    assert_false(any);
}

static void entries_are_listed_shown_and_forgotten(void **state) {
    (void)state;
    struct tcplan_store store = store_at(folder);
    struct tcplan_store_list list;
    struct tcplan_error error = {0};
    char *text;
    size_t count;
    keep(&store);
    run(": >%s/a/store/notes.txt");
    run("echo nonsense >%s/a/store/zz.tcplan");
    assert_int_equal(tcplan_store_list(&list, &store, &error), TCPLAN_OK);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.item[0].kind, "ceilings");
    assert_int_equal(list.item[0].status, TCPLAN_OK);
    assert_int_equal(list.item[0].made, NOW);
    assert_string_equal(list.item[2].name, "zz");
    assert_int_equal(list.item[2].status, TCPLAN_INVALID);
    assert_non_null(strstr(list.item[2].reason, "not an entry of a store"));
    assert_int_equal(tcplan_store_show(&text, &store, list.item[0].name, &error), TCPLAN_OK);
    assert_non_null(strstr(text, "ceilings threads-1"));
    assert_non_null(strstr(text, "60 GFLOP/s  128 x 120 x 32"));
    free(text);
    assert_int_equal(tcplan_store_show(&text, &store, "zz", &error), TCPLAN_INVALID);
    assert_int_equal(tcplan_store_show(&text, &store, "../a/store/zz", &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "nothing is stored as"));

    const struct tcplan_store_choice old = {.least_days = 1}, useless = {.unusable = true},
                                     one = {.name = list.item[0].name};
    const struct tcplan_store_choice kind = {.name = "ceilings"};
    assert_int_equal(tcplan_store_forget(&count, &store, &old, &error), TCPLAN_OK);
    assert_int_equal(count, 1); /* the damaged entry has no date */
    run("echo nonsense >%s/a/store/zz.tcplan");
    assert_int_equal(tcplan_store_forget(&count, &store, &useless, &error), TCPLAN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(tcplan_store_forget(&count, &store, &one, &error), TCPLAN_OK);
    assert_int_equal(count, 1);
    assert_null(find(&store, 1, TCPLAN_OK, ""));
    assert_int_equal(tcplan_store_forget(&count, &store, &kind, &error), TCPLAN_OK);
    assert_int_equal(count, 1);
    run("test -e %s/a/store/notes.txt");
    tcplan_store_list_free(&list);
}

static void beyond_the_bound_the_oldest_go(void **state) {
    (void)state;
    struct tcplan_store store = store_at(folder);
    struct folder_names names = {0};
    struct tcplan_error error = {0};
    char *large = malloc(1 << 20);
    int lock;
    memset(large, 'x', 1 << 20);
    keep(&store);
    assert_int_equal(folder_lock(&lock, folder, &error), TCPLAN_OK);
    for (int f = 0; f < 20; f++) {
        char name[16];
        snprintf(name, sizeof name, "old-%d", f);
        assert_int_equal(folder_replace(folder, name, large, 1 << 20, -1, &error), TCPLAN_OK);
    }
    folder_unlock(lock);
    keep(&store);
    assert_int_equal(folder_list(&names, folder, &error), TCPLAN_OK);
    assert_int_equal(names.count, 2 + 13); /* 13 entries and the two small ones fit in 14 MiB */
    folder_names_free(&names);
    tcplan_roofline_free(find(&store, 1, TCPLAN_OK, ""));
    free(large);
}

/** Returns how often files in the folder, except the lock, were opened for reading since `watch`
 * was created by inotify_init1(). */
static int count_opened(int watch) {
    _Alignas(struct inotify_event) char events[4096];
    int count = 0;
    for (ssize_t bytes; (bytes = read(watch, events, sizeof events)) > 0;) {
        for (ssize_t at = 0; at < bytes;) {
            const struct inotify_event *event = (const struct inotify_event *)(events + at);
            count += event->len > 0 && event->name[0] != '.';
            at += (ssize_t)(sizeof *event + event->len);
        }
    }
    return count;
}

/** While the store is below its size limit, storing an entry does not read the others. */
static void within_the_bound_no_other_entry_is_read(void **state) {
    (void)state;
    const struct tcplan_store store = store_at(folder);
    keep(&store);
    for (int f = 0; f < 20; f++) {
        char name[16];
        snprintf(name, sizeof name, "old-%d", f);
        assert_int_equal(folder_replace(folder, name, "x", 1, -1, NULL), TCPLAN_OK);
    }
    const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch < 0 || inotify_add_watch(watch, folder, IN_OPEN) < 0) skip();
    keep(&store);
    assert_int_equal(count_opened(watch), 0);
    close(watch);
}

static void beyond_the_bound_entries_from_the_future_go_first(void **state) {
    (void)state;
    struct tcplan_store store = store_at(folder);
    const struct timespec ahead[2] = {{.tv_sec = time(NULL) + 4000LL * DAY},
                                      {.tv_sec = time(NULL) + 4000LL * DAY}};
    char *large = malloc(1 << 20), path[sizeof folder + TCPLAN_STORE_NAME + 16];
    memset(large, 'x', 1 << 20);
    store.now = 0;
    keep(&store);
    snprintf(path, sizeof path, "%s", file_of(&store, 2));
    assert_int_equal(utimensat(AT_FDCWD, path, ahead, 0), 0);
    tcplan_roofline_free(find(&store, 2, TCPLAN_OK, "")); /* the entry can still be used */
    for (int f = 0; f < 20; f++) {
        char name[16];
        snprintf(name, sizeof name, "old-%d", f);
        assert_int_equal(folder_replace(folder, name, large, 1 << 20, -1, NULL), TCPLAN_OK);
    }
    struct tcplan_roofline one = the_roofline();
    one.compute_count = 1;
    assert_int_equal(tcplan_store_keep_ceilings(&store, &one, NULL), TCPLAN_OK);
    tcplan_roofline_free(find(&store, 1, TCPLAN_OK, ""));
    assert_int_not_equal(access(path, F_OK), 0);
    free(large);
}

static void out_of_memory_is_reported_and_loses_nothing(void **state) {
    (void)state;
    const struct tcplan_store store = store_at(folder);
    const struct tcplan_roofline stored = the_roofline();
    keep(&store);
    for (long n = 0; n < 200; n++) {
        struct tcplan_error error = {0};
        struct tcplan_roofline *out = NULL;
        base_alloc_fail_after(n);
        const enum tcplan_status wrote = tcplan_store_keep_ceilings(&store, &stored, &error);
        base_alloc_fail_after(-1);
        base_alloc_fail_after(n);
        const enum tcplan_status found =
            tcplan_store_ceilings(&out, &store, (const int[]){1}, 1, &error);
        base_alloc_fail_after(-1);
        assert_true(wrote == TCPLAN_OK || wrote == TCPLAN_NO_MEMORY);
        assert_true(found == TCPLAN_OK ? out != NULL : found == TCPLAN_NO_MEMORY);
        tcplan_roofline_free(out);
    }
    tcplan_roofline_free(find(&store, 1, TCPLAN_OK, ""));
}

static void a_file_of_ceilings_may_be_of_any_machine(void **state) {
    (void)state;
    char path[sizeof folder + 16];
    const struct tcplan_store store = store_at(folder);
    const struct tcplan_roofline stored = the_roofline();
    struct tcplan_roofline *out = NULL;
    struct tcplan_fingerprint fingerprint;
    struct tcplan_error error = {0};
    snprintf(path, sizeof path, "%s/a/c", root);
    run("mkdir -p %s/a");
    assert_int_equal(tcplan_ceilings_load(&out, NULL, path, &error), TCPLAN_ENVIRONMENT);
    char *text = tcplan_ceilings_text(&stored, &store.fingerprint);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    free(text);
    if (tcplan_ceilings_load(&out, &fingerprint, path, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(out->compute_count, 2);
    assert_string_equal(out->machine.source, path);
    assert_string_equal(fingerprint.part[0], "part 0");
    tcplan_roofline_free(out);
    overwrite(path, 300, "#");
    assert_int_equal(tcplan_ceilings_load(&out, NULL, path, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "damaged"));
    assert_int_equal(tcplan_ceilings_load(&out, NULL, root, &error), TCPLAN_ENVIRONMENT);
}

static void this_machine_has_a_fingerprint(void **state) {
    (void)state;
    char text[64];
    const struct tcplan_fingerprint here = tcplan_fingerprint_make(&machine);
    struct tcplan_fingerprint other = here;
    assert_string_equal(here.part[TCPLAN_FINGERPRINT_CPU], machine.cpu);
    assert_string_equal(here.part[TCPLAN_FINGERPRINT_CACHES], "L1 32768/8/2, L2 1048576/16/2");
    assert_true(*here.part[TCPLAN_FINGERPRINT_LIBRARIES + TCPLAN_PROVIDER_BLAS] &&
                *here.part[TCPLAN_FINGERPRINT_LIBRARIES + TCPLAN_PROVIDER_BLIS]);
    assert_int_equal(tcplan_fingerprint_compare(text, sizeof text, &here, &other), 0);
    assert_string_equal(text, "");
    other.part[TCPLAN_FINGERPRINT_CORES][0] = '7';
    assert_int_equal(tcplan_fingerprint_compare(text, sizeof text, &here, &other), 1);
    assert_string_equal(text, "cores 2 with 4 units, not 7 with 4 units");
    other = here;
    snprintf(other.part[TCPLAN_FINGERPRINT_LIBRARIES + TCPLAN_PROVIDER_BLIS], 16, "BLIS 0.1");
    assert_int_equal(tcplan_fingerprint_compare(text, sizeof text, &other, &here), 1);
    assert_int_equal(strncmp(text, "BLIS 0.1, not ", 14), 0); /* names the library once */
    assert_string_equal(
        tcplan_fingerprint_part_name(TCPLAN_FINGERPRINT_LIBRARIES + TCPLAN_PROVIDER_LIBXSMM),
        "libxsmm");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ceilings_are_found_by_their_number_of_threads, take_folder),
        cmocka_unit_test_setup(a_store_without_folder_stores_nothing, take_folder),
        cmocka_unit_test_setup(entries_of_another_machine_are_reported_with_the_differences,
                               take_folder),
        cmocka_unit_test_setup(expired_entries_are_not_used_and_are_removed, take_folder),
        cmocka_unit_test_setup(every_changed_or_missing_byte_is_reported, take_folder),
        cmocka_unit_test_setup(entries_of_every_kind_are_of_their_machine, take_folder),
        cmocka_unit_test_setup(unknown_versions_and_kinds_are_reported, take_folder),
        cmocka_unit_test_setup(anything_but_a_regular_file_is_reported, take_folder),
        cmocka_unit_test_setup(files_that_are_too_large_are_not_read, take_folder),
        cmocka_unit_test_setup(a_lock_that_is_held_does_not_stall, take_folder),
        cmocka_unit_test_setup(a_folder_that_cannot_be_made_is_reported, take_folder),
        cmocka_unit_test_setup(the_folder_and_its_files_are_the_users_alone, take_folder),
        cmocka_unit_test_setup(trials_of_core_types_belong_to_one_library_and_processor,
                               take_folder),
        cmocka_unit_test_setup(entries_are_listed_shown_and_forgotten, take_folder),
        cmocka_unit_test_setup(beyond_the_bound_the_oldest_go, take_folder),
        cmocka_unit_test_setup(within_the_bound_no_other_entry_is_read, take_folder),
        cmocka_unit_test_setup(beyond_the_bound_entries_from_the_future_go_first, take_folder),
        cmocka_unit_test_setup(out_of_memory_is_reported_and_loses_nothing, take_folder),
        cmocka_unit_test_setup(a_file_of_ceilings_may_be_of_any_machine, take_folder),
        cmocka_unit_test(this_machine_has_a_fingerprint),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
