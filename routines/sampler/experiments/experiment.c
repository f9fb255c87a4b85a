#include "tcplan/experiment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/input_file.h"
#include "contractions/xml_text.h"
#include "routines/sampler/experiments/experiment_reader.h"
#include "routines/sampler/experiments/experiment_schema.h"

enum { USUAL_REPETITIONS = 10, COUNTERS_LENGTH_MAX = 512 };

/** An experiment being read. */
struct reading {
    struct tcplan_experiment *experiment;
    struct xml_reader *xml;
    struct strbuf text; /* text of the open element */
    char routine[64];   /* routine of the open call */
    struct operand_text {
        const char *name, *vary, *offset;
        size_t line;
    } operand_text[EXPERIMENT_OPERANDS_MAX]; /* texts of operands, which are read after the calls
                                                because they may only name operands of calls */
    int operand_texts;
    struct tcplan_error *error;
};

/** Puts `what` before the message of an error, and sets its line to `line` unless the error has a
 * line already. */
static enum tcplan_status at_line(struct reading *reading, size_t line, const char *what,
                                  enum tcplan_status status) {
    char message[TCPLAN_MESSAGE_SIZE];
    struct tcplan_error *error = reading->error;
    if (status == TCPLAN_OK || status == TCPLAN_NO_MEMORY || !error) return status;
    snprintf(message, sizeof message, "%s", error->message);
    const size_t known = error->line;
    error_set(error, status, "%s%s%.280s", what, *what ? ": " : "", message);
    error->line = known > 0 ? known : line;
    return status;
}

static enum tcplan_status refuse(struct reading *reading, size_t line, const char *message) {
    error_set(reading->error, TCPLAN_INVALID, "%s", message);
    return at_line(reading, line, "", TCPLAN_INVALID);
}

/** Copies an attribute; returns "" if it is absent, NULL if memory runs out. */
static const char *keep(struct reading *reading, const char *attribute) {
    const char *value = xml_reader_attribute(reading->xml, attribute);
    return value ? arena_strndup(&reading->experiment->arena, value, strlen(value)) : "";
}

static bool is_true(struct reading *reading, const char *attribute) {
    const char *value = xml_reader_attribute(reading->xml, attribute);
    return value && *value == 't';
}

/** Reads an expression from an attribute; if the attribute is absent, the expression is a default
 * number. */
static enum tcplan_status read_expression(struct reading *reading, const char *text,
                                          const char *attribute, int64_t usual, bool sum,
                                          struct expression *out, size_t line) {
    struct tcplan_experiment *experiment = reading->experiment;
    const struct expression_scope scope = experiment_scope(experiment, sum);
    enum tcplan_status status =
        text && *text
            ? expression_parse(out, &experiment->arena, text, strlen(text), &scope, reading->error)
            : expression_constant(out, &experiment->arena, usual, reading->error);
    return at_line(reading, line, attribute, status);
}

/** Returns names with single blanks between them; NULL if memory runs out. */
static const char *with_single_blanks(struct arena *arena, const char *text) {
    char *copy = arena_strndup(arena, text, strlen(text));
    size_t length = 0;
    for (const char *at = text; copy && *at; at++) {
        const bool blank = strchr(" \t\r\n", *at) != NULL;
        if (!blank || (length > 0 && copy[length - 1] != ' ')) copy[length++] = blank ? ' ' : *at;
    }
    if (copy && length > 0 && copy[length - 1] == ' ') length--;
    if (copy) copy[length] = '\0';
    return copy;
}

/** Reads the attribute `library`; if it is absent, leaves `out` unchanged. */
static enum tcplan_status read_library(enum tcplan_provider *out, struct reading *reading) {
    const char *library = xml_reader_attribute(reading->xml, "library");
    if (!library || tcplan_provider_find(out, library)) return TCPLAN_OK;
    return xml_reader_refuse(
        reading->xml, reading->error,
        "library: expected openblas, libxsmm, blis or blas1 to blas4, found '%.60s'", library);
}

static enum tcplan_status begin_experiment(struct reading *reading) {
    struct tcplan_experiment *experiment = reading->experiment;
    const char *counters = xml_reader_attribute(reading->xml, "counters");
    const char *flops = xml_reader_attribute(reading->xml, "flops_per_cycle");
    experiment->name = keep(reading, "name");
    experiment->title = experiment->comment = "";
    experiment->shuffle = is_true(reading, "shuffle");
    experiment->randomize = is_true(reading, "randomize");
    experiment->parallel_calls = is_true(reading, "parallel_calls");
    experiment->counters = with_single_blanks(&experiment->arena, counters ? counters : "");
    experiment->cores = keep(reading, "cores");
    experiment->memory = keep(reading, "memory");
    if (!experiment->name || !experiment->counters || !experiment->cores || !experiment->memory)
        return error_no_memory(reading->error);
    if (strlen(experiment->counters) > COUNTERS_LENGTH_MAX)
        return xml_reader_refuse(reading->xml, reading->error,
                                 "counters: expected at most 512 characters");
    const enum tcplan_status status = read_library(&experiment->library, reading);
    if (status != TCPLAN_OK) return status;
    if (!flops || (decimal_read(&experiment->flops_per_cycle, flops, strlen(flops)) &&
                   experiment->flops_per_cycle <= 1e6))
        return TCPLAN_OK;
    return xml_reader_refuse(reading->xml, reading->error,
                             "flops_per_cycle: expected a number up to 1e6, found '%.60s'", flops);
}

/** Reads the element <range>, or the element <sum> within it. */
static enum tcplan_status begin_sweep(struct reading *reading, enum expression_variable which) {
    struct tcplan_experiment *experiment = reading->experiment;
    const bool is_sum = which == EXPRESSION_SUM;
    const struct expression_scope scope =
        is_sum ? experiment_scope(experiment, false) : (struct expression_scope){0};
    const char *values = xml_reader_attribute(reading->xml, "values");
    const size_t line = xml_reader_line(reading->xml);
    enum tcplan_status status = sweep_parse(&experiment->sweep[which], &experiment->arena,
                                            values ? values : "", &scope, reading->error);
    if (status != TCPLAN_OK) return at_line(reading, line, "values", status);
    const char *variable = keep(reading, "variable");
    if (!variable) return error_no_memory(reading->error);
    if (strcmp(variable, "rep") == 0)
        return refuse(reading, line, "variable: 'rep' is the repetition; expected another name");
    if (is_sum && experiment->variable[0] && strcmp(variable, experiment->variable[0]) == 0) {
        return refuse(reading, line,
                      "variable: the name is that of the variable of the range; expected "
                      "another name");
    }
    experiment->variable[which] = variable;
    if (is_sum) experiment->parallel_sum = is_true(reading, "parallel");
    return TCPLAN_OK;
}

static enum tcplan_status begin_call(struct reading *reading) {
    struct tcplan_experiment *experiment = reading->experiment;
    const char *routine = xml_reader_attribute(reading->xml, "routine"),
               *name = xml_reader_attribute(reading->xml, "name");
    const size_t line = xml_reader_line(reading->xml);
    if (experiment->call_count == EXPERIMENT_CALLS_MAX)
        return refuse(reading, line, "more than 64 calls");
    struct experiment_call *call = &experiment->call[experiment->call_count];
    *call = (struct experiment_call){.line = line,
                                     .named = name != NULL,
                                     .library = experiment->library,
                                     .has_library =
                                         xml_reader_attribute(reading->xml, "library") != NULL};
    if (name) call->name = keep(reading, "name");
    if (name && !call->name) return error_no_memory(reading->error);
    snprintf(reading->routine, sizeof reading->routine, "%s", routine ? routine : "");
    return read_library(&call->library, reading);
}

static enum tcplan_status begin_operand(struct reading *reading) {
    struct operand_text *out = &reading->operand_text[reading->operand_texts];
    const size_t line = xml_reader_line(reading->xml);
    if (reading->operand_texts == EXPERIMENT_OPERANDS_MAX)
        return refuse(reading, line, "more than 64 operands");
    const char *name = keep(reading, "name"), *vary = keep(reading, "vary"),
               *offset = keep(reading, "offset");
    if (!name || !vary || !offset) return error_no_memory(reading->error);
    const int known = experiment_operand(reading->experiment, name, strlen(name));
    if (known < 0) return refuse(reading, line, "more than 64 operands");
    struct experiment_operand *operand = &reading->experiment->operand[known];
    if (operand->declared) return refuse(reading, line, "this operand is declared twice");
    operand->declared = true;
    operand->line = line;
    const char *along = xml_reader_attribute(reading->xml, "along");
    operand->along = along && *along == '0' ? 0 : 1;
    *out =
        (struct operand_text){.name = operand->name, .vary = vary, .offset = offset, .line = line};
    reading->operand_texts++;
    return TCPLAN_OK;
}

static enum tcplan_status begin(struct reading *reading) {
    const char *name = xml_reader_name(reading->xml);
    strbuf_free(&reading->text);
    if (strcmp(name, "range") == 0) return begin_sweep(reading, EXPRESSION_RANGE);
    if (strcmp(name, "sum") == 0) return begin_sweep(reading, EXPRESSION_SUM);
    if (strcmp(name, "call") == 0) return begin_call(reading);
    return strcmp(name, "operand") == 0 ? begin_operand(reading) : TCPLAN_OK;
}

/** Returns the text of the element that ends; NULL if memory runs out. */
static const char *taken_text(struct reading *reading) {
    if (reading->text.failed) return NULL;
    return reading->text.text ? with_single_blanks(&reading->experiment->arena, reading->text.text)
                              : "";
}

static enum tcplan_status end_call(struct reading *reading) {
    struct tcplan_experiment *experiment = reading->experiment;
    struct experiment_call *call = &experiment->call[experiment->call_count++];
    const char *text = taken_text(reading);
    if (!text) return error_no_memory(reading->error);
    return at_line(reading, call->line, reading->routine,
                   experiment_call_parse(call, experiment, reading->routine, text, reading->error));
}

static enum tcplan_status end(struct reading *reading) {
    const char *name = xml_reader_name(reading->xml);
    const bool title = strcmp(name, "title") == 0;
    if (strcmp(name, "call") == 0) return end_call(reading);
    if (!title && strcmp(name, "comment") != 0) return TCPLAN_OK;
    const char *text = taken_text(reading);
    if (title) {
        reading->experiment->title = text;
    } else {
        reading->experiment->comment = text;
    }
    return text ? TCPLAN_OK : error_no_memory(reading->error);
}

/* vary = variable [ " " variable ] */
static enum tcplan_status read_operand(struct reading *reading, const struct operand_text *text) {
    struct tcplan_experiment *experiment = reading->experiment;
    struct experiment_operand *operand =
        &experiment->operand[experiment_operand(experiment, text->name, strlen(text->name))];
    const char *sum = experiment->variable[EXPRESSION_SUM];
    for (const char *at = text->vary; *at;) {
        const size_t length = strcspn(at, " ");
        const bool repetition = length == 3 && memcmp(at, "rep", 3) == 0;
        const bool is_sum = sum && strlen(sum) == length && memcmp(at, sum, length) == 0;
        if (!repetition && !is_sum)
            return refuse(reading, text->line, "vary: expected rep, the variable of <sum> or both");
        operand->with_repetition |= repetition;
        operand->with_sum |= is_sum;
        at += length + (at[length] == ' ');
    }
    return *text->offset ? read_expression(reading, text->offset, "offset", 0, false,
                                           &operand->offset, text->line)
                         : TCPLAN_OK;
}

static enum tcplan_status read_points(struct reading *reading, size_t line) {
    struct tcplan_experiment *experiment = reading->experiment;
    static const int64_t one_point[1] = {0};
    const struct expression_values none = {{0}};
    experiment->point = one_point;
    experiment->point_count = 1;
    if (!experiment->variable[EXPRESSION_RANGE]) return TCPLAN_OK;
    enum tcplan_status status = sweep_values(
        &experiment->point, &experiment->point_count, &experiment->sweep[EXPRESSION_RANGE], &none,
        EXPERIMENT_POINTS_MAX, &experiment->arena, reading->error);
    if (status == TCPLAN_OK && experiment->point_count == 0)
        return refuse(reading, line, "the range has no values");
    return at_line(reading, line, "range", status);
}

/** Checks what the schema cannot express: which attributes go together. */
static enum tcplan_status check(struct reading *reading, size_t line) {
    const struct tcplan_experiment *experiment = reading->experiment;
    const bool parallel = experiment->parallel_calls || experiment->parallel_sum;
    if (experiment->shuffle &&
        (experiment->threads.variables || experiment->repetitions.variables)) {
        return refuse(
            reading, line,
            "with shuffle=\"true\" threads and repetitions must be the same for all values of the range");
    }
    if (parallel && *experiment->counters)
        return refuse(reading, line,
                      "counters count one thread and cannot be used with parallel calls");
    return TCPLAN_OK;
}

static enum tcplan_status finish(struct reading *reading, const char *threads,
                                 const char *repetitions, size_t line) {
    struct tcplan_experiment *experiment = reading->experiment;
    enum tcplan_status status =
        read_expression(reading, threads, "threads", 1, false, &experiment->threads, line);
    if (status == TCPLAN_OK) {
        status = read_expression(reading, repetitions, "repetitions", USUAL_REPETITIONS, false,
                                 &experiment->repetitions, line);
    }
    for (int o = 0; o < reading->operand_texts && status == TCPLAN_OK; o++)
        status = read_operand(reading, &reading->operand_text[o]);
    if (status == TCPLAN_OK) status = read_points(reading, line);
    if (status == TCPLAN_OK) status = check(reading, line);
    if (status == TCPLAN_OK)
        status = at_line(reading, line, "", experiment_check_bindings(experiment, reading->error));
    return status == TCPLAN_OK
               ? at_line(reading, line, "", experiment_resolve(experiment, reading->error))
               : status;
}

static enum tcplan_status read_content(struct reading *reading) {
    int depth = 1;
    enum tcplan_status status = TCPLAN_OK;
    while (depth > 0 && status == TCPLAN_OK) {
        enum xml_event event;
        status = xml_reader_next(reading->xml, &event, reading->error);
        if (status != TCPLAN_OK) break;
        if (event == XML_EVENT_BEGIN) {
            depth++;
            status = begin(reading);
        } else if (event == XML_EVENT_TEXT) {
            strbuf_add(&reading->text, "%s", xml_reader_text(reading->xml));
        } else if (event == XML_EVENT_END && --depth > 0) {
            status = end(reading);
        }
    }
    return status;
}

enum tcplan_status experiment_add_checksum(struct tcplan_experiment *experiment,
                                           struct tcplan_error *error) {
    struct strbuf text = {0};
    experiment_add_element(&text, experiment, 0, false);
    const enum tcplan_status status = text.failed ? error_no_memory(error) : TCPLAN_OK;
    if (status == TCPLAN_OK) experiment->checksum = checksum_add(0, text.text, text.length);
    strbuf_free(&text);
    return status;
}

enum tcplan_status experiment_read_element(struct tcplan_experiment **out, struct xml_reader *xml,
                                           struct tcplan_error *error) {
    struct reading *reading = base_alloc_zero(1, sizeof *reading);
    *out = base_alloc_zero(1, sizeof **out);
    if (!reading || !*out) {
        base_free(reading);
        return error_no_memory(error);
    }
    reading->experiment = *out;
    reading->xml = xml;
    reading->error = error;
    const size_t line = xml_reader_line(xml);
    const char *threads = keep(reading, "threads"), *repetitions = keep(reading, "repetitions");
    enum tcplan_status status =
        threads && repetitions ? begin_experiment(reading) : error_no_memory(error);
    if (status == TCPLAN_OK) status = read_content(reading);
    if (status == TCPLAN_OK) status = finish(reading, threads, repetitions, line);
    if (status == TCPLAN_OK) status = experiment_add_checksum(*out, error);
    strbuf_free(&reading->text);
    base_free(reading);
    return status;
}

enum tcplan_status tcplan_experiment_from(struct tcplan_experiment **out, tcplan_read_fn *read,
                                          void *context, struct tcplan_error *error) {
    struct xml_reader *xml = NULL;
    enum xml_event event = XML_EVENT_BEGIN;
    *out = NULL;
    enum tcplan_status status = xml_reader_new(&xml, &schema_experiment, read, context, error);
    if (status == TCPLAN_OK) status = xml_reader_next(xml, &event, error);
    if (status == TCPLAN_OK) status = experiment_read_element(out, xml, error);
    while (status == TCPLAN_OK && event != XML_EVENT_DONE)
        status = xml_reader_next(xml, &event, error);
    xml_reader_free(xml);
    if (status == TCPLAN_OK) return status;
    tcplan_experiment_free(*out);
    *out = NULL;
    return status;
}

/** Reads from a file, as a tcplan_read_fn. */
static ptrdiff_t read_file(void *context, char *buffer, size_t size) {
    FILE *file = context;
    const size_t count = fread(buffer, 1, size, file);
    return ferror(file) ? -1 : (ptrdiff_t)count;
}

static void blame(const char *path, size_t line, struct tcplan_error *error) {
    if (!error) return;
    const struct tcplan_error found = *error;
    error->line = line;
    if (line > 0)
        snprintf(error->message, sizeof error->message, "%.100s:%zu: %.180s", path, line,
                 found.message);
    if (line == 0)
        snprintf(error->message, sizeof error->message, "%.100s: %.200s", path, found.message);
}

void experiment_blame(const struct tcplan_experiment *experiment, size_t line,
                      struct tcplan_error *error) {
    if (experiment->path) blame(experiment->path, line, error);
    if (error) error->line = line;
}

enum tcplan_status tcplan_experiment_read(struct tcplan_experiment **out, const char *path,
                                          struct tcplan_error *error) {
    *out = NULL;
    enum tcplan_status status = input_file_check("", path, error);
    if (status != TCPLAN_OK) return status;
    FILE *file = fopen(path, "re");
    if (!file) return error_set(error, TCPLAN_ENVIRONMENT, "cannot read '%.200s'", path);
    status = tcplan_experiment_from(out, read_file, file, error);
    fclose(file);
    if (status == TCPLAN_OK && *out) {
        (*out)->path = arena_strndup(&(*out)->arena, path, strlen(path));
        if ((*out)->path) return TCPLAN_OK;
        tcplan_experiment_free(*out);
        *out = NULL;
        return error_no_memory(error);
    }
    if (status == TCPLAN_INVALID || status == TCPLAN_OVERFLOW)
        blame(path, error ? error->line : 0, error);
    return status;
}

void tcplan_experiment_free(struct tcplan_experiment *experiment) {
    if (!experiment) return;
    arena_free(&experiment->arena);
    base_free(experiment);
}

const char *tcplan_experiment_name(const struct tcplan_experiment *experiment) {
    return experiment->name;
}

static void add_flag(struct strbuf *out, const char *name, bool value) {
    if (value) xml_text_attribute(out, name, "true");
}

static void add_text_element(struct strbuf *out, int indentation, const char *name,
                             const char *text) {
    struct strbuf escaped = {0};
    if (!*text) return;
    xml_text_attribute(&escaped, "", text); /* the escaped attribute is ` ="text"`: the quotes and
                                               the characters before them are dropped */
    if (escaped.failed) {
        out->failed = true;
    } else {
        strbuf_add(out, "%*s<%s>%.*s</%s>\n", indentation, "", name, (int)(escaped.length - 4),
                   escaped.text + 3, name);
    }
    strbuf_free(&escaped);
}

static void add_sweep(struct strbuf *out, const struct tcplan_experiment *experiment,
                      enum expression_variable which, int indentation) {
    if (!experiment->variable[which]) return;
    strbuf_add(out, "%*s<%s", indentation, "", which == EXPRESSION_RANGE ? "range" : "sum");
    xml_text_attribute(out, "variable", experiment->variable[which]);
    xml_text_attribute(out, "values", experiment->sweep[which].text);
    if (which == EXPRESSION_SUM) add_flag(out, "parallel", experiment->parallel_sum);
    strbuf_add(out, "/>\n");
}

static void add_call(struct strbuf *out, const struct experiment_call *call, int indentation) {
    struct strbuf text = {0};
    xml_text_attribute(&text, "", call->text);
    strbuf_add(out, "%*s<call", indentation, "");
    if (call->named) xml_text_attribute(out, "name", call->name);
    xml_text_attribute(out, "routine", call->signature->name);
    if (call->has_library) xml_text_attribute(out, "library", tcplan_provider_name(call->library));
    if (text.failed) {
        out->failed = true;
    } else {
        strbuf_add(out, ">%.*s</call>\n", (int)(text.length - 4), text.text + 3);
    }
    strbuf_free(&text);
}

static void add_operand(struct strbuf *out, const struct tcplan_experiment *experiment,
                        const struct experiment_operand *operand, int indentation) {
    char vary[80];
    if (!operand->declared) return;
    snprintf(vary, sizeof vary, "%s%s%s", operand->with_repetition ? "rep" : "",
             operand->with_repetition && operand->with_sum ? " " : "",
             operand->with_sum ? experiment->variable[EXPRESSION_SUM] : "");
    strbuf_add(out, "%*s<operand", indentation, "");
    xml_text_attribute(out, "name", operand->name);
    xml_text_attribute(out, "vary", vary);
    xml_text_integer(out, "along", operand->along);
    if (operand->offset.root) xml_text_attribute(out, "offset", operand->offset.text);
    strbuf_add(out, "/>\n");
}

static void add_attributes(struct strbuf *out, const struct tcplan_experiment *experiment) {
    xml_text_integer(out, "format", 1);
    xml_text_attribute(out, "name", experiment->name);
    xml_text_attribute(out, "library", tcplan_provider_name(experiment->library));
    xml_text_attribute(out, "threads", experiment->threads.text);
    xml_text_attribute(out, "repetitions", experiment->repetitions.text);
    add_flag(out, "shuffle", experiment->shuffle);
    add_flag(out, "randomize", experiment->randomize);
    add_flag(out, "parallel_calls", experiment->parallel_calls);
    if (*experiment->cores) xml_text_attribute(out, "cores", experiment->cores);
    if (*experiment->memory) xml_text_attribute(out, "memory", experiment->memory);
    if (*experiment->counters) xml_text_attribute(out, "counters", experiment->counters);
    if (experiment->flops_per_cycle > 0)
        xml_text_number(out, "flops_per_cycle", experiment->flops_per_cycle);
}

void experiment_add_element(struct strbuf *out, const struct tcplan_experiment *experiment,
                            int indentation, bool sealed) {
    const int within = indentation + 2;
    strbuf_add(out, "%*s<experiment", indentation, "");
    add_attributes(out, experiment);
    if (sealed) strbuf_add(out, " checksum=\"%08" PRIx32 "\"", experiment->checksum);
    strbuf_add(out, ">\n");
    add_text_element(out, within, "title", experiment->title);
    add_text_element(out, within, "comment", experiment->comment);
    add_sweep(out, experiment, EXPRESSION_RANGE, within);
    add_sweep(out, experiment, EXPRESSION_SUM, within);
    for (int c = 0; c < experiment->call_count; c++) add_call(out, &experiment->call[c], within);
    for (int o = 0; o < experiment->operand_count; o++)
        add_operand(out, experiment, &experiment->operand[o], within);
    strbuf_add(out, "%*s</experiment>\n", indentation, "");
}

char *tcplan_experiment_text(const struct tcplan_experiment *experiment) {
    struct strbuf out = {0};
    strbuf_add(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    experiment_add_element(&out, experiment, 0, false);
    return strbuf_finish(&out);
}
