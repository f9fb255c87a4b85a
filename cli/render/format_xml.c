#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "cli/render/algorithms/report.h"
#include "cli/render/format.h"
#include "cli/render/view.h"

/** Writes a piece of XML; a tcplan_write_fn. */
static bool write_piece(void *context, const char *text, size_t length) {
    return fwrite(text, 1, length, context) == length;
}

static bool open_document(struct document *document) {
    return tcplan_xml_new(&document->xml, write_piece, document->writer->file, NULL) == TCPLAN_OK;
}

static void close_document(struct document *document) {
    assert(document->depth == 0); /* every object and list was ended */
    if (tcplan_xml_finish(document->xml, NULL) == TCPLAN_NO_MEMORY)
        document->writer->no_memory = true;
}

static void write_element(struct document *document, const char *name) {
    tcplan_xml_begin(document->xml, name);
    document->depth++;
}

static void write_end(struct document *document) {
    tcplan_xml_end(document->xml);
    document->depth--;
}

static void write_text(struct document *document, const char *name, const char *value) {
    tcplan_xml_text(document->xml, name, value);
}

static void write_integer(struct document *document, const char *name, int64_t value) {
    tcplan_xml_integer(document->xml, name, value);
}

static void write_number(struct document *document, const char *name, double value) {
    if (isfinite(value)) tcplan_xml_number(document->xml, name, value);
}

static void write_boolean(struct document *document, const char *name, bool value) {
    tcplan_xml_text(document->xml, name, value ? "true" : "false");
}

static void write_texts(struct document *document, const char *name, const char *const values[],
                        int count) {
    struct strbuf list = {0};
    for (int i = 0; i < count; i++) strbuf_add(&list, "%s%s", i > 0 ? " " : "", values[i]);
    document_text_owned(document, name, strbuf_finish(&list));
}

static void write_numbers(struct document *document, const char *name, const double values[],
                          int count) {
    struct strbuf list = {0};
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        strbuf_add(&list, "%s", list.length > 0 ? " " : "");
        decimal_print(&list, values[i]);
    }
    document_text_owned(document, name, strbuf_finish(&list));
}

static void write_absent(struct document *document, const char *name) {
    (void)document, (void)name;
}

static void write_sentences(struct document *document, const char *name, const char *item,
                            const char *const values[], int count) {
    write_element(document, name);
    for (int i = 0; i < count; i++) {
        write_element(document, item);
        write_text(document, "text", values[i]);
        write_end(document);
    }
    write_end(document);
}

static void write_sizes(struct document *document, const char *sizes) {
    write_text(document, "sizes", sizes);
}

static void write_nest(struct document *document, const struct row *row,
                       const struct tcplan_problem *problem) {
    tcplan_xml_nest(document->xml, row->nest, problem, row->dtype);
}

static void write_markup(struct document *document, const char *elements) {
    tcplan_xml_markup(document->xml, elements);
}

static const struct document_kind kind = {.open = open_document,
                                          .object = write_element,
                                          .list = write_element,
                                          .end = write_end,
                                          .text = write_text,
                                          .integer = write_integer,
                                          .number = write_number,
                                          .boolean = write_boolean,
                                          .texts = write_texts,
                                          .numbers = write_numbers,
                                          .absent = write_absent,
                                          .sentences = write_sentences,
                                          .sizes = write_sizes,
                                          .nest = write_nest,
                                          .markup = write_markup,
                                          .close = close_document};

static void begin(struct writer *writer) {
    document_begin(writer, &kind);
}

const struct format format_xml = DOCUMENT_FORMAT(begin);
