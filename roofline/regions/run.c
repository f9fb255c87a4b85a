#include "tcplan/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "roofline/regions/board.h"
#include "roofline/regions/list.h"

#define GRACE_SECONDS 2.0 /* seconds between SIGTERM and SIGKILL */

enum { POLL_NS = 500000, NOT_STARTED = 127 };

/** The program that is measured. */
struct launch {
    const struct tcplan_run_options *options;
    struct board *board;
    int descriptor; /* descriptor of the board */
    int gate[2]; /* pipe: the program starts when the pipe is closed, after the counters were opened
                  */
    int failure[2]; /* pipe that receives errno if exec() fails */
    pid_t process;
    bool is_group; /* whether the program leads a process group */
    struct counter_source *threads;
    struct counter_source *machine;
    struct counter_reading before[COUNTER_MAX_EVENTS];
};

static void close_end(int *descriptor) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
}

/* Starting. */

static enum tcplan_status make_board(struct launch *launch, struct tcplan_error *error) {
    if (strlen(launch->options->counters) >= BOARD_SOURCE) {
        return error_set(error, TCPLAN_INVALID, "the name of the counts is longer than %d bytes",
                         BOARD_SOURCE - 1);
    }
    launch->descriptor = memfd_create("tcplan-regions", 0); /* inherited by the program */
    if (launch->descriptor < 0 || ftruncate(launch->descriptor, sizeof(struct board)) != 0) {
        return error_set(error, TCPLAN_ENVIRONMENT,
                         "cannot create shared memory for the program's regions: %s",
                         strerror(errno));
    }
    void *memory =
        mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED, launch->descriptor, 0);
    if (memory == MAP_FAILED) return error_no_memory(error);
    launch->board = memory;
    board_begin(launch->board, launch->options->counters);
    return TCPLAN_OK;
}

/** Returns the environment with the board's variable, which refers to the text `variable`; NULL if
 * out of memory. */
static char **make_environment(char *variable) {
    size_t count = 0, kept = 0;
    while (environ[count]) count++;
    char **out = base_alloc((count + 2) * sizeof *out);
    for (size_t e = 0; out && e < count; e++) {
        if (strncmp(environ[e], BOARD_VARIABLE "=", strlen(BOARD_VARIABLE) + 1) != 0)
            out[kept++] = environ[e];
    }
    if (!out) return NULL;
    out[kept++] = variable;
    out[kept] = NULL;
    return out;
}

/** Runs in the new process: waits until the gate is closed, then executes the program. Uses only
 * functions that are allowed after fork(). */
static _Noreturn void become(const struct launch *launch, char *const *environment) {
    char none;
    if (launch->is_group) setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* ends the program if its parent dies */
    close(launch->gate[1]);
    while (read(launch->gate[0], &none, 1) < 0 && errno == EINTR) continue;
    if (launch->options->output >= 0) dup2(launch->options->output, STDOUT_FILENO);
    environ = (char **)(uintptr_t)environment;
    execvp(launch->options->arguments[0], (char *const *)(uintptr_t)launch->options->arguments);
    const int number = errno;
    if (write(launch->failure[1], &number, sizeof number) < 0) _exit(NOT_STARTED);
    _exit(NOT_STARTED);
}

static enum tcplan_status fork_program(struct launch *launch, struct tcplan_error *error) {
    char variable[64];
    snprintf(variable, sizeof variable, BOARD_VARIABLE "=%d", launch->descriptor);
    char **environment = make_environment(variable);
    if (!environment) return error_no_memory(error);
    if (pipe2(launch->gate, O_CLOEXEC) != 0 || pipe2(launch->failure, O_CLOEXEC) != 0) {
        base_free(environment);
        return error_set(error, TCPLAN_ENVIRONMENT, "cannot create a pipe: %s", strerror(errno));
    }
    launch->is_group = isatty(STDIN_FILENO) == 0;
    fflush(NULL);
    launch->process = fork();
    if (launch->process == 0) become(launch, environment);
    base_free(environment);
    if (launch->process < 0)
        return error_set(error, TCPLAN_ENVIRONMENT, "cannot start a process: %s", strerror(errno));
    if (launch->is_group) setpgid(launch->process, launch->process);
    close_end(&launch->gate[0]);
    close_end(&launch->failure[1]);
    return TCPLAN_OK;
}

static enum tcplan_status open_counters(struct launch *launch, struct tcplan_error *error) {
    const struct counter_target program = {.process = launch->process,
                                           .descendants = true,
                                           .from_exec = true,
                                           .quantities = COUNTER_OF_THREADS};
    const struct counter_target machine = {.quantities = COUNTER_OF_MACHINE};
    const char *name = launch->options->counters;
    enum tcplan_status status = counter_open(&launch->threads, name, &program, error);
    if (status == TCPLAN_OK) status = counter_open(&launch->machine, name, &machine, error);
    if (status == TCPLAN_OK) status = counter_start(launch->threads, error);
    if (status == TCPLAN_OK) status = counter_start(launch->machine, error);
    return status;
}

/* Waiting. */

static void send(const struct launch *launch, int number) {
    kill(launch->is_group ? -launch->process : launch->process, number);
}

static bool is_interrupted(const struct launch *launch) {
    return launch->options->interrupted && *launch->options->interrupted != 0;
}

/** Waits for the program, and ends it after the time limit or an interruption. Returns the status
 * of wait4(). */
static int wait_for(const struct launch *launch, struct tcplan_run *run, struct rusage *usage) {
    const struct deadline limit = deadline_in(launch->options->time_limit_seconds);
    const struct timespec pause = {.tv_nsec = POLL_NS};
    struct deadline grace = {0};
    int status = 0;
    for (;;) {
        const bool is_bounded = limit.ns != 0 || launch->options->interrupted;
        const pid_t ended = wait4(launch->process, &status, is_bounded ? WNOHANG : 0, usage);
        if (ended == launch->process) return status;
        if (ended < 0 && errno != EINTR) return 0;
        if (!is_bounded) continue;
        if (!run->interrupted && is_interrupted(launch)) {
            run->interrupted = true;
            grace = deadline_in(GRACE_SECONDS);
            if (launch->is_group) send(launch, SIGINT);
        } else if (!run->timed_out && !run->interrupted && deadline_is_over(limit)) {
            run->timed_out = true;
            grace = deadline_in(GRACE_SECONDS);
            send(launch, SIGTERM);
        } else if (grace.ns != 0 && deadline_is_over(grace)) {
            grace = (struct deadline){0};
            send(launch, SIGKILL);
        }
        nanosleep(&pause, NULL);
    }
}

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/** Returns the errno of a failed exec(); 0 if it succeeded. */
static int read_failure(struct launch *launch) {
    int number = 0;
    ssize_t length;
    do {
        length = read(launch->failure[0], &number, sizeof number);
    } while (length < 0 && errno == EINTR);
    return length == (ssize_t)sizeof number ? number : 0;
}

/** Returns the name of a program without its folders. */
static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void explain(struct tcplan_regions *regions, const struct counter_source *source) {
    for (int q = 0; q < COUNTER_QUANTITIES; q++) {
        if (source->why_not[q][0])
            regions_explain(regions, (enum counter_quantity)q, source->why_not[q]);
    }
}

/** Computes the counts of the program, and the counts of the machine while the program ran. */
static enum tcplan_status total(struct counter_totals *out, struct launch *launch,
                                struct tcplan_error *error) {
    static const struct counter_reading start[COUNTER_MAX_EVENTS];
    struct counter_reading now[COUNTER_MAX_EVENTS];
    enum tcplan_status status = counter_read(launch->threads, now, error);
    if (status != TCPLAN_OK) return status;
    *out = counter_between(launch->threads, start, now);
    status = counter_read(launch->machine, now, error);
    if (status != TCPLAN_OK) return status;
    const struct counter_totals machine = counter_between(launch->machine, launch->before, now);
    for (int q = COUNTER_READ; q <= COUNTER_WRITTEN; q++) {
        out->known[q] = machine.known[q];
        out->amount[q] = machine.amount[q];
        out->share[q] = machine.share[q];
    }
    return TCPLAN_OK;
}

/** Returns the number of cores that the program kept busy, rounded. This is used as its number of
 * threads. */
static int busy_threads(const struct tcplan_run *run) {
    const double cores = run->seconds > 0 ? run->cpu_seconds / run->seconds : 1;
    return cores > 1.5 ? (int)lround(cores) : 1;
}

static enum tcplan_status report(struct tcplan_run *run, struct launch *launch,
                                 struct tcplan_error *error) {
    const char *name = base_name(launch->options->arguments[0]);
    struct counter_totals totals;
    enum tcplan_status status = total(&totals, launch, error);
    if (status != TCPLAN_OK) return status;
    run->regions = regions_new(launch->threads->class->name);
    struct tcplan_region *whole =
        run->regions ? regions_add(run->regions, name, strlen(name)) : NULL;
    if (!whole) return error_no_memory(error);
    whole->calls = 1;
    whole->seconds = run->seconds;
    whole->threads = busy_threads(run);
    region_count(whole, &totals);
    explain(run->regions, launch->threads);
    explain(run->regions, launch->machine);
    return board_read(run->regions, launch->board) ? TCPLAN_OK : error_no_memory(error);
}

/** Opens the gate, waits for the end of the program and sets the result. */
static enum tcplan_status watch(struct tcplan_run *run, struct launch *launch,
                                struct tcplan_error *error) {
    struct rusage usage = {0};
    enum tcplan_status status = open_counters(launch, error);
    if (status == TCPLAN_OK) status = counter_read(launch->machine, launch->before, error);
    if (status != TCPLAN_OK) send(launch, SIGKILL);
    const double start = monotonic_seconds();
    close_end(&launch->gate[1]);
    const int ended = wait_for(launch, run, &usage);
    run->seconds = monotonic_seconds() - start;
    if (status != TCPLAN_OK) return status;
    const int number = read_failure(launch);
    if (number != 0) {
        return error_set(error, TCPLAN_ENVIRONMENT, "cannot run '%.200s': %s",
                         launch->options->arguments[0], strerror(number));
    }
    run->exit_status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    run->signal = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    run->cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    return report(run, launch, error);
}

static void end(struct launch *launch) {
    counter_close(launch->threads);
    counter_close(launch->machine);
    for (int e = 0; e < 2; e++) {
        close_end(&launch->gate[e]);
        close_end(&launch->failure[e]);
    }
    if (launch->board) munmap(launch->board, sizeof *launch->board);
    close_end(&launch->descriptor);
}

enum tcplan_status tcplan_run_program(struct tcplan_run **out,
                                      const struct tcplan_run_options *options,
                                      struct tcplan_error *error) {
    struct launch launch = {
        .options = options, .descriptor = -1, .gate = {-1, -1}, .failure = {-1, -1}};
    struct tcplan_run *run = base_alloc_zero(1, sizeof *run);
    if (!run) return error_no_memory(error);
    enum tcplan_status status = make_board(&launch, error);
    if (status == TCPLAN_OK) status = fork_program(&launch, error);
    if (status == TCPLAN_OK) status = watch(run, &launch, error);
    end(&launch);
    if (status != TCPLAN_OK) {
        tcplan_run_free(run);
        return status;
    }
    *out = run;
    return TCPLAN_OK;
}

void tcplan_run_free(struct tcplan_run *run) {
    if (!run) return;
    tcplan_regions_free(run->regions);
    base_free(run);
}
