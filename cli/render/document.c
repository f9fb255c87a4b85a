#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "cli/render/algorithms/report.h"
#include "cli/render/text/values.h"
#include "cli/render/view.h"

static FILE *file_of(const struct document *document) {
    return document->writer->file;
}

static void start_line(const struct document *document) {
    if (!document->on_one_line) fprintf(file_of(document), "\n%*s", 2 * document->depth, "");
}

/** JSON: writes a comma if needed, a newline and, in an object, the name of the next member.
 * Returns the file, to which the caller writes the value. */
static FILE *start_member(struct document *document, const char *name) {
    FILE *file = file_of(document);
    if (document->depth == 0) return file;
    fputs(document->level[document->depth - 1].filled ? "," : "", file);
    document->level[document->depth - 1].filled = true;
    start_line(document);
    if (document->level[document->depth - 1].is_list) return file;
    assert(name && *name); /* Members of objects must have names. */
    json_print_text(file, name);
    fputs(document->on_one_line ? ":" : ": ", file);
    return file;
}

static void start_level(struct document *document, const char *name, bool is_list) {
    if (document->xml) {
        tcplan_xml_begin(document->xml, name);
    } else {
        fputc(is_list ? '[' : '{', start_member(document, name));
        assert(document->depth < DOCUMENT_DEPTH);
        document->level[document->depth].is_list = is_list;
        document->level[document->depth].filled = false;
    }
    document->depth++;
}

void document_object(struct document *document, const char *name) {
    start_level(document, name, false);
}

void document_list(struct document *document, const char *name) {
    start_level(document, name, true);
}

void document_close(struct document *document) {
    assert(document->depth > 0);
    document->depth--;
    if (document->xml) {
        tcplan_xml_end(document->xml);
        return;
    }
    if (document->level[document->depth].filled) start_line(document);
    fputc(document->level[document->depth].is_list ? ']' : '}', file_of(document));
}

void document_text(struct document *document, const char *name, const char *value) {
    if (document->xml) {
        tcplan_xml_text(document->xml, name, value);
    } else {
        json_print_text(start_member(document, name), value);
    }
}

void document_text_owned(struct document *document, const char *name, char *text) {
    if (text) document_text(document, name, text);
    if (!text) document->writer->no_memory = true;
    free(text);
}

void document_integer(struct document *document, const char *name, int64_t value) {
    if (document->xml) {
        tcplan_xml_integer(document->xml, name, value);
    } else {
        fprintf(start_member(document, name), "%" PRId64, value);
    }
}

static void print_number(const struct document *document, double value) {
    if (!json_print_number(file_of(document), value)) document->writer->no_memory = true;
}

void document_number(struct document *document, const char *name, double value) {
    if (!isfinite(value)) return;
    if (document->xml) {
        tcplan_xml_number(document->xml, name, value);
    } else {
        start_member(document, name);
        print_number(document, value);
    }
}

void document_flag(struct document *document, const char *name, bool value) {
    const char *word = value ? "true" : "false";
    if (document->xml) {
        tcplan_xml_text(document->xml, name, word);
    } else {
        fputs(word, start_member(document, name));
    }
}

void document_absent(struct document *document, const char *name) {
    if (!document->xml) fputs("null", start_member(document, name));
}

void document_texts(struct document *document, const char *name, const char *const values[],
                    int count) {
    struct strbuf list = {0};
    if (document->xml) {
        for (int i = 0; i < count; i++) strbuf_add(&list, "%s%s", i > 0 ? " " : "", values[i]);
        document_text_owned(document, name, strbuf_finish(&list));
        return;
    }
    FILE *file = start_member(document, name);
    fputc('[', file);
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", file);
        json_print_text(file, values[i]);
    }
    fputc(']', file);
}

void document_numbers(struct document *document, const char *name, const double values[],
                      int count) {
    struct strbuf list = {0};
    bool filled = false;
    if (!document->xml) fputc('[', start_member(document, name));
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        if (document->xml) {
            strbuf_add(&list, "%s", filled ? " " : "");
            decimal_print(&list, values[i]);
        } else {
            fputs(filled ? "," : "", file_of(document));
            print_number(document, values[i]);
        }
        filled = true;
    }
    if (document->xml) document_text_owned(document, name, strbuf_finish(&list));
    if (!document->xml) fputc(']', file_of(document));
}

void document_sentences(struct document *document, const char *name, const char *item,
                        const char *const values[], int count) {
    if (!document->xml) {
        document_texts(document, name, values, count);
        return;
    }
    document_list(document, name);
    for (int i = 0; i < count; i++) {
        document_object(document, item);
        document_text(document, "text", values[i]);
        document_close(document);
    }
    document_close(document);
}

/** Returns the length of the text `index = extent`; `*name` receives the length of the index.
 * Returns 0 if the text is malformed, which is possible in files of other programs. */
static size_t extent_bytes(const char *text, size_t *name) {
    *name = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (*name == 0 || text[*name] != '=') return 0;
    const size_t digits = strspn(text + *name + 1, "0123456789");
    if (text[*name + 1] == '0' && digits > 1) return 0;
    return digits > 0 && strchr(",", text[*name + 1 + digits]) ? *name + 1 + digits : 0;
}

void document_sizes(struct document *document, const char *sizes) {
    size_t name, bytes;
    if (document->xml) {
        document_text(document, "sizes", sizes);
        return;
    }
    FILE *file = start_member(document, "sizes");
    fputc('{', file);
    for (const char *at = sizes; (bytes = extent_bytes(at, &name)) > 0;
         at += bytes + (at[bytes] == ',')) {
        fprintf(file, "%s\"%.*s\":%.*s", at == sizes ? "" : ",", (int)name, at,
                (int)(bytes - name - 1), at + name + 1);
    }
    fputc('}', file);
}

void document_nest(struct document *document, const struct row *row,
                   const struct tcplan_problem *problem) {
    if (document->xml) {
        tcplan_xml_nest(document->xml, row->nest, problem, row->dtype);
    } else {
        document_text_owned(document, "nest", tcplan_nest_text(row->nest, problem, row->dtype));
    }
}

/* Whole documents. */

void document_open(struct document *document, const char *name) {
    document_object(document, name);
    document_integer(document, "schema", DOCUMENT_SCHEMA);
    document_text(document, "tcplan", TCPLAN_VERSION_STRING);
}

static void begin_json(struct writer *writer) {
    writer->document = base_alloc(sizeof *writer->document);
    writer->no_memory = !writer->document;
    if (writer->document) *writer->document = (struct document){.writer = writer};
}

/** Writes a piece of XML; implements tcplan_write_fn. */
static bool write_piece(void *context, const char *text, size_t length) {
    return fwrite(text, 1, length, context) == length;
}

static void begin_xml(struct writer *writer) {
    begin_json(writer);
    if (!writer->document ||
        tcplan_xml_new(&writer->document->xml, write_piece, writer->file, NULL) == TCPLAN_OK)
        return;
    writer->no_memory = true;
    base_free(writer->document);
    writer->document = NULL;
}

static void write_view(struct writer *writer, const struct view *view, const void *record) {
    struct document *document = writer->document;
    if (!document) return; /* Memory ran out; the writer has recorded that. */
    if (writer->written == 0 && writer->points > 1) document_list(document, view->list);
    document_open(document, view->element);
    fields_document(document, view->fields, record);
    document_close(document);
}

static void end(struct writer *writer) {
    struct document *document = writer->document;
    if (!document) return;
    while (document->depth > 0) document_close(document);
    if (!document->xml) {
        fputc('\n', writer->file);
    } else if (tcplan_xml_finish(document->xml, NULL) == TCPLAN_NO_MEMORY) {
        writer->no_memory = true;
    }
    base_free(document);
    writer->document = NULL;
}

const struct format format_json = {.begin = begin_json, .view = write_view, .end = end};
const struct format format_xml = {.begin = begin_xml, .view = write_view, .end = end};
