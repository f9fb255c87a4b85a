#include <string.h>

#include "base/alloc.h"
#include "cli/commands/commands.h"
#include "cli/render/results/platforms.h"
#include "cli/roofs/programs.h"
#include "cli/stored.h"

enum { CEILINGS_MOST = OPTION_TEXTS_MAX + TCPLAN_ROOFLINE_COUNTS };

/** Ceilings of the machines to compare: first those of files, then the stored ones of this machine,
 * with one entry for each number of threads. */
struct machines {
    int count, named;
    struct tcplan_roofline *owned[CEILINGS_MOST];
    const struct tcplan_roofline *ceilings[CEILINGS_MOST]; /* the same pointers, as the library
                                                              expects them */
};

static void add_machine(struct machines *machines, struct tcplan_roofline *ceilings) {
    machines->owned[machines->count] = ceilings;
    machines->ceilings[machines->count++] = ceilings;
}

static void free_machines(struct machines *machines) {
    for (int c = 0; c < machines->count; c++) tcplan_roofline_free(machines->owned[c]);
}

/** Appends the stored ceilings of this machine, if there are any. No error is printed if no
 * platform uses them. */
static enum exit_status add_stored(struct machines *machines) {
    int thread[TCPLAN_ROOFLINE_COUNTS];
    const int counts = tcplan_roofline_thread_counts(thread, 0);
    struct tcplan_machine machine;
    struct stored stored;
    if (tcplan_machine_load(&machine, "live", NULL) != TCPLAN_OK) return EXIT_DONE;
    const enum exit_status status = stored_open(&stored, &machine);
    if (status != EXIT_DONE) return status;
    for (int t = 0; t < counts && stored.store.folder; t++) {
        struct tcplan_roofline *found = NULL;
        if (tcplan_store_ceilings(&found, &stored.store, &thread[t], 1, NULL) == TCPLAN_OK && found)
            add_machine(machines, found);
    }
    stored_close(&stored);
    return EXIT_DONE;
}

static enum exit_status read_machines(struct machines *out, const struct text_list *files) {
    for (int f = 0; f < files->count; f++) {
        struct tcplan_roofline *read = NULL;
        if (tcplan_ceilings_load(&read, NULL, files->text[f], &failure) != TCPLAN_OK)
            return diagnose_failure(NULL);
        add_machine(out, read);
    }
    out->named = out->count;
    return add_stored(out);
}

/** Rejects a file of ceilings that fits no platform in the results. */
static enum exit_status check_used(const struct machines *machines,
                                   const struct tcplan_platforms *report) {
    for (int c = 0; c < machines->named; c++) {
        const struct tcplan_machine *machine = &machines->ceilings[c]->machine;
        int p = 0;
        while (p < report->platform_count && report->platform[p].ceilings != machines->ceilings[c])
            p++;
        if (p < report->platform_count) continue;
        return diagnose_as(
            EXIT_REFUSED,
            "the ceilings in '%.200s' are for CPU %s, %d cores: no results are of that machine with a number of threads that has ceilings",
            machine->source, *machine->cpu ? machine->cpu : "unknown", machine->cores);
    }
    return EXIT_DONE;
}

static enum exit_status compare(struct task *task, const struct machines *machines) {
    const struct options *options = task->options;
    struct tcplan_platforms *report = NULL;
    if (tcplan_platforms_read(&report, options->arguments, options->argument_count,
                              machines->ceilings, machines->count, &failure) != TCPLAN_OK) {
        return diagnose_failure(NULL);
    }
    enum exit_status status = check_used(machines, report);
    if (status == EXIT_DONE && report->contraction_count > 0) {
        status =
            task_print(task, &portability_view, &(struct portability_report){report, options->all});
    } else if (status == EXIT_DONE) {
        diagnose("the files contain no results");
        status = EXIT_REFUSED;
    }
    tcplan_platforms_free(report);
    return status;
}

static enum exit_status compare_programs(struct task *task) {
    struct programs programs = {0};
    enum exit_status status = programs_make(&programs, task->options);
    if (status == EXIT_DONE) status = task_print(task, &programs_view, &programs);
    programs_free(&programs);
    return status;
}

static enum exit_status run(struct task *task) {
    struct machines machines = {0};
    const struct options *options = task->options;
    if (programs_are_asked(options)) return compare_programs(task);
    if (options->ceiling != CEILING_FMA || options->canonical)
        return options_refuse(options, "--%s needs programs, PROGRAMS.csv",
                              options->canonical ? "flops" : "ceiling");
    enum exit_status status = read_machines(&machines, &options->platforms);
    if (status == EXIT_DONE) status = compare(task, &machines);
    free_machines(&machines);
    return status;
}

const struct command command_portability = {
    "portability",
    COMMAND(PORTABILITY),
    "RESULTS.xml ... | PROGRAMS.csv ... [OPTIONS]",
    "compare results of several machines, BLAS libraries or numbers of threads",
    "  tcplan portability skylake.xml zen.xml\n"
    "  tcplan portability skylake.xml zen.xml --all \\\n"
    "      --ceilings skylake.tcplan --ceilings zen.tcplan\n"
    "  tcplan portability skylake.csv zen.csv --ceiling mul_add \\\n"
    "      --ceilings skylake.tcplan --ceilings zen.tcplan\n",
    .arguments_role = FILE_INPUT,
    .needs =
        "files of results, as `tcplan batch` writes them, or of programs, as `tcplan roofline --format csv`",
    .opens = TASK_OUTPUT,
    .run = run,
    .manual =
        "A platform is a machine with a BLAS library and a number of threads. For each contraction and platform, prints the efficiency of the "
        "platform's own choice and of the single most portable algorithm, relative to the fastest algorithm. Portability is the harmonic mean of "
        "efficiencies over the platforms, relative to the fastest algorithm (application) or to the machine's limit (architectural); it is 0 if a "
        "platform does not support the algorithm. Files whose names end in .csv have programs: the columns name, flops, bytes and seconds, or the output "
        "of `roofline --run` and `--points`. Each file is a platform, and programs of equal names are compared. With `--ceilings`, one for each file, "
        "efficiencies are computed; otherwise they are those of the column efficiency."};
