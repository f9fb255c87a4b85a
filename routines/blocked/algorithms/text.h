/**
 * Blocked algorithms as text, and what becomes of it.
 *
 *   matrices  = matrix { " " matrix }
 *   matrix    = [ "+" | "=" | "~" ] name "(" size [ "," size ] ")" { "." word } | name "=" name {
 *             "." word }
 *               read, `+` read and written, `=` only written, `~` memory to work in; the second
 *               form is a view: another name for (a triangle of) a matrix
 *   word      = "lower" | "upper" | "unit" | "symmetric" | "hermitian" | "int"      a triangle is
 *             one by `lower` or `upper`
 *   name      = letter { letter } ; size = letter
 *
 *   steps     = loop | { statement ";" }
 *             without a loop no block has a digit
 *   loop      = "for" cut { "," cut } [ "together" ] step { statement ";" } | "halve" size step {
 *             statement ";" } "else:" { statement ";" }
 *   step      = [ "by" number ] ":"                                                              a
 *             line's end is a semicolon, too
 *   cut       = size { size } ( "up" | "down" )
 *   statement = block ":=" ( sum | name "(" argument { "," argument } ")" ) [ "where" range ]
 *   sum       = [ "-" ] product { ( "+" | "-" ) product }
 *   product   = [ number ] factor [ factor ]
 *   factor    = block [ "^" ( "T" | "H" | "-1" | "-T" | "-H" ) ]
 *   block     = name { digit } | "[" block ( ";" | "," ) block "]"
 *   argument  = block | name "=" ( integer | letter | range ) ; range = size digit
 *
 * A block has a digit for each of its matrix's two sizes that the loop cuts, rows first: 0 what
 * lies before the current block, 1 the block, 2 what lies behind. `together`: blocks of all cuts
 * have the same size, and the loop ends with the shortest.
 *
 * A halved range has no digit 0: 1 and 2 are the halves, of A the blocks A11, A21, A12, A22. The
 * statements behind `else:` compute what has no more rows than a block, whose matrices have no
 * digits. `A11 := again(A11)` is the whole recursion for a half, once for each; its arguments are
 * all matrices of the text in their order, with the same half in place of the halved range.
 *
 * Which routine a statement is follows from its form. B is a block that is no triangle, T one on
 * the diagonal of a triangular view, S one of a symmetric or Hermitian view, op one of ^T and ^H or
 * none:
 *
 *   trmm, trsm     B := c op(T) B, B := c B op(T); trsm where T is inverted
 *   syrk (herk)    T := T + c F F^T, T := T + c F^T F, also without T, or S in the place of T
 *   syr2k (her2k)  T := T + c F G^T + c G F^T, T := T + c F^T G + c G^T F, or S
 *   symm (hemm)    B := B + c S F, B := B + c F S, also without B
 *   gemm           B := B + c op(F) op(G), also without B
 *   copy           B := F^T, B := F^H, a row at a time (with lacgv where that conjugates); lacpy B
 *                  := F
 *   addop          B := B + c op(F), a routine of tcplan's own
 *
 * Else it is the routine, or algorithm, that the statement names. A routine's arguments are its
 * data in their order; sizes, leading dimensions, increments, uplo and diag follow from them,
 * scale, info and work are found by who calls it, other flags take their first value unless they
 * are said. An algorithm's arguments are its matrices; it is put in the place of the call, as a
 * loop within the loop.
 *
 * Of text that is `transposed` everything is: factors in the other order, rows and columns of
 * blocks swapped, lower triangles upper ones, L called U. That makes A21 := A21 L11^-T of matrices
 * that are stored transposed: A12 := U11^-T A12.
 */
#ifndef BLOCKED_TEXT_H
#define BLOCKED_TEXT_H

#include "routines/blocked/algorithms/algorithm.h"

/** Algorithms that statements may call in addition to tcplan's own. */
struct blocked_source {
    const char *name; /**< not NULL */
    const char *note; /**< may be NULL */
    const char *matrices;
    const char *steps;
    const char *routine; /**< the routine for the whole operation, and its flags: `potrf uplo=L`;
                            NULL: unknown */
    bool transposed;
    const struct blocked_source *known; /**< earlier algorithms of the array, which statements may
                                           call; may be NULL */
    int known_count;
};

/** The text of a source in which an error is. */
enum blocked_place { BLOCKED_IN_MATRICES, BLOCKED_IN_STEPS, BLOCKED_IN_ROUTINE };

/**
 * Reads an algorithm.
 * @param out    receives it; free with tcplan_blocked_free()
 * @param place  receives the text to which the error's column refers; may be NULL
 * @return TCPLAN_OK; TCPLAN_INVALID with a column; TCPLAN_NO_MEMORY
 */
enum tcplan_status blocked_build(struct tcplan_blocked **out, const struct blocked_source *source,
                                 enum tcplan_dtype dtype, enum blocked_place *place,
                                 struct tcplan_error *error);

#endif
