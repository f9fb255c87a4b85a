#include "cli/render/roofs/ceilings.h"

#include "cli/render/roofs/accesses.h"
#include "cli/render/roofs/ceiling_fields.h"
#include "cli/render/roofs/kernels.h"
#include "cli/render/roofs/regions.h"
#include "cli/render/text/date.h"
#include "cli/roofs/points.h"
#include "cli/roofs/trajectories.h"

static void write_level(struct document *document, const struct tcplan_roofline *roofline,
                        const struct tcplan_level *level) {
    const struct document_kind *kind = document->kind;
    const bool is_reported = level->cache >= 0 && level->cache < roofline->machine.cache_count;
    kind->object(document, "level");
    if (*level->name) kind->text(document, "level", level->name);
    kind->integer(document, "threads", level->threads);
    kind->number(document, roofline->per_cycle ? "bytes_per_cycle" : "gbytes_per_second",
                 level->rate);
    kind->integer(document, "first_bytes", level->first_bytes);
    kind->integer(document, "last_bytes", level->last_bytes);
    if (level->holds_bytes > 0) kind->integer(document, "holds_bytes", level->holds_bytes);
    if (is_reported)
        kind->integer(document, "reported_bytes", roofline->machine.cache[level->cache].size_bytes);
    kind->text(document, "origin", "measured");
    kind->end(document);
}

/** What was found, and from what. */
static void write_levels(struct document *document, const struct tcplan_roofline *roofline) {
    const struct document_kind *kind = document->kind;
    kind->list(document, "levels");
    for (size_t l = 0; l < roofline->level_count; l++)
        write_level(document, roofline, &roofline->level[l]);
    kind->end(document);
    kind->list(document, "intensities");
    for (size_t i = 0; i < roofline->intensity_count; i++)
        ceiling_document(document, CEILING_INTENSITY, &roofline->intensity[i], roofline->per_cycle);
    kind->end(document);
    kind->list(document, "sweep");
    for (size_t s = 0; s < roofline->sweep_count; s++)
        ceiling_document(document, CEILING_SWEEP, &roofline->sweep[s], roofline->per_cycle);
    kind->end(document);
}

/** Names of mixed precisions that bits stand for. */
static void write_mixes(struct document *document, const char *name, unsigned bits) {
    const char *names[TCPLAN_MIXES];
    int count = 0;
    for (int mix = 1; mix < TCPLAN_MIXES; mix++) {
        if (bits >> mix & 1U) names[count++] = tcplan_mix_name((enum tcplan_mix)mix);
    }
    if (count > 0) document->kind->texts(document, name, names, count);
}

static void write_ceilings(struct document *document, const struct tcplan_roofline *roofline,
                           bool kept) {
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
    if (roofline->huge_page_share >= 0)
        kind->number(document, "huge_page_share", roofline->huge_page_share);
    write_mixes(document, "lacking", roofline->lacking);
    write_mixes(document, "unbuilt", roofline->unbuilt);
    kind->end(document);
    kind->list(document, "compute");
    for (size_t c = 0; c < roofline->compute_count; c++)
        ceiling_document(document, CEILING_COMPUTE, &roofline->compute[c], roofline->per_cycle);
    kind->end(document);
    kind->list(document, "bandwidth");
    for (size_t c = 0; c < roofline->bandwidth_count; c++)
        ceiling_document(document, CEILING_BANDWIDTH, &roofline->bandwidth[c], roofline->per_cycle);
    kind->end(document);
    strides_document(document, roofline);
    write_levels(document, roofline);
}

static void print_list(struct writer *writer, enum ceiling_list list,
                       const struct tcplan_ceiling *ceiling, size_t count) {
    for (size_t c = 0; c < count; c++) {
        if (!ceiling_csv(writer->file, list, &ceiling[c])) writer->no_memory = true;
    }
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
    ceiling_csv_headings(writer->file, roofline->per_cycle);
    print_list(writer, CEILING_COMPUTE, roofline->compute, roofline->compute_count);
    print_list(writer, CEILING_BANDWIDTH, roofline->bandwidth, roofline->bandwidth_count);
    print_list(writer, CEILING_SWEEP, roofline->sweep, roofline->sweep_count);
    print_list(writer, CEILING_INTENSITY, roofline->intensity, roofline->intensity_count);
}

void document_roofline(struct writer *writer, const struct roofline_report *report) {
    struct document *document = writer->document;
    if (!document) return;
    const struct tcplan_blas blas = tcplan_blas_info();
    document_open(document, "roofline");
    if (report->points)
        document_contraction(document, report->points->request, &report->points->problem);
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
