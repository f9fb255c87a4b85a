#include "cli/roofs/trajectories.h"

#include <stdlib.h>

#include "cli/render/document.h"
#include "cli/render/roofs/points.h"
#include "cli/render/text/table.h"

/** Told every point of a series, from the first size on. */
typedef void point_fn(void *context, const struct trajectories *trajectories,
                      const struct listed_point *point, const struct point_list *at);

static void each_point(const struct trajectories *trajectories, size_t series, point_fn *tell,
                       void *context) {
    for (size_t size = 0; size < trajectories->size_count; size++) {
        const struct listed_point *point = trajectories_point(trajectories, series, size);
        if (point) tell(context, trajectories, point, &trajectories->at[size]);
    }
}

/* JSON and XML. */

static void write_point(void *context, const struct trajectories *trajectories,
                        const struct listed_point *point, const struct point_list *at) {
    struct document *document = context;
    char *sizes = report_sizes(&at->problem);
    if (!sizes) document->writer->no_memory = true;
    points_document_point(document, trajectories->roofline, point, sizes ? sizes : "");
    free(sizes);
}

void trajectories_document(struct document *document, const struct trajectories *trajectories) {
    const struct document_kind *kind = document->kind;
    kind->list(document, "series");
    for (size_t s = 0; s < trajectories->count; s++) {
        kind->object(document, "trajectory");
        kind->text(document, "name", trajectories->name[s]);
        kind->list(document, "points");
        each_point(trajectories, s, write_point, document);
        kind->end(document);
        kind->end(document);
    }
    kind->end(document);
}

/* CSV. */

static void print_line(void *context, const struct trajectories *trajectories,
                       const struct listed_point *point, const struct point_list *at) {
    struct writer *writer = context;
    char *sizes = report_sizes(&at->problem);
    (void)trajectories;
    if (!sizes) writer->no_memory = true;
    points_csv_point(writer, point, sizes ? sizes : "");
    free(sizes);
}

void trajectories_csv(struct writer *writer, const struct trajectories *trajectories) {
    points_csv_heading(writer, trajectories->roofline, true);
    for (size_t s = 0; s < trajectories->count; s++)
        each_point(trajectories, s, print_line, writer);
}

/* Text. */

/** A table of all series. */
struct lines {
    struct table table;
    bool measured;
};

static void add_heading(struct lines *lines, const struct trajectories *trajectories) {
    static const char *const headings[] = {"algorithm", "sizes", "from", "flop/byte", "at most"};
    for (size_t h = 0; h < sizeof headings / sizeof *headings; h++)
        table_add(&lines->table, "%s", headings[h]);
    points_table_heading(&lines->table, trajectories->roofline, "predicted");
    if (lines->measured) points_table_heading(&lines->table, trajectories->roofline, "measured");
}

static void add_line(void *context, const struct trajectories *trajectories,
                     const struct listed_point *point, const struct point_list *at) {
    struct lines *lines = context;
    const struct tcplan_point *predicted = &point->predicted;
    table_add(&lines->table, "%s", trajectories->name[point->series]);
    table_add_owned(&lines->table, report_sizes(&at->problem));
    table_add(&lines->table, "%s", predicted->bandwidth ? predicted->bandwidth->level : "-");
    table_add(&lines->table, "%.3g", predicted->intensity_low);
    table_add(&lines->table, "%.3g", predicted->intensity_high);
    points_table_speed(&lines->table, predicted, true, &point->predicted_gflops);
    if (lines->measured)
        points_table_speed(&lines->table, &point->measured, point->measured_too,
                           &point->measured_gflops);
}

static bool any_measured(const struct trajectories *trajectories) {
    for (size_t size = 0; size < trajectories->size_count; size++) {
        if (points_any_measured(&trajectories->at[size])) return true;
    }
    return false;
}

void trajectories_text(struct writer *writer, const struct trajectories *trajectories) {
    struct lines lines = {.measured = any_measured(trajectories)};
    lines.table.columns = lines.measured ? "lllrrrrrrrr" : "lllrrrrr";
    lines.table.optional = lines.measured ? "00576041032" : "00342010";
    fputs("contraction  ", writer->file);
    writer_print_owned(writer, tcplan_contraction_text(trajectories->request->contraction));
    fprintf(writer->file, "; %zu sizes, %zu algorithm%s\n\n", trajectories->size_count,
            trajectories->count, trajectories->count == 1 ? "" : "s");
    add_heading(&lines, trajectories);
    for (size_t s = 0; s < trajectories->count; s++) each_point(trajectories, s, add_line, &lines);
    if (!table_print(&lines.table, writer->file)) writer->no_memory = true;
    fputs(
        "\nfrom: the innermost level that holds all. flop/byte: with the lines that a model says the algorithm moves; at most: with what none can avoid.\n",
        writer->file);
}
