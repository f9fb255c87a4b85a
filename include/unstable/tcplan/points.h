/**
 * Where an algorithm stands under the roofs: operations a byte against operations a second.
 */
#ifndef TCPLAN_POINTS_H
#define TCPLAN_POINTS_H

#include "tcplan/roofline.h"
#include "tcplan/traffic.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which bytes are held against which bandwidth (Ofenbeck et al., section II): I = W / Q, I_r = W /
 * Q_r, I_w = W / Q_w. */
enum tcplan_direction {
    TCPLAN_DIRECTION_BOTH, /**< all, against the kernel that stores as large a share: load, triad,
                              copy, store, axpy or update */
    TCPLAN_DIRECTION_READ, /**< reads, bounded by `load` */
    TCPLAN_DIRECTION_WRITE /**< writes, bounded by `store` or `store_nt`, the faster one */
};

/** The subject of a point. */
struct tcplan_point_subject {
    double flops; /**< exact, see tcplan_problem */
    enum tcplan_dtype dtype;
    struct tcplan_traffic traffic;
    int threads;
    bool fused; /**< multiplications are fused with additions, as a BLAS does where the processor
                   can; false: held against `mul_add` */
    double seconds;            /**< of one execution */
    enum tcplan_origin origin; /**< of `seconds`: measured or predicted */
    enum tcplan_direction direction;
};

/** Operations and bytes are analytic or a model's, the time has an origin, ceilings are measured.
 */
struct tcplan_point {
    enum tcplan_origin origin;
    enum tcplan_direction direction; /**< the subject's */
    double intensity_low;            /**< flop/byte with the model's traffic, of its direction */
    double intensity_high;           /**< the same with compulsory traffic only */
    double gflops; /**< 1e9 operations a second, or operations a cycle where the roofline's rates
                      are so */
    const struct tcplan_ceiling *compute;   /**< borrowed; NULL: none was measured for this type and
                                               thread count */
    const struct tcplan_ceiling *bandwidth; /**< of the level that feeds it, by the kernel that
                                               stores as large a share; as above */
    const struct tcplan_ceiling *model_bandwidth; /**< the same for the lines of the model */
    double roof; /**< GFLOP/s: the smaller of the compute ceiling and bandwidth * intensity_high; 0:
                    no ceilings */
    double model_roof; /**< the same with the model's lines, held against those that the kernel
                          moves */
    double efficiency; /**< gflops / roof: at least this share of the possible speed; 0: no ceilings
                        */
    double model_efficiency; /**< gflops / model_roof: the share of the speed that this algorithm's
                                traffic allows */
    bool compute_bound;      /**< `roof` is the compute ceiling */
    bool above_roof;  /**< efficiency > 1: no machine does that, so that a ceiling or the time is
                         wrong */
    bool above_model; /**< model_efficiency > 1: less traffic than the model predicts */
};

/** Places a point. A pure function; `roofline` must outlive the point. */
TCPLAN_API struct tcplan_point tcplan_point_make(const struct tcplan_roofline *roofline,
                                                 const struct tcplan_point_subject *subject);

/** The compute ceiling that a type, number of threads and kind of operations is held against; NULL
 * if none was measured. */
TCPLAN_API const struct tcplan_ceiling *tcplan_point_compute_ceiling(
    const struct tcplan_roofline *roofline, enum tcplan_dtype dtype, int threads, bool fused);

/** The bandwidth ceiling that an algorithm's compulsory traffic is held against; NULL if none was
 * measured. */
TCPLAN_API const struct tcplan_ceiling *tcplan_point_bandwidth_ceiling(
    const struct tcplan_roofline *roofline, const struct tcplan_traffic *traffic, int threads);

/**
 * The rate at which the kernel of a bandwidth ceiling moves cache lines. For the first cache, which
 * moves none, and in one direction alone: the rate of the requested bytes.
 */
TCPLAN_API double tcplan_point_line_rate(const struct tcplan_ceiling *bandwidth,
                                         enum tcplan_direction direction);

/** The bytes of a traffic in a direction: those that no algorithm can avoid, and those of the
 * model. */
TCPLAN_API double tcplan_traffic_compulsory(const struct tcplan_traffic *traffic,
                                            enum tcplan_direction direction);
TCPLAN_API double tcplan_traffic_modelled(const struct tcplan_traffic *traffic,
                                          enum tcplan_direction direction);

#ifdef __cplusplus
}
#endif

#endif
