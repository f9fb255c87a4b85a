#include <stdlib.h>

#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/commands/tensors/network.h"
#include "cli/node_lock.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/render/algorithms/results.h"
#include "cli/shipped.h"
#include "cli/stored.h"

/* Reading the program. */

/** Adds the contraction of the command line to the program. */
static enum exit_status add_own(struct tcplan_layout_program *program,
                                const struct request *request) {
    const struct tcplan_problem problem = request_problem(request, 0);
    return diagnosed(tcplan_layout_program_add(program, request->options->argument,
                                               request->contraction, problem.extent, problem.dtype,
                                               1, &failure));
}

/** Prints an error about an invalid line of a file of contractions, in the form that `batch`
 * uses. */
static enum exit_status refuse_entry(const struct tcplan_library_entry *entry,
                                     const struct tcplan_error *error, const char *text) {
    diagnose("%.100s:%zu: %.200s", entry->library, entry->line, error->message);
    if (text && error->column > 0)
        diagnose_note(text, error->column, error->length, "in '%.60s'", entry->name);
    return error->status == TCPLAN_NO_MEMORY ? EXIT_ENVIRONMENT : EXIT_REFUSED;
}

static enum exit_status add_entry(struct tcplan_layout_program *program,
                                  const struct tcplan_library_entry *entry) {
    if (entry->fault) return refuse_entry(entry, entry->fault, entry->fault_text);
    if (*entry->sections) {
        error_set(&failure, TCPLAN_INVALID, "advise takes no block-sparse tensors, found '%.40s'",
                  entry->name);
        return refuse_entry(entry, &failure, NULL);
    }
    const enum tcplan_status status =
        tcplan_layout_program_add(program, entry->name, entry->contraction, entry->extent,
                                  entry->dtype, (double)entry->weight, &failure);
    return status == TCPLAN_OK ? EXIT_DONE : refuse_entry(entry, &failure, NULL);
}

static enum exit_status add_file(struct tcplan_layout_program *program,
                                 const struct options *options) {
    const struct tcplan_library_options as = {.dtype = (enum tcplan_dtype)options->dtype,
                                              .order = (enum tcplan_order)options->order,
                                              .threads = options->threads};
    struct tcplan_library *library = NULL;
    const struct tcplan_library_entry *entry = NULL;
    char *path = shipped_find(options->layout.program);
    if (!path) return diagnose_no_memory();
    enum tcplan_status read = tcplan_library_open(&library, path, &as, &failure);
    enum exit_status status = EXIT_DONE;
    while (read == TCPLAN_OK && status == EXIT_DONE) {
        read = tcplan_library_next(library, &entry, &failure);
        if (!entry) break;
        status = add_entry(program, entry);
    }
    tcplan_library_close(library);
    free(path);
    return read == TCPLAN_OK ? status : diagnosed(read);
}

static enum exit_status read_program(struct tcplan_layout_program **out,
                                     const struct request *request) {
    const struct options *options = request->options;
    if (tcplan_layout_program_new(out, &failure) != TCPLAN_OK) return diagnose_no_memory();
    const bool several = network_is_asked(options);
    enum exit_status status = options->argument && !several ? add_own(*out, request) : EXIT_DONE;
    if (status == EXIT_DONE && options->layout.program) status = add_file(*out, options);
    if (status == EXIT_DONE && several)
        status = network_add_layouts(*out, request); /* Intermediates get names that no other tensor
                                                        has. */
    if (status == EXIT_DONE && options->layout.names &&
        tcplan_layout_program_choose(*out, options->layout.names, &failure) != TCPLAN_OK)
        status = diagnose_failure(options->layout.names);
    return status;
}

/* The command line. */

static enum exit_status check(const struct options *options) {
    if (!options->argument && !options->layout.program)
        return options_refuse(
            options,
            "advise needs a contraction, such as C_abc=A_ai*B_ibc, or a list of them: --with FILE");
    return EXIT_DONE;
}

static unsigned opens_more(const struct options *options) {
    return (options->effort == TCPLAN_EFFORT_ESTIMATE ? REQUEST_UNTIMED : 0) |
           (options->argument && !network_is_asked(options) ? TASK_CONTRACTION : 0);
}

/* Advising. */

static struct tcplan_advise_options advise_options(const struct request *request) {
    struct tcplan_advise_options out = tcplan_advise_defaults();
    out.rank = request_rank_options(request);
    out.rank.progress = progress_update;
    out.conversion = (enum tcplan_conversion)request->options->layout.conversion;
    if (request->options->layout.uses > 0) out.uses = request->options->layout.uses;
    if (request->options->top > 0) out.candidates = (int)request->options->top;
    return out;
}

static enum exit_status advise(struct tcplan_advice **out,
                               const struct tcplan_layout_program *program,
                               const struct request *request) {
    const struct tcplan_advise_options options = advise_options(request);
    const bool times = request->options->effort != TCPLAN_EFFORT_ESTIMATE;
    struct tcplan_node_lock *lock = NULL;
    enum exit_status status = times ? lock_hold(&lock, request->options) : EXIT_DONE;
    if (status == EXIT_DONE) status = diagnosed(tcplan_advise(out, program, &options, &failure));
    if (status == EXIT_DONE) status = stored_add_experience(request);
    tcplan_node_lock_close(lock);
    return status;
}

static enum exit_status run(struct task *task) {
    struct tcplan_layout_program *program = NULL;
    struct tcplan_advice *advice = NULL;
    enum exit_status status = check(task->options);
    if (status == EXIT_DONE) status = read_program(&program, &task->request);
    if (status == EXIT_DONE) status = advise(&advice, program, &task->request);
    if (status == EXIT_DONE)
        status =
            printed_view(task->options, &advice_view, &(struct advised){&task->request, advice});
    tcplan_advice_free(advice);
    tcplan_layout_program_free(program);
    return status;
}

const struct command command_advise = {
    "advise",
    COMMAND(ADVISE),
    "CONTRACTION --sizes SIZES [--free NAMES] [--with FILE] [OPTIONS]",
    "find the storage orders of the tensors that make a contraction fastest",
    "  tcplan advise \"C_abc=A_ija*B_jbic\" --sizes a=b=c=80,i=20,j=30\n"
    "  tcplan advise \"C_abc=A_ija*B_jbic\" --sizes a=b=c=80,i=20,j=30 \\\n"
    "      --free A,C --conversion once --uses 100\n"
    "  tcplan advise --with program.txt --effort estimate\n",
    .opens =
        REQUEST_SIZES | REQUEST_ONE_POINT | REQUEST_MACHINE | REQUEST_CEILINGS | REQUEST_EXPERIENCE,
    .opens_more = opens_more,
    .run = run,
    .manual =
        "Estimates find the best storage orders. Unless the effort is `estimate`, the best few and the current one are then planned as `rank` does. "
        "The table has the predicted time, the gain over the current layouts, and the time of copying each changed tensor once; `--conversion` sets "
        "how often these copies happen. `--with` reads a whole program: the time is the sum over its contractions, times their runs, and each "
        "tensor has one layout in all of them."};
