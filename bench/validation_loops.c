#include "validation_loops.h"

enum { PAGE_BYTES = 4096 };

static uint64_t element(uint64_t matrix, int64_t n, int64_t row, int64_t column) {
    return matrix + (uint64_t)(row + column * n) * sizeof(double);
}

/** Traces one block of a product: the block of C from (i0, j0) on, and the terms of its sums from
 * k0 on. The accesses are rows of A and columns of B, as in a triple loop over row-major matrices.
 */
static void trace_block(struct simulator *simulator, int64_t n, int64_t i0, int64_t j0, int64_t k0,
                        int64_t block) {
    const uint64_t a = PAGE_BYTES, b = a + (uint64_t)(n * n) * sizeof(double),
                   c = b + (uint64_t)(n * n) * sizeof(double);
    const int64_t rows = i0 + block < n ? i0 + block : n, columns = j0 + block < n ? j0 + block : n,
                  depth = k0 + block < n ? k0 + block : n;
    for (int64_t i = i0; i < rows; i++) {
        for (int64_t j = j0; j < columns; j++) {
            for (int64_t k = k0; k < depth; k++) {
                simulator_access(simulator, element(a, n, k, i), false);
                simulator_access(simulator, element(b, n, j, k), false);
            }
            simulator_access(simulator, element(c, n, j, i), true);
        }
    }
}

void validation_trace_loops(struct simulator *simulator, int64_t n, int64_t block) {
    const int64_t step = block > 0 ? block : n;
    for (int64_t i = 0; i < n; i += step) {
        for (int64_t j = 0; j < n; j += step) {
            for (int64_t k = 0; k < n; k += step) trace_block(simulator, n, i, j, k, step);
        }
    }
}
