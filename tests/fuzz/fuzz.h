/** Functions that several fuzz targets use. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** The fuzz target, which libFuzzer calls with each input; defined by each fuzz_*.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool holds) {
    if (!holds) abort();
}

/** The bytes of a document, and the position of the next byte to read. */
struct input {
    const char *data;
    size_t size;
    size_t at;
};

/** Reads from a struct input; a tcplan_read_fn. */
static inline ptrdiff_t read_input(void *context, char *buffer, size_t size) {
    struct input *input = context;
    const size_t rest = input->size - input->at;
    const size_t count = rest < size ? rest : size;
    if (count > 0) memcpy(buffer, input->data + input->at, count);
    input->at += count;
    return (ptrdiff_t)count;
}

#endif
