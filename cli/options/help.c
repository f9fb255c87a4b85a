#include "cli/options/help.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/correction.h"
#include "cli/options/options_table.h"
#include "cli/output/printed.h"
#include "cli/providers.h"
#include "cli/render/text/visible.h"
#include "tcplan/unstable.h"

/*
 * A topic of the help is a section of the man page, or the man page's text about one option. This
 * file formats the roff that the page uses: paragraphs (.PP), items (.TP), headings (.SS), fonts
 * (.B, .BR and so on), examples (.nf), and escapes.
 */

const struct topic topics[] = {
    {"notation", "CONTRACTIONS", "contractions contraction expressions einsum", NULL},
    {"sizes", "SIZES", "sweeps sweep extents", NULL},
    {"strides", "STRIDES", NULL, NULL},
    {"algorithms", "ALGORITHM NAMES", "names name kernels", NULL},
    {"columns", "OUTPUT", "ranking table output", NULL},
    {"libraries", "LIBRARIES", "lists", NULL},
    {"scripts", "SCRIPTS", NULL, NULL},
    {"environment", "ENVIRONMENT", "variables", NULL},
    {0},
};

/** Returns whether a list of words, separated by blanks, contains a word. `words` may be NULL. */
static bool has_word(const char *words, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = words; at && *at; at += strspn(at, " ")) {
        const size_t taken = strcspn(at, " ");
        if (taken == length && strncmp(at, word, length) == 0) return true;
        at += taken;
    }
    return false;
}

/** Returns the option with this name if the man page explains it; otherwise NULL. */
static const struct option *find_option(const char *name) {
    for (size_t o = 0; o < options_table_count; o++) {
        if (options_table[o].manual && strcmp(options_table[o].name, name) == 0)
            return &options_table[o];
    }
    return NULL;
}

struct topic topic_find(const char *name) {
    for (const struct topic *topic = topics; topic->name; topic++) {
        if (strcmp(topic->name, name) == 0 || has_word(topic->aliases, name)) return *topic;
    }
    const struct option *option = find_option(name);
    return option ? (struct topic){option->name, "OPTIONS", NULL, option->name} : (struct topic){0};
}

enum { ITEM_INDENT = 4 };

/** State of formatting a section of the man page. */
struct page {
    FILE *file;
    struct strbuf words; /* words of the current paragraph */
    size_t indent;
    bool is_label; /* whether the next line is the label of an item */
    bool is_exact; /* whether lines are printed unchanged instead of being filled */
    bool is_first;
};

/** Appends text without roff's escapes. */
static void add_text(struct strbuf *out, const char *text, size_t length) {
    for (const char *end = text + length; text < end; text++) {
        if (*text != '\\' || text + 1 == end) {
            strbuf_append(out, text, 1);
        } else if (*++text == 'f') {
            text++; /* skips the letter that names the font */
        } else if (*text != '&') {
            strbuf_append(out, *text == 'e' ? "\\" : text, 1);
        }
    }
}

/** Appends the arguments of a roff request, in which quotes protect blanks. `joined`: without
 * blanks between arguments. */
static void add_arguments(struct strbuf *out, const char *text, const char *end, bool joined) {
    const char *blank = "";
    while (text < end) {
        const bool quoted = *text == '"';
        const size_t length = strcspn(text += quoted, quoted ? "\"\n" : " \n");
        strbuf_add(out, "%s", blank);
        add_text(out, text, length);
        text += length + quoted;
        while (text < end && *text == ' ') text++;
        blank = joined ? "" : " ";
    }
}

static void end_paragraph(struct page *page) {
    if (page->words.length > 0) {
        fprintf(page->file, "%*s", (int)page->indent, "");
        wrapped_print(page->file, page->words.text, page->indent, page->indent);
    }
    page->words.length = 0;
    if (page->words.text) *page->words.text = '\0';
}

static void begin_paragraph(struct page *page, size_t indent) {
    end_paragraph(page);
    if (!page->is_first) fputc('\n', page->file);
    page->is_first = false;
    page->indent = indent;
}

static bool is_request(const char *line, const char *name) {
    return *line == '.' && strncmp(line + 1, name, strlen(name)) == 0 &&
           strchr(" \n", line[1 + strlen(name)]);
}

/** Formats a line of text, or a roff request that changes the font. */
static void take_text(struct page *page, const char *line, size_t length) {
    if (page->words.length > 0) strbuf_add(&page->words, " ");
    if (*line == '.') {
        const size_t name = strcspn(line, " \n"), blank = name < length;
        add_arguments(&page->words, line + name + blank, line + length, name == 3);
    } else {
        add_text(&page->words, line, length);
    }
    if (!page->is_label && !page->is_exact) return;
    end_paragraph(page);
    if (page->is_label) page->indent = ITEM_INDENT;
    page->is_label = false;
}

static void take_line(struct page *page, const char *line, size_t length) {
    if (is_request(line, "PP")) {
        begin_paragraph(page, 0);
    } else if (is_request(line, "TP")) {
        begin_paragraph(page, 0);
        page->is_label = true;
    } else if (is_request(line, "SS")) {
        begin_paragraph(page, 0);
        take_text(page, line + 4, length - 4);
        end_paragraph(page);
    } else if (is_request(line, "nf") || is_request(line, "fi")) {
        end_paragraph(page);
        page->is_exact = line[1] == 'n';
        page->indent = page->is_exact ? ITEM_INDENT : 0;
    } else {
        page->is_first = false;
        take_text(page, line, length);
    }
}

/** Returns the text of a section of the page, NULL if there is no such section. */
static const char *find_section(const char *text, const char *name) {
    for (const char *at = text; (at = strstr(at, "\n.SH ")); at++) {
        const size_t length = strlen(name);
        if (strncmp(at + 5, name, length) == 0 && at[5 + length] == '\n') return at + 6 + length;
    }
    return "";
}

/** Returns whether the label of an item, such as `-q, --quiet` or `--top N`, is the label of an
 * option. */
static bool is_label_of(const char *line, const char *option) {
    struct strbuf label = {0};
    add_text(&label, line, strcspn(line, "\n"));
    const char *name = label.text ? strstr(label.text, "--") : NULL;
    const bool is = name && has_word(name + 2, option);
    strbuf_free(&label);
    return is;
}

/** Prints a topic in lines of 80 columns; false if memory runs out. */
static bool topic_print(FILE *file, const struct topic *topic) {
    struct page page = {.file = file, .is_first = true};
    char *text = NULL;
    size_t size;
    FILE *manual = open_memstream(&text, &size);
    if (!manual) return false;
    bool is_shown = !topic->option;
    bool complete = manual_print(manual, NULL);
    complete = fclose(manual) == 0 && complete;
    for (const char *line = complete ? find_section(text, topic->section) : "";
         *line && strncmp(line, ".SH ", 4) != 0;) {
        const size_t length = strcspn(line, "\n");
        const char *next = line + length + (line[length] == '\n');
        if (topic->option && is_request(line, "SS")) is_shown = false;
        if (topic->option && is_request(line, "TP")) is_shown = is_label_of(next, topic->option);
        if (is_shown) take_line(&page, line, length);
        line = next;
    }
    end_paragraph(&page);
    complete = complete && !page.words.failed;
    strbuf_free(&page.words);
    free(text);
    return complete;
}

/* Help. */

/** Completes output to stdout. Returns an error if writing failed. */
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

enum { LABEL_WIDTH = 11, USAGE_WIDTH = 25, EXAMPLES = 3 };

/** Prints ` label text` in lines of 80 columns. */
static void print_item(FILE *file, const char *label, const char *text) {
    const int taken = fprintf(file, "  %-*s ", LABEL_WIDTH, label);
    wrapped_print(file, text, taken > 0 ? (size_t)taken : 0, LABEL_WIDTH + 3);
}

static void print_topics(FILE *file) {
    for (const struct topic *topic = topics; topic->name; topic++)
        fprintf(file, "%s%s", topic == topics ? "" : ", ", topic->name);
    fputc('\n', file);
}

void help_overview(FILE *file) {
    print_usage(file);
    fputs("Ranks the BLAS algorithms of a tensor contraction on this machine, and emits C\n"
          "for the fastest.\n",
          file);
    const struct command_group *group = command_groups;
    for (size_t c = 0; commands[c]; c++) {
        if (group->first && strcmp(group->first, commands[c]->name) == 0)
            fprintf(file, "\n%s:\n", group++->heading);
        print_item(file, commands[c]->name, commands[c]->summary);
    }
    fputs("\nTopics (tcplan help TOPIC):\n  ", file);
    print_topics(file);
    fputs(
        "\n"
        "Exit status: 0 done, 1 input rejected, 2 usage error,\n3 failure of memory, files or libraries.\n"
        "\n"
        "Options of a command: tcplan COMMAND --help. Versions: tcplan --version.\n"
        "\n"
        "Example:\n"
        "  tcplan \"C_abc=A_ai*B_ibc\" --sizes a=400,b=400,c=400,i=8\n",
        file);
}

/* One command. */

static void print_option(FILE *file, const struct option *option, const struct taker *taker) {
    char usage[40];
    struct strbuf help = {0};
    snprintf(usage, sizeof usage, "%c%c%s --%s%s%s", option->letter ? '-' : ' ',
             option->letter ? option->letter : ' ', option->letter ? "," : " ", option->name,
             option->value ? " " : "", option->value ? option->value : "");
    const int taken = fprintf(file, "  %-*s ", USAGE_WIDTH, usage);
    option_add_help(&help, option, taker->action ? NULL : taker->command);
    char *text = strbuf_finish(&help);
    wrapped_print(file, text ? text : option->help, taken > 0 ? (size_t)taken : 0, USAGE_WIDTH + 3);
    free(text);
}

/** Prints the options of one group under a heading; the common options if `group` is NULL. */
static void print_options(FILE *file, const struct taker *taker, const struct tcplan_word *group) {
    bool begun = false;
    for (size_t o = 0; o < options_table_count; o++) {
        const struct option *option = &options_table[o];
        const bool is_common = option_is_common(option, taker->bit);
        if (!(option->accepted_by & taker->bit) ||
            (group ? is_common || (int)option->group != group->value : !is_common))
            continue;
        if (!begun)
            fprintf(file, "\n%s:\n",
                    group                                        ? group->word
                    : options_count(taker->bit) > COMMON_OPTIONS ? "Common options"
                                                                 : "Options");
        begun = true;
        print_option(file, option, taker);
    }
}

/** Returns whether an example uses an action, whose name follows the name of the command. */
static bool is_of_action(const char *example, const struct taker *taker) {
    char start[64];
    if (!taker->action) return true;
    snprintf(start, sizeof start, "tcplan %s %s ", taker->command->name, taker->action->name);
    const char *found = strstr(example, start), *end = strchr(example, '\n');
    return found && (!end || found < end);
}

/** Prints the first `most` examples, with their continuation lines indented. */
static void print_examples(FILE *file, const struct taker *taker, int most) {
    int count = 0;
    bool shown = false;
    for (const char *line = taker->command->examples; *line;) {
        const size_t length = strcspn(line, "\n") + 1;
        if (strncmp(line, "      ", 6) != 0) {
            shown = count < most && is_of_action(line, taker);
            if (shown && count++ == 0) fputs("\nExamples:\n", file);
        }
        if (shown) fprintf(file, "%.*s", (int)length, line);
        line += length;
    }
}

static void print_usage_of(FILE *file, const struct taker *taker) {
    const struct action *action = taker->action;
    const int taken = fprintf(file, "usage: tcplan %s ", taker->command->name);
    const size_t indent = taken > 0 ? (size_t)taken : 0;
    char usage[160];
    snprintf(usage, sizeof usage, "%s%s%s [OPTIONS]", action ? action->name : "",
             action && action->arguments ? " " : "",
             action && action->arguments ? action->arguments : "");
    wrapped_print(file, action ? usage : taker->command->arguments, indent, indent);
    const char *summary = action ? action->summary : taker->command->summary;
    fprintf(file, "\n%c%s.\n", toupper((unsigned char)*summary), summary + 1);
}

static void print_actions(FILE *file, const struct command *command) {
    fputs("\nActions:\n", file);
    for (const struct action *action = command->actions; action->name; action++)
        print_item(file, action->name, action->summary);
}

static void print_command(FILE *file, const struct taker *taker, enum help_extent extent) {
    const struct command *command = taker->command;
    const bool is_whole = extent == HELP_ALL;
    print_usage_of(file, taker);
    if (command->actions && !taker->action) print_actions(file, command);
    print_options(file, taker, NULL);
    for (const struct tcplan_word *group = option_groups; group->word && is_whole; group++)
        print_options(file, taker, group);
    print_examples(file, taker, is_whole ? INT_MAX : EXAMPLES);
    fputc('\n', file);
    if (command->actions && !taker->action)
        fprintf(file, "Options of an action: tcplan %s ACTION --help.\n", command->name);
    if (!is_whole && options_count(taker->bit) > COMMON_OPTIONS)
        fprintf(file, "All options: tcplan %s%s%s --help all. ", command->name,
                taker->action ? " " : "", taker->action ? taker->action->name : "");
    fprintf(file, "Manual: man tcplan-%s.\n", command->name);
}

enum exit_status help_versions(void) {
    printf("tcplan %s\n", TCPLAN_VERSION_STRING);
    providers_print(stdout);
    printf("%s\n%s\n", tcplan_machine_library(), tcplan_xml_library());
    return finish_stdout();
}

const struct command *help_find(const char *name) {
    size_t c = 0;
    while (commands[c] && strcmp(commands[c]->name, name) != 0) c++;
    return commands[c];
}

static void offer_commands(struct strbuf *out) {
    for (size_t c = 0; commands[c]; c++)
        strbuf_add(out, "%s%s", c > 0 ? " " : "", commands[c]->name);
}

void help_offer(struct strbuf *out) {
    offer_commands(out);
    for (const struct topic *topic = topics; topic->name; topic++)
        strbuf_add(out, " %s", topic->name);
}

enum exit_status help_unknown(const char *name, bool may_be_topic) {
    const struct suggestion near =
        suggestion_offered(may_be_topic ? help_offer : offer_commands, name);
    const bool lists_topics = may_be_topic && !*near.text;
    diagnose("unknown command%s '%.80s'%s", may_be_topic ? " or topic" : "", name, near.text);
    if (lists_topics) {
        fputs("topics: ", stderr);
        print_topics(stderr);
    }
    fprintf(stderr, "%ssee '%s --help'\n", lists_topics ? "commands: " : "", program_name());
    return EXIT_USAGE;
}

/** Subject of a help text: a command or a topic; if both are unset, tcplan as a whole. */
struct subject {
    const struct taker *taker;
    const struct topic *topic;
};

static enum exit_status print(const struct subject *subject, enum help_extent extent) {
    FILE *file = wrapped_begin(stdout);
    bool printed = true;
    if (!file) return diagnose_no_memory();
    if (subject->taker) {
        print_command(file, subject->taker, extent);
    } else if (subject->topic) {
        printed = topic_print(file, subject->topic);
    } else {
        help_overview(file);
    }
    return wrapped_end(file, stdout) && printed ? finish_stdout() : diagnose_no_memory();
}

enum exit_status help_print_about(const struct command *command, const struct topic *topic) {
    const struct taker taker = {.command = command, .bit = command ? command->bit : 0};
    return print(&(struct subject){.taker = command ? &taker : NULL, .topic = topic}, HELP_COMMON);
}

enum exit_status help_print(const struct command *command, const struct options *options) {
    const struct action *action = options->argument_count > 0 ? options->action : NULL;
    if (!command) return print(&(struct subject){0}, HELP_COMMON);
    const struct taker taker = {
        .command = command, .action = action, .bit = action ? action->bit : command->bit};
    return print(&(struct subject){.taker = &taker}, (enum help_extent)options->help);
}
