#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/correction.h"
#include "cli/options/options_table.h"
#include "cli/output/printed.h"

/*
 * The scripts contain all words, so they never call tcplan. Each struct taker is a command or
 * action; it accepts options, values of options, and words or files as arguments.
 */

/** Prints the names of a command's actions, separated by blanks. */
static void print_actions(FILE *file, const struct command *command) {
    for (const struct action *action = command->actions; action->name; action++)
        fprintf(file, "%s%s", action == command->actions ? "" : " ", action->name);
}

static bool is_folder(const struct option *option) {
    return option->role != FILE_NONE && strcmp(option->value, "FOLDER") == 0;
}

static void print_words(FILE *file, const struct option *option) {
    for (const struct tcplan_word *word = option->words; word && word->word; word++) {
        fprintf(file, "%s%s", word == option->words ? "" : " ", word->word);
    }
}

/** Prints the words that completion offers as arguments of a command or action. */
static void print_offered(FILE *file, const struct taker *taker) {
    struct strbuf words = {0};
    if (taker->offer) taker->offer(&words);
    fputs(words.text && !words.failed ? words.text : "", file);
    strbuf_free(&words);
}

/** Prints a text without quotes and brackets, which shells would interpret. */
static void print_plain(FILE *file, const char *text) {
    for (; *text; text++) {
        if (!strchr("'\"`[]\\", *text)) fputc(*text, file);
    }
}

static void print_hint(FILE *file, const struct option *option) {
    struct strbuf help = {0};
    option_add_help(&help, option, NULL);
    char *text = strbuf_finish(&help);
    print_plain(file, text ? text : "");
    free(text);
}

/* bash */

/** Prints the bash code that completes the value of an option. */
static void bash_values(FILE *file, const struct option *option) {
    if (option->words) {
        fputs(option->kind == OPTION_SET ? "words=\"$words " : "words=\"", file);
        print_words(file, option);
        fputs("\" ;;\n", file);
    } else {
        fputs(is_folder(option)           ? "kind=-d ;;\n"
              : option->role != FILE_NONE ? "kind=-f ;;\n"
                                          : "return ;;\n",
              file);
    }
}

/** Prints the bash code for a command or action: its options, then a `case` for the values of each
 * option and for arguments. */
static void bash_taker(FILE *file, const struct taker *taker) {
    const struct action *action = taker->action;
    fprintf(file, "    '%s%s%s')\n        words='", taker->command->name, action ? " " : "",
            action ? action->name : "");
    for (size_t o = 0; o < options_table_count; o++) {
        const struct option *option = &options_table[o];
        if (!(option->accepted_by & taker->bit)) continue;
        if (option->letter) fprintf(file, " -%c", option->letter);
        fprintf(file, " --%s", option->name);
    }
    fputs("'\n        case $before in\n", file);
    for (size_t o = 0; o < options_table_count; o++) {
        const struct option *option = &options_table[o];
        if (!(option->accepted_by & taker->bit) || !option->value) continue;
        fprintf(file, "        --%s", option->name);
        if (option->letter) fprintf(file, " | -%c", option->letter);
        fputs(") ", file);
        bash_values(file, option);
    }
    fputs("        *) if [ \"${word#-}\" = \"$word\" ]; then words='", file);
    print_offered(file, taker);
    fprintf(file, "' kind=%s; fi ;;\n        esac\n        ;;\n",
            taker->role != FILE_NONE ? "-f" : "");
}

static void print_bash(FILE *file) {
    fputs(
        "# bash completion for tcplan, printed by `tcplan completion bash`\n"
        "_tcplan() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words='' kind=''\n"
        "    local commands='",
        file);
    for (size_t c = 0; commands[c]; c++) fprintf(file, "%s%s", c > 0 ? " " : "", commands[c]->name);
    fputs(
        "'\n    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$commands --help --version\" -- \"$word\")\n        return\n    fi\n"
        "    case $command in\n",
        file);
    for (size_t c = 0; commands[c]; c++) {
        const struct command *command = commands[c];
        if (!command->actions) continue;
        fprintf(
            file,
            "    %s)\n        if [ \"$COMP_CWORD\" -eq 2 ]; then\n            mapfile -t COMPREPLY < <(compgen -W '",
            command->name);
        print_actions(file, command);
        fputs(
            " --help' -- \"$word\")\n            return\n        fi\n        command=\"$command ${COMP_WORDS[2]}\"\n        ;;\n",
            file);
    }
    fputs(
        "    *) case \" $commands \" in *\" $command \"*) ;; *) command=rank ;; esac ;;\n    esac\n    case $command in\n",
        file);
    for (struct taker taker = {0}; taker_next(&taker);) bash_taker(file, &taker);
    fputs("    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "    if [ -n \"$kind\" ]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen $kind -- \"$word\")\n"
          "    fi\n"
          "}\n"
          "complete -F _tcplan tcplan\n",
          file);
}

/* zsh */

static void zsh_option(FILE *file, const struct option *option, uint64_t actions) {
    struct strbuf excluded = {0};
    fputs(" \\\n            ", file);
    rules_add_excluded(&excluded, option, actions);
    if (excluded.length > 0 && !excluded.failed) fprintf(file, "'(%s)'", excluded.text);
    strbuf_free(&excluded);
    if (option->kind == OPTION_TEXTS) fputs("'*'", file);
    if (option->letter) fprintf(file, "{-%c,--%s}", option->letter, option->name);
    if (!option->letter) fprintf(file, "--%s", option->name);
    fputs("'[", file);
    print_hint(file, option);
    fputc(']', file);
    if (option->value) {
        fputs(option->kind == OPTION_SET ? "::" : ":", file);
        print_plain(file, option->value);
        fputc(':', file);
    }
    if (option->words) {
        fputc('(', file);
        print_words(file, option);
        fputc(')', file);
    } else if (option->value) {
        fputs(is_folder(option) ? "_files -/" : option->role != FILE_NONE ? "_files" : " ", file);
    }
    fputc('\'', file);
}

static void zsh_taker(FILE *file, const struct taker *taker) {
    const bool has_files = taker->role != FILE_NONE;
    fprintf(file, "    '%s%s%s')\n        _arguments -s", taker->command->name,
            taker->action ? " " : "", taker->action ? taker->action->name : "");
    for (size_t o = 0; o < options_table_count; o++) {
        if (options_table[o].accepted_by & taker->bit)
            zsh_option(file, &options_table[o], taker->bit);
    }
    if (taker->offer) {
        fputs(" \\\n            '*:argument:{ compadd -- ", file);
        print_offered(file, taker);
        fputs(has_files ? "; _files }'" : " }'", file);
    } else if (has_files) {
        fputs(" \\\n            '*:file:_files'", file);
    }
    fputs("\n        ;;\n", file);
}

static void print_zsh(FILE *file) {
    fputs("#compdef tcplan\n"
          "# zsh completion for tcplan, printed by `tcplan completion zsh`\n"
          "_tcplan() {\n"
          "    local -a actions commands=(",
          file);
    for (size_t c = 0; commands[c]; c++)
        fprintf(file, "\n        \"%s:%s\"", commands[c]->name, commands[c]->summary);
    fputs(")\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    (( $commands[(I)$command:*] )) || command=rank\n"
          "    case $command in\n",
          file);
    for (size_t c = 0; commands[c]; c++) {
        const struct command *command = commands[c];
        if (!command->actions) continue;
        fprintf(file, "    %s) actions=(", command->name);
        for (const struct action *action = command->actions; action->name; action++) {
            fprintf(file, "\n        '%s:", action->name);
            print_plain(file, action->summary);
            fputc('\'', file);
        }
        fputs(") ;;\n", file);
    }
    fputs("    esac\n"
          "    if (( $#actions )); then\n"
          "        if (( CURRENT == 3 )); then\n"
          "            _describe action actions\n"
          "            return\n"
          "        fi\n"
          "        command=\"$command $words[3]\"\n"
          "    fi\n"
          "    case $command in\n",
          file);
    for (struct taker taker = {0}; taker_next(&taker);) zsh_taker(file, &taker);
    fputs("    esac\n}\n_tcplan \"$@\"\n", file);
}

/* fish */

/** Begins a line of fish code that applies to a command or action. */
static void fish_begin(FILE *file, const struct taker *taker) {
    fprintf(file, "complete -c tcplan -n '__fish_seen_subcommand_from %s", taker->command->name);
    if (taker->action) fprintf(file, "; and __fish_seen_subcommand_from %s", taker->action->name);
    fputc('\'', file);
}

static void fish_option(FILE *file, const struct taker *taker, const struct option *option) {
    fish_begin(file, taker);
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

static void fish_taker(FILE *file, const struct taker *taker) {
    if (taker->role == FILE_NONE) {
        fish_begin(file, taker);
        fputs(" -f\n", file);
    }
    if (taker->offer) {
        fish_begin(file, taker);
        fputs(" -a '", file);
        print_offered(file, taker);
        fputs("'\n", file);
    }
    for (size_t o = 0; o < options_table_count; o++) {
        if (options_table[o].accepted_by & taker->bit) fish_option(file, taker, &options_table[o]);
    }
}

static void fish_actions(FILE *file, const struct command *command) {
    for (const struct action *action = command->actions; action && action->name; action++) {
        fprintf(
            file,
            "complete -c tcplan -f -n '__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from ",
            command->name);
        print_actions(file, command);
        fprintf(file, "' -a %s -d '", action->name);
        print_plain(file, action->summary);
        fputs("'\n", file);
    }
}

static void print_fish(FILE *file) {
    fputs("# fish completion for tcplan, printed by `tcplan completion fish`\n", file);
    for (size_t c = 0; commands[c]; c++) {
        fprintf(file, "complete -c tcplan -n __fish_use_subcommand -a %s -d \"%s\"\n",
                commands[c]->name, commands[c]->summary);
        fish_actions(file, commands[c]);
    }
    for (struct taker taker = {0}; taker_next(&taker);) fish_taker(file, &taker);
}

/* The command. */

static const struct {
    const char *shell;
    void (*print)(FILE *file);
} scripts[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

static void offer(struct strbuf *out) {
    for (size_t s = 0; s < sizeof scripts / sizeof *scripts; s++)
        strbuf_add(out, "%s%s", s > 0 ? " " : "", scripts[s].shell);
}

static enum exit_status run(struct task *task) {
    const char *shell = task->options->argument ? task->options->argument : "";
    for (size_t s = 0; s < sizeof scripts / sizeof *scripts; s++) {
        if (strcmp(scripts[s].shell, shell) != 0) continue;
        scripts[s].print(task->out.file);
        return printed_complete(&task->out);
    }
    return options_refuse(task->options,
                          "completion needs a shell, bash, zsh or fish; found '%.80s'%s", shell,
                          suggestion_offered(offer, shell).text);
}

const struct command command_completion = {
    "completion",
    COMMAND(COMPLETION),
    "bash|zsh|fish",
    "print a shell's completion script for commands, options and values",
    "  source <(tcplan completion bash)\n"
    "  tcplan completion zsh >~/.zfunc/_tcplan\n",
    .offer = offer,
    .opens = TASK_OUTPUT,
    .run = run};
