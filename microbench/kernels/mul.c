#include "microbench/kernels/mul.h"

#include "microbench/predict/kernel_bursts.h"

static int64_t packed(int64_t increment) {
    return increment < KERNEL_PACKED_INCREMENT ? increment : KERNEL_PACKED_INCREMENT;
}

static void pack(struct blas_call *call) {
    for (int part = 0; part < 3; part++) call->strides[part][0] = packed(call->strides[part][0]);
}

static double elements(const struct blas_call *call) {
    int64_t largest = 1;
    for (int part = 0; part < 3; part++)
        largest = call->strides[part][0] > largest ? call->strides[part][0] : largest;
    return (double)call->length * (double)largest;
}

KERNEL_BURSTS(mul, KERNEL_COST(12, 14, 0, 0, 0),
              KERNEL_ROUTINES(burst_smul, burst_dmul, burst_cmul, burst_zmul), .pack = pack,
              .elements = elements);
