#include "cli/render/algorithms/turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "cli/render/text/table.h"

static const struct tcplan_word others[] = {
    {"numpy", TCPLAN_CONTENDER_NUMPY}, {"numpy-best", TCPLAN_CONTENDER_NUMPY_BEST}, {0}};
static const struct tcplan_word standings[] = {
    {"fastest", TCPLAN_STANDING_FASTEST}, {"tie", TCPLAN_STANDING_TIE},
    {"slower", TCPLAN_STANDING_SLOWER},   {"open", TCPLAN_STANDING_OPEN},
    {"not run", TCPLAN_STANDING_NONE},    {0}};

bool contender_find(enum tcplan_contender_kind *out, const char *name) {
    int kind;
    if (!tcplan_word_value(others, name, &kind)) return false;
    *out = (enum tcplan_contender_kind)kind;
    return true;
}

char *contender_name(const struct tcplan_contender *contender,
                     const struct tcplan_problem *problem) {
    if (!contender->algorithm) return base_strdup(tcplan_word(others, (int)contender->kind));
    return tcplan_algorithm_name(contender->algorithm, problem->contraction, problem->dtype);
}

static double gflops_of(const struct tcplan_problem *problem, double seconds) {
    return seconds > 0 ? 1e-9 * problem->flops / seconds : 0;
}

/* Text. */

static void add_contender(struct table *table, const struct tcplan_contender *contender,
                          const struct tcplan_problem *problem, struct time_unit unit) {
    const struct tcplan_estimate *seconds = &contender->seconds;
    table->style = contender->standing == TCPLAN_STANDING_FASTEST ? STYLE_BEST
                   : contender->standing == TCPLAN_STANDING_TIE   ? STYLE_GOOD
                                                                  : STYLE_PLAIN;
    table_add_owned(table, contender_name(contender, problem));
    if (contender->standing == TCPLAN_STANDING_NONE) {
        for (int c = 0; c < 4; c++) table_add(table, "-");
        return;
    }
    table_add(table, "%.*f", unit.decimals, seconds->seconds / unit.seconds);
    table_add(table, "%.*f - %.*f", unit.decimals, seconds->low / unit.seconds, unit.decimals,
              seconds->high / unit.seconds);
    table_add(table, "%.4g", gflops_of(problem, seconds->seconds));
    table_add(table, "%.3f", contender->ratio);
}

static void print_table(struct writer *writer, const struct compared *compared) {
    const struct tcplan_turns *turns = compared->turns;
    const double smallest =
        turns->fastest >= 0 ? turns->contender[turns->fastest].seconds.seconds : 1;
    const struct time_unit unit = time_unit_for(smallest);
    struct table table = {.columns = "lrrrr", .optional = "00210"};
    table_add(&table, "contender");
    table_add(&table, "measured %s", unit.name);
    table_add(&table, "95 %% interval");
    table_add(&table, "GFLOP/s");
    table_add(&table, "times the fastest");
    for (int c = 0; c < turns->count; c++)
        add_contender(&table, &turns->contender[c], compared->problem, unit);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

/** "1.32 ± 0.02", with as many decimals as the interval is worth. */
static void print_ratio(FILE *file, const struct tcplan_contender *contender) {
    const double half = (contender->ratio_high - contender->ratio_low) / 2;
    const int decimals = half < 0.01 ? 3 : half < 0.1 ? 2 : half < 1 ? 1 : 0;
    fprintf(file, "%.*f \xC2\xB1 %.*f", decimals, contender->ratio, decimals, half);
}

/** "dgemm (1.24 ms)" */
static void print_timed_name(struct writer *writer, const struct tcplan_contender *contender,
                             const struct tcplan_problem *problem) {
    writer_print_owned(writer, contender_name(contender, problem));
    if (contender->standing != TCPLAN_STANDING_NONE)
        fprintf(writer->file, " (%s)", quantity_seconds(contender->seconds.seconds).text);
}

/** What is said of a contender beside the fastest. */
static void print_sentence(struct writer *writer, const struct tcplan_contender *fastest,
                           const struct tcplan_contender *other,
                           const struct tcplan_problem *problem) {
    FILE *file = writer->file;
    const bool ran = fastest && other->standing != TCPLAN_STANDING_NONE;
    print_timed_name(writer, ran && other->standing == TCPLAN_STANDING_SLOWER ? fastest : other,
                     problem);
    if (!ran) {
        fprintf(file, " did not run: %s.\n", other->reason);
    } else if (other->standing == TCPLAN_STANDING_SLOWER) {
        fputs(" is ", file);
        print_ratio(file, other);
        fputs(" times faster than ", file);
        print_timed_name(writer, other, problem);
        fputs(".\n", file);
    } else {
        fputs(other->standing == TCPLAN_STANDING_TIE ? " ties with " : " cannot be told from ",
              file);
        print_timed_name(writer, fastest, problem);
        fputs(other->standing == TCPLAN_STANDING_TIE ? ": within 2 %, at " : ": it takes ", file);
        print_ratio(file, other);
        fputs(other->standing == TCPLAN_STANDING_TIE
                  ? " times its time.\n"
                  : " times its time; a longer --time-limit may tell.\n",
              file);
    }
}

static void print_sentences(struct writer *writer, const struct tcplan_turns *turns,
                            const struct tcplan_problem *problem) {
    const struct tcplan_contender *fastest =
        turns->fastest >= 0 ? &turns->contender[turns->fastest] : NULL;
    for (int c = 0; c < turns->count; c++) {
        const struct tcplan_contender *own = &turns->contender[c];
        if (own != fastest) print_sentence(writer, fastest, own, problem);
    }
}

/** "64 rounds in 3.721 s; numpy 1.26.4: numpy is einsum, numpy-best einsum with optimize=True" */
static void print_rounds(FILE *file, const struct tcplan_turns *turns) {
    const char *version = "";
    for (int c = 0; c < turns->count; c++)
        version = *turns->contender[c].version ? turns->contender[c].version : version;
    fprintf(file, "%d round%s in %s", turns->rounds, turns->rounds == 1 ? "" : "s",
            quantity_seconds(turns->spent_seconds).text);
    if (*version)
        fprintf(file, "; %s: numpy is einsum, numpy-best einsum with optimize=True", version);
}

void contenders_print(struct writer *writer, const struct tcplan_turns *turns,
                      const struct tcplan_problem *problem) {
    if (turns->rounds > 0) {
        fputs("In turns, ", writer->file);
        print_rounds(writer->file, turns);
        fputs(".\n", writer->file);
    }
    print_sentences(writer, turns, problem);
}

void compared_print_text(struct writer *writer, const struct compared *compared) {
    const int threads = compared->request->options->threads;
    format_text_problem(writer, compared->problem);
    format_text_machine(writer, &compared->request->machine);
    fprintf(writer->file, "in turns     %d thread%s each; ", threads, threads == 1 ? "" : "s");
    print_rounds(writer->file, compared->turns);
    fputs("\n\n", writer->file);
    print_table(writer, compared);
    fputs("\n", writer->file);
    print_sentences(writer, compared->turns, compared->problem);
}

/* JSON and XML. */

static void write_times(struct document *document, const struct tcplan_turns *turns,
                        const struct tcplan_contender *contender,
                        const struct tcplan_problem *problem) {
    const struct document_kind *kind = document->kind;
    kind->number(document, "measured_seconds", contender->seconds.seconds);
    kind->number(document, "measured_low", contender->seconds.low);
    kind->number(document, "measured_high", contender->seconds.high);
    kind->number(document, "measured_gflops", gflops_of(problem, contender->seconds.seconds));
    kind->number(document, "ratio", contender->ratio);
    kind->number(document, "ratio_low", contender->ratio_low);
    kind->number(document, "ratio_high", contender->ratio_high);
    kind->integer(document, "samples", turns->rounds);
    kind->numbers(document, "sample_seconds", contender->round_seconds, turns->rounds);
}

void document_contenders(struct document *document, const struct tcplan_turns *turns,
                         const struct tcplan_problem *problem) {
    const struct document_kind *kind = document->kind;
    kind->list(document, "contenders");
    for (int c = 0; c < turns->count; c++) {
        const struct tcplan_contender *contender = &turns->contender[c];
        kind->object(document, "contender");
        document_text_owned(document, "name", contender_name(contender, problem));
        kind->text(document, "standing", tcplan_word(standings, (int)contender->standing));
        if (*contender->version) kind->text(document, "version", contender->version);
        if (*contender->reason) kind->text(document, "reason", contender->reason);
        if (contender->standing != TCPLAN_STANDING_NONE)
            write_times(document, turns, contender, problem);
        kind->end(document);
    }
    kind->end(document);
}

void document_compare(struct writer *writer, const struct compared *compared) {
    struct document *document = writer->document;
    if (!document) return;
    const struct document_kind *kind = document->kind;
    const struct tcplan_blas blas = tcplan_blas_info();
    document_open(document, "comparison");
    document_contraction(document, compared->request, compared->problem);
    kind->integer(document, "threads", compared->request->options->threads);
    document_memory(document, compared->request->options);
    kind->number(document, "flops", compared->problem->flops);
    kind->integer(document, "rounds", compared->turns->rounds);
    kind->number(document, "spent_seconds", compared->turns->spent_seconds);
    document_machine(document, &compared->request->machine);
    document_blas(document, &blas);
    document_contenders(document, compared->turns, compared->problem);
    kind->end(document);
}
