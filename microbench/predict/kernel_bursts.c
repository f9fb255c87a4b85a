#include "microbench/predict/kernel_bursts.h"

#define BURSTS(NAME, name) [TCPLAN_##NAME] = &bursts_##name,
static const struct kernel_bursts *const bursts[TCPLAN_KERNELS] = {TCPLAN_KERNEL_LIST(BURSTS)};

const struct kernel_bursts *kernel_bursts_of(enum tcplan_kernel kernel) {
    return bursts[kernel];
}
