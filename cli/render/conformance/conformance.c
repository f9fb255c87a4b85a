#include "cli/render/conformance/conformance.h"

#include <string.h>

static const char *kind_word(const struct conformance_report *report) {
    return tcplan_conformance_kind(report->of) == TCPLAN_CONFORMANCE_TAPP ? "TAPP" : "CBLAS";
}

static const char *outcome_word(enum tcplan_conformance_outcome outcome) {
    static const char *const words[] = {
        [TCPLAN_CONFORMANCE_PASSED] = "passed",   [TCPLAN_CONFORMANCE_WRONG] = "wrong",
        [TCPLAN_CONFORMANCE_REFUSED] = "refused", [TCPLAN_CONFORMANCE_ACCEPTED] = "accepted",
        [TCPLAN_CONFORMANCE_CRASHED] = "crashed", [TCPLAN_CONFORMANCE_HUNG] = "hung",
        [TCPLAN_CONFORMANCE_SKIPPED] = "skipped"};
    return words[outcome];
}

static void visit_rules(const struct conformance_report *report, struct field_visit *visit) {
    int count;
    const struct tcplan_conformance_rule *rule = tcplan_conformance_rules(report->of, &count);
    for (int r = 0; r < count; r++) FIELD_VISIT(&rule[r]);
}

static void visit_findings(const struct conformance_report *report, struct field_visit *visit) {
    int count;
    const struct tcplan_conformance_finding *finding =
        tcplan_conformance_findings(report->of, &count);
    for (int f = 0; f < count; f++) FIELD_VISIT(&finding[f]);
}

FIELD_STYLE(struct tcplan_conformance_rule, rule_style, r->failed > 0 ? STYLE_BAD : STYLE_PLAIN)

/* Times. */

/** A contraction on which libraries were timed. */
struct timed_row {
    const struct conformance_reports *reports;
    const struct tcplan_speed *speed;
};

/** Time of one library for a contraction. */
struct timed_cell {
    struct timed_row row;
    int library;
};

static const struct tcplan_speed_time *time_of(const struct timed_cell *cell) {
    return &cell->row.speed->time[cell->library];
}

static double gflops_of(const struct timed_cell *cell) {
    const double seconds = time_of(cell)->seconds;
    return seconds > 0 ? 1e-9 * cell->row.speed->flops / seconds : 0;
}

static double share_of(const struct timed_cell *cell) {
    const double seconds = time_of(cell)->seconds;
    return seconds > 0 ? cell->row.speed->limit_seconds / seconds : 0;
}

static int library_count(const void *record) {
    return ((const struct conformance_reports *)record)->count;
}

static struct field_value library_heading(const void *record, int library) {
    const char *path = ((const struct conformance_reports *)record)->report[library].path;
    const char *name = strrchr(path, '/');
    return field_text(name ? name + 1 : path);
}

static struct field_value library_speed(const void *record, int library) {
    const struct timed_cell cell = {*(const struct timed_row *)record, library};
    if (time_of(&cell)->why) return field_unknown();
    if (share_of(&cell) > 0)
        return field_printed("%.3g (%.0f %%)", gflops_of(&cell), 100 * share_of(&cell));
    return field_printed("%.3g", gflops_of(&cell));
}

static const struct field_spread by_library = {library_count, library_heading, library_speed};

/* clang-format off */

#define TIMED(F, T) \
    F(T, library, TEXT, field_text(r->row.reports->report[r->library].path), "the library's file", ALWAYS, CSV_AS(12, "timed_library"), COLUMN(1, "library")) \
    F(T, seconds, NUMBER, field_positive(time_of(r)->seconds), "median time of an execution", CSV(13), COLUMN(2, "s")) \
    F(T, gflops, NUMBER, field_positive(gflops_of(r)), "speed", CSV(14), COLUMN(3, "GFLOP/s")) \
    F(T, roofline_share, NUMBER, field_positive(share_of(r)), "share of the speed that the ceilings allow", CSV(15), COLUMN(4, "share of the roofline")) \
    F(T, planning_seconds, NUMBER, field_positive(time_of(r)->planning), "time for creating the product", CSV(16), COLUMN(5, "planning s")) \
    F(T, why, TEXT, field_text(time_of(r)->why), "reason why the contraction was not timed", CSV(17), COLUMN(6, "why not timed"))

#define SPEED(F, T) \
    F(T, name, TEXT, field_text(r->speed->name), "name of the contraction", ALWAYS, CSV_AS(9, "contraction"), COLUMN(1, "contraction")) \
    F(T, formula, TEXT, field_text(r->speed->formula), "the contraction", ALWAYS, CSV(10)) \
    F(T, sizes, SIZES, field_text(r->speed->sizes), "extents", ALWAYS, CSV(11), COLUMN(2, "sizes"), .optional = '1') \
    F(T, flops, NUMBER, field_positive(r->speed->flops), "operations") \
    F(T, limit_seconds, NUMBER, field_positive(r->speed->limit_seconds), "shortest time that the ceilings allow") \
    F(T, speeds, TEXT, field_unknown(), "speeds", COLUMN(3, ""), .right = true, .spread = &by_library, .hidden = true) \
    F(T, times, LIST, FIELD_VISIT_ALL(r->reports->count, &(struct timed_cell){*r, i}), "times of the libraries", .item = "time", .fields = timed_fields, ALWAYS)

#define RULE(F, T) \
    F(T, name, TEXT, field_text(r->name), "name of the rule", ALWAYS, CSV_AS(3, "rule"), COLUMN(1, "rule")) \
    F(T, passed, INTEGER, field_integer(r->passed), "cases that passed", ALWAYS, CSV(4), COLUMN(2, "passed")) \
    F(T, failed, INTEGER, field_integer(r->failed), "cases that failed", ALWAYS, CSV(5), COLUMN(3, "failed")) \
    F(T, refused, INTEGER, field_integer(r->refused), "cases that the library may refuse, and refused", ALWAYS, CSV(6), COLUMN(4, "refused")) \
    F(T, skipped, INTEGER, field_integer(r->skipped), "cases that could not be run", ALWAYS, CSV(7), COLUMN(5, "skipped")) \
    F(T, says, TEXT, field_text(r->says), "the rule", ALWAYS, CSV(8), COLUMN(6, "meaning"), .optional = '1')

#define FINDING(F, T) \
    F(T, rule, TEXT, field_text(r->rule), "rule that is violated", ALWAYS) \
    F(T, name, TEXT, field_text(r->name), "case", ALWAYS) \
    F(T, cases, INTEGER, field_integer(r->count), "failing cases of the rule, or random products with this cause", ALWAYS) \
    F(T, outcome, TEXT, field_text(outcome_word(r->outcome)), "wrong, refused, accepted, crashed or hung", ALWAYS) \
    F(T, why, TEXT, field_text(r->why), "what happened") \
    F(T, einsum, TEXT, field_text(r->einsum), "the smallest product found that fails", ALWAYS) \
    F(T, code, TEXT, field_text(r->code), "the failing product as a program in C", ALWAYS)

#define REPORT(F, T) \
    F(T, library, TEXT, field_text(r->path), "the library's file", ALWAYS, CSV(1)) \
    F(T, interface, TEXT, field_text(kind_word(r)), "TAPP or CBLAS", ALWAYS, CSV(2)) \
    F(T, conforms, FLAG, field_flag(tcplan_conformance_holds(r->of)), "whether all cases passed", ALWAYS) \
    F(T, rules, LIST, visit_rules(r, visit), "the rules of the interface", .item = "rule", .fields = rule_fields, .style = rule_style, ALWAYS) \
    F(T, findings, LIST, visit_findings(r, visit), "failures, reduced", .item = "finding", .fields = finding_fields, ALWAYS)

#define REPORTS(F, T) \
    F(T, seed, INTEGER, field_integer((int64_t)r->seed), "seed of random products", ALWAYS) \
    F(T, libraries, LIST, FIELD_VISIT_ALL(r->count, &r->report[i]), "the libraries that were checked", .item = "library", .fields = report_fields, ALWAYS) \
    F(T, threads, INTEGER, field_if(r->speeds, field_integer(r->threads)), "number of threads in the timings") \
    F(T, speeds, LIST, FIELD_VISIT_ALL(r->speeds ? r->speeds->count : 0, &(struct timed_row){r, &r->speeds->speed[i]}), "contractions that were timed", \
      .item = "contraction", .fields = speed_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(rule, tcplan_conformance_rule, RULE);
FIELD_TABLE(finding, tcplan_conformance_finding, FINDING);
FIELD_TABLE(report, conformance_report, REPORT);
FIELD_TABLE(timed, timed_cell, TIMED);
FIELD_TABLE(speed, timed_row, SPEED);
FIELD_TABLE(reports, conformance_reports, REPORTS);

static void print_finding(FILE *file, const struct tcplan_conformance_finding *finding) {
    fprintf(file, "\n%s: %s", finding->rule, finding->name);
    if (finding->count > 1) fprintf(file, " and %d more", finding->count - 1);
    fprintf(file, "\n  %s: %s\n  %s\n\n", outcome_word(finding->outcome), finding->why,
            finding->einsum);
    writer_print_indented(file, finding->code);
}

static void print_report(struct writer *writer, const struct conformance_report *report) {
    int count, passed = 0, failed = 0;
    const struct tcplan_conformance_rule *rule = tcplan_conformance_rules(report->of, &count);
    for (int r = 0; r < count; r++) {
        passed += rule[r].passed;
        failed += rule[r].failed;
    }
    fprintf(writer->file, "library    %s\ninterface  %s\n\n", report->path, kind_word(report));
    fields_print_list(writer, field_named(report_fields, "rules"), report);
    const struct tcplan_conformance_finding *finding =
        tcplan_conformance_findings(report->of, &count);
    for (int f = 0; f < count; f++) print_finding(writer->file, &finding[f]);
    if (failed == 0)
        fprintf(writer->file, "\nThe library conforms: all %d cases passed.\n", passed);
    else
        fprintf(writer->file, "\nThe library does not conform: %d of %d cases failed.\n", failed,
                passed + failed);
}

/** Prints the reasons for which contractions were not timed. */
static void print_reasons(FILE *file, const struct conformance_reports *reports) {
    for (size_t s = 0; s < reports->speeds->count; s++) {
        const struct tcplan_speed *speed = &reports->speeds->speed[s];
        for (int l = 0; l < reports->count; l++) {
            if (speed->time[l].why)
                fprintf(file, "%s, %s: %s\n", speed->name, reports->report[l].path,
                        speed->time[l].why);
        }
    }
}

static void print_speeds(struct writer *writer, const struct conformance_reports *reports) {
    bool knows_limits = false;
    for (size_t s = 0; s < reports->speeds->count; s++)
        knows_limits = knows_limits || reports->speeds->speed[s].limit_seconds > 0;
    fprintf(writer->file, "\nGFLOP/s%s, %s\n\n", knows_limits ? " (share of the roofline)" : "",
            counted(reports->threads, "thread").text);
    if (!knows_limits)
        fprintf(writer->file,
                "Shares of the roofline are unknown: `tcplan roofline --threads %d` measures the "
                "ceilings.\n\n",
                reports->threads);
    fields_print_list(writer, field_named(reports_fields, "speeds"), reports);
    print_reasons(writer->file, reports);
}

static void print(struct writer *writer, const void *record) {
    const struct conformance_reports *reports = record;
    for (int l = 0; l < reports->count; l++) {
        if (l > 0) fputc('\n', writer->file);
        print_report(writer, &reports->report[l]);
    }
    if (reports->speeds) print_speeds(writer, reports);
}

VIEW(conformance, reports, "check", print,
     "Checks of a library against the interface that it implements.");
