/**
 * Places where threads can run: cores in the order of the topology, with socket and NUMA node.
 * Chooses the cores for a number of threads.
 */
#ifndef CACHESIM_PLACES_H
#define CACHESIM_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/status.h"

enum { PLACES_MAX = 1024 };

/** A core on which threads can run. */
struct place {
    int processor; /**< system's number of the core's first usable processing unit */
    int node;      /**< NUMA node, counted from 0 */
    int socket;    /**< socket, counted from 0 */
};

/** The cores of a machine, in the order of its topology. */
struct places {
    int count;
    struct place place[PLACES_MAX];
};

/** How threads are laid out, in the terms of OpenMP. */
enum place_affinity {
    PLACE_CLOSE, /**< threads are on consecutive cores, from the first one on */
    PLACE_SPREAD /**< threads are as far apart as possible: each is at the start of an equal part of
                    the cores */
};

/** Returns `close` or `spread`. */
const char *place_affinity_name(enum place_affinity affinity);

/**
 * Loads the cores of a machine; for this machine, those on which the calling thread may run.
 * @param machine  an hwloc description, as `pack:2 numa:1 core:4 pu:2`, or an XML file of hwloc;
 *                 NULL or `live`: this machine
 * @return TCPLAN_OK; TCPLAN_INVALID if the description is invalid; TCPLAN_ENVIRONMENT if the
 *     topology is not available or has no cores; TCPLAN_NO_MEMORY
 */
enum tcplan_status places_load(struct places *out, const char *machine, struct tcplan_error *error);

/** Chooses processors for `threads` threads, which must not exceed the number of places. */
void places_choose(int *processor, const struct places *places, enum place_affinity affinity,
                   int threads);

/** Returns the first `count` places. */
struct places places_first(const struct places *places, int count);

/** Return the number of NUMA nodes and sockets of the places. */
int places_nodes(const struct places *places);
int places_sockets(const struct places *places);

/** A part of a machine with its own ceilings. */
enum place_scope { PLACE_CORE, PLACE_NODE, PLACE_SOCKET, PLACE_MACHINE, PLACE_SCOPES };

/** Returns `core`, `NUMA node`, `socket` or `machine`. */
const char *place_scope_name(enum place_scope scope);

/** A part of a machine: its name and its places, which are the first ones of all places. */
struct place_part {
    enum place_scope scope;
    int threads;
};

/**
 * Lists the parts of a machine: one core, the first NUMA node, the first socket and the machine,
 * in increasing order of threads. Of parts with the same number of cores only one is listed, with
 * the name of the larger one, except that a single core keeps its name. Returns their number, at
 * least 1.
 */
int places_parts(struct place_part out[PLACE_SCOPES], const struct places *places);

/** Lists the numbers of threads of the parts that have fewer than `most` threads, then `most`
 * itself; 0: the number of all places. Returns the length of the list. */
int places_counts(int out[PLACE_SCOPES], const struct places *places, int most);

/** Allocates untouched memory from all NUMA nodes alternately, page by page; returns false if
 * the system refuses. */
bool places_interleave(void *memory, size_t bytes);

#endif
