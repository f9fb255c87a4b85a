#include "cli/render/roofs/tuning.h"

#include "base/quantity.h"
#include "cli/blas_advice.h"
#include "cli/render/document.h"
#include "cli/render/text/csv_line.h"
#include "cli/render/text/table.h"

static bool is_dgemm(const struct tcplan_tuning *tuning) {
    return tuning->options.benchmark == TCPLAN_TUNED_DGEMM;
}

/* Text. */

static void print_clock(FILE *file, const struct tcplan_peak *peak) {
    if (!(peak->clock_hz > 0)) {
        fputs("an unknown clock", file);
        return;
    }
    fprintf(file, "%.3f GHz (%s)", 1e-9 * peak->clock_hz, tcplan_origin_name(peak->clock_origin));
}

static void print_peak(FILE *file, const struct tcplan_peak *peak) {
    fputs("peak         ", file);
    print_clock(file, peak);
    if (peak->fma_units > 0) {
        fprintf(file, ", %d x %d bits fused a cycle (%s", peak->fma_units, peak->vector_bits,
                tcplan_origin_name(peak->units_origin));
        if (peak->units_origin == TCPLAN_ORIGIN_MEASURED)
            fprintf(file, ": %.2f", peak->fma_per_cycle);
        fputs(")", file);
    }
    if (peak->core_gflops > 0) {
        fprintf(file, ": %.4g GFLOP/s a core (analytic)\n", peak->core_gflops);
    } else {
        fputs(": not known\n", file);
    }
    fputs("memory peak  ", file);
    if (peak->socket_gbytes > 0) {
        fprintf(
            file,
            "%d channels, %.4g million transfers a second (%s): %.4g GB/s a socket (analytic)\n",
            peak->memory_channels, 1e-6 * peak->memory_transfers,
            tcplan_origin_name(peak->memory_origin), peak->socket_gbytes);
    } else {
        fputs("not known: the system does not tell channels and transfers\n", file);
    }
}

static void print_method(FILE *file, const struct tcplan_tune_options *options) {
    fprintf(
        file,
        "search       stops %s, %s; up to %lld invocations of %lld iterations or %.4g s; 99 %% intervals (%s) within %.3g %%\n",
        tcplan_word(tcplan_words_tune_stops, (int)options->stops),
        tcplan_word(tcplan_words_tune_orders, (int)options->order), (long long)options->invocations,
        (long long)options->iterations, options->seconds,
        tcplan_word(tcplan_words_tune_intervals, (int)options->interval), 100 * options->tolerance);
}

/** What the last cache is taken to hold, and who says so. */
static void print_caches(FILE *file, const struct tcplan_tuning *tuning) {
    const struct tcplan_machine *machine = &tuning->machine;
    if (is_dgemm(tuning) || machine->cache_count == 0) return;
    const struct tcplan_cache_level *last = &machine->cache[machine->cache_count - 1];
    fprintf(file, "last cache   L%d holds %s: %s", last->level,
            quantity_bytes((double)last->size_bytes).text,
            tuning->cache_found ? "found by loads" : "as reported");
    if (tuning->cache_found)
        fprintf(file, ", %s are reported",
                quantity_bytes((double)tuning->reported_cache_bytes).text);
    fprintf(file, "; vectors may take %s\n",
            quantity_bytes((double)tuning->options.max_memory_bytes).text);
}

/** Rows for which memory is short, and how much would do. */
static void print_short_memory(FILE *file, const struct tcplan_tuning *tuning) {
    const struct tcplan_tuned_row *worst = NULL;
    bool none = false;
    for (int r = 0; r < tuning->count; r++) {
        const struct tcplan_tuned_row *row = &tuning->row[r];
        none = none || row->too_little_memory;
        if ((row->reduced || row->too_little_memory) &&
            (!worst || row->wanted_bytes > worst->wanted_bytes))
            worst = row;
    }
    if (!worst) return;
    fprintf(file,
            "\n* %s may be used, and vectors that certainly do not fit the caches take %s: %s.\n",
            quantity_bytes((double)tuning->options.max_memory_bytes).text,
            quantity_bytes((double)worst->wanted_bytes).text,
            none ? "less than the caches hold is no memory, and is not measured"
                 : "caches may have a part in the rate");
}

static void add_found(struct table *table, const struct tcplan_tuned_row *row, bool dgemm) {
    if (!row->found) {
        table_add(table, row->too_little_memory ? "not measured" : "nothing");
    } else if (dgemm) {
        table_add(table, "%lld, %lld, %lld", (long long)row->n, (long long)row->m,
                  (long long)row->k);
    } else {
        table_add(table, "%s on %d %s%s", quantity_bytes((double)row->elements * 24).text,
                  row->used_threads, row->spread ? "spread" : "close",
                  row->interleaved ? ", interleaved" : "");
    }
}

static void add_row(struct table *table, const struct tcplan_tuned_row *row, bool dgemm) {
    table_add(table, "%s", row->part);
    table_add(table, "%d", row->threads);
    if (!dgemm)
        table_add(table, "%s%s", row->level, row->reduced || row->too_little_memory ? "*" : "");
    add_found(table, row, dgemm);
    table_add(table, row->found ? "%.4g" : "-", row->rate);
    table_add(table, row->found && row->peak > 0 ? "%.1f %%" : "-",
              row->peak > 0 ? 100 * row->rate / row->peak : 0.0);
    table_add(table, row->found ? "%.1f %%" : "-",
              row->rate > 0 ? 100 * row->slowest / row->rate : 0.0);
    table_add(table, "%.2f", row->seconds);
    table_add(table, "%lld", (long long)row->invocations);
    table_add(table, "%lld", (long long)row->iterations);
    table_add(table, "%lld", (long long)row->disturbed);
    table_add(table, "%lld", (long long)row->lost);
}

static void print_table(struct writer *writer, const struct tcplan_tuning *tuning) {
    const bool dgemm = is_dgemm(tuning);
    struct table table = {.columns = dgemm ? "lrlrrrrrrrr" : "lrllrrrrrrrr",
                          .optional = dgemm ? "00000213454" : "000000213454"};
    table_add(&table, "part");
    table_add(&table, "cores");
    if (!dgemm) table_add(&table, "level");
    table_add(&table, dgemm ? "n, m, k" : "vectors");
    table_add(&table, dgemm ? "GFLOP/s" : "GB/s");
    table_add(&table, "of peak");
    table_add(&table, "slowest");
    table_add(&table, "search s");
    table_add(&table, "invocations");
    table_add(&table, "iterations");
    table_add(&table, "disturbed");
    table_add(&table, "lost");
    for (int r = 0; r < tuning->count; r++) add_row(&table, &tuning->row[r], dgemm);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

void tuning_print_text(struct writer *writer, const struct tcplan_tuning *tuning) {
    FILE *file = writer->file;
    const struct tcplan_blas blas = tcplan_blas_info();
    int64_t left_out = 0;
    format_text_machine(writer, &tuning->machine);
    if (is_dgemm(tuning)) fprintf(file, "BLAS         %s\n", blas.text);
    if (is_dgemm(tuning)) blas_warnings_print(file);
    print_peak(file, &tuning->peak);
    print_method(file, &tuning->options);
    print_caches(file, tuning);
    fputc('\n', file);
    print_table(writer, tuning);
    for (int r = 0; r < tuning->count; r++) left_out += tuning->row[r].left_out;
    print_short_memory(file, tuning);
    if (left_out > 0)
        fprintf(
            file,
            "\n%lld configurations were left out: they cannot be run here, or two of their processes were lost.\n",
            (long long)left_out);
    if (*tuning->lost_reason)
        fprintf(file, "\nThe last process that was lost: %s.\n", tuning->lost_reason);
}

/* CSV. */

static void csv_row(struct writer *writer, const struct tcplan_tuning *tuning,
                    const struct tcplan_tuned_row *row) {
    const bool dgemm = is_dgemm(tuning);
    struct csv_line line = {0};
    csv_add_text(&line, tcplan_word(tcplan_words_tuned, (int)tuning->options.benchmark));
    csv_add_text(&line, row->part);
    csv_add_integer(&line, row->threads);
    csv_add_text(&line, row->level);
    csv_add_number(&line, dgemm && row->found, (double)row->m);
    csv_add_number(&line, dgemm && row->found, (double)row->n);
    csv_add_number(&line, dgemm && row->found, (double)row->k);
    csv_add_number(&line, !dgemm && row->found, (double)row->elements);
    csv_add_number(&line, row->found, row->used_threads);
    csv_add_text(&line, !row->found ? "" : row->spread ? "spread" : "close");
    csv_add_text(&line, !row->found ? "" : row->interleaved ? "interleaved" : "local");
    csv_add_number(&line, row->found, row->rate);
    csv_add_number(&line, row->found, row->slowest);
    csv_add_number(&line, row->peak > 0, row->peak);
    csv_add_number(&line, row->found && row->peak > 0, row->peak > 0 ? row->rate / row->peak : 0);
    csv_add_number(&line, true, row->seconds);
    csv_add_integer(&line, row->configurations);
    csv_add_integer(&line, row->invocations);
    csv_add_integer(&line, row->iterations);
    csv_add_integer(&line, row->disturbed);
    csv_add_integer(&line, row->lost);
    csv_add_integer(&line, row->left_out);
    if (!csv_print(&line, writer->file)) writer->no_memory = true;
}

void tuning_print_csv(struct writer *writer, const struct tcplan_tuning *tuning) {
    fputs(
        "benchmark,part,cores,level,m,n,k,elements,threads,affinity,memory,rate,slowest,peak,utilisation,seconds,configurations,invocations,iterations,"
        "disturbed,lost,left_out\n",
        writer->file);
    for (int r = 0; r < tuning->count; r++) csv_row(writer, tuning, &tuning->row[r]);
}

/* Documents. */

static void write_search(struct document *document, const struct tcplan_tuning *tuning) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_tune_options *options = &tuning->options;
    kind->object(document, "search");
    kind->text(document, "stops", tcplan_word(tcplan_words_tune_stops, (int)options->stops));
    kind->text(document, "order", tcplan_word(tcplan_words_tune_orders, (int)options->order));
    if (options->order == TCPLAN_TUNE_RANDOM)
        kind->integer(document, "seed", (int64_t)(options->seed & INT64_MAX));
    kind->integer(document, "invocations", options->invocations);
    kind->integer(document, "iterations", options->iterations);
    kind->number(document, "seconds", options->seconds);
    kind->number(document, "tolerance", options->tolerance);
    kind->text(document, "interval",
               tcplan_word(tcplan_words_tune_intervals, (int)options->interval));
    kind->integer(document, "least_count", options->least_count);
    if (is_dgemm(tuning))
        kind->text(document, "extents",
                   tcplan_word(tcplan_words_tune_extents, (int)options->extents));
    kind->integer(document, "max_memory_bytes", options->max_memory_bytes);
    if (tuning->reported_cache_bytes > 0 && !is_dgemm(tuning)) {
        kind->integer(document, "last_cache_bytes",
                      tuning->machine.cache[tuning->machine.cache_count - 1].size_bytes);
        kind->integer(document, "reported_cache_bytes", tuning->reported_cache_bytes);
        kind->boolean(document, "cache_found", tuning->cache_found);
    }
    kind->end(document);
}

static void write_peak(struct document *document, const struct tcplan_peak *peak) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "peak");
    if (peak->clock_hz > 0) {
        kind->number(document, "clock_hz", peak->clock_hz);
        kind->text(document, "clock_origin", tcplan_origin_name(peak->clock_origin));
    }
    if (peak->fma_units > 0) {
        kind->integer(document, "vector_bits", peak->vector_bits);
        kind->integer(document, "fma_units", peak->fma_units);
        kind->text(document, "units_origin", tcplan_origin_name(peak->units_origin));
    }
    if (peak->fma_per_cycle > 0) kind->number(document, "fma_per_cycle", peak->fma_per_cycle);
    if (peak->core_gflops > 0) kind->number(document, "core_gflops", peak->core_gflops);
    if (peak->socket_gbytes > 0) {
        kind->number(document, "memory_transfers_per_second", peak->memory_transfers);
        kind->integer(document, "memory_channels", peak->memory_channels);
        kind->text(document, "memory_origin", tcplan_origin_name(peak->memory_origin));
        kind->number(document, "socket_gbytes_per_second", peak->socket_gbytes);
    }
    kind->end(document);
}

static void write_found(struct document *document, const struct tcplan_tuned_row *row, bool dgemm) {
    const struct document_kind *kind = document->kind;
    if (dgemm) {
        kind->integer(document, "m", row->m);
        kind->integer(document, "n", row->n);
        kind->integer(document, "k", row->k);
    } else {
        kind->integer(document, "elements", row->elements);
        kind->text(document, "affinity", row->spread ? "spread" : "close");
        kind->text(document, "memory", row->interleaved ? "interleaved" : "local");
    }
    kind->integer(document, "threads", row->used_threads);
    kind->text(document, "origin", tcplan_origin_name(TCPLAN_ORIGIN_MEASURED));
    kind->number(document, dgemm ? "gflops" : "gbytes_per_second", row->rate);
    kind->number(document, "slowest", row->slowest);
    if (row->peak > 0) {
        kind->number(document, "peak", row->peak);
        kind->text(document, "peak_origin", tcplan_origin_name(TCPLAN_ORIGIN_ANALYTIC));
        kind->number(document, "utilisation", row->rate / row->peak);
    }
}

static void write_row(struct document *document, const struct tcplan_tuned_row *row, bool dgemm) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "row");
    kind->text(document, "part", row->part);
    kind->integer(document, "cores", row->threads);
    kind->integer(document, "sockets", row->sockets);
    if (!dgemm) kind->text(document, "level", row->level);
    if (row->reduced) kind->boolean(document, "reduced", true);
    if (row->too_little_memory) kind->boolean(document, "too_little_memory", true);
    if (row->wanted_bytes > 0) kind->integer(document, "wanted_bytes", row->wanted_bytes);
    kind->boolean(document, "found", row->found);
    if (row->found) write_found(document, row, dgemm);
    kind->number(document, "seconds", row->seconds);
    kind->integer(document, "configurations", row->configurations);
    kind->integer(document, "invocations", row->invocations);
    kind->integer(document, "iterations", row->iterations);
    kind->integer(document, "disturbed", row->disturbed);
    kind->integer(document, "lost", row->lost);
    kind->integer(document, "left_out", row->left_out);
    kind->end(document);
}

void document_tuning(struct writer *writer, const struct tcplan_tuning *tuning) {
    struct document *document = writer->document;
    if (!document) return;
    const struct document_kind *kind = document->kind;
    const struct tcplan_blas blas = tcplan_blas_info();
    document_open(document, "tuning");
    kind->text(document, "benchmark",
               tcplan_word(tcplan_words_tuned, (int)tuning->options.benchmark));
    kind->number(document, "seconds", tuning->seconds);
    if (*tuning->lost_reason) kind->text(document, "lost_reason", tuning->lost_reason);
    document_machine(document, &tuning->machine);
    document_blas(document, &blas);
    write_search(document, tuning);
    write_peak(document, &tuning->peak);
    kind->list(document, "rows");
    for (int r = 0; r < tuning->count; r++) write_row(document, &tuning->row[r], is_dgemm(tuning));
    kind->end(document);
    kind->end(document);
}
