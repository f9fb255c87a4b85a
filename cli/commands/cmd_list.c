#include "cli/commands/commands.h"
#include "cli/commands/network.h"
#include "cli/output/printed.h"
#include "cli/render/algorithms/results.h"

/** Says what is missing that nobody asked to leave out. */
static void note_missing(const struct listing *listing) {
    if (!listing->request->options->quiet && listing->candidates &&
        listing->candidates->out_of_time)
        diagnose(
            "not all candidates were found before the time limit was over (--time-limit SECONDS)");
}

static unsigned opens_more(const struct options *options) {
    return options->space == TCPLAN_SPACE_FULL && (options->sizes || options->shapes)
               ? REQUEST_MACHINE | REQUEST_UNTIMED
               : 0;
}

static enum exit_status run(struct task *task) {
    struct listing listing;
    enum exit_status status = listing_make(&listing, &task->request);
    if (status == EXIT_DONE) status = printed_view(task->options, &listing_view, &listing);
    if (status == EXIT_DONE) note_missing(&listing);
    listing_free(&listing);
    return status;
}

const struct command command_list = {
    "list",
    COMMAND(LIST),
    "CONTRACTION [--sizes SIZES] [OPTIONS]",
    "print every algorithm and its loop nest; nothing is timed",
    "  tcplan list \"C_abc=A_ai*B_ibc\"\n"
    "  tcplan list \"C_abc=A_ai*B_ibc\" --algorithm ca-dgemv\n"
    "  tcplan list \"C[row,col]=A[row,k]*B[k,col]\" --format xml \\\n"
    "      --sizes row=9,col=8,k=7\n",
    .opens = TASK_CONTRACTION,
    .opens_more = opens_more,
    .run = run,
    .run_several = network_run,
    .manual =
        "Without sizes these are the algorithms of the space `blas`, as they are enumerated, however many there are. With one "
        "size for each index the candidates of the space `full` come first, by a model of caches: how many were generated and how "
        "many a bound removed is said before."};
