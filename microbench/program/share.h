/** Shares work among threads, those of gen/runtime/team.h, which emitted programs also use. */
#ifndef MICROBENCH_SHARE_H
#define MICROBENCH_SHARE_H

#include <stdbool.h>

/** Executes one part of divided work. */
typedef void share_fn(void *context, int part);

/**
 * Executes `threads` parts on at most as many threads, and waits for all. The calling thread does
 * part 0 and every part that no other thread takes in time. If the threads are busy for another
 * caller, or within a part, the calling thread does all parts.
 *
 * @param by  for each part: the thread that did it, from 0 (the calling one), below `threads`;
 *            NULL: not needed
 */
void share_run(int threads, share_fn *part, void *context, int by[]);

#endif
