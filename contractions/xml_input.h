/**
 * The bytes of an XML document on their way to the parser: what tcplan reads is UTF-8 without a
 * document type, and that is seen to before the parser sees any of it.
 */
#ifndef CONTRACTIONS_XML_INPUT_H
#define CONTRACTIONS_XML_INPUT_H

#include "base/strbuf.h"
#include "tcplan/xml.h"

enum { XML_PROLOG_BYTES_MAX = 65536, XML_ATTRIBUTES_MAX = 1024 };

/** How far a tag has been read. Zero-initialised: outside of tags. */
struct xml_tag {
    enum {
        XML_OUTSIDE,
        XML_OPENED,
        XML_INSIDE,
        XML_SPECIAL
    } place;    /**< XML_SPECIAL: a comment, CDATA, an instruction */
    char quote; /**< of the attribute's value that is open; 0: none */
    int attributes;
};

/** Zero-initialise, then set the public fields. */
struct xml_input {
    tcplan_read_fn *read;
    void *context;
    bool failed;          /**< `read` returned -1 */
    struct strbuf prolog; /**< private from here on: data read ahead, including NUL bytes */
    bool given;           /**< to the parser, all of it */
};

/**
 * Reads up to the root's start and rejects a document type (and with it every entity), an encoding
 * other than UTF-8, and more than XML_PROLOG_BYTES_MAX bytes. Incomplete input is left to the
 * parser.
 * @return TCPLAN_OK, TCPLAN_INVALID with the line, TCPLAN_NO_MEMORY
 */
enum tcplan_status xml_input_check(struct xml_input *input, struct tcplan_error *error);

/** The next bytes for the parser, valid until the next call: as many as one reading gives. 0 at the
 * end, -1 where reading failed or memory is out. */
ptrdiff_t xml_input_next(struct xml_input *input, const char **piece);

/**
 * Returns whether a tag of the next bytes has more than XML_ATTRIBUTES_MAX attributes. The parser
 * compares each attribute of a tag with all others before it hands over any of them, so that
 * 100,000 would take seconds.
 */
bool xml_tag_is_too_long(struct xml_tag *tag, const char *piece, size_t length);

void xml_input_free(struct xml_input *input);

#endif
