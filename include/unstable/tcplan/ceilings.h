/**
 * A roofline as data: the ceilings of a machine, how fast it computes and moves data at best. They
 * are measured by tcplan/roofline.h, stored by tcplan/store.h, and used to state how close a time
 * is to the best possible.
 */
#ifndef TCPLAN_CEILINGS_H
#define TCPLAN_CEILINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tcplan/machine.h"
#include "tcplan/problem.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a number is from. */
enum tcplan_origin {
    TCPLAN_ORIGIN_MEASURED,   /**< timed here */
    TCPLAN_ORIGIN_PREDICTED,  /**< from a predictor, see tcplan_rank() */
    TCPLAN_ORIGIN_ANALYTIC,   /**< computed from exact data */
    TCPLAN_ORIGIN_MODEL,      /**< computed from assumptions, such as a cache simulation */
    TCPLAN_ORIGIN_DATA_SHEET, /**< of a manufacturer */
    TCPLAN_ORIGIN_GIVEN       /**< by the user, or a file of theirs */
};

/** `measured`, `predicted`, `analytic`, `model`, `data sheet` or `given`. */
TCPLAN_API const char *tcplan_origin_name(enum tcplan_origin origin);

enum { TCPLAN_CEILING_NAME = 24, TCPLAN_LEVEL_NAME = 8 };

/**
 * Types of numbers that are multiplied and summed together, where these are no one enum
 * tcplan_dtype. Sums are of `fma`; a product and its sum are two operations.
 */
enum tcplan_mix {
    TCPLAN_MIX_NONE,   /**< both as `precision` of the ceiling says */
    TCPLAN_MIX_FP16,   /**< half precision, of 11 bits, multiplied and summed */
    TCPLAN_MIX_BF16_S, /**< bfloat16 multiplied, summed in single precision */
    TCPLAN_MIX_S_D,    /**< single precision, converted when used, multiplied and summed in double
                          precision */
    TCPLAN_MIXES
};

/** `fp16`, `bf16-s`, `s-d`; of TCPLAN_MIX_NONE an empty text. */
TCPLAN_API const char *tcplan_mix_name(enum tcplan_mix mix);

/** Clock drift during a measurement from which on it is reported. */
#define TCPLAN_CLOCK_DRIFT 0.01

/** One ceiling: a speed that a kernel of its kind does not exceed. */
struct tcplan_ceiling {
    /**
     * Compute: `fma`, `mul_add` (multiplies and adds in equal number, not fused), `add`,
     * `multiply`, `divide`, or a gemm (`sgemm`, `dgemm`, `cgemm`, `zgemm`). Bandwidth: `load`,
     * `store`, `copy`, `triad` (a = b + s * c), `update` (a = s * a), `axpy` (a = a + s * b),
     * `triad_nt` and `store_nt` (a is stored past the caches), `load_1`, `load_2`, `load_4`, ...
     * `load_64` (one element of 1, 2, 4, ... 64 is loaded, by itself), `store_1` to `store_64`
     * (likewise a = s).
     */
    char name[TCPLAN_CEILING_NAME];
    enum tcplan_dtype precision; /**< of a mix what sums are of, or the nearest */
    enum tcplan_mix mix;         /**< compute */
    int vector_bits; /**< of the instructions; those of one element if scalar; 0: the library's
                        choice (gemm) */
    int threads;
    enum tcplan_origin origin;

    char level[TCPLAN_LEVEL_NAME]; /**< bandwidth: `L1`, `L2`, `L3`, ... or `DRAM`; compute: empty
                                    */
    int cache; /**< bandwidth: place in machine.cache, or machine.cache_count for memory; compute:
                  -1 */
    int64_t working_set_bytes; /**< bandwidth: of one thread, all arrays together */
    bool reduced; /**< bandwidth: there was not enough memory for a set that certainly does not fit
                     the caches */
    double line_bytes_per_count_byte; /**< bandwidth: bytes of cache lines moved for each byte
                                         counted, write-allocation included */

    double intensity; /**< sweeps over intensities: operations for each byte that is loaded or
                         stored; otherwise 0 */
    double rate; /**< GFLOP/s, or 1e9 bytes per second requested by all threads together: the median
                  */
    double q1, q3; /**< quartiles */
    int windows;   /**< timed windows that count */
    int dropped;   /**< windows left out because a thread did not have its core all the time */
    double reference_seconds; /**< speed of the cores during the windows: the median time of a short
                                 gemm; 0: not known */
    double good_reference_seconds; /**< the same in their good state, which a twentieth of the
                                      ceilings met that were measured with as many threads */
    double steadiness; /**< how little the rate follows the cores' speed: 0 wholly, 1 not at all, as
                          memory may */
    double clock_hz;   /**< of the core during the measurement: before and after, the mean; 0: not
                          known */
    double clock_drift; /**< before and after, the faster over the slower, less 1: beyond
                           TCPLAN_CLOCK_DRIFT the rate is one of several clocks */
    double limit; /**< analytic: what the cores could do at most at the measured clock rate; 0: not
                     known. rate <= limit */

    bool rough; /**< measured in a hurry (gemm untuned) or with a bound on memory: to be replaced by
                   a measurement that is not */
    int64_t m, n, k; /**< gemm: the extents */
};

/** A level of the memory as loads from larger and larger sets found it: sets that are loaded at
 * about the same rate. */
struct tcplan_level {
    char name[TCPLAN_LEVEL_NAME]; /**< as a ceiling's; empty: the system reports no such cache */
    int cache; /**< its place in machine.cache, or machine.cache_count for memory; -1: the system
                  reports no such cache */
    int threads;
    int64_t first_bytes,
        last_bytes;      /**< of one thread: the smallest and the largest set at this rate */
    int64_t holds_bytes; /**< of all threads together: larger sets are nearer to the next level's
                            rate; 0: memory */
    double rate;         /**< of loads, 1e9 bytes per second of all threads together */
};

/** The rate of a clock in Hz: median and quartiles of several measurements. */
struct tcplan_clock_rate {
    double hz;
    double q1, q3;
};

struct tcplan_roofline {
    struct tcplan_machine machine;
    char blas[TCPLAN_MACHINE_TEXT]; /**< whose gemm was measured, as `OpenBLAS 0.3.21 (SkylakeX)` */
    struct tcplan_clock_rate clock; /**< of the core, from chains of dependent instructions */
    size_t compute_count;
    struct tcplan_ceiling *compute;
    size_t bandwidth_count;
    struct tcplan_ceiling *bandwidth;
    size_t level_count;
    struct tcplan_level *level; /**< found by the sweep of loads: for each number of threads the
                                   innermost first, memory last */
    size_t sweep_count;
    struct tcplan_ceiling *sweep; /**< bandwidth by working set, the smallest first: of loads, and
                                     what else was asked for; `level` and `cache` are unset */
    size_t intensity_count;
    struct tcplan_ceiling *intensity; /**< `flops` where asked for: GFLOP/s of one kernel over its
                                         intensity, in each level; the lowest first */
    int left_out;    /**< ceilings for which there was not one undisturbed window */
    int above_limit; /**< ceilings left out as they came out above their limit: the clock was faster
                        than when it was measured */
    double huge_page_share; /**< of the memory that bandwidth was measured on; negative: not known
                             */
    double seconds;         /**< that measuring took */
    int64_t made;           /**< when: seconds since 1970 */
    int unmeasured;         /**< ceilings that were wanted, but the time was over */
    unsigned lacking; /**< mixed precisions that the processor has no instructions for: bits 1 <<
                         mix */
    unsigned unbuilt; /**< likewise, those that it has, but the compiler that built the program did
                         not know */
    bool per_cycle;   /**< rates are operations and bytes a cycle, see tcplan_roofline_per_cycle();
                         never for stored ceilings */
};

/**
 * The highest ceiling of a kind, or NULL if none was measured.
 *
 * @param name         of compute ceilings; NULL: any that is not a gemm
 * @param vector_bits  0: any
 */
TCPLAN_API const struct tcplan_ceiling *tcplan_roofline_compute(
    const struct tcplan_roofline *roofline, const char *name, enum tcplan_dtype precision,
    int vector_bits, int threads);

/** The highest ceiling of `fma` of a mixed precision, or NULL if none was measured;
 * tcplan_roofline_compute() returns none of these. */
TCPLAN_API const struct tcplan_ceiling *tcplan_roofline_mixed(
    const struct tcplan_roofline *roofline, enum tcplan_mix mix, int threads);

/** The highest ceiling of the BLAS's gemm of a type, or of that of a complex type's parts, which
 * does the same operations; NULL if none was measured. */
TCPLAN_API const struct tcplan_ceiling *tcplan_roofline_gemm(const struct tcplan_roofline *roofline,
                                                             enum tcplan_dtype dtype, int threads);

/**
 * The highest bandwidth ceiling of a level, or NULL if none was measured.
 *
 * @param name   NULL: any without a stride
 * @param cache  place in machine.cache, or machine.cache_count for memory
 */
TCPLAN_API const struct tcplan_ceiling *tcplan_roofline_bandwidth(
    const struct tcplan_roofline *roofline, const char *name, int cache, int threads);

/** Of strided loads and stores the distance of the elements that are visited, in elements; 0 of
 * everything else. */
TCPLAN_API int tcplan_ceiling_stride(const struct tcplan_ceiling *ceiling);

/**
 * The share of the bandwidth at unit stride that a strided ceiling reaches, with the same access,
 * level, vectors of one element and threads; 0 if that was not measured, or it is no strided
 * ceiling. Bytes are those that are asked for: as long as lines are moved as fast as at unit
 * stride, which is what Yang et al. (An Empirical Roofline Methodology, section IV.D) say of
 * strides up to a line, it is tcplan_ceiling_stride_expected().
 */
TCPLAN_API double tcplan_roofline_stride_share(const struct tcplan_roofline *roofline,
                                               const struct tcplan_ceiling *ceiling);

/** Analytic: element bytes / min(stride * element bytes, line bytes), for elements of 8 bytes and
 * lines of 64; 0 of everything else. */
TCPLAN_API double tcplan_ceiling_stride_expected(const struct tcplan_ceiling *ceiling);

/** Whether it has strided loads and stores with so many threads, unit stride and strides beyond a
 * line among them. */
TCPLAN_API bool tcplan_roofline_has_strides(const struct tcplan_roofline *roofline, int threads,
                                            bool rough);

/** Whether it has loads by vectors of several widths with so many threads. */
TCPLAN_API bool tcplan_roofline_has_widths(const struct tcplan_roofline *roofline, int threads,
                                           bool rough);

/**
 * Whether it has rates over the working set of loads with so many threads, and of each kernel of a
 * list as `store,triad`.
 *
 * @param kernels  NULL: loads are enough
 * @param rough    whether those measured in a hurry or with a bound on memory are good enough
 */
TCPLAN_API bool tcplan_roofline_has_sweeps(const struct tcplan_roofline *roofline,
                                           const char *kernels, int threads, bool rough);

/**
 * Where the rates of a sweep over intensities bend: the intensity at which the highest bytes per
 * second of its points would reach the highest operations per second.
 *
 * @param cache  place in machine.cache, or machine.cache_count for memory
 * @return flop/byte; 0 where fewer than two points were measured there
 */
TCPLAN_API double tcplan_roofline_ridge(const struct tcplan_roofline *roofline, int cache,
                                        int threads);

/** Whether it has sweeps over intensities with so many threads. */
TCPLAN_API bool tcplan_roofline_has_intensities(const struct tcplan_roofline *roofline,
                                                int threads);

/** The innermost level that holds so many bytes of as many threads, or NULL if no level was
 * found. */
TCPLAN_API const struct tcplan_level *tcplan_roofline_level(const struct tcplan_roofline *roofline,
                                                            double bytes, int threads);

/**
 * Whether the ceilings of some types are there for a number of threads: one of each part, of
 * computing and loads. Ceilings spoilt by a disturbance are not required.
 *
 * @param dtypes  1 << type of each; 0: all, with their gemms, strided loads and mixed precisions,
 *                if any
 * @param rough   accept rough ceilings
 */
TCPLAN_API bool tcplan_roofline_has(const struct tcplan_roofline *roofline, unsigned dtypes,
                                    int threads, bool rough);

/** Whether any ceiling is rough. */
TCPLAN_API bool tcplan_roofline_is_rough(const struct tcplan_roofline *roofline);

/** How many ceilings were measured while the cores were slow, see tcplan_ceiling_is_slow(). */
TCPLAN_API int tcplan_roofline_slow_count(const struct tcplan_roofline *roofline);

/** Which share of all windows was left out, as a thread did not have its core all the time. */
TCPLAN_API double tcplan_roofline_dropped_share(const struct tcplan_roofline *roofline);

/**
 * Returns the share, at most 1, to which the cores' speed during the measurement reduced a
 * ceiling's rate, relative to an undisturbed clock. Cores that are shared swing between two speeds,
 * which some kernels follow more than others (`steadiness`). 0: not known.
 */
TCPLAN_API double tcplan_ceiling_speed_share(const struct tcplan_ceiling *ceiling);

/** Whether a ceiling is too low as the cores were slow: it is none, and limits nothing. */
TCPLAN_API bool tcplan_ceiling_is_slow(const struct tcplan_ceiling *ceiling);

/**
 * The shortest time that the ceilings allow a contraction that is repeated: the longest of
 *
 *   flops / peak, the fastest arithmetic of the type that was measured: FMA instructions, or a gemm
 *   that beats them
 *   for each level of the memory, bytes that must come from it / its bandwidth
 *
 * The first cache is charged for all tensors. Each farther level is charged only for the footprint
 * less the capacities of nearer caches; a cache holds what the sweep found, to the next larger set,
 * or what the system reports if it was not found. Which bytes those are is the algorithm's choice,
 * so the cheapest count. The bandwidth of a level bounds reads by `load`, writes by the faster of
 * `store` and `store_nt`, and both together by its fastest stream.
 *
 * @param roofline  NULL: none
 * @return seconds; 0 if a ceiling that is needed is missing for the type or the number of threads,
 *         or was measured while the cores were slow, or there is nothing to multiply
 */
TCPLAN_API double tcplan_roofline_limit_seconds(const struct tcplan_roofline *roofline,
                                                const struct tcplan_problem *problem, int threads);

/**
 * Turns all rates into operations and bytes a cycle of the core, by the clock measured with each:
 * never by the time-stamp counter, which has a rate of its own. It then has no
 * tcplan_roofline_limit_seconds().
 *
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the clock could not be measured
 */
TCPLAN_API enum tcplan_status tcplan_roofline_per_cycle(struct tcplan_roofline *roofline,
                                                        struct tcplan_error *error);

/** `GFLOP/s` or `flop/cycle`, and `GB/s` or `byte/cycle`: in which the rates are. */
TCPLAN_API const char *tcplan_roofline_compute_unit(const struct tcplan_roofline *roofline);
TCPLAN_API const char *tcplan_roofline_bandwidth_unit(const struct tcplan_roofline *roofline);

/**
 * The most that a contraction can reach: its flops over tcplan_roofline_limit_seconds().
 * Architectural efficiencies compare with it (Yang et al., An Empirical Roofline Methodology,
 * equation 2).
 *
 * @return GFLOP/s; 0 if there is no limit
 */
TCPLAN_API double tcplan_roofline_roof(const struct tcplan_roofline *roofline,
                                       const struct tcplan_problem *problem, int threads);

/** Frees a roofline; NULL is fine. */
TCPLAN_API void tcplan_roofline_free(struct tcplan_roofline *roofline);

#ifdef __cplusplus
}
#endif

#endif
