/**
 * Regions of a program: a triad, which is limited by memory, and a polynomial, which is limited by
 * arithmetic. docs/roofline.md interprets their measurements.
 *
 *   tcplan roofline --run "regions [ELEMENTS [TIMES]]"
 *
 * The program prints the options that tell `tcplan roofline` the operations and bytes of each
 * region, for machines without counters. If it is run without tcplan, it measures its regions
 * itself and prints their times.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tcplan/region.h>

enum { DEGREE = 32 };

static void triad(double *a, const double *b, const double *c, double s, long n) {
    for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

/** Computes a_i := ((b_i x + 1) x + 1) ..., with DEGREE steps of two operations each, on numbers in
 * registers. */
static void polynomial(double *a, const double *b, double x, long n) {
    for (long i = 0; i < n; i++) {
        double value = b[i];
        for (int d = 0; d < DEGREE; d++) value = value * x + 1;
        a[i] = value;
    }
}

/** Prints the options for a region. `bytes` is the traffic with memory: a cache line that is
 * written is read first. */
static void tell(const char *region, double flops, double bytes) {
    printf("--flops %s=%.0f --bytes %s=%.0f\n", region, flops, region, bytes);
}

static int print_times(void) {
    struct tcplan_regions *regions = NULL;
    struct tcplan_error error;
    if (tcplan_region_results(&regions, &error) != TCPLAN_OK) return EXIT_FAILURE;
    for (size_t r = 0; r < regions->count; r++) {
        const struct tcplan_region *region = &regions->region[r];
        printf("%s: %lld calls, %.3g s\n", region->name, (long long)region->calls, region->seconds);
    }
    tcplan_regions_free(regions);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    const long n = argc > 1 ? atol(argv[1]) : 100000, times = argc > 2 ? atol(argv[2]) : 3;
    double *a = malloc((size_t)n * sizeof *a), *b = malloc((size_t)n * sizeof *b),
           *c = malloc((size_t)n * sizeof *c);
    struct tcplan_error error;
    if (n < 1 || times < 1 || !a || !b || !c) return EXIT_FAILURE;
    /* fails if `tcplan roofline` already measures the regions */
    const int is_alone = tcplan_region_measure("perf", &error) == TCPLAN_OK;
    for (long i = 0; i < n; i++) {
        a[i] = 0;
        b[i] = 1.0 / (double)(i + 1);
        c[i] = 1;
    }
    for (long t = 0; t < times; t++) {
        tcplan_region_begin("triad");
        triad(a, b, c, 0.5, n);
        tcplan_region_end("triad");
        tcplan_region_begin("polynomial");
        polynomial(c, b, 0.25 + 0.001 * (double)t, n);
        tcplan_region_end("polynomial");
    }
    tell("triad", 2.0 * (double)n * (double)times, 32.0 * (double)n * (double)times);
    tell("polynomial", 2.0 * DEGREE * (double)n * (double)times, 24.0 * (double)n * (double)times);
    printf("a[1] = %.6f\n", n > 1 ? a[1] : a[0]);
    free(a);
    free(b);
    free(c);
    return is_alone ? print_times() : EXIT_SUCCESS;
}
