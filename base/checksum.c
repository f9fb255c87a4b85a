#include "base/checksum.h"

#include <string.h>

#if defined(__GNUC__) && defined(__x86_64__)
#define HAS_INSTRUCTION
#endif

/* The remainder of each 4-bit value after four division steps:
 * r = r >> 1 ^ (r & 1 ? 0x82f63b78 : 0). */
static const uint32_t table[16] = {0x00000000U, 0x105ec76fU, 0x20bd8edeU, 0x30e349b1U,
                                   0x417b1dbcU, 0x5125dad3U, 0x61c69362U, 0x7198540dU,
                                   0x82f63b78U, 0x92a8fc17U, 0xa24bb5a6U, 0xb21572c9U,
                                   0xc38d26c4U, 0xd3d3e1abU, 0xe330a81aU, 0xf36e6f75U};

uint32_t checksum_add_by_table(uint32_t checksum, const void *bytes, size_t length) {
    const unsigned char *byte = bytes;
    checksum = ~checksum;
    for (size_t b = 0; b < length; b++) {
        checksum ^= byte[b];
        checksum = checksum >> 4 ^ table[checksum & 15];
        checksum = checksum >> 4 ^ table[checksum & 15];
    }
    return ~checksum;
}

#ifdef HAS_INSTRUCTION

/** Extends a checksum by the instruction of SSE 4.2 for this polynomial. */
__attribute__((target("sse4.2"))) static uint32_t add_by_instruction(uint32_t checksum,
                                                                     const unsigned char *byte,
                                                                     size_t length) {
    uint64_t sum = ~checksum;
    for (; length >= sizeof(uint64_t); length -= sizeof(uint64_t), byte += sizeof(uint64_t)) {
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
