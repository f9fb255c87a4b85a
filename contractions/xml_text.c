#include "contractions/xml_text.h"

#include <inttypes.h>
#include <libxml/chvalid.h>
#include <libxml/xmlstring.h>
#include <string.h>

#include "base/checksum.h"
#include "base/decimal.h"

int xml_text_character(const char *text) {
    int length = 4;
    int code = xmlGetUTF8Char((const unsigned char *)text, &length);
    return code >= 0 && xmlIsCharQ((unsigned)code) ? length : 0;
}

/** Returns the replacement of a character in an attribute value; NULL if it needs none. */
static const char *escape(char c) {
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\t': return "&#9;";
    case '\n': return "&#10;";
    case '\r': return "&#13;";
    default: return NULL;
    }
}

/** Returns the number of leading characters that need no replacement and have one byte. */
static size_t plain_length(const char *text) {
    size_t length = 0;
    while (text[length] >= ' ' && text[length] <= '~' && !escape(text[length])) length++;
    return length;
}

static void add_text(struct strbuf *out, const char *text) {
    strbuf_append(out, text, strlen(text));
}

/** Appends a character that is escaped, has several bytes or is invalid; returns its length in
 * bytes. */
static size_t add_character(struct strbuf *out, const char *text) {
    const char *escaped = escape(*text);
    const int length = xml_text_character(text);
    if (escaped) {
        add_text(out, escaped);
    } else if (length > 0) {
        strbuf_append(out, text, (size_t)length);
    } else {
        add_text(out, "?");
    }
    return length > 0 ? (size_t)length : 1;
}

/** Appends ` name="` and the first `length` characters of the value. */
static void add_beginning(struct strbuf *out, const char *name, const char *value, size_t length) {
    const size_t name_length = strlen(name);
    char *at = strbuf_extend(out, name_length + length + 3);
    if (!at) return;
    *at++ = ' ';
    memcpy(at, name, name_length); /* NOLINT(bugprone-not-null-terminated-result): more text
                                      follows */
    at += name_length;
    *at++ = '=';
    *at++ = '"';
    memcpy(at, value, length);
}

void xml_text_attribute(struct strbuf *out, const char *name, const char *value) {
    if (!value) value = "";
    size_t plain = plain_length(value);
    add_beginning(out, name, value, plain);
    while (*(value += plain)) {
        value += add_character(out, value);
        plain = plain_length(value);
        strbuf_append(out, value, plain);
    }
    add_text(out, "\"");
}

void xml_text_integer(struct strbuf *out, const char *name, int64_t value) {
    strbuf_add(out, " %s=\"%" PRId64 "\"", name, value);
}

void xml_text_number(struct strbuf *out, const char *name, double value) {
    if (!(value >= 0 && value <= XML_NUMBER_MAX)) value = 0;
    strbuf_add(out, " %s=\"", name);
    decimal_print(out, value);
    strbuf_add(out, "\"");
}

size_t xml_text_element(struct strbuf *out, int indentation, const char *name) {
    strbuf_add(out, "%*s<", indentation, "");
    const size_t start = out->length;
    strbuf_add(out, "%s", name);
    return start;
}

uint32_t xml_text_checksum(const struct strbuf *out, size_t start, uint32_t checksum) {
    return out->failed ? 0 : checksum_add(checksum, out->text + start, out->length - start);
}

void xml_text_add_checksum(struct strbuf *out, uint32_t checksum) {
    strbuf_add(out, " checksum=\"%08" PRIx32 "\"", checksum);
}
