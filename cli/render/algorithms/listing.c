#include "cli/render/algorithms/listing.h"

#include "base/alloc.h"
#include "cli/diagnostics.h"

/* Finding candidates may take this long unless told otherwise, as they are printed first: those of
 * nine indices take some seconds. */
#define LISTING_SECONDS 0.9

/** Whether candidates are listed: tiles, and what can pay, depend on sizes. */
static bool lists_candidates(const struct listing *listing) {
    const struct options *options = listing->request->options;
    return options->space == TCPLAN_SPACE_FULL && listing->sized && !options->algorithm;
}

/** Few of the candidates are of the `blas` space as well, and each algorithm of that is looked for
 * among them. */
static bool note_shared(struct listing *listing) {
    const struct tcplan_candidate_list *candidates = listing->candidates;
    listing->in_blas = base_alloc(candidates->count * sizeof *listing->in_blas);
    for (size_t c = 0; listing->in_blas && c < candidates->count; c++) {
        const struct tcplan_algorithm *algorithm = &candidates->candidate[c].algorithm;
        if (tcplan_algorithm_in_blas_space(algorithm, listing->request->contraction))
            listing->in_blas[listing->candidates_in_blas++] = c;
    }
    return listing->in_blas;
}

enum exit_status listing_make(struct listing *out, const struct request *request) {
    *out = (struct listing){.request = request, .sized = request_points(request) == 1};
    out->counted = tcplan_algorithm_count(request->contraction, out->count) == TCPLAN_OK;
    out->bounded = out->sized && request->options->max_workspace_bytes > 0;
    if (out->sized) out->problem = request_problem(request, 0);
    if (!lists_candidates(out)) return EXIT_DONE;
    struct tcplan_rank_options options = request_rank_options(request);
    if (options.time_limit_seconds == 0) options.time_limit_seconds = LISTING_SECONDS;
    struct tcplan_error error;
    enum tcplan_status status =
        tcplan_candidates_list(&out->candidates, &out->problem, &options, &error);
    if (status != TCPLAN_OK) return diagnose_error(&error, NULL);
    return note_shared(out) ? EXIT_DONE : diagnose_no_memory();
}

void listing_free(struct listing *listing) {
    tcplan_candidate_list_free(listing->candidates);
    base_free(listing->in_blas);
    listing->candidates = NULL;
    listing->in_blas = NULL;
}

uint64_t listing_count(const struct listing *listing) {
    const uint64_t blas = listing->count[TCPLAN_KERNELS];
    return listing->candidates ? blas - listing->candidates_in_blas + listing->candidates->count
                               : blas;
}

bool listing_has_candidate(const struct listing *listing,
                           const struct tcplan_algorithm *algorithm) {
    for (uint64_t c = 0; c < listing->candidates_in_blas; c++) {
        if (tcplan_algorithm_equal(&listing->candidates->candidate[listing->in_blas[c]].algorithm,
                                   algorithm))
            return true;
    }
    return false;
}

const struct tcplan_problem *listing_problem(const struct listing *listing) {
    return listing->sized ? &listing->problem : NULL;
}
