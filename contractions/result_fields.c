#include "tcplan/result_fields.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/strbuf.h"

enum {
    XML = TCPLAN_FIELD_XML,
    CSV = TCPLAN_FIELD_CSV,
    JSON = TCPLAN_FIELD_JSON,
    ALL = XML | CSV | JSON
};

/* Values. */

static struct tcplan_field_value text_value(const char *text) {
    return (struct tcplan_field_value){.text = text ? text : "", .known = text && *text};
}

static struct tcplan_field_value number_value(double number) {
    return (struct tcplan_field_value){.number = number, .known = number > 0};
}

static struct tcplan_field_value owned_value(struct strbuf *text) {
    struct tcplan_field_value out = {.no_memory = text->failed};
    strbuf_add(text, "%s", "");
    out.owned = strbuf_finish(text);
    out.no_memory = !out.owned;
    out.text = out.owned ? out.owned : "";
    out.known = *out.text != '\0';
    return out;
}

/* Derived fields. */

static struct tcplan_field_value provenance_of(const void *record) {
    const struct tcplan_result *result = record;
    return (struct tcplan_field_value){.known = true,
                                       .integer = result->provenance ? result->provenance->id : 1};
}

static struct tcplan_field_value status_of(const void *record) {
    return text_value(((const struct tcplan_result *)record)->reason ? "failed" : "done");
}

/** Returns the winner of a record; an empty algorithm if the record has none. */
static struct tcplan_result_algorithm winner_of(const void *record) {
    const struct tcplan_result *result = record;
    const struct tcplan_result_algorithm *winner = tcplan_result_winner(result);
    return winner ? *winner : (struct tcplan_result_algorithm){.name = "", .kernel = ""};
}

static double gflops(const void *record, double seconds) {
    return seconds > 0 ? 1e-9 * ((const struct tcplan_result *)record)->flops / seconds : 0;
}

static struct tcplan_field_value winner_name(const void *record) {
    return text_value(winner_of(record).name);
}

static struct tcplan_field_value winner_kernel(const void *record) {
    return text_value(winner_of(record).kernel);
}

static struct tcplan_field_value runners_up(const void *record) {
    const struct tcplan_result *result = record;
    struct strbuf names = {0};
    for (size_t a = 0; a < result->algorithm_count; a++) {
        if (result->algorithm[a].tied && &result->algorithm[a] != tcplan_result_winner(result))
            strbuf_add(&names, "%s%s", names.length > 0 ? " " : "", result->algorithm[a].name);
    }
    return owned_value(&names);
}

static struct tcplan_field_value winner_predicted(const void *record) {
    return number_value(winner_of(record).predicted_seconds);
}

static struct tcplan_field_value winner_predicted_low(const void *record) {
    return number_value(winner_of(record).predicted_low);
}

static struct tcplan_field_value winner_predicted_high(const void *record) {
    return number_value(winner_of(record).predicted_high);
}

static struct tcplan_field_value predicted_gflops(const void *record) {
    return number_value(gflops(record, winner_of(record).predicted_seconds));
}

static struct tcplan_field_value winner_measured(const void *record) {
    return number_value(winner_of(record).measured_seconds);
}

static struct tcplan_field_value measured_gflops(const void *record) {
    return number_value(gflops(record, winner_of(record).measured_seconds));
}

static struct tcplan_field_value fastest_name(const void *record) {
    const struct tcplan_result_algorithm *fastest = tcplan_result_fastest(record);
    return text_value(fastest ? fastest->name : "");
}

static struct tcplan_field_value fastest_seconds(const void *record) {
    const struct tcplan_result_algorithm *fastest = tcplan_result_fastest(record);
    return number_value(fastest ? fastest->measured_seconds : 0);
}

static struct tcplan_field_value regret_of(const void *record) {
    return number_value(tcplan_result_regret(record));
}

/* The tables. */

#define AT(member) .offset = offsetof(struct tcplan_result, member)
#define OF(member) .offset = offsetof(struct tcplan_result_algorithm, member)
#define KNOWN_BY(member)                                                                           \
    .known_by = offsetof(struct tcplan_result_algorithm, member), .optional = true
#define FROM(member) .offset = offsetof(struct tcplan_provenance, member)

/* clang-format off */
const struct tcplan_field tcplan_result_fields[] = {
    {"id", .kind = TCPLAN_FIELD_ID, .formats = ALL, AT(id), .says = "identifier of the entry, equal in every run over the same library"},
    {"provenance", .kind = TCPLAN_FIELD_INTEGER, .formats = XML, .derive = provenance_of},
    {"library", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, AT(library), .says = "file of the library"},
    {"group", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, AT(group), .says = "group of the library"},
    {"name", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, AT(name), .says = "name in the library"},
    {"class", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, AT(size_class), .says = "class of the sizes"},
    {"source", .kind = TCPLAN_FIELD_TEXT, .formats = XML | JSON, AT(source), .says = "source that the library states"},
    {"line", .kind = TCPLAN_FIELD_INTEGER, .formats = XML, AT(line)},
    {"contraction", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, AT(contraction), .says = "the contraction in tcplan's notation: C_abc=A_ai*B_ibc"},
    {"sizes", .kind = TCPLAN_FIELD_SIZES, .formats = ALL, AT(sizes), .says = "extent of each index"},
    {"dtype", .kind = TCPLAN_FIELD_DTYPE, .formats = ALL, AT(dtype), .says = "element type: s, d, c or z"},
    {"order", .kind = TCPLAN_FIELD_ORDER, .formats = ALL, AT(order), .says = "whether the first or the last index is contiguous"},
    {"threads", .kind = TCPLAN_FIELD_INTEGER, .formats = ALL, AT(threads), .says = "threads at most"},
    {"status", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, .derive = status_of, .says = "done or failed"},
    {"reason", .kind = TCPLAN_FIELD_MAYBE, .formats = ALL, .optional = true, AT(reason), .says = "why it failed"},
    {"winner", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, .derive = winner_name, .says = "algorithm that was chosen"},
    {"kernel", .kind = TCPLAN_FIELD_TEXT, .formats = CSV, .derive = winner_kernel},
    {"runners_up", .kind = TCPLAN_FIELD_TEXT, .formats = CSV, .derive = runners_up},
    {"predicted_seconds", .kind = TCPLAN_FIELD_NUMBER, .formats = CSV, .derive = winner_predicted},
    {"predicted_low", .kind = TCPLAN_FIELD_NUMBER, .formats = CSV, .derive = winner_predicted_low},
    {"predicted_high", .kind = TCPLAN_FIELD_NUMBER, .formats = CSV, .derive = winner_predicted_high},
    {"predicted_gflops", .kind = TCPLAN_FIELD_NUMBER, .formats = CSV, .derive = predicted_gflops},
    {"measured_seconds", .kind = TCPLAN_FIELD_NUMBER, .formats = CSV, .derive = winner_measured},
    {"measured_gflops", .kind = TCPLAN_FIELD_NUMBER, .formats = CSV, .derive = measured_gflops},
    {"fastest", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, .optional = true, .derive = fastest_name, .says = "name of the fastest measured algorithm"},
    {"fastest_seconds", .kind = TCPLAN_FIELD_NUMBER, .formats = CSV, .derive = fastest_seconds},
    {"regret", .kind = TCPLAN_FIELD_NUMBER, .formats = ALL, .optional = true, .derive = regret_of,
      .says = "measured time of the winner over that of the fastest algorithm"},
    {"flops", .kind = TCPLAN_FIELD_NUMBER, .formats = ALL, AT(flops), .says = "operations of the contraction"},
    {"dgemm_gflops", "gemm_gflops", TCPLAN_FIELD_NUMBER, .formats = ALL, AT(gemm_gflops), .says = "speed of a large square gemm of the type"},
    {"planning_seconds", .kind = TCPLAN_FIELD_NUMBER, .formats = ALL, AT(planning_seconds), .says = "time for planning"},
    {"algorithms", "algorithm_count", TCPLAN_FIELD_COUNT, .formats = ALL, AT(algorithm_total), .says = "number of algorithms in the space"},
    {"pruned", "pruned_count", TCPLAN_FIELD_COUNT, .formats = ALL, AT(pruned_count), .known_by = offsetof(struct tcplan_result, algorithm_total),
      .says = "number of algorithms that a lower bound rules out"},
    {"max_memory_bytes", .kind = TCPLAN_FIELD_INTEGER, .formats = XML, .optional = true, AT(max_memory_bytes)},
    {"reused_from", .kind = TCPLAN_FIELD_MAYBE, .formats = ALL, .optional = true, AT(reused_from), .says = "id of the result that this result was copied from"},
    {"finished", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, AT(finished), .says = "end of the computation, UTC in ISO 8601"},
    {"strides", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, .optional = true, AT(strides),
      .says = "strides in elements of tensors that are parts of larger ones"},
    {"sections", .kind = TCPLAN_FIELD_TEXT, .formats = XML | JSON, .optional = true, AT(sections), .says = "sections of the indices of block-sparse tensors"},
    {"charge", .kind = TCPLAN_FIELD_TEXT, .formats = XML | JSON, .optional = true, AT(charge), .says = "conservation rules of their blocks"},
    {"blocks", .kind = TCPLAN_FIELD_TEXT, .formats = XML | JSON, .optional = true, AT(blocks), .says = "lists of their blocks"},
    {"limit_seconds", .kind = TCPLAN_FIELD_NUMBER, .formats = ALL, .optional = true, AT(limit_seconds),
      .says = "shortest time that the ceilings of the machine allow"},
    {0},
};

const struct tcplan_field tcplan_algorithm_fields[] = {
    {"name", .kind = TCPLAN_FIELD_TEXT, .formats = XML | JSON, OF(name), .says = "name of the algorithm"},
    {"kernel", .kind = TCPLAN_FIELD_TEXT, .formats = XML | JSON, OF(kernel), .says = "name of the kernel, such as dgemm"},
    {"tied", .kind = TCPLAN_FIELD_FLAG, .formats = XML | JSON, OF(tied), .says = "whether the algorithm is as fast as the winner"},
    {"chosen", .kind = TCPLAN_FIELD_FLAG, .formats = XML | JSON, OF(chosen), .says = "whether the algorithm is the winner"},
    {"threads", .kind = TCPLAN_FIELD_INTEGER, .formats = XML | JSON, .optional = true, OF(threads), .says = "number of threads that execute the algorithm"},
    {"calls", .kind = TCPLAN_FIELD_COUNT, .formats = XML | JSON, OF(calls), .says = "calls of the kernel"},
    {"predicted_seconds", .kind = TCPLAN_FIELD_NUMBER, .formats = XML | JSON, OF(predicted_seconds), KNOWN_BY(predicted_seconds), .says = "predicted time"},
    {"predicted_low", .kind = TCPLAN_FIELD_NUMBER, .formats = XML | JSON, OF(predicted_low), KNOWN_BY(predicted_high),
      .says = "lower end of the 95 % interval; with --effort estimate, of the range of possible times"},
    {"predicted_high", .kind = TCPLAN_FIELD_NUMBER, .formats = XML | JSON, OF(predicted_high), KNOWN_BY(predicted_high),
      .says = "upper end of the 95 % interval; with --effort estimate, of the range of possible times"},
    {"measured_seconds", .kind = TCPLAN_FIELD_NUMBER, .formats = XML | JSON, OF(measured_seconds), KNOWN_BY(measured_seconds), .says = "measured time"},
    {"measured_low", .kind = TCPLAN_FIELD_NUMBER, .formats = XML | JSON, OF(measured_low), KNOWN_BY(measured_seconds),
      .says = "lower end of the 95 % interval"},
    {"measured_high", .kind = TCPLAN_FIELD_NUMBER, .formats = XML | JSON, OF(measured_high), KNOWN_BY(measured_seconds),
      .says = "upper end of the 95 % interval"},
    {0},
};

const struct tcplan_field tcplan_provenance_fields[] = {
    {"id", .kind = TCPLAN_FIELD_INTEGER, .formats = XML, FROM(id)},
    {"tcplan", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, FROM(tcplan), .says = "version of tcplan that chose the algorithm"},
    {"settings", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, FROM(settings), .says = "settings that affect the choice or the measurement"},
    {"host", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, FROM(host), .says = "name of the machine"},
    {"cpu", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, FROM(cpu), .says = "its processor"},
    {"machine", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, FROM(machine), .says = "`live`, or the description of the assumed caches"},
    {"cores", .kind = TCPLAN_FIELD_INTEGER, .formats = XML | JSON, FROM(cores), .says = "its cores"},
    {"processing_units", .kind = TCPLAN_FIELD_INTEGER, .formats = XML, FROM(processing_units)},
    {"memory_bytes", .kind = TCPLAN_FIELD_INTEGER, .formats = XML, FROM(memory_bytes)},
    {"cache_bytes", .kind = TCPLAN_FIELD_CACHES, .formats = XML},
    {"blas_name", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, FROM(blas_name), .says = "name of the BLAS"},
    {"blas_version", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, FROM(blas_version), .says = "its version"},
    {"blas_core", .kind = TCPLAN_FIELD_TEXT, .formats = ALL, FROM(blas_core), .says = "core type of the kernels of the BLAS"},
    {"blas_advice", .kind = TCPLAN_FIELD_TEXT, .formats = XML | JSON, .optional = true, FROM(blas_advice),
      .says = "advice to make the BLAS faster or correct; absent: none"},
    {0},
};
/* clang-format on */

/* Returns the sizes of the caches in bytes, as text: "49152 2097152". */
static struct tcplan_field_value caches_of(const struct tcplan_provenance *provenance) {
    struct strbuf text = {0};
    for (int c = 0; c < provenance->cache_count; c++)
        strbuf_add(&text, "%s%" PRId64, c > 0 ? " " : "", provenance->cache_bytes[c]);
    return owned_value(&text);
}

static struct tcplan_field_value stored_number(const struct tcplan_field *field,
                                               const char *record) {
    struct tcplan_field_value out =
        number_value(*(const double *)(const void *)(record + field->offset));
    if (field->known_by) out.known = *(const double *)(const void *)(record + field->known_by) > 0;
    return out;
}

static struct tcplan_field_value stored_integer(const struct tcplan_field *field,
                                                const char *record) {
    const size_t known_by = field->known_by ? field->known_by : field->offset;
    return (struct tcplan_field_value){
        .known = *(const int64_t *)(const void *)(record + known_by) > 0,
        .integer = *(const int64_t *)(const void *)(record + field->offset)};
}

static struct tcplan_field_value dtype_value(enum tcplan_dtype dtype) {
    static const char letters[][2] = {"s", "d", "c", "z"};
    for (size_t l = 0; l < sizeof letters / sizeof *letters; l++) {
        if (*letters[l] == tcplan_dtype_letter(dtype)) return text_value(letters[l]);
    }
    return text_value("");
}

struct tcplan_field_value tcplan_field_value(const struct tcplan_field *field, const void *record) {
    const void *place = (const char *)record + field->offset;
    if (field->derive) return field->derive(record);
    switch (field->kind) {
    case TCPLAN_FIELD_TEXT:
    case TCPLAN_FIELD_SIZES:
    case TCPLAN_FIELD_MAYBE: return text_value(*(const char *const *)place);
    case TCPLAN_FIELD_ID: return text_value(place);
    case TCPLAN_FIELD_DTYPE: return dtype_value(*(const enum tcplan_dtype *)place);
    case TCPLAN_FIELD_ORDER:
        return text_value(*(const enum tcplan_order *)place == TCPLAN_ROW_MAJOR ? "row-major"
                                                                                : "column-major");
    case TCPLAN_FIELD_FLAG:
        return (struct tcplan_field_value){.known = true, .integer = *(const bool *)place};
    case TCPLAN_FIELD_INTEGER:
    case TCPLAN_FIELD_COUNT: return stored_integer(field, record);
    case TCPLAN_FIELD_NUMBER: return stored_number(field, record);
    case TCPLAN_FIELD_CACHES: return caches_of(record);
    }
    return (struct tcplan_field_value){0};
}
