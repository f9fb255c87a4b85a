#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/render/text/table.h"
#include "cli/render/text/visible.h"

enum { SHOWN_SIZE = 2048 };

/** A pseudo-terminal of a given width, and a thread that reads its output. */
struct screen {
    int master;
    FILE *file;
};

static struct screen screen_open(unsigned short columns) {
    struct screen screen = {.master = posix_openpt(O_RDWR | O_NOCTTY)};
    struct termios settings = {0};
    assert_true(screen.master >= 0 && grantpt(screen.master) == 0 && unlockpt(screen.master) == 0);
    const int slave = open(ptsname(screen.master), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0 && tcgetattr(slave, &settings) == 0);
    settings.c_oflag &= ~(tcflag_t)OPOST; /* the terminal does not convert line ends */
    assert_int_equal(tcsetattr(slave, TCSANOW, &settings), 0);
    assert_int_equal(ioctl(slave, TIOCSWINSZ, &(struct winsize){.ws_row = 24, .ws_col = columns}),
                     0);
    screen.file = fdopen(slave, "w");
    assert_non_null(screen.file);
    return screen;
}

static void screen_close(struct screen *screen, char shown[SHOWN_SIZE]) {
    size_t length = 0;
    fclose(screen->file);
    for (ssize_t bytes = 1;
         bytes > 0 && length<SHOWN_SIZE - 1; length += bytes> 0 ? (size_t)bytes : 0) {
        bytes = read(screen->master, shown + length,
                     SHOWN_SIZE - 1 - length); /* read() fails when the other end is closed */
    }
    assert_true(length > 0);
    shown[length] = '\0';
    close(screen->master);
}

static void print(FILE *file) {
    struct table table = {.columns = "lrr", .optional = "012"};
    table_add(&table, "name");
    table_add(&table, "first");
    table_add(&table, "second");
    table.style = STYLE_BEST;
    table_add(&table, "one");
    table_add(&table, "1");
    table_add(&table, "2");
    table.style = STYLE_PLAIN;
    table_add(&table, "another");
    table_add(&table, "33");
    table_add(&table, "44");
    assert_true(table_print(&table, file));
}

static void assert_shown(unsigned short columns, const char *expected) {
    char shown[SHOWN_SIZE];
    struct screen screen = screen_open(columns);
    print(screen.file);
    screen_close(&screen, shown);
    assert_string_equal(shown, expected);
}

static void a_narrow_terminal_omits_columns_with_a_note(void **state) {
    (void)state;
    setenv("NO_COLOR", "1", 1);
    assert_shown(200, "name     first  second\none          1       2\nanother     33      44\n");
    assert_shown(22, "name     first  second\none          1       2\nanother     33      44\n");
    assert_shown(
        21,
        "name     first\none          1\nanother     33\n(1 more column on a wider terminal.)\n");
    assert_shown(13, "name\none\nanother\n(2 more columns on a wider terminal.)\n");
    assert_shown(3, "name\none\nanother\n(2 more columns on a wider terminal.)\n");
}

static void colour_is_for_terminals_that_want_it(void **state) {
    (void)state;
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    assert_shown(
        13,
        "\x1b[1mname\x1b[0m\n\x1b[1;32mone\x1b[0m\nanother\n(2 more columns on a wider terminal.)\n");
    setenv("NO_COLOR", "", 1); /* by convention, an empty NO_COLOR counts as unset */
    assert_shown(
        13,
        "\x1b[1mname\x1b[0m\n\x1b[1;32mone\x1b[0m\nanother\n(2 more columns on a wider terminal.)\n");
    setenv("TERM", "dumb", 1);
    assert_shown(13, "name\none\nanother\n(2 more columns on a wider terminal.)\n");
    unsetenv("TERM");
    assert_shown(13, "name\none\nanother\n(2 more columns on a wider terminal.)\n");
}

static void files_and_pipes_get_plain_complete_output(void **state) {
    (void)state;
    char text[SHOWN_SIZE] = "";
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    FILE *file = tmpfile();
    assert_non_null(file);
    print(file);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_string_equal(text,
                        "name     first  second\none          1       2\nanother     33      44\n");
    fclose(file);
}

static void a_stream_without_descriptor_uses_the_announced_one(void **state) {
    (void)state;
    char shown[SHOWN_SIZE], text[SHOWN_SIZE] = "";
    setenv("NO_COLOR", "1", 1);
    struct screen screen = screen_open(13);
    FILE *memory = fmemopen(text, sizeof text, "w");
    assert_non_null(memory);
    terminal_announce(memory, fileno(screen.file));
    assert_int_equal(terminal_of(memory).columns, 13);
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    terminal_announce(memory,
                      null); /* a file stream that reuses the address of a terminal's stream */
    assert_int_equal(terminal_of(memory).columns, 0);
    close(null);
    fclose(memory);
    fputs("done", screen.file);
    screen_close(&screen, shown);
}

static void long_lines_are_broken_between_words(void **state) {
    (void)state;
    char shown[SHOWN_SIZE];
    struct screen screen = screen_open(24);
    FILE *wrapped = wrapped_begin(screen.file);
    assert_non_null(wrapped);
    assert_ptr_not_equal(wrapped, screen.file);
    assert_int_equal(terminal_of(wrapped).columns, 24);
    fputs("machine      Intel Processor, virtual\n"
          "for c = 1:c\n  dgemm: C[a,b] := A[a,i] B[i,b]\n"
          "one two three four five six seven\n"
          "\x1b[1mbold\x1b[0m \xC3\xA9\xC3\xA9\xC3\xA9 twenty-four here\n"
          "averyveryverylongwordthatdoesnotfit a\n"
          "\n             no end",
          wrapped);
    assert_true(wrapped_end(wrapped, screen.file));
    assert_int_equal(terminal_of(screen.file).columns, 24);
    screen_close(&screen, shown);
    assert_string_equal(shown, "machine      Intel\nProcessor, virtual\n"
                               "for c = 1:c\n  dgemm: C[a,b] :=\n    A[a,i] B[i,b]\n"
                               "one two three four five\nsix seven\n"
                               "\x1b[1mbold\x1b[0m \xC3\xA9\xC3\xA9\xC3\xA9 twenty-four\nhere\n"
                               "averyveryverylongwordthatdoesnotfit\na\n"
                               "\n             no end");
    screen = screen_open(40);
    wrapped = wrapped_begin(screen.file);
    assert_non_null(wrapped);
    fputs("machine      Intel Processor, virtual, with words\n", wrapped);
    assert_true(wrapped_end(wrapped, screen.file));
    screen_close(&screen, shown);
    assert_string_equal(shown, "machine      Intel Processor, virtual,\n             with words\n");
}

static void files_and_pipes_are_not_wrapped(void **state) {
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_ptr_equal(wrapped_begin(file), file);
    assert_true(wrapped_end(file, file));
    fclose(file);
}

static void decimal_points_of_a_column_are_below_each_other(void **state) {
    char shown[SHOWN_SIZE];
    FILE *file = tmpfile();
    struct table table = {.columns = "rr"};
    static const char *const cells[] = {"time", "last", "1.25",  "8.5", "12",     "1",
                                        "-",    "0.25", "130.5", "7",   "12.5 %", "x"};
    (void)state;
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) table_add(&table, "%s", cells[c]);
    assert_non_null(file);
    assert_true(table_print(&table, file));
    rewind(file);
    shown[fread(shown, 1, sizeof shown - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(shown, "  time  last\n"
                               "  1.25  8.5\n"
                               " 12     1\n"
                               "     -  0.25\n"
                               "130.5   7\n"
                               "12.5 %     x\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_points_of_a_column_are_below_each_other),
        cmocka_unit_test(a_narrow_terminal_omits_columns_with_a_note),
        cmocka_unit_test(colour_is_for_terminals_that_want_it),
        cmocka_unit_test(files_and_pipes_get_plain_complete_output),
        cmocka_unit_test(a_stream_without_descriptor_uses_the_announced_one),
        cmocka_unit_test(long_lines_are_broken_between_words),
        cmocka_unit_test(files_and_pipes_are_not_wrapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
