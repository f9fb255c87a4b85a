#include "store/exact.h"

#include <stdint.h>
#include <string.h>

enum { NIBBLE = 4 };

static void write_one(char out[EXACT_LENGTH], double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int d = EXACT_LENGTH - 1; d >= 0; d--, bits >>= NIBBLE) out[d] = "0123456789abcdef"[bits & 15];
}

void exact_write(struct strbuf *out, const double value[], size_t count) {
    char *at = strbuf_extend(out, count * EXACT_LENGTH);
    for (size_t i = 0; i < count && at; i++) write_one(at + i * EXACT_LENGTH, value[i]);
}

/* Reading, eight characters at a time: a byte each of a word. */

#define BYTES(value) (0x0101010101010101U * (value))

/** The first character in the lowest byte. */
static uint64_t load(const char *text) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/** The nibbles of eight characters; `wrong` gets a bit where one is no digit. Letters have bit 6, and 9 less in their lower half than they stand for. */
static uint64_t nibbles(uint64_t text, uint64_t *wrong) {
    const uint64_t letter = text >> 6 & BYTES(1);
    const uint64_t value = (text & BYTES(15)) + 9 * letter;
    const uint64_t above_nine = (value + BYTES(6)) >> NIBBLE & BYTES(1);
    *wrong |= (value & BYTES(16)) | (above_nine ^ letter) | ((value + BYTES('0') + ('a' - '0' - 10) * letter) ^ text);
    return value;
}

/** Eight nibbles, the first of which is the highest, side by side. */
static uint64_t join(uint64_t value) {
    value = (value & 0x000f000f000f000fU) << 4 | (value >> 8 & 0x000f000f000f000fU);
    value = (value & 0x000000ff000000ffU) << 8 | (value >> 16 & 0x000000ff000000ffU);
    return (value & 0xffffU) << 16 | (value >> 32 & 0xffffU);
}

bool exact_read(double value[], size_t count, const char *text) {
    uint64_t wrong = 0;
    for (size_t i = 0; i < count; i++, text += EXACT_LENGTH) {
        const uint64_t high = join(nibbles(load(text), &wrong)), low = join(nibbles(load(text + EXACT_LENGTH / 2), &wrong));
        const uint64_t bits = high << 32 | low;
        memcpy(&value[i], &bits, sizeof bits);
    }
    return wrong == 0;
}
