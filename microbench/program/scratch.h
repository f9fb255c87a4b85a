/**
 * Memory for the temporaries of programs that run one after the other or interleaved. Programs
 * share the memory, so that its pages are backed once.
 */
#ifndef MICROBENCH_SCRATCH_H
#define MICROBENCH_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/deadline.h"
#include "tcplan/contraction.h"

struct scratch_block;

/** The largest share of the memory for tensors and temporaries that temporaries may take. */
#define SCRATCH_SHARE 0.2

/** Zero-initialise before use. */
struct scratch {
    struct scratch_block *block[2][TCPLAN_OPERANDS]; /**< for each operand, [0]: blocks
                                                        below BASE_LARGE_BYTES; [1]: larger ones,
                                                        on large pages; each list: largest first */
    size_t limit_bytes; /**< limit on the pages of all operands, unless one operand alone exceeds
                           it; 0: none */
    size_t kept_bytes;  /**< limit, if it is larger, up to which pages are kept for algorithms with
                           other temporaries */
    struct deadline deadline; /**< after this deadline was cancelled, no memory is returned; zeroed:
                                 there is no deadline */
    bool has_zeros; /**< whether temporaries may contain pages of zeros, which were not filled or
                       were returned to the system */
};

/**
 * Returns `bytes` of memory for the temporary of an operand, with arbitrary content: earlier data,
 * numbers near 1 in every type, or 0. The memory is valid until scratch_free() and shared by all
 * requests for this operand. Up to the limit it grows in place, so that earlier users keep their
 * pages. Pages beyond the first BASE_LARGE_BYTES contain zeros until they are written
 * (touch_fill()). A block beyond the limit takes the pages of smaller blocks of its kind and, if
 * the total exceeds both limits, the pages of the other operands. Later requests for these operands
 * get numbers again; earlier users find zeros, and their writes back the pages again. Returns NULL
 * if out of memory or the deadline was cancelled.
 */
char *scratch_get(struct scratch *scratch, enum tcplan_operand operand, size_t bytes);

enum { SCRATCH_BLOCKS = 2 * TCPLAN_OPERANDS };

/** A block of memory that is in use. */
struct scratch_memory {
    char *first;
    size_t bytes;
};

/** Lists the largest blocks of each kind; returns their number. */
size_t scratch_memory(const struct scratch *scratch, struct scratch_memory out[SCRATCH_BLOCKS]);

/** Frees all memory. */
void scratch_free(struct scratch *scratch);

#endif
