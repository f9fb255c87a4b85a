/*
 * Models as XML: the only form in which models are written and read, in files for exchange and as
 * the content of the store's entries. Tables of fields (store/fields.h) describe the attributes of
 * a model except for its pieces. A document is read element by element. The schema limits how often
 * elements and attributes occur; the tables and model_finish() limit the values. The number of
 * pieces is known only at the end of a model. So pieces and coefficients are collected in two
 * growing lists, and then copied into a model of the right size.
 */
#include "tcplan/models_file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/input_file.h"
#include "contractions/xml_reader.h"
#include "models/model.h"
#include "models/words.h"
#include "store/entry.h"
#include "store/kind_models.h"
#include "store/store.h"
#include "tcplan/version.h"

/* Tables. */

enum { SIZE_FIELDS = 4, FILE_MOST_BYTES = 1 << 30 };

#define NUMBER(label, member) INT_OF(label, tcplan_model, member, 0, INT_MAX)
#define LARGE(label, member) INT64_OF(label, tcplan_model, member, 0, INT64_MAX)
#define REAL(label, member) FIELD_OF(label, REAL, tcplan_model, member)

static const struct field model_fields[] = {
    {TEXT_OF("case", tcplan_model, case_text)},
    {TEXT_OF("provider", tcplan_model, setup.provider)},
    {TEXT_OF("version", tcplan_model, setup.version)},
    {NUMBER("threads", setup.threads)},
    {TEXT_OF("binding", tcplan_model, setup.binding)},
    {WORD_OF("placement", tcplan_model, setup.placement, model_placements)},
    {TEXT_OF("counter", tcplan_model, setup.counter)},
    {NUMBER("overfitting", config.overfitting)},
    {NUMBER("oversampling", config.oversampling)},
    {WORD_OF("grid", tcplan_model, config.grid, model_grids)},
    {NUMBER("repetitions", config.repetitions)},
    {WORD_OF("reference", tcplan_model, config.reference, model_statistics)},
    {WORD_OF("measure", tcplan_model, config.measure, model_measures)},
    {REAL("bound", config.bound)},
    {LARGE("min_width", config.min_width)},
    {LARGE("multiple", config.multiple)},
    {NUMBER("most_pieces", config.most_pieces)},
    {LARGE("made", made)},
    {REAL("seconds", seconds)},
    {REAL("good_reference_seconds", good_reference_seconds)},
    {NUMBER("points", points)},
    {FIELD_OF("complete", FLAG, tcplan_model, complete)},
    {0},
};

#define SIZE(i)                                                                                    \
    {                                                                                              \
        {TEXT_OF("name", tcplan_model, size_name[i])}, {NUMBER("degree", degree[i])},              \
            {LARGE("low", domain.low[i])}, {LARGE("high", domain.high[i])}, {                      \
            0                                                                                      \
        }                                                                                          \
    }

static const struct field model_size_fields[TCPLAN_MODEL_SIZES][SIZE_FIELDS + 1] = {
    SIZE(0), SIZE(1), SIZE(2), SIZE(3)};

static const struct field model_check_fields[] = {
    {NUMBER("points", check.points)},
    {REAL("mean", check.mean)},
    {REAL("median", check.median)},
    {REAL("p90", check.p90)},
    {REAL("maximum", check.maximum)},
    {LARGE("made", check.made)},
    {0},
};

/* The schema of models, equivalent to contractions/schemas/models.rng. */

static bool is_one(const char *value) {
    return strcmp(value, "1") == 0;
}

/* clang-format off */

#define ANY(label) {.name = (label)}

static const struct schema_attribute models_attributes[] = {{"format", .holds = is_one, .expected = "1"}, {"tcplan", .optional = true}, {0}};

static const struct schema_attribute machine_attributes[] = {
    ANY("CPU"), ANY("cores"), ANY("caches"), ANY("BLAS"), ANY("libxsmm"), ANY("BLIS"), {0}};

static const struct schema_attribute model_attributes[] = {
    ANY("case"), ANY("provider"), ANY("version"), ANY("threads"), {"binding", .optional = true},
    ANY("placement"), {"counter", .optional = true},
    ANY("overfitting"), ANY("oversampling"), ANY("grid"), ANY("repetitions"), ANY("reference"), ANY("measure"), ANY("bound"),
    ANY("min_width"), ANY("multiple"), ANY("most_pieces"), ANY("made"), ANY("seconds"),
    {"good_reference_seconds", .optional = true}, ANY("points"), ANY("complete"), {0}};

static const struct schema_attribute size_attributes[] = {ANY("name"), ANY("degree"), ANY("low"), ANY("high"), {0}};

static const struct schema_attribute check_attributes[] = {
    ANY("points"), ANY("mean"), ANY("median"), ANY("p90"), ANY("maximum"), ANY("made"), {0}};

static const struct schema_attribute piece_attributes[] = {
    ANY("low"), ANY("high"), ANY("degree"), ANY("points"), ANY("error"), ANY("minimum"), ANY("median"), ANY("maximum"),
    ANY("mean"), ANY("deviation"), {0}};

static const struct schema_child models_children[] = {{"machine", .place = 0, .required = true}, {"model", .place = 1, .repeated = true}, {0}};
static const struct schema_child model_children[] = {
    {"size", .place = 0, .repeated = true, .required = true}, {"check", .place = 1}, {"piece", .place = 2, .repeated = true, .required = true}, {0}};
static const struct schema_child no_children[] = {{0}};

static const struct schema_element elements[] = {
    {"models", "format=\"1\" and optionally tcplan", "machine, then models", false, models_attributes, models_children},
    {"piece", "low, high, degree, points, error, minimum, median, maximum, mean, deviation", "nothing", false, piece_attributes, no_children},
    {"model", "the attributes in models.rng", "sizes, optionally a check, then pieces", false, model_attributes, model_children},
    {"size", "name, degree, low, high", "nothing", false, size_attributes, no_children},
    {"check", "points, mean, median, p90, maximum, made", "nothing", false, check_attributes, no_children},
    {"machine", "CPU, cores, caches, BLAS, libxsmm, BLIS", "nothing", false, machine_attributes, no_children},
    {0},
};
/* clang-format on */

static const struct schema models_schema = {elements};

/* Writing. */

/** Writes an attribute and takes ownership of the text. If memory ran out (NULL), the attribute
 * is empty, and the document reports the failure later. */
static void write_owned(struct tcplan_xml *xml, const char *name, struct strbuf *value) {
    char *text = strbuf_finish(value);
    tcplan_xml_text(xml, name, text ? text : "");
    free(text);
}

static void write_whole(struct tcplan_xml *xml, const char *name, const int64_t value[],
                        int count) {
    struct strbuf text = {0};
    for (int i = 0; i < count; i++)
        strbuf_add(&text, "%s%lld", i > 0 ? " " : "", (long long)value[i]);
    write_owned(xml, name, &text);
}

static void write_statistic(struct tcplan_xml *xml, const struct tcplan_model_piece *piece, int s) {
    const int count = tcplan_model_coefficients(piece->degree, piece->domain.count);
    struct strbuf text = {0};
    for (int j = 0; j < count; j++) {
        if (j > 0) strbuf_add(&text, " ");
        decimal_print(&text, piece->coefficient[j][s]);
    }
    write_owned(xml, model_statistics[s], &text);
}

static void write_piece(struct tcplan_xml *xml, const struct tcplan_model_piece *piece) {
    int64_t degree[TCPLAN_MODEL_SIZES];
    const int count = piece->domain.count;
    for (int i = 0; i < count; i++) degree[i] = piece->degree[i];
    tcplan_xml_begin(xml, "piece");
    write_whole(xml, "low", piece->domain.low, count);
    write_whole(xml, "high", piece->domain.high, count);
    write_whole(xml, "degree", degree, count);
    tcplan_xml_integer(xml, "points", piece->points);
    tcplan_xml_number(xml, "error", piece->error);
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) write_statistic(xml, piece, s);
    tcplan_xml_end(xml);
}

static void begin_with_fields(struct tcplan_xml *xml, const char *element,
                              const struct field fields[], const void *object) {
    tcplan_xml_begin(xml, element);
    for (const struct field *field = fields; field->name; field++) {
        struct strbuf text = {0};
        field_print(&text, field, object);
        /* files of earlier versions have no binding and no counter */
        if (text.length == 0 &&
            (strcmp(field->name, "binding") == 0 || strcmp(field->name, "counter") == 0)) {
            strbuf_free(&text);
        } else {
            write_owned(xml, field->name, &text);
        }
    }
}

static void write_fields(struct tcplan_xml *xml, const char *element, const struct field fields[],
                         const void *object) {
    begin_with_fields(xml, element, fields, object);
    tcplan_xml_end(xml);
}

static void write_model(struct tcplan_xml *xml, const struct tcplan_model *model) {
    begin_with_fields(xml, "model", model_fields, model);
    for (int i = 0; i < model->domain.count; i++)
        write_fields(xml, "size", model_size_fields[i], model);
    if (model->check.points > 0) write_fields(xml, "check", model_check_fields, model);
    for (size_t p = 0; p < model->piece_count; p++) write_piece(xml, &model->piece[p]);
    tcplan_xml_end(xml);
}

enum tcplan_status tcplan_models_write(const struct tcplan_models *models,
                                       const struct tcplan_fingerprint *fingerprint,
                                       tcplan_write_fn *write, void *context,
                                       struct tcplan_error *error) {
    struct tcplan_xml *xml;
    const enum tcplan_status status = tcplan_xml_new(&xml, write, context, error);
    if (status != TCPLAN_OK) return status;
    tcplan_xml_begin(xml, "models");
    tcplan_xml_text(xml, "format", "1");
    tcplan_xml_text(xml, "tcplan", TCPLAN_VERSION_STRING);
    write_fields(xml, "machine", fingerprint_fields().part, fingerprint);
    for (size_t m = 0; m < tcplan_models_count(models); m++)
        write_model(xml, tcplan_models_at(models, m));
    return tcplan_xml_finish(xml, error);
}

/* Reading. */

/** A model while it is read. The number of its pieces is known only at its end tag, so the lists
 * grow. */
struct reading {
    struct xml_reader *xml;
    const struct stored_models *into;
    struct tcplan_model head;
    struct tcplan_model_piece *piece;
    size_t pieces, piece_capacity;
    double (*coefficient)[TCPLAN_MODEL_STATISTICS]; /* coefficients of all pieces, in order */
    size_t coefficients, coefficient_capacity;
};

/** Reads exactly `count` finite numbers separated by blanks, and stores them `stride` places
 * apart. A NULL text contains none. */
static bool read_numbers(double out[], size_t stride, size_t count, const char *text) {
    for (size_t i = 0; i < count && text; i++) {
        const bool negative = *text == '-';
        const size_t length = strcspn(text += negative, " ");
        double *number = &out[i * stride];
        if (!decimal_read(number, text, length) || !isfinite(*number)) return false;
        if (negative) *number = -*number;
        text += length;
        if (i + 1 < count && *text++ != ' ') return false;
    }
    return text && !*text;
}

/** Reads exactly `count` integers from 0 to `most`, which a double represents exactly. */
static bool read_whole(int64_t out[], int count, int64_t most, const char *text) {
    double number[TCPLAN_MODEL_SIZES];
    bool good = read_numbers(number, 1, (size_t)count, text);
    for (int i = 0; i < count && good; i++) {
        good = number[i] >= 0 && number[i] <= (double)most && number[i] == floor(number[i]);
        out[i] = good ? (int64_t)number[i] : 0;
    }
    return good;
}

/** Reads bounds, degrees, points and error; returns the faulty text for a message. */
static const char *read_box(struct tcplan_model_piece *piece, struct xml_reader *xml, int count) {
    int64_t degree[TCPLAN_MODEL_SIZES], points;
    const struct {
        const char *name;
        int64_t *out;
        int count;
        int64_t most;
    } whole[] = {{"low", piece->domain.low, count, TCPLAN_MODEL_LARGEST},
                 {"high", piece->domain.high, count, TCPLAN_MODEL_LARGEST},
                 {"degree", degree, count, TCPLAN_MODEL_DEGREE},
                 {"points", &points, 1, TCPLAN_MODEL_POINTS}};
    *piece = (struct tcplan_model_piece){.domain.count = count};
    for (size_t w = 0; w < sizeof whole / sizeof *whole; w++) {
        if (!read_whole(whole[w].out, whole[w].count, whole[w].most,
                        xml_reader_attribute(xml, whole[w].name)))
            return whole[w].name;
    }
    if (!read_numbers(&piece->error, 1, 1, xml_reader_attribute(xml, "error"))) return "error";
    for (int i = 0; i < count; i++) piece->degree[i] = (int)degree[i];
    piece->points = (int)points;
    return NULL;
}

/** Makes room for `more` elements after `count`; returns NULL if out of memory. */
static void *grow(void *items, size_t count, size_t more, size_t *capacity, size_t size) {
    if (count + more <= *capacity) return items;
    void *grown = base_realloc(items, (2 * count + more) * size);
    if (grown) *capacity = 2 * count + more;
    return grown;
}

static enum tcplan_status read_piece(struct reading *reading, struct tcplan_error *error) {
    void *pieces =
        grow(reading->piece, reading->pieces, 1, &reading->piece_capacity, sizeof *reading->piece);
    void *coefficients =
        grow(reading->coefficient, reading->coefficients, TCPLAN_MODEL_COEFFICIENTS,
             &reading->coefficient_capacity, sizeof *reading->coefficient);
    if (pieces) reading->piece = pieces;
    if (coefficients) reading->coefficient = coefficients;
    if (!pieces || !coefficients) return error_no_memory(error);
    struct tcplan_model_piece *piece = &reading->piece[reading->pieces];
    const char *wrong = read_box(piece, reading->xml, reading->head.domain.count);
    if (wrong)
        return xml_reader_refuse(reading->xml, error,
                                 "%s of element piece cannot be this for %d sizes", wrong,
                                 reading->head.domain.count);
    const int count = tcplan_model_coefficients(piece->degree, piece->domain.count);
    if (count > TCPLAN_MODEL_COEFFICIENTS || reading->pieces == TCPLAN_MODEL_PIECES) {
        return xml_reader_refuse(reading->xml, error,
                                 "a model has at most %d pieces of %d coefficients",
                                 TCPLAN_MODEL_PIECES, TCPLAN_MODEL_COEFFICIENTS);
    }
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) {
        if (read_numbers(&reading->coefficient[reading->coefficients][s], TCPLAN_MODEL_STATISTICS,
                         (size_t)count, xml_reader_attribute(reading->xml, model_statistics[s])))
            continue;
        return xml_reader_refuse(reading->xml, error, "%s of element piece: expected %d numbers",
                                 model_statistics[s], count);
    }
    reading->pieces++;
    reading->coefficients += (size_t)count;
    return TCPLAN_OK;
}

static enum tcplan_status read_fields(void *object, const struct field fields[],
                                      const struct reading *reading, struct tcplan_error *error) {
    struct tcplan_error cause = {0};
    for (const struct field *field = fields; field->name; field++) {
        const char *text = xml_reader_attribute(reading->xml, field->name);
        if (!text) continue; /* the schema lets this attribute be omitted: its value is 0 */
        if (field_read(object, field, text, strlen(text), &cause) != TCPLAN_OK)
            return xml_reader_refuse(reading->xml, error, "element %s: %s",
                                     xml_reader_name(reading->xml), cause.message);
    }
    return TCPLAN_OK;
}

static enum tcplan_status read_head(struct reading *reading, struct tcplan_error *error) {
    reading->head = (struct tcplan_model){0};
    reading->pieces = reading->coefficients = 0;
    return read_fields(&reading->head, model_fields, reading, error);
}

static enum tcplan_status read_size(struct reading *reading, struct tcplan_error *error) {
    struct tcplan_model_domain *domain = &reading->head.domain;
    if (domain->count == TCPLAN_MODEL_SIZES)
        return xml_reader_refuse(reading->xml, error, "a model has at most %d sizes",
                                 TCPLAN_MODEL_SIZES);
    return read_fields(&reading->head, model_size_fields[domain->count++], reading, error);
}

/** Copies the data into a model of the exact size. */
static void assemble(struct tcplan_model *model, const struct reading *reading,
                     double (*room)[TCPLAN_MODEL_STATISTICS]) {
    struct tcplan_model head = reading->head;
    head.piece = model->piece;
    head.piece_count = model->piece_count;
    head.tree = model->tree;
    *model = head;
    memcpy(room, reading->coefficient, reading->coefficients * sizeof *room);
    for (size_t p = 0; p < reading->pieces; p++) {
        model->piece[p] = reading->piece[p];
        model->piece[p].coefficient = room;
        room += tcplan_model_coefficients(model->piece[p].degree, model->domain.count);
    }
}

/** Returns whether a model's library has the version in the fingerprint. Returns true if the
 * fingerprint has no part for that library. */
static bool is_of_libraries(const struct tcplan_model *model,
                            const struct tcplan_fingerprint *fingerprint) {
    enum tcplan_provider provider;
    if (!fingerprint || !tcplan_provider_find(&provider, model->setup.provider) ||
        provider >= TCPLAN_PROVIDER_EMITTED)
        return true;
    return strcmp(fingerprint->part[TCPLAN_FINGERPRINT_LIBRARIES + (int)provider],
                  model->setup.version) == 0;
}

static enum tcplan_status end_model(struct reading *reading, struct tcplan_error *error) {
    double(*room)[TCPLAN_MODEL_STATISTICS];
    struct tcplan_model *model;
    struct tcplan_error cause = {0};
    enum tcplan_status status = model_new(&model, reading->pieces, reading->coefficients, &room,
                                          error); /* the schema requires at least one piece */
    if (status != TCPLAN_OK) return status;
    assemble(model, reading, room);
    status = model_finish(model, &cause);
    const bool wanted = is_of_libraries(model, reading->into->fingerprint);
    if (status == TCPLAN_OK && wanted)
        status = tcplan_models_add(reading->into->models, model, &cause);
    if (status == TCPLAN_OK && wanted) return TCPLAN_OK;
    tcplan_model_free(model);
    if (status == TCPLAN_NO_MEMORY) return error_no_memory(error);
    return status == TCPLAN_OK
               ? status
               : xml_reader_refuse(reading->xml, error, "element model: %s", cause.message);
}

static enum tcplan_status read_machine(struct tcplan_fingerprint *fingerprint,
                                       const struct reading *reading, struct tcplan_error *error) {
    *fingerprint = (struct tcplan_fingerprint){0};
    const enum tcplan_status status =
        read_fields(fingerprint, fingerprint_fields().part, reading, error);
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS && status == TCPLAN_OK; p++) {
        if (!*fingerprint->part[p])
            return xml_reader_refuse(reading->xml, error, "element machine: '%s' is empty",
                                     tcplan_fingerprint_part_name(p));
    }
    return status;
}

static enum tcplan_status take_event(struct reading *reading,
                                     struct tcplan_fingerprint *fingerprint, enum xml_event event,
                                     struct tcplan_error *error) {
    const char *name = xml_reader_name(reading->xml);
    const bool begins = event == XML_EVENT_BEGIN, model = strcmp(name, "model") == 0;
    if (begins && strcmp(name, "machine") == 0) return read_machine(fingerprint, reading, error);
    if (begins && strcmp(name, "piece") == 0) return read_piece(reading, error);
    if (begins && strcmp(name, "size") == 0) return read_size(reading, error);
    if (begins && strcmp(name, "check") == 0)
        return read_fields(&reading->head, model_check_fields, reading, error);
    if (begins && model) return read_head(reading, error);
    return event == XML_EVENT_END && model ? end_model(reading, error) : TCPLAN_OK;
}

static enum tcplan_status models_read(const struct stored_models *into,
                                      struct tcplan_fingerprint *fingerprint, tcplan_read_fn *read,
                                      void *context, struct tcplan_error *error) {
    struct reading reading = {.into = into};
    enum xml_event event = XML_EVENT_BEGIN;
    enum tcplan_status status = xml_reader_new(&reading.xml, &models_schema, read, context, error);
    while (status == TCPLAN_OK) {
        status = xml_reader_next(reading.xml, &event, error);
        if (status != TCPLAN_OK || event == XML_EVENT_DONE) break;
        status = take_event(&reading, fingerprint, event, error);
    }
    xml_reader_free(reading.xml);
    base_free(reading.piece);
    base_free(reading.coefficient);
    return status;
}

/** Sets *out to the set to which models were added; after a failure, frees the set. */
static enum tcplan_status give(struct tcplan_models **out, const struct stored_models *into,
                               enum tcplan_status status) {
    *out = status == TCPLAN_OK ? into->models : NULL;
    if (status != TCPLAN_OK) tcplan_models_free(into->models);
    return status;
}

enum tcplan_status tcplan_models_read(struct tcplan_models **out,
                                      struct tcplan_fingerprint *fingerprint, tcplan_read_fn *read,
                                      void *context, struct tcplan_error *error) {
    const struct stored_models into = {.models = tcplan_models_new()};
    return give(out, &into,
                into.models ? models_read(&into, fingerprint, read, context, error)
                            : error_no_memory(error));
}

/* Texts. */

/** A document in memory, and the position of reading. */
struct source {
    const char *at;
    size_t left;
};

/** Reads from a struct source; a tcplan_read_fn. */
static ptrdiff_t read_source(void *context, char *buffer, size_t size) {
    struct source *source = context;
    if (size > source->left) size = source->left;
    memcpy(buffer, source->at, size);
    source->at += size;
    source->left -= size;
    return (ptrdiff_t)size;
}

enum tcplan_status models_read_text(struct stored_models *into,
                                    struct tcplan_fingerprint *fingerprint, const char *text,
                                    size_t length, struct tcplan_error *error) {
    struct source source = {.at = text, .left = length};
    if (!into->models) into->models = tcplan_models_new();
    if (!into->models) return error_no_memory(error);
    return models_read(into, fingerprint, read_source, &source, error);
}

enum tcplan_status tcplan_models_load(struct tcplan_models **out,
                                      struct tcplan_fingerprint *fingerprint, const char *path,
                                      struct tcplan_error *error) {
    struct stored_models into = {0};
    struct tcplan_error cause = {0};
    char *text = NULL;
    size_t length;
    *out = NULL;
    enum tcplan_status status = input_file_read(&text, &length, "", path, FILE_MOST_BYTES, error);
    if (status != TCPLAN_OK) return status;
    status = give(out, &into, models_read_text(&into, fingerprint, text, length, &cause));
    base_free(text);
    if (status == TCPLAN_OK || !error) return status;
    *error = cause;
    return store_blame(path, error);
}
