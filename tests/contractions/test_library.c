#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "support/memory_source.h"
#include "tcplan/library.h"

static const struct tcplan_library_options defaults = {.dtype = TCPLAN_DOUBLE, .threads = 1};

/** Returns all entries of a library, one a line: `group/name[class] formula sizes type threads
 * order (source)`, or `! message` if the library is invalid. */
static char *entries_of(struct memory_source source, const struct tcplan_library_options *options,
                        enum tcplan_status *status, struct tcplan_error *error) {
    struct tcplan_library *library = NULL;
    const struct tcplan_library_entry *entry = NULL;
    struct strbuf out = {0};
    *status = tcplan_library_from(&library, memory_source_read, &source, "folder/test.xml", options,
                                  error);
    while (*status == TCPLAN_OK) {
        *status = tcplan_library_next(library, &entry, error);
        if (*status != TCPLAN_OK || !entry) break;
        strbuf_add(&out, "%s/%s[%s] %s %s %c %d %d (%s)%s%s\n", entry->group, entry->name,
                   entry->size_class, entry->formula, entry->sizes,
                   tcplan_dtype_letter(entry->dtype), entry->threads, (int)entry->order,
                   entry->source, entry->fault ? " ! " : "",
                   entry->fault ? entry->fault->message : "");
        assert_string_equal(entry->library, "test.xml");
        assert_int_equal(strlen(entry->id), 16);
        assert_true((entry->fault == NULL) == (entry->contraction != NULL));
    }
    tcplan_library_close(library);
    return strbuf_finish(&out);
}

static void assert_entries(const char *text, const char *expected) {
    enum tcplan_status status;
    struct tcplan_error error = {0};
    char *found = entries_of(memory_source_of(text), &defaults, &status, &error);
    if (status != TCPLAN_OK) fail_msg("refused: %s", error.message);
    assert_string_equal(found, expected);
    free(found);
}

/** Checks that a library is refused with a message that contains `reason` and names the line. */
static void assert_refused(struct memory_source source, size_t line, const char *reason) {
    enum tcplan_status status;
    struct tcplan_error error = {0};
    free(entries_of(source, &defaults, &status, &error));
    assert_int_equal(status, TCPLAN_INVALID);
    if (!strstr(error.message, reason))
        fail_msg("expected '%s', found '%s'", reason, error.message);
    if (error.line != line)
        fail_msg("expected line %zu, found %zu: %s", line, error.line, error.message);
    assert_non_null(strstr(error.message, "test.xml:"));
}

#define LIBRARY(content) "<library format=\"1\">\n" content "</library>\n"
#define CONTRACTION "<contraction name=\"c\" formula=\"C_ab=A_ai*B_ib\">"

/* XML. */

static void every_point_type_and_number_of_threads_is_an_entry(void **state) {
    (void)state;
    assert_entries(
        LIBRARY(
            "<contraction name=\"c\" formula=\"ai,ib->ab\" types=\"d z\"><sizes threads=\"1 2\">a=1:2:1,b=3,i=4</sizes>"
            "</contraction>\n"),
        "/c[] C_ab=A_ai*B_ib a=1,b=3,i=4 d 1 0 ()\n"
        "/c[] C_ab=A_ai*B_ib a=2,b=3,i=4 d 1 0 ()\n"
        "/c[] C_ab=A_ai*B_ib a=1,b=3,i=4 z 1 0 ()\n"
        "/c[] C_ab=A_ai*B_ib a=2,b=3,i=4 z 1 0 ()\n"
        "/c[] C_ab=A_ai*B_ib a=1,b=3,i=4 d 2 0 ()\n"
        "/c[] C_ab=A_ai*B_ib a=2,b=3,i=4 d 2 0 ()\n"
        "/c[] C_ab=A_ai*B_ib a=1,b=3,i=4 z 2 0 ()\n"
        "/c[] C_ab=A_ai*B_ib a=2,b=3,i=4 z 2 0 ()\n");
}

static void settings_and_sources_are_passed_on(void **state) {
    (void)state;
    assert_entries(
        "<library format=\"1\" types=\"s\" order=\"row-major\"><title>T</title><source>outer\n   one</source><comment/>"
        "<group name=\"g\" threads=\"3\"><source href=\"http://x/\"/>" CONTRACTION
        "<sizes class=\"small\">a=b=i=2</sizes><sizes types=\"c\" order=\"column-major\">a=b=i=2</sizes></contraction></group>" CONTRACTION
        "<source>own</source><sizes>a=b=i=2</sizes></contraction>"
        "<contraction name=\"d\" formula=\"a,a->a\"><sizes> a = \n 7 </sizes></contraction></library>",
        "g/c[small] C_ab=A_ai*B_ib a=2,b=2,i=2 s 3 1 (http://x/)\n"
        "g/c[] C_ab=A_ai*B_ib a=2,b=2,i=2 c 3 0 (http://x/)\n"
        "/c[] C_ab=A_ai*B_ib a=2,b=2,i=2 s 1 1 (own)\n"
        "/d[] C_a=A_a*B_a a=7 s 1 1 (outer one)\n");
}

static void faults_of_contractions_and_sizes_leave_the_rest_alone(void **state) {
    (void)state;
    assert_entries(
        LIBRARY(
            "<contraction name=\"c\" formula=\"C_abx=A_ai*B_ib\"><sizes>a=1</sizes></contraction>" CONTRACTION
            "<sizes>a=1,b=2</sizes><sizes>a=99999999999999999999,b=1,i=1</sizes><sizes>a=b=1:2000:1,i=1:1000:1</sizes>"
            "<sizes>a=b=2147483647,i=2147483647</sizes><sizes>a=1,b=1,i=1</sizes></contraction>"),
        "/c[] C_abx=A_ai*B_ib a=1 d 1 0 () ! index 'x' of the result appears in neither 'A' nor 'B'\n"
        "/c[] C_ab=A_ai*B_ib a=1,b=2 d 1 0 () ! no extent for index i; expected one for every index\n"
        "/c[] C_ab=A_ai*B_ib a=99999999999999999999,b=1,i=1 d 1 0 () ! '99999999999999999999' exceeds the largest BLAS integer, 2147483647\n"
        "/c[] C_ab=A_ai*B_ib a=b=1:2000:1,i=1:1000:1 d 1 0 () ! a sweep of 2000000 points, expected at most 1000000\n"
        "/c[] C_ab=A_ai*B_ib a=b=2147483647,i=2147483647 d 1 0 () ! tensor A has 2147483647*2147483647 elements of 8 bytes: its "
        "bytes or strides exceed 9223372036854775807\n"
        "/c[] C_ab=A_ai*B_ib a=1,b=1,i=1 d 1 0 ()\n");
}

static void an_empty_library_has_no_entries(void **state) {
    (void)state;
    assert_entries(LIBRARY(""), "");
    assert_entries("\n  \t\n# nothing\n", "");
    assert_entries("", "");
}

static void ids_are_stable_and_tell_entries_apart(void **state) {
    (void)state;
    struct memory_source source =
        memory_source_of("x | ab | ai | ib | a=1:3:1 b=1 i=1\nx | ab | ai | ib | a=1 b=1 i=1\n");
    struct tcplan_library *library = NULL;
    const struct tcplan_library_entry *entry = NULL;
    char id[4][TCPLAN_RESULT_ID_SIZE];
    assert_int_equal(
        tcplan_library_from(&library, memory_source_read, &source, "a/b/list", &defaults, NULL),
        TCPLAN_OK);
    for (int e = 0; e < 4; e++) {
        assert_int_equal(tcplan_library_next(library, &entry, NULL), TCPLAN_OK);
        memcpy(id[e], entry->id, sizeof id[e]);
    }
    tcplan_library_close(library);
    assert_string_equal(id[0], "5f99c29e27bed43f"); /* stored results refer to this id */
    assert_string_equal(id[0], id[3]);
    assert_string_not_equal(id[0], id[1]);
    assert_string_not_equal(id[1], id[2]);
}

/* Hostile XML. */

static void files_and_lines_of_tccg_are_read(void **state) {
    (void)state;
    assert_entries(
        "C[a,b,i,j] = A[i,m,a] * B[m,j,b]\na = 24\nb = 23 # a comment\n\ni = 22\nj = 21\nm = 20\n"
        "C[a] = A[a,k] * B[k]\na=3\nk=4\n"
        "abc-bda-dc & a:312,b:312,c:24,d:312;\n"
        "ab-ak-kb & a:2,b:3,k:4,;\n"
        "named | ab | ai | ib | a=2 b=3 i=4\n",
        "/line1[] C_abij=A_ima*B_mjb a=24,b=23,i=22,j=21,m=20 d 1 0 ()\n"
        "/line8[] C_a=A_ak*B_k a=3,k=4 d 1 0 ()\n"
        "/line11[] C_abc=A_bda*B_dc a=312,b=312,c=24,d=312 d 1 0 ()\n"
        "/line12[] C_ab=A_ak*B_kb a=2,b=3,k=4 d 1 0 ()\n"
        "/named[] C_ab=A_ai*B_ib a=2,b=3,i=4 d 1 0 ()\n");
}

static void faults_of_tccg_lines_are_named(void **state) {
    (void)state;
    char *found = NULL;
    enum tcplan_status status;
    struct tcplan_error error = {0};
    found = entries_of(
        memory_source_of("ab-ak & a:2,b:3;\nab-ak-kb & a:2;\nC[a,b] = A[a,k] * B[k,b]\na = 2\n"),
        &defaults, &status, &error);
    assert_int_equal(status, TCPLAN_OK);
    assert_non_null(strstr(found, "expected C-A-B & SIZES"));
    assert_non_null(strstr(found, "/line2[]"));
    assert_non_null(strstr(found, "/line3[]"));
    free(found);
}

/** The XML parser compares each attribute of an element with all others. A hundred thousand
 * attributes would take seconds, so a limit applies. */
static void elements_of_very_many_attributes_are_refused(void **state) {
    struct strbuf text = {0};
    (void)state;
    strbuf_add(&text, "<library format=\"1\"\n");
    for (int a = 0; a < 100000; a++) strbuf_add(&text, " a%d=''", a);
    strbuf_add(&text, ">\n</library>\n");
    char *document = strbuf_finish(&text);
    assert_non_null(document);
    assert_refused(memory_source_of(document), 1, "expected at most 1024 attributes in an element");
    free(document);
}

static void signs_of_equality_elsewhere_are_no_attributes(void **state) {
    struct strbuf text = {0};
    (void)state;
    strbuf_add(&text, "<library format=\"1\"><!-- > <a \" -->\n<!--");
    for (int a = 0; a < 2000; a++) strbuf_add(&text, "=");
    strbuf_add(&text, "-->\n</library>\n");
    char *document = strbuf_finish(&text);
    assert_non_null(document);
    assert_entries(document, "");
    free(document);
}

static void malformed_xml_is_refused_with_its_line(void **state) {
    (void)state;
    assert_refused(memory_source_of("<library format=\"1\">\n<group name=\"g\">\n"), 2,
                   "truncated");
    assert_refused(memory_source_of("<library format=\"1\">\n<group name=\"g\">\n</library>\n"), 3,
                   "mismatch");
    assert_refused(memory_source_of("<library format=\"1\">\n</library>\n<library/>\n"), 3,
                   "Extra content");
    assert_refused(
        memory_source_of("<library format=\"1\">\n" CONTRACTION "\n<sizes>a=1 & b=2</sizes>"), 3,
        "xmlParseEntityRef");
    assert_refused(memory_source_of("<library format=\"1\"\n\nformat=\"1\"></library>"), 3,
                   "redefined");
    assert_refused(memory_source_of("<"), 1, "");
    assert_refused(memory_source_of("<?xml"), 1, "");
    assert_refused(memory_source_of("<!-- never ends"), 1, "");
}

static void invalid_xml_is_refused_with_its_line(void **state) {
    (void)state;
    assert_refused(memory_source_of("<libary format=\"1\"/>"), 1, "libary");
    assert_refused(memory_source_of("<library/>"), 1, "library");
    assert_refused(memory_source_of("<library format=\"2\"/>"), 1, "format");
    assert_refused(
        memory_source_of(LIBRARY("\n<contraction name=\"c\">\n<sizes>a=1</sizes></contraction>")),
        3, "contraction");
    assert_refused(memory_source_of(LIBRARY("\n\n" CONTRACTION "</contraction>")), 4,
                   "contraction");
    assert_refused(memory_source_of(LIBRARY("<group name=\"g\">\n<group name=\"h\"/></group>")), 3,
                   "group");
    assert_refused(
        memory_source_of(LIBRARY(CONTRACTION "\n<sizes types=\"q\">a=1</sizes></contraction>")), 3,
        "types");
    assert_refused(
        memory_source_of(LIBRARY(CONTRACTION "\n<sizes threads=\"0\">a=1</sizes></contraction>")),
        3, "threads");
    assert_refused(memory_source_of(LIBRARY(
                       CONTRACTION "\n<sizes threads=\"99999999999\">a=1</sizes></contraction>")),
                   3, "threads");
    assert_refused(
        memory_source_of(LIBRARY("<contraction name=\"a b\" formula=\"\"><sizes/></contraction>")),
        2, "name");
    assert_refused(memory_source_of(LIBRARY("some text")), 2, "library");
}

/** Entities that refer to entities would expand to gigabytes. */
static void document_types_and_entities_are_refused(void **state) {
    (void)state;
    assert_refused(
        memory_source_of(
            "<?xml version=\"1.0\"?>\n<!DOCTYPE library [\n<!ENTITY a \"0123456789\">\n<!ENTITY b \"&a;&a;&a;&a;&a;\">\n"
            "]>\n<library format=\"1\"><title>&b;</title></library>"),
        2, "<!DOCTYPE");
    assert_refused(
        memory_source_of(
            "<!-- x -->\n<?y z?>\n\n<!DOCTYPE library SYSTEM \"http://localhost:1/x.dtd\"><library format=\"1\"/>"),
        4, "<!DOCTYPE");
    assert_refused(
        memory_source_of(
            "<!DOCTYPE library [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><library format=\"1\"/>"),
        1, "<!DOCTYPE");
    assert_refused(memory_source_of(LIBRARY("<title>\n&bomb;</title>")), 3, "'bomb' not defined");
    assert_refused(memory_source_of(LIBRARY("\n<contraction name=\"&bomb;\" formula=\"\"/>")), 3,
                   "'bomb' not defined");
}

static void other_encodings_are_refused(void **state) {
    (void)state;
    const char utf16[] = "<\0l\0i\0b\0r\0a\0r\0y\0/\0>\0";
    const char marked[] = "\xff\xfe<\0l\0/\0>\0";
    assert_refused((struct memory_source){.text = utf16, .length = sizeof utf16 - 1}, 1, "UTF-8");
    assert_refused((struct memory_source){.text = marked, .length = sizeof marked - 1}, 1, "");
    assert_refused(memory_source_of(
                       "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<library format=\"1\"/>"),
                   1, "'ISO-8859-1'");
    assert_refused(
        memory_source_of("\n<?xml version='1.0' encoding='UTF-7'?>\n<library format='1'/>"), 2,
        "'UTF-7'");
    assert_refused(memory_source_of(LIBRARY("<title>\n\xff\xfe</title>")), 3, "UTF-8");
    assert_refused(memory_source_of(LIBRARY("<title>\n\x01</title>")), 3, "");
    assert_entries(
        "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"utf-8\"?><library format=\"1\"><title>\xc3\xa4</title></library>",
        "");
    assert_entries("\xef\xbb\xbf# a list\n", "");
}

/** A document of opening tags only is nested as deeply as it is long. */
static void depth_and_size_are_limited(void **state) {
    (void)state;
    enum { DEPTH = 20000, LONG = 70000 };
    struct strbuf deep = {0}, prolog = {0};
    strbuf_add(&deep, "<library format=\"1\">\n");
    for (int d = 0; d < DEPTH; d++) strbuf_add(&deep, "<group name=\"g\">");
    assert_refused(memory_source_of(deep.text), 2, "");
    strbuf_add(&prolog, "<!--");
    strbuf_fill(&prolog, 'x', LONG);
    strbuf_add(&prolog, "--><library format=\"1\"/>");
    assert_refused(memory_source_of(prolog.text), 1, "first 65536 bytes");
    strbuf_free(&deep);
    strbuf_free(&prolog);
}

/** Line numbers above 65535, which libxml2 does not store in its nodes. */
static void lines_are_right_in_long_documents(void **state) {
    (void)state;
    enum { LINES = 70000 };
    struct strbuf text = {0};
    strbuf_add(&text, "<library format=\"1\">\n");
    strbuf_fill(&text, '\n', LINES);
    strbuf_add(&text, "<grup/>\n</library>\n");
    assert_refused(memory_source_of(text.text), LINES + 2, "grup");
    strbuf_free(&text);
}

static void pieces_of_any_length_read_the_same(void **state) {
    (void)state;
    const char *text = "<?xml version=\"1.0\"?><!-- c --><library format=\"1\">" CONTRACTION
                       "<sizes>a=b=i=2</sizes></contraction></library>";
    for (size_t piece = 1; piece < 9; piece++) {
        enum tcplan_status status;
        struct tcplan_error error = {0};
        struct memory_source source = memory_source_of(text);
        source.piece = piece;
        char *found = entries_of(source, &defaults, &status, &error);
        assert_int_equal(status, TCPLAN_OK);
        assert_string_equal(found, "/c[] C_ab=A_ai*B_ib a=2,b=2,i=2 d 1 0 ()\n");
        free(found);
    }
}

static ptrdiff_t read_nothing(void *context, char *buffer, size_t size) {
    (void)context;
    (void)buffer;
    (void)size;
    return -1;
}

static void a_failing_source_is_not_an_end(void **state) {
    (void)state;
    struct tcplan_library *library = NULL;
    struct tcplan_error error;
    assert_int_equal(tcplan_library_from(&library, read_nothing, NULL, "pipe", &defaults, &error),
                     TCPLAN_ENVIRONMENT);
    assert_int_equal(tcplan_library_open(&library, "/nowhere/at/all", &defaults, &error),
                     TCPLAN_ENVIRONMENT);
    assert_int_equal(tcplan_library_open(&library, "/", &defaults, &error), TCPLAN_ENVIRONMENT);
    assert_null(library);
}

static void plain_lists_are_read(void **state) {
    (void)state;
    assert_entries(
        "# name | C | A | B | sizes\nintensli0 | abc | bda | dc | a=312 b=312 c=24 d=312 # as in TCCG\r\n"
        "dot||i|i|i=4\n\ts | ab | ai | ib | a = b = 2:4:2  i=3,,",
        "/intensli0[] C_abc=A_bda*B_dc a=312,b=312,c=24,d=312 d 1 0 ()\n"
        "/dot[] C=A_i*B_i i=4 d 1 0 ()\n"
        "/s[] C_ab=A_ai*B_ib a = b = 2:4:2  i=3,, d 1 0 () ! expected an index name or the end, found ','\n");
}

static void einsum_lines_are_read(void **state) {
    (void)state;
    assert_entries(
        "ai,ibc->abc 64,8 8,64,65\nscores: bhqd , bhkd -> bhqk (2, 3, 4, 5) [2,3,6,5]\ndot:i,i->  7 7\nai,i->a 3x4 4\n,a->a () (3,)\n",
        "/line1[] C_abc=A_ai*B_ibc a=64,b=64,c=65,i=8 d 1 0 ()\n"
        "/scores[] C_bhqk=A_bhqd*B_bhkd b=2,h=3,q=4,k=6,d=5 d 1 0 ()\n"
        "/dot[] C=A_i*B_i i=7 d 1 0 ()\n"
        "/line4[] C_a=A_ai*B_i a=3,i=4 d 1 0 ()\n"
        "/line5[] C_a=A*B_a a=3 d 1 0 ()\n");
}

static void einsum_lines_are_read_as_numpy_reads_them(void **state) {
    (void)state;
    assert_entries("jk,ij 3,4 2,3\n...ij , ...jk 5,2,3 (1,3,4)\nx: ...i,...i->... 2x3 2x3\n",
                   "/line1[] C_ik=A_jk*B_ij i=2,k=4,j=3 d 1 0 ()\n"
                   "/line2[] C_aik=A_aij*B_jk a=5,i=2,k=4,j=3 d 1 0 ()\n"
                   "/x[] C_a=A_ai*B_ai a=2,i=3 d 1 0 ()\n");
}

static void lines_of_a_list_may_be_formulas(void **state) {
    (void)state;
    assert_entries("f | C_ab = 0.5*A_ai*B_ib - 2*C_ab | a=2 b=3,i=4\n"
                   "g | C[row]+=A[row,k]*B[k] | row=2:4:2 k=3 | | z row-major\n"
                   "h|ij,jk|i=2 j=3 k=4|s|A=1,9\nplain | ab | ai | ib | a=b=i=2 | c column-major",
                   "/f[] C_ab=0.5*A_ai*B_ib-2*C_ab a=2,b=3,i=4 d 1 0 ()\n"
                   "/g[] C[row]+=A[row,k]*B[k] row=2,k=3 z 1 1 ()\n"
                   "/g[] C[row]+=A[row,k]*B[k] row=4,k=3 z 1 1 ()\n"
                   "/h[] C_ik=A_ij*B_jk i=2,k=4,j=3 s 1 0 ()\n"
                   "/plain[] C_ab=A_ai*B_ib a=2,b=2,i=2 c 1 0 ()\n");
}

static void faulty_lines_leave_the_others_alone(void **state) {
    (void)state;
    assert_entries(
        "x | ab | ai | ib\nx | a1 | ai | ib | a=1\nx|a|b|c|d|e|f|g\nai,ib->ab 2,3 4,5\nai,ib->ab 2 3,5\nai,ib->ab 2,3,4 3,5\n"
        "ai,ib->ab 2,3 3,5 6\nai,ib->ab\nhello\nx|C=A_i*B_i|i=2|q\nx|C=A_i*B_i|i=2|s|d\nx|C=A_i*B_i|i=2|A=2|B=2\n"
        "x|C=A_i*B_i\nx|C=A_i|i=2\nok | a | a | a | a=1\nC=A_i*B_i i=4\n",
        "/line1[] x | ab | ai | ib  d 1 0 () ! expected NAME | FORMULA | SIZES or NAME | C | A | B | SIZES, optionally "
        "followed by | STRIDES | TYPE ORDER WEIGHT, "
        "found 4 parts\n"
        "/x[] C_a1=A_ai*B_ib a=1 d 1 0 () ! expected an index letter, found '1'\n"
        "/line3[] x|a|b|c|d|e|f|g  d 1 0 () ! expected NAME | FORMULA | SIZES or NAME | C | A | B | SIZES, optionally "
        "followed by | STRIDES | TYPE ORDER WEIGHT, found more than 7 parts\n"
        "/line4[] ai,ib->ab 2,3 4,5 d 1 0 () ! expected the extent 3, which index 'i' has already, found 4\n"
        "/line5[] ai,ib->ab 2 3,5 d 1 0 () ! expected 2 extents, one for each index of 'A', found 1\n"
        "/line6[] ai,ib->ab 2,3,4 3,5 d 1 0 () ! expected 2 extents, one for each index of 'A', found 3 (a space ends the extents of a tensor)\n"
        "/line7[] ai,ib->ab 2,3 3,5 6 d 1 0 () ! expected the end after two shapes, found '6'\n"
        "/line8[] ai,ib->ab  d 1 0 () ! expected 2 extents, one for each index of 'A', found 0\n"
        "/line9[] hello  d 1 0 () ! expected an einsum with its shapes, such as ai,ibc->abc 64,8 8,64,64, or NAME | FORMULA | SIZES\n"
        "/x[] C=A_i*B_i i=2 d 1 0 () ! expected strides such as A=1,400, or s, d, c, z, row-major, column-major or a weight such as x12, found 'q'\n"
        "/x[] C=A_i*B_i i=2 s 1 0 () ! expected type, order and weight once\n"
        "/x[] C=A_i*B_i i=2 d 1 0 () ! expected strides once\n"
        "/line13[] x|C=A_i*B_i  d 1 0 () ! expected NAME | FORMULA | SIZES or NAME | C | A | B | SIZES, optionally followed by | STRIDES | TYPE ORDER WEIGHT, "
        "found 2 parts\n"
        "/x[] C=A_i i=2 d 1 0 () ! expected '*' and a second tensor after 'A_i', or the indices of the result 'C': 'i' is none of them\n"
        "/ok[] C_a=A_a*B_a a=1 d 1 0 ()\n"
        "/line16[] C=A_i*B_i i=4  d 1 0 () ! expected bars between the name, the formula and the sizes, such as ring | Z_ab=A_ai*B_ib | a=b=400,i=8\n");
}

static void lines_may_have_weights(void **state) {
    const struct tcplan_library_entry *entry;
    struct tcplan_library *library;
    struct tcplan_error error;
    struct memory_source source = memory_source_of(
        "one|C=A_i*B_i|i=2|x12\ntwo|C=A_i*B_i|i=2|s x3\nthree|C=A_i*B_i|i=2\nbad|C=A_i*B_i|i=2|x0\nbad|C=A_i*B_i|i=2|x1234567890\n");
    static const int64_t weight[] = {12, 3, 1};
    (void)state;
    assert_int_equal(
        tcplan_library_from(&library, memory_source_read, &source, "weights", &defaults, &error),
        TCPLAN_OK);
    for (int e = 0; e < 5; e++) {
        assert_int_equal(tcplan_library_next(library, &entry, &error), TCPLAN_OK);
        if (e < 3) assert_int_equal(entry->weight, weight[e]);
        assert_true((entry->fault != NULL) == (e >= 3));
    }
    tcplan_library_close(library);
}

static void a_format_can_be_demanded(void **state) {
    (void)state;
    struct tcplan_library_options options = defaults;
    enum tcplan_status status;
    struct tcplan_error error = {0};
    options.format = TCPLAN_LIBRARY_XML;
    free(entries_of(memory_source_of("x | a | a | a | a=1\n"), &options, &status, &error));
    assert_int_equal(status, TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "starts with '<'"));
    options.format = TCPLAN_LIBRARY_LIST;
    char *found = entries_of(memory_source_of("<library/>\n"), &options, &status, &error);
    assert_non_null(
        strstr(found, "optionally followed by | STRIDES | TYPE ORDER WEIGHT, found 1 parts"));
    free(found);
}

static void endless_lines_are_refused(void **state) {
    (void)state;
    enum { LONG = 3 << 20 };
    struct strbuf text = {0};
    strbuf_add(&text, "ok | a | a | a | a=1\n");
    strbuf_fill(&text, 'x', LONG);
    assert_refused(memory_source_of(text.text), 2, "at most 1048576 bytes");
    strbuf_free(&text);
}

/* Memory. */

static long successes_until(const char *text, const char *expected) {
    for (long successes = 0;; successes++) {
        enum tcplan_status status;
        struct tcplan_error error = {0};
        base_alloc_fail_after(successes);
        struct memory_source source = memory_source_of(text);
        struct tcplan_library *library = NULL;
        const struct tcplan_library_entry *entry = NULL;
        struct strbuf names = {0};
        status = tcplan_library_from(&library, memory_source_read, &source, "x", &defaults, &error);
        while (status == TCPLAN_OK) {
            status = tcplan_library_next(library, &entry, &error);
            if (status != TCPLAN_OK || !entry) break;
            base_alloc_fail_after(-1);
            strbuf_add(&names, "%s ", entry->name);
            base_alloc_fail_after(successes);
        }
        base_alloc_fail_after(-1);
        tcplan_library_close(library);
        assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
        assert_true(status == TCPLAN_OK || error.status == TCPLAN_NO_MEMORY);
        const bool done = status == TCPLAN_OK && names.text && strcmp(names.text, expected) == 0;
        strbuf_free(&names);
        if (done) return successes;
        assert_true(successes < 2000);
    }
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    assert_true(successes_until(LIBRARY("<source href=\"h\">s</source>" CONTRACTION
                                        "<sizes>a=1:2:1,b=i=2</sizes></contraction>"),
                                "c c ") > 5);
    assert_true(successes_until("x | ab | ai | ib | a=1 b=2 i=3\ny: ai,i->a 1,2 2\n", "x y ") > 5);
    tcplan_library_close(NULL);
}

static void strides_of_sizes_come_before_those_of_their_contraction(void **state) {
    (void)state;
    struct memory_source source = memory_source_of(LIBRARY(
        "<contraction name=\"c\" formula=\"C_ab=A_ai*B_ib\" strides=\"A=1,9 C=-1,30\"><sizes>a=b=i=2</sizes>"
        "<sizes strides=\"B=5,1\">a=b=i=2</sizes><sizes strides=\"\">a=b=i=2</sizes>"
        "<sizes strides=\"A=1\">a=b=i=2</sizes><sizes strides=\"C=1,1\">a=b=i=2</sizes></contraction>"));
    static const char *const expected[] = {"A=1,9;C=-1,30", "B=5,1", "", "A=1", "C=1,1"};
    char id[5][TCPLAN_RESULT_ID_SIZE];
    struct tcplan_library *library = NULL;
    const struct tcplan_library_entry *entry = NULL;
    assert_int_equal(
        tcplan_library_from(&library, memory_source_read, &source, "x", &defaults, NULL),
        TCPLAN_OK);
    for (int e = 0; e < 5; e++) {
        assert_int_equal(tcplan_library_next(library, &entry, NULL), TCPLAN_OK);
        assert_string_equal(entry->strides, expected[e]);
        assert_true((entry->fault != NULL) == (e > 2));
        memcpy(id[e], entry->id, sizeof id[e]);
        for (int other = 0; other < e; other++) assert_string_not_equal(id[e], id[other]);
        if (e < 3) assert_true(entry->contraction->tensor[TCPLAN_A].strided == (e == 0));
        if (e == 3) assert_non_null(strstr(entry->fault->message, "expected 2 strides"));
        if (e == 4) assert_non_null(strstr(entry->fault->message, "C[0,1] and C[1,0]"));
    }
    tcplan_library_close(library);
}

static void texts_of_blocks_belong_to_sizes_and_to_the_id(void **state) {
    (void)state;
    struct memory_source source = memory_source_of(LIBRARY(
        CONTRACTION
        "<sizes>a=b=i=4</sizes><sizes sections=\"a=b=i=2+2\">a=b=i=4</sizes>"
        "<sizes sections=\"a=b=i=2@0+2@1\" charge=\"A:a-i=0\" blocks=\"B:0 0|1 1\">a=b=i=4</sizes>"
        "<sizes sections=\"a=b=i=1000000x9\">a=b=i=9000000</sizes>"
        "<sizes sections=\"a=b=i=4\" strides=\"A=1,9\">a=b=i=4</sizes></contraction>"));
    static const char *const expected[5][3] = {{"", "", ""},
                                               {"a=b=i=2+2", "", ""},
                                               {"a=b=i=2@0+2@1", "A:a-i=0", "B:0 0|1 1"},
                                               {"a=b=i=1000000x9", "", ""},
                                               {"a=b=i=4", "", ""}};
    char id[5][TCPLAN_RESULT_ID_SIZE];
    struct tcplan_library *library = NULL;
    const struct tcplan_library_entry *entry = NULL;
    assert_int_equal(
        tcplan_library_from(&library, memory_source_read, &source, "x", &defaults, NULL),
        TCPLAN_OK);
    for (int e = 0; e < 5; e++) {
        assert_int_equal(tcplan_library_next(library, &entry, NULL), TCPLAN_OK);
        assert_string_equal(entry->sections, expected[e][0]);
        assert_string_equal(entry->charge, expected[e][1]);
        assert_string_equal(entry->blocks, expected[e][2]);
        assert_true((entry->fault != NULL) == (e == 4));
        memcpy(id[e], entry->id, sizeof id[e]);
        for (int other = 0; other < e; other++) assert_string_not_equal(id[e], id[other]);
    }
    assert_string_equal(
        entry->fault->message,
        "block-sparse tensors have no strides; expected sections or strides, found both");
    tcplan_library_close(library);
    assert_refused(memory_source_of(LIBRARY(
                       CONTRACTION "<sizes charge=\"A:a=0\">a=b=i=4</sizes></contraction>")),
                   2, "sections");
}

static void lists_may_have_strides_after_the_sizes(void **state) {
    (void)state;
    struct memory_source source = memory_source_of(
        "x | ab | ai | ib | a=b=i=2 | C=-1,30 A=1,9\ny | ab | ai | ib | a=b=i=2 |\n");
    struct tcplan_library *library = NULL;
    const struct tcplan_library_entry *entry = NULL;
    assert_int_equal(
        tcplan_library_from(&library, memory_source_read, &source, "x", &defaults, NULL),
        TCPLAN_OK);
    assert_int_equal(tcplan_library_next(library, &entry, NULL), TCPLAN_OK);
    assert_null(entry->fault);
    assert_string_equal(entry->strides, "A=1,9;C=-1,30");
    assert_int_equal(tcplan_library_next(library, &entry, NULL), TCPLAN_OK);
    assert_null(entry->fault);
    assert_string_equal(entry->strides, "");
    tcplan_library_close(library);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_type_and_number_of_threads_is_an_entry),
        cmocka_unit_test(settings_and_sources_are_passed_on),
        cmocka_unit_test(faults_of_contractions_and_sizes_leave_the_rest_alone),
        cmocka_unit_test(an_empty_library_has_no_entries),
        cmocka_unit_test(ids_are_stable_and_tell_entries_apart),
        cmocka_unit_test(files_and_lines_of_tccg_are_read),
        cmocka_unit_test(faults_of_tccg_lines_are_named),
        cmocka_unit_test(elements_of_very_many_attributes_are_refused),
        cmocka_unit_test(signs_of_equality_elsewhere_are_no_attributes),
        cmocka_unit_test(malformed_xml_is_refused_with_its_line),
        cmocka_unit_test(invalid_xml_is_refused_with_its_line),
        cmocka_unit_test(document_types_and_entities_are_refused),
        cmocka_unit_test(other_encodings_are_refused),
        cmocka_unit_test(depth_and_size_are_limited),
        cmocka_unit_test(lines_are_right_in_long_documents),
        cmocka_unit_test(pieces_of_any_length_read_the_same),
        cmocka_unit_test(a_failing_source_is_not_an_end),
        cmocka_unit_test(plain_lists_are_read),
        cmocka_unit_test(einsum_lines_are_read),
        cmocka_unit_test(einsum_lines_are_read_as_numpy_reads_them),
        cmocka_unit_test(lines_of_a_list_may_be_formulas),
        cmocka_unit_test(faulty_lines_leave_the_others_alone),
        cmocka_unit_test(lines_may_have_weights),
        cmocka_unit_test(a_format_can_be_demanded),
        cmocka_unit_test(endless_lines_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(strides_of_sizes_come_before_those_of_their_contraction),
        cmocka_unit_test(texts_of_blocks_belong_to_sizes_and_to_the_id),
        cmocka_unit_test(lists_may_have_strides_after_the_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
