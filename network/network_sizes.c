#include "ast/problem/sizes.h"
#include "base/error.h"
#include "tcplan/network.h"

/** Where a tensor is named twice its dimensions have the same extents. */
static enum tcplan_status check_extents(const int64_t extent[],
                                        const struct tcplan_network *network,
                                        struct tcplan_error *error) {
    for (int o = 0; o < network->operand_count; o++) {
        const struct tcplan_network_operand *operand = &network->operand[o];
        const struct tcplan_network_operand *first =
            operand->tensor < TCPLAN_NETWORK_SUMS
                ? &network->operand[network->tensor[operand->tensor]]
                : &network->sum[operand->tensor - TCPLAN_NETWORK_SUMS];
        for (int d = 0; d < operand->rank; d++) {
            const long long found = extent[operand->dims[d]], expected = extent[first->dims[d]];
            if (found == expected) continue;
            return error_set(
                error, TCPLAN_INVALID,
                "dimension %d of tensor '%.40s' has extent %lld where it is index '%.40s' and %lld where it is '%.40s'; expected the same",
                d + 1, operand->name, expected, network->index[first->dims[d]], found,
                network->index[operand->dims[d]]);
        }
    }
    return TCPLAN_OK;
}

enum tcplan_status tcplan_network_sizes(int64_t extent[], const struct tcplan_network *network,
                                        const char *text, struct tcplan_error *error) {
    struct tcplan_sizes *sizes = NULL;
    enum tcplan_status status =
        sizes_parse_names(&sizes, network->index, network->index_count, text, error);
    if (status != TCPLAN_OK) return status;
    const long long points = tcplan_sizes_count(sizes);
    sizes_point_names(sizes, 0, extent);
    tcplan_sizes_free(sizes);
    if (points != 1)
        return error_set(error, TCPLAN_INVALID, "expected one size point, found a sweep of %lld",
                         points);
    return check_extents(extent, network, error);
}
