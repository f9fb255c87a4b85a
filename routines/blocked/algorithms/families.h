/**
 * The table of operations and their algorithms, as text. To add an algorithm, add a line here, or
 * an element to a user's file (user_xml.h); text.h defines the syntax.
 */
#ifndef BLOCKED_FAMILIES_H
#define BLOCKED_FAMILIES_H

#include "tcplan/blocked.h"

enum { FAMILY_STEPS = 1024 };

/** One algorithm of a family. */
struct blocked_line {
    const char *name; /**< name of the algorithm: complete, or only the part after the operation's
                         name */
    const char *note; /**< short description, such as `right-looking`; NULL: none */
    const char *steps;
};

/** An operation, and all blocked algorithms for it. */
struct blocked_family {
    const char *name;    /**< name of the operation: `potrf_L` */
    const char *routine; /**< the routine for the whole operation, and its flags: `potrf uplo=L`;
                            its sizes and data correspond by name, or else by order */
    const char *purpose;
    const char *matrices;
    int default_block;
    const char *lapack; /**< the name of LAPACK's algorithm; NULL: LAPACK has none */
    int count;
    const struct blocked_line *text; /**< the algorithms of the family; NULL: sylvester_text()
                                        generates them */
    bool transposed; /**< whether the text describes the other triangle and is transposed when it is
                        read: see text.h */
};

/** An algorithm that only statements of other algorithms use. */
struct blocked_part {
    const char *name;
    const char *matrices;
    const char *steps;
};

extern const struct blocked_part blocked_parts[];
extern const int blocked_part_count;

extern const struct blocked_family blocked_families[];
extern const int blocked_family_count;

/** Writes the name of algorithm number `algorithm` of a family: `potrf_L3`; if there is only one,
 * the family's name. */
void blocked_family_name(char out[TCPLAN_BLOCKED_NAME], const struct blocked_family *family,
                         int algorithm);

/** Writes the part of an algorithm's name after the name of the family: `3`, `m1n2`; "" if the
 * family has only one algorithm. */
void blocked_family_variant(char out[TCPLAN_BLOCKED_NAME], const struct blocked_family *family,
                            int algorithm);

/** Writes the steps of algorithm number `algorithm`. */
void blocked_family_steps(char out[FAMILY_STEPS], const struct blocked_family *family,
                          int algorithm);

/* sylvester.c: A X + X B = C (dissertation, 4.5.3). */

enum {
    SYLVESTER_LAYERED = 8,
    SYLVESTER_DIAGONAL = 14,
    SYLVESTER_RECURSIVE = 2,
    SYLVESTER_COUNT = SYLVESTER_LAYERED + 4 * SYLVESTER_DIAGONAL + SYLVESTER_RECURSIVE
};

/** Writes the name of an algorithm: `m1n2`, `7m1n2`. */
void sylvester_name(char out[TCPLAN_BLOCKED_NAME], int algorithm);
void sylvester_steps(char out[FAMILY_STEPS], int algorithm);

/** Returns the steps of a one-dimensional algorithm with unblocked panels, `trsyl_m1`, `trsyl_n2`;
 * NULL: there is none. The text is static. */
const char *sylvester_panel(const char *name, size_t length);

/** The matrices of the one-dimensional algorithms with unblocked panels. */
extern const char sylvester_matrices[];

#endif
