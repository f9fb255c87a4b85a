/*
 * Tests that every field of a synthetic ranking is in the text output, and that the documentation
 * describes every field.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/render/algorithms/report.h"
#include "cli/render/view.h"
#include "support/field_texts.h"
#include "support/golden.h"

enum { ENTRIES = 5 };

/** A synthetic ranking: for every field, some algorithm has a value. */
struct made {
    struct options options;
    struct request request;
    struct tcplan_ranking ranking;
    struct tcplan_entry entry[ENTRIES];
    struct tcplan_benchmark benchmark;
};

static struct tcplan_estimate estimate(double seconds) {
    return (struct tcplan_estimate){.seconds = seconds,
                                    .low = 0.9 * seconds,
                                    .high = 1.2 * seconds,
                                    .sample_count = 2,
                                    .sample = {seconds, 1.1 * seconds}};
}

static void make_entries(struct made *made) {
    static const char *const names[ENTRIES] = {"ci'-dgemm", "cj'-dgemm", "i'bc-dgemv", "cij-dger",
                                               "iajb-daxpy"};
    struct tcplan_error error;
    for (int e = 0; e < ENTRIES; e++) {
        struct tcplan_entry *entry = &made->entry[e];
        *entry = (struct tcplan_entry){.threads = 1 + e % 2, .calls = 7 + e};
        if (tcplan_algorithm_parse(&entry->algorithm, made->request.contraction, TCPLAN_DOUBLE,
                                   names[e], &error) != TCPLAN_OK)
            fail_msg("%s: %s", names[e], error.message);
        entry->lower_bound_seconds = 1e-7 * (e + 1);
        entry->status = e < 3 ? TCPLAN_ENTRY_PREDICTED : TCPLAN_ENTRY_OPEN;
        entry->predicted = e < 3;
        entry->prediction = estimate(1.25e-6 * (e + 1));
    }
    made->entry[0].status = TCPLAN_ENTRY_MEASURED;
    made->entry[0].measured = estimate(1.3e-6);
    made->entry[0].basis = TCPLAN_BASIS_RUNS;
    made->entry[0].compared = made->entry[0].tied = made->entry[0].picked = true;
    made->entry[1].basis = TCPLAN_BASIS_PROBE;
    made->entry[1].missed = true;
    made->entry[1].benchmark = &made->benchmark;
    made->entry[1].benchmark_count = 1;
    made->entry[2].basis = TCPLAN_BASIS_ESTIMATE;
    made->entry[2].kernel_source = TCPLAN_TIME_STORED;
    made->entry[2].copy_source = TCPLAN_TIME_LOOPS;
    made->entry[3].status = TCPLAN_ENTRY_PRUNED;
}

static void make(struct made *made) {
    static const int64_t extent[] = {5, 16, 7, 3, 2};
    struct tcplan_error error;
    *made = (struct made){.options = options_defaults, .benchmark = {.calls = 3, .seconds = 1e-6}};
    made->options.threads = 2;
    made->options.argument = "C_abc=A_ija*B_jbic";
    made->request.options = &made->options;
    snprintf(made->request.machine.source, sizeof made->request.machine.source, "made up");
    assert_int_equal(tcplan_contraction_parse(&made->request.contraction, "C_abc=A_ija*B_jbic",
                                              TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_OK);
    make_entries(made);
    made->ranking = (struct tcplan_ranking){.entry = made->entry,
                                            .entry_count = ENTRIES,
                                            .tied_count = 1,
                                            .gemm_gflops = 50,
                                            .planning_seconds = 0.5};
    assert_int_equal(tcplan_problem_init(&made->ranking.problem, made->request.contraction, extent,
                                         TCPLAN_DOUBLE, &error),
                     TCPLAN_OK);
}

/** Returns the text of a ranking in an output format, to be freed. */
static char *printed(const struct made *made, int output_format) {
    char *text = NULL;
    size_t length = 0;
    const struct format *format = format_of(output_format);
    struct report report = report_make(&made->request, &made->ranking);
    struct writer writer = {.file = open_memstream(&text, &length), .points = 1};
    report.limit_seconds = made->options.verbose ? 0 : 1e-6;
    assert_non_null(writer.file);
    FILE *file = writer.file;
    if (format->begin) format->begin(&writer);
    format->view(&writer, &ranking_view, &report);
    if (format->end) format->end(&writer);
    assert_false(writer.no_memory);
    fclose(file);
    return text;
}

/* The tests. */

static void every_field_is_known_of_some_row(void **state) {
    (void)state;
    struct made made;
    make(&made);
    const struct report report = report_make(&made.request, &made.ranking);
    for (const struct field *field = ranked_fields; field->get || field->each; field++) {
        bool known = !field->get || field->hidden;
        for (int e = 0; e < ENTRIES && !known; e++) {
            struct ranked ranked;
            assert_true(ranked_make(&ranked, &report, &made.entry[e]));
            const struct field_value value = field->get(&ranked);
            known = value.known;
            free(value.owned);
            ranked_free(&ranked);
        }
        if (!known) fail_msg("%s: the ranking above has it nowhere", field->key);
    }
    tcplan_contraction_free(made.request.contraction);
}

static void assert_has_lines(struct made *made, bool verbose, const char *const lines[]) {
    made->options.verbose = verbose;
    char *text = printed(made, OUTPUT_TEXT);
    for (; *lines; lines++) {
        if (!strstr(text, *lines)) fail_msg("'%s' is not in\n%s", *lines, text);
    }
    free(text);
}

static void text_has_the_numbers_of_the_other_formats(void **state) {
    (void)state;
    struct made made;
    make(&made);
    assert_has_lines(
        &made, true,
        (const char *const[]){
            "rank  algorithm  threads  predicted us  measured us  predicted/measured  GFLOP/s  of gemm  calls  based on\n",
            "  1   ci'-dgemm        1         1.250        1.300                0.96     5.17     10 %      7  whole runs\n",
            NULL});
    made.entry[0].status = TCPLAN_ENTRY_PREDICTED;
    assert_has_lines(
        &made, false,
        (const char *const[]){
            "rank  algorithm   threads  time us  95 % interval  GFLOP/s  of roofline  slowdown  based on\n",
            "  1   ci'-dgemm         1    1.250  1.125 - 1.500     5.38         80 %     1.00x  whole runs\n",
            "  2   cj'-dgemm         2    2.500  2.250 - 3.000     2.69         40 %     2.00x  short probe\n",
            "  3   i'bc-dgemv        1    3.750              -     1.79         27 %     3.00x  estimate\n",
            NULL});
    tcplan_contraction_free(made.request.contraction);
}

static void intervals_that_overlap_are_no_proof_of_a_tie(void **state) {
    (void)state;
    struct made made;
    make(&made);
    made.entry[0].status = TCPLAN_ENTRY_PREDICTED;
    made.entry[0].picked = false;
    made.entry[1].picked = made.entry[1].tied = true;
    made.ranking.tied_count = 2;
    assert_has_lines(
        &made, false,
        (const char *const[]){"; 1 other may be as fast (=). It may be as fast as row 1 and ",
                              "  1=  ci'-dgemm ", "  2*  cj'-dgemm ", NULL});
    made.ranking.compared = true;
    assert_has_lines(
        &made, false,
        (const char *const[]){"; 1 other is as fast (=). It is within 2 % of row 1 and ", NULL});
    tcplan_contraction_free(made.request.contraction);
}

/** The description of the column "basis" names the words that its cells contain, and the words in
 * JSON and CSV. */
static void the_bases_have_the_same_words_everywhere(void **state) {
    (void)state;
    const struct field *basis = field_named(ranked_fields, "basis");
    for (const struct tcplan_word *word = tcplan_words_bases; word->word; word++) {
        char pair[80];
        if (!*word->word) continue;
        snprintf(pair, sizeof pair, "%s (%s)", ranking_basis_words((enum tcplan_basis)word->value),
                 word->word);
        if (!strstr(basis->says, pair)) fail_msg("no \"%s\" in \"%s\"", pair, basis->says);
    }
}

static void the_documentation_has_every_field(void **state) {
    (void)state;
    char *table = field_markdown(ranked_fields);
    golden_check_part(
        "docs/ranking.md",
        "<!-- The fields of a row: made from cli/render/algorithms/ranking_fields.c. -->",
        "<!-- The end of the fields. -->", table);
    free(table);
}

/** Makes a ranking of 40 compared algorithms with one name and slightly rising times. Those from
 * `first_tied` on, `tied` in number, are as fast as the answer, the first one. */
static void make_many(struct made *made, struct tcplan_entry many[40], int first_tied, int tied) {
    make(made);
    for (int e = 0; e < 40; e++) {
        many[e] = made->entry[0];
        many[e].status = TCPLAN_ENTRY_PREDICTED;
        many[e].prediction = estimate(1e-3 * (1 + 1e-3 * e));
        many[e].picked = e == 0;
        many[e].tied = e == 0 || (e >= first_tied && e < first_tied + tied);
    }
    made->options.threads = 1;
    made->ranking.entry = many;
    made->ranking.entry_count = 40;
    made->ranking.tied_count = (size_t)tied + 1;
    made->ranking.compared = true;
}

/** Counts the lines of a text that contain both words. */
static int lines_with(const char *text, const char *word, const char *other) {
    int count = 0;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        char line[400];
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        count += strstr(line, word) && strstr(line, other);
        text += length + (text[length] == '\n');
    }
    return count;
}

static void equally_fast_rows_that_are_counted_are_printed(void **state) {
    struct made made;
    struct tcplan_entry many[40];
    (void)state;
    make_many(&made, many, 20, 2);
    char *text = printed(&made, OUTPUT_TEXT);
    assert_int_equal(lines_with(text, "2 others are as fast (=)", ""), 1);
    assert_int_equal(lines_with(text, " 21= ", "whole runs"), 1);
    assert_int_equal(lines_with(text, " 22= ", "whole runs"), 1);
    free(text);
    tcplan_contraction_free(made.request.contraction);
    make_many(&made, many, 5, 30);
    text = printed(&made, OUTPUT_TEXT);
    assert_int_equal(lines_with(text, "30 others are as fast (=, some not shown)", ""), 1);
    assert_true(lines_with(text, "whole runs", "") <= 5);
    free(text);
    tcplan_contraction_free(made.request.contraction);
}

static void a_stored_plan_below_the_first_row_says_why(void **state) {
    struct made made;
    struct tcplan_entry many[40];
    (void)state;
    make_many(&made, many, 3, 1);
    many[0].picked = false;
    many[3].picked = many[3].is_stored = true;
    many[3].prediction = estimate(1.04e-3);
    char *text = printed(&made, OUTPUT_TEXT);
    assert_int_equal(
        lines_with(text, "It is the stored plan; row 1 was 4.0 % faster", "Best choice"), 1);
    assert_int_equal(lines_with(text, " 4* ", "whole runs"), 1);
    free(text);
    tcplan_contraction_free(made.request.contraction);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_known_of_some_row),
        cmocka_unit_test(text_has_the_numbers_of_the_other_formats),
        cmocka_unit_test(intervals_that_overlap_are_no_proof_of_a_tie),
        cmocka_unit_test(equally_fast_rows_that_are_counted_are_printed),
        cmocka_unit_test(a_stored_plan_below_the_first_row_says_why),
        cmocka_unit_test(the_bases_have_the_same_words_everywhere),
        cmocka_unit_test(the_documentation_has_every_field)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
