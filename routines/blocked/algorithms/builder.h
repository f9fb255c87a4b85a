/**
 * The shared state of the readers of an algorithm's text: names and their meanings, statements, the
 * unfinished algorithm. Private to routines/blocked/algorithms.
 */
#ifndef BLOCKED_BUILDER_H
#define BLOCKED_BUILDER_H

#include "ast/scan.h"
#include "routines/blocked/algorithms/text.h"

enum {
    BUILDER_STATEMENTS = 512, /* of one algorithm, with those of algorithms within it */
    BUILDER_DEPTH = 4,        /* algorithms within algorithms */
    BUILDER_LOOPS = 100,
    STATEMENT_PRODUCTS = 3,
    STATEMENT_ARGUMENTS = 8
};

/** A size in the text and its counterpart in the algorithm. */
struct scope_size {
    char name[TCPLAN_BLOCK_NAME];
    int range; /**< a whole size, or what the text within another one works on */
    int first; /**< the parts that this text's loop cuts it into; -1: it does not */
};

/** A name of a matrix or view in a text. */
struct scope_view {
    char name[TCPLAN_BLOCK_NAME];
    int view;
    bool is_matrix;    /**< not another name for one */
    int rows, columns; /**< places of sizes; columns -1: a vector */
};

/** The names of one text. */
struct scope {
    int size_count;
    struct scope_size size[TCPLAN_BLOCK_SIZES];
    int view_count;
    struct scope_view view[TCPLAN_MAX_VIEWS];
    int single; /**< the range that is the column of vectors */
    bool transposed;
};

/** An algorithm in the making. */
struct builder {
    struct tcplan_blocked *out;
    const struct blocked_source *source;
    struct tcplan_error *error;
    enum blocked_place place; /**< which text is read */
    int loop_count;
    bool is_coupled[BUILDER_LOOPS]; /**< of each loop */
    bool is_single[BUILDER_LOOPS];  /**< its blocks have one row */
    int capacity;                   /**< of out->statement */
    bool no_memory;
};

/**
 * Reads the declarations of a text.
 *
 * @param bound  the blocks that its matrices are, in their order; NULL: they are the algorithm's
 *               own, and are added to it
 * @param call   where blocks that do not fit are refused; with `bound` only
 * @return false if it is refused: the status is in `scan`, or in `call` where it is the blocks
 */
bool scope_declare(struct builder *builder, struct scope *out, struct scan *scan,
                   const struct tcplan_block bound[], int bound_count, struct scan *call);

/** Reads a size's name; its place in the scope, or -1, refused. */
int scope_read_size(struct scope *scope, struct scan *scan);

/** Reads a range: a size and a digit where the loop cuts it. -1: refused. */
int scope_read_range(const struct scope *scope, struct scan *scan);

/** Reads a block. False if it is refused. */
bool scope_read_block(struct tcplan_block *out, const struct scope *scope, struct scan *scan);

/** c F, c F G. */
struct product {
    double coefficient;
    int count;
    struct tcplan_factor factor[2];
};

/** An argument of a routine: a block, or a flag, number or size by name. */
struct argument {
    struct word name; /**< empty: a block */
    struct tcplan_block block;
    struct word value; /**< a letter or number */
    int range;         /**< of a size: whose length it is; -1: a value */
};

/** A statement as it was read. */
struct statement {
    struct word text; /**< all of it */
    struct tcplan_block result;
    int product_count;
    struct product product[STATEMENT_PRODUCTS];
    struct word function; /**< empty: it is a sum of products */
    int argument_count;
    struct argument argument[STATEMENT_ARGUMENTS];
    int needs; /**< a range; -1: none */
};

/** Reads a factor, `A21^T`; false if it is refused. */
bool statement_read_factor(struct tcplan_factor *out, const struct scope *scope, struct scan *scan);

/** Reads a statement; false if it is refused. */
bool statement_read(struct statement *out, const struct scope *scope, struct scan *scan);

/** Whether two ranges have the same length wherever loops are: as they are one, or in step with
 * each other. */
bool ranges_agree(const struct builder *builder, int a, int b);

/** Whether a block is on the diagonal of its matrix. */
bool block_is_diagonal(const struct builder *builder, struct tcplan_block block);

/** The flag of a factor's op: `N`, `T`, `C`. */
char factor_letter(const struct builder *builder, const struct tcplan_factor *factor);

/** The routine of a name without the letter of the type: where this type has none, and it begins
 * with `sy`, that with `he`. NULL: there is none. */
const struct signature *find_routine(const struct builder *builder, struct word name);

/**
 * Finds the routine that a statement is, and all that is known of its arguments. The node's
 * `number` and the statement's `node` are set by who adds them.
 *
 * @return false if no routine computes that: refused
 */
bool derive_call(struct tcplan_call *call, struct blocked_statement *out, struct builder *builder,
                 const struct statement *statement, struct scan *scan);

/** The same of a routine whose blocks are known, in the order of its data: of calls added to a
 * statement's own routine. */
bool derive_routine(struct tcplan_call *call, struct blocked_statement *out,
                    struct builder *builder, const char *routine, const struct tcplan_block block[],
                    int count, struct scan *scan);

#endif
