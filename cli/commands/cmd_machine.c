#include "cli/commands/commands.h"
#include "cli/output/printed.h"
#include "cli/providers.h"
#include "cli/render/view.h"
#include "cli/stored.h"

/** Writes what planning for this machine needs elsewhere. */
static enum exit_status export_machine(const struct options *options) {
    struct tcplan_machine machine;
    struct stored stored;
    char *text = NULL;
    if (tcplan_machine_load(&machine, "live", &failure) != TCPLAN_OK) return diagnose_failure(NULL);
    enum exit_status status = stored_open(&stored, &machine);
    if (status != EXIT_DONE) return status;
    const enum tcplan_status made = tcplan_machine_export(&text, &stored.store, &failure);
    status = made == TCPLAN_OK ? printed_text(options->export, text) : diagnose_failure(NULL);
    stored_close(&stored);
    return status;
}

static enum exit_status run(struct task *task) {
    struct tcplan_host *host = NULL;
    if (task->options->export) return export_machine(task->options);
    enum exit_status status = diagnosed(tcplan_host_examine(&host, &failure));
    if (status == EXIT_DONE) blas_advice_use(task->options, &host->machine);
    if (status == EXIT_DONE) status = task_print(task, &host_view, host);
    tcplan_host_free(host);
    return status;
}

const struct command command_machine = {
    "machine",
    COMMAND(MACHINE),
    "[OPTIONS]",
    "describe this machine: caches, clocks, timers, pages, other load, BLAS",
    "  tcplan machine\n"
    "  tcplan machine --format xml -o machine.xml\n"
    "  tcplan machine --export node.tcplan\n"
    "  tcplan rank \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --machine node.tcplan\n"
    "  tcplan trace \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --algorithm ca-dgemv \\\n"
    "      --machine machine.xml\n",
    .no_argument = true,
    .opens = TASK_OUTPUT,
    .run = run,
    .manual =
        "The core clock is measured with chains of dependent instructions, because the time-stamp counter has a different rate. `--format xml` "
        "includes the topology, so that `--machine` accepts the file."};
