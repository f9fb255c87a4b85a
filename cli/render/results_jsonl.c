#include <jansson.h>
#include <stdlib.h>

#include "cli/render/json_text.h"
#include "cli/render/results_writer.h"

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

/** Texts that are not known are left out, and so are numbers. */
static void add_text(struct object *object, const char *name, const char *value) {
    if (value && *value) add(object, name, json_text(value));
}

static void add_number(struct object *object, const char *name, double value) {
    if (value > 0) add(object, name, json_real(value));
}

static void add_integer(struct object *object, const char *name, int64_t value) {
    if (value > 0) add(object, name, json_integer(value));
}

static void add_object(struct object *object, const char *name, struct object member) {
    object->failed = object->failed || member.failed;
    add(object, name, member.json);
}

static struct object algorithm_object(const struct tcplan_result_algorithm *algorithm) {
    struct object object = new_object();
    add_text(&object, "name", algorithm->name);
    add_text(&object, "kernel", algorithm->kernel);
    add(&object, "tied", json_boolean(algorithm->tied));
    add_integer(&object, "calls", algorithm->calls);
    add_number(&object, "predicted_seconds", algorithm->predicted_seconds);
    add_number(&object, "predicted_low", algorithm->predicted_low);
    add_number(&object, "predicted_high", algorithm->predicted_high);
    add_number(&object, "measured_seconds", algorithm->measured_seconds);
    add_number(&object, "measured_low", algorithm->measured_low);
    add_number(&object, "measured_high", algorithm->measured_high);
    return object;
}

static void add_algorithms(struct object *object, const struct tcplan_result *result) {
    json_t *list = json_array();
    for (size_t a = 0; a < result->algorithm_count; a++) {
        const struct object algorithm = algorithm_object(&result->algorithm[a]);
        if (algorithm.failed) object->failed = true;
        if (json_array_append_new(list, algorithm.json) != 0) object->failed = true;
    }
    add(object, "algorithms", list);
}

static struct object provenance_object(const struct tcplan_provenance *provenance) {
    struct object object = new_object();
    add_text(&object, "tcplan", provenance->tcplan);
    add_text(&object, "settings", provenance->settings);
    add_text(&object, "host", provenance->host);
    add_text(&object, "cpu", provenance->cpu);
    add_text(&object, "machine", provenance->machine);
    add_integer(&object, "cores", provenance->cores);
    add_text(&object, "blas_name", provenance->blas_name);
    add_text(&object, "blas_version", provenance->blas_version);
    add_text(&object, "blas_core", provenance->blas_core);
    return object;
}

static void add_entry(struct object *object, const struct tcplan_result *result) {
    add_text(object, "id", result->id);
    add_text(object, "library", result->library);
    add_text(object, "group", result->group);
    add_text(object, "name", result->name);
    add_text(object, "class", result->size_class);
    add_text(object, "source", result->source);
    add_text(object, "contraction", result->contraction);
    add_text(object, "sizes", result->sizes);
    add_text(object, "dtype", tcplan_word(tcplan_words_dtypes, (int)result->dtype));
    if (result->strides && *result->strides) add_text(object, "strides", result->strides);
    add_text(object, "order", tcplan_word(tcplan_words_orders, (int)result->order));
    add_integer(object, "threads", result->threads);
}

static void add_outcome(struct object *object, const struct tcplan_result *result) {
    const struct tcplan_result_algorithm *fastest = tcplan_result_fastest(result);
    add_text(object, "status", result->reason ? "failed" : "done");
    add_text(object, "reason", result->reason);
    add_number(object, "flops", result->flops);
    add_number(object, "planning_seconds", result->planning_seconds);
    add_number(object, "dgemm_gflops", result->gemm_gflops);
    add_integer(object, "algorithm_count", result->algorithm_total);
    add_integer(object, "pruned", result->pruned_count);
    if (result->algorithm_count > 0) add_text(object, "winner", result->algorithm[0].name);
    add_text(object, "fastest", fastest ? fastest->name : NULL);
    add_number(object, "regret", tcplan_result_regret(result));
    add_text(object, "reused_from", result->reused_from);
    add_text(object, "finished", result->finished);
}

/** One object, without the end of its line. */
static void write_object(struct results_writer *writer, const struct tcplan_result *result) {
    struct object object = new_object();
    add_entry(&object, result);
    add_outcome(&object, result);
    add_algorithms(&object, result);
    add_object(&object, "provenance", provenance_object(result->provenance));
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
