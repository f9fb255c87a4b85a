#include "cli/render/roofs/ceiling_fields.h"

#include "cli/render/fields.h"

/** The record of the fields. */
struct listed {
    const struct tcplan_ceiling *ceiling;
    enum ceiling_list list;
};

enum {
    COMPUTE = CEILING_COMPUTE,
    BANDWIDTH = CEILING_BANDWIDTH,
    SETS = CEILING_BANDWIDTH | CEILING_SWEEP | CEILING_INTENSITY,
    ALL = CEILING_COMPUTE | SETS
};

static const char *kind_of(enum ceiling_list list) {
    return list == CEILING_COMPUTE     ? "compute"
           : list == CEILING_BANDWIDTH ? "bandwidth"
           : list == CEILING_SWEEP     ? "sweep"
                                       : "intensity";
}

/** The letter of its type, or the name of its mix. */
static const char *precision_of(const struct tcplan_ceiling *ceiling) {
    const bool mixed = ceiling->mix != TCPLAN_MIX_NONE;
    return mixed ? tcplan_mix_name(ceiling->mix)
                 : tcplan_word(tcplan_words_dtypes, (int)ceiling->precision);
}

#define NUMBER_OF(member) field_number(r->ceiling->member)
#define INTEGER_OF(member) field_integer(r->ceiling->member)
#define POSITIVE_OF(member) field_positive(r->ceiling->member)
#define IN(lists) .part = (lists)

/* A rate is called RATE in CSV, FLOPS or BYTES in documents. */
/* clang-format off */
#define CEILING(FIELD, RATE, FLOPS, BYTES) \
    FIELD(kind, TEXT, field_text(kind_of(r->list)), "list that it is in", CSV(1)) \
    FIELD(name, TEXT, field_word(r->ceiling->name), "instructions or kernel", IN(COMPUTE), CSV(2)) \
    FIELD(kernel, TEXT, field_word(r->ceiling->name), "kernel", IN(BANDWIDTH | CEILING_SWEEP)) \
    FIELD(level, TEXT, field_word(r->ceiling->level), "cache that the data is in, or memory", IN(BANDWIDTH | CEILING_INTENSITY), CSV(3)) \
    FIELD(precision, TEXT, field_word(precision_of(r->ceiling)), "type, or mix of types", IN(COMPUTE), CSV(4)) \
    FIELD(intensity, NUMBER, POSITIVE_OF(intensity), "operations a byte", IN(CEILING_INTENSITY), CSV(16)) \
    FIELD(vector_bits, INTEGER, INTEGER_OF(vector_bits), "width of the vectors", IN(ALL), CSV(5)) \
    FIELD(m, INTEGER, field_if(r->ceiling->m > 0, INTEGER_OF(m)), "extent of gemm", IN(COMPUTE)) \
    FIELD(n, INTEGER, field_if(r->ceiling->m > 0, INTEGER_OF(n)), "extent of gemm", IN(COMPUTE)) \
    FIELD(k, INTEGER, field_if(r->ceiling->m > 0, INTEGER_OF(k)), "extent of gemm", IN(COMPUTE)) \
    FIELD(working_set_bytes, INTEGER, INTEGER_OF(working_set_bytes), "size of the data", IN(SETS), CSV(14)) \
    FIELD(reduced, FLAG, field_if(r->ceiling->reduced, field_flag(true)), "whether memory bounds the working set", IN(BANDWIDTH)) \
    FIELD(line_bytes_per_count_byte, NUMBER, POSITIVE_OF(line_bytes_per_count_byte), "bytes of lines moved by byte counted", IN(BANDWIDTH), CSV(17)) \
    FIELD(threads, INTEGER, INTEGER_OF(threads), "threads", IN(ALL), CSV(6)) \
    FIELD(origin, TEXT, field_word(tcplan_origin_name(r->ceiling->origin)), "source of the rate", IN(ALL), CSV(7)) \
    FIELD(RATE, NUMBER, NUMBER_OF(rate), "rate in the unit of its list", CSV(8)) \
    FIELD(FLOPS, NUMBER, NUMBER_OF(rate), "rate of operations", IN(COMPUTE | CEILING_INTENSITY)) \
    FIELD(BYTES, NUMBER, NUMBER_OF(rate), "rate of data", IN(BANDWIDTH | CEILING_SWEEP)) \
    FIELD(q1, NUMBER, NUMBER_OF(q1), "quartile", IN(ALL), CSV(9)) \
    FIELD(q3, NUMBER, NUMBER_OF(q3), "quartile", IN(ALL), CSV(10)) \
    FIELD(clock_hz, NUMBER, POSITIVE_OF(clock_hz), "clock meanwhile", IN(ALL)) \
    FIELD(clock_drift, NUMBER, field_if(r->ceiling->clock_hz > 0, NUMBER_OF(clock_drift)), "change of the clock meanwhile", IN(ALL)) \
    FIELD(analytic_limit, NUMBER, POSITIVE_OF(limit), "rate that the data sheet allows", IN(ALL), CSV(13)) \
    FIELD(windows, INTEGER, INTEGER_OF(windows), "windows that were measured", IN(ALL), CSV(11)) \
    FIELD(dropped, INTEGER, INTEGER_OF(dropped), "of these, disturbed", IN(ALL), CSV(12)) \
    FIELD(speed_share, NUMBER, field_positive(tcplan_ceiling_speed_share(r->ceiling)), "share of the core's best speed", IN(ALL), CSV(15))
/* clang-format on */

#define GETTER(name, kind, value, ...) FIELD_GETTER(struct listed, get_##name, value)
#define GETTER_PER_CYCLE(name, kind, value, ...)                                                   \
    FIELD_GETTER(struct listed, per_cycle_##name, value)
#define ENTRY(name, kind, value, ...) {#name, FIELD_##kind, get_##name, __VA_ARGS__},
#define ENTRY_PER_CYCLE(name, kind, value, ...)                                                    \
    {#name, FIELD_##kind, per_cycle_##name, __VA_ARGS__},
CEILING(GETTER, rate, gflops, gbytes_per_second)
CEILING(GETTER_PER_CYCLE, rate_per_cycle, flops_per_cycle, bytes_per_cycle)

static const struct field per_second[] = {CEILING(ENTRY, rate, gflops, gbytes_per_second){0}};
static const struct field per_cycle[] = {
    CEILING(ENTRY_PER_CYCLE, rate_per_cycle, flops_per_cycle, bytes_per_cycle){0}};

void ceiling_document(struct document *document, enum ceiling_list list,
                      const struct tcplan_ceiling *ceiling, bool in_cycles) {
    const struct listed listed = {ceiling, list};
    const bool is_ceiling = list == CEILING_COMPUTE || list == CEILING_BANDWIDTH;
    document->kind->object(document, is_ceiling ? "ceiling" : "point");
    fields_document(document, in_cycles ? per_cycle : per_second, (unsigned)list, &listed);
    document->kind->end(document);
}

void ceiling_csv_headings(FILE *file, bool in_cycles) {
    struct csv_line line = {0};
    fields_csv_headings(&line, in_cycles ? per_cycle : per_second, NULL);
    (void)csv_print(&line, file);
}

bool ceiling_csv(FILE *file, enum ceiling_list list, const struct tcplan_ceiling *ceiling) {
    const struct listed listed = {ceiling, list};
    struct csv_line line = {0};
    fields_csv(&line, per_second, &listed);
    return csv_print(&line, file);
}
