#include "roofline/kernels/kernels.h"

#include <stddef.h>

#if defined(__x86_64__)
#include <cpuid.h>

/** CPUID bits of instructions that came after AVX-512F. Their 128-bit and 256-bit forms need
 * AVX-512VL. */
enum { LEAF = 7, FP16_BIT = 23 /* EDX of subleaf 0 */, BF16_BIT = 5 /* EAX of subleaf 1 */ };

static bool has_wide(void) {
    return __builtin_cpu_supports("avx512f") != 0;
}

static bool has_fused(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_all_widths(void) {
    return has_wide() && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

static bool has_fp16(void) {
    unsigned a, b, c, d;
    return has_all_widths() && __get_cpuid_count(LEAF, 0, &a, &b, &c, &d) && (d >> FP16_BIT & 1U);
}

static bool has_bf16(void) {
    unsigned a, b, c, d;
    return has_all_widths() && __get_cpuid_count(LEAF, 1, &a, &b, &c, &d) && (a >> BF16_BIT & 1U);
}
#else
static bool has_wide(void) {
    return false;
}

static bool has_fused(void) {
    return false;
}

static bool has_fp16(void) {
    return false;
}

static bool has_bf16(void) {
    return false;
}
#endif

void kernels_choose(const struct kernel_set *out[KERNEL_SETS]) {
    const struct kernel_set *narrow = has_fused() ? &kernels_avx2 : &kernels_baseline;
    int count = 0;
    if (has_wide()) out[count++] = &kernels_avx512;
    out[count++] = narrow;
    if (has_fp16()) out[count++] = &kernels_fp16;
    if (has_bf16()) out[count++] = &kernels_bf16;
    while (count < KERNEL_SETS) out[count++] = NULL;
}

int kernels_widths(const struct kernel_set *out[KERNEL_WIDTHS]) {
    int count = 0;
    if (has_wide()) out[count++] = &kernels_avx512;
    if (has_fused()) out[count++] = &kernels_avx2;
    out[count++] = &kernels_baseline;
    return count;
}

static bool has_mix(enum tcplan_mix mix) {
    return mix == TCPLAN_MIX_FP16     ? has_fp16()
           : mix == TCPLAN_MIX_BF16_S ? has_bf16()
                                      : has_fused();
}

unsigned kernels_lacking(void) {
    unsigned bits = 0;
    for (int mix = 1; mix < TCPLAN_MIXES; mix++)
        bits |= has_mix((enum tcplan_mix)mix) ? 0 : 1U << mix;
    return bits;
}

unsigned kernels_unbuilt(void) {
    const unsigned fp16 = has_fp16() && kernels_fp16.compute_count == 0 ? 1U << TCPLAN_MIX_FP16 : 0;
    const unsigned bf16 =
        has_bf16() && kernels_bf16.compute_count == 0 ? 1U << TCPLAN_MIX_BF16_S : 0;
    return fp16 | bf16;
}

const char *compute_name(enum compute_operation operation) {
    static const char *const names[COMPUTE_OPERATIONS] = {"fma",    "mul_add", "add", "multiply",
                                                          "divide", "fma",     "fma", "fma"};
    return names[operation];
}

enum tcplan_mix compute_mix(enum compute_operation operation) {
    return operation == COMPUTE_FMA_FP16     ? TCPLAN_MIX_FP16
           : operation == COMPUTE_FMA_BF16_S ? TCPLAN_MIX_BF16_S
           : operation == COMPUTE_FMA_S_D    ? TCPLAN_MIX_S_D
                                             : TCPLAN_MIX_NONE;
}

bool compute_is_fused(enum compute_operation operation) {
    return operation == COMPUTE_FMA || compute_mix(operation) != TCPLAN_MIX_NONE;
}

const char *stream_name(enum stream_operation operation) {
    static const char *const names[STREAM_OPERATIONS] = {
        "load",     "store",    "copy",        "triad",    "update",  "axpy",
        "triad_nt", "store_nt", "load_random", "load_1",   "load_2",  "load_4",
        "load_8",   "load_16",  "load_32",     "load_64",  "store_1", "store_2",
        "store_4",  "store_8",  "store_16",    "store_32", "store_64"};
    return names[operation];
}

/** Returns the bits of each product in a vector. With bfloat16, two products are added to each
 * 32-bit sum. */
static int product_bits(const struct compute_kernel *kernel) {
    const enum tcplan_mix mix = compute_mix(kernel->operation);
    if (mix == TCPLAN_MIX_FP16 || mix == TCPLAN_MIX_BF16_S) return 16;
    return kernel->precision == TCPLAN_FLOAT ? 32 : 64;
}

double compute_flops(const struct compute_kernel *kernel, int64_t rounds) {
    const int per_instruction =
        kernel->vector_bits / product_bits(kernel) * (compute_is_fused(kernel->operation) ? 2 : 1);
    return (double)rounds * COMPUTE_CHAINS * per_instruction;
}

bool stream_is_strided(enum stream_operation operation) {
    return operation >= STREAM_LOAD_1;
}

bool stream_tells_width(enum stream_operation operation) {
    return operation == STREAM_LOAD || operation == STREAM_STORE || operation == STREAM_COPY ||
           operation == STREAM_TRIAD;
}

/** Returns the bytes of cache lines moved for each element visited at a stride: the element's part
 * of the line, or the whole line for long strides. */
static double line_bytes(int stride) {
    enum { ELEMENT_BYTES = 8, LINE_BYTES = 64 };
    const int bytes = stride * ELEMENT_BYTES;
    return bytes < LINE_BYTES ? bytes : LINE_BYTES;
}

struct stream_shape stream_shape(enum stream_operation operation) {
    static const struct stream_shape shapes[STREAM_LOAD_1] = {
        [STREAM_LOAD] = {1, 8, 0, 1, 8},        [STREAM_STORE] = {1, 0, 8, 1, 16},
        [STREAM_COPY] = {2, 8, 8, 1, 24},       [STREAM_TRIAD] = {3, 16, 8, 1, 32},
        [STREAM_UPDATE] = {1, 8, 8, 1, 16},     [STREAM_AXPY] = {2, 16, 8, 1, 24},
        [STREAM_TRIAD_NT] = {3, 16, 8, 1, 24},  [STREAM_STORE_NT] = {1, 0, 8, 1, 8},
        [STREAM_LOAD_RANDOM] = {1, 8, 0, 1, 8},
    };
    if (!stream_is_strided(operation)) return shapes[operation];
    const bool loads = operation < STREAM_STORE_1;
    const int stride = 1 << (operation - (loads ? STREAM_LOAD_1 : STREAM_STORE_1));
    /* Stores fetch the lines that they write. */
    return (struct stream_shape){1, loads ? 8 : 0, loads ? 0 : 8, stride,
                                 loads ? line_bytes(stride) : 2 * line_bytes(stride)};
}
