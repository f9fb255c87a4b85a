/**
 * XML as text: attributes of elements that are written without a parser's library, so that a piece
 * of a document is a string.
 */
#ifndef CONTRACTIONS_XML_TEXT_H
#define CONTRACTIONS_XML_TEXT_H

#include <stdint.h>

#include "base/strbuf.h"

#define XML_NUMBER_MAX 1e300 /* larger numbers count as unknown; sums stay finite */

/** Length of the UTF-8 character at `text` where XML 1.0 may hold it, else 0. */
int xml_text_character(const char *text);

/** Appends ` name="value"`, escaped; NULL is "", bytes that XML cannot hold become question marks.
 */
void xml_text_attribute(struct strbuf *out, const char *name, const char *value);

void xml_text_integer(struct strbuf *out, const char *name, int64_t value);

/** Writes a number from 0 to XML_NUMBER_MAX; 0 for any other. */
void xml_text_number(struct strbuf *out, const char *name, double value);

/**
 * Begins an element, `<NAME`; returns its position. The checksum of an element covers its name, its
 * attributes as written except the checksum itself, and further data that its writer includes.
 */
size_t xml_text_element(struct strbuf *out, int indentation, const char *name);

/** Extends a checksum by the text written from `start` on. */
uint32_t xml_text_checksum(const struct strbuf *out, size_t start, uint32_t checksum);

/** The attribute that has it. */
void xml_text_add_checksum(struct strbuf *out, uint32_t checksum);

#endif
