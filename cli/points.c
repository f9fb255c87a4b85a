#include "cli/points.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cleanup.h"
#include "cli/render/csv_line.h"
#include "cli/render/document.h"
#include "cli/survey.h"

/* Making. */

/** The entries at the front that have a prediction, as many as --top lets through. */
static size_t listed_count(const struct tcplan_ranking *ranking, const struct options *options) {
    size_t count = 0;
    while (count < ranking->entry_count && ranking->entry[count].predicted) count++;
    return options->top > 0 && (uint64_t)options->top < count ? (size_t)options->top : count;
}

/** A survey_step. */
static enum tcplan_status measure(struct tcplan_ranking *ranking, const struct request *request, const struct tcplan_rank_options *options,
                                  struct tcplan_error *error) {
    if (!request->options->measure) return TCPLAN_OK;
    return tcplan_ranking_measure(ranking, 0, listed_count(ranking, request->options), options, error);
}

static enum tcplan_status model_traffic(struct tcplan_traffic *out, const struct point_list *points,
                                        const struct tcplan_algorithm *algorithm, struct tcplan_error *error) {
    struct tcplan_nest *nest = NULL;
    enum tcplan_status status = tcplan_nest_build(&nest, points->problem.contraction, algorithm, error);
    if (status != TCPLAN_OK) return status;
    status = tcplan_traffic_model(out, nest, &points->problem, &points->roofline->machine, points->request->options->seed, error);
    tcplan_nest_free(nest);
    return status;
}

static enum tcplan_status place(struct listed_point *out, const struct point_list *points, const struct tcplan_entry *entry,
                                struct tcplan_error *error) {
    enum tcplan_status status = model_traffic(&out->traffic, points, &entry->algorithm, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_point_subject subject = {.flops = points->problem.flops,
                                           .dtype = points->problem.dtype,
                                           .traffic = out->traffic,
                                           .threads = points->request->options->threads,
                                           .fused = !points->request->options->no_fma,
                                           .seconds = entry->prediction.seconds,
                                           .origin = TCPLAN_ORIGIN_PREDICTED};
    out->predicted = tcplan_point_make(points->roofline, &subject);
    if (entry->status != TCPLAN_ENTRY_MEASURED) return TCPLAN_OK;
    out->measured_too = true;
    subject.seconds = entry->measured.seconds;
    subject.origin = TCPLAN_ORIGIN_MEASURED;
    out->measured = tcplan_point_make(points->roofline, &subject);
    return TCPLAN_OK;
}

static enum exit_status place_all(struct point_list *points, const struct tcplan_ranking *ranking) {
    const bool has_points = !tcplan_problem_only_scales(&points->problem); /* without operations there is no place under a roof */
    const size_t count = has_points ? listed_count(ranking, points->request->options) : 0;
    struct tcplan_error error;
    points->point = base_alloc_zero(count + 1, sizeof *points->point);
    if (!points->point) return diagnose_no_memory();
    for (; points->count < count; points->count++) {
        struct listed_point *point = &points->point[points->count];
        const struct tcplan_entry *entry = &ranking->entry[points->count];
        if (place(point, points, entry, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
        if (!row_make(&point->row, &entry->algorithm, points->problem.contraction, points->problem.dtype)) return diagnose_no_memory();
    }
    return EXIT_DONE;
}

enum exit_status points_make(struct point_list *out, const struct request *request, const struct tcplan_roofline *roofline) {
    struct tcplan_ranking *ranking = NULL;
    *out = (struct point_list){.request = request, .roofline = roofline, .problem = request_problem(request, 0)};
    enum exit_status status = survey_rank(&ranking, request, 0, measure);
    if (status != EXIT_DONE) return status;
    out->pruned_count = ranking->pruned_count;
    status = place_all(out, ranking);
    tcplan_ranking_free(ranking);
    return status;
}

void points_free(struct point_list *points) {
    for (size_t p = 0; p < points->count; p++) row_free(&points->point[p].row);
    free(points->point);
    *points = (struct point_list){0};
}

/* JSON. */

static const char *bound_of(const struct tcplan_point *point) {
    return point->compute_bound ? "compute" : "bandwidth";
}

static void write_point(struct document *document, const struct listed_point *listed, const struct tcplan_point *point) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "point");
    kind->text(document, "name", listed->row.name);
    kind->number(document, "intensity_low", point->intensity_low);
    kind->number(document, "intensity_high", point->intensity_high);
    kind->number(document, "gflops", point->gflops);
    kind->text(document, "origin", tcplan_origin_name(point->origin));
    if (point->roof > 0) {
        kind->number(document, "efficiency", point->efficiency);
        kind->number(document, "model_efficiency", point->model_efficiency);
        kind->number(document, "roof_gflops", point->roof);
        kind->text(document, "bound", bound_of(point));
        kind->boolean(document, "above_roof", point->above_roof);
        kind->boolean(document, "above_model", point->above_model);
        kind->text(document, "level", point->bandwidth->level);
        kind->text(document, "bandwidth_kernel", point->bandwidth->name);
        kind->text(document, "compute_kernel", point->compute->name);
    }
    kind->number(document, "compulsory_bytes", listed->traffic.compulsory_bytes);
    kind->number(document, "model_bytes", listed->traffic.model_bytes);
    kind->text(document, "traffic", tcplan_traffic_method_name(listed->traffic.method));
    kind->end(document);
}

void points_document(struct document *document, const struct point_list *points) {
    document->kind->list(document, "points");
    for (size_t p = 0; p < points->count; p++) {
        const struct listed_point *point = &points->point[p];
        write_point(document, point, &point->predicted);
        if (point->measured_too) write_point(document, point, &point->measured);
    }
    document->kind->end(document);
}

/* CSV. */

static void print_line(struct writer *writer, const struct listed_point *listed, const struct tcplan_point *point) {
    struct csv_line line = {0};
    csv_add_text(&line, listed->row.name);
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
    if (!csv_print(&line, writer->file)) writer->no_memory = true;
}

void points_csv(struct writer *writer, const struct point_list *points) {
    fputs("name,origin,intensity_low,intensity_high,gflops,efficiency,model_efficiency,bound,level,bandwidth_kernel,compulsory_bytes,"
          "model_bytes,traffic\n",
          writer->file);
    for (size_t p = 0; p < points->count; p++) {
        const struct listed_point *point = &points->point[p];
        print_line(writer, point, &point->predicted);
        if (point->measured_too) print_line(writer, point, &point->measured);
    }
}

/* The picture. */

static int compare_speed(const void *a, const void *b) {
    const double x = ((const struct plot_point *)a)->at.gflops;
    const double y = ((const struct plot_point *)b)->at.gflops;
    return (x < y) - (x > y);
}

/** Points as the picture takes them, fastest first: measured where they were measured. NULL when memory is out. */
static struct plot_point *plotted(const struct point_list *points, size_t *count) {
    struct plot_point *out = base_alloc_zero(points->count + 1, sizeof *out);
    *count = 0;
    for (size_t p = 0; out && p < points->count; p++) {
        const struct listed_point *listed = &points->point[p];
        const enum tcplan_kernel kernel = listed->row.nest->algorithm.kernel;
        const struct tcplan_point *at = listed->measured_too ? &listed->measured : &listed->predicted;
        out[(*count)++] = (struct plot_point){.name = listed->row.name, .kernel = kernel, .at = *at};
    }
    if (out) qsort(out, *count, sizeof *out, compare_speed);
    return out;
}

static enum exit_status write_plot(const struct roofline_plot *plot, const char *path) {
    struct output_file out = {0};
    struct tcplan_error error;
    if (output_open(&out, path, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    enum exit_status status = roofline_plot_print(out.file, plot) ? EXIT_DONE : diagnose_no_memory();
    if (status == EXIT_DONE && output_file_commit(&out, &error) != TCPLAN_OK) status = diagnose_error(&error, NULL);
    output_file_discard(&out);
    return status;
}

/** "C_abc=A_ai*B_ibc, a=8,b=8,c=8,i=8: 36 algorithms"; without points that it is the ceilings. */
static void print_title(char *out, size_t size, const struct point_list *points) {
    char *contraction = points ? tcplan_contraction_text(points->problem.contraction) : NULL;
    char *sizes = points ? report_sizes(&points->problem) : NULL;
    snprintf(out, size, "Ceilings");
    if (points) {
        snprintf(out, size, "%s, %s: %zu algorithm%s", contraction ? contraction : "", sizes ? sizes : "", points->count,
                 points->count == 1 ? "" : "s");
    }
    free(contraction);
    free(sizes);
}

static void print_subtitle(char *out, size_t size, const struct tcplan_roofline *roofline, const struct options *options) {
    static const char *const precisions[TCPLAN_DTYPES] = {"single", "double", "single complex", "double complex"};
    const char *cpu = *roofline->machine.cpu ? roofline->machine.cpu : roofline->machine.source;
    snprintf(out, size, "%s, %d thread%s, %s precision", cpu, options->threads, options->threads == 1 ? "" : "s",
             precisions[options->dtype]);
}

enum exit_status points_plot(const struct point_list *points, const struct tcplan_roofline *roofline, const struct options *options,
                             const char *path) {
    char title[512], subtitle[512];
    size_t count = 0;
    struct plot_point *point = points ? plotted(points, &count) : NULL;
    if (points && !point) return diagnose_no_memory();
    print_title(title, sizeof title, points);
    print_subtitle(subtitle, sizeof subtitle, roofline, options);
    const bool fed = count > 0 && point[0].at.model_bandwidth;
    const struct roofline_plot plot = {.roofline = roofline,
                                       .title = title,
                                       .subtitle = subtitle,
                                       .bandwidth = fed ? point[0].at.model_bandwidth->name : "load",
                                       .dtype = (enum tcplan_dtype)options->dtype,
                                       .threads = options->threads,
                                       .count = count,
                                       .point = point};
    const enum exit_status status = write_plot(&plot, path);
    free(point);
    return status;
}
