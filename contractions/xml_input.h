/**
 * Passes the bytes of an XML document to the parser. Documents must be UTF-8 without a document
 * type; this is checked before the parser gets any byte.
 */
#ifndef CONTRACTIONS_XML_INPUT_H
#define CONTRACTIONS_XML_INPUT_H

#include "base/strbuf.h"
#include "tcplan/xml.h"

enum { XML_PROLOG_BYTES_MAX = 65536, XML_ATTRIBUTES_MAX = 1024 };

/** State of a scan for tags. A zero-initialised struct is outside of tags. */
struct xml_tag {
    enum {
        XML_OUTSIDE,
        XML_OPENED,
        XML_INSIDE,
        XML_SPECIAL
    } place;    /**< XML_SPECIAL: inside a comment, CDATA or a processing instruction */
    char quote; /**< the quote that ends the current attribute value; 0: outside of values */
    int attributes;
};

/** The bytes of a document on their way to the parser. Zero-initialise, then set the public
 * members. */
struct xml_input {
    tcplan_read_fn *read;
    void *context;
    bool failed;          /**< whether `read` returned -1 */
    struct strbuf prolog; /**< the bytes read by xml_input_check(), including NUL bytes; private, as
                             are all members that follow */
    bool given;           /**< whether the parser has received all of `prolog` */
};

/**
 * Reads up to the start of the root and rejects a document type (and with it every entity), an
 * encoding other than UTF-8, and more than XML_PROLOG_BYTES_MAX bytes. Incomplete input is left to
 * the parser.
 * @return TCPLAN_OK, TCPLAN_INVALID with the line, TCPLAN_NO_MEMORY
 */
enum tcplan_status xml_input_check(struct xml_input *input, struct tcplan_error *error);

/** Returns the number of bytes in the next piece for the parser; the piece is valid until the next
 * call. 0 at the end; -1 if reading fails or memory runs out. */
ptrdiff_t xml_input_next(struct xml_input *input, const char **piece);

/**
 * Returns whether a tag in the next bytes has more than XML_ATTRIBUTES_MAX attributes. libxml2
 * compares the attributes of a tag with each other before it reports them; for 100,000 attributes
 * this would take seconds.
 */
bool xml_tag_is_too_long(struct xml_tag *tag, const char *piece, size_t length);

void xml_input_free(struct xml_input *input);

#endif
