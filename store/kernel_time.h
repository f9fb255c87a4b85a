/**
 * The time of a kernel's call by itself, and what it depends on.
 */
#ifndef STORE_KERNEL_TIME_H
#define STORE_KERNEL_TIME_H

#include <stdint.h>

/** What stands where in a key's call. */
enum kernel_key_part {
    KERNEL_KEY_KERNEL,
    KERNEL_KEY_EXTENTS, /**< m, n, k */
    KERNEL_KEY_LEADING =
        KERNEL_KEY_EXTENTS + 3, /**< leading dimensions or increments of the operands */
    KERNEL_KEY_FACTORS = KERNEL_KEY_LEADING + 3, /**< of both: 1 transposed, 2 conjugated, 3 both */
    KERNEL_KEY_SCALARS = KERNEL_KEY_FACTORS + 2, /**< alpha and beta: 0, 1, 2 for anything else */
    KERNEL_KEY_DTYPE = KERNEL_KEY_SCALARS + 2,
    KERNEL_KEY_THREADS,
    KERNEL_KEY_PROVIDER,
    KERNEL_KEY_PARTS
};

/** What a time depends on. */
struct kernel_key {
    int call[KERNEL_KEY_PARTS];
    int64_t products; /**< in a sum */
    int64_t length;
    int64_t strides[3][2];
};

struct kernel_time {
    int64_t made; /**< seconds since 1970 */
    struct kernel_key key;
    double ns; /**< the smallest */
    int timed; /**< so often */
};

#endif
