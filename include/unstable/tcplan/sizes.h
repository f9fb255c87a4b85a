/**
 * Sizes: the extent of every index, as one point or as a sweep.
 *
 *   a=400,b=400,c=400,i=8      one extent per index
 *   a=b=c=400,i=8              shared
 *   a=400 b=400 c=400 i=8      separated by blanks
 *   a=b=c=64:512:64,i=8        sweep first:last:step, inclusive; several sweeps give every
 *                              combination, the last one fastest
 */
#ifndef TCPLAN_SIZES_H
#define TCPLAN_SIZES_H

#include "tcplan/contraction.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One or many size points of a contraction. */
struct tcplan_sizes;

/**
 * Reads sizes for the indices of `contraction`: each index exactly once, extents from 0 to the
 * largest BLAS integer (2147483647). Spaces and tabs may stand between names, signs and numbers.
 * The text is empty if the contraction has no index.
 *
 * @param out    receives the sizes, to be freed with tcplan_sizes_free(); they do not depend on
 *               `contraction` afterwards
 * @return TCPLAN_OK, TCPLAN_INVALID (missing, extra, repeated, negative, a step of 0, malformed or
 *         too large; `error` marks the text), TCPLAN_OVERFLOW (more points than an int64_t counts),
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_sizes_parse(struct tcplan_sizes **out,
                                                 const struct tcplan_contraction *contraction,
                                                 const char *text, struct tcplan_error *error);

enum { TCPLAN_SIZES_UNUSED = 160 };

/**
 * Reads sizes as tcplan_sizes_parse() does, but also accepts names that are not indices of the
 * contraction.
 *
 * @param unused  receives the names that are not indices, separated by commas and truncated to its
 *     size; NULL: such names are refused
 */
TCPLAN_API enum tcplan_status tcplan_sizes_parse_more(struct tcplan_sizes **out,
                                                      const struct tcplan_contraction *contraction,
                                                      const char *text,
                                                      char unused[TCPLAN_SIZES_UNUSED],
                                                      struct tcplan_error *error);

/** Frees sizes; NULL is fine. */
TCPLAN_API void tcplan_sizes_free(struct tcplan_sizes *sizes);

/** Returns the number of size points, at least 1. */
TCPLAN_API int64_t tcplan_sizes_count(const struct tcplan_sizes *sizes);

/**
 * Writes the extent of every index at size point `point` (0 <= point < count) to `extent`, which
 * has TCPLAN_MAX_INDICES elements; elements that belong to no index become 0.
 */
TCPLAN_API void tcplan_sizes_point(const struct tcplan_sizes *sizes, int64_t point,
                                   int64_t extent[TCPLAN_MAX_INDICES]);

#ifdef __cplusplus
}
#endif

#endif
