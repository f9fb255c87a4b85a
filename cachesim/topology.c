#include "cachesim/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/input_file.h"
#include "tcplan/machine.h"

/* Reports a file that hwloc refuses; hwloc reports neither the reason nor the line. */
enum tcplan_status topology_refuse(const char *path, struct tcplan_error *error) {
    return error_set(
        error, TCPLAN_INVALID,
        "machine file '%.200s' is not a topology that hwloc understands; lstopo FILE.xml writes one",
        path);
}

static enum tcplan_status refuse_synthetic(const char *spec, struct tcplan_error *error) {
    return error_set(error, TCPLAN_INVALID,
                     "expected a machine (live, FILE.xml or an hwloc synthetic description such as "
                     "'pack:1 l2:4(size=1MB) l1d:1(size=32kB) core:1 pu:1'), found '%.120s'",
                     spec);
}

static bool is_file(const char *spec) {
    return input_file_is_named(spec, ".xml");
}

/** Selects the topology for hwloc to load. */
static enum tcplan_status choose_source(hwloc_topology_t topology, const char *spec,
                                        struct tcplan_error *error) {
    if (strcmp(spec, "live") == 0) return TCPLAN_OK;
    if (!is_file(spec)) {
        return *spec && hwloc_topology_set_synthetic(topology, spec) == 0
                   ? TCPLAN_OK
                   : refuse_synthetic(spec, error);
    }
    enum tcplan_status status = input_file_check("machine file ", spec, error);
    if (status != TCPLAN_OK) return status;
    return hwloc_topology_set_xml(topology, spec) == 0 ? TCPLAN_OK : topology_refuse(spec, error);
}

enum tcplan_status topology_load(hwloc_topology_t topology, const char *spec,
                                 struct tcplan_error *error) {
    enum tcplan_status status = choose_source(topology, spec, error);
    if (status != TCPLAN_OK || hwloc_topology_load(topology) == 0) return status;
    if (strcmp(spec, "live") != 0)
        return is_file(spec) ? topology_refuse(spec, error) : refuse_synthetic(spec, error);
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot load the topology of this machine: %s",
                     strerror(errno));
}

static enum tcplan_status load_live(hwloc_topology_t *topology, struct tcplan_error *error) {
    if (hwloc_topology_init(topology) != 0) return error_no_memory(error);
    const enum tcplan_status status = topology_load(*topology, "live", error);
    if (status != TCPLAN_OK) hwloc_topology_destroy(*topology);
    return status;
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
        const char *element =
            strstr(text, "<topology"); /* skips the declarations before the root element */
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
