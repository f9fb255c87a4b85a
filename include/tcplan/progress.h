/** Being told how far a long call is. */
#ifndef TCPLAN_PROGRESS_H
#define TCPLAN_PROGRESS_H

#ifdef __cplusplus
extern "C" {
#endif

/** Told about progress: what is being done, how much of it is done and how much there is at most.
 */
typedef void tcplan_progress_fn(void *context, const char *activity, double done, double total);

#ifdef __cplusplus
}
#endif

#endif
