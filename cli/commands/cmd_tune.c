#include "base/quantity.h"
#include "cli/commands/commands.h"
#include "cli/correction.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/page/pictures.h"
#include "cli/render/roofs/roofline.h"
#include "cli/stored.h"

const char tune_serving[] = "--serve-tune";

/** Reads the ceilings of --ceilings, or the stored ones of this machine; they contain the sizes of
 * caches. */
static enum exit_status find_known(struct tcplan_roofline **out, const struct request *request,
                                   int benchmark) {
    static const int one_thread[] = {1};
    char reason[TCPLAN_MESSAGE_SIZE];
    *out = NULL;
    if (tcplan_tuned_is_gemm((enum tcplan_tuned)benchmark)) return EXIT_DONE;
    const enum exit_status status = stored_ceilings(out, reason, request, one_thread, 1);
    if (status == EXIT_DONE && !*out && request->options->ceilings)
        return diagnose_as(EXIT_REFUSED, "%s", reason);
    return status;
}

static enum exit_status tune(struct tcplan_tuning *out, const struct request *request,
                             int benchmark, const struct tcplan_roofline *known) {
    static const char *const program[] = {"/proc/self/exe", tune_serving, NULL};
    const struct options *options = request->options;
    struct tcplan_tune_options of = options->tune;
    of.benchmark = (enum tcplan_tuned)benchmark;
    of.seed = options->seed;
    if (options_given(options, "provider")) of.provider = options->model.provider;
    of.threads = options_given(options, "threads") ? options->threads : 0;
    of.max_memory_bytes = options->max_memory_bytes;
    of.machine = &request->machine;
    of.program = program;
    of.progress = progress_update;
    of.known = known;
    return diagnosed(tcplan_tune(out, &of, &failure));
}

/** Checks that every part of the tuning has a result. */
static enum exit_status judge(const struct tcplan_tuning *tuning) {
    bool found = false;
    for (int r = 0; r < tuning->count; r++) found = found || tuning->row[r].found;
    if (found && tuning->options.configurations) return EXIT_DONE;
    for (int r = 0; r < tuning->count; r++) {
        if (tuning->row[r].found) continue;
        if (tuning->row[r].too_little_memory)
            return diagnose_as(
                EXIT_ENVIRONMENT,
                "memory was not measured on %s: vectors larger than the caches need %s, but only %s may be used%s",
                counted(tuning->row[r].threads, "core").text,
                quantity_bytes((double)tuning->row[r].wanted_bytes).text,
                quantity_bytes((double)tuning->options.max_memory_bytes).text,
                tuning->options.max_memory_bytes < tuning->available_bytes ? " (--max-memory)"
                                                                           : ", the free memory");
        return diagnose_as(
            EXIT_ENVIRONMENT, "nothing was measured on %s: %s",
            counted(tuning->row[r].threads, "core").text,
            *tuning->lost_reason
                ? tuning->lost_reason
                : "other load disturbed every iteration; try again on an idle machine");
    }
    return EXIT_DONE;
}

static enum exit_status read_benchmark(int *benchmark, const struct options *options) {
    const char *word = options->argument;
    if (word && tcplan_word_value(tcplan_words_tuned, word, benchmark)) {
        if (*benchmark != TCPLAN_TUNED_TRIAD) return EXIT_DONE;
        if (options_given(options, "provider"))
            return options_refuse(options, "--provider: the triad calls no library");
        if (options_given(options, "extents"))
            return options_refuse(options, "--extents: the triad has no gemm sizes");
        return EXIT_DONE;
    }
    if (word) {
        diagnose("tune expects dgemm, sgemm, cgemm, zgemm or triad, found '%.200s'%s", word,
                 suggestion_among(tcplan_words_tuned, word).text);
    } else {
        diagnose("tune needs an argument: dgemm, sgemm, cgemm, zgemm or triad");
    }
    return options_usage(options);
}

static void offer(struct strbuf *out) {
    strbuf_add(out, "dgemm sgemm cgemm zgemm triad");
}

static enum exit_status draw(const struct tcplan_tuning *tuning, const char *path) {
    struct output_file out = {0};
    const enum exit_status status = output_begin(&out, path);
    return status == EXIT_DONE ? picture_file_end(&out, tuning_plot_print(out.file, tuning))
                               : status;
}

static enum exit_status run(struct task *task) {
    struct tcplan_tuning tuning = {0};
    struct tcplan_roofline *known = NULL;
    int benchmark;
    enum exit_status status = read_benchmark(&benchmark, task->options);
    if (status == EXIT_DONE && task->options->plot)
        status = task->options->tune.configurations
                     ? picture_file_check("--plot", task->options->plot)
                     : options_refuse(task->options, "--plot needs --configurations");
    if (status == EXIT_DONE) status = find_known(&known, &task->request, benchmark);
    if (status == EXIT_DONE) status = tune(&tuning, &task->request, benchmark, known);
    if (status == EXIT_DONE) status = task_print(task, &tuning_view, &tuning);
    if (status == EXIT_DONE && task->options->plot) status = draw(&tuning, task->options->plot);
    if (status == EXIT_DONE) status = judge(&tuning);
    tcplan_tuning_free(&tuning);
    tcplan_roofline_free(known);
    return status;
}

const struct command command_tune = {
    "tune",
    COMMAND(TUNE),
    "dgemm | sgemm | cgemm | zgemm | triad [OPTIONS]",
    "find the fastest configuration of gemm or the triad",
    "  tcplan tune dgemm\n"
    "  tcplan tune triad --max-memory 2G\n"
    "  tcplan tune sgemm --provider blis --configurations --format csv\n"
    "  tcplan tune dgemm --configurations --plot dgemm.svg\n"
    "  tcplan tune dgemm --stops none --extents paper --interval normal\n",
    .offer = offer,
    .opens = REQUEST_MACHINE | TASK_OUTPUT,
    .run = run,
    .manual =
        "Measures each configuration until its mean is precise, or until it is certainly not the best. Configurations of a gemm differ in the extents; "
        "those of `triad` in the length of the vectors (in the last cache and in memory), the number of threads, their placement (close or spread), "
        "and memory (of their own NUMA node or interleaved over all). Each invocation is a process. Crashed and hung processes are counted; a "
        "configuration with two of them is omitted. Rates are compared with the theoretical peak: clock, vector width and units of a core, "
        "and memory channels if the system or `--machine FILE.xml` reports them (`TcplanClockHz`, `TcplanFmaUnits`, `TcplanMemoryTransfers`, "
        "`TcplanMemoryChannels`)."};
