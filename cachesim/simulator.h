/**
 * A cache hierarchy, simulated access by access: hits and misses of every level, and the traffic
 * between levels. Levels are LRU, write-back and write-allocate: a written line is fetched, as in
 * hardware without non-temporal stores. A dirty line that leaves a level is written to the next
 * one, where it becomes the most recently used (inserted without a fetch if absent). Levels hold
 * copies of each other's lines independently or, if inclusive, each level holds all lines of those
 * nearer to the core: a line that leaves a level leaves those as well. No prefetching, no virtual
 * memory, one core.
 */
#ifndef CACHESIM_SIMULATOR_H
#define CACHESIM_SIMULATOR_H

#include "cachesim/cache.h"
#include "tcplan/machine.h"

struct simulator_options {
    int64_t line_bytes; /**< size of a line, a power of two */
    bool inclusive;
    int level_count; /**< number of levels, at least 1 */
    struct {
        int64_t size_bytes;           /**< size of the cache, at least one line */
        int ways;                     /**< number of lines per set; 0: fully associative */
    } level[TCPLAN_MAX_CACHE_LEVELS]; /**< levels, the one nearest to the core first */
};

/** The counts of one level: accesses of the program at the first level, misses of the previous
 * level at the others. */
struct simulator_counts {
    int64_t accesses;
    int64_t misses;
    int64_t write_backs;   /**< dirty lines that went to the next level */
    int64_t invalidations; /**< lines dropped because an outer level evicted them */
};

struct simulator;

/** Returns the options for the caches of a machine, which must have at least one; caches of unknown
 * associativity become fully associative. */
struct simulator_options simulator_options_of(const struct tcplan_machine *machine, bool inclusive);

/** Makes empty caches, to be freed with simulator_free(); NULL if memory runs out. */
struct simulator *simulator_new(const struct simulator_options *options);

/** Frees a simulator; NULL is fine. */
void simulator_free(struct simulator *simulator);

/** Accesses the line of a byte. */
void simulator_access(struct simulator *simulator, uint64_t address, bool write);

/** Accesses `count` elements, each within a line, `stride_bytes` (at least 0) apart. */
void simulator_access_run(struct simulator *simulator, uint64_t address, int64_t stride_bytes,
                          int64_t count, bool write);

/** Writes all dirty lines back, down to memory, and empties the caches. */
void simulator_flush(struct simulator *simulator);

/** Resets all counts to 0; the caches keep their contents. */
void simulator_reset_counts(struct simulator *simulator);

/** Returns the counts of level `level` (from 0) so far. */
struct simulator_counts simulator_counts(const struct simulator *simulator, int level);

/** Returns the traffic Q: bytes moved so far between level `level` and the next one (memory after
 * the last one), lines fetched and lines written back. */
int64_t simulator_traffic_bytes(const struct simulator *simulator, int level);

#endif
