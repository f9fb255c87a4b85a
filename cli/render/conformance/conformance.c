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

static enum terminal_style rule_style(const void *record) {
    const struct tcplan_conformance_rule *rule = record;
    return rule->failed > 0 ? STYLE_BAD : STYLE_PLAIN;
}

/* clang-format off */

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
    F(T, code, TEXT, field_text(r->code), "the same as a program in C", ALWAYS)

#define REPORT(F, T) \
    F(T, library, TEXT, field_text(r->path), "the library's file", ALWAYS, CSV(1)) \
    F(T, interface, TEXT, field_text(kind_word(r)), "TAPP or CBLAS", ALWAYS, CSV(2)) \
    F(T, conforms, FLAG, field_flag(tcplan_conformance_holds(r->of)), "whether no case failed", ALWAYS) \
    F(T, rules, LIST, visit_rules(r, visit), "the rules of the interface", .item = "rule", .fields = rule_fields, .style = rule_style, ALWAYS) \
    F(T, findings, LIST, visit_findings(r, visit), "failures, reduced", .item = "finding", .fields = finding_fields, ALWAYS)

#define REPORTS(F, T) \
    F(T, seed, INTEGER, field_integer((int64_t)r->seed), "seed of random products", ALWAYS) \
    F(T, libraries, LIST, for (int l = 0; l < r->count; l++) FIELD_VISIT(&r->report[l]), "the libraries that were checked", \
      .item = "library", .fields = report_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(rule, tcplan_conformance_rule, RULE);
FIELD_TABLE(finding, tcplan_conformance_finding, FINDING);
FIELD_TABLE(report, conformance_report, REPORT);
FIELD_TABLE(reports, conformance_reports, REPORTS);

/** Prints a text with four spaces in front of each line. */
static void print_indented(FILE *file, const char *text) {
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        fprintf(file, "    %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static void print_finding(FILE *file, const struct tcplan_conformance_finding *finding) {
    fprintf(file, "\n%s: %s", finding->rule, finding->name);
    if (finding->count > 1) fprintf(file, " and %d more", finding->count - 1);
    fprintf(file, "\n  %s: %s\n  %s\n\n", outcome_word(finding->outcome), finding->why,
            finding->einsum);
    print_indented(file, finding->code);
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
        fprintf(writer->file, "\nIt conforms: all %d cases passed.\n", passed);
    else
        fprintf(writer->file, "\nIt does not conform: %d of %d cases failed.\n", failed,
                passed + failed);
}

static void print(struct writer *writer, const void *record) {
    const struct conformance_reports *reports = record;
    for (int l = 0; l < reports->count; l++) {
        if (l > 0) fputc('\n', writer->file);
        print_report(writer, &reports->report[l]);
    }
}

const struct view conformance_view = {.element = "check",
                                      .says = "Whether a library conforms to its interface.",
                                      .fields = reports_fields,
                                      .text = print};
