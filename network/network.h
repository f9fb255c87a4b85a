/**
 * Builds a network from notation: the parser (network_read.c) passes tensors, factors and terms in
 * order; the builder (network.c) does the rest.
 */
#ifndef NETWORK_NETWORK_H
#define NETWORK_NETWORK_H

#include "ast/contraction/notation.h"
#include "base/arena.h"
#include "tcplan/network.h"

/** A network, and the memory that holds it. */
struct network_storage {
    struct tcplan_network network; /* first member, so that a pointer to the network points to the
                                      storage */
    struct arena arena;
    const char **index;
    int *tensor;
    struct tcplan_network_operand *operand;
    struct tcplan_network_term *term;
    struct tcplan_network_operand *sum;
    int index_capacity, tensor_capacity, operand_capacity, term_capacity, sum_capacity;
};

/** State of building a network. */
struct network_builder {
    struct scan *scan;
    struct network_storage *storage;
    bool has_beta; /* whether the previous result is also added, by `+=` or as a term */
};

/** Returns whether one of the dimensions of an operand has an index. */
bool network_operand_has(const struct tcplan_network_operand *operand, int index);

/** Returns whether one of the factors of a term has an index. */
bool network_term_has(const struct tcplan_network *network, const struct tcplan_network_term *term,
                      int index);

/** Sets the left side of a statement; returns false, with an error, if it is invalid. */
bool network_set_result(struct network_builder *builder, const struct notation_tensor *tensor);

/** Turns the current result into a sum, so that another left side can follow. Returns false, with
 * an error, if the sum is invalid. */
bool network_end_sum(struct network_builder *builder);

/** Numbers the tensors as in another network that has the same tensors; returns false if memory
 * runs out. */
bool network_number_like(struct tcplan_network *network, const struct tcplan_network *like);

/** Begins a term. */
bool network_add_term(struct network_builder *builder, struct tcplan_scalar factor);

/** Adds a factor to the last term. */
bool network_add_operand(struct network_builder *builder, const struct notation_tensor *tensor);

/** Finds out whether a tensor is the result: it must have the same name and the same indices in the
 * same order. Returns false, with an error, if only the name is the same. */
bool network_is_result(struct network_builder *builder, const struct notation_tensor *tensor,
                       bool *is);

/** Reads a whole text, and checks its meaning. */
bool network_read(struct network_builder *builder);

/** Reads a text without the checks that involve several tensors. After an error, the storage holds
 * the part that was read. */
bool network_read_text(struct network_builder *builder);

#endif
