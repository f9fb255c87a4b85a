/**
 * What else the machine did while something was measured.
 */
#ifndef MICROBENCH_LOAD_H
#define MICROBENCH_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/** A beginning. */
struct load_mark {
    uint64_t wall_ns;
    uint64_t thread_ns;
    double process_seconds;
    double machine_seconds; /**< that all processing units were busy; negative: unknown */
};

/** What happened since. */
struct load_report {
    double lost_share;  /**< of the time: the calling thread had no core */
    double other_cores; /**< processing units kept busy by other processes, and by the hypervisor
                           for others; negative: unknown */
};

struct load_mark load_begin(void);

/** Times below a fifth of a second are too short to tell what other processes did: the system
 * counts in hundredths. */
struct load_report load_end(const struct load_mark *mark);

/**
 * Waits until the other threads of the process sleep, where the system tells. A BLAS's threads wait
 * for their next call actively, OpenBLAS's for 2^26 cycles, on cores that other threads are to have
 * meanwhile.
 *
 * @return false where some still run after so long
 */
bool load_await_rest(uint64_t most_ns);

#endif
