/*
 * The interface that bench/blocks compiles for each other library: a block-sparse product
 * C := A B of doubles. `indices` are numbered; each has sections.
 */
#ifndef BLOCK_STUDY_PEER_H
#define BLOCK_STUDY_PEER_H

#include <cstdint>

struct peer_tensor {
    int rank;
    const int *index;     /* index of each dimension */
    int64_t count;        /* number of nonzero blocks */
    const int *key;       /* section numbers of each block */
    double *const *block; /* in the element order that the library stores */
};

struct peer_product {
    int indices, threads;
    const int *sections;      /* number of sections of each index */
    const int *const *extent; /* extents of the sections of each index */
    const int *const *irrep;  /* representation of each section in the group Z_2 x Z_2 x ...;
                                 NULL: the blocks do not follow from such a group */
    int irreps;               /* number of elements of the group */
    peer_tensor tensor[3];
};

extern "C" {

/** Makes the library's tensors. Returns NULL if they cannot represent the product. */
void *peer_make(const peer_product *product);

/** Computes C. */
void peer_run(void *made);

/** Copies the blocks of C to the addresses that the product has. */
void peer_read(void *made);

void peer_free(void *made);
}

#endif
