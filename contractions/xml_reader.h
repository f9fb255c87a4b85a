/**
 * Reads XML element by element and validates it, with memory that does not grow with the document.
 * libxml2 checks that the document is well-formed without building a tree; the tables of a schema
 * check that it is valid.
 */
#ifndef CONTRACTIONS_XML_READER_H
#define CONTRACTIONS_XML_READER_H

#include "contractions/schema.h"
#include "tcplan/xml.h"

struct xml_reader;

enum xml_event {
    XML_EVENT_BEGIN, /**< the start of an element, with its attributes */
    XML_EVENT_TEXT,  /**< a text, or part of one, in an element for which the schema allows text */
    XML_EVENT_END,   /**< the end of an element, even of an empty one */
    XML_EVENT_DONE   /**< the end of a valid document */
};

/**
 * Opens a document.
 *
 * @param out  receives the reader, to be freed with xml_reader_free()
 * @param schema  the schema of the document
 * @param read  called for the bytes of the document until xml_reader_free()
 * @return TCPLAN_OK; TCPLAN_INVALID if the prolog is rejected (xml_input_check());
 *     TCPLAN_ENVIRONMENT if reading fails; TCPLAN_NO_MEMORY
 */
enum tcplan_status xml_reader_new(struct xml_reader **out, const struct schema *schema,
                                  tcplan_read_fn *read, void *context, struct tcplan_error *error);

/** Returns the next event; TCPLAN_INVALID if the document so far is not well-formed or not
 * valid, with the line in `error`. */
enum tcplan_status xml_reader_next(struct xml_reader *reader, enum xml_event *event,
                                   struct tcplan_error *error);

/** Returns the name of the element that starts or ends, "" for a text; valid until
 * xml_reader_free(). */
const char *xml_reader_name(const struct xml_reader *reader);

/**
 * Returns an attribute of the element that starts; NULL if it is absent. Valid until the next
 * event. Lookups in document order are fastest.
 */
const char *xml_reader_attribute(struct xml_reader *reader, const char *name);

/**
 * Extends a checksum (base/checksum.h) by the name of the element that starts and its attributes
 * as xml_text_attribute() writes them, in order, except the one named `but`. If memory runs out,
 * the result is undefined and the next event reports TCPLAN_NO_MEMORY.
 */
uint32_t xml_reader_checksum(struct xml_reader *reader, uint32_t checksum, const char *but);

/** Returns the text of a text event; valid until the next event. */
const char *xml_reader_text(const struct xml_reader *reader);

/** Returns the line number of the current event: for an element, the line on which its start tag
 * ends; for a text, the line on which it ends. */
size_t xml_reader_line(const struct xml_reader *reader);

/**
 * Fills `error` with the message, the line of the event and TCPLAN_INVALID, and returns
 * TCPLAN_INVALID; TCPLAN_NO_MEMORY if an attribute was lost because memory ran out.
 */
enum tcplan_status xml_reader_refuse(const struct xml_reader *reader, struct tcplan_error *error,
                                     const char *format, ...) __attribute__((format(printf, 3, 4)));

void xml_reader_free(struct xml_reader *reader);

#endif
