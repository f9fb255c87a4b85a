/**
 * Loads from memory go in one stream or in several side by side: which is faster differs between
 * machines, so both are tried.
 */
#ifndef ROOFLINE_KERNELS_STREAM_PARTS_H
#define ROOFLINE_KERNELS_STREAM_PARTS_H

/** Times a window of loads in `parts` parts; seconds, 0 if the window is unusable. */
typedef double stream_trial_fn(void *context, int parts);

/** 1 or STREAM_PARTS, whichever has the shortest of a few windows, taken alternately; 1 if they are
 * equal, or no window is usable. */
int stream_parts_faster(stream_trial_fn *trial, void *context);

#endif
