#include "cli/page/roofs.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Which roofs. */

/** The numbers of threads that it has, the smallest first. */
static int count_threads(const struct tcplan_roofline *roofline, int out[PLOT_ROOFS]) {
    int count = 0;
    for (int last = 0; count < PLOT_ROOFS; count++) {
        int next = INT_MAX;
        for (size_t c = 0; c < roofline->bandwidth_count; c++) {
            const int threads = roofline->bandwidth[c].threads;
            if (threads > last && threads < next) next = threads;
        }
        if (next == INT_MAX) break;
        out[count] = last = next;
    }
    return count;
}

static bool has_mixed(const struct tcplan_roofline *roofline, int threads) {
    bool any = false;
    for (int mix = 1; mix < TCPLAN_MIXES; mix++)
        any = any || tcplan_roofline_mixed(roofline, (enum tcplan_mix)mix, threads);
    return any;
}

int roofs_of(struct plot_roofs out[PLOT_ROOFS], const struct tcplan_roofline *roofline) {
    int threads[PLOT_ROOFS], roofs = 0;
    const int count = count_threads(roofline, threads);
    for (int t = 0; t < count && roofs + 3 <= PLOT_ROOFS; t++) {
        const struct plot_roofs both = {.roofline = roofline,
                                        .bandwidth = "load",
                                        .dtype = TCPLAN_DOUBLE,
                                        .threads = threads[t],
                                        .series = t};
        out[roofs] = out[roofs + 1] = both;
        out[roofs + 1].bandwidth = NULL;
        out[roofs + 1].dtype = TCPLAN_FLOAT;
        roofs += 2;
        if (!has_mixed(roofline, threads[t])) continue;
        out[roofs] = out[roofs - 1];
        out[roofs++].mixed = true;
    }
    return roofs;
}

void roofs_name(char *out, size_t size, const struct plot_roofs *roofs) {
    snprintf(out, size, "%.40s%s%d thread%s", roofs->name ? roofs->name : "",
             roofs->name ? ", " : "", roofs->threads, roofs->threads == 1 ? "" : "s");
}

/* Roofs. */

void roofs_collect(struct drawn_roofs *drawn, const struct plot_roofs *roofs) {
    static const char *const gemms[TCPLAN_DTYPES] = {"sgemm", "dgemm", "cgemm", "zgemm"};
    const struct tcplan_roofline *roofline = roofs->roofline;
    *drawn = (struct drawn_roofs){.roofs = roofs};
    for (int cache = 0; cache <= roofline->machine.cache_count && roofs->bandwidth; cache++) {
        const struct tcplan_ceiling *ceiling =
            tcplan_roofline_bandwidth(roofline, roofs->bandwidth, cache, roofs->threads);
        if (ceiling) drawn->level[drawn->levels++] = ceiling;
    }
    for (int mix = 1; mix < TCPLAN_MIXES && roofs->mixed; mix++) {
        const struct tcplan_ceiling *mixed =
            tcplan_roofline_mixed(roofline, (enum tcplan_mix)mix, roofs->threads);
        if (mixed) drawn->compute[drawn->computes++] = mixed;
    }
    if (roofs->mixed) return;
    const struct tcplan_ceiling *const compute[] = {
        tcplan_point_compute_ceiling(roofline, roofs->dtype, roofs->threads, true),
        tcplan_point_compute_ceiling(roofline, roofs->dtype, roofs->threads, false),
        tcplan_roofline_compute(roofline, gemms[roofs->dtype], roofs->dtype, 0, roofs->threads),
    };
    for (size_t c = 0; c < sizeof compute / sizeof compute[0];
         c++) { /* NOLINT(bugprone-sizeof-expression): of pointers */
        if (compute[c] && (c == 0 || compute[c] != compute[0]))
            drawn->compute[drawn->computes++] = compute[c];
    }
}

double roofs_highest(const struct drawn_roofs *drawn) {
    double highest = 0;
    for (int c = 0; c < drawn->computes; c++) highest = fmax(highest, drawn->compute[c]->rate);
    return highest;
}

double roofs_rate(const struct plot_roofs *roofs, const struct tcplan_ceiling *level) {
    return tcplan_point_line_rate(level, roofs->direction);
}

double roofs_fastest(const struct drawn_roofs *drawn) {
    double fastest = 0;
    if (!drawn->roofs->bandwidth) {
        const struct tcplan_ceiling *load =
            tcplan_roofline_bandwidth(drawn->roofs->roofline, "load", 0, drawn->roofs->threads);
        return load ? roofs_rate(drawn->roofs, load) : 0;
    }
    for (int l = 0; l < drawn->levels; l++)
        fastest = fmax(fastest, roofs_rate(drawn->roofs, drawn->level[l]));
    return fastest;
}

static void widen(struct tcplan_span *span, double low, double high) {
    if (!(low > 0) || !isfinite(high)) return;
    span->low = span->high > 0 ? fmin(span->low, low) : low;
    span->high = fmax(span->high, high);
}

void roofs_ranges(struct tcplan_span *x, struct tcplan_span *y, const struct roofline_plot *plot,
                  const struct drawn_roofs all[]) {
    double top = 0, slowest = INFINITY;
    for (int r = 0; r < plot->roofs_count; r++) {
        const struct drawn_roofs *drawn = &all[r];
        const double highest = roofs_highest(drawn);
        top = fmax(top, highest);
        for (int l = 0; l < drawn->levels; l++) {
            const double rate = roofs_rate(drawn->roofs, drawn->level[l]);
            slowest = fmin(slowest, rate);
            if (highest > 0) widen(x, 0.3 * highest / rate, 12 * highest / rate);
        }
    }
    if (!(x->high > 0)) *x = (struct tcplan_span){0.1, 100};
    for (size_t p = 0; p < plot->count; p++)
        widen(x, plot->point[p].at.intensity_low / 2, plot->point[p].at.intensity_high * 2);
    if (!(top > 0)) top = isfinite(slowest) ? slowest * x->high : 1;
    widen(y, isfinite(slowest) ? fmin(slowest * x->low, top / 10) : top / 100, 1.3 * top);
    for (size_t p = 0; p < plot->count; p++)
        widen(y, plot->point[p].at.gflops / 2, plot->point[p].at.gflops * 1.5);
}

int roofs_home(const struct roofline_plot *plot) {
    return plot->count > 0 && plot->point[0].at.model_bandwidth
               ? plot->point[0].at.model_bandwidth->cache
               : -1;
}

void roofs_tell(char *out, size_t size, const struct roofline_plot *plot,
                const struct drawn_roofs *drawn, const struct tcplan_ceiling *ceiling, bool whole) {
    static const char *const precisions[TCPLAN_DTYPES] = {"single", "double", "single complex",
                                                          "double complex"};
    char which[64] = "", what[60];
    const bool several = plot->roofs_count > 1, compute = ceiling->cache < 0,
               mixed = ceiling->mix != TCPLAN_MIX_NONE;
    if (whole && several) {
        memcpy(which, ", ", 3);
        roofs_name(which + 2, sizeof which - 2, drawn->roofs);
    }
    if (compute && ceiling->m > 0) {
        snprintf(what, sizeof what, "%.8s %lld x %lld x %lld", ceiling->name, (long long)ceiling->m,
                 (long long)ceiling->n, (long long)ceiling->k);
    } else if (compute) {
        const char *precision = mixed     ? tcplan_mix_name(ceiling->mix)
                                : several ? precisions[ceiling->precision]
                                          : "";
        snprintf(what, sizeof what, "%.20s, %d bits%s%s", ceiling->name, ceiling->vector_bits,
                 *precision ? ", " : "", precision);
    } else {
        snprintf(what, sizeof what, "%s %s", ceiling->level, ceiling->name);
    }
    if (compute) {
        snprintf(out, size, "%s%s: %.4g %s", what, which, ceiling->rate,
                 tcplan_roofline_compute_unit(drawn->roofs->roofline));
    } else {
        snprintf(out, size, "%s%s: %.3g %s", what, which, roofs_rate(drawn->roofs, ceiling),
                 tcplan_roofline_bandwidth_unit(drawn->roofs->roofline));
    }
}

/* Where they lie. */

struct roof_line roofs_level_line(const struct drawn_roofs *drawn,
                                  const struct tcplan_ceiling *level, const struct tcplan_span *x,
                                  const struct tcplan_span *y) {
    const double top = roofs_highest(drawn) > 0 ? roofs_highest(drawn) : y->high,
                 rate = roofs_rate(drawn->roofs, level);
    return (struct roof_line){.x = {x->low, top / rate}, .y = {rate * x->low, top}};
}

struct roof_line roofs_compute_line(const struct drawn_roofs *drawn,
                                    const struct tcplan_ceiling *compute,
                                    const struct tcplan_span *x) {
    const double fastest = roofs_fastest(drawn), rate = compute->rate;
    return (struct roof_line){.x = {fastest > 0 ? rate / fastest : x->low, x->high},
                              .y = {rate, rate}};
}
