#include "cli/page/page.h"

#include <stdlib.h>

#include "cli/page/markup.h"
#include "cli/page/plot.h"
#include "cli/page/table.h"
#include "tcplan/version.h"

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

/** Its policy makes the browser refuse to load anything. */
void page_begin_title(FILE *file) {
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

void page_end_title(FILE *file) {
    fprintf(file,
            "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n"
            "<svg class=\"symbols\" width=\"0\" height=\"0\" aria-hidden=\"true\">%s</svg>\n",
            plot_style_sheet, page_style, plot_symbols);
}

void page_end(FILE *file) {
    fprintf(file, "<script>\n%s</script>\n</body>\n</html>\n", page_script);
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

/** Writes the mark and the name of a document. */
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

/** Facts: a row for each one that any document has, with a cell for each document. */
struct facts {
    struct field_visit visit;
    struct page *page;
    struct field fact[2];
    bool any;
    bool writes;
};

/** A field_visit. */
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

/* The table of contractions, with the results of several documents side by side. */

/** Writes a row of the documents' names above the headings. */
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

/** State of writing the rows of a document. */
struct contractions {
    struct field_visit visit;
    struct page *page;
    int document;
};

/** A field_visit: a row for each record whose id is in no earlier document. */
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

/** The columns of the table, as the fields describe them. */
static void write_explanations(const struct page *page) {
    const struct field *column[FIELD_COLUMNS];
    const int count = page_columns(column, list_of_documents("contractions")->fields,
                                   &(struct digested){.all = page->all});
    fputs("<h2>What the columns are</h2>\n<dl>\n", page->file);
    for (int c = 0; c < count; c++)
        fprintf(page->file, "<dt>%s</dt><dd>%s</dd>\n", column[c]->heading, column[c]->says);
    fputs("</dl>\n<p class=\"dim\">Written by tcplan " TCPLAN_VERSION_STRING ".</p>\n", page->file);
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
