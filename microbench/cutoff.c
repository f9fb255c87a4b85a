#include "microbench/cutoff.h"

#include "microbench/clock.h"

enum { PIECES = 16 };

/* Below this the clock's own time shows. */
#define BATCH_NS 30e3

#define WARM_UP_NS 1e6

/** Threads cannot be stopped on their way; where nothing is multiplied nothing is to be stopped. */
static struct cutoff_run execute_whole(struct tcplan_program *program, const struct buffers *buffers) {
    const uint64_t cpu_ns = clock_thread_cpu_ns();
    const uint64_t start_ns = clock_now_ns();
    program_run_whole(program, program_base(buffers));
    const double ns = (double)(clock_now_ns() - start_ns);
    return (struct cutoff_run){.ns = ns, .finished = true, .disturbed = clock_disturbed(ns, (double)(clock_thread_cpu_ns() - cpu_ns))};
}

struct cutoff_run cutoff_execute(struct tcplan_program *program, const struct buffers *buffers, double limit_ns) {
    if (program->shared || program->only_scales) return execute_whole(program, buffers);
    const int64_t piece = program->calls / PIECES + 1;
    struct cursor cursor = {0};
    struct cutoff_run run = {.finished = true};
    const uint64_t cpu_ns = clock_thread_cpu_ns();
    const uint64_t start_ns = clock_now_ns();
    for (int64_t left = program->calls; left > 0 && run.finished; left -= piece) {
        program_run_calls(program, &cursor, left < piece ? left : piece, program_base(buffers));
        run.ns = (double)(clock_now_ns() - start_ns);
        run.finished = left <= piece || run.ns <= limit_ns;
    }
    run.disturbed = clock_disturbed(run.ns, (double)(clock_thread_cpu_ns() - cpu_ns));
    return run;
}

struct cutoff_run cutoff_warm_up(struct tcplan_program *program, const struct buffers *buffers, double limit_ns) {
    const uint64_t start_ns = clock_now_ns();
    struct cutoff_run run;
    do {
        run = cutoff_execute(program, buffers, limit_ns);
    } while (run.finished && (double)(clock_now_ns() - start_ns) < WARM_UP_NS);
    return run;
}

struct cutoff_run cutoff_repeat(struct tcplan_program *program, const struct buffers *buffers, double once_ns) {
    const double wanted = BATCH_NS / (once_ns > 1 ? once_ns : 1);
    const int64_t times = wanted > 1 ? (int64_t)wanted : 1;
    const uint64_t cpu_ns = clock_thread_cpu_ns();
    const uint64_t start_ns = clock_now_ns();
    for (int64_t t = 0; t < times; t++) program_run_whole(program, program_base(buffers));
    const double ns = (double)(clock_now_ns() - start_ns);
    return (struct cutoff_run){
        .ns = ns / (double)times, .finished = true, .disturbed = clock_disturbed(ns, (double)(clock_thread_cpu_ns() - cpu_ns))};
}
