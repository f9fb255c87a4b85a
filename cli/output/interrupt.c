#include "cli/output/interrupt.h"

#include <stddef.h>

static volatile sig_atomic_t came;
static struct sigaction usual; /* the previous action of SIGINT */
static bool is_noted, is_postponed;

static void note(int number) {
    if (came) {
        sigaction(number, &usual, NULL);
        raise(number);
    }
    came = 1;
}

const volatile sig_atomic_t *interrupt_begin(void) {
    struct sigaction noting = {.sa_handler = note, .sa_flags = SA_RESTART};
    came = 0;
    sigemptyset(&noting.sa_mask);
    const bool is_heard = sigaction(SIGINT, NULL, &usual) == 0 && usual.sa_handler != SIG_IGN;
    is_noted = is_heard && sigaction(SIGINT, &noting, NULL) == 0;
    return is_noted ? &came : NULL;
}

bool interrupt_end(void) {
    if (is_noted) sigaction(SIGINT, &usual, NULL);
    is_noted = false;
    return came != 0;
}

void interrupt_postpone(void) {
    is_postponed = true;
}

bool interrupt_is_postponed(void) {
    return is_postponed;
}

void interrupt_finish(void) {
    if (is_postponed) raise(SIGINT);
}
