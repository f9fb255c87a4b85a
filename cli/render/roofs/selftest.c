#include "cli/render/roofs/roofline.h"

#include <string.h>

#include "base/quantity.h"
#include "cli/render/common_fields.h"

static const char *verdict_word(enum tcplan_verdict verdict) {
    static const char *const words[] = {[TCPLAN_VERDICT_HOLDS] = "yes",
                                        [TCPLAN_VERDICT_FAILS] = "NO",
                                        [TCPLAN_VERDICT_NOT_TESTED] = "could not be tested"};
    return words[verdict];
}

static const char *verdict_sentence(const struct tcplan_selftest *test) {
    if (test->verdict == TCPLAN_VERDICT_HOLDS) return "All ratios are inside their ranges.";
    if (test->verdict == TCPLAN_VERDICT_FAILS) return "Some ratios are outside their ranges.";
    return test->stopped
               ? "The test was stopped because of other load. Try again on an idle machine."
               : "Not all ratios could be tested because of other load. Try again on an idle machine.";
}

static enum terminal_style style_of(enum tcplan_verdict verdict) {
    return verdict == TCPLAN_VERDICT_HOLDS   ? STYLE_GOOD
           : verdict == TCPLAN_VERDICT_FAILS ? STYLE_BAD
                                             : STYLE_PLAIN;
}

/** A check of the self-test. */
struct checked {
    const struct tcplan_check *of;
    bool per_cycle;
};

static bool is_kernel(const struct checked *checked) {
    return checked->of->kind == TCPLAN_CHECK_KERNEL;
}

static const char *unit_of(const struct checked *checked, const char *per_cycle,
                           const char *per_second) {
    return !is_kernel(checked) ? "cycles" : checked->per_cycle ? per_cycle : per_second;
}

static const char *cache_of(bool cold) {
    return cold ? "cold" : "warm";
}

FIELD_STYLE(struct checked, check_style, style_of(r->of->verdict))

#define CHECK r->of
#define OF_KERNEL(value) field_if(is_kernel(r), value)
#define COLD(value) field_if(is_kernel(r) && CHECK->cold, value)
#define RAN CHECK->repeats > 0
#define UNIT unit_of(r, "flop/cycle", "GFLOP/s")

FIELD_GETTER(struct checked, shown_measured,
             RAN ? field_printed("%.4g %s", CHECK->measured, UNIT) : field_unknown())
FIELD_GETTER(struct checked, shown_quartiles,
             RAN ? field_printed("%.4g - %.4g", CHECK->q1, CHECK->q3) : field_unknown())
FIELD_GETTER(struct checked, shown_expected,
             RAN ? field_printed("%.4g %s", CHECK->expected, UNIT) : field_unknown())
FIELD_GETTER(struct checked, shown_ratio,
             RAN ? field_printed("%.3f (%.3f - %.3f)", CHECK->ratio, CHECK->ratio_q1,
                                 CHECK->ratio_q3)
                 : field_unknown())
FIELD_GETTER(struct checked, shown_accepted,
             CHECK->lowest > 0 ? field_printed("%.2f - %.2f", CHECK->lowest, CHECK->highest)
                               : field_printed("to %.2f", CHECK->highest))
FIELD_GETTER(struct checked, shown_holds, field_text(verdict_word(CHECK->verdict)))

/* Counts. */

/** A hardware count of a kernel. */
struct count {
    const struct tcplan_counted *kernel;
    const struct tcplan_count_check *of;
    enum tcplan_count number;
};

static void visit_counts(const struct tcplan_counted *kernel, struct field_visit *visit) {
    for (int c = 0; c < TCPLAN_COUNTS; c++) {
        const struct count count = {kernel, &kernel->count[c], (enum tcplan_count)c};
        if (count.of->known) FIELD_VISIT(&count);
    }
}

static void visit_all_counts(const struct tcplan_selftest *test, struct field_visit *visit) {
    for (int c = 0; c < test->counted_count; c++) visit_counts(&test->counted[c], visit);
}

/** Returns whether a count is compared with an expected value. */
static bool is_judged(const struct count *count) {
    return count->of->expected > 0;
}

static struct quantity amount_of(const struct count *count, double amount) {
    return count->number == TCPLAN_COUNT_WORK ? quantity_flops(amount) : quantity_bytes(amount);
}

static struct field_value shown_counted_quartiles(const void *record) {
    const struct count *count = record;
    const struct quantity q1 = amount_of(count, count->of->q1),
                          q3 = amount_of(count, count->of->q3);
    return field_printed("%s - %s", q1.text, q3.text);
}

FIELD_STYLE(struct count, count_style, is_judged(r) ? style_of(r->of->verdict) : STYLE_PLAIN)

static const char *source_word(const void *record) {
    const char *source = ((const struct tcplan_selftest *)record)->counts;
    return strcmp(source, "simulated") == 0  ? "simulated"
           : strcmp(source, "recorded") == 0 ? "recorded"
                                             : "counted";
}

static const char *expected_word(const void *record) {
    const char *source = source_word(record);
    return *source == 's'   ? "simulated/expected"
           : *source == 'r' ? "recorded/expected"
                            : "counted/expected";
}

#define JUDGED(value) field_if(is_judged(r), value)
#define SHOWN(member) field_printed("%s", amount_of(r, r->of->member).text)

FIELD_GETTER(struct count, shown_counted, SHOWN(counted))
FIELD_GETTER(struct count, shown_counted_expected, SHOWN(expected))
FIELD_GETTER(struct count, shown_counted_range,
             is_judged(r) ? field_printed("%.2f - %.2f", r->of->lowest, r->of->highest)
                          : field_unknown())
FIELD_GETTER(struct count, shown_counted_holds, JUDGED(field_text(verdict_word(r->of->verdict))))

/* clang-format off */

#define CHECKED(F, T) \
    F(T, name, TEXT, field_text(CHECK->name), "routine, or clock", ALWAYS, CSV(1), COLUMN(1, "check")) \
    F(T, unit, TEXT, field_text(unit_of(r, "flops_per_cycle", "gflops")), "unit of measured and expected", ALWAYS, CSV(2)) \
    F(T, cache, TEXT, OF_KERNEL(field_text(cache_of(CHECK->cold))), "caches before the call", CSV(3), COLUMN(2, "caches")) \
    F(T, n, INTEGER, OF_KERNEL(field_integer(CHECK->n)), "extent", CSV(4), COLUMN(3, "n"), .optional = '5') \
    F(T, flops, NUMBER, OF_KERNEL(field_number(CHECK->flops)), "operations", CSV(5)) \
    F(T, bytes, NUMBER, OF_KERNEL(field_number(CHECK->bytes)), "compulsory traffic", CSV(6)) \
    F(T, intensity, NUMBER, OF_KERNEL(field_number(CHECK->flops / CHECK->bytes)), "operations per byte", \
      CSV(7), COLUMN(4, "flop/byte"), .optional = '6', .format = FIELD_THREE) \
    F(T, bound, TEXT, OF_KERNEL(field_text(CHECK->bound)), "bound for the comparison", CSV(8), COLUMN(7, "bound"), .optional = '7') \
    F(T, replicas_bytes, INTEGER, COLD(field_integer(CHECK->replicas_bytes)), "size of the replicas that flush the caches") \
    F(T, reduced, FLAG, COLD(field_flag(CHECK->reduced)), "whether limited memory reduced the replicas") \
    F(T, measured, NUMBER, field_number(CHECK->measured), "median", ALWAYS, CSV(9), COLUMN(5, "measured"), .shown = shown_measured) \
    F(T, q1, NUMBER, field_number(CHECK->q1), "quartile", ALWAYS, CSV(10), COLUMN(6, "quartiles"), .optional = '4', .shown = shown_quartiles) \
    F(T, q3, NUMBER, field_number(CHECK->q3), "quartile", ALWAYS, CSV(11)) \
    F(T, expected, NUMBER, field_number(CHECK->expected), "expected value from the bound", ALWAYS, CSV(12), COLUMN(8, "expected"), .optional = '3', \
      .shown = shown_expected) \
    F(T, ratio, NUMBER, field_number(CHECK->ratio), "measured over expected", ALWAYS, CSV(13), COLUMN(9, "measured/expected"), .shown = shown_ratio) \
    F(T, ratio_q1, NUMBER, field_number(CHECK->ratio_q1), "lower quartile of the ratio", ALWAYS, CSV(14)) \
    F(T, ratio_q3, NUMBER, field_number(CHECK->ratio_q3), "upper quartile of the ratio", ALWAYS, CSV(15)) \
    F(T, lowest, NUMBER, field_number(CHECK->lowest), "smallest accepted ratio", ALWAYS, CSV(16), COLUMN(10, "accepted"), .optional = '2', \
      .shown = shown_accepted) \
    F(T, highest, NUMBER, field_number(CHECK->highest), "largest accepted ratio", ALWAYS, CSV(17)) \
    F(T, clock_hz, NUMBER, field_positive(CHECK->clock_hz), "clock meanwhile") \
    F(T, clock_drift, NUMBER, field_if(CHECK->clock_hz > 0, field_number(CHECK->clock_drift)), "change of the clock during the measurement") \
    F(T, repeats, INTEGER, field_integer(CHECK->repeats), "valid pairs", ALWAYS, CSV(18)) \
    F(T, dropped, INTEGER, field_integer(CHECK->dropped), "disturbed windows", ALWAYS, CSV(19)) \
    F(T, holds, FLAG, field_flag(CHECK->verdict == TCPLAN_VERDICT_HOLDS), "whether the ratio is accepted", \
      ALWAYS, CSV(20), COLUMN(11, "holds"), .shown = shown_holds, .style = check_style) \
    F(T, tested, FLAG, field_flag(CHECK->verdict != TCPLAN_VERDICT_NOT_TESTED), "whether enough windows are valid", ALWAYS, CSV(21))

#define COUNT(F, T) \
    F(T, check, TEXT, field_text(tcplan_point_kernel_name(r->kernel->kernel)), "kernel", COLUMN(1, "check"), .hidden = true) \
    F(T, caches, TEXT, field_text(cache_of(r->kernel->cold)), "caches before the call", COLUMN(2, "caches"), .hidden = true) \
    F(T, n, INTEGER, field_integer(r->kernel->n), "extent", COLUMN(3, "n"), .optional = '4', .hidden = true) \
    F(T, of, TEXT, field_text(tcplan_count_name(r->number)), "counted quantity", ALWAYS, COLUMN(4, "of a run")) \
    F(T, counted, NUMBER, field_number(r->of->counted), "median", ALWAYS, COLUMN(5, ""), .unit = source_word, .shown = shown_counted) \
    F(T, q1, NUMBER, field_number(r->of->q1), "quartile", ALWAYS, COLUMN(6, "quartiles"), .optional = '3', .shown = shown_counted_quartiles) \
    F(T, q3, NUMBER, field_number(r->of->q3), "quartile", ALWAYS) \
    F(T, expected, NUMBER, field_number(r->of->expected), "expected count", ALWAYS, COLUMN(7, "expected"), .shown = shown_counted_expected) \
    F(T, ratio, NUMBER, JUDGED(field_number(r->of->ratio)), "counted over expected", COLUMN(8, ""), .unit = expected_word, .format = FIELD_RATIO_3) \
    F(T, lowest, NUMBER, JUDGED(field_number(r->of->lowest)), "smallest accepted ratio", COLUMN(9, "accepted"), .optional = '2', .shown = shown_counted_range) \
    F(T, highest, NUMBER, JUDGED(field_number(r->of->highest)), "largest accepted ratio") \
    F(T, holds, FLAG, JUDGED(field_flag(r->of->verdict == TCPLAN_VERDICT_HOLDS)), "whether the ratio is accepted", \
      COLUMN(10, "holds"), .shown = shown_counted_holds, .style = count_style) \
    F(T, tested, FLAG, JUDGED(field_flag(r->of->verdict != TCPLAN_VERDICT_NOT_TESTED)), "whether enough runs are valid")

#define COUNTED(F, T) \
    F(T, name, TEXT, field_text(tcplan_point_kernel_name(r->kernel)), "kernel", ALWAYS) \
    F(T, cache, TEXT, field_text(cache_of(r->cold)), "caches before the call", ALWAYS) \
    F(T, n, INTEGER, field_integer(r->n), "extent", ALWAYS) \
    F(T, runs, INTEGER, field_integer(r->runs), "runs per repeat", ALWAYS) \
    F(T, repeats, INTEGER, field_integer(r->repeats), "valid repeats", ALWAYS) \
    F(T, disturbed, INTEGER, field_integer(r->disturbed), "disturbed repeats", ALWAYS) \
    F(T, replicas_bytes, INTEGER, field_integer(r->replicas_bytes), "size of the replicas that flush the caches", ALWAYS) \
    F(T, reduced, FLAG, field_flag(r->reduced), "whether limited memory reduced the replicas", ALWAYS) \
    F(T, counts, LIST, visit_counts(r, visit), "the counts", .item = "count", .fields = count_fields, ALWAYS)

#define TEST(F, T) \
    F(T, holds, FLAG, field_flag(r->verdict == TCPLAN_VERDICT_HOLDS), "whether all ratios are inside their ranges", ALWAYS) \
    F(T, tested, FLAG, field_flag(r->verdict != TCPLAN_VERDICT_NOT_TESTED), "whether all ratios could be tested", ALWAYS) \
    F(T, stopped, FLAG, field_flag(r->stopped), "whether other load stopped the test", ALWAYS) \
    F(T, counters, TEXT, field_text(r->counts), "source of the counts", ALWAYS) \
    F(T, no_work, TEXT, field_text(r->why_no_work), "reason why work is not counted") \
    F(T, no_traffic, TEXT, field_text(r->why_no_traffic), "reason why traffic is not counted") \
    F(T, libraries, GROUP, const struct tcplan_blas blas = tcplan_blas_info(); FIELD_VISIT(&blas), "the libraries", .fields = libraries_fields) \
    F(T, checks, LIST, FIELD_VISIT_ALL(r->count, &(struct checked){&r->check[i], r->per_cycle}), \
      "times compared with bounds", .item = "check", .fields = checked_fields, ALWAYS) \
    F(T, counts, LIST, visit_all_counts(r, visit), "counts, in text", .fields = count_fields, .hidden = true) \
    F(T, counted, LIST, FIELD_VISIT_ALL(r->counted_count, &r->counted[i]), "kernels with counts of work and traffic", \
      .item = "kernel", .fields = counted_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(checked, checked, CHECKED);
FIELD_TABLE(count, count, COUNT);
FIELD_TABLE(counted, tcplan_counted, COUNTED);
FIELD_TABLE(test, tcplan_selftest, TEST);

/* Text. */

/** Prints why hardware counts are missing, and what the user can do. */
static void print_reasons(FILE *file, const struct tcplan_selftest *test) {
    const bool work = !*test->why_no_work, traffic = !*test->why_no_traffic;
    if (!work && !traffic) {
        fprintf(file, "\nNo counters: %s.\n", test->why_no_work);
        if (strcmp(test->why_no_work, test->why_no_traffic) != 0)
            fprintf(file, "No counters of traffic: %s.\n", test->why_no_traffic);
        fputs(
            "Work and traffic are therefore analytic. --counters simulated simulates the traffic; --counters FILE reads recorded counts.\n",
            file);
        return;
    }
    if (!work) fprintf(file, "Work is not counted: %s.\n", test->why_no_work);
    if (!traffic) fprintf(file, "Traffic is not counted: %s.\n", test->why_no_traffic);
}

static void print_counted(struct writer *writer, const struct tcplan_selftest *test) {
    bool reduced = false;
    if (test->counted_count > 0) {
        fputc('\n', writer->file);
        fields_print_list(writer, field_named(test_fields, "counts"), test);
        for (int c = 0; c < test->counted_count; c++) reduced = reduced || test->counted[c].reduced;
        fprintf(
            writer->file, "\n%s\n",
            strcmp(test->counts, "simulated") == 0
                ? "Simulated, not measured: lines that the last cache fetches and writes back in traces of the kernels."
                : "Medians by the paper's protocol, minus the loop without the kernel. Memory controllers count for the whole machine.");
        if (reduced)
            fputs(
                "Replicas are less than twice the last cache: cold traffic may be too low (--max-memory).\n",
                writer->file);
    }
    print_reasons(writer->file, test);
}

static void print(struct writer *writer, const void *record) {
    const struct tcplan_selftest *test = record;
    int dropped = 0, drifted = 0;
    bool reduced = false;
    fields_print_list(writer, field_named(test_fields, "checks"), test);
    for (int c = 0; c < test->count; c++) {
        drifted += test->check[c].clock_drift > TCPLAN_CLOCK_DRIFT;
        dropped += test->check[c].dropped;
        reduced = reduced || test->check[c].reduced;
    }
    fprintf(
        writer->file,
        "\nMedians of up to %d pairs of kernel and bound on the same memory; %d disturbed windows omitted. flop/byte: for the compulsory\n"
        "traffic. A range that ends at 1.05 compares with an upper bound that libraries need not reach.\n",
        TCPLAN_CHECK_REPEATS, dropped);
    if (drifted > 0) {
        fprintf(
            writer->file,
            "The clock of the core changed by more than %.0f %% during %d of them: only their ratios are meaningful.\n",
            100 * TCPLAN_CLOCK_DRIFT, drifted);
    }
    if (reduced)
        fputs(
            "Memory is too small for replicas larger than the caches: cold runs may find data in caches.\n",
            writer->file);
    print_counted(writer, test);
    fprintf(writer->file, "%s\n", verdict_sentence(test));
}

VIEW(selftest, test, "selftest", print,
     "Times, work and traffic of kernels compared with known bounds.");
