/**
 * Choices that packed kernels share, whether their extents are fixed or arguments.
 */
#ifndef GEN_EMITTED_PACKED_H
#define GEN_EMITTED_PACKED_H

#include "gen/emitted/emitted.h"

/** Returns the size of a panel of A. */
int packed_panel_bytes(enum emitted_set set);

/** Returns the product with its indices in the memory order of A, which is read once for each
 * block; rows are ordered as in the result if A is read along k. */
struct emitted_gemm packed_in_order(const struct emitted_gemm *gemm);

/**
 * Where either factor is contiguous along another index of k a part of k is a block of both, so
 * that lines of either are used as a whole: by A's order alone a line of B would be fetched for
 * each of its elements. Returns how long such a part is, at most `most`; 0: k stays as it is.
 */
int64_t packed_cut_contracted(struct emitted_gemm *gemm, int64_t most, int round);

#endif
