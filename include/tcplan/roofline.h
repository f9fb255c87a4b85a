/**
 * The roofline of this machine: how fast it computes and moves data at best, measured.
 *
 * A ceiling is the median of many timed windows. Nothing is read from hardware counters, which most virtual machines lack: operations and
 * bytes are counted from what the kernels do, time and clock rate are measured. Sources: Ofenbeck et al., Applying the Roofline Model
 * (ISPASS 2014), for statistics, warm and cold caches; Yang et al., Empirical Roofline Methodology, for the set of ceilings and strides.
 */
#ifndef TCPLAN_ROOFLINE_H
#define TCPLAN_ROOFLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tcplan/machine.h"
#include "tcplan/problem.h"
#include "tcplan/progress.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a number is from. */
enum tcplan_origin {
    TCPLAN_ORIGIN_MEASURED,  /**< timed here */
    TCPLAN_ORIGIN_PREDICTED, /**< from a predictor, see tcplan_rank() */
    TCPLAN_ORIGIN_ANALYTIC,  /**< computed from what is known exactly */
    TCPLAN_ORIGIN_MODEL,     /**< computed from assumptions, such as a cache simulation */
    TCPLAN_ORIGIN_DATA_SHEET /**< somebody's claim */
};

/** `measured`, `predicted`, `analytic`, `model` or `data sheet`. */
TCPLAN_API const char *tcplan_origin_name(enum tcplan_origin origin);

enum { TCPLAN_CEILING_NAME = 24, TCPLAN_LEVEL_NAME = 8 };

/** One ceiling: a speed that a kernel of its kind does not exceed. */
struct tcplan_ceiling {
    /**
     * Compute: `fma`, `mul_add` (multiplies and adds in equal number, not fused), `add`, `multiply`, `divide`, or a gemm (`sgemm`, `dgemm`,
     * `cgemm`, `zgemm`). Bandwidth: `load`, `store`, `copy`, `triad` (a = b + s * c), `update` (a = s * a), `axpy` (a = a + s * b), `triad_nt` (a is stored past the
     * caches), `load_2`, `load_4`, `load_8`, `load_16` (one element of 2, 4, 8, 16 is loaded).
     */
    char name[TCPLAN_CEILING_NAME];
    enum tcplan_dtype precision;
    int vector_bits; /**< of the instructions; those of one element where they are scalar; 0: the library's choice (gemm) */
    int threads;
    enum tcplan_origin origin;

    char level[TCPLAN_LEVEL_NAME];    /**< bandwidth: `L1`, `L2`, `L3`, ... or `DRAM`; compute: empty */
    int cache;                        /**< bandwidth: place in machine.cache, or machine.cache_count for memory; compute: -1 */
    int64_t working_set_bytes;        /**< bandwidth: of one thread, all arrays together */
    bool reduced;                     /**< bandwidth: there was not enough memory for a set that certainly does not fit the caches */
    double line_bytes_per_count_byte; /**< bandwidth: bytes of cache lines moved for each byte counted, write-allocation included */

    double rate;   /**< GFLOP/s, or 1e9 bytes that the program asks for per second, of all threads together: the median */
    double q1, q3; /**< quartiles */
    int windows;   /**< timed windows that count */
    int dropped;   /**< windows left out because a thread did not have its core all the time */
    double limit;  /**< analytic: what the cores could do at most at the measured clock rate; 0: not known. rate <= limit */

    int64_t m, n, k; /**< gemm: the extents */
};

/** The rate of a clock in Hz: median and quartiles of several measurements. */
struct tcplan_clock_rate {
    double hz;
    double q1, q3;
};

struct tcplan_roofline {
    struct tcplan_machine machine;
    struct tcplan_clock_rate clock; /**< of the core, from chains of dependent instructions */
    size_t compute_count;
    struct tcplan_ceiling *compute;
    size_t bandwidth_count;
    struct tcplan_ceiling *bandwidth;
    int left_out;           /**< ceilings for which there was not one undisturbed window */
    int above_limit;        /**< ceilings left out as they came out above their limit: the clock was faster than when it was measured */
    double huge_page_share; /**< of the memory that bandwidth was measured on; negative: not known */
    double seconds;         /**< that measuring took */
};

struct tcplan_roofline_options {
    const struct tcplan_machine *machine; /**< whose cache sizes working sets are made for; NULL: this machine */
    int threads;                          /**< 1 to the processors that the calling thread may run on; 0: one a core of these */
    bool every_count;                     /**< 1, 2, ... `threads`; otherwise 1 and `threads` */
    int windows;                          /**< timed windows per ceiling, 3 to 1000 */
    double window_seconds;                /**< their length; a pass over the working set where that takes longer */
    int64_t max_memory_bytes;             /**< for working sets; 0: half of what is available */
    bool untuned;                         /**< gemm with extents of its own, not with the best ones */
    bool small_pages;                     /**< bandwidth on pages of the usual size, not on huge ones */
    tcplan_progress_fn *progress;         /**< NULL: none */
    void *progress_context;
};

/** 20 windows of 2 ms each, 1 and all threads. */
TCPLAN_API struct tcplan_roofline_options tcplan_roofline_defaults(void);

/**
 * Measures the ceilings of this machine: half a minute with the defaults on two cores.
 *
 * @param out      receives the roofline, to be freed with tcplan_roofline_free()
 * @param options  NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID where an option is out of range; TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT where threads cannot be had, a
 *         kernel computed something wrong, or a rate came out at more than twice what the cores can do: then the measurement is broken,
 *         and there is no roofline
 */
TCPLAN_API enum tcplan_status tcplan_roofline_measure(struct tcplan_roofline **out, const struct tcplan_roofline_options *options,
                                                      struct tcplan_error *error);

/**
 * The highest ceiling of a kind, or NULL where none was measured.
 *
 * @param name         of compute ceilings; NULL: any that is not a gemm
 * @param vector_bits  0: any
 */
TCPLAN_API const struct tcplan_ceiling *tcplan_roofline_compute(const struct tcplan_roofline *roofline, const char *name,
                                                                enum tcplan_dtype precision, int vector_bits, int threads);

/**
 * The highest bandwidth ceiling of a level, or NULL where none was measured.
 *
 * @param name   NULL: any without a stride
 * @param cache  place in machine.cache, or machine.cache_count for memory
 */
TCPLAN_API const struct tcplan_ceiling *tcplan_roofline_bandwidth(const struct tcplan_roofline *roofline, const char *name, int cache,
                                                                  int threads);

/** Frees a roofline; NULL is fine. */
TCPLAN_API void tcplan_roofline_free(struct tcplan_roofline *roofline);

#ifdef __cplusplus
}
#endif

#endif
