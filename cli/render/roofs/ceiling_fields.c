#include "cli/render/roofs/ceiling_fields.h"

#include "cli/render/text/csv_line.h"

/** What a field is of. */
union value {
    const char *text;
    int64_t integer;
    double number;
};

enum kind { TEXT, INTEGER, NUMBER, FLAG };

/** One field; its value is a function of the ceiling. */
struct ceiling_field {
    const char *name;    /* in documents; NULL: by the list, see name_of() */
    const char *heading; /* in CSV, whose columns are in the order of `column`; NULL: not there */
    int column;
    unsigned lists; /* whose documents have it: bits of enum ceiling_list */
    enum kind kind;
    union value (*of)(const struct tcplan_ceiling *ceiling);
    bool (*is_known)(const struct tcplan_ceiling *ceiling); /* NULL: always */
};

enum {
    COMPUTE = CEILING_COMPUTE,
    BANDWIDTH = CEILING_BANDWIDTH,
    SETS = CEILING_BANDWIDTH | CEILING_SWEEP | CEILING_INTENSITY,
    ALL = CEILING_COMPUTE | SETS
};

/* Values. */

static union value name(const struct tcplan_ceiling *ceiling) {
    return (union value){.text = ceiling->name};
}

static union value level(const struct tcplan_ceiling *ceiling) {
    return (union value){.text = ceiling->level};
}

/** The letter of its type, or the name of its mix. */
static union value precision(const struct tcplan_ceiling *ceiling) {
    const bool mixed = ceiling->mix != TCPLAN_MIX_NONE;
    return (union value){.text = mixed ? tcplan_mix_name(ceiling->mix)
                                       : tcplan_word(tcplan_words_dtypes, (int)ceiling->precision)};
}

static union value origin(const struct tcplan_ceiling *ceiling) {
    return (union value){.text = tcplan_origin_name(ceiling->origin)};
}

static union value speed_share(const struct tcplan_ceiling *ceiling) {
    return (union value){.number = tcplan_ceiling_speed_share(ceiling)};
}

#define INTEGER_OF(member)                                                                         \
    static union value member(const struct tcplan_ceiling *ceiling) {                              \
        return (union value){.integer = ceiling->member};                                          \
    }
#define NUMBER_OF(member)                                                                          \
    static union value member(const struct tcplan_ceiling *ceiling) {                              \
        return (union value){.number = ceiling->member};                                           \
    }
INTEGER_OF(vector_bits)
INTEGER_OF(m)
INTEGER_OF(n)
INTEGER_OF(k)
INTEGER_OF(working_set_bytes)
INTEGER_OF(reduced)
INTEGER_OF(threads)
INTEGER_OF(windows)
INTEGER_OF(dropped)
NUMBER_OF(intensity)
NUMBER_OF(line_bytes_per_count_byte)
NUMBER_OF(rate)
NUMBER_OF(q1)
NUMBER_OF(q3)
NUMBER_OF(clock_hz)
NUMBER_OF(clock_drift)
NUMBER_OF(limit)

/* Whether they are known. */

static bool has_extents(const struct tcplan_ceiling *ceiling) {
    return ceiling->m > 0;
}

static bool is_reduced(const struct tcplan_ceiling *ceiling) {
    return ceiling->reduced;
}

static bool has_clock(const struct tcplan_ceiling *ceiling) {
    return ceiling->clock_hz > 0;
}

static bool has_limit(const struct tcplan_ceiling *ceiling) {
    return ceiling->limit > 0;
}

static bool has_speed_share(const struct tcplan_ceiling *ceiling) {
    return tcplan_ceiling_speed_share(ceiling) > 0;
}

static bool has_intensity(const struct tcplan_ceiling *ceiling) {
    return ceiling->intensity > 0;
}

static bool has_lines(const struct tcplan_ceiling *ceiling) {
    return ceiling->line_bytes_per_count_byte > 0;
}

/* clang-format off */
static const struct ceiling_field fields[] = {
    {"name", "name", 1, COMPUTE, TEXT, name, NULL},
    {"kernel", NULL, 0, BANDWIDTH | CEILING_SWEEP, TEXT, name, NULL},
    {"level", "level", 2, BANDWIDTH | CEILING_INTENSITY, TEXT, level, NULL},
    {"precision", "precision", 3, COMPUTE, TEXT, precision, NULL},
    {"intensity", "intensity", 15, CEILING_INTENSITY, NUMBER, intensity, has_intensity},
    {"vector_bits", "vector_bits", 4, ALL, INTEGER, vector_bits, NULL},
    {"m", NULL, 0, COMPUTE, INTEGER, m, has_extents},
    {"n", NULL, 0, COMPUTE, INTEGER, n, has_extents},
    {"k", NULL, 0, COMPUTE, INTEGER, k, has_extents},
    {"working_set_bytes", "working_set_bytes", 13, SETS, INTEGER, working_set_bytes, NULL},
    {"reduced", NULL, 0, BANDWIDTH, FLAG, reduced, is_reduced},
    {"line_bytes_per_count_byte", "line_bytes_per_count_byte", 16, BANDWIDTH, NUMBER, line_bytes_per_count_byte, has_lines},
    {"threads", "threads", 5, ALL, INTEGER, threads, NULL},
    {"origin", "origin", 6, ALL, TEXT, origin, NULL},
    {NULL, "rate", 7, ALL, NUMBER, rate, NULL},
    {"q1", "q1", 8, ALL, NUMBER, q1, NULL},
    {"q3", "q3", 9, ALL, NUMBER, q3, NULL},
    {"clock_hz", NULL, 0, ALL, NUMBER, clock_hz, has_clock},
    {"clock_drift", NULL, 0, ALL, NUMBER, clock_drift, has_clock},
    {"analytic_limit", "analytic_limit", 12, ALL, NUMBER, limit, has_limit},
    {"windows", "windows", 10, ALL, INTEGER, windows, NULL},
    {"dropped", "dropped", 11, ALL, INTEGER, dropped, NULL},
    {"speed_share", "speed_share", 14, ALL, NUMBER, speed_share, has_speed_share},
};
/* clang-format on */

enum { FIELDS = sizeof fields / sizeof *fields, COLUMNS = 16 };

/** Rates are called by their unit. */
static const char *name_of(const struct ceiling_field *field, enum ceiling_list list,
                           bool per_cycle) {
    const bool computes = list == CEILING_COMPUTE || list == CEILING_INTENSITY;
    if (field->name) return field->name;
    if (per_cycle) return computes ? "flops_per_cycle" : "bytes_per_cycle";
    return computes ? "gflops" : "gbytes_per_second";
}

static bool is_known(const struct ceiling_field *field, const struct tcplan_ceiling *ceiling) {
    return !field->is_known || field->is_known(ceiling);
}

void ceiling_document(struct document *document, enum ceiling_list list,
                      const struct tcplan_ceiling *ceiling, bool per_cycle) {
    const struct document_kind *kind = document->kind;
    kind->object(document,
                 list == CEILING_COMPUTE || list == CEILING_BANDWIDTH ? "ceiling" : "point");
    for (int f = 0; f < FIELDS; f++) {
        const struct ceiling_field *field = &fields[f];
        if (!(field->lists & (unsigned)list) || !is_known(field, ceiling)) continue;
        const char *called = name_of(field, list, per_cycle);
        const union value value = field->of(ceiling);
        switch (field->kind) {
        case TEXT: kind->text(document, called, value.text); break;
        case INTEGER: kind->integer(document, called, value.integer); break;
        case NUMBER: kind->number(document, called, value.number); break;
        case FLAG: kind->boolean(document, called, value.integer != 0); break;
        }
    }
    kind->end(document);
}

/** The field of a column of CSV, from 1. */
static const struct ceiling_field *field_of(int column) {
    int f = 0;
    while (fields[f].column != column) f++;
    return &fields[f];
}

void ceiling_csv_headings(FILE *file, bool per_cycle) {
    fputs("kind", file);
    for (int c = 1; c <= COLUMNS; c++) {
        const struct ceiling_field *field = field_of(c);
        fprintf(file, ",%s%s", field->heading, per_cycle && !field->name ? "_per_cycle" : "");
    }
    fputc('\n', file);
}

bool ceiling_csv(FILE *file, enum ceiling_list list, const struct tcplan_ceiling *ceiling) {
    struct csv_line line = {0};
    csv_add_text(&line, list == CEILING_COMPUTE     ? "compute"
                        : list == CEILING_BANDWIDTH ? "bandwidth"
                        : list == CEILING_SWEEP     ? "sweep"
                                                    : "intensity");
    for (int c = 1; c <= COLUMNS; c++) {
        const struct ceiling_field *field = field_of(c);
        const union value value = field->of(ceiling);
        switch (field->kind) {
        case TEXT: csv_add_text(&line, value.text); break;
        case FLAG:
        case INTEGER: csv_add_integer(&line, value.integer); break;
        case NUMBER: csv_add_number(&line, is_known(field, ceiling), value.number); break;
        }
    }
    return csv_print(&line, file);
}
