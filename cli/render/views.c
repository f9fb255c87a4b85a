#include "cli/render/host.h"
#include "cli/render/kept/plans.h"
#include "cli/render/kept/store.h"
#include "cli/render/view.h"

/* A line each, from which the build takes the names. */
const struct named_view views[] = {
    {"machine", &host_view},
    {"plans", &plans_view},
    {"store", &store_view},
    {0},
};
