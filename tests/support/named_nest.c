#include "support/named_nest.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "tcplan/sizes.h"

void named_nest_init(struct named_nest *out, const char *text, enum tcplan_order order,
                     const char *sizes, enum tcplan_dtype dtype, const char *algorithm) {
    struct tcplan_error error = {0};
    struct tcplan_sizes *parsed = NULL;
    struct tcplan_algorithm found;
    int64_t extent[TCPLAN_MAX_INDICES];
    *out = (struct named_nest){0};
    enum tcplan_status status = tcplan_contraction_parse(&out->contraction, text, order, &error);
    if (status == TCPLAN_OK) status = tcplan_sizes_parse(&parsed, out->contraction, sizes, &error);
    if (status == TCPLAN_OK) tcplan_sizes_point(parsed, 0, extent);
    tcplan_sizes_free(parsed);
    if (status == TCPLAN_OK)
        status = tcplan_problem_init(&out->problem, out->contraction, extent, dtype, &error);
    if (status == TCPLAN_OK)
        status = tcplan_algorithm_parse(&found, out->contraction, dtype, algorithm, &error);
    if (status == TCPLAN_OK)
        status = tcplan_nest_build(&out->nest, out->contraction, &found, &error);
    if (status != TCPLAN_OK) fail_msg("%s at %s by %s: %s", text, sizes, algorithm, error.message);
    out->refined = problem_refine(&out->problem, out->nest->refinement);
}

void named_nest_free(struct named_nest *named) {
    tcplan_nest_free(named->nest);
    tcplan_contraction_free(named->contraction);
}
