/**
 * What makes a network of notation: syntax says which tensor, factor and term comes next (network_read.c), the rest is the builder's (network.c).
 */
#ifndef NETWORK_NETWORK_H
#define NETWORK_NETWORK_H

#include "ast/notation.h"
#include "base/arena.h"
#include "tcplan/network.h"

/** A network and the memory it lives in. */
struct network_storage {
    struct tcplan_network network; /* first: the public pointer is a pointer to the storage */
    struct arena arena;
    const char **index;
    int *tensor;
    struct tcplan_network_operand *operand;
    struct tcplan_network_term *term;
    int index_capacity, tensor_capacity, operand_capacity, term_capacity;
};

/** A network being read. `operand_limit`, `several`: see tcplan_network_is_several(). */
struct network_builder {
    struct scan *scan;
    struct network_storage *storage;
    bool has_beta; /* the result is added, by += or in a term */
};

/** Sets the left side; false where it is refused. */
bool network_set_result(struct network_builder *builder, const struct notation_tensor *tensor);

/** Begins a term. */
bool network_add_term(struct network_builder *builder, struct tcplan_scalar factor);

/** Adds a factor to the last term. */
bool network_add_operand(struct network_builder *builder, const struct notation_tensor *tensor);

/** Whether a tensor is the result by its name, with the same indices in the same order; refused where only the name is the same. `*is` tells. */
bool network_is_result(struct network_builder *builder, const struct notation_tensor *tensor, bool *is);

/** Reads all of a text. */
bool network_read(struct network_builder *builder);

/** Reads what belongs to several tensors, without looking at meaning; what was read until something is refused is in the storage. */
bool network_read_text(struct network_builder *builder);

#endif
