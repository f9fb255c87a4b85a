/**
 * Topics of `tcplan help`: sections of the man page as plain text.
 */
#ifndef CLI_OPTIONS_TOPICS_H
#define CLI_OPTIONS_TOPICS_H

#include <stdbool.h>
#include <stdio.h>

struct topic {
    const char *name;
    const char *section; /**< of the man page */
};

/** All topics, ended by one without a name. */
extern const struct topic topics[];

/** Returns the topic of this name, or NULL. */
const struct topic *topic_find(const char *name);

/** Prints a topic in lines of 80 columns; false: out of memory. */
bool topic_print(FILE *file, const struct topic *topic);

#endif
