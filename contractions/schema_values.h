/**
 * Checks of attribute values for the tables of schemas: each function returns whether a value has
 * its type.
 */
#ifndef CONTRACTIONS_SCHEMA_VALUES_H
#define CONTRACTIONS_SCHEMA_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#define SCHEMA_DIGITS "0123456789"

/** Returns the position after 1 to `max` characters of a set; NULL if there are none or more. */
const char *schema_take(const char *at, const char *set, size_t max);

/** Behind a whole number from 1 on, of at most `max` digits. */
const char *schema_take_count(const char *at, size_t max);

/** Whether a value ends there; false of NULL. */
bool schema_ends(const char *at);

bool schema_is_count(const char *value);    /**< a whole number from 1 on */
bool schema_is_whole(const char *value);    /**< a whole number from 0 on */
bool schema_is_id(const char *value);       /**< 16 hexadecimal digits */
bool schema_is_checksum(const char *value); /**< 8 of them */
bool schema_is_number(const char *value); /**< digits [ "." digits ] [ "e" [ "+" | "-" ] digits ] */
bool schema_is_one(const char *value);    /**< 1, the number of a format */
bool schema_is_flag(const char *value);   /**< true or false */
bool schema_is_name(const char *value);   /**< letters, digits and _.+-, 64 at most */
bool schema_is_shard(const char *value);  /**< K/N */

#endif
