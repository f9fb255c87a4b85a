/**
 * A program to compare on several machines: the kernel GPP of BerkeleyGW, simplified, as in Yang
 * et al., An Empirical Roofline Methodology (sections III and IV). For each element of two arrays,
 * it sums `nw` complex quotients. More quotients mean more operations per byte; a larger stride
 * means fewer.
 *
 *   cc -O3 -march=native gpp.c -o gpp                    with FMA and divisions
 *   cc -O3 -march=native -ffp-contract=off gpp.c -o gpp  without FMA
 *   cc -O3 -march=native -DMULTIPLY gpp.c -o gpp         a multiplication for each division, which
 *                                                        is wrong but costs one operation
 *
 *   ./gpp [ELEMENTS [DIVISION]] >here.csv
 *   tcplan portability here.csv there.csv --ceilings here.tcplan --ceilings there.tcplan
 *
 * DIVISION is the number of operations that the processor executes for a division (default 1): for
 * instance the rate of mul_add over that of divide in `tcplan roofline`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_NW = 6, MOST_STRIDE = 16, LINE = 8 /* number of doubles in a cache line */, RUNS = 5 };

/* Number of operations for each quotient, not counting its division. */
enum { OTHERS = 16 };

#ifdef MULTIPLY
#define QUOTIENT(a, b) ((a) * (b))
#else
#define QUOTIENT(a, b) ((a) / (b))
#endif

static double now(void) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** Sums over the elements 0, stride, 2 stride ... of complex numbers, whose real and imaginary
 * parts are in different arrays. */
static double gpp(const double *restrict re, const double *restrict im, long n, long stride, int nw,
                  const double *restrict frequency) {
    double sum_re = 0, sum_im = 0;
    for (long i = 0; i < n; i += stride) {
        for (int w = 0; w < nw; w++) {
            const double x = frequency[w] - re[i];
            const double inverse = QUOTIENT(1.0, x * x + im[i] * im[i]);
            sum_re += (re[i] * x + im[i] * im[i]) * inverse * frequency[w];
            sum_im += (im[i] * x - re[i] * im[i]) * inverse * frequency[w];
        }
    }
    return sum_re + sum_im;
}

/** Returns the shortest of several runs in seconds. */
static double measure(const double *re, const double *im, long n, long stride, int nw) {
    static const double frequency[MOST_NW] = {2, 3, 4, 5, 6, 7};
    double best = 1e30;
    for (int run = 0; run < RUNS; run++) {
        const double begin = now();
        volatile double sum = gpp(re, im, n, stride, nw, frequency);
        const double seconds = now() - begin;
        (void)sum;
        if (seconds < best) best = seconds;
    }
    return best;
}

static void print(const char *what, int value, const double *re, const double *im, long n,
                  long stride, int nw, double division) {
    const double count = (double)((n + stride - 1) / stride);
    const double moved = 8.0 * (double)(stride < LINE ? stride : LINE);
    const double seconds = measure(re, im, n, stride, nw);
    printf("gpp %s=%d,%.17g,%.17g,%.17g,%.9g,1\n", what, value, count * nw * (OTHERS + division),
           count * nw * (OTHERS + 1), count * 2 * moved, seconds);
}

int main(int argc, char *argv[]) {
    const long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1L << 23;
    const double division = argc > 2 ? strtod(argv[2], NULL) : 1;
    if (n < 1 || n > 1L << 32 || !(division >= 1)) {
        fprintf(stderr, "usage: gpp [ELEMENTS [DIVISION]]\n");
        return EXIT_FAILURE;
    }
    double *re = malloc((size_t)n * sizeof *re), *im = malloc((size_t)n * sizeof *im);
    if (!re || !im) {
        fprintf(stderr, "gpp: out of memory\n");
        free(re);
        free(im);
        return EXIT_FAILURE;
    }
    for (long i = 0; i < n; i++) {
        re[i] = (double)(i % 97) / 97;
        im[i] = 1 + (double)(i % 89) / 89;
    }
    printf("name,flops,canonical_flops,bytes,seconds,threads\n");
    for (int nw = 1; nw <= MOST_NW; nw++) print("nw", nw, re, im, n, 1, nw, division);
    for (int stride = 2; stride <= MOST_STRIDE; stride *= 2)
        print("stride", stride, re, im, n, stride, MOST_NW, division);
    free(re);
    free(im);
    return EXIT_SUCCESS;
}
