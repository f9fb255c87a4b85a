#include <assert.h>
#include <math.h>
#include <stdint.h>

#include "microbench/calibrate/parts.h"
#include "microbench/copy/strided.h"

#define GROWTH 1.1892 /* four sizes for each factor of two */

/* Length of a timed window, for sets that fit in caches. For larger sets, a window is one pass. */
#define WINDOW_NS 60e3

/* A cache line is written in at most this many times the time of reading it; longer times are
 * measurement errors. */
#define MOST_OF_READ 8.0

/* A line of a long run takes at least this share of the time of a line of a short run. */
#define LEAST_OF_READ 0.05

/* Cache levels whose times differ by less are not distinguished. */
#define LEAST_DIFFERENCE 1.05

/* Largest plausible ratio of a cache's measured to its reported size. The measured size is
 * larger because nearer caches hold further data. */
#define MOST_OF_REPORTED 1.5

/* Smallest time that is stored for the ends of a row, because 0 stands for a number that an old
 * file lacks. */
#define LEAST_ROW_NS 0.1

enum {
    UNROLLED = TCPLAN_SHORT_RUN_LINES,
    STRETCH_SIDE = 16,
    STRETCH_RUNS = STRETCH_SIDE * STRETCH_SIDE,
    ODD_RUNS = 37,
    FEWEST_PAGES = 16,
    ODD_LINES = 13,
    ROW_LINES = UNROLLED - 1,
    AMID_BYTES = 16, /* distance of a row that begins within a line from the line's first byte */
    SMALLEST_BYTES = 4096
};

struct walk {
    char *memory;
    size_t blocks;     /* number of visited blocks, a multiple of UNROLLED */
    size_t step_bytes; /* distance between successive blocks */
    size_t line_bytes;
    size_t lines; /* cache lines in a block, a power of two; each block is read at the line after
                     that of the previous block. 1: each block is read at its first line */
    size_t first; /* line that is read in the first block, and its increment from one walk to the
                     next */
    size_t more;
};

/** Reads one word of each block. */
static void read_blocks(void *context) {
    struct walk *walk = context;
    uint64_t sum = 0;
    for (size_t b = 0; b < walk->blocks; b += UNROLLED) {
        const char *at = walk->memory + b * walk->step_bytes;
        for (size_t u = 0; u < UNROLLED; u++) {
            const size_t line = ((b + u) * ODD_LINES + walk->first) & (walk->lines - 1);
            sum += *(const uint64_t *)(const void *)(at + u * walk->step_bytes +
                                                     line * walk->line_bytes);
        }
    }
    walk->first += walk->more;
    __asm__ volatile("" : : "r"(sum) : "memory");
}

/**
 * Slices of tensors are short runs of consecutive lines, which prefetchers do not predict, on pages
 * in the TLB. To imitate them, runs are visited in groups, in permuted order. Returns the number of
 * runs in a group; 1 if there are too few runs.
 */
static size_t stretch_of(const struct walk *walk) {
    size_t runs = STRETCH_RUNS;
    while (runs > 1 && runs > walk->blocks / UNROLLED) runs /= 2;
    return runs;
}

/** Returns the address of a run: at its permuted place in its group, or at its own place after
 * the last complete group. */
static char *run_at(const struct walk *walk, size_t run, size_t stretch) {
    const size_t first = run & ~(stretch - 1);
    const bool is_whole = first + stretch <= walk->blocks / UNROLLED;
    const size_t place = is_whole ? first + ((run - first) * ODD_RUNS & (stretch - 1)) : run;
    return walk->memory + place * UNROLLED * walk->step_bytes;
}

static void read_lines(void *context) {
    const struct walk *walk = context;
    const size_t runs = walk->blocks / UNROLLED, stretch = stretch_of(walk);
    uint64_t sum = 0;
    for (size_t run = 0; run < runs; run++) {
        const char *at = run_at(walk, run, stretch);
        for (size_t u = 0; u < UNROLLED; u++)
            sum += *(const uint64_t *)(const void *)(at + u * walk->step_bytes);
    }
    __asm__ volatile("" : : "r"(sum) : "memory");
}

static void write_lines(void *context) {
    const struct walk *walk = context;
    const size_t runs = walk->blocks / UNROLLED, stretch = stretch_of(walk);
    for (size_t run = 0; run < runs; run++) {
        char *at = run_at(walk, run, stretch);
        for (size_t u = 0; u < UNROLLED; u++) ++*(uint64_t *)(void *)(at + u * walk->step_bytes);
    }
    __asm__ volatile("" : : : "memory");
}

/** Returns the nanoseconds to access a cache line in a set of `bytes`. */
static double line_ns(struct calibration *calibration, double bytes, calibration_fn *run) {
    const size_t unit = UNROLLED * calibration->line_bytes, units = (size_t)(bytes / (double)unit);
    struct walk walk = {.memory = calibration->memory,
                        .blocks = (units > 0 ? units : 1) * UNROLLED,
                        .step_bytes = calibration->line_bytes,
                        .lines = 1};
    return calibration_ns(calibration, run, &walk, WINDOW_NS) / (double)walk.blocks;
}

/** Returns the nanoseconds to read a cache line of all memory, in the order of addresses. */
static double sequential_ns(struct calibration *calibration) {
    struct walk walk = {.memory = calibration->memory,
                        .blocks = calibration->bytes / calibration->line_bytes,
                        .step_bytes = calibration->line_bytes,
                        .lines = 1};
    return calibration_ns(calibration, read_blocks, &walk, WINDOW_NS) / (double)walk.blocks;
}

/** Returns the nanoseconds to access one line in each of `pages` pages: always at the same
 * offset in the page, or at a different offset in each. */
static double page_ns(struct calibration *calibration, double pages, bool same) {
    struct walk walk = {.memory = calibration->memory,
                        .blocks = (size_t)pages / UNROLLED * UNROLLED,
                        .step_bytes = calibration->page_bytes,
                        .line_bytes = calibration->line_bytes,
                        .lines = calibration->page_bytes / calibration->line_bytes,
                        .more = same ? 0 : 1};
    return calibration_ns(calibration, read_blocks, &walk, WINDOW_NS) / (double)walk.blocks;
}

/** Returns the nanoseconds that accessing a page costs in addition to accessing its line, if all
 * lines stay in caches. */
static double near_page_ns(struct calibration *calibration, double pages) {
    return fmax(page_ns(calibration, pages, true) -
                    line_ns(calibration, pages * (double)calibration->line_bytes, read_lines),
                0);
}

/** A copy of a small block of memory to all of a large one. */
struct spread {
    struct strided block;
    char *to;
    const char *from;
};

static void run_spread(void *context) {
    const struct spread *spread = context;
    strided_run_copy(&spread->block, spread->to, spread->from);
    strided_fence();
}

/** Returns the nanoseconds per row of a copy that writes `row_bytes` of each short run of memory
 * with non-temporal stores, to several rows alternately; rows begin `amid` bytes after a line. */
static double row_ns(struct calibration *calibration, size_t row_bytes, size_t amid) {
    const size_t run = UNROLLED * calibration->line_bytes, side = STRETCH_SIDE * run,
                 stretch = STRETCH_SIDE * side;
    struct spread spread = {.from = calibration->memory,
                            .to = calibration->memory + stretch + amid};
    spread.block = (struct strided){.rank = 4, .dtype = TCPLAN_DOUBLE, .streamed = true};
    const int64_t extent[] = {(int64_t)(row_bytes / sizeof(double)), STRETCH_SIDE, STRETCH_SIDE,
                              (int64_t)(calibration->bytes / stretch) - 1};
    const size_t step[] = {sizeof(double), side, run, stretch};
    for (int d = 0; d < spread.block.rank; d++) {
        spread.block.extent[d] = extent[d];
        spread.block.to_bytes[d] = (ptrdiff_t)step[d];
    }
    spread.block.from_bytes[0] = sizeof(double);
    const double rows = (double)(extent[1] * extent[2] * extent[3]);
    return calibration_ns(calibration, run_spread, &spread, WINDOW_NS) / rows;
}

void lines_start(struct line_times *out, const struct calibration *calibration,
                 const struct tcplan_machine *machine) {
    const double most = (double)calibration->bytes,
                 nearest = machine->cache_count > 0 ? (double)machine->cache[0].size_bytes : most;
    *out = (struct line_times){.written_near = INFINITY,
                               .written_far = INFINITY,
                               .streamed = INFINITY,
                               .streamed_row = {INFINITY, INFINITY},
                               .sequential = INFINITY,
                               .far_page = INFINITY};
    for (double bytes = nearest / 4; out->line_count < LINES_MOST_POINTS - 1 && bytes < most;
         bytes *= GROWTH) {
        out->line[out->line_count++] = (struct lines_point){bytes, INFINITY};
    }
    out->line[out->line_count++] = (struct lines_point){most, INFINITY};
    for (double pages = FEWEST_PAGES;
         pages * (double)calibration->page_bytes <= most && out->page_count < LINES_MOST_POINTS;
         pages *= 2) {
        out->page[out->page_count++] = (struct lines_point){pages, INFINITY};
    }
}

void calibrate_lines(struct line_times *times, struct calibration *calibration) {
    for (int p = 0; p < times->line_count; p++) {
        struct lines_point *point = &times->line[p];
        point->ns = fmin(point->ns, line_ns(calibration, point->size, read_lines));
    }
    for (int p = 0; p < times->page_count; p++) {
        struct lines_point *point = &times->page[p];
        point->ns = fmin(point->ns, near_page_ns(calibration, point->size));
    }
    times->written_near =
        fmin(times->written_near, line_ns(calibration, SMALLEST_BYTES, write_lines));
    times->written_far =
        fmin(times->written_far, line_ns(calibration, (double)calibration->bytes, write_lines));
    const size_t pages = calibration->bytes / calibration->page_bytes;
    times->far_page = fmin(times->far_page, page_ns(calibration, (double)pages, false));
    const size_t line = calibration->line_bytes;
    times->streamed =
        fmin(times->streamed, row_ns(calibration, UNROLLED * line, 0) / (double)UNROLLED);
    for (int amid = 0; amid < 2; amid++) {
        times->streamed_row[amid] =
            fmin(times->streamed_row[amid],
                 row_ns(calibration, ROW_LINES * line, (size_t)amid * AMID_BYTES));
    }
    times->sequential = fmin(times->sequential, sequential_ns(calibration));
}

/* Fitting. */

/** Makes times rise with the size of the set: a smaller set that was slower than a larger one was
 * disturbed, and gets the larger one's time. */
static void make_rising(struct lines_point out[], const struct lines_point point[], int count) {
    for (int p = count - 1; p >= 0; p--) {
        out[p] = point[p];
        if (p + 1 < count) out[p].ns = fmin(out[p].ns, out[p + 1].ns);
    }
}

/** Returns the size at which a rising curve reaches a value, interpolated on logarithms; `most`
 * if the curve reaches it later or never. */
static double crossing(const struct lines_point point[], int count, double ns, double least,
                       double most) {
    int p = 0;
    while (p < count && (point[p].ns <= ns || point[p].size <= least)) p++;
    if (p == count) return most;
    if (p == 0 || point[p - 1].ns > ns) return fmin(least, most);
    const double share = (ns - point[p - 1].ns) / (point[p].ns - point[p - 1].ns);
    return fmin(fmax(point[p - 1].size * pow(point[p].size / point[p - 1].size, share), least),
                most);
}

/** Returns the time of the smallest set of at least `least` bytes, or of the largest set if all
 * are smaller. */
static double ns_from(const struct lines_point point[], int count, double least) {
    int p = 0;
    while (p + 1 < count && point[p].size < least) p++;
    return point[p].ns;
}

/** Returns the nanoseconds per line in the next level, measured with sets that certainly exceed
 * the cache. */
static double next_ns(const struct lines_point point[], int count,
                      const struct tcplan_machine *machine, int cache) {
    if (cache + 1 == machine->cache_count) return point[count - 1].ns;
    return ns_from(point, count,
                   fmin(2 * (double)machine->cache[cache].size_bytes,
                        (double)machine->cache[cache + 1].size_bytes));
}

static void find_caches(struct tcplan_cache_costs out[], const struct lines_point point[],
                        int count, const struct tcplan_machine *machine) {
    const struct tcplan_costs assumed = tcplan_costs_assumed(machine);
    double held = point[0].size, ns = point[0].ns;
    for (int c = 0; c < machine->cache_count; c++) {
        const double size = (double)machine->cache[c].size_bytes,
                     next = next_ns(point, count, machine, c);
        const bool differs = next > LEAST_DIFFERENCE * ns;
        const bool is_beyond =
            !differs && size >= point[count - 1].size; /* no measured set exceeds the cache */
        held = differs ? crossing(point, count, (ns + next) / 2, held,
                                  fmax(MOST_OF_REPORTED * size, held))
                       : fmax(size, held);
        out[c].held_bytes = held;
        out[c].line_seconds = is_beyond ? assumed.cache[c].line_seconds : 1e-9 * fmax(next - ns, 0);
        ns = next;
    }
}

static void find_pages(struct tcplan_costs *out, const struct lines_point point[], int count) {
    const double far_ns = (point[count - 1].ns + point[count - 2].ns) / 2,
                 most = point[count - 1].size;
    out->pages = far_ns > 0 ? crossing(point, count, far_ns / 2, point[0].size, most) : most;
}

void lines_find(struct tcplan_costs *out, const struct line_times *times,
                const struct tcplan_machine *machine) {
    const double elements = (double)machine->line_bytes / sizeof(double);
    struct lines_point line[LINES_MOST_POINTS], page[LINES_MOST_POINTS];
    assert(times->line_count >= 2 && times->page_count >= 2);
    make_rising(line, times->line, times->line_count);
    make_rising(page, times->page, times->page_count);
    out->cache_count = machine->cache_count;
    find_caches(out->cache, line, times->line_count, machine);
    find_pages(out, page, times->page_count);
    out->page_seconds = 1e-9 * fmax(times->far_page - line[times->line_count - 1].ns, 0);
    const double read_ns = line[times->line_count - 1].ns - line[0].ns;
    const double past_ns = times->streamed - 1e9 * out->copy[TCPLAN_DOUBLE].run * elements;
    out->written = read_ns > 0 ? fmin(fmax((times->written_far - times->written_near) / read_ns, 1),
                                      MOST_OF_READ)
                               : 1;
    out->streamed_row = 1e-9 * fmax(times->streamed_row[1] - times->streamed_row[0], LEAST_ROW_NS);
    out->streamed = read_ns > 0 ? fmin(fmax(past_ns / read_ns, 0), MOST_OF_READ) : 1;
    out->sequential =
        read_ns > 0 ? fmin(fmax((times->sequential - line[0].ns) / read_ns, LEAST_OF_READ), 1) : 1;
}
