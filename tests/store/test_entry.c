#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/checksum.h"
#include "store/entry.h"

#define HEAD                                                                                       \
    "tcplan store 1\nentry kind=ceilings version=3 key=threads-1 made=7 tcplan=0.1.0\nof CPU=a\n"
#define CEILING "compute name=fma precision=d vector_bits=256 threads=1 cache=-1 rate=2 q1=1 q3=3\n"

/** Checks that an entry with these lines and a correct checksum is refused. */
static void assert_refused(const char *lines, enum tcplan_status status, size_t line,
                           const char *part_of_message) {
    char text[2048];
    struct entry entry;
    struct tcplan_error error = {0};
    snprintf(text, sizeof text, "%schecksum %08" PRIx32 "\n", lines,
             checksum_add(0, lines, strlen(lines)));
    enum tcplan_status found = entry_read(&entry, text, strlen(text), &error);
    if (found == TCPLAN_OK) found = entry_value(NULL, &entry, &error);
    if (found != status) fail_msg("%d, not %d for: %s", (int)found, (int)status, lines);
    if (!strstr(error.message, part_of_message))
        fail_msg("expected '%s', found '%s'", part_of_message, error.message);
    assert_int_equal(error.line, line);
}

static void an_entry_has_a_head_and_content(void **state) {
    (void)state;
    assert_refused(HEAD "machine line_bytes=64\n" CEILING, TCPLAN_OK, 0, "");
    assert_refused("tcplan store 1\n", TCPLAN_INVALID, 0, "expected a line 'entry");
    assert_refused("tcplan store 1\nentry kind=ceilings version=3\n", TCPLAN_INVALID, 0,
                   "expected a line 'of");
    assert_refused("tcplan store x\n", TCPLAN_INVALID, 0, "not an entry of a store");
    assert_refused("tcplan store 12\n", TCPLAN_MISMATCH, 0, "version 12");
    assert_refused("tcplan store 1234567\n", TCPLAN_INVALID, 0, "not an entry");
    assert_refused("tcplan store 1\nentry kind=teas version=1\nof\n", TCPLAN_MISMATCH, 0,
                   "kind 'teas' is unknown");
    assert_refused("tcplan store 1\nentry kind=ceilings version=9 tcplan=7\nof\n", TCPLAN_MISMATCH,
                   0, "version 9, written by tcplan 7; this tcplan reads version 3");
}

static void invalid_content_is_refused_with_its_line(void **state) {
    (void)state;
    assert_refused(HEAD, TCPLAN_INVALID, 0, "it is empty");
    assert_refused(HEAD "machine line_bytes=64\ntea\n", TCPLAN_INVALID, 5,
                   "expected machine, cache");
    assert_refused(HEAD "machine\n", TCPLAN_INVALID, 4, "line_bytes");
    assert_refused(HEAD "machine line_bytes=64\ncache level=1\n", TCPLAN_INVALID, 5,
                   "level and size");
    assert_refused(HEAD "machine line_bytes=64\ncompute name=fma threads=1 cache=-1\n",
                   TCPLAN_INVALID, 5, "a rate between its quartiles");
    assert_refused(HEAD
                   "machine line_bytes=64\ncompute name=fma threads=1 cache=-1 rate=1 q1=2 q3=3\n",
                   TCPLAN_INVALID, 5, "quartiles");
    assert_refused(
        HEAD
        "machine line_bytes=64\nbandwidth name=load level=L1 threads=1 cache=1 rate=1 q1=1 q3=1\n",
        TCPLAN_INVALID, 5, "a cache level");
    assert_refused(HEAD "machine line_bytes=64\nlevel name=L1 threads=1\n", TCPLAN_INVALID, 5,
                   "lacks threads, a rate");
    assert_refused(HEAD "machine line_bytes=64\nlevel name=L1 threads=1 rate=1 cache=1\n",
                   TCPLAN_INVALID, 5, "a cache level");
    assert_refused(HEAD
                   "machine line_bytes=64\nsweep name=load threads=1 cache=-1 rate=1 q1=1 q3=1\n",
                   TCPLAN_INVALID, 5, "quartiles");
    assert_refused(HEAD "machine line_bytes=64\ncompute name=fma rate=x\n", TCPLAN_INVALID, 5,
                   "'rate' cannot be 'x'");
}

static void truncated_objects_are_refused(void **state) {
    static const char text[] = HEAD CEILING "checksum 00000000\n";
    (void)state;
    for (size_t length = 0; length < sizeof text; length++) {
        struct entry entry;
        struct tcplan_error error = {0};
        assert_int_equal(entry_read(&entry, text, length, &error), TCPLAN_INVALID);
        assert_true(*error.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_has_a_head_and_content),
        cmocka_unit_test(invalid_content_is_refused_with_its_line),
        cmocka_unit_test(truncated_objects_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
