#include "cli/commands/blocked/blocked.h"
#include "cli/commands/blocked/blocked_job.h"
#include "cli/commands/commands.h"

static void offer_names(struct strbuf *out) {
    char name[TCPLAN_BLOCKED_NAME];
    for (int o = 0; o < tcplan_blocked_operations(); o++) {
        struct tcplan_blocked_operation of;
        tcplan_blocked_operation(&of, o);
        strbuf_add(out, "%s%s", o > 0 ? " " : "", of.name);
        for (int a = 0; a < of.algorithms && of.algorithms > 1; a++) {
            tcplan_blocked_algorithm_name(name, o, a);
            strbuf_add(out, " %s", name);
        }
    }
}

static const struct action actions[] = {
    {"list", BLOCKED_LIST, "[NAME]", "list operations, or the steps of algorithms (default)", NULL,
     1, FILE_NONE, offer_names, blocked_list, NULL},
    {"trace", BLOCKED_TRACE, "NAME --n N", "print the calls of one algorithm", NULL, 1, FILE_NONE,
     offer_names, blocked_trace, NULL},
    {"models", BLOCKED_MODELS, "NAME --n N", "list the performance models that predictions need",
     NULL, 1, FILE_NONE, offer_names, blocked_job_run, &blocked_models_work},
    {"predict", BLOCKED_PREDICT, "NAME --n N", "predict times from performance models", NULL, 1,
     FILE_NONE, offer_names, blocked_job_run, &blocked_predict_work},
    {"rank", BLOCKED_RANK, "NAME --n N", "predict the fastest algorithm and block size", NULL, 1,
     FILE_NONE, offer_names, blocked_job_run, &blocked_rank_work},
    {"measure", BLOCKED_MEASURE, "NAME --n N", "run algorithms; predicted beside measured times",
     NULL, 1, FILE_NONE, offer_names, blocked_job_run, &blocked_measure_work},
    {"emit", BLOCKED_EMIT, "NAME", "write an algorithm as a C function", NULL, 1, FILE_NONE,
     offer_names, blocked_emit, NULL},
    {"check", BLOCKED_CHECK, "NAME --n N", "compare results with LAPACK on random matrices", NULL,
     1, FILE_NONE, offer_names, blocked_check, NULL},
    {"windows", BLOCKED_WINDOWS, "NAME --n N", "rank algorithms by short stretches of their calls",
     NULL, 1, FILE_NONE, offer_names, blocked_job_run, &blocked_windows_work},
    {"cache", BLOCKED_CACHE, "NAME --n N",
     "show how calls inside an algorithm differ from calls alone", NULL, 1, FILE_NONE, offer_names,
     blocked_job_run, &blocked_cache_work},
    {0},
};

const struct command command_blocked = {
    "blocked",
    COMMAND_BLOCKED,
    "[list [NAME] | trace | models | predict | rank | measure | emit | check | windows | cache NAME] [OPTIONS]",
    "list, predict, rank and time blocked algorithms; write them as C",
    "  tcplan blocked\n"
    "  tcplan blocked list potrf\n"
    "  tcplan blocked trace trtri_LN1 --n 800 --block 300\n"
    "  tcplan blocked models potrf --n 500:4000:500 --block 24:536:8\n"
    "  tcplan blocked predict potrf_L3 --n 4000 --block 128\n"
    "  tcplan blocked rank potrf --n 500:4000:500 --block 24:536:8\n"
    "  tcplan blocked rank potrf_L3 --n 500:4000:500 --block 24:536:8 --emit b.c\n"
    "  tcplan blocked measure potrf --n 1000 --block 128\n"
    "  tcplan blocked emit dpotrf_L3 -o cholesky.c\n"
    "  tcplan blocked check trtri --n 10:200:38 --block 8:64:8\n"
    "  tcplan blocked windows potrf --n 3000 --block 128 --measure\n"
    "  tcplan blocked cache geqrf --n 1568 --block 32 --level 2\n",
    .actions = actions,
    .manual =
        "A blocked algorithm is a loop over blocks, whose body are calls of BLAS and of unblocked routines. NAME is an operation, as `potrf_L` (`potrf` "
        "is the same), or one of its algorithms, as `potrf_L3`; with a letter of a type in front, as `dpotrf_L3`, of that type. `list` prints "
        "operations, or the steps of an operation's algorithms; `trace` the calls of one algorithm at sizes, with those that have nothing to do; `emit` "
        "writes one as a C function for any sizes; `check` holds results against LAPACK's on random matrices; `windows` ranks algorithms by stretches "
        "of their own calls, timed at random places; `cache` tells what times of calls by themselves are off by inside of an algorithm. `--algorithms` "
        "reads others from a file: docs/blocked.md says how they are written. From performance models of the routines (see `model`), without running "
        "anything, `predict` says what algorithms take, `rank` which is fastest with which block size; `models` which models that needs; `measure` runs "
        "them, and prints what was predicted beside. Models that are missing are made after asking, or with `--generate`."};
