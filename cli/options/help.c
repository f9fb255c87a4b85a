#include <ctype.h>
#include <string.h>

#include "base/edit_distance.h"
#include "base/error.h"
#include "cli/options/help.h"
#include "cli/options/manual.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/providers.h"
#include "cli/render/text/wrapped.h"
#include "tcplan/unstable.h"

/** A help that cannot be written is a failure as well. */
static enum exit_status finish_stdout(void) {
    struct output_file out = {.file = stdout};
    return printed_complete(&out);
}

static void print_usage(FILE *file) {
    fputs("usage: tcplan CONTRACTION --sizes SIZES [OPTIONS]\n"
          "       tcplan COMMAND ...\n"
          "\n",
          file);
}

void help_first(FILE *file) {
    print_usage(file);
    fputs("Try:\n"
          "  tcplan \"C_abc=A_ai*B_ibc\" --sizes a=b=c=100,i=8         rank its algorithms\n"
          "  tcplan emit \"C_abc=A_ai*B_ibc\" --sizes a=b=c=100,i=8    write C for the fastest\n"
          "  tcplan help                                            list all commands\n",
          file);
}

void help_overview(FILE *file) {
    print_usage(file);
    fputs("Ranks the BLAS algorithms of a tensor contraction on this machine from short\n"
          "stretches of them, and emits C for the winner.\n",
          file);
    const struct command_group *group = command_groups;
    for (const struct command *command = commands; command->name; command++) {
        if (group->first && strcmp(group->first, command->name) == 0)
            fprintf(file, "\n%s:\n", group++->heading);
        const int taken = fprintf(file, "  %-11s ", command->name);
        wrapped_print(file, command->summary, taken > 0 ? (size_t)taken : 0, 14);
    }
    fputs("\n"
          "Contractions: C_abc=A_ai*B_ibc, C[row,col]=A[row,k]*B[k,col] or ai,ibc->abc;\n"
          "+= accumulates, factors scale: C_ab=0.5*A_ai*B_ib+2*C_ab.\n"
          "\n"
          "Exit status: 0 done, 1 the input was refused, 2 usage, 3 the environment failed.\n"
          "\n"
          "Options of a command: tcplan COMMAND --help. Versions: tcplan --version.\n"
          "\n"
          "Example:\n"
          "  tcplan \"C_abc=A_ai*B_ibc\" --sizes a=400,b=400,c=400,i=8\n",
          file);
}

static void print_command(FILE *file, const struct command *command, const struct action *action) {
    const int taken = fprintf(file, "usage: tcplan %s ", command->name);
    const size_t indent = taken > 0 ? (size_t)taken : 0;
    wrapped_print(file, command->arguments, indent, indent);
    fprintf(file, "\n%c%s.\n\nOptions%s%s:\n", toupper((unsigned char)command->summary[0]),
            command->summary + 1, action ? " of " : "", action ? action->name : "");
    options_print(file, command, action);
    fprintf(file, "\nExamples:\n%s", command->examples);
}

enum exit_status help_versions(void) {
    printf("tcplan %s\n", TCPLAN_VERSION_STRING);
    providers_print(stdout);
    printf("%s\n%s\n", tcplan_machine_library(), tcplan_xml_library());
    return finish_stdout();
}

const struct command *help_find(const char *name) {
    for (const struct command *command = commands; command->name; command++) {
        if (strcmp(command->name, name) == 0) return command;
    }
    return NULL;
}

enum exit_status help_unknown(const char *name) {
    struct nearest nearest = {0};
    for (const struct command *command = commands; command->name; command++)
        nearest_consider(&nearest, name, command->name);
    if (nearest.name) {
        diagnose("unknown command '%.80s'; the nearest is '%s'", name, nearest.name);
    } else {
        diagnose("unknown command '%.80s'", name);
    }
    fputs("see 'tcplan --help'\n", stderr);
    return EXIT_USAGE;
}

enum exit_status help_print(const struct command *command, const struct action *action) {
    FILE *file = wrapped_begin(stdout);
    if (!file) return diagnose_no_memory();
    if (command) {
        print_command(file, command, action);
    } else {
        help_overview(file);
    }
    return wrapped_end(file, stdout) ? finish_stdout() : diagnose_no_memory();
}

static enum exit_status write_manual(const char *path) {
    struct output_file out = {0};
    struct tcplan_error error;
    enum tcplan_status status = output_open(&out, path, &error);
    if (status == TCPLAN_OK && !manual_print(out.file)) status = error_no_memory(&error);
    if (status == TCPLAN_OK) status = output_file_commit(&out, &error);
    output_file_discard(&out);
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

enum exit_status cmd_help(const struct options *options) {
    if (options->man) return write_manual(options->output);
    if (options->output) {
        diagnose("-o needs --man");
        return diagnose_usage("help");
    }
    const struct command *command = options->argument ? help_find(options->argument) : NULL;
    return options->argument && !command ? help_unknown(options->argument)
                                         : help_print(command, NULL);
}
