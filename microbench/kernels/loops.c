/*
 * Loops that a provider makes code for: it has no other burst than that one's.
 */
#include "microbench/predict/kernel_bursts.h"

KERNEL_BURSTS(loops, KERNEL_COST(10, 1.5, 8, 2, 4), KERNEL_ROUTINES(NULL, NULL, NULL, NULL),
              .pack = NULL);
