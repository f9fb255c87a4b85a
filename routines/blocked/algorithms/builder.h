/**
 * State shared by the readers of an algorithm's text: names and their meanings, statements, the
 * unfinished algorithm. Private to routines/blocked/algorithms.
 */
#ifndef BLOCKED_BUILDER_H
#define BLOCKED_BUILDER_H

#include "ast/scan.h"
#include "routines/blocked/algorithms/text.h"

enum {
    BUILDER_STATEMENTS = 512, /* maximum number of statements of an algorithm, including those of
                                 the algorithms that it calls */
    BUILDER_DEPTH = 4,        /* maximum depth of calls of algorithms by algorithms */
    BUILDER_LOOPS = 100,
    STATEMENT_PRODUCTS = 3,
    STATEMENT_ARGUMENTS = 8
};

/** A size named in the text, and its range in the algorithm. */
struct scope_size {
    char name[TCPLAN_BLOCK_NAME];
    int range; /**< the whole size; in a called algorithm, the range that it works on */
    int first; /**< first of the ranges into which this text's loop divides `range`; -1: none */
};

/** A name of a matrix or view in a text. */
struct scope_view {
    char name[TCPLAN_BLOCK_NAME];
    int view;
    bool is_matrix;    /**< whether the name denotes a matrix, not a view */
    int rows, columns; /**< numbers of the matrix's sizes in the scope; columns -1: a vector */
};

/** The names of one text. */
struct scope {
    int size_count;
    struct scope_size size[TCPLAN_BLOCK_SIZES];
    int view_count;
    struct scope_view view[TCPLAN_MAX_VIEWS];
    int single; /**< the range of length 1, the columns of vectors */
    bool transposed;
};

/** An algorithm under construction. */
struct builder {
    struct tcplan_blocked *out;
    const struct blocked_source *source;
    struct tcplan_error *error;
    enum blocked_place place; /**< the part of the source whose text is being read */
    int loop_count;
    bool is_coupled[BUILDER_LOOPS]; /**< for each loop, whether its text has the word `together` */
    bool is_single[BUILDER_LOOPS];  /**< for each loop, whether its blocks are single rows */
    int capacity;                   /**< capacity of out->statement */
    bool no_memory;
};

/**
 * Reads the declarations of a text.
 *
 * @param bound  the blocks passed as its matrices, in order; NULL: the text is the algorithm
 *               itself, and its matrices are added
 * @param call   only with `bound`: the text of the call, in which errors about unsuitable blocks
 *               are marked
 * @return false if the text is refused: the error is in `scan`, or in `call` if a block does not
 *         fit
 */
bool scope_declare(struct builder *builder, struct scope *out, struct scan *scan,
                   const struct tcplan_block bound[], int bound_count, struct scan *call);

/** Reads a size; returns its place in the scope, or -1 after an error. */
int scope_read_size(struct scope *scope, struct scan *scan);

/** Reads a range: a size, with a digit if the loop divides it. Returns its number; -1 after an
 * error. */
int scope_read_range(const struct scope *scope, struct scan *scan);

/** Reads a block; false after an error. */
bool scope_read_block(struct tcplan_block *out, const struct scope *scope, struct scan *scan);

/** A product of a number and one or two blocks: c F or c F G. */
struct product {
    double coefficient;
    int count;
    struct tcplan_factor factor[2];
};

/** An argument of a routine: a block, or a named flag, number or size. */
struct argument {
    struct word name; /**< name of a flag, number or size; empty: the argument is a block */
    struct tcplan_block block;
    struct word value; /**< value of a flag or number */
    int range; /**< number of the range, for an argument that is a size; -1: the argument has a
                  value */
};

/** A statement after parsing. */
struct statement {
    struct word text; /**< the text of the statement */
    struct tcplan_block result;
    int product_count;
    struct product product[STATEMENT_PRODUCTS];
    struct word function; /**< name of the called function; empty: the statement is a sum */
    int argument_count;
    struct argument argument[STATEMENT_ARGUMENTS];
    int needs; /**< number of the range of the `where` clause; -1: there is none */
};

/** Reads a factor, such as `A21^T`; false after an error. */
bool statement_read_factor(struct tcplan_factor *out, const struct scope *scope, struct scan *scan);

/** Reads a statement; false after an error. */
bool statement_read(struct statement *out, const struct scope *scope, struct scan *scan);

/** Returns whether two ranges always have the same length: they are the same, or loops divide them
 * together. */
bool ranges_agree(const struct builder *builder, int a, int b);

/** Returns whether a block is on the diagonal of its matrix. */
bool block_is_diagonal(const struct builder *builder, struct tcplan_block block);

/** Returns the flag for a factor's operation: `N`, `T`, `C`. */
char factor_letter(const struct builder *builder, const struct tcplan_factor *factor);

/** Returns the routine of a name without the letter of the type; if the type has none and the name
 * begins with `sy`, the one with `he`. NULL: there is none. */
const struct signature *find_routine(const struct builder *builder, struct word name);

/**
 * Derives the routine of a statement, and the values and blocks of its arguments. The caller sets
 * the node's `number` and the statement's `node`.
 *
 * @return false after an error: no routine computes the statement
 */
bool derive_call(struct tcplan_call *call, struct blocked_statement *out, struct builder *builder,
                 const struct statement *statement, struct scan *scan);

/** Derives the call of a given routine with given blocks, in the order of the routine's data. Used
 * for calls that are made in addition to that of the statement itself. Returns false after an
 * error. */
bool derive_routine(struct tcplan_call *call, struct blocked_statement *out,
                    struct builder *builder, const char *routine, const struct tcplan_block block[],
                    int count, struct scan *scan);

#endif
