/** Functions that replace MPI's collectives (by PMPI) and count their bytes. */
#ifndef MPI_COUNTING_H
#define MPI_COUNTING_H

#include <mpi.h>
#include <stdint.h>

#include "tcplan/communication.h"

/** Calls of one collective, and their bytes. */
struct counted {
    int64_t calls, sent, received;
};

void counting_begin(void);
void counting_end(struct counted out[TCPLAN_COLLECTIVES]);

#endif
