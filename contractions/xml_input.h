/**
 * The bytes of an XML document on their way to the parser: what tcplan reads is UTF-8 without a document type, and that is seen to before
 * the parser sees any of it.
 */
#ifndef CONTRACTIONS_XML_INPUT_H
#define CONTRACTIONS_XML_INPUT_H

#include "base/strbuf.h"
#include "tcplan/xml.h"

enum { XML_PROLOG_BYTES_MAX = 65536 };

/** Zero-initialise, then set the public fields. */
struct xml_input {
    tcplan_read_fn *read;
    void *context;
    bool failed;          /**< `read` returned -1 */
    struct strbuf prolog; /**< private from here on: what was read ahead, including NUL bytes */
    bool given;           /**< to the parser, all of it */
};

/**
 * Reads up to the root's start and refuses what is in front of it: a document type (and with it every entity), an encoding other than UTF-8,
 * more than XML_PROLOG_BYTES_MAX bytes. What is merely unfinished is left to the parser.
 *
 * @return TCPLAN_OK, TCPLAN_INVALID with the line, TCPLAN_NO_MEMORY
 */
enum tcplan_status xml_input_check(struct xml_input *input, struct tcplan_error *error);

/** The next bytes for the parser, valid until the next call: as many as one reading gives. 0 at the end, -1 where reading failed or memory is out. */
ptrdiff_t xml_input_next(struct xml_input *input, const char **piece);

void xml_input_free(struct xml_input *input);

#endif
