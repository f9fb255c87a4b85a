/* Exchanges neighbouring numbers, which are the parts of complex numbers. */
#define KERNEL_SWAP_s2(x) KERNEL_MIX_s2(x, x, 1, 0)
#define KERNEL_SWAP_s4(x) KERNEL_MIX_s4(x, x, 1, 0, 3, 2)
#define KERNEL_SWAP_s8(x) KERNEL_MIX_s8(x, x, 1, 0, 3, 2, 5, 4, 7, 6)
#define KERNEL_SWAP_s16(x)                                                                         \
    KERNEL_MIX_s16(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
#define KERNEL_SWAP_d2(x) KERNEL_MIX_d2(x, x, 1, 0)
#define KERNEL_SWAP_d4(x) KERNEL_MIX_d4(x, x, 1, 0, 3, 2)
#define KERNEL_SWAP_d8(x) KERNEL_MIX_d8(x, x, 1, 0, 3, 2, 5, 4, 7, 6)
