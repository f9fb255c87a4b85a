/**
 * Checks of attribute values for the tables of schemas. The schema_is_... functions return whether
 * a value is of the type in the comment.
 */
#ifndef CONTRACTIONS_SCHEMA_VALUES_H
#define CONTRACTIONS_SCHEMA_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#define SCHEMA_DIGITS "0123456789"

/** Returns the position after 1 to `max` characters of a set; NULL if there are none or more than
 * `max`. */
const char *schema_take(const char *at, const char *set, size_t max);

/** Returns the position after a whole number of at least 1 with at most `max` digits; NULL if there
 * is none. */
const char *schema_take_count(const char *at, size_t max);

/** Returns whether a value ends at a position; false for NULL. */
bool schema_ends(const char *at);

bool schema_is_count(const char *value);    /**< a whole number of at least 1 */
bool schema_is_whole(const char *value);    /**< a whole number of at least 0 */
bool schema_is_id(const char *value);       /**< an id of 16 hexadecimal digits */
bool schema_is_checksum(const char *value); /**< a checksum of 8 hexadecimal digits */
bool schema_is_number(const char *value); /**< digits [ "." digits ] [ "e" [ "+" | "-" ] digits ] */
bool schema_is_one(const char *value);    /**< the number 1, the only format */
bool schema_is_flag(const char *value);   /**< `true` or `false` */
bool schema_is_name(const char *value);   /**< a name of 1 to 64 letters, digits and _.+-, of which
                                             .+- may not be first */
bool schema_is_shard(const char *value);  /**< K/N, two whole numbers of at least 1 */

#endif
