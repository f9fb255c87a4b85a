#include "cli/correction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/render/text/values.h"
#include "tcplan/network.h"

/*
 * Reads products in other notations: a list of tensors, each a name with indices in any usual
 * spelling. The product is then written in tcplan's notation. It is suggested only if the parser
 * accepts it.
 */

enum { MOST_TENSORS = 16, MOST_INDICES = 24 };

/** A part of the input: its beginning and its length. */
struct piece {
    const char *text;
    size_t length;
};

struct spelled {
    struct piece name; /**< name of the tensor; empty: it has no name */
    struct piece index[MOST_INDICES];
    int rank;
};

struct reading {
    const char *at;
    struct spelled tensor[MOST_TENSORS];
    int count;
    int result;         /**< number of the result among the tensors; -1: missing */
    const char *assign; /**< what stands between the result and the factors: =, += or -= */
    bool has_words;     /**< whether an index has several letters */
};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool equal(struct piece a, struct piece b) {
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/** Skips blanks and returns the next character. */
static char peek(struct reading *reading) {
    reading->at += strspn(reading->at, " \t");
    return *reading->at;
}

/** If `sign` comes next, skips it and returns true. */
static bool accept(struct reading *reading, const char *sign) {
    peek(reading);
    const bool follows = strncmp(reading->at, sign, strlen(sign)) == 0;
    if (follows) reading->at += strlen(sign);
    return follows;
}

/** Reads letters, digits and underscores. */
static struct piece read_word(struct reading *reading) {
    struct piece word = {reading->at, 0};
    while (is_letter(word.text[word.length]) || word.text[word.length] == '_' ||
           (word.text[word.length] >= '0' && word.text[word.length] <= '9'))
        word.length++;
    reading->at += word.length;
    return word;
}

static bool add_index(struct reading *reading, struct spelled *tensor, struct piece index) {
    if (tensor->rank == MOST_INDICES) return false;
    tensor->index[tensor->rank++] = index;
    reading->has_words = reading->has_words || index.length > 1;
    return true;
}

/** Adds each letter of a word as an index; underscores are skipped. */
static bool add_letters(struct reading *reading, struct spelled *tensor, struct piece letters) {
    for (size_t i = 0; i < letters.length; i++) {
        const struct piece index = {letters.text + i, 1};
        if (*index.text == '_') continue;
        if (!is_letter(*index.text) || !add_index(reading, tensor, index)) return false;
    }
    return true;
}

/** Reads indices up to the closing bracket `end`. If there are no commas, as in {ab}, each letter
 * is an index. */
static bool read_list(struct reading *reading, struct spelled *tensor, const char *end) {
    const bool is_brace = *end == '}';
    while (!accept(reading, end)) {
        peek(reading);
        const struct piece word = read_word(reading);
        if (word.length == 0 || !is_letter(*word.text)) return false;
        const bool is_letters = is_brace && peek(reading) != ',' && word.text[-1] != ',';
        if (!(is_letters ? add_letters(reading, tensor, word) : add_index(reading, tensor, word)))
            return false;
        accept(reading, ",");
    }
    return true;
}

/** Splits a name such as `A_ai`, `Aai` or `ai` into tensor and indices. */
static bool read_name(struct reading *reading, struct spelled *tensor, struct piece word) {
    const char *underscore = memchr(word.text, '_', word.length);
    const char next = peek(reading);
    const bool is_upper = *word.text >= 'A' && *word.text <= 'Z';
    const bool has_more = next == '(' || next == '[' || next == '{' || next == '^';
    tensor->name = word;
    if (underscore && next != '(' && next != '[') {
        tensor->name.length = (size_t)(underscore - word.text);
    } else if (!has_more) {
        tensor->name.length = is_upper ? 1 : 0;
    }
    const size_t taken = tensor->name.length;
    return add_letters(reading, tensor, (struct piece){word.text + taken, word.length - taken});
}

/* tensor = name { ( "_" | "^" ) ( letters | list ) | list } */
static bool read_tensor(struct reading *reading) {
    static const char *const brackets[] = {"()", "[]", "{}"};
    struct spelled *tensor = &reading->tensor[reading->count];
    if (reading->count == MOST_TENSORS || !is_letter(peek(reading))) return false;
    *tensor = (struct spelled){.rank = 0};
    if (!read_name(reading, tensor, read_word(reading))) return false;
    for (bool more = true; more;) {
        more = accept(reading, "^") || accept(reading, "_");
        if (more && is_letter(*reading->at) && !add_letters(reading, tensor, read_word(reading)))
            return false;
        for (size_t b = 0; b < sizeof brackets / sizeof *brackets; b++) {
            if (peek(reading) != brackets[b][0]) continue;
            reading->at++;
            more = true;
            if (!read_list(reading, tensor, brackets[b] + 1)) return false;
        }
    }
    reading->count++;
    return true;
}

/** If the sign between the result and the factors comes next, reads it. Returns false if it is the
 * second such sign. */
static bool read_assign(struct reading *reading) {
    const char *assign = accept(reading, "+=") ? "+=" : accept(reading, "-=") ? "-=" : "=";
    const bool is_formula = assign[0] != '=' || accept(reading, ":=") || accept(reading, "=");
    if (!is_formula && !accept(reading, "->")) return true;
    if (reading->result >= 0 || (is_formula && reading->count != 1)) return false;
    reading->result = is_formula ? 0 : reading->count;
    reading->assign = assign;
    return true;
}

/* product = tensor { [ "*" | "," | "->" | "=" | ":=" | "+=" | "-=" ] tensor } ; skips a tensor
 * called `sum`, which means a summation sign */
static bool read_product(struct reading *reading) {
    reading->result = -1;
    while (read_tensor(reading)) {
        const bool is_sum =
            equal(reading->tensor[reading->count - 1].name, (struct piece){"sum", 3});
        if (peek(reading) == '\0') return !is_sum && reading->count > 1 + (reading->result >= 0);
        reading->count -= is_sum;
        if (!read_assign(reading)) return false;
        if (!accept(reading, "*")) accept(reading, ",");
        accept(reading, "\\");
    }
    return false;
}

static int occurrences(const struct reading *reading, struct piece index) {
    int count = 0;
    for (int t = 0; t < reading->count; t++) {
        for (int d = 0; d < reading->tensor[t].rank; d++)
            count += equal(reading->tensor[t].index[d], index);
    }
    return count;
}

/** Derives the indices of a missing result: the indices that occur once. */
static bool derive_result(struct reading *reading) {
    if (reading->result >= 0) return true;
    if (reading->count == MOST_TENSORS) return false;
    struct spelled result = {.rank = 0};
    for (int t = 0; t < reading->count; t++) {
        for (int d = 0; d < reading->tensor[t].rank; d++) {
            const struct piece index = reading->tensor[t].index[d];
            if (occurrences(reading, index) == 1 && !add_index(reading, &result, index))
                return false;
        }
    }
    reading->result = reading->count;
    reading->tensor[reading->count++] = result;
    return true;
}

static bool is_taken(const struct reading *reading, struct piece name) {
    for (int t = 0; t < reading->count; t++) {
        if (equal(reading->tensor[t].name, name)) return true;
    }
    return false;
}

/** Names tensors without a name A, B, ...; the result gets the last letter. */
static void name_all(struct reading *reading) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (int last = 0; last < 2; last++) {
        for (int t = 0; t < reading->count; t++) {
            struct piece name = {letters, 1};
            if (reading->tensor[t].name.length > 0 || (t == reading->result) != last) continue;
            while (is_taken(reading, name)) name.text++;
            reading->tensor[t].name = name;
        }
    }
}

static void add_tensor(struct strbuf *out, const struct reading *reading, int place) {
    const struct spelled *tensor = &reading->tensor[place];
    const bool in_brackets =
        reading->has_words || memchr(tensor->name.text, '_', tensor->name.length);
    strbuf_append(out, tensor->name.text, tensor->name.length);
    if (tensor->rank > 0) strbuf_add(out, in_brackets ? "[" : "_");
    for (int d = 0; d < tensor->rank; d++) {
        if (in_brackets && d > 0) strbuf_add(out, ",");
        strbuf_append(out, tensor->index[d].text, tensor->index[d].length);
    }
    if (tensor->rank > 0 && in_brackets) strbuf_add(out, "]");
}

/** Returns whether two texts differ in more than blanks. */
static bool differ(const char *a, const char *b) {
    for (;; a++, b++) {
        a += strspn(a, " \t");
        b += strspn(b, " \t");
        if (*a != *b) return true;
        if (*a == '\0') return false;
    }
}

/** Returns whether the parser accepts a contraction, which must have indices. */
static bool is_accepted(const char *text) {
    struct tcplan_network *network = NULL;
    const bool is = tcplan_network_parse(&network, text, TCPLAN_COLUMN_MAJOR, NULL) == TCPLAN_OK &&
                    network->index_count > 0;
    tcplan_network_free(network);
    return is;
}

char *correction_of(const char *text) {
    struct reading reading = {.at = text, .assign = "="};
    struct strbuf out = {0};
    if (!read_product(&reading) || !derive_result(&reading)) return NULL;
    name_all(&reading);
    add_tensor(&out, &reading, reading.result);
    const char *sign = reading.assign;
    for (int t = 0; t < reading.count; t++) {
        if (t == reading.result) continue;
        strbuf_add(&out, "%s", sign);
        add_tensor(&out, &reading, t);
        sign = "*";
    }
    char *corrected = strbuf_finish(&out);
    if (corrected && differ(corrected, text) && is_accepted(corrected)) return corrected;
    free(corrected);
    return NULL;
}

/** Prints a line on stderr, and frees the text. */
static void print_line(struct strbuf *out) {
    char *text = strbuf_finish(out);
    if (text) fprintf(stderr, "%s\n", text);
    free(text);
}

void correction_print(const struct options *options) {
    struct strbuf out = {0};
    char *corrected = correction_of(options->argument);
    if (!corrected) return;
    strbuf_add(&out, "try: %s %s \"%s\"", program_name(), options->command->name, corrected);
    if (options->sizes) {
        strbuf_add(&out, " --sizes");
        quoted_add(&out, options->sizes);
    }
    print_line(&out);
    free(corrected);
}

void correction_print_list(const struct options *options) {
    struct strbuf out = {0};
    strbuf_add(&out, "names: %s list", program_name());
    quoted_add(&out, options->argument);
    print_line(&out);
}

void correction_print_command(const struct options *options, char *sizes) {
    struct strbuf out = {0};
    strbuf_add(&out, "try: %s %s", program_name(), options->command->name);
    quoted_add(&out, options->argument);
    strbuf_add(&out, " --sizes");
    quoted_add_owned(&out, sizes);
    print_line(&out);
}

/** Returns whether a text of sizes contains an index name. */
static bool has_name(const char *sizes, const char *name) {
    struct reading reading = {.at = sizes};
    while (*reading.at) {
        const struct piece word = read_word(&reading);
        if (equal(word, (struct piece){name, strlen(name)})) return true;
        if (word.length == 0) reading.at++;
    }
    return false;
}

void correction_print_sizes(const struct options *options, const char *const index[], int count) {
    struct strbuf sizes = {0};
    bool is_missing = false;
    strbuf_add(&sizes, "%s", options->sizes);
    for (int i = 0; i < count; i++) {
        if (has_name(options->sizes, index[i])) continue;
        strbuf_add(&sizes, "%s%s=...", sizes.length > 0 ? "," : "", index[i]);
        is_missing = true;
    }
    if (is_missing) correction_print_command(options, strbuf_finish(&sizes));
    strbuf_free(&sizes);
}

struct suggestion suggestion_of(const struct nearest *nearest, const char *mark) {
    struct suggestion out = {""};
    if (nearest->name)
        snprintf(out.text, sizeof out.text, "; did you mean '%s%s'?", mark, nearest->name);
    return out;
}

struct suggestion suggestion_among(const struct tcplan_word *words, const char *typed) {
    struct nearest nearest = {0};
    for (; words && words->word; words++) nearest_consider(&nearest, typed, words->word);
    return suggestion_of(&nearest, "");
}

struct suggestion suggestion_offered(void (*offer)(struct strbuf *out), const char *typed) {
    struct strbuf offered = {0};
    struct nearest nearest = {0};
    char *state;
    offer(&offered);
    char *words = strbuf_finish(&offered);
    for (char *word = words ? strtok_r(words, " ", &state) : NULL; word;
         word = strtok_r(NULL, " ", &state))
        nearest_consider(&nearest, typed, word);
    const struct suggestion out = suggestion_of(&nearest, "");
    free(words);
    return out;
}
