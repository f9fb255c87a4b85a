#include "roofline/kernels/kernels.h"

#include <stddef.h>

#if defined(__x86_64__)
void kernels_choose(const struct kernel_set *out[KERNEL_SETS]) {
    const bool wide = __builtin_cpu_supports("avx512f") != 0;
    const bool vex = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const struct kernel_set *narrow = vex ? &kernels_avx2 : &kernels_baseline;
    out[0] = wide ? &kernels_avx512 : narrow;
    out[1] = wide ? narrow : NULL;
}
#else
void kernels_choose(const struct kernel_set *out[KERNEL_SETS]) {
    out[0] = &kernels_baseline;
    out[1] = NULL;
}
#endif

const char *compute_name(enum compute_operation operation) {
    static const char *const names[COMPUTE_OPERATIONS] = {"fma", "mul_add", "add", "multiply", "divide"};
    return names[operation];
}

const char *stream_name(enum stream_operation operation) {
    static const char *const names[STREAM_OPERATIONS] = {"load",     "store",    "copy",   "triad",  "update", "axpy",
                                                         "triad_nt", "store_nt", "load_2", "load_4", "load_8", "load_16"};
    return names[operation];
}

double compute_flops(const struct compute_kernel *kernel, int64_t rounds) {
    const int element_bits = kernel->precision == TCPLAN_FLOAT ? 32 : 64;
    const int per_instruction = kernel->vector_bits / element_bits * (kernel->operation == COMPUTE_FMA ? 2 : 1);
    return (double)rounds * COMPUTE_CHAINS * per_instruction;
}

struct stream_shape stream_shape(enum stream_operation operation) {
    static const struct stream_shape shapes[STREAM_OPERATIONS] = {
        [STREAM_LOAD] = {1, 8, 0, 1, 8},       [STREAM_STORE] = {1, 0, 8, 1, 16},   [STREAM_COPY] = {2, 8, 8, 1, 24},
        [STREAM_TRIAD] = {3, 16, 8, 1, 32},    [STREAM_UPDATE] = {1, 8, 8, 1, 16},  [STREAM_AXPY] = {2, 16, 8, 1, 24},
        [STREAM_TRIAD_NT] = {3, 16, 8, 1, 24}, [STREAM_STORE_NT] = {1, 0, 8, 1, 8}, [STREAM_LOAD_2] = {1, 8, 0, 2, 16},
        [STREAM_LOAD_4] = {1, 8, 0, 4, 32},    [STREAM_LOAD_8] = {1, 8, 0, 8, 64},  [STREAM_LOAD_16] = {1, 8, 0, 16, 64},
    };
    return shapes[operation];
}
