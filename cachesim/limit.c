/**
 * The shortest time that the measured ceilings allow a contraction (Williams, Waterman and
 * Patterson 2009, with a bound for each level of the memory).
 *
 * Arithmetic takes at least flops / peak, where the peak is the fastest arithmetic that was
 * measured: FMA instructions, or a gemm that beats them.
 *
 * Data take at least, for each level, the bytes that must come from it / its bandwidth. A repeated
 * contraction can find some of its data in the caches: of F bytes of tensors, caches of c bytes in
 * total miss at least F - c in each execution, for any algorithm and replacement policy. (At most
 * c bytes are in the caches when an execution begins; all others are read from farther away. Bytes
 * of the result that are not in the caches when it ends were written farther away since the
 * previous execution.) The algorithm determines which bytes miss: the limit assumes the cheapest
 * ones.
 *
 * Rates are upper quartiles of their windows, not medians, because half of the windows exceed the
 * median.
 *
 * The bounds of the levels hold at the same time, so the longest one counts: transfers of several
 * levels may overlap, as may reading and writing.
 */
#include <math.h>
#include <string.h>

#include "ast/scalar.h"
#include "cachesim/cache_share.h"
#include "tcplan/ceilings.h"

/** Growth of working sets in a sweep (roofline/ceilings/sweep.c). */
#define SWEEP_GROWTH 1.15

static double rate_of(const struct tcplan_ceiling *ceiling) {
    return fmax(ceiling->rate, ceiling->q3);
}

/** Bytes of the tensors of a contraction. */
struct footprint {
    double read;    /**< bytes of A and B, and of an addend */
    double written; /**< bytes of the result */
    bool updated;   /**< whether the result is also read */
};

static double bytes_of(const struct tcplan_problem *problem, enum tcplan_operand operand) {
    return tcplan_problem_own_elems(problem, operand) * (double)problem->element_bytes;
}

static bool is_same_tensor(const struct tcplan_problem *problem, enum tcplan_operand a,
                           enum tcplan_operand b) {
    const struct tcplan_tensor *tensor = problem->contraction->tensor;
    return strcmp(tensor[a].name, tensor[b].name) == 0;
}

static struct footprint footprint_of(const struct tcplan_problem *problem) {
    const double a = bytes_of(problem, TCPLAN_A), b = bytes_of(problem, TCPLAN_B);
    const bool accumulates = !scalar_is(problem->beta, 0),
               added = accumulates && tcplan_contraction_has_addend(problem->contraction);
    struct footprint out = {.read =
                                is_same_tensor(problem, TCPLAN_A, TCPLAN_B) ? fmax(a, b) : a + b,
                            .written = bytes_of(problem, TCPLAN_C),
                            .updated = accumulates && !added};
    const bool is_factor = added && (is_same_tensor(problem, TCPLAN_A, TCPLAN_ADDEND) ||
                                     is_same_tensor(problem, TCPLAN_B, TCPLAN_ADDEND));
    if (added && !is_factor) out.read += bytes_of(problem, TCPLAN_ADDEND);
    return out;
}

/**
 * Returns an upper bound on the capacity of a level: the size of the next larger set of the sweep,
 * whose rate was already nearer to that of the next level.
 */
static double most_bytes(const struct tcplan_level *level) {
    return SWEEP_GROWTH * (double)level->holds_bytes;
}

/**
 * Returns the capacity of a cache for a number of threads: as the sweep detected it or, if it did
 * not, as reported. The detected one is preferred because virtual machines report capacity that
 * they share with others.
 */
static double cache_bytes(const struct tcplan_roofline *roofline, int cache, int threads) {
    for (size_t l = 0; l < roofline->level_count; l++) {
        const struct tcplan_level *level = &roofline->level[l];
        if (level->threads == threads && level->cache == cache) return most_bytes(level);
    }
    return (double)cache_share_bytes(&roofline->machine, cache, threads) * threads;
}

/**
 * Returns the total capacity of the caches nearer than a place, including detected ones that the
 * system does not report.
 */
static double nearer_bytes(const struct tcplan_roofline *roofline, int place, int threads) {
    double bytes = 0;
    int reported = -1; /* the last reported cache before the level */
    for (int c = 0; c < place; c++) bytes += cache_bytes(roofline, c, threads);
    for (size_t l = 0; l < roofline->level_count; l++) {
        const struct tcplan_level *level = &roofline->level[l];
        if (level->threads != threads) continue;
        if (level->cache >= 0) reported = level->cache;
        if (level->cache < 0 && reported < place) bytes += most_bytes(level);
    }
    return bytes;
}

/** Bandwidths of a level in 1e9 bytes per second. */
struct rates {
    double load, store;
    double most; /* highest bandwidth of a stream of reads and writes */
    bool known, slow;
};

static const struct tcplan_ceiling *higher(const struct tcplan_ceiling *a,
                                           const struct tcplan_ceiling *b) {
    return !a || (b && rate_of(b) > rate_of(a)) ? b : a;
}

/**
 * Returns the highest bandwidth of the streams of a level. A result that the contraction does not
 * read is compared with streams that do not read what they overwrite either: a cache has to fetch
 * such lines before they are written, which update and axpy count as reads and others do not.
 */
static double highest_rate(const struct tcplan_roofline *roofline, int place, int threads,
                           bool updated) {
    static const char *const streams[] = {"load",     "store",    "copy",   "triad",
                                          "store_nt", "triad_nt", "update", "axpy"};
    const size_t all = sizeof streams / sizeof *streams, count = updated ? all : all - 2;
    double rate = 0;
    for (size_t s = 0; s < count; s++) {
        const struct tcplan_ceiling *ceiling =
            tcplan_roofline_bandwidth(roofline, streams[s], place, threads);
        if (ceiling) rate = fmax(rate, rate_of(ceiling));
    }
    return rate;
}

/**
 * Returns the bandwidths of a level. Non-temporal stores are used if they are faster.
 * @param updated  whether the contraction reads what it overwrites
 */
static struct rates rates_of(const struct tcplan_roofline *roofline, int place, int threads,
                             bool updated) {
    const struct tcplan_ceiling *load = tcplan_roofline_bandwidth(roofline, "load", place, threads);
    const struct tcplan_ceiling *store =
        higher(tcplan_roofline_bandwidth(roofline, "store", place, threads),
               tcplan_roofline_bandwidth(roofline, "store_nt", place, threads));
    if (!load || !store) return (struct rates){0};
    return (struct rates){.load = rate_of(load),
                          .store = rate_of(store),
                          .most = highest_rate(roofline, place, threads, updated),
                          .known = true,
                          .slow = tcplan_ceiling_is_slow(load) || tcplan_ceiling_is_slow(store)};
}

/**
 * Returns the shortest time to move `bytes` bytes, a part of which belongs to the result; the rest
 * is read. The part of the result is at least what exceeds the factors, and otherwise chosen so
 * that concurrent reading and writing take equally long.
 */
static double moving_seconds(const struct footprint *footprint, const struct rates *rates,
                             double bytes) {
    const double least = fmax(0, bytes - footprint->read), most = fmin(bytes, footprint->written);
    const double even = bytes * rates->store / (rates->load + rates->store);
    const double written = footprint->updated ? least : fmin(fmax(even, least), most);
    const double read = bytes - (footprint->updated ? 0 : written);
    return 1e-9 *
           fmax(fmax(read / rates->load, written / rates->store), (read + written) / rates->most);
}

/**
 * Returns the longest bound of all levels, including memory. A level without ceilings gives no
 * bound. Returns 0 (unknown) if that level is the farthest from which data must come, or if a
 * required rate was measured while the cores were slow.
 */
static double data_seconds(const struct tcplan_roofline *roofline,
                           const struct tcplan_problem *problem, int threads) {
    const struct footprint footprint = footprint_of(problem);
    double longest = 0;
    bool known = false;
    for (int place = 0; place <= roofline->machine.cache_count; place++) {
        const double bytes =
            footprint.read + footprint.written - nearer_bytes(roofline, place, threads);
        if (bytes <= 0) break;
        const struct rates rates = rates_of(roofline, place, threads, footprint.updated);
        if (rates.slow) return 0;
        known = rates.known;
        if (known) longest = fmax(longest, moving_seconds(&footprint, &rates, bytes));
    }
    return known ? longest : 0;
}

/**
 * Returns the fastest measured arithmetic of a type, of any kind; for complex numbers, the
 * arithmetic of their parts. NULL: none was measured.
 */
static const struct tcplan_ceiling *peak_of(const struct tcplan_roofline *roofline,
                                            enum tcplan_dtype dtype, int threads) {
    const bool single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    const struct tcplan_ceiling *plain =
        tcplan_roofline_compute(roofline, NULL, single ? TCPLAN_FLOAT : TCPLAN_DOUBLE, 0, threads);
    return plain ? higher(plain, tcplan_roofline_gemm(roofline, dtype, threads)) : NULL;
}

double tcplan_roofline_limit_seconds(const struct tcplan_roofline *roofline,
                                     const struct tcplan_problem *problem, int threads) {
    const struct tcplan_ceiling *peak =
        roofline ? peak_of(roofline, problem->dtype, threads) : NULL;
    if (!peak || roofline->per_cycle || tcplan_ceiling_is_slow(peak) ||
        tcplan_problem_only_scales(problem))
        return 0;
    const double moving = data_seconds(roofline, problem, threads);
    return moving > 0 ? fmax(1e-9 * problem->flops / rate_of(peak), moving) : 0;
}

double tcplan_roofline_roof(const struct tcplan_roofline *roofline,
                            const struct tcplan_problem *problem, int threads) {
    const double seconds = tcplan_roofline_limit_seconds(roofline, problem, threads);
    return seconds > 0 ? 1e-9 * problem->flops / seconds : 0;
}
