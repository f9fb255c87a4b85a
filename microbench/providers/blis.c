/*
 * BLIS: gemm through its typed interface, whose matrices have a row and a column stride. libblis
 * also contains a whole BLAS and CBLAS: if it were linked next to OpenBLAS, the first one in the
 * search order of the process would serve the calls of both. So the library found when tcplan was
 * built is opened on first use, and its symbols stay out of the process's.
 */
#include "ast/algorithm/provider.h"
#include "microbench/providers/providers.h"
#include "microbench/providers/symbol.h"
#include "microbench/providers/threads.h"

#ifdef TCPLAN_HAS_BLIS

#include <blis.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/** Functions of libblis that this file calls. */
struct blis {
    __typeof__(bli_sgemm) *sgemm;
    __typeof__(bli_dgemm) *dgemm;
    __typeof__(bli_cgemm) *cgemm;
    __typeof__(bli_zgemm) *zgemm;
    __typeof__(bli_thread_set_num_threads) *set_num_threads;
    __typeof__(bli_thread_get_num_threads) *get_num_threads;
    __typeof__(bli_info_get_version_str) *version;
    __typeof__(bli_arch_query_id) *arch;
    __typeof__(bli_arch_string) *arch_name;
    __typeof__(bli_info_get_int_type_size) *integer_bits;
};

static struct blis blis;
static void *opened;
static bool found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Protects opening a library and setting its threads. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int threads;         /* number of threads that was set last; 0: none */
static dim_t first_threads; /* number of threads of the library when it was opened */
static bool uses_openmp;    /* whether it uses GNU OpenMP, whose threads do not survive a fork */

/** Returns whether the library has 64-bit integers, which strides beyond 32 bits need. */
static bool takes_long_integers(void) {
    return sizeof(dim_t) == sizeof(int64_t) && blis.integer_bits() == 64;
}

static void report_threads(int64_t count) {
    blis.set_num_threads((dim_t)(uses_openmp ? threads_after_fork(count) : count));
}

static void open_library(void) {
    void *library = symbol_library(TCPLAN_BLIS_FILE);
    if (!library)
        library = symbol_library(TCPLAN_BLIS_SONAME); /* the library may have moved since tcplan was
                                                         built */
    if (!library) return;
    found = symbol_find(library, "bli_sgemm", &blis.sgemm) &&
            symbol_find(library, "bli_dgemm", &blis.dgemm) &&
            symbol_find(library, "bli_cgemm", &blis.cgemm) &&
            symbol_find(library, "bli_zgemm", &blis.zgemm) &&
            symbol_find(library, "bli_thread_set_num_threads", &blis.set_num_threads) &&
            symbol_find(library, "bli_thread_get_num_threads", &blis.get_num_threads) &&
            symbol_find(library, "bli_info_get_version_str", &blis.version) &&
            symbol_find(library, "bli_arch_query_id", &blis.arch) &&
            symbol_find(library, "bli_arch_string", &blis.arch_name) &&
            symbol_find(library, "bli_info_get_int_type_size", &blis.integer_bits) &&
            takes_long_integers();
    if (!found) {
        dlclose(library);
        return;
    }
    opened = library;
    first_threads = blis.get_num_threads();
    uses_openmp = threads_die_in_forks(library);
    if (threads > 0) report_threads(threads);
}

static void open_guarded(void) {
    pthread_mutex_lock(&mutex);
    open_library();
    pthread_mutex_unlock(&mutex);
}

static bool is_there(void) {
    return pthread_once(&once, open_guarded) == 0 && found;
}

/** Removes const, because BLIS takes read-only operands without it. */
static void *unconst(const void *pointer) {
    return (void *)(uintptr_t)pointer;
}

static trans_t transposition(const struct blas_call *call, int factor) {
    return call->conjugated[factor] ? BLIS_CONJ_NO_TRANSPOSE : BLIS_NO_TRANSPOSE;
}

/** Defines the loop over calls of a routine; `factor` is the type of its scalars and elements,
 * `letter` the member of union kernel_scalar. */
#define BURST(routine, factor, letter)                                                             \
    static void burst_##routine(const struct kernel *kernel, struct kernel_operands at,            \
                                struct kernel_steps steps, int64_t count) {                        \
        const struct blas_call *c = &kernel->call;                                                 \
        for (int64_t i = 0; i < count; i++) {                                                      \
            blis.routine(transposition(c, 0), transposition(c, 1), c->m, c->n, c->k,               \
                         (factor *)unconst(&kernel->alpha.letter), (factor *)unconst(at.first),    \
                         c->strides[0][0], c->strides[0][1], (factor *)unconst(at.second),         \
                         c->strides[1][0], c->strides[1][1],                                       \
                         (factor *)unconst(&kernel->beta.letter), (factor *)(void *)at.result,     \
                         c->strides[2][0], c->strides[2][1]);                                      \
            at.first += steps.first;                                                               \
            at.second += steps.second;                                                             \
            at.result += steps.result;                                                             \
        }                                                                                          \
    }

BURST(sgemm, float, s)
BURST(dgemm, double, d)
BURST(cgemm, scomplex, c)
BURST(zgemm, dcomplex, z)

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype, struct kernel_maker *maker) {
    (void)maker;
    static kernel_burst_fn *const bursts[TCPLAN_DTYPES] = {burst_sgemm, burst_dgemm, burst_cgemm,
                                                           burst_zgemm};
    if (!provider_has_kernel(TCPLAN_PROVIDER_BLIS, kernel->call.kernel) || !is_there())
        return false;
    kernel->burst = bursts[dtype];
    return true;
}

static bool find(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    (void)provider;
    if (!is_there()) return false;
    *out = (struct tcplan_provider_info){
        .name = "BLIS", .version = blis.version(), .core = blis.arch_name(blis.arch())};
    return true;
}

/** Finds a routine of the BLAS interface of libblis, whose integers may have another size than
 * those of tcplan's BLAS. */
static provider_routine *symbol(enum tcplan_provider provider, const char *name) {
    int64_t (*integer_bits)(void);
    provider_routine *routine = NULL;
    (void)provider;
    if (!is_there()) return NULL;
    if (symbol_find(opened, "bli_info_get_blas_int_type_size", &integer_bits) &&
        integer_bits() != 32)
        return NULL;
    symbol_find(opened, name, &routine);
    return routine;
}

static void set_threads(enum tcplan_provider provider, int count) {
    (void)provider;
    pthread_mutex_lock(&mutex);
    threads = count;
    if (found) report_threads(count);
    pthread_mutex_unlock(&mutex);
}

static struct provider_threads get_threads(enum tcplan_provider provider) {
    (void)provider;
    pthread_mutex_lock(&mutex);
    const struct provider_threads now = {
        .is_open = found, .own = found ? blis.get_num_threads() : 0, .wanted = threads};
    pthread_mutex_unlock(&mutex);
    return now;
}

static void put_back(enum tcplan_provider provider, struct provider_threads before) {
    (void)provider;
    pthread_mutex_lock(&mutex);
    threads = before.wanted;
    if (found) report_threads(before.is_open ? before.own : threads > 0 ? threads : first_threads);
    pthread_mutex_unlock(&mutex);
}

#else

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype, struct kernel_maker *maker) {
    (void)maker;
    (void)kernel, (void)dtype;
    return false;
}

static bool find(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    (void)out, (void)provider;
    return false;
}

static provider_routine *symbol(enum tcplan_provider provider, const char *name) {
    (void)provider, (void)name;
    return NULL;
}

static void set_threads(enum tcplan_provider provider, int count) {
    (void)provider, (void)count;
}

static struct provider_threads get_threads(enum tcplan_provider provider) {
    (void)provider;
    return (struct provider_threads){0};
}

static void put_back(enum tcplan_provider provider, struct provider_threads before) {
    (void)provider, (void)before;
}

#endif

PROVIDER_CALLS(blis, find, bind, .gemm_cost = {2400, 1, 4, 4, 10}, .is_blas = true,
               .symbol = symbol, .set_threads = set_threads, .threads = get_threads,
               .put_back = put_back);
