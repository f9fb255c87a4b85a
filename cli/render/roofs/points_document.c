#include "cli/render/roofs/points.h"

/* JSON. */

static const char *const direction_names[] = {"all", "read", "write"};

static const char *bound_of(const struct tcplan_point *point) {
    return point->compute_bound ? "compute" : "bandwidth";
}

void points_document_place(struct document *document, const struct tcplan_roofline *roofline,
                           const struct tcplan_point *point, const struct tcplan_span *speed) {
    const struct document_kind *kind = document->kind;
    const bool has_interval = speed->low > 0;
    kind->number(document, "intensity_low", point->intensity_low);
    kind->number(document, "intensity_high", point->intensity_high);
    kind->number(document, roofline->per_cycle ? "flops_per_cycle" : "gflops", point->gflops);
    if (has_interval) {
        kind->number(document, roofline->per_cycle ? "flops_per_cycle_low" : "gflops_low",
                     speed->low);
        kind->number(document, roofline->per_cycle ? "flops_per_cycle_high" : "gflops_high",
                     speed->high);
    }
    kind->text(document, "origin", tcplan_origin_name(point->origin));
    if (!(point->roof > 0)) return;
    kind->number(document, "efficiency", point->efficiency);
    if (has_interval) {
        kind->number(document, "efficiency_low", speed->low / point->roof);
        kind->number(document, "efficiency_high", speed->high / point->roof);
    }
    kind->number(document, "model_efficiency", point->model_efficiency);
    kind->number(document, roofline->per_cycle ? "roof_flops_per_cycle" : "roof_gflops",
                 point->roof);
    kind->text(document, "bound", bound_of(point));
    kind->boolean(document, "above_roof", point->above_roof);
    kind->boolean(document, "above_model", point->above_model);
    kind->text(document, "level", point->bandwidth->level);
    kind->text(document, "bandwidth_kernel", point->bandwidth->name);
    kind->text(document, "compute_kernel", point->compute->name);
}

static void write_point(struct document *document, const struct tcplan_roofline *roofline,
                        const struct listed_point *listed, const struct tcplan_point *point,
                        const struct tcplan_span *speed, const char *sizes) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "point");
    kind->text(document, "name", listed->row.name);
    if (sizes) kind->sizes(document, sizes);
    kind->text(document, "direction", direction_names[point->direction]);
    points_document_place(document, roofline, point, speed);
    kind->number(document, "compulsory_bytes", listed->traffic.compulsory_bytes);
    kind->number(document, "model_bytes", listed->traffic.model_bytes);
    kind->number(document, "compulsory_write_bytes",
                 tcplan_traffic_compulsory(&listed->traffic, TCPLAN_DIRECTION_WRITE));
    kind->number(document, "model_write_bytes",
                 tcplan_traffic_modelled(&listed->traffic, TCPLAN_DIRECTION_WRITE));
    kind->text(document, "traffic", tcplan_traffic_method_name(listed->traffic.method));
    kind->end(document);
}

void points_document_point(struct document *document, const struct tcplan_roofline *roofline,
                           const struct listed_point *point, const char *sizes) {
    write_point(document, roofline, point, &point->predicted, &point->predicted_gflops, sizes);
    if (point->measured_too)
        write_point(document, roofline, point, &point->measured, &point->measured_gflops, sizes);
}

void points_document(struct document *document, const struct point_list *points) {
    document->kind->list(document, "points");
    for (size_t p = 0; p < points->count; p++)
        points_document_point(document, points->roofline, &points->point[p], NULL);
    document->kind->end(document);
}

/* CSV. */

const char *points_csv_interval_heading(const struct tcplan_roofline *roofline) {
    return roofline->per_cycle
               ? "flops_per_cycle_low,flops_per_cycle_high,efficiency_low,efficiency_high"
               : "gflops_low,gflops_high,efficiency_low,efficiency_high";
}

void points_csv_interval(struct csv_line *line, const struct tcplan_point *point,
                         const struct tcplan_span *speed) {
    const bool has_interval = speed->low > 0, has_share = has_interval && point->roof > 0;
    csv_add_number(line, has_interval, speed->low);
    csv_add_number(line, has_interval, speed->high);
    csv_add_number(line, has_share, has_share ? speed->low / point->roof : 0);
    csv_add_number(line, has_share, has_share ? speed->high / point->roof : 0);
}

static void print_line(struct writer *writer, const struct listed_point *listed,
                       const struct tcplan_point *point, const struct tcplan_span *speed,
                       const char *sizes) {
    struct csv_line line = {0};
    csv_add_text(&line, listed->row.name);
    if (sizes) csv_add_text(&line, sizes);
    csv_add_text(&line, tcplan_origin_name(point->origin));
    csv_add_number(&line, true, point->intensity_low);
    csv_add_number(&line, true, point->intensity_high);
    csv_add_number(&line, true, point->gflops);
    csv_add_number(&line, point->roof > 0, point->efficiency);
    csv_add_number(&line, point->roof > 0, point->model_efficiency);
    csv_add_text(&line, point->roof > 0 ? bound_of(point) : "");
    csv_add_text(&line, point->bandwidth ? point->bandwidth->level : "");
    csv_add_text(&line, point->bandwidth ? point->bandwidth->name : "");
    csv_add_number(&line, true, listed->traffic.compulsory_bytes);
    csv_add_number(&line, true, listed->traffic.model_bytes);
    csv_add_text(&line, tcplan_traffic_method_name(listed->traffic.method));
    points_csv_interval(&line, point, speed);
    if (!csv_print(&line, writer->file)) writer->no_memory = true;
}

void points_csv_heading(struct writer *writer, const struct tcplan_roofline *roofline,
                        bool with_sizes) {
    fprintf(
        writer->file,
        "name,%sorigin,intensity_low,intensity_high,%s,efficiency,model_efficiency,bound,level,bandwidth_kernel,compulsory_bytes,"
        "model_bytes,traffic,%s\n",
        with_sizes ? "sizes," : "", roofline->per_cycle ? "flops_per_cycle" : "gflops",
        points_csv_interval_heading(roofline));
}

void points_csv_point(struct writer *writer, const struct listed_point *point, const char *sizes) {
    print_line(writer, point, &point->predicted, &point->predicted_gflops, sizes);
    if (point->measured_too)
        print_line(writer, point, &point->measured, &point->measured_gflops, sizes);
}

void points_csv(struct writer *writer, const struct point_list *points) {
    points_csv_heading(writer, points->roofline, false);
    for (size_t p = 0; p < points->count; p++) points_csv_point(writer, &points->point[p], NULL);
}
