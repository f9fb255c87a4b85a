#include "roofline/regions/plain.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"
#include "roofline/regions/csv.h"
#include "roofline/regions/list.h"

#define MOST 1e30 /* largest accepted value: quotients of two values must be finite */

enum column {
    NAME,
    FLOPS,
    BYTES,
    WRITTEN_BYTES,
    SECONDS,
    INTENSITY,
    GFLOPS,
    THREADS,
    CALLS,
    DTYPE,
    CANONICAL_FLOPS,
    EFFICIENCY,
    FLOPS_ORIGIN, /* only tcplan's own tables have this and the following columns */
    BYTES_SOURCE,
    BOUND,
    BANDWIDTH_KERNEL,
    COLUMNS
};

static const char *const names[COLUMNS] = {
    "name",         "flops",        "bytes", "written_bytes",   "seconds",         "intensity",
    "gflops",       "threads",      "calls", "dtype",           "canonical_flops", "efficiency",
    "flops_origin", "bytes_source", "bound", "bandwidth_kernel"};
static const char known[] =
    "a column name, flops, bytes, written_bytes, seconds, intensity, gflops, threads, calls, dtype, "
    "canonical_flops or efficiency, or the CSV of likwid-perfctr -O";

struct table {
    struct csv csv;
    int place[COLUMNS]; /* for each column, its number in the file; -1: missing */
    int columns;
    struct tcplan_regions *regions;
};

/** Returns whether a line is empty or a comment. */
static bool is_empty(const struct csv *csv) {
    return (csv->count == 1 && csv->field[0].length == 0) ||
           (csv->field[0].length > 0 && csv->field[0].text[0] == '#');
}

static enum tcplan_status next_line(struct table *table) {
    enum tcplan_status status = csv_next(&table->csv);
    while (status == TCPLAN_OK && is_empty(&table->csv)) status = csv_next(&table->csv);
    return status;
}

static bool has(const struct table *table, enum column column) {
    return table->place[column] >= 0;
}

static enum tcplan_status read_heading(struct table *table) {
    struct csv *csv = &table->csv;
    const enum tcplan_status status = next_line(table);
    if (status == TCPLAN_NOT_APPLICABLE)
        return csv_refuse_end(
            csv, "a heading such as name,flops,bytes,seconds, or the CSV of likwid-perfctr -O");
    if (status != TCPLAN_OK) return status;
    for (int c = 0; c < COLUMNS; c++) table->place[c] = -1;
    for (int f = 0; f < csv->count; f++) {
        int c = 0;
        while (c < COLUMNS && !csv_is(&csv->field[f], names[c])) c++;
        if (c == COLUMNS) return csv_refuse(csv, &csv->field[f], "%s", known);
        if (table->place[c] >= 0) return csv_refuse(csv, &csv->field[f], "each column once");
        table->place[c] = f;
    }
    table->columns = csv->count;
    const bool has_sums = has(table, FLOPS) && has(table, BYTES) && has(table, SECONDS);
    if (!has(table, NAME)) return csv_refuse(csv, NULL, "a column name");
    if (!has_sums && !(has(table, INTENSITY) && has(table, GFLOPS)) && !has(table, EFFICIENCY)) {
        return csv_refuse(
            csv, NULL,
            "the columns flops, bytes and seconds, or intensity and gflops, or efficiency");
    }
    return TCPLAN_OK;
}

/** Reads a number. The column may be missing from the table; a line may omit its value in tables
 * that tcplan wrote. */
static enum tcplan_status read_number(double *out, const struct table *table, enum column column,
                                      bool may_be_zero) {
    if (!has(table, column)) return TCPLAN_OK;
    const struct csv_field *field = &table->csv.field[table->place[column]];
    double value;
    if (field->length == 0 && has(table, FLOPS_ORIGIN)) return TCPLAN_OK;
    if (!decimal_read(&value, field->text, field->length) || value > MOST ||
        (value <= 0 && !may_be_zero)) {
        return csv_refuse(&table->csv, field, "%s: a number %s 0, at most 1e30", names[column],
                          may_be_zero ? "from" : "above");
    }
    *out = value;
    return TCPLAN_OK;
}

static enum tcplan_status read_dtype(struct tcplan_region *region, const struct table *table) {
    if (!has(table, DTYPE)) return TCPLAN_OK;
    const struct csv_field *field = &table->csv.field[table->place[DTYPE]];
    if (csv_is(field, ""))
        return TCPLAN_OK; /* an empty field: the region has operations of several types */
    if (!csv_is(field, "s") && !csv_is(field, "d"))
        return csv_refuse(&table->csv, field, "dtype: s or d");
    region->dtype = csv_is(field, "s") ? TCPLAN_FLOAT : TCPLAN_DOUBLE;
    return TCPLAN_OK;
}

static enum tcplan_status read_numbers(struct tcplan_region *region, const struct table *table) {
    double threads = 0, calls = 0;
    const struct {
        double *out;
        enum column column;
        bool may_be_zero;
    } numbers[] = {{&region->flops, FLOPS, true},
                   {&region->bytes, BYTES, false},
                   {&region->written_bytes, WRITTEN_BYTES, true},
                   {&region->seconds, SECONDS, false},
                   {&region->canonical_flops, CANONICAL_FLOPS, true},
                   {&region->efficiency, EFFICIENCY, true},
                   {&region->intensity, INTENSITY, has(table, FLOPS_ORIGIN)},
                   {&region->gflops, GFLOPS, true},
                   {&threads, THREADS, false},
                   {&calls, CALLS, false}};
    enum tcplan_status status = TCPLAN_OK;
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers && status == TCPLAN_OK; n++) {
        status = read_number(numbers[n].out, table, numbers[n].column, numbers[n].may_be_zero);
    }
    if (status == TCPLAN_OK && threads > 1e6)
        return csv_refuse(&table->csv, &table->csv.field[table->place[THREADS]],
                          "threads: at most 1e6");
    if (status == TCPLAN_OK && calls > 1e15)
        return csv_refuse(&table->csv, &table->csv.field[table->place[CALLS]],
                          "calls: at most 1e15");
    region->threads = (int)threads;
    region->calls = (int64_t)calls;
    return status;
}

static enum tcplan_status read_region(struct table *table) {
    const struct csv *csv = &table->csv;
    if (csv->count < table->columns)
        return csv_refuse(csv, NULL, "%d fields, as in the heading", table->columns);
    if (csv->count > table->columns)
        return csv_refuse(csv, &csv->field[table->columns], "%d fields, as in the heading",
                          table->columns);
    const struct csv_field *name = &csv->field[table->place[NAME]];
    if (name->length == 0) return csv_refuse(csv, name, "a name");
    if (table->regions->count == TCPLAN_REGIONS_MOST)
        return csv_refuse(csv, name, "at most %d points", TCPLAN_REGIONS_MOST);
    struct tcplan_region *region = regions_add(table->regions, name->text, name->length);
    if (!region) return error_no_memory(csv->error);
    enum tcplan_status status = read_numbers(region, table);
    if (status == TCPLAN_OK) status = read_dtype(region, table);
    if (status != TCPLAN_OK) return status;
    if (region->written_bytes > region->bytes && region->bytes > 0) {
        return csv_refuse(csv, &csv->field[table->place[WRITTEN_BYTES]],
                          "at most as many written_bytes as bytes");
    }
    region->flops_origin = TCPLAN_ORIGIN_GIVEN;
    region->bytes_source = TCPLAN_BYTES_GIVEN;
    region_complete(region);
    return TCPLAN_OK;
}

static enum tcplan_status read_table(struct table *table) {
    enum tcplan_status status = read_heading(table);
    if (status != TCPLAN_OK) return status;
    while ((status = next_line(table)) == TCPLAN_OK) {
        status = read_region(table);
        if (status != TCPLAN_OK) return status;
    }
    if (status != TCPLAN_NOT_APPLICABLE) return status;
    return table->regions->count > 0 ? TCPLAN_OK : csv_refuse_end(&table->csv, "a point");
}

enum tcplan_status plain_read(struct tcplan_regions **out, const char *name, const char *text,
                              size_t length, struct tcplan_error *error) {
    struct table *table = base_alloc_zero(1, sizeof *table);
    struct tcplan_regions *regions = regions_new("CSV");
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    if (table && regions) {
        table->regions = regions;
        csv_begin(&table->csv, name, text, length, error);
        status = read_table(table);
    } else {
        error_no_memory(error);
    }
    base_free(table);
    if (status != TCPLAN_OK) {
        tcplan_regions_free(regions);
        return status;
    }
    *out = regions;
    return TCPLAN_OK;
}
