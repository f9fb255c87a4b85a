/*
 * Binding by hwloc. A binding selects a set of cores, and all threads of the process may run on all
 * of them: libraries create their threads in different ways and orders, so that a thread cannot be
 * assigned to a core without knowing the library.
 */
#include "cachesim/binding.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cachesim/topology.h"

enum { MOST_NUMBER = 99999 };

/* The grammar. */

/** Returns a number of at most five digits and advances; -1: there is none. */
static int take_number(const char **at) {
    int number = 0;
    const char *const first = *at;
    for (; **at >= '0' && **at <= '9' && number <= MOST_NUMBER; (*at)++)
        number = 10 * number + (**at - '0');
    return *at == first || number > MOST_NUMBER ? -1 : number;
}

/* list = numbers { "," numbers } ; numbers = number [ "-" number ]
 * Calls `take` for each number until it returns false. Returns whether the whole list was read. */
static bool read_list(const char *text, bool (*take)(void *context, int number), void *context) {
    for (const char *at = text;; at++) {
        const int first = take_number(&at);
        int last = first;
        if (first < 0) return false;
        if (*at == '-') {
            at++;
            last = take_number(&at);
        }
        if (last < first) return false;
        for (int n = first; n <= last; n++) {
            if (take && !take(context, n)) return false;
        }
        if (*at != ',') return *at == '\0';
    }
}

static enum tcplan_status check_text(const char *option, const char *text, const char *words,
                                     bool good, struct tcplan_error *error) {
    if (!*text || good) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "%s: expected %s or numbers such as 0-3,6, found '%.60s'", option, words,
                     text);
}

enum tcplan_status tcplan_binding_make(struct tcplan_binding *out, const char *cores,
                                       const char *memory, struct tcplan_error *error) {
    *out = (struct tcplan_binding){{0}, {0}};
    if (!cores) cores = "";
    if (!memory) memory = "";
    if (strlen(cores) >= TCPLAN_BINDING_TEXT || strlen(memory) >= TCPLAN_BINDING_TEXT)
        return error_set(error, TCPLAN_INVALID,
                         "a list of cores or nodes has more than %d characters",
                         TCPLAN_BINDING_TEXT - 1);
    enum tcplan_status status =
        check_text("cores", cores, "close, spread, unbound",
                   strcmp(cores, "close") == 0 || strcmp(cores, "spread") == 0 ||
                       strcmp(cores, "unbound") == 0 || read_list(cores, NULL, NULL),
                   error);
    if (status == TCPLAN_OK)
        status = check_text("memory", memory, "local, interleave",
                            strcmp(memory, "local") == 0 || strcmp(memory, "interleave") == 0 ||
                                read_list(memory, NULL, NULL),
                            error);
    if (status != TCPLAN_OK) return status;
    memcpy(out->cores, cores, strlen(cores));
    memcpy(out->memory, memory, strlen(memory));
    return TCPLAN_OK;
}

void tcplan_binding_print(char out[TCPLAN_BINDING_LINE], const struct tcplan_binding *binding) {
    const bool both = *binding->cores && *binding->memory;
    snprintf(out, TCPLAN_BINDING_LINE, "%s%s%s%s%s", *binding->cores ? "cores=" : "",
             binding->cores, both ? " " : "", *binding->memory ? "memory=" : "", binding->memory);
}

bool binding_is_unbound(const struct tcplan_binding *binding) {
    return strcmp(binding->cores, "unbound") == 0;
}

/* The selection. */

struct numbers {
    int *number;
    int count;
    int limit;   /* limit that all numbers must be below */
    int refused; /* the first number that is not below the limit */
};

static bool add_number(void *context, int number) {
    struct numbers *numbers = context;
    if (number >= numbers->limit) {
        numbers->refused = number;
        return false;
    }
    for (int n = 0; n < numbers->count; n++) {
        if (numbers->number[n] == number) return true;
    }
    numbers->number[numbers->count++] = number;
    return true;
}

/** Reads a list of different numbers below a limit, and returns how many they are. Error
 * messages name them `what`. */
static enum tcplan_status select_list(int number[], int *count, const char *text, int limit,
                                      const char *what, struct tcplan_error *error) {
    struct numbers numbers = {.number = number, .limit = limit};
    const bool good = read_list(text, add_number, &numbers);
    *count = numbers.count;
    if (good) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "there is no %s %d: expected 0 to %d", what,
                     numbers.refused, limit - 1);
}

static enum tcplan_status select_cores(struct selection *out, const char *cores, int threads,
                                       const struct places *places, struct tcplan_error *error) {
    const bool close = strcmp(cores, "close") == 0, spread = strcmp(cores, "spread") == 0;
    enum tcplan_status status = TCPLAN_OK;
    if (!*cores || strcmp(cores, "unbound") == 0) return TCPLAN_OK;
    if ((close || spread) && threads > places->count)
        return error_set(error, TCPLAN_INVALID,
                         "%d threads need %d cores (cores %s), but %d may be used", threads,
                         threads, cores, places->count);
    if (close || spread) {
        out->core_count = threads;
        for (int t = 0; t < threads; t++)
            out->core[t] = close ? t : (int)((long)t * places->count / threads);
    } else {
        status = select_list(out->core, &out->core_count, cores, places->count, "core", error);
    }
    if (status == TCPLAN_OK && out->core_count < threads)
        status = error_set(error, TCPLAN_INVALID, "%d threads need %d cores, but '%.60s' names %d",
                           threads, threads, cores, out->core_count);
    for (int c = 0; c < out->core_count; c++)
        out->processor[c] = places->place[out->core[c]].processor;
    return status;
}

enum tcplan_status binding_select(struct selection *out, const struct tcplan_binding *binding,
                                  int threads, const struct places *places, int nodes,
                                  struct tcplan_error *error) {
    const char *memory = binding->memory;
    *out = (struct selection){0};
    if (nodes > PLACES_MAX) nodes = PLACES_MAX;
    enum tcplan_status status = select_cores(out, binding->cores, threads, places, error);
    if (status != TCPLAN_OK || !*memory || strcmp(memory, "local") == 0) return status;
    out->interleaved = strcmp(memory, "interleave") == 0;
    if (!out->interleaved)
        status = select_list(out->node, &out->node_count, memory, nodes, "NUMA node", error);
    for (; out->interleaved && out->node_count < nodes; out->node_count++)
        out->node[out->node_count] = out->node_count;
    if (out->node_count > 1) out->interleaved = true;
    return status;
}

/** Returns the number of NUMA nodes; a machine without any has one memory. */
static int count_nodes(hwloc_topology_t topology) {
    const int nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    return nodes > 0 ? nodes : 1;
}

static void add_numbers(char out[TCPLAN_BINDING_LINE], const char *before, const int number[],
                        int count) {
    size_t length = strlen(out);
    for (int n = 0, end; n < count; n = end) {
        for (end = n + 1; end < count && number[end] == number[end - 1] + 1; end++) {
        }
        const char *separator = n > 0 ? "," : before;
        const int added = end - n > 1 ? snprintf(out + length, TCPLAN_BINDING_LINE - length,
                                                 "%s%d-%d", separator, number[n], number[end - 1])
                                      : snprintf(out + length, TCPLAN_BINDING_LINE - length, "%s%d",
                                                 separator, number[n]);
        length += (size_t)added;
        if (length >= TCPLAN_BINDING_LINE) return;
    }
}

static void describe(char out[TCPLAN_BINDING_LINE], const struct tcplan_binding *binding,
                     const struct selection *selection) {
    const bool one = selection->core_count == 1;
    out[0] = '\0';
    if (binding_is_unbound(binding)) snprintf(out, TCPLAN_BINDING_LINE, "unbound");
    add_numbers(out, one ? "core " : "cores ", selection->core, selection->core_count);
    const size_t length = strlen(out);
    if (*binding->memory)
        snprintf(out + length, TCPLAN_BINDING_LINE - length, "%s%s", length > 0 ? ", " : "",
                 selection->node_count == 0 ? "local memory" : "");
    add_numbers(out, selection->node_count == 1 ? "memory of node " : "memory of nodes ",
                selection->node, selection->node_count);
}

enum tcplan_status tcplan_binding_describe(char out[TCPLAN_BINDING_LINE],
                                           const struct tcplan_binding *binding, int threads,
                                           const char *machine, struct tcplan_error *error) {
    hwloc_topology_t topology;
    struct places places;
    struct selection *selection = base_alloc(sizeof *selection);
    out[0] = '\0';
    if (!selection || hwloc_topology_init(&topology) != 0) {
        base_free(selection);
        return error_no_memory(error);
    }
    enum tcplan_status status = topology_load(topology, machine, error);
    if (status == TCPLAN_OK) status = places_load(&places, machine, error);
    if (status == TCPLAN_OK)
        status = binding_select(selection, binding, threads, &places, count_nodes(topology), error);
    if (status == TCPLAN_OK) describe(out, binding, selection);
    hwloc_topology_destroy(topology);
    base_free(selection);
    return status;
}

/* Binding. */

struct bound {
    hwloc_topology_t topology;
    hwloc_bitmap_t cores;  /* cores of the process before; NULL: threads are not bound */
    hwloc_bitmap_t nodes;  /* nodes of the calling thread before; NULL: memory is not bound */
    hwloc_bitmap_t target; /* nodes of the binding */
    hwloc_membind_policy_t before, policy;
};

static enum tcplan_status refuse(const char *what, struct tcplan_error *error) {
    return error_set(error, TCPLAN_ENVIRONMENT, "the system cannot bind %s: %s", what,
                     strerror(errno));
}

static enum tcplan_status bind_threads(struct bound *bound, const struct selection *selection,
                                       struct tcplan_error *error) {
    hwloc_bitmap_t wanted = hwloc_bitmap_alloc();
    bound->cores = hwloc_bitmap_alloc();
    enum tcplan_status status = wanted && bound->cores ? TCPLAN_OK : error_no_memory(error);
    for (int c = 0; c < selection->core_count && status == TCPLAN_OK; c++) {
        if (hwloc_bitmap_set(wanted, (unsigned)selection->processor[c]) != 0)
            status = error_no_memory(error);
    }
    if (status == TCPLAN_OK &&
        (hwloc_get_cpubind(bound->topology, bound->cores, HWLOC_CPUBIND_PROCESS) != 0 ||
         hwloc_set_cpubind(bound->topology, wanted, HWLOC_CPUBIND_PROCESS) != 0))
        status = refuse("threads to cores", error);
    hwloc_bitmap_free(wanted);
    return status;
}

/** Fills the set of nodes with the system's numbers. */
static bool set_nodes(struct bound *bound, const struct selection *selection) {
    for (int n = 0; n < selection->node_count; n++) {
        const hwloc_obj_t node = hwloc_get_obj_by_type(bound->topology, HWLOC_OBJ_NUMANODE,
                                                       (unsigned)selection->node[n]);
        if (hwloc_bitmap_set(bound->target, node ? node->os_index : 0) != 0) return false;
    }
    if (selection->node_count > 0) return true;
    return hwloc_bitmap_copy(bound->target, hwloc_topology_get_allowed_nodeset(bound->topology)) ==
           0;
}

static enum tcplan_status bind_memory(struct bound *bound, const struct selection *selection,
                                      struct tcplan_error *error) {
    bound->target = hwloc_bitmap_alloc();
    bound->nodes = hwloc_bitmap_alloc();
    if (!bound->target || !bound->nodes || !set_nodes(bound, selection))
        return error_no_memory(error);
    bound->policy = selection->interleaved       ? HWLOC_MEMBIND_INTERLEAVE
                    : selection->node_count == 0 ? HWLOC_MEMBIND_FIRSTTOUCH
                                                 : HWLOC_MEMBIND_BIND;
    if (hwloc_get_membind(bound->topology, bound->nodes, &bound->before,
                          HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET) == 0 &&
        hwloc_set_membind(bound->topology, bound->target, bound->policy,
                          HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET) == 0)
        return TCPLAN_OK;
    hwloc_bitmap_free(bound->nodes);
    bound->nodes = NULL;
    return refuse("memory to nodes", error);
}

static enum tcplan_status bind_all(struct bound *bound, const struct tcplan_binding *binding,
                                   int threads, struct tcplan_error *error) {
    struct places places;
    struct selection *selection = base_alloc(sizeof *selection);
    if (!selection) return error_no_memory(error);
    enum tcplan_status status = topology_load(bound->topology, "live", error);
    const int nodes = status == TCPLAN_OK ? count_nodes(bound->topology) : 0;
    if (status == TCPLAN_OK) status = places_load(&places, NULL, error);
    if (status == TCPLAN_OK)
        status = binding_select(selection, binding, threads, &places, nodes, error);
    if (status == TCPLAN_OK && selection->core_count > 0)
        status = bind_threads(bound, selection, error);
    if (status == TCPLAN_OK && *binding->memory && nodes > 1) /* with one node, memory need not be
                                                                 bound */
        status = bind_memory(bound, selection, error);
    base_free(selection);
    return status;
}

enum tcplan_status binding_apply(struct bound **out, const struct tcplan_binding *binding,
                                 int threads, struct tcplan_error *error) {
    *out = NULL;
    if (!*binding->cores && !*binding->memory) return TCPLAN_OK;
    struct bound *bound = base_alloc_zero(1, sizeof *bound);
    if (!bound || hwloc_topology_init(&bound->topology) != 0) {
        base_free(bound);
        return error_no_memory(error);
    }
    enum tcplan_status status = bind_all(bound, binding, threads, error);
    if (status == TCPLAN_OK) {
        *out = bound;
    } else {
        binding_release(bound);
    }
    return status;
}

enum tcplan_status binding_move(const struct bound *bound, void *memory, size_t bytes,
                                struct tcplan_error *error) {
    if (!bound || !bound->nodes) return TCPLAN_OK;
    if (hwloc_set_area_membind(bound->topology, memory, bytes, bound->target, bound->policy,
                               HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_MIGRATE) == 0)
        return TCPLAN_OK;
    return refuse("existing memory to NUMA nodes", error);
}

void binding_release(struct bound *bound) {
    if (!bound) return;
    if (bound->cores) (void)hwloc_set_cpubind(bound->topology, bound->cores, HWLOC_CPUBIND_PROCESS);
    if (bound->nodes)
        (void)hwloc_set_membind(bound->topology, bound->nodes, bound->before,
                                HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET);
    hwloc_bitmap_free(bound->cores);
    hwloc_bitmap_free(bound->nodes);
    hwloc_bitmap_free(bound->target);
    hwloc_topology_destroy(bound->topology);
    base_free(bound);
}
