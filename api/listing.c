#include "tcplan/listing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/planner.h"
#include "api/product.h"
#include "base/alloc.h"
#include "base/error.h"
#include "tcplan/rank.h"

struct tcplan_listing {
    struct tcplan_listing_summary summary;
    struct tcplan_listed *line; /* lines, whose names the listing owns */
};

static char *name_of(const struct tcplan_listed *line) {
    return (char *)(uintptr_t)line->algorithm;
}

static struct tcplan_listed line_of(const struct tcplan_entry *entry,
                                    const struct tcplan_entry *chosen) {
    struct tcplan_listed line = {.size = sizeof line,
                                 .status = entry->status,
                                 .basis = entry->basis,
                                 .bound_seconds = entry->lower_bound_seconds,
                                 .tied = entry->tied,
                                 .compared = entry->compared,
                                 .missed = entry->missed,
                                 .is_baseline = entry->is_baseline,
                                 .threads = entry->threads,
                                 .chosen = entry == chosen};
    assert(!entry->predicted || (entry->prediction.low <= entry->prediction.seconds &&
                                 entry->prediction.seconds <= entry->prediction.high));
    if (entry->predicted) {
        line.seconds = entry->prediction.seconds;
        line.low = entry->prediction.low;
        line.high = entry->prediction.high;
    }
    return line;
}

static struct tcplan_listing_summary summary_of(const struct tcplan_ranking *ranking) {
    return (struct tcplan_listing_summary){.size = sizeof(struct tcplan_listing_summary),
                                           .lines = ranking->entry_count,
                                           .algorithms = ranking->algorithm_count,
                                           .pruned = ranking->pruned_count,
                                           .open = ranking->open_count,
                                           .gemm_gflops = ranking->gemm_gflops,
                                           .planning_seconds = ranking->planning_seconds,
                                           .compared = ranking->compared,
                                           .out_of_time = ranking->out_of_time};
}

static enum tcplan_status add_lines(struct tcplan_listing *listing,
                                    const struct tcplan_ranking *ranking,
                                    struct tcplan_error *error) {
    const struct tcplan_problem *problem = &ranking->problem;
    listing->line =
        base_alloc_zero(ranking->entry_count > 0 ? ranking->entry_count : 1, sizeof *listing->line);
    if (!listing->line) return error_no_memory(error);
    for (size_t e = 0; e < ranking->entry_count; e++) {
        listing->line[e] = line_of(&ranking->entry[e], tcplan_ranking_chosen(ranking));
        listing->line[e].algorithm = tcplan_algorithm_name(&ranking->entry[e].algorithm,
                                                           problem->contraction, problem->dtype);
        if (!listing->line[e].algorithm) return error_no_memory(error);
    }
    return TCPLAN_OK;
}

static enum tcplan_status list(struct tcplan_listing **out, const struct tcplan_ranking *ranking,
                               struct tcplan_error *error) {
    struct tcplan_listing *listing = base_alloc_zero(1, sizeof *listing);
    if (!listing) return error_no_memory(error);
    listing->summary = summary_of(ranking);
    const enum tcplan_status status = add_lines(listing, ranking, error);
    if (status == TCPLAN_OK) {
        *out = listing;
    } else {
        tcplan_listing_free(listing);
    }
    return status;
}

enum tcplan_status tcplan_listing_new(struct tcplan_listing **out, struct tcplan_planner *planner,
                                      const struct tcplan_product *product,
                                      struct tcplan_error *error) {
    struct planning planning;
    struct tcplan_ranking *ranking = NULL;
    if (!out || !product)
        return error_set(error, TCPLAN_INVALID,
                         "expected a pointer for the listing and a product, found NULL");
    planning_begin(&planning, planner);
    struct tcplan_rank_options *options = &planning.settings.options;
    if (options->effort != TCPLAN_EFFORT_ESTIMATE)
        options->gemm_gflops = 0; /* 0 makes the ranking measure the speed of gemm */
    enum tcplan_status status = planning_rank(&ranking, &planning, &product->problem, error);
    if (status != TCPLAN_OK) return status;
    status = list(out, ranking, error);
    tcplan_ranking_free(ranking);
    return status;
}

/** Copies as many members as the caller's structure, of `room` bytes, has room for. */
static enum tcplan_status fill(void *out, const void *found, size_t room, size_t size) {
    if (room < sizeof room || room > size) return TCPLAN_INVALID;
    memcpy((char *)out + sizeof room, (const char *)found + sizeof room, room - sizeof room);
    return TCPLAN_OK;
}

enum tcplan_status tcplan_listing_summarize(const struct tcplan_listing *listing,
                                            struct tcplan_listing_summary *out) {
    return listing && out ? fill(out, &listing->summary, out->size, sizeof *out) : TCPLAN_INVALID;
}

enum tcplan_status tcplan_listing_line(const struct tcplan_listing *listing, size_t line,
                                       struct tcplan_listed *out) {
    if (!listing || !out || line >= listing->summary.lines) return TCPLAN_INVALID;
    return fill(out, &listing->line[line], out->size, sizeof *out);
}

void tcplan_listing_free(struct tcplan_listing *listing) {
    if (!listing) return;
    for (size_t i = 0; listing->line && i < listing->summary.lines; i++)
        free(name_of(&listing->line[i]));
    base_free(listing->line);
    base_free(listing);
}
