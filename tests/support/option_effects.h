/**
 * How the effect of each option becomes visible: a small command line for each command and action,
 * and additions for options that need more.
 */
#ifndef SUPPORT_OPTION_EFFECTS_H
#define SUPPORT_OPTION_EFFECTS_H

#include <stdint.h>

/** The words after command and action; '...' protects blanks. Words that start with `$` set the
 * environment, as $TCPLAN_STORE=store. */
struct effect_base {
    uint64_t actions;
    const char *words;
};

/** How the effect of an option becomes visible. */
struct effect {
    uint64_t actions;
    const char *option; /**< name of the option */
    const char *words;  /**< words that give it; NULL: the name with some value of its kind */
    const char *base; /**< base command line to be used instead of the action's; NULL: the action's
                       */
    int status;       /**< the exit status with the option: not 0 if it can only be refused */
};

/** Options without a visible effect. */
struct effect_exception {
    uint64_t actions;
    const char *options; /**< names of the options, separated by blanks; NULL: all */
    const char *reason;
};

/* All lists end with an element without actions. The first matching element counts. */
extern const struct effect_base effect_bases[];
extern const struct effect effects[];
extern const struct effect_exception effect_exceptions[];

#endif
