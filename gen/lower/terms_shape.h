/** Sums of tensors with the same indices in any order, computed in one pass over memory
 * (gen/runtime/terms.h). */
#ifndef GEN_LOWER_TERMS_SHAPE_H
#define GEN_LOWER_TERMS_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/problem.h"

enum { TERMS_SHAPE_MOST = 16, TERMS_SHAPE_RANK = 64 };

/** result := sum of factor * tensor; steps count elements. The first dimension has step 1 in the
 * result. */
struct terms_shape {
    enum tcplan_dtype dtype;
    int rank; /**< number of dimensions, at least 2 */
    int count;
    bool streamed; /**< whether to write whole lines of the result by non-temporal stores */
    int64_t extent[TERMS_SHAPE_RANK];
    int64_t step[TERMS_SHAPE_RANK];
    struct {
        struct tcplan_scalar factor;
        bool conjugated;
        int64_t step[TERMS_SHAPE_RANK];
    } term[TERMS_SHAPE_MOST];
};

#endif
