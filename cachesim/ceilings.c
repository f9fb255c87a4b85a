#include "tcplan/ceilings.h"

#include <string.h>

#include "base/alloc.h"

const char *tcplan_origin_name(enum tcplan_origin origin) {
    static const char *const names[] = {[TCPLAN_ORIGIN_MEASURED] = "measured",
                                        [TCPLAN_ORIGIN_PREDICTED] = "predicted",
                                        [TCPLAN_ORIGIN_ANALYTIC] = "analytic",
                                        [TCPLAN_ORIGIN_MODEL] = "model",
                                        [TCPLAN_ORIGIN_DATA_SHEET] = "data sheet"};
    return names[origin];
}

static bool is_gemm(const struct tcplan_ceiling *ceiling) {
    return ceiling->m > 0;
}

static bool is_strided(const struct tcplan_ceiling *ceiling) {
    return strncmp(ceiling->name, "load_", 5) == 0;
}

/** The one with the higher rate; `best` may be NULL. */
static const struct tcplan_ceiling *higher(const struct tcplan_ceiling *best, const struct tcplan_ceiling *ceiling) {
    return !best || ceiling->rate > best->rate ? ceiling : best;
}

const struct tcplan_ceiling *tcplan_roofline_compute(const struct tcplan_roofline *roofline, const char *name, enum tcplan_dtype precision,
                                                     int vector_bits, int threads) {
    const struct tcplan_ceiling *best = NULL;
    for (size_t c = 0; c < roofline->compute_count; c++) {
        const struct tcplan_ceiling *ceiling = &roofline->compute[c];
        if (ceiling->precision != precision || ceiling->threads != threads) continue;
        if (vector_bits > 0 && ceiling->vector_bits != vector_bits) continue;
        if (name ? strcmp(ceiling->name, name) == 0 : !is_gemm(ceiling)) best = higher(best, ceiling);
    }
    return best;
}

const struct tcplan_ceiling *tcplan_roofline_bandwidth(const struct tcplan_roofline *roofline, const char *name, int cache, int threads) {
    const struct tcplan_ceiling *best = NULL;
    for (size_t c = 0; c < roofline->bandwidth_count; c++) {
        const struct tcplan_ceiling *ceiling = &roofline->bandwidth[c];
        if (ceiling->cache != cache || ceiling->threads != threads) continue;
        if (name ? strcmp(ceiling->name, name) == 0 : !is_strided(ceiling)) best = higher(best, ceiling);
    }
    return best;
}

void tcplan_roofline_free(struct tcplan_roofline *roofline) {
    if (!roofline) return;
    base_free(roofline->compute);
    base_free(roofline->bandwidth);
    base_free(roofline);
}
