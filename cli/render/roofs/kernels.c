#include "cli/render/roofs/kernels.h"

#include <string.h>

#include "base/quantity.h"
#include "cli/blas_advice.h"
#include "cli/render/roofs/points.h"
#include "cli/render/text/csv_line.h"

static const char *bound_of(const struct tcplan_point *place) {
    return place->compute_bound ? "compute" : "bandwidth";
}

static const char *cache_of(const struct tcplan_kernel_point *point) {
    return point->cold ? "cold" : "warm";
}

/** Operations a second were 5 n log2 n done, in the unit of the place; 0: this is no FFT. */
static double pseudo_speed(const struct listed_kernel *listed) {
    const struct tcplan_kernel_point *point = listed->point;
    return point->kernel == TCPLAN_POINT_FFT && point->flops > 0
               ? listed->place.gflops * point->pseudo_flops / point->flops
               : 0;
}

/* Text. */

static void print_counts(FILE *file, const struct tcplan_kernel_points *measured) {
    const bool counts = !*measured->why_no_flops || !*measured->why_no_bytes ||
                        strcmp(measured->counts, "none") == 0;
    fprintf(file, "counts       %s%s\n", counts ? "" : "none: nothing can be counted by ",
            measured->counts);
    if (*measured->why_no_bytes)
        fprintf(file, "             traffic is analytic, not counted: %s\n",
                measured->why_no_bytes);
    if (*measured->why_no_flops && strcmp(measured->why_no_flops, measured->why_no_bytes) != 0) {
        fprintf(file, "             operations are analytic, not counted: %s\n",
                measured->why_no_flops);
    }
}

static void print_head(struct writer *writer, const struct kernel_list *list) {
    FILE *file = writer->file;
    const struct tcplan_blas blas = tcplan_blas_info();
    const struct tcplan_kernel_points *measured = list->measured;
    const int threads = list->request->options->threads;
    format_text_machine(writer, &list->roofline->machine);
    fprintf(file, "BLAS         %s, %d thread%s\n", blas.text, threads, threads == 1 ? "" : "s");
    blas_warnings_print(file);
    if (*measured->fft_version) fprintf(file, "FFTW         %s\n", measured->fft_version);
    print_counts(file, measured);
    for (size_t k = 0; k < list->count; k++) {
        const struct tcplan_point *place = &list->kernel[k].place;
        if (place->roof <= 0) continue;
        fprintf(file, "roof         %s in double precision at %.4g %s\n", place->compute->name,
                place->compute->rate, tcplan_roofline_compute_unit(list->roofline));
        break;
    }
    fputc('\n', file);
}

static void add_heading(struct table *table, const struct kernel_list *list) {
    static const char *const headings[] = {"kernel",  "caches", "n",         "operations", "are",
                                           "traffic", "is",     "flop/byte", "at most"};
    for (size_t h = 0; h < sizeof headings / sizeof *headings; h++)
        table_add(table, "%s", headings[h]);
    points_table_heading(table, list->roofline, "measured");
    table_add(table, "bound by");
    table_add(table, "5 n log2 n");
}

static void add_kernel(struct table *table, const struct listed_kernel *listed) {
    const struct tcplan_kernel_point *point = listed->point;
    const struct tcplan_point *place = &listed->place;
    table_add(table, "%s", tcplan_point_kernel_name(point->kernel));
    table_add(table, "%s%s", cache_of(point), point->reduced ? " *" : "");
    table_add(table, "%lld", (long long)point->n);
    table_add(table, "%s", quantity_flops(point->flops).text);
    table_add(table, "%s", point->flops_origin == TCPLAN_ORIGIN_MEASURED ? "counted" : "analytic");
    table_add(table, "%s", quantity_bytes(point->bytes).text);
    table_add(table, "%s", tcplan_kernel_bytes_name(point->bytes_source));
    table_add(table, "%.3g", place->intensity_low);
    table_add(table, "%.3g", place->intensity_high);
    points_table_speed(table, place, true, &listed->speed);
    if (place->roof > 0 && place->compute_bound) {
        table_add(table, "%s", place->compute->name);
    } else if (place->roof > 0) {
        table_add(table, "%s %s", place->bandwidth->level, place->bandwidth->name);
    } else {
        table_add(table, "-");
    }
    table_add(table, pseudo_speed(listed) > 0 ? "%.3g" : "-", pseudo_speed(listed));
}

static void print_notes(FILE *file, const struct kernel_list *list) {
    int above = 0, disturbed = 0;
    bool reduced = false, fft = false, counted = false;
    for (size_t k = 0; k < list->count; k++) {
        const struct tcplan_kernel_point *point = list->kernel[k].point;
        above += list->kernel[k].place.above_roof;
        disturbed += point->disturbed == point->repeats;
        reduced = reduced || point->reduced;
        fft = fft || point->kernel == TCPLAN_POINT_FFT;
        counted = counted || point->bytes_source == TCPLAN_KERNEL_BYTES_COUNTED;
    }
    fputs(
        "\nMedians and quartiles of 20 repeats, each as many runs as take 1e8 cycles, less the loop without the kernel. flop/byte: with the traffic told;\n"
        "at most: with what none can avoid. Cold runs are held against memory, warm ones against the level that holds their data.\n",
        file);
    if (fft)
        fputs(
            "Operations of an FFT are those that FFTW counts in its plan; 5 n log2 n, as is usual, would be the speed of the last column.\n",
            file);
    if (counted)
        fputs(
            "Memory controllers count for the whole machine: what other programs move is in the traffic.\n",
            file);
    if (above > 0)
        fprintf(
            file,
            "! %d above the roof, which no machine is: the time, the traffic or a ceiling is off.\n",
            above);
    if (reduced)
        fputs(
            "* Memory allows no replicas that certainly exceed the caches: cold may be lukewarm (--max-memory).\n",
            file);
    if (disturbed > 0)
        fprintf(file, "%d were disturbed by other work in every repeat.\n", disturbed);
    if (list->measured->unmeasured > 0)
        fprintf(file, "%d were not measured, as the time was over (--time-limit).\n",
                list->measured->unmeasured);
}

void kernels_text(struct writer *writer, const struct kernel_list *list) {
    struct table table = {.columns = "llrrlrlrrrrrlr", .optional = "00056450300027"};
    print_head(writer, list);
    add_heading(&table, list);
    for (size_t k = 0; k < list->count; k++) add_kernel(&table, &list->kernel[k]);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
    print_notes(writer->file, list);
}

/* JSON and XML. */

static void write_kernel(struct document *document, const struct kernel_list *list,
                         const struct listed_kernel *listed) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_kernel_point *point = listed->point;
    const struct tcplan_point *place = &listed->place;
    kind->object(document, "kernel");
    kind->text(document, "name", tcplan_point_kernel_name(point->kernel));
    kind->text(document, "cache", cache_of(point));
    kind->integer(document, "n", point->n);
    kind->number(document, "flops", point->flops);
    kind->text(document, "flops_origin", tcplan_origin_name(point->flops_origin));
    if (point->kernel == TCPLAN_POINT_FFT)
        kind->number(document, "pseudo_flops", point->pseudo_flops);
    kind->number(document, "bytes", point->bytes);
    kind->number(document, "written_bytes", point->written_bytes);
    kind->text(document, "bytes_source", tcplan_kernel_bytes_name(point->bytes_source));
    kind->number(document, "compulsory_bytes", point->compulsory_bytes);
    kind->number(document, "seconds", point->seconds);
    kind->number(document, "seconds_q1", point->seconds_q1);
    kind->number(document, "seconds_q3", point->seconds_q3);
    kind->integer(document, "runs", point->runs);
    kind->integer(document, "repeats", point->repeats);
    kind->integer(document, "disturbed", point->disturbed);
    kind->integer(document, "replicas_bytes", point->replicas_bytes);
    kind->boolean(document, "reduced", point->reduced);
    points_document_place(document, list->roofline, place, &listed->speed);
    kind->end(document);
}

void kernels_document(struct document *document, const struct kernel_list *list) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_kernel_points *measured = list->measured;
    kind->object(document, "protocol");
    kind->text(document, "counters", measured->counts);
    if (*measured->why_no_flops) kind->text(document, "no_flops", measured->why_no_flops);
    if (*measured->why_no_bytes) kind->text(document, "no_bytes", measured->why_no_bytes);
    if (*measured->fft_version) kind->text(document, "fftw", measured->fft_version);
    kind->integer(document, "threads", list->request->options->threads);
    kind->integer(document, "unmeasured", measured->unmeasured);
    kind->end(document);
    kind->list(document, "kernels");
    for (size_t k = 0; k < list->count; k++) write_kernel(document, list, &list->kernel[k]);
    kind->end(document);
}

/* CSV. */

static void print_line(struct writer *writer, const struct listed_kernel *listed) {
    const struct tcplan_kernel_point *point = listed->point;
    const struct tcplan_point *place = &listed->place;
    struct csv_line line = {0};
    csv_add_text(&line, tcplan_point_kernel_name(point->kernel));
    csv_add_text(&line, cache_of(point));
    csv_add_integer(&line, point->n);
    csv_add_number(&line, true, point->flops);
    csv_add_text(&line, tcplan_origin_name(point->flops_origin));
    csv_add_number(&line, true, point->bytes);
    csv_add_text(&line, tcplan_kernel_bytes_name(point->bytes_source));
    csv_add_number(&line, true, point->seconds);
    csv_add_number(&line, true, place->intensity_low);
    csv_add_number(&line, true, place->intensity_high);
    csv_add_number(&line, true, place->gflops);
    csv_add_number(&line, place->roof > 0, place->efficiency);
    csv_add_number(&line, place->roof > 0, place->model_efficiency);
    csv_add_text(&line, place->roof > 0 ? bound_of(place) : "");
    csv_add_text(&line, place->bandwidth ? place->bandwidth->level : "");
    csv_add_text(&line, place->bandwidth ? place->bandwidth->name : "");
    points_csv_interval(&line, place, &listed->speed);
    if (!csv_print(&line, writer->file)) writer->no_memory = true;
}

void kernels_csv(struct writer *writer, const struct kernel_list *list) {
    fprintf(
        writer->file,
        "name,cache,n,flops,flops_origin,bytes,bytes_source,seconds,intensity_low,intensity_high,%s,efficiency,model_efficiency,bound,level,"
        "bandwidth_kernel,%s\n",
        list->roofline->per_cycle ? "flops_per_cycle" : "gflops",
        points_csv_interval_heading(list->roofline));
    for (size_t k = 0; k < list->count; k++) print_line(writer, &list->kernel[k]);
}
