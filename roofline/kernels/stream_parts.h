/**
 * Loads from memory in one stream or in several side by side. Which is faster differs between
 * machines, so both are tried.
 */
#ifndef ROOFLINE_KERNELS_STREAM_PARTS_H
#define ROOFLINE_KERNELS_STREAM_PARTS_H

/** Times a window of loads in `parts` parts; returns seconds, 0 if the window is unusable. */
typedef double stream_trial_fn(void *context, int parts);

/** Returns 1 or STREAM_PARTS, whichever had the shortest window in a few alternating trials; 1 if
 * both are equal or no window is usable. */
int stream_parts_faster(stream_trial_fn *trial, void *context);

#endif
