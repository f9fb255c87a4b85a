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

/* Loads and stores of the elements of a vector whose bits are set in a mask; the others are 0 after
 * a load. Only functions with KERNEL_AVX512 contain them. */
#define KERNEL_LOAD_s16(from, mask)                                                                \
    ((kernel_s16)__builtin_ia32_loadups512_mask(from, (kernel_whole_s16){0}, mask))
#define KERNEL_LOAD_d8(from, mask)                                                                 \
    ((kernel_d8)__builtin_ia32_loadupd512_mask(from, (kernel_whole_d8){0}, mask))
#define KERNEL_STORE_s16(to, mask, x)                                                              \
    __builtin_ia32_storeups512_mask(to, (kernel_whole_s16)(x), mask)
#define KERNEL_STORE_d8(to, mask, x) __builtin_ia32_storeupd512_mask(to, (kernel_whole_d8)(x), mask)

/* KERNEL_SELECT(mask, x, y) has the numbers of x where the mask has ones, and those of y
 * elsewhere. */
typedef int32_t kernel_ms4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t kernel_ms8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t kernel_ms16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int64_t kernel_md2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t kernel_md4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t kernel_md8 __attribute__((vector_size(64), aligned(8), may_alias));
#define KERNEL_JOIN(type, mask, x, y)                                                              \
    ((kernel_##type)(((kernel_m##type)(x) & (mask)) | ((kernel_m##type)(y) & ~(mask))))
#define KERNEL_JOIN_s4(mask, x, y) KERNEL_JOIN(s4, mask, x, y)
#define KERNEL_JOIN_s8(mask, x, y) KERNEL_JOIN(s8, mask, x, y)
#define KERNEL_JOIN_s16(mask, x, y) KERNEL_JOIN(s16, mask, x, y)
#define KERNEL_JOIN_d2(mask, x, y) KERNEL_JOIN(d2, mask, x, y)
#define KERNEL_JOIN_d4(mask, x, y) KERNEL_JOIN(d4, mask, x, y)
#define KERNEL_JOIN_d8(mask, x, y) KERNEL_JOIN(d8, mask, x, y)

/* Exchanges neighbouring numbers, which are the parts of complex numbers. */
#if defined(__clang__) || __GNUC__ >= 12
#define KERNEL_SWAP_s2(x) __builtin_shufflevector(x, x, 1, 0)
#define KERNEL_SWAP_s4(x) __builtin_shufflevector(x, x, 1, 0, 3, 2)
#define KERNEL_SWAP_s8(x) __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6)
#define KERNEL_SWAP_s16(x)                                                                         \
    __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
#define KERNEL_SWAP_d2(x) __builtin_shufflevector(x, x, 1, 0)
#define KERNEL_SWAP_d4(x) __builtin_shufflevector(x, x, 1, 0, 3, 2)
#define KERNEL_SWAP_d8(x) __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6)
#else
typedef int32_t kernel_i2 __attribute__((vector_size(8)));
typedef int32_t kernel_i4 __attribute__((vector_size(16)));
typedef int32_t kernel_i8 __attribute__((vector_size(32)));
typedef int32_t kernel_i16 __attribute__((vector_size(64)));
typedef int64_t kernel_l2 __attribute__((vector_size(16)));
typedef int64_t kernel_l4 __attribute__((vector_size(32)));
typedef int64_t kernel_l8 __attribute__((vector_size(64)));
#define KERNEL_SWAP_s2(x) __builtin_shuffle(x, (kernel_i2){1, 0})
#define KERNEL_SWAP_s4(x) __builtin_shuffle(x, (kernel_i4){1, 0, 3, 2})
#define KERNEL_SWAP_s8(x) __builtin_shuffle(x, (kernel_i8){1, 0, 3, 2, 5, 4, 7, 6})
#define KERNEL_SWAP_s16(x)                                                                         \
    __builtin_shuffle(x, (kernel_i16){1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14})
#define KERNEL_SWAP_d2(x) __builtin_shuffle(x, (kernel_l2){1, 0})
#define KERNEL_SWAP_d4(x) __builtin_shuffle(x, (kernel_l4){1, 0, 3, 2})
#define KERNEL_SWAP_d8(x) __builtin_shuffle(x, (kernel_l8){1, 0, 3, 2, 5, 4, 7, 6})
#endif

/*
 * Stores of vectors: in whole lines by non-temporal stores if the machine has them, in partial
 * lines by ordinary ones. KERNEL_FENCE() orders non-temporal stores before later work of other
 * threads.
 */
typedef float kernel_real_s;
typedef double kernel_real_d;
#if defined(__x86_64__)
typedef float kernel_whole_s __attribute__((vector_size(16), may_alias));
typedef double kernel_whole_d __attribute__((vector_size(16), may_alias));
#if defined(__clang__)
#define KERNEL_STREAM(letter, to, x)                                                               \
    __builtin_nontemporal_store((kernel_whole_##letter)(x), (kernel_whole_##letter *)(to))
#else
#define KERNEL_STREAM(letter, to, x) __builtin_ia32_movntp##letter(to, (kernel_whole_##letter)(x))
#endif

/* A vector that is aligned, in a line that is written by non-temporal stores. */
typedef float kernel_whole_s8 __attribute__((vector_size(32), may_alias));
typedef float kernel_whole_s16 __attribute__((vector_size(64), may_alias));
typedef double kernel_whole_d4 __attribute__((vector_size(32), may_alias));
typedef double kernel_whole_d8 __attribute__((vector_size(64), may_alias));
#define KERNEL_LINE_s4(to, x) KERNEL_STREAM(s, to, x)
#define KERNEL_LINE_d2(to, x) KERNEL_STREAM(d, to, x)
#if defined(__clang__)
#define KERNEL_LINE(type, to, x)                                                                   \
    __builtin_nontemporal_store((kernel_whole_##type)(x), (kernel_whole_##type *)(to))
#define KERNEL_LINE_s8(to, x) KERNEL_LINE(s8, to, x)
#define KERNEL_LINE_d4(to, x) KERNEL_LINE(d4, to, x)
#define KERNEL_LINE_s16(to, x) KERNEL_LINE(s16, to, x)
#define KERNEL_LINE_d8(to, x) KERNEL_LINE(d8, to, x)
#else
#define KERNEL_LINE_s8(to, x) __builtin_ia32_movntps256(to, (kernel_whole_s8)(x))
#define KERNEL_LINE_d4(to, x) __builtin_ia32_movntpd256(to, (kernel_whole_d4)(x))
#define KERNEL_LINE_s16(to, x) __builtin_ia32_movntps512(to, (kernel_whole_s16)(x))
#define KERNEL_LINE_d8(to, x) __builtin_ia32_movntpd512(to, (kernel_whole_d8)(x))
#endif
#define KERNEL_WRITE(letter, numbers)                                                              \
    __attribute__((unused)) static inline void kernel_write_##letter(                              \
        kernel_real_##letter *to, const kernel_real_##letter *from, ptrdiff_t count) {             \
        for (; count > 0 && (uintptr_t)to % 64 != 0; count--) *to++ = *from++;                     \
        for (; count >= 4 * (numbers);                                                             \
             count -= 4 * (numbers), to += 4 * (numbers), from += 4 * (numbers)) {                 \
            const kernel_##letter##numbers first = *(const kernel_##letter##numbers *)from;        \
            const kernel_##letter##numbers second =                                                \
                *(const kernel_##letter##numbers *)(from + (numbers));                             \
            const kernel_##letter##numbers third =                                                 \
                *(const kernel_##letter##numbers *)(from + 2 * (numbers));                         \
            const kernel_##letter##numbers fourth =                                                \
                *(const kernel_##letter##numbers *)(from + 3 * (numbers));                         \
            KERNEL_STREAM(letter, to, first);                                                      \
            KERNEL_STREAM(letter, to + (numbers), second);                                         \
            KERNEL_STREAM(letter, to + 2 * (numbers), third);                                      \
            KERNEL_STREAM(letter, to + 3 * (numbers), fourth);                                     \
        }                                                                                          \
        for (; count > 0; count--) *to++ = *from++;                                                \
    }
#define KERNEL_FENCE() __builtin_ia32_sfence()
#else
#define KERNEL_LINE_s4(to, x) (void)(*(kernel_s4 *)(to) = (x))
#define KERNEL_LINE_d2(to, x) (void)(*(kernel_d2 *)(to) = (x))
#define KERNEL_WRITE(letter, numbers)                                                              \
    __attribute__((unused)) static inline void kernel_write_##letter(                              \
        kernel_real_##letter *to, const kernel_real_##letter *from, ptrdiff_t count) {             \
        for (; count > 0; count--) *to++ = *from++;                                                \
    }
#define KERNEL_FENCE() (void)0
#endif
KERNEL_WRITE(s, 4)
KERNEL_WRITE(d, 2)

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
