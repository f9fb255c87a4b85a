#define _DEFAULT_SOURCE
#include "tcplan/calibration.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "microbench/calibrate/parts.h"
#include "microbench/program/buffers.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/load.h"
#include "microbench/timing/reference.h"
#include "microbench/timing/session.h"
#include "microbench/timing/statistics.h"

enum { WINDOWS = 3, ROUNDS = 3, MOST_TIMES = 1 << 24 };

/* The set of data that exceeds the last cache: its smallest and largest size in bytes, and its
 * largest share of the available memory. */
#define LEAST_BYTES 32e6
#define MOST_BYTES 256e6
#define MEMORY_SHARE 0.25

/* Limits from which other load is reported: busy cores, share of disturbed windows, and how much
 * slower the core is at the end than at its best. */
#define BUSY_CORES 0.3
#define DISTURBED_SHARE 0.1
#define SLOW_FACTOR 1.15

static double time_batch(struct calibration *calibration, calibration_fn *run, void *context,
                         int times) {
    const struct clock_start start = clock_start();
    for (int t = 0; t < times; t++) run(context);
    const struct timing timing = clock_stop(&start, true);
    calibration->windows++;
    calibration->disturbed += timing.disturbed;
    return timing.ns;
}

double calibration_ns(struct calibration *calibration, calibration_fn *run, void *context,
                      double window_ns) {
    double ns[WINDOWS];
    int times = 1;
    for (double batch_ns = time_batch(calibration, run, context, 1);
         batch_ns < window_ns && times < MOST_TIMES;) {
        const double factor = batch_ns > 0 ? 1.1 * window_ns / batch_ns : 8;
        times = (int)fmin(ceil((double)times * fmin(fmax(factor, 1.5), 64)), MOST_TIMES);
        batch_ns = time_batch(calibration, run, context, times);
    }
    for (int w = 0; w < WINDOWS; w++) ns[w] = time_batch(calibration, run, context, times) / times;
    return statistics_median(ns, WINDOWS);
}

/** Maps and touches memory that exceeds every cache; returns false if too little memory is
 * available. */
static bool open_memory(struct calibration *out, struct tcplan_costs *costs,
                        const struct tcplan_machine *machine) {
    const double last =
        machine->cache_count > 0 ? (double)machine->cache[machine->cache_count - 1].size_bytes : 0;
    const double available = (double)buffers_available_bytes();
    double bytes = fmin(fmax(2 * last, LEAST_BYTES), MOST_BYTES);
    if (available > 0) bytes = fmin(bytes, MEMORY_SHARE * available);
    *out = (struct calibration){.page_bytes = (size_t)costs->page_bytes,
                                .line_bytes = (size_t)machine->line_bytes};
    out->bytes = (size_t)bytes / (2 * out->page_bytes) * (2 * out->page_bytes);
    if (bytes < LEAST_BYTES / 2 || out->page_bytes % out->line_bytes != 0) return false;
    out->memory =
        mmap(NULL, out->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (out->memory == MAP_FAILED) return false;
#ifdef MADV_NOHUGEPAGE
    madvise(out->memory, out->bytes, MADV_NOHUGEPAGE);
#endif
    const uint64_t start_ns = clock_thread_cpu_ns();
    memset(out->memory, 0, out->bytes);
    costs->fresh_page_seconds = 1e-9 * (double)(clock_thread_cpu_ns() - start_ns) *
                                (double)out->page_bytes / (double)out->bytes;
    return true;
}

static struct copy_times no_copy_times(void) {
    return (struct copy_times){.two = INFINITY,
                               .run = INFINITY,
                               .transposed_long = INFINITY,
                               .transposed_short = INFINITY,
                               .run_short = INFINITY,
                               .scattered = INFINITY,
                               .summed = INFINITY,
                               .scaled = INFINITY};
}

static void measure(struct tcplan_costs *out, struct calibration *calibration,
                    const struct tcplan_machine *machine) {
    struct copy_times copy[TCPLAN_DTYPES];
    struct line_times lines;
    double reference_ns[ROUNDS];
    struct reference *reference = reference_new();
    const struct load_mark mark = load_begin();
    lines_start(&lines, calibration, machine);
    for (int t = 0; t < TCPLAN_DTYPES; t++) copy[t] = no_copy_times();
    for (int r = 0; r < ROUNDS; r++) {
        reference_ns[r] = reference_seconds(reference);
        for (int t = 0; t < TCPLAN_DTYPES; t++)
            calibrate_copies(&copy[t], calibration, (enum tcplan_dtype)t);
        calibrate_lines(&lines, calibration);
    }
    const struct load_report load = load_end(&mark);
    reference_free(reference);
    for (int t = 0; t < TCPLAN_DTYPES; t++) out->copy[t] = copies_find(&copy[t]);
    lines_find(out, &lines, machine);
    const double usual = statistics_median(reference_ns, ROUNDS);
    bool is_slow = false;
    for (int r = 0; r < ROUNDS; r++) is_slow = is_slow || reference_ns[r] > SLOW_FACTOR * usual;
    out->disturbed = is_slow || load.other_cores > BUSY_CORES ||
                     calibration->disturbed > DISTURBED_SHARE * calibration->windows;
}

enum tcplan_status tcplan_costs_measure(struct tcplan_costs *out,
                                        const struct tcplan_machine *machine,
                                        struct tcplan_error *error) {
    const uint64_t start_ns = clock_now_ns();
    struct calibration calibration;
    *out = (struct tcplan_costs){
        .measured = true, .made = (int64_t)time(NULL), .page_bytes = sysconf(_SC_PAGESIZE)};
    struct session session;
    const enum tcplan_status status = session_begin(&session, 1, error);
    if (status != TCPLAN_OK) return status;
    const bool has_memory = open_memory(&calibration, out, machine);
    if (has_memory) {
        measure(out, &calibration, machine);
        munmap(calibration.memory, calibration.bytes);
    }
    session_end(&session);
    out->seconds = 1e-9 * (double)(clock_now_ns() - start_ns);
    if (!has_memory)
        return error_set(error, TCPLAN_NO_MEMORY,
                         "not enough memory for a set larger than the caches");
    if (tcplan_costs_are_sound(out, machine)) return TCPLAN_OK;
    return error_set(error, TCPLAN_ENVIRONMENT,
                     "the measured costs of lines, pages and copies are implausible");
}
