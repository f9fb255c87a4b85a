#include "tcplan/machine.h"

#include <errno.h>
#include <hwloc.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cachesim/topology.h"

enum {
    USUAL_LINE_BYTES = 64,
    MAX_LINE_BYTES = 65536,
    USUAL_PAGE_BYTES = 4096,
    LEAST_PAGE_BYTES = 512,
    MOST_UNITS = 16,
    MOST_CHANNELS = 64
};

/* Largest accepted page size, the same as for costs: see tcplan_costs_are_sound(). */
static const uint64_t max_page_bytes = UINT64_C(1) << 30;

#define MOST_HZ INT64_C(1000000000000)

/* The largest accepted size; sums and products of such sizes do not overflow. */
static const uint64_t max_bytes = UINT64_C(1) << 56;

/** Copies as much of a text as fits, without spaces at either end, because BIOS vendors pad the
 * names of processors. */
static void copy_text(char out[TCPLAN_MACHINE_TEXT], const char *text) {
    while (*text == ' ') text++;
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') length--;
    snprintf(out, TCPLAN_MACHINE_TEXT, "%.*s",
             (int)(length < TCPLAN_MACHINE_TEXT ? length : TCPLAN_MACHINE_TEXT - 1), text);
}

static void add_cache(struct tcplan_machine *machine, hwloc_obj_t cache) {
    if (cache->attr->cache.size == 0 || machine->cache_count == TCPLAN_MAX_CACHE_LEVELS) return;
    machine->cache[machine->cache_count++] = (struct tcplan_cache_level){
        .level = (int)cache->attr->cache.depth,
        .size_bytes = (int64_t)cache->attr->cache.size,
        .line_bytes = (int64_t)cache->attr->cache.linesize,
        .ways = cache->attr->cache.associativity,
        .shared_by = hwloc_bitmap_weight(cache->cpuset),
    };
}

/** Returns the processing unit on which this thread measures: the first one on which it may run.
 * For another machine, returns the first one of all. */
static hwloc_obj_t measuring_unit(hwloc_topology_t topology) {
    int first = -1;
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    if (allowed && hwloc_topology_is_thissystem(topology) &&
        hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_THREAD) == 0) {
        first = hwloc_bitmap_first(allowed);
    }
    hwloc_bitmap_free(allowed);
    hwloc_obj_t unit = first >= 0 ? hwloc_get_pu_obj_by_os_index(topology, (unsigned)first) : NULL;
    return unit ? unit : hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0);
}

static void describe_caches(struct tcplan_machine *machine, hwloc_topology_t topology) {
    for (hwloc_obj_t object = measuring_unit(topology); object; object = object->parent) {
        if (hwloc_obj_type_is_dcache(object->type)) add_cache(machine, object);
    }
    for (int c = 0; c < machine->cache_count && machine->line_bytes == 0; c++)
        machine->line_bytes = machine->cache[c].line_bytes;
    machine->line_assumed = machine->line_bytes == 0;
    if (machine->line_assumed) machine->line_bytes = USUAL_LINE_BYTES;
}

static const char *cpu_model(hwloc_topology_t topology) {
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (!model) model = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "CPUModel");
    return model ? model : "";
}

/** Reads an integer from the entries of the outermost object; *value is unchanged if there is no
 * such entry. */
static enum tcplan_status read_entry(int64_t *value, hwloc_topology_t topology, const char *name,
                                     const char *spec, struct tcplan_error *error) {
    const char *text = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), name);
    char *end;
    if (!text) return TCPLAN_OK;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0) {
        return error_set(error, TCPLAN_INVALID,
                         "machine file '%.200s': expected a whole number as %s, found '%.60s'",
                         spec, name, text);
    }
    *value = number;
    return TCPLAN_OK;
}

static enum tcplan_status read_heuristics(struct tcplan_heuristics *heuristics,
                                          hwloc_topology_t topology, const char *spec,
                                          struct tcplan_error *error) {
    *heuristics = topology_heuristics(topology);
    enum tcplan_status status =
        read_entry(&heuristics->far_bytes, topology, TOPOLOGY_FAR_BYTES, spec, error);
    if (status == TCPLAN_OK)
        status = read_entry(&heuristics->ahead_bytes, topology, TOPOLOGY_AHEAD_BYTES, spec, error);
    if (status == TCPLAN_OK)
        status =
            read_entry(&heuristics->ahead_columns, topology, TOPOLOGY_AHEAD_COLUMNS, spec, error);
    return status;
}

/** Reads a number from 1 to `most`, as read_entry() does. */
static enum tcplan_status read_bounded(int64_t *value, int64_t most, hwloc_topology_t topology,
                                       const char *name, const char *spec,
                                       struct tcplan_error *error) {
    int64_t number = 1;
    enum tcplan_status status = read_entry(&number, topology, name, spec, error);
    if (status != TCPLAN_OK || !hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), name))
        return status;
    if (number < 1 || number > most) {
        return error_set(error, TCPLAN_INVALID,
                         "machine file '%.200s': expected a number from 1 to %" PRId64
                         " as %s, found %" PRId64,
                         spec, most, name, number);
    }
    *value = number;
    return TCPLAN_OK;
}

static enum tcplan_status read_data_sheet(struct tcplan_data_sheet *sheet,
                                          hwloc_topology_t topology, const char *spec,
                                          struct tcplan_error *error) {
    enum tcplan_status status =
        read_bounded(&sheet->clock_hz, MOST_HZ, topology, TOPOLOGY_CLOCK_HZ, spec, error);
    if (status == TCPLAN_OK)
        status =
            read_bounded(&sheet->fma_units, MOST_UNITS, topology, TOPOLOGY_FMA_UNITS, spec, error);
    if (status == TCPLAN_OK)
        status = read_bounded(&sheet->memory_transfers, MOST_HZ, topology,
                              TOPOLOGY_MEMORY_TRANSFERS, spec, error);
    if (status == TCPLAN_OK)
        status = read_bounded(&sheet->memory_channels, MOST_CHANNELS, topology,
                              TOPOLOGY_MEMORY_CHANNELS, spec, error);
    return status;
}

/** Refuses implausible sizes in files. */
static enum tcplan_status check_bytes(const char *what, uint64_t bytes, uint64_t most,
                                      const char *spec, struct tcplan_error *error) {
    if (bytes <= most) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "machine '%.200s': expected at most %" PRIu64 " bytes as %s, found %" PRIu64,
                     spec, most, what, bytes);
}

/** Refuses page sizes that are not a power of two. */
static enum tcplan_status check_pages(uint64_t bytes, const char *spec,
                                      struct tcplan_error *error) {
    if (bytes >= LEAST_PAGE_BYTES && bytes <= max_page_bytes && (bytes & (bytes - 1)) == 0)
        return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "machine '%.200s': expected as page size a power of two from %d to %" PRIu64
                     " bytes, found %" PRIu64,
                     spec, LEAST_PAGE_BYTES, max_page_bytes, bytes);
}

static enum tcplan_status check_sizes(const struct tcplan_machine *machine, const char *spec,
                                      struct tcplan_error *error) {
    enum tcplan_status status =
        check_bytes("memory", (uint64_t)machine->memory_bytes, max_bytes, spec, error);
    for (int c = 0; c < machine->cache_count && status == TCPLAN_OK; c++) {
        status =
            check_bytes("a cache", (uint64_t)machine->cache[c].size_bytes, max_bytes, spec, error);
        if (status == TCPLAN_OK)
            status = check_bytes("a cache line", (uint64_t)machine->cache[c].line_bytes,
                                 MAX_LINE_BYTES, spec, error);
    }
    return status == TCPLAN_OK ? check_pages((uint64_t)machine->page_bytes, spec, error) : status;
}

/** Returns the bytes of memory. For this system it is at least the total that the system reports,
 * because the sums of nodes may lack memory that was added to a running guest. */
static int64_t memory_of(hwloc_topology_t topology) {
    const int64_t found = (int64_t)hwloc_get_root_obj(topology)->total_memory;
    const int64_t pages = sysconf(_SC_PHYS_PAGES);
    const int64_t page_bytes = sysconf(_SC_PAGESIZE);
    const bool is_known =
        hwloc_topology_is_thissystem(topology) != 0 && pages > 0 && page_bytes > 0;
    return is_known && pages > found / page_bytes ? pages * page_bytes : found;
}

/** Returns the bytes of the smallest pages: as this system reports them; for another machine, from
 * its first node that lists page sizes. */
static int64_t page_bytes_of(hwloc_topology_t topology) {
    const long own = sysconf(_SC_PAGESIZE);
    if (hwloc_topology_is_thissystem(topology) && own > 0) return own;
    const int nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    for (int n = 0; n < nodes; n++) {
        const struct hwloc_numanode_attr_s *node =
            &hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, (unsigned)n)->attr->numanode;
        uint64_t least = 0;
        for (unsigned t = 0; t < node->page_types_len; t++) {
            const uint64_t size = node->page_types[t].size;
            if (size > 0 && (least == 0 || size < least)) least = size;
        }
        if (least > 0) return (int64_t)(least < INT64_MAX ? least : INT64_MAX);
    }
    return USUAL_PAGE_BYTES;
}

static enum tcplan_status describe(struct tcplan_machine *machine, hwloc_topology_t topology,
                                   const char *spec, struct tcplan_error *error) {
    *machine = (struct tcplan_machine){.live = hwloc_topology_is_thissystem(topology) != 0,
                                       .cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE),
                                       .processing_units =
                                           hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU),
                                       .memory_bytes = memory_of(topology),
                                       .page_bytes = page_bytes_of(topology)};
    if (machine->cores <= 0) machine->cores = machine->processing_units;
    copy_text(machine->source, spec);
    copy_text(machine->cpu, cpu_model(topology));
    describe_caches(machine, topology);
    enum tcplan_status status = check_sizes(machine, spec, error);
    if (status == TCPLAN_OK) status = read_heuristics(&machine->heuristics, topology, spec, error);
    return status == TCPLAN_OK ? read_data_sheet(&machine->data_sheet, topology, spec, error)
                               : status;
}

enum tcplan_status tcplan_machine_load(struct tcplan_machine *out, const char *spec,
                                       struct tcplan_error *error) {
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0) return error_no_memory(error);
    enum tcplan_status status = topology_load(topology, spec, error);
    struct tcplan_machine machine;
    if (status == TCPLAN_OK) status = describe(&machine, topology, spec, error);
    if (status == TCPLAN_OK) *out = machine;
    hwloc_topology_destroy(topology);
    return status;
}

enum tcplan_status tcplan_machine_parse(struct tcplan_machine *out, const char *source,
                                        const char *xml, struct tcplan_error *error) {
    hwloc_topology_t topology;
    const size_t bytes = strlen(xml) + 1; /* hwloc counts the terminator */
    if (bytes > INT_MAX) return topology_refuse(source, error);
    if (hwloc_topology_init(&topology) != 0) return error_no_memory(error);
    const bool loaded = hwloc_topology_set_xmlbuffer(topology, xml, (int)bytes) == 0 &&
                        hwloc_topology_load(topology) == 0;
    struct tcplan_machine machine;
    const enum tcplan_status status =
        loaded ? describe(&machine, topology, source, error) : topology_refuse(source, error);
    if (status == TCPLAN_OK) *out = machine;
    hwloc_topology_destroy(topology);
    return status;
}

const char *tcplan_machine_library(void) {
    return "hwloc " HWLOC_VERSION;
}
