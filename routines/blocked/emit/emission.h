/**
 * Pieces of emitted C for blocked algorithms: names, lengths and places of ranges, steps, calls.
 *
 * The length of a range is a variable of the loop that cuts it: of n `n0`, `n1`, `n2`, and of n0 in
 * turn `n0_0`, `n0_1`, `n0_2`; joined ranges are sums. A block is a pointer that its loop declares,
 * `A21`; joined parts are `A1to2_1`, parts of parts `A2_1_1`: there an underscore stands between
 * rows and columns. Names already in use get an underscore appended.
 */
#ifndef BLOCKED_EMISSION_H
#define BLOCKED_EMISSION_H

#include "base/strbuf.h"
#include "routines/blocked/algorithms/algorithm.h"
#include "tcplan/blocked_emit.h"

enum { EMISSION_NAME = 40, EMISSION_NAMES = 160, EMISSION_POINTERS = 64 };

/** A block's pointer in the loops around. */
struct emission_pointer {
    int matrix, rows, columns;
    char name[EMISSION_NAME];
};

struct emission_half;

struct emission {
    struct strbuf *out;
    const struct tcplan_blocked *blocked;
    const struct tcplan_blocks *blocks;
    const struct tcplan_blocked_emit_options *options;
    const char *function;
    int level; /**< of indentation */

    char taken[EMISSION_NAMES][EMISSION_NAME]; /**< names that are in scope */
    int taken_count;
    char size[TCPLAN_BLOCK_SIZES][EMISSION_NAME];
    char matrix[TCPLAN_MAX_MATRICES][EMISSION_NAME];
    char leading[TCPLAN_MAX_MATRICES][EMISSION_NAME]; /**< empty: it is a vector */
    char block[EMISSION_NAME], info[EMISSION_NAME], result[EMISSION_NAME], scale[EMISSION_NAME],
        work[EMISSION_NAME];

    char length[TCPLAN_MAX_RANGES][EMISSION_NAME]; /**< of ranges that a variable, or a number, is
                                                      the length of; empty: not in scope */
    char begin[TCPLAN_MAX_RANGES][EMISSION_NAME];  /**< of ranges that a recursion halves the
                                                      variable for where they begin; empty: it
                                                      follows */
    bool is_used[TCPLAN_MAX_RANGES];               /**< something reads that length */
    struct emission_pointer pointer[EMISSION_POINTERS];
    int pointer_count;

    bool has_result; /**< the function returns at its end, with the value of `result` */
    bool has_memory; /**< it has memory to free */
    bool has_halves; /**< recursions are functions of their own; otherwise the function calls itself
                      */
    int half_count;  /**< functions of recursions so far */
    struct strbuf half_functions;
    const struct emission_half *half; /**< the recursion around that is a function of its own */
    bool failed;      /**< names or pointers ran out, or something cannot be written */
    char reason[200]; /**< why */
};

/* Names. */

/** Makes a name of `wanted` that nothing else in scope has; it is in scope until emission_leave().
 */
void emission_take(struct emission *emission, char out[EMISSION_NAME], const char *wanted);

/** Gives all names up that were taken since there were `count`. */
void emission_leave(struct emission *emission, int count);

/** Notes that it cannot be written, and why; the first reason counts. */
void emission_refuse(struct emission *emission, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void emission_indent(const struct emission *emission);

/* Ranges. */

/** Notes which lengths the calls of a body read. */
void emission_note_used(struct emission *emission, const struct tcplan_node *body);

/** Appends the length of a range: `n`, `n1`, `n0 + n1`, `1`. */
void emission_length(const struct emission *emission, struct strbuf *out, int range);

/** Returns whether its text is one variable or number. */
bool emission_is_simple(const struct emission *emission, int range);

/**
 * Appends where a range begins, as a sum, in the whole size; of `temporary` matrices in the part of
 * the size that the outermost loop cuts. Nothing where that is at 0. Returns how many terms there
 * are. In the function of a recursion a parameter gives the start of the halved range.
 */
int emission_begin(const struct emission *emission, struct strbuf *out, int range, bool temporary);

/** Appends the names of a range's parts, as `0_1`, and returns how many characters these have
 * without underscores. */
int emission_path(const struct emission *emission, struct strbuf *out, int range);

/* Blocks. */

bool emission_is_temporary(const struct emission *emission, int matrix);

/** Declares the blocks of the calls of a body, and of loops within, whose ranges are known and that
 * are not declared yet. */
void emission_declare_blocks(struct emission *emission, const struct tcplan_node *body);

/** The pointer of a block, which is declared. */
const char *emission_pointer(const struct emission *emission, struct tcplan_block block);

/** `const double`, `double`, `int`: of the elements of a matrix as the function sees them. */
const char *emission_element(const struct emission *emission, int matrix);

/* Steps and calls. */

/** Whether a call that is written in this function, not in that of a recursion, has an argument of
 * that name. */
bool emission_has_argument(const struct emission *emission, const struct tcplan_node *body,
                           const char *name);

/** Whether recursions are to be functions of their own. */
bool emission_has_halves(const struct emission *emission);

/** Writes the nodes of a body, one behind the other. */
void emission_body(struct emission *emission, const struct tcplan_node *body);

/** Whether something is done with the info of a statement. */
bool emission_reports(const struct blocked_statement *statement);

/** Behind `if (...`: returns the value, through the end of the function if there is memory to
 * free. */
void emission_stop(struct emission *emission, const char *told);

/** Writes a call and the handling of its info. */
void emission_call(struct emission *emission, const struct tcplan_call *call);

/** The level of a routine of the CBLAS; 0: the CBLAS has none, or it returns a number. */
int emission_level(const struct signature *signature);

/** The type of a scalar, or of the elements of data. */
enum tcplan_dtype emission_scalar_type(const struct signature *signature, int argument);

/** Returns whether an argument is a letter, whose length Fortran also passes. */
bool emission_is_letter(const struct signature_argument *argument);

/** The flag trans of a call of addop, and the emitted function that does that. */
char emission_trans(const struct blocked_statement *statement);
const char *emission_adder(char trans);

/** Declarations of the LAPACK routines that are called, and functions for routines that no library
 * has. */
void emission_externals(struct emission *emission);

/** Declares a routine of LAPACK. */
void emission_declare(struct emission *emission, const struct signature *signature);

/** Writes the driver behind the function. */
void emission_driver(struct emission *emission);

/** Writes a call of a routine by its Fortran symbol or of the CBLAS: `name(arguments)` in lines of
 * at most 120 columns. */
struct emission_arguments {
    int count;
    struct strbuf text[SIGNATURE_MAX_ARGUMENTS + 8];
};
struct strbuf *emission_argument(struct emission_arguments *arguments);
void emission_write_call(const struct emission *emission, const char *before, const char *name,
                         struct emission_arguments *arguments, const char *end);

/** Appends how many elements of work a call needs at most; false, and nothing, if it needs none. */
bool emission_work(struct emission *emission, struct strbuf *out,
                   const struct blocked_statement *statement);

/** The largest length that a range can have, as a variable or number: a size, b, or the step of its
 * loop. */
void emission_bound(const struct emission *emission, char out[EMISSION_NAME], int range);

#endif
