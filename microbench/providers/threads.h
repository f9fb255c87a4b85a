/**
 * The threads within the calls of providers. They belong to the process, not to the caller: a
 * caller that needs another number borrows it, and the last one to return it restores the old
 * number. If several callers borrow at once, the latest number counts, which may cost time but is
 * never wrong.
 */
#ifndef MICROBENCH_THREADS_H
#define MICROBENCH_THREADS_H

#include "microbench/providers/providers.h"

/**
 * Sets the threads of a provider until they are returned; loans may be returned in any order.
 * @return a ticket for provider_return_threads(); 0: nothing was changed, because the provider
 *     already had this number or has no threads
 */
uint64_t provider_borrow_threads(enum tcplan_provider provider, int threads);

/** Returns borrowed threads. */
void provider_return_threads(enum tcplan_provider provider, uint64_t ticket);

/**
 * Checks whether an open library uses GNU OpenMP, whose threads do not survive a fork. If so,
 * watches for forks from now on.
 */
bool threads_die_in_forks(void *library);

/** Returns how many threads calls of a library may use if `threads` are requested and its
 * threads do not survive a fork: one in a forked process. */
int64_t threads_after_fork(int64_t threads);

#endif
