#include "cli/render/roofs/regions.h"

#include <string.h>

#include "base/quantity.h"
#include "cli/render/text/csv_line.h"
#include "cli/render/text/table.h"
#include "cli/roofs/regions.h"

static const char *bound_of(const struct tcplan_point *point) {
    return point->compute_bound ? "compute" : "bandwidth";
}

/* Text. */

static void print_run(FILE *file, const struct tcplan_run *run, const char *command) {
    fprintf(file, "command      %s\n", command);
    fputs("ended        ", file);
    if (run->interrupted) {
        fputs("interrupted", file);
    } else if (run->timed_out) {
        fputs("by the time limit", file);
    } else if (run->signal) {
        fprintf(file, "by signal %d", run->signal);
    } else {
        fprintf(file, "exit status %d", run->exit_status);
    }
    fprintf(file, " after %s; %s of cores\n", quantity_seconds(run->seconds).text,
            quantity_seconds(run->cpu_seconds).text);
    const bool counts = !run->regions->why_no_flops[0] || !run->regions->why_no_bytes[0] ||
                        !run->regions->why_no_misses[0];
    fprintf(file, "counts       %s%s\n",
            counts || strcmp(run->regions->source, "none") == 0
                ? ""
                : "none: nothing can be counted by ",
            run->regions->source);
}

static void print_compute(FILE *file, const struct tcplan_ceiling *compute) {
    fprintf(file, "%s in %s precision at %.4g GFLOP/s", compute->name,
            compute->precision == TCPLAN_FLOAT ? "single" : "double", compute->rate);
}

/** The roofs of the first region that has some. */
static void print_roofs(FILE *file, const struct region_list *list) {
    for (size_t r = 0; r < list->count; r++) {
        const struct tcplan_point *point = &list->region[r].point;
        if (!list->region[r].is_placed || point->roof <= 0) continue;
        fputs("roof         ", file);
        print_compute(file, point->compute);
        fprintf(file, ", %s of %s at %.4g GB/s of lines, %d thread%s\n", point->bandwidth->name,
                point->bandwidth->level,
                tcplan_point_line_rate(point->bandwidth, TCPLAN_DIRECTION_BOTH), list->threads,
                list->threads == 1 ? "" : "s");
        return;
    }
}

static void add_number(struct table *table, double number) {
    if (number >= 0) {
        table_add(table, "%.3g", number);
    } else {
        table_add(table, "-");
    }
}

static void add_amount(struct table *table, double amount, struct quantity text) {
    table_add(table, "%s", amount >= 0 ? text.text : "-");
}

static void add_count(struct table *table, int64_t count) {
    if (count > 0) {
        table_add(table, "%lld", (long long)count);
    } else {
        table_add(table, "-");
    }
}

static void add_heading(struct table *table) {
    static const char *const headings[] = {"region",     "calls",   "threads", "time",
                                           "operations", "are",     "traffic", "is",
                                           "flop/byte",  "GFLOP/s", "of roof", "bound by"};
    for (size_t h = 0; h < sizeof headings / sizeof *headings; h++)
        table_add(table, "%s", headings[h]);
}

static void add_region(struct table *table, const struct listed_region *listed) {
    const struct tcplan_region *region = listed->region;
    const struct tcplan_point *point = &listed->point;
    const bool has_roof = listed->is_placed && point->roof > 0;
    table_add(table, "%s%s", region->name, region->unended > 0 ? " !" : "");
    add_count(table, region->calls);
    add_count(table, region->threads);
    add_amount(table, region->seconds, quantity_seconds(region->seconds));
    add_amount(table, region->flops, quantity_flops(region->flops));
    table_add(table, "%s%s", region->gflops >= 0 ? tcplan_origin_name(region->flops_origin) : "-",
              region->counted_share < 1 ? " *" : "");
    add_amount(table, region->bytes, quantity_bytes(region->bytes));
    table_add(table, "%s",
              region->intensity >= 0 || region->bytes >= 0
                  ? tcplan_bytes_source_name(region->bytes_source)
                  : "-");
    add_number(table, region->intensity);
    add_number(table, region->gflops);
    if (has_roof) {
        table_add(table, "%.1f %%%s", 100 * point->efficiency, point->above_roof ? " !" : "");
    } else {
        table_add(table, "-");
    }
    table_add(table, "%s",
              has_roof ? point->compute_bound ? point->compute->name : point->bandwidth->name
                       : "-");
}

/** What is scaled, what never ended, what is above its roof. */
static void print_marks(FILE *file, const struct region_list *list) {
    double share = 1;
    int unended = 0, above = 0;
    for (size_t r = 0; r < list->count; r++) {
        const struct listed_region *listed = &list->region[r];
        if (listed->region->counted_share < share) share = listed->region->counted_share;
        unended += listed->region->unended;
        above += listed->is_placed && listed->point.above_roof;
    }
    if (share < 1)
        fprintf(
            file,
            "* There are fewer counters than events: some counted for %.0f %% of the time, and are scaled up.\n",
            100 * share);
    if (unended > 0)
        fputs("! A region was begun and not ended: what came after is not in its numbers.\n", file);
    if (above > 0)
        fprintf(
            file,
            "! %d above the roof, which no machine is: the operations, the bytes or a ceiling are off.\n",
            above);
}

static bool any_from(const struct region_list *list, enum tcplan_bytes_source source) {
    for (size_t r = 0; r < list->count; r++) {
        if (list->region[r].region->bytes_source == source) return true;
    }
    return false;
}

static bool lacks(const struct tcplan_regions *regions, bool flops) {
    for (size_t r = 0; r < regions->count; r++) {
        const struct tcplan_region *region = &regions->region[r];
        if (flops ? region->gflops < 0 : region->intensity < 0 && region->bytes < 0) return true;
    }
    return false;
}

/** What is missing, why, and what can be done. */
static void print_missing(FILE *file, const struct tcplan_regions *regions, bool is_run) {
    if (lacks(regions, true) && regions->why_no_flops[0]) {
        fprintf(file, "Operations are not measured: %s.%s\n", regions->why_no_flops,
                is_run ? " --flops NAME=N gives them." : "");
    }
    if (lacks(regions, false) && regions->why_no_bytes[0]) {
        fprintf(file, "Traffic is not measured: %s.%s\n", regions->why_no_bytes,
                is_run ? " --bytes NAME=N gives it." : "");
    }
    if (regions->lost_ends > 0) {
        fprintf(file, "%d end%s of regions had no begin, '%s' first.\n", regions->lost_ends,
                regions->lost_ends == 1 ? "" : "s", regions->lost_name);
    }
    if (regions->lost_regions > 0)
        fprintf(file, "%d regions were too many, and are left out.\n", regions->lost_regions);
}

static void print_notes(FILE *file, const struct region_list *list) {
    print_marks(file, list);
    if (any_from(list, TCPLAN_BYTES_CONTROLLERS)) {
        fputs(
            "Memory controllers count for the whole machine: what other programs move is in the traffic.\n",
            file);
    }
    if (any_from(list, TCPLAN_BYTES_MISSES)) {
        fputs(
            "Misses of the last cache are not all of the traffic: what is written back is not in them, and what is prefetched may not be.\n",
            file);
    }
    if (list->run) print_missing(file, list->run->regions, true);
    if (list->read) print_missing(file, list->read, false);
    if (!list->roofline) fputs("Nothing can be placed under the roofs.\n", file);
}

void regions_text(struct writer *writer, const struct region_list *list) {
    FILE *file = writer->file;
    struct table table = {.columns = "lrrrrlrlrrrl", .optional = "043056157002"};
    if (list->roofline) format_text_machine_name(file, &list->roofline->machine);
    if (list->roofline) fputc('\n', file);
    if (list->run) print_run(file, list->run, list->request->options->run);
    if (list->read)
        fprintf(file, "points       %s: %s\n", list->request->options->points, list->read->source);
    print_roofs(file, list);
    fputc('\n', file);
    add_heading(&table);
    for (size_t r = 0; r < list->count; r++) add_region(&table, &list->region[r]);
    if (!table_print(&table, file)) writer->no_memory = true;
    fputc('\n', file);
    print_notes(file, list);
}

/* JSON and XML. */

static void write_known(struct document *document, const char *name, double number) {
    if (number >= 0) document->kind->number(document, name, number);
}

static void write_region(struct document *document, const struct listed_region *listed) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_region *region = listed->region;
    const struct tcplan_point *point = &listed->point;
    kind->object(document, "region");
    kind->text(document, "name", region->name);
    if (region->calls > 0) kind->integer(document, "calls", region->calls);
    if (region->threads > 0) kind->integer(document, "threads", region->threads);
    if (region->unended > 0) kind->integer(document, "unended", region->unended);
    write_known(document, "seconds", region->seconds);
    write_known(document, "flops", region->flops);
    if (region->gflops >= 0)
        kind->text(document, "flops_origin", tcplan_origin_name(region->flops_origin));
    write_known(document, "bytes", region->bytes);
    write_known(document, "written_bytes", region->written_bytes);
    if (region->bytes_source != TCPLAN_BYTES_UNKNOWN)
        kind->text(document, "bytes_source", tcplan_bytes_source_name(region->bytes_source));
    if (region->counted_share < 1) kind->number(document, "counted_share", region->counted_share);
    write_known(document, "intensity", region->intensity);
    write_known(document, "gflops", region->gflops);
    if (listed->is_placed && point->roof > 0) {
        kind->number(document, "efficiency", point->efficiency);
        kind->number(document, "roof_gflops", point->roof);
        kind->text(document, "bound", bound_of(point));
        kind->boolean(document, "above_roof", point->above_roof);
        kind->text(document, "bandwidth_kernel", point->bandwidth->name);
        kind->text(document, "compute_kernel", point->compute->name);
    }
    kind->end(document);
}

static void write_reason(struct document *document, const char *name, const char *reason) {
    if (reason[0]) document->kind->text(document, name, reason);
}

static void write_run(struct document *document, const struct region_list *list) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_run *run = list->run;
    kind->object(document, "run");
    kind->text(document, "command", list->request->options->run);
    if (run->exit_status >= 0) kind->integer(document, "exit_status", run->exit_status);
    if (run->signal > 0) kind->integer(document, "signal", run->signal);
    kind->boolean(document, "timed_out", run->timed_out);
    if (run->interrupted) kind->boolean(document, "interrupted", true);
    kind->number(document, "seconds", run->seconds);
    kind->number(document, "cpu_seconds", run->cpu_seconds);
    kind->text(document, "counters", run->regions->source);
    write_reason(document, "no_flops", run->regions->why_no_flops);
    write_reason(document, "no_bytes", run->regions->why_no_bytes);
    write_reason(document, "no_misses", run->regions->why_no_misses);
    if (run->regions->lost_ends > 0) kind->integer(document, "lost_ends", run->regions->lost_ends);
    kind->end(document);
}

void regions_document(struct document *document, const struct region_list *list) {
    if (list->run) write_run(document, list);
    document->kind->list(document, "regions");
    for (size_t r = 0; r < list->count; r++) write_region(document, &list->region[r]);
    document->kind->end(document);
}

/* CSV. */

static void print_line(struct writer *writer, const struct listed_region *listed) {
    const struct tcplan_region *region = listed->region;
    const struct tcplan_point *point = &listed->point;
    const bool has_roof = listed->is_placed && point->roof > 0;
    struct csv_line line = {0};
    csv_add_text(&line, region->name);
    csv_add_number(&line, region->calls > 0, (double)region->calls);
    csv_add_number(&line, region->threads > 0, region->threads);
    csv_add_number(&line, region->seconds >= 0, region->seconds);
    csv_add_number(&line, region->flops >= 0, region->flops);
    csv_add_text(&line, region->gflops >= 0 ? tcplan_origin_name(region->flops_origin) : "");
    csv_add_number(&line, region->bytes >= 0, region->bytes);
    csv_add_number(&line, region->written_bytes >= 0, region->written_bytes);
    csv_add_text(&line, region->bytes_source != TCPLAN_BYTES_UNKNOWN
                            ? tcplan_bytes_source_name(region->bytes_source)
                            : "");
    csv_add_number(&line, region->intensity >= 0, region->intensity);
    csv_add_number(&line, region->gflops >= 0, region->gflops);
    csv_add_number(&line, has_roof, point->efficiency);
    csv_add_text(&line, has_roof ? bound_of(point) : "");
    csv_add_text(&line, has_roof ? point->bandwidth->name : "");
    if (!csv_print(&line, writer->file)) writer->no_memory = true;
}

void regions_csv(struct writer *writer, const struct region_list *list) {
    fputs(
        "name,calls,threads,seconds,flops,flops_origin,bytes,written_bytes,bytes_source,intensity,gflops,efficiency,bound,bandwidth_kernel\n",
        writer->file);
    for (size_t r = 0; r < list->count; r++) print_line(writer, &list->region[r]);
}
