/* Kernels of loops: only generated code can execute them. */
#include "microbench/predict/kernel_bursts.h"

KERNEL_BURSTS(loops, KERNEL_COST(10, 1.5, 8, 2, 4), KERNEL_ROUTINES(NULL, NULL, NULL, NULL),
              .pack = NULL);
