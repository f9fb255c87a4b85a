/* Selects numbers of two vectors: KERNEL_MIX_d4(x, y, 0, 4, 2, 6). Numbers of y count from the
 * length of x on. */
#if defined(__clang__) || __GNUC__ >= 12
#define KERNEL_MIX(type, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
typedef int32_t kernel_i2 __attribute__((vector_size(8)));
typedef int32_t kernel_i4 __attribute__((vector_size(16)));
typedef int32_t kernel_i8 __attribute__((vector_size(32)));
typedef int32_t kernel_i16 __attribute__((vector_size(64)));
typedef int64_t kernel_l2 __attribute__((vector_size(16)));
typedef int64_t kernel_l4 __attribute__((vector_size(32)));
typedef int64_t kernel_l8 __attribute__((vector_size(64)));
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
