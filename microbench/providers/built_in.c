#include "microbench/providers/built_in.h"

#include <math.h>
#include <stdatomic.h>

#include "gen/emitted/general.h"
#include "gen/emitted/general_tiles.h"
#include "gen/emitted/tile.h"

#if defined(TCPLAN_BUILT_KERNELS)

typedef float s_number, c_number;
typedef double d_number, z_number;

/* Declares a function of gen/built, which takes pointers to real numbers. */
#define DECLARE(letter, kernel, set)                                                               \
    void general_##letter##kernel##_##set(const struct kernel_##kernel *general,                   \
                                          const letter##_number *a, const letter##_number *b,      \
                                          letter##_number *c);                                     \
    static void letter##kernel##_##set(const void *general, const void *a, const void *b,          \
                                       void *c) {                                                  \
        general_##letter##kernel##_##set(general, a, b, c);                                        \
    }
#define DECLARE_TYPES(kernel, set)                                                                 \
    DECLARE(s, kernel, set)                                                                        \
    DECLARE(d, kernel, set)                                                                        \
    DECLARE(c, kernel, set)                                                                        \
    DECLARE(z, kernel, set)
#define DECLARE_SET(set)                                                                           \
    DECLARE_TYPES(gemm, set)                                                                       \
    DECLARE_TYPES(loops, set)                                                                      \
    DECLARE_TYPES(tiles, set)
#define TYPES(kernel, set)                                                                         \
    { s##kernel##_##set, d##kernel##_##set, c##kernel##_##set, z##kernel##_##set }
#define KERNELS_OF(set)                                                                            \
    { [GEMM] = TYPES(gemm, set), [LOOPS] = TYPES(loops, set), [TILES] = TYPES(tiles, set) }

enum kind { GEMM, LOOPS, TILES, KINDS };

DECLARE_SET(plain)
#if defined(__x86_64__)
DECLARE_SET(avx2)
DECLARE_SET(avx512)
#endif

static kernel_general_fn *const functions[EMITTED_SETS][KINDS][TCPLAN_DTYPES] = {
    [EMITTED_PLAIN] = KERNELS_OF(plain),
#if defined(__x86_64__)
    [EMITTED_AVX2] = KERNELS_OF(avx2),
    [EMITTED_AVX512] = KERNELS_OF(avx512),
#endif
};

static bool is_built(enum emitted_set set) {
    return functions[set][GEMM][0] != NULL;
}

#else

static bool is_built(enum emitted_set set) {
    (void)set;
    return false;
}

#endif

static bool has_instructions(enum emitted_set set) {
#if defined(__x86_64__)
    const bool fuses = __builtin_cpu_supports("fma");
    if (set == EMITTED_AVX512) return fuses && __builtin_cpu_supports("avx512f");
    if (set == EMITTED_AVX2) return fuses && __builtin_cpu_supports("avx2");
#endif
    return set == EMITTED_PLAIN;
}

static atomic_int selected = EMITTED_SETS;

void built_in_select(enum emitted_set set) {
    atomic_store(&selected, (int)set);
}

enum emitted_set built_in_set(void) {
    int set = atomic_load(&selected);
    if (set < EMITTED_SETS) return (enum emitted_set)set;
    for (set = EMITTED_SETS - 1; set > EMITTED_PLAIN && !has_instructions((enum emitted_set)set);)
        set--;
    return (enum emitted_set)set;
}

bool built_in_has(enum emitted_set set) {
    return is_built(set) && has_instructions(set);
}

bool built_in_takes(const struct blas_call *call, enum tcplan_dtype dtype) {
    if (!is_built(built_in_set())) return false;
    if (call->kernel == TCPLAN_LOOPS) {
        struct kernel_tiles tiles;
        enum emitted_set set = built_in_set();
        bool exchanged;
        const struct emitted_loops loops = emitted_loops_of(call, dtype);
        return general_takes_loops(&loops) ||
               (!loops.streamed && general_tiles_of(&tiles, &exchanged, &set, &loops));
    }
    const struct emitted_gemm gemm = emitted_gemm_of(call, dtype);
    return call->kernel == TCPLAN_GEMM && general_takes(&gemm, built_in_set());
}

bool built_in_suffices(const struct blas_call *call, enum tcplan_dtype dtype) {
    if (!built_in_takes(call, dtype)) return false;
    if (call->kernel == TCPLAN_LOOPS) {
        const struct emitted_loops loops = emitted_loops_of(call, dtype);
        return general_suffices_for_loops(&loops);
    }
    const struct emitted_gemm gemm = emitted_gemm_of(call, dtype);
    return general_suffices(&gemm, built_in_set());
}

/** Returns the number of elements in the vectors of `rows` elements. */
static double padded(double rows, enum tcplan_dtype dtype) {
    const double elems = emitted_vector_elems(dtype, built_in_set());
    return ceil(rows / elems) * elems;
}

static struct built_in_work work_of_gemm(const struct blas_call *call, enum tcplan_dtype dtype) {
    const struct emitted_gemm gemm = emitted_gemm_of(call, dtype);
    const struct general_access access = general_access_of(&gemm, built_in_set());
    const double m = (double)access.m, n = (double)access.n, k = (double)access.k;
    const double first = m * k * access.times[0], result = m * n * access.times[2];
    const double row = (double)access.row, whole = padded(row, dtype) / row;
    return (struct built_in_work){
        .units = {[BUILT_IN_GEMM_CALL] = 1,
                  [BUILT_IN_GEMM_PRODUCT] = whole * m * n * k,
                  [BUILT_IN_GEMM_FIRST] = access.packs ? first : 0,
                  [BUILT_IN_GEMM_GATHERED] = access.gathers ? first : 0,
                  [BUILT_IN_GEMM_SECOND] = access.packs ? n * k : 0,
                  [BUILT_IN_GEMM_RESULT] = whole * result,
                  [BUILT_IN_GEMM_SCATTERED] = access.scatters ? result : 0},
        .apart = {access.along[0] ? 0 : first, access.along[1] ? 0 : n * k,
                  access.along[2] ? 0 : result}};
}

static struct built_in_work work_of_loops(const struct blas_call *call, enum tcplan_dtype dtype) {
    double row = call->m, rows = (double)call->n * call->k;
    if (call->loop_count > 0) {
        const struct emitted_loops loops = emitted_loops_of(call, dtype);
        row = rows = 1;
        for (int l = 0; l < loops.count; l++) {
            if (loops.loop[l].stride[2] == 1) row = (double)loops.loop[l].extent;
            rows *= (double)loops.loop[l].extent;
        }
        rows /= row;
    }
    return (struct built_in_work){.units = {[BUILT_IN_LOOPS_CALL] = 1,
                                            [BUILT_IN_LOOPS_ROW] = rows,
                                            [BUILT_IN_LOOPS_PRODUCT] = rows * padded(row, dtype)}};
}

struct built_in_work built_in_work_of(const struct blas_call *call, enum tcplan_dtype dtype) {
    return call->kernel == TCPLAN_LOOPS ? work_of_loops(call, dtype) : work_of_gemm(call, dtype);
}

#if defined(TCPLAN_BUILT_KERNELS)

static void advance(struct kernel_operands *at, struct kernel_steps steps) {
    at->first += steps.first;
    at->second += steps.second;
    at->result += steps.result;
}

/** Makes `count` calls of a kernel of the library. */
static void burst(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps,
                  int64_t count) {
    const bool exchanges = kernel->exchanges;
    kernel_general_fn *const function = (kernel_general_fn *)kernel->generated;
    for (int64_t i = 0; i < count; i++, advance(&at, steps))
        function(&kernel->general, exchanges ? at.second : at.first,
                 exchanges ? at.first : at.second, at.result);
}

/** Lays out tiles for a call, and selects their instruction set; returns false if another kernel is
 * faster. */
static bool lay_out_tiles(struct kernel *kernel, enum emitted_set *set, enum tcplan_dtype dtype) {
    const struct blas_call *call = &kernel->call;
    if (call->kernel == TCPLAN_LOOPS) {
        const struct emitted_loops loops = emitted_loops_of(call, dtype);
        return !loops.streamed &&
               general_tiles_of(&kernel->general.tiles, &kernel->exchanges, set, &loops);
    }
    const struct emitted_gemm gemm = emitted_gemm_of(call, dtype);
    return general_gemm_tiles(&kernel->general.tiles, &kernel->exchanges, set, &gemm);
}

/** Sets the arguments of a call's kernel, and selects its instruction set. */
static enum kind set_arguments(struct kernel *kernel, enum emitted_set *set,
                               enum tcplan_dtype dtype) {
    enum emitted_set own = *set;
    if (lay_out_tiles(kernel, &own, dtype)) {
        *set = own;
        return TILES;
    }
    if (kernel->call.kernel == TCPLAN_LOOPS) {
        const struct emitted_loops loops = emitted_loops_of(&kernel->call, dtype);
        general_loops_of(&kernel->general.loops, &kernel->exchanges, &loops);
        return LOOPS;
    }
    const struct emitted_gemm gemm = emitted_gemm_of(&kernel->call, dtype);
    general_gemm_of(&kernel->general.gemm, &kernel->exchanges, &gemm, *set);
    return GEMM;
}

void built_in_bind(struct kernel *kernel, enum tcplan_dtype dtype) {
    enum emitted_set set = built_in_set();
    const enum kind kind = set_arguments(kernel, &set, dtype);
    kernel->is_general = true;
    kernel->generated = (void (*)(void))functions[set][kind][dtype];
    kernel->burst = burst;
}

#else

void built_in_bind(struct kernel *kernel, enum tcplan_dtype dtype) {
    (void)kernel;
    (void)dtype;
}

#endif
