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

/**
 * The lines of a content that begin with a word. Their fields are read into a struct of zeros,
 * which `take` gets; without `take` they are read into the value itself. Without fields
 * `take_text` gets what stands behind the word.
 */
struct fields_line {
    const char *word;
    const struct field *field; /**< NULL: none */
    enum tcplan_status (*take)(void *value, const void *read, struct tcplan_error *error);
    enum tcplan_status (*take_text)(void *value, const char *text, size_t length,
                                    struct tcplan_error *error);
};

/** The most bytes of a struct that a line is read into. */
enum { FIELDS_OBJECT = 4096 };

/**
 * Reads the lines of a content, the last one with or without its end, up to the first that is
 * refused.
 *
 * @param line     what they begin with, ended by one without a word
 * @param nothing  the message where there is no line
 * @return TCPLAN_OK; the status of the line that was refused, with its number where that is
 *         TCPLAN_INVALID; TCPLAN_INVALID where there is no line
 */
enum tcplan_status fields_read_lines(void *value, const struct fields_line line[],
                                     const char *content, size_t length, const char *nothing,
                                     struct tcplan_error *error);

#endif
