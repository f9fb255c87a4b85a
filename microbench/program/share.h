/**
 * Work shared among threads: those of gen/runtime/team.h, which emitted programs run on as well.
 */
#ifndef MICROBENCH_SHARE_H
#define MICROBENCH_SHARE_H

#include <stdbool.h>

/** The part of one thread. */
typedef void share_fn(void *context, int part);

/**
 * Has up to `threads` threads do as many parts, the calling one part 0 and whatever no other takes
 * in time, and waits until all are done. Where the threads are at work for somebody else, within a
 * part for instance, the calling one does all.
 *
 * @param by  by part: which thread did it, from 0, the calling one, below `threads`; NULL: not
 *            asked for
 */
void share_run(int threads, share_fn *part, void *context, int by[]);

#endif
