/** Progress of long calls. */
#ifndef TCPLAN_PROGRESS_H
#define TCPLAN_PROGRESS_H

#ifdef __cplusplus
extern "C" {
#endif

/** Callback that receives progress: the current activity, the amount done, and an upper bound of
 * the total, INFINITY if there is none. */
typedef void tcplan_progress_fn(void *context, const char *activity, double done, double total);

#ifdef __cplusplus
}
#endif

#endif
