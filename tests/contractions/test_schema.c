/*
 * Tests that the published schemas agree with the tables of the reader: documents with one random
 * change are either valid in both or invalid in both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <libxml/relaxng.h>

#include "contractions/xml_reader.h"
#include "routines/blocked/algorithms/user_xml.h"
#include "routines/sampler/experiments/experiment_schema.h"
#include "support/memory_source.h"
#include "tcplan/experiment.h"
#include "tcplan/library.h"
#include "tcplan/result_fields.h"

static const char library_text[] =
    "<library format=\"1\" types=\"d s\" threads=\"1 4\" order=\"row-major\"><title>T</title><source href=\"x\">S</source><comment>C</comment>"
    "<group name=\"g\"><title>T</title><contraction name=\"c\" formula=\"C_ab=A_ai*B_ib\" strides=\"A=1,9\"><comment/>"
    "<sizes class=\"small\" optional=\"true\" strides=\"\" types=\"z\" order=\"column-major\">a=b=i=9</sizes>"
    "<sizes sections=\"a=b=i=1\" charge=\"\" blocks=\"\">a=b=i=1</sizes>"
    "</contraction></group><contraction name=\"_+\" formula=\"\"><sizes/></contraction></library>";

static const char results_text[] =
    "<results format=\"1\" shard=\"2/3\" checksum=\"01234567\"><provenance id=\"1\" tcplan=\"\" settings=\"\" host=\"\" cpu=\"\" "
    "machine=\"\" cores=\"1\" processing_units=\"2\" memory_bytes=\"0\" cache_bytes=\"1 2\" blas_name=\"\" blas_version=\"\" "
    "blas_core=\"\" blas_advice=\"x\" checksum=\"01234567\"/><result id=\"0123456789abcdef\" provenance=\"1\" library=\"\" group=\"\" name=\"\" class=\"\" "
    "source=\"\" line=\"0\" contraction=\"\" sizes=\"\" dtype=\"d\" order=\"row-major\" threads=\"1\" status=\"done\" reason=\"\" "
    "winner=\"\" fastest=\"\" regret=\"1.5\" flops=\"1\" dgemm_gflops=\"2e5\" planning_seconds=\"0.5\" algorithms=\"3\" pruned=\"0\" "
    "max_memory_bytes=\"9\" reused_from=\"0123456789abcdef\" finished=\"\" strides=\"\" "
    "sections=\"\" charge=\"\" blocks=\"\" limit_seconds=\"1\" checksum=\"01234567\">"
    "<algorithm name=\"\" kernel=\"\" tied=\"true\" calls=\"1\" predicted_seconds=\"1\" predicted_low=\"1\" predicted_high=\"1\" "
    "measured_seconds=\"1\" measured_low=\"1\" measured_high=\"1\"/><algorithm name=\"\" kernel=\"\" tied=\"false\" calls=\"1\"/></result>"
    "<end entries=\"1\" digest=\"0123456789abcdef\" results=\"1\" failed=\"0\" checksum=\"01234567\"/></results>";

#define EXPERIMENT                                                                                                        \
    " format=\"1\" name=\"e\" library=\"openblas\" threads=\"1\" repetitions=\"2\" shuffle=\"true\" randomize=\"false\" " \
    "parallel_calls=\"false\" counters=\"cycles\" flops_per_cycle=\"1.5\""
#define EXPERIMENT_CONTENT                                                                                                            \
    "<title>T</title><comment>C</comment><range variable=\"n\" values=\"1:3\"/><sum variable=\"k\" values=\"1\" parallel=\"false\"/>" \
    "<call routine=\"ddot\" name=\"c\">n=1 x=x y=y</call><operand name=\"x\" vary=\"rep k\" along=\"0\" offset=\"1\"/>"               \
    "<operand name=\"y\" vary=\"rep\"/>"

static const char experiment_text[] =
    "<experiment" EXPERIMENT ">" EXPERIMENT_CONTENT "</experiment>";

static const char report_text[] =
    "<report format=\"1\" shard=\"1/2\" checksum=\"01234567\"><experiment checksum=\"01234567\"" EXPERIMENT
    ">" EXPERIMENT_CONTENT "</experiment>"
    "<provenance id=\"1\" tcplan=\"\" host=\"\" library=\"\" ticks_per_second=\"2e9\" cores=\"2\" flops_per_cycle=\"16\" checksum=\"01234567\">"
    "<part name=\"CPU\" value=\"x\"/></provenance><run unit=\"0\" provenance=\"1\" finished=\"\" checksum=\"01234567\">"
    "<samples point=\"0\" repetition=\"0\" ticks=\"12\" disturbed=\"0\" counts=\"1\"/><samples point=\"0\" repetition=\"1\" ticks=\"1 2\"/></run>"
    "<end runs=\"1\" checksum=\"01234567\"/></report>";

#define ALGORITHM(name)                                                                            \
    "<algorithm name=\"" name                                                                      \
    "\" matrices=\"A(n)\" routine=\"\" note=\"x\" transposed=\"true\">for</algorithm>"

static const char algorithms_text[] = "<algorithms format=\"1\">" ALGORITHM("a") ALGORITHM("b")
    ALGORITHM("c") ALGORITHM("a_1") "</algorithms>";

/** Values of attributes; each is valid for some attributes and invalid for others. */
static const char *const values[] = {
    "",
    "0",
    "1",
    "01",
    "9",
    "x",
    "d",
    "d s",
    "s d c z",
    "s d c z s",
    "ds",
    "true",
    "done",
    "failed",
    "false",
    "rep k n",
    "a_1",
    "_a",
    "abcdefghijabcdefghijabcdefghijab",
    "abcdefghijabcdefghijabcdefghijabc",
    "1 2",
    "1  2",
    "1 ",
    " 1",
    "1/3",
    "1/0",
    "0/1",
    "2/",
    "column-major",
    "a.b+c",
    ".a",
    "a b",
    "0123456789abcdef",
    "01234567",
    "0123456g",
    "0123456789ABCDEF",
    "999999999999999999",
    "1234567890123456789",
    "1e5",
    "1e-005",
    "1e1234",
    "1.",
    "1.5e",
    "-1",
    "9999",
    "10000",
    "1234567/1234567",
    "12345678/1",
    "1 2 3 4 5 6 7 8",
    "1 2 3 4 5 6 7 8 9",
    "1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7",
    "1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8",
    "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij1234",
    "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij12345"};

/** The two validators of one kind of document, and the numbers of rejected and accepted documents.
 */
struct comparison {
    const struct schema *tables;
    bool (*is_taken)(const char *text); /* whether the reader accepts the document */
    xmlRelaxNGPtr published;
    xmlDocPtr document;
    long refused, valid;
};

static void say_nothing(void *context, xmlErrorPtr complaint) {
    (void)context;
    (void)complaint;
}

static bool is_valid(const struct comparison *comparison) {
    xmlRelaxNGValidCtxtPtr context = xmlRelaxNGNewValidCtxt(comparison->published);
    xmlRelaxNGSetValidStructuredErrors(context, say_nothing, NULL);
    const int status = xmlRelaxNGValidateDoc(context, comparison->document);
    xmlRelaxNGFreeValidCtxt(context);
    return status == 0;
}

static bool is_read(const struct schema *schema, const char *text, struct tcplan_error *error) {
    struct memory_source source = memory_source_of(text);
    struct xml_reader *reader = NULL;
    enum xml_event event = XML_EVENT_BEGIN;
    enum tcplan_status status = xml_reader_new(&reader, schema, memory_source_read, &source, error);
    while (status == TCPLAN_OK && event != XML_EVENT_DONE)
        status = xml_reader_next(reader, &event, error);
    xml_reader_free(reader);
    return status == TCPLAN_OK;
}

static bool library_is_taken(const char *text) {
    const struct tcplan_library_options options = {.dtype = TCPLAN_DOUBLE, .threads = 1};
    struct memory_source source = memory_source_of(text);
    struct tcplan_library *library = NULL;
    const struct tcplan_library_entry *entry = NULL;
    enum tcplan_status status =
        tcplan_library_from(&library, memory_source_read, &source, "x.xml", &options, NULL);
    do {
        if (status == TCPLAN_OK) status = tcplan_library_next(library, &entry, NULL);
    } while (status == TCPLAN_OK && entry);
    tcplan_library_close(library);
    return status == TCPLAN_OK;
}

static bool results_are_taken(const char *text) {
    struct memory_source source = memory_source_of(text);
    struct tcplan_results *results = NULL;
    const struct tcplan_result *result = NULL;
    enum tcplan_status status =
        tcplan_results_from(&results, memory_source_read, &source, "x.xml", NULL);
    do {
        if (status == TCPLAN_OK) status = tcplan_results_next(results, &result, NULL);
    } while (status == TCPLAN_OK && result);
    tcplan_results_close(results);
    return status == TCPLAN_OK;
}

static bool experiment_is_taken(const char *text) {
    struct memory_source source = memory_source_of(text);
    struct tcplan_experiment *experiment = NULL;
    enum tcplan_status status =
        tcplan_experiment_from(&experiment, memory_source_read, &source, NULL);
    tcplan_experiment_free(experiment);
    return status == TCPLAN_OK;
}

static bool report_is_taken(const char *text) {
    struct memory_source source = memory_source_of(text);
    struct tcplan_experiment_report *report = NULL;
    enum tcplan_status status =
        tcplan_experiment_report_from(&report, memory_source_read, &source, NULL);
    tcplan_experiment_report_free(report);
    return status == TCPLAN_OK;
}

static bool algorithms_are_taken(const char *text) {
    struct memory_source source = memory_source_of(text);
    struct tcplan_blocked **all = NULL;
    int count = 0;
    const enum tcplan_status status =
        user_algorithms_from(&all, &count, memory_source_read, &source, TCPLAN_DOUBLE, NULL);
    for (int a = 0; a < count; a++) tcplan_blocked_free(all[a]);
    free(all);
    return status == TCPLAN_OK;
}

/** Asserts that the tables accept the document if the schema does, and that the reader rejects
 * it if the schema does. (The reader of results also checks numbers.) */
static void compare(struct comparison *comparison) {
    xmlChar *text = NULL;
    struct tcplan_error error = {0};
    int length;
    xmlDocDumpMemory(comparison->document, &text, &length);
    const bool valid = is_valid(comparison),
               read = is_read(comparison->tables, (const char *)text, &error);
    if (valid && !read) fail_msg("refused, but valid: %s: %s", error.message, (const char *)text);
    if (!valid && comparison->is_taken((const char *)text))
        fail_msg("taken, but not valid: %s", (const char *)text);
    comparison->refused += !read;
    comparison->valid += valid;
    xmlFree(text);
}

static void change_attribute(struct comparison *comparison, xmlNodePtr node, xmlAttrPtr attribute) {
    xmlChar *name = xmlStrdup(attribute->name), *value = xmlGetProp(node, name);
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        xmlSetProp(node, name, (const xmlChar *)values[v]);
        compare(comparison);
    }
    xmlUnsetProp(node, name);
    compare(comparison);
    xmlSetProp(node, name, value);
    xmlFree(name);
    xmlFree(value);
}

/** Inserts a node before another one, or at the end; compares; and removes the node. */
static void add(struct comparison *comparison, xmlNodePtr parent, xmlNodePtr before,
                xmlNodePtr added) {
    if (before) {
        xmlAddPrevSibling(before, added);
    } else {
        xmlAddChild(parent, added);
    }
    compare(comparison);
    xmlUnlinkNode(added);
    xmlFreeNode(added);
}

static xmlNodePtr blanks(void) {
    return xmlNewText((const xmlChar *)" \n");
}

/** Inserts a copy of an element, an unknown element, a comment and white space at every place in
 * `node`. libxml2 would join neighbouring texts. */
static void add_all(struct comparison *comparison, xmlNodePtr node, xmlNodePtr from) {
    const bool has_text = node->children && node->children->type == XML_TEXT_NODE;
    for (xmlNodePtr before = node->children;; before = before->next) {
        add(comparison, node, before, xmlCopyNode(from, 1));
        add(comparison, node, before, xmlNewNode(NULL, (const xmlChar *)"other"));
        add(comparison, node, before, xmlNewComment((const xmlChar *)"x"));
        if (!has_text) add(comparison, node, before, blanks());
        if (!has_text) add(comparison, node, before, xmlNewText((const xmlChar *)"x"));
        if (!before) break;
    }
}

static void visit(struct comparison *comparison, xmlNodePtr node,
                  void (*change)(struct comparison *, xmlNodePtr, xmlNodePtr), xmlNodePtr with) {
    xmlNodePtr next;
    if (node->type != XML_ELEMENT_NODE) return;
    for (xmlNodePtr child = node->children; child; child = next) {
        next = child->next;
        visit(comparison, child, change, with);
    }
    change(comparison, node, with);
}

static void put_into_all(struct comparison *comparison, xmlNodePtr node, xmlNodePtr unused) {
    (void)unused;
    visit(comparison, xmlDocGetRootElement(comparison->document), add_all, node);
}

static void change_attributes(struct comparison *comparison, xmlNodePtr node, xmlNodePtr unused) {
    (void)unused;
    int count = 0;
    for (xmlAttrPtr attribute = node->properties; attribute; attribute = attribute->next) count++;
    for (; count > 0; count--)
        change_attribute(comparison, node, node->properties); /* restoring the attribute moves it to
                                                                 the end of the list */
    xmlSetProp(node, (const xmlChar *)"other", (const xmlChar *)"");
    compare(comparison);
    xmlUnsetProp(node, (const xmlChar *)"other");
}

static void leave_out(struct comparison *comparison, xmlNodePtr node, xmlNodePtr unused) {
    (void)unused;
    xmlNodePtr parent = node->parent, next = node->next;
    if ((void *)parent == comparison->document) return;
    xmlUnlinkNode(node);
    compare(comparison);
    if (next) {
        xmlAddPrevSibling(next, node);
    } else {
        xmlAddChild(parent, node);
    }
}

static xmlRelaxNGPtr load_published(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/../%s", TCPLAN_TESTS_DIR, name);
    xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewParserCtxt(path);
    assert_non_null(parser);
    xmlRelaxNGPtr schema = xmlRelaxNGParse(parser);
    xmlRelaxNGFreeParserCtxt(parser);
    assert_non_null(schema);
    return schema;
}

static void change_everything(struct comparison comparison, const char *published, const char *text,
                              size_t length) {
    comparison.published = load_published(published);
    comparison.document = xmlReadMemory(text, (int)length, NULL, NULL, XML_PARSE_NONET);
    assert_non_null(comparison.document);
    compare(&comparison);
    assert_int_equal(comparison.valid, 1);
    xmlNodePtr root = xmlDocGetRootElement(comparison.document);
    visit(&comparison, root, change_attributes, NULL);
    visit(&comparison, root, leave_out, NULL);
    visit(&comparison, root, put_into_all, NULL);
    assert_true(comparison.refused > 500 && comparison.valid > 200);
    xmlFreeDoc(comparison.document);
    xmlRelaxNGFree(comparison.published);
}

static void libraries_are_read_by_their_published_schema(void **state) {
    (void)state;
    const struct comparison comparison = {.tables = &schema_library, .is_taken = library_is_taken};
    change_everything(comparison, "contractions/schemas/library.rng", library_text,
                      sizeof library_text - 1);
}

static void results_are_read_by_their_published_schema(void **state) {
    (void)state;
    const struct comparison comparison = {.tables = &schema_results, .is_taken = results_are_taken};
    change_everything(comparison, "contractions/schemas/results.rng", results_text,
                      sizeof results_text - 1);
}

static void experiments_are_read_by_their_published_schema(void **state) {
    (void)state;
    const struct comparison comparison = {.tables = &schema_experiment,
                                          .is_taken = experiment_is_taken};
    change_everything(comparison, "docs/schema/experiment.rng", experiment_text,
                      sizeof experiment_text - 1);
}

static void blocked_algorithms_are_read_by_their_published_schema(void **state) {
    (void)state;
    const struct comparison comparison = {.tables = &schema_algorithms,
                                          .is_taken = algorithms_are_taken};
    change_everything(comparison, "docs/schema/blocked.rng", algorithms_text,
                      sizeof algorithms_text - 1);
}

static void reports_of_experiments_are_read_by_their_published_schema(void **state) {
    (void)state;
    const struct comparison comparison = {.tables = &schema_experiment_report,
                                          .is_taken = report_is_taken};
    change_everything(comparison, "docs/schema/experiment-report.rng", report_text,
                      sizeof report_text - 1);
}

static bool has_attribute(const struct schema_element *element, const char *name) {
    const struct schema_attribute *attribute = element->attribute;
    while (attribute->name && strcmp(attribute->name, name) != 0) attribute++;
    return attribute->name != NULL;
}

static void every_field_is_an_attribute(void **state) {
    static const struct {
        const char *element;
        const struct tcplan_field *fields;
    } records[] = {{"result", tcplan_result_fields},
                   {"algorithm", tcplan_algorithm_fields},
                   {"provenance", tcplan_provenance_fields}};
    (void)state;
    for (size_t r = 0; r < sizeof records / sizeof *records; r++) {
        const struct schema_element *element =
            schema_find_element(&schema_results, records[r].element);
        for (const struct tcplan_field *field = records[r].fields; field->name; field++) {
            if ((field->formats & TCPLAN_FIELD_XML) && !has_attribute(element, field->name))
                fail_msg("no attribute %s", field->name);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_are_read_by_their_published_schema),
        cmocka_unit_test(results_are_read_by_their_published_schema),
        cmocka_unit_test(experiments_are_read_by_their_published_schema),
        cmocka_unit_test(blocked_algorithms_are_read_by_their_published_schema),
        cmocka_unit_test(reports_of_experiments_are_read_by_their_published_schema),
        cmocka_unit_test(every_field_is_an_attribute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
