#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "support/memory_source.h"
#include "tcplan/results_file.h"

static struct tcplan_provenance provenance_of(const char *settings) {
    return (struct tcplan_provenance){.id = 1,
                                      .tcplan = "1.2.3",
                                      .settings = settings,
                                      .host = "node",
                                      .cpu = "A \"CPU\" <1> & more",
                                      .machine = "live",
                                      .blas_name = "BLAS",
                                      .blas_version = "3",
                                      .blas_core = "core",
                                      .cores = 4,
                                      .processing_units = 8,
                                      .memory_bytes = 1 << 30,
                                      .cache_count = 2,
                                      .cache_bytes = {32768, 1048576}};
}

static const struct tcplan_result_algorithm algorithms[] = {
    {.name = "c'-dgemm",
     .kernel = "dgemm",
     .tied = true,
     .calls = 8,
     .predicted_seconds = 0.1,
     .predicted_low = 0.05,
     .predicted_high = 0.2,
     .measured_seconds = 0.15,
     .measured_low = 0.14,
     .measured_high = 0.16},
    {.name = "b-dgemm",
     .kernel = "dgemm",
     .calls = 8,
     .predicted_seconds = 0.3,
     .measured_seconds = 0.1},
};

/** Returns a record whose id ends in `number`. */
static struct tcplan_result result_of(int number) {
    struct tcplan_result result = {.library = "lib.xml",
                                   .group = "g",
                                   .name = "n\n\x01\xff<&>\"",
                                   .size_class = "small",
                                   .source = "S\xc3\xa4",
                                   .line = 7,
                                   .contraction = "C_ab=A_ai*B_ib",
                                   .sizes = "a=1,b=2,i=3",
                                   .strides = "A=1,-7;C=0,2",
                                   .sections = "a=3@0+5@1",
                                   .charge = "A:a=0",
                                   .blocks = "A:0|1",
                                   .dtype = TCPLAN_FLOAT_COMPLEX,
                                   .order = TCPLAN_ROW_MAJOR,
                                   .threads = 2,
                                   .flops = 1e9,
                                   .planning_seconds = 1.0 / 3,
                                   .gemm_gflops = 50,
                                   .limit_seconds = 0.001,
                                   .algorithm_total = 36,
                                   .pruned_count = 30,
                                   .max_memory_bytes = 402653184,
                                   .finished = "2017-11-30T23:59:59Z",
                                   .algorithm_count = 2,
                                   .algorithm = algorithms};
    snprintf(result.id, sizeof result.id, "%016x", (unsigned)number);
    return result;
}

static struct tcplan_result failed_of(int number) {
    struct tcplan_result result = result_of(number);
    result.reason = "no <memory>";
    result.algorithm_count = 0;
    return result;
}

/** Returns a document with one record, to be freed. */
static char *document_text(const struct tcplan_result *record) {
    const struct tcplan_provenance provenance = provenance_of("x=1");
    const struct tcplan_results_summary summary = {
        .entry_count = 1, .digest = 0xabc, .result_count = 1};
    struct strbuf out = {0};
    char *piece[] = {tcplan_results_text_begin(2, 3), tcplan_provenance_text(&provenance),
                     tcplan_result_text(record), tcplan_results_text_end(&summary)};
    for (size_t p = 0; p < sizeof piece / sizeof *piece; p++) {
        assert_non_null(piece[p]);
        strbuf_add(&out, "%s", piece[p]);
        free(piece[p]);
    }
    return strbuf_finish(&out);
}

static void a_record_reads_back_as_it_was_written(void **state) {
    (void)state;
    const struct tcplan_result written = result_of(0x1234);
    const struct tcplan_result *read = NULL;
    struct tcplan_results *results = NULL;
    struct tcplan_error error;
    char *text = document_text(&written);
    struct memory_source source = memory_source_of(text);
    assert_int_equal(tcplan_results_from(&results, memory_source_read, &source, "x", &error),
                     TCPLAN_OK);
    if (tcplan_results_next(results, &read, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_string_equal(read->id, "0000000000001234");
    assert_string_equal(read->name, "n\n?"
                                    "?<&>\"");
    assert_string_equal(read->source, "S\xc3\xa4");
    assert_string_equal(read->strides, "A=1,-7;C=0,2");
    assert_string_equal(read->sections, "a=3@0+5@1");
    assert_string_equal(read->charge, "A:a=0");
    assert_string_equal(read->blocks, "A:0|1");
    assert_string_equal(read->provenance->cpu, "A \"CPU\" <1> & more");
    assert_int_equal(read->provenance->cache_bytes[1], 1048576);
    assert_true(read->dtype == written.dtype && read->order == written.order &&
                read->threads == 2 && read->line == 7);
    assert_true(read->planning_seconds == written.planning_seconds && read->flops == 1e9 &&
                !read->reason && !read->reused_from);
    assert_true(read->max_memory_bytes == 402653184);
    assert_int_equal(read->algorithm_count, 2);
    assert_string_equal(read->algorithm[0].name, "c'-dgemm");
    assert_true(read->algorithm[0].tied && !read->algorithm[1].tied &&
                read->algorithm[0].calls == 8);
    assert_true(read->algorithm[0].measured_high == 0.16 && read->algorithm[1].predicted_high == 0);
    assert_ptr_equal(tcplan_result_fastest(read), &read->algorithm[1]);
    assert_true(tcplan_result_regret(read) == 0.15 / 0.1);
    assert_int_equal(tcplan_results_next(results, &read, &error), TCPLAN_OK);
    assert_null(read);
    const struct tcplan_results_summary summary = tcplan_results_summary(results);
    assert_true(summary.state == TCPLAN_RESULTS_COMPLETE && summary.shard == 2 &&
                summary.shards == 3 && summary.digest == 0xabc);
    tcplan_results_close(results);
    free(text);
}

/** Reads a document to its end; returns the first error. */
static enum tcplan_status read_all(struct memory_source source, struct tcplan_error *error) {
    struct tcplan_results *results = NULL;
    const struct tcplan_result *read = NULL;
    enum tcplan_status status =
        tcplan_results_from(&results, memory_source_read, &source, "test.xml", error);
    while (status == TCPLAN_OK) {
        status = tcplan_results_next(results, &read, error);
        if (!read) break;
    }
    tcplan_results_close(results);
    return status;
}

/** Returns a copy of `text` with the first `from` replaced by `to`. */
static char *replaced(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    struct strbuf out = {0};
    assert_non_null(at);
    strbuf_add(&out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return strbuf_finish(&out);
}

static void other_documents_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *from;
        const char *to;
        const char *reason;
    } cases[] = {
        {"<results", "<!DOCTYPE x><results", "test.xml:2: found a document type"},
        {"shard=\"2/3\"", "shard=\"4/3\"", "test.xml:2: unknown shard 4/3"},
        {"shard=\"2/3\"", "shard=\"99999999999999999999/3\"", "test.xml:2: "},
        {"provenance=\"1\"", "provenance=\"2\"",
         "test.xml:5: provenance 2 is not defined before this result"},
        {"id=\"0000000000001234\"", "id=\"x\"", "test.xml:5: "},
        {"dtype=\"c\"", "dtype=\"q\"", "test.xml:5: "},
        {"calls=\"8\"", "calls=\"-8\"",
         "test.xml:6: calls: expected a whole number up to 9223372036854775807, found '-8'"},
        {"calls=\"8\"", "calls=\"+8\"",
         "test.xml:6: calls: expected a whole number up to 9223372036854775807, found '+8'"},
        {"calls=\"8\"", "calls=\" 8\"",
         "test.xml:6: calls: expected a whole number up to 9223372036854775807, found ' 8'"},
        {"calls=\"8\"", "calls=\"INF\"",
         "test.xml:6: calls: expected a whole number up to 9223372036854775807, found 'INF'"},
        {"calls=\"8\"", "calls=\"12345678901234567890123\"",
         "test.xml:6: calls: expected a whole number up to 9223372036854775807, found '12345678901234567890123'"},
        {"pruned=\"30\"", "pruned=\"9223372036854775808\"",
         "test.xml:5: pruned: expected a whole number up to 9223372036854775807"},
        {"algorithms=\"36\"", "algorithms=\"1e19\"",
         "test.xml:5: algorithms: expected a whole number up to 9223372036854775807"},
        {"algorithms=\"36\"", "algorithms=\"3.5\"",
         "test.xml:5: algorithms: expected a whole number up to 9223372036854775807"},
        {"flops=\"1000000000\"", "flops=\"1e301\"",
         "test.xml:5: flops: expected a number up to 1e300, found '1e301'"},
        {"kernel=\"dgemm\"", "kernel=\"sgemm\"",
         "test.xml:5: element result was changed since it was written"},
        {"winner=\"c'-dgemm\"", "winner=\"b'-dgemm\"",
         "test.xml:5: element result was changed since it was written"},
        {"settings=\"x=1\"", "settings=\"x=2\"",
         "test.xml:3: element provenance was changed since it was written"},
        {"shard=\"2/3\"", "shard=\"1/3\"",
         "test.xml:2: element results was changed since it was written"},
        {"digest=\"0000000000000abc\"", "digest=\"0000000000000abd\"",
         "test.xml:9: element end was changed since it was written"},
        {"predicted_seconds=\"0.1\"", "predicted_seconds=\"0x1\"", "test.xml:6: "},
        {"predicted_seconds=\"0.1\"", "predicted_seconds=\"nan\"", "test.xml:6: "},
        {"predicted_seconds=\"0.1\"", "predicted_seconds=\"NaN\"",
         "test.xml:6: predicted_seconds: expected a number up to 1e300, found 'NaN'"},
        {"predicted_seconds=\"0.1\"", "predicted_seconds=\"-0.1\"",
         "test.xml:6: predicted_seconds: expected a number up to 1e300, found '-0.1'"},
        {"predicted_seconds=\"0.1\"", "predicted_seconds=\"+0.1\"",
         "test.xml:6: predicted_seconds: expected a number up to 1e300, found '+0.1'"},
        {"results=\"1\"", "results=\"2\"",
         "test.xml:9: expected 2 results, the count at the end, found 1"},
        {"  <result id",
         "  <end entries=\"1\" digest=\"0000000000000000\" results=\"0\" failed=\"0\"/>\n  <result id",
         "test.xml:6: "},
        {"</results>", "</results><results/>", "test.xml:10: "},
    };
    const struct tcplan_result record = result_of(0x1234);
    char *text = document_text(&record);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct tcplan_error error = {0};
        char *changed = replaced(text, cases[c].from, cases[c].to);
        assert_int_equal(read_all(memory_source_of(changed), &error), TCPLAN_INVALID);
        if (strncmp(error.message, cases[c].reason, strlen(cases[c].reason)) != 0)
            fail_msg("%s: %s", cases[c].to, error.message);
        free(changed);
    }
    free(text);
}

/** Returns all records of a document as text; NULL if the document is invalid. */
static char *said_by(struct memory_source source) {
    struct tcplan_results *results = NULL;
    const struct tcplan_result *read = NULL;
    struct strbuf out = {0};
    enum tcplan_status status =
        tcplan_results_from(&results, memory_source_read, &source, "x", NULL);
    while (status == TCPLAN_OK &&
           (status = tcplan_results_next(results, &read, NULL)) == TCPLAN_OK && read) {
        char *piece[] = {tcplan_provenance_text(read->provenance), tcplan_result_text(read)};
        for (size_t p = 0; p < sizeof piece / sizeof *piece; p++) {
            strbuf_add(&out, "%s", piece[p]);
            free(piece[p]);
        }
    }
    if (status == TCPLAN_OK) {
        const struct tcplan_results_summary summary = tcplan_results_summary(results);
        strbuf_add(&out, "%lld/%lld %d %lld %llx %lld %lld", (long long)summary.shard,
                   (long long)summary.shards, summary.state, (long long)summary.entry_count,
                   (unsigned long long)summary.digest, (long long)summary.result_count,
                   (long long)summary.failed_count);
    } else {
        strbuf_free(&out);
        out.failed = true;
    }
    tcplan_results_close(results);
    return strbuf_finish(&out);
}

/** Changing any byte of a document is detected, except for white space between elements and in the
 * prolog. */
static void any_changed_byte_is_noticed(void **state) {
    (void)state;
    const struct tcplan_result record = result_of(0x1234);
    char *text = document_text(&record);
    const size_t length = strlen(text);
    char *expected = said_by((struct memory_source){.text = text, .length = length});
    assert_non_null(expected);
    size_t read = 0;
    for (size_t at = 0; at < length; at++) {
        const char original = text[at];
        text[at] = (char)(original ^ 1 << at % 7); /* flips one bit: a digit may become another
                                                      digit, a letter another letter */
        char *found = said_by((struct memory_source){.text = text, .length = length});
        if (found && strcmp(found, expected) != 0)
            fail_msg("byte %zu, '%c' instead of '%c': %s", at, text[at], original, found);
        read += found != NULL;
        free(found);
        text[at] = original;
    }
    assert_true(read < length / 50); /* what is harmless */
    free(expected);
    free(text);
}

/** Documents without checksums, as earlier versions of tcplan wrote them. */
static void documents_without_checksums_are_read(void **state) {
    (void)state;
    const struct tcplan_result record = result_of(0x1234);
    struct tcplan_error error = {0};
    char *text = document_text(&record);
    int removed = 0;
    for (char *at; (at = strstr(text, " checksum=\"")); removed++)
        memmove(at, at + 20, strlen(at + 20) + 1);
    assert_int_equal(removed, 4);
    if (read_all(memory_source_of(text), &error) != TCPLAN_OK) fail_msg("%s", error.message);
    free(text);
}

static void numbers_that_cannot_be_read_are_not_written(void **state) {
    (void)state;
    struct tcplan_result record = result_of(0x1234);
    struct tcplan_error error = {0};
    record.flops = 1e301;
    record.algorithm_total = INT64_MAX;
    char *text = document_text(&record);
    if (read_all(memory_source_of(text), &error) != TCPLAN_OK) fail_msg("%s", error.message);
    free(text);
}

static void a_provenance_cannot_be_there_twice(void **state) {
    (void)state;
    const struct tcplan_provenance provenance = provenance_of("x");
    char *piece = tcplan_provenance_text(&provenance);
    struct strbuf text = {0};
    struct tcplan_error error = {0};
    strbuf_add(&text, "<results format=\"1\">\n%s%s</results>\n", piece, piece);
    assert_int_equal(read_all(memory_source_of(text.text), &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "provenance 1 occurs twice"));
    strbuf_free(&text);
    free(piece);
}

static void regret_needs_measured_times(void **state) {
    (void)state;
    struct tcplan_result_algorithm one[] = {{.name = "a", .predicted_seconds = 1},
                                            {.name = "b", .measured_seconds = 1}};
    const struct tcplan_result result = {.algorithm_count = 2, .algorithm = one};
    const struct tcplan_result nothing = {0};
    assert_true(tcplan_result_regret(&result) == 0 && tcplan_result_regret(&nothing) == 0);
    assert_null(tcplan_result_fastest(&nothing));
    one[0].measured_seconds = 3;
    assert_true(tcplan_result_regret(&result) == 3);
}

static void provenances_compare_everything_that_affects_results(void **state) {
    (void)state;
    struct tcplan_provenance a = provenance_of("p=window seed=1 x=2"), b = a;
    char difference[100] = "";
    b.host = "other";
    b.memory_bytes = 5;
    b.id = 9;
    assert_true(tcplan_provenance_equal(&a, &b, difference, sizeof difference));
    b.settings = "p=window seed=17 x=3";
    assert_false(tcplan_provenance_equal(&a, &b, difference, sizeof difference));
    assert_string_equal(difference, "settings: 'seed=1' and 'seed=17'");
    b = a;
    b.cache_bytes[1]++;
    assert_false(tcplan_provenance_equal(&a, &b, difference, sizeof difference));
    assert_string_equal(difference, "bytes of a cache: 1048576 and 1048577");
    b = a;
    b.blas_core = "";
    assert_false(tcplan_provenance_equal(&a, &b, NULL, 0));
}

/* Files. */

/** A temporary folder for result files. */
static char folder[] = "/tmp/tcplan-results-XXXXXX";
static char path[sizeof folder + 16];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/r.xml", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder); /* rmdir() fails if a test left files */
}

static struct tcplan_results_file *open_file(struct tcplan_provenance *provenance,
                                             struct tcplan_results_file_options options) {
    struct tcplan_results_file *file = NULL;
    struct tcplan_error error;
    if (tcplan_results_file_open(&file, path, provenance, &options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return file;
}

static void assert_refused(enum tcplan_status status, struct tcplan_provenance *provenance,
                           struct tcplan_results_file_options options, const char *reason) {
    struct tcplan_results_file *file = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_results_file_open(&file, path, provenance, &options, &error), status);
    assert_null(file);
    if (!strstr(error.message, reason))
        fail_msg("expected '%s', found '%s'", reason, error.message);
}

static void assert_not_opened(struct tcplan_provenance *provenance,
                              struct tcplan_results_file_options options, const char *reason) {
    assert_refused(TCPLAN_INVALID, provenance, options, reason);
}

static void assert_mismatch(struct tcplan_provenance *provenance,
                            struct tcplan_results_file_options options, const char *reason) {
    assert_refused(TCPLAN_MISMATCH, provenance, options, reason);
}

static void append(struct tcplan_results_file *file, struct tcplan_result result) {
    assert_int_equal(tcplan_results_file_append(file, &result, false, NULL), TCPLAN_OK);
}

/** Returns the ids of the records in the file, separated by spaces, and the file's state; to be
 * freed. */
static char *file_ids(enum tcplan_results_state *state) {
    struct tcplan_results *results = NULL;
    const struct tcplan_result *read = NULL;
    struct tcplan_error error;
    struct strbuf out = {0};
    if (tcplan_results_open(&results, path, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    for (;;) {
        if (tcplan_results_next(results, &read, &error) != TCPLAN_OK) fail_msg("%s", error.message);
        if (!read) break;
        strbuf_add(&out, "%s%s:%lld%s", out.length > 0 ? " " : "", read->id + 12,
                   (long long)read->provenance->id, read->reason ? "!" : "");
    }
    *state = tcplan_results_summary(results).state;
    tcplan_results_close(results);
    return strbuf_finish(&out);
}

static void assert_file(const char *ids, enum tcplan_results_state expected) {
    enum tcplan_results_state state;
    char *found = file_ids(&state);
    assert_string_equal(found, ids);
    assert_int_equal(state, expected);
    free(found);
}

static void write_file(const char *text, size_t length) {
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, length, stream), length);
    fclose(stream);
}

/** Reads the file into `text` as a string; returns its length. */
static size_t read_file(char *text, size_t size) {
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    const size_t length = fread(text, 1, size - 1, stream);
    fclose(stream);
    text[length] = '\0';
    return length;
}

static void assert_file_holds(const char *text) {
    char found[256];
    read_file(found, sizeof found);
    assert_string_equal(found, text);
}

static void a_file_is_a_whole_document_after_every_record(void **state) {
    (void)state;
    struct tcplan_provenance provenance = provenance_of("x");
    struct tcplan_results_file *file =
        open_file(&provenance, (struct tcplan_results_file_options){0});
    assert_file("", TCPLAN_RESULTS_UNFINISHED);
    append(file, result_of(1));
    assert_file("0001:1", TCPLAN_RESULTS_UNFINISHED);
    append(file, failed_of(2));
    assert_file("0001:1 0002:1!", TCPLAN_RESULTS_UNFINISHED);
    assert_true(tcplan_results_file_has(file, "0000000000000001") &&
                !tcplan_results_file_has(file, "0000000000000003"));
    assert_int_equal(tcplan_results_file_finish(file, 2, 3, NULL), TCPLAN_OK);
    assert_file("0001:1 0002:1!", TCPLAN_RESULTS_COMPLETE);
    tcplan_results_file_close(file);
}

static void a_file_is_continued(void **state) {
    (void)state;
    struct tcplan_provenance provenance = provenance_of("x");
    struct tcplan_results_file *file =
        open_file(&provenance, (struct tcplan_results_file_options){0});
    tcplan_results_file_close(file); /* interrupted before the first record was written */
    file = open_file(&provenance, (struct tcplan_results_file_options){0});
    append(file, result_of(1));
    assert_int_equal(tcplan_results_file_finish(file, 1, 1, NULL), TCPLAN_OK);
    tcplan_results_file_close(file);
    file = open_file(&provenance,
                     (struct tcplan_results_file_options){0}); /* the library has more entries than
                                                                  when the file began */
    assert_true(tcplan_results_file_has(file, "0000000000000001"));
    append(file, result_of(2));
    assert_file("0001:1 0002:1", TCPLAN_RESULTS_UNFINISHED);
    assert_int_equal(tcplan_results_file_summary(file).result_count, 2);
    tcplan_results_file_close(file);
}

/** Appends a record in a child process whose files are limited to `bytes`, as if the disk were
 * full. */
static enum tcplan_status append_within(size_t bytes, int number, bool finishes) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
        struct tcplan_provenance provenance = provenance_of("x");
        struct tcplan_result result = result_of(number);
        struct tcplan_results_file *file =
            open_file(&provenance, (struct tcplan_results_file_options){0});
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit((int)(finishes ? tcplan_results_file_finish(file, 1, 1, NULL)
                             : tcplan_results_file_append(file, &result, true, NULL)));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return (enum tcplan_status)WEXITSTATUS(status);
}

static void a_full_disk_loses_no_record_and_the_file_is_continued(void **state) {
    static char before[1 << 16], after[1 << 16];
    (void)state;
    struct tcplan_provenance provenance = provenance_of("x");
    struct tcplan_results_file *file =
        open_file(&provenance, (struct tcplan_results_file_options){0});
    append(file, result_of(1));
    tcplan_results_file_close(file);
    const size_t length = read_file(before, sizeof before);
    for (size_t more = 0; more < 200; more += 7) {
        assert_int_equal(append_within(length + more, 2, false), TCPLAN_ENVIRONMENT);
        assert_int_equal(read_file(after, sizeof after), length);
        assert_string_equal(after, before);
    }
    assert_int_equal(append_within(length, 0, true), TCPLAN_ENVIRONMENT);
    assert_file("0001:1", TCPLAN_RESULTS_UNFINISHED);
    assert_int_equal(append_within(1 << 20, 2, false), TCPLAN_OK);
    assert_file("0001:1 0002:1", TCPLAN_RESULTS_UNFINISHED);
}

static void a_file_truncated_anywhere_keeps_its_complete_records(void **state) {
    (void)state;
    struct tcplan_provenance provenance = provenance_of("x");
    struct tcplan_results_file *file =
        open_file(&provenance, (struct tcplan_results_file_options){0});
    for (int number = 1; number <= 3; number++) append(file, result_of(number));
    tcplan_results_file_close(file);
    char text[8192];
    const size_t length = read_file(text, sizeof text);
    size_t whole = (size_t)(strstr(text, "  </provenance>\n") - text) + 16;
    int count = 0;
    for (size_t cut = length - 1 - (length - 1 - whole) / 97 * 97; cut < length;
         cut += 97) { /* cuts at every 97th byte, the last byte excepted */
        const char *next = text + whole;
        for (const char *end; (end = strstr(next, "  </result>\n")) && end + 12 <= text + cut;
             next = end + 12) {
            whole = (size_t)(end - text) + 12;
            count++;
        }
        FILE *stream = fopen(path, "w");
        fwrite(text, 1, cut, stream);
        for (int zero = 0; zero < (int)(cut % 5); zero++)
            fputc('\0', stream); /* zeros at the end, as a power loss leaves them */
        fclose(stream);
        file = open_file(&provenance, (struct tcplan_results_file_options){0});
        assert_int_equal(tcplan_results_file_summary(file).result_count, count);
        append(file, result_of(9));
        assert_int_equal(tcplan_results_file_finish(file, 4, 0, NULL), TCPLAN_OK);
        tcplan_results_file_close(file);
        enum tcplan_results_state found;
        char *ids = file_ids(&found);
        assert_int_equal(found, TCPLAN_RESULTS_COMPLETE);
        assert_non_null(strstr(ids, "0009:1"));
        free(ids);
    }
    assert_int_equal(count, 3);
}

static void other_results_are_not_mixed_in(void **state) {
    (void)state;
    struct tcplan_provenance provenance = provenance_of("x"), other = provenance_of("y"),
                             moved = provenance_of("x");
    struct tcplan_results_file *file =
        open_file(&provenance, (struct tcplan_results_file_options){0});
    append(file, result_of(1));
    assert_not_opened(&provenance, (struct tcplan_results_file_options){0},
                      "another tcplan is adding");
    assert_not_opened(&provenance, (struct tcplan_results_file_options){.restart = true},
                      "another tcplan is adding");
    tcplan_results_file_close(file);
    assert_mismatch(&other, (struct tcplan_results_file_options){0}, "settings: 'x' and 'y'");
    assert_mismatch(&provenance, (struct tcplan_results_file_options){.shard = 1, .shards = 2},
                    "the whole batch");
    file = open_file(&other, (struct tcplan_results_file_options){.mixed = true});
    append(file, result_of(2));
    tcplan_results_file_close(file);
    moved.host = "elsewhere"; /* another host with the same hardware */
    file = open_file(&moved, (struct tcplan_results_file_options){.mixed = true});
    append(file, result_of(3));
    tcplan_results_file_close(file);
    assert_file("0001:1 0002:2 0003:3", TCPLAN_RESULTS_UNFINISHED);
    file = open_file(&provenance, (struct tcplan_results_file_options){.restart = true});
    tcplan_results_file_close(file);
    assert_file("", TCPLAN_RESULTS_UNFINISHED);
}

static void a_shard_resumes_only_its_own_file(void **state) {
    (void)state;
    struct tcplan_provenance provenance = provenance_of("x");
    struct tcplan_results_file *file =
        open_file(&provenance, (struct tcplan_results_file_options){.shard = 2, .shards = 3});
    append(file, result_of(1));
    tcplan_results_file_close(file);
    assert_mismatch(&provenance, (struct tcplan_results_file_options){0}, "shard 2/3");
    assert_mismatch(&provenance, (struct tcplan_results_file_options){.shard = 1, .shards = 3},
                    "another shard");
    file = open_file(&provenance, (struct tcplan_results_file_options){.shard = 2, .shards = 3});
    assert_int_equal(tcplan_results_file_summary(file).result_count, 1);
    tcplan_results_file_close(file);
}

static void files_of_others_stay_as_they_are(void **state) {
    (void)state;
    static const char *const texts[] = {"hello\n", "<results format=\"1\"></results>",
                                        "<library format=\"1\"/>", "<results format=\"1\">"};
    struct tcplan_provenance provenance = provenance_of("x");
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        write_file(texts[t], strlen(texts[t]));
        assert_not_opened(&provenance, (struct tcplan_results_file_options){0}, "");
        assert_file_holds(texts[t]);
    }
}

static void restart_replaces_results_only(void **state) {
    (void)state;
    static const char *const texts[] = {"int main(void) { return 0; } /* <results> */\n",
                                        "<library format=\"1\"/>",
                                        "<?xml version=\"1.0\"?><resultset/>"};
    struct tcplan_provenance provenance = provenance_of("x");
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        write_file(texts[t], strlen(texts[t]));
        assert_not_opened(&provenance, (struct tcplan_results_file_options){.restart = true},
                          "is not a file of results");
        assert_file_holds(texts[t]);
    }
    static const char damaged[] =
        "<?xml version=\"1.0\"?>\n<!-- mine -->\n<results format=\"1\"><broken";
    write_file(damaged, strlen(damaged));
    tcplan_results_file_close(
        open_file(&provenance, (struct tcplan_results_file_options){.restart = true}));
    assert_file("", TCPLAN_RESULTS_UNFINISHED);
}

/** Function that is called just before the file is locked the next time, to simulate another
 * process. */
static void (*before_lock)(void);

/** Replaces flock() of the C library: calls before_lock once. */
int flock(int descriptor, int operation) {
    void (*act)(void) = before_lock;
    before_lock = NULL;
    if (act) act();
    return (int)syscall(SYS_flock, descriptor, operation);
}

static struct tcplan_provenance provenance_of_other;
static struct tcplan_results_file *file_of_other;

static void other_replaces(void) {
    provenance_of_other = provenance_of("x");
    file_of_other =
        open_file(&provenance_of_other, (struct tcplan_results_file_options){.restart = true});
}

static void other_replaces_and_ends(void) {
    other_replaces();
    append(file_of_other, result_of(7));
    tcplan_results_file_close(file_of_other);
}

static void a_file_that_is_replaced_while_it_is_opened_takes_no_results_with_it(void **state) {
    (void)state;
    for (int restart = 0; restart < 2; restart++) {
        struct tcplan_provenance provenance = provenance_of("x");
        tcplan_results_file_close(open_file(&provenance, (struct tcplan_results_file_options){0}));
        before_lock = other_replaces_and_ends;
        struct tcplan_results_file *file =
            open_file(&provenance, (struct tcplan_results_file_options){.restart = restart});
        append(file, result_of(1));
        tcplan_results_file_close(file);
        assert_file(restart ? "0001:1" : "0007:1 0001:1", TCPLAN_RESULTS_UNFINISHED);
    }
}

static void runs_that_begin_at_the_same_instant_are_distinguished(void **state) {
    (void)state;
    struct tcplan_provenance provenance = provenance_of("x");
    before_lock = other_replaces; /* no file existed when it was opened */
    assert_not_opened(&provenance, (struct tcplan_results_file_options){0},
                      "another tcplan is adding");
    before_lock = other_replaces;
    tcplan_results_file_close(file_of_other);
    assert_not_opened(&provenance, (struct tcplan_results_file_options){0},
                      "another tcplan is adding");
    append(file_of_other, result_of(7));
    tcplan_results_file_close(file_of_other);
    assert_file("0007:1", TCPLAN_RESULTS_UNFINISHED);
}

/** Blocks of a file that were not written before a power loss are zero, even if later blocks were
 * written. */
static void zero_blocks_in_front_of_an_intact_end_are_torn(void **state) {
    (void)state;
    enum { SECTOR = 512 };
    struct tcplan_provenance provenance = provenance_of("x");
    struct tcplan_results_file *file =
        open_file(&provenance, (struct tcplan_results_file_options){0});
    for (int number = 1; number <= 6; number++) append(file, result_of(number));
    tcplan_results_file_close(file);
    char text[16384];
    const size_t length = read_file(text, sizeof text);
    const size_t third = (size_t)(strstr(text, "<result id=\"0000000000000003\"") - text);
    const size_t start = third + 200,
                 end = (start / SECTOR + 2) * SECTOR; /* whole records follow */
    memset(text + start, 0, end - start);
    write_file(text, length);
    assert_file("0001:1 0002:1", TCPLAN_RESULTS_TORN);
    file = open_file(&provenance, (struct tcplan_results_file_options){0});
    append(file, result_of(3));
    tcplan_results_file_close(file);
    assert_file("0001:1 0002:1 0003:1", TCPLAN_RESULTS_UNFINISHED);
}

static void zero_bytes_elsewhere_lose_no_record(void **state) {
    (void)state;
    struct tcplan_provenance provenance = provenance_of("x");
    struct tcplan_results_file *file =
        open_file(&provenance, (struct tcplan_results_file_options){0});
    for (int number = 1; number <= 3; number++) append(file, result_of(number));
    tcplan_results_file_close(file);
    char text[8192];
    const size_t length = read_file(text, sizeof text);
    memset(strstr(text, "<result id=\"0000000000000002\"") + 100, 0, 1);
    write_file(text, length);
    assert_not_opened(&provenance, (struct tcplan_results_file_options){0}, "");
    assert_int_equal(read_file(text, sizeof text), length);
}

/** The reader accepts changed white space, but then does not know where the next record belongs. */
static void a_record_with_joined_lines_is_not_dropped(void **state) {
    (void)state;
    struct tcplan_provenance provenance = provenance_of("x");
    struct tcplan_results_file *file =
        open_file(&provenance, (struct tcplan_results_file_options){0});
    for (int number = 1; number <= 2; number++) append(file, result_of(number));
    tcplan_results_file_close(file);
    char text[8192];
    const size_t length = read_file(text, sizeof text);
    strstr(strstr(text, "0000000000000002"), "\n  </result>")[0] = ' ';
    write_file(text, length);
    assert_not_opened(&provenance, (struct tcplan_results_file_options){0},
                      "its lines are not in the form that tcplan writes");
    assert_file("0001:1 0002:1", TCPLAN_RESULTS_UNFINISHED);
}

static void temporary_files_of_killed_processes_are_swept(void **state) {
    (void)state;
    char left[sizeof path + 32], backup[sizeof path + 32];
    struct tcplan_provenance provenance = provenance_of("x");
    snprintf(left, sizeof left, "%s/.r.xml.tcplan-abc123", folder);
    snprintf(backup, sizeof backup, "%s/r.xml.backup", folder);
    fclose(fopen(left, "w"));
    fclose(fopen(backup, "w"));
    tcplan_results_file_close(open_file(&provenance, (struct tcplan_results_file_options){0}));
    assert_int_not_equal(access(left, F_OK), 0);
    assert_int_equal(unlink(backup), 0);
}

static void missing_folders_are_reported(void **state) {
    (void)state;
    struct tcplan_provenance provenance = provenance_of("x");
    struct tcplan_results_file *file = NULL;
    struct tcplan_results *results = NULL;
    struct tcplan_error error;
    const struct tcplan_results_file_options options = {0};
    assert_int_equal(
        tcplan_results_file_open(&file, "/nowhere/r.xml", &provenance, &options, &error),
        TCPLAN_ENVIRONMENT);
    assert_int_equal(tcplan_results_file_open(&file, "/", &provenance, &options, &error),
                     TCPLAN_ENVIRONMENT);
    assert_int_equal(tcplan_results_open(&results, "/nowhere/r.xml", &error), TCPLAN_ENVIRONMENT);
    tcplan_results_file_close(NULL);
    tcplan_results_close(NULL);
}

/** Opens a file of results, adds a record and reads it back, with `successes` successful
 * allocations. */
static enum tcplan_status add_and_read(void) {
    struct tcplan_provenance provenance = provenance_of("x");
    struct tcplan_results_file *file = NULL;
    struct tcplan_results *results = NULL;
    const struct tcplan_result *read = NULL;
    const struct tcplan_results_file_options options = {0};
    struct tcplan_result result = result_of(5);
    enum tcplan_status status = tcplan_results_file_open(&file, path, &provenance, &options, NULL);
    if (status == TCPLAN_OK) status = tcplan_results_file_append(file, &result, true, NULL);
    tcplan_results_file_close(file);
    if (status == TCPLAN_OK) status = tcplan_results_open(&results, path, NULL);
    if (status == TCPLAN_OK) status = tcplan_results_next(results, &read, NULL);
    tcplan_results_close(results);
    return status;
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    long successes = 0;
    for (; status != TCPLAN_OK; successes++) {
        unlink(path);
        base_alloc_fail_after(successes);
        status = add_and_read();
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
        assert_true(successes < 1000);
    }
    assert_true(successes > 10);
    assert_file("0005:1", TCPLAN_RESULTS_UNFINISHED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_reads_back_as_it_was_written),
        cmocka_unit_test(other_documents_are_refused),
        cmocka_unit_test(any_changed_byte_is_noticed),
        cmocka_unit_test(documents_without_checksums_are_read),
        cmocka_unit_test(numbers_that_cannot_be_read_are_not_written),
        cmocka_unit_test(a_provenance_cannot_be_there_twice),
        cmocka_unit_test(regret_needs_measured_times),
        cmocka_unit_test(provenances_compare_everything_that_affects_results),
        cmocka_unit_test_setup_teardown(a_file_is_a_whole_document_after_every_record, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_file_is_continued, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_full_disk_loses_no_record_and_the_file_is_continued,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_file_truncated_anywhere_keeps_its_complete_records,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(other_results_are_not_mixed_in, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_shard_resumes_only_its_own_file, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(files_of_others_stay_as_they_are, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(restart_replaces_results_only, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(
            a_file_that_is_replaced_while_it_is_opened_takes_no_results_with_it, make_folder,
            remove_folder),
        cmocka_unit_test_setup_teardown(runs_that_begin_at_the_same_instant_are_distinguished,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(zero_blocks_in_front_of_an_intact_end_are_torn, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(zero_bytes_elsewhere_lose_no_record, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_record_with_joined_lines_is_not_dropped, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(temporary_files_of_killed_processes_are_swept, make_folder,
                                        remove_folder),
        cmocka_unit_test(missing_folders_are_reported),
        cmocka_unit_test_setup_teardown(memory_may_run_out_anywhere, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
