#include "cli/render/ceilings.h"

#include "cli/points.h"
#include "cli/render/csv_line.h"
#include "cli/render/date.h"
#include "cli/render/kernels.h"
#include "cli/render/regions.h"
#include "cli/trajectories.h"

static const char *unit_of(const struct tcplan_ceiling *ceiling, bool per_cycle) {
    const bool computes = ceiling->line_bytes_per_count_byte == 0;
    if (per_cycle) return computes ? "flops_per_cycle" : "bytes_per_cycle";
    return computes ? "gflops" : "gbytes_per_second";
}

static void write_counts(struct document *document, const struct tcplan_ceiling *ceiling, bool per_cycle) {
    const struct document_kind *kind = document->kind;
    const double speed_share = tcplan_ceiling_speed_share(ceiling);
    kind->integer(document, "threads", ceiling->threads);
    kind->text(document, "origin", tcplan_origin_name(ceiling->origin));
    kind->number(document, unit_of(ceiling, per_cycle), ceiling->rate);
    kind->number(document, "q1", ceiling->q1);
    kind->number(document, "q3", ceiling->q3);
    if (ceiling->clock_hz > 0) {
        kind->number(document, "clock_hz", ceiling->clock_hz);
        kind->number(document, "clock_drift", ceiling->clock_drift);
    }
    if (ceiling->limit > 0) kind->number(document, "analytic_limit", ceiling->limit);
    kind->integer(document, "windows", ceiling->windows);
    kind->integer(document, "dropped", ceiling->dropped);
    if (speed_share > 0) kind->number(document, "speed_share", speed_share);
}

static void write_compute(struct document *document, const struct tcplan_ceiling *ceiling, bool per_cycle) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "ceiling");
    kind->text(document, "name", ceiling->name);
    kind->text(document, "precision", tcplan_word(tcplan_words_dtypes, (int)ceiling->precision));
    kind->integer(document, "vector_bits", ceiling->vector_bits);
    if (ceiling->m > 0) {
        kind->integer(document, "m", ceiling->m);
        kind->integer(document, "n", ceiling->n);
        kind->integer(document, "k", ceiling->k);
    }
    write_counts(document, ceiling, per_cycle);
    kind->end(document);
}

static void write_bandwidth(struct document *document, const struct tcplan_ceiling *ceiling, bool per_cycle) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "ceiling");
    kind->text(document, "kernel", ceiling->name);
    kind->text(document, "level", ceiling->level);
    kind->integer(document, "vector_bits", ceiling->vector_bits);
    kind->integer(document, "working_set_bytes", ceiling->working_set_bytes);
    if (ceiling->reduced) kind->boolean(document, "reduced", true);
    kind->number(document, "line_bytes_per_count_byte", ceiling->line_bytes_per_count_byte);
    write_counts(document, ceiling, per_cycle);
    kind->end(document);
}

static void write_level(struct document *document, const struct tcplan_roofline *roofline, const struct tcplan_level *level) {
    const struct document_kind *kind = document->kind;
    const bool is_reported = level->cache >= 0 && level->cache < roofline->machine.cache_count;
    kind->object(document, "level");
    if (*level->name) kind->text(document, "level", level->name);
    kind->integer(document, "threads", level->threads);
    kind->number(document, roofline->per_cycle ? "bytes_per_cycle" : "gbytes_per_second", level->rate);
    kind->integer(document, "first_bytes", level->first_bytes);
    kind->integer(document, "last_bytes", level->last_bytes);
    if (level->holds_bytes > 0) kind->integer(document, "holds_bytes", level->holds_bytes);
    if (is_reported) kind->integer(document, "reported_bytes", roofline->machine.cache[level->cache].size_bytes);
    kind->text(document, "origin", "measured");
    kind->end(document);
}

static void write_swept(struct document *document, const struct tcplan_ceiling *point, bool per_cycle) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "point");
    kind->text(document, "kernel", point->name);
    kind->integer(document, "vector_bits", point->vector_bits);
    kind->integer(document, "working_set_bytes", point->working_set_bytes);
    write_counts(document, point, per_cycle);
    kind->end(document);
}

static void write_intensity(struct document *document, const struct tcplan_ceiling *point, bool per_cycle) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "point");
    kind->text(document, "level", point->level);
    kind->number(document, "intensity", point->intensity);
    kind->integer(document, "vector_bits", point->vector_bits);
    kind->integer(document, "working_set_bytes", point->working_set_bytes);
    write_counts(document, point, per_cycle);
    kind->end(document);
}

/** What was found, and from what. */
static void write_levels(struct document *document, const struct tcplan_roofline *roofline) {
    const struct document_kind *kind = document->kind;
    kind->list(document, "levels");
    for (size_t l = 0; l < roofline->level_count; l++) write_level(document, roofline, &roofline->level[l]);
    kind->end(document);
    kind->list(document, "intensities");
    for (size_t i = 0; i < roofline->intensity_count; i++) write_intensity(document, &roofline->intensity[i], roofline->per_cycle);
    kind->end(document);
    kind->list(document, "sweep");
    for (size_t s = 0; s < roofline->sweep_count; s++) write_swept(document, &roofline->sweep[s], roofline->per_cycle);
    kind->end(document);
}

static void write_ceilings(struct document *document, const struct tcplan_roofline *roofline, bool kept) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "clock");
    kind->number(document, "hz", roofline->clock.hz);
    kind->number(document, "q1", roofline->clock.q1);
    kind->number(document, "q3", roofline->clock.q3);
    kind->text(document, "origin", "measured");
    kind->end(document);
    kind->object(document, "measuring");
    kind->number(document, "seconds", roofline->seconds);
    if (roofline->made > 0) kind->text(document, "made", date_iso(roofline->made).text);
    kind->boolean(document, "kept", kept);
    kind->boolean(document, "rough", tcplan_roofline_is_rough(roofline));
    kind->integer(document, "unmeasured", roofline->unmeasured);
    kind->integer(document, "left_out", roofline->left_out);
    kind->integer(document, "above_limit", roofline->above_limit);
    if (roofline->huge_page_share >= 0) kind->number(document, "huge_page_share", roofline->huge_page_share);
    kind->end(document);
    kind->list(document, "compute");
    for (size_t c = 0; c < roofline->compute_count; c++) write_compute(document, &roofline->compute[c], roofline->per_cycle);
    kind->end(document);
    kind->list(document, "bandwidth");
    for (size_t c = 0; c < roofline->bandwidth_count; c++) write_bandwidth(document, &roofline->bandwidth[c], roofline->per_cycle);
    kind->end(document);
    write_levels(document, roofline);
}

static void print_csv_line(struct writer *writer, const char *what, const struct tcplan_ceiling *ceiling) {
    struct csv_line line = {0};
    csv_add_text(&line, what);
    csv_add_text(&line, ceiling->name);
    csv_add_text(&line, ceiling->level);
    csv_add_text(&line, tcplan_word(tcplan_words_dtypes, (int)ceiling->precision));
    csv_add_integer(&line, ceiling->vector_bits);
    csv_add_integer(&line, ceiling->threads);
    csv_add_text(&line, tcplan_origin_name(ceiling->origin));
    csv_add_number(&line, true, ceiling->rate);
    csv_add_number(&line, true, ceiling->q1);
    csv_add_number(&line, true, ceiling->q3);
    csv_add_integer(&line, ceiling->windows);
    csv_add_integer(&line, ceiling->dropped);
    csv_add_number(&line, true, ceiling->limit);
    csv_add_integer(&line, ceiling->working_set_bytes);
    csv_add_number(&line, tcplan_ceiling_speed_share(ceiling) > 0, tcplan_ceiling_speed_share(ceiling));
    if (!csv_print(&line, writer->file)) writer->no_memory = true;
}

void ceilings_print_csv(struct writer *writer, const struct roofline_report *report) {
    const struct tcplan_roofline *roofline = report->roofline;
    if (report->points) {
        points_csv(writer, report->points);
        return;
    }
    if (report->trajectories) {
        trajectories_csv(writer, report->trajectories);
        return;
    }
    if (report->regions) {
        regions_csv(writer, report->regions);
        return;
    }
    if (report->kernels) {
        kernels_csv(writer, report->kernels);
        return;
    }
    fprintf(writer->file,
            "kind,name,level,precision,vector_bits,threads,origin,%s,q1,q3,windows,dropped,analytic_limit,working_set_bytes,speed_share\n",
            roofline->per_cycle ? "rate_per_cycle" : "rate");
    for (size_t c = 0; c < roofline->compute_count; c++) print_csv_line(writer, "compute", &roofline->compute[c]);
    for (size_t c = 0; c < roofline->bandwidth_count; c++) print_csv_line(writer, "bandwidth", &roofline->bandwidth[c]);
    for (size_t c = 0; c < roofline->sweep_count; c++) print_csv_line(writer, "sweep", &roofline->sweep[c]);
    for (size_t c = 0; c < roofline->intensity_count; c++) print_csv_line(writer, "intensity", &roofline->intensity[c]);
}

void document_roofline(struct writer *writer, const struct roofline_report *report) {
    struct document *document = writer->document;
    if (!document) return;
    const struct tcplan_blas blas = tcplan_blas_info();
    document_open(document, "roofline");
    if (report->points) document_contraction(document, report->points->request, &report->points->problem);
    if (report->trajectories) document_contraction(document, report->trajectories->request, NULL);
    document_machine(document, &report->roofline->machine);
    document_blas(document, &blas);
    write_ceilings(document, report->roofline, report->kept);
    if (report->points) {
        points_document(document, report->points);
    } else {
        document->kind->list(document, "points");
        document->kind->end(document);
    }
    if (report->trajectories) trajectories_document(document, report->trajectories);
    if (report->regions) regions_document(document, report->regions);
    if (report->kernels) kernels_document(document, report->kernels);
    document->kind->end(document);
}
