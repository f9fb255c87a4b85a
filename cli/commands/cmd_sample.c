#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "cli/commands/commands.h"
#include "cli/output/printed.h"
#include "cli/render/sampling/sampling.h"
#include "cli/request.h"
#include "tcplan/sampler.h"

/** State of a running script. */
struct session {
    const struct options *options;
    const char *name; /* name of the script in messages */
    FILE *input;
    bool is_terminal;
    struct samples samples;
    struct tcplan_sampler *sampler;
};

static void take_sample(void *context, const struct tcplan_call_sample *sample) {
    struct session *session = context;
    samples_add(&session->samples, sample);
}

/** Prints text of the script between the samples. For JSON and CSV, the text goes to stderr. */
static void take_print(void *context, const char *text) {
    const struct session *session = context;
    fprintf(session->options->format == OUTPUT_TEXT ? session->samples.writer.file : stderr, "%s\n",
            text);
}

static void take_info(void *context, const char *text) {
    (void)context;
    fputs(text, stderr);
}

static void take_note(void *context, size_t line, const char *text) {
    const struct session *session = context;
    note(session->options, "%s:%zu: %s", session->name, line, text);
}

/** Prints an error with the name of the script and the line. */
static enum exit_status refuse(const struct session *session, const struct tcplan_error *error,
                               const char *line) {
    struct tcplan_error placed = *error;
    if (error->line > 0 && error->column > 0) {
        snprintf(placed.message, sizeof placed.message, "%.60s:%zu:%zu: %.180s", session->name,
                 error->line, error->column, error->message);
    } else {
        snprintf(placed.message, sizeof placed.message, "%.60s: %.240s", session->name,
                 error->message);
    }
    return diagnose_error(&placed, line);
}

/** Ends the process if a call did not return, because the thread of the call still uses memory. */
static void leave(struct session *session, struct output_file *out) {
    samples_end(&session->samples);
    output_file_commit(out, &failure);
    fflush(NULL);
    _exit(EXIT_ENVIRONMENT);
}

static enum exit_status obey(struct session *session, const char *line, struct output_file *out) {
    const enum tcplan_status status = tcplan_sampler_line(session->sampler, line, &failure);
    const enum exit_status result =
        status == TCPLAN_OK ? EXIT_DONE : refuse(session, &failure, line);
    fflush(session->samples.writer.file);
    if (tcplan_sampler_given_up(session->sampler)) leave(session, out);
    if (result != EXIT_REFUSED || !session->is_terminal) return result;
    tcplan_sampler_reset(session->sampler); /* the user may correct and repeat the line */
    return EXIT_DONE;
}

static enum exit_status obey_all(struct session *session, struct output_file *out) {
    enum exit_status status = EXIT_DONE;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    errno = 0;
    while (status == EXIT_DONE && (length = getline(&line, &capacity, session->input)) >= 0) {
        if (length > 0 && line[length - 1] == '\n') line[--length] = '\0';
        if (strlen(line) != (size_t)length) {
            diagnose("%s: a line has a byte that is 0; a script is text", session->name);
            status = EXIT_REFUSED;
        } else {
            status = obey(session, line, out);
        }
    }
    free(line);
    if (status != EXIT_DONE) return status;
    if (ferror(session->input))
        return diagnose_as(EXIT_ENVIRONMENT, "cannot read %s: %s", session->name, strerror(errno));
    if (tcplan_sampler_go(session->sampler, &failure) == TCPLAN_OK) return EXIT_DONE;
    status = refuse(session, &failure, NULL);
    if (tcplan_sampler_given_up(session->sampler)) leave(session, out);
    return status;
}

static enum exit_status open_input(struct session *session) {
    const char *path = session->options->argument;
    session->name = "stdin";
    session->input = stdin;
    session->is_terminal = isatty(STDIN_FILENO);
    if (!path || strcmp(path, "-") == 0) {
        if (session->is_terminal)
            note(session->options, "reading calls from the terminal; 'go' runs them, Ctrl-D ends");
        return EXIT_DONE;
    }
    session->name = path;
    session->is_terminal = false;
    if (input_file_check("script ", path, &failure) != TCPLAN_OK) return diagnose_failure(NULL);
    session->input = fopen(path, "r");
    if (session->input) return EXIT_DONE;
    return diagnose_as(EXIT_ENVIRONMENT, "cannot read script '%.200s': %s", path, strerror(errno));
}

static enum exit_status open_sampler(struct session *session) {
    const struct options *options = session->options;
    struct tcplan_sampler_options of = tcplan_sampler_defaults();
    of.threads = options->threads;
    if (options->alignment_bytes > 0) of.alignment_bytes = options->alignment_bytes;
    of.offset_bytes = options->offset_bytes;
    of.max_memory_bytes = options->max_memory_bytes;
    of.limit_seconds = options->time_limit_seconds;
    of.check_only = options->check_only;
    if (options->counters) of.counters = options->counters;
    of.no_warm_up = options->no_warm_up;
    of.context = session;
    of.sample = take_sample;
    of.print = take_print;
    of.info = take_info;
    of.note = take_note;
    const enum exit_status status = request_read_binding(&of.binding, options);
    return status == EXIT_DONE ? diagnosed(tcplan_sampler_open(&session->sampler, &of, &failure))
                               : status;
}

/** Explains the mark of disturbed samples if there are such samples. */
static void report_disturbed(const struct session *session) {
    const struct samples *samples = &session->samples;
    if (samples->disturbed == 0) return;
    note(session->options,
         "%lld of %lld samples %s%s: the core may have been preempted during them",
         (long long)samples->disturbed, (long long)samples->count,
         samples->disturbed == 1 ? "is" : "are",
         session->options->format == OUTPUT_TEXT ? " marked *" : " disturbed");
}

static enum exit_status run(struct task *task) {
    const struct options *options = task->options;
    struct session session = {.options = options,
                              .samples = {.format = options->format, .unit = options->sample_unit}};
    struct output_file out = {0};
    enum exit_status status = open_input(&session);
    if (status == EXIT_DONE) status = output_begin(&out, options->output);
    if (status == EXIT_DONE) status = open_sampler(&session);
    if (status == EXIT_DONE) {
        session.samples.writer.file = out.file;
        session.samples.threads = options->threads;
        samples_begin(&session.samples);
        status = obey_all(&session, &out);
        samples_end(&session.samples);
        report_disturbed(&session);
        if (session.samples.writer.no_memory && status == EXIT_DONE) status = diagnose_no_memory();
        /* Samples that are complete are written even if a limit ended the script. */
        const bool keeps = status != EXIT_REFUSED || !out.path;
        if (keeps && output_file_commit(&out, &failure) != TCPLAN_OK && status == EXIT_DONE)
            status = diagnose_failure(NULL);
    }
    output_file_discard(&out);
    tcplan_sampler_close(session.sampler);
    if (session.input && session.input != stdin) fclose(session.input);
    return status;
}

const struct command command_sample = {
    "sample",
    COMMAND(SAMPLE),
    "[FILE | -] [OPTIONS]",
    "time calls of BLAS and LAPACK routines that a script lists",
    "  echo 'dgemm N N 200 200 200 1 [40000] 200 [40000] 200 0 [40000] 200' \\\n"
    "      | tcplan sample\n"
    "  tcplan sample calls.sample --unit nanosecond\n"
    "  tcplan sample calls.sample --threads 4 --format csv -o samples.csv\n",
    .arguments_role = FILE_INPUT,
    .run = run,
    .manual =
        "This is the Sampler of the dissertation (section 2.2.1). Each line of the script is a command, or queues a call by its Fortran name and "
        "arguments. `go`, or the end, runs the queue and prints a line for each call: cycles, then the counts that `set_counters` selected. See "
        "SCRIPTS."};
