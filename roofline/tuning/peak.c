#include "roofline/tuning/peak.h"

#include <math.h>

#include "microbench/timing/clock.h"
#include "microbench/timing/pin.h"
#include "microbench/timing/statistics.h"
#include "roofline/kernels/kernels.h"
#include "roofline/timing/chain.h"
#include "roofline/timing/system.h"

enum { ROUNDS = 20000, RUNS = 9, ELEMENT_BITS = 64, TRANSFER_BYTES = 8 };

/** Returns the fused instructions per cycle: the median of several runs, each between two
 * measurements of the clock rate. *highest_hz becomes the highest rate seen. */
static double fma_per_cycle(const struct compute_kernel *kernel, double *highest_hz) {
    double rates[RUNS];
    kernel->run(ROUNDS); /* warm-up, until the clock rate settles */
    for (int l = 0; l < RUNS; l++) {
        const double before_hz = chain_clock_hz();
        const uint64_t start_ns = clock_now_ns();
        kernel->run(ROUNDS);
        const double seconds = 1e-9 * (double)(clock_now_ns() - start_ns);
        const double hz = fmax(before_hz, chain_clock_hz());
        const double cycles = seconds * hz;
        *highest_hz = fmax(*highest_hz, hz);
        rates[l] = cycles > 0 ? (double)ROUNDS * COMPUTE_CHAINS / cycles : 0;
    }
    return statistics_median(rates, RUNS);
}

/** Finds the vector width with the most fused operations per cycle; of equal ones the wider. */
static void measure_units(struct tcplan_peak *peak) {
    const struct kernel_set *set[KERNEL_SETS];
    kernels_choose(set);
    for (int s = 0; s < KERNEL_SETS && set[s]; s++) {
        for (int k = 0; k < set[s]->compute_count; k++) {
            const struct compute_kernel *kernel = &set[s]->compute[k];
            if (kernel->operation != COMPUTE_FMA || kernel->precision != TCPLAN_DOUBLE ||
                kernel->vector_bits <= ELEMENT_BITS)
                continue;
            const double per_cycle = fma_per_cycle(kernel, &peak->clock_hz);
            const int units = per_cycle >= 1 ? (int)lround(per_cycle) : 1;
            const int done = units * kernel->vector_bits;
            const int most = peak->fma_units * peak->vector_bits;
            if (done < most || (done == most && kernel->vector_bits < peak->vector_bits)) continue;
            peak->fma_units = units;
            peak->vector_bits = kernel->vector_bits;
            peak->fma_per_cycle = per_cycle;
        }
    }
}

static int widest_bits(void) {
    const struct kernel_set *set[KERNEL_SETS];
    int widest = 0;
    kernels_choose(set);
    for (int s = 0; s < KERNEL_SETS && set[s]; s++) {
        for (int k = 0; k < set[s]->compute_count; k++) {
            if (set[s]->compute[k].vector_bits > widest) widest = set[s]->compute[k].vector_bits;
        }
    }
    return widest;
}

void peak_compute(struct tcplan_peak *peak) {
    const double vector_flops = 2.0 * peak->vector_bits / ELEMENT_BITS;
    peak->core_gflops = 1e-9 * peak->clock_hz * peak->fma_units * vector_flops;
    peak->socket_gbytes = 1e-9 * peak->memory_transfers * peak->memory_channels * TRANSFER_BYTES;
}

static void find_memory(struct tcplan_peak *peak, const struct tcplan_data_sheet *sheet) {
    const struct system_memory memory = system_memory("/sys");
    /* the data may also come from the memory modules */
    peak->memory_origin = TCPLAN_ORIGIN_DATA_SHEET;
    peak->memory_transfers =
        (double)(sheet->memory_transfers > 0 ? sheet->memory_transfers : memory.transfers);
    peak->memory_channels =
        (int)(sheet->memory_channels > 0 ? sheet->memory_channels : memory.channels);
}

struct tcplan_peak peak_find(const struct tcplan_data_sheet *sheet) {
    struct tcplan_peak peak = {.clock_origin = TCPLAN_ORIGIN_MEASURED,
                               .units_origin = TCPLAN_ORIGIN_MEASURED};
    const struct pin pin = pin_thread();
    peak.clock_hz = chain_clock_hz();
    measure_units(&peak);
    pin_release(&pin);
    if (sheet->clock_hz > 0) {
        peak.clock_hz = (double)sheet->clock_hz;
        peak.clock_origin = TCPLAN_ORIGIN_DATA_SHEET;
    }
    if (sheet->fma_units > 0) {
        peak.fma_units = (int)sheet->fma_units;
        peak.vector_bits = widest_bits();
        peak.units_origin = TCPLAN_ORIGIN_DATA_SHEET;
    }
    find_memory(&peak, sheet);
    peak_compute(&peak);
    return peak;
}
