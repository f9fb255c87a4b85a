/* Selects numbers of two vectors: KERNEL_MIX_d4(x, y, 0, 4, 2, 6). Numbers of y count from the
 * length of x on. */
#if defined(__clang__) || __GNUC__ >= 12
#define KERNEL_MIX(type, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define KERNEL_MIX(type, x, y, ...) __builtin_shuffle(x, y, (type){__VA_ARGS__})
#endif
#define KERNEL_MIX_s2(x, y, ...) KERNEL_MIX(kernel_i2, x, y, __VA_ARGS__)
#define KERNEL_MIX_s4(x, y, ...) KERNEL_MIX(kernel_i4, x, y, __VA_ARGS__)
#define KERNEL_MIX_s8(x, y, ...) KERNEL_MIX(kernel_i8, x, y, __VA_ARGS__)
#define KERNEL_MIX_s16(x, y, ...) KERNEL_MIX(kernel_i16, x, y, __VA_ARGS__)
#define KERNEL_MIX_d2(x, y, ...) KERNEL_MIX(kernel_l2, x, y, __VA_ARGS__)
#define KERNEL_MIX_d4(x, y, ...) KERNEL_MIX(kernel_l4, x, y, __VA_ARGS__)
#define KERNEL_MIX_d8(x, y, ...) KERNEL_MIX(kernel_l8, x, y, __VA_ARGS__)

/* Prevents compilers from moving the loads of a tile out of the loop over tiles, for which
 * registers would not suffice. */
#define KERNEL_APART() __asm__ volatile("" : : : "memory")

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
