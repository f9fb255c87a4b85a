#include "cli/render/blocked/blocked_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/render/text/csv_line.h"
#include "cli/render/text/table.h"

/** What is wrong with a case; NULL: nothing. */
static const char *trouble_of(const struct tcplan_blocked_verdict *verdict) {
    if (verdict->passed) return NULL;
    if (verdict->touched) return "wrote where it must not";
    if (verdict->outcome.info != verdict->lapack_info) return "another info";
    return "differs";
}

static void name_sizes(char out[48], const struct blocked_checked *checked) {
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(checked->algorithm);
    if (blocks->size_count == 1) {
        snprintf(out, 48, "%" PRId64, checked->at.size[0]);
    } else {
        snprintf(out, 48, "%" PRId64 " x %" PRId64, checked->at.size[0], checked->at.size[1]);
    }
}

static void print_table(struct writer *writer, const struct blocked_checks *checks) {
    static const char *const heads[] = {"algorithm", "cases", "failed", "error",
                                        "allowed",   "at",    "b",      ""};
    struct table table = {.columns = "lrrrrrrl", .optional = "00000000"};
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) table_add(&table, "%s", heads[h]);
    for (int c = 0; c < checks->count; c++) {
        const struct blocked_checked *checked = &checks->checked[c];
        const char *trouble = trouble_of(&checked->worst);
        char sizes[48];
        name_sizes(sizes, checked);
        table_add(&table, "%c%s", tcplan_dtype_letter(tcplan_blocked_dtype(checked->algorithm)),
                  tcplan_blocked_name(checked->algorithm));
        table_add(&table, "%" PRId64, checked->cases);
        table_add(&table, "%" PRId64, checked->failed);
        table_add(&table, "%.1e", checked->worst.error);
        table_add(&table, "%.1e", checked->worst.allowed);
        table_add(&table, "%s", sizes);
        table_add(&table, "%" PRId64, checked->at.block);
        table_add(&table, "%s", trouble ? trouble : "passed");
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_csv(struct writer *writer, const struct blocked_checks *checks) {
    fputs("algorithm,dtype,cases,failed,error,allowed,m,n,block,info,lapack,lapack_info\n",
          writer->file);
    for (int c = 0; c < checks->count; c++) {
        const struct blocked_checked *checked = &checks->checked[c];
        const int sizes = tcplan_blocked_blocks(checked->algorithm)->size_count;
        const char dtype[] = {tcplan_dtype_letter(tcplan_blocked_dtype(checked->algorithm)), '\0'};
        struct csv_line line = {.started = false};
        csv_add_text(&line, tcplan_blocked_name(checked->algorithm));
        csv_add_text(&line, dtype);
        csv_add_integer(&line, checked->cases);
        csv_add_integer(&line, checked->failed);
        csv_add_number(&line, isfinite(checked->worst.error), checked->worst.error);
        csv_add_number(&line, true, checked->worst.allowed);
        csv_add_integer(&line, checked->at.size[0]);
        csv_add_integer(&line, checked->at.size[sizes - 1]);
        csv_add_integer(&line, checked->at.block);
        csv_add_integer(&line, checked->worst.outcome.info);
        csv_add_text(&line, checked->worst.lapack);
        csv_add_integer(&line, checked->worst.lapack_info);
        if (!csv_print(&line, writer->file)) writer->no_memory = true;
    }
}

static void write_worst(struct document *document, const struct blocked_checked *checked) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(checked->algorithm);
    kind->object(document, "worst");
    kind->integer(document, "block", checked->at.block);
    kind->text(document, "end", tcplan_blocked_end_text(checked->worst.outcome.end));
    kind->integer(document, "info", checked->worst.outcome.info);
    kind->integer(document, "lapack_info", checked->worst.lapack_info);
    kind->number(document, "error", checked->worst.error);
    kind->number(document, "allowed", checked->worst.allowed);
    if (checked->worst.touched) kind->text(document, "touched", checked->worst.touched);
    kind->object(document, "sizes");
    for (int s = 0; s < blocks->size_count; s++)
        kind->integer(document, blocks->size_name[s], checked->at.size[s]);
    kind->end(document);
    kind->end(document);
}

static void write_document(struct document *document, const struct blocked_checks *checks) {
    const struct document_kind *kind = document->kind;
    document_open(document, "blocked_checks");
    kind->list(document, "checks");
    for (int c = 0; c < checks->count; c++) {
        const struct blocked_checked *checked = &checks->checked[c];
        const char dtype[] = {tcplan_dtype_letter(tcplan_blocked_dtype(checked->algorithm)), '\0'};
        kind->object(document, "check");
        kind->text(document, "algorithm", tcplan_blocked_name(checked->algorithm));
        kind->text(document, "dtype", dtype);
        kind->text(document, "lapack", checked->worst.lapack);
        kind->integer(document, "cases", checked->cases);
        kind->integer(document, "failed", checked->failed);
        write_worst(document, checked);
        kind->end(document);
    }
    kind->end(document);
    kind->end(document);
}

void blocked_print_checks(struct writer *writer, enum output_format format,
                          const struct blocked_checks *checks) {
    if (writer->document) {
        write_document(writer->document, checks);
    } else if (format == OUTPUT_CSV) {
        print_csv(writer, checks);
    } else {
        print_table(writer, checks);
    }
}
