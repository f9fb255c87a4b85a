/**
 * Measures the speed of the cache simulator, in million accesses per second of CPU time.
 *
 * For each level alone, and for the hierarchy: accesses by elements and by lines through twice its
 * size, and random accesses within half of its size (hits) and within twice its size. For nests:
 * their accesses, the accesses of all levels, and exact stack distances.
 *
 *   bench_simulator [MACHINE]      default: a core of the dissertation's kind, a common server's,
 *                                  and this machine
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "cachesim/access_trace.h"
#include "cachesim/reuse.h"
#include "cachesim/simulator.h"
#include "support/named_nest.h"

enum { ACCESSES = 10000000, BATCH = 1 << 20, LINE_BYTES = 64 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID,
                  &now); /* the CPU time of this process, which other load does not affect */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/** Returns million accesses per second, summed over all levels that the accesses reach. */
static double rate(const struct simulator *simulator, int levels, double elapsed) {
    double accesses = 0;
    for (int k = 0; k < levels; k++) accesses += (double)simulator_counts(simulator, k).accesses;
    return accesses / elapsed * 1e-6;
}

/** Fills in addresses within `footprint_bytes`: repeated passes by elements ('e') or lines ('l'),
 * or random addresses ('r'). */
static void fill_stream(uint64_t *address, char kind, uint64_t footprint_bytes,
                        struct random *random, uint64_t *place) {
    for (int i = 0; i < BATCH; i++) {
        if (kind == 'r') *place = random_next(random) % footprint_bytes;
        address[i] = *place;
        *place = (*place + (kind == 'e' ? sizeof(double) : LINE_BYTES)) % footprint_bytes;
    }
}

/** Returns the access rate of a stream of addresses within `footprint_bytes`. Filling the arrays is
 * not timed. */
static double stream_rate(const struct simulator_options *options, char kind,
                          uint64_t footprint_bytes) {
    static uint64_t address[BATCH];
    struct simulator *simulator = simulator_new(options);
    struct random random = {1};
    uint64_t place = 0;
    double elapsed = 0;
    if (!simulator) exit(1);
    for (int done = 0; done < ACCESSES; done += BATCH) {
        fill_stream(address, kind, footprint_bytes, &random, &place);
        const double start = seconds();
        for (int i = 0; i < BATCH; i++) simulator_access(simulator, address[i], (i & 3) == 0);
        elapsed += seconds() - start;
    }
    const double found = rate(simulator, options->level_count, elapsed);
    simulator_free(simulator);
    return found;
}

static struct simulator_options level_alone(const struct simulator_options *options, int k) {
    struct simulator_options alone = {.line_bytes = options->line_bytes, .level_count = 1};
    alone.level[0] = options->level[k];
    return alone;
}

static void print_streams(const char *name, const struct simulator_options *options) {
    const uint64_t size = (uint64_t)options->level[options->level_count - 1].size_bytes;
    printf("  %-28s", name);
    printf("%10.0f%10.0f%10.0f%10.0f\n", stream_rate(options, 'e', 2 * size),
           stream_rate(options, 'l', 2 * size), stream_rate(options, 'r', size / 2),
           stream_rate(options, 'r', 2 * size));
    fflush(stdout);
}

struct nest_run {
    struct simulator *simulator;
    struct reuse reuse;
    int64_t accesses;
};

static void simulate(void *context, const struct access_run *run) {
    struct nest_run *nest_run = context;
    simulator_access_run(nest_run->simulator, run->address, run->stride_bytes, run->count,
                         run->write);
}

static void stack(void *context, const struct access_run *run) {
    struct nest_run *nest_run = context;
    for (int64_t i = 0; i < run->count; i++)
        reuse_access(&nest_run->reuse,
                     (run->address + (uint64_t)(i * run->stride_bytes)) / LINE_BYTES);
    nest_run->accesses += run->count;
}

static void print_nest(const struct simulator_options *options, const char *algorithm) {
    struct named_nest named;
    struct nest_run run = {.simulator = simulator_new(options)};
    named_nest_init(&named, "C_abc+=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=b=c=150,i=8",
                    TCPLAN_DOUBLE, algorithm);
    if (!run.simulator || !reuse_init(&run.reuse)) exit(1);
    const struct access_layout layout = access_layout_of(&named.refined);
    double start = seconds();
    access_trace(named.nest, &named.refined, &layout,
                 &(struct access_visitor){.context = &run, .run = simulate});
    const double elapsed = seconds() - start;
    const double simulated = rate(run.simulator, 1, elapsed);
    const double at_levels = rate(run.simulator, options->level_count, elapsed);
    start = seconds();
    access_trace(named.nest, &named.refined, &layout,
                 &(struct access_visitor){.context = &run, .run = stack});
    printf("  %-28s%10.0f%10.0f%10.0f\n", algorithm, simulated, at_levels,
           (double)run.accesses / (seconds() - start) * 1e-6);
    fflush(stdout);
    reuse_free(&run.reuse);
    simulator_free(run.simulator);
    named_nest_free(&named);
}

static void study(const char *spec, const struct simulator_options *options) {
    static const char *const algorithms[] = {"c-dgemm", "b-dgemm",   "ca-dgemv",
                                             "ci-dger", "cai-daxpy", "cba-ddot"};
    printf("\n%s\n  %-28s%10s%10s%10s%10s\n", spec, "level (million/s)", "elements", "lines",
           "hits", "random");
    for (int k = 0; k < options->level_count; k++) {
        char name[64];
        const struct simulator_options alone = level_alone(options, k);
        const int ways = options->level[k].ways;
        snprintf(name, sizeof name, ways > 0 ? "%lld KiB, %d ways" : "%lld KiB",
                 (long long)options->level[k].size_bytes / 1024, ways);
        print_streams(name, &alone);
    }
    print_streams("all, sum over levels", options);
    printf("  %-28s%10s%10s%10s\n", "nest (million/s)", "elements", "levels", "distances");
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
        print_nest(options, algorithms[a]);
}

static void study_machine(const char *spec) {
    struct tcplan_machine machine;
    struct tcplan_error error = {0};
    if (tcplan_machine_load(&machine, spec, &error) != TCPLAN_OK || machine.cache_count == 0) {
        fprintf(stderr, "bench_simulator: %s: %s\n", spec,
                error.message[0] ? error.message : "no caches");
        exit(1);
    }
    const struct simulator_options options = simulator_options_of(&machine, false);
    study(spec, &options);
}

int main(int argc, char **argv) {
    static const struct simulator_options server = {
        .line_bytes = LINE_BYTES,
        .level_count = 3,
        .level = {{32 << 10, 8}, {1 << 20, 16}, {32 << 20, 16}}};
    static const struct simulator_options associative = {
        .line_bytes = LINE_BYTES, .level_count = 1, .level = {{6 << 20, 0}}};
    static const struct simulator_options harpertown = {
        .line_bytes = LINE_BYTES, .level_count = 2, .level = {{32 << 10, 8}, {6 << 20, 24}}};
    if (argc > 1) {
        study_machine(argv[1]);
        return 0;
    }
    study("the dissertation's: Harpertown", &harpertown);
    study("a server core", &server);
    study("fully associative", &associative);
    study_machine("live");
    return 0;
}
