#include "cachesim/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tcplan/machine.h"

static enum tcplan_status load_live(hwloc_topology_t *topology, struct tcplan_error *error) {
    if (hwloc_topology_init(topology) != 0) return error_no_memory(error);
    if (hwloc_topology_load(*topology) == 0) return TCPLAN_OK;
    const int reason = errno;
    hwloc_topology_destroy(*topology);
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot load the topology of this machine: %s",
                     strerror(reason));
}

static void add_entry(hwloc_topology_t topology, const char *name, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    hwloc_obj_add_info(hwloc_get_root_obj(topology), name,
                       text); /* missing values get their defaults */
}

/** Returns the bytes of the last cache; 0: unknown. */
static uint64_t last_cache_bytes(hwloc_topology_t topology) {
    static const hwloc_obj_type_t levels[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
                                              HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE,
                                              HWLOC_OBJ_L1CACHE};
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, levels[l], 0);
        if (cache && cache->attr->cache.size > 0) return cache->attr->cache.size;
    }
    return 0;
}

struct tcplan_heuristics topology_heuristics(struct hwloc_topology *topology) {
    struct tcplan_heuristics heuristics = tcplan_heuristics_default();
    const uint64_t last = last_cache_bytes(topology);
    if (last > 0 && last < (uint64_t)heuristics.far_bytes) heuristics.far_bytes = (int64_t)last;
    return heuristics;
}

static void add_heuristics(hwloc_topology_t topology) {
    const struct tcplan_heuristics heuristics = topology_heuristics(topology);
    add_entry(topology, TOPOLOGY_FAR_BYTES, heuristics.far_bytes);
    add_entry(topology, TOPOLOGY_AHEAD_BYTES, heuristics.ahead_bytes);
    add_entry(topology, TOPOLOGY_AHEAD_COLUMNS, heuristics.ahead_columns);
}

enum tcplan_status topology_xml(char **out, struct tcplan_error *error) {
    hwloc_topology_t topology;
    char *text;
    int length;
    enum tcplan_status status = load_live(&topology, error);
    if (status != TCPLAN_OK) return status;
    add_heuristics(topology);
    if (hwloc_topology_export_xmlbuffer(topology, &text, &length, 0) == 0) {
        const char *element = strstr(text, "<topology"); /* after the declarations */
        *out = element ? strndup(element, (size_t)(text + length - element)) : NULL;
        status = *out ? TCPLAN_OK : error_no_memory(error);
        hwloc_free_xmlbuffer(topology, text);
    } else {
        status = error_set(error, TCPLAN_ENVIRONMENT,
                           "cannot describe the topology of this machine: %s", strerror(errno));
    }
    hwloc_topology_destroy(topology);
    return status;
}
