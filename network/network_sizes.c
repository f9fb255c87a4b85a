#include "ast/problem/shapes.h"
#include "ast/problem/sizes.h"
#include "base/alloc.h"
#include "base/error.h"
#include "tcplan/network.h"

/** Checks that the dimensions of a tensor have the same extents in all its occurrences. */
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
                "dimension %d of tensor '%.40s' has extent %lld as index '%.40s' and %lld as '%.40s'; expected equal extents",
                d + 1, operand->name, expected, network->index[first->dims[d]], found,
                network->index[operand->dims[d]]);
        }
    }
    return TCPLAN_OK;
}

enum tcplan_status tcplan_network_sizes_parse(struct tcplan_sizes **out,
                                              const struct tcplan_network *network,
                                              const char *text, char unused[TCPLAN_SIZES_UNUSED],
                                              struct tcplan_error *error) {
    return sizes_parse_names(out, network->index, network->index_count, text, unused, error);
}

enum tcplan_status tcplan_network_sizes_point(int64_t extent[],
                                              const struct tcplan_network *network,
                                              const struct tcplan_sizes *sizes, int64_t point,
                                              struct tcplan_error *error) {
    sizes_point_names(sizes, point, extent);
    return check_extents(extent, network, error);
}

enum tcplan_status tcplan_network_sizes(int64_t extent[], const struct tcplan_network *network,
                                        const char *text, struct tcplan_error *error) {
    struct tcplan_sizes *sizes = NULL;
    enum tcplan_status status = tcplan_network_sizes_parse(&sizes, network, text, NULL, error);
    if (status != TCPLAN_OK) return status;
    const long long points = tcplan_sizes_count(sizes);
    status = points == 1
                 ? tcplan_network_sizes_point(extent, network, sizes, 0, error)
                 : error_set(error, TCPLAN_INVALID,
                             "expected one size point, found a sweep of %lld points", points);
    tcplan_sizes_free(sizes);
    return status;
}

/** Sets the extents of the indices of a tensor's first occurrence from its shape. */
static enum tcplan_status note_shape(int64_t extent[], const struct tcplan_network *network,
                                     int tensor, const struct shape *shape,
                                     struct tcplan_error *error) {
    const struct tcplan_network_operand *operand = &network->operand[network->tensor[tensor]];
    enum tcplan_status status = shapes_check_rank(shape, operand->name, operand->rank, error);
    for (int d = 0; d < operand->rank && status == TCPLAN_OK; d++)
        status = shapes_note(&extent[operand->dims[d]], shape, d, network->index[operand->dims[d]],
                             error);
    return status;
}

/** Sets the extents of indices that occur only in later occurrences of a tensor, from its first
 * occurrence. */
static void copy_extents(int64_t extent[], const struct tcplan_network *network) {
    for (int o = 0; o < network->operand_count; o++) {
        const struct tcplan_network_operand *operand = &network->operand[o];
        if (operand->tensor >= TCPLAN_NETWORK_SUMS) continue;
        const struct tcplan_network_operand *first =
            &network->operand[network->tensor[operand->tensor]];
        for (int d = 0; d < operand->rank; d++) {
            if (extent[operand->dims[d]] < 0) extent[operand->dims[d]] = extent[first->dims[d]];
        }
    }
}

static enum tcplan_status check_known(const int64_t extent[], const struct tcplan_network *network,
                                      struct tcplan_error *error) {
    for (int i = 0; i < network->index_count; i++) {
        if (extent[i] < 0)
            return error_set(error, TCPLAN_INVALID,
                             "the shapes do not define the extent of index '%.40s'",
                             network->index[i]);
    }
    return check_extents(extent, network, error);
}

enum tcplan_status tcplan_network_shapes(int64_t extent[], const struct tcplan_network *network,
                                         const char *text, struct tcplan_error *error) {
    struct shape *shape = base_alloc(((size_t)network->tensor_count + 1) * sizeof *shape);
    if (!shape) return error_no_memory(error);
    for (int i = 0; i < network->index_count; i++) extent[i] = -1;
    enum tcplan_status status = shapes_read(shape, network->tensor_count, text, error);
    for (int t = 0; t < network->tensor_count && status == TCPLAN_OK; t++)
        status = note_shape(extent, network, t, &shape[t], error);
    base_free(shape);
    if (status != TCPLAN_OK) return status;
    copy_extents(extent, network);
    return check_known(extent, network, error);
}
