#include "tcplan/points.h"

#include <math.h>
#include <stddef.h>

/** A kernel and the share of its bytes that it stores. */
struct mix {
    const char *name;
    double write_share;
};

/* Kernels that overwrite: the line is fetched first, which their count leaves out, as that of the compulsory traffic does. */
static const struct mix overwriting[] = {{"load", 0}, {"triad", 1.0 / 3}, {"copy", 0.5}, {"store", 1}};

/* Kernels that read what they write. */
static const struct mix updating[] = {{"load", 0}, {"axpy", 1.0 / 3}, {"update", 0.5}};

static const char *nearest(const struct mix *mix, size_t count, double write_share) {
    const struct mix *best = mix;
    for (size_t m = 1; m < count; m++) {
        if (fabs(mix[m].write_share - write_share) < fabs(best->write_share - write_share)) best = &mix[m];
    }
    return best->name;
}

const struct tcplan_ceiling *tcplan_point_bandwidth_ceiling(const struct tcplan_roofline *roofline, const struct tcplan_traffic *traffic,
                                                            int threads) {
    const char *name = traffic->updates ? nearest(updating, sizeof updating / sizeof *updating, traffic->write_share)
                                        : nearest(overwriting, sizeof overwriting / sizeof *overwriting, traffic->write_share);
    const struct tcplan_ceiling *ceiling = tcplan_roofline_bandwidth(roofline, name, traffic->cache, threads);
    return ceiling ? ceiling : tcplan_roofline_bandwidth(roofline, NULL, traffic->cache, threads);
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

struct tcplan_point tcplan_point_make(const struct tcplan_roofline *roofline, const struct tcplan_point_subject *subject) {
    const struct tcplan_traffic *traffic = &subject->traffic;
    struct tcplan_point point = {.origin = subject->origin,
                                 .intensity_low = subject->flops / traffic->model_bytes,
                                 .intensity_high = subject->flops / traffic->compulsory_bytes,
                                 .gflops = 1e-9 * subject->flops / subject->seconds,
                                 .compute = tcplan_point_compute_ceiling(roofline, subject->dtype, subject->threads, subject->fused),
                                 .bandwidth = tcplan_point_bandwidth_ceiling(roofline, traffic, subject->threads)};
    if (!point.compute || !point.bandwidth) return point;
    /* Requests are counted as the kernel counts its own; a model's lines include those fetched before they are written. */
    const bool lines = traffic->method != TCPLAN_TRAFFIC_COUNTED;
    const double line_rate = point.bandwidth->rate * (lines ? point.bandwidth->line_bytes_per_count_byte : 1);
    const double fed = point.bandwidth->rate * point.intensity_high;
    point.compute_bound = point.compute->rate <= fed;
    point.roof = fmin(point.compute->rate, fed);
    point.model_roof = fmin(point.roof, line_rate * point.intensity_low);
    point.efficiency = point.gflops / point.roof;
    point.model_efficiency = point.gflops / point.model_roof;
    point.above_roof = point.efficiency > 1;
    return point;
}
