/**
 * Exact LRU stack distances (Mattson, Gecsei, Slutz, Traiger 1970): how many other lines were
 * touched since a line's last access.
 *
 * A fully associative LRU cache of n lines hits exactly where the distance is below n. Marks at the
 * times of last accesses in a Fenwick tree give each distance in logarithmic time (Bennett and
 * Kruskal 1975).
 */
#ifndef CACHESIM_REUSE_H
#define CACHESIM_REUSE_H

#include "cachesim/line_table.h"

/** The distance of a line's first access. */
#define REUSE_NEVER INT64_MAX

struct reuse {
    struct line_table last; /**< of each line, the time of its last access */
    int64_t now;            /**< accesses since times were last renumbered */
    int64_t capacity;       /**< times */
    uint64_t *line_at;      /**< by time: the line accessed */
    uint32_t *marks;        /**< Fenwick tree over the times that are some line's last access */
    bool out_of_memory;     /**< distances since mean nothing */
};

/** Nothing touched; false if out of memory. At most 2^32 - 1 lines. */
bool reuse_init(struct reuse *out);

void reuse_free(struct reuse *reuse);

/** Touches a line. Returns its distance, REUSE_NEVER at the first access. */
int64_t reuse_access(struct reuse *reuse, uint64_t line);

#endif
