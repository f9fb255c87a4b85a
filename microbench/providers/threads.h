/**
 * The threads within the calls of providers. They are the process's, not the caller's: who needs another number borrows them, and they are as they were
 * when the
 * last who borrowed has given them back. Where several have borrowed at once the number is that of who came last, which may cost time, and is never wrong.
 */
#ifndef MICROBENCH_THREADS_H
#define MICROBENCH_THREADS_H

#include "microbench/providers/providers.h"

/**
 * Has a provider use so many threads until they are given back, in whatever order.
 *
 * @return what provider_return_threads() wants; 0: nothing was changed, as they were so many already, or it has no threads
 */
uint64_t provider_borrow_threads(enum tcplan_provider provider, int threads);

/** Gives them back. */
void provider_return_threads(enum tcplan_provider provider, uint64_t ticket);

#endif
