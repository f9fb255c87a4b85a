/**
 * The syntax of contractions: parses text in any notation to names, indices and factors.
 * contraction.c interprets them.
 */
#ifndef AST_CONTRACTION_NOTATION_H
#define AST_CONTRACTION_NOTATION_H

#include "ast/scan.h"
#include "tcplan/shapes.h"

/** A tensor as written. */
struct notation_tensor {
    struct word whole; /* the text from the tensor's name to its last index */
    struct word name;
    bool conjugated; /* whether the tensor is written as conj(...) */
    int rank;
    struct word index[TCPLAN_MAX_RANK];
};

/** A parsed contraction: result := alpha * A * B + beta * result, or beta * addend. Words point
 * into the parsed text; the names of einsum's tensors, and of an ellipsis's indices, point to
 * constants. */
struct notation {
    struct notation_tensor tensor[TCPLAN_TENSORS];
    bool has_addend;
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
};

/**
 * Parses the whole text in any of the three notations; returns false, with the error in `scan`, if
 * it is invalid. An ellipsis needs `shapes`, which may be NULL otherwise: see
 * tcplan_contraction_parse_shaped().
 */
bool notation_read(struct notation *out, struct scan *scan, struct tcplan_shapes *shapes);

/** The parts of notation_read(), one for each notation: notation_formula.c and
 * notation_einsum.c. */
bool notation_read_formula(struct notation *out, struct scan *scan);
bool notation_read_einsum(struct notation *out, struct scan *scan, struct tcplan_shapes *shapes);

/** Reads a tensor with indices after an underscore or in brackets. */
bool notation_read_tensor(struct notation_tensor *out, struct scan *scan);

/** An assignment: `=`, `:=`, `+=` or `-=`. */
struct notation_assignment {
    const char *token;
    bool adds_result; /* `+=` and `-=` add the previous result once */
    int sign;         /* multiplies each term of the right side: -1 for `-=`, otherwise 1 */
};
bool notation_read_assignment(struct notation_assignment *out, struct scan *scan);

/** Returns whether a scalar factor begins with `c`. */
bool notation_is_scalar_start(char c);

/** Reads the scalar factors in front of a tensor, such as `1/2*(0,1)*`, and multiplies `factor` by
 * them. */
bool notation_read_factors(struct tcplan_scalar *factor, struct scan *scan);

/** Appends an index to a tensor; rejects it if the rank becomes too large. */
bool notation_add_index(struct notation_tensor *tensor, struct scan *scan, struct word index);

#endif
