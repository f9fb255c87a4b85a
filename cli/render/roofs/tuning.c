#include "cli/render/roofs/roofline.h"

#include "base/quantity.h"
#include "cli/providers.h"
#include "cli/render/common_fields.h"
#include "tcplan/study/words.h"

static bool is_gemm(const struct tcplan_tuning *tuning) {
    return tcplan_tuned_is_gemm(tuning->options.benchmark);
}

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
        fprintf(file, ", %d x %d bits fused per cycle (%s", peak->fma_units, peak->vector_bits,
                tcplan_origin_name(peak->units_origin));
        if (peak->units_origin == TCPLAN_ORIGIN_MEASURED)
            fprintf(file, ": %.2f", peak->fma_per_cycle);
        fputs(")", file);
    }
    if (peak->core_gflops > 0) {
        fprintf(file, ": %.4g GFLOP/s per core (analytic)\n", peak->core_gflops);
    } else {
        fputs(": unknown\n", file);
    }
    fputs("memory peak  ", file);
    if (peak->socket_gbytes > 0) {
        fprintf(
            file,
            "%d channels, %.4g million transfers per second (%s): %.4g GB/s per socket (analytic)\n",
            peak->memory_channels, 1e-6 * peak->memory_transfers,
            tcplan_origin_name(peak->memory_origin), peak->socket_gbytes);
    } else {
        fputs("unknown: the system does not report channels and transfers\n", file);
    }
}

static void print_library(FILE *file, enum tcplan_provider provider) {
    const struct tcplan_blas blas = tcplan_blas_info();
    struct tcplan_provider_info is;
    if (provider == TCPLAN_PROVIDER_BLAS) {
        fprintf(file, "BLAS         %s\n", blas.text);
    } else if (tcplan_provider_info(&is, provider)) {
        fprintf(file, "BLAS         %s%s%s%s%s\n", is.name, is.version ? " " : "",
                is.version ? is.version : "", is.file ? ", " : "", is.file ? is.file : "");
    }
    blas_warnings_print(file);
}

static void print_method(FILE *file, const struct tcplan_tune_options *options) {
    fprintf(
        file,
        "search       stops %s, %s; up to %lld invocations of %lld iterations or %.4g s; 99 %% intervals (%s) within %.3g %%%s\n",
        tcplan_word(tcplan_words_tune_stops, (int)options->stops),
        tcplan_word(tcplan_words_tune_orders, (int)options->order), (long long)options->invocations,
        (long long)options->iterations, options->seconds,
        tcplan_word(tcplan_words_tune_intervals, (int)options->interval), 100 * options->tolerance,
        options->ramps ? "; without ramps" : "");
}

/** Prints the capacity that was assumed for the last cache, and its source. */
static void print_caches(FILE *file, const struct tcplan_tuning *tuning) {
    const struct tcplan_machine *machine = &tuning->machine;
    if (is_gemm(tuning) || machine->cache_count == 0) return;
    const struct tcplan_cache_level *last = &machine->cache[machine->cache_count - 1];
    fprintf(file, "last cache   L%d holds %s: %s", last->level,
            quantity_bytes((double)last->size_bytes).text,
            tuning->cache_found ? "measured with loads" : "as reported");
    if (tuning->cache_found)
        fprintf(file, ", %s reported", quantity_bytes((double)tuning->reported_cache_bytes).text);
    fprintf(file, "; vectors may take %s\n",
            quantity_bytes((double)tuning->options.max_memory_bytes).text);
}

/** Prints which rows could not be measured for lack of memory, and how much memory they need. */
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
    fprintf(file, "\n* Only %s may be used, but vectors larger than the caches need %s: %s.\n",
            quantity_bytes((double)tuning->options.max_memory_bytes).text,
            quantity_bytes((double)worst->wanted_bytes).text,
            none ? "memory cannot be measured" : "caches may contribute to the rate");
}

/** A row of the output, with its result of tuning. */
struct tuned {
    const struct tcplan_tuning *tuning;
    const struct tcplan_tuned_row *row;
    bool gemm;
};

FIELD_TEST(struct tcplan_tuning, of_triad, !is_gemm(r))
FIELD_UNIT(struct tcplan_tuning, extents_word, is_gemm(r) ? "m, n, k" : "vectors")
FIELD_UNIT(struct tcplan_tuning, rate_word, is_gemm(r) ? "GFLOP/s" : "GB/s")

static struct field_value shown_found(const void *record) {
    const struct tcplan_tuned_row *row = ((const struct tuned *)record)->row;
    if (!row->found) return field_text(row->too_little_memory ? "not measured" : "nothing");
    if (((const struct tuned *)record)->gemm)
        return field_printed("%lld, %lld, %lld", (long long)row->m, (long long)row->n,
                             (long long)row->k);
    return field_printed("%s on %d %s%s", quantity_bytes((double)row->elements * 24).text,
                         row->used_threads, row->spread ? "spread" : "close",
                         row->interleaved ? ", interleaved" : "");
}

#define ROW r->row
#define FOUND(value) field_if(ROW->found, value)
#define GEMM(value) field_if(ROW->found && r->gemm, value)
#define TRIAD(value) field_if(ROW->found && !r->gemm, value)
#define PEAKED(value) field_if(ROW->found && ROW->peak > 0, value)
#define UTILISATION field_number(ROW->peak > 0 ? ROW->rate / ROW->peak : 0)
#define SLOWEST field_number(ROW->rate > 0 ? ROW->slowest / ROW->rate : 0)
#define OPTIONS r->tuning->options
#define CACHED(value) field_if(r->reported_cache_bytes > 0 && !is_gemm(r), value)

FIELD_GETTER(struct tuned, shown_level,
             field_printed("%s%s", ROW->level, ROW->reduced || ROW->too_little_memory ? "*" : ""))

/* clang-format off */

#define TUNED(F, T) \
    F(T, benchmark, TEXT, FIELD_WORD(tuned, OPTIONS.benchmark), "dgemm, triad, sgemm, cgemm or zgemm", CSV(1), .hidden = true) \
    F(T, library, TEXT, field_if(r->gemm, field_text(tcplan_provider_name(OPTIONS.provider))), "library of the gemm", CSV(24), .hidden = true) \
    F(T, part, TEXT, field_text(ROW->part), "part of the machine", ALWAYS, CSV(2), COLUMN(1, "part")) \
    F(T, cores, INTEGER, field_integer(ROW->threads), "cores of the part of the machine", ALWAYS, CSV(3), COLUMN(2, "cores")) \
    F(T, sockets, INTEGER, field_integer(ROW->sockets), "sockets of the part", ALWAYS, CSV(23)) \
    F(T, level, TEXT, field_if(!r->gemm, field_word(ROW->level)), "cache of the vectors, or memory", \
      CSV(4), COLUMN(3, "level"), .applies = of_triad, .shown = shown_level) \
    F(T, reduced, FLAG, field_if(ROW->reduced, field_flag(true)), "whether caches may contribute to the rate", .schema = "\"const\": true") \
    F(T, too_little_memory, FLAG, field_if(ROW->too_little_memory, field_flag(true)), "whether there is too little memory to " \
      "measure", .schema = "\"const\": true") \
    F(T, wanted_bytes, INTEGER, field_if(ROW->wanted_bytes > 0, field_integer(ROW->wanted_bytes)), "memory needed for vectors larger than the caches") \
    F(T, found, FLAG, field_flag(ROW->found), "whether some configuration was measured", ALWAYS) \
    F(T, best, TEXT, field_unknown(), "the fastest configuration", COLUMN(4, ""), .unit = extents_word, .shown = shown_found, .hidden = true) \
    F(T, m, INTEGER, GEMM(field_integer(ROW->m)), "extent m of the fastest gemm", CSV(5)) \
    F(T, n, INTEGER, GEMM(field_integer(ROW->n)), "extent n of the fastest gemm", CSV(6)) \
    F(T, k, INTEGER, GEMM(field_integer(ROW->k)), "extent k of the fastest gemm", CSV(7)) \
    F(T, elements, INTEGER, TRIAD(field_integer(ROW->elements)), "elements of a vector of the fastest triad", CSV(8)) \
    F(T, affinity, TEXT, TRIAD(field_text(ROW->spread ? "spread" : "close")), "placement of the threads", CSV(10), .schema = "\"enum\": [\"close\", " \
      "\"spread\"]") \
    F(T, memory, TEXT, TRIAD(field_text(ROW->interleaved ? "interleaved" : "local")), "placement of the pages", CSV(11), \
      .schema = "\"enum\": [\"local\", \"interleaved\"]") \
    F(T, threads, INTEGER, FOUND(field_integer(ROW->used_threads)), "threads of the fastest configuration", CSV(9)) \
    F(T, origin, TEXT, FOUND(field_text(tcplan_origin_name(TCPLAN_ORIGIN_MEASURED))), "source of the rate") \
    F(T, rate, NUMBER, FOUND(field_number(ROW->rate)), "rate of the fastest configuration", CSV(12), COLUMN(5, ""), \
      .unit = rate_word, .format = FIELD_DIGITS, .hidden = true) \
    F(T, gflops, NUMBER, GEMM(field_number(ROW->rate)), "rate of the fastest gemm") \
    F(T, gbytes_per_second, NUMBER, TRIAD(field_number(ROW->rate)), "rate of the fastest triad") \
    F(T, slowest, NUMBER, FOUND(field_number(ROW->slowest)), "rate of the slowest configuration", CSV(13)) \
    F(T, slowest_share, NUMBER, field_if(ROW->found && ROW->configurations > 1, SLOWEST), "rate of the slowest configuration relative to the fastest", \
      COLUMN(7, "slowest"), .format = FIELD_PERCENT, .optional = '2', .hidden = true) \
    F(T, peak, NUMBER, PEAKED(field_number(ROW->peak)), "theoretical peak of the part of the machine", CSV(14)) \
    F(T, peak_origin, TEXT, PEAKED(field_text(tcplan_origin_name(TCPLAN_ORIGIN_ANALYTIC))), "source of the peak") \
    F(T, utilisation, NUMBER, PEAKED(UTILISATION), "rate over the peak", CSV(15), COLUMN(6, "of peak"), .format = FIELD_PERCENT) \
    F(T, seconds, NUMBER, field_number(ROW->seconds), "time of the search", ALWAYS, CSV(16), COLUMN(8, "search s"), .optional = '1', .format = FIELD_RATIO) \
    F(T, configurations, INTEGER, field_integer(ROW->configurations), "configurations", ALWAYS, CSV(17)) \
    F(T, invocations, INTEGER, field_integer(ROW->invocations), "started processes", ALWAYS, CSV(18), COLUMN(9, "invocations"), .optional = '3') \
    F(T, iterations, INTEGER, field_integer(ROW->iterations), "iterations in these processes", ALWAYS, CSV(19), COLUMN(10, "iterations"), .optional = '4') \
    F(T, disturbed, INTEGER, field_integer(ROW->disturbed), "iterations disturbed by other load", ALWAYS, CSV(20), COLUMN(11, "disturbed"), .optional = '5') \
    F(T, lost, INTEGER, field_integer(ROW->lost), "lost processes", ALWAYS, CSV(21), COLUMN(12, "lost"), .optional = '4') \
    F(T, left_out, INTEGER, field_integer(ROW->left_out), "omitted configurations", ALWAYS, CSV(22))

#define SEARCH(F, T) \
    F(T, stops, TEXT, FIELD_WORD(tune_stops, r->options.stops), "rules that end an invocation early", ALWAYS) \
    F(T, order, TEXT, FIELD_WORD(tune_orders, r->options.order), "order of the configurations", ALWAYS, .words = tcplan_words_tune_orders) \
    F(T, seed, INTEGER, field_if(r->options.order == TCPLAN_TUNE_RANDOM, field_integer((int64_t)(r->options.seed & INT64_MAX))), "seed of a random order") \
    F(T, invocations, INTEGER, field_integer(r->options.invocations), "largest number of processes for a configuration", ALWAYS) \
    F(T, iterations, INTEGER, field_integer(r->options.iterations), "largest number of iterations of a process", ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->options.seconds), "time limit of a process", ALWAYS) \
    F(T, tolerance, NUMBER, field_number(r->options.tolerance), "largest half width of the 99 % interval of a mean, relative to the mean", ALWAYS) \
    F(T, interval, TEXT, FIELD_WORD(tune_intervals, r->options.interval), "kind of the 99 % interval", ALWAYS, .words = tcplan_words_tune_intervals) \
    F(T, least_count, INTEGER, field_integer(r->options.least_count), "smallest number of iterations", ALWAYS) \
    F(T, ramps, FLAG, field_if(r->options.ramps, field_flag(true)), "whether iterations during which the rate rises do not count", \
      .schema = "\"const\": true") \
    F(T, provider, TEXT, field_if(is_gemm(r), field_text(tcplan_provider_name(r->options.provider))), "library of the gemm") \
    F(T, extents, TEXT, field_if(is_gemm(r), FIELD_WORD(tune_extents, r->options.extents)), "extents of gemm", .words = tcplan_words_tune_extents) \
    F(T, max_memory_bytes, INTEGER, field_integer(r->options.max_memory_bytes), "memory limit", ALWAYS) \
    F(T, last_cache_bytes, INTEGER, CACHED(field_integer(r->machine.cache[r->machine.cache_count - 1].size_bytes)), "assumed capacity of the last cache") \
    F(T, reported_cache_bytes, INTEGER, CACHED(field_integer(r->reported_cache_bytes)), "size of the cache as the system reports it") \
    F(T, cache_found, FLAG, CACHED(field_flag(r->cache_found)), "whether loads measured the capacity of the cache")

#define PEAK(F, T) \
    F(T, clock_hz, NUMBER, field_positive(r->clock_hz), "clock of the cores") \
    F(T, clock_origin, TEXT, field_if(r->clock_hz > 0, field_text(tcplan_origin_name(r->clock_origin))), "source of the clock") \
    F(T, vector_bits, INTEGER, field_if(r->fma_units > 0, field_integer(r->vector_bits)), "width of vectors") \
    F(T, fma_units, INTEGER, field_if(r->fma_units > 0, field_integer(r->fma_units)), "FMA units of a core") \
    F(T, units_origin, TEXT, field_if(r->fma_units > 0, field_text(tcplan_origin_name(r->units_origin))), "source of the number of units") \
    F(T, fma_per_cycle, NUMBER, field_positive(r->fma_per_cycle), "measured fused operations per cycle") \
    F(T, core_gflops, NUMBER, field_positive(r->core_gflops), "peak of a core") \
    F(T, memory_transfers_per_second, NUMBER, field_if(r->socket_gbytes > 0, field_number(r->memory_transfers)), "transfers of a channel of memory") \
    F(T, memory_channels, INTEGER, field_if(r->socket_gbytes > 0, field_integer(r->memory_channels)), "channels of memory") \
    F(T, memory_origin, TEXT, field_if(r->socket_gbytes > 0, field_text(tcplan_origin_name(r->memory_origin))), "source of the channels and transfers") \
    F(T, socket_gbytes_per_second, NUMBER, field_positive(r->socket_gbytes), "theoretical memory bandwidth of a socket")

#define TUNING(F, T) \
    F(T, benchmark, TEXT, FIELD_WORD(tuned, r->options.benchmark), "dgemm, triad, sgemm, cgemm or zgemm", ALWAYS, .words = tcplan_words_tuned) \
    F(T, seconds, NUMBER, field_number(r->seconds), "total time", ALWAYS) \
    F(T, lost_reason, TEXT, field_text(r->lost_reason), "reason why the last lost process ended") \
    F(T, machine, OBJECT, FIELD_VISIT(&r->machine), "the machine", .fields = tcplan_machine_fields, ALWAYS) \
    F(T, libraries, GROUP, const struct tcplan_blas blas = tcplan_blas_info(); FIELD_VISIT(&blas), "the libraries", .fields = libraries_fields) \
    F(T, search, OBJECT, FIELD_VISIT(r), "settings of the search", .fields = search_fields, ALWAYS) \
    F(T, peak, OBJECT, FIELD_VISIT(&r->peak), "theoretical peak", .fields = peak_fields, ALWAYS) \
    F(T, rows, LIST, FIELD_VISIT_ALL(r->count, &(struct tuned){r, &r->row[i], is_gemm(r)}), \
      "one for each part of the machine and level, or with `--configurations` one for each configuration", .item = "row", .fields = tuned_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(tuned, tuned, TUNED);
FIELD_TABLE(search, tcplan_tuning, SEARCH);
FIELD_TABLE(peak, tcplan_peak, PEAK);
FIELD_TABLE(tuning, tcplan_tuning, TUNING);

static void print(struct writer *writer, const void *record) {
    const struct tcplan_tuning *tuning = record;
    FILE *file = writer->file;
    int64_t left_out = 0;
    format_text_machine(writer, &tuning->machine);
    if (is_gemm(tuning)) print_library(file, tuning->options.provider);
    print_peak(file, &tuning->peak);
    print_method(file, &tuning->options);
    print_caches(file, tuning);
    fputc('\n', file);
    fields_print_list(writer, field_named(tuning_fields, "rows"), tuning);
    for (int r = 0; r < tuning->count; r++) left_out += tuning->row[r].left_out;
    print_short_memory(file, tuning);
    if (left_out > 0)
        fprintf(
            file,
            "\n%lld configurations were omitted: they cannot run here, or two of their processes were lost.\n",
            (long long)left_out);
    if (*tuning->lost_reason) fprintf(file, "\nLast lost process: %s.\n", tuning->lost_reason);
}

VIEW(tuning, tuning, "tuning", print, "The fastest configurations of a gemm or the triad.");
