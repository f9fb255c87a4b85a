/**
 * The text of blocked algorithms, and its meaning.
 *
 *   matrices  = matrix { " " matrix }
 *   matrix    = [ "+" | "=" | "~" ] name "(" size [ "," size ] ")" { "." word }
 *             | name "=" name { "." word }
 *   word      = "lower" | "upper" | "unit" | "symmetric" | "hermitian" | "int" | "real"
 *   name      = letter { letter } ; size = letter
 *
 *   steps     = loop | { statement ";" }
 *   loop      = "for" cut { "," cut } [ "together" ] step { statement ";" }
 *             | "halve" size [ size "together" ] step { statement ";" } "else:" { statement ";" }
 *   step      = [ "by" ( number | "all" ) ] ":"
 *   cut       = size { size } ( "up" | "down" )
 *   statement = block ":=" ( sum | name "(" argument { "," argument } ")" ) [ "where" range ]
 *   sum       = [ "-" ] product { ( "+" | "-" ) product }
 *   product   = [ number ] factor [ factor ]
 *   factor    = block [ "^" ( "T" | "H" | "-1" | "-T" | "-H" ) ]
 *   block     = name { digit } | "[" row [ ";" row ] "]" ; row = block [ "," block ]
 *   argument  = block | name "=" ( integer | letter | range ) ; range = size digit
 *
 * The end of a line also ends a statement.
 *
 * A matrix is read; with `+` it is read and written, with `=` only written, and with `~` it is work
 * memory. The form `L=A.lower` declares a view: another name for a matrix or its triangle. A matrix
 * with the word `lower` or `upper` is a triangle. Elements are integers with `int`, and real even
 * if the type is complex with `real`.
 *
 * A block has a digit for each of its matrix's sizes that the loop divides, rows first: 0 for the
 * part before the current block, 1 for the block, 2 for the part after it. Without a loop, blocks
 * have no digits. With `together`, the blocks of all cuts have the same size, and the loop ends
 * with the shortest range. `for m n down together by all:` is a single step on that whole range:
 * A11 is the largest square at the beginning of A, and A21 or A12 is empty.
 *
 * A halved range has no digit 0: 1 and 2 are its halves, so that A consists of the blocks A11, A21,
 * A12 and A22. The statements after `else:` apply to a range that is no longer than a block, and
 * their matrices have no digits. `A11 := again(A11)` applies the whole recursion to a half; each
 * half may occur once. Its arguments are all matrices of the text in their order, with the same
 * half instead of the halved range. `halve m n together:` halves the shorter range and cuts the
 * other behind as many rows, so that A11 is square. Then `again` takes the first half of at least
 * one range, and the whole or a half of the other, as in `[A11;A21] := again([A11;A21])`; or it
 * takes the second part of both, A22.
 *
 * The form of a statement determines its routine. B is a block that is not a triangle, T a block on
 * the diagonal of a triangular view, S one of a symmetric or Hermitian view; F and G are any
 * blocks, and op is ^T, ^H or nothing:
 *
 *   trmm, trsm     B := c op(T) B, B := c B op(T); trsm if T is inverted
 *   syrk (herk)    T := T + c F F^T, T := T + c F^T F, also without the first T, or with S for T
 *   syr2k (her2k)  T := T + c F G^T + c G F^T, T := T + c F^T G + c G^T F, also with S for T
 *   symm (hemm)    B := B + c S F, B := B + c F S, also without the first B
 *   gemm           B := B + c op(F) op(G), also without the first B
 *   copy           B := F^T, B := F^H, one row at a time (with lacgv to conjugate it)
 *   lacpy          B := F
 *   addop          B := B + c op(F), a routine of tcplan's own
 *
 * Other statements name a routine or an algorithm. The arguments of a routine are its data in
 * their order. Sizes, leading dimensions, increments, uplo and diag follow from the data; the
 * caller provides scale, info and work; other flags have their first value unless an argument sets
 * them. The arguments of an algorithm are its matrices; its loop replaces the statement.
 *
 * If a source is `transposed`, its text is read as its transpose: factors in reverse order, rows
 * and columns of blocks exchanged, upper triangles for lower ones, U for L. For example A21 := A21
 * L11^-T becomes A12 := U11^-T A12.
 */
#ifndef BLOCKED_TEXT_H
#define BLOCKED_TEXT_H

#include "routines/blocked/algorithms/algorithm.h"

/** An algorithm as text. Statements may call user's algorithms as well as tcplan's own. */
struct blocked_source {
    const char *name; /**< name of the algorithm; not NULL */
    const char *note; /**< short description; may be NULL */
    const char *matrices;
    const char *steps;
    const char *routine; /**< the routine for the whole operation, and its flags: `potrf uplo=L`;
                            NULL: unknown */
    bool transposed;
    const struct blocked_source *known; /**< earlier algorithms of the array, which statements may
                                           call; may be NULL */
    int known_count;
};

/** The part of a source's text in which an error was found. */
enum blocked_place { BLOCKED_IN_MATRICES, BLOCKED_IN_STEPS, BLOCKED_IN_ROUTINE };

/**
 * Reads an algorithm.
 *
 * @param out    receives the algorithm; free with tcplan_blocked_free()
 * @param place  receives the text to which the error's column refers; may be NULL
 * @return TCPLAN_OK; TCPLAN_INVALID with a column; TCPLAN_NO_MEMORY
 */
enum tcplan_status blocked_build(struct tcplan_blocked **out, const struct blocked_source *source,
                                 enum tcplan_dtype dtype, enum blocked_place *place,
                                 struct tcplan_error *error);

#endif
