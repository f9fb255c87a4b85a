/**
 * A roofline as data: the ceilings of a machine, its highest rates of computing and moving data.
 * They are measured by tcplan/roofline.h, stored by tcplan/store.h, and used to state how close a
 * time is to the best possible.
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

/** How a number was obtained. */
enum tcplan_origin {
    TCPLAN_ORIGIN_MEASURED,   /**< timed on this machine */
    TCPLAN_ORIGIN_PREDICTED,  /**< computed by a predictor, see tcplan_rank() */
    TCPLAN_ORIGIN_ANALYTIC,   /**< computed from exact data */
    TCPLAN_ORIGIN_MODEL,      /**< computed from assumptions, such as a cache simulation */
    TCPLAN_ORIGIN_DATA_SHEET, /**< from a manufacturer's data sheet */
    TCPLAN_ORIGIN_GIVEN       /**< stated by the user, directly or in a file */
};

/** Returns the name of an origin: `measured`, `predicted`, `analytic`, `model`, `data sheet` or
 * `given`. */
TCPLAN_API const char *tcplan_origin_name(enum tcplan_origin origin);

enum { TCPLAN_CEILING_NAME = 24, TCPLAN_LEVEL_NAME = 8 };

/**
 * Mixed precisions: products and sums whose types differ, or are not an enum tcplan_dtype. Only
 * `fma` has them; it counts as two operations.
 */
enum tcplan_mix {
    TCPLAN_MIX_NONE,   /**< products and sums both have the ceiling's `precision` */
    TCPLAN_MIX_FP16,   /**< half precision with 11 significant bits, multiplied and summed */
    TCPLAN_MIX_BF16_S, /**< bfloat16, multiplied; summed in single precision */
    TCPLAN_MIX_S_D, /**< single precision, converted to double when used; multiplied and summed in
                       double precision */
    TCPLAN_MIXES
};

/** Returns the name of a mixed precision, `fp16`, `bf16-s` or `s-d`; an empty string for
 * TCPLAN_MIX_NONE. */
TCPLAN_API const char *tcplan_mix_name(enum tcplan_mix mix);

/** Clock drift during a measurement above which it is reported. */
#define TCPLAN_CLOCK_DRIFT 0.01

/** One ceiling: a rate that no kernel of its kind exceeds. */
struct tcplan_ceiling {
    /**
     * Compute: `fma`, `mul_add` (multiplies and adds in equal number, not fused), `add`,
     * `multiply`, `divide`, or a gemm (`sgemm`, `dgemm`, `cgemm`, `zgemm`). Bandwidth: `load`,
     * `store`, `copy`, `triad` (a = b + s * c), `update` (a = s * a), `axpy` (a = a + s * b),
     * `triad_nt` and `store_nt` (a is written with non-temporal stores), `load_1`, `load_2`,
     * `load_4`, ... `load_64` (loads with this stride, one element at a time), `store_1` to
     * `store_64` (stores a = s, likewise).
     */
    char name[TCPLAN_CEILING_NAME];
    enum tcplan_dtype precision; /**< type of the elements; for mixed precisions, the type of the
                                    sums, or the nearest type */
    enum tcplan_mix mix;         /**< for compute ceilings: the mixed precision, if any */
    int vector_bits; /**< vector width of the instructions in bits; the width of one element if
                        scalar; 0: the library chooses (gemm) */
    int threads;
    enum tcplan_origin origin;

    char level[TCPLAN_LEVEL_NAME]; /**< for bandwidths: `L1`, `L2`, ... or `DRAM`; for compute
                                      ceilings: empty */
    int cache; /**< for bandwidths: position in machine.cache, or machine.cache_count for memory;
                  for compute ceilings: -1 */
    int64_t working_set_bytes; /**< for bandwidths: total size of one thread's arrays in bytes */
    bool reduced; /**< for bandwidths: whether there was too little memory for a set that exceeds
                     the caches */
    double line_bytes_per_count_byte; /**< for bandwidths: bytes of cache lines moved per byte
                                         counted, including write-allocation */

    double intensity; /**< for sweeps over intensities: operations per byte loaded or stored;
                         otherwise 0 */
    double rate; /**< median rate, in GFLOP/s or in 1e9 bytes per second, of all threads together */
    double q1, q3;            /**< quartiles of the rate */
    int windows;              /**< number of windows from which the rate was computed */
    int dropped;              /**< number of windows discarded because a thread lost its core */
    double reference_seconds; /**< speed of the cores during the windows: median time of a short
                                 gemm; 0: unknown */
    double good_reference_seconds; /**< reference time at the cores' best speed: the 5 % quantile of
                                      the fastest references of all ceilings with this number of
                                      threads; 0: unknown */
    double steadiness; /**< for bandwidth: 1 minus the elasticity of times with respect to the
                          reference. 0: the rate is proportional to the cores' speed; 1: it is
                          independent of that speed, as usual for memory */
    double clock_hz; /**< core clock during the measurement, mean of before and after; 0: unknown */
    double clock_drift; /**< faster clock divided by slower clock (before and after the
                           measurement), minus 1; above TCPLAN_CLOCK_DRIFT, the rate mixes several
                           clock rates */
    double limit;       /**< the highest rate that the cores can reach at the measured clock rate,
                           computed analytically; 0: unknown */

    bool rough;      /**< whether it is from a quick measurement (gemm untuned) or one with limited
                        memory; a full measurement replaces it */
    int64_t m, n, k; /**< extents of a gemm; 0 for other kernels */
};

/** A level of the memory: a range of working sets that are loaded at about the same rate. */
struct tcplan_level {
    char name[TCPLAN_LEVEL_NAME]; /**< `L1`, `L2`, ... or `DRAM`, as in a ceiling; empty: the system
                                     reports no such cache */
    int cache; /**< position in machine.cache, or machine.cache_count for memory; -1: the system
                  reports no such cache */
    int threads;
    int64_t first_bytes,
        last_bytes; /**< smallest and largest working set of one thread at this rate, in bytes */
    int64_t holds_bytes; /**< capacity for all threads together, in bytes: larger sets run at nearly
                            the next level's rate; 0: memory */
    double rate;         /**< load rate in 1e9 bytes per second, all threads together */
};

/** The rate of a clock in Hz: median and quartiles of several measurements. */
struct tcplan_clock_rate {
    double hz;
    double q1, q3;
};

struct tcplan_roofline {
    struct tcplan_machine machine;
    char blas[TCPLAN_MACHINE_TEXT]; /**< the BLAS whose gemm was measured, such as `OpenBLAS 0.3.21
                                       (SkylakeX)` */
    struct tcplan_clock_rate clock; /**< core clock, from chains of dependent instructions */
    size_t compute_count;
    struct tcplan_ceiling *compute;
    size_t bandwidth_count;
    struct tcplan_ceiling *bandwidth;
    size_t level_count;
    struct tcplan_level *level; /**< levels found by the sweep of loads: for each number of threads,
                                   innermost level first, memory last */
    size_t sweep_count;
    struct tcplan_ceiling *sweep; /**< bandwidth by working set, smallest set first: loads and the
                                     requested kernels; `level` and `cache` are unset */
    size_t intensity_count;
    struct tcplan_ceiling *intensity; /**< if requested: GFLOP/s of the kernel `flops` by intensity,
                                         lowest first, in each level */
    int left_out;    /**< number of ceilings omitted because every window was disturbed */
    int above_limit; /**< number of ceilings discarded because they exceeded their limit: the clock
                        was faster than when it was measured */
    double huge_page_share; /**< share of huge pages in the memory used for bandwidth; negative:
                               unknown */
    double seconds;         /**< duration of the measurement in seconds */
    int64_t made;           /**< time of the measurement in seconds since 1970 */
    int unmeasured;   /**< number of requested ceilings that were not measured before the time limit
                       */
    unsigned lacking; /**< mixed precisions that the processor does not support, as bits 1 << mix */
    unsigned unbuilt; /**< mixed precisions that the processor supports but the compiler of this
                         build did not */
    bool per_cycle;   /**< whether rates are per core cycle, see tcplan_roofline_per_cycle(); false
                         for stored ceilings */
};

/**
 * Returns the highest compute ceiling of a kind, or NULL if none was measured.
 *
 * @param name         name of the ceiling; NULL: any except gemms
 * @param vector_bits  0: any
 */
TCPLAN_API const struct tcplan_ceiling *tcplan_roofline_compute(
    const struct tcplan_roofline *roofline, const char *name, enum tcplan_dtype precision,
    int vector_bits, int threads);

/** Returns the highest `fma` ceiling of a mixed precision, or NULL if none was measured.
 * tcplan_roofline_compute() ignores these. */
TCPLAN_API const struct tcplan_ceiling *tcplan_roofline_mixed(
    const struct tcplan_roofline *roofline, enum tcplan_mix mix, int threads);

/** Returns the highest gemm ceiling of a type, or of the real type of a complex type's parts, which
 * performs the same operations; NULL if none was measured. */
TCPLAN_API const struct tcplan_ceiling *tcplan_roofline_gemm(const struct tcplan_roofline *roofline,
                                                             enum tcplan_dtype dtype, int threads);

/**
 * Returns the highest bandwidth ceiling of a level, or NULL if none was measured.
 *
 * @param name   NULL: any with unit stride
 * @param cache  place in machine.cache, or machine.cache_count for memory
 */
TCPLAN_API const struct tcplan_ceiling *tcplan_roofline_bandwidth(
    const struct tcplan_roofline *roofline, const char *name, int cache, int threads);

/** Returns the stride of strided loads and stores in elements; 0 for other ceilings. */
TCPLAN_API int tcplan_ceiling_stride(const struct tcplan_ceiling *ceiling);

/**
 * Returns the rate of a strided ceiling divided by the rate of the unit-stride ceiling with the
 * same access, level and threads, both with vectors of one element; 0 if there is no such
 * unit-stride ceiling, or if the ceiling is not strided. Only requested bytes count. If lines move
 * as fast as at unit stride, the share is tcplan_ceiling_stride_expected(). Yang et al. (An
 * Empirical Roofline Methodology, section IV.D) report this for strides up to a line.
 */
TCPLAN_API double tcplan_roofline_stride_share(const struct tcplan_roofline *roofline,
                                               const struct tcplan_ceiling *ceiling);

/** Returns the share that is expected analytically: element bytes / min(stride * element bytes,
 * line bytes), with elements of 8 bytes and lines of 64 bytes; 0 for ceilings that are not
 * strided. */
TCPLAN_API double tcplan_ceiling_stride_expected(const struct tcplan_ceiling *ceiling);

/** Returns whether a roofline has strided loads and stores for a number of threads, including unit
 * stride and strides longer than a line. */
TCPLAN_API bool tcplan_roofline_has_strides(const struct tcplan_roofline *roofline, int threads,
                                            bool rough);

/** Returns whether a roofline has loads with several vector widths for a number of threads. */
TCPLAN_API bool tcplan_roofline_has_widths(const struct tcplan_roofline *roofline, int threads,
                                           bool rough);

/**
 * Returns whether a roofline has sweeps over the working set for a number of threads: of loads, and
 * of each kernel in a list such as `store,triad`.
 *
 * @param kernels  NULL: loads are enough
 * @param rough    whether rough ceilings are accepted
 */
TCPLAN_API bool tcplan_roofline_has_sweeps(const struct tcplan_roofline *roofline,
                                           const char *kernels, int threads, bool rough);

/**
 * Returns the ridge of a sweep over intensities: the intensity at which the highest byte rate of
 * its points would give the highest operation rate.
 *
 * @param cache  place in machine.cache, or machine.cache_count for memory
 * @return flop/byte; 0 if fewer than two points were measured in that level
 */
TCPLAN_API double tcplan_roofline_ridge(const struct tcplan_roofline *roofline, int cache,
                                        int threads);

/** Returns whether a roofline has sweeps over intensities for a number of threads. */
TCPLAN_API bool tcplan_roofline_has_intensities(const struct tcplan_roofline *roofline,
                                                int threads);

/** Returns the innermost level that holds `bytes` with this number of threads, or NULL if no level
 * was found. */
TCPLAN_API const struct tcplan_level *tcplan_roofline_level(const struct tcplan_roofline *roofline,
                                                            double bytes, int threads);

/**
 * Returns whether a roofline has the ceilings of some types for a number of threads: of each
 * compute kind and of loads. Ceilings spoilt by a disturbance are not required.
 *
 * @param dtypes  the types, as bits 1 << type; 0: all types, with their gemms, strided loads and
 *                mixed precisions, if any
 * @param rough   whether rough ceilings are accepted
 */
TCPLAN_API bool tcplan_roofline_has(const struct tcplan_roofline *roofline, unsigned dtypes,
                                    int threads, bool rough);

/** Returns whether any ceiling is rough. */
TCPLAN_API bool tcplan_roofline_is_rough(const struct tcplan_roofline *roofline);

/** Returns the number of ceilings that were measured while the cores were slow, see
 * tcplan_ceiling_is_slow(). */
TCPLAN_API int tcplan_roofline_slow_count(const struct tcplan_roofline *roofline);

/** Returns the share of all windows that were discarded because a thread lost its core. */
TCPLAN_API double tcplan_roofline_dropped_share(const struct tcplan_roofline *roofline);

/**
 * Returns the speed of the cores during the measurement of a ceiling as a share of their
 * undisturbed speed, as far as it lowers the ceiling's rate: at most 1; 0: not known. Shared cores
 * alternate between two speeds, which some kernels follow more than others (`steadiness`).
 */
TCPLAN_API double tcplan_ceiling_speed_share(const struct tcplan_ceiling *ceiling);

/** Returns whether the cores were so slow that the measured rate is too low to be a ceiling. It is
 * not used as a limit. */
TCPLAN_API bool tcplan_ceiling_is_slow(const struct tcplan_ceiling *ceiling);

/**
 * Returns the shortest time that the ceilings allow for a repeated contraction, the maximum of
 *
 *   flops / peak, the fastest arithmetic of the type that was measured: FMA instructions, or a gemm
 *   that beats them
 *   for each level of the memory, bytes that must come from it / its bandwidth
 *
 * The first cache is charged for all tensors. Each farther level is charged only for the footprint
 * less the capacities of nearer caches; the capacity of a cache is that found by the sweep of
 * loads, rounded up to the next working set, or else that reported by the system. The algorithm
 * chooses which bytes stay in nearer caches, so the bytes that cost least to move are charged. The
 * bandwidth of a level bounds reads by `load`, writes by the faster of `store` and `store_nt`, and
 * both together by its fastest stream.
 *
 * @param roofline  NULL: none
 * @return seconds; 0 if a required ceiling is missing for the type or number of threads or was
 *     measured while the cores were slow, or if there is nothing to multiply
 */
TCPLAN_API double tcplan_roofline_limit_seconds(const struct tcplan_roofline *roofline,
                                                const struct tcplan_problem *problem, int threads);

/**
 * Converts all rates to operations and bytes per core cycle, with the clock measured with each
 * ceiling. The time-stamp counter is not used: it has another rate. Afterwards
 * tcplan_roofline_limit_seconds() returns 0.
 *
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the clock could not be measured
 */
TCPLAN_API enum tcplan_status tcplan_roofline_per_cycle(struct tcplan_roofline *roofline,
                                                        struct tcplan_error *error);

/** Returns the unit of the rates: `GFLOP/s` or `flop/cycle`, and `GB/s` or `byte/cycle`. */
TCPLAN_API const char *tcplan_roofline_compute_unit(const struct tcplan_roofline *roofline);
TCPLAN_API const char *tcplan_roofline_bandwidth_unit(const struct tcplan_roofline *roofline);

/**
 * Returns the highest rate that a contraction can reach: its flops over
 * tcplan_roofline_limit_seconds(). Architectural efficiency is relative to this rate (Yang et al.,
 * An Empirical Roofline Methodology, equation 2).
 *
 * @return GFLOP/s; 0 if there is no limit
 */
TCPLAN_API double tcplan_roofline_roof(const struct tcplan_roofline *roofline,
                                       const struct tcplan_problem *problem, int threads);

/** Frees a roofline; does nothing if it is NULL. */
TCPLAN_API void tcplan_roofline_free(struct tcplan_roofline *roofline);

#ifdef __cplusplus
}
#endif

#endif
