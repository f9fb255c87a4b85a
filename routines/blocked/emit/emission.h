/**
 * Writes the pieces of emitted C for blocked algorithms: names, lengths and places of ranges,
 * steps, calls.
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

/** The pointer variable of a block, in the scope of the loops around it. */
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
    char leading[TCPLAN_MAX_MATRICES][EMISSION_NAME]; /**< for each matrix, the name of its leading
                                                         dimension; empty: the matrix is a vector */
    char block[EMISSION_NAME], info[EMISSION_NAME], result[EMISSION_NAME], scale[EMISSION_NAME],
        work[EMISSION_NAME];

    char length[TCPLAN_MAX_RANGES][EMISSION_NAME]; /**< for each range, the variable or number that
                                                      is its length; empty: not in scope */
    char begin[TCPLAN_MAX_RANGES][EMISSION_NAME];  /**< for each halved range, the variable for its
                                                      beginning; empty: the beginning follows from
                                                      other ranges */
    bool is_used[TCPLAN_MAX_RANGES]; /**< whether emitted code uses the length of this range */
    struct emission_pointer pointer[EMISSION_POINTERS];
    int pointer_count;

    bool has_result; /**< whether the function has a variable `result`, which it returns at its end
                      */
    bool has_memory; /**< whether the function allocates memory, which it frees at its end */
    bool has_halves; /**< whether recursions are separate functions; false: the function calls
                        itself */
    int half_count;  /**< functions of recursions written so far */
    struct strbuf half_functions;
    const struct emission_half *half; /**< the enclosing recursion, if it is a separate function */
    bool failed; /**< whether the algorithm cannot be written, for example because names run out */
    char reason[200]; /**< reason of the failure */
};

/** Makes a name like `wanted` that is unique in scope, until emission_leave(). */
void emission_take(struct emission *emission, char out[EMISSION_NAME], const char *wanted);

/** Removes all names from the scope except the first `count`. */
void emission_leave(struct emission *emission, int count);

/** Records why the algorithm cannot be written; later reasons are ignored. */
void emission_refuse(struct emission *emission, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void emission_indent(const struct emission *emission);

/** Marks the lengths that the calls of a body read. */
void emission_note_used(struct emission *emission, const struct tcplan_node *body);

/** Appends the length of a range: `n`, `n1`, `n0 + n1`, `1`. */
void emission_length(const struct emission *emission, struct strbuf *out, int range);

/** Returns whether the length of a range is a single variable or number. */
bool emission_is_simple(const struct emission *emission, int range);

/**
 * Appends the beginning of a range, counted from the beginning of the whole size, as a sum. In
 * `temporary` matrices it is counted from the beginning of the part that the outermost loop
 * divides. Appends nothing if the beginning is 0. Returns the number of terms. In the function of
 * a recursion, the beginning of the halved range is a parameter.
 */
int emission_begin(const struct emission *emission, struct strbuf *out, int range, bool temporary);

/** Appends the names of a range's parts, such as `0_1`, and returns the number of their characters
 * without underscores. */
int emission_path(const struct emission *emission, struct strbuf *out, int range);

bool emission_is_temporary(const struct emission *emission, int matrix);

/** Declares pointers for the blocks that calls of a body use, including those of inner loops, if
 * their ranges are known and they are not declared yet. */
void emission_declare_blocks(struct emission *emission, const struct tcplan_node *body);

/** Returns the declared pointer of a block. */
const char *emission_pointer(const struct emission *emission, struct tcplan_block block);

/** Returns `const double`, `double` or `int`: the element type of a matrix in the function. */
const char *emission_element(const struct emission *emission, int matrix);

/** Returns whether a call of the current function, outside of the functions of recursions, has an
 * argument of this name. */
bool emission_has_argument(const struct emission *emission, const struct tcplan_node *body,
                           const char *name);

/** Returns whether recursions become separate functions. */
bool emission_has_halves(const struct emission *emission);

/** Writes the nodes of a body. */
void emission_body(struct emission *emission, const struct tcplan_node *body);

/** Returns whether the function uses the info of a statement. */
bool emission_reports(const struct blocked_statement *statement);

/**
 * Writes what follows `if (...`: the emitted function returns `told` or, if it has memory to free,
 * sets its result to `told` and jumps to its end.
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

/** Returns the flag trans of a call of addop. */
char emission_trans(const struct blocked_statement *statement);

/** Writes the name of the emitted function for addop: `dadd_transposed`. */
void emission_adder(char out[EMISSION_NAME], enum tcplan_dtype dtype, char trans);

/** Writes declarations of the called LAPACK routines, and functions for routines that no library
 * has. */
void emission_externals(struct emission *emission);

/** Declares a routine of LAPACK. */
void emission_declare(struct emission *emission, const struct signature *signature);

/** Writes the driver after the function. */
void emission_driver(struct emission *emission);

/** The arguments of a call as text. emission_write_call() writes `name(arguments)` in lines of at
 * most 120 columns, with a routine's Fortran symbol or its name in the CBLAS. */
struct emission_arguments {
    int count;
    struct strbuf text[SIGNATURE_MAX_ARGUMENTS + 8];
};
struct strbuf *emission_argument(struct emission_arguments *arguments);
void emission_write_call(const struct emission *emission, const char *before, const char *name,
                         struct emission_arguments *arguments, const char *end);

/** Appends the maximum number of elements of work memory that a call needs. If it needs none,
 * returns false and appends nothing. */
bool emission_work(struct emission *emission, struct strbuf *out,
                   const struct blocked_statement *statement);

/** Writes the largest length of a range, as a variable or number: a size, b, or the step of its
 * loop. */
void emission_bound(const struct emission *emission, char out[EMISSION_NAME], int range);

#endif
