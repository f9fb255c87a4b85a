/**
 * Descriptions of machines: of this one, of one stored as hwloc XML, or of one given by a line of
 * text.
 */
#ifndef TCPLAN_MACHINE_H
#define TCPLAN_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/problem.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_MAX_CACHE_LEVELS = 8, TCPLAN_MACHINE_TEXT = 128 };

/** A level of data or unified cache, as seen by the core that measures. */
struct tcplan_cache_level {
    int level;          /**< number of the level; 1 is nearest to the core */
    int64_t size_bytes; /**< size of one cache */
    int64_t line_bytes; /**< size of a cache line; 0: unknown */
    int ways;           /**< associativity; 0: unknown, -1: fully associative */
    int shared_by;      /**< number of processing units that share one cache */
};

/** Data sheet of a machine. 0: unknown. */
struct tcplan_data_sheet {
    int64_t clock_hz;  /**< core clock */
    int64_t fma_units; /**< number of FMAs with the widest vectors that a core executes per cycle */
    int64_t memory_transfers; /**< transfers of 8 bytes per second and channel */
    int64_t memory_channels;  /**< number of channels per socket */
};

struct tcplan_roofline;
struct tcplan_costs;

struct tcplan_machine {
    char source[TCPLAN_MACHINE_TEXT]; /**< `live`, the name of the file, or the synthetic
                                         description */
    char cpu[TCPLAN_MACHINE_TEXT];    /**< model name; empty: unknown */
    bool live; /**< whether the description is that of the machine that runs this program, so that
                  timings made here apply to it */
    int cores;
    int processing_units;
    int64_t memory_bytes; /**< size of the main memory; 0: unknown */
    int64_t line_bytes;   /**< line size of the first cache level that reports it; 64 if none does
                             (`line_assumed`) */
    bool line_assumed;
    int64_t page_bytes; /**< smallest page size; 4096 if unknown */
    int cache_count;
    struct tcplan_cache_level cache[TCPLAN_MAX_CACHE_LEVELS]; /**< cache levels, nearest to the core
                                                                 first */
    struct tcplan_heuristics heuristics; /**< heuristics of algorithms; defaults unless an XML file
                                            sets others */
    struct tcplan_data_sheet data_sheet; /**< data sheet, known only from an XML file */
    const struct tcplan_roofline *ceilings; /**< ceilings, see tcplan/ceilings.h; borrowed; NULL:
                                               unknown */
    const struct tcplan_costs *costs;       /**< costs of cache lines, pages and copies, see
                                               tcplan/costs.h; borrowed; NULL: unknown */
};

/**
 * Describes a machine. Entries of the outermost object of an hwloc XML file set its heuristics:
 * `<info name="TcplanFarBytes" value="16777216"/>`, `TcplanAheadBytes`, `TcplanAheadColumns`, as
 * integers. Missing values have their defaults. `TcplanClockHz`, `TcplanFmaUnits`,
 * `TcplanMemoryTransfers` and `TcplanMemoryChannels` come from its data sheet.
 *
 * @param spec  `live`, the name of an hwloc XML file (one that exists, or ends in `.xml`), or an
 *              hwloc synthetic description such as `pack:1 l3:1(size=32MB) l2:4(size=1MB)
 *              l1d:1(size=32kB) core:1 pu:1`
 * @return TCPLAN_OK; TCPLAN_INVALID if the description or file is malformed; TCPLAN_ENVIRONMENT if
 *         the file cannot be read or the topology of this machine is not available;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_machine_load(struct tcplan_machine *out, const char *spec,
                                                  struct tcplan_error *error);

/**
 * Describes the machine of an hwloc XML document in memory.
 *
 * @param source  origin of the document, for struct tcplan_machine and messages
 * @return TCPLAN_OK; TCPLAN_INVALID if the document is not valid hwloc XML; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_machine_parse(struct tcplan_machine *out, const char *source,
                                                   const char *xml, struct tcplan_error *error);

/** Returns name and version of the library that reads topologies, such as `hwloc 2.9.0`. */
TCPLAN_API const char *tcplan_machine_library(void);

#ifdef __cplusplus
}
#endif

#endif
