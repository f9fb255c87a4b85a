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
    bool ended;           /**< the parser was told that there is no more */
    struct strbuf prolog; /**< private from here on: what was read ahead, including NUL bytes */
    size_t given;         /**< of it */
};

/**
 * Reads up to the root's start and refuses what is in front of it: a document type (and with it every entity), an encoding other than UTF-8,
 * more than XML_PROLOG_BYTES_MAX bytes. What is merely unfinished is left to the parser.
 *
 * @return TCPLAN_OK, TCPLAN_INVALID with the line, TCPLAN_NO_MEMORY
 */
enum tcplan_status xml_input_check(struct xml_input *input, struct tcplan_error *error);

/**
 * Gives the parser its next bytes, never more than to the end of a line, so that the parser is never ahead of what it has told by more than
 * that. As a tcplan_read_fn.
 */
ptrdiff_t xml_input_read(struct xml_input *input, char *buffer, size_t size);

void xml_input_free(struct xml_input *input);

#endif
