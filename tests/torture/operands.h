/**
 * The tensors of a check: between pages that nobody may touch, inputs in pages that nobody may
 * write, what is not to be read in pages that nobody may read, everything that is no element
 * poisoned. The result is compared with nested loops.
 */
#ifndef TORTURE_OPERANDS_H
#define TORTURE_OPERANDS_H

#include <complex.h>

#include "tcplan/problem.h"
#include "torture/pages.h"
#include "torture/subject.h"

struct operand {
    struct pages pages;
    char *at; /* its element whose indices are all 0 */
};

struct operands {
    const struct tcplan_problem *problem;
    const struct subject *subject;
    struct tcplan_scalar alpha, beta; /* of the execution */
    struct operand tensor[TCPLAN_TENSORS];
    int64_t points;          /* of the result */
    double _Complex *before; /* what is added at each point of the result, or was there */
    unsigned char *image;    /* the result's memory as it was; NULL: not kept */
    unsigned char *elements; /* bits to compare: 0 in the bytes of its elements, else all */
    double _Complex *sums;   /* of the products, at each point of the result; NULL: not computed yet
                              */
    double *magnitudes;      /* and of their magnitudes */
    double terms;            /* products of one sum */
    bool conjugates_before;  /* what was there is added as its conjugate */
};

/**
 * Prepares an execution with these factors. Consecutive checks of one product share memory, data
 * and sums, which operands_free() returns for reuse. False where memory is out. To be freed with
 * operands_free() in any case.
 */
bool operands_init(struct operands *out, const struct tcplan_problem *problem,
                   const struct subject *subject, struct tcplan_scalar alpha,
                   struct tcplan_scalar beta);

/** The result as it was before; between two executions. */
void operands_reset(struct operands *operands);

/** Where pointers to the tensors are to; the addend's is NULL if there is none. */
void *operands_at(const struct operands *operands, enum tcplan_operand operand);

/** NULL where the result is right, else what is wrong: overwritten by the next call. */
const char *operands_wrong(struct operands *operands);

void operands_free(struct operands *operands);

#endif
