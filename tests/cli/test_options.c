/**
 * Checks all commands, actions and options in the tables. An action rejects options that it does
 * not accept. A file cannot be both input and output.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/commands/commands.h"
#include "cli/options/options_table.h"
#include "store/kinds.h"

enum { WORDS = 16, WORD = 80, SAID = 4000 };

/** A command line that is being composed. */
struct line {
    int count;
    char word[WORDS][WORD];
    char said[SAID]; /* what the run wrote to stderr */
};

static void add(struct line *line, const char *word) {
    assert_true(line->count < WORDS && strlen(word) < WORD);
    strcpy(line->word[line->count++], word);
}

static void add_option(struct line *line, const struct option *option, const char *value) {
    char typed[WORD];
    snprintf(typed, sizeof typed, "--%s", option->name);
    add(line, typed);
    if (option->value) add(line, value);
}

static void begin(struct line *line, const struct taker *taker) {
    *line = (struct line){.count = 0};
    add(line, "tcplan");
    add(line, taker->command->name);
    if (taker->action) add(line, taker->action->name);
}

/** Calls `check` for every command and each of its actions. */
static void each_taker(void (*check)(const struct taker *taker)) {
    for (struct taker taker = {0}; taker_next(&taker);) check(&taker);
}

static void assert_says(const struct line *line, const char *text) {
    if (strstr(line->said, text)) return;
    for (int w = 0; w < line->count; w++) print_message("%s ", line->word[w]);
    fail_msg("expected '%s', found '%s'", text, line->said);
}

/** Runs a command line and records its stderr. */
static enum exit_status run(struct line *line) {
    char *arguments[WORDS + 1] = {NULL};
    const int file = open("said", O_RDWR | O_CREAT | O_TRUNC, 0600), kept = dup(STDERR_FILENO);
    assert_true(file >= 0 && kept >= 0);
    for (int w = 0; w < line->count; w++) arguments[w] = line->word[w];
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    const enum exit_status status = command_line_run(line->count, arguments);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    const ssize_t length = pread(file, line->said, sizeof line->said - 1, 0);
    close(file);
    assert_true(length >= 0);
    line->said[length] = '\0';
    return status;
}

/** Returns a valid value for an option, by the type of its values. */
static const char *value_of(const struct option *option) {
    static char number[32];
    switch (option->kind) {
    case OPTION_SET:
    case OPTION_FLAG: return NULL;
    case OPTION_WORD: return option->words[0].word;
    case OPTION_NUMBER:
        snprintf(number, sizeof number, "%lld", (long long)option->min);
        return number;
    case OPTION_SHARD: return "1/2";
    case OPTION_TEXT:
    case OPTION_TEXTS:
    case OPTION_IDENTIFIER: return "x";
    case OPTION_SEED:
    case OPTION_SIZE:
    case OPTION_SECONDS:
    case OPTION_PERCENT: return "1";
    }
    return NULL;
}

static void refuses_others(const struct taker *taker) {
    char named[WORD], title[WORD];
    struct line line;
    snprintf(title, sizeof title, "'%s%s%s' has no option", taker->command->name,
             taker->action ? " " : "", taker->action ? taker->action->name : "");
    for (size_t o = 0; o < options_table_count; o++) {
        const struct option *option = &options_table[o];
        if (option_find(taker->bit, option->name, strlen(option->name))) continue;
        const struct option *near =
            option_find(taker->command->bit, option->name,
                        strlen(option->name)); /* an option that only another action accepts */
        begin(&line, taker);
        add_option(&line, near ? near : option, value_of(near ? near : option));
        assert_int_equal(run(&line), EXIT_USAGE);
        if (!taker->action || near) assert_says(&line, title);
        snprintf(named, sizeof named, "'--%s'; it is an option of ", option->name);
        assert_says(&line, named);
    }
}

static void options_that_an_action_does_not_accept_are_refused(void **state) {
    (void)state;
    each_taker(refuses_others);
}

static void an_option_takes_a_value_in_all_actions_of_a_command_or_in_none(void **state) {
    (void)state;
    for (size_t c = 0; commands[c]; c++) {
        const struct command *command = commands[c];
        for (size_t o = 0; o < options_table_count; o++) {
            const struct option *option = &options_table[o];
            const struct option *first =
                option_find(command->bit, option->name, strlen(option->name));
            if (option->accepted_by & command->bit)
                assert_true(!first->value == !option->value && first->letter == option->letter);
        }
    }
}

static void files_are_named_by_options_that_take_text(void **state) {
    (void)state;
    for (size_t o = 0; o < options_table_count; o++) {
        const struct option *option = &options_table[o];
        const bool is_text = option->kind == OPTION_TEXT || option->kind == OPTION_TEXTS;
        if (option->role != FILE_NONE) assert_true(is_text);
        if (option->value && strncmp(option->value, "FILE", 4) == 0)
            assert_true(option->role != FILE_NONE);
    }
}

/** Returns whether a word of a rule is known: the name or a value of an option, a command, or a
 * word about the contraction. */
static bool is_word_of_rules(const char *word, size_t length, uint64_t actions) {
    char name[WORD], *value;
    assert_true(length < sizeof name);
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    if (strcmp(name, "contraction") == 0 || strcmp(name, "several") == 0) return true;
    for (size_t c = 0; commands[c]; c++) {
        if (strcmp(commands[c]->name, name) == 0) return true;
    }
    if ((value = strchr(name, '='))) *value++ = '\0';
    const struct option *option = option_find(actions, name, strlen(name));
    int number;
    return option && (!value || tcplan_word_value(option->words, value, &number));
}

static void check_rule(const struct option *option, const char *rule) {
    for (const char *at = rule; at && *at;) {
        const size_t length = strcspn(at, " ,");
        if (!is_word_of_rules(at, length, option->accepted_by))
            fail_msg("--%s: '%s'", option->name, at);
        at += length;
        at += strspn(at, " ,");
    }
}

static void rules_name_options_that_are_there(void **state) {
    (void)state;
    for (size_t o = 0; o < options_table_count; o++) {
        check_rule(&options_table[o], options_table[o].requires);
        check_rule(&options_table[o], options_table[o].excludes);
    }
}

static void rules_are_described_in_words(void **state) {
    const uint64_t actions = COMMAND(ROOFLINE);
    struct strbuf text = {0}, excluded = {0};
    const struct option *kernel = option_find(actions, "kernel", 6);
    (void)state;
    rules_add_text(&text, kernel, actions);
    assert_string_equal(text.text, " Needs `--dtype d`. Excludes a contraction, `--run`, "
                                   "`--points`, `--machine` and `--curves`.");
    rules_add_excluded(&excluded, kernel, actions);
    assert_string_equal(excluded.text, "--run --points --machine --curves");
    strbuf_free(&text);
    strbuf_free(&excluded);
}

/* The help. */

static void has_common_options(const struct taker *taker) {
    int shown = 0;
    if (options_count(taker->bit) <= COMMON_OPTIONS) return;
    for (size_t o = 0; o < options_table_count; o++) {
        const struct option *option = &options_table[o];
        shown += (option->accepted_by & taker->bit) && option_is_common(option, taker->bit);
    }
    if (shown < 6 || shown > COMMON_OPTIONS)
        fail_msg("%s %s: %d", taker->command->name, taker->action ? taker->action->name : "",
                 shown);
}

static void completions_contain_the_common_options(void **state) {
    (void)state;
    each_taker(has_common_options);
}

static void all_kinds_of_entries_are_offered(void **state) {
    struct strbuf offered = {0};
    (void)state;
    for (const struct action *action = commands[NUMBER_STORE]->actions; action->name; action++) {
        if (action->offer) action->offer(&offered);
    }
    assert_non_null(offered.text);
    for (const struct store_kind *const *kind = store_kinds; *kind; kind++) {
        const bool is_stored =
            *kind != &store_kind_machine; /* the store has no folder for exported machines */
        if (is_stored) assert_non_null(strstr(offered.text, (*kind)->name));
    }
    strbuf_free(&offered);
}

/** A place of a command line where a file is named: the value of an option, or the arguments if
 * `option` is NULL. */
struct place {
    enum file_role role;
    const struct option *option;
};

enum { PLACES = 24 };

static int places_of(struct place out[PLACES], const struct taker *taker) {
    int count = 0;
    if (taker->role != FILE_NONE) out[count++] = (struct place){.role = taker->role};
    for (size_t o = 0; o < options_table_count; o++) {
        const struct option *option = &options_table[o];
        if (!(option->accepted_by & taker->bit) || option->role == FILE_NONE) continue;
        assert_true(count < PLACES);
        out[count++] = (struct place){.role = option->role, .option = option};
    }
    return count;
}

static void name_file(struct line *line, const struct place *place, const char *path) {
    if (place->option) add_option(line, place->option, path);
    if (!place->option) add(line, path);
}

static bool is_option(const struct place *place, const char *name) {
    return place->option && strcmp(place->option->name, name) == 0;
}

/** Returns whether an option requires --processes, as --communication and rank's --plot do. */
static bool needs_processes(const struct place *place) {
    return place->option && place->option->requires &&
           strcmp(place->option->requires, "processes") == 0;
}

/** Adds the options that this option and this action require. */
static void add_needed(struct line *line, const struct taker *taker, const struct place *a,
                       const struct place *b) {
    const struct place *const places[] = {a, b};
    bool emits = false, outputs = false;
    for (int p = 0; p < 2; p++) {
        emits = emits || is_option(places[p], "emit");
        outputs = outputs || is_option(places[p], "output");
    }
    for (int p = 0; p < 2; p++) {
        const bool interface = is_option(places[p], "header") || is_option(places[p], "fortran");
        const bool counts = is_option(places[p], "run-output") || is_option(places[p], "counters");
        if (interface && taker->bit == COMMAND(RANK) && !emits) add(line, "--emit=emitted.c");
        if (needs_processes(places[p]) && (p == 0 || !needs_processes(places[0]))) {
            add(line, "C_a=A_ai*B_i");
            add(line, "--processes=2");
        }
        if (counts && taker->bit == COMMAND(ROOFLINE)) add(line, "--run=true");
        if (counts && (taker->bit & (MODEL_GENERATE | MODEL_STUDY)))
            add(line, "--counter=instructions");
        if (is_option(places[p], "page") && taker->bit == COMMAND(MERGE)) add(line, "--by-machine");
        if (is_option(places[p], "emit") && (taker->bit & SEVERAL) && !outputs)
            add(line, "--output=results.xml");
    }
    if (a->option && b->option && taker->role == FILE_INPUT) add(line, "other.xml");
    if (taker->action && taker->role == FILE_NONE && taker->action->needs) add(line, "something");
}

/** Returns whether this option and --processes exclude each other. */
static bool excludes_processes(const struct place *place) {
    const struct option *processes = option_find(COMMAND(RANK), "processes", strlen("processes"));
    char words[2 * SAID], name[WORD];
    if (!place->option) return false;
    snprintf(words, sizeof words, " %s ", processes->excludes);
    snprintf(name, sizeof name, " %s ", place->option->name);
    return strstr(words, name) != NULL ||
           (place->option->excludes && strstr(place->option->excludes, "processes"));
}

/** Returns whether a command line may have both options. It may not if a rule about something other
 * than files excludes one of them: a program to run, points of a file, curves, options of one
 * process, or code emitted for compared machines. */
static bool may_be_together(const struct place *a, const struct place *b) {
    const struct place *const places[2] = {a, b};
    int runs = 0, points = 0, curves = 0;
    if ((is_option(a, "page") && is_option(b, "emit")) ||
        (is_option(a, "emit") && is_option(b, "page")))
        return false;
    for (int p = 0; p < 2; p++) {
        runs |= is_option(places[p], "run-output") || is_option(places[p], "counters");
        points |= is_option(places[p], "points");
        curves |= is_option(places[p], "curves");
        if (needs_processes(places[p]) && excludes_processes(places[1 - p])) return false;
    }
    return runs + points + curves < 2;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_unchanged(const char *path, const char *text) {
    char found[WORD] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(found, 1, sizeof found - 1, file) > 0);
    fclose(file);
    assert_string_equal(found, text);
}

static void refuses_same_file(const struct taker *taker, const struct place *read,
                              const struct place *written) {
    static const char *const names[] = {"input", "./input", "folder/../input", "link", "hard_link"};
    struct line line;
    if (!may_be_together(read, written)) return;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        begin(&line, taker);
        name_file(&line, read, "input");
        name_file(&line, written, names[n]);
        add_needed(&line, taker, read, written);
        assert_int_equal(run(&line), EXIT_USAGE);
        assert_says(&line, "would replace the input 'input'");
        assert_unchanged("input", "something\n");
    }
}

static void refuses_two_outputs(const struct taker *taker, const struct place *a,
                                const struct place *b) {
    static const char *const names[] = {"new", "./new", "folder/../new", "new_link"};
    struct line line;
    if (!may_be_together(a, b)) return;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        begin(&line, taker);
        name_file(&line, a, "new");
        name_file(&line, b, names[n]);
        add_needed(&line, taker, a, b);
        assert_int_equal(run(&line), EXIT_USAGE);
        if (!strstr(line.said, "cannot both be written to")) assert_says(&line, "would both write");
        assert_int_not_equal(access("new", F_OK), 0);
    }
}

static void keeps_inputs(const struct taker *taker) {
    struct place place[PLACES];
    const int count = places_of(place, taker);
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            if (place[a].role == FILE_INPUT && place[b].role == FILE_OUTPUT)
                refuses_same_file(taker, &place[a], &place[b]);
            if (a < b && place[a].role == FILE_OUTPUT && place[b].role == FILE_OUTPUT)
                refuses_two_outputs(taker, &place[a], &place[b]);
        }
    }
}

static void no_input_can_be_named_as_output(void **state) {
    (void)state;
    each_taker(keeps_inputs);
}

static void a_contradicted_type_is_refused(void **state) {
    struct line line;
    (void)state;
    begin(&line, &(struct taker){.command = &(struct command){.name = "blocked"}});
    add(&line, "trace");
    add(&line, "dpotrf_L3");
    add(&line, "--n=8");
    add(&line, "--dtype=z");
    assert_int_equal(run(&line), EXIT_USAGE);
    assert_says(&line, "'dpotrf_L3' has type d, but --dtype is z");
}

static int make_files(void **state) {
    static char folder[] = "/tmp/tcplan-options-XXXXXX";
    *state = folder;
    if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir("folder", 0700) != 0) return -1;
    write_file("input", "something\n");
    return symlink("input", "link") || link("input", "hard_link") || symlink("new", "new_link");
}

static int remove_files(void **state) {
    char command[WORD];
    snprintf(command, sizeof command, "rm -r '%s'", (const char *)*state);
    return chdir("/") || system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_that_an_action_does_not_accept_are_refused),
        cmocka_unit_test(rules_name_options_that_are_there),
        cmocka_unit_test(rules_are_described_in_words),
        cmocka_unit_test(completions_contain_the_common_options),
        cmocka_unit_test(all_kinds_of_entries_are_offered),
        cmocka_unit_test(an_option_takes_a_value_in_all_actions_of_a_command_or_in_none),
        cmocka_unit_test(files_are_named_by_options_that_take_text),
        cmocka_unit_test(no_input_can_be_named_as_output),
        cmocka_unit_test(a_contradicted_type_is_refused),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
