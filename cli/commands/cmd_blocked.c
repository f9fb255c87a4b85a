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
    {"measure", BLOCKED_MEASURE, "NAME --n N", "run algorithms; print predicted and measured times",
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
    "list, predict, rank, time and emit blocked algorithms of matrix operations",
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
        "A blocked algorithm is a loop over blocks that calls BLAS and unblocked routines. NAME is an operation, such as `potrf_L` (or `potrf`), or "
        "one of its algorithms, such as `potrf_L3`. A first letter sets the type, as in `dpotrf_L3`. `list` prints operations, or the steps of an "
        "operation's algorithms. `trace` prints the calls of one algorithm, including calls on empty operands. `emit` writes an algorithm as a C "
        "function for any sizes. `check` compares results with LAPACK's on random matrices. `windows` ranks algorithms by stretches of their calls, "
        "timed at random positions. `cache` shows how much the times of isolated calls differ from those inside an algorithm. `--algorithms` reads "
        "algorithms from a file; docs/blocked.md describes the format. `predict` and `rank` evaluate performance models of the routines (see "
        "`model`) and run nothing: `predict` prints times, `rank` the fastest algorithm and block size. `models` lists the models that this needs. "
        "`measure` runs the algorithms and also prints the predictions. Missing models are generated after a question, or with `--generate`."};
