#include "cli/listing.h"

struct listing listing_make(const struct request *request) {
    struct listing listing = {.request = request, .sized = request_points(request) == 1};
    listing.counted = tcplan_algorithm_count(request->contraction, listing.count) == TCPLAN_OK;
    if (listing.sized) listing.problem = request_problem(request, 0);
    return listing;
}

const struct tcplan_problem *listing_problem(const struct listing *listing) {
    return listing->sized ? &listing->problem : NULL;
}
