#include "microbench/timing/load.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "microbench/timing/clock.h"

#define LEAST_SECONDS 0.2

/* The pause between two checks of running threads, each of which takes a tenth of a millisecond. */
enum { PAUSE_NS = 2000000 };

static double process_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** The first line of /proc/stat: user nice system idle iowait irq softirq steal, in clock ticks;
 * all but idle and iowait is work. */
static double machine_seconds(void) {
    enum { FIELDS = 8, IDLE = 3, WAITING = 4 };
    FILE *file = fopen("/proc/stat", "r");
    if (!file) return -1;
    unsigned long long field[FIELDS] = {0};
    const int read =
        fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &field[0], &field[1], &field[2],
               &field[3], &field[4], &field[5], &field[6], &field[7]);
    fclose(file);
    if (read <= WAITING) return -1;
    double ticks = 0;
    for (int f = 0; f < FIELDS; f++) ticks += f == IDLE || f == WAITING ? 0 : (double)field[f];
    return ticks / (double)sysconf(_SC_CLK_TCK);
}

struct load_mark load_begin(void) {
    return (struct load_mark){.wall_ns = clock_now_ns(),
                              .thread_ns = clock_thread_cpu_ns(),
                              .process_seconds = process_seconds(),
                              .machine_seconds = machine_seconds()};
}

struct load_report load_end(const struct load_mark *mark) {
    const double seconds = (double)(clock_now_ns() - mark->wall_ns) * 1e-9;
    const double own_seconds = (double)(clock_thread_cpu_ns() - mark->thread_ns) * 1e-9;
    struct load_report report = {.lost_share = seconds > 0 ? fmax(0, 1 - own_seconds / seconds) : 0,
                                 .other_cores = -1};
    if (seconds < LEAST_SECONDS || mark->machine_seconds < 0) return report;
    const double busy_seconds = machine_seconds() - mark->machine_seconds;
    report.other_cores =
        fmax(0, (busy_seconds - (process_seconds() - mark->process_seconds)) / seconds);
    return report;
}

/** Returns whether a thread runs or waits for a core, by the state in
 * /proc/self/task/NUMBER/stat, after the name in parentheses. */
static bool is_running(const char *thread) {
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%.16s/stat", thread);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *state = strrchr(text, ')');
    return state && strncmp(state, ") R", 3) == 0;
}

/** Returns how many threads of the process run or wait for a core, including the caller; 0: the
 * system does not report it. */
static int count_running(void) {
    DIR *folder = opendir("/proc/self/task");
    int running = 0;
    if (!folder) return 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') running += is_running(entry->d_name);
    }
    closedir(folder);
    return running;
}

bool load_await_rest(uint64_t most_ns) {
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    const uint64_t start_ns = clock_now_ns();
    bool is_at_rest = count_running() <= 1;
    while (!is_at_rest && clock_now_ns() - start_ns < most_ns) {
        nanosleep(&pause, NULL);
        is_at_rest = count_running() <= 1;
    }
    return is_at_rest;
}
