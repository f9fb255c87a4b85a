#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/render/document.h"
#include "cli/render/json_text.h"

static FILE *file_of(const struct document *document) {
    return document->writer->file;
}

static void start_line(const struct document *document) {
    fprintf(file_of(document), "\n%*s", 2 * document->depth, "");
}

/** Writes a value and takes it over; NULL means that memory is out. */
static void write_value(struct document *document, json_t *value) {
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    json_decref(value);
    if (text) {
        fputs(text, file_of(document));
    } else {
        document->writer->no_memory = true;
    }
    free(text);
}

/** Comma, line and, in an object, the name. */
static void start_member(struct document *document, const char *name) {
    if (document->depth == 0) return;
    fputs(document->level[document->depth - 1].filled ? "," : "", file_of(document));
    document->level[document->depth - 1].filled = true;
    start_line(document);
    if (document->level[document->depth - 1].is_list) return;
    write_value(document, json_text(name));
    fputs(": ", file_of(document));
}

static void start_level(struct document *document, const char *name, bool is_list) {
    start_member(document, name);
    fputc(is_list ? '[' : '{', file_of(document));
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
    document->depth--;
    if (document->level[document->depth].filled) start_line(document);
    fputc(document->level[document->depth].is_list ? ']' : '}', file_of(document));
}

static void write_text(struct document *document, const char *name, const char *value) {
    start_member(document, name);
    write_value(document, json_text(value));
}

static void write_integer(struct document *document, const char *name, int64_t value) {
    start_member(document, name);
    write_value(document, json_integer(value));
}

static void write_number(struct document *document, const char *name, double value) {
    if (!isfinite(value)) return;
    start_member(document, name);
    write_value(document, json_real(value));
}

static void write_boolean(struct document *document, const char *name, bool value) {
    start_member(document, name);
    write_value(document, json_boolean(value));
}

static void write_texts(struct document *document, const char *name, const char *const values[], int count) {
    json_t *array = json_array();
    for (int i = 0; i < count; i++) {
        if (json_array_append_new(array, json_text(values[i])) != 0) document->writer->no_memory = true;
    }
    start_member(document, name);
    write_value(document, array);
}

static void write_numbers(struct document *document, const char *name, const double values[], int count) {
    json_t *array = json_array();
    for (int i = 0; i < count; i++) {
        if (isfinite(values[i]) && json_array_append_new(array, json_real(values[i])) != 0) document->writer->no_memory = true;
    }
    start_member(document, name);
    write_value(document, array);
}

static void write_sizes(struct document *document, const struct tcplan_problem *problem) {
    json_t *sizes = json_object();
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (json_object_set_new(sizes, problem->contraction->index[i].name, json_integer(problem->extent[i])) != 0) {
            document->writer->no_memory = true;
        }
    }
    start_member(document, "sizes");
    write_value(document, sizes);
}

static void write_nest(struct document *document, const struct row *row, const struct tcplan_problem *problem) {
    char *text = tcplan_nest_text(row->nest, problem, row->dtype);
    if (text) {
        write_text(document, "nest", text);
    } else {
        document->writer->no_memory = true;
    }
    free(text);
}

static bool open_document(struct document *document) {
    (void)document;
    return true;
}

static void close_document(struct document *document) {
    fputc('\n', file_of(document));
}

static const struct document_kind kind = {.open = open_document,
                                          .object = write_object,
                                          .list = write_list,
                                          .end = write_end,
                                          .text = write_text,
                                          .integer = write_integer,
                                          .number = write_number,
                                          .boolean = write_boolean,
                                          .texts = write_texts,
                                          .numbers = write_numbers,
                                          .sizes = write_sizes,
                                          .nest = write_nest,
                                          .close = close_document};

static void begin(struct writer *writer) {
    document_begin(writer, &kind);
}

const struct format format_json = DOCUMENT_FORMAT(begin);
