#include <stdlib.h>

#include "base/quantity.h"
#include "cli/render/roofs/points.h"

/** What all points have in common: the contraction, and the roofs that they are held against. */
static void print_head(struct writer *writer, const struct point_list *points) {
    const struct listed_point *first = &points->point[0];
    const struct tcplan_point *point = &first->predicted;
    static const char *const words[] = {"", " read", " written"};
    FILE *file = writer->file;
    fputs("contraction  ", file);
    writer_print_owned(writer, tcplan_contraction_text(points->problem.contraction));
    fputs("; ", file);
    writer_print_owned(writer, report_sizes(&points->problem));
    fprintf(file, "; %s\n", quantity_flops(points->problem.flops).text);
    const enum tcplan_direction direction =
        (enum tcplan_direction)points->request->options->traffic;
    fprintf(file, "traffic      at least %s%s: at most %.3g flop/byte\n",
            quantity_bytes(tcplan_traffic_compulsory(&first->traffic, direction)).text,
            words[direction], point->intensity_high);
    if (point->roof > 0) {
        const char *flops = tcplan_roofline_compute_unit(points->roofline),
                   *bytes = tcplan_roofline_bandwidth_unit(points->roofline);
        fprintf(file, "roof         %.4g %s: %s from %s at %.4g %s, %s at %.4g %s, %d thread%s\n",
                point->roof, flops, point->bandwidth->name, point->bandwidth->level,
                point->bandwidth->rate, bytes, point->compute->name, point->compute->rate, flops,
                point->compute->threads, point->compute->threads == 1 ? "" : "s");
    }
    fputs("\n", file);
}

static void add_share(struct table *table, double share) {
    if (share > 0) {
        table_add(table, "%.1f %%%s", 100 * share, share > 1 ? " !" : "");
    } else {
        table_add(table, "-");
    }
}

/** "65.4 % (63.0 - 67.1)": the share of the roof, and between which it is as the speed is. */
static void add_utilisation(struct table *table, const struct tcplan_point *point,
                            const struct tcplan_span *speed) {
    if (!(point->roof > 0) || !(speed->low > 0)) {
        add_share(table, point->efficiency);
        return;
    }
    table_add(table, "%.1f %% (%.1f - %.1f)%s", 100 * point->efficiency,
              100 * speed->low / point->roof, 100 * speed->high / point->roof,
              point->above_roof ? " !" : "");
}

void points_table_speed(struct table *table, const struct tcplan_point *point, bool known,
                        const struct tcplan_span *speed) {
    static const struct tcplan_point none;
    table_add(table, known ? "%.3g" : "-", point->gflops);
    add_utilisation(table, known ? point : &none, speed);
    add_share(table, known ? point->model_efficiency : 0);
}

void points_table_heading(struct table *table, const struct tcplan_roofline *roofline,
                          const char *origin) {
    table_add(table, "%s %s", origin, tcplan_roofline_compute_unit(roofline));
    table_add(table, "of roof");
    table_add(table, "with its traffic");
}

static void add_heading(struct table *table, const struct point_list *points, bool measured) {
    static const char *const intensities[] = {"flop/byte", "flop/byte read", "flop/byte written"};
    table_add(table, "rank");
    table_add(table, "algorithm");
    table_add(table, "traffic");
    table_add(table, "%s", intensities[points->request->options->traffic]);
    points_table_heading(table, points->roofline, "predicted");
    if (measured) points_table_heading(table, points->roofline, "measured");
}

static void add_point(struct table *table, size_t rank, const struct listed_point *listed,
                      enum tcplan_direction direction, bool measured) {
    const struct tcplan_point *predicted = &listed->predicted;
    table_add(table, "%zu", rank);
    table_add(table, "%s", listed->row.name);
    table_add(table, "%s",
              quantity_bytes(tcplan_traffic_modelled(&listed->traffic, direction)).text);
    table_add(table, "%.3g", predicted->intensity_low);
    points_table_speed(table, predicted, true, &listed->predicted_gflops);
    if (measured)
        points_table_speed(table, &listed->measured, listed->measured_too,
                           &listed->measured_gflops);
}

bool points_any_measured(const struct point_list *points) {
    for (size_t p = 0; p < points->count; p++) {
        if (points->point[p].measured_too) return true;
    }
    return false;
}

/** Notes below the table, where they are called for. */
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
        "\nThe traffic of an algorithm is a model's (%s): lines between %s and the caches nearer to the core.\n",
        tcplan_traffic_method_name(method),
        points->point[0].predicted.bandwidth ? points->point[0].predicted.bandwidth->level
                                             : "memory");
    if (above > 0)
        fprintf(file,
                "! %zu above the roof, which no machine is: the time or the ceiling is off.\n",
                above);
    if (above_model > above) {
        fprintf(
            file,
            "! %zu faster than its traffic allows: the model moves more than the machine does.\n",
            above_model);
    }
    if (points->pruned_count > 0) {
        const bool is_blas = points->request->options->space == TCPLAN_SPACE_BLAS;
        fprintf(file, "%.10g more cannot win%s.\n", points->pruned_count,
                is_blas ? " (--all places them too)" : "");
    }
}

void points_text(struct writer *writer, const struct point_list *points) {
    if (points->count == 0) {
        fputs("No algorithm applies at these sizes.\n", writer->file);
        return;
    }
    const bool measured = points_any_measured(points);
    struct table table = {.columns = measured ? "rlrrrrrrrr" : "rlrrrrr",
                          .optional = measured ? "0067053042" : "0034021"};
    print_head(writer, points);
    add_heading(&table, points, measured);
    for (size_t p = 0; p < points->count; p++)
        add_point(&table, p + 1, &points->point[p],
                  (enum tcplan_direction)points->request->options->traffic, measured);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
    print_notes(writer->file, points);
}
