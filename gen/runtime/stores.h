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
typedef double kernel_whole_d4 __attribute__((vector_size(32), may_alias));
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
