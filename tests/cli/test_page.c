#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "tcplan/results.h"

/* Parses pages of `tcplan report` as XML, because browsers accept invalid HTML. */

enum { FEW = 6, MANY = 60 };

/** Names that contain markup, scripts, attributes or format specifications. */
static const char *const hostile[FEW] = {"plain",
                                         "</title></svg><script>alert(1)</script>",
                                         "\" onmouseover=\"alert(2)\" x=\"",
                                         "a&b<c>d'e\"f",
                                         "]]><!-- --> &lt;b&gt; %s%n",
                                         "\xC3\xBC\xE2\x80\xAE\xF0\x9F\x98\x80 umlaut"};

static const struct tcplan_provenance somewhere = {.id = 1,
                                                   .tcplan = "0.0.0",
                                                   .settings = "predictor=<window>",
                                                   .host = "a&b",
                                                   .cpu = "</td><script>alert(3)</script>",
                                                   .machine = "live",
                                                   .blas_name = "\"BLAS\"",
                                                   .blas_version = "1 < 2",
                                                   .blas_core = "]]>",
                                                   .blas_advice = "2 > 1 & slow",
                                                   .cores = 2,
                                                   .processing_units = 2,
                                                   .cache_count = 2,
                                                   .cache_bytes = {32768, 1048576}};

/** A results document that is written to the working directory. */
struct document {
    FILE *file;
    struct tcplan_results_summary summary;
};

static void put(struct document *document, char *text) {
    assert_non_null(text);
    assert_true(fputs(text, document->file) >= 0);
    free(text);
}

static void begin(struct document *document, const char *path) {
    *document = (struct document){.file = fopen(path, "w")};
    assert_non_null(document->file);
    put(document, tcplan_results_text_begin(0, 0));
    put(document, tcplan_provenance_text(&somewhere));
}

static void end(struct document *document, bool complete) {
    document->summary.entry_count = document->summary.result_count;
    put(document, tcplan_results_text_end(complete ? &document->summary : NULL));
    assert_int_equal(fclose(document->file), 0);
}

static struct tcplan_result record(int number, const char *name) {
    struct tcplan_result result = {.provenance = &somewhere,
                                   .library = hostile[1],
                                   .group = hostile[number % 2],
                                   .name = name,
                                   .size_class = "",
                                   .source = "\xC3\xA9lan & co",
                                   .line = number + 1,
                                   .contraction = "C_ab=A_ai*B_ib",
                                   .sizes = "a=1,b=2,i=3",
                                   .dtype = TCPLAN_DOUBLE,
                                   .threads = 1,
                                   .flops = 12000.0 * (number + 1),
                                   .planning_seconds = 0.01 * (number + 1),
                                   .gemm_gflops = 60,
                                   .finished = "2026-01-01T00:00:00Z"};
    snprintf(result.id, sizeof result.id, "%016x", number + 1);
    return result;
}

/** Adds a record whose winner takes `seconds`. If the winner was measured, another algorithm is a
 * fifth faster. */
static void add(struct document *document, int number, const char *name, double seconds,
                bool measured) {
    struct tcplan_result result = record(number, name);
    const struct tcplan_result_algorithm algorithms[] = {
        {.name = "<i>c-dgemm",
         .kernel = "dgemm",
         .tied = true,
         .predicted_seconds = seconds,
         .measured_seconds = measured ? seconds : 0},
        {.name = "b-dgemv",
         .kernel = "dgemv",
         .tied = true,
         .predicted_seconds = 1.1 * seconds,
         .measured_seconds = 0.8 * seconds}};
    result.algorithm = algorithms;
    result.algorithm_count = measured ? 2 : 1;
    put(document, tcplan_result_text(&result));
    document->summary.result_count++;
}

/** Adds a record whose winner has a confidence interval. */
static void add_with_interval(struct document *document, int number, double seconds) {
    struct tcplan_result result = record(number, "interval");
    const struct tcplan_result_algorithm algorithm = {.name = "c-dgemm",
                                                      .kernel = "dgemm",
                                                      .tied = true,
                                                      .predicted_seconds = seconds,
                                                      .predicted_low = seconds / 2,
                                                      .predicted_high = 3 * seconds};
    result.algorithm = &algorithm;
    result.algorithm_count = 1;
    put(document, tcplan_result_text(&result));
    document->summary.result_count++;
}

static void add_failure(struct document *document, int number, const char *reason) {
    struct tcplan_result result = record(number, "failing");
    result.reason = reason;
    put(document, tcplan_result_text(&result));
    document->summary.result_count++;
    document->summary.failed_count++;
}

/** Runs tcplan and returns its exit status. stdout goes to the file `output`, stderr to stdout. */
static int run(const char *arguments, char *output, size_t size) {
    char command[1024];
    snprintf(command, sizeof command, TCPLAN_COMMAND " report %s 2>&1", arguments);
    FILE *pipe = popen(command, "r"); /* NOLINT: the command line is a constant of this test */
    assert_non_null(pipe);
    output[fread(output, 1, size - 1, pipe)] = '\0';
    while (fgetc(pipe) != EOF) {
    }
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_run(const char *arguments, char *output, size_t size) {
    const int status = run(arguments, output, size);
    if (status != 0) fail_msg("report %s: exit status %d\n%s", arguments, status, output);
}

static xmlDocPtr read_page(const char *path) {
    xmlDocPtr page = xmlReadFile(path, NULL, XML_PARSE_NONET);
    if (!page) fail_msg("%s is not well-formed", path);
    return page;
}

/** Counts of the elements of a page. */
struct seen {
    int scripts;
    int titles; /* number of titles: of the page and of marks in plots */
    int marks;
    int bars;
    int rows;
};

/** Asserts that no attribute refers to another page or runs a script. */
static void check_attributes(const xmlNode *node) {
    for (const xmlAttr *attribute = node->properties; attribute; attribute = attribute->next) {
        const char *name = (const char *)attribute->name;
        xmlChar *value = xmlGetProp(node, attribute->name);
        if (strncmp(name, "on", 2) == 0 || strcmp(name, "src") == 0)
            fail_msg("an attribute %s in the page", name);
        if (strcmp(name, "href") == 0) assert_int_equal(*(const char *)value, '#');
        xmlFree(value);
    }
}

static void inspect(const xmlNode *node, struct seen *seen) {
    for (; node; node = node->next) {
        if (node->type != XML_ELEMENT_NODE) continue;
        const char *name = (const char *)node->name;
        seen->scripts += strcmp(name, "script") == 0;
        seen->titles += strcmp(name, "title") == 0;
        seen->marks += strcmp(name, "use") == 0;
        seen->bars += strcmp(name, "rect") == 0;
        seen->rows += strcmp(name, "tr") == 0;
        assert_string_not_equal(name, "link");
        assert_string_not_equal(name, "img");
        check_attributes(node);
        inspect(node->children, seen);
    }
}

static struct seen check_page(const char *path) {
    struct seen seen = {0};
    xmlDocPtr page = read_page(path);
    inspect(xmlDocGetRootElement(page), &seen);
    assert_int_equal(seen.scripts, 1);
    xmlFreeDoc(page);
    return seen;
}

/** Returns how many elements contain exactly this text. */
static int count_elements(const xmlNode *node, const char *text) {
    int count = 0;
    for (; node; node = node->next) {
        if (node->type == XML_TEXT_NODE && strcmp((const char *)node->content, text) == 0) count++;
        count += count_elements(node->children, text);
    }
    return count;
}

static void check_contains(const char *path, const char *text) {
    xmlDocPtr page = read_page(path);
    if (count_elements(xmlDocGetRootElement(page), text) == 0)
        fail_msg("the page lacks \"%s\"", text);
    xmlFreeDoc(page);
}

static void write_few(const char *path, bool measured, int first) {
    struct document document;
    begin(&document, path);
    for (int n = first; n < FEW; n++)
        add(&document, n, hostile[n], 1e-6 * (n + 1) * (n + 1), measured);
    add_failure(&document, FEW, "<b>too large</b> & \"more\"");
    end(&document, true);
}

static void the_page_is_well_formed_and_names_every_contraction_as_it_is(void **state) {
    (void)state;
    char output[8000];
    write_few("few.xml", true, 0);
    check_run("few.xml -o few.html", output, sizeof output);
    const struct seen seen = check_page("few.html");
    for (int n = 0; n < FEW; n++) check_contains("few.html", hostile[n]);
    check_contains("few.html", "<b>too large</b> & \"more\"");
    assert_int_equal(seen.bars, FEW);
    assert_true(seen.marks >= 3 * FEW); /* marks of measured winners, of other algorithms, and of
                                           planning times */
}

static void the_summary_says_the_same_in_text(void **state) {
    (void)state;
    static const char *const parts[] = {
        "7 contractions, 1 failed; complete",
        "2 cores, L1 32 KiB, L2 1 MiB",
        "Choice: the fastest measured in 0 of 6; mean loss 25.0 %",
        "Predicted / measured: median 1.00; 80 % of 6 within 1.00 and 1.00.",
        "failing a=1,b=2,i=3 (</title></svg><script>alert(1)</script>:7): <b>too large</b>",
        "Planning: 280.0 ms, 40.00 ms per contraction."};
    char output[8000];
    write_few("few.xml", true, 0);
    check_run("few.xml", output, sizeof output);
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        if (!strstr(output, parts[p])) fail_msg("no \"%s\" in\n%s", parts[p], output);
    }
    check_run("few.xml --top 2", output, sizeof output);
    assert_non_null(strstr(output, "\n5 more are not shown"));
    assert_null(strstr(output, hostile[4]));
}

static void documents_are_matched_by_their_ids(void **state) {
    (void)state;
    char output[8000];
    write_few("few.xml", true, 0);
    write_few("less.xml", false, 2);
    check_run("few.xml less.xml -o both.html", output, sizeof output);
    const struct seen both = check_page("both.html");
    assert_int_equal(both.bars, FEW + (FEW - 2));
    for (int n = 0; n < FEW; n++) check_contains("both.html", hostile[n]);
    assert_non_null(strstr(output, "few.xml; 7 contractions"));
    assert_non_null(strstr(output, "less.xml; 5 contractions"));
    check_run("less.xml few.xml -o both.html", output, sizeof output);
    check_page("both.html");
    check_contains("both.html", hostile[0]); /* only the second document has this contraction */
}

static void the_interval_is_printed_below_the_time(void **state) {
    (void)state;
    char output[8000];
    struct document document;
    begin(&document, "interval.xml");
    add_with_interval(&document, 0, 2e-3);
    add(&document, 1, "without", 5e-3, false);
    end(&document, true);
    check_run("interval.xml -o interval.html", output, sizeof output);
    check_page("interval.html");
    check_contains("interval.html", "2.000 ms");
    check_contains("interval.html", "1.000 ms \xE2\x80\x93 6.000 ms");
    check_contains("interval.html", "5.000 ms");
}

static void many_contractions_are_marks_in_a_plot_and_rows_in_the_table(void **state) {
    (void)state;
    char output[8000], name[40];
    struct document document;
    begin(&document, "many.xml");
    for (int n = 0; n < MANY; n++) {
        snprintf(name, sizeof name, "contraction <%d>", n);
        add(&document, n, name, 1e-6 * (n + 1), n % 2);
    }
    end(&document, true);
    check_run("many.xml -o many.html", output, sizeof output);
    const struct seen seen = check_page("many.html");
    assert_int_equal(seen.bars, 0);
    assert_true(seen.rows >= MANY);
    for (int n = 0; n < MANY; n++) {
        snprintf(name, sizeof name, "contraction <%d>", n);
        check_contains("many.html", name);
    }
}

static void marks_in_the_same_place_are_drawn_once(void **state) {
    (void)state;
    char output[8000];
    struct document document;
    begin(&document, "equal.xml");
    for (int n = 0; n < MANY; n++) {
        struct tcplan_result result = record(0, "same");
        const struct tcplan_result_algorithm algorithm = {
            .name = "dgemm", .predicted_seconds = 1, .measured_seconds = 1};
        snprintf(result.id, sizeof result.id, "%016x", n + 1);
        result.algorithm = &algorithm;
        result.algorithm_count = 1;
        put(&document, tcplan_result_text(&result));
        document.summary.result_count++;
    }
    end(&document, true);
    check_run("equal.xml -o equal.html", output, sizeof output);
    assert_int_equal(check_page("equal.html").marks, 3);
}

static void results_without_a_time_or_without_anything_give_a_page(void **state) {
    (void)state;
    char output[8000];
    struct document document;
    begin(&document, "empty.xml");
    end(&document, true);
    check_run("empty.xml -o empty.html", output, sizeof output);
    check_page("empty.html");
    begin(&document, "failed.xml");
    add_failure(&document, 0, "");
    end(&document, true);
    check_run("failed.xml -o failed.html", output, sizeof output);
    check_page("failed.html");
    check_contains("failed.html", "failing");
}

static void an_interrupted_batch_is_reported_as_unfinished(void **state) {
    (void)state;
    char output[8000];
    struct document document;
    begin(&document, "half.xml");
    add(&document, 0, "first", 1e-3, false);
    end(&document, false);
    check_run("half.xml -o half.html", output, sizeof output);
    assert_non_null(strstr(output, "1 contraction; unfinished"));
    check_contains("half.html",
                   "half.xml; 1 contraction; unfinished: interrupted or still running");
}

static void other_documents_are_refused_and_leave_no_page(void **state) {
    (void)state;
    char output[8000];
    FILE *file = fopen("none.xml", "w");
    assert_non_null(file);
    fputs(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE results [<!ENTITY a \"b\">]>\n<results format=\"1\"/>\n",
        file);
    fclose(file);
    unlink("none.html");
    assert_int_equal(run("none.xml -o none.html", output, sizeof output), 1);
    assert_non_null(strstr(output, "none.xml:2: "));
    assert_int_not_equal(access("none.html", F_OK), 0);
    assert_int_equal(run("missing.xml", output, sizeof output), 3);
    assert_int_equal(run("", output, sizeof output), 2);
    write_few("few.xml", true, 0);
    assert_int_equal(run("few.xml -o ./few.xml", output, sizeof output), 2);
    check_run("few.xml", output, sizeof output);
    assert_int_equal(run("1 2 3 4 5 6 7 8 9", output, sizeof output), 2);
    assert_non_null(strstr(output, "1 to 8 files of results, found 9"));
}

static void one_table_compares_eight_documents(void **state) {
    (void)state;
    char output[16000];
    write_few("few.xml", true, 0);
    check_run("few.xml few.xml few.xml few.xml few.xml few.xml few.xml few.xml -o eight.html",
              output, sizeof output);
    assert_non_null(strstr(output, "\nplain  "));
    assert_non_null(strstr(output, "  a=1,b=2,i=3  "));
    const char *heading = strstr(output, "\ncontraction ");
    assert_non_null(heading);
    int columns = 0;
    for (const char *at = heading; (at = strstr(at, "of gemm")) && at < strchr(heading + 1, '\n');
         at++)
        columns++;
    assert_int_equal(columns, 8);
    check_page("eight.html");
}

static void the_summary_is_there_for_programs(void **state) {
    (void)state;
    static const char *const json[] = {
        "\"name\": \"few.xml\"",    "\"result_count\": 7",
        "\"failed_count\": 1",      "\"fastest\": 0",
        "\"largest_regret\": 1.25", "\"reason\": \"<b>too large</b> & \\\"more\\\"\"",
        "\"complete\": true"};
    char output[16000];
    write_few("few.xml", true, 0);
    write_few("less.xml", false, 2);
    check_run("few.xml -q --format json", output, sizeof output);
    for (size_t p = 0; p < sizeof json / sizeof *json; p++) {
        if (!strstr(output, json[p])) fail_msg("no %s in\n%s", json[p], output);
    }
    check_run("few.xml less.xml --format csv", output, sizeof output);
    int lines = 0;
    for (const char *at = output; (at = strchr(at, '\n')); at++) lines++;
    assert_int_equal(lines, 1 + 7 + 5);
    assert_non_null(strstr(
        output,
        "\nless.xml,0000000000000007,failing,,C_ab=A_ai*B_ib,\"a=1,b=2,i=3\",,,,,,0.07,\"<b>too large</b> &"));
    check_run("few.xml less.xml --format xml --top 1 >summary.xml", output, sizeof output);
    xmlDocPtr summary = read_page("summary.xml");
    xmlNode *documents = xmlFirstElementChild(xmlDocGetRootElement(summary));
    assert_int_equal(xmlChildElementCount(documents), 2);
    assert_int_equal(xmlChildElementCount(xmlLastElementChild(xmlLastElementChild(documents))), 1);
    xmlFreeDoc(summary);
    assert_int_equal(run("few.xml -o - --format json", output, sizeof output), 2);
}

static void a_page_with_an_extreme_share_has_the_usual_size(void **state) {
    (void)state;
    static const double gemm[] = {1e-12, 4.9e-324};
    char output[8000];
    struct stat page;
    for (size_t g = 0; g < sizeof gemm / sizeof *gemm; g++) {
        struct document document;
        struct tcplan_result result = record(0, "odd");
        const struct tcplan_result_algorithm algorithm = {
            .name = "dgemm", .predicted_seconds = g == 0 ? 1e-3 : 4.9e-324};
        result.gemm_gflops = gemm[g];
        result.algorithm = &algorithm;
        result.algorithm_count = 1;
        begin(&document, "odd.xml");
        put(&document, tcplan_result_text(&result));
        document.summary.result_count++;
        end(&document, true);
        check_run("odd.xml -o odd.html", output, sizeof output);
        check_page("odd.html");
        assert_int_equal(stat("odd.html", &page), 0);
        assert_true(page.st_size < 100000);
    }
}

/** Adds the number of svg elements in a page to `pictures`. */
static void count_pictures(const xmlNode *node, int *pictures) {
    for (; node; node = node->next) {
        xmlChar *class =
            node->type == XML_ELEMENT_NODE ? xmlGetProp(node, (const xmlChar *)"class") : NULL;
        *pictures += class && strcmp((const char *)class, "picture") == 0;
        xmlFree(class);
        count_pictures(node->children, pictures);
    }
}

/** With a file of ceilings, the page has the roofline plot in two widths. Without the file it has
 * no such plot, because these results name no machine. */
static void the_page_draws_the_ceilings_of_a_file(void **state) {
    char output[4096], arguments[512];
    int pictures = 0;
    (void)state;
    write_few("few.xml", true, 0);
    snprintf(arguments, sizeof arguments,
             "few.xml --ceilings '%s/cli/ceilings/example.tcplan' -o roofs.html", TCPLAN_TESTS_DIR);
    check_run(arguments, output, sizeof output);
    xmlDocPtr page = read_page("roofs.html");
    count_pictures(xmlDocGetRootElement(page), &pictures);
    xmlFreeDoc(page);
    assert_int_equal(pictures, 2);
    check_contains("roofs.html", "fma, 256 bits, single, 2 threads: 192 GFLOP/s");
    check_run("few.xml -o roofs.html", output, sizeof output);
    page = read_page("roofs.html");
    count_pictures(xmlDocGetRootElement(page), &pictures);
    xmlFreeDoc(page);
    assert_int_equal(pictures, 2);
    assert_int_equal(run("few.xml --ceilings few.xml -o none.html", output, sizeof output), 1);
    assert_non_null(strstr(output, "not an entry of a store"));
    assert_int_not_equal(access("none.html", F_OK), 0);
}

static void documents_of_the_same_name_are_distinguished_by_their_folders(void **state) {
    (void)state;
    char output[8000];
    assert_int_equal(mkdir("sky", 0777) | mkdir("zen", 0777) | mkdir("zen/sky", 0777), 0);
    write_few("sky/results.xml", true, 0);
    write_few("zen/results.xml", true, 0);
    write_few("zen/sky/results.xml", true, 0);
    write_few("other.xml", true, 0);
    check_run("sky/results.xml ./zen/results.xml other.xml -o both.html", output, sizeof output);
    assert_non_null(strstr(output, "results    sky/results.xml; "));
    assert_non_null(strstr(output, "results    zen/results.xml; "));
    assert_non_null(strstr(output, "results    other.xml; "));
    check_contains("both.html", "sky/results.xml");
    check_run("sky/results.xml zen/sky/results.xml sky//results.xml", output, sizeof output);
    assert_non_null(strstr(output, "results    sky/results.xml; "));
    assert_non_null(strstr(output, "results    zen/sky/results.xml; "));
}

static char folder[] = "page-XXXXXX";

/** Changes to a new folder, which leave() removes after the test. */
static int enter(void **state) {
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state) {
    (void)state;
    return system("cd .. && rm -r \"$OLDPWD\"") == 0 ? 0 : -1; /* NOLINT: the command line is a
                                                                  constant of this test */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_is_well_formed_and_names_every_contraction_as_it_is),
        cmocka_unit_test(the_summary_says_the_same_in_text),
        cmocka_unit_test(documents_are_matched_by_their_ids),
        cmocka_unit_test(the_interval_is_printed_below_the_time),
        cmocka_unit_test(many_contractions_are_marks_in_a_plot_and_rows_in_the_table),
        cmocka_unit_test(marks_in_the_same_place_are_drawn_once),
        cmocka_unit_test(results_without_a_time_or_without_anything_give_a_page),
        cmocka_unit_test(an_interrupted_batch_is_reported_as_unfinished),
        cmocka_unit_test(one_table_compares_eight_documents),
        cmocka_unit_test(the_summary_is_there_for_programs),
        cmocka_unit_test(a_page_with_an_extreme_share_has_the_usual_size),
        cmocka_unit_test(the_page_draws_the_ceilings_of_a_file),
        cmocka_unit_test(documents_of_the_same_name_are_distinguished_by_their_folders),
        cmocka_unit_test(other_documents_are_refused_and_leave_no_page)};
    const int failed = cmocka_run_group_tests(tests, enter, leave);
    xmlCleanupParser();
    return failed;
}
