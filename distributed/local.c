#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "distributed/distributed.h"

static char *sizes_text(const struct tcplan_contraction *contraction, const int64_t length[]) {
    struct strbuf out = {0};
    strbuf_add(&out, "%s", "");
    for (int i = 0; i < contraction->index_count; i++)
        strbuf_add(&out, "%s%s=%" PRId64, i > 0 ? "," : "", contraction->index[i].name, length[i]);
    return strbuf_finish(&out);
}

/** Returns a name for B: its own, or another one if A has the same. Blocks of a tensor that is both
 * factors may have different shapes. */
static const char *name_of_right(const struct tcplan_contraction *contraction) {
    static const char *const names[] = {"A", "B", "C"};
    const char *left = contraction->tensor[TCPLAN_A].name,
               *right = contraction->tensor[TCPLAN_B].name,
               *result = contraction->tensor[TCPLAN_C].name;
    if (strcmp(left, right) != 0) return right;
    int n = 0;
    while (strcmp(names[n], left) == 0 || strcmp(names[n], result) == 0) n++;
    return names[n];
}

enum tcplan_status distributed_product(struct tcplan_product **out,
                                       const struct tcplan_problem *problem, const int64_t length[],
                                       enum tcplan_distributed_start start,
                                       struct tcplan_error *error) {
    struct tcplan_contraction local = *problem->contraction;
    local.tensor[TCPLAN_B].name = name_of_right(problem->contraction);
    if (start != TCPLAN_DISTRIBUTED_CONTINUES) {
        local.beta = (struct tcplan_scalar){start == TCPLAN_DISTRIBUTED_ADDS ? 1 : 0, 0};
        local.tensor[TCPLAN_C].conjugated = false;
    }
    char *text = tcplan_contraction_text(&local), *sizes = sizes_text(&local, length);
    const enum tcplan_status status =
        text && sizes ? tcplan_product_parse(out, text, *sizes ? sizes : NULL, NULL, problem->dtype,
                                             local.order, error)
                      : error_no_memory(error);
    free(text);
    free(sizes);
    return status;
}
