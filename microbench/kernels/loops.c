/*
 * Loops that a provider makes code for: it has no other burst than that one's.
 */
#include "microbench/predict/kernel_bursts.h"

const struct kernel_bursts bursts_loops = {.pack = NULL};
