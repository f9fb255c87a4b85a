#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "distributed/distributed.h"

static char *sizes_text(const struct tcplan_contraction *contraction, const int64_t length[]) {
    struct strbuf out = {0};
    strbuf_add(&out, "%s", "");
    for (int i = 0; i < contraction->index_count; i++)
        strbuf_add(&out, "%s%s=%" PRId64, i > 0 ? "," : "", contraction->index[i].name, length[i]);
    return strbuf_finish(&out);
}

enum tcplan_status distributed_product(struct tcplan_product **out,
                                       const struct tcplan_problem *problem, const int64_t length[],
                                       enum tcplan_distributed_start start,
                                       struct tcplan_error *error) {
    struct tcplan_contraction local = *problem->contraction;
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
