#include "cli/options/options_table.h"

#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/tensors/network.h"
#include "cli/render/text/values.h"

/** A command line while its rules are checked. */
struct checked {
    const struct options *options;
    const struct command *command;
    uint64_t actions; /**< bits of the command or action that accepts the options */
    bool is_several;
};

/** A word of a rule. */
struct rule_word {
    const char *text;
    size_t length;
    size_t name; /**< length of the name: the part before `=`, or the whole word */
};

/** Reads the next word of a rule; false at the end of the rule. */
static bool next_word(struct rule_word *word, const char **rule, const char *end) {
    while (*rule < end && **rule == ' ') (*rule)++;
    word->text = *rule;
    while (*rule < end && **rule != ' ') (*rule)++;
    word->length = (size_t)(*rule - word->text);
    const char *value = memchr(word->text, '=', word->length);
    word->name = value ? (size_t)(value - word->text) : word->length;
    return word->length > 0;
}

static bool is_word(const struct rule_word *word, const char *text) {
    return text_is(word->text, word->length, text);
}

/** Returns whether an option is given with a value other than its default. */
static bool is_effective(const struct given_option *given, const struct options *options) {
    const struct option *option = given->option;
    const void *place = (const char *)options + option->offset,
               *usual = (const char *)&options_defaults + option->offset;
    const char *text = option->kind == OPTION_TEXT ? *(const char *const *)usual : NULL;
    if (option->role == FILE_OUTPUT && option->letter == 'o') text = "-";
    if (text) return strcmp(given->value, text) != 0;
    return option->kind != OPTION_WORD || *(const int *)place != *(const int *)usual;
}

static const struct given_option *find_given(const struct options *options,
                                             const struct rule_word *word) {
    for (int g = 0; g < options->given_count; g++) {
        if (text_is(word->text, word->name, options->given[g].option->name))
            return &options->given[g];
    }
    return NULL;
}

/** Returns whether an option has the value that a word of a rule names. */
static bool has_value(const struct checked *checked, const struct option *option,
                      const struct rule_word *word) {
    const int value = *(const int *)((const char *)checked->options + option->offset);
    return text_is(word->text + word->name + 1, word->length - word->name - 1,
                   tcplan_word(option->words, value));
}

/** Returns whether an option is given with the value that a word of a rule names, even if a later
 * occurrence replaces the value. */
static bool says(const struct given_option *given, const struct rule_word *word) {
    return given && given->value &&
           text_is(word->text + word->name + 1, word->length - word->name - 1, given->value);
}

/** Returns whether a command accepts a contraction. */
static bool takes_contraction(const struct command *command) {
    return (command->bit & (CONTRACTIONS | COMMAND(COMPARE) | COMMAND(ADVISE))) != 0;
}

enum holding { HOLDS_NOT, HOLDS, IS_UNKNOWN };

/**
 * Returns whether a word of a rule holds for the command line.
 *
 * @param excluded  ignores values that other options set
 */
static enum holding holds(const struct checked *checked, const struct rule_word *word,
                          bool excluded) {
    const struct option *option = option_find(checked->actions, word->text, word->name);
    if (option) {
        const struct given_option *given = find_given(checked->options, word);
        if (word->name < word->length)
            return (excluded ? says(given, word) : has_value(checked, option, word)) ? HOLDS
                                                                                     : HOLDS_NOT;
        return given && is_effective(given, checked->options) ? HOLDS : HOLDS_NOT;
    }
    if (is_word(word, checked->command->name)) return HOLDS;
    if (!takes_contraction(checked->command)) return IS_UNKNOWN;
    if (is_word(word, "contraction")) return checked->options->argument ? HOLDS : HOLDS_NOT;
    if (is_word(word, "several")) {
        /* Over processes, an expression accepts the same options as a product. */
        const bool is_like_product = excluded && distributed_is_asked(checked->options);
        return checked->is_several && !is_like_product ? HOLDS : HOLDS_NOT;
    }
    return IS_UNKNOWN;
}

/* Rules as text. */

static void add_word(struct strbuf *out, const struct rule_word *word, const char *mark) {
    if (is_word(word, "contraction")) {
        strbuf_add(out, "a contraction");
    } else if (is_word(word, "several")) {
        strbuf_add(out, "an expression of several tensors");
    } else {
        const char *value = word->text + word->name;
        const int length = (int)(word->length - word->name);
        strbuf_add(out, "%s--%.*s%s%.*s%s", mark, (int)word->name, word->text,
                   length > 0 ? " " : "", length > 0 ? length - 1 : 0, length > 0 ? value + 1 : "",
                   mark);
    }
}

/** Returns whether a word of a rule is an option of some of the actions, or is about the
 * contraction. */
static bool is_known(const struct rule_word *word, uint64_t actions) {
    if (option_find(actions, word->text, word->name)) return true;
    return (actions & (COMMAND(ROOFLINE) | COMMAND(ADVISE))) && is_word(word, "contraction");
}

/** Appends the words of a rule that apply to some of the actions; `last` is the separator before
 * the last word. */
static void add_words(struct strbuf *out, const char *rule, const char *end, uint64_t actions,
                      const char *last) {
    struct rule_word word;
    int count = 0, at = 0;
    for (const char *from = rule; next_word(&word, &from, end);) count += is_known(&word, actions);
    while (next_word(&word, &rule, end)) {
        if (!is_known(&word, actions)) continue;
        strbuf_add(out, "%s", at == 0 ? "" : at + 1 < count ? ", " : last);
        add_word(out, &word, "`");
        at++;
    }
}

void rules_add_text(struct strbuf *out, const struct option *option, uint64_t actions) {
    const char *excluded = option->excludes ? option->excludes : "";
    struct strbuf words = {0};
    for (const char *clause = option->requires; clause && *clause;) {
        const char *end = clause + strcspn(clause, ",");
        words.length = 0;
        add_words(&words, clause, end, actions, " or ");
        if (words.length > 0) strbuf_add(out, " Needs %.*s.", (int)words.length, words.text);
        clause = end + (*end == ',');
    }
    words.length = 0;
    add_words(&words, excluded, excluded + strlen(excluded), actions, " and ");
    if (words.length > 0) strbuf_add(out, " Excludes %.*s.", (int)words.length, words.text);
    strbuf_free(&words);
}

void rules_add_excluded(struct strbuf *out, const struct option *option, uint64_t actions) {
    const char *rule = option->excludes ? option->excludes : "", *end = rule + strlen(rule);
    struct rule_word word;
    while (next_word(&word, &rule, end)) {
        if (word.name < word.length || !option_find(actions, word.text, word.name)) continue;
        strbuf_add(out, "%s--%.*s", out->length > 0 ? " " : "", (int)word.length, word.text);
    }
}

/* Checks. */

/** Rejects an option without any of the options that one clause of its rule requires. */
static void refuse_missing(const struct checked *checked, const struct option *option,
                           const char *clause, const char *end) {
    struct strbuf text = {0};
    struct rule_word word;
    const char *between = "";
    for (const char *at = clause; next_word(&word, &at, end); between = " or ") {
        if (holds(checked, &word, false) == IS_UNKNOWN) continue;
        strbuf_add(&text, "%s", between);
        add_word(&text, &word, "");
        if (is_word(&word, "contraction")) strbuf_add(&text, ", such as C_abc=A_ai*B_ibc");
    }
    diagnose("--%s needs %s", option->name, text.text ? text.text : "another option");
    strbuf_free(&text);
}

static void refuse_both(const struct option *option, const struct rule_word *word) {
    struct strbuf text = {0};
    add_word(&text, word, "");
    if (is_word(word, "several")) {
        diagnose("--%s applies to a product of two tensors, not to an expression of several%s%s",
                 option->name, option->instead ? "; " : "", option->instead ? option->instead : "");
    } else {
        diagnose("--%s and %s exclude each other", option->name, text.text ? text.text : "another");
    }
    strbuf_free(&text);
}

static bool check_required(const struct checked *checked, const struct option *option) {
    for (const char *clause = option->requires; clause && *clause;) {
        const char *end = clause + strcspn(clause, ",");
        bool known = false, held = false;
        struct rule_word word;
        for (const char *at = clause; next_word(&word, &at, end);) {
            const enum holding holding = holds(checked, &word, false);
            known = known || holding != IS_UNKNOWN;
            held = held || holding == HOLDS;
        }
        if (known && !held) {
            refuse_missing(checked, option, clause, end);
            return false;
        }
        clause = end + (*end == ',');
    }
    return true;
}

static bool check_excluded(const struct checked *checked, const struct option *option) {
    const char *at = option->excludes ? option->excludes : "", *end = at + strlen(at);
    struct rule_word word;
    while (next_word(&word, &at, end)) {
        if (holds(checked, &word, true) != HOLDS) continue;
        refuse_both(option, &word);
        return false;
    }
    return true;
}

bool rules_check(const struct options *options, const struct command *command) {
    struct checked checked = {.options = options,
                              .command = command,
                              .actions = options->action ? options->action->bit : command->bit,
                              .is_several =
                                  takes_contraction(command) && network_is_asked(options)};
    for (int g = 0; g < options->given_count; g++) {
        const struct given_option *given = &options->given[g];
        if (is_effective(given, options) &&
            (!check_required(&checked, given->option) || !check_excluded(&checked, given->option)))
            return false;
    }
    return true;
}
