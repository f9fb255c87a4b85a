#include <stdlib.h>

#include "cli/render/results/results_writer.h"
#include "cli/render/text/values.h"
#include "tcplan/result_fields.h"

/** Calls `use` for the columns: the fields of the record, then those of its provenance. */
static void each_column(void *context, const struct tcplan_result *result,
                        void (*use)(void *context, const struct tcplan_field *field,
                                    const void *record)) {
    const struct tcplan_field *const tables[] = {tcplan_result_fields, tcplan_provenance_fields};
    const void *const records[] = {result, result ? result->provenance : NULL};
    for (int t = 0; t < 2; t++) {
        for (const struct tcplan_field *field = tables[t]; field->name; field++) {
            if (field->formats & TCPLAN_FIELD_CSV) use(context, field, records[t]);
        }
    }
}

static void add_heading(void *context, const struct tcplan_field *field, const void *record) {
    (void)record;
    csv_add_text(context, field->elsewhere ? field->elsewhere : field->name);
}

/** Adds a value, or an empty one if unknown. */
static void add_cell(void *context, const struct tcplan_field *field, const void *record) {
    struct csv_line *line = context;
    struct tcplan_field_value value = tcplan_field_value(field, record);
    line->text.failed = line->text.failed || value.no_memory;
    if (value.text) {
        csv_add_text(line, value.text);
    } else if (value.known && field->kind != TCPLAN_FIELD_NUMBER) {
        csv_add_integer(line, value.integer);
    } else {
        csv_add_number(line, value.known, value.number);
    }
    free(value.owned);
}

static void print_line(struct results_writer *writer, struct csv_line *line) {
    if (!csv_print(line, writer->file)) writer->no_memory = true;
}

static void begin_csv(struct results_writer *writer) {
    struct csv_line line = {0};
    each_column(&line, NULL, add_heading);
    print_line(writer, &line);
}

static void write_csv(struct results_writer *writer, const struct tcplan_result *result) {
    struct csv_line line = {0};
    each_column(&line, result, add_cell);
    print_line(writer, &line);
}

const struct results_format results_format_csv = {.begin = begin_csv, .record = write_csv};
