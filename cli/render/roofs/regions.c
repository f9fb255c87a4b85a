#include "cli/roofs/regions.h"

#include <string.h>

#include "base/quantity.h"
#include "cli/render/roofs/roofline.h"

static struct field_value known(double number) {
    return field_if(number >= 0, field_number(number));
}

static struct field_value count(int64_t number) {
    return field_if(number > 0, field_integer(number));
}

static bool has_roof(const struct listed_region *listed) {
    return listed->is_placed && listed->point.roof > 0;
}

static struct field_value bound_by(const struct listed_region *listed) {
    const struct tcplan_point *point = &listed->point;
    if (!has_roof(listed)) return field_unknown();
    return field_text(point->compute_bound ? point->compute->name : point->bandwidth->name);
}

/** Returns the operations per byte. For a point, these are the bytes in its direction of
 * traffic. */
static double intensity_of(const struct listed_region *listed) {
    return listed->is_placed ? listed->point.intensity_high : listed->region->intensity;
}

#define REGION r->region
#define ROOF(value) (has_roof(r) ? (value) : field_unknown())

FIELD_GETTER(struct listed_region, shown_name,
             field_printed("%s%s", REGION->name, REGION->unended > 0 ? " !" : ""))
FIELD_GETTER(struct listed_region, shown_origin,
             field_printed("%s%s",
                           REGION->gflops >= 0 ? tcplan_origin_name(REGION->flops_origin) : "-",
                           REGION->counted_share < 1 ? " *" : ""))
FIELD_GETTER(struct listed_region, shown_source,
             field_if(REGION->intensity >= 0 || REGION->bytes >= 0,
                      field_text(tcplan_bytes_source_name(REGION->bytes_source))))
FIELD_GETTER(struct listed_region, shown_efficiency,
             ROOF(field_printed("%.1f %%%s", 100 * r->point.efficiency,
                                r->point.above_roof ? " !" : "")))

/* clang-format off */

#define LISTED(F, T) \
    F(T, name, TEXT, field_text(REGION->name), "name of the region", ALWAYS, CSV(1), COLUMN(1, "region"), .shown = shown_name) \
    F(T, calls, INTEGER, count(REGION->calls), "number of executions", CSV(2), COLUMN(2, "calls"), .optional = '4') \
    F(T, threads, INTEGER, count(REGION->threads), "number of threads", CSV(3), COLUMN(3, "threads"), .optional = '3') \
    F(T, unended, INTEGER, count(REGION->unended), "executions that did not end") \
    F(T, seconds, NUMBER, known(REGION->seconds), "time in the region", CSV(4), COLUMN(4, "time"), .format = FIELD_SECONDS) \
    F(T, flops, NUMBER, known(REGION->flops), "operations", CSV(5), COLUMN(5, "operations"), .format = FIELD_FLOPS, .optional = '5') \
    F(T, flops_origin, TEXT, field_if(REGION->gflops >= 0, field_text(tcplan_origin_name(REGION->flops_origin))), "source of the number of operations", \
      CSV(6), COLUMN(6, "are"), .optional = '6', .shown = shown_origin) \
    F(T, bytes, NUMBER, known(REGION->bytes), "traffic", CSV(7), COLUMN(7, "traffic"), .format = FIELD_BYTES, .optional = '1') \
    F(T, written_bytes, NUMBER, known(REGION->written_bytes), "written part of the traffic", CSV(8)) \
    F(T, bytes_source, TEXT, field_if(REGION->bytes_source != TCPLAN_BYTES_UNKNOWN, field_text(tcplan_bytes_source_name(REGION->bytes_source))), \
      "source of the traffic", CSV(9), COLUMN(8, "is"), .optional = '5', .shown = shown_source) \
    F(T, counted_share, NUMBER, field_if(REGION->counted_share < 1, field_number(REGION->counted_share)), "smallest share of the time in which an " \
      "event was counted") \
    F(T, intensity, NUMBER, known(intensity_of(r)), "operations per byte", CSV(10), COLUMN(9, "flop/byte"), .optional = '7', .format = FIELD_THREE) \
    F(T, gflops, NUMBER, known(REGION->gflops), "speed", CSV(11), COLUMN(10, "GFLOP/s"), .format = FIELD_THREE) \
    F(T, efficiency, NUMBER, ROOF(field_number(r->point.efficiency)), "share of the roof", CSV(12), COLUMN(11, "of roof"), .shown = shown_efficiency) \
    F(T, roof_gflops, NUMBER, ROOF(field_number(r->point.roof)), "the roof") \
    F(T, bound, TEXT, ROOF(field_text(r->point.compute_bound ? "compute" : "bandwidth")), "kind of the limiting ceiling", \
      CSV(13), .schema = "\"enum\": [\"compute\", \"bandwidth\"]") \
    F(T, above_roof, FLAG, ROOF(field_flag(r->point.above_roof)), "whether the point is above the roof, which is impossible") \
    F(T, bandwidth_kernel, TEXT, ROOF(field_text(r->point.bandwidth->name)), "stream kernel whose bandwidth is the ceiling", CSV(14)) \
    F(T, compute_kernel, TEXT, ROOF(field_text(r->point.compute->name)), "kernel of the compute ceiling") \
    F(T, bound_by, TEXT, bound_by(r), "limiting ceiling", COLUMN(12, "bound by"), .optional = '2', .hidden = true)

#define RUN r->regions->run
#define RAN(F, T) \
    F(T, command, TEXT, field_text(r->regions->request->options->run), "the command", ALWAYS) \
    F(T, exit_status, INTEGER, field_if(RUN->exit_status >= 0, field_integer(RUN->exit_status)), "exit status") \
    F(T, signal, INTEGER, count(RUN->signal), "signal that ended the command") \
    F(T, timed_out, FLAG, field_flag(RUN->timed_out), "whether the time limit ended the command", ALWAYS) \
    F(T, interrupted, FLAG, field_if(RUN->interrupted, field_flag(true)), "whether the run was interrupted") \
    F(T, seconds, NUMBER, field_number(RUN->seconds), "elapsed time", ALWAYS) \
    F(T, cpu_seconds, NUMBER, field_number(RUN->cpu_seconds), "CPU time", ALWAYS) \
    F(T, counters, TEXT, field_text(RUN->regions->source), "source of the counts", ALWAYS) \
    F(T, no_flops, TEXT, field_text(RUN->regions->why_no_flops), "reason why operations are not counted") \
    F(T, no_bytes, TEXT, field_text(RUN->regions->why_no_bytes), "reason why traffic is not counted") \
    F(T, no_misses, TEXT, field_text(RUN->regions->why_no_misses), "reason why misses of the last cache are not counted") \
    F(T, lost_ends, INTEGER, count(RUN->regions->lost_ends), "ends of regions without a begin")

#define REGIONS(F, T) \
    F(T, ceilings, GROUP, if (r->roofline) FIELD_VISIT(r), "the ceilings", .fields = ceilings_fields) \
    F(T, points, LIST, (void)visit, "none", .item = "point", .fields = ran_fields, .schema = "\"type\": \"array\", \"maxItems\": 0", ALWAYS) \
    F(T, run, OBJECT, if (RUN) FIELD_VISIT(r), "the program", .fields = ran_fields) \
    F(T, regions, LIST, FIELD_VISIT_ALL(r->regions->count, &r->regions->region[i]), "regions of the program, then those of the file", \
      .item = "region", .fields = listed_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(listed, listed_region, LISTED);
FIELD_TABLE(ran, roofline_report, RAN);
FIELD_TABLE(regions, roofline_report, REGIONS);

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
    fprintf(file, " after %s; CPU time %s\n", quantity_seconds(run->seconds).text,
            quantity_seconds(run->cpu_seconds).text);
    const bool counts = !run->regions->why_no_flops[0] || !run->regions->why_no_bytes[0] ||
                        !run->regions->why_no_misses[0];
    fprintf(file, "counts       %s%s\n",
            counts || strcmp(run->regions->source, "none") == 0 ? "" : "none available: ",
            run->regions->source);
}

static void print_compute(FILE *file, const struct tcplan_ceiling *compute) {
    fprintf(file, "%s in %s precision at %.4g GFLOP/s", compute->name,
            compute->precision == TCPLAN_FLOAT ? "single" : "double", compute->rate);
}

/** Prints the roofs of the first region that has any. */
static void print_roofs(FILE *file, const struct region_list *list) {
    for (size_t r = 0; r < list->count; r++) {
        const struct tcplan_point *point = &list->region[r].point;
        if (!list->region[r].is_placed || point->roof <= 0) continue;
        fputs("roof         ", file);
        print_compute(file, point->compute);
        fprintf(file, ", %s of %s at %.4g GB/s%s, %s\n", point->bandwidth->name,
                point->bandwidth->level, tcplan_point_line_rate(point->bandwidth, point->direction),
                point->direction == TCPLAN_DIRECTION_BOTH ? " of cache lines" : "",
                counted(list->threads, "thread").text);
        return;
    }
}

static bool any_from(const struct region_list *list, enum tcplan_bytes_source source) {
    for (size_t r = 0; r < list->count; r++) {
        if (list->region[r].region->bytes_source == source) return true;
    }
    return false;
}

/** Prints notes that explain marks: scaled counts, regions that were not closed, and points above
 * the roof. */
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
            "* There are fewer counters than events: some events were counted for %.0f %% of the time and scaled up.\n",
            100 * share);
    if (unended > 0)
        fputs("! A region did not end: its numbers exclude the open execution.\n", file);
    if (above > 0)
        fprintf(file, "! %d above the roof%s.\n", above,
                any_from(list, TCPLAN_BYTES_COMPULSORY)
                    ? " of memory: operands came from a cache, or a ceiling is wrong"
                    : ", which is impossible: the operations, the bytes or a ceiling are wrong");
}

static bool lacks(const struct tcplan_regions *regions, bool flops) {
    for (size_t r = 0; r < regions->count; r++) {
        const struct tcplan_region *region = &regions->region[r];
        if (flops ? region->gflops < 0 : region->intensity < 0 && region->bytes < 0) return true;
    }
    return false;
}

/** Prints which hardware counts are missing, why, and what the user can do. */
static void print_missing(FILE *file, const struct tcplan_regions *regions, bool is_run) {
    if (lacks(regions, true) && regions->why_no_flops[0]) {
        fprintf(file, "Operations are not measured: %s.%s\n", regions->why_no_flops,
                is_run ? " Use --flops NAME=N." : "");
    }
    if (lacks(regions, false) && regions->why_no_bytes[0]) {
        fprintf(file, "Traffic is not measured: %s.%s\n", regions->why_no_bytes,
                is_run ? " Use --bytes NAME=N." : "");
    }
    if (regions->lost_ends > 0) {
        fprintf(file, "%s of regions without a matching begin, first of '%s'.\n",
                counted(regions->lost_ends, "end").text, regions->lost_name);
    }
    if (regions->lost_regions > 0)
        fprintf(file, "%d regions were omitted because there are too many.\n",
                regions->lost_regions);
}

static void print_notes(FILE *file, const struct region_list *list) {
    print_marks(file, list);
    if (any_from(list, TCPLAN_BYTES_CONTROLLERS)) {
        fputs(
            "Memory controllers count for the whole machine: the traffic includes other programs.\n",
            file);
    }
    if (any_from(list, TCPLAN_BYTES_MISSES)) {
        fputs(
            "Misses of the last cache underestimate the traffic: they exclude write-backs and may exclude prefetches.\n",
            file);
    }
    if (list->run) print_missing(file, list->run->regions, true);
    if (list->read) print_missing(file, list->read, false);
    if (!list->roofline) fputs("Nothing can be placed under the roofs.\n", file);
}

static void print(struct writer *writer, const void *record) {
    const struct roofline_report *report = record;
    const struct region_list *list = report->regions;
    FILE *file = writer->file;
    if (list->roofline) format_text_machine_name(file, &list->roofline->machine);
    if (list->roofline) fputc('\n', file);
    if (list->run) print_run(file, list->run, list->request->options->run);
    if (list->read && list->request->options->points)
        fprintf(file, "points       %s: %s\n", list->request->options->points, list->read->source);
    if (list->read && !list->request->options->points)
        fprintf(file, "points       %s\n", list->read->source);
    print_roofs(file, list);
    fputc('\n', file);
    fields_print_list(writer, field_named(regions_fields, "regions"), report);
    fputc('\n', file);
    print_notes(file, list);
}

VIEW(roofline_regions, regions, "roofline", print,
     "Regions of programs under the measured ceilings.");
