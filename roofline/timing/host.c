#include "tcplan/host.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/input_file.h"
#include "cachesim/topology.h"
#include "contractions/xml_element.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/pin.h"
#include "microbench/timing/ticks.h"
#include "roofline/timing/chain.h"
#include "roofline/timing/system.h"

#define WATCH_NS 50000000U
#define PREEMPTION_NS 5000U /* longer gaps between clock readings are lost time */

enum { TIMER_READINGS = 2000 };

static double reading_ns(uint64_t (*read_ns)(void)) {
    const uint64_t start_ns = clock_now_ns();
    for (int i = 0; i < TIMER_READINGS; i++) (void)read_ns();
    return (double)(clock_now_ns() - start_ns) / TIMER_READINGS;
}

static double resolution_ns(void) {
    uint64_t smallest = UINT64_MAX;
    for (int i = 0; i < TIMER_READINGS; i++) {
        const uint64_t first = clock_now_ns();
        uint64_t next;
        while ((next = clock_now_ns()) == first) continue;
        if (next - first < smallest) smallest = next - first;
    }
    return (double)smallest;
}

static void examine_clocks(struct tcplan_host *host) {
    host->clock = chain_clock_rate();
    const double add_ns = chain_link_ns(CHAIN_ADD);
    host->multiply_cycles = add_ns > 0 ? chain_link_ns(CHAIN_MULTIPLY) / add_ns : 0;
    host->counter_hz = ticks_are_counted() ? ticks_hz() : 0;
    host->wall_timer_ns = reading_ns(clock_now_ns);
    host->cpu_timer_ns = reading_ns(clock_thread_cpu_ns);
    host->timer_resolution_ns = resolution_ns();
}

/** Reads the clock for a while; gaps between readings are time lost to other programs. */
static void watch(struct tcplan_host *host) {
    const struct system_times before = system_times();
    const uint64_t start_ns = clock_now_ns();
    uint64_t last_ns = start_ns;
    uint64_t lost_ns = 0;
    while (last_ns - start_ns < WATCH_NS) {
        const uint64_t now_ns = clock_now_ns();
        if (now_ns - last_ns > PREEMPTION_NS) {
            lost_ns += now_ns - last_ns;
            host->preemptions++;
        }
        last_ns = now_ns;
    }
    const struct system_times after = system_times();
    host->preempted_share = (double)lost_ns / (double)(last_ns - start_ns);
    host->steal_share = after.all > before.all ? (double)(after.stolen - before.stolen) /
                                                     (double)(after.all - before.all)
                                               : -1;
}

static void examine_system(struct tcplan_host *host) {
    host->page_bytes = (int64_t)sysconf(_SC_PAGESIZE);
    host->huge_page_bytes = system_huge_page_bytes();
    system_huge_page_setting(host->huge_page_setting, sizeof host->huge_page_setting);
    host->virtual_machine = system_is_virtual();
    system_load(&host->load_average, &host->running);
}

enum tcplan_status tcplan_host_examine(struct tcplan_host **out, struct tcplan_error *error) {
    struct tcplan_host *host = base_alloc(sizeof *host);
    if (!host) return error_no_memory(error);
    *host = (struct tcplan_host){.blas = tcplan_blas_info()};
    enum tcplan_status status = tcplan_machine_load(&host->machine, "live", error);
    if (status == TCPLAN_OK) status = topology_xml(&host->topology, error);
    if (status != TCPLAN_OK) {
        tcplan_host_free(host);
        return status;
    }
    examine_system(host);
    host->blas_threads = blas_threads();
    const struct pin pin = pin_thread();
    examine_clocks(host);
    watch(host);
    pin_release(&pin);
    *out = host;
    return TCPLAN_OK;
}

void tcplan_host_free(struct tcplan_host *host) {
    if (!host) return;
    free(host->topology);
    base_free(host);
}

enum tcplan_status tcplan_host_load_machine(struct tcplan_machine *out, const char *spec,
                                            struct tcplan_error *error) {
    char *topology;
    if (strcmp(spec, "live") == 0 || !input_file_is_named(spec, ".xml"))
        return tcplan_machine_load(out, spec, error);
    enum tcplan_status status = xml_element_read(&topology, spec, "topology", error);
    if (status != TCPLAN_OK) return status;
    status = tcplan_machine_parse(out, spec, topology, error);
    free(topology);
    return status;
}
