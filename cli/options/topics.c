/*
 * Topics are sections of the man page. This file formats the roff that the page uses: paragraphs
 * (.PP), items (.TP), headings (.SS), fonts (.B, .BR and so on), examples (.nf), and escapes.
 */
#include "cli/options/topics.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/options/manual.h"
#include "cli/render/text/wrapped.h"

const struct topic topics[] = {
    {"notation", "CONTRACTIONS"},
    {"sizes", "SIZES"},
    {"strides", "STRIDES"},
    {"algorithms", "ALGORITHM NAMES"},
    {"columns", "OUTPUT"},
    {"libraries", "LIBRARIES"},
    {"scripts", "SCRIPTS"},
    {"environment", "ENVIRONMENT"},
    {0},
};

const struct topic *topic_find(const char *name) {
    const struct topic *topic = topics;
    while (topic->name && strcmp(topic->name, name) != 0) topic++;
    return topic->name ? topic : NULL;
}

enum { ITEM_INDENT = 4 };

/** A section while it is formatted. */
struct page {
    FILE *file;
    struct strbuf words; /* of the paragraph so far */
    size_t indent;
    bool is_label; /* the next line is the label of an item */
    bool is_exact; /* lines are not filled */
    bool is_first;
};

/** Appends text without roff's escapes. */
static void add_text(struct strbuf *out, const char *text, size_t length) {
    for (const char *end = text + length; text < end; text++) {
        if (*text != '\\' || text + 1 == end) {
            strbuf_append(out, text, 1);
        } else if (*++text == 'f') {
            text++; /* the font */
        } else if (*text != '&') {
            strbuf_append(out, *text == 'e' ? "\\" : text, 1);
        }
    }
}

/** Appends the arguments of a request; quotes protect blanks. `joined`: fonts alternate without
 * blanks between. */
static void add_arguments(struct strbuf *out, const char *text, const char *end, bool joined) {
    const char *blank = "";
    while (text < end) {
        const bool quoted = *text == '"';
        const size_t length = strcspn(text += quoted, quoted ? "\"\n" : " \n");
        strbuf_add(out, "%s", blank);
        add_text(out, text, length);
        text += length + quoted;
        while (text < end && *text == ' ') text++;
        blank = joined ? "" : " ";
    }
}

static void end_paragraph(struct page *page) {
    if (page->words.length > 0) {
        fprintf(page->file, "%*s", (int)page->indent, "");
        wrapped_print(page->file, page->words.text, page->indent, page->indent);
    }
    page->words.length = 0;
    if (page->words.text) *page->words.text = '\0';
}

static void begin_paragraph(struct page *page, size_t indent) {
    end_paragraph(page);
    if (!page->is_first) fputc('\n', page->file);
    page->is_first = false;
    page->indent = indent;
}

static bool is_request(const char *line, const char *name) {
    return strncmp(line + 1, name, strlen(name)) == 0 && strchr(" \n", line[1 + strlen(name)]);
}

/** Adds a line of text or of a font request. */
static void take_text(struct page *page, const char *line, size_t length) {
    if (page->words.length > 0) strbuf_add(&page->words, " ");
    if (*line == '.') {
        const size_t name = strcspn(line, " \n"), blank = name < length;
        add_arguments(&page->words, line + name + blank, line + length, name == 3);
    } else {
        add_text(&page->words, line, length);
    }
    if (!page->is_label && !page->is_exact) return;
    end_paragraph(page);
    if (page->is_label) page->indent = ITEM_INDENT;
    page->is_label = false;
}

static void take_line(struct page *page, const char *line, size_t length) {
    if (*line == '.' && is_request(line, "PP")) {
        begin_paragraph(page, 0);
    } else if (*line == '.' && is_request(line, "TP")) {
        begin_paragraph(page, 0);
        page->is_label = true;
    } else if (*line == '.' && is_request(line, "SS")) {
        begin_paragraph(page, 0);
        take_text(page, line + 4, length - 4);
        end_paragraph(page);
    } else if (*line == '.' && (is_request(line, "nf") || is_request(line, "fi"))) {
        end_paragraph(page);
        page->is_exact = line[1] == 'n';
        page->indent = page->is_exact ? ITEM_INDENT : 0;
    } else {
        page->is_first = false;
        take_text(page, line, length);
    }
}

/** Returns the text of a section of the page. */
static const char *find_section(const char *text, const char *name) {
    for (const char *at = text; (at = strstr(at, "\n.SH ")); at++) {
        const size_t length = strlen(name);
        if (strncmp(at + 5, name, length) == 0 && at[5 + length] == '\n') return at + 6 + length;
    }
    return "";
}

bool topic_print(FILE *file, const struct topic *topic) {
    struct page page = {.file = file, .is_first = true};
    char *text = NULL;
    size_t size;
    FILE *manual = open_memstream(&text, &size);
    if (!manual) return false;
    bool complete = manual_print(manual, NULL);
    complete = fclose(manual) == 0 && complete;
    for (const char *line = complete ? find_section(text, topic->section) : "";
         *line && strncmp(line, ".SH ", 4) != 0;) {
        const size_t length = strcspn(line, "\n");
        take_line(&page, line, length);
        line += length + (line[length] == '\n');
    }
    end_paragraph(&page);
    complete = complete && !page.words.failed;
    strbuf_free(&page.words);
    free(text);
    return complete;
}
