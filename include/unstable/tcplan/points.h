/**
 * Places an algorithm in the roofline model: operations per second by operations per byte.
 */
#ifndef TCPLAN_POINTS_H
#define TCPLAN_POINTS_H

#include "tcplan/roofline.h"
#include "tcplan/traffic.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The bytes of a point, and the bandwidth with which they are compared. With work W, all bytes Q,
 * bytes read Q_r and bytes written Q_w, the intensities are I = W / Q, I_r = W / Q_r, I_w = W /
 * Q_w (Ofenbeck et al., section II). */
enum tcplan_direction {
    TCPLAN_DIRECTION_BOTH, /**< all bytes, compared with the kernel whose share of stores is
                              nearest: load, triad, copy, store, axpy or update */
    TCPLAN_DIRECTION_READ, /**< reads, bounded by `load` */
    TCPLAN_DIRECTION_WRITE /**< writes, bounded by `store` or `store_nt`, the faster one */
};

/** The subject of a point. */
struct tcplan_point_subject {
    double flops; /**< exact number of operations, see tcplan_problem */
    enum tcplan_dtype dtype;
    struct tcplan_traffic traffic;
    int threads;
    bool fused; /**< whether additions and multiplications are fused, as in a BLAS on a processor
                   with FMA; false: the compute ceiling is `mul_add` */
    double seconds;            /**< time of one execution */
    enum tcplan_origin origin; /**< origin of `seconds`: measured or predicted */
    enum tcplan_direction direction;
};

/** A point of the roofline model. Operations are analytic; bytes are analytic or modelled; ceilings
 * are measured. */
struct tcplan_point {
    enum tcplan_origin origin;
    enum tcplan_direction direction; /**< direction of the subject */
    double intensity_low;  /**< flop per byte that the model predicts to move in that direction: at
                              most intensity_high */
    double intensity_high; /**< flop/byte with compulsory traffic in that direction */
    double gflops; /**< 1e9 operations per second, or operations per cycle if the roofline's rates
                      are per cycle */
    const struct tcplan_ceiling *compute;   /**< the compute ceiling, borrowed; NULL: none was
                                               measured for this type and thread count */
    const struct tcplan_ceiling *bandwidth; /**< the bandwidth ceiling of the level that supplies
                                               the data, for the kernel whose share of stores is
                                               nearest; borrowed; NULL: none was measured */
    const struct tcplan_ceiling *model_bandwidth; /**< like `bandwidth`, but for the cache lines
                                                     that the model predicts */
    double roof; /**< GFLOP/s: the smaller of the compute ceiling and bandwidth * intensity_high; 0:
                    no ceilings */
    double model_roof; /**< like `roof`, but counting the cache lines that the model predicts and
                          those that the kernel of the ceiling moves */
    double efficiency; /**< gflops / roof: at least this share of the possible speed; 0: no ceilings
                        */
    double model_efficiency; /**< gflops / model_roof: the share of the speed that this algorithm's
                                traffic permits */
    bool compute_bound;      /**< whether `roof` is the compute ceiling */
    bool above_roof;  /**< whether efficiency > 1, which is impossible: a ceiling or the time is
                         wrong */
    bool above_model; /**< whether model_efficiency > 1: the algorithm causes less traffic than the
                         model predicts */
};

/** Places a point in the roofline model. A pure function; `roofline` must outlive the point. */
TCPLAN_API struct tcplan_point tcplan_point_make(const struct tcplan_roofline *roofline,
                                                 const struct tcplan_point_subject *subject);

/** Returns the compute ceiling for a type, number of threads and kind of operations; NULL if none
 * was measured. */
TCPLAN_API const struct tcplan_ceiling *tcplan_point_compute_ceiling(
    const struct tcplan_roofline *roofline, enum tcplan_dtype dtype, int threads, bool fused);

/** Returns the bandwidth ceiling for an algorithm's compulsory traffic; NULL if none was measured.
 */
TCPLAN_API const struct tcplan_ceiling *tcplan_point_bandwidth_ceiling(
    const struct tcplan_roofline *roofline, const struct tcplan_traffic *traffic, int threads);

/** Returns the bandwidth ceiling of stores from one level of the caches, `machine.cache_count` for
 * memory: `store` or `store_nt`, the faster one; NULL if neither was measured. */
TCPLAN_API const struct tcplan_ceiling *tcplan_point_store_ceiling(
    const struct tcplan_roofline *roofline, int cache, int threads);

/**
 * Returns the rate at which the kernel of a bandwidth ceiling moves cache lines. For the first
 * cache, and for one direction alone, this is the rate of the requested bytes.
 */
TCPLAN_API double tcplan_point_line_rate(const struct tcplan_ceiling *bandwidth,
                                         enum tcplan_direction direction);

/** Return the bytes that an algorithm moves in a direction: the compulsory ones, and those of the
 * model. */
TCPLAN_API double tcplan_traffic_compulsory(const struct tcplan_traffic *traffic,
                                            enum tcplan_direction direction);
TCPLAN_API double tcplan_traffic_modelled(const struct tcplan_traffic *traffic,
                                          enum tcplan_direction direction);

#ifdef __cplusplus
}
#endif

#endif
