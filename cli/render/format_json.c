#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/render/algorithms/report.h"
#include "cli/render/format.h"
#include "cli/render/text/values.h"
#include "cli/render/view.h"

static FILE *file_of(const struct document *document) {
    return document->writer->file;
}

static void start_line(const struct document *document) {
    if (!document->on_one_line) fprintf(file_of(document), "\n%*s", 2 * document->depth, "");
}

/** Writes a comma, a newline and, in an object, the name of the next member. */
static void start_member(struct document *document, const char *name) {
    FILE *file = file_of(document);
    if (document->depth == 0) return;
    fputs(document->level[document->depth - 1].filled ? "," : "", file);
    document->level[document->depth - 1].filled = true;
    start_line(document);
    if (document->level[document->depth - 1].is_list) return;
    assert(name && *name); /* members of objects have names */
    json_print_text(file, name);
    fputs(document->on_one_line ? ":" : ": ", file);
}

static void start_level(struct document *document, const char *name, bool is_list) {
    start_member(document, name);
    fputc(is_list ? '[' : '{', file_of(document));
    assert(document->depth < (int)(sizeof document->level / sizeof *document->level));
    document->level[document->depth].is_list = is_list;
    document->level[document->depth].filled = false;
    document->depth++;
}

static void write_object(struct document *document, const char *name) {
    start_level(document, name, false);
}

static void write_list(struct document *document, const char *name) {
    start_level(document, name, true);
}

static void write_end(struct document *document) {
    assert(document->depth > 0);
    document->depth--;
    if (document->level[document->depth].filled) start_line(document);
    fputc(document->level[document->depth].is_list ? ']' : '}', file_of(document));
}

static void write_text(struct document *document, const char *name, const char *value) {
    start_member(document, name);
    json_print_text(file_of(document), value);
}

static void write_integer(struct document *document, const char *name, int64_t value) {
    start_member(document, name);
    fprintf(file_of(document), "%" PRId64, value);
}

static void write_number(struct document *document, const char *name, double value) {
    if (!isfinite(value)) return;
    start_member(document, name);
    if (!json_print_number(file_of(document), value)) document->writer->no_memory = true;
}

static void write_boolean(struct document *document, const char *name, bool value) {
    start_member(document, name);
    fputs(value ? "true" : "false", file_of(document));
}

static void write_texts(struct document *document, const char *name, const char *const values[],
                        int count) {
    start_member(document, name);
    fputc('[', file_of(document));
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", file_of(document));
        json_print_text(file_of(document), values[i]);
    }
    fputc(']', file_of(document));
}

static void write_numbers(struct document *document, const char *name, const double values[],
                          int count) {
    bool filled = false;
    start_member(document, name);
    fputc('[', file_of(document));
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        fputs(filled ? "," : "", file_of(document));
        filled = true;
        if (!json_print_number(file_of(document), values[i])) document->writer->no_memory = true;
    }
    fputc(']', file_of(document));
}

static void write_absent(struct document *document, const char *name) {
    start_member(document, name);
    fputs("null", file_of(document));
}

static void write_sentences(struct document *document, const char *name, const char *item,
                            const char *const values[], int count) {
    (void)item;
    write_texts(document, name, values, count);
}

/** Returns the length of `index = extent` and of the index; 0: malformed, which is possible in
 * files of other programs. */
static size_t extent_bytes(const char *text, size_t *name) {
    *name = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (*name == 0 || text[*name] != '=') return 0;
    const size_t digits = strspn(text + *name + 1, "0123456789");
    if (text[*name + 1] == '0' && digits > 1) return 0;
    return digits > 0 && strchr(",", text[*name + 1 + digits]) ? *name + 1 + digits : 0;
}

/** Writes an object with a member for each index. */
static void write_sizes(struct document *document, const char *sizes) {
    FILE *file = file_of(document);
    size_t name, bytes;
    start_member(document, "sizes");
    fputc('{', file);
    for (const char *at = sizes; (bytes = extent_bytes(at, &name)) > 0;
         at += bytes + (at[bytes] == ',')) {
        fprintf(file, "%s\"%.*s\":%.*s", at == sizes ? "" : ",", (int)name, at,
                (int)(bytes - name - 1), at + name + 1);
    }
    fputc('}', file);
}

static void write_nest(struct document *document, const struct row *row,
                       const struct tcplan_problem *problem) {
    document_text_owned(document, "nest", tcplan_nest_text(row->nest, problem, row->dtype));
}

static bool open_document(struct document *document) {
    (void)document;
    return true;
}

static void close_document(struct document *document) {
    assert(document->depth == 0); /* every object and list was ended */
    fputc('\n', file_of(document));
}

const struct document_kind document_json = {.open = open_document,
                                            .object = write_object,
                                            .list = write_list,
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
                                            .close = close_document};

static void begin(struct writer *writer) {
    document_begin(writer, &document_json);
}

const struct format format_json = DOCUMENT_FORMAT(begin);
