#include "cli/render/sampling/evaluation.h"

#include <inttypes.h>
#include <string.h>

#include "cli/render/document.h"
#include "cli/render/text/csv_line.h"
#include "cli/render/text/table.h"
#include "cli/render/text/visible.h"

static const struct tcplan_figure *figure_at(const struct tcplan_evaluation *evaluation,
                                             size_t point, int selector) {
    return &evaluation->figure[point * (size_t)evaluation->selector_count + (size_t)selector];
}

/* Text. */

static void print_line(FILE *file, const char *name, const char *value) {
    fprintf(file, "%-13s", name);
    visible_print(file, value);
    fputc('\n', file);
}

static void print_head(FILE *file, const struct evaluation_print *print) {
    const struct tcplan_evaluation *evaluation = print->evaluation;
    print_line(file, "experiment", evaluation->title);
    print_line(file, "machine", *evaluation->machine ? evaluation->machine : "not known");
    print_line(file, "library", *evaluation->library ? evaluation->library : "not known");
    const bool told = *evaluation->unit && strcmp(evaluation->unit, evaluation->metric) != 0;
    fprintf(file, "%-13s%s%s%s%s\n", "metric", evaluation->metric, told ? ", " : "",
            told ? evaluation->unit : "",
            print->discard_first ? "; without the first repetition" : "");
}

static void add_heading(struct table *table, const struct evaluation_print *print,
                        const char *statistic) {
    if (print->evaluation->variable) table_add(table, "%s", print->evaluation->variable);
    table_add(table, "calls");
    for (int s = 0; s < TCPLAN_STATISTICS; s++) {
        if (print->statistics & 1U << s)
            table_add(table, "%s", tcplan_statistic_name((enum tcplan_statistic)s));
    }
    table_add(table, "%s", statistic);
    table_add(table, "disturbed");
}

static void add_row(struct table *table, const struct evaluation_print *print, size_t point,
                    int selector) {
    const struct tcplan_evaluation *evaluation = print->evaluation;
    const struct tcplan_figure *figure = figure_at(evaluation, point, selector);
    const double factor = strcmp(evaluation->unit, "%") == 0 ? 100 : 1;
    if (evaluation->variable) table_add(table, "%" PRId64, evaluation->point[point]);
    table_add(table, "%s", evaluation->selector[selector]);
    for (int s = 0; s < TCPLAN_STATISTICS; s++) {
        if (!(print->statistics & 1U << s)) continue;
        table_add(table, figure->count > 0 ? "%.5g" : "-", factor * figure->statistic[s]);
    }
    table_add(table, "%zu", figure->count);
    table_add(table, "%zu", figure->disturbed);
}

void evaluation_print_text(struct writer *writer, const struct evaluation_print *print) {
    const struct tcplan_evaluation *evaluation = print->evaluation;
    char columns[16] = "", optional[16] = "";
    size_t length = 0;
    if (evaluation->variable) columns[length++] = 'r';
    columns[length++] = 'l';
    for (int s = 0; s < TCPLAN_STATISTICS; s++) {
        if (print->statistics & 1U << s) columns[length++] = 'r';
    }
    memcpy(columns + length, "rr", 3);
    memset(optional, '0', length);
    memcpy(optional + length, "12", 3);
    struct table table = {.columns = columns, .optional = optional};
    print_head(writer->file, print);
    fputc('\n', writer->file);
    add_heading(&table, print, "samples");
    for (size_t p = 0; p < evaluation->point_count; p++) {
        for (int s = 0; s < evaluation->selector_count; s++) add_row(&table, print, p, s);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
    if (evaluation->missing > 0) {
        fprintf(
            writer->file,
            "\n%zu of %zu %s not all of their samples: the run was interrupted, or is running.\n",
            evaluation->missing, evaluation->point_count,
            evaluation->missing == 1 ? "point has" : "points have");
    }
}

/* CSV. */

static void csv_figure(struct writer *writer, const struct evaluation_print *print, size_t point,
                       int selector) {
    const struct tcplan_evaluation *evaluation = print->evaluation;
    const struct tcplan_figure *figure = figure_at(evaluation, point, selector);
    struct csv_line line = {0};
    csv_add_text(&line, evaluation->name);
    csv_add_text(&line, evaluation->variable ? evaluation->variable : "");
    csv_add_number(&line, evaluation->variable != NULL, (double)evaluation->point[point]);
    csv_add_text(&line, evaluation->selector[selector]);
    csv_add_text(&line, evaluation->metric);
    csv_add_integer(&line, (int64_t)figure->count);
    csv_add_integer(&line, (int64_t)figure->disturbed);
    for (int s = 0; s < TCPLAN_STATISTICS; s++)
        csv_add_number(&line, figure->count > 0, figure->statistic[s]);
    if (!csv_print(&line, writer->file)) writer->no_memory = true;
}

void evaluation_print_csv(struct writer *writer, const struct evaluation_print *print) {
    fputs("experiment,variable,value,calls,metric,samples,disturbed,min,med,max,avg,std\n",
          writer->file);
    for (size_t p = 0; p < print->evaluation->point_count; p++) {
        for (int s = 0; s < print->evaluation->selector_count; s++) csv_figure(writer, print, p, s);
    }
}

/* Documents. */

static void write_figure(struct document *document, const struct tcplan_evaluation *evaluation,
                         size_t point, int selector) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_figure *figure = figure_at(evaluation, point, selector);
    kind->object(document, "figure");
    kind->text(document, "calls", evaluation->selector[selector]);
    kind->integer(document, "samples", (int64_t)figure->count);
    kind->integer(document, "disturbed", (int64_t)figure->disturbed);
    for (int s = 0; s < TCPLAN_STATISTICS && figure->count > 0; s++) {
        kind->number(document, tcplan_statistic_name((enum tcplan_statistic)s),
                     figure->statistic[s]);
    }
    kind->numbers(document, "values", figure->sample, (int)figure->count);
    kind->end(document);
}

static void write_point(struct document *document, const struct tcplan_evaluation *evaluation,
                        size_t point) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "point");
    if (evaluation->variable) kind->integer(document, "value", evaluation->point[point]);
    kind->list(document, "figures");
    for (int s = 0; s < evaluation->selector_count; s++)
        write_figure(document, evaluation, point, s);
    kind->end(document);
    kind->end(document);
}

void document_evaluation(struct writer *writer, const struct evaluation_print *print) {
    const struct tcplan_evaluation *evaluation = print->evaluation;
    struct document *document = writer->document;
    if (!document) return;
    const struct document_kind *kind = document->kind;
    document_open(document, "evaluation");
    kind->text(document, "experiment", evaluation->name);
    kind->text(document, "title", evaluation->title);
    kind->text(document, "cpu", evaluation->machine);
    kind->text(document, "library", evaluation->library);
    kind->text(document, "metric", evaluation->metric);
    kind->text(document, "unit", strcmp(evaluation->unit, "%") == 0 ? "share" : evaluation->unit);
    kind->boolean(document, "discard_first", print->discard_first);
    if (evaluation->variable) kind->text(document, "variable", evaluation->variable);
    kind->integer(document, "missing", (int64_t)evaluation->missing);
    kind->list(document, "points");
    for (size_t p = 0; p < evaluation->point_count; p++) write_point(document, evaluation, p);
    kind->end(document);
    kind->end(document);
}
