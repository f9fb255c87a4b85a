/**
 * A struct as a line of named values, `word name=value name=value`, by one table that writes and
 * reads it.
 *
 * What is zero (an empty text, false) is left out, and what is left out is zero: so a member that a
 * later version adds does not change what an earlier one wrote. In texts, blanks, `%` and `=` stand
 * as `%` and two hexadecimal digits, and control characters as `?`.
 */
#ifndef STORE_FIELDS_H
#define STORE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "tcplan/status.h"

enum field_type {
    FIELD_TEXT,  /**< char[]: `size` bytes with the terminator */
    FIELD_INT,   /**< int, from `lowest` to `highest` */
    FIELD_INT64, /**< int64_t, likewise */
    FIELD_REAL,  /**< a finite double that is not negative */
    FIELD_FLAG,  /**< bool: 1 */
    FIELD_WORD   /**< int or enum: the place of a word */
};

/** One member. A table of them ends with a field without a name. */
struct field {
    const char *name;
    enum field_type type;
    size_t offset;
    size_t size;                       /**< texts */
    int64_t lowest, highest;           /**< integers */
    const char *const *word;           /**< ended by NULL */
    const char *(*word_at)(int place); /**< instead of these; NULL behind the last */
};

/* The first members of a field: of any, of a text, of an int or int64_t with its bounds, of a word.
 */
#define FIELD_OF(label, kind, of, member)                                                          \
    .name = (label), .type = FIELD_##kind, .offset = offsetof(struct of, member)
#define TEXT_OF(label, of, member)                                                                 \
    FIELD_OF(label, TEXT, of, member), .size = sizeof((struct of *)0)->member
#define INT_OF(label, of, member, least, most)                                                     \
    FIELD_OF(label, INT, of, member), .lowest = (least), .highest = (most)
#define INT64_OF(label, of, member, least, most)                                                   \
    FIELD_OF(label, INT64, of, member), .lowest = (least), .highest = (most)
#define WORD_OF(label, of, member, words) FIELD_OF(label, WORD, of, member), .word = (words)

/** The letters of types, in the order of enum tcplan_dtype, ended by NULL: for FIELD_WORD. */
extern const char *const fields_dtypes[];

/** Appends a line. */
void fields_write(struct strbuf *out, const char *word, const struct field fields[],
                  const void *object);

/**
 * Reads what follows the word in a line: `length` bytes, empty or a blank before each value.
 *
 * @param object  of zeros; receives the values
 * @return TCPLAN_OK, or TCPLAN_INVALID with a message without a place
 */
enum tcplan_status fields_read(void *object, const struct field fields[], const char *text,
                               size_t length, struct tcplan_error *error);

/** Appends a member's value as it is, also where it is zero, without marks for blanks, flags as
 * `true` and `false`: for other forms, such as XML. */
void field_print(struct strbuf *out, const struct field *field, const void *object);

/** Reads such a value of `length` bytes into the member; TCPLAN_INVALID with a message without a
 * place. */
enum tcplan_status field_read(void *object, const struct field *field, const char *text,
                              size_t length, struct tcplan_error *error);

/** How many objects a line of a content is about, and where they are in the value. */
enum fields_how {
    FIELDS_SELF,    /**< the value itself, of which others are members; one such line at most */
    FIELDS_ONE,     /**< one, at `offset`; likewise */
    FIELDS_SEVERAL, /**< an array at `offset`, an int at `count` */
    FIELDS_GROWN    /**< a pointer at `offset` to what base_realloc() made, a size_t at `count` */
};

/**
 * The lines of a content that begin with a word, a line for each object: a table of them writes a
 * value and reads it. Where that does not describe it, functions do.
 */
struct fields_line {
    const char *word;
    const struct field *field;
    enum fields_how how;
    size_t size;          /**< of an object */
    size_t offset, count; /**< in the value */
    size_t most;          /**< of several objects */

    /** Whether an object that was read can be, before it becomes a part of the value; NULL: yes. */
    enum tcplan_status (*check)(const struct fields_line *line, const void *value, const void *read,
                                struct tcplan_error *error);

    /** Whether an object is not written. */
    bool (*skip)(const struct fields_line *line, const void *value, const void *object);

    /** Writes all such lines. */
    void (*write)(struct strbuf *out, const void *value);

    /** Takes an object that was read. */
    enum tcplan_status (*take)(void *value, const void *read, struct tcplan_error *error);

    /** Takes what stands behind the word. */
    enum tcplan_status (*take_text)(void *value, const char *text, size_t length,
                                    struct tcplan_error *error);
};

/* The first members of a line: of a struct itself, a member, an array in it, a list that grows. */
#define LINE_SELF(label, fields, type)                                                             \
    .word = (label), .field = (fields), .how = FIELDS_SELF, .size = sizeof(struct type)
#define LINE_ONE(label, fields, type, member)                                                      \
    .word = (label), .field = (fields), .how = FIELDS_ONE,                                         \
    .size = sizeof((struct type *)0)->member, .offset = offsetof(struct type, member)
#define LINE_SEVERAL(label, fields, type, member, number)                                          \
    .word = (label), .field = (fields), .how = FIELDS_SEVERAL,                                     \
    .size = sizeof *((struct type *)0)->member, .offset = offsetof(struct type, member),           \
    .count = offsetof(struct type, number),                                                        \
    .most = sizeof((struct type *)0)->member / sizeof *((struct type *)0)->member
#define LINE_GROWN(label, fields, type, member, number)                                            \
    .word = (label), .field = (fields), .how = FIELDS_GROWN,                                       \
    .size = sizeof *((struct type *)0)->member, .offset = offsetof(struct type, member),           \
    .count = offsetof(struct type, number)

/** The most bytes of a struct that a line is read into. */
enum { FIELDS_OBJECT = 4096 };

/** How many objects of a value a line is about; *object: the first. */
size_t fields_objects(const char **object, const struct fields_line *line, const void *value);

/** Appends the lines of a value. */
void fields_write_lines(struct strbuf *out, const struct fields_line line[], const void *value);

/**
 * Reads the lines of a content, the last one with or without its end, up to the first that is
 * refused.
 *
 * @param value  of zeros, or of what was read before
 * @param line   what they begin with, ended by one without a word
 * @return TCPLAN_OK; the status of the line that was refused, with its number where that is
 *         TCPLAN_INVALID; TCPLAN_INVALID where there is no line
 */
enum tcplan_status fields_read_lines(void *value, const struct fields_line line[],
                                     const char *content, size_t length,
                                     struct tcplan_error *error);

#endif
