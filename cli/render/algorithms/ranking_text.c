/*
 * Readers need the answer, its reliability, and the next command. The text therefore has this
 * order: warnings, the problem, the answer in one line, a few rows, and the command that emits the
 * answer. --verbose prints the same with all rows, all columns and every setting.
 */
#include "cli/render/algorithms/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/providers.h"
#include "cli/render/algorithms/results.h"

/* a baseline whose time differs by less than this ratio counts as equally fast */
#define ALIKE 1.05
#define MANY 1e9 /* larger counts are rounded in text */

enum { ROWS_BRIEF = 5, ROWS_VERBOSE = 12 };

static bool is_verbose(const struct report *report) {
    return report->request->options->verbose;
}

/** Returns whether the table has a column for threads: it does if rows have different numbers of
 * threads. */
static bool shows_threads(const struct report *report) {
    return report->request->options->threads > 1;
}

static void print_name(struct writer *writer, const struct report *report,
                       const struct tcplan_algorithm *algorithm) {
    const struct tcplan_problem *problem = &report->ranking->problem;
    writer_print_owned(writer, "",
                       tcplan_algorithm_name(algorithm, problem->contraction, problem->dtype), "");
}

static const char *plural(double count) {
    return count == 1 ? "" : "s";
}

static const char *was(double count) {
    return count == 1 ? "was" : "were";
}

/* The problem. */

static void print_warnings(struct writer *writer, const struct report *report) {
    const bool busy = tcplan_ranking_is_disturbed(report->ranking);
    const uint64_t providers = report_providers(report) & ~writer->warned;
    const int count = blas_warnings_precede(writer->file, providers);
    writer->warned |= providers;
    char load[REPORT_LOAD_CHARS];
    if (busy)
        fprintf(writer->file, "warning: %s\n", report_load_warning(load, &report->ranking->load));
    if (busy || count > 0) fputs("\n", writer->file);
}

/** Prints the problem, such as "C_ab=A_ai*B_ib a=b=400,i=8 2.56 MFLOP double precision,
 * column-major, 1 thread". */
static void print_problem(struct writer *writer, const struct report *report) {
    const struct options *options = report->request->options;
    const char *most = options->threads > 1 && !options->algorithm ? "up to " : "";
    format_text_heading(writer, &report->ranking->problem);
    char binding[TCPLAN_BINDING_LINE];
    tcplan_binding_print(binding, &report->request->binding);
    fprintf(writer->file, ", %s%s%s%s", most, counted(options->threads, "thread").text,
            *binding ? ", " : "", binding);
    if (options->cache != TCPLAN_CACHE_WARM)
        fprintf(writer->file, ", %s cache", tcplan_word(tcplan_words_cache_states, options->cache));
    fputs("\n", writer->file);
    format_text_strides(writer, report->ranking->problem.contraction);
    fputs("\n", writer->file);
}

static void print_settings(struct writer *writer, const struct report *report) {
    const struct options *options = report->request->options;
    const struct tcplan_ranking *ranking = report->ranking;
    fprintf(writer->file, "BLAS         %s", report->blas.text);
    if (ranking->gemm_gflops > 0) {
        fprintf(writer->file, "; %cgemm reaches %.4g GFLOP/s with %s",
                tcplan_dtype_letter(ranking->problem.dtype), ranking->gemm_gflops,
                counted(options->threads, "thread").text);
    }
    fputs("\n", writer->file);
    char load[REPORT_LOAD_CHARS];
    if (tcplan_ranking_is_disturbed(ranking))
        fprintf(writer->file, "load         %s\n", report_load(load, &ranking->load));
    const bool staged = options->predictor == TCPLAN_PREDICT_THESIS;
    if (options->space == TCPLAN_SPACE_FULL && !options->algorithm) {
        const double candidates = ranking->candidate_count;
        const double algorithms = ranking->algorithm_count - candidates;
        fprintf(writer->file,
                "space        full: %.10g algorithm%s of the blas space, %.10g more candidate%s",
                algorithms, plural(algorithms), candidates, plural(candidates));
        if (options->threads > 1)
            fprintf(writer->file, ", with 1 thread and with %d", options->threads);
        fputs("\n", writer->file);
    }
    fprintf(writer->file, "prediction   %s%s%s, %s cache\n\n",
            tcplan_word(tcplan_words_predictors, options->predictor), staged ? " up to stage " : "",
            staged ? tcplan_word(tcplan_words_stages, options->stage) : "",
            tcplan_word(tcplan_words_cache_states, options->cache));
}

/* The answer. */

/** Returns whether the answer's time is an estimate although other algorithms were timed. */
static bool is_late(const struct report *report) {
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(report->ranking);
    return !report->ranking->is_untimed && chosen->status != TCPLAN_ENTRY_MEASURED &&
           chosen->basis == TCPLAN_BASIS_ESTIMATE;
}

/** Prints "Fastest is "; if the answer is not the fastest algorithm, "Best choice (*) is ". */
static void print_label(struct writer *writer, const struct report *report) {
    const struct tcplan_ranking *ranking = report->ranking;
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    if (ranking->is_single) return;
    if (report->measured_count > 0 && chosen == report_fastest_measured(report)) {
        fprintf(writer->file, "Fastest of %zu measured is ", report->measured_count);
    } else if (!report_is_chosen(report, &ranking->entry[0])) {
        fputs("Best choice (*) is ", writer->file);
    } else if (report->measured_count > 0) {
        fputs("Best choice is ", writer->file);
    } else {
        fputs(ranking->is_untimed || is_late(report) ? "Fastest by estimate is " : "Fastest is ",
              writer->file);
    }
}

/** Prints the name of the baseline, such as "the baseline (one dgemm call on copied operands)", or
 * the algorithm of --baseline. */
static void print_baseline_name(struct writer *writer, const struct report *report,
                                const struct report_baseline *baseline) {
    const struct tcplan_problem *problem = &report->ranking->problem;
    const struct tcplan_algorithm *algorithm = &baseline->entry->algorithm;
    fputs(report->named ? "" : "the baseline (", writer->file);
    if (report->named || algorithm->loop_count > 0) {
        print_name(writer, report, algorithm);
    } else {
        fprintf(writer->file, "one %c%s call%s", tcplan_dtype_letter(problem->dtype),
                tcplan_kernel_name(algorithm->kernel, problem->dtype),
                baseline->copies ? " on copied operands" : "");
    }
    fputs(report->named ? "" : ")", writer->file);
}

/** Prints why there is no comparison with a baseline. Only the `full` space needs this. */
static void print_no_baseline(struct writer *writer, const struct report *report) {
    const struct options *options = report->request->options;
    if (options->space != TCPLAN_SPACE_FULL || options->algorithm || report->named || options->all)
        return;
    fputs(tcplan_ranking_chosen(report->ranking)->is_baseline
              ? ", itself the baseline"
              : ", no baseline: no single call takes these operands",
          writer->file);
}

/** Prints the comparison with the baseline, such as ", 2.7 times faster than the baseline (one
 * dgemm call)". The factor requires measurements in the same rounds. */
static void print_baseline(struct writer *writer, const struct report *report) {
    const struct report_baseline baseline = report_baseline(report);
    if (!baseline.entry) {
        print_no_baseline(writer, report);
        return;
    }
    const bool known = baseline.speedup > 0;
    const bool slower =
        known && baseline.speedup < 1 / ALIKE; /* the answer is slower than a baseline that was
                                                  measured or that the user named */
    const double factor = slower ? 1 / baseline.speedup : baseline.speedup;
    if (!known && report->ranking->is_untimed) return;
    if (!known) {
        fputs(", not run side by side with ", writer->file);
    } else if (factor < ALIKE) {
        fputs(", as fast as ", writer->file);
    } else {
        fprintf(writer->file, factor < 9.95 ? ", %s%.1f times %s than " : ", %s%.0f times %s than ",
                report->measured_count > 0 && baseline.is_predicted ? "predicted " : "", factor,
                slower ? "slower" : "faster");
    }
    print_baseline_name(writer, report, &baseline);
    const enum tcplan_provider provider = baseline.entry->algorithm.provider;
    if (known && !report->request->options->quiet &&
        provider != tcplan_ranking_chosen(report->ranking)->algorithm.provider &&
        blas_advice(provider))
        fputs(" with slow kernels (see the warning)",
              writer->file); /* The warning about the BLAS explains this. */
}

static int64_t workspace_bytes(const struct report *report, const struct tcplan_entry *entry) {
    const struct tcplan_problem *problem = &report->ranking->problem;
    struct tcplan_nest *nest;
    if (tcplan_nest_build(&nest, problem->contraction, &entry->algorithm, NULL) != TCPLAN_OK)
        return 0;
    const int64_t bytes = tcplan_nest_workspace_bytes(nest, problem, entry->threads);
    tcplan_nest_free(nest);
    return bytes;
}

/** Prints in which respect a tied answer is simpler than the first row, in the order of
 * TCPLAN_PREFER_SIMPLE. */
static void print_advantage(FILE *file, const struct report *report) {
    const struct tcplan_entry *first = report->ranking->entry;
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(report->ranking);
    enum tcplan_provider library[TCPLAN_ALGORITHM_LIBRARIES];
    const int libraries[] = {tcplan_algorithm_libraries(&chosen->algorithm, library),
                             tcplan_algorithm_libraries(&first->algorithm, library)};
    const int64_t workspace[] = {workspace_bytes(report, chosen), workspace_bytes(report, first)};
    if (chosen->threads != first->threads) {
        fprintf(file, "needs only %s", counted(chosen->threads, "thread").text);
    } else if (libraries[0] != libraries[1]) {
        fprintf(file, "links fewer libraries (%d, not %d)", libraries[0], libraries[1]);
    } else if (workspace[0] != workspace[1]) {
        fprintf(file, "needs less temporary memory (%s, not %s)",
                quantity_bytes((double)workspace[0]).text,
                quantity_bytes((double)workspace[1]).text);
    } else {
        fputs("its C code is shorter", file);
    }
}

/** Prints how much faster another algorithm was than the answer, if both were measured. */
static void print_measured_faster(struct writer *writer, const struct report *report) {
    const struct tcplan_entry *fastest = report_fastest_measured(report);
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(report->ranking);
    if (!fastest || fastest == chosen || chosen->status != TCPLAN_ENTRY_MEASURED) return;
    fputs(". Of the measured algorithms, ", writer->file);
    print_name(writer, report, &fastest->algorithm);
    fprintf(writer->file, " was %.1f %% faster",
            100 * (chosen->measured.seconds / fastest->measured.seconds - 1));
}

/** Prints why the answer is not the first row. */
static void print_choice(struct writer *writer, const struct report *report) {
    const struct tcplan_ranking *ranking = report->ranking;
    char faster[REPORT_FASTER_CHARS];
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    const double percent = 100 * (report_seconds(chosen) / report_seconds(&ranking->entry[0]) - 1);
    if (report_is_chosen(report, &ranking->entry[0])) return;
    if (chosen->is_stored && ranking->compared) {
        fprintf(
            writer->file,
            ". It is the stored plan; row 1 was %.1f %% faster in the same rounds, which is within "
            "their spread",
            percent);
    } else if (ranking->entry[0].tied || ranking->is_untimed) {
        fprintf(writer->file, ". It %s row 1 and ",
                ranking->compared ? "is within 2 % of" : "may be as fast as");
        print_advantage(writer->file, report);
    } else if (*report_faster_text(faster, ranking)) {
        fprintf(writer->file, ". %s", faster);
    } else {
        fputs(". Faster rows were not run side by side with it", writer->file);
    }
}

/** Prints the speed, such as ", 24.45 GFLOP/s, 71 % of roofline, 2.7 times faster than the baseline
 * (one dgemm call)". */
static void print_speed(struct writer *writer, const struct report *report, double seconds) {
    const double share = report_limit_share(report, seconds);
    fprintf(writer->file, ", %.4g GFLOP/s", report_gflops(report, seconds));
    if (share >= 0) fprintf(writer->file, ", %.0f %% of roofline", 100 * share);
    print_baseline(writer, report);
    if (report->tied_count > 1) {
        const size_t others = report->tied_count - 1;
        const bool compared = report->ranking->compared || report->measured_count > 0;
        const char *are = !compared ? "may be" : others == 1 ? "is" : "are";
        fprintf(writer->file, "; %s %s as fast (=%s)", counted((int64_t)others, "other").text, are,
                others < ROWS_VERBOSE ? "" : ", some not shown");
    }
}

/**
 * Prints the answer in one line, such as "Fastest is c-dgemm: 41.88 ms, 24.45 GFLOP/s, 2.7 times
 * faster than the baseline (one dgemm call); 3 others are as fast (=)."
 */
static void print_answer(struct writer *writer, const struct report *report) {
    const struct tcplan_entry *best = tcplan_ranking_chosen(report->ranking);
    const struct terminal terminal = terminal_of(writer->file);
    const double seconds = report_seconds(best);
    print_label(writer, report);
    terminal_style(writer->file, &terminal, STYLE_BEST);
    print_name(writer, report, &best->algorithm);
    terminal_style(writer->file, &terminal, STYLE_PLAIN);
    if (shows_threads(report))
        fprintf(writer->file, " with %s", counted(best->threads, "thread").text);
    fprintf(writer->file, ": %s", quantity_seconds(seconds).text);
    if (report->ranking->is_untimed) fputs(" (nothing was timed)", writer->file);
    if (is_late(report)) fputs(" (the time limit left no time for timing)", writer->file);
    print_speed(writer, report, seconds);
    if (!report->ranking->is_single) {
        print_measured_faster(writer, report);
        print_choice(writer, report);
    }
    fputs(".\n\n", writer->file);
}

/* The table. */

/** The data, in addition to the entries, that determine which rows a table has. */
struct listed_rows {
    const struct report *report;
    const struct tcplan_entry *baseline; /* the baseline's entry; NULL: it has no row */
    struct time_unit unit;
    size_t candidates; /* number of first entries that may have a row */
    size_t head; /* number of first entries that have a row; the answer and the baseline always have
                    one */
    bool shows_ties; /* whether entries that are as fast as the answer have a row, too */
};

/** Returns whether the line with the answer counts an entry as equally fast. */
static bool is_counted_tie(const struct report *report, const struct tcplan_entry *entry) {
    return report_ties(report, entry) && report->tied_count > 1;
}

/** Returns whether an entry has a row. The fastest entries, the answer, its ties, the baseline, and
 * the libraries that --tapp names have one. */
static bool has_row(const struct listed_rows *view, size_t position) {
    const struct tcplan_entry *entry = &view->report->ranking->entry[position];
    return position < view->candidates &&
           (position < view->head || report_is_chosen(view->report, entry) ||
            entry == view->baseline || entry->algorithm.provider >= TCPLAN_PROVIDER_TAPP_1 ||
            (view->shows_ties && is_counted_tie(view->report, entry)));
}

static size_t count_rows(const struct listed_rows *view) {
    size_t rows = 0;
    for (size_t e = 0; e < view->candidates; e++) rows += has_row(view, e);
    return rows;
}

/** Returns how many of the first entries have a row: the number of --top, all with --all, otherwise
 * a few. */
static size_t head_of(struct listed_rows view) {
    const struct options *options = view.report->request->options;
    if (options->top > 0 || options->all || view.candidates == 0)
        return view.report->shown < view.candidates ? view.report->shown : view.candidates;
    const size_t most = is_verbose(view.report) ? ROWS_VERBOSE : ROWS_BRIEF;
    view.head = most;
    while (view.head > 0 && count_rows(&view) > most) view.head--;
    return view.head;
}

static struct listed_rows view_make(const struct report *report) {
    const struct tcplan_ranking *ranking = report->ranking;
    struct listed_rows view = {.report = report};
    view.candidates = report->measured_count > 0 ? report->measured_count : report->predicted_count;
    view.baseline = report->named ? report->named : tcplan_ranking_baseline(ranking);
    view.shows_ties = report->request->options->top == 0 && report->tied_count <= ROWS_VERBOSE;
    view.head = head_of(view);
    if (view.candidates > 0) {
        const struct tcplan_entry *first = ranking->entry;
        view.unit =
            time_unit_for(first->predicted ? first->prediction.seconds : report_seconds(first));
    }
    return view;
}

static void add_row(struct writer *writer, struct field_table *table,
                    const struct listed_rows *view, const struct tcplan_entry *entry) {
    const bool tied = is_counted_tie(view->report, entry);
    struct ranked ranked;
    if (!ranked_make(&ranked, view->report, entry)) {
        writer->no_memory = true;
        return;
    }
    ranked.baseline = view->baseline;
    table->table.style = report_is_chosen(view->report, entry) ? STYLE_BEST
                         : tied                                ? STYLE_GOOD
                                                               : STYLE_PLAIN;
    fields_table_row(table, &ranked);
    ranked_free(&ranked);
}

/** Returns the baseline if it was predicted in a separate ranking for --baseline and is therefore
 * not among the ranking's entries; NULL otherwise. */
static const struct tcplan_entry *separate_baseline(const struct listed_rows *view) {
    for (size_t e = 0; e < view->candidates; e++) {
        if (&view->report->ranking->entry[e] == view->baseline) return NULL;
    }
    return view->baseline;
}

static void print_table(struct writer *writer, const struct listed_rows *view) {
    const struct ranked whole = {.report = view->report};
    struct field_table table;
    const struct tcplan_entry *separate = separate_baseline(view);
    fields_table_begin(&table, ranked_fields, is_verbose(view->report), view->unit, &whole);
    for (size_t e = 0; e < view->candidates; e++) {
        const struct tcplan_entry *entry = &view->report->ranking->entry[e];
        if (separate && report_seconds(separate) < report_seconds(entry)) {
            add_row(writer, &table, view, separate);
            separate = NULL;
        }
        if (has_row(view, e)) add_row(writer, &table, view, entry);
    }
    if (separate) add_row(writer, &table, view, separate);
    if (!table_print(&table.table, writer->file)) writer->no_memory = true;
    fputs("\n", writer->file);
}

/* Below the table. */

/** State of writing a sentence with optional parts. */
struct parts {
    FILE *file;
    const char *before; /* text to write before the next part */
};

/** Begins the next part with its count. Returns false, so that the part is omitted, if the count is
 * 0. */
static bool part(struct parts *parts, double count) {
    if (!(count > 0)) return false;
    fprintf(parts->file, count < MANY ? "%s%.0f " : "%s%.3g ", parts->before, count);
    parts->before = ", ";
    return true;
}

/** Prints how many algorithms have no row and why, such as "Not shown: 4 ruled out by a lower
 * bound, 12 slower." */
static void print_excluded(struct writer *writer, const struct listed_rows *view) {
    const struct report *report = view->report;
    const struct tcplan_ranking *ranking = report->ranking;
    const bool measured = report->measured_count > 0;
    FILE *file = writer->file;
    struct parts parts = {.file = file, .before = "Not shown: "};
    const size_t hidden = report->predicted_count - count_rows(view);
    if (part(&parts, (double)hidden)) fputs(measured ? "not measured" : "slower", file);
    if (part(&parts, ranking->pruned_count)) fputs("ruled out by a lower bound", file);
    if (part(&parts, ranking->open_count))
        fputs(ranking->out_of_time         ? "not reached within the time limit"
              : ranking->open_count < MANY ? "skipped as predicted slower"
                                           : "not considered",
              file);
    if (part(&parts, ranking->oversized_count))
        fprintf(file, "need more workspace than %s",
                quantity_bytes((double)report->request->options->max_workspace_bytes).text);
    if (part(&parts, (double)report->not_applicable_count))
        fputs("cannot run at these sizes", file);
    if (*parts.before != ',') return;
    fputs(is_verbose(report) ? ".\n" : " (-v prints more).\n", file);
}

/** Prints how many candidates may be as fast as the answer. */
static void print_undecided(struct writer *writer, const struct report *report) {
    const struct tcplan_ranking *ranking = report->ranking;
    if (ranking->missed_count == 0 || ranking->is_untimed) return;
    fprintf(writer->file,
            "Undecided: %zu may be as fast as the answer and %s not run side by side with it",
            ranking->missed_count, was((double)ranking->missed_count));
    if (ranking->out_of_time) {
        fputs(" (time limit reached).\n", writer->file);
    } else if (report->request->options->effort == TCPLAN_EFFORT_THOROUGH) {
        fputs(".\n", writer->file);
    } else {
        fputs(" (--effort thorough compares more).\n", writer->file);
    }
}

static void print_next_step(struct writer *writer, const struct report *report) {
    const char *path = report->request->options->emit;
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(report->ranking);
    writer_print_command(writer, "C code: ",
                         path ? strdup(path)
                              : emit_command(report->request, &report->ranking->problem,
                                             &chosen->algorithm, chosen->threads));
}

/* Only with --verbose. */

/** Prints the sources of kernel times, such as "Kernel times: 12 of 24 from models, 4 from earlier
 * rankings, 8 from ceilings." */
static void print_time_sources(struct writer *writer, const struct tcplan_ranking *ranking) {
    static const char *const sources[TCPLAN_TIME_SOURCES] = {
        [TCPLAN_TIME_TIMED] = "timed",
        [TCPLAN_TIME_MODEL] = "from models",
        [TCPLAN_TIME_STORED] = "from earlier rankings",
        [TCPLAN_TIME_BEYOND] = "from models outside their domains",
        [TCPLAN_TIME_CEILINGS] = "from ceilings",
        [TCPLAN_TIME_NOMINAL] = "from nominal speeds"};
    size_t count[TCPLAN_TIME_SOURCES];
    const size_t all = tcplan_ranking_time_sources(ranking, count);
    const char *before = "Kernel times:";
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

/** Prints the reasons for which some candidates were excluded. */
static void print_reasons(struct writer *writer, const struct report *report) {
    const struct tcplan_ranking *ranking = report->ranking;
    if (ranking->pruned_count > 0) {
        fprintf(writer->file,
                "The smallest lower bound of an algorithm that was ruled out is %s; the fastest "
                "evaluation took %s%s.\n",
                quantity_seconds(ranking->pruned_bound_seconds).text,
                quantity_seconds(ranking->pruned_by_seconds).text,
                ranking->lists_all ? " (--all predicts them)" : "");
    }
    if (report->not_applicable_count > 0) {
        fprintf(writer->file, "The first algorithm that cannot run: %s.\n",
                *ranking->cannot_run ? ranking->cannot_run
                                     : "a stride or matrix is too large for its kernel");
    }
}

/** Prints the limit that the ceilings set, or how to measure the ceilings. */
static void print_limit(struct writer *writer, const struct report *report) {
    const struct request *request = report->request;
    const int threads = request->options->threads;
    const struct tcplan_roofline *ceilings = request->machine.ceilings;
    if (report->limit_seconds > 0) {
        fprintf(writer->file, "The limit from the machine's ceilings is %s%s.\n",
                quantity_seconds(report->limit_seconds).text,
                tcplan_roofline_is_rough(ceilings)
                    ? " (which were measured with little time or memory)"
                    : "");
    } else if (ceilings) {
        fputs("The limit is unknown: a ceiling is missing (tcplan roofline --remeasure).\n",
              writer->file);
    } else if (!request->machine.live) {
        fputs("The limit is unknown: the ceilings of --ceilings are of another machine.\n",
              writer->file);
    } else if (*request->no_ceilings) {
        fprintf(writer->file, "The limit is unknown: %s (tcplan roofline --threads %d).\n",
                request->no_ceilings, threads);
    } else {
        fprintf(writer->file,
                "The limit is unknown: tcplan roofline --threads %d measures the ceilings.\n",
                threads);
    }
}

/** Prints the benchmarks of the predictor `thesis`. */
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
        "%lld benchmarks ran, %lld of them in batches because one call is too short for the clock; %lld more were equal to one of these.\n",
        made, batches, shared);
}

static void print_planning(struct writer *writer, const struct tcplan_ranking *ranking) {
    const struct tcplan_planning_part *compiling = &ranking->part[TCPLAN_PLANNING_COMPILING];
    fprintf(writer->file, "Planned in %s", quantity_seconds(ranking->planning_seconds).text);
    if (compiling->seconds > 0) {
        fprintf(writer->file, ", %s of it to compile %s", quantity_seconds(compiling->seconds).text,
                counted(compiling->steps, "kernel").text);
    }
    fputs(".\n", writer->file);
}

static void print_details(struct writer *writer, const struct listed_rows *view) {
    const struct report *report = view->report;
    const bool scales = tcplan_problem_only_scales(&report->ranking->problem);
    print_reasons(writer, report);
    if (view->candidates > 0 && !scales) print_limit(writer, report);
    if (report->ranking->is_untimed) print_time_sources(writer, report->ranking);
    print_benchmarks(writer, report);
    print_planning(writer, report->ranking);
}

void ranking_print_text(struct writer *writer, const struct report *report) {
    const struct listed_rows view = view_make(report);
    const bool scales = tcplan_problem_only_scales(&report->ranking->problem);
    const bool verbose = is_verbose(report);
    fputs(writer->written > 0 ? "\n" : "", writer->file);
    print_warnings(writer, report);
    if (verbose) {
        format_text_problem(writer, &report->ranking->problem);
        format_text_machine(writer, &report->request->machine);
        print_settings(writer, report);
    } else {
        print_problem(writer, report);
    }
    if (scales) {
        fputs(
            "There is nothing to multiply at these sizes: every algorithm only scales the result.\n",
            writer->file);
    } else if (view.candidates > 0) {
        print_answer(writer, report);
    }
    if (view.candidates > 0 && (verbose || !scales)) print_table(writer, &view);
    if (report->turns) contenders_print(writer, report->turns, &report->ranking->problem);
    print_excluded(writer, &view);
    print_undecided(writer, report);
    if (view.candidates > 0) print_next_step(writer, report);
    if (verbose) print_details(writer, &view);
}
