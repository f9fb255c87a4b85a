#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/commands/commands.h"
#include "cli/output/printed.h"
#include "cli/providers.h"
#include "cli/render/view.h"
#include "cli/stored.h"

/** Returns a text about the parts that an exported file lacks because they were not measured, with
 * the commands that measure them; NULL if no part is missing or memory runs out. */
static char *missing_of(const char *text) {
    static const struct {
        const char *kind, *what;
    } parts[] = {{"ceilings", "ceilings (tcplan roofline)"},
                 {"costs", "costs of cache lines and pages (tcplan roofline)"},
                 {"evaluations", "times of algorithms (tcplan rank)"},
                 {"models", "models (tcplan model generate)"}};
    struct strbuf missing = {0};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        char entry[48];
        snprintf(entry, sizeof entry, "entry kind=%s ", parts[p].kind);
        if (!strstr(text, entry))
            strbuf_add(&missing, "%s%s", missing.length > 0 ? ", " : "", parts[p].what);
    }
    return missing.length > 0 ? strbuf_finish(&missing) : NULL;
}

/** Writes the file of --export, which another machine needs to plan for this one. */
static enum exit_status export_machine(const struct options *options) {
    struct stored stored;
    char *text = NULL;
    enum exit_status status = stored_open_here(&stored);
    if (status != EXIT_DONE) return status;
    const enum tcplan_status made = tcplan_machine_export(&text, &stored.store, &failure);
    char *missing = made == TCPLAN_OK ? missing_of(text) : NULL;
    status = made == TCPLAN_OK ? printed_text(options->export, text) : diagnose_failure(NULL);
    if (missing && status == EXIT_DONE)
        note(options, "these data are not in the file, because they were not measured: %s",
             missing);
    free(missing);
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
