#include "cli/render/algorithms/distributed.h"
#include "cli/render/algorithms/explain.h"
#include "cli/render/algorithms/ranking_fields.h"
#include "cli/render/algorithms/results.h"
#include "cli/render/algorithms/trace.h"
#include "cli/render/blocked/blocked.h"
#include "cli/render/conformance/conformance.h"
#include "cli/render/host.h"
#include "cli/render/results/digest.h"
#include "cli/render/results/results_writer.h"
#include "cli/render/roofs/roofline.h"
#include "cli/render/sampling/sampling.h"
#include "cli/render/stored/stored.h"
#include "cli/render/view.h"

/* One line each, because the build extracts the names. */
/* clang-format off */
const struct named_view views[] = {
    {"advise", &advice_view},
    {"blocked-cache", &blocked_cache_view},
    {"blocked-check", &blocked_check_view},
    {"blocked-list", &blocked_list_view},
    {"blocked-measure", &blocked_measure_view},
    {"blocked-models", &blocked_models_view},
    {"blocked-operations", &blocked_operations_view},
    {"blocked-predict", &blocked_predict_view},
    {"blocked-rank", &blocked_rank_view},
    {"blocked-trace", &blocked_trace_view},
    {"blocked-windows", &blocked_windows_view},
    {"check", &conformance_view},
    {"compare", &compared_view},
    {"distributed", &distributed_view},
    {"explain", &explained_view},
    {"experiment", &evaluation_view},
    {"list", &listing_view},
    {"machine", &host_view},
    {"model", &models_view},
    {"model-check", &models_check_view},
    {"model-generate", &generation_view},
    {"order", &order_view},
    {"plans", &plans_view},
    {"portability", &portability_view},
    {"rank", &ranking_view},
    {"report", &digests_view},
    {"results", &results_view},
    {"roofline", &roofline_view},
    {"roofline-kernels", &roofline_kernels_view},
    {"roofline-points", &roofline_points_view},
    {"roofline-regions", &roofline_regions_view},
    {"roofline-series", &roofline_series_view},
    {"sample", &samples_view},
    {"selftest", &selftest_view},
    {"store", &store_view},
    {"trace", &trace_view},
    {"tune", &tuning_view},
    {0},
};
/* clang-format on */
