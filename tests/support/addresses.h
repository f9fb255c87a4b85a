/**
 * Which memory a loop nest touches, by the definitions of loops and slices. It uses no other code
 * for regions, programs or strides, to check that code. There are six spaces: the tensors A, B, C
 * and their temporaries. An element is a space and a number.
 */
#ifndef SUPPORT_ADDRESSES_H
#define SUPPORT_ADDRESSES_H

#include "cachesim/region.h"

enum { ADDRESS_SPACES = 2 * TCPLAN_TENSORS };

/** Returns the number of the space that a slice belongs to. */
int address_space(struct tcplan_slice slice);

/** Returns the number of the slice's element at `point`, which has a value for each index. */
int64_t address_of(const struct refined_problem *problem, struct tcplan_slice slice,
                   const int64_t point[]);

/** One execution of a leaf: a kernel call, a copy or a scaling. */
struct address_step {
    const struct tcplan_node *leaf;
    const int64_t *at; /**< value of each enclosing loop, by index */
    int64_t calls;     /**< number of kernel calls before this step */
};

/** Receives every step; returning false ends the walk. */
typedef bool address_step_fn(void *context, const struct address_step *step);

/** Walks through one execution of a nest, step by step; returns false if the walk was ended. */
bool address_walk(const struct tcplan_nest *nest, const struct refined_problem *problem,
                  address_step_fn *visit, void *context);

/** Receives an element: its space, as address_space() numbers them, and its number. */
typedef void address_fn(void *context, int space, int64_t element);

/** Lists the accesses of a leaf, reads first. */
void address_leaf(const struct refined_problem *problem, const struct tcplan_node *leaf,
                  const int64_t at[], address_fn *visit, void *context);

/** Lists all elements of a region. */
void address_region(const struct region *region, address_fn *visit, void *context);

/** A number for every element of every space: a flag, a count or a time. */
struct address_map {
    int64_t count[ADDRESS_SPACES];
    int64_t *value[ADDRESS_SPACES];
};

/** Makes a map of zeros for the spaces of a nest. Fails the test if memory runs out. */
void address_map_init(struct address_map *out, const struct tcplan_nest *nest,
                      const struct refined_problem *problem);

/** Sets all numbers of a map to 0. */
void address_map_clear(struct address_map *map);

/** An address_fn: sets the number of an element in `context`, a struct address_map, to 1. */
void address_map_mark(void *context, int space, int64_t element);

void address_map_free(struct address_map *map);

#endif
