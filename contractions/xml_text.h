/**
 * Writes XML elements as strings, without libxml2's writer, so that a piece of a document is a
 * string.
 */
#ifndef CONTRACTIONS_XML_TEXT_H
#define CONTRACTIONS_XML_TEXT_H

#include <stdint.h>

#include "base/strbuf.h"

#define XML_NUMBER_MAX 1e300 /* larger numbers are written as unknown, so that sums stay finite */

/** Returns the length of the UTF-8 character at `text`; 0 if it is invalid in UTF-8 or XML 1.0. */
int xml_text_character(const char *text);

/** Appends ` name="value"`, escaped. NULL counts as ""; a byte that XML cannot represent becomes a
 * question mark. */
void xml_text_attribute(struct strbuf *out, const char *name, const char *value);

void xml_text_integer(struct strbuf *out, const char *name, int64_t value);

/** Appends an attribute with a number from 0 to XML_NUMBER_MAX; 0 for any other number. */
void xml_text_number(struct strbuf *out, const char *name, double value);

/**
 * Appends `<NAME`, the beginning of an element; returns its position. The checksum of an element
 * covers its name, its attributes as written except the checksum itself, and further data that its
 * writer includes.
 */
size_t xml_text_element(struct strbuf *out, int indentation, const char *name);

/** Extends a checksum by the text written from `start` on. */
uint32_t xml_text_checksum(const struct strbuf *out, size_t start, uint32_t checksum);

/** Appends the attribute `checksum`. */
void xml_text_add_checksum(struct strbuf *out, uint32_t checksum);

#endif
