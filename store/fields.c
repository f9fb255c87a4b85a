/*
 * Structs as lines of named values. A table gives the name, type, place and bounds of each member;
 * one writer and one reader serve all tables. Names make lines readable and let a later version add
 * members: absent members are zero. A table of lines does the same for a value that consists of
 * several structs.
 */
#include "store/fields.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"

enum { NUMBER_LENGTH = 24 };

const char *const fields_dtypes[] = {"s", "d", "c", "z", NULL};

/* Writing. */

static bool is_control(unsigned char c) {
    return c < ' ' || c == 0x7f;
}

/** Returns whether a character is written without an escape. */
static bool is_plain(unsigned char c) {
    return c > ' ' && c != 0x7f && c != '%' && c != '=';
}

static void write_text(struct strbuf *out, const char *text) {
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (is_plain(c) || is_control(c)) {
            strbuf_fill(out, is_control(c) ? '?' : (char)c, 1);
        } else {
            strbuf_add(out, "%%%02x", c);
        }
    }
}

/** Returns whether a member is zero, and so is not written. */
static bool is_zero(const struct field *field, const char *member) {
    static const char zeros[sizeof(int64_t)] = {0};
    static const size_t size[] = {[FIELD_TEXT] = 1,
                                  [FIELD_INT] = sizeof(int),
                                  [FIELD_INT64] = sizeof(int64_t),
                                  [FIELD_FLAG] = sizeof(bool),
                                  [FIELD_WORD] = sizeof(int)};
    if (field->type != FIELD_REAL) return memcmp(member, zeros, size[field->type]) == 0;
    const double real = *(const double *)(const void *)member;
    return !(real > 0) || !isfinite(real);
}

/** Returns the word of a field for a value; NULL if there is none. */
static const char *word_at(const struct field *field, int place) {
    assert(field->type == FIELD_WORD && place >= 0);
    return field->word_at ? field->word_at(place) : field->word[place];
}

static void write_value(struct strbuf *out, const struct field *field, const char *member) {
    switch (field->type) {
    case FIELD_TEXT: write_text(out, member); break;
    case FIELD_INT: strbuf_add(out, "%d", *(const int *)(const void *)member); break;
    case FIELD_INT64: strbuf_add(out, "%" PRId64, *(const int64_t *)(const void *)member); break;
    case FIELD_REAL: decimal_print(out, *(const double *)(const void *)member); break;
    case FIELD_FLAG: strbuf_add(out, "1"); break;
    case FIELD_WORD:
        strbuf_add(out, "%s", word_at(field, *(const int *)(const void *)member));
        break;
    }
}

void fields_write(struct strbuf *out, const char *word, const struct field fields[],
                  const void *object) {
    strbuf_add(out, "%s", word);
    for (const struct field *field = fields; field->name; field++) {
        const char *member = (const char *)object + field->offset;
        if (is_zero(field, member)) continue;
        strbuf_add(out, " %s=", field->name);
        write_value(out, field, member);
    }
    strbuf_add(out, "\n");
}

/* Reading. */

static int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_text(char *out, size_t size, const char *text, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '%') {
            if (i + 2 >= length || digit_of(text[i + 1]) < 0 || digit_of(text[i + 2]) < 0)
                return false;
            c = (unsigned char)(digit_of(text[i + 1]) << 4 | digit_of(text[i + 2]));
            i += 2;
        } else if (!is_plain(c)) {
            return false;
        }
        if (is_control(c) || count + 1 >= size)
            return false; /* a control character, which a terminal might interpret */
        out[count++] = (char)c;
    }
    out[count] = '\0';
    return count > 0;
}

static bool read_integer(int64_t *out, const struct field *field, const char *text, size_t length) {
    char digits[NUMBER_LENGTH];
    char *end;
    const bool negative = length > 0 && text[0] == '-';
    if (length <= negative || length >= sizeof digits || digit_of(text[negative]) < 0) return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    errno = 0;
    *out = strtoll(digits, &end, 10);
    return errno == 0 && *end == '\0' && *out >= field->lowest && *out <= field->highest;
}

static bool read_word(int *out, const struct field *field, const char *text, size_t length) {
    *out = 0;
    for (const char *word; (word = word_at(field, *out)); ++*out) {
        if (strlen(word) == length && memcmp(word, text, length) == 0) return true;
    }
    return false;
}

static bool read_value(const struct field *field, char *member, const char *text, size_t length) {
    int64_t integer;
    switch (field->type) {
    case FIELD_TEXT: return read_text(member, field->size, text, length);
    case FIELD_INT:
        if (!read_integer(&integer, field, text, length)) return false;
        *(int *)(void *)member = (int)integer;
        return true;
    case FIELD_INT64: return read_integer((int64_t *)(void *)member, field, text, length);
    case FIELD_REAL:
        return decimal_read((double *)(void *)member, text, length) &&
               isfinite(*(double *)(void *)member);
    case FIELD_FLAG: return *(bool *)(void *)member = length == 1 && *text == '1';
    case FIELD_WORD: return read_word((int *)(void *)member, field, text, length);
    }
    return false;
}

static bool is_named(const struct field *field, const char *name, size_t length) {
    return strncmp(field->name, name, length) == 0 && field->name[length] == '\0';
}

/** Finds the field with a name; NULL if there is none. Tries the field after `before` first,
 * since fields are written in order. */
static const struct field *find(const struct field fields[], const struct field *before,
                                const char *name, size_t length) {
    for (const struct field *field = before; field->name; field++) {
        if (is_named(field, name, length)) return field;
    }
    for (const struct field *field = fields; field < before; field++) {
        if (is_named(field, name, length)) return field;
    }
    return NULL;
}

/** Makes arbitrary text printable for a message. */
static struct shown { char text[64]; } show(const char *text, size_t length) {
    struct shown out;
    size_t count = 0;
    for (size_t i = 0; i < length && count + 1 < sizeof out.text; i++) {
        out.text[count++] = (char)(text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?');
    }
    out.text[count] = '\0';
    return out;
}

/** Reads one `name=value`. *before is the field that was read last, and receives the field read
 * here. */
static enum tcplan_status read_one(void *object, const struct field fields[],
                                   const struct field **before, const char *text, size_t length,
                                   struct tcplan_error *error) {
    const char *equals = memchr(text, '=', length);
    const size_t name_length = equals ? (size_t)(equals - text) : length;
    const struct field *field = equals ? find(fields, *before, text, name_length) : NULL;
    if (!field)
        return error_set(error, TCPLAN_INVALID, "expected a known name and '=', found '%s'",
                         show(text, length).text);
    *before = field;
    const char *value = equals + 1;
    const size_t value_length = length - name_length - 1;
    if (read_value(field, (char *)object + field->offset, value, value_length)) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "'%s' cannot be '%s'", field->name,
                     show(value, value_length).text);
}

enum tcplan_status fields_read(void *object, const struct field fields[], const char *text,
                               size_t length, struct tcplan_error *error) {
    const char *end = text + length;
    const struct field *before = fields;
    enum tcplan_status status = TCPLAN_OK;
    while (text < end && status == TCPLAN_OK) {
        if (*text++ != ' ')
            return error_set(error, TCPLAN_INVALID, "expected a blank, found '%s'",
                             show(text - 1, 1).text);
        const char *blank = memchr(text, ' ', (size_t)(end - text));
        const char *next = blank ? blank : end;
        status = read_one(object, fields, &before, text, (size_t)(next - text), error);
        text = next;
    }
    return status;
}

/* Values by themselves. */

void field_print(struct strbuf *out, const struct field *field, const void *object) {
    const char *member = (const char *)object + field->offset;
    if (field->type == FIELD_TEXT) {
        strbuf_append(out, member, strlen(member));
    } else if (field->type == FIELD_FLAG) {
        strbuf_add(out, *(const bool *)(const void *)member ? "true" : "false");
    } else {
        write_value(out, field, member);
    }
}

/** Copies a text without control characters, which a terminal could interpret. */
static bool take_text(char *out, size_t size, const char *text, size_t length) {
    if (length >= size) return false;
    for (size_t i = 0; i < length; i++) {
        if (is_control((unsigned char)text[i])) return false;
    }
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

static bool take_flag(bool *out, const char *text, size_t length) {
    *out = length == 4 && memcmp(text, "true", 4) == 0;
    return *out || (length == 5 && memcmp(text, "false", 5) == 0);
}

enum tcplan_status field_read(void *object, const struct field *field, const char *text,
                              size_t length, struct tcplan_error *error) {
    char *member = (char *)object + field->offset;
    const bool good = field->type == FIELD_TEXT   ? take_text(member, field->size, text, length)
                      : field->type == FIELD_FLAG ? take_flag((bool *)(void *)member, text, length)
                                                  : read_value(field, member, text, length);
    if (good) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "'%s' cannot be '%s'", field->name,
                     show(text, length).text);
}

/* Writing lines. */

size_t fields_objects(const char **object, const struct fields_line *line, const void *value) {
    const char *place = (const char *)value + line->offset;
    const void *count = (const char *)value + line->count;
    *object = place;
    if (line->how == FIELDS_SELF || line->how == FIELDS_ONE) return 1;
    if (line->how == FIELDS_SEVERAL) return (size_t) * (const int *)count;
    memcpy(object, place, sizeof *object); /* the object is a pointer to a list, which is copied */
    return *(const size_t *)count;
}

void fields_write_lines(struct strbuf *out, const struct fields_line line[], const void *value) {
    for (; line->word; line++) {
        const char *object = NULL;
        const size_t count = line->write ? 0 : fields_objects(&object, line, value);
        if (line->write) line->write(out, value);
        for (size_t i = 0; i < count; i++, object += line->size) {
            if (line->skip && line->skip(line, value, object)) continue;
            fields_write(out, line->word, line->field, object);
        }
    }
}

/* Reading lines. */

/** Rejects a line that begins with none of the table's words. */
static enum tcplan_status refuse_word(const struct fields_line line[], struct tcplan_error *error) {
    struct strbuf words = {0};
    for (int l = 0; line[l].word; l++)
        strbuf_add(&words, "%s%s", l == 0 ? "" : line[l + 1].word ? ", " : " or ", line[l].word);
    const enum tcplan_status status =
        words.failed ? error_no_memory(error)
                     : error_set(error, TCPLAN_INVALID, "expected %.200s", words.text);
    strbuf_free(&words);
    return status;
}

/** Appends an object to a list. */
static enum tcplan_status append(void *value, const struct fields_line *line, const void *read,
                                 struct tcplan_error *error) {
    const char *first;
    const size_t count = fields_objects(&first, line, value);
    char *list = (char *)value + line->offset, *number = (char *)value + line->count;
    if (count >= line->most)
        return error_set(error, TCPLAN_INVALID, "more than %zu lines of '%s'", line->most,
                         line->word);
    if (line->how == FIELDS_SEVERAL) {
        *(int *)(void *)number = (int)count + 1;
    } else {
        char *place = list;
        memcpy(&list, place, sizeof list);
        list = base_grow(list, count, line->size);
        if (!list) return error_no_memory(error);
        memcpy(place, &list, sizeof list);
        *(size_t *)(void *)number = count + 1;
    }
    memcpy(list + count * line->size, read, line->size);
    return TCPLAN_OK;
}

/**
 * Reads the text of a line after its word.
 * @param again whether an earlier line began with the same word
 */
static enum tcplan_status read_line(void *value, const struct fields_line *line, bool again,
                                    const char *text, size_t length, struct tcplan_error *error) {
    _Alignas(max_align_t) char read[FIELDS_OBJECT] = {0};
    if (line->take_text) return line->take_text(value, text, length, error);
    const bool is_one = line->how == FIELDS_SELF || line->how == FIELDS_ONE;
    if (again && is_one && !line->take)
        return error_set(error, TCPLAN_INVALID, "a second line of '%s'", line->word);
    enum tcplan_status status = fields_read(read, line->field, text, length, error);
    if (status == TCPLAN_OK && line->check) status = line->check(line, value, read, error);
    if (status != TCPLAN_OK) return status;
    if (line->take) return line->take(value, read, error);
    if (!is_one) return append(value, line, read, error);
    if (line->how == FIELDS_SELF) return fields_read(value, line->field, text, length, error);
    memcpy((char *)value + line->offset, read, line->size);
    return TCPLAN_OK;
}

enum tcplan_status fields_read_lines(void *value, const struct fields_line line[],
                                     const char *content, size_t length,
                                     struct tcplan_error *error) {
    const char *end = content + length;
    size_t number = 0;
    unsigned met = 0; /* bit l: line l of the table was read */
    enum tcplan_status status = TCPLAN_OK;
    for (const char *text = content, *next; text < end && status == TCPLAN_OK; text = next + 1) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        next = newline ? newline : end;
        const char *blank = memchr(text, ' ', (size_t)(next - text)),
                   *behind = blank ? blank : next;
        const struct fields_line *found = line;
        while (found->word && !(strncmp(found->word, text, (size_t)(behind - text)) == 0 &&
                                found->word[behind - text] == '\0'))
            found++;
        number++;
        const unsigned bit = 1U << (found - line);
        status = found->word
                     ? read_line(value, found, met & bit, behind, (size_t)(next - behind), error)
                     : refuse_word(line, error);
        met |= bit;
    }
    if (status == TCPLAN_INVALID && error) error->line = number;
    if (status != TCPLAN_OK) return status;
    return number > 0 ? TCPLAN_OK : error_set(error, TCPLAN_INVALID, "it is empty");
}
