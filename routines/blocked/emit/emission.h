/**
 * Pieces of emitted C for blocked algorithms: names, lengths and places of ranges, steps, calls.
 *
 * The length of a range is a variable of the loop that divides it: `n0`, `n1`, `n2` for n, and
 * `n0_0`, `n0_1`, `n0_2` for n0; joined ranges are sums. A block is a pointer that its loop
 * declares, `A21`; joined parts are `A1to2_1`, parts of parts `A2_1_1`, with an underscore between
 * rows and columns. Names already in use get an underscore appended.
 */
#ifndef BLOCKED_EMISSION_H
#define BLOCKED_EMISSION_H

#include "base/strbuf.h"
#include "routines/blocked/algorithms/algorithm.h"
#include "tcplan/blocked_emit.h"

enum { EMISSION_NAME = 40, EMISSION_NAMES = 160, EMISSION_POINTERS = 64 };

/** A block's pointer in the enclosing loops. */
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
    int level; /**< current indentation */

    char taken[EMISSION_NAMES][EMISSION_NAME]; /**< names in scope */
    int taken_count;
    char size[TCPLAN_BLOCK_SIZES][EMISSION_NAME];
    char matrix[TCPLAN_MAX_MATRICES][EMISSION_NAME];
    char leading[TCPLAN_MAX_MATRICES][EMISSION_NAME]; /**< names of leading dimensions; empty: it is
                                                         a vector */
    char block[EMISSION_NAME], info[EMISSION_NAME], result[EMISSION_NAME], scale[EMISSION_NAME],
        work[EMISSION_NAME];

    char length[TCPLAN_MAX_RANGES][EMISSION_NAME]; /**< for ranges: the variable or number that is
                                                      its length; empty: not in scope */
    char begin[TCPLAN_MAX_RANGES][EMISSION_NAME];  /**< for halved ranges: the variable for their
                                                      beginning; empty: it follows from others */
    bool is_used[TCPLAN_MAX_RANGES]; /**< whether emitted code uses the length of this range */
    struct emission_pointer pointer[EMISSION_POINTERS];
    int pointer_count;

    bool has_result; /**< the function returns at its end, with the value of `result` */
    bool has_memory; /**< the function allocates memory, which it frees at its end */
    bool has_halves; /**< recursions are separate functions; otherwise the function calls itself */
    int half_count;  /**< functions of recursions written so far */
    struct strbuf half_functions;
    const struct emission_half *half; /**< the enclosing recursion, if it is a separate function */
    bool failed;      /**< something cannot be written, for example for lack of names */
    char reason[200]; /**< reason */
};

/** Makes a name like `wanted` that is unique in scope, until emission_leave(). */
void emission_take(struct emission *emission, char out[EMISSION_NAME], const char *wanted);

/** Removes all names but the first `count` from the scope. */
void emission_leave(struct emission *emission, int count);

/** Records why the algorithm cannot be written; the first reason counts. */
void emission_refuse(struct emission *emission, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void emission_indent(const struct emission *emission);

/** Marks the lengths that the calls of a body read. */
void emission_note_used(struct emission *emission, const struct tcplan_node *body);

/** Appends the length of a range: `n`, `n1`, `n0 + n1`, `1`. */
void emission_length(const struct emission *emission, struct strbuf *out, int range);

/** Returns whether that is a single variable or number. */
bool emission_is_simple(const struct emission *emission, int range);

/**
 * Appends the beginning of a range in the whole size, as a sum; for `temporary` matrices in the
 * part of the size that the outermost loop divides. Appends nothing for 0. Returns the number of
 * terms. In the function of a recursion, a parameter has the beginning of the halved range.
 */
int emission_begin(const struct emission *emission, struct strbuf *out, int range, bool temporary);

/** Appends the names of a range's parts, as `0_1`, and returns the number of their characters
 * without underscores. */
int emission_path(const struct emission *emission, struct strbuf *out, int range);

bool emission_is_temporary(const struct emission *emission, int matrix);

/** Declares the blocks of a body's calls, and of loops within, whose ranges are known and that are
 * not declared yet. */
void emission_declare_blocks(struct emission *emission, const struct tcplan_node *body);

/** Returns the declared pointer of a block. */
const char *emission_pointer(const struct emission *emission, struct tcplan_block block);

/** Returns `const double`, `double` or `int`: the element type of a matrix in the function. */
const char *emission_element(const struct emission *emission, int matrix);

/** Returns whether a call in this function, not in that of a recursion, has an argument of that
 * name. */
bool emission_has_argument(const struct emission *emission, const struct tcplan_node *body,
                           const char *name);

/** Returns whether recursions become separate functions. */
bool emission_has_halves(const struct emission *emission);

/** Writes the nodes of a body. */
void emission_body(struct emission *emission, const struct tcplan_node *body);

/** Returns whether the function uses the info of a statement. */
bool emission_reports(const struct blocked_statement *statement);

/**
 * Writes what follows `if (...`: the function returns `told` or, if there is memory to free, sets
 * its result to `told` and jumps to its end.
 */
void emission_stop(struct emission *emission, const char *told);

/** Writes a call and the handling of its info. */
void emission_call(struct emission *emission, const struct tcplan_call *call);

/** Returns the level of a CBLAS routine; 0: the CBLAS lacks it, or it returns a number. */
int emission_level(const struct signature *signature);

/** Returns the type of a scalar, or of the elements of data. */
enum tcplan_dtype emission_scalar_type(const struct signature *signature, int argument);

/** Returns whether an argument is a letter, whose length Fortran also passes. */
bool emission_is_letter(const struct signature_argument *argument);

/** Return the flag trans of a call of addop, and write the emitted function that does it. */
char emission_trans(const struct blocked_statement *statement);
const char *emission_adder(char trans);

/** Writes declarations of the called LAPACK routines, and functions for routines that no library
 * has. */
void emission_externals(struct emission *emission);

/** Declares a routine of LAPACK. */
void emission_declare(struct emission *emission, const struct signature *signature);

/** Writes the driver after the function. */
void emission_driver(struct emission *emission);

/** The arguments of a call as text. emission_write_call() writes `name(arguments)`, a routine by
 * its Fortran symbol or of the CBLAS, in lines of at most 120 columns. */
struct emission_arguments {
    int count;
    struct strbuf text[SIGNATURE_MAX_ARGUMENTS + 8];
};
struct strbuf *emission_argument(struct emission_arguments *arguments);
void emission_write_call(const struct emission *emission, const char *before, const char *name,
                         struct emission_arguments *arguments, const char *end);

/** Appends the most elements of work that a call needs; returns false, and appends nothing, if it
 * needs none. */
bool emission_work(struct emission *emission, struct strbuf *out,
                   const struct blocked_statement *statement);

/** Writes the largest length of a range, as a variable or number: a size, b, or the step of its
 * loop. */
void emission_bound(const struct emission *emission, char out[EMISSION_NAME], int range);

#endif
