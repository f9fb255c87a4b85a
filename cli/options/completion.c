#include "cli/options/completion.h"

#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/options/options_table.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"

/* Scripts ask nothing of tcplan: all they offer stands in them. */

/** Calls `print` for each option of a command. */
static void each_option(FILE *file, const struct command *command, void (*print)(FILE *, const struct command *, const struct option *)) {
    for (size_t o = 0; o < options_table_count; o++) {
        if (options_table[o].commands & (unsigned)command->bit) print(file, command, &options_table[o]);
    }
}

static bool is_file(const struct option *option) {
    return option->value && strncmp(option->value, "FILE", 4) == 0;
}

static bool is_folder(const struct option *option) {
    return option->value && strcmp(option->value, "FOLDER") == 0;
}

static void print_words(FILE *file, const struct option *option) {
    for (const struct tcplan_word *word = option->words; word && word->word; word++) {
        fprintf(file, "%s%s", word == option->words ? "" : " ", word->word);
    }
}

/** The first part of the help, up to a stop, with quotes and brackets that shells would read left out. */
static void print_hint(FILE *file, const struct option *option) {
    struct strbuf help = {0};
    option_add_help(&help, option);
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

static void bash_values(FILE *file, const struct command *command, const struct option *option) {
    if (!option->value) return;
    fprintf(file, "    %s,--%s", command->name, option->name);
    if (option->letter) fprintf(file, " | %s,-%c", command->name, option->letter);
    fputs(") ", file);
    if (option->words) {
        fputs("words='", file);
        print_words(file, option);
        fputs("' ;;\n", file);
    } else {
        fputs(is_folder(option) ? "kind=-d ;;\n" : is_file(option) ? "kind=-f ;;\n" : "return ;;\n", file);
    }
}

static void print_bash(FILE *file) {
    fputs("# bash completion for tcplan, printed by `tcplan completion bash`\n"
          "_tcplan() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words='' kind=''\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '",
          file);
    for (const struct command *command = commands; command->name; command++) fprintf(file, "%s ", command->name);
    fputs("--help --version' -- \"$word\")\n        return\n    fi\n    case $command in\n", file);
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, "    %s) words='", command->name);
        each_option(file, command, bash_name);
        fputs("' ;;\n", file);
    }
    fputs("    *)\n        command=rank words='", file);
    each_option(file, commands, bash_name);
    fputs("'\n        ;;\n    esac\n    case $command,$before in\n", file);
    for (const struct command *command = commands; command->name; command++) each_option(file, command, bash_values);
    fputs("    completion,*) words='bash zsh fish' ;;\n"
          "    *) if [ \"${word#-}\" = \"$word\" ]; then words='' kind=-f; fi ;;\n"
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
        fputs(is_folder(option) ? "_files -/" : is_file(option) ? "_files" : " ", file);
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
        each_option(file, command, zsh_option);
        fputs(command->bit == COMMAND_COMPLETION ? " \\\n            '*:shell:(bash zsh fish)'\n" : " \\\n            '*:file:_files'\n",
              file);
        fputs("        ;;\n", file);
    }
    fputs("    esac\n}\n_tcplan \"$@\"\n", file);
}

/* fish */

static void fish_option(FILE *file, const struct command *command, const struct option *option) {
    fprintf(file, "complete -c tcplan -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
    if (option->letter) fprintf(file, " -s %c", option->letter);
    if (option->words) {
        fputs(" -x -a '", file);
        print_words(file, option);
        fputc('\'', file);
    } else if (option->value) {
        fputs(is_file(option) || is_folder(option) ? " -r" : " -x", file);
    }
    fputs(" -d '", file);
    print_hint(file, option);
    fputs("'\n", file);
}

static void print_fish(FILE *file) {
    fputs("# fish completion for tcplan, printed by `tcplan completion fish`\n", file);
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, "complete -c tcplan -n __fish_use_subcommand -a %s -d \"%s\"\n", command->name, command->summary);
    }
    for (const struct command *command = commands; command->name; command++) each_option(file, command, fish_option);
    fputs("complete -c tcplan -n '__fish_seen_subcommand_from completion' -x -a 'bash zsh fish'\n", file);
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
        if (output_open(&out, options->output, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
        scripts[s].print(out.file);
        return printed_complete(&out);
    }
    diagnose("completion needs a shell, bash, zsh or fish; found '%.80s'", shell);
    return diagnose_usage("completion");
}
