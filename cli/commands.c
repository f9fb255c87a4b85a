#include "cli/commands.h"

#include <string.h>

#include "base/edit_distance.h"
#include "cli/output_guard.h"
#include "cli/providers.h"

const struct command commands[] = {
    {"rank", COMMAND_RANK, "CONTRACTION --sizes SIZES [OPTIONS]", "rank the algorithms, fastest first, from short stretches of them",
     "  tcplan \"C_abc=A_ai*B_ibc\" --sizes a=400,b=400,c=400,i=8\n"
     "  tcplan rank \"C_abc=A_ai*B_ibc\" --sizes a=b=c=64:512:64,i=8 --format csv \\\n"
     "      -o sweep.csv\n"
     "  tcplan rank \"ai,ibc->abc\" --sizes a=b=c=400,i=8 --emit winner.c --with-main\n",
     cmd_rank},
    {"list", COMMAND_LIST, "CONTRACTION [--sizes SIZES] [OPTIONS]", "print every algorithm and its loop nest; nothing is timed",
     "  tcplan list \"C_abc=A_ai*B_ibc\"\n"
     "  tcplan list \"C_abc=A_ai*B_ibc\" --algorithm ca-dgemv\n"
     "  tcplan list \"C[row,col]=A[row,k]*B[k,col]\" --format xml \\\n"
     "      --sizes row=9,col=8,k=7\n",
     cmd_list},
    {"trace", COMMAND_TRACE, "CONTRACTION --sizes SIZES --algorithm NAME [OPTIONS]",
     "show access distances, prefetches and cache setups; nothing is timed",
     "  tcplan trace \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --algorithm ca-dgemv\n"
     "  tcplan trace \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --algorithm ca-dgemv \\\n"
     "      --machine \"l2:1(size=6MiB) core:1 pu:1\"\n",
     cmd_trace},
    {"emit", COMMAND_EMIT, "CONTRACTION --sizes SIZES [--algorithm NAME] [OPTIONS]", "write C for the fastest or for the named algorithm",
     "  tcplan emit \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 -o contract.c --with-main\n"
     "  tcplan emit \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --algorithm c-dgemm \\\n"
     "      --function multiply\n",
     cmd_emit},
    {"measure", COMMAND_MEASURE, "CONTRACTION --sizes SIZES [--top N | --algorithm NAME | --all] [OPTIONS]",
     "run algorithms for real; predicted beside measured",
     "  tcplan measure \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 --top 5\n"
     "  tcplan measure \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 --algorithm c-dgemm \\\n"
     "      --format json\n",
     cmd_measure},
    {"explain", COMMAND_EXPLAIN, "CONTRACTION --sizes SIZES [--algorithm NAME] [OPTIONS]",
     "say why the fastest is faster than another, in words and numbers",
     "  tcplan explain \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8\n"
     "  tcplan explain \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 \\\n"
     "      --algorithm ca-dgemv --format json\n",
     cmd_explain},
    {"batch", COMMAND_BATCH, "LIBRARY ... [-o RESULTS] [OPTIONS]",
     "rank every contraction of libraries; interrupted, it goes on where it was",
     "  tcplan batch tccg.xml -o results.xml\n"
     "  tcplan batch ccsd.xml tensor-networks.xml --class small --measure \\\n"
     "      -o results.csv\n"
     "  tcplan batch tccg.xml --shard $SLURM_ARRAY_TASK_ID/8 \\\n"
     "      -o shard-$SLURM_ARRAY_TASK_ID.xml\n"
     "  echo \"ai,ibc->abc 64,8 8,64,64\" | tcplan batch -\n",
     cmd_batch},
    {"merge", COMMAND_MERGE, "RESULTS.xml ... -o MERGED.xml [OPTIONS]", "join the results of shards",
     "  tcplan merge shard-*.xml -o results.xml\n", cmd_merge},
    {"report", COMMAND_REPORT, "RESULTS.xml ... [-o FILE.html] [OPTIONS]",
     "summarise results of batches; write a page with tables and plots",
     "  tcplan report results.xml\n"
     "  tcplan report results.xml -o report.html\n"
     "  tcplan report skylake.xml zen.xml -o side_by_side.html\n",
     cmd_report},
    {"portability", COMMAND_PORTABILITY, "RESULTS.xml ... [OPTIONS]",
     "compare results of several machines, BLAS libraries or numbers of threads",
     "  tcplan portability skylake.xml zen.xml\n"
     "  tcplan portability one-thread.xml two-threads.xml --bandwidth 28.5,57 --all\n",
     cmd_portability},
    {"roofline", COMMAND_ROOFLINE, "[CONTRACTION --sizes SIZES] [OPTIONS]",
     "measure this machine's ceilings, and place algorithms under them",
     "  tcplan roofline\n"
     "  tcplan roofline \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --all --measure \\\n"
     "      --plot roofline.png\n",
     cmd_roofline},
    {"machine", COMMAND_MACHINE, "[OPTIONS]", "say what this machine is: caches, clocks, timers, pages, other load, BLAS",
     "  tcplan machine\n"
     "  tcplan machine --format xml -o machine.xml\n"
     "  tcplan trace \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --algorithm ca-dgemv \\\n"
     "      --machine machine.xml\n",
     cmd_machine},
    {"selftest", COMMAND_SELFTEST, "[OPTIONS]", "hold daxpy, dgemv and dgemm, cold and warm, against their bounds",
     "  tcplan selftest\n"
     "  tcplan selftest --format json\n",
     cmd_selftest},
    {"help", COMMAND_HELP, "[COMMAND]", "explain a command", "  tcplan help measure\n", cmd_help},
    {0},
};

const struct command *command_find(const char *name) {
    for (const struct command *command = commands; command->name; command++) {
        if (strcmp(command->name, name) == 0) return command;
    }
    return NULL;
}

enum exit_status command_unknown(const char *name) {
    const char *nearest = commands->name;
    size_t smallest = SIZE_MAX;
    for (const struct command *command = commands; command->name; command++) {
        const size_t distance = edit_distance(name, command->name);
        if (distance >= smallest) continue;
        smallest = distance;
        nearest = command->name;
    }
    diagnose("unknown command '%.80s'; the nearest is '%s'", name, nearest);
    fputs("see 'tcplan --help'\n", stderr);
    return EXIT_USAGE;
}

/** A word without any sign of a contraction. */
static bool is_word(const char *text) {
    return *text >= 'a' && *text <= 'z' && strspn(text, "abcdefghijklmnopqrstuvwxyz-") == strlen(text);
}

static enum exit_status run_parsed(const struct command *command, bool named, const struct options *options) {
    enum exit_status status = options->help || options->version ? EXIT_DONE : output_guard(options, command->bit);
    if (status == EXIT_DONE && !options->help) status = providers_open(options);
    if (status != EXIT_DONE) return status;
    if (options->version) return help_versions();
    if (options->help) return named ? help_command(command) : cmd_help(&(struct options){0});
    return command->run(options);
}

static enum exit_status run(const struct command *command, bool named, int count, char *const arguments[]) {
    struct options options;
    enum exit_status status = options_parse(&options, command->bit, command->name, count, arguments);
    if (status == EXIT_DONE) status = run_parsed(command, named, &options);
    options_free(&options);
    return status;
}

enum exit_status command_line_run(int count, char *const arguments[]) {
    if (count < 2) {
        help_overview(stderr);
        return EXIT_USAGE;
    }
    const struct command *command = command_find(arguments[1]);
    if (command) return run(command, true, count - 2, arguments + 2);
    if (is_word(arguments[1])) return command_unknown(arguments[1]);
    return run(commands, false, count - 1, arguments + 1);
}
