#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/diagnostics.h"
#include "cli/output/progress.h"

enum { COLUMNS = 30, ENOUGH = 4000 };

/** A pseudo-terminal of COLUMNS columns that replaces stderr. */
struct terminal {
    int master;
    int saved;
};

static void open_terminal(struct terminal *terminal) {
    const struct winsize size = {.ws_row = 24, .ws_col = COLUMNS};
    terminal->master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal->master >= 0 && grantpt(terminal->master) == 0 &&
                unlockpt(terminal->master) == 0);
    const int slave = open(ptsname(terminal->master), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0 && ioctl(slave, TIOCSWINSZ, &size) == 0);
    terminal->saved = dup(STDERR_FILENO);
    dup2(slave, STDERR_FILENO);
    close(slave);
}

/** Closes the pseudo-terminal; `sent` receives everything written to it since it was opened. */
static void close_terminal(const struct terminal *terminal, char *sent) {
    size_t length = 0;
    ssize_t count;
    dup2(terminal->saved,
         STDERR_FILENO); /* closes the last writer, so that the reader reaches the end */
    close(terminal->saved);
    while ((count = read(terminal->master, sent + length, ENOUGH - 1 - length)) > 0)
        length += (size_t)count;
    close(terminal->master);
    assert_true(length > 0);
    sent[length] = '\0';
}

static void the_line_fits_the_terminal_and_is_removed_at_the_end(void **state) {
    (void)state;
    struct terminal terminal;
    char sent[ENOUGH];
    open_terminal(&terminal);
    progress_enable(false);
    progress_set_label("%s", "1 of 2, a name that is much longer than this terminal is wide");
    progress_update(NULL, "predicting", 1, 2);
    progress_clear();
    close_terminal(&terminal, sent);
    assert_memory_equal(sent, "\rtcplan: 1 of 2, a name that i\r", COLUMNS + 1);
    for (const char *line = strtok(sent, "\r"); line; line = strtok(NULL, "\r"))
        assert_true(strlen(line) < COLUMNS);
}

/** If the total amount of work is unknown, no percentage is shown. */
static void an_unknown_total_shows_no_percentage(void **state) {
    (void)state;
    struct terminal terminal;
    char sent[ENOUGH];
    open_terminal(&terminal);
    progress_enable(false);
    progress_set_label("x");
    progress_update(NULL, "comparing", 7, INFINITY);
    progress_clear();
    close_terminal(&terminal, sent);
    assert_memory_equal(sent, "\rtcplan: x: comparing\r", 22);
}

static void control_characters_in_names_are_not_sent(void **state) {
    (void)state;
    struct terminal terminal;
    char sent[ENOUGH];
    open_terminal(&terminal);
    progress_set_label("%s", "a\033[2J\xC2\x9B");
    progress_update(NULL, "run", 0, 1);
    close_terminal(&terminal, sent);
    assert_string_equal(sent, "\rtcplan: a\\x1b[2J\\xc2\\x9b: run");
}

static void a_message_removes_the_line(void **state) {
    (void)state;
    struct terminal terminal;
    char sent[ENOUGH];
    setenv("NO_COLOR", "1", 1);
    open_terminal(&terminal);
    progress_clear();
    progress_set_label("%s", "a");
    progress_update(NULL, "run", 0, 1);
    diagnose("%s", "short");
    close_terminal(&terminal, sent);
    assert_string_equal(strstr(sent, "tcplan: a"), "tcplan: a: run 0 %\r                  \r"
                                                   "tcplan: short\r\n");
}

static void messages_are_broken_between_words(void **state) {
    (void)state;
    struct terminal terminal;
    char sent[ENOUGH];
    setenv("NO_COLOR", "1", 1);
    open_terminal(&terminal);
    diagnose("%s", "short,  as it is");
    diagnose("%s", "the ceilings in '\033' were measured elsewhere");
    close_terminal(&terminal, sent);
    assert_string_equal(sent, "tcplan: short,  as it is\r\n"
                              "tcplan: the ceilings in '\\x1b'\r\n"
                              "        were measured\r\n"
                              "        elsewhere\r\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_fits_the_terminal_and_is_removed_at_the_end),
        cmocka_unit_test(an_unknown_total_shows_no_percentage),
        cmocka_unit_test(control_characters_in_names_are_not_sent),
        cmocka_unit_test(a_message_removes_the_line),
        cmocka_unit_test(messages_are_broken_between_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
