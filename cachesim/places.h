/**
 * Where threads can run: cores in the order of the topology, with socket and NUMA node, and which
 * of them a number of threads takes.
 */
#ifndef CACHESIM_PLACES_H
#define CACHESIM_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/status.h"

enum { PLACES_MAX = 1024 };

/** One core. */
struct place {
    int processor; /**< its first processing unit that may be used, as the system numbers them */
    int node;      /**< NUMA node, counted from 0 */
    int socket;    /**< likewise */
};

/** Cores next to each other in the topology stand next to each other here. */
struct places {
    int count;
    struct place place[PLACES_MAX];
};

/** How threads are laid out, in the terms of OpenMP. */
enum place_affinity {
    PLACE_CLOSE, /**< on consecutive cores, from the first on */
    PLACE_SPREAD /**< as far apart as possible: every thread begins an equal part of the cores */
};

/** `close` or `spread`. */
const char *place_affinity_name(enum place_affinity affinity);

/**
 * The cores of a machine, of this one only those that the calling thread may run on.
 *
 * @param synthetic  a description of hwloc, as `pack:2 numa:1 core:4 pu:2`; NULL: this machine
 * @return TCPLAN_OK; TCPLAN_INVALID where the description is not understood; TCPLAN_ENVIRONMENT
 *         where the topology cannot be had or has no cores; TCPLAN_NO_MEMORY
 */
enum tcplan_status places_load(struct places *out, const char *synthetic,
                               struct tcplan_error *error);

/** Processors for `threads` threads, at most as many as there are places. */
void places_choose(int *processor, const struct places *places, enum place_affinity affinity,
                   int threads);

/** The first `count` places. */
struct places places_first(const struct places *places, int count);

/** Return the number of NUMA nodes and sockets of the places. */
int places_nodes(const struct places *places);
int places_sockets(const struct places *places);

/** A part of a machine with its own ceilings. */
enum place_scope { PLACE_CORE, PLACE_NODE, PLACE_SOCKET, PLACE_MACHINE, PLACE_SCOPES };

/** `core`, `NUMA node`, `socket` or `machine`. */
const char *place_scope_name(enum place_scope scope);

/** The first places of a part. */
struct place_part {
    enum place_scope scope;
    int threads;
};

/**
 * One core, the first NUMA node, the first socket and the machine, from few threads to many. Parts
 * with as many cores as the one before are the same: the larger one's name stays, but for one core.
 * Returns how many there are, at least 1.
 */
int places_parts(struct place_part out[PLACE_SCOPES], const struct places *places);

/** The numbers of threads of the parts that are smaller than `most`, then `most`; 0: all places.
 * Returns how many there are. */
int places_counts(int out[PLACE_SCOPES], const struct places *places, int most);

/** Allocates untouched memory from all NUMA nodes alternately, page by page; returns false if
 * the system refuses. */
bool places_interleave(void *memory, size_t bytes);

#endif
