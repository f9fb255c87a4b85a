#include "cli/options/completion.h"

#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/options/options_table.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"

/*
 * The scripts are complete: they never call tcplan. Options, and whether arguments are files,
 * depend on the action if a command has actions.
 */

typedef void print_option_fn(FILE *file, const struct command *command,
                             const struct option *option);

/** Calls `print` for each option that some of `actions` accept. */
static void each_option(FILE *file, const struct command *command, uint64_t actions,
                        print_option_fn *print) {
    for (size_t o = 0; o < options_table_count; o++) {
        if (options_table[o].accepted_by & actions) print(file, command, &options_table[o]);
    }
}

/** The actions of a command, with blanks between them. */
static void print_actions(FILE *file, const struct command *command, uint64_t actions) {
    const char *blank = "";
    for (const struct action *action = command->actions; action && action->name; action++) {
        if (!(action->bit & actions)) continue;
        fprintf(file, "%s%s", blank, action->name);
        blank = " ";
    }
}

static bool is_folder(const struct option *option) {
    return option->role != FILE_NONE && strcmp(option->value, "FOLDER") == 0;
}

/** Whether some arguments are files. */
static bool takes_files(const struct command *command) {
    bool takes = command->arguments_role != FILE_NONE;
    for (const struct action *action = command->actions; action && action->name; action++)
        takes |= action->arguments_role != FILE_NONE;
    return takes;
}

static void print_words(FILE *file, const struct option *option) {
    for (const struct tcplan_word *word = option->words; word && word->word; word++) {
        fprintf(file, "%s%s", word == option->words ? "" : " ", word->word);
    }
}

/** The first part of the help, up to a stop, with quotes and brackets that shells would read left
 * out. */
static void print_hint(FILE *file, const struct option *option) {
    struct strbuf help = {0};
    option_add_help(&help, option, NULL);
    char *text = strbuf_finish(&help);
    const size_t length = text ? strcspn(text, ":;") : 0;
    for (size_t c = 0; c < length; c++) {
        if (!strchr("'\"`[]\\", text[c])) fputc(text[c], file);
    }
    free(text);
}

/* bash */

static void bash_name(FILE *file, const struct command *command, const struct option *option) {
    (void)command;
    if (option->letter) fprintf(file, " -%c", option->letter);
    fprintf(file, " --%s", option->name);
}

/** Offers the values of an option. */
static void bash_values(FILE *file, const struct option *option) {
    if (option->words) {
        fputs("words='", file);
        print_words(file, option);
        fputs("' ;;\n", file);
    } else {
        fputs(is_folder(option)           ? "kind=-d ;;\n"
              : option->role != FILE_NONE ? "kind=-f ;;\n"
                                          : "return ;;\n",
              file);
    }
}

/** The options of a command or action, then a case for the values of each. */
static void bash_taker(FILE *file, const struct command *command, const char *action,
                       uint64_t actions, bool takes_files) {
    fprintf(file, "    '%s%s%s')\n        words='", command->name, *action ? " " : "", action);
    each_option(file, command, actions, bash_name);
    fputs("'\n        case $before in\n", file);
    for (size_t o = 0; o < options_table_count; o++) {
        const struct option *option = &options_table[o];
        if (!(option->accepted_by & actions) || !option->value) continue;
        fprintf(file, "        --%s", option->name);
        if (option->letter) fprintf(file, " | -%c", option->letter);
        fputs(") ", file);
        bash_values(file, option);
    }
    fprintf(
        file,
        "        *) if [ \"${word#-}\" = \"$word\" ]; then words='' kind=%s; fi ;;\n        esac\n        ;;\n",
        takes_files ? "-f" : "");
}

static void bash_command(FILE *file, const struct command *command) {
    for (const struct action *action = command->actions; action && action->name; action++) {
        bash_taker(file, command, action->name, action->bit, action->arguments_role != FILE_NONE);
    }
    if (!command->actions)
        bash_taker(file, command, "", command->bit, command->arguments_role != FILE_NONE);
}

static void print_bash(FILE *file) {
    fputs(
        "# bash completion for tcplan, printed by `tcplan completion bash`\n"
        "_tcplan() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words='' kind=''\n"
        "    local commands='",
        file);
    for (const struct command *command = commands; command->name; command++)
        fprintf(file, "%s%s", command == commands ? "" : " ", command->name);
    fputs(
        "'\n    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$commands --help --version\" -- \"$word\")\n        return\n    fi\n"
        "    case $command in\n",
        file);
    for (const struct command *command = commands; command->name; command++) {
        if (!command->actions) continue;
        fprintf(
            file,
            "    %s)\n        if [ \"$COMP_CWORD\" -eq 2 ]; then\n            mapfile -t COMPREPLY < <(compgen -W '",
            command->name);
        print_actions(file, command, command->bit);
        fputs(
            " --help' -- \"$word\")\n            return\n        fi\n        command=\"$command ${COMP_WORDS[2]}\"\n        ;;\n",
            file);
    }
    fputs(
        "    *) case \" $commands \" in *\" $command \"*) ;; *) command=rank ;; esac ;;\n    esac\n    case $command in\n",
        file);
    for (const struct command *command = commands; command->name; command++) {
        if (command->run || command->actions) bash_command(file, command);
    }
    fputs("    help) words=\"$commands --man\" ;;\n"
          "    completion) words='bash zsh fish' ;;\n"
          "    esac\n"
          "    if [ -n \"$kind\" ]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        mapfile -t COMPREPLY < <(compgen $kind -- \"$word\")\n"
          "    else\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "    fi\n"
          "}\n"
          "complete -F _tcplan tcplan\n",
          file);
}

/* zsh */

static void zsh_option(FILE *file, const struct command *command, const struct option *option) {
    (void)command;
    fputs(" \\\n            ", file);
    if (option->kind == OPTION_TEXTS) fputs("'*'", file);
    if (option->letter) fprintf(file, "{-%c,--%s}", option->letter, option->name);
    if (!option->letter) fprintf(file, "--%s", option->name);
    fputs("'[", file);
    print_hint(file, option);
    fputc(']', file);
    if (option->value) fprintf(file, ":%s:", option->value);
    if (option->words) {
        fputc('(', file);
        print_words(file, option);
        fputc(')', file);
    } else if (option->value) {
        fputs(is_folder(option) ? "_files -/" : option->role != FILE_NONE ? "_files" : " ", file);
    }
    fputc('\'', file);
}

static void print_zsh(FILE *file) {
    fputs("#compdef tcplan\n"
          "# zsh completion for tcplan, printed by `tcplan completion zsh`\n"
          "_tcplan() {\n"
          "    local -a commands=(",
          file);
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, "\n        \"%s:%s\"", command->name, command->summary);
    }
    fputs(")\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    (( $commands[(I)$command:*] )) || command=rank\n"
          "    case $command in\n",
          file);
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, "    %s)\n        _arguments -s", command->name);
        each_option(file, command, command->bit, zsh_option);
        if (command->actions) {
            fputs(" \\\n            '2:action:(", file);
            print_actions(file, command, command->bit);
            fputs(")'", file);
        }
        if (command->bit == COMMAND_COMPLETION)
            fputs(" \\\n            '*:shell:(bash zsh fish)'", file);
        if (takes_files(command)) fputs(" \\\n            '*:file:_files'", file);
        fputs("\n        ;;\n", file);
    }
    fputs("    esac\n}\n_tcplan \"$@\"\n", file);
}

/* fish */

/** The beginning of a line that holds for a command, or only for some of its actions. */
static void fish_begin(FILE *file, const struct command *command, uint64_t actions) {
    fprintf(file, "complete -c tcplan -n '__fish_seen_subcommand_from %s", command->name);
    if (command->actions && (actions & command->bit) != command->bit) {
        fputs("; and __fish_seen_subcommand_from ", file);
        print_actions(file, command, actions);
    }
    fputc('\'', file);
}

static void fish_option(FILE *file, const struct command *command, const struct option *option) {
    fish_begin(file, command, option->accepted_by);
    fprintf(file, " -l %s", option->name);
    if (option->letter) fprintf(file, " -s %c", option->letter);
    if (option->words) {
        fputs(" -x -a '", file);
        print_words(file, option);
        fputc('\'', file);
    } else if (option->value) {
        fputs(option->role != FILE_NONE ? " -r" : " -x", file);
    }
    fputs(" -d '", file);
    print_hint(file, option);
    fputs("'\n", file);
}

static void fish_command(FILE *file, const struct command *command) {
    if (command->actions) {
        fish_begin(file, command, command->bit);
        fputs(" -a '", file);
        print_actions(file, command, command->bit);
        fputs("'\n", file);
    }
    if (!takes_files(command)) {
        fish_begin(file, command, command->bit);
        fputs(" -f\n", file);
    }
    each_option(file, command, command->bit, fish_option);
}

static void print_fish(FILE *file) {
    fputs("# fish completion for tcplan, printed by `tcplan completion fish`\n", file);
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, "complete -c tcplan -n __fish_use_subcommand -a %s -d \"%s\"\n",
                command->name, command->summary);
    }
    for (const struct command *command = commands; command->name; command++)
        fish_command(file, command);
    fputs("complete -c tcplan -n '__fish_seen_subcommand_from completion' -x -a 'bash zsh fish'\n",
          file);
}

enum exit_status cmd_completion(const struct options *options) {
    static const struct {
        const char *shell;
        void (*print)(FILE *file);
    } scripts[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    const char *shell = options->argument ? options->argument : "";
    for (size_t s = 0; s < sizeof scripts / sizeof *scripts; s++) {
        struct output_file out = {0};
        struct tcplan_error error;
        if (strcmp(scripts[s].shell, shell) != 0) continue;
        if (output_open(&out, options->output, &error) != TCPLAN_OK)
            return diagnose_error(&error, NULL);
        scripts[s].print(out.file);
        return printed_complete(&out);
    }
    diagnose("completion needs a shell, bash, zsh or fish; found '%.80s'", shell);
    return diagnose_usage("completion");
}
