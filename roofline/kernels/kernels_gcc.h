/**
 * Disables optimisations of gcc that would change the measuring kernels: replacing loops by calls
 * of memcpy and memset, and fusing or exchanging passes. To be included first. Other compilers
 * lack these optimisations or have options for them (see CMakeLists.txt).
 */
#ifndef ROOFLINE_KERNELS_KERNELS_GCC_H
#define ROOFLINE_KERNELS_KERNELS_GCC_H

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns", "no-loop-unroll-and-jam",                 \
                     "no-loop-interchange")
#endif

#endif
