#include "cli/output/cleanup.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 8 };

/* Files to remove. Global, because a signal handler can access only global variables. */
static const char *volatile paths[SLOTS];
static volatile sig_atomic_t in_line;
static char words[2][CLEANUP_WORDS];
static const char *volatile last_words; /* text to print on a signal; one of two buffers, so that a
                                           signal handler always finds a complete text; NULL: none
                                         */
static sigset_t held;
static pid_t owner; /* the process that removes the files; forked processes must not remove them */

/* `changing`: a thread is changing files and their list. `ending`: a signal handler is ending the
 * process. The handler waits for the change, and prevents later changes. */
static atomic_int changing, ending;

/* Signals that end a program: first those of a terminal, a batch system, or a limit on time or file
 * size, then those of crashes. */
static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGPIPE, SIGQUIT,
                              SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ,
                              SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,  SIGABRT};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void clean_up(void) {
    if (getpid() != owner) return;
    atomic_store(&ending, 1);
    while (atomic_load(&changing)) continue;
    for (int slot = 0; slot < SLOTS; slot++) {
        if (paths[slot]) unlink(paths[slot]);
    }
    if (in_line) (void)!write(STDERR_FILENO, "\n", 1);
    in_line = 0;
}

static bool is_ended_by_somebody(int number) {
    return number == SIGINT || number == SIGTERM || number == SIGHUP;
}

static void print_last_words(void) {
    const char *text = last_words;
    last_words = NULL;
    if (text && getpid() == owner) (void)!write(STDERR_FILENO, text, strlen(text));
}

/**
 * Removes the files, then raises the signal again, which ends the process as if the signal had not
 * been caught. If another thread receives a second signal, as from `timeout`, it waits for the
 * first handler.
 */
static void clean_up_and_die(int number) {
    clean_up();
    if (is_ended_by_somebody(number)) print_last_words();
    signal(number, SIG_DFL);
    raise(number);
}

void cleanup_install(void) {
    owner = getpid();
    sigemptyset(&held);
    atexit(clean_up); /* A BLAS may call exit(), which must also remove the files. */
    for (int s = 0; s < SIGNALS; s++) {
        struct sigaction action;
        sigaddset(&held, signals[s]);
        if (sigaction(signals[s], NULL, &action) != 0 || action.sa_handler != SIG_DFL) continue;
        action = (struct sigaction){.sa_handler = clean_up_and_die};
        sigemptyset(&action.sa_mask);
        sigaction(signals[s], &action, NULL);
    }
}

void cleanup_hold(void) {
    pthread_sigmask(SIG_BLOCK, &held, NULL);
    atomic_store(&changing, 1);
    if (!atomic_load(&ending)) return;
    atomic_store(&changing, 0);
    for (;;) pause(); /* Wait until the handler in the other thread has ended the process. */
}

void cleanup_release(void) {
    atomic_store(&changing, 0);
    pthread_sigmask(SIG_UNBLOCK, &held, NULL);
}

int cleanup_add(const char *path) {
    int slot = 0;
    while (slot < SLOTS && paths[slot]) slot++;
    assert(slot < SLOTS);
    paths[slot] = path;
    return slot;
}

void cleanup_remove(int slot) {
    paths[slot] = NULL;
}

void cleanup_set_words(const char *text) {
    char *next = last_words == words[0] ? words[1] : words[0];
    if (text) snprintf(next, CLEANUP_WORDS, "%s", text);
    last_words = text ? next : NULL;
}

void cleanup_set_line(bool open) {
    in_line = open;
}

const struct tcplan_temporary_watch cleanup_watch = {
    .hold = cleanup_hold, .release = cleanup_release, .add = cleanup_add, .remove = cleanup_remove};

static const int graceful[] = {SIGINT, SIGTERM};
enum { GRACEFUL = sizeof graceful / sizeof *graceful };

static volatile sig_atomic_t came;       /* number of the first signal that arrived; 0: none */
static struct sigaction usual[GRACEFUL]; /* signal actions before interrupt_begin() */
static bool is_noted[GRACEFUL];
static int postponed; /* signal by which interrupt_finish() ends the process; 0: none */

static void note(int number) {
    if (came) {
        for (int s = 0; s < GRACEFUL; s++) {
            if (is_noted[s]) sigaction(graceful[s], &usual[s], NULL);
        }
        raise(number);
    }
    came = number;
}

const volatile sig_atomic_t *interrupt_begin(void) {
    struct sigaction noting = {.sa_handler = note, .sa_flags = SA_RESTART};
    bool any = false;
    came = 0;
    sigemptyset(&noting.sa_mask);
    for (int s = 0; s < GRACEFUL; s++) {
        const bool is_heard =
            sigaction(graceful[s], NULL, &usual[s]) == 0 && usual[s].sa_handler != SIG_IGN;
        is_noted[s] = is_heard && sigaction(graceful[s], &noting, NULL) == 0;
        any = any || is_noted[s];
    }
    return any ? &came : NULL;
}

int interrupt_end(void) {
    for (int s = 0; s < GRACEFUL; s++) {
        if (is_noted[s]) sigaction(graceful[s], &usual[s], NULL);
        is_noted[s] = false;
    }
    return (int)came;
}

void interrupt_postpone(int number) {
    postponed = number;
}

bool interrupt_is_postponed(void) {
    return postponed != 0;
}

void interrupt_finish(void) {
    if (postponed) raise(postponed);
}
