#include "network/search/speeds.h"

#include <limits.h>
#include <math.h>

#include "plan/times/call_model.h"
#include "tcplan/blas.h"
#include "tcplan/ceilings.h"

/* Assumed bandwidths, in bytes per second, if the machine's ceilings are unknown: of the inner
 * caches of a thread, of its last cache, and of memory. */
#define NOMINAL_NEAR 64e9
#define NOMINAL_LAST 20e9
#define NOMINAL_MEMORY 8e9

/* Costs of a step in addition to its kernel and its traffic, fitted to 71 orders of 20 networks
 * that plans of normal effort executed (bench/objectives --part tuned): seconds per element of the
 * three tensors for packing or for loops around short vectors, and seconds per step. */
#define PACKING_SECONDS 0.3e-9
#define STEP_SECONDS 1e-6

static void add_level(struct speeds *speeds, double holds_bytes, double bytes_per_second) {
    if (speeds->level_count == SPEED_LEVELS) return;
    speeds->level[speeds->level_count].holds_bytes = holds_bytes;
    speeds->level[speeds->level_count].bytes_per_second = bytes_per_second;
    speeds->level_count++;
}

static void add_ceilings(struct speeds *speeds, const struct tcplan_roofline *ceilings) {
    for (size_t l = 0; l < ceilings->level_count; l++) {
        const struct tcplan_level *level = &ceilings->level[l];
        if (level->threads != speeds->threads || !(level->rate > 0) || ceilings->per_cycle)
            continue;
        add_level(speeds, level->holds_bytes > 0 ? (double)level->holds_bytes : INFINITY,
                  level->rate * 1e9);
    }
}

static void add_nominal(struct speeds *speeds) {
    const struct tcplan_machine *machine = speeds->machine;
    for (int c = 0; c < machine->cache_count; c++) {
        const double threads = speeds->threads;
        add_level(speeds, (double)machine->cache[c].size_bytes,
                  threads * (c + 1 < machine->cache_count ? NOMINAL_NEAR : NOMINAL_LAST));
    }
    add_level(speeds, INFINITY, NOMINAL_MEMORY);
}

struct speeds speeds_of(const struct tcplan_machine *machine, enum tcplan_dtype dtype,
                        int threads) {
    struct tcplan_provider_info info;
    struct speeds speeds = {.machine = machine, .dtype = dtype, .threads = threads};
    speeds.has_libxsmm = threads == 1 && tcplan_provider_info(&info, TCPLAN_PROVIDER_LIBXSMM);
    if (machine->ceilings) add_ceilings(&speeds, machine->ceilings);
    if (speeds.level_count == 0) add_nominal(&speeds);
    return speeds;
}

static int int_of(double value) {
    return value < INT_MAX ? (int)value : INT_MAX;
}

static double call_seconds(const struct speeds *speeds, enum tcplan_kernel kernel,
                           enum tcplan_provider provider, double m, double n, double k) {
    const struct blas_call call = {
        .kernel = kernel, .provider = provider, .m = int_of(m), .n = int_of(n), .k = int_of(k)};
    return 1e-9 * call_model_time(&call, speeds->dtype, speeds->threads, speeds->machine).ns;
}

double speeds_elementwise(const struct speeds *speeds, double calls, double length) {
    const struct blas_call call = {
        .kernel = TCPLAN_MUL, .m = 1, .n = 1, .k = 1, .length = (int64_t)fmin(length, 1e15)};
    return calls * 1e-9 *
           call_model_time(&call, speeds->dtype, speeds->threads, speeds->machine).ns;
}

double speeds_product(const struct speeds *speeds, double calls, double m, double n, double k) {
    if (!(calls > 0 && m > 0 && n > 0 && k > 0)) return 0;
    const int vectors = (m == 1) + (n == 1) + (k == 1);
    if (vectors == 3) return speeds_elementwise(speeds, 1, calls);
    if (vectors == 2) {
        const double length = m * n * k,
                     one = call_seconds(speeds, k > 1 ? TCPLAN_DOT : TCPLAN_AXPY,
                                        TCPLAN_PROVIDER_BLAS, length, 1, 1);
        return fmin(calls * one, speeds_elementwise(speeds, length, calls));
    }
    if (vectors == 1 && k > 1)
        return calls * call_seconds(speeds, TCPLAN_GEMV, TCPLAN_PROVIDER_BLAS, m > 1 ? m : n, k, 1);
    if (vectors == 1)
        return calls * call_seconds(speeds, TCPLAN_GER, TCPLAN_PROVIDER_BLAS, m, n, 1);
    double seconds = call_seconds(speeds, TCPLAN_GEMM, TCPLAN_PROVIDER_BLAS, m, n, k);
    if (speeds->has_libxsmm)
        seconds =
            fmin(seconds, call_seconds(speeds, TCPLAN_GEMM, TCPLAN_PROVIDER_LIBXSMM, m, n, k));
    return calls * seconds;
}

double speeds_moving(const struct speeds *speeds, double bytes, double all) {
    int l = 0;
    while (l + 1 < speeds->level_count && all > speeds->level[l].holds_bytes) l++;
    return bytes / speeds->level[l].bytes_per_second;
}

double speeds_step(const struct speeds *speeds, double calls, double m, double n, double k,
                   double bytes) {
    const double elements = bytes / (double)tcplan_dtype_bytes(speeds->dtype);
    return speeds_product(speeds, calls, fmax(m, n), fmin(m, n), k) +
           speeds_moving(speeds, bytes, bytes) + PACKING_SECONDS * elements + STEP_SECONDS;
}
