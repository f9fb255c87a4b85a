/** For each option, a small command line that shows that the option has an effect. */
#ifndef SUPPORT_OPTION_EFFECTS_H
#define SUPPORT_OPTION_EFFECTS_H

#include <stdint.h>

/** Words after the command and action; '...' protects blanks. Words that start with `$` set the
 * environment: $TCPLAN_STORE=store. */
struct effect_base {
    uint64_t actions;
    const char *words;
};

/** A command line that shows the effect of an option. */
struct effect {
    uint64_t actions;
    const char *option; /**< name of the option */
    const char *words;  /**< words that set the option; NULL: its name and any value of its type */
    const char *base;   /**< command line to which the words are added; NULL: that of the action */
    int status;         /**< exit status with the option; not 0 if its only effect is an error */
};

/** Options whose effect tests cannot observe. */
struct effect_exception {
    uint64_t actions;
    const char *options; /**< names of the options, separated by blanks; NULL: all */
    const char *reason;
};

/* Each list ends with an element without actions. For each option, the first matching element
 * applies. */
extern const struct effect_base effect_bases[];
extern const struct effect effects[];
extern const struct effect_exception effect_exceptions[];

#endif
