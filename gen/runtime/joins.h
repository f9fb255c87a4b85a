/* KERNEL_JOIN_d4(mask, x, y) has the numbers of x where the mask has ones, and those of y
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
