#include "store/exact.h"

#include <stdint.h>
#include <string.h>

enum { NIBBLE = 4 };

static void write_one(char out[EXACT_LENGTH], double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int d = EXACT_LENGTH - 1; d >= 0; d--, bits >>= NIBBLE)
        out[d] = "0123456789abcdef"[bits & 15];
}

void exact_write(struct strbuf *out, const double value[], size_t count) {
    char *at = strbuf_extend(out, count * EXACT_LENGTH);
    for (size_t i = 0; i < count && at; i++) write_one(at + i * EXACT_LENGTH, value[i]);
}

/* Reading: the characters of a number side by side, as vectors that compilers have instructions
 * for. */

typedef uint8_t characters __attribute__((vector_size(EXACT_LENGTH)));
typedef uint16_t pairs __attribute__((vector_size(EXACT_LENGTH)));
typedef uint8_t bytes __attribute__((vector_size(EXACT_LENGTH / 2)));

/** The number that the digits are of; `wrong` gets bits where one is none. */
static uint64_t number_of(characters text, characters *wrong) {
    uint64_t bits;
    const characters letter = (characters)(text > '9');
    const characters above = text - '0' - (letter & ('a' - '0')); /* '0', or 'a' */
    *wrong |= (characters)(above > 9 - (letter & 4));
    const pairs value = (pairs)(above + (letter & 10));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const bytes joined = __builtin_convertvector((value >> NIBBLE | value) & 0xff, bytes);
    memcpy(&bits, &joined, sizeof bits);
#else
    const bytes joined = __builtin_convertvector((value << NIBBLE | value >> 8) & 0xff, bytes);
    memcpy(&bits, &joined, sizeof bits);
    bits = __builtin_bswap64(bits);
#endif
    return bits;
}

bool exact_read(double value[], size_t count, const char *text) {
    characters wrong = {0};
    uint64_t half[2];
    for (size_t i = 0; i < count; i++, text += EXACT_LENGTH) {
        characters digits;
        memcpy(&digits, text, sizeof digits);
        const uint64_t bits = number_of(digits, &wrong);
        memcpy(&value[i], &bits, sizeof bits);
    }
    memcpy(half, &wrong, sizeof half);
    return (half[0] | half[1]) == 0;
}
