#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tcplan/study/batch.h"
#include "tcplan/study/digest.h"
#include "tcplan/study/folder.h"
#include "tcplan/study/merge.h"
#include "tcplan/study/platforms.h"

/* Batches that a program other than tcplan runs through the library. */

static char folder[] = "/tmp/tcplan-study-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return system("rm -r \"$PWD\"") == 0 ? 0 : -1;
}

static void write_library(const char *text) {
    FILE *file = fopen("l", "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/** Events that the batch reported. */
struct told {
    int faults, results, failed, begun;
    struct tcplan_batch_counts counts; /* counts at the start of the last entry */
    double first_rest_seconds;         /* expected before there is a result */
    char last[64];
};

static void note_fault(void *context, const struct tcplan_library_entry *entry) {
    struct told *told = context;
    assert_non_null(entry->fault);
    told->faults++;
}

static void note_begin(void *context, const struct tcplan_library_entry *entry,
                       const struct tcplan_batch_counts *counts) {
    struct told *told = context;
    assert_int_equal(counts->done, told->begun++);
    snprintf(told->last, sizeof told->last, "%s", entry->name);
    told->counts = *counts;
    if (counts->done == 0) told->first_rest_seconds = counts->rest_seconds;
}

static enum tcplan_status note_result(void *context, const struct tcplan_result *result,
                                      struct tcplan_error *error) {
    struct told *told = context;
    (void)error;
    assert_string_equal(result->name, told->last);
    assert_non_null(result->provenance);
    told->results++;
    told->failed += result->reason != NULL;
    if (result->reason) return TCPLAN_OK;
    assert_true(result->algorithm_count > 0);
    assert_true(result->algorithm[0].predicted_seconds > 0);
    return TCPLAN_OK;
}

static const char *const libraries[] = {"l"};

static struct tcplan_batch_options options_for(struct told *told,
                                               const struct tcplan_machine *machine,
                                               const char *results) {
    struct tcplan_batch_options options = {
        .libraries = libraries,
        .library_count = 1,
        .library = {.dtype = TCPLAN_DOUBLE, .threads = 1},
        .rank = tcplan_rank_defaults(),
        .results = results,
        .unlocked = true,
        .listener = {
            .context = told, .fault = note_fault, .begin = note_begin, .result = note_result}};
    options.rank.machine = machine;
    options.rank.effort = TCPLAN_EFFORT_QUICK;
    return options;
}

/** Opens and runs a batch of contractions; returns the final counts. */
static struct tcplan_batch_counts run(const struct tcplan_batch_options *options) {
    struct tcplan_batch *batch = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_batch_open(&batch, options, &error), TCPLAN_OK);
    assert_int_equal(tcplan_batch_run(batch, &error), TCPLAN_OK);
    const struct tcplan_batch_counts counts = tcplan_batch_counts(batch);
    tcplan_batch_close(batch);
    return counts;
}

static struct tcplan_machine this_machine(void) {
    struct tcplan_machine machine;
    assert_int_equal(tcplan_machine_load(&machine, "live", NULL), TCPLAN_OK);
    return machine;
}

static void results_in_a_file_are_not_computed_again(void **state) {
    const struct tcplan_machine machine = this_machine();
    struct told told = {0}, again = {0};
    (void)state;
    write_library("one | ab | ai | ib | a=8 b=7 i=6\ntwo | a | ai | i | a=8 i=6\n");
    struct tcplan_batch_options options = options_for(&told, &machine, "r.xml");
    assert_int_equal(run(&options).done, 2);
    assert_int_equal(told.results, 2);
    assert_int_equal(told.failed, 0);
    options.listener.context = &again;
    const struct tcplan_batch_counts counts = run(&options);
    assert_int_equal(counts.done, 0);
    assert_int_equal(counts.known, 2);
    assert_int_equal(counts.to_do, 0);
    assert_int_equal(again.results, 0);
}

/** The last entry counts as the third of three, although the others have results. */
static void entries_with_results_count_as_done(void **state) {
    const struct tcplan_machine machine = this_machine();
    struct told told = {0}, again = {0};
    (void)state;
    write_library("one | ab | ai | ib | a=8 b=7 i=6\ntwo | a | ai | i | a=8 i=6\n");
    struct tcplan_batch_options options = options_for(&told, &machine, "w.xml");
    run(&options);
    assert_true(told.counts.known == 0 && told.counts.all_known == 0 && told.counts.to_do == 2);
    assert_true(told.first_rest_seconds > 0 && told.first_rest_seconds < 1e3);
    write_library(
        "one | ab | ai | ib | a=8 b=7 i=6\ntwo | a | ai | i | a=8 i=6\nthree | a | ai | i | a=9 i=6\n");
    options.listener.context = &again;
    run(&options);
    assert_int_equal(again.begun, 1);
    assert_true(again.counts.known == 2 && again.counts.all_known == 2 && again.counts.to_do == 1);
}

static void results_become_a_digest_and_a_folder(void **state) {
    const struct tcplan_machine machine = this_machine();
    struct told told = {0};
    struct tcplan_error error = {0};
    size_t count = 0;
    (void)state;
    write_library("one | ab | ai | ib | a=8 b=7 i=6\ntwo | a | ai | i | a=8 i=6\n");
    const struct tcplan_batch_options options = options_for(&told, &machine, "d.xml");
    run(&options);
    struct tcplan_digest digest = {.path = "d.xml"};
    assert_int_equal(tcplan_digest_read(&digest, &error), TCPLAN_OK);
    assert_int_equal(digest.summary.result_count, 2);
    assert_int_equal(digest.share.count, 2);
    tcplan_digest_free(&digest);
    assert_int_equal(tcplan_folder_emit(&count, "c", "d.xml", NULL, NULL, &error), TCPLAN_OK);
    assert_int_equal(count, 2);
    assert_int_equal(access("c/contractions.h", R_OK), 0);
    assert_int_equal(tcplan_folder_emit(&count, "c", "d.xml", NULL, NULL, &error), TCPLAN_OK);
    assert_int_equal(truncate("c/contractions.h", 3), 0); /* no longer a file that tcplan wrote */
    assert_int_equal(tcplan_folder_emit(&count, "c", "d.xml", NULL, NULL, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "'c/contractions.h' was not emitted by tcplan"));
}

/** Checks the record of a block-sparse contraction: measured ways, of which one is chosen. */
static enum tcplan_status note_ways(void *context, const struct tcplan_result *result,
                                    struct tcplan_error *error) {
    const struct tcplan_result_algorithm *winner = tcplan_result_winner(result);
    note_result(context, result, error);
    assert_string_equal(result->sections, "i=k=4@0+6@1 j=5");
    assert_string_equal(result->charge, "A:i-k=0");
    assert_true(result->flops == 2 * (4 * 4 + 6 * 6) * 5);
    assert_true(result->algorithm_count >= 2);
    assert_true(strcmp(winner->name, "blocks") == 0 || strcmp(winner->name, "fused") == 0);
    assert_true(winner->measured_low > 0 && winner->measured_low <= winner->measured_seconds &&
                winner->measured_seconds <= winner->measured_high);
    return TCPLAN_OK;
}

static void ways_of_block_sparse_contractions_are_measured(void **state) {
    const struct tcplan_machine machine = this_machine();
    struct told told = {0};
    struct tcplan_error error = {0};
    size_t count = 0;
    (void)state;
    write_library(
        "<library format=\"1\"><contraction name=\"x\" formula=\"C_ij=A_ik*B_kj\">"
        "<sizes sections=\"i=k=4@0+6@1 j=5\" charge=\"A:i-k=0\">i=k=10 j=5</sizes></contraction>"
        "<contraction name=\"y\" formula=\"C_ij=A_ik*B_kj\">"
        "<sizes sections=\"i=k=4@0+6@1 j=5\" charge=\"A:i-k=0\">i=k=10 j=5</sizes></contraction>"
        "</library>");
    struct tcplan_batch_options options = options_for(&told, &machine, "b.xml");
    options.measured = 1;
    options.listener.result = note_ways;
    assert_int_equal(run(&options).done, 2);
    assert_int_equal(told.failed, 0);
    struct tcplan_digest digest = {.path = "b.xml"};
    assert_int_equal(tcplan_digest_read(&digest, &error), TCPLAN_OK);
    assert_int_equal(digest.reused, 1);
    tcplan_digest_free(&digest);
    assert_int_equal(tcplan_folder_emit(&count, "bc", "b.xml", NULL, NULL, &error), TCPLAN_OK);
    assert_int_equal(count, 2);
    assert_int_equal(access("bc/contract_x_i10_j5_k10.c", R_OK), 0);
}

static void invalid_entries_are_reported_before_timing(void **state) {
    const struct tcplan_machine machine = this_machine();
    struct told told = {0};
    struct tcplan_batch *batch = NULL;
    struct tcplan_error error = {0};
    (void)state;
    write_library("one | ab | ai | ib | a=8 b=7 i=6\ntwo | ax | ai | ib | a=8\n");
    const struct tcplan_batch_options options = options_for(&told, &machine, NULL);
    assert_int_equal(tcplan_batch_open(&batch, &options, &error), TCPLAN_INVALID);
    assert_string_equal(error.message, "1 of 2 contractions is refused; nothing was run");
    assert_int_equal(told.faults, 1);
    assert_int_equal(told.results, 0);
    write_library("<library format=\"1\"><contraction name=\"x\" formula=\"C_ij=A_ik*B_kj\">"
                  "<sizes sections=\"i=k=4+6 j=5\">i=k=10 j=5</sizes>"
                  "<sizes sections=\"i=k=4+5 j=5\">i=k=10 j=5</sizes></contraction></library>");
    assert_int_equal(tcplan_batch_open(&batch, &options, &error), TCPLAN_INVALID);
    assert_int_equal(told.faults, 2);
}

static enum tcplan_status enough(void *context, const struct tcplan_result *result,
                                 struct tcplan_error *error) {
    note_result(context, result, error);
    return TCPLAN_ENVIRONMENT;
}

static void listener_ends_the_batch(void **state) {
    const struct tcplan_machine machine = this_machine();
    struct told told = {0};
    struct tcplan_batch *batch = NULL;
    struct tcplan_error error = {0};
    (void)state;
    write_library("one | a | ai | i | a=8 i=6\ntwo | a | ai | i | a=9 i=6\n");
    struct tcplan_batch_options options = options_for(&told, &machine, NULL);
    options.listener.result = enough;
    assert_int_equal(tcplan_batch_open(&batch, &options, &error), TCPLAN_OK);
    assert_int_equal(tcplan_batch_run(batch, &error), TCPLAN_ENVIRONMENT);
    tcplan_batch_close(batch);
    assert_int_equal(told.results, 1);
}

static void shards_are_joined(void **state) {
    const struct tcplan_machine machine = this_machine();
    static const char *const shards[] = {"1.xml", "2.xml"};
    struct told told = {0};
    struct tcplan_error error = {0};
    struct tcplan_results_summary summary;
    (void)state;
    write_library("one | a | ai | i | a=2:9:1 i=6\n");
    for (int s = 0; s < 2; s++) {
        struct tcplan_batch_options options = options_for(&told, &machine, shards[s]);
        options.file.shard = s + 1;
        options.file.shards = 2;
        told.begun = 0;
        run(&options);
    }
    assert_int_equal(told.results, 8);
    struct tcplan_merge_options merge = {.paths = shards, .count = 2};
    assert_int_equal(tcplan_merge(&merge, &summary, &error), TCPLAN_OK);
    assert_int_equal(summary.result_count, 8);
    merge.count = 1;
    assert_int_equal(tcplan_merge(&merge, &summary, &error), TCPLAN_INVALID);
    assert_string_equal(error.message, "shard 2/2 is missing");
}

/** Reads a document of results by each function for that: joined, as a digest, by ids, as
 * platforms, and as a C library. */
static enum tcplan_status read_all(const char *path, struct tcplan_error *error) {
    const struct tcplan_merge_options merge = {.paths = &path, .count = 1};
    struct tcplan_results_summary summary;
    struct tcplan_peers *peers = NULL;
    struct tcplan_platforms *platforms = NULL;
    struct tcplan_digest digest = {.path = path};
    size_t count = 0;
    enum tcplan_status status = tcplan_merge(&merge, &summary, error);
    if (status != TCPLAN_OK) return status;
    status = tcplan_digest_read(&digest, error);
    if (status == TCPLAN_OK) assert_int_equal(digest.summary.result_count, summary.result_count);
    tcplan_digest_free(&digest);
    if (status == TCPLAN_OK) status = tcplan_peers_read(&peers, path, error);
    tcplan_peers_free(peers);
    if (status == TCPLAN_OK) status = tcplan_platforms_read(&platforms, &path, 1, NULL, 0, error);
    tcplan_platforms_free(platforms);
    return status == TCPLAN_OK ? tcplan_folder_emit(&count, "m", path, NULL, NULL, error) : status;
}

static void memory_may_run_out_while_results_are_read(void **state) {
    const struct tcplan_machine machine = this_machine();
    struct told told = {0};
    struct tcplan_error error = {0};
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    (void)state;
    write_library("one | ab | ai | ib | a=8 b=7 i=6\ntwo | a | ai | i | a=8 i=6\n");
    const struct tcplan_batch_options options = options_for(&told, &machine, "m.xml");
    run(&options);
    for (long successes = 0; status != TCPLAN_OK; successes += 1 + successes / 32) {
        base_alloc_fail_after(successes);
        status = read_all("m.xml", &error);
        base_alloc_fail_after(-1);
        if (status != TCPLAN_OK && status != TCPLAN_NO_MEMORY)
            fail_msg("%ld: %s", successes, error.message);
    }
    assert_int_equal(access("m/contractions.h", R_OK), 0);
}

static void memory_may_run_out_in_a_batch(void **state) {
    const struct tcplan_machine machine = this_machine();
    struct told told = {0};
    struct tcplan_error error = {0};
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    int64_t known = 0;
    (void)state;
    write_library(
        "one | a | ai | i | a=8 i=6\ntwo | a | ai | i | a=9 i=6\nagain | b | bj | j | b=8 j=6\n");
    struct tcplan_batch_options options = options_for(&told, &machine, "o.xml");
    options.listener = (struct tcplan_batch_listener){0};
    for (long successes = 0; status != TCPLAN_OK; successes += 1 + successes / 4) {
        struct tcplan_batch *batch = NULL;
        base_alloc_fail_after(successes);
        status = tcplan_batch_open(&batch, &options, &error);
        if (status == TCPLAN_OK) status = tcplan_batch_run(batch, &error);
        base_alloc_fail_after(-1);
        if (status != TCPLAN_OK && status != TCPLAN_NO_MEMORY)
            fail_msg("%ld: %s", successes, error.message);
        if (batch) {
            const struct tcplan_batch_counts counts = tcplan_batch_counts(batch);
            assert_true(counts.known >= known);
            known = counts.known;
        }
        tcplan_batch_close(batch);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_in_a_file_are_not_computed_again),
        cmocka_unit_test(entries_with_results_count_as_done),
        cmocka_unit_test(results_become_a_digest_and_a_folder),
        cmocka_unit_test(ways_of_block_sparse_contractions_are_measured),
        cmocka_unit_test(invalid_entries_are_reported_before_timing),
        cmocka_unit_test(listener_ends_the_batch),
        cmocka_unit_test(shards_are_joined),
        cmocka_unit_test(memory_may_run_out_while_results_are_read),
        cmocka_unit_test(memory_may_run_out_in_a_batch)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
