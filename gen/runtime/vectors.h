/*
 * Vectors of numbers with any alignment: kernel_d4 is four doubles. gcc and clang compile them for
 * the current instruction set.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef float kernel_s1;
typedef float kernel_s2 __attribute__((vector_size(8), aligned(4), may_alias));
typedef float kernel_s4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float kernel_s8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float kernel_s16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef double kernel_d1;
typedef double kernel_d2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double kernel_d4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double kernel_d8 __attribute__((vector_size(64), aligned(8), may_alias));

/* The longest vectors, aligned. */
typedef float kernel_whole_s16 __attribute__((vector_size(64), may_alias));
typedef double kernel_whole_d8 __attribute__((vector_size(64), may_alias));

/* Permits fused multiply-adds, which gcc does not use with -std=c11. */
#if defined(__clang__)
#define KERNEL_PLAIN
#else
#define KERNEL_PLAIN __attribute__((optimize("fp-contract=fast")))
#endif
#define KERNEL_AVX2 __attribute__((target("avx2,fma"))) KERNEL_PLAIN
#define KERNEL_AVX512 __attribute__((target("avx512f,avx2,fma"))) KERNEL_PLAIN
#define KERNEL_TILE __attribute__((always_inline)) static inline void
#define KERNEL_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define KERNEL_UNROLL(rounds) KERNEL_PRAGMA(clang loop unroll_count(rounds))
#else
#define KERNEL_UNROLL(rounds) KERNEL_PRAGMA(GCC unroll rounds)
#endif

/* Orders non-temporal stores before later work of other threads. */
#if defined(__x86_64__)
#define KERNEL_FENCE() __builtin_ia32_sfence()
#else
#define KERNEL_FENCE() (void)0
#endif
