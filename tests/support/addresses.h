/**
 * The memory that a loop nest touches, by the definition of loops and slices: independent of
 * regions, programs and the strides of problems.
 *
 * Memory consists of six spaces: the tensors A, B, C and their temporaries. An element is a space
 * and a number.
 */
#ifndef SUPPORT_ADDRESSES_H
#define SUPPORT_ADDRESSES_H

#include "cachesim/region.h"

enum { ADDRESS_SPACES = 2 * TCPLAN_TENSORS };

/** Returns the space of a slice. */
int address_space(struct tcplan_slice slice);

/** Returns the element of a slice's space at a point of the iteration space. */
int64_t address_of(const struct refined_problem *problem, struct tcplan_slice slice,
                   const int64_t point[]);

/** One execution of a leaf: a kernel call, a copy or a scaling. */
struct address_step {
    const struct tcplan_node *leaf;
    const int64_t *at; /**< iteration of each surrounding loop, by index */
    int64_t calls;     /**< number of kernel calls before this step in the execution of the nest */
};

/** Receives every step; returning false ends the walk. */
typedef bool address_step_fn(void *context, const struct address_step *step);

/** Walks through one execution of a nest, step by step; returns false if the walk was ended. */
bool address_walk(const struct tcplan_nest *nest, const struct refined_problem *problem,
                  address_step_fn *visit, void *context);

/** Receives every element; spaces are numbered as above. */
typedef void address_fn(void *context, int space, int64_t element);

/** Lists the accesses of a leaf, reads first. */
void address_leaf(const struct refined_problem *problem, const struct tcplan_node *leaf,
                  const int64_t at[], address_fn *visit, void *context);

/** Lists all elements of a region. */
void address_region(const struct region *region, address_fn *visit, void *context);

/** A number for every element of every space: a flag, count or time. */
struct address_map {
    int64_t count[ADDRESS_SPACES];
    int64_t *value[ADDRESS_SPACES];
};

/** Makes a map for a nest with sizes, all zero. Fails the test if memory runs out. */
void address_map_init(struct address_map *out, const struct tcplan_nest *nest,
                      const struct refined_problem *problem);

/** Sets all to zero. */
void address_map_clear(struct address_map *map);

/** Sets the element of the struct address_map `context` to 1. An address_fn. */
void address_map_mark(void *context, int space, int64_t element);

void address_map_free(struct address_map *map);

#endif
