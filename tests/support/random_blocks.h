/**
 * Random block-sparse products with values, and their results by loops over all elements.
 *
 * Values are small integers, so that sums are exact in every type.
 */
#ifndef SUPPORT_RANDOM_BLOCKS_H
#define SUPPORT_RANDOM_BLOCKS_H

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

#include "tcplan/blocksparse.h"

enum {
    RANDOM_BLOCKS_RANK = 4,
    RANDOM_BLOCKS_SECTIONS = 4,
    RANDOM_BLOCKS_MOST = 256,
    RANDOM_BLOCKS_ELEMENTS = 1024,    /**< maximum number of elements in the memory of a block */
    RANDOM_BLOCKS_COMBINATIONS = 256, /**< maximum number of combinations of sections of a tensor */
    RANDOM_BLOCKS_LETTERS = 26
};

/** A block-sparse tensor with memory: block b starts at element b * block_elements. */
struct random_subject {
    struct tcplan_block_tensor tensor;
    int64_t block_elements;
    int number[RANDOM_BLOCKS_COMBINATIONS]; /**< for each combination of sections, the number of its
                                               block; -1: there is none */
    int64_t label[RANDOM_BLOCKS_RANK], extent[RANDOM_BLOCKS_RANK * RANDOM_BLOCKS_SECTIONS];
    int sections[RANDOM_BLOCKS_RANK];
    int32_t at[RANDOM_BLOCKS_MOST * RANDOM_BLOCKS_RANK];
    int64_t stride[RANDOM_BLOCKS_MOST * RANDOM_BLOCKS_RANK];
    double complex *value; /* elements of all blocks, including zero blocks */
    void *block[RANDOM_BLOCKS_MOST];
    char *memory, *before; /* elements; and their copies when they were made */
};

/** Number and extents of the sections of each index, which is a letter. */
struct random_shape {
    int sections[RANDOM_BLOCKS_LETTERS];
    int64_t extent[RANDOM_BLOCKS_LETTERS][RANDOM_BLOCKS_SECTIONS];
};

/** A random product. */
struct random_blocks {
    const char *const *notation; /**< the labels of A, B and the result, as letters */
    struct random_shape shape;
    struct random_subject subject[3];
    enum tcplan_dtype dtype;
    struct tcplan_block_product *product;
};

/** Makes the product of a seed, with values; fails the test if it is refused. */
void random_blocks_make(struct random_blocks *out, uint64_t seed);

/** Gives the result the values that it had when it was made. */
void random_blocks_reset(struct random_blocks *blocks);

/** Computes the expected values in subject[TCPLAN_C].value. */
void random_blocks_compute(struct random_blocks *blocks, double complex alpha, double complex beta);

/** Fails the test unless the result has the expected values; `what` precedes the message. */
void random_blocks_check(const struct random_blocks *blocks, uint64_t seed, const char *what);

/** Stores a number of a type at place `n`. */
void random_blocks_set(void *memory, int64_t n, enum tcplan_dtype dtype, double complex value);

void random_blocks_free(struct random_blocks *blocks);

#endif
