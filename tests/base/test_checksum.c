#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/checksum.h"

static void known_checksums_are_found(void **state) {
    (void)state;
    static const unsigned char zeros[32];
    assert_int_equal(checksum_add(0, "123456789", 9),
                     0xe3069283U); /* check value of CRC-32C in the catalogues */
    assert_int_equal(checksum_add(0, zeros, sizeof zeros), 0x8a9136aaU); /* RFC 3720, B.4 */
    assert_int_equal(checksum_add(0, "", 0), 0);
    assert_int_equal(checksum_add_by_table(0, "123456789", 9), 0xe3069283U);
    assert_int_equal(checksum_add_by_table(0, zeros, sizeof zeros), 0x8a9136aaU);
}

static void a_checksum_can_be_extended(void **state) {
    (void)state;
    assert_int_equal(checksum_add(checksum_add(0, "1234", 4), "56789", 5), 0xe3069283U);
}

/** The CRC instruction and the table give equal checksums, for all lengths, start addresses and
 * initial values. */
static void the_instruction_and_the_table_agree(void **state) {
    (void)state;
    unsigned char byte[80];
    for (size_t b = 0; b < sizeof byte; b++) byte[b] = (unsigned char)(b * b + 37 * b + 200);
    for (size_t first = 0; first < 9; first++) {
        for (size_t length = 0; first + length <= sizeof byte; length++) {
            const uint32_t before = (uint32_t)(0x9e3779b9U * length);
            assert_int_equal(checksum_add(before, byte + first, length),
                             checksum_add_by_table(before, byte + first, length));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_checksums_are_found),
        cmocka_unit_test(a_checksum_can_be_extended),
        cmocka_unit_test(the_instruction_and_the_table_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
