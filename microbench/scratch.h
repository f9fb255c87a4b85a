/**
 * Memory for the temporaries of programs that run one at a time: kept from one to the next, so that its pages are backed once.
 */
#ifndef MICROBENCH_SCRATCH_H
#define MICROBENCH_SCRATCH_H

#include <stddef.h>

#include "tcplan/contraction.h"

struct scratch_block;

/** Zero-initialise before use. */
struct scratch {
    struct scratch_block *block[TCPLAN_OPERANDS]; /**< by operand, the largest first */
};

/**
 * Memory of `bytes` for the temporary of an operand: what was there before, or a number of about 1 in every type. It is valid until
 * scratch_free(), and given to all that ask. NULL when memory is out.
 */
char *scratch_get(struct scratch *scratch, enum tcplan_operand operand, size_t bytes);

/** Frees all memory. */
void scratch_free(struct scratch *scratch);

#endif
