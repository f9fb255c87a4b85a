#include <jansson.h>
#include <stdlib.h>

#include "cli/render/json_text.h"
#include "cli/render/results_writer.h"
#include "tcplan/result_fields.h"

/** An object in the making; a member that memory is missing for is noted. */
struct object {
    json_t *json;
    bool failed;
};

static struct object new_object(void) {
    struct object object = {.json = json_object()};
    object.failed = !object.json;
    return object;
}

/** Takes the value over. */
static void add(struct object *object, const char *name, json_t *value) {
    if (json_object_set_new(object->json, name, value) != 0) object->failed = true;
}

static void add_object(struct object *object, const char *name, struct object member) {
    object->failed = object->failed || member.failed;
    add(object, name, member.json);
}

static json_t *json_of(const struct tcplan_field *field, const struct tcplan_field_value *value) {
    if (value->text) return json_text(value->text);
    if (field->kind == TCPLAN_FIELD_FLAG) return json_boolean(value->integer);
    return field->kind == TCPLAN_FIELD_NUMBER ? json_real(value->number) : json_integer(value->integer);
}

/** Adds the fields of a table; what is not known is left out. */
static void add_fields(struct object *object, const struct tcplan_field *fields, const void *record) {
    for (; fields->name; fields++) {
        if (!(fields->formats & TCPLAN_FIELD_JSON)) continue;
        const struct tcplan_field_value value = tcplan_field_value(fields, record);
        object->failed = object->failed || value.no_memory;
        if (value.known) add(object, fields->json ? fields->json : fields->name, json_of(fields, &value));
        free(value.owned);
    }
}

static struct object object_of(const struct tcplan_field *fields, const void *record) {
    struct object object = new_object();
    add_fields(&object, fields, record);
    return object;
}

static void add_algorithms(struct object *object, const struct tcplan_result *result) {
    json_t *list = json_array();
    for (size_t a = 0; a < result->algorithm_count; a++) {
        const struct object algorithm = object_of(tcplan_algorithm_fields, &result->algorithm[a]);
        if (algorithm.failed) object->failed = true;
        if (json_array_append_new(list, algorithm.json) != 0) object->failed = true;
    }
    add(object, "algorithms", list);
}

/** One object, without the end of its line. */
static void write_object(struct results_writer *writer, const struct tcplan_result *result) {
    struct object object = object_of(tcplan_result_fields, result);
    add_algorithms(&object, result);
    add_object(&object, "provenance", object_of(tcplan_provenance_fields, result->provenance));
    char *text = object.failed ? NULL : json_dumps(object.json, JSON_COMPACT);
    json_decref(object.json);
    if (text) fputs(text, writer->file);
    writer->no_memory = writer->no_memory || !text;
    free(text);
}

static void write_line(struct results_writer *writer, const struct tcplan_result *result) {
    write_object(writer, result);
    fputc('\n', writer->file);
}

const struct results_format results_format_jsonl = {.record = write_line};

/* JSON: one array of the same objects. */

static void begin_array(struct results_writer *writer) {
    fputc('[', writer->file);
}

static void write_member(struct results_writer *writer, const struct tcplan_result *result) {
    fputs(writer->written > 0 ? ",\n" : "\n", writer->file);
    write_object(writer, result);
}

static void end_array(struct results_writer *writer, const struct tcplan_results_summary *summary) {
    (void)summary;
    fputs("\n]\n", writer->file);
}

const struct results_format results_format_json = {.begin = begin_array, .record = write_member, .end = end_array};
