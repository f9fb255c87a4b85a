/**
 * A struct as a line of named values, `word name=value name=value`, written and read by one table.
 * Zero values (also empty texts and false) are omitted, and omitted values are zero; so a member
 * that a later version adds does not change earlier lines. In texts, blanks, `%` and `=` are
 * written as `%` and two hexadecimal digits, and control characters as `?`.
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
    FIELD_INT64, /**< int64_t, from `lowest` to `highest` */
    FIELD_REAL,  /**< a finite double >= 0 */
    FIELD_FLAG,  /**< bool: 1 */
    FIELD_WORD   /**< int or enum: the position of a word */
};

/** One member. A field without a name ends a table. */
struct field {
    const char *name;
    enum field_type type;
    size_t offset;
    size_t size;                       /**< bytes of a text with its terminator */
    int64_t lowest, highest;           /**< bounds of an integer */
    const char *const *word;           /**< the words that a value can have, ended by NULL */
    const char *(*word_at)(int place); /**< returns word number `place`, NULL after the last; used
                                          instead of `word` */
};

/* Begin the initializer of a field: of any type, a text, an int or int64_t with bounds, a word. */
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
 * Reads the values that follow the word of a line: `length` bytes, empty or a blank before each
 * value.
 * @param object  zeroed; receives the values
 * @return TCPLAN_OK, or TCPLAN_INVALID with a message without a position
 */
enum tcplan_status fields_read(void *object, const struct field fields[], const char *text,
                               size_t length, struct tcplan_error *error);

/** Appends a member's value in full, even if zero, without escapes and with flags as `true` and
 * `false`, for other formats such as XML. */
void field_print(struct strbuf *out, const struct field *field, const void *object);

/** Reads a value of `length` bytes, as field_print() writes it, into the member; TCPLAN_INVALID
 * with a message without a position. */
enum tcplan_status field_read(void *object, const struct field *field, const char *text,
                              size_t length, struct tcplan_error *error);

/** Which parts of a value the lines describe. */
enum fields_how {
    FIELDS_SELF, /**< the value itself, which contains all other objects; at most one such line */
    FIELDS_ONE,  /**< one object, at `offset`; at most one such line */
    FIELDS_SEVERAL, /**< an array at `offset`, with an int at `count` */
    FIELDS_GROWN    /**< a pointer at `offset` to memory of base_realloc(), a size_t at `count` */
};

/**
 * The lines of a content that begin with a word, one line for each object. A table of them writes
 * and reads a value; functions handle values that it cannot describe.
 */
struct fields_line {
    const char *word;
    const struct field *field;
    enum fields_how how;
    size_t size;          /**< bytes of an object */
    size_t offset, count; /**< byte offsets in the value: of the objects, and of their number */
    size_t most;          /**< maximum number of objects */

    /** Checks an object before it is added to the value; NULL: every object is valid. */
    enum tcplan_status (*check)(const struct fields_line *line, const void *value, const void *read,
                                struct tcplan_error *error);

    /** Returns whether an object is left out when the value is written; NULL: all objects are
     * written. */
    bool (*skip)(const struct fields_line *line, const void *value, const void *object);

    /** Writes all lines with this word; NULL: the table of fields is used. */
    void (*write)(struct strbuf *out, const void *value);

    /** Adds an object that was read to the value; NULL: it is stored as `how` prescribes. */
    enum tcplan_status (*take)(void *value, const void *read, struct tcplan_error *error);

    /** Reads the text after the word; NULL: the table of fields is used. */
    enum tcplan_status (*take_text)(void *value, const char *text, size_t length,
                                    struct tcplan_error *error);
};

/* Begin the initializer of a line: for the value itself, a member, an array in it, a growing list.
 */
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

/** The maximum size of a struct that a line is read into. */
enum { FIELDS_OBJECT = 4096 };

/** Returns how many objects of a value a line describes; *object: the first. */
size_t fields_objects(const char **object, const struct fields_line *line, const void *value);

/** Appends the lines of a value. */
void fields_write_lines(struct strbuf *out, const struct fields_line line[], const void *value);

/**
 * Reads the lines of a content up to the first invalid one; the last line may lack its end.
 * @param value zeroed, or filled by earlier calls
 * @param line the possible lines, ended by one without a word
 * @return TCPLAN_OK; the status of the rejected line, with its number for TCPLAN_INVALID;
 *     TCPLAN_INVALID if there is no line
 */
enum tcplan_status fields_read_lines(void *value, const struct fields_line line[],
                                     const char *content, size_t length,
                                     struct tcplan_error *error);

#endif
