#include "routines/sampler/script/script.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/edit_distance.h"
#include "base/error.h"

enum { TYPED_WORDS = 4, MOST_NAME = MEMORY_NAME - 1 };

enum tcplan_status script_refuse(const char *line, struct script_word word,
                                 struct tcplan_error *error, const char *format, ...) {
    char message[TCPLAN_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error_at(error, TCPLAN_INVALID, (size_t)(word.text - line), word.length, "%s", message);
}

/** Returns how many characters of a word to print in a message. */
static int shown(struct script_word word) {
    return (int)(word.length < 40 ? word.length : 40);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/** Returns the next word; empty at the end of the line or at a comment. */
static struct script_word next_word(const char **at) {
    while (is_blank(**at)) (*at)++;
    struct script_word word = {.text = *at};
    if (**at == '#') return word;
    while (**at && !is_blank(**at)) (*at)++;
    word.length = (size_t)(*at - word.text);
    return word;
}

static bool is_word(struct script_word word, const char *text) {
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

bool script_integer(int64_t *out, struct script_word word) {
    const bool is_signed = word.length > 0 && (word.text[0] == '-' || word.text[0] == '+');
    int64_t value = 0;
    if (word.length == (size_t)is_signed) return false;
    for (size_t i = is_signed; i < word.length; i++) {
        if (!isdigit((unsigned char)word.text[i])) return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, word.text[i] - '0', &value))
            return false;
    }
    *out = word.text[0] == '-' ? -value : value;
    return true;
}

/** Reads a number of elements. */
static enum tcplan_status read_count(int64_t *out, const char *line, struct script_word word,
                                     struct tcplan_error *error) {
    if (script_integer(out, word) && *out >= 0) return TCPLAN_OK;
    return script_refuse(line, word, error, "expected a number of elements, found '%.*s'",
                         shown(word), word.text);
}

/** name = ( letter | "_" ) { letter | digit | "_" } */
static enum tcplan_status read_name(const char *line, struct script_word word,
                                    struct tcplan_error *error) {
    bool is_name =
        word.length > 0 && word.length <= MOST_NAME && !isdigit((unsigned char)word.text[0]);
    for (size_t i = 0; i < word.length && is_name; i++)
        is_name = isalnum((unsigned char)word.text[i]) || word.text[i] == '_';
    if (is_name) return TCPLAN_OK;
    return script_refuse(line, word, error,
                         "expected a name of at most %d letters, digits and _, found '%.*s'",
                         MOST_NAME, shown(word), word.text);
}

static enum tcplan_status find_buffer(struct memory_buffer **out,
                                      const struct tcplan_sampler *sampler, const char *line,
                                      struct script_word word, struct tcplan_error *error) {
    struct nearest nearest = {0};
    char name[MEMORY_NAME];
    *out = memory_find(&sampler->memory, word.text, word.length);
    if (*out) return TCPLAN_OK;
    snprintf(name, sizeof name, "%.*s",
             (int)(word.length < sizeof name ? word.length : sizeof name - 1), word.text);
    for (int b = 0; b < sampler->memory.count; b++)
        nearest_consider(&nearest, name, sampler->memory.buffer[b].name);
    return script_refuse(line, word, error,
                         nearest.name ? "unknown buffer '%.*s'; did you mean '%s'?"
                                      : "unknown buffer '%.*s'",
                         shown(word), word.text, nearest.name);
}

struct script_entry *script_append(struct tcplan_sampler *sampler, enum script_entry_kind kind) {
    struct script_entry *entry = arena_alloc(&sampler->arena, sizeof *entry);
    if (!entry) return NULL;
    *entry = (struct script_entry){.kind = kind, .line = sampler->line};
    if (sampler->last) {
        sampler->last->next = entry;
    } else {
        sampler->first = entry;
    }
    sampler->last = entry;
    sampler->entries++;
    return entry;
}

static enum tcplan_status append(struct tcplan_sampler *sampler, enum script_entry_kind kind,
                                 struct tcplan_error *error) {
    return script_append(sampler, kind) ? TCPLAN_OK : error_no_memory(error);
}

/* Commands. `words` are the command and the `count` - 1 words after it. */

struct statement {
    struct tcplan_sampler *sampler;
    const char *line;
    const struct script_word *words;
    int count;
    const char *rest; /* rest of the line after the command, up to a comment */
    size_t rest_length;
    enum memory_type type; /* type of malloc and offset */
    struct tcplan_error *error;
};

static enum tcplan_status run_go(const struct statement *s) {
    return tcplan_sampler_go(s->sampler, s->error);
}

static enum tcplan_status begin_region(const struct statement *s) {
    struct tcplan_sampler *sampler = s->sampler;
    if (sampler->in_region)
        return script_refuse(s->line, s->words[0], s->error,
                             "{omp inside another {omp; expected }");
    const enum tcplan_status status = append(sampler, SCRIPT_REGION, s->error);
    sampler->in_region = status == TCPLAN_OK;
    sampler->numbers = sampler->integers = 0;
    return status;
}

static enum tcplan_status begin_sequence(const struct statement *s) {
    struct tcplan_sampler *sampler = s->sampler;
    if (!sampler->in_region)
        return script_refuse(s->line, s->words[0], s->error,
                             "{seq outside {omp; expected {omp before it");
    if (sampler->in_sequence)
        return script_refuse(s->line, s->words[0], s->error,
                             "{seq inside another {seq; expected }");
    const enum tcplan_status status = append(sampler, SCRIPT_SEQUENCE, s->error);
    sampler->in_sequence = status == TCPLAN_OK;
    return status;
}

static enum tcplan_status end_block(const struct statement *s) {
    struct tcplan_sampler *sampler = s->sampler;
    if (!sampler->in_region)
        return script_refuse(s->line, s->words[0], s->error,
                             "} closes no region: no {omp or {seq is open");
    const bool is_sequence = sampler->in_sequence;
    const enum tcplan_status status =
        append(sampler, is_sequence ? SCRIPT_END_SEQUENCE : SCRIPT_END_REGION, s->error);
    if (status != TCPLAN_OK) return status;
    sampler->in_sequence = false;
    sampler->in_region = is_sequence;
    return TCPLAN_OK;
}

static enum tcplan_status make_buffer(const struct statement *s) {
    struct memory *memory = &s->sampler->memory;
    int64_t count;
    enum tcplan_status status = read_name(s->line, s->words[1], s->error);
    if (status == TCPLAN_OK) status = read_count(&count, s->line, s->words[2], s->error);
    if (status != TCPLAN_OK) return status;
    if (memory_find(memory, s->words[1].text, s->words[1].length)) {
        return script_refuse(s->line, s->words[1], s->error,
                             "a buffer '%.*s' exists already; free it first", shown(s->words[1]),
                             s->words[1].text);
    }
    struct tcplan_error why;
    status = memory_add(memory, s->type, s->words[1].text, s->words[1].length, count, &why);
    if (status == TCPLAN_INVALID)
        return script_refuse(s->line, s->words[2], s->error, "%s", why.message);
    return status == TCPLAN_OK ? TCPLAN_OK : error_no_memory(s->error);
}

static enum tcplan_status make_offset(const struct statement *s) {
    struct memory *memory = &s->sampler->memory;
    struct memory_buffer *of;
    int64_t offset = 0;
    enum tcplan_status status = find_buffer(&of, s->sampler, s->line, s->words[1], s->error);
    if (status == TCPLAN_OK) status = read_count(&offset, s->line, s->words[2], s->error);
    if (status == TCPLAN_OK) status = read_name(s->line, s->words[3], s->error);
    if (status != TCPLAN_OK) return status;
    const int64_t most = of->bytes / memory_element_bytes(s->type);
    if (offset > most) {
        return script_refuse(
            s->line, s->words[2], s->error, "%lld exceeds '%s', which has %lld elements of type %s",
            (long long)offset, of->name, (long long)most, memory_type_name(s->type));
    }
    if (memory_find(memory, s->words[3].text, s->words[3].length)) {
        return script_refuse(s->line, s->words[3], s->error,
                             "a buffer '%.*s' exists already; free it first", shown(s->words[3]),
                             s->words[3].text);
    }
    return memory_offset(memory, s->type, of, offset, s->words[3].text, s->words[3].length,
                         s->error);
}

static enum tcplan_status free_buffer(const struct statement *s) {
    struct memory_buffer *buffer;
    const enum tcplan_status status =
        find_buffer(&buffer, s->sampler, s->line, s->words[1], s->error);
    if (status != TCPLAN_OK) return status;
    if (memory_is_used(&s->sampler->memory, buffer)) {
        return script_refuse(s->line, s->words[1], s->error,
                             "'%s' is used by queued calls; `go` runs them", buffer->name);
    }
    memory_remove(&s->sampler->memory, buffer);
    return TCPLAN_OK;
}

static enum tcplan_status show_info(const struct statement *s) {
    char name[2 * SIGNATURE_NAME];
    const struct signature *signature;
    struct tcplan_error why;
    struct strbuf text = {0};
    const struct script_word word = s->words[1];
    snprintf(name, sizeof name, "%.*s",
             (int)(word.length < sizeof name ? word.length : sizeof name - 1), word.text);
    const enum tcplan_status status = signature_find(&signature, name, &why);
    if (status != TCPLAN_OK)
        return status == TCPLAN_INVALID ? script_refuse(s->line, word, s->error, "%s", why.message)
                                        : status;
    signature_print(&text, signature);
    const bool failed = text.failed;
    if (!failed && s->sampler->options.info)
        s->sampler->options.info(s->sampler->options.context, text.text);
    strbuf_free(&text);
    return failed ? error_no_memory(s->error) : TCPLAN_OK;
}

static enum tcplan_status print_text(const struct statement *s) {
    const struct tcplan_sampler_options *options = &s->sampler->options;
    char *text = arena_strndup(&s->sampler->arena, s->rest, s->rest_length);
    if (!text) return error_no_memory(s->error);
    if (options->print) options->print(options->context, text);
    return TCPLAN_OK;
}

/** A name of a quantity: tcplan's, PAPI's or perf's. */
struct counter_word {
    const char *name;
    enum counter_quantity quantity;
};

static const struct counter_word counter_words[] = {{"cycles", COUNTER_CYCLES},
                                                    {"instructions", COUNTER_INSTRUCTIONS},
                                                    {"misses", COUNTER_MISSES},
                                                    {"flops", COUNTER_FLOPS},
                                                    {"cache-misses", COUNTER_MISSES},
                                                    {"PAPI_TOT_CYC", COUNTER_CYCLES},
                                                    {"PAPI_TOT_INS", COUNTER_INSTRUCTIONS},
                                                    {"PAPI_L3_TCM", COUNTER_MISSES},
                                                    {"PAPI_FP_OPS", COUNTER_FLOPS}};
enum { COUNTER_WORDS = sizeof counter_words / sizeof *counter_words, OWN_WORDS = 4 };

static void note(const struct tcplan_sampler *sampler, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note(const struct tcplan_sampler *sampler, const char *format, ...) {
    char text[TCPLAN_MESSAGE_SIZE + COUNTER_REASON];
    va_list arguments;
    if (!sampler->options.note) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sampler->options.note(sampler->options.context, sampler->line, text);
}

/** Finds the quantity that a word denotes; sets *is_skipped if the word is a counter of PAPI that
 * is unknown here. */
static enum tcplan_status read_counter(enum counter_quantity *out, bool *is_skipped,
                                       const struct statement *s, struct script_word word) {
    char name[COUNTER_NAME];
    struct nearest nearest = {0};
    *is_skipped = false;
    for (int w = 0; w < COUNTER_WORDS; w++) {
        if (!is_word(word, counter_words[w].name)) continue;
        *out = counter_words[w].quantity;
        return TCPLAN_OK;
    }
    *is_skipped = word.length > 5 && strncmp(word.text, "PAPI_", 5) == 0;
    if (*is_skipped) return TCPLAN_OK;
    snprintf(name, sizeof name, "%.*s",
             (int)(word.length < sizeof name ? word.length : sizeof name - 1), word.text);
    /* Suggest only tcplan's own words: events of the system resemble each other. */
    for (int w = 0; w < OWN_WORDS; w++) nearest_consider(&nearest, name, counter_words[w].name);
    *out = COUNTER_NAMED;
    if (!nearest.name && word.length < sizeof name) return TCPLAN_OK;
    return script_refuse(s->line, word, s->error,
                         "expected cycles, instructions, misses or flops, found '%.*s'%s%s%s",
                         shown(word), word.text, nearest.name ? "; did you mean '" : "",
                         nearest.name ? nearest.name : "", nearest.name ? "'?" : "");
}

/** Writes the name of a counter: the word of a named event, or the name of the quantity. */
static void name_counter(char out[COUNTER_NAME], enum counter_quantity quantity,
                         struct script_word word) {
    if (quantity < COUNTER_NAMED) {
        snprintf(out, COUNTER_NAME, "%s", counter_quantity_name(quantity));
    } else {
        snprintf(out, COUNTER_NAME, "%.*s", (int)word.length, word.text);
    }
}

static enum tcplan_status open_counters(struct tcplan_sampler *sampler,
                                        struct tcplan_error *error) {
    const struct tcplan_sampler_options *options = &sampler->options;
    struct counter_target target = {.descendants =
                                        options->threads > 1 || options->limit_seconds > 0};
    for (int c = 0; c < sampler->counters; c++) {
        target.quantities |= 1U << sampler->counter[c];
        if (sampler->counter[c] >= COUNTER_NAMED)
            target.named[sampler->counter[c] - COUNTER_NAMED] = sampler->counter_name[c];
    }
    if (sampler->counters == 0 || options->check_only) return TCPLAN_OK;
    const enum tcplan_status status =
        counter_open(&sampler->source, options->counters, &target, error);
    for (int c = 0; c < sampler->counters && status == TCPLAN_OK; c++) {
        const enum counter_quantity quantity = sampler->counter[c];
        if (counter_can(sampler->source, quantity)) continue;
        note(sampler, "no %s: %s", sampler->counter_name[c], sampler->source->why_not[quantity]);
    }
    if (status == TCPLAN_OK && options->threads == 1 && strcmp(options->counters, "perf") == 0 &&
        !frequency_is_reported(&sampler->frequency))
        note(sampler,
             "no frequency: neither cpufreq nor %s/N/msr (root, `modprobe msr`) is readable",
             frequency_registers);
    return status;
}

static enum tcplan_status set_counters(const struct statement *s) {
    struct tcplan_sampler *sampler = s->sampler;
    enum counter_quantity counter[TCPLAN_SAMPLE_COUNTERS];
    char name[TCPLAN_SAMPLE_COUNTERS][COUNTER_NAME];
    int count = 0;
    for (int w = 1; w < s->count; w++) {
        bool is_skipped;
        enum counter_quantity quantity = COUNTER_CYCLES;
        const enum tcplan_status status = read_counter(&quantity, &is_skipped, s, s->words[w]);
        if (status != TCPLAN_OK) return status;
        if (is_skipped) {
            note(sampler, "%.*s is skipped: expected cycles, instructions, misses or flops",
                 shown(s->words[w]), s->words[w].text);
        } else if (count == TCPLAN_SAMPLE_COUNTERS) {
            return script_refuse(s->line, s->words[w], s->error, "%d counters at most",
                                 TCPLAN_SAMPLE_COUNTERS);
        } else {
            name_counter(name[count], quantity, s->words[w]);
            /* a named event is identified by the number of its counter */
            counter[count] = quantity < COUNTER_NAMED
                                 ? quantity
                                 : (enum counter_quantity)(COUNTER_NAMED + count);
            count++;
        }
    }
    counter_close(sampler->source);
    sampler->source = NULL;
    sampler->counters = count;
    if (count > 0) memcpy(sampler->counter, counter, (size_t)count * sizeof *counter);
    if (count > 0) memcpy(sampler->counter_name, name, (size_t)count * sizeof *name);
    return open_counters(sampler, s->error);
}

/** A command of the language. */
struct command {
    const char *name;
    int words; /* number of words after the name; -1: any number */
    enum tcplan_status (*run)(const struct statement *statement);
    enum memory_type type;
    const char *usage;
};

static const struct command commands[] = {
    {.name = "go", .words = 0, .run = run_go, .usage = "go"},
    {.name = "{omp", .words = 0, .run = begin_region, .usage = "{omp"},
    {.name = "{seq", .words = 0, .run = begin_sequence, .usage = "{seq"},
    {.name = "}", .words = 0, .run = end_block, .usage = "}"},
    {.name = "set_counters", .words = -1, .run = set_counters, .usage = "set_counters NAME ..."},
    {.name = "malloc",
     .words = 2,
     .run = make_buffer,
     .type = MEMORY_CHAR,
     .usage = "malloc NAME COUNT"},
    {.name = "imalloc",
     .words = 2,
     .run = make_buffer,
     .type = MEMORY_INT,
     .usage = "imalloc NAME COUNT"},
    {.name = "smalloc",
     .words = 2,
     .run = make_buffer,
     .type = MEMORY_FLOAT,
     .usage = "smalloc NAME COUNT"},
    {.name = "dmalloc",
     .words = 2,
     .run = make_buffer,
     .type = MEMORY_DOUBLE,
     .usage = "dmalloc NAME COUNT"},
    {.name = "cmalloc",
     .words = 2,
     .run = make_buffer,
     .type = MEMORY_FLOAT_COMPLEX,
     .usage = "cmalloc NAME COUNT"},
    {.name = "zmalloc",
     .words = 2,
     .run = make_buffer,
     .type = MEMORY_DOUBLE_COMPLEX,
     .usage = "zmalloc NAME COUNT"},
    {.name = "offset",
     .words = 3,
     .run = make_offset,
     .type = MEMORY_CHAR,
     .usage = "offset NAME COUNT NEW"},
    {.name = "ioffset",
     .words = 3,
     .run = make_offset,
     .type = MEMORY_INT,
     .usage = "ioffset NAME COUNT NEW"},
    {.name = "soffset",
     .words = 3,
     .run = make_offset,
     .type = MEMORY_FLOAT,
     .usage = "soffset NAME COUNT NEW"},
    {.name = "doffset",
     .words = 3,
     .run = make_offset,
     .type = MEMORY_DOUBLE,
     .usage = "doffset NAME COUNT NEW"},
    {.name = "coffset",
     .words = 3,
     .run = make_offset,
     .type = MEMORY_FLOAT_COMPLEX,
     .usage = "coffset NAME COUNT NEW"},
    {.name = "zoffset",
     .words = 3,
     .run = make_offset,
     .type = MEMORY_DOUBLE_COMPLEX,
     .usage = "zoffset NAME COUNT NEW"},
    {.name = "free", .words = 1, .run = free_buffer, .usage = "free NAME"},
    {.name = "info", .words = 1, .run = show_info, .usage = "info KERNEL"},
    {.name = "print", .words = -1, .run = print_text, .usage = "print TEXT"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct command *find_command(struct script_word word) {
    for (int c = 0; c < COMMANDS; c++) {
        if (is_word(word, commands[c].name)) return &commands[c];
    }
    return NULL;
}

/** Returns the name of the command that a misspelt first word probably means; NULL: none is
 * similar. */
static const char *near_command(struct script_word word) {
    char name[2 * SIGNATURE_NAME];
    const char *best = NULL;
    size_t distance = 3;
    snprintf(name, sizeof name, "%.*s",
             (int)(word.length < sizeof name ? word.length : sizeof name - 1), word.text);
    for (int c = 0; c < COMMANDS; c++) {
        const size_t other = edit_distance(name, commands[c].name);
        if (other >= distance || other >= strlen(commands[c].name)) continue;
        distance = other;
        best = commands[c].name;
    }
    return best;
}

static enum tcplan_status run_command(const struct command *command, const struct statement *s) {
    if (command->words < 0 || s->count == command->words + 1) return command->run(s);
    const bool too_many = s->count > command->words + 1;
    const struct script_word word = s->words[too_many ? command->words + 1 : 0];
    return script_refuse(s->line, word, s->error, "expected `%s`, found %s", command->usage,
                         too_many ? "more" : "less");
}

/**
 * Splits a line into words.
 *
 * @return the number of words, of which at most SCRIPT_MAX_WORDS are stored
 */
static int split(struct script_word words[SCRIPT_MAX_WORDS], const char *line, const char **end) {
    const char *at = line;
    int count = 0;
    for (;;) {
        const struct script_word word = next_word(&at);
        if (word.length == 0) break;
        if (count < SCRIPT_MAX_WORDS) words[count] = word;
        count++;
    }
    *end = at;
    return count;
}

static void find_rest(struct statement *s, const char *end) {
    s->rest = s->words[0].text + s->words[0].length;
    if (is_blank(*s->rest)) s->rest++;
    while (end > s->rest && is_blank(end[-1])) end--;
    s->rest_length = end > s->rest ? (size_t)(end - s->rest) : 0;
}

enum tcplan_status script_line(struct tcplan_sampler *sampler, const char *text,
                               struct tcplan_error *error) {
    struct script_word words[SCRIPT_MAX_WORDS];
    const char *end;
    const int count = split(words, text, &end);
    if (count == 0) return TCPLAN_OK;
    const struct command *command = find_command(words[0]);
    if (command) {
        struct statement s = {.sampler = sampler,
                              .line = text,
                              .words = words,
                              .count = count,
                              .type = command->type,
                              .error = error};
        if (command->words < 0 && command->run != print_text && count > SCRIPT_MAX_WORDS)
            s.count = SCRIPT_MAX_WORDS;
        find_rest(&s, end);
        return run_command(command, &s);
    }
    struct tcplan_error why;
    const enum tcplan_status status = script_read_call(sampler, text, words, count, &why);
    if (status == TCPLAN_OK) return status;
    const char *meant =
        strncmp(why.message, "unknown kernel", 14) == 0 ? near_command(words[0]) : NULL;
    if (meant)
        return script_refuse(text, words[0], error, "unknown command '%.*s'; did you mean '%s'?",
                             shown(words[0]), words[0].text, meant);
    if (error) *error = why;
    return status;
}
