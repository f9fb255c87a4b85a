#include "routines/blocked/algorithms/user_xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/strbuf.h"
#include "contractions/xml_reader.h"
#include "routines/blocked/algorithms/product.h"
#include "routines/blocked/algorithms/text.h"

/** A file being read. */
struct reading {
    struct xml_reader *xml;
    enum tcplan_dtype dtype;
    struct tcplan_error *error;
    struct arena arena;
    int count;
    struct blocked_source source[USER_ALGORITHMS];
    struct tcplan_blocked *made[USER_ALGORITHMS];
};

/** Copies an attribute; NULL if it is absent. */
static bool take_attribute(const char **out, struct reading *reading, const char *name) {
    const char *value = xml_reader_attribute(reading->xml, name);
    *out = NULL;
    if (!value) return true;
    *out = arena_strndup(&reading->arena, value, strlen(value));
    return *out != NULL;
}

static enum tcplan_status begin_source(struct reading *reading, struct blocked_source *out) {
    const char *transposed = NULL;
    *out = (struct blocked_source){.known = reading->source, .known_count = reading->count};
    if (!take_attribute(&out->name, reading, "name") ||
        !take_attribute(&out->matrices, reading, "matrices") ||
        !take_attribute(&out->routine, reading, "routine") ||
        !take_attribute(&out->note, reading, "note") ||
        !take_attribute(&transposed, reading, "transposed"))
        return error_no_memory(reading->error);
    out->transposed = transposed && strcmp(transposed, "true") == 0;
    for (int s = 0; s < reading->count; s++) {
        if (strcmp(reading->source[s].name, out->name) == 0)
            return xml_reader_refuse(reading->xml, reading->error,
                                     "an algorithm '%s' exists already", out->name);
    }
    return TCPLAN_OK;
}

/** Reads the text up to the element's end; the end of a line ends a statement. */
static enum tcplan_status take_steps(struct reading *reading, struct blocked_source *out) {
    struct strbuf text = {0};
    enum xml_event event = XML_EVENT_TEXT;
    enum tcplan_status status = TCPLAN_OK;
    while (status == TCPLAN_OK && event != XML_EVENT_END) {
        status = xml_reader_next(reading->xml, &event, reading->error);
        if (status == TCPLAN_OK && event == XML_EVENT_TEXT)
            strbuf_add(&text, "%s", xml_reader_text(reading->xml));
        if (status == TCPLAN_OK && text.length > USER_STEPS_BYTES)
            status = xml_reader_refuse(reading->xml, reading->error,
                                       "the steps of '%s' are longer than %d bytes", out->name,
                                       USER_STEPS_BYTES);
    }
    for (size_t i = 0; i < text.length; i++) {
        if (text.text[i] == '\n') text.text[i] = ';';
        if (text.text[i] == '\r') text.text[i] = ' ';
    }
    /* Only line ends may precede the loop. */
    for (size_t i = 0;
         i < text.length && (text.text[i] == ';' || text.text[i] == ' ' || text.text[i] == '\t');
         i++)
        text.text[i] = ' ';
    while (text.length > 0 && strchr("; \t", text.text[text.length - 1])) text.length--;
    if (status == TCPLAN_OK && text.failed) status = error_no_memory(reading->error);
    if (status == TCPLAN_OK) {
        out->steps = arena_strndup(&reading->arena, text.text ? text.text : "", text.length);
        if (!out->steps) status = error_no_memory(reading->error);
    }
    strbuf_free(&text);
    return status;
}

/** Reports an error with its place in the file: the attribute, or the statement. */
static enum tcplan_status blame(struct reading *reading, const struct blocked_source *source,
                                enum blocked_place place, const struct tcplan_error *found) {
    static const char *const attributes[] = {"matrices", "steps", "routine"};
    const char *texts[] = {source->matrices, source->steps, source->routine};
    const char *text = texts[place] ? texts[place] : "";
    const size_t length = strlen(text),
                 offset = found->column > 0 && found->column <= length + 1 ? found->column - 1 : 0;
    if (place != BLOCKED_IN_STEPS)
        return xml_reader_refuse(reading->xml, reading->error, "%s of '%s', character %zu: %.200s",
                                 attributes[place], source->name, offset + 1, found->message);
    size_t begin = offset;
    while (begin > 0 && text[begin - 1] != ';') begin--;
    begin += strspn(text + begin, " \t");
    const int shown = (int)strcspn(text + begin, ";");
    return xml_reader_refuse(reading->xml, reading->error, "'%s', at `%.*s`: %.200s", source->name,
                             shown < 60 ? shown : 60, text + begin, found->message);
}

static enum tcplan_status read_algorithm(struct reading *reading) {
    struct blocked_source source;
    struct tcplan_error error = {.status = TCPLAN_OK};
    enum blocked_place place = BLOCKED_IN_MATRICES;
    if (reading->count == USER_ALGORITHMS)
        return xml_reader_refuse(reading->xml, reading->error, "more than %d algorithms",
                                 USER_ALGORITHMS);
    enum tcplan_status status = begin_source(reading, &source);
    if (status == TCPLAN_OK) status = take_steps(reading, &source);
    if (status != TCPLAN_OK) return status;
    status = blocked_build(&reading->made[reading->count], &source, reading->dtype, &place, &error);
    if (status == TCPLAN_INVALID) return blame(reading, &source, place, &error);
    if (status != TCPLAN_OK) return error_set(reading->error, status, "%s", error.message);
    reading->source[reading->count++] = source;
    return TCPLAN_OK;
}

/** Adds the algorithm for one way to compute a product, such as `NAME_1`. */
static enum tcplan_status add_way(struct reading *reading, const struct blocked_source *product,
                                  const struct product_way *way, int number) {
    struct blocked_source source = {.known = reading->source, .known_count = reading->count};
    char name[2 * TCPLAN_BLOCKED_NAME];
    snprintf(name, sizeof name, "%s_%d", product->name, number);
    if (reading->count == USER_ALGORITHMS)
        return xml_reader_refuse(reading->xml, reading->error, "more than %d algorithms",
                                 USER_ALGORITHMS);
    if (strlen(name) >= TCPLAN_BLOCKED_NAME)
        return xml_reader_refuse(reading->xml, reading->error, "the name '%s' is too long",
                                 product->name);
    source.name = arena_strndup(&reading->arena, name, strlen(name));
    source.matrices = arena_strndup(&reading->arena, way->matrices, strlen(way->matrices));
    source.steps = arena_strndup(&reading->arena, way->steps, strlen(way->steps));
    source.note = arena_strndup(&reading->arena, way->note, strlen(way->note));
    if (!source.name || !source.matrices || !source.steps || !source.note)
        return error_no_memory(reading->error);
    struct tcplan_error error = {.status = TCPLAN_OK};
    const enum tcplan_status status =
        blocked_build(&reading->made[reading->count], &source, reading->dtype, NULL, &error);
    if (status != TCPLAN_OK)
        return xml_reader_refuse(reading->xml, reading->error, "'%s': %.200s", name, error.message);
    reading->source[reading->count++] = source;
    return TCPLAN_OK;
}

static enum tcplan_status read_product(struct reading *reading) {
    struct blocked_source source;
    struct product_ways ways = {.count = 0};
    struct tcplan_error error = {.status = TCPLAN_OK};
    enum blocked_place place = BLOCKED_IN_MATRICES;
    enum tcplan_status status = begin_source(reading, &source);
    if (status == TCPLAN_OK) status = take_steps(reading, &source);
    if (status != TCPLAN_OK) return status;
    status =
        product_ways_find(&ways, source.matrices, source.steps, reading->dtype, &place, &error);
    if (status == TCPLAN_INVALID) {
        status = blame(reading, &source, place, &error);
    } else if (status != TCPLAN_OK) {
        error_set(reading->error, status, "%s", error.message);
    }
    for (int w = 0; w < ways.count && status == TCPLAN_OK; w++)
        status = add_way(reading, &source, &ways.of[w], w + 1);
    product_ways_free(&ways);
    return status;
}

static enum tcplan_status read_all(struct reading *reading) {
    enum xml_event event = XML_EVENT_BEGIN;
    enum tcplan_status status = TCPLAN_OK;
    while (status == TCPLAN_OK && event != XML_EVENT_DONE) {
        status = xml_reader_next(reading->xml, &event, reading->error);
        if (status != TCPLAN_OK || event != XML_EVENT_BEGIN) continue;
        if (strcmp(xml_reader_name(reading->xml), "algorithm") == 0)
            status = read_algorithm(reading);
        if (strcmp(xml_reader_name(reading->xml), "product") == 0) status = read_product(reading);
    }
    if (status == TCPLAN_OK && reading->count == 0)
        status =
            xml_reader_refuse(reading->xml, reading->error, "expected an algorithm or a product");
    return status;
}

static enum tcplan_status hand_over(struct reading *reading, struct tcplan_blocked ***out,
                                    int *count) {
    *out = base_alloc((size_t)(reading->count > 0 ? reading->count : 1) *
                      sizeof(struct tcplan_blocked *));
    if (!*out) return error_no_memory(reading->error);
    memcpy(*out, reading->made, (size_t)reading->count * sizeof(struct tcplan_blocked *));
    *count = reading->count;
    reading->count = 0;
    return TCPLAN_OK;
}

enum tcplan_status user_algorithms_from(struct tcplan_blocked ***out, int *count,
                                        tcplan_read_fn *read, void *context,
                                        enum tcplan_dtype dtype, struct tcplan_error *error) {
    struct reading *reading = base_alloc_zero(1, sizeof *reading);
    *out = NULL;
    *count = 0;
    if (!reading) return error_no_memory(error);
    reading->dtype = dtype;
    reading->error = error;
    enum tcplan_status status =
        xml_reader_new(&reading->xml, &schema_algorithms, read, context, error);
    if (status == TCPLAN_OK) status = read_all(reading);
    if (status == TCPLAN_OK) status = hand_over(reading, out, count);
    xml_reader_free(reading->xml);
    for (int a = 0; a < reading->count; a++) tcplan_blocked_free(reading->made[a]);
    arena_free(&reading->arena);
    base_free(reading);
    return status;
}

/** Reads from a file, as a tcplan_read_fn. */
static ptrdiff_t read_file(void *context, char *buffer, size_t size) {
    FILE *file = context;
    const size_t count = fread(buffer, 1, size, file);
    return ferror(file) ? -1 : (ptrdiff_t)count;
}

enum tcplan_status tcplan_blocked_read(struct tcplan_blocked ***out, int *count, const char *path,
                                       enum tcplan_dtype dtype, struct tcplan_error *error) {
    *out = NULL;
    *count = 0;
    enum tcplan_status status = input_file_check("", path, error);
    if (status != TCPLAN_OK) return status;
    FILE *file = fopen(path, "re");
    if (!file) return error_set(error, TCPLAN_ENVIRONMENT, "cannot read '%.200s'", path);
    status = user_algorithms_from(out, count, read_file, file, dtype, error);
    fclose(file);
    if (status == TCPLAN_INVALID && error) {
        const struct tcplan_error found = *error;
        if (found.line > 0) {
            error_set(error, TCPLAN_INVALID, "%.120s, line %zu: %.190s", path, found.line,
                      found.message);
        } else {
            error_set(error, TCPLAN_INVALID, "%.120s: %.190s", path, found.message);
        }
        error->line = found.line;
    }
    return status;
}
