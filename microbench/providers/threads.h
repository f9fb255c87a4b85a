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
 * Has a provider use so many threads until they are given back, in whatever order.
 *
 * @return what provider_return_threads() wants; 0: nothing was changed, as they were so many
 *         already, or it has no threads
 */
uint64_t provider_borrow_threads(enum tcplan_provider provider, int threads);

/** Returns what was borrowed. */
void provider_return_threads(enum tcplan_provider provider, uint64_t ticket);

/**
 * Finds out whether an open library runs its threads by GNU OpenMP, whose threads a fork ends
 * without telling it. If so, watches for forks from now on.
 */
bool threads_die_in_forks(void *library);

/** Threads that calls of such a library may have where `threads` are wanted: one in a forked
 * process. */
int64_t threads_after_fork(int64_t threads);

#endif
