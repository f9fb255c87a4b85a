#include "support/memory_source.h"

#include <string.h>

struct memory_source memory_source_of(const char *text) {
    return (struct memory_source){.text = text, .length = strlen(text)};
}

ptrdiff_t memory_source_read(void *context, char *buffer, size_t size) {
    struct memory_source *source = context;
    size_t count = source->length - source->at;
    if (count > size) count = size;
    if (source->piece > 0 && count > source->piece) count = source->piece;
    if (count > 0) memcpy(buffer, source->text + source->at, count);
    source->at += count;
    return (ptrdiff_t)count;
}
