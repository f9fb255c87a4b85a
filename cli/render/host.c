#include "cli/render/host.h"

#include "base/quantity.h"
#include "cli/blas_advice.h"
#include "cli/render/document.h"

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
        fputs("core clock   not known on this architecture\n", file);
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
    if (host->running >= 0) fprintf(file, "%d other threads want a core, ", host->running);
    if (host->load_average >= 0)
        fprintf(file, "%.2f on average over a minute; ", host->load_average);
    fprintf(file, "%.1f %% of 50 ms lost in %d preemptions", 100 * host->preempted_share,
            host->preemptions);
    if (host->steal_share >= 0)
        fprintf(file, ", %.1f %% stolen by the host", 100 * host->steal_share);
    fputs("; measured\n", file);
}

void host_print_text(struct writer *writer, const struct tcplan_host *host) {
    const struct tcplan_machine *machine = &host->machine;
    FILE *file = writer->file;
    fprintf(file, "machine      %s%s\n", *machine->cpu ? machine->cpu : "of unknown make",
            host->virtual_machine ? ", virtual" : "");
    fprintf(file, "cores        %d, %d processing units\n", machine->cores,
            machine->processing_units);
    print_caches(file, machine);
    if (machine->memory_bytes > 0)
        fprintf(file, "memory       %s\n", quantity_bytes(machine->memory_bytes).text);
    print_clocks(file, host);
    print_pages(file, host);
    print_load(file, host);
    fprintf(file, "BLAS         %s, %d thread%s unless told\n", host->blas.text, host->blas_threads,
            host->blas_threads == 1 ? "" : "s");
    blas_warnings_print(file);
}

static void write_clocks(struct document *document, const struct tcplan_host *host) {
    const struct document_kind *kind = document->kind;
    if (host->clock.hz > 0) {
        kind->object(document, "clock");
        kind->number(document, "hz", host->clock.hz);
        kind->number(document, "q1", host->clock.q1);
        kind->number(document, "q3", host->clock.q3);
        if (host->multiply_cycles > 0)
            kind->number(document, "multiply_cycles", host->multiply_cycles);
        if (host->counter_hz > 0) kind->number(document, "counter_hz", host->counter_hz);
        kind->text(document, "origin", tcplan_origin_name(TCPLAN_ORIGIN_MEASURED));
        kind->end(document);
    }
    kind->object(document, "timers");
    kind->number(document, "wall_ns", host->wall_timer_ns);
    kind->number(document, "cpu_ns", host->cpu_timer_ns);
    kind->number(document, "resolution_ns", host->timer_resolution_ns);
    kind->text(document, "origin", tcplan_origin_name(TCPLAN_ORIGIN_MEASURED));
    kind->end(document);
}

static void write_pages(struct document *document, const struct tcplan_host *host) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "pages");
    kind->integer(document, "bytes", host->page_bytes);
    if (host->huge_page_bytes > 0) kind->integer(document, "huge_bytes", host->huge_page_bytes);
    if (*host->huge_page_setting) kind->text(document, "transparent", host->huge_page_setting);
    kind->end(document);
}

static void write_load(struct document *document, const struct tcplan_host *host) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "load");
    if (host->running >= 0) kind->integer(document, "running", host->running);
    if (host->load_average >= 0) kind->number(document, "average", host->load_average);
    kind->number(document, "preempted_share", host->preempted_share);
    kind->integer(document, "preemptions", host->preemptions);
    if (host->steal_share >= 0) kind->number(document, "steal_share", host->steal_share);
    kind->end(document);
}

void document_host(struct writer *writer, const struct tcplan_host *host) {
    struct document *document = writer->document;
    if (!document) return;
    const struct document_kind *kind = document->kind;
    document_open(document, "host");
    kind->boolean(document, "virtual_machine", host->virtual_machine);
    kind->integer(document, "blas_threads", host->blas_threads);
    document_machine(document, &host->machine);
    write_clocks(document, host);
    write_pages(document, host);
    write_load(document, host);
    document_blas(document, &host->blas);
    if (kind->markup) kind->markup(document, host->topology);
    kind->end(document);
}
