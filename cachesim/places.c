#include "cachesim/places.h"

#include <assert.h>
#include <hwloc.h>
#include <string.h>

#include "base/error.h"
#include "cachesim/topology.h"

const char *place_affinity_name(enum place_affinity affinity) {
    return affinity == PLACE_CLOSE ? "close" : "spread";
}

const char *place_scope_name(enum place_scope scope) {
    static const char *const names[PLACE_SCOPES] = {"core", "NUMA node", "socket", "machine"};
    return names[scope];
}

/** Returns the NUMA node of a core; hwloc attaches nodes next to the tree of cores. */
static int node_of(hwloc_topology_t topology, hwloc_obj_t core) {
    hwloc_obj_t node = NULL;
    for (int n = 0; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != NULL;
         n++) {
        if (hwloc_bitmap_isincluded(core->cpuset, node->cpuset)) return n;
    }
    return 0;
}

static int socket_of(hwloc_topology_t topology, hwloc_obj_t core) {
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, core);
    return package ? (int)package->logical_index : 0;
}

static void add_places(struct places *out, hwloc_topology_t topology,
                       hwloc_const_bitmap_t allowed) {
    hwloc_obj_t core = NULL;
    while (out->count < PLACES_MAX &&
           (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != NULL) {
        hwloc_obj_t unit = NULL;
        while ((unit = hwloc_get_next_obj_inside_cpuset_by_type(topology, core->cpuset,
                                                                HWLOC_OBJ_PU, unit)) != NULL) {
            if (!hwloc_bitmap_isset(allowed, unit->os_index)) continue;
            out->place[out->count++] = (struct place){.processor = (int)unit->os_index,
                                                      .node = node_of(topology, core),
                                                      .socket = socket_of(topology, core)};
            break;
        }
    }
}

enum tcplan_status places_load(struct places *out, const char *machine,
                               struct tcplan_error *error) {
    hwloc_topology_t topology;
    *out = (struct places){0};
    if (!machine) machine = "live";
    if (hwloc_topology_init(&topology) != 0) return error_no_memory(error);
    enum tcplan_status status = topology_load(topology, machine, error);
    hwloc_bitmap_t allowed = status == TCPLAN_OK ? hwloc_bitmap_alloc_full() : NULL;
    if (allowed) {
        if (hwloc_topology_is_thissystem(topology))
            (void)hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_THREAD);
        add_places(out, topology, allowed);
    } else if (status == TCPLAN_OK) {
        status = error_no_memory(error);
    }
    hwloc_bitmap_free(allowed);
    hwloc_topology_destroy(topology);
    if (status != TCPLAN_OK || out->count > 0) return status;
    return error_set(error, TCPLAN_ENVIRONMENT, "the system does not report its cores");
}

void places_choose(int *processor, const struct places *places, enum place_affinity affinity,
                   int threads) {
    assert(threads > 0);
    for (int t = 0; t < threads; t++) {
        const int place = affinity == PLACE_CLOSE ? t : (int)((long)t * places->count / threads);
        assert(place < places->count);
        processor[t] = places->place[place].processor;
    }
}

struct places places_first(const struct places *places, int count) {
    struct places first = *places;
    if (count < first.count) first.count = count;
    return first;
}

int places_nodes(const struct places *places) {
    int nodes = 0;
    for (int p = 0; p < places->count; p++) {
        bool seen = false;
        for (int q = 0; q < p && !seen; q++) seen = places->place[q].node == places->place[p].node;
        nodes += !seen;
    }
    return nodes;
}

int places_sockets(const struct places *places) {
    int sockets = 0;
    for (int p = 0; p < places->count; p++) {
        bool seen = false;
        for (int q = 0; q < p && !seen; q++)
            seen = places->place[q].socket == places->place[p].socket;
        sockets += !seen;
    }
    return sockets;
}

/** Returns how many consecutive places, from the first one on, are in the first place's NUMA node
 * or socket. */
static int first_run(const struct places *places, enum place_scope scope) {
    assert(places->count > 0 && (scope == PLACE_NODE || scope == PLACE_SOCKET));
    int count = 0;
    const struct place *first = &places->place[0];
    while (count < places->count &&
           (scope == PLACE_NODE ? places->place[count].node == first->node
                                : places->place[count].socket == first->socket)) {
        count++;
    }
    return count;
}

/** Inserts a part, sorted by its number of threads; an existing part with the same number gets the
 * new name. */
static int add_part(struct place_part out[PLACE_SCOPES], int count, enum place_scope scope,
                    int threads) {
    assert(count < PLACE_SCOPES && threads > 0);
    int at = count;
    while (at > 0 && out[at - 1].threads >= threads) at--;
    if (at < count && out[at].threads == threads) {
        if (out[at].scope != PLACE_CORE) out[at].scope = scope;
        return count;
    }
    memmove(&out[at + 1], &out[at], (size_t)(count - at) * sizeof *out);
    out[at] = (struct place_part){.scope = scope, .threads = threads};
    return count + 1;
}

int places_parts(struct place_part out[PLACE_SCOPES], const struct places *places) {
    int count = add_part(out, 0, PLACE_CORE, 1);
    count = add_part(out, count, PLACE_NODE, first_run(places, PLACE_NODE));
    count = add_part(out, count, PLACE_SOCKET, first_run(places, PLACE_SOCKET));
    return add_part(out, count, PLACE_MACHINE, places->count);
}

int places_counts(int out[PLACE_SCOPES], const struct places *places, int most) {
    assert(most >= 0);
    struct place_part part[PLACE_SCOPES];
    const int parts = places_parts(part, places);
    int count = 0;
    if (most == 0) most = places->count;
    for (int p = 0; p < parts && part[p].threads < most && count < PLACE_SCOPES - 1; p++)
        out[count++] = part[p].threads;
    out[count++] = most;
    return count;
}

bool places_interleave(void *memory, size_t bytes) {
    hwloc_topology_t topology;
    bool done = false;
    if (hwloc_topology_init(&topology) != 0) return false;
    if (hwloc_topology_load(topology) == 0) {
        hwloc_const_nodeset_t nodes = hwloc_topology_get_allowed_nodeset(topology);
        done = hwloc_set_area_membind(topology, memory, bytes, nodes, HWLOC_MEMBIND_INTERLEAVE,
                                      HWLOC_MEMBIND_BYNODESET) == 0;
    }
    hwloc_topology_destroy(topology);
    return done;
}
