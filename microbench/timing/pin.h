/** Keeps the measuring thread on one core and its caches. */
#ifndef MICROBENCH_PIN_H
#define MICROBENCH_PIN_H

#include <stdbool.h>

/** The affinity before pinning. */
struct pin {
    bool pinned;
    unsigned long mask[16]; /* mask of 1024 processors, as in cpu_set_t */
};

/** Binds the calling thread to its current processor; pinned is false if the system refuses. */
struct pin pin_thread(void);

/** Restores the affinity before pin_thread(). */
void pin_release(const struct pin *pin);

#endif
