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

/** Multiplies `factor` by the number or `(re,im)` that follows. */
bool notation_read_scalar(struct tcplan_scalar *factor, struct scan *scan);

/** Appends an index to a tensor; rejects it if the rank becomes too large. */
bool notation_add_index(struct notation_tensor *tensor, struct scan *scan, struct word index);

#endif
