#include "routines/blocked/cache/stages.h"

#include <math.h>

#include "base/alloc.h"
#include "base/sorted.h"

static const char *const stage_names[TCPLAN_CACHE_STAGES] = {
    "repeated", "in", "out", "initial", "splitting", "smoothed", "distinct", "aware"};

const char *tcplan_cache_stage_name(enum tcplan_cache_stage stage) {
    return stage_names[stage];
}

/** Outputs of walk(): shares of operands in the cache, for one kind of history. Each pointer
 * receives the shares with one kind of weights; NULL: not computed. */
struct wanted {
    bool splits, distinct;
    double *initial, *smoothed;
};

/** Computes the wanted shares of all calls with one kind of history. */
static bool walk(const struct wanted *wanted, const struct stages_call call[], int64_t count,
                 const struct stages_rules *rules) {
    const struct cache_smoothing initial = {INFINITY, INFINITY};
    struct call_history history = {
        .rules = {.line_bytes = rules->line_bytes,
                  .whole_bytes = rules->whole_bytes,
                  .calls = rules->step_calls < INT32_MAX ? (int)rules->step_calls : 0,
                  .split_share = wanted->splits ? rules->split_share : 0,
                  .unions = wanted->distinct,
                  .parts = wanted->distinct}};
    struct operand_parts parts = {0};
    bool good = true;
    for (int64_t c = 0; c < count && good; c++) {
        parts.count = 0;
        call_history_distances(&parts, &history, call[c].accesses);
        if (wanted->initial) wanted->initial[c] = cache_share(&parts, rules->cache_bytes, &initial);
        if (wanted->smoothed)
            wanted->smoothed[c] = cache_share(&parts, rules->cache_bytes, &rules->smoothing);
        call_history_add(&history, call[c].accesses);
        good = !history.out_of_memory && !parts.out_of_memory;
    }
    operand_parts_free(&parts);
    call_history_free(&history);
    return good;
}

/** The series of shares for the stages that mix times. Each has a share for every call. */
enum { SHARE_INITIAL, SHARE_SPLITTING, SHARE_SMOOTHED, SHARE_DISTINCT, SHARES };

static const enum tcplan_cache_stage stage_of_share[SHARES] = {
    TCPLAN_CACHE_INITIAL, TCPLAN_CACHE_SPLITTING, TCPLAN_CACHE_SMOOTHED, TCPLAN_CACHE_DISTINCT};

bool stages_estimate(struct tcplan_blocked_cache_call out[], const struct stages_call call[],
                     int64_t count, const struct stages_rules *rules) {
    double *share = base_alloc_zero(SHARES * (size_t)count + 1, sizeof *share);
    if (!share) return false;
    const struct wanted wanted[] = {
        {.initial = share + SHARE_INITIAL * count},
        {.splits = true,
         .initial = share + SHARE_SPLITTING * count,
         .smoothed = share + SHARE_SMOOTHED * count},
        {.splits = true, .distinct = true, .smoothed = share + SHARE_DISTINCT * count},
    };
    bool good = true;
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted && good; w++)
        good = walk(&wanted[w], call, count, rules);
    for (int64_t c = 0; c < count && good; c++) {
        out[c].estimate[TCPLAN_CACHE_REPEATED] = call[c].repeated;
        out[c].estimate[TCPLAN_CACHE_IN] = call[c].in_cache;
        out[c].estimate[TCPLAN_CACHE_OUT] = call[c].out_of_cache;
        out[c].estimate[TCPLAN_CACHE_AWARE] = call[c].aware;
        out[c].share = share[SHARE_SMOOTHED * count + c];
        for (int s = 0; s < SHARES; s++) {
            out[c].estimate[stage_of_share[s]] =
                cache_estimate(share[s * count + c], call[c].in_cache, call[c].out_of_cache);
        }
    }
    base_free(share);
    return good;
}

static void sum_kernel(struct tcplan_blocked_cache_kernel *kernel,
                       const struct tcplan_blocked_cache_call *call) {
    kernel->calls++;
    kernel->seconds += call->seconds;
    for (int s = 0; s < TCPLAN_CACHE_STAGES; s++)
        kernel->error[s] += fabs(call->estimate[s] / call->seconds - 1);
}

static void sum_call(struct tcplan_blocked_cache *study,
                     const struct tcplan_blocked_cache_call *call, bool is_first) {
    for (int s = 0; s < TCPLAN_CACHE_STAGES; s++) {
        const double relative = call->estimate[s] / call->seconds - 1;
        study->error[s] += fabs(relative);
        study->over[s] = is_first ? relative : fmax(study->over[s], relative);
        study->under[s] = is_first ? relative : fmin(study->under[s], relative);
    }
}

void stages_sum(struct tcplan_blocked_cache *study) {
    int64_t counted = 0;
    double estimates[TCPLAN_CACHE_STAGES] = {0};
    study->seconds = 0;
    for (int64_t c = 0; c < study->count; c++) {
        const struct tcplan_blocked_cache_call *call = &study->call[c];
        study->seconds += call->seconds;
        for (int s = 0; s < TCPLAN_CACHE_STAGES; s++) estimates[s] += call->estimate[s];
        sum_kernel(&study->kernel[call->kernel], call);
        if (call->counts) sum_call(study, call, counted == 0);
        counted += call->counts;
    }
    for (int s = 0; s < TCPLAN_CACHE_STAGES; s++) {
        study->total[s] = study->seconds > 0 ? estimates[s] / study->seconds - 1 : 0;
        if (counted > 0) study->error[s] /= (double)counted;
        for (int k = 0; k < study->kernel_count; k++) {
            if (study->kernel[k].calls > 0)
                study->kernel[k].error[s] /= (double)study->kernel[k].calls;
        }
    }
}

double stages_median(double *value, int64_t count) {
    if (count <= 0) return 0;
    sort_numbers(value, (size_t)count);
    return sorted_median(value, (size_t)count);
}

/** Returns the median time of a call in every `stride`-th run from `first` on. */
static double median_of(const double *time, int64_t count, int64_t runs, int64_t first,
                        int64_t stride, double scratch[]) {
    int64_t taken = 0;
    for (int64_t r = first; r < runs; r += stride) scratch[taken++] = time[r * count];
    return stages_median(scratch, taken);
}

double stages_spread(const struct tcplan_blocked_cache_call call[], const double *time,
                     int64_t count, int64_t runs, double scratch[]) {
    double sum = 0;
    int64_t counted = 0;
    for (int64_t c = 0; c < count && runs >= 2; c++) {
        if (!call[c].counts) continue;
        const double all = median_of(time + c, count, runs, 0, 1, scratch);
        sum += fabs(median_of(time + c, count, runs, 0, 2, scratch) -
                    median_of(time + c, count, runs, 1, 2, scratch)) /
               all;
        counted++;
    }
    return counted > 0 ? sum / (double)counted : 0;
}
