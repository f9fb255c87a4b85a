#include "cli/options/help.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/options/options_table.h"
#include "cli/render/algorithms/report.h"
#include "cli/render/text/values.h"
#include "cli/render/view.h"

/* Conversion to roff. */

/** Prints `length` characters for roff. Hyphens are escaped, so that man prints them unchanged. */
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

/** Prints a sentence; text between backticks is bold. */
static void put_sentence(FILE *file, const char *text) {
    fputs("\\&", file); /* A dot or an apostrophe at the start would begin a roff request. */
    for (bool typed = false; *text; typed = !typed) {
        const size_t length = strcspn(text, "`");
        if (typed) fputs("\\fB", file);
        put(file, text, length);
        if (typed) fputs("\\fR", file);
        text += length;
        if (*text == '`') text++;
    }
}

/** Prints the summary as a sentence, followed by the text for the manual. */
static void put_text(FILE *file, const char *summary, const char *manual) {
    fputc(toupper((unsigned char)*summary), file);
    put_sentence(file, summary + 1);
    fputs(".\n", file);
    if (!manual) return;
    put_sentence(file, manual);
    fputc('\n', file);
}

/** Prints a usage line: options bold, placeholders italic. */
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
    put_usage(file, commands[0]->arguments);
    fputc('\n', file);
    for (size_t c = 0; commands[c]; c++) {
        fprintf(file, ".br\n.B tcplan %s\n", commands[c]->name);
        put_usage(file, commands[c]->arguments);
        fputc('\n', file);
    }
}

static void print_commands(FILE *file) {
    for (size_t c = 0; commands[c]; c++) {
        fprintf(file, ".TP\n.B %s\n", commands[c]->name);
        put_text(file, commands[c]->summary, commands[c]->manual);
    }
}

/** Prints which actions accept an option. Prints nothing if all actions do, or if all commands with
 * a contraction do. */
static void print_takers(FILE *file, uint64_t takers, uint64_t actions) {
    struct strbuf names = {0};
    takers &= actions;
    if ((takers & CONTRACTIONS) == CONTRACTIONS || takers == actions) return;
    actions_add_names(&names, takers);
    fprintf(file, "(%s)\n", names.text ? names.text : "");
    strbuf_free(&names);
}

/** Prints which options an option requires and which it excludes; false if memory runs out. */
static bool print_rules(FILE *file, const struct option *option, uint64_t actions) {
    struct strbuf rules = {0};
    rules_add_text(&rules, option, actions);
    if (rules.length > 0 && !rules.failed) {
        put_sentence(file, rules.text + 1);
        fputc('\n', file);
    }
    const bool complete = !rules.failed;
    strbuf_free(&rules);
    return complete;
}

/** Prints an option with its text and rules; false if memory runs out. */
static bool print_option(FILE *file, const struct option *option, uint64_t actions) {
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
    if (actions != UINT64_MAX && !print_rules(file, option, option->accepted_by & actions)) {
        free(text);
        return false;
    }
    print_takers(file, option->accepted_by, actions);
    free(text);
    return true;
}

/** Prints the options that some of `actions` accept, each group under its heading. */
static bool print_options(FILE *file, uint64_t actions) {
    for (const struct tcplan_word *group = option_groups; group->word; group++) {
        bool begun = false;
        for (size_t o = 0; o < options_table_count; o++) {
            const struct option *option = &options_table[o];
            if (!(option->accepted_by & actions) || (int)option->group != group->value) continue;
            if (!begun) fprintf(file, ".SS %s\n", group->word);
            begun = true;
            if (!print_option(file, option, actions)) return false;
        }
    }
    return true;
}

static void print_field(FILE *file, const char *name, const struct field *field) {
    fputs(".TP\n.B ", file);
    put(file, name, strlen(name));
    fputc('\n', file);
    put_text(file, field->says, field->verbose ? "Printed in text only with `-v`." : NULL);
}

/** Prints the text columns of a table of fields, including those of inner lists and, with `groups`,
 * of groups. */
static void print_columns(FILE *file, const struct field *fields, bool groups) {
    const struct field *field;
    for (int place = 0; (field = fields_next_column(fields, place)); place = field->column) {
        if (*field->heading) print_field(file, field->heading, field);
    }
    for (field = fields; field->get || field->each; field++) {
        if (field->fields && (groups || field->kind != FIELD_GROUP))
            print_columns(file, field->fields, groups);
    }
}

/** Prints the JSON members that describe an algorithm. */
static void print_members(FILE *file) {
    for (const struct field *field = ranked_fields; field->get || field->each; field++) {
        if (!field->hidden) print_field(file, field->key, field);
    }
}

static void print_actions(FILE *file, const struct action *action) {
    if (action) fputs(".SH ACTIONS\n", file);
    for (; action && action->name; action++) {
        fprintf(file, ".TP\n.B %s\n", action->name);
        if (action->arguments) put_usage(file, action->arguments);
        if (action->arguments) fputc('\n', file);
        put_text(file, action->summary, NULL);
    }
}

/** Prints the text columns of a command's output, and the place where its JSON is described. */
static void print_output(FILE *file, const struct command *command) {
    const size_t length = strlen(command->name);
    bool begun = false;
    for (const struct named_view *named = views; named->name; named++) {
        const char *rest = named->name + length;
        if (strncmp(named->name, command->name, length) != 0 || (*rest && *rest != '-')) continue;
        if (!begun) fputs(".SH OUTPUT\n", file);
        begun = true;
        if (*rest) fprintf(file, ".SS %s %s\n", command->name, rest + 1);
        print_columns(file, named->view->fields, !*rest);
        fprintf(file, ".PP\n.B tcplan help %s \\-\\-schema\ndescribes the members of its JSON.\n",
                named->name);
    }
}

static bool print_page(FILE *file, const struct command *command) {
    fputs(".TH TCPLAN\\-", file);
    for (const char *c = command->name; *c; c++) fputc(toupper((unsigned char)*c), file);
    fprintf(file, " 1 \"\" \"tcplan\" \"User Commands\"\n.SH NAME\ntcplan\\-%s \\- ",
            command->name);
    put_sentence(file, command->summary);
    fprintf(file, "\n.SH SYNOPSIS\n.B tcplan %s\n", command->name);
    put_usage(file, command->arguments);
    fputs("\n.SH DESCRIPTION\n", file);
    put_text(file, command->summary, command->manual);
    print_actions(file, command->actions);
    fputs(".SH OPTIONS\n", file);
    if (!print_options(file, command->bit)) return false;
    print_output(file, command);
    fputs(".SH EXAMPLES\n.nf\n", file);
    put(file, command->examples, strlen(command->examples));
    fputs(".fi\n.SH SEE ALSO\n.BR tcplan (1)\n", file);
    return true;
}

bool manual_print(FILE *file, const struct command *command) {
    if (command) return print_page(file, command);
    for (const char *line = manual_template; *line;) {
        const size_t length = strcspn(line, "\n");
        if (text_is(line, length, "@SYNOPSIS@")) {
            print_synopsis(file);
        } else if (text_is(line, length, "@COMMANDS@")) {
            print_commands(file);
        } else if (text_is(line, length, "@COLUMNS@")) {
            print_columns(file, ranked_fields, true);
        } else if (text_is(line, length, "@MEMBERS@")) {
            print_members(file);
        } else if (!text_is(line, length, "@OPTIONS@")) {
            fprintf(file, "%.*s\n", (int)length, line);
        } else if (!print_options(file, UINT64_MAX)) {
            return false;
        }
        line += length + (line[length] == '\n');
    }
    return true;
}
