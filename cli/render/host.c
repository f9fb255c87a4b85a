#include "cli/render/view.h"

#include "base/quantity.h"
#include "cli/providers.h"
#include "cli/render/common_fields.h"

static void print_caches(FILE *file, const struct tcplan_machine *machine) {
    for (int c = 0; c < machine->cache_count; c++) {
        const struct tcplan_cache_level *cache = &machine->cache[c];
        fprintf(file, "L%d           %s", cache->level, quantity_bytes(cache->size_bytes).text);
        if (cache->ways > 0) fprintf(file, ", %d ways", cache->ways);
        if (cache->ways < 0) fputs(", fully associative", file);
        if (cache->line_bytes > 0) fprintf(file, ", lines of %lld B", (long long)cache->line_bytes);
        fprintf(file, ", shared by %d\n", cache->shared_by);
    }
}

static void print_clocks(FILE *file, const struct tcplan_host *host) {
    if (host->clock.hz > 0) {
        fprintf(
            file,
            "core clock   %.3f GHz, quartiles %.3f and %.3f; measured from dependent additions\n",
            1e-9 * host->clock.hz, 1e-9 * host->clock.q1, 1e-9 * host->clock.q3);
    } else {
        fputs("core clock   unknown on this architecture\n", file);
    }
    if (host->multiply_cycles > 0) {
        fprintf(file,
                "             a dependent multiplication takes %.3f of its cycles; measured\n",
                host->multiply_cycles);
    }
    if (host->counter_hz > 0)
        fprintf(file, "counter      %.3f GHz: the time-stamp counter; measured\n",
                1e-9 * host->counter_hz);
    fprintf(
        file,
        "timers       %.1f ns to read the monotonic clock, %.1f ns the thread's CPU time; resolution %.0f ns; measured\n",
        host->wall_timer_ns, host->cpu_timer_ns, host->timer_resolution_ns);
}

static void print_pages(FILE *file, const struct tcplan_host *host) {
    fprintf(file, "pages        %s", quantity_bytes(host->page_bytes).text);
    if (host->huge_page_bytes > 0)
        fprintf(file, "; huge ones %s", quantity_bytes(host->huge_page_bytes).text);
    if (*host->huge_page_setting) fprintf(file, ", transparent: %s", host->huge_page_setting);
    fputc('\n', file);
}

static void print_load(FILE *file, const struct tcplan_host *host) {
    fputs("other load   ", file);
    if (host->running >= 0) fprintf(file, "%d other threads runnable, ", host->running);
    if (host->load_average >= 0)
        fprintf(file, "%.2f on average over a minute; ", host->load_average);
    fprintf(file, "%.1f %% of 50 ms lost in %d preemptions", 100 * host->preempted_share,
            host->preemptions);
    if (host->steal_share >= 0)
        fprintf(file, ", %.1f %% stolen by the host", 100 * host->steal_share);
    fputs("; measured\n", file);
}

static void print(struct writer *writer, const void *record) {
    const struct tcplan_host *host = record;
    const struct tcplan_machine *machine = &host->machine;
    FILE *file = writer->file;
    fprintf(file, "machine      %s%s\n", *machine->cpu ? machine->cpu : "unknown",
            host->virtual_machine ? ", virtual" : "");
    fprintf(file, "cores        %d, %d processing units\n", machine->cores,
            machine->processing_units);
    print_caches(file, machine);
    if (machine->memory_bytes > 0)
        fprintf(file, "memory       %s\n", quantity_bytes(machine->memory_bytes).text);
    print_clocks(file, host);
    print_pages(file, host);
    print_load(file, host);
    fprintf(file, "BLAS         %s, %s by default\n", host->blas.text,
            counted(host->blas_threads, "thread").text);
    blas_warnings_print(file);
}

/* clang-format off */

#define CLOCK(F, T) \
    F(T, hz, NUMBER, field_number(r->clock.hz), "clock of a core", ALWAYS) \
    F(T, q1, NUMBER, field_number(r->clock.q1), "lower quartile", ALWAYS) \
    F(T, q3, NUMBER, field_number(r->clock.q3), "upper quartile", ALWAYS) \
    F(T, multiply_cycles, NUMBER, field_positive(r->multiply_cycles), "cycles of a dependent multiplication") \
    F(T, counter_hz, NUMBER, field_positive(r->counter_hz), "rate of the time-stamp counter") \
    F(T, origin, TEXT, field_text(tcplan_origin_name(TCPLAN_ORIGIN_MEASURED)), "source of the numbers", ALWAYS)

#define TIMERS(F, T) \
    F(T, wall_ns, NUMBER, field_number(r->wall_timer_ns), "time to read the monotonic clock", ALWAYS) \
    F(T, cpu_ns, NUMBER, field_number(r->cpu_timer_ns), "time to read the thread's CPU time", ALWAYS) \
    F(T, resolution_ns, NUMBER, field_number(r->timer_resolution_ns), "resolution of the clock", ALWAYS) \
    F(T, origin, TEXT, field_text(tcplan_origin_name(TCPLAN_ORIGIN_MEASURED)), "source of the numbers", ALWAYS)

#define PAGES(F, T) \
    F(T, bytes, INTEGER, field_integer(r->page_bytes), "size of a page", ALWAYS) \
    F(T, huge_bytes, INTEGER, field_if(r->huge_page_bytes > 0, field_integer(r->huge_page_bytes)), "size of a huge page") \
    F(T, transparent, TEXT, field_text(r->huge_page_setting), "setting of transparent huge pages")

#define OTHERS(F, T) \
    F(T, running, INTEGER, field_if(r->running >= 0, field_integer(r->running)), "other runnable threads") \
    F(T, average, NUMBER, field_if(r->load_average >= 0, field_number(r->load_average)), "load average of a minute") \
    F(T, preempted_share, NUMBER, field_number(r->preempted_share), "share of 50 ms lost to preemptions", ALWAYS) \
    F(T, preemptions, INTEGER, field_integer(r->preemptions), "number of preemptions", ALWAYS) \
    F(T, steal_share, NUMBER, field_if(r->steal_share >= 0, field_number(r->steal_share)), "share that the host of a virtual machine took")

#define HOST(F, T) \
    F(T, virtual_machine, FLAG, field_flag(r->virtual_machine), "whether the machine is a virtual machine", ALWAYS) \
    F(T, blas_threads, INTEGER, field_integer(r->blas_threads), "threads that the BLAS uses by default", ALWAYS) \
    F(T, machine, OBJECT, FIELD_VISIT(&r->machine), "cores and caches", .fields = tcplan_machine_fields, ALWAYS) \
    F(T, clock, OBJECT, if (r->clock.hz > 0) FIELD_VISIT(r), "clocks", .fields = clock_fields) \
    F(T, timers, OBJECT, FIELD_VISIT(r), "timers", .fields = timers_fields, ALWAYS) \
    F(T, pages, OBJECT, FIELD_VISIT(r), "pages of memory", .fields = pages_fields, ALWAYS) \
    F(T, load, OBJECT, FIELD_VISIT(r), "load by other programs", .fields = others_fields, ALWAYS) \
    F(T, libraries, GROUP, FIELD_VISIT(&r->blas), "libraries of kernels", .fields = libraries_fields) \
    F(T, topology, TEXT, field_text(r->topology), "hwloc's description, in XML only", .hidden = true, .write = write_topology)

/* clang-format on */

static void write_topology(struct document *document, const void *record) {
    const struct tcplan_host *host = record;
    if (document->xml) tcplan_xml_markup(document->xml, host->topology);
}

FIELD_TABLE(clock, tcplan_host, CLOCK);
FIELD_TABLE(timers, tcplan_host, TIMERS);
FIELD_TABLE(pages, tcplan_host, PAGES);
FIELD_TABLE(others, tcplan_host, OTHERS);
FIELD_TABLE(host, tcplan_host, HOST);

VIEW(host, host, "host", print, "Description of this machine.");
