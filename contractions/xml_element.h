/** Extracts one element from an XML file. */
#ifndef CONTRACTIONS_XML_ELEMENT_H
#define CONTRACTIONS_XML_ELEMENT_H

#include "tcplan/status.h"

/**
 * Reads a file and finds the element `name`: the root itself, or a child of it.
 * @param out  receives the element as a separate document, to be released with free()
 * @return TCPLAN_OK; TCPLAN_INVALID if the file is not well-formed (the line is in `error`) or has
 *   no such element; TCPLAN_ENVIRONMENT if it cannot be read; TCPLAN_NO_MEMORY
 */
enum tcplan_status xml_element_read(char **out, const char *path, const char *name,
                                    struct tcplan_error *error);

#endif
