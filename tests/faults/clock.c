/*
 * Preloaded by scripts/faults: makes the clocks of the program tcplan faulty.
 *
 *   TCPLAN_FAULT        KIND:N, a kind of fault from the N-th reading of a clock on; 0: no fault
 *     back, ahead         the time of day is a year too early, or too late
 *     later               the monotonic clock is an hour ahead, as after the machine was suspended
 *     earlier             the monotonic clock is set back by ten seconds, which is not allowed
 *     stands              all clocks stop for a thousand readings
 *     coarse              all clocks advance in steps of 10 ms
 *   TCPLAN_FAULT_COUNT  a file that receives the number of readings
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    YEAR_SECONDS = 365 * 86400,
    HOUR_SECONDS = 3600,
    BACK_SECONDS = 10,
    READINGS = 1000,
    STEP_NS = 10000000,
    CLOCKS = 16
};

enum kind { NONE, BACK, AHEAD, LATER, EARLIER, STANDS, COARSE, KINDS };

static enum kind kind;
static long begins_at;
static atomic_long seen;
static _Atomic int64_t stopped_ns[CLOCKS]; /* time at which the clock stopped; 0: the clock runs */
static pid_t first_process;

__attribute__((constructor)) static void begin(void) {
    static const char *const names[KINDS] = {
        "", "back:", "ahead:", "later:", "earlier:", "stands:", "coarse:"};
    const char *text = getenv("TCPLAN_FAULT");
    if (!text || strcmp(program_invocation_short_name, "tcplan") != 0) return;
    first_process = getpid();
    for (int k = BACK; k < KINDS; k++) {
        if (strncmp(text, names[k], strlen(names[k])) != 0) continue;
        begins_at = atol(text + strlen(names[k]));
        kind = (enum kind)k;
    }
}

__attribute__((destructor)) static void end(void) {
    char text[32];
    const char *path = getenv("TCPLAN_FAULT_COUNT");
    const int file = path && kind != NONE && getpid() == first_process
                         ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600)
                         : -1;
    const int length = snprintf(text, sizeof text, "%ld\n", (long)seen);
    if (file >= 0 && write(file, text, (size_t)length) != length) perror(path);
    if (file >= 0) close(file);
}

static void shift(clockid_t clock, struct timespec *out) {
    const bool is_day = clock == CLOCK_REALTIME;
    const bool is_monotonic = clock == CLOCK_MONOTONIC;
    if (kind == BACK && is_day) out->tv_sec -= YEAR_SECONDS;
    if (kind == AHEAD && is_day) out->tv_sec += YEAR_SECONDS;
    if (kind == LATER && is_monotonic) out->tv_sec += HOUR_SECONDS;
    if (kind == EARLIER && is_monotonic) out->tv_sec -= BACK_SECONDS;
    if (kind == COARSE) out->tv_nsec -= out->tv_nsec % STEP_NS;
}

/** Stops a clock: this and all later readings return its present time. */
static void stop(clockid_t clock, struct timespec *out) {
    if (clock < 0 || clock >= CLOCKS)
        return; /* clocks of other processes or threads keep their time */
    int64_t none = 0, ns = (int64_t)out->tv_sec * 1000000000 + out->tv_nsec;
    if (!atomic_compare_exchange_strong(&stopped_ns[clock], &none, ns)) ns = none;
    out->tv_sec = (time_t)(ns / 1000000000);
    out->tv_nsec = (long)(ns % 1000000000);
}

int clock_gettime(clockid_t clock, struct timespec *out) {
    const int status = (int)syscall(SYS_clock_gettime, clock, out);
    if (status != 0 || kind == NONE) return status;
    const long number = ++seen;
    if (begins_at == 0 || number < begins_at) return status;
    if (kind == STANDS && number < begins_at + READINGS) stop(clock, out);
    shift(clock, out);
    return status;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = (suseconds_t)(now.tv_nsec / 1000)};
    return 0;
}
