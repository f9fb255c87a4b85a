#include "base/checksum.h"

#include <string.h>

#if defined(__GNUC__) && defined(__x86_64__)
#define HAS_INSTRUCTION
#endif

/*
 * Eight bytes at a time, by a table for each of their places ("slicing by 8"). A checksum is
 * linear: that of a byte is the sum (exclusive or) of those of its bits, and that of bit b, 1 << b,
 * with k bytes of zeros behind it, is what one division step,
 *     r = r >> 1 ^ (r & 1 ? 0x82f63b78 : 0),
 * makes of it 8 (k + 1) times. These are written down; the preprocessor makes the tables.
 */

#define BIT(i, b, value) (((i) >> (b)) & 1 ? (value) : 0)
#define SUM(i, a, b, c, d, e, f, g, h)                                                             \
    (BIT(i, 0, a) ^ BIT(i, 1, b) ^ BIT(i, 2, c) ^ BIT(i, 3, d) ^ BIT(i, 4, e) ^ BIT(i, 5, f) ^     \
     BIT(i, 6, g) ^ BIT(i, 7, h))
#define OF_4(i, ...)                                                                               \
    SUM(i, __VA_ARGS__), SUM(i + 1, __VA_ARGS__), SUM(i + 2, __VA_ARGS__), SUM(i + 3, __VA_ARGS__)
#define OF_16(i, ...)                                                                              \
    OF_4(i, __VA_ARGS__), OF_4(i + 4, __VA_ARGS__), OF_4(i + 8, __VA_ARGS__),                      \
        OF_4(i + 12, __VA_ARGS__)
#define OF_64(i, ...)                                                                              \
    OF_16(i, __VA_ARGS__), OF_16(i + 16, __VA_ARGS__), OF_16(i + 32, __VA_ARGS__),                 \
        OF_16(i + 48, __VA_ARGS__)
#define OF_256(...)                                                                                \
    {                                                                                              \
        OF_64(0U, __VA_ARGS__), OF_64(64U, __VA_ARGS__), OF_64(128U, __VA_ARGS__),                 \
            OF_64(192U, __VA_ARGS__)                                                               \
    }

enum { SLICES = 8 };

static const uint32_t table[SLICES][256] = {
    OF_256(0xf26b8303U, 0xe13b70f7U, 0xc79a971fU, 0x8ad958cfU, 0x105ec76fU, 0x20bd8edeU,
           0x417b1dbcU, 0x82f63b78U),
    OF_256(0x13a29877U, 0x274530eeU, 0x4e8a61dcU, 0x9d14c3b8U, 0x3fc5f181U, 0x7f8be302U,
           0xff17c604U, 0xfbc3faf9U),
    OF_256(0xa541927eU, 0x4f6f520dU, 0x9edea41aU, 0x38513ec5U, 0x70a27d8aU, 0xe144fb14U,
           0xc76580d9U, 0x8b277743U),
    OF_256(0xdd45aab8U, 0xbf672381U, 0x7b2231f3U, 0xf64463e6U, 0xe964b13dU, 0xd725148bU,
           0xaba65fe7U, 0x52a0c93fU),
    OF_256(0x38116facU, 0x7022df58U, 0xe045beb0U, 0xc5670b91U, 0x8f2261d3U, 0x1ba8b557U,
           0x37516aaeU, 0x6ea2d55cU),
    OF_256(0xef306b19U, 0xdb8ca0c3U, 0xb2f53777U, 0x6006181fU, 0xc00c303eU, 0x85f4168dU,
           0x0e045bebU, 0x1c08b7d6U),
    OF_256(0x68032cc8U, 0xd0065990U, 0xa5e0c5d1U, 0x4e2dfd53U, 0x9c5bfaa6U, 0x3d5b83bdU,
           0x7ab7077aU, 0xf56e0ef4U),
    OF_256(0x493c7d27U, 0x9278fa4eU, 0x211d826dU, 0x423b04daU, 0x847609b4U, 0x0d006599U,
           0x1a00cb32U, 0x34019664U),
};

/** Four bytes, the first the lowest. */
static uint32_t four(const unsigned char *byte) {
    return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 |
           (uint32_t)byte[3] << 24;
}

uint32_t checksum_add_by_table(uint32_t checksum, const void *bytes, size_t length) {
    const unsigned char *byte = bytes;
    checksum = ~checksum;
    for (; length >= SLICES; length -= SLICES, byte += SLICES) {
        const uint32_t low = checksum ^ four(byte), high = four(byte + 4);
        checksum = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^
                   table[4][low >> 24] ^ table[3][high & 255] ^ table[2][high >> 8 & 255] ^
                   table[1][high >> 16 & 255] ^ table[0][high >> 24];
    }
    for (; length > 0; length--) checksum = checksum >> 8 ^ table[0][(checksum ^ *byte++) & 255];
    return ~checksum;
}

#ifdef HAS_INSTRUCTION

/** SSE 4.2 has an instruction for this very polynomial. */
__attribute__((target("sse4.2"))) static uint32_t add_by_instruction(uint32_t checksum,
                                                                     const unsigned char *byte,
                                                                     size_t length) {
    uint64_t sum = ~checksum;
    for (; length >= SLICES; length -= SLICES, byte += SLICES) {
        uint64_t word;
        memcpy(&word, byte, sizeof word);
        sum = __builtin_ia32_crc32di(sum, word);
    }
    for (; length > 0; length--) sum = __builtin_ia32_crc32qi((uint32_t)sum, *byte++);
    return ~(uint32_t)sum;
}

#endif

uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t length) {
#ifdef HAS_INSTRUCTION
    if (__builtin_cpu_supports("sse4.2")) return add_by_instruction(checksum, bytes, length);
#endif
    return checksum_add_by_table(checksum, bytes, length);
}
