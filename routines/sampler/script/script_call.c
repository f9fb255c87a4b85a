/*
 * Reads lines that are calls. Each word is read according to the kind of its argument in the
 * signature; then all arguments are checked together.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/edit_distance.h"
#include "base/error.h"
#include "routines/sampler/script/script.h"

/* The state of reading a call. */
struct reading {
    struct tcplan_sampler *sampler;
    const char *line;
    const struct script_word *words; /* words of the arguments */
    struct script_call *call;
    int64_t numbers, integers; /* bytes of memory without names used by the arguments so far */
    int named[SIGNATURE_MAX_ARGUMENTS]; /* for each argument, the number of its buffer plus 1; 0:
                                           none */
    struct tcplan_error *error;
};

static const struct signature_argument *argument_of(const struct reading *r, int a) {
    return &r->call->routine.signature->argument[a];
}

static int shown(struct script_word word) {
    return (int)(word.length < 40 ? word.length : 40);
}

static enum tcplan_status refuse(const struct reading *r, int a, const char *expected) {
    return script_refuse(r->line, r->words[a], r->error, "%s is %s, found '%.*s'",
                         argument_of(r, a)->name, expected, shown(r->words[a]), r->words[a].text);
}

/* number = [ "+" | "-" ] decimal */
static bool read_number(double *out, const char *text, size_t length) {
    const bool is_signed = length > 0 && (*text == '-' || *text == '+');
    if (!decimal_read(out, text + is_signed, length - is_signed)) return false;
    if (*text == '-') *out = -*out;
    return isfinite(*out);
}

/** Reads a list of numbers; returns its length, or 0 if the word is not a list. Stores at most
 * `most` numbers. */
static int64_t read_list(double *out, int64_t most, struct script_word word) {
    int64_t count = 0;
    for (size_t from = 0; from <= word.length;) {
        double value;
        const char *comma = memchr(word.text + from, ',', word.length - from);
        const size_t to = comma ? (size_t)(comma - word.text) : word.length;
        if (!read_number(&value, word.text + from, to - from)) return 0;
        if (count < most) out[count] = value;
        count++;
        from = to + 1;
    }
    return count;
}

/* anonymous = "[" count "]" */
static bool read_anonymous(int64_t *out, struct script_word word) {
    if (word.length < 3 || word.text[0] != '[' || word.text[word.length - 1] != ']') return false;
    return script_integer(out, (struct script_word){word.text + 1, word.length - 2}) && *out >= 0;
}

static enum tcplan_status read_flag(const struct reading *r, int a) {
    const struct script_word word = r->words[a];
    if (argument_of(r, a)->elements == SIGNATURE_INTEGER) {
        if (script_integer(&r->call->value[a], word)) return TCPLAN_OK;
        return refuse(r, a, "an integer");
    }
    if (word.length != 1) return refuse(r, a, "one letter");
    r->call->value[a] = toupper((unsigned char)word.text[0]);
    return TCPLAN_OK;
}

static enum tcplan_status read_integer(const struct reading *r, int a) {
    return script_integer(&r->call->value[a], r->words[a]) ? TCPLAN_OK : refuse(r, a, "an integer");
}

/** Returns a number of bytes rounded up to a multiple of the alignment. */
static int64_t aligned(const struct reading *r, int64_t bytes) {
    const int64_t unit = r->sampler->memory.alignment_bytes;
    return (bytes + unit - 1) / unit * unit;
}

/** Assigns a part of the memory without names to an argument. */
static enum tcplan_status take_anonymous(struct reading *r, int a, int64_t count) {
    const struct signature *signature = r->call->routine.signature;
    const bool is_integer = signature->argument[a].elements == SIGNATURE_INTEGER ||
                            signature->argument[a].class == SIGNATURE_INFO;
    int64_t *const taken = is_integer ? &r->integers : &r->numbers;
    int64_t bytes;
    if (__builtin_mul_overflow(count, signature_element_bytes(signature, a), &bytes) ||
        bytes > INT64_MAX / 64 || *taken > INT64_MAX / 4) {
        return script_refuse(r->line, r->words[a], r->error,
                             "%lld elements exceed the address space", (long long)count);
    }
    r->call->anonymous[a] = true;
    r->call->offset_bytes[a] = aligned(r, *taken) + r->sampler->memory.offset_bytes;
    r->call->bytes[a] = bytes;
    *taken = aligned(r, *taken) + bytes;
    return TCPLAN_OK;
}

/** Returns whether an argument of a routine can be memory of this type: characters can be any
 * argument, and complex numbers count as pairs of real ones. */
static bool fits(enum memory_type type, const struct signature *signature, int argument) {
    const struct signature_argument *of = &signature->argument[argument];
    const int bytes = signature_element_bytes(signature, argument);
    const bool is_single = bytes == (signature_is_complex(signature, argument) ? 8 : 4);
    switch (type) {
    case MEMORY_CHAR: return true;
    case MEMORY_INT: return of->elements == SIGNATURE_INTEGER || of->class == SIGNATURE_INFO;
    case MEMORY_FLOAT:
    case MEMORY_FLOAT_COMPLEX:
        return of->elements != SIGNATURE_INTEGER && of->class != SIGNATURE_INFO && is_single;
    case MEMORY_DOUBLE:
    case MEMORY_DOUBLE_COMPLEX:
        return of->elements != SIGNATURE_INTEGER && of->class != SIGNATURE_INFO && !is_single;
    case MEMORY_TYPES: break;
    }
    return false;
}

static enum tcplan_status take_named(struct reading *r, int a, const char *expected) {
    const struct script_word word = r->words[a];
    const struct memory *memory = &r->sampler->memory;
    const struct memory_buffer *buffer = memory_find(memory, word.text, word.length);
    if (!buffer) {
        struct nearest nearest = {0};
        char name[MEMORY_NAME];
        snprintf(name, sizeof name, "%.*s",
                 (int)(word.length < sizeof name ? word.length : sizeof name - 1), word.text);
        for (int b = 0; b < memory->count; b++)
            nearest_consider(&nearest, name, memory->buffer[b].name);
        if (!nearest.name) return refuse(r, a, expected);
        return script_refuse(r->line, word, r->error, "unknown buffer '%.*s'; did you mean '%s'?",
                             shown(word), word.text, nearest.name);
    }
    if (!fits(buffer->type, r->call->routine.signature, a)) {
        return script_refuse(r->line, word, r->error,
                             "'%s' has elements of type %s, but %s expects other elements for %s",
                             buffer->name, memory_type_name(buffer->type),
                             r->call->routine.signature->name, argument_of(r, a)->name);
    }
    r->named[a] = (int)(buffer - memory->buffer) + 1;
    r->call->data[a] = buffer->first;
    r->call->bytes[a] = buffer->bytes;
    return TCPLAN_OK;
}

/** Stores the numbers of a list as elements of the argument; a complex element has two. */
static enum tcplan_status take_list(const struct reading *r, int a, int64_t count) {
    const struct signature *signature = r->call->routine.signature;
    const bool is_complex = signature_is_complex(signature, a),
               is_integer = signature->argument[a].elements == SIGNATURE_INTEGER;
    const int parts = is_complex ? 2 : 1;
    const int bytes = signature_element_bytes(signature, a) / parts;
    double *numbers = arena_alloc(&r->sampler->arena, (size_t)count * sizeof *numbers);
    char *out = arena_alloc(&r->sampler->arena, (size_t)count * (size_t)bytes);
    if (!numbers || !out) return error_no_memory(r->error);
    read_list(numbers, count, r->words[a]);
    for (int64_t i = 0; i < count; i++) {
        const float s = (float)numbers[i];
        const int n = numbers[i] > -2147483648.0 && numbers[i] < 2147483648.0 ? (int)numbers[i] : 0;
        if (is_integer && (double)n != numbers[i]) return refuse(r, a, "a list of integers");
        memcpy(out + i * bytes,
               is_integer   ? (const void *)&n
               : bytes == 4 ? (const void *)&s
                            : (const void *)&numbers[i],
               (size_t)bytes);
    }
    r->call->data[a] = out;
    r->call->bytes[a] = count / parts * parts * bytes;
    return TCPLAN_OK;
}

static enum tcplan_status read_data(struct reading *r, int a) {
    static const char expected[] = "a buffer's name, [COUNT] or a list of numbers";
    int64_t count;
    if (read_anonymous(&count, r->words[a])) return take_anonymous(r, a, count);
    count = read_list(NULL, 0, r->words[a]);
    return count > 0 ? take_list(r, a, count) : take_named(r, a, expected);
}

static enum tcplan_status read_scalar(struct reading *r, int a) {
    const bool is_complex = signature_is_complex(r->call->routine.signature, a);
    double number[2] = {0, 0};
    int64_t count;
    if (read_anonymous(&count, r->words[a])) return take_anonymous(r, a, count);
    count = read_list(number, 2, r->words[a]);
    if (count == 0)
        return take_named(r, a,
                          is_complex
                              ? "a number, a complex number as 1,0.5, [COUNT] or a buffer's name"
                              : "a number, [COUNT] or a buffer's name");
    if (count > (is_complex ? 2 : 1))
        return refuse(r, a, is_complex ? "one complex number" : "one real number");
    r->call->scalar[a] = (struct call_scalar){number[0], number[1]};
    return TCPLAN_OK;
}

static enum tcplan_status read_info(struct reading *r, int a) {
    int64_t count;
    if (read_anonymous(&count, r->words[a])) return take_anonymous(r, a, count);
    return script_integer(&count, r->words[a])
               ? TCPLAN_OK
               : take_named(r, a, "an integer, [1] or a buffer's name");
}

static enum tcplan_status read_text(const struct reading *r, int a) {
    r->call->data[a] = arena_strndup(&r->sampler->arena, r->words[a].text, r->words[a].length);
    return r->call->data[a] ? TCPLAN_OK : error_no_memory(r->error);
}

static enum tcplan_status read_argument(struct reading *r, int a) {
    switch (argument_of(r, a)->class) {
    case SIGNATURE_FLAG: return read_flag(r, a);
    case SIGNATURE_DIM:
    case SIGNATURE_LD:
    case SIGNATURE_INC:
    case SIGNATURE_LWORK: return read_integer(r, a);
    case SIGNATURE_SCALAR: return read_scalar(r, a);
    case SIGNATURE_DATA:
    case SIGNATURE_WORK: return read_data(r, a);
    case SIGNATURE_INFO: return read_info(r, a);
    case SIGNATURE_STRING: return read_text(r, a);
    case SIGNATURE_CLASSES: break;
    }
    return TCPLAN_OK;
}

static enum tcplan_status check_count(const struct reading *r, int count) {
    const struct signature *signature = r->call->routine.signature;
    char text[200];
    size_t length = 0;
    if (count == signature->count) return TCPLAN_OK;
    for (int a = 0; a < signature->count && length < sizeof text; a++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", a == 0 ? "" : " ",
                                   signature->argument[a].name);
    }
    const bool too_many = count > signature->count;
    struct script_word word =
        r->words[-1]; /* the word before the arguments is the name of the routine */
    if (too_many) word = r->words[signature->count];
    return script_refuse(r->line, word, r->error, "%s takes %d arguments, found %d: %s",
                         signature->name, signature->count, count, text);
}

static enum tcplan_status check_values(const struct reading *r) {
    struct tcplan_error why;
    int a = 0;
    const enum tcplan_status status =
        signature_check(r->call->routine.signature, r->call->value, &a, &why);
    return status == TCPLAN_OK ? status
                               : script_refuse(r->line, r->words[a], r->error, "%s", why.message);
}

/** Checks that an argument has as much memory as the routine accesses. */
static enum tcplan_status check_extent(const struct reading *r, int a) {
    const struct signature *signature = r->call->routine.signature;
    const struct signature_argument *argument = &signature->argument[a];
    const int bytes = signature_element_bytes(signature, a);
    const int64_t needed = signature_extent(signature, r->call->value, a),
                  there = r->call->bytes[a] / bytes;
    const bool has_memory = r->call->anonymous[a] || r->call->data[a] || r->call->bytes[a] > 0;
    if (signature_has_value(argument) || argument->class == SIGNATURE_STRING || needed <= there)
        return TCPLAN_OK;
    if (!has_memory && (argument->class == SIGNATURE_SCALAR || argument->class == SIGNATURE_INFO))
        return TCPLAN_OK;
    if (needed == INT64_MAX) {
        return script_refuse(r->line, r->words[a], r->error,
                             "%s exceeds the address space at these sizes", argument->name);
    }
    return script_refuse(r->line, r->words[a], r->error,
                         "%s has %lld elements, but %s accesses %lld", argument->name,
                         (long long)there, signature->name, (long long)needed);
}

static enum tcplan_status check_call(const struct reading *r) {
    const struct signature *signature = r->call->routine.signature;
    struct tcplan_error why;
    enum tcplan_status status = check_values(r);
    for (int a = 0; a < signature->count && status == TCPLAN_OK; a++) status = check_extent(r, a);
    if (status != TCPLAN_OK) return status;
    const int64_t offset = r->sampler->memory.offset_bytes;
    status = memory_check_anonymous(&r->sampler->memory, r->numbers + offset, r->integers + offset,
                                    &why);
    return status == TCPLAN_OK ? status
                               : script_refuse(r->line, r->words[-1], r->error, "%s", why.message);
}

/** Appends the call to the queue. */
static enum tcplan_status queue_it(struct reading *r) {
    struct tcplan_sampler *sampler = r->sampler;
    const int64_t offset = sampler->memory.offset_bytes;
    struct script_entry *entry = script_append(sampler, SCRIPT_CALL);
    if (!entry) return error_no_memory(r->error);
    entry->call = r->call;
    for (int a = 0; a < r->call->routine.signature->count; a++) {
        if (r->named[a] > 0) sampler->memory.buffer[r->named[a] - 1].used = true;
    }
    if (r->numbers + offset > sampler->most_numbers) sampler->most_numbers = r->numbers + offset;
    if (r->integers + offset > sampler->most_integers)
        sampler->most_integers = r->integers + offset;
    if (sampler->in_region) {
        sampler->numbers = r->numbers;
        sampler->integers = r->integers;
    }
    return TCPLAN_OK;
}

/** Finds the routine named by the first word. */
static enum tcplan_status bind(struct tcplan_sampler *sampler, struct script_call *call,
                               const char *line, struct script_word word,
                               struct tcplan_error *error) {
    struct tcplan_error why;
    for (int k = 0; k < SCRIPT_ROUTINES && k < sampler->routines; k++) {
        if (strcmp(sampler->routine[k].name, call->name) != 0) continue;
        call->routine = sampler->routine[k].routine;
        return TCPLAN_OK;
    }
    const enum tcplan_status status = routine_parse(&call->routine, call->name, &why);
    if (status == TCPLAN_OK && word.length < sizeof sampler->routine[0].name) {
        struct script_routine *kept = &sampler->routine[sampler->routines++ % SCRIPT_ROUTINES];
        memcpy(kept->name, call->name, word.length + 1);
        kept->routine = call->routine;
    }
    if (status == TCPLAN_NO_MEMORY) return error_no_memory(error);
    if (status == TCPLAN_OK) return status;
    const size_t offset = why.column > 0 ? why.column - 1 : 0;
    const struct script_word guilty = {word.text + (offset < word.length ? offset : 0),
                                       why.length > 0 ? why.length : word.length};
    return script_refuse(line, guilty, error, "%s", why.message);
}

enum tcplan_status script_read_call(struct tcplan_sampler *sampler, const char *line,
                                    const struct script_word words[], int count,
                                    struct tcplan_error *error) {
    struct script_call *call = arena_alloc(&sampler->arena, sizeof *call);
    struct reading r = {
        .sampler = sampler, .line = line, .words = words + 1, .call = call, .error = error};
    if (!call) return error_no_memory(error);
    call->line = sampler->line;
    call->name = arena_strndup(&sampler->arena, words[0].text, words[0].length);
    if (!call->name) return error_no_memory(error);
    if (sampler->in_region) {
        r.numbers = sampler->numbers;
        r.integers = sampler->integers;
    }
    enum tcplan_status status = bind(sampler, call, line, words[0], error);
    if (status == TCPLAN_OK) status = check_count(&r, count - 1);
    for (int a = 0; status == TCPLAN_OK && a < call->routine.signature->count; a++)
        status = read_argument(&r, a);
    if (status == TCPLAN_OK) status = check_call(&r);
    return status == TCPLAN_OK ? queue_it(&r) : status;
}
