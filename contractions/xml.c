#include "tcplan/xml.h"

#include <assert.h>
#include <libxml/xmlversion.h>
#include <libxml/xmlwriter.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "contractions/xml_text.h"

struct tcplan_xml {
    xmlTextWriterPtr writer;
    tcplan_write_fn *write;
    void *context;
    int open;     /* number of open elements */
    bool refused; /* whether `write` returned false */
    bool failed;  /* whether memory ran out */
};

static const xmlChar *xml_chars(const char *text) {
    return (const xmlChar *)text;
}

static int write_piece(void *context, const char *text, int length) {
    struct tcplan_xml *xml = context;
    if (!xml->refused) xml->refused = !xml->write(xml->context, text, (size_t)length);
    return length; /* Success is reported even after a failure, because libxml2 prints failures to
                      stderr. */
}

/** Checks the result of a libxml2 writer function: negative means failure. */
static void check(struct tcplan_xml *xml, int result) {
    if (result < 0) xml->failed = true;
}

static bool begin_document(struct tcplan_xml *xml) {
    xmlOutputBufferPtr buffer = xmlOutputBufferCreateIO(write_piece, NULL, xml, NULL);
    if (!buffer) return false;
    xml->writer = xmlNewTextWriter(buffer);
    if (!xml->writer) {
        xmlOutputBufferClose(buffer);
        return false;
    }
    check(xml, xmlTextWriterSetIndent(xml->writer, 1));
    check(xml, xmlTextWriterSetIndentString(xml->writer, xml_chars("  ")));
    check(xml, xmlTextWriterStartDocument(xml->writer, NULL, "UTF-8", NULL));
    return true;
}

enum tcplan_status tcplan_xml_new(struct tcplan_xml **out, tcplan_write_fn *write, void *context,
                                  struct tcplan_error *error) {
    struct tcplan_xml *xml = base_alloc(sizeof *xml);
    if (!xml) return error_no_memory(error);
    *xml = (struct tcplan_xml){.write = write, .context = context};
    if (!begin_document(xml)) {
        base_free(xml);
        return error_no_memory(error);
    }
    *out = xml;
    return TCPLAN_OK;
}

void tcplan_xml_begin(struct tcplan_xml *xml, const char *element) {
    xml->open++;
    check(xml, xmlTextWriterStartElement(xml->writer, xml_chars(element)));
}

void tcplan_xml_end(struct tcplan_xml *xml) {
    assert(xml->open > 0);
    xml->open--;
    check(xml, xmlTextWriterEndElement(xml->writer));
}

/** Returns the value with a question mark for each byte that XML cannot represent; NULL if memory
 * runs out. */
static char *printable(const char *value) {
    struct strbuf out = {0};
    while (*value) {
        int length = xml_text_character(value);
        strbuf_add(&out, "%.*s", length > 0 ? length : 1, length > 0 ? value : "?");
        value += length > 0 ? length : 1;
    }
    return strbuf_finish(&out);
}

void tcplan_xml_text(struct tcplan_xml *xml, const char *attribute, const char *value) {
    assert(xml->open > 0); /* Attributes must belong to an element. */
    char *text = printable(value);
    check(xml, text
                   ? xmlTextWriterWriteAttribute(xml->writer, xml_chars(attribute), xml_chars(text))
                   : -1);
    free(text);
}

void tcplan_xml_integer(struct tcplan_xml *xml, const char *attribute, int64_t value) {
    check(xml, xmlTextWriterWriteFormatAttribute(xml->writer, xml_chars(attribute), "%lld",
                                                 (long long)value));
}

void tcplan_xml_number(struct tcplan_xml *xml, const char *attribute, double value) {
    struct strbuf out = {0};
    decimal_print(&out, value);
    char *text = strbuf_finish(&out);
    check(xml, text
                   ? xmlTextWriterWriteAttribute(xml->writer, xml_chars(attribute), xml_chars(text))
                   : -1);
    free(text);
}

void tcplan_xml_markup(struct tcplan_xml *xml, const char *markup) {
    check(xml, xmlTextWriterWriteRaw(xml->writer, xml_chars(markup)));
}

enum tcplan_status tcplan_xml_finish(struct tcplan_xml *xml, struct tcplan_error *error) {
    if (!xml) return TCPLAN_OK;
    check(xml, xmlTextWriterEndDocument(xml->writer));
    xmlFreeTextWriter(xml->writer); /* freeing the writer flushes the output */
    bool refused = xml->refused;
    bool failed = xml->failed;
    base_free(xml);
    if (refused) return error_set(error, TCPLAN_ENVIRONMENT, "cannot write the XML document");
    return failed ? error_no_memory(error) : TCPLAN_OK;
}

const char *tcplan_xml_library(void) {
    return "libxml2 " LIBXML_DOTTED_VERSION;
}
