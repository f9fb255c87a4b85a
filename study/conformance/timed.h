/** A product that is executed repeatedly, in the process that opened the library. */
#ifndef STUDY_CONFORMANCE_TIMED_H
#define STUDY_CONFORMANCE_TIMED_H

#include "study/conformance/cases.h"

/** Zero-initialise before use. */
struct timed {
    int threads;
    struct library library;
    bool is_open;
    struct product product;
    struct tensors tensors; /* tensors, without expected results */
    struct planned planned;
    int executions; /* number of executions in a sample */
};

enum timed_step { TIMED_PREPARE, TIMED_SAMPLE };

struct timed_request {
    enum timed_step step;
    struct product product;
};

struct timed_reply {
    double seconds; /* seconds of one execution; after TIMED_PREPARE, seconds of planning */
    char why[TCPLAN_MESSAGE_SIZE]; /* error message; empty: no error */
};

/** Answers a request. TIMED_PREPARE opens the library, plans a product and checks its result;
 * TIMED_SAMPLE takes a sample. */
struct timed_reply timed_answer(struct timed *timed, const char *path,
                                const struct timed_request *request);

/** Makes the gemm with the sizes of a contraction; returns false if there is none. */
bool timed_gemm(struct product *out, const struct product *product);

#endif
