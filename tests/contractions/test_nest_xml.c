#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "tcplan/sizes.h"
#include "tcplan/xml.h"

/** Appends the text to a strbuf; a tcplan_write_fn. */
static bool collect(void *context, const char *text, size_t length) {
    strbuf_add(context, "%.*s", (int)length, text);
    return true;
}

static bool refuse(void *context, const char *text, size_t length) {
    (void)context;
    (void)text;
    (void)length;
    return false;
}

static struct tcplan_xml *new_document(tcplan_write_fn *write, void *context) {
    struct tcplan_xml *xml = NULL;
    assert_int_equal(tcplan_xml_new(&xml, write, context, NULL), TCPLAN_OK);
    return xml;
}

static xmlDocPtr read_back(struct strbuf *text) {
    char *content = strbuf_finish(text);
    assert_non_null(content);
    xmlDocPtr document =
        xmlReadMemory(content, (int)strlen(content), "test.xml", NULL, XML_PARSE_NONET);
    assert_non_null(document);
    free(content);
    return document;
}

/** Checks the string value of an XPath expression. */
static void assert_xpath(xmlDocPtr document, const char *expression, const char *expected) {
    xmlXPathContextPtr context = xmlXPathNewContext(document);
    xmlXPathObjectPtr object = xmlXPathEvalExpression((const xmlChar *)expression, context);
    assert_non_null(object);
    xmlChar *found = xmlXPathCastToString(object);
    if (strcmp((const char *)found, expected) != 0)
        fail_msg("%s: expected '%s', found '%s'", expression, expected, (const char *)found);
    xmlFree(found);
    xmlXPathFreeObject(object);
    xmlXPathFreeContext(context);
}

/* A nest and its XML document. */

struct sample {
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    struct tcplan_nest *nest;
};

static struct sample sample_of(const char *contraction, enum tcplan_order order,
                               const char *sizes_text, const char *name) {
    struct sample sample;
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_algorithm algorithm;
    int64_t extent[TCPLAN_MAX_INDICES];
    assert_int_equal(tcplan_contraction_parse(&sample.contraction, contraction, order, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_sizes_parse(&sizes, sample.contraction, sizes_text, NULL), TCPLAN_OK);
    tcplan_sizes_point(sizes, 0, extent);
    tcplan_sizes_free(sizes);
    assert_int_equal(
        tcplan_problem_init(&sample.problem, sample.contraction, extent, TCPLAN_DOUBLE, NULL),
        TCPLAN_OK);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, sample.contraction, TCPLAN_DOUBLE, name, NULL),
        TCPLAN_OK);
    assert_int_equal(tcplan_nest_build(&sample.nest, sample.contraction, &algorithm, NULL),
                     TCPLAN_OK);
    return sample;
}

static xmlDocPtr document_of(const struct sample *sample, bool sized) {
    struct strbuf text = {0};
    struct tcplan_xml *xml = new_document(collect, &text);
    tcplan_xml_nest(xml, sample->nest, sized ? &sample->problem : NULL, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_xml_finish(xml, NULL), TCPLAN_OK);
    return read_back(&text);
}

static void free_sample(struct sample *sample, xmlDocPtr document) {
    xmlFreeDoc(document);
    tcplan_nest_free(sample->nest);
    tcplan_contraction_free(sample->contraction);
}

static void loops_are_nested_and_the_kernel_is_innermost(void **state) {
    (void)state;
    struct sample sample =
        sample_of("C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=2,b=3,c=5,i=7", "cb-dgemv");
    xmlDocPtr document = document_of(&sample, true);
    assert_xpath(document, "/nest/loop/@index", "c");
    assert_xpath(document, "/nest/loop/@extent", "5");
    assert_xpath(document, "/nest/loop/loop/@index", "b");
    assert_xpath(document, "/nest/loop/loop/kernel/@name", "dgemv");
    assert_xpath(document, "//kernel/@transposition", "N");
    assert_xpath(document, "count(//slice)", "3");
    free_sample(&sample, document);
}

static void slices_contain_extents_and_strides(void **state) {
    (void)state;
    struct sample sample =
        sample_of("C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=2,b=3,c=5,i=7", "b-dgemm");
    xmlDocPtr document = document_of(&sample, true);
    assert_xpath(document, "//slice[@role='result']/@text", "C[:,b,:]");
    assert_xpath(document, "//slice[@role='result']/dimension[1]/@stride", "1");
    assert_xpath(document, "//slice[@role='result']/dimension[2]/@index", "c");
    assert_xpath(document, "//slice[@role='result']/dimension[2]/@extent", "5");
    assert_xpath(document, "//slice[@role='result']/dimension[2]/@stride", "6");
    assert_xpath(document, "//slice[@role='left']/@tensor", "A");
    assert_xpath(document, "//slice[@role='left']/@transposed", "false");
    free_sample(&sample, document);
}

static void conjugated_slices_say_so(void **state) {
    (void)state;
    struct sample sample =
        sample_of("C_ab=A_ai*conj(B)_ib+conj(C)_ab", TCPLAN_COLUMN_MAJOR, "a=2,b=3,i=7", "'dgemm");
    xmlDocPtr document = document_of(&sample, true);
    assert_xpath(document, "//copy/slice[@role='from']/@conjugated", "true");
    assert_xpath(document, "//scale/slice/@conjugated", "true");
    assert_xpath(document, "count(//slice[@conjugated])", "2");
    free_sample(&sample, document);
    sample = sample_of("C_ab=A_ai*conj(B)_bi", TCPLAN_COLUMN_MAJOR, "a=2,b=3,i=7", "dgemm");
    document = document_of(&sample, true);
    assert_xpath(document, "//kernel/@transposition", "NC");
    assert_xpath(document, "//slice[@role='right']/@conjugated", "true");
    free_sample(&sample, document);
}

static void strides_follow_the_storage_order(void **state) {
    (void)state;
    struct sample sample =
        sample_of("C_abc=A_ai*B_ibc", TCPLAN_ROW_MAJOR, "a=2,b=3,c=5,i=7", "b-dgemm");
    xmlDocPtr document = document_of(&sample, true);
    assert_xpath(document, "//slice[@role='result']/dimension[@index='a']/@stride", "15");
    assert_xpath(document, "//slice[@role='result']/dimension[@index='c']/@stride", "1");
    free_sample(&sample, document);
}

static void without_sizes_extents_and_strides_are_left_out(void **state) {
    (void)state;
    struct sample sample =
        sample_of("C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=2,b=3,c=5,i=7", "c-dgemm");
    xmlDocPtr document = document_of(&sample, false);
    assert_xpath(document, "count(//@extent) + count(//@stride)", "0");
    assert_xpath(document, "count(//dimension)", "6");
    free_sample(&sample, document);
}

static void tiles_contain_steps_and_points(void **state) {
    (void)state;
    struct sample sample =
        sample_of("C_abc=A_bda*B_dc", TCPLAN_COLUMN_MAJOR, "a=20,b=3,c=5,d=7", "a:8'Cs.a-dgemm");
    xmlDocPtr document = document_of(&sample, true);
    assert_xpath(document, "/nest/loop/@index", "a");
    assert_xpath(document, "/nest/loop/@step", "8");
    assert_xpath(document, "/nest/loop/@extent", "3");
    assert_xpath(document, "/nest/loop/loop/@index", "a");
    assert_xpath(document, "/nest/loop/loop/@tile", "8");
    assert_xpath(document, "/nest/loop/loop/@extent", "8");
    assert_xpath(document, "//kernel/slice[@role='result']/@text", "C~[:b,:c,a']");
    assert_xpath(document, "//kernel/@beta", "0");
    assert_xpath(document, "count(//@where)", "0");
    assert_xpath(document, "//copy/@stores", "streamed");
    assert_xpath(document, "//copy/slice[@role='to']/@text", "C[a:a+7,:,:]");
    assert_xpath(document, "//copy/slice[@role='to']/dimension[@tile='8']/@stride", "1");
    assert_xpath(document, "//copy/slice[@role='from']/dimension[3]/@index", "a");
    assert_xpath(document, "//copy/slice[@role='from']/dimension[3]/@stride", "15");
    free_sample(&sample, document);
}

static void fused_dimensions_are_one_of_a_matrix(void **state) {
    (void)state;
    struct sample sample =
        sample_of("C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=2,b=3,c=5,i=7", "dgemm@libxsmm");
    xmlDocPtr document = document_of(&sample, true);
    assert_xpath(document, "/nest/kernel/@transposition", "NN");
    assert_xpath(document, "/nest/kernel/@provider", "libxsmm");
    assert_xpath(document, "//slice[@role='right']/@transposed", "false");
    assert_xpath(document, "count(//slice[@role='right']/dimension)", "3");
    free_sample(&sample, document);
}

static void contracted_loops_decide_where_beta_is_applied(void **state) {
    (void)state;
    struct sample sample = sample_of("C_abc=A_ija*B_jbic+3*C_abc", TCPLAN_COLUMN_MAJOR,
                                     "a=2,b=3,c=5,i=7,j=8", "i:4='AC.i=.c-dgemm");
    xmlDocPtr document = document_of(&sample, false);
    assert_xpath(document, "//kernel/@beta", "0");
    assert_xpath(document, "//kernel/@where", "i' = i");
    assert_xpath(document, "//copy[slice/@tensor='C']/@beta", "3");
    assert_xpath(document, "//copy[slice/@tensor='C']/@where", "i = 1");
    free_sample(&sample, document);
}

static void a_copy_has_slices_to_and_from(void **state) {
    (void)state;
    struct sample sample =
        sample_of("C_a=A_iaj*B_ji", TCPLAN_COLUMN_MAJOR, "a=2,i=3,j=5", "i'-dgemv");
    xmlDocPtr document = document_of(&sample, true);
    assert_xpath(document, "//loop[@index='i']/copy/slice[@role='to']/@temporary", "true");
    assert_xpath(document, "//copy/slice[@role='to']/@text", "A~[:,:]");
    assert_xpath(document, "//copy/slice[@role='to']/dimension[@index='j']/@stride", "2");
    assert_xpath(document, "//copy/slice[@role='from']/@text", "A[i,:,:]");
    assert_xpath(document, "//copy/slice[@role='from']/dimension[@index='j']/@stride", "6");
    assert_xpath(document, "//kernel/slice[@tensor='A']/@temporary", "true");
    free_sample(&sample, document);
}

static void a_copy_lists_its_summed_indices(void **state) {
    (void)state;
    struct sample sample =
        sample_of("C_ab=A_iaj*B_b", TCPLAN_COLUMN_MAJOR, "a=2,b=4,i=3,j=5", "'b-daxpy");
    xmlDocPtr document = document_of(&sample, true);
    assert_xpath(document, "/nest/copy/@summed", "i,j");
    assert_xpath(document, "//copy/slice[@role='to']/@text", "A~[:]");
    assert_xpath(document, "//copy/slice[@role='from']/@text", "A[:,:,:]");
    assert_xpath(document, "//copy/slice[@role='from']/dimension[@index='j']/@stride", "6");
    free_sample(&sample, document);
}

static void a_kernel_lists_its_summed_steps(void **state) {
    (void)state;
    struct sample sample = sample_of("C_ab=A_aij*B_ijb", TCPLAN_COLUMN_MAJOR, "a=2,b=4,i=6,j=5",
                                     "'B.j+.i:3+-dbrgemm@libxsmm");
    xmlDocPtr document = document_of(&sample, true);
    assert_xpath(document, "//kernel/@summed", "j,i:3");
    assert_xpath(document, "//kernel/slice[@tensor='A']/@text", "A[:,i:i+2,j]");
    assert_xpath(document, "//kernel/slice[@tensor='A']/dimension[@index='i']/@tile", "3");
    assert_xpath(document, "//kernel/slice[@tensor='A']/dimension[@index='i']/@extent", "3");
    assert_xpath(document, "//kernel/slice[@tensor='B']/@text", "B~[:i',:b,i,j]");
    free_sample(&sample, document);
}

static void scaling_and_factors_are_written(void **state) {
    (void)state;
    struct sample sample =
        sample_of("C_ab=0.5*A_ai*B_ib+2*C_ab", TCPLAN_COLUMN_MAJOR, "a=b=i=3", "i-dger");
    xmlDocPtr document = document_of(&sample, true);
    assert_xpath(document, "/nest/scale/@beta", "2");
    assert_xpath(document, "/nest/scale/slice/@role", "result");
    assert_xpath(document, "//kernel/@alpha", "0.5");
    assert_xpath(document, "count(//kernel/@beta)", "0");
    free_sample(&sample, document);
}

static void the_dimensions_of_a_diagonal_are_one(void **state) {
    (void)state;
    struct sample sample = sample_of("C_a=A_aai*B_i", TCPLAN_COLUMN_MAJOR, "a=3,i=5", "i-daxpy");
    xmlDocPtr document = document_of(&sample, true);
    assert_xpath(document, "count(//slice[@tensor='A']/dimension)", "1");
    assert_xpath(document, "//slice[@tensor='A']/dimension/@stride", "4");
    free_sample(&sample, document);
}

/* Documents in general. */

static void attributes_survive_whatever_they_hold(void **state) {
    (void)state;
    struct strbuf text = {0};
    struct tcplan_xml *xml = new_document(collect, &text);
    tcplan_xml_begin(xml, "machine");
    tcplan_xml_text(xml, "cpu", "<\"A&B\"> \xc2\xb5 \x01 \xff");
    tcplan_xml_integer(xml, "memory", INT64_MIN);
    tcplan_xml_number(xml, "tenth", 0.1);
    assert_int_equal(tcplan_xml_finish(xml, NULL), TCPLAN_OK);
    xmlDocPtr document = read_back(&text);
    assert_xpath(document, "/machine/@cpu", "<\"A&B\"> \xc2\xb5 ? ?");
    assert_xpath(document, "/machine/@memory", "-9223372036854775808");
    assert_xpath(document, "/machine/@tenth", "0.1");
    xmlFreeDoc(document);
}

static void a_refusing_receiver_is_the_environments_failure(void **state) {
    (void)state;
    struct tcplan_error error = {0};
    struct tcplan_xml *xml = new_document(refuse, NULL);
    for (int i = 0; i < 10000; i++) {
        tcplan_xml_begin(xml, "element");
        tcplan_xml_end(xml);
    }
    assert_int_equal(tcplan_xml_finish(xml, &error), TCPLAN_ENVIRONMENT);
    assert_int_equal(error.status, TCPLAN_ENVIRONMENT);
}

static void running_out_of_memory_is_reported(void **state) {
    (void)state;
    struct tcplan_xml *xml = NULL;
    base_alloc_fail_after(0);
    assert_int_equal(tcplan_xml_new(&xml, refuse, NULL, NULL), TCPLAN_NO_MEMORY);
    base_alloc_fail_after(-1);
    struct strbuf text = {0};
    xml = new_document(collect, &text);
    tcplan_xml_begin(xml, "element");
    base_alloc_fail_after(0);
    tcplan_xml_text(xml, "attribute", "value");
    base_alloc_fail_after(-1);
    assert_int_equal(tcplan_xml_finish(xml, NULL), TCPLAN_NO_MEMORY);
    strbuf_free(&text);
}

static void no_document_is_fine_to_finish(void **state) {
    (void)state;
    assert_int_equal(tcplan_xml_finish(NULL, NULL), TCPLAN_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_nested_and_the_kernel_is_innermost),
        cmocka_unit_test(slices_contain_extents_and_strides),
        cmocka_unit_test(conjugated_slices_say_so),
        cmocka_unit_test(strides_follow_the_storage_order),
        cmocka_unit_test(without_sizes_extents_and_strides_are_left_out),
        cmocka_unit_test(tiles_contain_steps_and_points),
        cmocka_unit_test(fused_dimensions_are_one_of_a_matrix),
        cmocka_unit_test(contracted_loops_decide_where_beta_is_applied),
        cmocka_unit_test(a_copy_has_slices_to_and_from),
        cmocka_unit_test(a_copy_lists_its_summed_indices),
        cmocka_unit_test(a_kernel_lists_its_summed_steps),
        cmocka_unit_test(scaling_and_factors_are_written),
        cmocka_unit_test(the_dimensions_of_a_diagonal_are_one),
        cmocka_unit_test(attributes_survive_whatever_they_hold),
        cmocka_unit_test(a_refusing_receiver_is_the_environments_failure),
        cmocka_unit_test(running_out_of_memory_is_reported),
        cmocka_unit_test(no_document_is_fine_to_finish),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xmlCleanupParser();
    return failed;
}
