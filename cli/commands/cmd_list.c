#include "cli/commands/commands.h"
#include "cli/commands/tensors/network.h"
#include "cli/output/printed.h"
#include "cli/render/algorithms/results.h"

/** Prints notes if candidates are missing for reasons other than options. */
static void note_missing(const struct listing *listing) {
    if (!listing->request->options->quiet && listing->candidates &&
        listing->candidates->out_of_time)
        diagnose("the time limit ended the search for candidates (--time-limit SECONDS)");
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
        "Without sizes, prints all algorithms of the space `blas` in the order of their enumeration. With one size for each index, first prints the "
        "candidates of the space `full`, sorted by a cache model, then the other algorithms of `blas`. The first lines count both, and the "
        "candidates that a bound ruled out."};
