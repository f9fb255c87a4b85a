#include "cli/roofs/kernels.h"

#include <string.h>

#include "base/quantity.h"
#include "cli/providers.h"
#include "cli/render/roofs/placed.h"
#include "cli/render/roofs/roofline.h"

/** A kernel and its point. */
struct kernel {
    const struct listed_kernel *listed;
    const struct tcplan_kernel_point *point;
    const struct tcplan_point *place;
    const struct tcplan_span *speed;
    bool per_cycle;
};

static void visit_kernels(const struct kernel_list *list, struct field_visit *visit) {
    for (size_t k = 0; k < list->count; k++) {
        const struct listed_kernel *listed = &list->kernel[k];
        const struct kernel kernel = {listed, listed->point, &listed->place, &listed->speed,
                                      list->roofline->per_cycle};
        FIELD_VISIT(&kernel);
    }
}

FIELD_UNIT(struct roofline_report, placed_unit, tcplan_roofline_compute_unit(r->roofline))

static const char *cache_of(const struct kernel *kernel) {
    return kernel->point->cold ? "cold" : "warm";
}

/** Returns the speed computed from 5 n log2 n operations, the usual basis to compare FFTs. */
static struct field_value pseudo_speed(const struct kernel *kernel) {
    const struct tcplan_kernel_point *point = kernel->point;
    return point->kernel == TCPLAN_POINT_FFT && point->flops > 0
               ? field_number(kernel->place->gflops * point->pseudo_flops / point->flops)
               : field_unknown();
}

static struct field_value bound_by(const struct tcplan_point *place) {
    if (!(place->roof > 0)) return field_unknown();
    if (place->compute_bound) return field_text(place->compute->name);
    return field_printed("%s %s", place->bandwidth->level, place->bandwidth->name);
}

FIELD_GETTER(struct kernel, shown_cache,
             field_printed("%s%s", cache_of(r), r->point->reduced ? " *" : ""))

/* clang-format off */

#define KERNEL(F, T) \
    F(T, name, TEXT, field_text(tcplan_point_kernel_name(r->point->kernel)), "kernel", ALWAYS, CSV(1), COLUMN(1, "kernel")) \
    F(T, cache, TEXT, field_text(cache_of(r)), "caches before the call", ALWAYS, CSV(2), COLUMN(2, "caches"), .shown = shown_cache) \
    F(T, n, INTEGER, field_integer(r->point->n), "extent", ALWAYS, CSV(3), COLUMN(3, "n")) \
    F(T, flops, NUMBER, field_number(r->point->flops), "operations", ALWAYS, CSV(4), COLUMN(4, "operations"), .format = FIELD_FLOPS, .optional = '5') \
    F(T, flops_origin, TEXT, field_text(tcplan_origin_name(r->point->flops_origin)), "source of the number of operations", ALWAYS, CSV(5)) \
    F(T, flops_are, TEXT, field_text(r->point->flops_origin == TCPLAN_ORIGIN_MEASURED ? "counted" : "analytic"), "source of the number of operations", \
      COLUMN(5, "are"), .optional = '6', .hidden = true) \
    F(T, pseudo_flops, NUMBER, field_if(r->point->kernel == TCPLAN_POINT_FFT, field_number(r->point->pseudo_flops)), "5 n log2 n for an FFT") \
    F(T, bytes, NUMBER, field_number(r->point->bytes), "traffic", ALWAYS, CSV(6), COLUMN(6, "traffic"), .format = FIELD_BYTES, .optional = '4') \
    F(T, written_bytes, NUMBER, field_number(r->point->written_bytes), "written part of the traffic", ALWAYS) \
    F(T, bytes_source, TEXT, field_text(tcplan_kernel_bytes_name(r->point->bytes_source)), "source of the traffic", ALWAYS, CSV(7), COLUMN(7, "is"), \
      .optional = '5') \
    F(T, compulsory_bytes, NUMBER, field_number(r->point->compulsory_bytes), "compulsory traffic", ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->point->seconds), "median time", ALWAYS, CSV(8)) \
    F(T, seconds_q1, NUMBER, field_number(r->point->seconds_q1), "lower quartile of the time", ALWAYS) \
    F(T, seconds_q3, NUMBER, field_number(r->point->seconds_q3), "upper quartile of the time", ALWAYS) \
    F(T, runs, INTEGER, field_integer(r->point->runs), "runs per repeat", ALWAYS) \
    F(T, repeats, INTEGER, field_integer(r->point->repeats), "repeats", ALWAYS) \
    F(T, disturbed, INTEGER, field_integer(r->point->disturbed), "number of repeats that other load disturbed", ALWAYS) \
    F(T, replicas_bytes, INTEGER, field_integer(r->point->replicas_bytes), "size of the replicas that flush the caches", ALWAYS) \
    F(T, reduced, FLAG, field_flag(r->point->reduced), "whether limited memory reduced the replicas", ALWAYS) \
    F(T, low, NUMBER, field_number(r->place->intensity_low), "operations per byte", COLUMN(8, "flop/byte"), .optional = '3', .format = FIELD_THREE, \
      .hidden = true) \
    F(T, high, NUMBER, field_number(r->place->intensity_high), "operations per byte", COLUMN(9, "at most"), .format = FIELD_THREE, .hidden = true) \
    PLACED_COLUMNS(F, T, measured, 10, "measured", r->place, true, r->speed, NULL, '0', '0', '0') \
    F(T, bound_by, TEXT, bound_by(r->place), "limiting ceiling", COLUMN(13, "bound by"), .optional = '2', .hidden = true) \
    F(T, pseudo_speed, NUMBER, pseudo_speed(r), "speed for 5 n log2 n operations", COLUMN(14, "5 n log2 n"), .optional = '7', \
      .format = FIELD_THREE, .hidden = true) \
    PLACED(F, T, 9, 17, 0)

#define MEASURED r->kernels->measured
#define PROTOCOL(F, T) \
    F(T, counters, TEXT, field_text(MEASURED->counts), "source of the counts", ALWAYS) \
    F(T, no_flops, TEXT, field_text(MEASURED->why_no_flops), "reason why operations are not counted") \
    F(T, no_bytes, TEXT, field_text(MEASURED->why_no_bytes), "reason why traffic is not counted") \
    F(T, fftw, TEXT, field_text(MEASURED->fft_version), "version of FFTW") \
    F(T, threads, INTEGER, field_integer(r->kernels->request->options->threads), "threads", ALWAYS) \
    F(T, unmeasured, INTEGER, field_integer(MEASURED->unmeasured), "kernels skipped for lack of time", ALWAYS)

#define KERNELS(F, T) \
    F(T, ceilings, GROUP, FIELD_VISIT(r), "the ceilings", .fields = ceilings_fields) \
    F(T, points, LIST, (void)visit, "none", .item = "point", .fields = protocol_fields, .schema = "\"type\": \"array\", \"maxItems\": 0", ALWAYS) \
    F(T, protocol, OBJECT, FIELD_VISIT(r), "the measurement protocol", .fields = protocol_fields, ALWAYS) \
    F(T, kernels, LIST, visit_kernels(r->kernels, visit), "kernels of known work", .item = "kernel", .fields = kernel_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(kernel, kernel, KERNEL);
FIELD_TABLE(protocol, roofline_report, PROTOCOL);
FIELD_TABLE(kernels, roofline_report, KERNELS);

/* Text. */

static void print_counts(FILE *file, const struct tcplan_kernel_points *measured) {
    const bool counts = !*measured->why_no_flops || !*measured->why_no_bytes ||
                        strcmp(measured->counts, "none") == 0;
    fprintf(file, "counts       %s%s\n", counts ? "" : "none available: ", measured->counts);
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
    fprintf(file, "BLAS         %s, %s\n", blas.text, counted(threads, "thread").text);
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
        "\nMedians and quartiles of 20 repeats of 1e8 cycles each, minus the loop without the kernel. flop/byte: for the printed traffic;\n"
        "at most: for the compulsory traffic. Cold runs are compared with memory, warm ones with the level that holds their data.\n",
        file);
    if (fft)
        fputs(
            "Operations of an FFT are those of FFTW's plan; the last column has the speed for the customary 5 n log2 n.\n",
            file);
    if (counted)
        fputs(
            "Memory controllers count for the whole machine: the traffic includes other programs.\n",
            file);
    if (above > 0)
        fprintf(
            file,
            "! %d above the roof, which is impossible: the time, the traffic or a ceiling is wrong.\n",
            above);
    if (reduced)
        fputs(
            "* Memory is too small for replicas larger than the caches: cold runs may find data in caches (--max-memory).\n",
            file);
    if (disturbed > 0)
        fprintf(file, "%d of the kernels were disturbed by other load in every repeat.\n",
                disturbed);
    if (list->measured->unmeasured > 0)
        fprintf(file, "%d of the kernels were not measured (--time-limit).\n",
                list->measured->unmeasured);
}

static void print(struct writer *writer, const void *record) {
    const struct roofline_report *report = record;
    print_head(writer, report->kernels);
    fields_print_list(writer, field_named(kernels_fields, "kernels"), report);
    print_notes(writer->file, report->kernels);
}

VIEW(roofline_kernels, kernels, "roofline", print,
     "Kernels of known work under the measured ceilings.");
