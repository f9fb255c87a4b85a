/** Reads a string in memory as a document. */
#ifndef SUPPORT_MEMORY_SOURCE_H
#define SUPPORT_MEMORY_SOURCE_H

#include "tcplan/xml.h"

struct memory_source {
    const char *text;
    size_t length;
    size_t at;
    size_t piece; /**< maximum number of bytes per read; 0: as many as requested */
};

/** Returns the source of a string. */
struct memory_source memory_source_of(const char *text);

/** Reads from a struct memory_source, the `context`. A tcplan_read_fn. */
ptrdiff_t memory_source_read(void *context, char *buffer, size_t size);

#endif
