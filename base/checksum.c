#include "base/checksum.h"

uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t length) {
    /* Of every value of four bits; made from the polynomial, as
       for (i = 0; i < 16; i++) { r = i; for (b = 0; b < 4; b++) r = r >> 1 ^ (r & 1 ? 0x82f63b78 : 0); table[i] = r; } */
    static const uint32_t table[16] = {0x00000000U, 0x105ec76fU, 0x20bd8edeU, 0x30e349b1U, 0x417b1dbcU, 0x5125dad3U,
                                       0x61c69362U, 0x7198540dU, 0x82f63b78U, 0x92a8fc17U, 0xa24bb5a6U, 0xb21572c9U,
                                       0xc38d26c4U, 0xd3d3e1abU, 0xe330a81aU, 0xf36e6f75U};
    const unsigned char *byte = bytes;
    checksum = ~checksum;
    for (; length > 0; length--) {
        checksum ^= *byte++;
        checksum = checksum >> 4 ^ table[checksum & 15];
        checksum = checksum >> 4 ^ table[checksum & 15];
    }
    return ~checksum;
}
