#include "cli/render/roofs/selftest.h"

#include <string.h>

#include "base/quantity.h"
#include "cli/render/document.h"
#include "cli/render/text/table.h"

static void add_heading(struct table *table) {
    static const char *const headings[] = {"check",     "caches",   "n",
                                           "flop/byte", "measured", "quartiles",
                                           "bound",     "expected", "measured/expected",
                                           "accepted",  "holds"};
    for (size_t h = 0; h < sizeof headings / sizeof *headings; h++)
        table_add(table, "%s", headings[h]);
}

static const char *verdict_word(enum tcplan_verdict verdict) {
    static const char *const words[] = {[TCPLAN_VERDICT_HOLDS] = "yes",
                                        [TCPLAN_VERDICT_FAILS] = "NO",
                                        [TCPLAN_VERDICT_NOT_TESTED] = "could not be tested"};
    return words[verdict];
}

static const char *verdict_sentence(const struct tcplan_selftest *test) {
    if (test->verdict == TCPLAN_VERDICT_HOLDS) return "All ratios hold.";
    if (test->verdict == TCPLAN_VERDICT_FAILS) return "Not all ratios hold.";
    return test->stopped
               ? "It could not be tested, and was stopped: other work has the core. Try again when that is done."
               : "Not all could be tested: other work has the core. Try again when that is done.";
}

/** Measured, quartiles, bound, expected and their ratio. */
static void add_values(struct table *table, const struct tcplan_check *check, const char *unit) {
    const char *bound = check->kind == TCPLAN_CHECK_KERNEL ? check->bound : "-";
    if (check->repeats == 0) {
        table_add(table, "-");
        table_add(table, "-");
        table_add(table, "%s", bound);
        table_add(table, "-");
        table_add(table, "-");
        return;
    }
    table_add(table, "%.4g %s", check->measured, unit);
    table_add(table, "%.4g - %.4g", check->q1, check->q3);
    table_add(table, "%s", bound);
    table_add(table, "%.4g %s", check->expected, unit);
    table_add(table, "%.3f (%.3f - %.3f)", check->ratio, check->ratio_q1, check->ratio_q3);
}

static void add_check(struct table *table, const struct tcplan_check *check, bool per_cycle) {
    const bool kernel = check->kind == TCPLAN_CHECK_KERNEL;
    const char *unit = !kernel ? "cycles" : per_cycle ? "flop/cycle" : "GFLOP/s";
    table_add(table, "%s", check->name);
    table_add(table, "%s", kernel ? (check->cold ? "cold" : "warm") : "-");
    if (kernel) {
        table_add(table, "%lld", (long long)check->n);
        table_add(table, "%.3g", check->flops / check->bytes);
    } else {
        table_add(table, "-");
        table_add(table, "-");
    }
    add_values(table, check, unit);
    if (check->lowest > 0) {
        table_add(table, "%.2f - %.2f", check->lowest, check->highest);
    } else {
        table_add(table, "to %.2f", check->highest);
    }
    table->style = check->verdict == TCPLAN_VERDICT_HOLDS   ? STYLE_GOOD
                   : check->verdict == TCPLAN_VERDICT_FAILS ? STYLE_BAD
                                                            : STYLE_PLAIN;
    table_add(table, "%s", verdict_word(check->verdict));
    table->style = STYLE_PLAIN;
}

/* Counts. */

static struct quantity amount_of(enum tcplan_count count, double amount) {
    return count == TCPLAN_COUNT_WORK ? quantity_flops(amount) : quantity_bytes(amount);
}

/** Written so that a count of nothing is no ratio. */
static void add_count(struct table *table, const struct tcplan_counted *counted,
                      enum tcplan_count count) {
    const struct tcplan_count_check *check = &counted->count[count];
    const bool judged = check->expected > 0;
    table_add(table, "%s", tcplan_point_kernel_name(counted->kernel));
    table_add(table, "%s", counted->cold ? "cold" : "warm");
    table_add(table, "%lld", (long long)counted->n);
    table_add(table, "%s", tcplan_count_name(count));
    table_add(table, "%s", amount_of(count, check->counted).text);
    table_add(table, "%s - %s", amount_of(count, check->q1).text, amount_of(count, check->q3).text);
    table_add(table, "%s", amount_of(count, check->expected).text);
    table_add(table, judged ? "%.3f" : "-", check->ratio);
    table_add(table, judged ? "%.2f - %.2f" : "-", check->lowest, check->highest);
    table->style = !judged                                  ? STYLE_PLAIN
                   : check->verdict == TCPLAN_VERDICT_HOLDS ? STYLE_GOOD
                   : check->verdict == TCPLAN_VERDICT_FAILS ? STYLE_BAD
                                                            : STYLE_PLAIN;
    table_add(table, "%s", judged ? verdict_word(check->verdict) : "-");
    table->style = STYLE_PLAIN;
}

/** Why nothing is counted, or not all, and what can be done. */
static void print_reasons(FILE *file, const struct tcplan_selftest *test) {
    const bool work = !*test->why_no_work, traffic = !*test->why_no_traffic;
    if (!work && !traffic) {
        fprintf(file, "\nNo counters: %s.\n", test->why_no_work);
        if (strcmp(test->why_no_work, test->why_no_traffic) != 0)
            fprintf(file, "Of traffic: %s.\n", test->why_no_traffic);
        fputs(
            "So work and traffic are analytic, not counted. --counters simulated simulates the traffic, --counters FILE takes recorded counts.\n",
            file);
        return;
    }
    if (!work) fprintf(file, "Work is not counted: %s.\n", test->why_no_work);
    if (!traffic) fprintf(file, "Traffic is not counted: %s.\n", test->why_no_traffic);
}

static void print_counted(struct writer *writer, const struct tcplan_selftest *test) {
    static const char *const headings[] = {"check",     "caches",   "n",  "of a run", NULL,
                                           "quartiles", "expected", NULL, "accepted", "holds"};
    const bool simulated = strcmp(test->counts, "simulated") == 0;
    const char *word = simulated                               ? "simulated"
                       : strcmp(test->counts, "recorded") == 0 ? "recorded"
                                                               : "counted";
    struct table table = {.columns = "llrlrrrrll", .optional = "0040030020"};
    bool reduced = false;
    if (test->counted_count > 0) {
        fputc('\n', writer->file);
        for (size_t h = 0; h < sizeof headings / sizeof *headings; h++) {
            table_add(&table, "%s%s", headings[h] ? headings[h] : word, h == 7 ? "/expected" : "");
        }
        for (int c = 0; c < test->counted_count; c++) {
            for (int count = 0; count < TCPLAN_COUNTS; count++) {
                if (test->counted[c].count[count].known)
                    add_count(&table, &test->counted[c], (enum tcplan_count)count);
            }
            reduced = reduced || test->counted[c].reduced;
        }
        if (!table_print(&table, writer->file)) writer->no_memory = true;
        fprintf(
            writer->file, "\n%s\n",
            simulated
                ? "Simulated: lines that the last cache fetches and writes back in traces of the kernels. Nothing of it is measured."
                : "Medians of the paper's protocol, less the loop without the kernel. Memory controllers count for the whole machine.");
        if (reduced)
            fputs(
                "Replicas are less than twice the last cache: cold traffic may be too low (--max-memory).\n",
                writer->file);
    }
    print_reasons(writer->file, test);
}

void selftest_print_text(struct writer *writer, const struct tcplan_selftest *test) {
    struct table table = {.columns = "llrrrrlrrll", .optional = "00560473020"};
    int dropped = 0, drifted = 0;
    bool reduced = false;
    add_heading(&table);
    for (int c = 0; c < test->count; c++) {
        add_check(&table, &test->check[c], test->per_cycle);
        drifted += test->check[c].clock_drift > TCPLAN_CLOCK_DRIFT;
        dropped += test->check[c].dropped;
        reduced = reduced || test->check[c].reduced;
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
    fprintf(
        writer->file,
        "\nMedians of up to %d pairs, kernel and bound one behind the other on the same memory; %d disturbed windows left out. flop/byte counts the\n"
        "traffic that cannot be avoided. A range that ends at 1.05 only is a bound: how near a library comes to it is its own affair.\n",
        TCPLAN_CHECK_REPEATS, dropped);
    if (drifted > 0) {
        fprintf(
            writer->file,
            "The clock of the core moved by more than %.0f %% while %d of them ran: only their ratios mean something.\n",
            100 * TCPLAN_CLOCK_DRIFT, drifted);
    }
    if (reduced)
        fputs("Memory allows no replicas that certainly exceed the caches: cold may be lukewarm.\n",
              writer->file);
    print_counted(writer, test);
    fprintf(writer->file, "%s\n", verdict_sentence(test));
}

static void write_check(struct document *document, const struct tcplan_check *check,
                        bool per_cycle) {
    const struct document_kind *kind = document->kind;
    const bool of_kernel = check->kind == TCPLAN_CHECK_KERNEL;
    kind->object(document, "check");
    kind->text(document, "name", check->name);
    kind->text(document, "unit", !of_kernel ? "cycles" : per_cycle ? "flops_per_cycle" : "gflops");
    if (of_kernel) {
        kind->text(document, "cache", check->cold ? "cold" : "warm");
        kind->integer(document, "n", check->n);
        kind->number(document, "flops", check->flops);
        kind->number(document, "bytes", check->bytes);
        kind->number(document, "intensity", check->flops / check->bytes);
        kind->text(document, "bound", check->bound);
        if (check->cold) kind->integer(document, "replicas_bytes", check->replicas_bytes);
        if (check->cold) kind->boolean(document, "reduced", check->reduced);
    }
    kind->number(document, "measured", check->measured);
    kind->number(document, "q1", check->q1);
    kind->number(document, "q3", check->q3);
    kind->number(document, "expected", check->expected);
    kind->number(document, "ratio", check->ratio);
    kind->number(document, "ratio_q1", check->ratio_q1);
    kind->number(document, "ratio_q3", check->ratio_q3);
    kind->number(document, "lowest", check->lowest);
    kind->number(document, "highest", check->highest);
    if (check->clock_hz > 0) {
        kind->number(document, "clock_hz", check->clock_hz);
        kind->number(document, "clock_drift", check->clock_drift);
    }
    kind->integer(document, "repeats", check->repeats);
    kind->integer(document, "dropped", check->dropped);
    kind->boolean(document, "holds", check->verdict == TCPLAN_VERDICT_HOLDS);
    kind->boolean(document, "tested", check->verdict != TCPLAN_VERDICT_NOT_TESTED);
    kind->end(document);
}

static void write_counted(struct document *document, const struct tcplan_counted *counted) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "kernel");
    kind->text(document, "name", tcplan_point_kernel_name(counted->kernel));
    kind->text(document, "cache", counted->cold ? "cold" : "warm");
    kind->integer(document, "n", counted->n);
    kind->integer(document, "runs", counted->runs);
    kind->integer(document, "repeats", counted->repeats);
    kind->integer(document, "disturbed", counted->disturbed);
    kind->integer(document, "replicas_bytes", counted->replicas_bytes);
    kind->boolean(document, "reduced", counted->reduced);
    kind->list(document, "counts");
    for (int c = 0; c < TCPLAN_COUNTS; c++) {
        const struct tcplan_count_check *check = &counted->count[c];
        if (!check->known) continue;
        kind->object(document, "count");
        kind->text(document, "of", tcplan_count_name((enum tcplan_count)c));
        kind->number(document, "counted", check->counted);
        kind->number(document, "q1", check->q1);
        kind->number(document, "q3", check->q3);
        kind->number(document, "expected", check->expected);
        if (check->expected > 0) {
            kind->number(document, "ratio", check->ratio);
            kind->number(document, "lowest", check->lowest);
            kind->number(document, "highest", check->highest);
            kind->boolean(document, "holds", check->verdict == TCPLAN_VERDICT_HOLDS);
            kind->boolean(document, "tested", check->verdict != TCPLAN_VERDICT_NOT_TESTED);
        }
        kind->end(document);
    }
    kind->end(document);
    kind->end(document);
}

/** Who counted what; attributes stand in front of the lists. */
static void write_source(struct document *document, const struct tcplan_selftest *test) {
    const struct document_kind *kind = document->kind;
    kind->text(document, "counters", test->counts);
    if (*test->why_no_work) kind->text(document, "no_work", test->why_no_work);
    if (*test->why_no_traffic) kind->text(document, "no_traffic", test->why_no_traffic);
}

void document_selftest(struct writer *writer, const struct tcplan_selftest *test) {
    struct document *document = writer->document;
    if (!document) return;
    const struct document_kind *kind = document->kind;
    const struct tcplan_blas blas = tcplan_blas_info();
    document_open(document, "selftest");
    kind->boolean(document, "holds", test->verdict == TCPLAN_VERDICT_HOLDS);
    kind->boolean(document, "tested", test->verdict != TCPLAN_VERDICT_NOT_TESTED);
    kind->boolean(document, "stopped", test->stopped);
    write_source(document, test);
    document_blas(document, &blas);
    kind->list(document, "checks");
    for (int c = 0; c < test->count; c++) write_check(document, &test->check[c], test->per_cycle);
    kind->end(document);
    kind->list(document, "counted");
    for (int c = 0; c < test->counted_count; c++) write_counted(document, &test->counted[c]);
    kind->end(document);
    kind->end(document);
}
