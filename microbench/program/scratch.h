/**
 * Memory for the temporaries of programs that run one at a time, or in turns: kept from one to the
 * next, so that its pages are backed once.
 */
#ifndef MICROBENCH_SCRATCH_H
#define MICROBENCH_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/deadline.h"
#include "tcplan/contraction.h"

struct scratch_block;

/** Temporaries take this share at most of the memory that they and tensors may take together. */
#define SCRATCH_SHARE 0.2

/** Zero-initialise before use. */
struct scratch {
    struct scratch_block *block[2][TCPLAN_OPERANDS]; /**< what is not BASE_LARGE_BYTES, and what is,
                                                        on large pages; the largest first */
    size_t limit_bytes; /**< bound on the pages of all together while one operand's are no more; 0:
                           none */
    struct deadline deadline; /**< cancelled, no memory is given any more; zeroed: never */
    bool gave_back; /**< some of their pages went back to the system: who reads temporaries may find
                       none */
};

/**
 * Memory of `bytes` for the temporary of an operand: what was there before, a number of about 1 in
 * every type, or 0. It is valid until scratch_free(), and given to all that ask: up to the limit it
 * grows in place, so that what others have of it keeps its pages. A block beyond the limit takes
 * the pages of smaller ones of its kind, and where all together are beyond it those of the other
 * operands: who asks for these later gets numbers again, and who still has them finds zeros, in
 * pages that come as they are written. NULL when memory is out, or the deadline was cancelled.
 */
char *scratch_get(struct scratch *scratch, enum tcplan_operand operand, size_t bytes);

enum { SCRATCH_BLOCKS = 2 * TCPLAN_OPERANDS };

/** Memory with numbers in it. */
struct scratch_memory {
    char *first;
    size_t bytes;
};

/** The largest blocks of each kind. Returns how many there are. */
size_t scratch_memory(const struct scratch *scratch, struct scratch_memory out[SCRATCH_BLOCKS]);

/** Frees all memory. */
void scratch_free(struct scratch *scratch);

#endif
