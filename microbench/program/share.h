/**
 * Work shared among threads: those of OpenMP, which emitted programs run on as well. They are kept, and wait actively for about a millisecond.
 */
#ifndef MICROBENCH_SHARE_H
#define MICROBENCH_SHARE_H

#include <stdbool.h>

/** The part of one thread. */
typedef void share_fn(void *context, int thread);

/**
 * Has each of `threads` threads do its part, the calling one that of thread 0, and waits for all.
 *
 * @return how many threads there were: where the system gives less than were asked for, part p is done by thread p modulo this number
 */
int share_run(int threads, share_fn *part, void *context);

/** Whether there is more than one thread to be had: false in a build without OpenMP. */
bool share_is_possible(void);

#endif
