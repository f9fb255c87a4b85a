/*
 * An entry is text: a head, the lines of its kind, and a checksum of everything in the last line.
 * The version of the store is checked first, then the checksum, so that damage is never mistaken
 * for another fault.
 */
#include "store/entry.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/error.h"
#include "store/fields.h"
#include "tcplan/version.h"

enum { STORE_VERSION = 1, CHECKSUM_LINE = 18 /* "checksum 1a2b3c4d\n" */ };

static const char magic[] = "tcplan store ";

static const struct field head_fields[] = {
    {"kind", FIELD_TEXT, offsetof(struct entry, kind_name), .size = TCPLAN_STORE_NAME},
    {"version", FIELD_INT, offsetof(struct entry, version), .lowest = 1, .highest = INT_MAX},
    {"key", FIELD_TEXT, offsetof(struct entry, key), .size = TCPLAN_STORE_NAME},
    {"made", FIELD_INT64, offsetof(struct entry, made), .lowest = 0, .highest = INT64_MAX},
    {"tcplan", FIELD_TEXT, offsetof(struct entry, tcplan), .size = TCPLAN_STORE_NAME},
    {0},
};

struct fingerprint_fields fingerprint_fields(void) {
    struct fingerprint_fields out = {0};
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++) {
        out.part[p] = (struct field){tcplan_fingerprint_part_name(p), FIELD_TEXT,
                                     offsetof(struct tcplan_fingerprint, part) +
                                         (size_t)p * TCPLAN_MACHINE_TEXT,
                                     .size = TCPLAN_MACHINE_TEXT};
    }
    return out;
}

/* Writing. */

char *entry_text(const struct entry *entry, const void *value) {
    const struct fingerprint_fields parts = fingerprint_fields();
    struct strbuf out = {0};
    struct entry head = *entry;
    snprintf(head.kind_name, sizeof head.kind_name, "%s", entry->kind->name);
    snprintf(head.tcplan, sizeof head.tcplan, "%s", TCPLAN_VERSION_STRING);
    head.version = entry->kind->version;
    strbuf_add(&out, "%s%d\n", magic, STORE_VERSION);
    fields_write(&out, "entry", head_fields, &head);
    fields_write(&out, "of", parts.part, &entry->fingerprint);
    kind_write(&out, entry->kind, value);
    if (!out.failed)
        strbuf_add(&out, "checksum %08" PRIx32 "\n", checksum_add(0, out.text, out.length));
    return strbuf_finish(&out);
}

/* Reading. */

/** State of reading a text line by line. */
struct lines {
    const char *at;
    const char *end;
};

/** Returns the next line without its end, or NULL. */
static const char *next_line(struct lines *lines, size_t *length) {
    const char *line = lines->at;
    const char *newline =
        line < lines->end ? memchr(line, '\n', (size_t)(lines->end - line)) : NULL;
    if (!newline) return NULL;
    *length = (size_t)(newline - line);
    lines->at = newline + 1;
    return line;
}

static enum tcplan_status read_fields(void *object, const char *word, const struct field fields[],
                                      struct lines *lines, struct tcplan_error *error) {
    size_t length = 0;
    const size_t word_length = strlen(word);
    const char *line = next_line(lines, &length);
    if (!line || length < word_length || memcmp(line, word, word_length) != 0) {
        return error_set(error, TCPLAN_INVALID, "expected a line '%s ...'", word);
    }
    return fields_read(object, fields, line + word_length, length - word_length, error);
}

/** Reads the first line, which has the version of the store. */
static enum tcplan_status read_version(struct lines *lines, struct tcplan_error *error) {
    size_t length = 0;
    const char *line = next_line(lines, &length);
    const size_t begin = sizeof magic - 1;
    const int digits = line && length > begin && memcmp(line, magic, begin) == 0
                           ? (int)strspn(line + begin, "0123456789")
                           : 0;
    if (digits == 0 || digits > 6 || begin + (size_t)digits != length)
        return error_set(error, TCPLAN_INVALID,
                         "it is not an entry of a store: expected '%s%d' in its first line", magic,
                         STORE_VERSION);
    if (atoi(line + begin) == STORE_VERSION) return TCPLAN_OK;
    return error_set(error, TCPLAN_MISMATCH,
                     "it has version %.*s of the store format; this tcplan reads version %d",
                     digits, line + begin, STORE_VERSION);
}

/** Removes the last line, and checks the checksum in it. */
static enum tcplan_status check_checksum(struct lines *lines, const char *text,
                                         struct tcplan_error *error) {
    char expected[CHECKSUM_LINE + 1];
    const size_t length = (size_t)(lines->end - text);
    if (length < CHECKSUM_LINE || memcmp(lines->end - CHECKSUM_LINE, "checksum ", 9) != 0) {
        return error_set(error, TCPLAN_INVALID,
                         "it is damaged: its end, a line with a checksum, is missing");
    }
    snprintf(expected, sizeof expected, "checksum %08" PRIx32 "\n",
             checksum_add(0, text, length - CHECKSUM_LINE));
    if (memcmp(lines->end - CHECKSUM_LINE, expected, CHECKSUM_LINE) != 0) {
        return error_set(error, TCPLAN_INVALID,
                         "it is damaged: its content has the %.17s, not the %.17s of its last line",
                         expected, lines->end - CHECKSUM_LINE);
    }
    lines->end -= CHECKSUM_LINE;
    return TCPLAN_OK;
}

static enum tcplan_status check_kind(struct entry *entry, struct tcplan_error *error) {
    entry->kind = store_kind_find(entry->kind_name, strlen(entry->kind_name));
    if (!entry->kind)
        return error_set(error, TCPLAN_MISMATCH, "its kind '%.80s' is unknown to this tcplan",
                         entry->kind_name);
    if (entry->version == entry->kind->version) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_MISMATCH,
        "it has %s of version %d, written by tcplan %.40s; this tcplan reads version %d",
        entry->kind->name, entry->version, entry->tcplan, entry->kind->version);
}

enum tcplan_status entry_read(struct entry *out, const char *text, size_t length,
                              struct tcplan_error *error) {
    const struct fingerprint_fields parts = fingerprint_fields();
    struct lines lines = {.at = text, .end = text + length};
    *out = (struct entry){0};
    enum tcplan_status status = read_version(&lines, error);
    if (status == TCPLAN_OK) status = check_checksum(&lines, text, error);
    if (status == TCPLAN_OK) status = read_fields(out, "entry", head_fields, &lines, error);
    if (status == TCPLAN_OK)
        status = read_fields(&out->fingerprint, "of", parts.part, &lines, error);
    if (status == TCPLAN_OK) status = check_kind(out, error);
    if (status != TCPLAN_OK) return status;
    out->content = lines.at;
    out->length = (size_t)(lines.end - lines.at);
    return TCPLAN_OK;
}

enum tcplan_status entry_value(void *value, const struct entry *entry, struct tcplan_error *error) {
    enum tcplan_status status =
        value ? kind_read(value, entry->kind, entry->content, entry->length, error)
              : kind_show(NULL, entry->kind, entry->content, entry->length, error);
    if (status == TCPLAN_INVALID && error && error->line > 0) error->line += ENTRY_HEAD_LINES;
    return status;
}
