#include "cli/commands/commands.h"
#include "cli/commands/tensors/network.h"
#include "cli/emission.h"
#include "cli/survey.h"

static unsigned opens_more(const struct options *options) {
    return options->emit ? REQUEST_ONE_POINT : 0;
}

static enum exit_status run(struct task *task) {
    struct emission emission = {0};
    const char *emit = task->options->emit;
    enum exit_status status = emit ? emission_open(&emission, &task->request, emit) : EXIT_DONE;
    if (status == EXIT_DONE)
        status = survey_run(&task->request, NULL, emit ? &emission : NULL, NULL);
    emission_discard(&emission);
    return status;
}

const struct command command_rank = {
    "rank",
    COMMAND(RANK),
    "CONTRACTION --sizes SIZES [OPTIONS]",
    "rank the algorithms of a contraction, fastest first",
    "  tcplan \"C_abc=A_ai*B_ibc\" --sizes a=400,b=400,c=400,i=8\n"
    "  tcplan rank \"C_abc=A_ai*B_ibc\" --sizes a=b=c=64:512:64,i=8 --format csv \\\n"
    "      -o sweep.csv\n"
    "  tcplan rank \"ai,ibc->abc\" --sizes a=b=c=400,i=8 --emit winner.c --with-main\n",
    .opens = TASK_CONTRACTION | REQUEST_SIZES | REQUEST_MACHINE | REQUEST_CEILINGS |
             REQUEST_EXPERIENCE | REQUEST_PLANS,
    .opens_more = opens_more,
    .run = run,
    .run_several = network_run,
    .manual =
        "This is the default command if the first argument is a contraction. Algorithms are predicted from timings of short stretches. Without "
        "`--all`, algorithms whose kernel alone takes longer than the best prediction are skipped."};
