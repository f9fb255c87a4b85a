#include <math.h>

#include "cli/render/common_fields.h"
#include "cli/render/roofs/roofline.h"
#include "tcplan/study/words.h"

/** Lists of ceilings, as bits of a set. */
enum list { COMPUTE = 1, BANDWIDTH = 2, SWEEP = 4, INTENSITY = 8, SETS = 14, ALL_LISTS = 15 };

/** A ceiling in a list. */
struct listed {
    const struct tcplan_ceiling *of;
    const struct tcplan_roofline *roofline;
    enum list list;
};

/** A detected memory level; in text also a cache that measurements could not distinguish from its
 * neighbours. */
struct level {
    const struct tcplan_level *of; /* the detected level; NULL: measurements did not distinguish the
                                      cache */
    const struct tcplan_roofline *roofline;
    int cache, threads;
};

static void visit_list(const struct tcplan_roofline *roofline, enum list list,
                       struct field_visit *visit) {
    const struct tcplan_ceiling *ceiling = list == COMPUTE     ? roofline->compute
                                           : list == BANDWIDTH ? roofline->bandwidth
                                           : list == SWEEP     ? roofline->sweep
                                                               : roofline->intensity;
    const size_t count = list == COMPUTE     ? roofline->compute_count
                         : list == BANDWIDTH ? roofline->bandwidth_count
                         : list == SWEEP     ? roofline->sweep_count
                                             : roofline->intensity_count;
    for (size_t c = 0; c < count; c++) {
        const struct listed listed = {&ceiling[c], roofline, list};
        FIELD_VISIT(&listed);
    }
}

static void visit_all(const struct tcplan_roofline *roofline, struct field_visit *visit) {
    for (int list = COMPUTE; list <= INTENSITY; list *= 2)
        visit_list(roofline, (enum list)list, visit);
}

static void visit_strided(const struct tcplan_roofline *roofline, struct field_visit *visit) {
    for (size_t c = 0; c < roofline->bandwidth_count; c++) {
        const struct listed listed = {&roofline->bandwidth[c], roofline, BANDWIDTH};
        if (tcplan_roofline_stride_share(roofline, listed.of) > 0) FIELD_VISIT(&listed);
    }
}

/**
 * Visits the levels.
 *
 * @param all  whether to visit also caches that measurements could not distinguish from their
 *             neighbours
 */
static void visit_levels(const struct tcplan_roofline *roofline, bool all,
                         struct field_visit *visit) {
    int next = 0, threads = 0; /* `next` is the number of the next cache to visit */
    for (size_t l = 0; l < roofline->level_count; l++) {
        const struct tcplan_level *of = &roofline->level[l];
        if (of->threads != threads) next = 0;
        threads = of->threads;
        for (; all && next < of->cache; next++) {
            const struct level missing = {NULL, roofline, next, threads};
            FIELD_VISIT(&missing);
        }
        const struct level level = {of, roofline, of->cache, threads};
        FIELD_VISIT(&level);
        if (of->cache >= 0) next = of->cache + 1;
    }
}

/** Visits the first intensity for each level and number of threads. */
static void visit_ridges(const struct tcplan_roofline *roofline, struct field_visit *visit) {
    for (size_t i = 0; i < roofline->intensity_count; i++) {
        const struct listed listed = {&roofline->intensity[i], roofline, INTENSITY};
        const bool is_first = i == 0 || listed.of->cache != listed.of[-1].cache ||
                              listed.of->threads != listed.of[-1].threads;
        if (is_first) FIELD_VISIT(&listed);
    }
}

static const char *kind_of(enum list list) {
    return list == COMPUTE     ? "compute"
           : list == BANDWIDTH ? "bandwidth"
           : list == SWEEP     ? "sweep"
                               : "intensity";
}

/** Returns the letter of a ceiling's type, or the name of its mixed precision. */
static const char *precision_of(const struct tcplan_ceiling *ceiling) {
    return ceiling->mix != TCPLAN_MIX_NONE
               ? tcplan_mix_name(ceiling->mix)
               : tcplan_word(tcplan_words_dtypes, (int)ceiling->precision);
}

static struct field_value reported(const struct level *level) {
    const struct tcplan_machine *machine = &level->roofline->machine;
    const bool known = level->cache >= 0 && level->cache < machine->cache_count;
    return field_if(known, field_integer(machine->cache[known ? level->cache : 0].size_bytes));
}

/** Returns the names of mixed precisions that are given as bits. */
static struct field_value mixes_of(unsigned bits) {
    static const char *names[TCPLAN_MIXES];
    int count = 0;
    for (int mix = 1; mix < TCPLAN_MIXES; mix++) {
        if (bits >> mix & 1U) names[count++] = tcplan_mix_name((enum tcplan_mix)mix);
    }
    return field_if(count > 0, field_names(names, count));
}

/** Returns the operational intensity I of the ridge, where F = B I, for the FMA ceiling divided by
 * the bandwidth of loads and stores in place; 0: unknown. `peak` receives F. */
static double ridge_of(const struct listed *listed, double *peak) {
    const struct tcplan_ceiling *fma =
        tcplan_roofline_compute(listed->roofline, "fma", TCPLAN_DOUBLE, 0, listed->of->threads);
    const struct tcplan_ceiling *update = tcplan_roofline_bandwidth(
        listed->roofline, "update", listed->of->cache, listed->of->threads);
    *peak = fma ? fma->rate : 0;
    return fma && update ? fma->rate / update->rate : 0;
}

/** Returns the rate divided by the roof min(F, B I). */
static struct field_value roof_share(const struct listed *listed) {
    double peak;
    const double ridge = ridge_of(listed, &peak);
    if (!(ridge > 0)) return field_unknown();
    return field_number(listed->of->rate / (peak * fmin(1, listed->of->intensity / ridge)));
}

FIELD_UNIT(struct roofline_report, compute_unit, tcplan_roofline_compute_unit(r->roofline))
FIELD_UNIT(struct roofline_report, bandwidth_unit, tcplan_roofline_bandwidth_unit(r->roofline))

#define IN(lists, value) field_if((r->list & (lists)) != 0, value)
#define PER_CYCLE r->roofline->per_cycle
#define RATE(lists, cycles, value) IN(lists, field_if(PER_CYCLE == (cycles), value))
#define CEILING r->of
#define INTEGER_OF(member) field_integer(CEILING->member)
#define NUMBER_OF(member) field_number(CEILING->member)
#define GEMM(member) IN(COMPUTE, field_if(CEILING->m > 0, INTEGER_OF(member)))
#define CLOCKED(value) field_if(CEILING->clock_hz > 0, value)
#define UNIT_STRIDE tcplan_roofline_stride_share(r->roofline, CEILING)

FIELD_GETTER(struct level, shown_level,
             r->of ? field_text(*r->of->name ? r->of->name : "not reported")
                   : field_printed("L%d", r->roofline->machine.cache[r->cache].level))
FIELD_GETTER(struct level, shown_range,
             r->of ? field_printed("%s - %s", quantity_bytes((double)r->of->first_bytes).text,
                                   quantity_bytes((double)r->of->last_bytes).text)
                   : field_text("not distinguished from its neighbours"))

/* clang-format off */

#define LISTED(F, T) \
    F(T, name, TEXT, IN(COMPUTE, field_word(CEILING->name)), "kind of instructions, or name of the routine") \
    F(T, kernel, TEXT, IN(BANDWIDTH | SWEEP, field_word(CEILING->name)), "kernel") \
    F(T, level, TEXT, IN(BANDWIDTH | INTENSITY, field_word(CEILING->level)), "cache of the data, or memory", COLUMN(1, "level")) \
    F(T, precision, TEXT, IN(COMPUTE, field_word(precision_of(CEILING))), "type, or mix of types") \
    F(T, intensity, NUMBER, IN(INTENSITY, field_positive(CEILING->intensity)), "operations per byte", COLUMN(3, "flop/byte"), .format = FIELD_DIGITS) \
    F(T, vector_bits, INTEGER, INTEGER_OF(vector_bits), "width of the vectors", ALWAYS) \
    F(T, m, INTEGER, GEMM(m), "extent of gemm") \
    F(T, n, INTEGER, GEMM(n), "extent of gemm") \
    F(T, k, INTEGER, GEMM(k), "extent of gemm") \
    F(T, working_set_bytes, INTEGER, IN(SETS, INTEGER_OF(working_set_bytes)), "size of the data") \
    F(T, reduced, FLAG, IN(BANDWIDTH, field_if(CEILING->reduced, field_flag(true))), "whether limited memory reduced the working set") \
    F(T, line_bytes_per_count_byte, NUMBER, IN(BANDWIDTH, field_positive(CEILING->line_bytes_per_count_byte)), "bytes of cache lines moved per counted byte") \
    F(T, threads, INTEGER, INTEGER_OF(threads), "threads", ALWAYS, COLUMN(2, "threads")) \
    F(T, origin, TEXT, field_word(tcplan_origin_name(CEILING->origin)), "source of the rate", ALWAYS) \
    F(T, gflops, NUMBER, RATE(COMPUTE | INTENSITY, false, NUMBER_OF(rate)), "rate of operations") \
    F(T, flops_per_cycle, NUMBER, RATE(COMPUTE | INTENSITY, true, NUMBER_OF(rate)), "rate per cycle, with --unit cycle") \
    F(T, gbytes_per_second, NUMBER, RATE(BANDWIDTH | SWEEP, false, NUMBER_OF(rate)), "rate of data") \
    F(T, bytes_per_cycle, NUMBER, RATE(BANDWIDTH | SWEEP, true, NUMBER_OF(rate)), "rate per cycle, with --unit cycle") \
    F(T, q1, NUMBER, NUMBER_OF(q1), "quartile", ALWAYS) \
    F(T, q3, NUMBER, NUMBER_OF(q3), "quartile", ALWAYS) \
    F(T, clock_hz, NUMBER, field_positive(CEILING->clock_hz), "clock meanwhile") \
    F(T, clock_drift, NUMBER, CLOCKED(NUMBER_OF(clock_drift)), "change of the clock during the measurement") \
    F(T, analytic_limit, NUMBER, field_positive(CEILING->limit), "theoretical limit of the rate") \
    F(T, windows, INTEGER, INTEGER_OF(windows), "measured windows", ALWAYS) \
    F(T, rate, NUMBER, NUMBER_OF(rate), "rate of the ceiling", COLUMN(4, ""), .unit = compute_unit, .format = FIELD_DIGITS, .hidden = true) \
    F(T, of_roof, NUMBER, roof_share(r), "share of the roof", COLUMN(5, "of the roof"), .format = FIELD_PERCENT, .hidden = true) \
    F(T, dropped, INTEGER, INTEGER_OF(dropped), "disturbed windows", ALWAYS, COLUMN(6, "dropped"), .optional = '1') \
    F(T, speed_share, NUMBER, field_positive(tcplan_ceiling_speed_share(CEILING)), "share of the core's best speed")

/* Fields of a CSV line. The rate has the unit of its list. */
#define LINE(F, T) \
    F(T, kind, TEXT, field_text(kind_of(r->list)), "name of the list that contains the ceiling", CSV(1)) \
    F(T, name, TEXT, field_word(CEILING->name), "instructions or kernel", CSV(2)) \
    F(T, level, TEXT, field_word(CEILING->level), "cache of the data, or memory", CSV(3)) \
    F(T, precision, TEXT, field_word(precision_of(CEILING)), "type, or mix of types", CSV(4)) \
    F(T, vector_bits, INTEGER, INTEGER_OF(vector_bits), "width of the vectors", CSV(5)) \
    F(T, threads, INTEGER, INTEGER_OF(threads), "threads", CSV(6)) \
    F(T, origin, TEXT, field_word(tcplan_origin_name(CEILING->origin)), "source of the rate", CSV(7)) \
    F(T, rate, NUMBER, field_if(!PER_CYCLE, NUMBER_OF(rate)), "rate in the unit of that list", CSV(8)) \
    F(T, q1, NUMBER, NUMBER_OF(q1), "quartile", CSV(9)) \
    F(T, q3, NUMBER, NUMBER_OF(q3), "quartile", CSV(10)) \
    F(T, windows, INTEGER, INTEGER_OF(windows), "measured windows", CSV(11)) \
    F(T, dropped, INTEGER, INTEGER_OF(dropped), "disturbed windows", CSV(12)) \
    F(T, analytic_limit, NUMBER, field_positive(CEILING->limit), "theoretical limit of the rate", CSV(13)) \
    F(T, working_set_bytes, INTEGER, INTEGER_OF(working_set_bytes), "size of the data", CSV(14)) \
    F(T, speed_share, NUMBER, field_positive(tcplan_ceiling_speed_share(CEILING)), "share of the core's best speed", CSV(15)) \
    F(T, intensity, NUMBER, field_positive(CEILING->intensity), "operations per byte", CSV(16)) \
    F(T, line_bytes_per_count_byte, NUMBER, field_positive(CEILING->line_bytes_per_count_byte), "bytes of cache lines moved per counted byte", CSV(17)) \
    F(T, rate_per_cycle, NUMBER, field_if(PER_CYCLE, NUMBER_OF(rate)), "rate per cycle, with --unit cycle", CSV(18))

#define RIDGE(F, T) \
    F(T, level, TEXT, field_text(CEILING->level), "level", COLUMN(1, "ridge")) \
    F(T, threads, INTEGER, INTEGER_OF(threads), "threads", COLUMN(2, "threads")) \
    F(T, found, NUMBER, field_number(tcplan_roofline_ridge(r->roofline, CEILING->cache, CEILING->threads)), "measured intensity of the ridge", \
      COLUMN(3, "found flop/byte"), .format = FIELD_THREE) \
    F(T, of_roof, NUMBER, field_positive(ridge_of(r, &(double){0})), "intensity according to the ceilings", COLUMN(4, "of the roof " \
      "flop/byte"), .format = FIELD_THREE)

#define STRIDE(F, T) \
    F(T, kernel, TEXT, field_text(CEILING->name), "kernel", ALWAYS) \
    F(T, level, TEXT, field_text(CEILING->level), "cache of the data, or memory", ALWAYS) \
    F(T, threads, INTEGER, INTEGER_OF(threads), "threads", ALWAYS) \
    F(T, elements, INTEGER, field_integer(tcplan_ceiling_stride(CEILING)), "stride", ALWAYS) \
    F(T, moved_bytes, NUMBER, field_number(8 * CEILING->line_bytes_per_count_byte), "bytes of cache lines moved per element of 8 bytes", ALWAYS) \
    F(T, expected, NUMBER, field_number(tcplan_ceiling_stride_expected(CEILING)), "expected share of unit stride's bandwidth", ALWAYS) \
    F(T, of_unit_stride, NUMBER, field_number(UNIT_STRIDE), "share of unit stride's bandwidth", ALWAYS)

#define LEVEL(F, T) \
    F(T, level, TEXT, field_if(r->of != NULL, field_text(r->of ? r->of->name : NULL)), "cache, or memory; absent: none is reported", \
      COLUMN(1, "found"), .shown = shown_level) \
    F(T, threads, INTEGER, field_integer(r->threads), "threads", ALWAYS, COLUMN(2, "threads")) \
    F(T, rate, NUMBER, r->of ? field_number(r->of->rate) : field_unknown(), "rate of loads", COLUMN(3, "load"), .unit = bandwidth_unit, \
      .format = FIELD_DIGITS, .hidden = true) \
    F(T, gbytes_per_second, NUMBER, field_if(!PER_CYCLE, field_number(r->of->rate)), "rate of loads") \
    F(T, bytes_per_cycle, NUMBER, field_if(PER_CYCLE, field_number(r->of->rate)), "rate per cycle, with --unit cycle") \
    F(T, first_bytes, INTEGER, field_integer(r->of->first_bytes), "smallest working set of a thread at this rate", ALWAYS) \
    F(T, last_bytes, INTEGER, field_integer(r->of->last_bytes), "largest working set of a thread at this rate", ALWAYS) \
    F(T, holds_bytes, INTEGER, field_if(r->of && r->of->holds_bytes > 0, field_integer(r->of ? r->of->holds_bytes : 0)), "capacity for all threads", \
      COLUMN(4, "holds"), .format = FIELD_BYTES) \
    F(T, reported_bytes, INTEGER, reported(r), "size of the cache as the system reports it", COLUMN(5, "reported"), .format = FIELD_BYTES) \
    F(T, range, TEXT, field_unknown(), "working sets with this rate", COLUMN(6, "from - to, per thread"), .optional = '1', .shown = shown_range, \
      .hidden = true) \
    F(T, origin, TEXT, field_text("measured"), "source of the rate", ALWAYS)

#define CLOCK(F, T) \
    F(T, hz, NUMBER, field_number(r->hz), "median", ALWAYS) \
    F(T, q1, NUMBER, field_number(r->q1), "quartile", ALWAYS) \
    F(T, q3, NUMBER, field_number(r->q3), "quartile", ALWAYS) \
    F(T, origin, TEXT, field_text("measured"), "source of the clock", ALWAYS)

#define ROOFLINE r->roofline
#define MEASURING(F, T) \
    F(T, seconds, NUMBER, field_number(ROOFLINE->seconds), "measurement time", ALWAYS) \
    F(T, made, DATE, field_if(ROOFLINE->made > 0, field_integer(ROOFLINE->made)), "date of the measurement") \
    F(T, kept, FLAG, field_flag(r->stored), "whether the ceilings come from the store or a file", ALWAYS) \
    F(T, rough, FLAG, field_flag(tcplan_roofline_is_rough(ROOFLINE)), "whether time or memory was limited", ALWAYS) \
    F(T, unmeasured, INTEGER, field_integer(ROOFLINE->unmeasured), "ceilings skipped for lack of time", ALWAYS) \
    F(T, left_out, INTEGER, field_integer(ROOFLINE->left_out), "ceilings disturbed by other load", ALWAYS) \
    F(T, above_limit, INTEGER, field_integer(ROOFLINE->above_limit), "ceilings above the theoretical peak", ALWAYS) \
    F(T, huge_page_share, NUMBER, field_if(ROOFLINE->huge_page_share >= 0, field_number(ROOFLINE->huge_page_share)), "share of the memory on huge pages") \
    F(T, lacking, NAMES, mixes_of(ROOFLINE->lacking), "mixed precisions that the processor lacks") \
    F(T, unbuilt, NAMES, mixes_of(ROOFLINE->unbuilt), "mixed precisions that the compiler lacks")

#define CEILINGS(F, T) \
    F(T, machine, OBJECT, FIELD_VISIT(&ROOFLINE->machine), "the machine", .fields = tcplan_machine_fields, ALWAYS) \
    F(T, libraries, GROUP, const struct tcplan_blas blas = tcplan_blas_info(); FIELD_VISIT(&blas), "the libraries", .fields = libraries_fields) \
    F(T, clock, OBJECT, FIELD_VISIT(&ROOFLINE->clock), "clock of a core", .fields = clock_fields, ALWAYS) \
    F(T, measuring, OBJECT, FIELD_VISIT(r), "the measurement", .fields = measuring_fields, ALWAYS) \
    F(T, compute, LIST, visit_list(ROOFLINE, COMPUTE, visit), "rates of operations", .item = "ceiling", .fields = listed_fields, ALWAYS) \
    F(T, bandwidth, LIST, visit_list(ROOFLINE, BANDWIDTH, visit), "bandwidths", .item = "ceiling", .fields = listed_fields, ALWAYS) \
    F(T, strided, LIST, visit_strided(ROOFLINE, visit), "bandwidths by stride", .item = "stride", .fields = stride_fields, ALWAYS) \
    F(T, levels, LIST, visit_levels(ROOFLINE, false, visit), "detected levels of the memory", .item = "level", .fields = level_fields, ALWAYS) \
    F(T, intensities, LIST, visit_list(ROOFLINE, INTENSITY, visit), \
      "rates of the kernels with a given intensity", .item = "point", .fields = listed_fields, ALWAYS) \
    F(T, sweep, LIST, visit_list(ROOFLINE, SWEEP, visit), "bandwidths for sizes of the working set", .item = "point", .fields = listed_fields, ALWAYS)

#define ALONE(F, T) \
    F(T, ceilings, GROUP, FIELD_VISIT(r), "the ceilings", .fields = ceilings_fields) \
    F(T, points, LIST, (void)visit, "none", .item = "point", .fields = clock_fields, .schema = "\"type\": \"array\", \"maxItems\": 0", ALWAYS) \
    F(T, all_levels, LIST, visit_levels(ROOFLINE, true, visit), "levels in text", .fields = level_fields, .hidden = true) \
    F(T, ridges, LIST, visit_ridges(ROOFLINE, visit), "ridges in text", .fields = ridge_fields, .hidden = true) \
    F(T, lines, LIST, visit_all(ROOFLINE, visit), "lines of CSV", .fields = line_fields, .hidden = true)

/* clang-format on */

FIELD_TABLE(listed, listed, LISTED);
FIELD_TABLE(line, listed, LINE);
FIELD_TABLE(ridge, listed, RIDGE);
FIELD_TABLE(stride, listed, STRIDE);
FIELD_TABLE(level, level, LEVEL);
FIELD_TABLE(clock, tcplan_clock_rate, CLOCK);
FIELD_TABLE(measuring, roofline_report, MEASURING);
FIELD_TABLE_SHARED(ceilings, roofline_report, CEILINGS);
FIELD_TABLE(alone, roofline_report, ALONE);

void levels_print(struct writer *writer, const struct roofline_report *report) {
    if (report->roofline->level_count > 0) {
        fputc('\n', writer->file);
        fields_print_list(writer, field_named(alone_fields, "all_levels"), report);
    }
    if (report->roofline->intensity_count == 0) return;
    fputc('\n', writer->file);
    fields_print_list(writer, field_named(ceilings_fields, "intensities"), report);
    fputc('\n', writer->file);
    fields_print_list(writer, field_named(alone_fields, "ridges"), report);
}

static void print(struct writer *writer, const void *record) {
    ceilings_print(writer, record);
}

VIEW(roofline, alone, "roofline", print, "The measured ceilings of a machine.");

const struct view *roofline_view_of(const struct roofline_report *report) {
    return report->points         ? &roofline_points_view
           : report->trajectories ? &roofline_series_view
           : report->regions      ? &roofline_regions_view
           : report->kernels      ? &roofline_kernels_view
                                  : &roofline_view;
}
