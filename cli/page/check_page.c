#include "cli/page/check_page.h"

#include <stdlib.h>
#include <string.h>

#include "cli/page/markup.h"
#include "cli/page/table.h"
#include "tcplan/version.h"

/** Writes a list of `record` as a table. */
static void write_table(struct page *page, const struct field *list, const void *record) {
    fputs("<div class=\"scroll\"><table><thead><tr>", page->file);
    page_write_headings(page, list->fields, record, false, NULL);
    fputs("</tr></thead>\n<tbody>\n", page->file);
    page_write_rows(page, list, record);
    fputs("</tbody></table></div>\n", page->file);
}

static void write_text(FILE *file, const char *before, const char *text, const char *after) {
    fputs(before, file);
    markup_text(file, text);
    fputs(after, file);
}

/** Writes code line by line: line breaks are not text that is shown. */
static void write_code(FILE *file, const char *code) {
    fputs("<pre>", file);
    while (*code) {
        char line[512];
        const size_t length = strcspn(code, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, code);
        write_text(file, "", line, "\n");
        code += length + (code[length] == '\n');
    }
    fputs("</pre>\n", file);
}

static void write_finding(FILE *file, const struct tcplan_conformance_finding *finding) {
    write_text(file, "<h3>", finding->rule, ": ");
    write_text(file, "", finding->name, "</h3>\n");
    write_text(file, "<p>", finding->why, "</p>\n");
    write_text(file, "<p><code>", finding->einsum, "</code></p>\n<details><summary>C</summary>\n");
    write_code(file, finding->code);
    fputs("</details>\n", file);
}

static void write_report(struct page *page, const struct field *fields,
                         const struct conformance_report *report) {
    int count;
    const struct tcplan_conformance_finding *finding =
        tcplan_conformance_findings(report->of, &count);
    write_text(page->file, "<h2>", report->path, "</h2>\n");
    fputs(tcplan_conformance_holds(report->of) ? "<p>It conforms.</p>\n"
                                               : "<p>It does not conform.</p>\n",
          page->file);
    write_table(page, field_named(fields, "rules"), report);
    for (int f = 0; f < count; f++) write_finding(page->file, &finding[f]);
}

struct speeds {
    struct field_visit visit;
    struct page *page;
    const struct field *fields;
};

static void write_value(FILE *file, const struct field *field, const void *record,
                        const char *after) {
    struct field_value value = field->get(record);
    if (value.known) write_text(file, "", value.text ? value.text : "", after);
    free(value.owned);
}

/** Writes the times of a contraction: a row for each library. */
static void write_speed(struct field_visit *visit, const void *record) {
    struct speeds *speeds = (struct speeds *)visit;
    FILE *file = speeds->page->file;
    fputs("<h3>", file);
    write_value(file, field_named(speeds->fields, "name"), record, ": ");
    write_value(file, field_named(speeds->fields, "formula"), record, ", ");
    write_value(file, field_named(speeds->fields, "sizes"), record, "</h3>\n");
    write_table(speeds->page, field_named(speeds->fields, "times"), record);
}

bool check_page_write(FILE *file, const struct conformance_reports *reports) {
    struct page page = {.file = file};
    const struct field *libraries = field_named(conformance_view.fields, "libraries");
    const struct field *timed = field_named(conformance_view.fields, "speeds");
    page_begin_title(file);
    fputs("Checked libraries", file);
    page_end_title(file);
    fputs("<h1>Checked libraries</h1>\n", file);
    for (int l = 0; l < reports->count; l++)
        write_report(&page, libraries->fields, &reports->report[l]);
    if (reports->speeds) {
        struct speeds speeds = {{.use = write_speed}, &page, timed->fields};
        fprintf(file, "<h2>Speed, %d thread%s</h2>\n", reports->threads,
                reports->threads == 1 ? "" : "s");
        timed->each(reports, &speeds.visit);
    }
    fputs("<p class=\"dim\">Written by tcplan " TCPLAN_VERSION_STRING ".</p>\n", file);
    page_end(file);
    return !page.no_memory;
}
