#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/decimal.h"
#include "cli/commands/commands.h"
#include "cli/options/options_table.h"
#include "cli/render/text/values.h"

#define MOST_SECONDS 1e9

enum { SHARDS_MAX = 1000000 };

/* Reading values. */

/** Reads an unsigned decimal number up to `largest`. */
static bool read_number(uint64_t *out, const char *text, uint64_t largest) {
    if (*text < '0' || *text > '9') return false;
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *out <= largest;
}

static bool store_number(const struct option *option, void *place, const char *value) {
    uint64_t number;
    if (!read_number(&number, value, (uint64_t)option->max) || number < (uint64_t)option->min)
        return false;
    if (option->bytes == sizeof(int)) {
        *(int *)place = (int)number;
    } else {
        *(int64_t *)place = (int64_t)number;
    }
    return true;
}

/** size = digits [ ( "K" | "M" | "G" | "T" ) [ "iB" ] ], in powers of 1024 */
static bool read_size(int64_t *bytes, const char *value) {
    static const char suffixes[] = "KMGT";
    const char *suffix = text_number(bytes, value, INT64_MAX);
    if (!suffix || *bytes == 0) return false;
    if (*suffix == '\0') return true;
    const char *power = strchr(suffixes, *suffix);
    if (!power || (suffix[1] != '\0' && strcmp(suffix + 1, "iB") != 0)) return false;
    return checked_mul_i64(*bytes, (int64_t)1 << 10 * (power - suffixes + 1), bytes);
}

static bool read_seconds(double *out, const char *value) {
    return decimal_read(out, value, strlen(value)) && *out > 0 && *out <= MOST_SECONDS;
}

static bool read_percent(double *out, const char *value) {
    double percent;
    if (!decimal_read(&percent, value, strlen(value)) || !(percent > 0 && percent < 100))
        return false;
    *out = percent / 100;
    return true;
}

/* shard = K "/" N, 1 <= K <= N */
static bool read_shard(struct shard *out, const char *value) {
    const char *slash = text_number(&out->number, value, SHARDS_MAX);
    const char *end =
        slash && *slash == '/' ? text_number(&out->count, slash + 1, SHARDS_MAX) : NULL;
    return end && *end == '\0' && out->number >= 1 && out->number <= out->count;
}

static bool is_identifier(const char *value) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *value && !(*value >= '0' && *value <= '9') && value[strspn(value, letters)] == '\0';
}

static bool store_text(const struct option *option, void *place, const char *value) {
    *(const char **)place = value;
    return *value || (option->min == 0 && option->role == FILE_NONE);
}

static bool add_text(const struct option *option, struct text_list *list, const char *value) {
    if (list->count == option->max) return false;
    return store_text(option, &list->text[list->count++], value);
}

bool option_takes(const struct option *option, const char *argument) {
    int value;
    return option->kind != OPTION_SET || tcplan_word_value(option->words, argument, &value);
}

bool option_store(const struct option *option, struct options *options, const char *value) {
    void *place = (char *)options + option->offset;
    switch (option->kind) {
    case OPTION_SET:
        if (value) return tcplan_word_value(option->words, value, place);
        *(int *)place = (int)option->min;
        return true;
    case OPTION_FLAG: return *(bool *)place = true;
    case OPTION_WORD: return tcplan_word_value(option->words, value, place);
    case OPTION_TEXT: return store_text(option, place, value);
    case OPTION_TEXTS: return add_text(option, place, value);
    case OPTION_IDENTIFIER: return store_text(option, place, value) && is_identifier(value);
    case OPTION_NUMBER: return store_number(option, place, value);
    case OPTION_SEED: return read_number(place, value, UINT64_MAX);
    case OPTION_SIZE: return read_size(place, value);
    case OPTION_SECONDS: return read_seconds(place, value);
    case OPTION_PERCENT: return read_percent(place, value);
    case OPTION_SHARD: return read_shard(place, value);
    }
    return false;
}

/* Descriptions of values. */

/** Returns whether an earlier word of the list has the same value, so that this word is an
 * alias. */
static bool is_alias(const struct tcplan_word *words, const struct tcplan_word *word) {
    return tcplan_word(words, word->value) != word->word;
}

/** Returns the next word that is not an alias, or the end of the list. */
static const struct tcplan_word *next_word(const struct tcplan_word *words,
                                           const struct tcplan_word *word) {
    do word++;
    while (word->word && is_alias(words, word));
    return word;
}

/** Appends the words of a list, such as "text (default), json or xml". If `standard` is NULL, no
 * word is marked as the default. */
static void add_words(struct strbuf *out, const struct tcplan_word *words, const int *standard) {
    for (const struct tcplan_word *word = words, *next; word->word; word = next) {
        next = next_word(words, word);
        const char *mark = standard && word->value == *standard ? " (default)" : "";
        const char *between = word == words ? "" : next->word ? ", " : " or ";
        strbuf_add(out, "%s%s%s", between, word->word, mark);
    }
}

void option_add_expected(struct strbuf *out, const struct option *option) {
    switch (option->kind) {
    case OPTION_FLAG: return;
    case OPTION_SET:
    case OPTION_WORD: add_words(out, option->words, NULL); return;
    case OPTION_TEXT:
    case OPTION_TEXTS:
        strbuf_add(out, "%s", option->expects ? option->expects : "the name of a file");
        return;
    case OPTION_IDENTIFIER: strbuf_add(out, "a C identifier"); return;
    case OPTION_NUMBER:
        if (option->max == INT64_MAX) strbuf_add(out, "a number of at least %" PRId64, option->min);
        if (option->max < INT64_MAX)
            strbuf_add(out, "a number from %" PRId64 " to %" PRId64, option->min, option->max);
        return;
    case OPTION_SEED: strbuf_add(out, "a number of at most 64 bits"); return;
    case OPTION_SIZE: strbuf_add(out, "a size such as 512M or 2GiB"); return;
    case OPTION_SECONDS: strbuf_add(out, "a number of seconds above 0, at most 1e9"); return;
    case OPTION_PERCENT: strbuf_add(out, "a number of per cent between 0 and 100"); return;
    case OPTION_SHARD: strbuf_add(out, "a shard such as 2/8"); return;
    }
}

/* Headings of the groups of options. */

const struct tcplan_word option_groups[] = {
    {"Input", GROUP_INPUT},   {"Search and timing", GROUP_SEARCH}, {"Stored data", GROUP_STORED},
    {"Output", GROUP_OUTPUT}, {"Expert options", GROUP_EXPERT},    {0}};

int options_count(uint64_t actions) {
    int count = 0;
    for (size_t o = 0; o < options_table_count; o++)
        count += (options_table[o].accepted_by & actions) != 0;
    return count;
}

bool option_is_common(const struct option *option, uint64_t actions) {
    return options_count(actions) <= COMMON_OPTIONS ||
           (option->common & option->accepted_by & actions) == actions;
}

const struct option *option_find(uint64_t actions, const char *name, size_t length) {
    for (size_t o = 0; o < options_table_count; o++) {
        const struct option *option = &options_table[o];
        if ((option->accepted_by & actions) && text_is(name, length, option->name)) return option;
    }
    return NULL;
}

/** State of writing a list, such as "a, b and c", to which names are added one by one. */
struct name_list {
    struct strbuf *out;
    int left;
};

static void add_name(struct name_list *list, const char *command, const char *action) {
    strbuf_add(list->out, "%s%s%s", command, *command && *action ? " " : "", action);
    list->left--;
    if (list->left > 0) strbuf_add(list->out, list->left == 1 ? " and " : ", ");
}

/** Returns the number of names needed to describe these actions of a command. */
static int count_names(const struct command *command, uint64_t actions) {
    int count = 0;
    if (!command->actions || (actions & command->bit) == command->bit)
        return (actions & command->bit) != 0;
    for (const struct action *action = command->actions; action->name; action++)
        count += (actions & action->bit) != 0;
    return count;
}

/**
 * Adds the names of these actions of a command.
 *
 * @param prefix  text before each name
 */
static void add_names(struct name_list *list, const struct command *command, const char *prefix,
                      uint64_t actions) {
    if (!(actions & command->bit)) return;
    if (!command->actions || (actions & command->bit) == command->bit) {
        add_name(list, command->name, "");
        return;
    }
    for (const struct action *action = command->actions; action->name; action++) {
        if (actions & action->bit) add_name(list, prefix, action->name);
    }
}

void actions_add_names(struct strbuf *out, uint64_t actions) {
    struct name_list list = {.out = out};
    for (size_t c = 0; commands[c]; c++) list.left += count_names(commands[c], actions);
    for (size_t c = 0; commands[c]; c++) add_names(&list, commands[c], commands[c]->name, actions);
}

/** Appends the actions in a short form, such as "rank and emit: ", or "all but list: " if that is
 * shorter. */
static void add_some_actions(struct strbuf *out, const struct command *command, uint64_t actions) {
    const uint64_t others = command->bit & ~actions;
    const int count = count_names(command, actions), other_count = count_names(command, others);
    const bool is_short = count <= other_count;
    struct name_list list = {.out = out, .left = is_short ? count : other_count};
    if (others == 0) return;
    if (!is_short) strbuf_add(out, "all but ");
    add_names(&list, command, "", is_short ? actions : others);
    strbuf_add(out, ": ");
}

void option_add_help(struct strbuf *out, const struct option *option,
                     const struct command *command) {
    const char *words = option->words ? strstr(option->help, "%s") : NULL;
    if (command && command->actions) add_some_actions(out, command, option->accepted_by);
    if (!words) {
        strbuf_add(out, "%s", option->help);
        return;
    }
    const int *standard = (const int *)((const char *)&options_defaults + option->offset);
    strbuf_add(out, "%.*s", (int)(words - option->help), option->help);
    add_words(out, option->words, option->min == 0 ? standard : NULL);
    strbuf_add(out, "%s", words + strlen("%s"));
}
