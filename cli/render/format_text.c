#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/blas_advice.h"
#include "cli/render/algorithms/explain.h"
#include "cli/render/algorithms/trace.h"
#include "cli/render/algorithms/turns.h"
#include "cli/render/format.h"
#include "cli/render/host.h"
#include "cli/render/kept/plans.h"
#include "cli/render/kept/store.h"
#include "cli/render/roofs/ceilings.h"
#include "cli/render/roofs/selftest.h"
#include "cli/render/roofs/tuning.h"
#include "cli/render/sampling/models.h"
#include "cli/render/text/table.h"
#include "cli/render/text/visible.h"
#include "cli/render/text/wrapped.h"

#define ALIKE 1.05 /* a baseline that is slower by less is said to be as fast */
#define SWINGS 1.1 /* a core whose best speed makes less of a difference is said to be steady */

enum { ROWS_SHOWN = 12 };

static const char *dtype_words(enum tcplan_dtype dtype) {
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
            dtype_words(problem->dtype));
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

static void print_settings(struct writer *writer, const struct report *report) {
    const struct options *options = report->request->options;
    const double gemm_gflops = report->ranking->gemm_gflops;
    const char *most = options->threads > 1 && !options->algorithm ? "up to " : "";
    fprintf(writer->file, "BLAS         %s, %s%d thread%s", report->blas.text, most,
            options->threads, options->threads == 1 ? "" : "s");
    if (gemm_gflops > 0) {
        fprintf(writer->file, "; %cgemm reaches %.4g GFLOP/s",
                tcplan_dtype_letter(report->ranking->problem.dtype), gemm_gflops);
    }
    fputs("\n", writer->file);
    blas_warnings_print(writer->file);
    const bool staged = options->predictor == TCPLAN_PREDICT_THESIS;
    if (options->space == TCPLAN_SPACE_FULL && !options->algorithm) {
        const double candidates = report->ranking->candidate_count;
        const double algorithms = report->ranking->algorithm_count - candidates;
        fprintf(writer->file,
                "space        full: %.10g algorithm%s of the blas space, %.10g candidate%s besides",
                algorithms, algorithms == 1 ? "" : "s", candidates, candidates == 1 ? "" : "s");
        if (options->threads > 1)
            fprintf(writer->file, ", by 1 thread and by %d", options->threads);
        fputs("\n", writer->file);
    }
    fprintf(writer->file, "prediction   %s%s%s, %s cache\n\n",
            tcplan_word(tcplan_words_predictors, options->predictor), staged ? " up to stage " : "",
            staged ? tcplan_word(tcplan_words_stages, options->stage) : "",
            tcplan_word(tcplan_words_cache_states, options->cache));
}

/** The smallest time that the table shows: the first. */
static double smallest_seconds(const struct report *report) {
    const struct tcplan_entry *entry = &report->ranking->entry[0];
    return entry->predicted ? entry->prediction.seconds : report_seconds(entry);
}

/** Whether rows have different numbers of threads. */
static bool shows_threads(const struct report *report) {
    return report->request->options->threads > 1;
}

static void add_heading(struct table *table, const struct report *report, struct time_unit unit) {
    const bool measured = report->measured_count > 0;
    table_add(table, "rank");
    table_add(table, "algorithm");
    if (shows_threads(report)) table_add(table, "threads");
    table_add(table, "predicted %s", unit.name);
    if (!measured && report->ranking->is_untimed) {
        table_add(table, "between");
    } else {
        table_add(table, measured ? "measured %s" : "95 %% interval", unit.name);
    }
    if (measured) table_add(table, "predicted/measured");
    table_add(table, "GFLOP/s");
    table_add(table, "of %cgemm", tcplan_dtype_letter(report->ranking->problem.dtype));
    table_add(table, "of limit");
    table_add(table, "calls");
    table_add(table, "from");
}

static void add_interval(struct table *table, const struct report *report,
                         const struct tcplan_entry *entry, struct time_unit unit) {
    if (entry->basis == TCPLAN_BASIS_ESTIMATE && !report->ranking->is_untimed) {
        table_add(table, "-");
        return;
    }
    table_add(table, "%.*f - %.*f", unit.decimals, entry->prediction.low / unit.seconds,
              unit.decimals, entry->prediction.high / unit.seconds);
}

static void add_measurement(struct table *table, const struct tcplan_entry *entry,
                            struct time_unit unit) {
    table_add(table, "%.*f", unit.decimals, entry->measured.seconds / unit.seconds);
    if (entry->predicted && entry->measured.seconds > 0) {
        table_add(table, "%.2f", entry->prediction.seconds / entry->measured.seconds);
    } else {
        table_add(table, "-");
    }
}

/** Negative: not known. */
static void add_share(struct table *table, double share) {
    if (share >= 0) {
        table_add(table, "%.1f %%", 100 * share);
    } else {
        table_add(table, "-");
    }
}

static void add_entry(struct table *table, const struct report *report, size_t position,
                      const char *name, struct time_unit unit) {
    const struct tcplan_entry *entry = &report->ranking->entry[position];
    const double gflops = report_gflops(report, report_seconds(entry));
    const bool tied = entry->tied && report->ranking->tied_count > 1;
    const bool chosen = report_is_chosen(report, entry);
    table->style = chosen ? STYLE_BEST : tied ? STYLE_GOOD : STYLE_PLAIN;
    table_add(table, "%zu%c", position + 1, chosen && position > 0 ? '*' : tied ? '=' : ' ');
    table_add(table, "%s", name);
    if (shows_threads(report)) table_add(table, "%d", entry->threads);
    if (entry->predicted) {
        table_add(table, "%.*f", unit.decimals, entry->prediction.seconds / unit.seconds);
    } else {
        table_add(table, "-");
    }
    if (report->measured_count > 0) {
        add_measurement(table, entry, unit);
    } else {
        add_interval(table, report, entry, unit);
    }
    table_add(table, gflops < 9.995 ? "%.2f" : "%.1f", gflops);
    const double gemm_gflops = report->ranking->gemm_gflops;
    add_share(table, gemm_gflops > 0 ? gflops / gemm_gflops : -1);
    add_share(table, report_limit_share(report, report_seconds(entry)));
    table_add(table, "%lld", (long long)entry->calls);
    char basis[REPORT_BASIS_CHARS];
    table_add(table, "%s", entry->predicted ? report_basis(basis, entry) : "");
}

/** The first rows, and the answer's. */
static void print_table(struct writer *writer, const struct report *report, size_t rows) {
    const struct tcplan_problem *problem = &report->ranking->problem;
    const struct time_unit unit = time_unit_for(smallest_seconds(report));
    const bool measured = report->measured_count > 0;
    struct table table = {.columns = measured ? "rlrrrrrrrl" : "rlrrrrrrl",
                          .optional = measured ? "0000203456" : "000203456"};
    if (shows_threads(report)) {
        table.columns = measured ? "rlrrrrrrrrl" : "rlrrrrrrrl";
        table.optional = measured ? "00000203456" : "0000203456";
    }
    add_heading(&table, report, unit);
    for (size_t e = 0; e < report->ranking->entry_count; e++) {
        if (e >= rows && !report_is_chosen(report, &report->ranking->entry[e])) continue;
        char *name = tcplan_algorithm_name(&report->ranking->entry[e].algorithm,
                                           problem->contraction, problem->dtype);
        writer->no_memory = writer->no_memory || !name;
        if (name) add_entry(&table, report, e, name, unit);
        free(name);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

/** "1-3, 5": the ranks of the tied entries. */
static void print_tied_ranks(struct writer *writer, const struct tcplan_ranking *ranking) {
    const char *separator = "";
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (!ranking->entry[e].tied) continue;
        const size_t first = e;
        while (e + 1 < ranking->entry_count && ranking->entry[e + 1].tied) e++;
        fprintf(writer->file, e > first ? "%s%zu-%zu" : "%s%zu", separator, first + 1, e + 1);
        separator = ", ";
    }
}

/** Why the answer is not the fastest row. */
static void print_choice(struct writer *writer, const struct report *report) {
    const struct tcplan_ranking *ranking = report->ranking;
    if (report_is_chosen(report, &ranking->entry[0])) return;
    if (ranking->entry[0].tied || ranking->is_untimed) {
        fputs(
            "* marks the answer: of the equally fast it needs the fewest threads, libraries, workspace and lines, in this order.\n",
            writer->file);
    } else {
        fputs(
            "* marks the answer: it was compared in the same rounds with others, the faster rows were not.\n",
            writer->file);
    }
}

static void print_ties(struct writer *writer, const struct report *report) {
    if (report->ranking->tied_count < 2) return;
    print_tied_ranks(writer, report->ranking);
    if (!report->ranking->compared) {
        fputs(" are tied: their intervals overlap that of the fastest.\n", writer->file);
    } else if (report->request->options->prefer == TCPLAN_PREFER_SPEED) {
        fputs(" are tied: as fast in the same rounds.\n", writer->file);
    } else {
        fputs(" are tied: within 2 % in the same rounds.\n", writer->file);
    }
}

/** What the measured times say about the ranking. */
static void print_verdict(struct writer *writer, const struct report *report) {
    const struct tcplan_entry *fastest = report_fastest_measured(report);
    const struct tcplan_entry *pick = tcplan_ranking_chosen(report->ranking);
    const struct tcplan_problem *problem = &report->ranking->problem;
    if (!fastest || report->measured_count < 2 || pick->status != TCPLAN_ENTRY_MEASURED) return;
    fprintf(writer->file, "Fastest of the %zu measured: ", report->measured_count);
    writer_print_owned(
        writer, tcplan_algorithm_name(&fastest->algorithm, problem->contraction, problem->dtype));
    fprintf(writer->file, " with %s", quantity_seconds(fastest->measured.seconds).text);
    if (fastest == pick) {
        fputs(", the answer.\n", writer->file);
    } else {
        fprintf(writer->file, "; the answer takes %.1f %% longer.\n",
                100 * (pick->measured.seconds / fastest->measured.seconds - 1));
    }
}

/** Where the times of kernels are from: "Times of kernels: 12 of 24 from models, 4 kept of earlier
 * rankings, 8 by the machine's ceilings." */
static void print_time_sources(struct writer *writer, const struct tcplan_ranking *ranking) {
    static const char *const sources[TCPLAN_TIME_SOURCES] = {
        [TCPLAN_TIME_TIMED] = "timed",
        [TCPLAN_TIME_MODEL] = "from models",
        [TCPLAN_TIME_KEPT] = "kept of earlier rankings",
        [TCPLAN_TIME_BEYOND] = "from models, beyond their domains",
        [TCPLAN_TIME_CEILINGS] = "by the machine's ceilings",
        [TCPLAN_TIME_NOMINAL] = "by nominal speeds"};
    size_t count[TCPLAN_TIME_SOURCES];
    const size_t all = tcplan_ranking_time_sources(ranking, count);
    const char *before = "Times of kernels:";
    if (all == 0) return;
    for (int s = 0; s < TCPLAN_TIME_SOURCES; s++) {
        if (count[s] == 0 || !sources[s]) continue;
        fprintf(writer->file, "%s %zu", before, count[s]);
        if (*before != ',') fprintf(writer->file, " of %zu", all);
        fprintf(writer->file, " %s", sources[s]);
        before = ",";
    }
    if (*before == ',') fputs(".\n", writer->file);
}

/** How many predicted entries the table leaves out. */
static size_t hidden_count(const struct report *report, size_t rows) {
    size_t hidden = 0;
    for (size_t e = rows; e < report->predicted_count; e++)
        hidden += !report_is_chosen(report, &report->ranking->entry[e]);
    return hidden;
}

static const char *was(double count) {
    return count == 1 ? "was" : "were";
}

/** Entries that the table leaves out. */
static void print_rest(struct writer *writer, const struct report *report, size_t rows) {
    const size_t hidden = hidden_count(report, rows);
    const char *what = report->measured_count > 0 ? "not measured"
                       : hidden == 1              ? "predicted, and is slower (--top N)"
                                                  : "predicted, and are slower (--top N)";
    if (hidden > 0) fprintf(writer->file, "%zu more %s %s.\n", hidden, was((double)hidden), what);
    const struct tcplan_ranking *ranking = report->ranking;
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    if (ranking->is_untimed) {
        fputs("Not compared: nothing was timed (--effort estimate).\n", writer->file);
        print_time_sources(writer, ranking);
    } else if (chosen && chosen->predicted && chosen->basis == TCPLAN_BASIS_ESTIMATE) {
        fputs("The answer is an estimate: timing it would not have ended within the time limit.\n",
              writer->file);
    }
    if (ranking->missed_count > 0 && !ranking->is_untimed) {
        fprintf(
            writer->file, "%zu that may be as fast as the answer %s not compared with it: %s.\n",
            ranking->missed_count, was((double)ranking->missed_count),
            ranking->out_of_time ? "the time limit was over" : "a higher --effort compares more");
    }
    if (ranking->pruned_count > 0) {
        const bool one = ranking->pruned_count == 1;
        fprintf(writer->file,
                "%.10g more cannot win: %s (from %s) exceed%s the fastest evaluation (%s)%s.\n",
                ranking->pruned_count, one ? "its lower bound" : "their lower bounds",
                quantity_seconds(ranking->pruned_bound_seconds).text, one ? "s" : "",
                quantity_seconds(ranking->pruned_by_seconds).text,
                ranking->lists_all ? "; --all predicts them" : "");
    }
    if (ranking->open_count > 0) {
        fprintf(writer->file, "%.10g more %s not evaluated: %s.\n", ranking->open_count,
                was(ranking->open_count),
                ranking->out_of_time       ? "the time limit was over"
                : ranking->open_count == 1 ? "by the model it is slower (--effort)"
                                           : "by the model they are slower (--effort)");
    }
    if (ranking->oversized_count > 0) {
        fprintf(writer->file, "%.10g more need a larger workspace than %s.\n",
                ranking->oversized_count,
                quantity_bytes(report->request->options->max_workspace_bytes).text);
    }
    if (report->not_applicable_count > 0) {
        fprintf(writer->file, "%zu cannot run at these sizes%s %s.\n", report->not_applicable_count,
                report->not_applicable_count > 1 && *ranking->cannot_run ? ", one of them:" : ":",
                *ranking->cannot_run ? ranking->cannot_run
                                     : "a stride or matrix exceeds what its kernel takes");
    }
}

/** What the shares of the limit are of, or how they could be had. */
static void print_limit(struct writer *writer, const struct report *report) {
    const struct request *request = report->request;
    const int threads = request->options->threads;
    const struct tcplan_roofline *ceilings = request->machine.ceilings;
    if (report->limit_seconds > 0) {
        fprintf(writer->file, "The limit is %s, by the machine's ceilings%s.\n",
                quantity_seconds(report->limit_seconds).text,
                tcplan_roofline_is_rough(ceilings)
                    ? ", which were measured in a hurry or in little memory"
                    : "");
    } else if (ceilings) {
        fputs(
            "The limit is not known: the machine's ceilings lack one that it needs (tcplan roofline --remeasure).\n",
            writer->file);
    } else if (!request->machine.live) {
        fputs("The limit is not known: --ceilings FILE has those of another machine.\n",
              writer->file);
    } else if (*request->no_ceilings) {
        fprintf(writer->file, "The limit is not known: %s (tcplan roofline --threads %d).\n",
                request->no_ceilings, threads);
    } else {
        fprintf(
            writer->file,
            "The limit is not known: tcplan roofline --threads %d measures and keeps the machine's ceilings.\n",
            threads);
    }
}

/** How the times of the dissertation's method were obtained. */
static void print_benchmarks(struct writer *writer, const struct report *report) {
    const struct tcplan_ranking *ranking = report->ranking;
    long long made = 0;
    long long shared = 0;
    long long batches = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        for (int b = 0; ranking->entry[e].predicted && b < ranking->entry[e].benchmark_count; b++) {
            const struct tcplan_benchmark *benchmark = &ranking->entry[e].benchmark[b];
            shared += benchmark->shared;
            made += !benchmark->shared;
            batches += !benchmark->shared && benchmark->batch > 1;
        }
    }
    if (made == 0) return;
    fprintf(
        writer->file,
        "%lld benchmarks were made, %lld of them in batches because one call is too short for the clock; %lld more were equal to one made.\n",
        made, batches, shared);
}

/** Rows of the table: what --top lets through, else all that was measured, or the first of what was
 * predicted unless all were asked for. */
static size_t row_count(const struct report *report) {
    const struct options *options = report->request->options;
    const size_t candidates =
        report->measured_count > 0 ? report->measured_count : report->predicted_count;
    const bool is_cut = report->measured_count == 0 && options->top == 0 && !options->all;
    const size_t rows = report->shown < candidates ? report->shown : candidates;
    return is_cut && rows > ROWS_SHOWN ? ROWS_SHOWN : rows;
}

/** What the baseline is: "one dgemm on copies", or its name where it has loops over batch indices.
 */
static void print_baseline_name(struct writer *writer, const struct report *report,
                                const struct report_baseline *baseline) {
    const struct tcplan_problem *problem = &report->ranking->problem;
    const struct tcplan_algorithm *algorithm = &baseline->entry->algorithm;
    if (algorithm->loop_count > 0 || report->named) {
        writer_print_owned(writer,
                           tcplan_algorithm_name(algorithm, problem->contraction, problem->dtype));
    } else {
        fprintf(writer->file, "one %c%s%s", tcplan_dtype_letter(problem->dtype),
                tcplan_kernel_name(algorithm->kernel, problem->dtype),
                baseline->copies ? " on copies" : "");
    }
}

/** ", 2.7 times faster than one dgemm on copies", or ", not compared with one dgemm on copies"; why
 * there is none in the full space */
static void print_baseline(struct writer *writer, const struct report *report) {
    const struct report_baseline baseline = report_baseline(report);
    if (!baseline.entry) {
        const struct options *options = report->request->options;
        const bool full = options->space == TCPLAN_SPACE_FULL && !options->algorithm &&
                          !report->named && !options->all;
        const bool itself = tcplan_ranking_chosen(report->ranking)->is_baseline;
        if (full)
            fputs(itself ? ", itself the baseline"
                         : ", without a baseline: no plain call can take these operands",
                  writer->file);
        return;
    }
    if (!(baseline.speedup > 0)) {
        fputs(", not compared with ", writer->file);
        print_baseline_name(writer, report, &baseline);
        return;
    }
    const bool slower =
        baseline.speedup < 1 / ALIKE; /* measured, or named: it may be faster than the answer */
    const double factor = slower ? 1 / baseline.speedup : baseline.speedup;
    if (factor < ALIKE) {
        fputs(", as fast as ", writer->file);
    } else {
        fprintf(writer->file, factor < 9.95 ? ", %.1f times %s than " : ", %.0f times %s than ",
                factor, slower ? "slower" : "faster");
    }
    print_baseline_name(writer, report, &baseline);
    const enum tcplan_provider provider = baseline.entry->algorithm.provider;
    if (provider != tcplan_ranking_chosen(report->ranking)->algorithm.provider &&
        blas_advice(provider))
        fputs(" with slow kernels (see the warning)",
              writer->file); /* the factor is the fault of the BLAS */
}

/**
 * The answer: "c-dgemm: 41.88 ms (33.02 ms while the core has its best speed), 24.45 GFLOP/s, 2.7
 * times faster than one dgemm on copies; 3 others tie with it. 2 others look faster (from 37.20 ms)
 * but were not compared with it; ..."
 */
static void print_answer(struct writer *writer, const struct report *report) {
    const struct tcplan_entry *best = tcplan_ranking_chosen(report->ranking);
    const struct tcplan_problem *problem = &report->ranking->problem;
    const size_t others = report->ranking->tied_count > 1 ? report->ranking->tied_count - 1 : 0;
    const struct terminal terminal = terminal_of(writer->file);
    terminal_style(writer->file, &terminal, STYLE_BEST);
    writer_print_owned(
        writer, tcplan_algorithm_name(&best->algorithm, problem->contraction, problem->dtype));
    terminal_style(writer->file, &terminal, STYLE_PLAIN);
    if (shows_threads(report))
        fprintf(writer->file, " with %d thread%s", best->threads, best->threads == 1 ? "" : "s");
    const double seconds = report_seconds(best);
    fprintf(writer->file, ": %s%s",
            report_estimate(best) && best->basis == TCPLAN_BASIS_ESTIMATE ? "by estimate " : "",
            quantity_seconds(seconds).text);
    const double good =
        best->status == TCPLAN_ENTRY_MEASURED ? best->measured_good_seconds : best->good_seconds;
    if (good > 0 && SWINGS * good < seconds)
        fprintf(writer->file, " (%s while the core has its best speed)",
                quantity_seconds(good).text);
    fprintf(writer->file, ", %.4g GFLOP/s", report_gflops(report, seconds));
    print_baseline(writer, report);
    if (others > 0)
        fprintf(writer->file, "; %zu other%s with it", others, others == 1 ? " ties" : "s tie");
    char faster[REPORT_FASTER_CHARS];
    report_faster_text(faster, report->ranking);
    fprintf(writer->file, ".%s%s%s\n\n", *faster ? " " : "", faster, *faster ? "." : "");
}

static void print_report(struct writer *writer, const struct report *report) {
    const size_t rows = row_count(report);
    char load[REPORT_LOAD_CHARS];
    fputs(writer->written > 0 ? "\n" : "", writer->file);
    if (tcplan_ranking_is_disturbed(report->ranking))
        fprintf(writer->file, "load         %s\n", report_load(load, &report->ranking->load));
    format_text_problem(writer, &report->ranking->problem);
    format_text_machine(writer, &report->request->machine);
    print_settings(writer, report);
    if (rows > 0) {
        if ((!report->request->options->algorithm || report->named) &&
            !tcplan_problem_only_scales(&report->ranking->problem))
            print_answer(writer, report);
        print_table(writer, report, rows);
        fputs("\n", writer->file);
    }
    if (tcplan_problem_only_scales(&report->ranking->problem)) {
        fputs("Nothing is multiplied: the result is scaled, whatever the algorithm.\n",
              writer->file);
    }
    if (rows > 0 && !tcplan_problem_only_scales(&report->ranking->problem))
        print_limit(writer, report);
    if (rows > 0) print_choice(writer, report);
    if (rows > 1) print_ties(writer, report);
    print_verdict(writer, report);
    if (report->turns) contenders_print(writer, report->turns, &report->ranking->problem);
    print_rest(writer, report, rows);
    print_benchmarks(writer, report);
    const struct tcplan_planning_part *compiling =
        &report->ranking->part[TCPLAN_PLANNING_COMPILING];
    fprintf(writer->file, "Planned in %s",
            quantity_seconds(report->ranking->planning_seconds).text);
    if (compiling->seconds > 0) {
        fprintf(writer->file, ", %s of it to compile %lld kernel%s",
                quantity_seconds(compiling->seconds).text, (long long)compiling->steps,
                compiling->steps == 1 ? "" : "s");
    }
    fputs(".\n", writer->file);
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

const struct format format_text = {.begin = begin_text,
                                   .report = print_report,
                                   .list_head = print_list_head,
                                   .list_row = print_list_row,
                                   .trace = trace_print_text,
                                   .explain = explain_print_text,
                                   .compare = compared_print_text,
                                   .host = host_print_text,
                                   .selftest = selftest_print_text,
                                   .store = store_print_text,
                                   .models = models_print_text,
                                   .plans = plans_print_text,
                                   .roofline = ceilings_print_text,
                                   .tuning = tuning_print_text,
                                   .end = end_text};
