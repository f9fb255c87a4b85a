#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/providers.h"
#include "cli/render/algorithms/report.h"
#include "cli/render/text/table.h"
#include "cli/render/text/visible.h"
#include "cli/render/view.h"

const char *format_text_dtype(enum tcplan_dtype dtype) {
    static const char *const words[] = {[TCPLAN_FLOAT] = "single precision",
                                        [TCPLAN_DOUBLE] = "double precision",
                                        [TCPLAN_FLOAT_COMPLEX] = "single precision complex",
                                        [TCPLAN_DOUBLE_COMPLEX] = "double precision complex"};
    return words[dtype];
}

void format_text_strides(struct writer *writer, const struct tcplan_contraction *contraction) {
    char *text = tcplan_strides_text(contraction);
    if (!text || *text) fputs("strides      ", writer->file);
    const bool any = !text || *text;
    writer_print_owned(writer, "", text, "");
    if (any) fputs("\n", writer->file);
}

void format_text_problem(struct writer *writer, const struct tcplan_problem *problem) {
    writer_print_owned(writer, "contraction  ", tcplan_contraction_text(problem->contraction), "");
    fprintf(writer->file, "; %s, %s\n",
            tcplan_word(tcplan_words_orders, problem->contraction->order),
            format_text_dtype(problem->dtype));
    format_text_strides(writer, problem->contraction);
    writer_print_owned(writer, "sizes        ", report_sizes(problem), "");
    fprintf(writer->file, "%s%s\n", problem->contraction->index_count > 0 ? "; " : "",
            quantity_flops(problem->flops).text);
}

void format_text_heading(struct writer *writer, const struct tcplan_problem *problem) {
    writer_print_owned(writer, "", tcplan_contraction_text(problem->contraction), "");
    fputs(problem->contraction->index_count > 0 ? "   " : "", writer->file);
    writer_print_owned(writer, "", report_short_sizes(problem), "");
    fprintf(writer->file, "   %s   %s, %s", quantity_flops(problem->flops).text,
            format_text_dtype(problem->dtype),
            tcplan_word(tcplan_words_orders, problem->contraction->order));
}

void format_text_machine_name(FILE *file, const struct tcplan_machine *machine) {
    fputs("machine      ", file);
    visible_print(file, *machine->cpu ? machine->cpu : machine->source);
}

void format_text_machine(struct writer *writer, const struct tcplan_machine *machine) {
    format_text_machine_name(writer->file, machine);
    fprintf(writer->file, "; %s", counted(machine->cores, "core").text);
    for (int c = 0; c < machine->cache_count; c++) {
        fprintf(writer->file, ", L%d %s", machine->cache[c].level,
                quantity_bytes(machine->cache[c].size_bytes).text);
    }
    fputs("\n", writer->file);
}

/** Makes the output wrap long lines if it goes to a terminal. */
static void begin_text(struct writer *writer) {
    FILE *wrapped = wrapped_begin(writer->file);
    writer->unwrapped = writer->file;
    writer->no_memory = writer->no_memory || !wrapped;
    if (wrapped) writer->file = wrapped;
}

static void end_text(struct writer *writer) {
    if (!writer->unwrapped) return; /* memory ran out in begin_text() */
    if (!wrapped_end(writer->file, writer->unwrapped)) writer->no_memory = true;
    writer->file = writer->unwrapped;
    writer->unwrapped = NULL;
}

/** Prints a result as text: by the view's function; without a function, as the table of its
 * list. */
static void print_view(struct writer *writer, const struct view *view, const void *record) {
    if (view->text) {
        view->text(writer, record);
        return;
    }
    const struct field *list = view->fields;
    while (list->kind != FIELD_LIST) list++;
    fields_print_list(writer, list, record);
}

const struct format format_text = {.begin = begin_text, .view = print_view, .end = end_text};
