#include "contractions/xml_input.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/error.h"

enum { PIECE = 16384 };

/** State of the check of a prolog. */
struct prolog {
    const char *text;
    size_t length;
    size_t at;
    struct tcplan_error *error;
    enum tcplan_status status;
};

static bool refuse_line(struct prolog *prolog, const char *message) {
    size_t line = 1;
    for (size_t i = 0; i < prolog->at; i++) line += prolog->text[i] == '\n';
    prolog->status = error_set(prolog->error, TCPLAN_INVALID, "%s", message);
    if (prolog->error) prolog->error->line = line;
    return false;
}

static bool starts(const struct prolog *prolog, const char *token, size_t length) {
    return prolog->length - prolog->at >= length &&
           memcmp(prolog->text + prolog->at, token, length) == 0;
}

/** Skips past the next occurrence of `end`; returns false if there is none. */
static bool skip_past(struct prolog *prolog, const char *end) {
    const char *found =
        memmem(prolog->text + prolog->at, prolog->length - prolog->at, end, strlen(end));
    if (!found) return false;
    prolog->at = (size_t)(found - prolog->text) + strlen(end);
    return true;
}

/* Checks the encoding of an XML declaration of `length` bytes:
 * declaration = "<?xml" ... [ "encoding" "=" quote name quote ] ... "?>" */
static bool check_encoding(struct prolog *prolog, const char *declaration, size_t length) {
    const char *at = memmem(declaration, length, "encoding", 8);
    if (!at) return true;
    const char *const end = declaration + length;
    for (at += 8; at < end && *at != '"' && *at != '\'';) at++;
    const char *name = at < end ? at + 1 : end;
    const char *close = at < end ? memchr(name, *at, (size_t)(end - name)) : NULL;
    const size_t size = close ? (size_t)(close - name) : 0;
    if (size == 5 && strncasecmp(name, "UTF-8", 5) == 0) return true;
    if (size == 8 && strncasecmp(name, "US-ASCII", 8) == 0) return true;
    char message[120];
    snprintf(message, sizeof message, "expected a document in UTF-8, found the encoding '%.*s'",
             size < 40 ? (int)size : 40, name);
    return refuse_line(prolog, message);
}

/** Rejects UTF-16 and UTF-32, which are recognised by their first two bytes, and skips a byte order
 * mark of UTF-8. */
static bool check_first_bytes(struct prolog *prolog) {
    const unsigned char *text = (const unsigned char *)prolog->text;
    if (starts(prolog, "\xef\xbb\xbf", 3)) prolog->at = 3;
    if (prolog->length < 2) return true;
    const bool mark = (text[0] == 0xfe && text[1] == 0xff) || (text[0] == 0xff && text[1] == 0xfe);
    if (mark || text[0] == 0 || text[1] == 0)
        return refuse_line(prolog, "expected a document in UTF-8, found UTF-16 or UTF-32");
    return true;
}

/* Skips a piece of the prolog; returns false if there is none or it is rejected.
 * piece = "<?" ... "?>" | "<!--" ... "-->" */
static bool skip_piece(struct prolog *prolog) {
    const size_t start = prolog->at;
    if (starts(prolog, "<!--", 4)) return skip_past(prolog, "-->");
    if (!starts(prolog, "<?", 2) || !skip_past(prolog, "?>")) return false;
    const bool declaration =
        prolog->at - start > 6 && memcmp(prolog->text + start, "<?xml", 5) == 0;
    return !declaration || check_encoding(prolog, prolog->text + start, prolog->at - start);
}

/* Checks a prolog; returns true if the root was reached, false if more text is needed or the
 * document is rejected.
 * prolog = { space | piece } "<" name */
static bool check(struct prolog *prolog) {
    if (!check_first_bytes(prolog)) return false;
    do {
        while (prolog->at < prolog->length && strchr(" \t\r\n", prolog->text[prolog->at]) &&
               prolog->text[prolog->at])
            prolog->at++;
    } while (skip_piece(prolog));
    if (prolog->status != TCPLAN_OK) return false;
    const size_t rest = prolog->length - prolog->at;
    const char *text = prolog->text + prolog->at;
    if (rest == 0) return false;
    if (text[0] != '<')
        return refuse_line(prolog, "expected an XML document, which starts with '<'");
    if (rest >= 9 && memcmp(text, "<!DOCTYPE", 9) == 0) {
        return refuse_line(
            prolog, "found a document type (<!DOCTYPE ...>); documents may not have one, because "
                    "entities are not read");
    }
    return rest >= 2 && text[1] != '!' && text[1] != '?';
}

/** Reads one more piece; returns false at the end, if memory runs out, or if reading fails. */
static bool read_piece(struct xml_input *input) {
    struct strbuf *prolog = &input->prolog;
    const size_t length = prolog->length;
    strbuf_fill(prolog, ' ', PIECE);
    if (prolog->failed) return false;
    const ptrdiff_t count = input->read(input->context, prolog->text + length, PIECE);
    prolog->length = length + (count > 0 ? (size_t)count : 0);
    input->failed = count < 0;
    return count > 0;
}

enum tcplan_status xml_input_check(struct xml_input *input, struct tcplan_error *error) {
    struct prolog prolog = {.error = error};
    while (read_piece(input)) {
        prolog = (struct prolog){
            .text = input->prolog.text, .length = input->prolog.length, .error = error};
        if (check(&prolog)) return TCPLAN_OK;
        if (prolog.status != TCPLAN_OK) return prolog.status;
        if (prolog.length < XML_PROLOG_BYTES_MAX) continue;
        refuse_line(&prolog, "expected the root element within the first 65536 bytes");
        return prolog.status;
    }
    if (input->prolog.failed) return error_no_memory(error);
    if (input->prolog.length > 0 || input->failed) return TCPLAN_OK;
    refuse_line(&prolog, "expected an XML document, found nothing");
    return prolog.status;
}

ptrdiff_t xml_input_next(struct xml_input *input, const char **piece) {
    struct strbuf *ahead = &input->prolog;
    if (input->given) {
        ahead->length = 0;
        if (!input->failed) read_piece(input);
    }
    if (input->failed || ahead->failed) return -1;
    input->given = true;
    *piece = ahead->text;
    return (ptrdiff_t)ahead->length;
}

bool xml_tag_is_too_long(struct xml_tag *tag, const char *piece, size_t length) {
    for (const char *at = piece; at < piece + length; at++) {
        if (tag->quote) {
            if (*at == tag->quote) tag->quote = 0;
        } else if (*at == '>') {
            tag->place = XML_OUTSIDE;
        } else if (tag->place == XML_OPENED) {
            tag->place = *at == '!' || *at == '?' ? XML_SPECIAL : XML_INSIDE;
        } else if (tag->place == XML_INSIDE && (*at == '"' || *at == '\'')) {
            tag->quote = *at;
        } else if (tag->place == XML_INSIDE && *at == '=') {
            if (++tag->attributes > XML_ATTRIBUTES_MAX) return true;
        } else if (tag->place == XML_OUTSIDE && *at == '<') {
            *tag = (struct xml_tag){.place = XML_OPENED};
        }
    }
    return false;
}

void xml_input_free(struct xml_input *input) {
    strbuf_free(&input->prolog);
}
