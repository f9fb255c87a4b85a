#include "contractions/xml_reader.h"

#include <libxml/relaxng.h>
#include <libxml/xmlreader.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/checksum.h"
#include "base/error.h"
#include "contractions/xml_input.h"
#include "contractions/xml_text.h"

enum { DEPTH_KNOWN = 8, ELEMENT_BYTES = 24 };

struct xml_reader {
    struct xml_input input;
    xmlRelaxNGPtr schema;
    xmlTextReaderPtr parser;
    struct arena attributes; /* of the element that starts */
    bool in_empty;           /* its end is still to be told */
    bool no_memory;
    int depth; /* elements that are open */
    char open[DEPTH_KNOWN][ELEMENT_BYTES];
    bool refused; /* the first complaint: */
    bool invalid; /* it is the schema's */
    size_t refused_line;
    char complaint[200];
};

/** A complaint without its line end, and with blanks for the others. */
static void copy_complaint(struct xml_reader *reader, const char *message) {
    size_t length = 0;
    for (; *message && length + 1 < sizeof reader->complaint; message++) {
        const bool space = *message == '\n' || *message == '\t';
        if (space && length > 0 && reader->complaint[length - 1] == ' ') continue;
        reader->complaint[length++] = *message;
        if (space) reader->complaint[length - 1] = ' ';
    }
    while (length > 0 && (reader->complaint[length - 1] == ' ' || reader->complaint[length - 1] == '.')) length--;
    reader->complaint[length] = '\0';
}

enum { LINES_OF_NODES_MAX = 65534 }; /* libxml2 keeps the line of an element in 16 bits */

/** The complaint in libxml2's words, but where they say little or the wrong thing. */
static const char *message_of(const struct xml_reader *reader, const xmlError *complaint) {
    if (complaint->code == XML_ERR_DOCUMENT_END && reader->input.ended) return "the document is cut off: not all of its elements end";
    if (!complaint->message) return "not well-formed";
    return strncmp(complaint->message, "Did not expect text", 19) == 0 ? "Did not expect text there" : complaint->message;
}

/** An xmlStructuredErrorFunc: keeps the first complaint. */
static void take_complaint(void *context, xmlErrorPtr complaint) {
    struct xml_reader *reader = context;
    if (complaint->code == XML_ERR_NO_MEMORY) reader->no_memory = true;
    if (reader->refused || complaint->level < XML_ERR_ERROR) return;
    reader->refused = true;
    reader->invalid = complaint->domain == XML_FROM_RELAXNGV;
    reader->refused_line = complaint->line > 0 ? (size_t)complaint->line : 1;
    if (reader->parser && complaint->line > LINES_OF_NODES_MAX)
        reader->refused_line = (size_t)xmlTextReaderGetParserLineNumber(reader->parser);
    copy_complaint(reader, message_of(reader, complaint));
}

/** An xmlInputReadCallback. */
static int read_bytes(void *context, char *buffer, int size) {
    struct xml_reader *reader = context;
    return (int)xml_input_read(&reader->input, buffer, (size_t)size);
}

static int close_nothing(void *context) {
    (void)context;
    return 0;
}

static bool load_schema(struct xml_reader *reader, const struct schema *schema) {
    xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewMemParserCtxt(schema->text, (int)strlen(schema->text));
    if (!parser) return false;
    xmlRelaxNGSetParserStructuredErrors(parser, take_complaint, reader);
    reader->schema = xmlRelaxNGParse(parser);
    xmlRelaxNGFreeParserCtxt(parser);
    return reader->schema != NULL;
}

static bool open_parser(struct xml_reader *reader) {
    const int options = XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES;
    reader->parser = xmlReaderForIO(read_bytes, close_nothing, reader, NULL, "UTF-8", options);
    if (!reader->parser) return false;
    if (xmlTextReaderRelaxNGSetSchema(reader->parser, reader->schema) != 0) return false;
    xmlTextReaderSetStructuredErrorHandler(reader->parser, take_complaint, reader);
    return true;
}

static enum tcplan_status cannot_read(struct tcplan_error *error) {
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot read the document");
}

enum tcplan_status xml_reader_new(struct xml_reader **out, const struct schema *schema, tcplan_read_fn *read, void *context,
                                  struct tcplan_error *error) {
    struct xml_reader *reader = base_alloc(sizeof *reader);
    if (!reader) return error_no_memory(error);
    *reader = (struct xml_reader){.input = {.read = read, .context = context}};
    enum tcplan_status status = xml_input_check(&reader->input, error);
    if (status == TCPLAN_OK && reader->input.failed) status = cannot_read(error);
    if (status == TCPLAN_OK && (!load_schema(reader, schema) || !open_parser(reader))) status = error_no_memory(error);
    if (status == TCPLAN_OK) {
        *out = reader;
    } else {
        xml_reader_free(reader);
    }
    return status;
}

/** The element whose attributes a complaint is about; NULL where it is about something else. */
static const struct schema_element *element_of_attributes(const char *complaint) {
    static const char marker[] = "lement ";
    char element[32] = "";
    const char *at = strstr(complaint, "attribute") ? strstr(complaint, marker) : NULL;
    if (!at) return NULL;
    at += sizeof marker - 1;
    snprintf(element, sizeof element, "%.*s", (int)strcspn(at, " ,"), at);
    return schema_find_element(element);
}

/** The first complaint, with what the schema wants there. */
static enum tcplan_status report_complaint(const struct xml_reader *reader, struct tcplan_error *error) {
    const struct schema_element *attributes = element_of_attributes(reader->complaint);
    const bool content = !attributes && reader->invalid && reader->depth > 0 && reader->depth <= DEPTH_KNOWN;
    const bool incomplete = strncmp(reader->complaint, "Expecting an element", 20) == 0; /* in the one that the parser is at */
    const struct schema_element *around =
        content ? schema_find_element(incomplete ? xml_reader_name(reader) : reader->open[reader->depth - 1]) : NULL;
    enum tcplan_status status;
    if (attributes) {
        status = error_set(error, TCPLAN_INVALID, "%s; expected attributes: %s", reader->complaint, attributes->attributes);
    } else if (around) {
        status = error_set(error, TCPLAN_INVALID, "%s; expected in element %s: %s", reader->complaint, around->name, around->content);
    } else {
        status = error_set(error, TCPLAN_INVALID, "%s", reader->complaint);
    }
    if (error) error->line = reader->refused_line;
    return status;
}

/** Which event a node of the parser is; -1: none. */
static int event_of(const struct xml_reader *reader) {
    switch (xmlTextReaderNodeType(reader->parser)) {
    case XML_READER_TYPE_ELEMENT: return XML_EVENT_BEGIN;
    case XML_READER_TYPE_END_ELEMENT: return XML_EVENT_END;
    case XML_READER_TYPE_TEXT:
    case XML_READER_TYPE_CDATA: return XML_EVENT_TEXT;
    default: return -1;
    }
}

/** Why the parser stopped. */
static enum tcplan_status stopped(const struct xml_reader *reader, struct tcplan_error *error) {
    if (reader->no_memory || reader->input.prolog.failed) return error_no_memory(error);
    if (reader->input.failed) return cannot_read(error);
    if (reader->refused) return report_complaint(reader, error);
    return error_set(error, TCPLAN_INVALID, "expected an XML document, found none");
}

/** As much of it as there is room for. */
static void copy_name(char out[ELEMENT_BYTES], const char *name) {
    const size_t length = strnlen(name, ELEMENT_BYTES - 1);
    memcpy(out, name, length);
    out[length] = '\0';
}

static void note_depth(struct xml_reader *reader, enum xml_event event) {
    if (event == XML_EVENT_END) reader->depth--;
    if (event != XML_EVENT_BEGIN) return;
    if (reader->depth < DEPTH_KNOWN) copy_name(reader->open[reader->depth], xml_reader_name(reader));
    reader->depth++;
}

enum tcplan_status xml_reader_next(struct xml_reader *reader, enum xml_event *event, struct tcplan_error *error) {
    int kind = -1;
    if (reader->no_memory) return error_no_memory(error);
    arena_free(&reader->attributes);
    if (reader->in_empty) {
        reader->in_empty = false;
        reader->depth--;
        *event = XML_EVENT_END;
        return TCPLAN_OK;
    }
    while (kind < 0) {
        const int more = xmlTextReaderRead(reader->parser);
        if (more < 0 || reader->refused || reader->no_memory) return stopped(reader, error);
        kind = more == 0 ? XML_EVENT_DONE : event_of(reader);
    }
    *event = (enum xml_event)kind;
    note_depth(reader, *event);
    reader->in_empty = kind == XML_EVENT_BEGIN && xmlTextReaderIsEmptyElement(reader->parser) == 1;
    return TCPLAN_OK;
}

const char *xml_reader_name(const struct xml_reader *reader) {
    const xmlChar *name = xmlTextReaderConstName(reader->parser);
    return name ? (const char *)name : "";
}

/** The value of an attribute that is more than one text. */
static const char *joined_value(struct xml_reader *reader, const xmlAttr *attribute) {
    xmlChar *value = xmlNodeListGetString(attribute->doc, attribute->children, 1);
    const char *copy = value ? arena_strndup(&reader->attributes, (const char *)value, strlen((const char *)value)) : NULL;
    if (!copy) reader->no_memory = true;
    xmlFree(value);
    return copy;
}

static const char *attribute_value(struct xml_reader *reader, const xmlAttr *attribute) {
    const xmlNode *text = attribute->children;
    if (!text) return "";
    return text->type == XML_TEXT_NODE && !text->next && text->content ? (const char *)text->content : joined_value(reader, attribute);
}

const char *xml_reader_attribute(struct xml_reader *reader, const char *name) {
    const xmlNode *node = xmlTextReaderCurrentNode(reader->parser);
    const xmlAttr *attribute = node && node->type == XML_ELEMENT_NODE ? node->properties : NULL;
    while (attribute && (attribute->ns || strcmp((const char *)attribute->name, name) != 0)) attribute = attribute->next;
    return attribute ? attribute_value(reader, attribute) : NULL;
}

uint32_t xml_reader_checksum(struct xml_reader *reader, uint32_t checksum, const char *but) {
    struct strbuf text = {0};
    strbuf_add(&text, "%s", xml_reader_name(reader));
    for (int more = xmlTextReaderMoveToFirstAttribute(reader->parser); more == 1; more = xmlTextReaderMoveToNextAttribute(reader->parser)) {
        const char *name = (const char *)xmlTextReaderConstName(reader->parser);
        const char *value = (const char *)xmlTextReaderConstValue(reader->parser);
        reader->no_memory = reader->no_memory || !name || !value;
        if (name && value && strcmp(name, but) != 0) xml_text_attribute(&text, name, value);
    }
    xmlTextReaderMoveToElement(reader->parser);
    reader->no_memory = reader->no_memory || text.failed;
    if (!reader->no_memory) checksum = checksum_add(checksum, text.text, text.length);
    strbuf_free(&text);
    return checksum;
}

const char *xml_reader_text(const struct xml_reader *reader) {
    const xmlChar *text = xmlTextReaderConstValue(reader->parser);
    return text ? (const char *)text : "";
}

size_t xml_reader_line(const struct xml_reader *reader) {
    const xmlNode *node = xmlTextReaderCurrentNode(reader->parser);
    long line = node && node->type == XML_ELEMENT_NODE ? xmlGetLineNo(node) : 0;
    if (line <= 0 || line > LINES_OF_NODES_MAX) line = xmlTextReaderGetParserLineNumber(reader->parser); /* may be a line ahead */
    return line > 0 ? (size_t)line : 1;
}

enum tcplan_status xml_reader_refuse(const struct xml_reader *reader, struct tcplan_error *error, const char *format, ...) {
    char message[TCPLAN_MESSAGE_SIZE];
    va_list arguments;
    if (reader->no_memory) return error_no_memory(error);
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(error, TCPLAN_INVALID, "%s", message);
    if (error) error->line = xml_reader_line(reader);
    return TCPLAN_INVALID;
}

void xml_reader_free(struct xml_reader *reader) {
    if (!reader) return;
    xmlFreeTextReader(reader->parser);
    xmlRelaxNGFree(reader->schema);
    arena_free(&reader->attributes);
    xml_input_free(&reader->input);
    base_free(reader);
}
