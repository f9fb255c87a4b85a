/** A PMPI layer that counts the bytes of collectives. */
#ifndef MPI_COUNTING_H
#define MPI_COUNTING_H

#include <mpi.h>
#include <stdint.h>

#include "tcplan/communication.h"

/** The calls of one collective. */
struct counted {
    int64_t calls, sent, received;
};

void counting_begin(void);
void counting_end(struct counted out[TCPLAN_COLLECTIVES]);

#endif
