/**
 * Exact LRU stack distances (Mattson, Gecsei, Slutz, Traiger 1970): how many other lines were
 * touched since a line's last access.
 *
 * A fully associative LRU cache of n lines hits if and only if the distance is below n. Marks at
 * the times of last accesses in a Fenwick tree give each distance in logarithmic time (Bennett and
 * Kruskal 1975).
 */
#ifndef CACHESIM_REUSE_H
#define CACHESIM_REUSE_H

#include "cachesim/line_table.h"

/** Distance of the first access to a line. */
#define REUSE_NEVER INT64_MAX

struct reuse {
    struct line_table last; /**< for each line, the time of its last access */
    int64_t now;            /**< number of accesses since times were last renumbered */
    int64_t capacity;       /**< number of times with room in the arrays */
    uint64_t *line_at;      /**< for each time, the line accessed */
    uint32_t *marks;        /**< Fenwick tree of the times that are the last access of some line */
    bool out_of_memory;     /**< whether memory ran out; distances since then are invalid */
};

/** Starts with no accesses; returns false if memory runs out. At most 2^32 - 1 lines. */
bool reuse_init(struct reuse *out);

void reuse_free(struct reuse *reuse);

/** Records an access to a line. Returns its distance, REUSE_NEVER for the first access. */
int64_t reuse_access(struct reuse *reuse, uint64_t line);

#endif
