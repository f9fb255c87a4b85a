#include "tcplan/points.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

/** A bandwidth kernel, described by the written share of the bytes that it counts, and of the lines
 * that it moves. */
struct mix {
    const char *name;
    bool updates; /* whether the kernel reads the lines that it writes; other kernels fetch such
                     lines without counting them */
    double write_share;
    double line_write_share;
};

static const struct mix mixes[] = {{"load", false, 0, 0},
                                   {"triad", false, 1.0 / 3, 1.0 / 4},
                                   {"copy", false, 1.0 / 2, 1.0 / 3},
                                   {"store", false, 1, 1.0 / 2},
                                   {"load", true, 0, 0},
                                   {"axpy", true, 1.0 / 3, 1.0 / 3},
                                   {"update", true, 1.0 / 2, 1.0 / 2}};

enum { MIXES = sizeof mixes / sizeof *mixes };

double tcplan_point_line_rate(const struct tcplan_ceiling *bandwidth,
                              enum tcplan_direction direction) {
    const bool lines = bandwidth->cache > 0 && direction == TCPLAN_DIRECTION_BOTH;
    return bandwidth->rate * (lines ? bandwidth->line_bytes_per_count_byte : 1);
}

/** Returns the written or the read part of bytes, or all. */
static double part_of(double bytes, double write_share, enum tcplan_direction direction) {
    if (direction == TCPLAN_DIRECTION_BOTH) return bytes;
    return bytes * (direction == TCPLAN_DIRECTION_WRITE ? write_share : 1 - write_share);
}

double tcplan_traffic_compulsory(const struct tcplan_traffic *traffic,
                                 enum tcplan_direction direction) {
    return part_of(traffic->compulsory_bytes, traffic->write_share, direction);
}

double tcplan_traffic_modelled(const struct tcplan_traffic *traffic,
                               enum tcplan_direction direction) {
    return fmax(part_of(traffic->model_bytes, traffic->model_write_share, direction),
                tcplan_traffic_compulsory(traffic, direction));
}

/** How shares of writes are computed: as shares of the counted requests, or of the moved lines. */
enum counting { COUNT_REQUESTS, COUNT_LINES };

static double lines_of(const struct tcplan_ceiling *ceiling) {
    return tcplan_point_line_rate(ceiling, TCPLAN_DIRECTION_BOTH);
}

/** Returns the ceiling of the measured kernel whose share of writes is nearest to that of the
 * traffic; of equally near kernels, the fastest. If no such kernel is measured, returns any
 * bandwidth of the level. */
static const struct tcplan_ceiling *nearest(const struct tcplan_roofline *roofline,
                                            const struct tcplan_traffic *traffic, int threads,
                                            enum counting counting) {
    const double wanted =
        counting == COUNT_LINES ? traffic->model_write_share : traffic->write_share;
    const struct tcplan_ceiling *best = NULL;
    double best_distance = INFINITY;
    for (int m = 0; m < MIXES; m++) {
        if (counting == COUNT_REQUESTS && mixes[m].updates != traffic->updates) continue;
        const double share =
            counting == COUNT_LINES ? mixes[m].line_write_share : mixes[m].write_share;
        const struct tcplan_ceiling *ceiling =
            tcplan_roofline_bandwidth(roofline, mixes[m].name, traffic->cache, threads);
        const double distance = fabs(share - wanted);
        if (!ceiling || distance > best_distance) continue;
        if (best && distance == best_distance && lines_of(ceiling) <= lines_of(best)) continue;
        best = ceiling;
        best_distance = distance;
    }
    return best ? best : tcplan_roofline_bandwidth(roofline, NULL, traffic->cache, threads);
}

const struct tcplan_ceiling *tcplan_point_bandwidth_ceiling(const struct tcplan_roofline *roofline,
                                                            const struct tcplan_traffic *traffic,
                                                            int threads) {
    return nearest(roofline, traffic, threads, COUNT_REQUESTS);
}

const struct tcplan_ceiling *tcplan_point_store_ceiling(const struct tcplan_roofline *roofline,
                                                        int cache, int threads) {
    const struct tcplan_ceiling *store =
        tcplan_roofline_bandwidth(roofline, "store", cache, threads);
    const struct tcplan_ceiling *past =
        tcplan_roofline_bandwidth(roofline, "store_nt", cache, threads);
    return past && (!store || past->rate > store->rate) ? past : store;
}

/** Returns the ceiling of loads if the direction is reading, otherwise the ceiling of the fastest
 * stores. */
static const struct tcplan_ceiling *one_way(const struct tcplan_roofline *roofline,
                                            const struct tcplan_point_subject *subject) {
    const int cache = subject->traffic.cache, threads = subject->threads;
    if (subject->direction == TCPLAN_DIRECTION_READ)
        return tcplan_roofline_bandwidth(roofline, "load", cache, threads);
    return tcplan_point_store_ceiling(roofline, cache, threads);
}

/** Returns the real type of the operations that make up operations on a type. */
static enum tcplan_dtype real_type(enum tcplan_dtype dtype) {
    return dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX ? TCPLAN_FLOAT : TCPLAN_DOUBLE;
}

const struct tcplan_ceiling *tcplan_point_compute_ceiling(const struct tcplan_roofline *roofline,
                                                          enum tcplan_dtype dtype, int threads,
                                                          bool fused) {
    const struct tcplan_ceiling *fma =
        fused ? tcplan_roofline_compute(roofline, "fma", real_type(dtype), 0, threads) : NULL;
    return fma ? fma : tcplan_roofline_compute(roofline, "mul_add", real_type(dtype), 0, threads);
}

/** Makes a point without its roofs. */
static struct tcplan_point place(const struct tcplan_roofline *roofline,
                                 const struct tcplan_point_subject *subject) {
    assert(subject->seconds > 0 && subject->threads > 0);
    const struct tcplan_traffic *traffic = &subject->traffic;
    /* Counted traffic consists of requests to the first cache, so its bandwidth is chosen by
     * shares of requests. */
    const enum counting counting =
        traffic->method == TCPLAN_TRAFFIC_COUNTED ? COUNT_REQUESTS : COUNT_LINES;
    const bool both = subject->direction == TCPLAN_DIRECTION_BOTH;
    return (struct tcplan_point){
        .origin = subject->origin,
        .direction = subject->direction,
        .intensity_low = subject->flops / tcplan_traffic_modelled(traffic, subject->direction),
        .intensity_high = subject->flops / tcplan_traffic_compulsory(traffic, subject->direction),
        .gflops = 1e-9 * subject->flops / subject->seconds /
                  (roofline->per_cycle ? 1e-9 * roofline->clock.hz : 1),
        .compute = tcplan_point_compute_ceiling(roofline, subject->dtype, subject->threads,
                                                subject->fused),
        .bandwidth = both ? nearest(roofline, traffic, subject->threads, COUNT_REQUESTS)
                          : one_way(roofline, subject),
        .model_bandwidth = both ? nearest(roofline, traffic, subject->threads, counting)
                                : one_way(roofline, subject)};
}

struct tcplan_point tcplan_point_make(const struct tcplan_roofline *roofline,
                                      const struct tcplan_point_subject *subject) {
    struct tcplan_point point = place(roofline, subject);
    if (!point.compute || !point.bandwidth) return point;
    const double fed = point.bandwidth->rate * point.intensity_high;
    point.compute_bound = point.compute->rate <= fed;
    point.roof = fmin(point.compute->rate, fed);
    point.model_roof =
        fmin(point.roof, tcplan_point_line_rate(point.model_bandwidth, subject->direction) *
                             point.intensity_low);
    point.efficiency = point.gflops / point.roof;
    point.model_efficiency = point.gflops / point.model_roof;
    point.above_roof = point.efficiency > 1;
    point.above_model = point.model_efficiency > 1;
    return point;
}
