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

/**
 * Loads a topology.
 *
 * @param topology  initialised; the caller destroys it
 * @param spec      `live`, the name of an XML file of hwloc, or a synthetic description
 * @return TCPLAN_OK; TCPLAN_INVALID if the file or description is invalid; TCPLAN_ENVIRONMENT
 */
enum tcplan_status topology_load(struct hwloc_topology *topology, const char *spec,
                                 struct tcplan_error *error);

/** Reports that a file is no topology: returns TCPLAN_INVALID. */
enum tcplan_status topology_refuse(const char *path, struct tcplan_error *error);

/** Returns the heuristics of a machine whose description states none: the defaults, except that
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
