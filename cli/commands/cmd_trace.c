#include "cli/commands/commands.h"
#include "cli/render/algorithms/results.h"

static enum exit_status run(struct task *task) {
    struct trace trace;
    if (!task->options->algorithm)
        return options_refuse(task->options,
                              "trace needs --algorithm NAME, as 'tcplan list' names it");
    const enum tcplan_status made = trace_make(&trace, &task->request);
    enum exit_status status = EXIT_REFUSED;
    if (made == TCPLAN_NOT_APPLICABLE) {
        diagnose("an access distance or the number of calls exceeds 63 bits; use smaller --sizes");
    } else {
        status = diagnosed(made);
    }
    if (status == EXIT_DONE) status = task_print(task, &trace_view, &trace);
    trace_free(&trace);
    return status;
}

const struct command command_trace = {
    "trace",
    COMMAND(TRACE),
    "CONTRACTION --sizes SIZES --algorithm NAME [OPTIONS]",
    "show access distances, prefetches and cache setups; nothing is timed",
    "  tcplan trace \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --algorithm ca-dgemv\n"
    "  tcplan trace \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --algorithm ca-dgemv \\\n"
    "      --machine \"l2:1(size=6MiB) core:1 pu:1\"\n",
    .opens = TASK_CONTRACTION | REQUEST_SIZES | REQUEST_MACHINE | REQUEST_ONE_POINT |
             REQUEST_UNTIMED | TASK_OUTPUT,
    .run = run,
    .manual =
        "Shows the cache analysis of the dissertation for one algorithm. For each operand of the kernel: its size, the data touched since its last "
        "access, the access distance and, if the hardware is assumed to prefetch it, the prefetch distance. Then it prints the classes of calls, with "
        "the accesses that recreate the cache state before each. Distances and sizes are in elements unless marked as bytes. In a setup, `[n]` accesses "
        "n elements of memory that belong to no operand; an apostrophe marks an operand of which only one cache line along the first dimension is "
        "accessed. Setups end at 5/4 of the last cache (see `--limit` and `--machine`). Setups that access only the kernel's own operands are "
        "redundant, because each repetition has the same effect for the next."};
