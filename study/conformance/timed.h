/**
 * A product that is executed again and again, in the process that opened the library.
 */
#ifndef STUDY_CONFORMANCE_TIMED_H
#define STUDY_CONFORMANCE_TIMED_H

#include "study/conformance/cases.h"

/** Zero-initialise before use. */
struct timed {
    int threads;
    struct library library;
    bool is_open;
    struct product product;
    struct tensors tensors; /* memory alone */
    struct planned planned;
    int executions; /* of a sample */
};

enum timed_step { TIMED_PREPARE, TIMED_SAMPLE };

struct timed_request {
    enum timed_step step;
    struct product product;
};

struct timed_reply {
    double seconds;                /* of an execution; of TIMED_PREPARE of planning */
    char why[TCPLAN_MESSAGE_SIZE]; /* empty: it succeeded */
};

/** Opens the library, plans a product and executes it once, or takes a sample. */
struct timed_reply timed_answer(struct timed *timed, const char *path,
                                const struct timed_request *request);

/** The product of BLAS with the sizes of a contraction; false if there is none. */
bool timed_gemm(struct product *out, const struct product *product);

#endif
