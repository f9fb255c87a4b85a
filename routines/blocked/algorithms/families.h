/**
 * The table of operations and their algorithms, as text. Another algorithm is a line of it, or an
 * element of a user's file (user_xml.h); text.h defines the syntax.
 */
#ifndef BLOCKED_FAMILIES_H
#define BLOCKED_FAMILIES_H

#include "tcplan/blocked.h"

enum { FAMILY_STEPS = 1024 };

/** One algorithm. */
struct blocked_line {
    const char *name; /**< behind the operation's name, or all of it */
    const char *note; /**< `right-looking`; NULL: none */
    const char *steps;
};

/** An operation. */
struct blocked_family {
    const char *name;    /**< `potrf_L` */
    const char *routine; /**< the whole as one routine, and its flags: `potrf uplo=L`; the routine's
                            sizes and data are those of the same names here, or order */
    const char *purpose;
    const char *matrices;
    int default_block;
    const char *lapack; /**< the name of LAPACK's algorithm; NULL: it has none */
    int count;
    const struct blocked_line *text; /**< NULL: sylvester_text() makes them */
    bool transposed;                 /**< this is the upper counterpart of the text: see text.h */
};

extern const struct blocked_family blocked_families[];
extern const int blocked_family_count;

/** The name of algorithm number `algorithm` of a family: `potrf_L3`; of a single one that of the
 * family. */
void blocked_family_name(char out[TCPLAN_BLOCKED_NAME], const struct blocked_family *family,
                         int algorithm);

/** The name behind the family's: `3`, `m1n2`; "" of a single one. */
void blocked_family_variant(char out[TCPLAN_BLOCKED_NAME], const struct blocked_family *family,
                            int algorithm);

/** The steps of algorithm number `algorithm`. */
void blocked_family_steps(char out[FAMILY_STEPS], const struct blocked_family *family,
                          int algorithm);

/* sylvester.c: A X + X B = C (dissertation, 4.5.3). */

enum {
    SYLVESTER_LAYERED = 8,
    SYLVESTER_DIAGONAL = 14,
    SYLVESTER_COUNT = SYLVESTER_LAYERED + 4 * SYLVESTER_DIAGONAL
};

/** `m1n2`, `7m1n2`. */
void sylvester_name(char out[TCPLAN_BLOCKED_NAME], int algorithm);
void sylvester_steps(char out[FAMILY_STEPS], int algorithm);

/** The steps of a one-dimensional algorithm whose panels are unblocked: `trsyl_m1`, `trsyl_n2`;
 * NULL: there is no such. Texts live as long as the program. */
const char *sylvester_panel(const char *name, size_t length);

/** The matrices of such an algorithm. */
extern const char sylvester_matrices[];

#endif
