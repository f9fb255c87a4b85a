#include "cli/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "cli/page/markup.h"
#include "cli/page/plot.h"
#include "tcplan/version.h"

/*
 * Writes tables of fields as HTML. A cell has the value of the column's field, and a line for each
 * field whose `below` names the column. The reader can open lists below a column.
 */

static const char *const dash = "\xE2\x80\x93";

static bool is_number(const struct field *field) {
    return field->kind == FIELD_NUMBER || field->kind == FIELD_INTEGER;
}

int page_columns(const struct field *out[FIELD_COLUMNS], const struct field *fields,
                 const void *record) {
    const int all = fields_columns(out, fields, true, record);
    int count = 0;
    for (int c = 0; c < all; c++) {
        if (!out[c]->below && !out[c]->spread) out[count++] = out[c];
    }
    return count;
}

/** Returns the CSS class of a cell. Cells in the first column of a group have a line at their
 * left. */
static const char *class_of(const struct field *field, bool is_first) {
    return is_first ? " class=\"first\"" : is_number(field) ? " class=\"n\"" : "";
}

void page_write_headings(struct page *page, const struct field *fields, const void *record,
                         bool is_group, int *place) {
    const struct field *column[FIELD_COLUMNS];
    const int count = page_columns(column, fields, record);
    for (int c = 0; c < count; c++) {
        fprintf(page->file, "<th%s", class_of(column[c], is_group && c == 0));
        if (place) fprintf(page->file, " data-c=\"%d\"><button type=\"button\"", (*place)++);
        fputs(">", page->file);
        markup_text(page->file, column[c]->heading);
        fputs(place ? "</button></th>" : "</th>", page->file);
    }
}

/** Writes a bar whose length shows a share, which may exceed 1. */
static void write_meter(FILE *file, double share) {
    fprintf(file,
            "<span class=\"meter\"><i class=\"c0\" style=\"width:%.1f%%\">\xC2\xA0</i></span>",
            share < 1 ? 100 * share : 100);
}

/** Writes `before` and the value if the value is known; returns whether it is known. */
static bool write_value(struct page *page, const char *before, const struct field *field,
                        const void *record) {
    struct field_value value = field->get(record);
    if (!value.known && field->shown) value = field->shown(record);
    const bool is_bad = field->style && field->style(record) == STYLE_BAD;
    const bool is_known = value.known;
    char *text = field_value_text(field, value, time_unit_for(1));
    if (!text) page->no_memory = true;
    if (text && *text) {
        fprintf(page->file, "%s<span class=\"%s%s%s\">", before, field->below ? "dim" : "value",
                field->code ? " code" : "", is_bad ? " failed" : "");
        markup_text(page->file, field->kind == FIELD_FLAG ? (value.integer ? "yes" : "") : text);
        fputs("</span>", page->file);
    }
    free(text);
    return is_known;
}

static void page_write_cells(struct page *page, const struct field *fields, const void *record,
                             bool is_group);

/** State of writing or counting the records of a list. */
struct rows {
    struct field_visit visit;
    struct page *page;
    const struct field *fields;
    size_t count;
};

/** Counts a row of a table; implements field_visit. */
static void count_row(struct field_visit *visit, const void *record) {
    (void)record;
    ((struct rows *)visit)->count++;
}

/** Writes a record as a row of a table; implements field_visit. */
static void write_row(struct field_visit *visit, const void *record) {
    struct rows *rows = (struct rows *)visit;
    fputs("<tr>", rows->page->file);
    page_write_cells(rows->page, rows->fields, record, false);
    fputs("</tr>\n", rows->page->file);
}

void page_write_rows(struct page *page, const struct field *list, const void *record) {
    struct rows rows = {.visit = {.use = write_row}, .page = page, .fields = list->fields};
    list->each(record, &rows.visit);
    if (rows.visit.no_memory) page->no_memory = true;
}

/** Writes a list of several records as an element that the reader can open. */
static void write_list(struct page *page, const struct field *list, const void *record) {
    struct rows rows = {.visit = {.use = count_row}};
    list->each(record, &rows.visit);
    if (rows.count < 2) return;
    fprintf(page->file, "<details><summary>%zu %s</summary><table><tbody><tr>", rows.count,
            list->key);
    page_write_headings(page, list->fields, record, false, NULL);
    fputs("</tr>\n", page->file);
    page_write_rows(page, list, record);
    fputs("</tbody></table></details>", page->file);
}

static void page_write_cells(struct page *page, const struct field *fields, const void *record,
                             bool is_group) {
    const struct field *column[FIELD_COLUMNS];
    FILE *file = page->file;
    const int count = page_columns(column, fields, record);
    for (int c = 0; c < count; c++) {
        const struct field *field = column[c];
        const struct field_value value = is_number(field) ? field->get(record) : field_unknown();
        const double number = field->kind == FIELD_INTEGER ? (double)value.integer : value.number;
        fprintf(file, "<td%s%s", class_of(field, is_group && c == 0),
                is_number(field) ? " data-v=\"" : ">");
        if (value.known) fprintf(file, "%.9g", number);
        if (is_number(field)) fputs("\">", file);
        if (!write_value(page, "", field, record)) fputs(dash, file);
        if (value.known && field->format == FIELD_PERCENT) write_meter(file, number);
        for (const struct field *line = fields; line->get || line->each; line++) {
            if (!line->below || strcmp(line->below, field->key) != 0) continue;
            if (line->get) write_value(page, is_number(line) ? "<br/>" : " ", line, record);
            if (line->each) write_list(page, line, record);
        }
        fputs("</td>", file);
    }
}

static const struct field *documents_list(void) {
    return field_named(digests_view.fields, "documents");
}

/** Finds a list field of documents. */
static const struct field *list_of_documents(const char *key) {
    return field_named(documents_list()->fields, key);
}

void page_walk(const struct page *page, int document, struct field_visit *visit) {
    list_of_documents("contractions")
        ->each(&(struct digest_of){page->all, &page->all->digest[document]}, visit);
}

/** Begins the page. Its content security policy forbids the browser to load anything. */
static void page_begin_title(FILE *file) {
    fputs(
        "<!DOCTYPE html>\n"
        "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
        "<head>\n"
        "<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"generator\" content=\"tcplan " TCPLAN_VERSION_STRING "\"/>\n"
        "<title>",
        file);
}

static void page_end_title(FILE *file) {
    fprintf(file,
            "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n"
            "<svg class=\"symbols\" width=\"0\" height=\"0\" aria-hidden=\"true\">%s</svg>\n",
            plot_style_sheet, page_style, plot_symbols);
}

void page_end(FILE *file) {
    fprintf(file,
            "<p class=\"dim\">Written by tcplan " TCPLAN_VERSION_STRING ".</p>\n"
            "<script>\n%s</script>\n</body>\n</html>\n",
            page_script);
}

void page_begin(FILE *file, const char *title) {
    page_begin_title(file);
    markup_text(file, title);
    page_end_title(file);
    fputs("<h1>", file);
    markup_text(file, title);
    fputs("</h1>\n", file);
}

static void write_head(const struct page *page) {
    page_begin_title(page->file);
    for (int d = 0; d < page->all->count; d++) {
        fputs(d > 0 ? ", " : "", page->file);
        markup_text(page->file, page->all->digest[d].name);
    }
    fputs(" \xE2\x80\x93 contractions", page->file);
    page_end_title(page->file);
}

/** Writes the letter of a document, and its name. */
static void write_name(const struct page *page, int document) {
    fprintf(page->file, "<svg><use href=\"#m%d\" class=\"c%d\" x=\"7\" y=\"7\"/></svg> ", document,
            document);
    markup_text(page->file, page->all->digest[document].name);
}

static void write_title(const struct page *page) {
    fputs("<h1>Contractions, planned</h1>\n", page->file);
    if (page->all->count == 1) return;
    fputs("<ul class=\"legend\">\n", page->file);
    for (int d = 0; d < page->all->count; d++) {
        fputs("<li>", page->file);
        write_name(page, d);
        fputs("</li>\n", page->file);
    }
    fputs("</ul>\n", page->file);
}

/** State of writing facts: a row for each fact, a column for each document. */
struct facts {
    struct field_visit visit;
    struct page *page;
    struct field fact[2];
    bool any;
    bool writes;
};

/** Writes the value of a fact for one document; implements field_visit. */
static void write_fact(struct field_visit *visit, const void *record) {
    struct facts *facts = (struct facts *)visit;
    const struct field_value value = facts->fact->get(record);
    facts->any = facts->any || value.known;
    free(value.owned);
    if (facts->writes) page_write_cells(facts->page, facts->fact, record, false);
}

static void write_facts(struct page *page) {
    const struct field *list = documents_list(), *column[FIELD_COLUMNS];
    const int count = page_columns(column, list->fields, page->all);
    fputs("<div class=\"scroll\"><table class=\"facts\"><tbody>\n", page->file);
    for (int c = 0; c < count; c++) {
        struct facts facts = {.visit = {.use = write_fact}, .page = page, .fact = {*column[c]}};
        list->each(page->all, &facts.visit);
        if (!facts.any) continue;
        facts.writes = true;
        fprintf(page->file, "<tr><th scope=\"row\">%s</th>", column[c]->heading);
        list->each(page->all, &facts.visit);
        fputs("</tr>\n", page->file);
    }
    fputs("</tbody></table></div>\n", page->file);
}

static void write_groups(struct page *page) {
    const struct field *list = list_of_documents("groups");
    const struct digests *all = page->all;
    bool several = false;
    for (int d = 0; d < all->count; d++) several = several || all->digest[d].group_count > 1;
    if (!several) return;
    const struct digest_of first = {all, all->digest};
    fputs("<h2>Groups</h2>\n<div class=\"scroll\"><table><thead><tr>", page->file);
    page_write_headings(page, list->fields, &(struct digest_group){.of = &first}, false, NULL);
    fputs("</tr></thead><tbody>\n", page->file);
    for (int d = 0; d < all->count; d++)
        page_write_rows(page, list, &(struct digest_of){all, &all->digest[d]});
    fputs("</tbody></table></div>\n", page->file);
}

/** Writes a row with the documents' names above the headings. */
static void write_names(const struct page *page, int own) {
    const struct field *column[FIELD_COLUMNS];
    fprintf(page->file, "<tr><th colspan=\"%d\"></th>", own);
    for (int d = 0; d < page->all->count; d++) {
        fprintf(page->file, "<th class=\"first\" colspan=\"%d\">",
                page_columns(column, digest_peer_fields, NULL));
        write_name(page, d);
        fputs("</th>", page->file);
    }
    fputs("</tr>", page->file);
}

/** State of writing the contractions of a document. */
struct contractions {
    struct field_visit visit;
    struct page *page;
    int document;
};

/** Writes a row for a record, unless an earlier document has a record with the same id; implements
 * field_visit. */
static void write_contraction(struct field_visit *visit, const void *record) {
    struct contractions *rows = (struct contractions *)visit;
    struct page *page = rows->page;
    const struct digests *all = page->all;
    const char *id = ((const struct digested *)record)->result->id;
    for (int d = 0; d < rows->document; d++) {
        if (tcplan_peers_find(all->peers[d], id)) return;
    }
    fputs("<tr>", page->file);
    page_write_cells(page, list_of_documents("contractions")->fields, record, false);
    for (int d = 0; d < all->count && all->count > 1; d++)
        page_write_cells(page, digest_peer_fields,
                         &(struct digest_peer){tcplan_peers_find(all->peers[d], id)}, true);
    fputs("</tr>\n", page->file);
}

static void write_contractions(struct page *page) {
    const struct field *fields = list_of_documents("contractions")->fields, *column[FIELD_COLUMNS];
    const struct digests *all = page->all;
    const struct digested whole = {.all = all};
    int place = 0;
    fputs(
        "<h2>Contractions</h2>\n<p><input class=\"filter\" type=\"search\" hidden=\"hidden\" placeholder=\"show rows with these words\" "
        "aria-label=\"show rows with these words\"/> <span class=\"shown dim\">\xC2\xA0</span></p>\n"
        "<div class=\"scroll\"><table class=\"all\"><thead>",
        page->file);
    if (all->count > 1) write_names(page, page_columns(column, fields, &whole));
    fputs("<tr>", page->file);
    page_write_headings(page, fields, &whole, false, &place);
    for (int d = 0; d < all->count && all->count > 1; d++)
        page_write_headings(page, digest_peer_fields, NULL, true, &place);
    fputs("</tr></thead>\n<tbody>\n", page->file);
    for (int d = 0; d < all->count; d++)
        page_walk(page, d, &(struct contractions){{.use = write_contraction}, page, d}.visit);
    fputs("</tbody></table></div>\n", page->file);
}

/** Writes the meaning of the table's columns, from the descriptions of fields. */
static void write_explanations(const struct page *page) {
    const struct field *column[FIELD_COLUMNS];
    const int count = page_columns(column, list_of_documents("contractions")->fields,
                                   &(struct digested){.all = page->all});
    fputs("<h2>Columns</h2>\n<dl>\n", page->file);
    for (int c = 0; c < count; c++)
        fprintf(page->file, "<dt>%s</dt><dd>%s</dd>\n", column[c]->heading, column[c]->says);
    fputs("</dl>\n", page->file);
}

void page_write(struct page *page) {
    write_head(page);
    write_title(page);
    write_facts(page);
    page_write_plots(page);
    write_groups(page);
    write_contractions(page);
    page_write_ceilings(page);
    write_explanations(page);
    page_end(page->file);
}

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

/** Writes code line by line. */
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

static void write_known(FILE *file, const struct field *field, const void *record,
                        const char *after) {
    struct field_value value = field->get(record);
    if (value.known) write_text(file, "", value.text ? value.text : "", after);
    free(value.owned);
}

/** Writes the times of a contraction with a row for each library; implements field_visit. */
static void write_speed(struct field_visit *visit, const void *record) {
    struct speeds *speeds = (struct speeds *)visit;
    FILE *file = speeds->page->file;
    fputs("<h3>", file);
    write_known(file, field_named(speeds->fields, "name"), record, ": ");
    write_known(file, field_named(speeds->fields, "formula"), record, ", ");
    write_known(file, field_named(speeds->fields, "sizes"), record, "</h3>\n");
    write_table(speeds->page, field_named(speeds->fields, "times"), record);
}

bool check_page_write(FILE *file, const struct conformance_reports *reports) {
    struct page page = {.file = file};
    const struct field *libraries = field_named(conformance_view.fields, "libraries");
    const struct field *timed = field_named(conformance_view.fields, "speeds");
    page_begin(file, "Checked libraries");
    for (int l = 0; l < reports->count; l++)
        write_report(&page, libraries->fields, &reports->report[l]);
    if (reports->speeds) {
        struct speeds speeds = {{.use = write_speed}, &page, timed->fields};
        fprintf(file, "<h2>Speed, %s</h2>\n", counted(reports->threads, "thread").text);
        timed->each(reports, &speeds.visit);
    }
    page_end(file);
    return !page.no_memory;
}

/* The page of winners: a row for each contraction, with a group of columns for each machine. */

struct winners {
    struct field_visit visit;
    struct page *page;
};

/** Writes a contraction as a row: its fields, then its winner on each machine; implements
 * field_visit. */
static void write_winners(struct field_visit *visit, const void *record) {
    const struct winners *winners = (const struct winners *)visit;
    struct winner_cell cell = *(const struct winner_cell *)record;
    fputs("<tr>", winners->page->file);
    page_write_cells(winners->page, field_named(winners_view.fields, "contractions")->fields,
                     record, false);
    for (cell.machine = 0; cell.machine < cell.report->platform_count; cell.machine++)
        page_write_cells(winners->page, winner_cell_fields, &cell, true);
    fputs("</tr>\n", winners->page->file);
}

static void write_winners_table(struct page *page, const struct tcplan_platforms *machines) {
    const struct field *list = field_named(winners_view.fields, "contractions");
    const struct field *column[FIELD_COLUMNS];
    int place = 0;
    fprintf(page->file,
            "<div class=\"scroll\"><table class=\"all\"><thead><tr><th colspan=\"%d\"></th>",
            page_columns(column, list->fields, NULL));
    for (int m = 0; m < machines->platform_count; m++) {
        fprintf(page->file, "<th class=\"first\" colspan=\"%d\">%s: ",
                page_columns(column, winner_cell_fields, NULL), platform_label(m).text);
        markup_text(page->file, machines->platform[m].path);
        fputs("</th>", page->file);
    }
    fputs("</tr><tr>", page->file);
    page_write_headings(page, list->fields, NULL, false, &place);
    for (int m = 0; m < machines->platform_count; m++)
        page_write_headings(page, winner_cell_fields, NULL, true, &place);
    fputs("</tr></thead>\n<tbody>\n", page->file);
    list->each(machines, &(struct winners){{.use = write_winners}, page}.visit);
    fputs("</tbody></table></div>\n", page->file);
}

bool winners_page_write(FILE *file, const struct tcplan_platforms *machines) {
    struct page page = {.file = file};
    page_begin(file, "Winners by machine");
    write_table(&page, field_named(winners_view.fields, "machines"), machines);
    fputs("<h2>Contractions</h2>\n", file);
    write_winners_table(&page, machines);
    if (machines->platform_count > 1) {
        fputs("<h2>Winners on other machines</h2>\n", file);
        write_table(&page, field_named(winners_view.fields, "losses"), machines);
    }
    page_end(file);
    return !page.no_memory;
}
