#include "microbench/providers/blas.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/kernels/kernels.h"
#include "microbench/providers/providers.h"
#include "microbench/providers/threads.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"

enum { WARM_UP_EXTENT = 64, GEMM_EXTENT = 512, GEMM_REPETITIONS = 3, ALIGNMENT = 64 };

/* Address space in MiB that the first call of a thread maps: 128 for OpenBLAS on x86-64, the
 * rest for libxsmm. */
#define FIRST_CALL_MIB 144

static struct tcplan_blas linked;
static char linked_text[96];

static void describe_linked(void) {
    struct tcplan_provider_info info;
    provider_of(TCPLAN_PROVIDER_BLAS)->find(&info, TCPLAN_PROVIDER_BLAS);
    snprintf(linked_text, sizeof linked_text, "%s%s%s%s%s%s", info.name, info.version ? " " : "",
             info.version ? info.version : "", info.core ? " (" : "", info.core ? info.core : "",
             info.core ? ")" : "");
    linked = (struct tcplan_blas){.name = info.name,
                                  .version = info.version ? info.version : "unknown",
                                  .core = info.core ? info.core : "unknown",
                                  .text = linked_text};
}

struct tcplan_blas tcplan_blas_info(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, describe_linked);
    return linked;
}

int blas_threads(void) {
    const int64_t own = provider_of(TCPLAN_PROVIDER_BLAS)->threads(TCPLAN_PROVIDER_BLAS).own;
    return own > 0 ? (int)own : 1; /* BLIS reports -1 until a number is set */
}

int blas_set_threads(int threads) {
    const int before = blas_threads();
    providers_set_threads(threads);
    return before;
}

struct blas_threads blas_take_threads(int threads) {
    struct blas_threads taken;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++)
        taken.ticket[p] = provider_borrow_threads((enum tcplan_provider)p, threads);
    return taken;
}

/** Restores the BLAS first, because other providers read its number of threads. */
void blas_put_threads_back(const struct blas_threads *taken) {
    for (int p = 0; p < TCPLAN_PROVIDERS; p++)
        provider_return_threads((enum tcplan_provider)p, taken->ticket[p]);
}

enum tcplan_status blas_check_memory(int callers, struct tcplan_error *error) {
    static atomic_int checked; /* number of concurrent callers for which there is enough address
                                  space */
    struct rlimit limit;
    if (atomic_load(&checked) >= callers || getrlimit(RLIMIT_AS, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY)
        return TCPLAN_OK;
    const size_t mib = (size_t)callers * FIRST_CALL_MIB, bytes = mib << 20;
    void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return error_set(error, TCPLAN_NO_MEMORY,
                         "the limit on address space, %llu MiB, leaves less than the %zu MiB that "
                         "the BLAS needs; raise it (ulimit -v)",
                         (unsigned long long)limit.rlim_cur >> 20, mib);
    munmap(room, bytes);
    atomic_store(&checked, callers); /* if another thread stored a larger number meanwhile, the
                                        caller compares again */
    return TCPLAN_OK;
}

/** Times square gemms of one extent on their own memory. */
static bool time_gemms(enum tcplan_dtype dtype, int extent, double *ns, int repetitions) {
    const size_t bytes = (size_t)extent * (size_t)extent * tcplan_dtype_bytes(dtype);
    char *memory = base_large_alloc(ALIGNMENT, 3 * bytes);
    if (!memory) return false;
    for (size_t i = 0; i < 3 * bytes; i++) memory[i] = 0x3f; /* a number near 1 in every type */
    const struct blas_call call = {.kernel = TCPLAN_GEMM,
                                   .m = extent,
                                   .n = extent,
                                   .k = extent,
                                   .ld = {extent, extent, extent},
                                   .alpha = {1, 0},
                                   .beta = {0, 0}};
    const struct kernel kernel = kernel_bind(&call, dtype, NULL);
    const bool alone = blas_threads() == 1;
    const struct kernel_operands at = {
        .first = memory, .second = memory + bytes, .result = memory + 2 * bytes};
    for (int r = 0; r < repetitions; r++) {
        const struct clock_start start = clock_start();
        kernel.burst(&kernel, at, (struct kernel_steps){0}, 1);
        ns[r] = clock_stop(&start, alone).ns;
    }
    base_free(memory);
    return true;
}

enum tcplan_status blas_warm_up(struct tcplan_error *error) {
    double ns;
    const enum tcplan_status status = blas_check_memory(1, error);
    if (status != TCPLAN_OK) return status;
    return time_gemms(TCPLAN_DOUBLE, WARM_UP_EXTENT, &ns, 1) ? TCPLAN_OK : error_no_memory(error);
}

double blas_gemm_gflops(enum tcplan_dtype dtype) {
    double ns[GEMM_REPETITIONS];
    if (!time_gemms(dtype, GEMM_EXTENT, ns, GEMM_REPETITIONS)) return 0;
    const double flops =
        (tcplan_dtype_is_complex(dtype) ? 8.0 : 2.0) * GEMM_EXTENT * GEMM_EXTENT * GEMM_EXTENT;
    return flops / statistics_smallest(ns, GEMM_REPETITIONS);
}
