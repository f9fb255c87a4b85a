#include "cli/options/manual.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/options/options_table.h"

/* Text becomes roff. */

/** Prints `length` characters; hyphens stay what is typed. */
static void put(FILE *file, const char *text, size_t length) {
    for (const char *c = text; c < text + length; c++) {
        if (*c == '-') {
            fputs("\\-", file);
        } else if (*c == '\\') {
            fputs("\\e", file);
        } else {
            fputc(*c, file);
        }
    }
}

/** A sentence: what stands between backticks is bold. */
static void put_sentence(FILE *file, const char *text) {
    fputs("\\&", file); /* a dot or an apostrophe at the beginning is none of roff's */
    for (bool typed = false; *text; typed = !typed) {
        const size_t length = strcspn(text, "`");
        if (typed) fputs("\\fB", file);
        put(file, text, length);
        if (typed) fputs("\\fR", file);
        text += length;
        if (*text == '`') text++;
    }
}

/** A summary becomes a sentence, with what the manual says besides behind it. */
static void put_text(FILE *file, const char *summary, const char *manual) {
    fputc(toupper((unsigned char)*summary), file);
    put_sentence(file, summary + 1);
    fputs(".\n", file);
    if (!manual) return;
    put_sentence(file, manual);
    fputc('\n', file);
}

/** A usage: options are bold, what stands for something is italic. */
static void put_usage(FILE *file, const char *usage) {
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";
    while (*usage) {
        const size_t length = strspn(usage, word);
        if (length == 0) {
            put(file, usage++, 1);
            continue;
        }
        fputs(*usage == '-' ? "\\fB" : isupper((unsigned char)*usage) ? "\\fI" : "\\fR", file);
        put(file, usage, length);
        fputs("\\fR", file);
        usage += length;
    }
}

static void print_synopsis(FILE *file) {
    fputs(".B tcplan\n", file);
    put_usage(file, commands->arguments);
    fputc('\n', file);
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, ".br\n.B tcplan %s\n", command->name);
        put_usage(file, command->arguments);
        fputc('\n', file);
    }
}

static void print_commands(FILE *file) {
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, ".TP\n.B %s\n", command->name);
        put_text(file, command->summary, command->manual);
    }
}

/** Names the commands and actions that accept an option, unless all with a contraction do. */
static void print_takers(FILE *file, uint64_t takers) {
    struct strbuf names = {0};
    if ((takers & CONTRACTIONS) == CONTRACTIONS) return;
    actions_add_names(&names, takers);
    fprintf(file, "(%s)\n", names.text ? names.text : "");
    strbuf_free(&names);
}

/** False when memory is out. */
static bool print_option(FILE *file, const struct option *option) {
    struct strbuf help = {0};
    option_add_help(&help, option, NULL);
    char *text = strbuf_finish(&help);
    if (!text) return false;
    fputs(".TP\n", file);
    if (option->letter) fprintf(file, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", file);
    put(file, option->name, strlen(option->name));
    fputs("\\fR", file);
    if (option->value) fprintf(file, " \\fI%s\\fR", option->value);
    fputc('\n', file);
    put_text(file, text, option->manual);
    print_takers(file, option->accepted_by);
    free(text);
    return true;
}

static bool print_options(FILE *file) {
    for (size_t o = 0; o < options_table_count; o++) {
        if (!print_option(file, &options_table[o])) return false;
    }
    return true;
}

static bool is_line(const char *line, size_t length, const char *text) {
    return strlen(text) == length && memcmp(line, text, length) == 0;
}

bool manual_print(FILE *file) {
    for (const char *line = manual_template; *line;) {
        const size_t length = strcspn(line, "\n");
        if (is_line(line, length, "@SYNOPSIS@")) {
            print_synopsis(file);
        } else if (is_line(line, length, "@COMMANDS@")) {
            print_commands(file);
        } else if (!is_line(line, length, "@OPTIONS@")) {
            fprintf(file, "%.*s\n", (int)length, line);
        } else if (!print_options(file)) {
            return false;
        }
        line += length + (line[length] == '\n');
    }
    return true;
}
