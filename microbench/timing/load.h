/** Other load on the machine during a measurement. */
#ifndef MICROBENCH_LOAD_H
#define MICROBENCH_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/** A starting point. */
struct load_mark {
    uint64_t wall_ns;
    uint64_t thread_ns;
    double process_seconds;
    double machine_seconds; /**< busy seconds of all processors; negative: unknown */
};

/** The load since a starting point. */
struct load_report {
    double lost_share;  /**< share of the time that the calling thread had no core */
    double other_cores; /**< processing units busy with other processes, and with other guests of
                           the hypervisor; negative: unknown */
};

struct load_mark load_begin(void);

/** Returns the load since `mark`. For less than a fifth of a second, the load of other processes
 * is unknown, because the system counts hundredths of a second. */
struct load_report load_end(const struct load_mark *mark);

/**
 * Waits until the other threads of the process sleep, if the system reports that. The threads of a
 * BLAS wait actively for their next call (OpenBLAS's for 2^26 cycles) and would compete for cores.
 * @return false if some still run after `most_ns`
 */
bool load_await_rest(uint64_t most_ns);

#endif
