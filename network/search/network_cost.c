#include <math.h>

#include "api/planner.h"
#include "base/error.h"
#include "network/search/speeds.h"
#include "tcplan/network_order.h"
#include "tcplan/problem.h"

static enum tcplan_status check(const struct tcplan_step_extents *extents,
                                struct tcplan_error *error) {
    const double all[] = {extents->batch, extents->left, extents->right, extents->contracted};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!(all[i] >= 0))
            return error_set(error, TCPLAN_INVALID, "expected extents of at least 0, found %g",
                             all[i]);
    }
    return TCPLAN_OK;
}

static double seconds_of(const struct tcplan_step_extents *extents, const struct speeds *speeds) {
    const double batch = extents->batch, left = extents->left, right = extents->right,
                 contracted = extents->contracted;
    const double elements = batch * (left * contracted + right * contracted + left * right);
    const double bytes = elements * (double)tcplan_dtype_bytes(speeds->dtype);
    const double seconds = speeds_step(speeds, batch, left, right, contracted, bytes);
    return isnan(seconds) ? INFINITY : seconds;
}

enum tcplan_status tcplan_step_seconds(double *out, struct tcplan_planner *planner,
                                       const struct tcplan_step_extents *extents,
                                       enum tcplan_dtype dtype, struct tcplan_error *error) {
    struct planning planning;
    struct tcplan_rank_options rank;
    bool knows = false;
    if (!out || !extents)
        return error_set(error, TCPLAN_INVALID,
                         "expected pointers for the seconds and extents, found NULL");
    enum tcplan_status status = check(extents, error);
    if (status != TCPLAN_OK) return status;
    planning_begin(&planning, planner);
    status = planning_know(&rank, &knows, &planning, error);
    if (status == TCPLAN_OK) {
        const struct speeds speeds = speeds_of(rank.machine, dtype, rank.threads);
        *out = seconds_of(extents, &speeds);
    }
    planning_known(&planning, knows);
    return status;
}
