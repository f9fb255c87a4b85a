/**
 * How to see that an option has an effect: for each command and action a small command line, and
 * for options whose effect needs more than that, what it needs.
 */
#ifndef SUPPORT_OPTION_EFFECTS_H
#define SUPPORT_OPTION_EFFECTS_H

#include <stdint.h>

/** The words after command and action; '...' protects blanks. Words that begin with
 * `$` set the environment, as $TCPLAN_STORE=store. */
struct effect_base {
    uint64_t actions;
    const char *words;
};

/** How an option shows. */
struct effect {
    uint64_t actions;
    const char *option; /**< its name */
    const char *words;  /**< that give it; NULL: the name with some value of its kind */
    const char *base;   /**< instead of the action's; NULL: that */
    int status;         /**< the exit status with the option: not 0 if it can only be refused */
};

/** Options that cannot show. */
struct effect_exception {
    uint64_t actions;
    const char *options; /**< their names, with blanks between; NULL: all */
    const char *reason;
};

/* All end with an element without actions. The first element that fits counts. */
extern const struct effect_base effect_bases[];
extern const struct effect effects[];
extern const struct effect_exception effect_exceptions[];

#endif
