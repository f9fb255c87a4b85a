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
    assert_int_equal(checksum_add(0, "123456789", 9), 0xe3069283U);      /* the catalogues' check value of CRC-32C */
    assert_int_equal(checksum_add(0, zeros, sizeof zeros), 0x8a9136aaU); /* RFC 3720, B.4 */
    assert_int_equal(checksum_add(0, "", 0), 0);
}

static void a_checksum_goes_on(void **state) {
    (void)state;
    assert_int_equal(checksum_add(checksum_add(0, "1234", 4), "56789", 5), 0xe3069283U);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_checksums_are_found),
        cmocka_unit_test(a_checksum_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
