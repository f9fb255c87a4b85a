#include "contractions/xml_reader.h"

#include <libxml/relaxng.h>
#include <libxml/xmlreader.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "contractions/xml_input.h"

struct xml_reader {
    struct xml_input input;
    xmlRelaxNGPtr schema;
    const char *schema_name;
    xmlTextReaderPtr parser;
    struct arena attributes; /* of the element that starts */
    bool in_empty;           /* its end is still to be told */
    bool no_memory;
    bool refused; /* the first complaint: */
    size_t refused_line;
    char complaint[200];
};

static const xmlChar *xml_chars(const char *text) {
    return (const xmlChar *)text;
}

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

/** An xmlStructuredErrorFunc: keeps the first complaint. */
static void take_complaint(void *context, xmlErrorPtr complaint) {
    struct xml_reader *reader = context;
    if (complaint->code == XML_ERR_NO_MEMORY) reader->no_memory = true;
    if (reader->refused || complaint->level < XML_ERR_ERROR) return;
    reader->refused = true;
    reader->refused_line = complaint->line > 0 ? (size_t)complaint->line : 1;
    if (reader->parser && complaint->line > LINES_OF_NODES_MAX)
        reader->refused_line = (size_t)xmlTextReaderGetParserLineNumber(reader->parser);
    const bool cut_off = complaint->code == XML_ERR_DOCUMENT_END && reader->input.ended;
    copy_complaint(reader, cut_off              ? "the document is cut off: not all of its elements end"
                           : complaint->message ? complaint->message
                                                : "not well-formed");
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
    xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewMemParserCtxt(schema->text, (int)schema->length);
    if (!parser) return false;
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
    *reader = (struct xml_reader){.input = {.read = read, .context = context}, .schema_name = schema->name};
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

static enum tcplan_status report_complaint(const struct xml_reader *reader, struct tcplan_error *error) {
    const bool schema = strstr(reader->complaint, "lement") && !strstr(reader->complaint, "mismatch");
    enum tcplan_status status = error_set(error, TCPLAN_INVALID, "%s%s%s%s", reader->complaint, schema ? " (schema " : "",
                                          schema ? reader->schema_name : "", schema ? ")" : "");
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

enum tcplan_status xml_reader_next(struct xml_reader *reader, enum xml_event *event, struct tcplan_error *error) {
    int kind = -1;
    if (reader->no_memory) return error_no_memory(error);
    arena_free(&reader->attributes);
    if (reader->in_empty) {
        reader->in_empty = false;
        *event = XML_EVENT_END;
        return TCPLAN_OK;
    }
    while (kind < 0) {
        const int more = xmlTextReaderRead(reader->parser);
        if (more < 0 || reader->refused || reader->no_memory) return stopped(reader, error);
        kind = more == 0 ? XML_EVENT_DONE : event_of(reader);
    }
    *event = (enum xml_event)kind;
    reader->in_empty = kind == XML_EVENT_BEGIN && xmlTextReaderIsEmptyElement(reader->parser) == 1;
    return TCPLAN_OK;
}

const char *xml_reader_name(const struct xml_reader *reader) {
    const xmlChar *name = xmlTextReaderConstName(reader->parser);
    return name ? (const char *)name : "";
}

const char *xml_reader_attribute(struct xml_reader *reader, const char *name) {
    xmlChar *value = xmlTextReaderGetAttribute(reader->parser, xml_chars(name));
    if (!value) return NULL;
    const char *copy = arena_strndup(&reader->attributes, (const char *)value, strlen((const char *)value));
    if (!copy) reader->no_memory = true;
    xmlFree(value);
    return copy;
}

const char *xml_reader_text(const struct xml_reader *reader) {
    const xmlChar *text = xmlTextReaderConstValue(reader->parser);
    return text ? (const char *)text : "";
}

size_t xml_reader_line(const struct xml_reader *reader) {
    const int line = xmlTextReaderGetParserLineNumber(reader->parser);
    return line > 0 ? (size_t)line : 1;
}

enum tcplan_status xml_reader_refuse(const struct xml_reader *reader, struct tcplan_error *error, const char *format, ...) {
    char message[TCPLAN_MESSAGE_SIZE];
    va_list arguments;
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
