/**
 * The topology of this machine where more than its caches is wanted.
 */
#ifndef CACHESIM_TOPOLOGY_H
#define CACHESIM_TOPOLOGY_H

#include "tcplan/problem.h"
#include "tcplan/status.h"

/* Entries of the outermost object: struct tcplan_heuristics. */
#define TOPOLOGY_FAR_BYTES "TcplanFarBytes"
#define TOPOLOGY_AHEAD_BYTES "TcplanAheadBytes"
#define TOPOLOGY_AHEAD_COLUMNS "TcplanAheadColumns"

/* Likewise: struct tcplan_data_sheet. */
#define TOPOLOGY_CLOCK_HZ "TcplanClockHz"
#define TOPOLOGY_FMA_UNITS "TcplanFmaUnits"
#define TOPOLOGY_MEMORY_TRANSFERS "TcplanMemoryTransfers"
#define TOPOLOGY_MEMORY_CHANNELS "TcplanMemoryChannels"

/** The heuristics of a machine whose description has no entries for them: the usual ones, but
 * nothing is near that the last cache does not hold. */
struct hwloc_topology;
struct tcplan_heuristics topology_heuristics(struct hwloc_topology *topology);

/**
 * The topology of this machine as hwloc's XML: the element `<topology>`, which is a document of its
 * own as well. It has entries for the machine's heuristics.
 *
 * @param out  receives a string to be freed with free()
 * @return TCPLAN_OK, TCPLAN_ENVIRONMENT, TCPLAN_NO_MEMORY
 */
enum tcplan_status topology_xml(char **out, struct tcplan_error *error);

#endif
