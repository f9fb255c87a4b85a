/* Loads and stores of the elements of a vector whose bits are set in a mask; the others are 0 after
 * a load. Only functions with KERNEL_AVX512 contain them. */
#define KERNEL_LOAD_s16(from, mask)                                                                \
    ((kernel_s16)__builtin_ia32_loadups512_mask(from, (kernel_whole_s16){0}, mask))
#define KERNEL_LOAD_d8(from, mask)                                                                 \
    ((kernel_d8)__builtin_ia32_loadupd512_mask(from, (kernel_whole_d8){0}, mask))
#define KERNEL_STORE_s16(to, mask, x)                                                              \
    __builtin_ia32_storeups512_mask(to, (kernel_whole_s16)(x), mask)
#define KERNEL_STORE_d8(to, mask, x) __builtin_ia32_storeupd512_mask(to, (kernel_whole_d8)(x), mask)
