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

/*
 * Stores of vectors: in whole lines by non-temporal stores if the machine has them, in partial
 * lines by ordinary ones.
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
#else
#define KERNEL_LINE_s4(to, x) (void)(*(kernel_s4 *)(to) = (x))
#define KERNEL_LINE_d2(to, x) (void)(*(kernel_d2 *)(to) = (x))
#define KERNEL_WRITE(letter, numbers)                                                              \
    __attribute__((unused)) static inline void kernel_write_##letter(                              \
        kernel_real_##letter *to, const kernel_real_##letter *from, ptrdiff_t count) {             \
        for (; count > 0; count--) *to++ = *from++;                                                \
    }
#endif
KERNEL_WRITE(s, 4)
KERNEL_WRITE(d, 2)
