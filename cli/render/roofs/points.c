#include "cli/roofs/points.h"

#include <stdlib.h>

#include "base/quantity.h"
#include "cli/render/common_fields.h"
#include "cli/render/roofs/placed.h"
#include "cli/render/roofs/roofline.h"
#include "tcplan/study/words.h"

/** A predicted or measured point in the output. */
struct placed {
    const struct listed_point *listed;
    const struct tcplan_point *place;
    const struct tcplan_span *speed;
    const struct point_list *at;
    bool per_cycle, of_series;
};

/** A row of text: an algorithm at one size. */
struct row_of {
    const struct listed_point *listed;
    const struct point_list *at;
    size_t number; /* from 0 */
    const char *name;
};

/** The points of an algorithm for all sizes. */
struct series {
    const struct trajectories *all;
    size_t number;
};

static void visit_point(const struct listed_point *listed, const struct point_list *at,
                        bool of_series, struct field_visit *visit) {
    struct placed placed = {listed, &listed->predicted,      &listed->predicted_gflops,
                            at,     at->roofline->per_cycle, of_series};
    FIELD_VISIT(&placed);
    placed.place = &listed->measured;
    placed.speed = &listed->measured_gflops;
    if (listed->measured_too) FIELD_VISIT(&placed);
}

static void visit_points(const struct point_list *points, struct field_visit *visit) {
    for (size_t p = 0; p < points->count; p++) visit_point(&points->point[p], points, false, visit);
}

static void visit_rows(const struct point_list *points, struct field_visit *visit) {
    for (size_t p = 0; p < points->count; p++) {
        const struct row_of row = {&points->point[p], points, p, points->point[p].row.name};
        FIELD_VISIT(&row);
    }
}

static void visit_series_points(const struct series *series, struct field_visit *visit) {
    for (size_t size = 0; size < series->all->size_count; size++) {
        const struct listed_point *point = trajectories_point(series->all, series->number, size);
        if (point) visit_point(point, &series->all->at[size], true, visit);
    }
}

static void visit_series_rows(const struct trajectories *all, struct field_visit *visit) {
    for (size_t s = 0; s < all->count; s++) {
        for (size_t size = 0; size < all->size_count; size++) {
            const struct listed_point *point = trajectories_point(all, s, size);
            const struct row_of row = {point, &all->at[size], 0, all->name[s]};
            if (point) FIELD_VISIT(&row);
        }
    }
}

static bool any_measured(const struct point_list *points) {
    for (size_t p = 0; p < points->count; p++) {
        if (points->point[p].measured_too) return true;
    }
    return false;
}

static bool is_measured(const void *record) {
    const struct roofline_report *report = record;
    if (report->points) return any_measured(report->points);
    for (size_t size = 0; size < report->trajectories->size_count; size++) {
        if (any_measured(&report->trajectories->at[size])) return true;
    }
    return false;
}

static struct asked asked_of(const struct request *request, const struct tcplan_problem *problem) {
    return (struct asked){request, problem};
}

static enum tcplan_direction direction_of(const struct point_list *points) {
    return (enum tcplan_direction)points->request->options->traffic;
}

FIELD_UNIT(struct roofline_report, placed_unit, tcplan_roofline_compute_unit(r->roofline))

/** Follows `flop/byte`. */
static const char *traffic_word(const void *record) {
    static const char *const words[] = {"", "read", "written"};
    return words[direction_of(((const struct roofline_report *)record)->points)];
}

static const char *direction_name(enum tcplan_direction direction) {
    static const char *const names[] = {"all", "read", "write"};
    return names[direction];
}

#define TRAFFIC r->listed->traffic
#define PREDICTED r->listed->predicted

/* clang-format off */

#define POINT(F, T) \
    F(T, name, TEXT, field_text(r->listed->row.name), "name of the algorithm", ALWAYS, CSV(1)) \
    F(T, sizes, SIZES, r->of_series ? field_owned(report_sizes(&r->at->problem)) : field_unknown(), "extent of each index, in a series", CSV(21)) \
    F(T, direction, TEXT, field_text(direction_name(r->place->direction)), "direction of the traffic", ALWAYS, \
      .schema = "\"enum\": [\"all\", \"read\", \"write\"]") \
    PLACED(F, T, 3, 14, 2) \
    F(T, compulsory_bytes, NUMBER, field_number(TRAFFIC.compulsory_bytes), "compulsory traffic", ALWAYS, CSV(11)) \
    F(T, model_bytes, NUMBER, field_number(TRAFFIC.model_bytes), "modelled traffic", ALWAYS, CSV(12)) \
    F(T, compulsory_write_bytes, NUMBER, field_number(tcplan_traffic_compulsory(&TRAFFIC, TCPLAN_DIRECTION_WRITE)), \
      "written part of the compulsory traffic", ALWAYS) \
    F(T, model_write_bytes, NUMBER, field_number(tcplan_traffic_modelled(&TRAFFIC, TCPLAN_DIRECTION_WRITE)), "written part of the modelled traffic", ALWAYS) \
    F(T, traffic, TEXT, field_text(tcplan_traffic_method_name(TRAFFIC.method)), "the model", ALWAYS, CSV(13))

/* Rows of text. */
#define ROW(F, T) \
    F(T, rank, INTEGER, field_integer((int64_t)r->number + 1), "rank by predicted time, from 1", COLUMN(1, "rank"), .hidden = true) \
    F(T, name, TEXT, field_text(r->name), "algorithm", COLUMN(2, "algorithm"), .hidden = true) \
    F(T, traffic, NUMBER, field_number(tcplan_traffic_modelled(&TRAFFIC, direction_of(r->at))), "modelled traffic", \
      COLUMN(3, "traffic"), .format = FIELD_BYTES, .optional = '6', .hidden = true) \
    F(T, low, NUMBER, field_number(PREDICTED.intensity_low), "operations per byte", COLUMN(4, "flop/byte"), .unit = traffic_word, .format = FIELD_THREE, \
      .optional = '7', .hidden = true) \
    PLACED_COLUMNS(F, T, predicted, 5, "predicted", &PREDICTED, true, &r->listed->predicted_gflops, NULL, '0', '5', '3') \
    PLACED_COLUMNS(F, T, measured, 8, "measured", &r->listed->measured, r->listed->measured_too, &r->listed->measured_gflops, is_measured, '0', '4', '2')

#define SERIES_ROW(F, T) \
    F(T, name, TEXT, field_text(r->name), "algorithm", COLUMN(1, "algorithm"), .hidden = true) \
    F(T, at, SIZES, field_owned(report_sizes(&r->at->problem)), "extent of each index", COLUMN(2, "sizes"), .hidden = true) \
    F(T, level, TEXT, field_text(PREDICTED.bandwidth ? PREDICTED.bandwidth->level : NULL), "innermost level that holds all tensors", COLUMN(3, "from"), \
      .optional = '5', .hidden = true) \
    F(T, low, NUMBER, field_number(PREDICTED.intensity_low), "operations per byte", COLUMN(4, "flop/byte"), .format = FIELD_THREE, .optional = '7', \
      .hidden = true) \
    F(T, high, NUMBER, field_number(PREDICTED.intensity_high), "operations per byte", COLUMN(5, "at most"), .format = FIELD_THREE, .optional = '6', \
      .hidden = true) \
    PLACED_COLUMNS(F, T, predicted, 6, "predicted", &PREDICTED, true, &r->listed->predicted_gflops, NULL, '0', '4', '1') \
    PLACED_COLUMNS(F, T, measured, 9, "measured", &r->listed->measured, r->listed->measured_too, &r->listed->measured_gflops, is_measured, '0', '3', '2')

#define SERIES(F, T) \
    F(T, name, TEXT, field_text(r->all->name[r->number]), "name of the algorithm", ALWAYS) \
    F(T, points, LIST, visit_series_points(r, visit), "points of the algorithm, one for each size", .item = "point", .fields = point_fields, ALWAYS)

#define POINTS(F, T) \
    F(T, asked, GROUP, const struct asked asked = asked_of(r->points->request, &r->points->problem); FIELD_VISIT(&asked), "the request", \
      .fields = asked_fields) \
    F(T, ceilings, GROUP, FIELD_VISIT(r), "the ceilings", .fields = ceilings_fields) \
    F(T, points, LIST, visit_points(r->points, visit), "algorithms, fastest first", .item = "point", .fields = point_fields, ALWAYS) \
    F(T, rows, LIST, visit_rows(r->points, visit), "rows of text", .fields = row_fields, .hidden = true)

#define ALL_SERIES(F, T) \
    F(T, asked, GROUP, const struct asked asked = asked_of(r->trajectories->request, NULL); FIELD_VISIT(&asked), "the request", .fields = asked_fields) \
    F(T, ceilings, GROUP, FIELD_VISIT(r), "the ceilings", .fields = ceilings_fields) \
    F(T, points, LIST, (void)visit, "none", .item = "point", .fields = point_fields, ALWAYS) \
    F(T, series, LIST, FIELD_VISIT_ALL(r->trajectories->count, &(struct series){r->trajectories, i}), \
      "one for each algorithm", .item = "trajectory", .fields = series_fields, ALWAYS) \
    F(T, rows, LIST, visit_series_rows(r->trajectories, visit), "rows of text", .fields = series_row_fields, .hidden = true)

/* clang-format on */

FIELD_TABLE(point, placed, POINT);
FIELD_TABLE(row, row_of, ROW);
FIELD_TABLE(series_row, row_of, SERIES_ROW);
FIELD_TABLE(series, series, SERIES);
FIELD_TABLE(points, roofline_report, POINTS);
FIELD_TABLE(all_series, roofline_report, ALL_SERIES);

/* Text. */

/** Prints the data that all points have in common: the contraction and the roofs. */
static void print_head(struct writer *writer, const struct point_list *points) {
    const struct listed_point *first = &points->point[0];
    const struct tcplan_point *point = &first->predicted;
    static const char *const words[] = {"", " read", " written"};
    FILE *file = writer->file;
    writer_print_owned(writer, "contraction  ",
                       tcplan_contraction_text(points->problem.contraction), "; ");
    writer_print_owned(writer, "", report_sizes(&points->problem), "");
    fprintf(file, "; %s\n", quantity_flops(points->problem.flops).text);
    const enum tcplan_direction direction =
        (enum tcplan_direction)points->request->options->traffic;
    fprintf(file, "traffic      at least %s%s, so at most %.3g flop/byte\n",
            quantity_bytes(tcplan_traffic_compulsory(&first->traffic, direction)).text,
            words[direction], point->intensity_high);
    if (point->roof > 0) {
        const char *flops = tcplan_roofline_compute_unit(points->roofline),
                   *bytes = tcplan_roofline_bandwidth_unit(points->roofline);
        fprintf(file, "roof         %.4g %s: %s from %s at %.4g %s, %s at %.4g %s, %s\n",
                point->roof, flops, point->bandwidth->name, point->bandwidth->level,
                point->bandwidth->rate, bytes, point->compute->name, point->compute->rate, flops,
                counted(point->compute->threads, "thread").text);
    }
    fputs("\n", file);
}

/** Prints notes below the table. */
static void print_notes(FILE *file, const struct point_list *points) {
    size_t above = 0;
    size_t above_model = 0;
    for (size_t p = 0; p < points->count; p++) {
        const struct listed_point *point = &points->point[p];
        above += point->predicted.above_roof || point->measured.above_roof;
        above_model += point->predicted.above_model || point->measured.above_model;
    }
    const enum tcplan_traffic_method method = points->point[0].traffic.method;
    fprintf(
        file,
        "\nThe traffic of an algorithm is modelled (%s): cache lines between %s and the caches nearer to the core.\n",
        tcplan_traffic_method_name(method),
        points->point[0].predicted.bandwidth ? points->point[0].predicted.bandwidth->level
                                             : "memory");
    if (above > 0)
        fprintf(file,
                "! Points above the roof: %zu. This is impossible: the time or the ceiling is "
                "wrong.\n",
                above);
    if (above_model > above) {
        fprintf(file,
                "! Points faster than their traffic allows: %zu. The model overestimates the "
                "traffic.\n",
                above_model);
    }
    if (points->pruned_count > 0) {
        const bool is_blas = points->request->options->space == TCPLAN_SPACE_BLAS;
        fprintf(file, "%.10g more are ruled out by a lower bound%s.\n", points->pruned_count,
                is_blas ? " (--all includes them)" : "");
    }
}

static void print_points(struct writer *writer, const void *record) {
    const struct roofline_report *report = record;
    ceilings_print(writer, report);
    fputc('\n', writer->file);
    if (report->points->count == 0) {
        fputs("No algorithm can run at these sizes.\n", writer->file);
        return;
    }
    print_head(writer, report->points);
    fields_print_list(writer, field_named(points_fields, "rows"), report);
    print_notes(writer->file, report->points);
}

static void print_series(struct writer *writer, const void *record) {
    const struct roofline_report *report = record;
    const struct trajectories *all = report->trajectories;
    ceilings_print(writer, report);
    writer_print_owned(writer, "\ncontraction  ",
                       tcplan_contraction_text(all->request->contraction), "");
    fprintf(writer->file, "; %zu sizes, %s\n\n", all->size_count,
            counted((int64_t)all->count, "algorithm").text);
    fields_print_list(writer, field_named(all_series_fields, "rows"), report);
    fputs(
        "\nfrom: innermost level that holds all tensors. flop/byte: for the modelled traffic of the algorithm; at most: for the compulsory traffic.\n",
        writer->file);
}

VIEW(roofline_points, points, "roofline", print_points,
     "Algorithms of a contraction under the measured ceilings.");

VIEW(roofline_series, all_series, "roofline", print_series,
     "Algorithms under the measured ceilings, over sizes.");
