#include "contractions/xml_reader.h"

#include <assert.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "contractions/xml_input.h"
#include "contractions/xml_text.h"

enum { DEPTH_MAX = 8 }; /* larger than the depth of any schema */

/** An attribute of a queued element. The parser owns the name; the value is in the reader's `text`,
 * at position `value`. */
struct attribute {
    const char *name;
    size_t value;
    size_t length;
};

/** An event from the parser. */
struct event {
    enum xml_event kind;
    const char *name;
    size_t line;
    size_t first; /* number of its first attribute; for a text, its offset in the reader's `text` */
    size_t count;
};

/** An open element. */
struct open_element {
    const struct schema_element *element;
    const char *name;
    size_t line;
    int place;     /* position (struct schema_child) of the last child */
    unsigned seen; /* bit i: child i of the schema has occurred */
};

/** The reader passes the document to the parser in pieces. The events of a piece are queued and
 * returned before the next piece is read. */
struct xml_reader {
    struct xml_input input;
    struct xml_tag tag;
    const struct schema *schema;
    xmlParserCtxtPtr parser;
    struct event *event;
    size_t event_count, event_capacity;
    size_t next; /* number of the next event that will be returned */
    struct attribute *attribute;
    size_t attribute_count, attribute_capacity;
    size_t cursor; /* number, within the element, of the attribute at which the next search begins
                    */
    struct strbuf text; /* values and texts of the queued events, each terminated */
    struct strbuf scratch;
    struct open_element open[DEPTH_MAX];
    int depth;
    bool ended;   /* whether the parser has received the end of the input */
    bool done;    /* whether XML_EVENT_DONE was returned */
    bool refused; /* whether the document was rejected; the following members have the line and the
                     message */
    size_t refused_line;
    char complaint[TCPLAN_MESSAGE_SIZE];
    bool no_memory;
};

/** Copies a message of libxml2, without its last line end and full stop, and with single blanks for
 * other line ends. */
static void copy_complaint(struct xml_reader *reader, const char *message) {
    size_t length = 0;
    for (; *message && length + 1 < sizeof reader->complaint; message++) {
        const bool space = *message == '\n' || *message == '\t';
        if (space && length > 0 && reader->complaint[length - 1] == ' ') continue;
        reader->complaint[length++] = *message;
        if (space) reader->complaint[length - 1] = ' ';
    }
    while (length > 0 &&
           (reader->complaint[length - 1] == ' ' || reader->complaint[length - 1] == '.'))
        length--;
    reader->complaint[length] = '\0';
}

/** Returns libxml2's message, or a clearer one if the document is truncated. */
static const char *message_of(const struct xml_reader *reader, const xmlError *complaint) {
    if (complaint->code == XML_ERR_DOCUMENT_END && reader->ended)
        return "the document is truncated: some elements do not end";
    return complaint->message ? complaint->message : "not well-formed";
}

/** Records the first error; implements xmlStructuredErrorFunc. */
static void take_complaint(void *context, xmlErrorPtr complaint) {
    struct xml_reader *reader = context;
    if (complaint->code == XML_ERR_NO_MEMORY) reader->no_memory = true;
    if (reader->refused || complaint->level < XML_ERR_ERROR) return;
    reader->refused = true;
    reader->refused_line = complaint->line > 0 ? (size_t)complaint->line : 1;
    copy_complaint(reader, message_of(reader, complaint));
}

static size_t parser_line(const struct xml_reader *reader) {
    const int line = xmlSAX2GetLineNumber(reader->parser);
    return line > 0 ? (size_t)line : 1;
}

/** Records a violation of the schema at the parser's current line. */
__attribute__((format(printf, 2, 3))) static void refuse(struct xml_reader *reader,
                                                         const char *format, ...) {
    va_list arguments;
    if (reader->refused) return;
    reader->refused = true;
    reader->refused_line = parser_line(reader);
    va_start(arguments, format);
    vsnprintf(reader->complaint, sizeof reader->complaint, format, arguments);
    va_end(arguments);
}

/** Returns whether further events of the current piece are to be ignored. */
static bool has_stopped(const struct xml_reader *reader) {
    return reader->refused || reader->no_memory;
}

/* The queue. */

/** Makes room for one more item. Returns the list, or NULL if memory runs out. */
static void *grow(void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return items;
    void *grown = base_realloc(items, (2 * count + 16) * size);
    if (grown) *capacity = 2 * count + 16;
    return grown;
}

/** Appends an event to the queue; returns NULL if memory runs out. */
static struct event *queue(struct xml_reader *reader, enum xml_event kind, const char *name,
                           size_t line) {
    struct event *events =
        grow(reader->event, reader->event_count, &reader->event_capacity, sizeof *events);
    if (!events) {
        reader->no_memory = true;
        return NULL;
    }
    reader->event = events;
    struct event *event = &events[reader->event_count++];
    *event = (struct event){.kind = kind, .name = name, .line = line};
    return event;
}

/** Appends a terminated copy of a text to the queue's texts; returns its position. */
static size_t queue_text(struct xml_reader *reader, const char *text, size_t length) {
    const size_t at = reader->text.length;
    char *copy = strbuf_extend(&reader->text, length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    } else {
        reader->no_memory = true;
    }
    return at;
}

static void queue_attribute(struct xml_reader *reader, const char *name, const char *value,
                            size_t length) {
    struct attribute *all =
        grow(reader->attribute, reader->attribute_count, &reader->attribute_capacity, sizeof *all);
    if (!all || !name) {
        reader->no_memory = true;
        return;
    }
    reader->attribute = all;
    all[reader->attribute_count++] =
        (struct attribute){name, queue_text(reader, value, length), length};
}

static void empty_queue(struct xml_reader *reader) {
    assert(reader->next == reader->event_count); /* All earlier events must have been returned. */
    reader->event_count = reader->attribute_count = reader->text.length = 0;
    reader->next = 0;
}

/** Returns whether two names are equal. Most names differ in their first letter. */
static bool same(const char *a, const char *b) {
    return *a == *b && strcmp(a, b) == 0;
}

/** Returns the element's name with its prefix; the parser owns the name. NULL if memory runs
 * out. */
static const char *full_name(struct xml_reader *reader, const xmlChar *prefix,
                             const xmlChar *name) {
    return (const char *)(prefix ? xmlDictQLookup(reader->parser->dict, prefix, name) : name);
}

/** Enters an element that is a child of the open element or the root; returns NULL if it is not
 * allowed there. */
static const struct schema_element *enter(struct xml_reader *reader, const char *name) {
    struct open_element *around = reader->depth > 0 ? &reader->open[reader->depth - 1] : NULL;
    const struct schema_child *child = around ? around->element->child : NULL;
    if (!around) {
        const struct schema_element *root = reader->schema->elements;
        if (same(root->name, name)) return root;
        refuse(reader, "expected the root element %s, found %s", root->name, name);
        return NULL;
    }
    while (child->name && !same(child->name, name)) child++;
    assert(child - around->element->child < 32); /* `seen` has one bit for each child. */
    const unsigned bit = 1U << (child - around->element->child);
    if (!child->name || child->place < around->place ||
        (!child->repeated && (around->seen & bit))) {
        refuse(reader, "element %s is not allowed there; expected in element %s: %s", name,
               around->name, around->element->content);
        return NULL;
    }
    around->place = child->place;
    around->seen |= bit;
    return schema_find_element(reader->schema, name);
}

/** Finds the rule of an attribute; NULL if there is none. The search begins after the previous
 * attribute's rule. */
static const struct schema_attribute *find_rule(const struct schema_attribute *rules,
                                                const struct schema_attribute **cursor,
                                                const char *name) {
    const struct schema_attribute *rule = *cursor;
    while (rule->name && !same(rule->name, name)) rule++;
    if (!rule->name) {
        for (rule = rules; rule != *cursor && !same(rule->name, name);) rule++;
        if (rule == *cursor) return NULL;
    }
    *cursor = rule + 1;
    return rule;
}

/** Checks one queued attribute; returns the bit of its rule, 0 if the attribute is rejected. */
static uint64_t check_attribute(struct xml_reader *reader, const struct schema_element *element,
                                const struct attribute *attribute,
                                const struct schema_attribute **cursor) {
    const struct schema_attribute *rule = find_rule(element->attribute, cursor, attribute->name);
    const char *value = reader->text.text + attribute->value;
    if (!rule) {
        refuse(reader, "element %s has no attribute %s; expected attributes: %s", element->name,
               attribute->name, element->attributes);
    } else if (rule->holds && !rule->holds(value)) {
        refuse(reader, "%s of element %s: expected %s, found '%.60s'", rule->name, element->name,
               rule->expected, value);
    } else {
        assert(rule - element->attribute < 64); /* one bit for each rule */
        return (uint64_t)1 << (rule - element->attribute);
    }
    return 0;
}

/** Returns whether the attribute that a rule requires (`with`) has been seen. */
static bool has_companion(const struct schema_attribute *rules, const struct schema_attribute *rule,
                          uint64_t seen) {
    const struct schema_attribute *cursor = rule, *with = find_rule(rules, &cursor, rule->with);
    return with && (seen >> (with - rules) & 1);
}

static void check_complete(struct xml_reader *reader, const struct schema_element *element,
                           uint64_t seen) {
    for (const struct schema_attribute *rule = element->attribute; rule->name; rule++) {
        const bool there = seen >> (rule - element->attribute) & 1;
        const char *lacking = !there && !rule->optional ? rule->name : NULL;
        if (there && rule->with && !has_companion(element->attribute, rule, seen))
            lacking = rule->with;
        if (!lacking) continue;
        refuse(reader, "element %s lacks the attribute %s; expected attributes: %s", element->name,
               lacking, element->attributes);
        return;
    }
}

/** Checks the queued attributes from number `first` on. */
static void check_attributes(struct xml_reader *reader, const struct schema_element *element,
                             size_t first) {
    const struct schema_attribute *cursor = element->attribute;
    uint64_t seen = 0;
    for (size_t a = first; a < reader->attribute_count && !has_stopped(reader); a++) {
        seen |= check_attribute(reader, element, &reader->attribute[a], &cursor);
    }
    if (!has_stopped(reader)) check_complete(reader, element, seen);
}

/** Queues the namespace declarations of an element, pairs of prefix and name, because its checksum
 * covers them. */
static void queue_namespaces(struct xml_reader *reader, const xmlChar **namespaces, int count) {
    for (int n = 0; n < count; n++, namespaces += 2) {
        const char *name =
            namespaces[0] ? full_name(reader, (const xmlChar *)"xmlns", namespaces[0]) : "xmlns";
        queue_attribute(reader, name, (const char *)namespaces[1],
                        strlen((const char *)namespaces[1]));
    }
}

/** Queues the attributes of an element. libxml2 passes five pointers for each: local name, prefix,
 * namespace, begin and end of the value. */
static void queue_attributes(struct xml_reader *reader, const xmlChar **attributes, int count) {
    for (int a = 0; a < count; a++, attributes += 5) {
        queue_attribute(reader, full_name(reader, attributes[1], attributes[0]),
                        (const char *)attributes[3], (size_t)(attributes[4] - attributes[3]));
    }
}

/** Returns the element that starts; NULL if it is rejected. */
static const struct schema_element *begin(struct xml_reader *reader, const char *name,
                                          const xmlChar *uri) {
    reader->no_memory = reader->no_memory || !name;
    if (has_stopped(reader)) return NULL;
    if (uri)
        refuse(reader, "expected elements without a namespace, found %s of '%.100s'", name,
               (const char *)uri);
    return uri ? NULL : enter(reader, name);
}

/** Handles the start of an element; implements startElementNsSAX2Func. */
/* NOLINTNEXTLINE(readability-function-size): the parameters are libxml2's */
static void take_start(void *context, const xmlChar *local, const xmlChar *prefix,
                       const xmlChar *uri, int namespace_count, const xmlChar **namespaces,
                       int count, int defaulted, const xmlChar **attributes) {
    struct xml_reader *reader = context;
    const size_t line = parser_line(reader), first = reader->attribute_count;
    const char *name = full_name(reader, prefix, local);
    const struct schema_element *element = begin(reader, name, uri);
    (void)defaulted;
    if (!element) return;
    queue_namespaces(reader, namespaces, namespace_count);
    const size_t own = reader->attribute_count;
    queue_attributes(reader, attributes, count);
    if (!has_stopped(reader)) check_attributes(reader, element, own);
    struct event *event = has_stopped(reader) ? NULL : queue(reader, XML_EVENT_BEGIN, name, line);
    if (!event) return;
    event->first = first;
    event->count = reader->attribute_count - first;
    assert(own >= first && reader->attribute_count == own + (size_t)count);
    assert(reader->depth < DEPTH_MAX);
    reader->open[reader->depth++] =
        (struct open_element){.element = element, .name = name, .line = line};
}

/** Handles the end of an element; implements endElementNsSAX2Func. */
static void take_end(void *context, const xmlChar *local, const xmlChar *prefix,
                     const xmlChar *uri) {
    struct xml_reader *reader = context;
    (void)local, (void)prefix, (void)uri;
    if (has_stopped(reader) || reader->depth == 0) return;
    const struct open_element *ending = &reader->open[--reader->depth];
    for (const struct schema_child *child = ending->element->child; child->name; child++) {
        const bool there = ending->seen >> (child - ending->element->child) & 1;
        if (!child->required || there) continue;
        refuse(reader, "expected an element %s in element %s: %s", child->name, ending->name,
               ending->element->content);
        return;
    }
    queue(reader, XML_EVENT_END, ending->name, ending->line);
}

static int leading_blanks(const xmlChar *text, int length) {
    int i = 0;
    while (i < length && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r'))
        i++;
    return i;
}

/** Handles text; implements charactersSAXFunc. */
static void take_text(void *context, const xmlChar *text, int length) {
    struct xml_reader *reader = context;
    if (has_stopped(reader) || reader->depth == 0) return;
    const struct open_element *around = &reader->open[reader->depth - 1];
    if (around->element->text) {
        const size_t at = queue_text(reader, (const char *)text, (size_t)length);
        struct event *event =
            has_stopped(reader) ? NULL : queue(reader, XML_EVENT_TEXT, "", parser_line(reader));
        if (event) event->first = at;
        return;
    }
    const int blank = leading_blanks(text, length);
    if (blank == length) return;
    refuse(reader, "text is not allowed there; expected in element %s: %s", around->name,
           around->element->content);
    /* The parser's line is the line after the text: subtract the line ends after the leading
     * blanks. The parser does not count a lone carriage return. */
    for (int i = blank; i < length && reader->refused_line > around->line; i++)
        reader->refused_line -= text[i] == '\n';
}

/* The reader. */

static bool open_parser(struct xml_reader *reader) {
    xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC,
                             .startElementNs = take_start,
                             .endElementNs = take_end,
                             .characters = take_text,
                             .ignorableWhitespace = take_text,
                             .serror = take_complaint};
    reader->parser = xmlCreatePushParserCtxt(&handler, reader, NULL, 0, NULL);
    if (!reader->parser) return false;
    /* XML_PARSE_NOENT replaces `&amp;` and the other predefined entities. Without a document type
     * there are no others. */
    return xmlCtxtUseOptions(reader->parser, XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOCDATA |
                                                 XML_PARSE_IGNORE_ENC) == 0;
}

static enum tcplan_status cannot_read(struct tcplan_error *error) {
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot read the document");
}

enum tcplan_status xml_reader_new(struct xml_reader **out, const struct schema *schema,
                                  tcplan_read_fn *read, void *context, struct tcplan_error *error) {
    struct xml_reader *reader = base_alloc(sizeof *reader);
    if (!reader) return error_no_memory(error);
    *reader = (struct xml_reader){.input = {.read = read, .context = context}, .schema = schema};
    enum tcplan_status status = xml_input_check(&reader->input, error);
    if (status == TCPLAN_OK && reader->input.failed) status = cannot_read(error);
    if (status == TCPLAN_OK && !open_parser(reader)) status = error_no_memory(error);
    if (status == TCPLAN_OK) {
        *out = reader;
    } else {
        xml_reader_free(reader);
    }
    return status;
}

/** Feeds the parser one more piece; returns false if parsing or reading stopped, or the document
 * has ended. */
static bool parse_piece(struct xml_reader *reader) {
    const char *piece = "";
    const ptrdiff_t length =
        reader->ended || has_stopped(reader) ? -1 : xml_input_next(&reader->input, &piece);
    if (length < 0) return false;
    reader->ended = length == 0;
    empty_queue(reader);
    if (xml_tag_is_too_long(&reader->tag, piece, (size_t)length)) {
        refuse(reader, "expected at most %d attributes in an element", XML_ATTRIBUTES_MAX);
        return true;
    }
    xmlParseChunk(reader->parser, piece, (int)length, reader->ended);
    if (reader->ended && !reader->parser->wellFormed)
        refuse(reader, "expected an XML document, found none");
    return true;
}

/** Returns why there is no further event: TCPLAN_OK at the end of the document, otherwise an
 * error. */
static enum tcplan_status stopped(const struct xml_reader *reader, struct tcplan_error *error) {
    if (reader->no_memory || reader->input.prolog.failed) return error_no_memory(error);
    if (reader->input.failed) return cannot_read(error);
    if (!reader->refused) return TCPLAN_OK;
    error_set(error, TCPLAN_INVALID, "%s", reader->complaint);
    if (error) error->line = reader->refused_line;
    return TCPLAN_INVALID;
}

enum tcplan_status xml_reader_next(struct xml_reader *reader, enum xml_event *event,
                                   struct tcplan_error *error) {
    reader->cursor = 0;
    if (reader->no_memory) return error_no_memory(error);
    while (reader->next == reader->event_count) {
        if (parse_piece(reader)) continue;
        *event = XML_EVENT_DONE;
        reader->done = true;
        return stopped(reader, error);
    }
    *event = reader->event[reader->next++].kind;
    return TCPLAN_OK;
}

/** Returns the current event; NULL at the beginning and at the end. */
static const struct event *current(const struct xml_reader *reader) {
    return reader->next > 0 && !reader->done ? &reader->event[reader->next - 1] : NULL;
}

const char *xml_reader_name(const struct xml_reader *reader) {
    const struct event *event = current(reader);
    return event ? event->name : "";
}

const char *xml_reader_attribute(struct xml_reader *reader, const char *name) {
    const struct event *event = current(reader);
    if (!event || event->kind != XML_EVENT_BEGIN) return NULL;
    for (size_t looked = 0, a = reader->cursor; looked < event->count; looked++, a++) {
        if (a >= event->count) a = 0;
        const struct attribute *attribute = &reader->attribute[event->first + a];
        if (!same(attribute->name, name)) continue;
        assert(event->first + event->count <= reader->attribute_count);
        reader->cursor = a + 1;
        return reader->text.text + attribute->value;
    }
    return NULL;
}

uint32_t xml_reader_checksum(struct xml_reader *reader, uint32_t checksum, const char *but) {
    const struct event *event = current(reader);
    struct strbuf *text = &reader->scratch;
    if (!event || event->kind != XML_EVENT_BEGIN) return checksum;
    text->length = 0;
    strbuf_append(text, event->name, strlen(event->name));
    for (size_t a = event->first; a < event->first + event->count; a++) {
        const struct attribute *attribute = &reader->attribute[a];
        if (!same(attribute->name, but))
            xml_text_attribute(text, attribute->name, reader->text.text + attribute->value);
    }
    reader->no_memory = reader->no_memory || text->failed;
    return text->failed ? checksum : checksum_add(checksum, text->text, text->length);
}

const char *xml_reader_text(const struct xml_reader *reader) {
    const struct event *event = current(reader);
    return event && event->kind == XML_EVENT_TEXT ? reader->text.text + event->first : "";
}

size_t xml_reader_line(const struct xml_reader *reader) {
    const struct event *event = current(reader);
    return event ? event->line : parser_line(reader);
}

enum tcplan_status xml_reader_refuse(const struct xml_reader *reader, struct tcplan_error *error,
                                     const char *format, ...) {
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
    xmlFreeParserCtxt(reader->parser);
    strbuf_free(&reader->text);
    strbuf_free(&reader->scratch);
    base_free(reader->event);
    base_free(reader->attribute);
    xml_input_free(&reader->input);
    base_free(reader);
}
