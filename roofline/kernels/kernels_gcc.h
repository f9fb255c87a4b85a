/**
 * Disables optimisations of gcc that would change the measuring kernels: loops that become calls of
 * memcpy and memset, passes that are fused or exchanged. Included first; other compilers have no
 * such passes or take options (see CMakeLists.txt).
 */
#ifndef ROOFLINE_KERNELS_KERNELS_GCC_H
#define ROOFLINE_KERNELS_KERNELS_GCC_H

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns", "no-loop-unroll-and-jam",                 \
                     "no-loop-interchange")
#endif

#endif
