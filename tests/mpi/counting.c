/* Counts the bytes that this rank passes to each MPI collective. */
#include "mpi/counting.h"

#include "distributed/runtime/count.h"

void counting_begin(void) {
    dist_count_begin();
}

void counting_end(struct counted out[TCPLAN_COLLECTIVES]) {
    struct dist_counted counted[DIST_COUNTS];
    dist_count_end(counted);
    for (int c = 0; c < TCPLAN_COLLECTIVES; c++)
        out[c] = (struct counted){counted[c].calls, counted[c].sent, counted[c].received};
}
