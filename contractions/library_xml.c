#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "contractions/library_item.h"
#include "contractions/xml_reader.h"

/** Nesting levels of elements. */
enum level { LEVEL_LIBRARY, LEVEL_GROUP, LEVEL_CONTRACTION, LEVEL_SIZES, LEVELS };

/** The values of an open element, which its children inherit. */
struct scope {
    bool open;
    struct arena texts;
    const char *name;
    const char *source; /* source; NULL: the source of the enclosing element */
    const char *formula;
    const char *strides; /* strides; NULL: the strides of the enclosing element */
    const char *size_class;
    const char *sections, *charge, *blocks;
    bool optional;
    struct library_settings settings;
};

struct library_xml {
    struct xml_reader *xml;
    struct scope scope[LEVELS];
    bool taking; /* whether text is being collected */
    struct strbuf text;
    const char *href; /* attribute `href` of the source element that is being read */
    bool no_memory;
};

static enum tcplan_status open_xml(struct library_reader *reader, struct tcplan_error *error) {
    struct library_xml *xml = base_alloc(sizeof *xml);
    if (!xml) return error_no_memory(error);
    *xml = (struct library_xml){0};
    reader->xml = xml;
    return xml_reader_new(&xml->xml, &schema_library, line_input_read, &reader->input, error);
}

static void close_xml(struct library_reader *reader) {
    struct library_xml *xml = reader->xml;
    if (!xml) return;
    xml_reader_free(xml->xml);
    for (int level = 0; level < LEVELS; level++) arena_free(&xml->scope[level].texts);
    strbuf_free(&xml->text);
    base_free(xml);
}

static const char *keep(struct library_xml *xml, struct arena *arena, const char *text) {
    if (!text) return NULL;
    const char *copy = arena_strndup(arena, text, strlen(text));
    if (!copy) xml->no_memory = true;
    return copy;
}

/** Returns the level of the innermost open element. */
static int innermost(const struct library_xml *xml) {
    int level = LEVELS - 1;
    while (level > 0 && !xml->scope[level].open) level--;
    return level;
}

/* types = letter { " " letter } */
static void read_types(struct library_settings *settings, const char *text) {
    if (!text) return;
    settings->dtype_count = 0;
    for (; *text && settings->dtype_count < TCPLAN_DTYPES; text++) {
        if (tcplan_dtype_from_letter(*text, &settings->dtype[settings->dtype_count]))
            settings->dtype_count++;
    }
}

/* threads = number { " " number } */
static void read_threads(struct library_settings *settings, const char *text) {
    if (!text) return;
    settings->thread_count = 0;
    while (*text && settings->thread_count < LIBRARY_THREADS_MAX) {
        char *end;
        settings->threads[settings->thread_count++] = (int)strtol(text, &end, 10);
        text = *end == ' ' ? end + 1 : end;
    }
}

static void read_order(struct library_settings *settings, const char *text) {
    if (text) settings->order = *text == 'r' ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
}

static void open_scope(struct library_xml *xml, enum level level,
                       const struct library_settings *defaults) {
    struct scope *scope = &xml->scope[level];
    const int outer = innermost(xml);
    arena_free(&scope->texts);
    *scope =
        (struct scope){.settings = level == LEVEL_LIBRARY ? *defaults : xml->scope[outer].settings};
    scope->name = keep(xml, &scope->texts, xml_reader_attribute(xml->xml, "name"));
    scope->formula = keep(xml, &scope->texts, xml_reader_attribute(xml->xml, "formula"));
    scope->strides = keep(xml, &scope->texts, xml_reader_attribute(xml->xml, "strides"));
    scope->size_class = keep(xml, &scope->texts, xml_reader_attribute(xml->xml, "class"));
    scope->sections = keep(xml, &scope->texts, xml_reader_attribute(xml->xml, "sections"));
    scope->charge = keep(xml, &scope->texts, xml_reader_attribute(xml->xml, "charge"));
    scope->blocks = keep(xml, &scope->texts, xml_reader_attribute(xml->xml, "blocks"));
    const char *optional = xml_reader_attribute(xml->xml, "optional");
    scope->optional = optional && *optional == 't';
    read_types(&scope->settings, xml_reader_attribute(xml->xml, "types"));
    read_threads(&scope->settings, xml_reader_attribute(xml->xml, "threads"));
    read_order(&scope->settings, xml_reader_attribute(xml->xml, "order"));
    scope->open = true;
}

static int level_of(const char *element) {
    static const char *const elements[LEVELS] = {"library", "group", "contraction", "sizes"};
    int level = 0;
    while (level < LEVELS && strcmp(elements[level], element) != 0) level++;
    return level;
}

static void begin(struct library_xml *xml, const struct library_settings *defaults) {
    const char *element = xml_reader_name(xml->xml);
    const int level = level_of(element);
    const bool source = strcmp(element, "source") == 0;
    if (level < LEVELS) open_scope(xml, (enum level)level, defaults);
    xml->taking = source || level == LEVEL_SIZES;
    strbuf_free(&xml->text);
    struct scope *around = &xml->scope[innermost(xml)];
    xml->href = source ? keep(xml, &around->texts, xml_reader_attribute(xml->xml, "href")) : NULL;
}

/** Returns the collected text. Each run of white space becomes a single blank, and none remains at
 * the ends. */
static const char *taken_text(struct library_xml *xml, struct arena *arena) {
    char *text = strbuf_finish(&xml->text);
    if (!text) xml->no_memory = true;
    size_t length = 0;
    for (const char *at = text; at && *at; at++) {
        const bool space = strchr(" \t\r\n", *at) != NULL;
        if (!space) text[length++] = *at;
        if (space && length > 0 && text[length - 1] != ' ') text[length++] = ' ';
    }
    if (length > 0 && text[length - 1] == ' ') length--;
    const char *copy = text ? arena_strndup(arena, text, length) : "";
    if (!copy) xml->no_memory = true;
    free(text);
    return copy ? copy : "";
}

static void end_source(struct library_xml *xml) {
    struct scope *scope = &xml->scope[innermost(xml)];
    const char *text = taken_text(xml, &scope->texts);
    scope->source = *text || !xml->href ? text : xml->href;
    xml->taking = false;
}

/** Returns the source of the innermost open element that has one. */
static const char *source_of(const struct library_xml *xml) {
    for (int level = LEVELS - 1; level >= 0; level--) {
        if (xml->scope[level].open && xml->scope[level].source) return xml->scope[level].source;
    }
    return "";
}

static const char *or_empty(const char *text) {
    return text ? text : "";
}

static void make_item(struct library_xml *xml, struct library_item *item) {
    const struct scope *group = &xml->scope[LEVEL_GROUP],
                       *contraction = &xml->scope[LEVEL_CONTRACTION];
    struct scope *sizes = &xml->scope[LEVEL_SIZES];
    *item = (struct library_item){
        .group = group->open ? group->name : "",
        .name = or_empty(contraction->name),
        .size_class = or_empty(sizes->size_class),
        .optional = sizes->optional,
        .source = source_of(xml),
        .formula = or_empty(contraction->formula),
        .strides = or_empty(sizes->strides ? sizes->strides : contraction->strides),
        .sizes = taken_text(xml, &sizes->texts),
        .sections = sizes->sections,
        .charge = sizes->charge,
        .blocks = sizes->blocks,
        .line = xml_reader_line(xml->xml),
        .settings = sizes->settings};
    xml->taking = false;
}

/** Ends an element; returns true if it completes an item. */
static bool end(struct library_xml *xml, struct library_item *item) {
    const char *element = xml_reader_name(xml->xml);
    const int level = level_of(element);
    if (strcmp(element, "source") == 0) end_source(xml);
    if (level == LEVEL_SIZES) make_item(xml, item);
    if (level < LEVELS) xml->scope[level].open = false;
    return level == LEVEL_SIZES;
}

static enum tcplan_status next_item(struct library_reader *reader, struct library_item *item,
                                    bool *got, struct tcplan_error *error) {
    struct library_xml *xml = reader->xml;
    *got = false;
    while (!*got) {
        enum xml_event event;
        enum tcplan_status status = xml_reader_next(xml->xml, &event, error);
        if (status != TCPLAN_OK || event == XML_EVENT_DONE) return status;
        if (event == XML_EVENT_BEGIN) begin(xml, &reader->defaults);
        if (event == XML_EVENT_TEXT && xml->taking)
            strbuf_add(&xml->text, "%s", xml_reader_text(xml->xml));
        if (event == XML_EVENT_END) *got = end(xml, item);
        if (xml->no_memory || xml->text.failed) return error_no_memory(error);
    }
    return TCPLAN_OK;
}

const struct library_reader library_reader_xml = {
    .open = open_xml, .next = next_item, .close = close_xml};
