/** The topology of this machine, for code that needs more than its caches. */
#ifndef CACHESIM_TOPOLOGY_H
#define CACHESIM_TOPOLOGY_H

#include "tcplan/problem.h"
#include "tcplan/status.h"

/* Names of entries of the outermost object, for struct tcplan_heuristics. */
#define TOPOLOGY_FAR_BYTES "TcplanFarBytes"
#define TOPOLOGY_AHEAD_BYTES "TcplanAheadBytes"
#define TOPOLOGY_AHEAD_COLUMNS "TcplanAheadColumns"

/* Names of entries for struct tcplan_data_sheet. */
#define TOPOLOGY_CLOCK_HZ "TcplanClockHz"
#define TOPOLOGY_FMA_UNITS "TcplanFmaUnits"
#define TOPOLOGY_MEMORY_TRANSFERS "TcplanMemoryTransfers"
#define TOPOLOGY_MEMORY_CHANNELS "TcplanMemoryChannels"

struct hwloc_topology;

/** Returns the heuristics of a machine whose description has no entries for them: the defaults, but
 * far_bytes is at most the size of the last cache. */
struct tcplan_heuristics topology_heuristics(struct hwloc_topology *topology);

/**
 * Returns the topology of this machine in hwloc's XML: the element `<topology>`, which is also a
 * complete document. It contains entries for the machine's heuristics.
 *
 * @param out  receives a string to be freed with free()
 * @return TCPLAN_OK, TCPLAN_ENVIRONMENT, TCPLAN_NO_MEMORY
 */
enum tcplan_status topology_xml(char **out, struct tcplan_error *error);

#endif
