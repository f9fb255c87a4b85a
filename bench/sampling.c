/*
 * Measures the overhead of a sample (tcplan/sampler.h), and the start-up time of a script.
 *
 * The cost inside a sample is the time that the sampler measures for an empty routine. The cost
 * outside is the remaining CPU time of a queue of a thousand empty routines, per routine.
 * `bench_sampling TCPLAN` also runs a script with a thousand calls, and one without any, with that
 * command.
 *
 * usage: bench_sampling [TCPLAN]
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"
#include "microbench/timing/ticks.h"
#include "routines/sampler/timing/queue.h"

enum { CALLS = 1000, RUNS = 201, SCRIPT_RUNS = 21, SCRIPT_CALLS = 1000 };

extern char **environ;

static void fail(const char *message) {
    fprintf(stderr, "bench_sampling: %s\n", message);
    exit(3);
}

static void nothing(void) {
}

/** Prepares a call of an empty routine with the arguments of a known routine. */
static void prepare(struct call *call, const char *name) {
    static double memory[64];
    struct routine routine;
    struct tcplan_error error;
    bool given[SIGNATURE_MAX_ARGUMENTS] = {false};
    int64_t value[SIGNATURE_MAX_ARGUMENTS] = {0};
    void *data[SIGNATURE_MAX_ARGUMENTS];
    if (routine_parse(&routine, name, &error) != TCPLAN_OK) fail(error.message);
    for (int a = 0; a < SIGNATURE_MAX_ARGUMENTS; a++) data[a] = memory;
    signature_complete(routine.signature, value, given);
    if (call_prepare(call, &routine, value, NULL, data, &error) != TCPLAN_OK) fail(error.message);
    call->routine.function = nothing;
}

/** Prints the cost of samples of a routine that does nothing. */
static void measure(const char *name) {
    static struct call call;
    struct queue *queue = queue_new();
    struct tcplan_error error;
    double inside[RUNS], beside[RUNS];
    const struct queue_options options = {.threads = 1};
    prepare(&call, name);
    for (int c = 0; c < CALLS && queue; c++) {
        if (queue_add(queue, &call, c, &error) != TCPLAN_OK) fail(error.message);
    }
    if (!queue) fail("out of memory");
    for (int r = 0; r < RUNS; r++) {
        int count;
        static double ns[CALLS];
        const uint64_t start = clock_thread_cpu_ns();
        if (queue_run(queue, &options, &error) != TCPLAN_OK) fail(error.message);
        const double all = (double)(clock_thread_cpu_ns() - start) / CALLS;
        const struct sample *sample = queue_samples(queue, &count);
        for (int s = 0; s < count; s++) ns[s] = sample[s].ns;
        inside[r] = statistics_median(ns, count);
        beside[r] = all - inside[r];
    }
    printf("%-8s %2d arguments  in the process %5.1f ns  in another process %5.1f ns\n", name,
           call.count, statistics_median(inside, RUNS), statistics_median(beside, RUNS));
    queue_free(queue);
}

/** Returns the milliseconds of wall-clock time that the command takes for a script. */
static double run_script(char *command, char *path) {
    char sample[] = "sample", quiet[] = "-q";
    char *const arguments[] = {command, sample, path, quiet, NULL};
    posix_spawn_file_actions_t actions;
    pid_t process;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1,
                                     0); /* the flag 1 is O_WRONLY */
    const uint64_t start = clock_now_ns();
    if (posix_spawn(&process, command, &actions, NULL, arguments, environ) != 0)
        fail("the command cannot be started");
    if (waitpid(process, &status, 0) != process || status != 0) fail("the script failed");
    posix_spawn_file_actions_destroy(&actions);
    return (double)(clock_now_ns() - start) * 1e-6;
}

static double script_ms(char *command, int calls) {
    char path[] = "/tmp/bench-sampling-XXXXXX";
    const int descriptor = mkstemp(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    double ms[SCRIPT_RUNS];
    if (!file) fail("no temporary file");
    for (int c = 0; c < calls; c++) fputs("dgemm N N 8 8 8 1 [64] 8 [64] 8 0 [64] 8\n", file);
    fclose(file);
    for (int r = 0; r < SCRIPT_RUNS; r++) ms[r] = run_script(command, path);
    unlink(path);
    return statistics_median(ms, SCRIPT_RUNS);
}

int main(int count, char *arguments[]) {
    printf("%d calls, median of %d runs; the counter runs at %.3f GHz\n", CALLS, RUNS,
           1e-9 * ticks_hz());
    measure("dscal");
    measure("dgemm");
    measure("dlarfb");
    if (count < 2) return 0;
    const double without = script_ms(arguments[1], 0), with = script_ms(arguments[1], SCRIPT_CALLS);
    printf("script   %d calls of an 8 x 8 dgemm: %.1f ms, of which %.1f ms without any call\n",
           SCRIPT_CALLS, with, without);
    return 0;
}
