#include "tcplan/ceilings.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

const char *tcplan_origin_name(enum tcplan_origin origin) {
    static const char *const names[] = {
        [TCPLAN_ORIGIN_MEASURED] = "measured",     [TCPLAN_ORIGIN_PREDICTED] = "predicted",
        [TCPLAN_ORIGIN_ANALYTIC] = "analytic",     [TCPLAN_ORIGIN_MODEL] = "model",
        [TCPLAN_ORIGIN_DATA_SHEET] = "data sheet", [TCPLAN_ORIGIN_GIVEN] = "given"};
    return names[origin];
}

const char *tcplan_mix_name(enum tcplan_mix mix) {
    static const char *const names[TCPLAN_MIXES] = {[TCPLAN_MIX_NONE] = "",
                                                    [TCPLAN_MIX_FP16] = "fp16",
                                                    [TCPLAN_MIX_BF16_S] = "bf16-s",
                                                    [TCPLAN_MIX_S_D] = "s-d"};
    return names[mix];
}

enum { MOST_STRIDE = 1 << 20, BEYOND_A_LINE = 16 };

/* Ceilings whose cores had at least this share of the best speed count as measured at the best
 * speed: references spread by a few per cent. */
#define SLOW_SHARE 0.9

double tcplan_ceiling_speed_share(const struct tcplan_ceiling *ceiling) {
    const bool known = ceiling->good_reference_seconds > 0 && ceiling->reference_seconds > 0;
    return known ? pow(fmin(ceiling->good_reference_seconds / ceiling->reference_seconds, 1),
                       1 - ceiling->steadiness)
                 : 0;
}

bool tcplan_ceiling_is_slow(const struct tcplan_ceiling *ceiling) {
    const double share = tcplan_ceiling_speed_share(ceiling);
    return share > 0 && share < SLOW_SHARE;
}

static bool is_gemm(const struct tcplan_ceiling *ceiling) {
    return ceiling->m > 0;
}

/** Returns the digits of the stride at the end of a strided ceiling's name; NULL for other
 * ceilings. */
static const char *stride_digits(const struct tcplan_ceiling *ceiling) {
    const char *line = strchr(ceiling->name, '_');
    const bool accesses =
        strncmp(ceiling->name, "load_", 5) == 0 || strncmp(ceiling->name, "store_", 6) == 0;
    return accesses && isdigit((unsigned char)line[1]) ? line + 1 : NULL;
}

int tcplan_ceiling_stride(const struct tcplan_ceiling *ceiling) {
    const char *digit = stride_digits(ceiling);
    int stride = 0;
    for (; digit && isdigit((unsigned char)*digit) && stride < MOST_STRIDE; digit++)
        stride = 10 * stride + (*digit - '0');
    return stride;
}

static bool is_strided(const struct tcplan_ceiling *ceiling) {
    return tcplan_ceiling_stride(ceiling) > 0;
}

/** Returns whether successive accesses do not follow each other in memory. */
static bool is_scattered(const struct tcplan_ceiling *ceiling) {
    return is_strided(ceiling) || strcmp(ceiling->name, "load_random") == 0;
}

/** Returns whether a ceiling measures the same access as a strided ceiling, but with unit
 * stride. */
static bool is_unit_of(const struct tcplan_ceiling *unit, const struct tcplan_ceiling *strided) {
    const size_t access = strcspn(strided->name, "_");
    const bool alike = unit->cache == strided->cache && unit->threads == strided->threads &&
                       unit->vector_bits == strided->vector_bits;
    return alike && tcplan_ceiling_stride(unit) == 1 && strcspn(unit->name, "_") == access &&
           strncmp(unit->name, strided->name, access) == 0;
}

double tcplan_roofline_stride_share(const struct tcplan_roofline *roofline,
                                    const struct tcplan_ceiling *ceiling) {
    for (size_t c = 0; is_strided(ceiling) && c < roofline->bandwidth_count; c++) {
        if (is_unit_of(&roofline->bandwidth[c], ceiling))
            return ceiling->rate / roofline->bandwidth[c].rate;
    }
    return 0;
}

double tcplan_ceiling_stride_expected(const struct tcplan_ceiling *ceiling) {
    enum { ELEMENTS_OF_A_LINE = 8 };
    const int stride = tcplan_ceiling_stride(ceiling);
    return stride > 0 ? 1.0 / (stride < ELEMENTS_OF_A_LINE ? stride : ELEMENTS_OF_A_LINE) : 0;
}

/** Returns the ceiling with the higher rate; `best` may be NULL. */
static const struct tcplan_ceiling *higher(const struct tcplan_ceiling *best,
                                           const struct tcplan_ceiling *ceiling) {
    return !best || ceiling->rate > best->rate ? ceiling : best;
}

const struct tcplan_ceiling *tcplan_roofline_compute(const struct tcplan_roofline *roofline,
                                                     const char *name, enum tcplan_dtype precision,
                                                     int vector_bits, int threads) {
    const struct tcplan_ceiling *best = NULL;
    for (size_t c = 0; c < roofline->compute_count; c++) {
        const struct tcplan_ceiling *ceiling = &roofline->compute[c];
        if (ceiling->precision != precision || ceiling->mix != TCPLAN_MIX_NONE ||
            ceiling->threads != threads)
            continue;
        if (vector_bits > 0 && ceiling->vector_bits != vector_bits) continue;
        if (name ? strcmp(ceiling->name, name) == 0 : !is_gemm(ceiling))
            best = higher(best, ceiling);
    }
    return best;
}

const struct tcplan_ceiling *tcplan_roofline_mixed(const struct tcplan_roofline *roofline,
                                                   enum tcplan_mix mix, int threads) {
    const struct tcplan_ceiling *best = NULL;
    for (size_t c = 0; c < roofline->compute_count && mix != TCPLAN_MIX_NONE; c++) {
        const struct tcplan_ceiling *ceiling = &roofline->compute[c];
        if (ceiling->mix == mix && ceiling->threads == threads) best = higher(best, ceiling);
    }
    return best;
}

const struct tcplan_ceiling *tcplan_roofline_bandwidth(const struct tcplan_roofline *roofline,
                                                       const char *name, int cache, int threads) {
    const struct tcplan_ceiling *best = NULL;
    for (size_t c = 0; c < roofline->bandwidth_count; c++) {
        const struct tcplan_ceiling *ceiling = &roofline->bandwidth[c];
        if (ceiling->cache != cache || ceiling->threads != threads) continue;
        if (name ? strcmp(ceiling->name, name) == 0 : !is_scattered(ceiling))
            best = higher(best, ceiling);
    }
    return best;
}

static bool has_sweep(const struct tcplan_roofline *roofline, const char *name, size_t length,
                      int threads, bool rough) {
    for (size_t s = 0; s < roofline->sweep_count; s++) {
        const struct tcplan_ceiling *point = &roofline->sweep[s];
        if (point->threads != threads || (point->rough && !rough)) continue;
        if (strlen(point->name) == length && strncmp(point->name, name, length) == 0) return true;
    }
    return false;
}

bool tcplan_roofline_has_sweeps(const struct tcplan_roofline *roofline, const char *kernels,
                                int threads, bool rough) {
    if (!has_sweep(roofline, "load", strlen("load"), threads, rough)) return false;
    for (const char *name = kernels ? kernels : ""; *name;) {
        const size_t length = strcspn(name, ",");
        if (!has_sweep(roofline, name, length, threads, rough)) return false;
        name += length + (name[length] == ',');
    }
    return true;
}

double tcplan_roofline_ridge(const struct tcplan_roofline *roofline, int cache, int threads) {
    double bytes = 0, flops = 0;
    int count = 0;
    for (size_t i = 0; i < roofline->intensity_count; i++) {
        const struct tcplan_ceiling *point = &roofline->intensity[i];
        if (point->cache != cache || point->threads != threads) continue;
        bytes = fmax(bytes, point->rate / point->intensity);
        flops = fmax(flops, point->rate);
        count++;
    }
    return count < 2 ? 0 : flops / bytes;
}

bool tcplan_roofline_has_intensities(const struct tcplan_roofline *roofline, int threads) {
    size_t i = 0;
    while (i < roofline->intensity_count && roofline->intensity[i].threads != threads) i++;
    return i < roofline->intensity_count;
}

/* Which ceilings exist. */

/** Returns whether a ceiling measures the arithmetic of a type. Except for gemm, complex types use
 * the ceilings of their real type. */
static bool computes_type(const struct tcplan_ceiling *ceiling, enum tcplan_dtype dtype) {
    if (is_gemm(ceiling) || ceiling->mix != TCPLAN_MIX_NONE)
        return is_gemm(ceiling) && ceiling->precision == dtype;
    const bool single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    return ceiling->precision == (single ? TCPLAN_FLOAT : TCPLAN_DOUBLE);
}

static bool has_compute(const struct tcplan_roofline *roofline, enum tcplan_dtype dtype, bool gemm,
                        int threads, bool rough) {
    for (size_t c = 0; c < roofline->compute_count; c++) {
        const struct tcplan_ceiling *ceiling = &roofline->compute[c];
        const bool fits = ceiling->threads == threads && is_gemm(ceiling) == gemm &&
                          computes_type(ceiling, dtype);
        if (fits && (rough || !ceiling->rough)) return true;
    }
    return false;
}

static bool has_bandwidth(const struct tcplan_roofline *roofline, bool strided, int threads,
                          bool rough) {
    for (size_t c = 0; c < roofline->bandwidth_count; c++) {
        const struct tcplan_ceiling *ceiling = &roofline->bandwidth[c];
        if (ceiling->threads == threads && is_strided(ceiling) == strided &&
            (rough || !ceiling->rough))
            return true;
    }
    return false;
}

/** Returns whether there is a ceiling of a mixed precision, or none is possible. */
static bool has_mixed(const struct tcplan_roofline *roofline, int threads, bool rough) {
    bool any_to_have = false;
    for (int mix = 1; mix < TCPLAN_MIXES; mix++) {
        const struct tcplan_ceiling *mixed =
            tcplan_roofline_mixed(roofline, (enum tcplan_mix)mix, threads);
        if (mixed && (rough || !mixed->rough)) return true;
        any_to_have = any_to_have || !((roofline->lacking | roofline->unbuilt) >> mix & 1U);
    }
    return !any_to_have;
}

/** Returns the first position, from `place` on, of a bandwidth with this number of threads: of a
 * strided access if `strided`, otherwise of a vector load. Rough ceilings count only if `rough`.
 * Returns the number of bandwidths if there is none. */
static size_t next_like(const struct tcplan_roofline *roofline, size_t place, bool strided,
                        int threads, bool rough) {
    for (; place < roofline->bandwidth_count; place++) {
        const struct tcplan_ceiling *ceiling = &roofline->bandwidth[place];
        if (ceiling->threads != threads || (ceiling->rough && !rough)) continue;
        if (strided ? is_strided(ceiling) : strcmp(ceiling->name, "load") == 0) break;
    }
    return place;
}

bool tcplan_roofline_has_strides(const struct tcplan_roofline *roofline, int threads, bool rough) {
    int least = MOST_STRIDE, most = 0;
    for (size_t c = 0;
         (c = next_like(roofline, c, true, threads, rough)) < roofline->bandwidth_count; c++) {
        const int stride = tcplan_ceiling_stride(&roofline->bandwidth[c]);
        least = stride < least ? stride : least;
        most = stride > most ? stride : most;
    }
    return least == 1 && most > BEYOND_A_LINE;
}

bool tcplan_roofline_has_widths(const struct tcplan_roofline *roofline, int threads, bool rough) {
    const size_t first = next_like(roofline, 0, false, threads, rough);
    for (size_t c = first;
         (c = next_like(roofline, c, false, threads, rough)) < roofline->bandwidth_count; c++) {
        if (roofline->bandwidth[c].vector_bits != roofline->bandwidth[first].vector_bits)
            return true;
    }
    return false;
}

/** Returns whether the streams in memory were measured. They are the last ceilings that points
 * need, so a time limit may have excluded them. */
static bool has_memory(const struct tcplan_roofline *roofline, int threads) {
    static const char *const streams[] = {"load", "store", "copy", "triad", "update"};
    for (size_t s = 0; s < sizeof streams / sizeof *streams; s++) {
        if (!tcplan_roofline_bandwidth(roofline, streams[s], roofline->machine.cache_count,
                                       threads))
            return false;
    }
    return true;
}

bool tcplan_roofline_has(const struct tcplan_roofline *roofline, unsigned dtypes, int threads,
                         bool rough) {
    if (!has_bandwidth(roofline, false, threads, rough)) return false;
    if (roofline->unmeasured > 0 && (dtypes == 0 || !has_memory(roofline, threads))) return false;
    if (dtypes == 0 &&
        !(has_bandwidth(roofline, true, threads, rough) && has_mixed(roofline, threads, rough)))
        return false;
    for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
        const bool wanted = dtypes == 0 || (dtypes & 1U << dtype) != 0;
        if (!wanted) continue;
        if (!has_compute(roofline, (enum tcplan_dtype)dtype, false, threads, rough)) return false;
        if (dtypes == 0 && !has_compute(roofline, (enum tcplan_dtype)dtype, true, threads, rough))
            return false;
    }
    return true;
}

/** Returns a ceiling by number, compute ceilings first. */
static const struct tcplan_ceiling *ceiling_at(const struct tcplan_roofline *roofline,
                                               size_t number) {
    return number < roofline->compute_count
               ? &roofline->compute[number]
               : &roofline->bandwidth[number - roofline->compute_count];
}

bool tcplan_roofline_is_rough(const struct tcplan_roofline *roofline) {
    const size_t count = roofline->compute_count + roofline->bandwidth_count;
    size_t c = 0;
    while (c < count && !ceiling_at(roofline, c)->rough) c++;
    return c < count;
}

int tcplan_roofline_slow_count(const struct tcplan_roofline *roofline) {
    int slow = 0;
    for (size_t c = 0; c < roofline->compute_count + roofline->bandwidth_count; c++) {
        slow += tcplan_ceiling_is_slow(ceiling_at(roofline, c));
    }
    return slow;
}

double tcplan_roofline_dropped_share(const struct tcplan_roofline *roofline) {
    double dropped = 0, windows = 0;
    for (size_t c = 0; c < roofline->compute_count + roofline->bandwidth_count; c++) {
        dropped += ceiling_at(roofline, c)->dropped;
        windows += ceiling_at(roofline, c)->windows;
    }
    return dropped > 0 ? dropped / (dropped + windows) : 0;
}

const struct tcplan_level *tcplan_roofline_level(const struct tcplan_roofline *roofline,
                                                 double bytes, int threads) {
    const struct tcplan_level *last = NULL;
    for (size_t l = 0; l < roofline->level_count; l++) {
        const struct tcplan_level *level = &roofline->level[l];
        if (level->threads != threads) continue;
        if (level->holds_bytes == 0 || (double)level->holds_bytes >= bytes) return level;
        last = level;
    }
    return last;
}

const struct tcplan_ceiling *tcplan_roofline_gemm(const struct tcplan_roofline *roofline,
                                                  enum tcplan_dtype dtype, int threads) {
    const enum tcplan_dtype real = dtype == TCPLAN_FLOAT_COMPLEX    ? TCPLAN_FLOAT
                                   : dtype == TCPLAN_DOUBLE_COMPLEX ? TCPLAN_DOUBLE
                                                                    : dtype;
    char name[] = "?gemm";
    name[0] = tcplan_dtype_letter(dtype);
    const struct tcplan_ceiling *own = tcplan_roofline_compute(roofline, name, dtype, 0, threads);
    name[0] = tcplan_dtype_letter(real);
    return own ? own : tcplan_roofline_compute(roofline, name, real, 0, threads);
}

/* Units. */

/** Divides each rate by the clock rate of its ceiling, or else by that of the roofline. */
static void divide_rates(struct tcplan_ceiling *ceiling, size_t count, double clock_hz) {
    for (size_t c = 0; c < count; c++) {
        const double ghz = 1e-9 * (ceiling[c].clock_hz > 0 ? ceiling[c].clock_hz : clock_hz);
        ceiling[c].rate /= ghz;
        ceiling[c].q1 /= ghz;
        ceiling[c].q3 /= ghz;
        ceiling[c].limit /= ghz;
    }
}

enum tcplan_status tcplan_roofline_per_cycle(struct tcplan_roofline *roofline,
                                             struct tcplan_error *error) {
    if (roofline->per_cycle) return TCPLAN_OK;
    if (!(roofline->clock.hz > 0)) {
        return error_set(error, TCPLAN_ENVIRONMENT,
                         "the core's clock is not known: there are no rates per cycle");
    }
    divide_rates(roofline->compute, roofline->compute_count, roofline->clock.hz);
    divide_rates(roofline->bandwidth, roofline->bandwidth_count, roofline->clock.hz);
    divide_rates(roofline->sweep, roofline->sweep_count, roofline->clock.hz);
    divide_rates(roofline->intensity, roofline->intensity_count, roofline->clock.hz);
    for (size_t l = 0; l < roofline->level_count; l++)
        roofline->level[l].rate /= 1e-9 * roofline->clock.hz;
    roofline->per_cycle = true;
    return TCPLAN_OK;
}

const char *tcplan_roofline_compute_unit(const struct tcplan_roofline *roofline) {
    return roofline->per_cycle ? "flop/cycle" : "GFLOP/s";
}

const char *tcplan_roofline_bandwidth_unit(const struct tcplan_roofline *roofline) {
    return roofline->per_cycle ? "byte/cycle" : "GB/s";
}

void tcplan_roofline_free(struct tcplan_roofline *roofline) {
    if (!roofline) return;
    base_free(roofline->compute);
    base_free(roofline->bandwidth);
    base_free(roofline->level);
    base_free(roofline->sweep);
    base_free(roofline->intensity);
    base_free(roofline);
}
