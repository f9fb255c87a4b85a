/**
 * The syntax of contractions: from text to names, indices and factors, whatever the notation. What
 * they mean is contraction.c's matter.
 */
#ifndef AST_CONTRACTION_NOTATION_H
#define AST_CONTRACTION_NOTATION_H

#include "ast/scan.h"
#include "tcplan/shapes.h"

/** A tensor as written. */
struct notation_tensor {
    struct word whole; /* from its name to its last index */
    struct word name;
    bool conjugated; /* conj(...) */
    int rank;
    struct word index[TCPLAN_MAX_RANK];
};

/** A contraction as written: result := alpha * A * B + beta * result, or beta * addend. Words point
 * into the parsed text; the names of einsum's tensors, and of the indices of an ellipsis, to
 * constants. */
struct notation {
    struct notation_tensor tensor[TCPLAN_TENSORS];
    bool has_addend;
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
};

/**
 * Reads any of the three notations, all of the text; false where it is refused (`scan` says why).
 * An ellipsis needs `shapes`, which may be NULL: see tcplan_contraction_parse_shaped().
 */
bool notation_read(struct notation *out, struct scan *scan, struct tcplan_shapes *shapes);

/** The parts of notation_read(), one per notation: notation_formula.c and notation_einsum.c. */
bool notation_read_formula(struct notation *out, struct scan *scan);
bool notation_read_einsum(struct notation *out, struct scan *scan, struct tcplan_shapes *shapes);

/** Reads a tensor with indices behind an underscore or in brackets. */
bool notation_read_tensor(struct notation_tensor *out, struct scan *scan);

/** Multiplies `factor` by the number or the `(re,im)` that the text goes on with. */
bool notation_read_scalar(struct tcplan_scalar *factor, struct scan *scan);

/** Appends an index to a tensor; refused where the rank becomes too large. */
bool notation_add_index(struct notation_tensor *tensor, struct scan *scan, struct word index);

#endif
