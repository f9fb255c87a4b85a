/*
 * An independent check of the ceilings: loads, stores and non-temporal stores in OpenMP threads,
 * each with its own working set. Compiled into a temporary folder by the study.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { VECTOR = 4, STREAMS = 4, ROUNDS = 40, HUGE_PAGE = 2 << 20 };

typedef double vector __attribute__((vector_size(8 * VECTOR)));

static volatile double sink;

static double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Loads from four streams, two vectors of each in turn. */
static void load(vector *x, size_t vectors) {
    const size_t part = vectors / STREAMS;
    vector sum[2 * STREAMS] = {{0}};
    for (size_t i = 0; i + 1 < part; i += 2) {
        for (int s = 0; s < STREAMS; s++) {
            sum[2 * s] += x[s * part + i];
            sum[2 * s + 1] += x[s * part + i + 1];
        }
    }
    for (int s = 1; s < 2 * STREAMS; s++) sum[0] += sum[s];
    sink = sum[0][0];
}

/** Loads one stream. */
static void load_one(vector *x, size_t vectors) {
    vector sum[8] = {{0}};
    for (size_t i = 0; i + 8 <= vectors; i += 8) {
        for (int s = 0; s < 8; s++) sum[s] += x[i + s];
    }
    for (int s = 1; s < 8; s++) sum[0] += sum[s];
    sink = sum[0][0];
}

static void store(vector *x, size_t vectors) {
    const vector one = {1, 1, 1, 1};
    for (size_t i = 0; i < vectors; i++) x[i] = one;
    __asm__ volatile("" : : "r"(x) : "memory");
}

/** Uses non-temporal stores if the processor has them, else ordinary ones. */
static void store_nt(vector *x, size_t vectors) {
#if defined(__AVX__)
    const __m256d one = _mm256_set1_pd(1);
    for (size_t i = 0; i < vectors; i++) _mm256_stream_pd((double *)(x + i), one);
    _mm_sfence();
#elif defined(__SSE2__)
    const __m128d one = _mm_set1_pd(1);
    for (size_t i = 0; i < 2 * vectors; i++) _mm_stream_pd((double *)x + 2 * i, one);
    _mm_sfence();
#else
    store(x, vectors);
#endif
}

static void work(int kernel, vector *x, size_t vectors) {
    switch (kernel) {
    case 0: load(x, vectors); break;
    case 1: load_one(x, vectors); break;
    case 2: store(x, vectors); break;
    default: store_nt(x, vectors); break;
    }
}

/** Allocates memory, on huge pages if the system has them, as for the ceilings; NULL if there is
 * none. */
static vector *huge(size_t bytes) {
    char *memory =
        mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    memory += HUGE_PAGE - (size_t)memory % HUGE_PAGE;
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    memset(memory, 1, bytes);
    return (vector *)memory;
}

/**
 * Returns the highest rate of some rounds.
 *
 * @param kernel   0: loads of four streams, 1: of one, 2: stores, 3: non-temporal stores
 * @param bytes    bytes of each thread's working set
 * @param seconds  minimum duration of a round: short, so that some rounds are not disturbed by
 *                 other processes
 * @return bytes per second of all threads; 0 if memory runs out
 */
double best_rate(int kernel, size_t bytes, int threads, double seconds) {
    const size_t vectors = bytes / sizeof(vector) / (2 * STREAMS) * (2 * STREAMS);
    double begun[ROUNDS], ended[ROUNDS], best = 0;
    long passes = 1;
    int failed = 0;
    for (int r = 0; r < ROUNDS; r++) begun[r] = 1e300, ended[r] = 0;
#pragma omp parallel num_threads(threads)
    {
        vector *x = huge(bytes);
        if (!x) {
#pragma omp atomic write
            failed = 1;
        }
#pragma omp barrier
        if (!failed) {
#pragma omp single
            {
                work(kernel, x, vectors);
                const double warm = now_seconds();
                work(kernel, x, vectors);
                passes = 1 + (long)(seconds / (now_seconds() - warm + 1e-9));
            }
            for (int r = 0; r < ROUNDS; r++) {
#pragma omp barrier
                const double start = now_seconds();
                for (long pass = 0; pass < passes; pass++) work(kernel, x, vectors);
                const double end = now_seconds();
#pragma omp critical
                {
                    begun[r] = start < begun[r] ? start : begun[r];
                    ended[r] = end > ended[r] ? end : ended[r];
                }
            }
        }
    }
    if (failed) return 0;
    for (int r = 0; r < ROUNDS; r++) {
        const double rate = (double)passes * (double)threads * (double)(vectors * sizeof(vector)) /
                            (ended[r] - begun[r]);
        best = rate > best ? rate : best;
    }
    return best;
}
