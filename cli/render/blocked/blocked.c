#include "cli/render/blocked/blocked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/render/text/csv_line.h"
#include "cli/render/text/table.h"
#include "tcplan/xml.h"

static void print_csv(struct writer *writer, struct csv_line *line) {
    if (!csv_print(line, writer->file)) writer->no_memory = true;
}

static void print_csv_heads(struct writer *writer, const char *const heads[], size_t count) {
    struct csv_line line = {.started = false};
    for (size_t h = 0; h < count; h++) csv_add_text(&line, heads[h]);
    print_csv(writer, &line);
}

/** The name of LAPACK's algorithm, or nothing. */
static void lapack_name(char out[TCPLAN_BLOCKED_NAME], int operation) {
    struct tcplan_blocked_operation of;
    tcplan_blocked_operation(&of, operation);
    out[0] = '\0';
    if (of.lapack >= 0) tcplan_blocked_algorithm_name(out, operation, of.lapack);
}

/* Operations. */

static const char *const operation_heads[] = {"operation", "algorithms", "LAPACK", "block",
                                              "computes"};

static void print_operations_table(struct writer *writer) {
    struct table table = {.columns = "lrlrl", .optional = "00120"};
    for (size_t h = 0; h < sizeof operation_heads / sizeof *operation_heads; h++)
        table_add(&table, "%s", operation_heads[h]);
    for (int o = 0; o < tcplan_blocked_operations(); o++) {
        struct tcplan_blocked_operation of;
        char lapack[TCPLAN_BLOCKED_NAME];
        tcplan_blocked_operation(&of, o);
        lapack_name(lapack, o);
        table_add(&table, "%s", of.name);
        table_add(&table, "%d", of.algorithms);
        table_add(&table, "%s", lapack);
        table_add(&table, "%d", of.default_block);
        table_add(&table, "%s", of.purpose);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_operations_csv(struct writer *writer) {
    print_csv_heads(writer, operation_heads, sizeof operation_heads / sizeof *operation_heads);
    for (int o = 0; o < tcplan_blocked_operations(); o++) {
        struct csv_line line = {.started = false};
        struct tcplan_blocked_operation of;
        char lapack[TCPLAN_BLOCKED_NAME];
        tcplan_blocked_operation(&of, o);
        lapack_name(lapack, o);
        csv_add_text(&line, of.name);
        csv_add_integer(&line, of.algorithms);
        csv_add_text(&line, lapack);
        csv_add_integer(&line, of.default_block);
        csv_add_text(&line, of.purpose);
        print_csv(writer, &line);
    }
}

static void write_operation(struct document *document, int number) {
    const struct document_kind *kind = document->kind;
    struct tcplan_blocked_operation of;
    char lapack[TCPLAN_BLOCKED_NAME];
    tcplan_blocked_operation(&of, number);
    lapack_name(lapack, number);
    kind->object(document, "operation");
    kind->text(document, "name", of.name);
    kind->text(document, "purpose", of.purpose);
    kind->integer(document, "algorithms", of.algorithms);
    kind->integer(document, "block", of.default_block);
    if (*lapack) kind->text(document, "lapack", lapack);
    kind->end(document);
}

static void write_operations(struct document *document) {
    document_open(document, "blocked");
    document->kind->integer(document, "count", tcplan_blocked_operations());
    document->kind->list(document, "operations");
    for (int o = 0; o < tcplan_blocked_operations(); o++) write_operation(document, o);
    document->kind->end(document);
    document->kind->end(document);
}

void blocked_print_operations(struct writer *writer, enum output_format format) {
    if (writer->document) {
        write_operations(writer->document);
    } else if (format == OUTPUT_CSV) {
        print_operations_csv(writer);
    } else {
        print_operations_table(writer);
    }
}

/* Algorithms. */

/** Whether an algorithm is LAPACK's. */
static bool is_lapack(const struct tcplan_blocked *algorithm) {
    char lapack[TCPLAN_BLOCKED_NAME];
    if (tcplan_blocked_of(algorithm) < 0) return false;
    lapack_name(lapack, tcplan_blocked_of(algorithm));
    return strcmp(lapack, tcplan_blocked_name(algorithm)) == 0;
}

static void print_steps(struct writer *writer, const struct tcplan_blocked *algorithm) {
    char *text = tcplan_blocked_text(algorithm);
    if (!text) writer->no_memory = true;
    for (char *line = text; line && *line;) {
        const size_t length = strcspn(line, "\n");
        fprintf(writer->file, "    %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    free(text);
}

static void print_algorithms_text(struct writer *writer, const struct blocked_listing *listing) {
    if (listing->of->name)
        fprintf(writer->file, "%s: %s\n", listing->of->name, listing->of->purpose);
    fprintf(writer->file, "%d algorithm%s\n", listing->count, listing->count == 1 ? "" : "s");
    for (int a = 0; a < listing->count; a++) {
        const struct tcplan_blocked *algorithm = listing->algorithm[a];
        const char *note = tcplan_blocked_note(algorithm),
                   *lapack = is_lapack(algorithm) ? "LAPACK's" : "";
        fprintf(writer->file, "\n%s%s%s%s%s\n", tcplan_blocked_name(algorithm),
                *note || *lapack ? "  " : "", note, *note && *lapack ? ", " : "", lapack);
        print_steps(writer, algorithm);
    }
}

static void print_algorithms_csv(struct writer *writer, const struct blocked_listing *listing) {
    static const char *const heads[] = {"name", "note", "lapack", "nest"};
    print_csv_heads(writer, heads, sizeof heads / sizeof *heads);
    for (int a = 0; a < listing->count; a++) {
        struct csv_line line = {.started = false};
        char *text = tcplan_blocked_text(listing->algorithm[a]);
        csv_add_text(&line, tcplan_blocked_name(listing->algorithm[a]));
        csv_add_text(&line, tcplan_blocked_note(listing->algorithm[a]));
        csv_add_text(&line, is_lapack(listing->algorithm[a]) ? "true" : "false");
        csv_add_text(&line, text ? text : "");
        writer->no_memory = writer->no_memory || !text;
        print_csv(writer, &line);
        free(text);
    }
}

static void write_nest(struct document *document, const struct tcplan_blocked *algorithm) {
    if (document->xml) {
        tcplan_xml_steps(document->xml, tcplan_blocked_blocks(algorithm),
                         tcplan_blocked_body(algorithm), tcplan_blocked_dtype(algorithm));
    } else {
        document_text_owned(document, "nest", tcplan_blocked_text(algorithm));
    }
}

static void write_algorithm(struct document *document, const struct tcplan_blocked *algorithm) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "algorithm");
    kind->text(document, "name", tcplan_blocked_name(algorithm));
    if (*tcplan_blocked_note(algorithm))
        kind->text(document, "note", tcplan_blocked_note(algorithm));
    kind->boolean(document, "lapack", is_lapack(algorithm));
    write_nest(document, algorithm);
    kind->end(document);
}

static void write_dtype(struct document *document, const struct tcplan_blocked *algorithm) {
    document->kind->text(
        document, "dtype",
        (const char[]){tcplan_dtype_letter(tcplan_blocked_dtype(algorithm)), '\0'});
}

void blocked_print_algorithms(struct writer *writer, enum output_format format,
                              const struct blocked_listing *listing) {
    struct document *document = writer->document;
    if (!document) {
        (format == OUTPUT_CSV ? print_algorithms_csv : print_algorithms_text)(writer, listing);
        return;
    }
    document_open(document, "blocked");
    if (listing->of->name) {
        document->kind->text(document, "operation", listing->of->name);
        document->kind->text(document, "purpose", listing->of->purpose);
    }
    write_dtype(document, listing->algorithm[0]);
    document->kind->integer(document, "count", listing->count);
    document->kind->list(document, "algorithms");
    for (int a = 0; a < listing->count; a++) write_algorithm(document, listing->algorithm[a]);
    document->kind->end(document);
    document->kind->end(document);
}

/* Calls. */

/** What a visit writes to. */
struct tracing {
    struct writer *writer;
    struct table *table; /* of text */
    double flops;
    int64_t calls, made;
};

/** `m=300 n=200`. */
static void add_sizes(struct strbuf *out, const struct tcplan_blocked_call *call) {
    for (int s = 0; s < call->size_count; s++)
        strbuf_add(out, "%s%s=%" PRId64, s > 0 ? " " : "", call->size_name[s], call->size[s]);
}

static void count_call(struct tracing *tracing, const struct tcplan_blocked_call *call) {
    tracing->calls++;
    tracing->made += !call->empty;
    tracing->flops += call->flops;
}

static bool add_row(void *context, const struct tcplan_blocked_call *call) {
    struct tracing *tracing = context;
    struct strbuf sizes = {0};
    count_call(tracing, call);
    add_sizes(&sizes, call);
    table_add(tracing->table, "%" PRId64, call->step);
    table_add(tracing->table, "%s%s%s", call->routine, *call->letters ? "_" : "", call->letters);
    table_add_owned(tracing->table, strbuf_finish(&sizes));
    table_add(tracing->table, "%s", call->statement);
    table_add(tracing->table, "%s", call->slices);
    if (call->empty) {
        table_add(tracing->table, "-");
    } else {
        table_add(tracing->table, "%.0f", call->flops);
    }
    return !tracing->table->no_memory;
}

static bool print_csv_call(void *context, const struct tcplan_blocked_call *call) {
    struct tracing *tracing = context;
    struct csv_line line = {.started = false};
    struct strbuf sizes = {0};
    add_sizes(&sizes, call);
    csv_add_integer(&line, call->step);
    csv_add_text(&line, call->routine);
    csv_add_text(&line, call->letters);
    csv_add_text(&line, sizes.text ? sizes.text : "");
    csv_add_text(&line, call->statement);
    csv_add_text(&line, call->slices);
    csv_add_number(&line, true, call->flops);
    print_csv(tracing->writer, &line);
    strbuf_free(&sizes);
    return !tracing->writer->no_memory;
}

static bool write_call(void *context, const struct tcplan_blocked_call *call) {
    struct tracing *tracing = context;
    struct document *document = tracing->writer->document;
    const struct document_kind *kind = document->kind;
    kind->object(document, "call");
    kind->integer(document, "step", call->step);
    kind->text(document, "routine", call->routine);
    kind->text(document, "flags", call->letters);
    kind->text(document, "statement", call->statement);
    kind->text(document, "slices", call->slices);
    kind->boolean(document, "empty", call->empty);
    kind->number(document, "flops", call->flops);
    kind->object(document, "sizes");
    for (int s = 0; s < call->size_count; s++)
        kind->integer(document, call->size_name[s], call->size[s]);
    kind->end(document);
    kind->end(document);
    return !tracing->writer->no_memory;
}

static void visit(struct tracing *tracing, const struct blocked_traced *traced,
                  tcplan_blocked_visit_fn *function) {
    if (tcplan_blocked_trace(traced->algorithm, &traced->sizes, function, tracing, NULL) !=
        TCPLAN_OK)
        tracing->writer->no_memory = true;
}

/** `n=800`, `m=800 n=600`. */
static void print_sizes(FILE *file, const struct blocked_traced *traced, const char *between) {
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(traced->algorithm);
    for (int s = 0; s < blocks->size_count; s++)
        fprintf(file, "%s%s=%" PRId64, s > 0 ? between : "", blocks->size_name[s],
                traced->sizes.size[s]);
}

static void print_trace_text(struct writer *writer, const struct blocked_traced *traced) {
    static const char *const heads[] = {"step",      "routine", "sizes",
                                        "statement", "slices",  "operations"};
    struct table table = {.columns = "rllllr", .optional = "000021"};
    struct tracing tracing = {.writer = writer, .table = &table};
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) table_add(&table, "%s", heads[h]);
    fprintf(writer->file, "%s, ", tcplan_blocked_name(traced->algorithm));
    print_sizes(writer->file, traced, " ");
    fprintf(writer->file, ", block %" PRId64 "\n\n", traced->sizes.block);
    visit(&tracing, traced, add_row);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
    fprintf(writer->file,
            "\n%" PRId64 " calls, %" PRId64
            " of them with nothing to do; their operations are %.0f, the whole counts %.0f\n",
            tracing.calls, tracing.calls - tracing.made, tracing.flops,
            tcplan_blocked_flops(traced->algorithm, &traced->sizes));
}

static void print_trace_csv(struct writer *writer, const struct blocked_traced *traced) {
    static const char *const heads[] = {"step",      "routine", "flags",     "sizes",
                                        "statement", "slices",  "operations"};
    struct tracing tracing = {.writer = writer};
    print_csv_heads(writer, heads, sizeof heads / sizeof *heads);
    visit(&tracing, traced, print_csv_call);
}

static void write_trace(struct writer *writer, const struct blocked_traced *traced) {
    struct document *document = writer->document;
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(traced->algorithm);
    struct tracing tracing = {.writer = writer};
    document_open(document, "blocked");
    document->kind->text(document, "algorithm", tcplan_blocked_name(traced->algorithm));
    write_dtype(document, traced->algorithm);
    document->kind->integer(document, "block", traced->sizes.block);
    document->kind->number(document, "flops",
                           tcplan_blocked_flops(traced->algorithm, &traced->sizes));
    document->kind->object(document, "sizes");
    for (int s = 0; s < blocks->size_count; s++)
        document->kind->integer(document, blocks->size_name[s], traced->sizes.size[s]);
    document->kind->end(document);
    document->kind->list(document, "calls");
    visit(&tracing, traced, write_call);
    document->kind->end(document);
    document->kind->end(document);
}

void blocked_print_trace(struct writer *writer, enum output_format format,
                         const struct blocked_traced *traced) {
    if (writer->document) {
        write_trace(writer, traced);
    } else if (format == OUTPUT_CSV) {
        print_trace_csv(writer, traced);
    } else {
        print_trace_text(writer, traced);
    }
}
