/*
 * Copies of blocks with any strides, first part: the types of arguments. The text is written for
 * one element type, `copy_element`.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    COPY_LINE = 64 / sizeof(copy_element),
    COPY_HALF = COPY_LINE / 2,
    COPY_SHORT = 16,
    COPY_STREAM = 1,
    COPY_ACCUMULATE = 2,
    COPY_CONJUGATE = 4
};

/* A dimension of a block: its extent, and its strides in the destination and in the source. */
struct copy_dimension {
    ptrdiff_t extent, to, from;
};
