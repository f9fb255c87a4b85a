#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/blas_advice.h"
#include "cli/render/algorithms/ranking_text.h"
#include "cli/render/algorithms/sweep_text.h"
#include "cli/render/format.h"
#include "cli/render/roofs/ceilings.h"
#include "cli/render/sampling/models.h"
#include "cli/render/text/table.h"
#include "cli/render/text/visible.h"
#include "cli/render/text/wrapped.h"
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
    writer_print_owned(writer, text);
    if (any) fputs("\n", writer->file);
}

void format_text_problem(struct writer *writer, const struct tcplan_problem *problem) {
    fputs("contraction  ", writer->file);
    writer_print_owned(writer, tcplan_contraction_text(problem->contraction));
    fprintf(writer->file, "; %s, %s\n",
            tcplan_word(tcplan_words_orders, problem->contraction->order),
            format_text_dtype(problem->dtype));
    format_text_strides(writer, problem->contraction);
    fputs("sizes        ", writer->file);
    writer_print_owned(writer, report_sizes(problem));
    fprintf(writer->file, "%s%s\n", problem->contraction->index_count > 0 ? "; " : "",
            quantity_flops(problem->flops).text);
}

void format_text_machine_name(FILE *file, const struct tcplan_machine *machine) {
    fputs("machine      ", file);
    visible_print(file, *machine->cpu ? machine->cpu : machine->source);
}

void format_text_machine(struct writer *writer, const struct tcplan_machine *machine) {
    format_text_machine_name(writer->file, machine);
    fprintf(writer->file, "; %d core%s", machine->cores, machine->cores == 1 ? "" : "s");
    for (int c = 0; c < machine->cache_count; c++) {
        fprintf(writer->file, ", L%d %s", machine->cache[c].level,
                quantity_bytes(machine->cache[c].size_bytes).text);
    }
    fputs("\n", writer->file);
}

/** "36 algorithms of C_abc=A_ai*B_ibc: 4 ddot, 8 daxpy" */
static void print_blas_count(struct writer *writer, const struct listing *listing) {
    const struct request *request = listing->request;
    const char *separator = ": ";
    if (listing->counted) {
        fprintf(writer->file, "%" PRIu64 " algorithm%s of ", listing->count[TCPLAN_KERNELS],
                listing->count[TCPLAN_KERNELS] == 1 ? "" : "s");
    } else {
        fprintf(writer->file, "More than %" PRIu64 " algorithms of ", UINT64_MAX);
    }
    writer_print_owned(writer, tcplan_contraction_text(request->contraction));
    for (int kernel = 0; listing->counted && kernel < TCPLAN_KERNELS; kernel++) {
        if (listing->count[kernel] == 0) continue;
        fprintf(writer->file, "%s%" PRIu64 " %s", separator, listing->count[kernel],
                tcplan_kernel_name((enum tcplan_kernel)kernel,
                                   (enum tcplan_dtype)request->options->dtype));
        separator = ", ";
    }
    fputs("\n", writer->file);
}

static void print_candidate_count(struct writer *writer,
                                  const struct tcplan_candidate_list *candidates) {
    fprintf(writer->file, "%.10g candidate%s of the full space by a model; a bound removes %.10g",
            candidates->generated, candidates->generated == 1 ? "" : "s", candidates->removed);
    if (candidates->oversized > 0)
        fprintf(writer->file, ", --max-workspace %.10g", candidates->oversized);
    fprintf(writer->file, ", %zu are left\n", candidates->count);
}

static void print_list_head(struct writer *writer, const struct listing *listing) {
    const struct options *options = listing->request->options;
    if (options->algorithm) return;
    print_blas_count(writer, listing);
    if (listing->candidates) {
        print_candidate_count(writer, listing->candidates);
    } else if (options->space == TCPLAN_SPACE_FULL) {
        fputs("The full space has more, which depend on sizes: --sizes, one of each\n",
              writer->file);
    }
    fputs("\n", writer->file);
}

static void print_indented(struct writer *writer, const char *text) {
    while (*text) {
        const char *end = strchrnul(text, '\n');
        const size_t length = (size_t)(end - text) + (*end == '\n');
        fputs("    ", writer->file);
        fwrite(text, 1, length, writer->file);
        text += length;
    }
}

static void print_list_row(struct writer *writer, const struct listing *listing,
                           const struct row *row) {
    char *nest = tcplan_nest_text(row->nest, listing_problem(listing), row->dtype);
    writer->no_memory = writer->no_memory || !nest;
    fprintf(writer->file, "%s%s", writer->written > 0 ? "\n" : "", row->name);
    if (row->model_seconds >= 0)
        fprintf(writer->file, "  (without arithmetic %s)",
                quantity_seconds(row->model_seconds).text);
    fputs("\n", writer->file);
    print_indented(writer, nest ? nest : "");
    free(nest);
}

/** On a terminal, long lines are broken between words. */
static void begin_text(struct writer *writer) {
    FILE *wrapped = wrapped_begin(writer->file);
    writer->unwrapped = writer->file;
    writer->no_memory = writer->no_memory || !wrapped;
    if (wrapped) writer->file = wrapped;
}

static void end_text(struct writer *writer) {
    if (!writer->unwrapped) return; /* nothing was begun */
    if (!wrapped_end(writer->file, writer->unwrapped)) writer->no_memory = true;
    writer->file = writer->unwrapped;
    writer->unwrapped = NULL;
}

static void print_report(struct writer *writer, const struct report *report) {
    if (sweep_is_brief(report)) {
        sweep_print_text(writer, report);
    } else {
        ranking_print_text(writer, report);
    }
}

static void print_view(struct writer *writer, const struct view *view, const void *record) {
    view->text(writer, record);
}

const struct format format_text = {.begin = begin_text,
                                   .view = print_view,
                                   .report = print_report,
                                   .list_head = print_list_head,
                                   .list_row = print_list_row,
                                   .models = models_print_text,
                                   .roofline = ceilings_print_text,
                                   .end = end_text};
