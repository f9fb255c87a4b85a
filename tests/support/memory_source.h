/**
 * A text as the source of a document.
 */
#ifndef SUPPORT_MEMORY_SOURCE_H
#define SUPPORT_MEMORY_SOURCE_H

#include "tcplan/xml.h"

struct memory_source {
    const char *text;
    size_t length;
    size_t at;
    size_t piece; /**< bytes given at once; 0: as many as are asked for */
};

/** The source of a string. */
struct memory_source memory_source_of(const char *text);

/** A tcplan_read_fn; `context` is a struct memory_source. */
ptrdiff_t memory_source_read(void *context, char *buffer, size_t size);

#endif
