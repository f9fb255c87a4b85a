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

/* What each character stands for, plus 1; 0: no digit. */
static const unsigned char digits[256] = {
    ['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

bool exact_read(double value[], size_t count, const char *text) {
    bool good = true;
    for (size_t i = 0; i < count; i++, text += EXACT_LENGTH) {
        uint64_t bits = 0;
        for (int d = 0; d < EXACT_LENGTH; d++) {
            const unsigned char digit = digits[(unsigned char)text[d]];
            good = good && digit > 0;
            bits = bits << NIBBLE | (uint64_t)((digit - 1) & 15);
        }
        memcpy(&value[i], &bits, sizeof bits);
    }
    return good;
}
