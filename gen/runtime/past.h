/* Non-temporal stores of 16 bytes each, to aligned addresses, as malloc returns. Shorter types use
 * ordinary stores. */
#define KERNEL_PAST_s1(to, x) (void)(*(to) = (x))
#define KERNEL_PAST_s2(to, x) (void)(*(kernel_s2 *)(to) = (x))
#define KERNEL_PAST_d1(to, x) (void)(*(to) = (x))
#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 12)
#define KERNEL_PAST_s4(to, x) KERNEL_STREAM(s, to, x)
#define KERNEL_PAST_s8(to, x)                                                                      \
    (KERNEL_PAST_s4(to, __builtin_shufflevector(x, x, 0, 1, 2, 3)),                                \
     KERNEL_PAST_s4((to) + 4, __builtin_shufflevector(x, x, 4, 5, 6, 7)))
#define KERNEL_PAST_s16(to, x)                                                                     \
    (KERNEL_PAST_s8(to, __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7)),                    \
     KERNEL_PAST_s8((to) + 8, __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15)))
#define KERNEL_PAST_d2(to, x) KERNEL_STREAM(d, to, x)
#define KERNEL_PAST_d4(to, x)                                                                      \
    (KERNEL_PAST_d2(to, __builtin_shufflevector(x, x, 0, 1)),                                      \
     KERNEL_PAST_d2((to) + 2, __builtin_shufflevector(x, x, 2, 3)))
#define KERNEL_PAST_d8(to, x)                                                                      \
    (KERNEL_PAST_d4(to, __builtin_shufflevector(x, x, 0, 1, 2, 3)),                                \
     KERNEL_PAST_d4((to) + 4, __builtin_shufflevector(x, x, 4, 5, 6, 7)))
#define KERNEL_PASTS(to) ((uintptr_t)(to) % 16 == 0)
#else
#define KERNEL_PAST_s4(to, x) (void)(*(kernel_s4 *)(to) = (x))
#define KERNEL_PAST_s8(to, x) (void)(*(kernel_s8 *)(to) = (x))
#define KERNEL_PAST_s16(to, x) (void)(*(kernel_s16 *)(to) = (x))
#define KERNEL_PAST_d2(to, x) (void)(*(kernel_d2 *)(to) = (x))
#define KERNEL_PAST_d4(to, x) (void)(*(kernel_d4 *)(to) = (x))
#define KERNEL_PAST_d8(to, x) (void)(*(kernel_d8 *)(to) = (x))
#define KERNEL_PASTS(to) ((void)(to), 0)
#endif
