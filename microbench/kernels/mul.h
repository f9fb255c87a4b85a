/** Element-wise products: the code of gen/runtime for the four element types. */
#ifndef MICROBENCH_KERNELS_MUL_H
#define MICROBENCH_KERNELS_MUL_H

#include <string.h>

#include "microbench/kernels/kernels.h"

kernel_burst_fn burst_smul;
kernel_burst_fn burst_dmul;
kernel_burst_fn burst_cmul;
kernel_burst_fn burst_zmul;

#endif
