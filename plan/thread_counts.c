#include "plan/thread_counts.h"

#include <assert.h>

#include "microbench/providers/providers.h"

static bool is_exact(const struct tcplan_rank_options *options) {
    return !options || options->exact_threads || options->threads <= 1;
}

int thread_counts(int out[THREAD_COUNTS], const struct tcplan_rank_options *options) {
    const int most = options ? options->threads : 1;
    int count = 0;
    for (int size = 1; size < most && count < THREAD_COUNTS - 1 && !is_exact(options); size *= 2)
        out[count++] = size;
    out[count++] = most;
    assert(count <= THREAD_COUNTS && (count == 1 || out[count - 2] < most));
    return count;
}

int thread_count_of(const struct tcplan_rank_options *options,
                    const struct tcplan_algorithm *algorithm, int threads) {
    const bool is_shared = algorithm->parallel >= 0 || provider_has_threads(algorithm->provider);
    return is_shared || is_exact(options) ? threads : 1;
}

int thread_counts_generated(int out[2], const struct tcplan_rank_options *options,
                            const struct tcplan_algorithm *algorithm) {
    int sizes[THREAD_COUNTS];
    const int count = thread_counts(sizes, options), most = sizes[count - 1];
    out[0] = sizes[0];
    out[1] = most;
    return count > 1 && (!algorithm || thread_count_of(options, algorithm, most) == most) ? 2 : 1;
}
