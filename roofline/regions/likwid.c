#include "roofline/regions/likwid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"
#include "roofline/regions/csv.h"
#include "roofline/regions/list.h"

#define MOST 1e15 /* largest value in a table: MFLOP/s, MByte/s or seconds */

enum { MOST_ROWS = 100000 };

/** The quantities that are read from tables. */
enum quantity { TIME, DP, SP, MEMORY, MEMORY_LOW, MEMORY_HIGH, WRITTEN, QUANTITIES };

/** The rates of a region, from its tables, in 1e6 operations or bytes per second. */
struct sums {
    bool known[QUANTITIES];
    double rate[QUANTITIES]; /* rates in these units; the entry TIME is in seconds */
    int threads;
    int64_t calls;
    double info_seconds; /* seconds stated in the table of the region's calls; 0: none */
};

/** The table being read. */
struct table {
    struct csv_field region; /* name of the region; empty: the whole program */
    char group[64];
    bool is_metric;
    bool is_statistic;
    long rows;
    int columns;  /* number of columns with values */
    int sum, max; /* columns of the statistics Sum and Max; -1: none */
    bool known[QUANTITIES];
    double value[QUANTITIES][CSV_MAX_FIELDS];
};

struct likwid {
    struct csv csv;
    struct table table;
    struct tcplan_regions *regions;
    struct sums sums[TCPLAN_REGIONS_MOST]; /* rates and times, one entry for each region */
};

bool likwid_is(const char *text, size_t length) {
    const char *const end = text + length;
    for (const char *line = text; line < end;) {
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        const size_t bytes = (size_t)((line_end ? line_end : end) - line);
        if (bytes > 6 && memcmp(line, "TABLE,", 6) == 0) return true;
        if (bytes > 11 && memcmp(line, "STRUCT,Info", 11) == 0) return true;
        if (!line_end) return false;
        line = line_end + 1;
    }
    return false;
}

/** kind = "Group " number " " ( "Raw" | "Metric" ) [ " STAT" ] */
static bool read_kind(struct table *table, const struct csv_field *field) {
    static const char *const kinds[] = {"Raw", "Raw STAT", "Metric", "Metric STAT"};
    size_t at = strlen("Group ");
    if (!csv_begins(field, "Group ")) return false;
    while (at < field->length && field->text[at] >= '0' && field->text[at] <= '9') at++;
    if (at >= field->length || field->text[at] != ' ') return false;
    const struct csv_field rest = {.text = field->text + at + 1, .length = field->length - at - 1};
    for (int k = 0; k < 4; k++) {
        if (!csv_is(&rest, kinds[k])) continue;
        table->is_metric = k >= 2;
        table->is_statistic = k % 2 == 1;
        return true;
    }
    return false;
}

static bool read_rows(struct table *table, const struct csv_field *field) {
    double rows;
    if (!decimal_read(&rows, field->text, field->length) || rows > MOST_ROWS || rows != floor(rows))
        return false;
    table->rows = (long)rows;
    return true;
}

/** Reads the first line of a table. A region's name may contain commas: it ends where the kind
 * begins. */
static enum tcplan_status read_head(struct likwid *likwid) {
    const struct csv *csv = &likwid->csv;
    struct table *table = &likwid->table;
    int kind = 1;
    while (kind < csv->count && !read_kind(table, &csv->field[kind])) kind++;
    if (kind == csv->count)
        return csv_refuse(csv, &csv->field[1], "the kind of a table, such as 'Group 1 Metric'");
    table->region = (struct csv_field){.text = "", .column = 1};
    if (kind > 1) {
        const struct csv_field *first = &csv->field[1], *last = &csv->field[kind - 1];
        if (!csv_begins(first, "Region ")) return csv_refuse(csv, first, "'Region ' and its name");
        const size_t skipped = strlen("Region ");
        table->region.text = first->text + skipped;
        table->region.length = (size_t)(last->text + last->length - first->text) - skipped;
        if (table->region.length == 0) return csv_refuse(csv, first, "'Region ' and its name");
    }
    if (kind + 2 >= csv->count)
        return csv_refuse(csv, NULL, "the name of a group and the number of rows");
    const struct csv_field *group = &csv->field[kind + 1], *rows = &csv->field[kind + 2];
    snprintf(table->group, sizeof table->group, "%.*s",
             (int)(group->length < 63 ? group->length : 63), group->text);
    return read_rows(table, rows)
               ? TCPLAN_OK
               : csv_refuse(csv, rows, "the number of rows, at most %d", MOST_ROWS);
}

/** Returns the sums of the table's region; adds the region if it is new. NULL if out of memory or
 * there are too many. */
static struct sums *find_sums(struct likwid *likwid) {
    const struct csv_field *name = &likwid->table.region;
    struct tcplan_regions *regions = likwid->regions;
    const char *text = name->length ? name->text : "program";
    size_t length = name->length ? name->length : strlen(text);
    if (length > TCPLAN_REGION_NAME - 1) length = TCPLAN_REGION_NAME - 1;
    for (size_t r = 0; r < regions->count; r++) {
        const char *there = regions->region[r].name;
        if (strlen(there) == length && memcmp(there, text, length) == 0) return &likwid->sums[r];
    }
    return regions_add(regions, text, length) ? &likwid->sums[regions->count - 1] : NULL;
}

/* Values. */

/** Reads a number. A missing or uncomputable value counts as 0. */
static bool read_value(double *out, const struct csv_field *field) {
    static const char *const none[] = {"", "-", "nan", "-nan", "inf", "-inf"};
    *out = 0;
    for (size_t n = 0; n < sizeof none / sizeof *none; n++) {
        if (csv_is(field, none[n])) return true;
    }
    return decimal_read(out, field->text, field->length) && *out <= MOST;
}

static bool contains(const struct csv_field *field, const char *text) {
    const size_t length = strlen(text);
    for (size_t at = 0; at + length <= field->length; at++) {
        if (memcmp(field->text + at, text, length) == 0) return true;
    }
    return false;
}

/** Returns the quantity of a metric; QUANTITIES if the metric is not used, such as `AVX DP
 * [MFLOP/s]`, which is a part of another metric. */
static enum quantity quantity_of(const struct csv_field *name, const char *group) {
    if (csv_begins(name, "Runtime (RDTSC) [s]")) return TIME;
    if (contains(name, "MFLOP/s")) {
        const size_t length = strlen(group);
        const bool is_single = length > 2 && strcmp(group + length - 2, "SP") == 0;
        if (csv_begins(name, "DP ")) return DP;
        if (csv_begins(name, "SP ")) return SP;
        return csv_begins(name, "MFLOP/s") || csv_begins(name, "[MFLOP/s]") ? is_single ? SP : DP
                                                                            : QUANTITIES;
    }
    if (!contains(name, "[MByte")) return QUANTITIES;
    if (csv_begins(name, "Memory bandwidth (channels 0-3)")) return MEMORY_LOW;
    if (csv_begins(name, "Memory bandwidth (channels 4-7)")) return MEMORY_HIGH;
    if (csv_begins(name, "Memory bandwidth")) return MEMORY;
    const bool is_written =
        csv_begins(name, "Memory write") || csv_begins(name, "Memory evict bandwidth");
    return is_written ? WRITTEN : QUANTITIES;
}

/** Reads a row of the table. Of several metrics with the same quantity, such as with and without
 * SVE, the largest value counts. */
static enum tcplan_status read_row(struct likwid *likwid) {
    const struct csv *csv = &likwid->csv;
    struct table *table = &likwid->table;
    const enum quantity quantity = quantity_of(&csv->field[0], table->group);
    if (csv->field[0].length == 0) return csv_refuse(csv, &csv->field[0], "the name of a metric");
    if (csv->count <= table->columns) return csv_refuse(csv, NULL, "%d values", table->columns);
    for (int c = 0; c < table->columns; c++) {
        double value;
        if (!read_value(&value, &csv->field[1 + c]))
            return csv_refuse(csv, &csv->field[1 + c], "a number from 0 to 1e15");
        if (quantity == QUANTITIES) continue;
        double *at = &table->value[quantity][c];
        *at = table->known[quantity] ? fmax(*at, value) : value;
    }
    if (quantity != QUANTITIES) table->known[quantity] = true;
    return TCPLAN_OK;
}

/** Reads the heading: the columns after the first, up to the last that is not empty. */
static enum tcplan_status read_columns(struct likwid *likwid) {
    const struct csv *csv = &likwid->csv;
    struct table *table = &likwid->table;
    table->columns = 0;
    table->sum = table->max = -1;
    if (!csv_is(&csv->field[0], "Metric")) return csv_refuse(csv, &csv->field[0], "'Metric'");
    for (int f = 1; f < csv->count; f++) {
        const struct csv_field *field = &csv->field[f];
        if (field->length > 0) table->columns = f;
        if (csv_is(field, "Sum")) table->sum = f - 1;
        if (csv_is(field, "Max")) table->max = f - 1;
    }
    if (table->columns == 0) return csv_refuse(csv, NULL, "the names of hardware threads");
    if (table->is_statistic && (table->sum < 0 || table->max < 0))
        return csv_refuse(csv, NULL, "columns Sum and Max");
    return TCPLAN_OK;
}

/* Sums. */

static void take(struct sums *sums, enum quantity quantity, double rate) {
    if (sums->known[quantity]) return; /* if two groups have this quantity, the first one counts */
    sums->known[quantity] = true;
    sums->rate[quantity] = rate;
}

static void add_statistic(struct sums *sums, const struct table *table) {
    for (int q = 0; q < QUANTITIES; q++) {
        if (table->known[q])
            take(sums, (enum quantity)q, table->value[q][q == TIME ? table->max : table->sum]);
    }
}

/** Adds the rates of a table that has a column for each thread. A thread's amount is its rate times
 * its time; the region takes as long as its slowest thread. */
static void add_threads(struct sums *sums, const struct table *table) {
    double longest = 0;
    for (int c = 0; c < table->columns && table->known[TIME]; c++)
        longest = fmax(longest, table->value[TIME][c]);
    for (int q = DP; q < QUANTITIES; q++) {
        double amount = 0;
        for (int c = 0; c < table->columns; c++)
            amount += table->value[q][c] * (longest > 0 ? table->value[TIME][c] / longest : 1);
        if (table->known[q]) take(sums, (enum quantity)q, amount);
    }
    if (longest > 0) take(sums, TIME, longest);
    if (table->columns > sums->threads) sums->threads = table->columns;
}

/* Tables. */

static enum tcplan_status next_line(struct likwid *likwid, const char *expected) {
    const enum tcplan_status status = csv_next(&likwid->csv);
    return status == TCPLAN_NOT_APPLICABLE ? csv_refuse_end(&likwid->csv, expected) : status;
}

static enum tcplan_status skip(struct likwid *likwid, long lines, const char *expected) {
    enum tcplan_status status = TCPLAN_OK;
    while (lines-- > 0 && status == TCPLAN_OK) status = next_line(likwid, expected);
    return status;
}

/** Reads the largest value of a line. */
static enum tcplan_status read_largest(double *out, const struct csv *csv) {
    *out = 0;
    for (int f = 1; f < csv->count; f++) {
        double value;
        if (!read_value(&value, &csv->field[f]))
            return csv_refuse(csv, &csv->field[f], "a number from 0 to 1e15");
        *out = fmax(*out, value);
    }
    return TCPLAN_OK;
}

/** Reads the lines `RDTSC Runtime [s]` and `call count` after `Region Info`. */
static enum tcplan_status read_info(struct likwid *likwid, struct sums *sums) {
    double calls = 0;
    enum tcplan_status status = next_line(likwid, "'RDTSC Runtime [s]'");
    if (status == TCPLAN_OK) status = read_largest(&sums->info_seconds, &likwid->csv);
    if (status == TCPLAN_OK) status = next_line(likwid, "'call count'");
    if (status == TCPLAN_OK) status = read_largest(&calls, &likwid->csv);
    sums->calls = (int64_t)calls;
    return status == TCPLAN_OK ? next_line(likwid, "the heading of the table") : status;
}

static enum tcplan_status read_table(struct likwid *likwid) {
    struct table *table = &likwid->table;
    enum tcplan_status status = read_head(likwid);
    if (status != TCPLAN_OK) return status;
    struct sums *sums = find_sums(likwid);
    if (!sums && likwid->regions->count == TCPLAN_REGIONS_MOST)
        return csv_refuse(&likwid->csv, NULL, "at most %d regions", TCPLAN_REGIONS_MOST);
    if (!sums) return error_no_memory(likwid->csv.error);
    memset(table->known, 0, sizeof table->known);
    status = next_line(likwid, "the heading of the table");
    if (status == TCPLAN_OK && csv_is(&likwid->csv.field[0], "Region Info"))
        status = read_info(likwid, sums);
    if (status == TCPLAN_OK && !table->is_metric)
        return skip(likwid, table->rows, "a row of the table");
    if (status == TCPLAN_OK) status = read_columns(likwid);
    for (long row = 0; row < table->rows && status == TCPLAN_OK; row++) {
        status = next_line(likwid, "a row of the table");
        if (status == TCPLAN_OK) status = read_row(likwid);
    }
    if (status != TCPLAN_OK) return status;
    if (table->is_statistic) {
        add_statistic(sums, table);
    } else {
        add_threads(sums, table);
    }
    return TCPLAN_OK;
}

/* Regions. */

static void say(char *out, const char *reason) {
    if (!*out) snprintf(out, TCPLAN_MESSAGE_SIZE, "%s", reason);
}

/** Returns the rate of memory traffic in 1e6 bytes per second; negative if unknown. */
static double memory_rate(const struct sums *sums, struct tcplan_regions *regions) {
    if (sums->known[MEMORY]) return sums->rate[MEMORY];
    if (sums->known[MEMORY_LOW] && sums->known[MEMORY_HIGH])
        return sums->rate[MEMORY_LOW] + sums->rate[MEMORY_HIGH];
    if (sums->known[MEMORY_LOW] || sums->known[MEMORY_HIGH]) {
        say(regions->why_no_bytes,
            "only half of the memory channels were measured: use both groups, MEM1 and MEM2");
    } else {
        say(regions->why_no_bytes, "a group with the bandwidth of memory (MEM, MEM_DP or MEM_SP)");
    }
    return -1;
}

static void fill(struct tcplan_region *region, const struct sums *sums,
                 struct tcplan_regions *regions) {
    const double seconds = sums->known[TIME] ? sums->rate[TIME] : sums->info_seconds;
    const double memory = memory_rate(sums, regions);
    const double flops =
        (sums->known[DP] ? sums->rate[DP] : 0) + (sums->known[SP] ? sums->rate[SP] : 0);
    const bool has_flops = sums->known[DP] || sums->known[SP];
    const bool is_single = sums->known[SP] && (!sums->known[DP] || sums->rate[SP] > sums->rate[DP]);
    region->threads = sums->threads;
    region->calls = sums->calls;
    region->flops_origin = TCPLAN_ORIGIN_MEASURED;
    region->bytes_source = memory >= 0 ? TCPLAN_BYTES_CONTROLLERS : TCPLAN_BYTES_UNKNOWN;
    if (seconds > 0) region->seconds = seconds;
    if (has_flops) {
        region->dtype = is_single ? TCPLAN_FLOAT : TCPLAN_DOUBLE;
        region->gflops = 1e-3 * flops;
        if (seconds > 0) region->flops = 1e6 * flops * seconds;
    } else {
        say(regions->why_no_flops,
            "no group with operations (FLOPS_DP, FLOPS_SP, MEM_DP or MEM_SP)");
    }
    if (memory >= 0 && seconds > 0) region->bytes = 1e6 * memory * seconds;
    if (memory > 0 && sums->known[WRITTEN] && sums->rate[WRITTEN] <= memory && seconds > 0) {
        region->written_bytes = 1e6 * sums->rate[WRITTEN] * seconds;
    }
    if (has_flops && memory > 0) region->intensity = flops / memory;
}

static enum tcplan_status read_tables(struct likwid *likwid) {
    enum tcplan_status status;
    while ((status = csv_next(&likwid->csv)) != TCPLAN_NOT_APPLICABLE) {
        if (status != TCPLAN_OK) continue; /* the line is output of the program */
        if (!csv_is(&likwid->csv.field[0], "TABLE") || likwid->csv.count < 2) continue;
        status = read_table(likwid);
        if (status != TCPLAN_OK) return status;
    }
    if (likwid->regions->count == 0) return csv_refuse_end(&likwid->csv, "a table");
    for (size_t r = 0; r < likwid->regions->count; r++)
        fill(&likwid->regions->region[r], &likwid->sums[r], likwid->regions);
    return TCPLAN_OK;
}

enum tcplan_status likwid_read(struct tcplan_regions **out, const char *name, const char *text,
                               size_t length, struct tcplan_error *error) {
    struct likwid *likwid = base_alloc_zero(1, sizeof *likwid);
    struct tcplan_regions *regions = regions_new("likwid-perfctr");
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    if (likwid && regions) {
        likwid->regions = regions;
        csv_begin(&likwid->csv, name, text, length, error);
        status = read_tables(likwid);
    } else {
        error_no_memory(error);
    }
    base_free(likwid);
    if (status != TCPLAN_OK) {
        tcplan_regions_free(regions);
        return status;
    }
    *out = regions;
    return TCPLAN_OK;
}
