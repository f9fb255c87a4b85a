/* Loops that a provider generates code for; there is no other burst. */
#include "microbench/predict/kernel_bursts.h"

KERNEL_BURSTS(loops, KERNEL_COST(10, 1.5, 8, 2, 4), KERNEL_ROUTINES(NULL, NULL, NULL, NULL),
              .pack = NULL);
