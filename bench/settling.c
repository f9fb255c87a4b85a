/**
 * Measures how long a core needs to reach the steady speed of a repeated kernel, and how long it
 * stays there: the source of the numbers in microbench/timing/settling.h.
 *
 *   bench_settling [ROUNDS]
 *
 * Each round executes additions without vector instructions for some milliseconds, and then dgemms
 * of extent 48. Prints medians over the rounds of the calls' times in microseconds, by the time
 * since the first call. If the additions were so short that the core kept its state, the first
 * calls are as fast as the last ones.
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

#include "microbench/timing/clock.h"
#include "microbench/timing/session.h"
#include "microbench/timing/settling.h"
#include "microbench/timing/statistics.h"

enum { MOST_ROUNDS = 400, ROUNDS = 60, BINS = 8, PAUSES = 8 };

/** Ends of the bins, in seconds since the first call. */
static const double bin_end[BINS] = {1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 3e-3};
static const double pause_seconds[PAUSES] = {0, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3};

static double a[SETTLING_EXTENT * SETTLING_EXTENT], b[SETTLING_EXTENT * SETTLING_EXTENT],
    c[SETTLING_EXTENT * SETTLING_EXTENT];

static double seconds_since(uint64_t start_ns) {
    return 1e-9 * (double)(clock_now_ns() - start_ns);
}

/** Computes without vector instructions for `seconds` seconds. */
static void add_for(double seconds) {
    static volatile uint64_t sum;
    const uint64_t start_ns = clock_now_ns();
    while (seconds_since(start_ns) < seconds) {
        for (uint64_t i = 0; i < 100; i++) sum += i;
    }
}

static double gemm_seconds(void) {
    const uint64_t start_ns = clock_now_ns();
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, SETTLING_EXTENT, SETTLING_EXTENT,
                SETTLING_EXTENT, 1, a, SETTLING_EXTENT, b, SETTLING_EXTENT, 0, c, SETTLING_EXTENT);
    return seconds_since(start_ns);
}

/** Runs one round: computes the mean time of the calls in each bin; 0 if no call ended in the bin.
 */
static void run_round(double pause, double mean[BINS]) {
    int count[BINS] = {0};
    for (int bin = 0; bin < BINS; bin++) mean[bin] = 0;
    add_for(pause);
    const uint64_t start_ns = clock_now_ns();
    for (int bin = 0; bin < BINS;) {
        const double seconds = gemm_seconds();
        while (bin < BINS && seconds_since(start_ns) > bin_end[bin]) bin++;
        if (bin < BINS) mean[bin] += (seconds - mean[bin]) / ++count[bin];
    }
}

int main(int argc, char *argv[]) {
    static double mean[BINS][MOST_ROUNDS];
    const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : ROUNDS;
    const int rounds = wanted > 0 && wanted <= MOST_ROUNDS ? (int)wanted : ROUNDS;
    for (int e = 0; e < SETTLING_EXTENT * SETTLING_EXTENT; e++) a[e] = b[e] = 1.0 / SETTLING_EXTENT;
    struct session session;
    if (session_begin(&session, 1, NULL) != TCPLAN_OK) return 3;
    printf("%-12s", "pause ms");
    for (int bin = 0; bin < BINS; bin++) printf("  to %5.3f ms", 1e3 * bin_end[bin]);
    printf("\n");
    for (int p = 0; p < PAUSES; p++) {
        for (int r = 0; r < rounds; r++) {
            double own[BINS];
            run_round(pause_seconds[p], own);
            for (int bin = 0; bin < BINS; bin++) mean[bin][r] = own[bin];
        }
        printf("%-12g", 1e3 * pause_seconds[p]);
        for (int bin = 0; bin < BINS; bin++)
            printf("  %11.3f", 1e6 * statistics_median(mean[bin], rounds));
        printf("\n");
    }
    session_end(&session);
    return 0;
}
