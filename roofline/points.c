#include "tcplan/points.h"

#include <math.h>
#include <stddef.h>

/** What a kernel stores of the bytes it counts, and what is written of the lines it moves. */
struct mix {
    const char *name;
    bool updates; /* it reads what it writes; the others' lines are fetched before they are written, which their count leaves out */
    double write_share;
    double line_write_share;
};

static const struct mix mixes[] = {
    {"load", false, 0, 0}, {"triad", false, 1.0 / 3, 1.0 / 4}, {"copy", false, 1.0 / 2, 1.0 / 3}, {"store", false, 1, 1.0 / 2},
    {"load", true, 0, 0},  {"axpy", true, 1.0 / 3, 1.0 / 3},   {"update", true, 1.0 / 2, 1.0 / 2}};

enum { MIXES = sizeof mixes / sizeof *mixes };

double tcplan_point_line_rate(const struct tcplan_ceiling *bandwidth) {
    return bandwidth->rate * (bandwidth->cache > 0 ? bandwidth->line_bytes_per_count_byte : 1);
}

/** What ceilings are compared in. */
enum counting { COUNT_REQUESTS, COUNT_LINES };

/** Of the kernels that were measured, the one whose share of writes is nearest; of equally near ones the fastest. */
static const struct tcplan_ceiling *nearest(const struct tcplan_roofline *roofline, const struct tcplan_traffic *traffic, int threads,
                                            enum counting counting) {
    const double wanted = counting == COUNT_LINES ? traffic->model_write_share : traffic->write_share;
    const struct tcplan_ceiling *best = NULL;
    double best_distance = INFINITY;
    for (int m = 0; m < MIXES; m++) {
        if (counting == COUNT_REQUESTS && mixes[m].updates != traffic->updates) continue;
        const double share = counting == COUNT_LINES ? mixes[m].line_write_share : mixes[m].write_share;
        const struct tcplan_ceiling *ceiling = tcplan_roofline_bandwidth(roofline, mixes[m].name, traffic->cache, threads);
        const double distance = fabs(share - wanted);
        if (!ceiling || distance > best_distance) continue;
        if (best && distance == best_distance && tcplan_point_line_rate(ceiling) <= tcplan_point_line_rate(best)) continue;
        best = ceiling;
        best_distance = distance;
    }
    return best ? best : tcplan_roofline_bandwidth(roofline, NULL, traffic->cache, threads);
}

const struct tcplan_ceiling *tcplan_point_bandwidth_ceiling(const struct tcplan_roofline *roofline, const struct tcplan_traffic *traffic,
                                                            int threads) {
    return nearest(roofline, traffic, threads, COUNT_REQUESTS);
}

/** The operations on complex numbers are those on their parts. */
static enum tcplan_dtype real_type(enum tcplan_dtype dtype) {
    return dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX ? TCPLAN_FLOAT : TCPLAN_DOUBLE;
}

const struct tcplan_ceiling *tcplan_point_compute_ceiling(const struct tcplan_roofline *roofline, enum tcplan_dtype dtype, int threads,
                                                          bool fused) {
    const struct tcplan_ceiling *fma = fused ? tcplan_roofline_compute(roofline, "fma", real_type(dtype), 0, threads) : NULL;
    return fma ? fma : tcplan_roofline_compute(roofline, "mul_add", real_type(dtype), 0, threads);
}

/** Everything but the roofs. */
static struct tcplan_point place(const struct tcplan_roofline *roofline, const struct tcplan_point_subject *subject) {
    const struct tcplan_traffic *traffic = &subject->traffic;
    /* What is counted are requests, of the first cache; its model has the shares of requests. */
    const enum counting counting = traffic->method == TCPLAN_TRAFFIC_COUNTED ? COUNT_REQUESTS : COUNT_LINES;
    return (struct tcplan_point){.origin = subject->origin,
                                 .intensity_low = subject->flops / traffic->model_bytes,
                                 .intensity_high = subject->flops / traffic->compulsory_bytes,
                                 .gflops = 1e-9 * subject->flops / subject->seconds,
                                 .compute = tcplan_point_compute_ceiling(roofline, subject->dtype, subject->threads, subject->fused),
                                 .bandwidth = nearest(roofline, traffic, subject->threads, COUNT_REQUESTS),
                                 .model_bandwidth = nearest(roofline, traffic, subject->threads, counting)};
}

struct tcplan_point tcplan_point_make(const struct tcplan_roofline *roofline, const struct tcplan_point_subject *subject) {
    struct tcplan_point point = place(roofline, subject);
    if (!point.compute || !point.bandwidth) return point;
    const double fed = point.bandwidth->rate * point.intensity_high;
    point.compute_bound = point.compute->rate <= fed;
    point.roof = fmin(point.compute->rate, fed);
    point.model_roof = fmin(point.roof, tcplan_point_line_rate(point.model_bandwidth) * point.intensity_low);
    point.efficiency = point.gflops / point.roof;
    point.model_efficiency = point.gflops / point.model_roof;
    point.above_roof = point.efficiency > 1;
    point.above_model = point.model_efficiency > 1;
    return point;
}
