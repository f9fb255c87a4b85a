#include "roofline/ceilings/limit.h"

#include <math.h>

#if defined(__x86_64__)
/** Instructions per cycle: two fused multiply-adds; four additions or multiplications, as there are
 * two more units for additions (AMD since Zen, Intel since Lion Cove); one division every other
 * cycle. */
static const double fma_per_cycle = 2, other_per_cycle = 4, divide_per_cycle = 0.5;
/** Per cycle: three loads of 32 bytes or two of 64; two stores of 32 or one of 64; one 64-byte line
 * in each direction between two caches. */
static const double loads_per_cycle = 3, loaded_bytes_per_cycle = 128, stored_bytes_per_cycle = 64,
                    line_bytes_per_cycle = 64;
#else
/** Per cycle: four vector instructions of any kind; four loads; 128 bytes in each direction between
 * two caches. */
static const double fma_per_cycle = 4, other_per_cycle = 4, divide_per_cycle = 1;
static const double loads_per_cycle = 4, loaded_bytes_per_cycle = 128, stored_bytes_per_cycle = 128,
                    line_bytes_per_cycle = 128;
#endif

double limit_flops(const struct compute_kernel *kernel) {
    const double per_instruction = compute_flops(kernel, 1) / COMPUTE_CHAINS;
    const enum compute_operation operation = kernel->operation;
    return per_instruction * (compute_is_fused(operation)   ? fma_per_cycle
                              : operation == COMPUTE_DIVIDE ? divide_per_cycle
                                                            : other_per_cycle);
}

double limit_double_flops(int vector_bits) {
    return vector_bits / 64.0 * fmax(2 * fma_per_cycle, other_per_cycle);
}

double limit_bytes(const struct stream_kernel *kernel, bool in_l1) {
    const struct stream_shape shape = stream_shape(kernel->operation);
    const double load_bytes =
        fmin(loaded_bytes_per_cycle, loads_per_cycle * kernel->vector_bits / 8.0);
    /* Between caches, data move in lines, in both directions at once. */
    const double in = in_l1 ? load_bytes : fmin(load_bytes, line_bytes_per_cycle);
    const double out = in_l1 ? stored_bytes_per_cycle : line_bytes_per_cycle;
    return (shape.read_bytes + shape.written_bytes) /
           fmax(shape.read_bytes / in, shape.written_bytes / out);
}
