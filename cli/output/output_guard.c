#include "cli/output/output_guard.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output/results_target.h"
#include "cli/shipped.h"

enum {
    INPUT_LIBRARIES = COMMAND_BATCH,
    INPUT_RESULTS = COMMAND_MERGE | COMMAND_REPORT | COMMAND_PORTABILITY | COMMAND_EXPERIMENT,
    OUTPUTS = 8
};

/** A file to be written; without a path it is stdout. */
struct output {
    const char *option;
    const char *path;
};

/** The outputs of a command line. */
struct outputs {
    struct output output[OUTPUTS];
    int count;
    char *kept; /* to be freed */
};

/** Looks at a file; false where there is none, or no regular one: nothing is lost by writing to a device. */
static bool look(struct stat *out, const char *path, int standard) {
    const bool named = path && strcmp(path, "-") != 0;
    return (named ? stat(path, out) : fstat(standard, out)) == 0 && S_ISREG(out->st_mode);
}

static bool is_same(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static void add(struct outputs *outputs, const char *option, const char *path) {
    outputs->output[outputs->count++] = (struct output){.option = option, .path = path};
}

static bool collect(struct outputs *out, const struct options *options, enum command_bit command) {
    *out = (struct outputs){0};
    add(out, "stdout", NULL);
    if (options->output) add(out, "-o", options->output);
    if (options->plot && strcmp(options->plot, "-") != 0) add(out, "--plot", options->plot);
    if (options->ceilings && command == COMMAND_ROOFLINE) add(out, "--ceilings", options->ceilings);
    if (options->emit && command == COMMAND_RANK) add(out, "--emit", options->emit);
    if (options->header) add(out, "--header", options->header);
    if (options->fortran) add(out, "--fortran", options->fortran);
    if (command != COMMAND_BATCH || !options->output) return true;
    out->kept = results_kept_path(options);
    if (out->kept && strcmp(out->kept, options->output) != 0) add(out, "-o", out->kept);
    return out->kept != NULL;
}

static enum exit_status check_input(const struct outputs *outputs, const char *path) {
    struct stat input, output;
    if (!look(&input, path, STDIN_FILENO)) return EXIT_DONE;
    for (int o = 0; o < outputs->count; o++) {
        const struct output *written = &outputs->output[o];
        if (!look(&output, written->path, STDOUT_FILENO) || !is_same(&input, &output)) continue;
        if (!written->path) {
            diagnose("'%.200s' is read and, as stdout, written at once", path);
        } else {
            diagnose("'%.200s' is an input, which %s '%.200s' would replace", path, written->option, written->path);
        }
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

static enum exit_status check_library(const struct outputs *outputs, const char *name) {
    char *path = shipped_find(name);
    if (!path) return diagnose_no_memory();
    const enum exit_status status = check_input(outputs, path);
    free(path);
    return status;
}

static enum exit_status check_arguments(const struct outputs *outputs, const struct options *options, enum command_bit command) {
    enum exit_status status = EXIT_DONE;
    for (int a = 0; a < options->argument_count && status == EXIT_DONE; a++) {
        if (command & INPUT_LIBRARIES) status = check_library(outputs, options->arguments[a]);
        if (command & INPUT_RESULTS) status = check_input(outputs, options->arguments[a]);
    }
    return status;
}

/** No two outputs are one file. */
static enum exit_status check_pairs(const struct outputs *outputs) {
    struct stat first, second;
    for (int a = 1; a < outputs->count; a++) { /* stdout may be anything */
        for (int b = a + 1; b < outputs->count; b++) {
            const char *one = outputs->output[a].path, *other = outputs->output[b].path;
            const bool there = look(&first, one, STDOUT_FILENO) && look(&second, other, STDOUT_FILENO);
            const bool equal = there ? is_same(&first, &second) : strcmp(one, other) == 0 && access(one, F_OK) != 0;
            if (!equal) continue;
            diagnose("%s and %s would both write '%.200s'", outputs->output[a].option, outputs->output[b].option, other);
            return EXIT_USAGE;
        }
    }
    return EXIT_DONE;
}

enum exit_status output_guard(const struct options *options, enum command_bit command) {
    struct outputs outputs;
    enum exit_status status = collect(&outputs, options, command) ? EXIT_DONE : diagnose_no_memory();
    if (status == EXIT_DONE) status = check_arguments(&outputs, options, command);
    const bool described = options->machine && strcmp(options->machine, "live") != 0;
    if (status == EXIT_DONE && described) status = check_input(&outputs, options->machine);
    if (status == EXIT_DONE && options->ceilings && command != COMMAND_ROOFLINE) status = check_input(&outputs, options->ceilings);
    for (int b = 0; b < options->blas.count && status == EXIT_DONE; b++) status = check_input(&outputs, options->blas.text[b]);
    if (status == EXIT_DONE) status = check_pairs(&outputs);
    free(outputs.kept);
    return status;
}
