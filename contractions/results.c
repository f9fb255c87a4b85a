#include "tcplan/results.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/input_file.h"
#include "contractions/results_document.h"
#include "contractions/xml_reader.h"
#include "contractions/xml_text.h"
#include "tcplan/result_fields.h"

enum { PROVENANCES_MAX = 10000, ALGORITHMS_MAX = 1000000 };

const struct document_kind document_results = {
    .root = "results", .record = {"result", "provenance"}, .holds = "results"};

/** The provenances read so far, the latest first. They are stored until the document is closed. */
struct known_provenance {
    struct known_provenance *next;
    struct tcplan_provenance provenance;
};

/** The first attribute whose number is out of range. */
struct attribute_fault {
    const char *name; /* name of the attribute; NULL: no attribute is out of range */
    const char *expected;
    char found[64];
};

/** The checksum stored in an element, and the one computed from the data read. */
struct element_checksum {
    bool told; /* whether the element has a checksum; those of older documents have none */
    uint32_t expected;
    uint32_t found;
};

struct tcplan_results {
    char name[104]; /* name of the document, truncated */
    struct xml_reader *xml;
    struct document_source source;
    int descriptor; /* descriptor of the file; -1: the document is read through the caller's
                       function */
    struct tcplan_results_summary summary;
    struct arena provenances;
    struct known_provenance *known;
    int known_count;
    struct arena record; /* texts of `result` */
    struct tcplan_result result;
    struct tcplan_result_algorithm *algorithm;
    size_t algorithm_capacity;
    bool no_memory;
    struct attribute_fault fault;
    struct element_checksum checksum; /* checksum of the record being read */
};

const struct tcplan_result_algorithm *tcplan_result_fastest(const struct tcplan_result *result) {
    const struct tcplan_result_algorithm *fastest = NULL;
    for (size_t a = 0; a < result->algorithm_count; a++) {
        const struct tcplan_result_algorithm *algorithm = &result->algorithm[a];
        if (algorithm->measured_seconds <= 0) continue;
        if (!fastest || algorithm->measured_seconds < fastest->measured_seconds)
            fastest = algorithm;
    }
    return fastest;
}

const struct tcplan_result_algorithm *tcplan_result_winner(const struct tcplan_result *result) {
    for (size_t a = 0; a < result->algorithm_count; a++) {
        if (result->algorithm[a].chosen) return &result->algorithm[a];
    }
    return result->algorithm_count > 0 ? &result->algorithm[0] : NULL;
}

double tcplan_result_regret(const struct tcplan_result *result) {
    const struct tcplan_result_algorithm *fastest = tcplan_result_fastest(result);
    if (!fastest) return 0;
    const double seconds = tcplan_result_winner(result)->measured_seconds;
    return seconds > 0 ? seconds / fastest->measured_seconds : 0;
}

/** Copies an attribute into `arena`. Returns NULL if it is absent or memory runs out, which sets
 * `no_memory`. */
static const char *keep_attribute(struct tcplan_results *results, struct arena *arena,
                                  const char *name) {
    const char *value = xml_reader_attribute(results->xml, name);
    if (!value) return NULL;
    const char *copy = arena_strndup(arena, value, strlen(value));
    if (!copy) results->no_memory = true;
    return copy;
}

/** Copies an attribute like keep_attribute(), but returns "" in place of NULL. */
static const char *text_attribute(struct tcplan_results *results, struct arena *arena,
                                  const char *name) {
    const char *value = keep_attribute(results, arena, name);
    return value ? value : "";
}

/** Returns the value of an integer attribute, which the schema has checked; 0 if it is absent. */
static int64_t integer_attribute(struct tcplan_results *results, const char *name) {
    const char *value = xml_reader_attribute(results->xml, name);
    return value ? strtoll(value, NULL, 10) : 0;
}

/** Records an attribute that is out of range, unless one is recorded already. Returns 0, which
 * serves as the attribute's value. */
static int note_fault(struct tcplan_results *results, const char *name, const char *expected,
                      const char *value) {
    if (results->fault.name) return 0;
    results->fault = (struct attribute_fault){.name = name, .expected = expected};
    snprintf(results->fault.found, sizeof results->fault.found, "%s", value);
    return 0;
}

/** Returns the value of a numeric attribute; 0 if it is absent or, with a recorded fault, out of
 * range. */
static double number_attribute(struct tcplan_results *results, const char *name) {
    const char *value = xml_reader_attribute(results->xml, name);
    double number = 0;
    if (!value || (decimal_read(&number, value, strlen(value)) && number <= XML_NUMBER_MAX))
        return number;
    return note_fault(results, name, "a number up to 1e300", value);
}

/** Returns the value of a whole number, which may be written as `1e6`; 0 if it is absent or, with a
 * recorded fault, not a whole number or out of range. */
static int64_t count_attribute(struct tcplan_results *results, const char *name) {
    const char *value = xml_reader_attribute(results->xml, name);
    char *end;
    double number;
    if (!value) return 0;
    errno = 0;
    const int64_t count = strtoll(value, &end, 10);
    if (*value >= '0' && *value <= '9' && *end == '\0' && errno == 0) return count;
    if (*end != '\0' && decimal_read(&number, value, strlen(value)) && number < 0x1p63 &&
        number == floor(number))
        return (int64_t)number;
    return note_fault(results, name, "a whole number up to 9223372036854775807", value);
}

/** Returns TCPLAN_NO_MEMORY if memory ran out, TCPLAN_INVALID if an attribute was out of range,
 * otherwise TCPLAN_OK. */
static enum tcplan_status attributes_status(const struct tcplan_results *results,
                                            struct tcplan_error *error) {
    const struct attribute_fault *fault = &results->fault;
    if (results->no_memory) return error_no_memory(error);
    if (!fault->name) return TCPLAN_OK;
    return xml_reader_refuse(results->xml, error, "%s: expected %s, found '%s'", fault->name,
                             fault->expected, fault->found);
}

/** Begins a checksum with the name and attributes of the element that has just started. */
static struct element_checksum begin_checksum(struct tcplan_results *results) {
    const char *told = xml_reader_attribute(results->xml, "checksum");
    struct element_checksum out = {.told = told != NULL,
                                   .expected = told ? (uint32_t)strtoul(told, NULL, 16) : 0};
    if (out.told) out.found = xml_reader_checksum(results->xml, 0, "checksum");
    return out;
}

static enum tcplan_status check_checksum(const struct tcplan_results *results,
                                         const struct element_checksum *checksum,
                                         const char *element, struct tcplan_error *error) {
    if (!checksum->told || checksum->found == checksum->expected) return TCPLAN_OK;
    return xml_reader_refuse(
        results->xml, error,
        "element %s was changed since it was written: expected content of the checksum %08" PRIx32
        ", found %08" PRIx32,
        element, checksum->expected, checksum->found);
}

/** Checks the checksum of an element that covers only the element's own attributes. */
static enum tcplan_status check_element(struct tcplan_results *results,
                                        struct tcplan_error *error) {
    const struct element_checksum checksum = begin_checksum(results);
    return check_checksum(results, &checksum, xml_reader_name(results->xml), error);
}

/** Returns the first letter of an attribute, which distinguishes the values that the schema allows;
 * '\0' if it is absent. */
static char first_letter(struct tcplan_results *results, const char *name) {
    const char *value = xml_reader_attribute(results->xml, name);
    return value ? *value : '\0';
}

/** Copies an id, whose length the schema has checked; "" if it is absent. */
static void read_id(struct tcplan_results *results, const char *name, char *out) {
    const char *value = xml_reader_attribute(results->xml, name);
    memcpy(out, value ? value : "", value ? TCPLAN_RESULT_ID_SIZE : 1);
}

static void read_caches(struct tcplan_results *results, struct tcplan_provenance *out) {
    const char *at = xml_reader_attribute(results->xml, "cache_bytes");
    while (at && *at && out->cache_count < TCPLAN_RESULT_CACHES) {
        char *end;
        out->cache_bytes[out->cache_count++] = strtoll(at, &end, 10);
        at = *end == ' ' ? end + 1 : end;
    }
}

/** Reads the attribute of a field, which the schema has checked, into a record. */
static void read_field(struct tcplan_results *results, struct arena *arena,
                       const struct tcplan_field *field, void *record) {
    void *place = (char *)record + field->offset;
    switch (field->kind) {
    case TCPLAN_FIELD_TEXT:
    case TCPLAN_FIELD_SIZES:
        *(const char **)place = text_attribute(results, arena, field->name);
        return;
    case TCPLAN_FIELD_MAYBE:
        *(const char **)place = keep_attribute(results, arena, field->name);
        return;
    case TCPLAN_FIELD_ID: read_id(results, field->name, place); return;
    case TCPLAN_FIELD_DTYPE:
        tcplan_dtype_from_letter(first_letter(results, field->name), place);
        return;
    case TCPLAN_FIELD_ORDER:
        *(enum tcplan_order *)place =
            first_letter(results, field->name) == 'r' ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
        return;
    case TCPLAN_FIELD_FLAG: *(bool *)place = first_letter(results, field->name) == 't'; return;
    case TCPLAN_FIELD_INTEGER: *(int64_t *)place = integer_attribute(results, field->name); return;
    case TCPLAN_FIELD_COUNT: *(int64_t *)place = count_attribute(results, field->name); return;
    case TCPLAN_FIELD_NUMBER: *(double *)place = number_attribute(results, field->name); return;
    case TCPLAN_FIELD_CACHES: read_caches(results, record); return;
    }
}

static void read_fields(struct tcplan_results *results, struct arena *arena,
                        const struct tcplan_field *fields, void *record) {
    for (; fields->name; fields++) {
        if ((fields->formats & TCPLAN_FIELD_XML) && !fields->derive)
            read_field(results, arena, fields, record);
    }
}

static const struct tcplan_provenance *find_provenance(const struct tcplan_results *results,
                                                       int64_t id) {
    for (const struct known_provenance *known = results->known; known; known = known->next) {
        if (known->provenance.id == id) return &known->provenance;
    }
    return NULL;
}

static enum tcplan_status add_provenance(struct tcplan_results *results,
                                         struct tcplan_error *error) {
    const int64_t id = integer_attribute(results, "id");
    if (find_provenance(results, id))
        return xml_reader_refuse(results->xml, error, "provenance %" PRId64 " occurs twice", id);
    if (++results->known_count > PROVENANCES_MAX) {
        return xml_reader_refuse(results->xml, error, "more than %d provenances", PROVENANCES_MAX);
    }
    struct known_provenance *known = arena_alloc(&results->provenances, sizeof *known);
    if (!known) return error_no_memory(error);
    *known = (struct known_provenance){.next = results->known};
    read_fields(results, &results->provenances, tcplan_provenance_fields, &known->provenance);
    results->known = known;
    return results->no_memory ? error_no_memory(error) : check_element(results, error);
}

static enum tcplan_status begin_record(struct tcplan_results *results, struct tcplan_error *error) {
    arena_free(&results->record);
    struct tcplan_result *out = &results->result;
    *out = (struct tcplan_result){.algorithm = results->algorithm};
    const int64_t provenance = integer_attribute(results, "provenance");
    out->provenance = find_provenance(results, provenance);
    if (!out->provenance)
        return xml_reader_refuse(results->xml, error,
                                 "provenance %" PRId64 " is not defined before this result",
                                 provenance);
    read_fields(results, &results->record, tcplan_result_fields, out);
    const bool failed = first_letter(results, "status") == 'f';
    out->reason = !failed ? NULL : out->reason ? out->reason : "";
    results->checksum = begin_checksum(results);
    return attributes_status(results, error);
}

/** Makes room for one more algorithm. */
static bool grow(struct tcplan_results *results) {
    if (results->result.algorithm_count < results->algorithm_capacity) return true;
    const size_t capacity = 2 * results->algorithm_capacity + 8;
    struct tcplan_result_algorithm *algorithm =
        base_realloc(results->algorithm, capacity * sizeof *algorithm);
    if (!algorithm) return false;
    results->algorithm = algorithm;
    results->algorithm_capacity = capacity;
    results->result.algorithm = algorithm;
    return true;
}

static enum tcplan_status add_algorithm(struct tcplan_results *results,
                                        struct tcplan_error *error) {
    if (results->result.algorithm_count == ALGORITHMS_MAX) {
        return xml_reader_refuse(results->xml, error, "a result with more than %d algorithms",
                                 ALGORITHMS_MAX);
    }
    if (!grow(results)) return error_no_memory(error);
    struct tcplan_result_algorithm *out = &results->algorithm[results->result.algorithm_count++];
    *out = (struct tcplan_result_algorithm){0};
    read_fields(results, &results->record, tcplan_algorithm_fields, out);
    if (results->checksum.told)
        results->checksum.found =
            xml_reader_checksum(results->xml, results->checksum.found, "checksum");
    return attributes_status(results, error);
}

/* shard = K "/" N */
static enum tcplan_status read_root(struct tcplan_results *results, struct tcplan_error *error) {
    const char *shard = xml_reader_attribute(results->xml, "shard");
    if (!shard) return check_element(results, error);
    char *slash;
    results->summary.shard = strtoll(shard, &slash, 10);
    results->summary.shards = strtoll(slash + 1, NULL, 10);
    if (results->summary.shard <= results->summary.shards) return check_element(results, error);
    return xml_reader_refuse(results->xml, error, "unknown shard %s", shard);
}

static enum tcplan_status read_end(struct tcplan_results *results, struct tcplan_error *error) {
    struct tcplan_results_summary *summary = &results->summary;
    const char *digest = xml_reader_attribute(results->xml, "digest");
    summary->entry_count = integer_attribute(results, "entries");
    summary->digest = digest ? strtoull(digest, NULL, 16) : 0;
    summary->state = TCPLAN_RESULTS_COMPLETE;
    const int64_t told = integer_attribute(results, "results");
    if (told == summary->result_count) return check_element(results, error);
    return xml_reader_refuse(results->xml, error,
                             "expected %" PRId64 " results, the count at the end, found %" PRId64,
                             told, summary->result_count);
}

static enum tcplan_status begin_element(struct tcplan_results *results,
                                        struct tcplan_error *error) {
    const char *name = xml_reader_name(results->xml);
    if (strcmp(name, "result") == 0) return begin_record(results, error);
    if (strcmp(name, "algorithm") == 0) return add_algorithm(results, error);
    if (strcmp(name, "provenance") == 0) return add_provenance(results, error);
    return strcmp(name, "end") == 0 ? read_end(results, error) : TCPLAN_OK;
}

/** Prefixes the message with the document's name and the line. */
static enum tcplan_status name_document(const struct tcplan_results *results,
                                        enum tcplan_status status, struct tcplan_error *error) {
    if (status != TCPLAN_INVALID || !error) return status;
    const struct tcplan_error plain = *error;
    error_set(error, status, "%s:%zu: %.200s", results->name, plain.line, plain.message);
    error->line = plain.line;
    return status;
}

enum tcplan_status tcplan_results_next(struct tcplan_results *results,
                                       const struct tcplan_result **out,
                                       struct tcplan_error *error) {
    *out = NULL;
    for (;;) {
        enum xml_event event;
        enum tcplan_status status = xml_reader_next(results->xml, &event, error);
        if (status == TCPLAN_OK && event == XML_EVENT_BEGIN) status = begin_element(results, error);
        if (status != TCPLAN_OK || event == XML_EVENT_DONE)
            return name_document(results, status, error);
        if (event != XML_EVENT_END || strcmp(xml_reader_name(results->xml), "result") != 0)
            continue;
        status = check_checksum(results, &results->checksum, "result", error);
        if (status != TCPLAN_OK) return name_document(results, status, error);
        results->summary.result_count++;
        results->summary.failed_count += results->result.reason != NULL;
        *out = &results->result;
        return TCPLAN_OK;
    }
}

/** Reads up to the root element, and checks that this is the root of a document of results. */
static enum tcplan_status open_document(struct tcplan_results *results, tcplan_read_fn *read,
                                        void *context, struct tcplan_error *error) {
    enum xml_event event;
    enum tcplan_status status =
        xml_reader_new(&results->xml, &schema_results, read, context, error);
    if (status == TCPLAN_OK) status = xml_reader_next(results->xml, &event, error);
    if (status == TCPLAN_OK) status = read_root(results, error);
    return name_document(results, status, error);
}

static struct tcplan_results *allocate(const char *name) {
    struct tcplan_results *results = base_alloc(sizeof *results);
    if (!results) return NULL;
    *results = (struct tcplan_results){.descriptor = -1};
    snprintf(results->name, sizeof results->name, "%s", name);
    return results;
}

enum tcplan_status tcplan_results_from(struct tcplan_results **out, tcplan_read_fn *read,
                                       void *context, const char *name,
                                       struct tcplan_error *error) {
    struct tcplan_results *results = allocate(name);
    if (!results) return error_no_memory(error);
    enum tcplan_status status = open_document(results, read, context, error);
    if (status == TCPLAN_OK) {
        *out = results;
    } else {
        tcplan_results_close(results);
    }
    return status;
}

static enum tcplan_status open_file(struct tcplan_results *results, const char *path,
                                    struct tcplan_error *error) {
    /* document_source_init() first reads the end of the file, which is impossible for a pipe. */
    enum tcplan_status status = input_file_check("", path, error);
    if (status != TCPLAN_OK) return status;
    results->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (results->descriptor < 0)
        return error_set(error, TCPLAN_ENVIRONMENT, "cannot read '%.200s': %s", path,
                         strerror(errno));
    status =
        document_source_init(&results->source, &document_results, results->descriptor, path, error);
    if (status != TCPLAN_OK) return status;
    if (results->source.torn) results->summary.state = TCPLAN_RESULTS_TORN;
    return open_document(results, document_source_read, &results->source, error);
}

enum tcplan_status tcplan_results_open(struct tcplan_results **out, const char *path,
                                       struct tcplan_error *error) {
    struct tcplan_results *results = allocate(path);
    if (!results) return error_no_memory(error);
    enum tcplan_status status = open_file(results, path, error);
    if (status == TCPLAN_OK) {
        *out = results;
    } else {
        tcplan_results_close(results);
    }
    return status;
}

enum tcplan_status tcplan_results_walk(const char *path, tcplan_result_fn *use, void *context,
                                       struct tcplan_results_summary *summary,
                                       struct tcplan_error *error) {
    struct tcplan_results *results = NULL;
    const struct tcplan_result *result = NULL;
    enum tcplan_status status = tcplan_results_open(&results, path, error);
    if (status != TCPLAN_OK || !results) return status;
    status = tcplan_results_next(results, &result, error);
    while (status == TCPLAN_OK && result) {
        status = use(context, result, error);
        if (status == TCPLAN_OK) status = tcplan_results_next(results, &result, error);
    }
    if (status == TCPLAN_OK && summary) *summary = tcplan_results_summary(results);
    tcplan_results_close(results);
    return status;
}

const struct tcplan_provenance *tcplan_results_provenance(const struct tcplan_results *results,
                                                          size_t position) {
    if (position >= (size_t)results->known_count) return NULL;
    const struct known_provenance *known = results->known; /* the latest provenance */
    for (size_t p = (size_t)results->known_count - 1; p > position; p--) known = known->next;
    return &known->provenance;
}

struct tcplan_results_summary tcplan_results_summary(const struct tcplan_results *results) {
    return results->summary;
}

void tcplan_results_close(struct tcplan_results *results) {
    if (!results) return;
    xml_reader_free(results->xml);
    if (results->descriptor >= 0) close(results->descriptor);
    arena_free(&results->provenances);
    arena_free(&results->record);
    base_free(results->algorithm);
    base_free(results);
}
