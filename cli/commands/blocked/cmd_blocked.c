#include "cli/commands/blocked/blocked.h"
#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"
#include "tcplan/blocked.h"

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

const struct action blocked_actions[] = {
    {"list", BLOCKED_LIST, "[NAME]", "list operations, or the steps of algorithms (default)", NULL,
     1, FILE_NONE, offer_names, blocked_list, NULL},
    {"trace", BLOCKED_TRACE, "NAME --n N", "print the calls of one algorithm", NULL, 1, FILE_NONE,
     offer_names, blocked_trace, NULL},
    {"models", BLOCKED_MODELS, "NAME --n N", "list the performance models that predictions need",
     NULL, 1, FILE_NONE, offer_names, blocked_models, NULL},
    {"predict", BLOCKED_PREDICT, "NAME --n N", "predict times from performance models", NULL, 1,
     FILE_NONE, offer_names, blocked_predict, NULL},
    {"rank", BLOCKED_RANK, "NAME --n N", "predict the fastest algorithm and block size", NULL, 1,
     FILE_NONE, offer_names, blocked_rank, NULL},
    {"measure", BLOCKED_MEASURE, "NAME --n N", "run algorithms; predicted beside measured times",
     NULL, 1, FILE_NONE, offer_names, blocked_measure, NULL},
    {"emit", BLOCKED_EMIT, "NAME", "write an algorithm as a C function", NULL, 1, FILE_NONE,
     offer_names, blocked_emit, NULL},
    {"check", BLOCKED_CHECK, "NAME --n N", "compare results with LAPACK on random matrices", NULL,
     1, FILE_NONE, offer_names, blocked_check, NULL},
    {"windows", BLOCKED_WINDOWS, "NAME --n N", "rank algorithms by short stretches of their calls",
     NULL, 1, FILE_NONE, offer_names, blocked_windows, NULL},
    {"cache", BLOCKED_CACHE, "NAME --n N",
     "show how calls inside an algorithm differ from calls alone", NULL, 1, FILE_NONE, offer_names,
     blocked_cache, NULL},
    {0},
};
