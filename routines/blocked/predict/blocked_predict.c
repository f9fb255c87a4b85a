#include "tcplan/blocked_predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "routines/blocked/predict/sources.h"

/** Times of some calls in nanoseconds: sums of their statistics. */
struct times {
    double ns[TCPLAN_MODEL_STATISTICS]; /* for the deviation: the sum of squares */
    double skewed; /* sum of the squares, each multiplied by mean - median of its call */
    int64_t calls;
};

/** Sums over the calls of a walk. */
struct sum {
    const struct tcplan_blocked_predictor *predictor;
    struct times times;
    double error_ns, extrapolated_ns;
    double low_ns, high_ns; /* ends of the interval of the median, relative to the median */
    int64_t empty, below, extrapolated;
    struct kernel_sum *kernel; /* sums for each statement; may be NULL */
    struct tcplan_error *error;
    bool missing;
};

/** The part of a sum that one statement contributes. */
struct kernel_sum {
    struct times times;
    double flops;
};

static void add(struct times *sum, const double ns[TCPLAN_MODEL_STATISTICS]) {
    const double square = ns[TCPLAN_MODEL_DEVIATION] * ns[TCPLAN_MODEL_DEVIATION];
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
        sum->ns[s] += s == TCPLAN_MODEL_DEVIATION ? square : ns[s];
    sum->skewed += square * (ns[TCPLAN_MODEL_MEAN] - ns[TCPLAN_MODEL_MEDIAN]);
    sum->calls++;
}

static void merge(struct times *sum, const struct times *other) {
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) sum->ns[s] += other->ns[s];
    sum->skewed += other->skewed;
    sum->calls += other->calls;
}

/**
 * Returns the median of a sum of independent times. Means add, medians do not: many calls with
 * rare long times have a nearly symmetric sum. The median is the mean minus a sixth of skewness
 * times deviation (E. A. Cornish, R. A. Fisher, Moments and cumulants in the specification of
 * distributions, 1938), and third moments and squares of deviations add. So the distance between
 * mean and median of the sum is the average of the calls' distances, weighted by the squares.
 */
static double median_of(const struct times *sum) {
    const double mean = sum->ns[TCPLAN_MODEL_MEAN], squares = sum->ns[TCPLAN_MODEL_DEVIATION],
                 gaps = mean - sum->ns[TCPLAN_MODEL_MEDIAN];
    const double gap = squares > 0      ? sum->skewed / squares
                       : sum->calls > 0 ? gaps / (double)sum->calls
                                        : 0;
    return fmin(fmax(mean - gap, sum->ns[TCPLAN_MODEL_MINIMUM]), sum->ns[TCPLAN_MODEL_MAXIMUM]);
}

/** Converts sums of nanoseconds to seconds. */
static void finish(double seconds[TCPLAN_MODEL_STATISTICS], const struct times *sum) {
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) seconds[s] = 1e-9 * sum->ns[s];
    seconds[TCPLAN_MODEL_DEVIATION] = 1e-9 * sqrt(sum->ns[TCPLAN_MODEL_DEVIATION]);
    seconds[TCPLAN_MODEL_MEDIAN] = 1e-9 * median_of(sum);
}

static void refuse(struct sum *sum, const struct source *source, const int64_t size[]) {
    char sizes[80] = "";
    size_t length = 0;
    for (int s = 0; s < source->of.sizes && length < sizeof sizes; s++) {
        const char *name = source->statement->signature->argument[source->of.size_argument[s]].name;
        length += (size_t)snprintf(sizes + length, sizeof sizes - length, "%s%s=%lld",
                                   s > 0 ? "," : "", name, (long long)size[s]);
    }
    error_set(sum->error, TCPLAN_INVALID, "no model of '%s' contains the sizes %s", source->of.text,
              sizes);
    sum->missing = true;
}

/** Returns the ratio of a call's operations, or of the bytes of its operands if it has none, to
 * those of the same call with other sizes. */
static double work_ratio(const struct source *source, const struct blocked_call *call,
                         const int64_t near[]) {
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    memcpy(value, call->value, sizeof value);
    for (int s = 0; s < source->of.sizes; s++) value[source->of.size_argument[s]] = near[s];
    const double flops = signature_flops(call->signature, value);
    return flops > 0 ? signature_flops(call->signature, call->value) / flops
                     : signature_bytes(call->signature, call->value) /
                           fmax(signature_bytes(call->signature, value), 1);
}

/** Multiplies an estimate at the nearest sizes of a model by the ratio of the work, and adds the
 * interval of its median. */
static void extrapolate(struct tcplan_model_estimate *estimate, struct sum *sum, double ratio) {
    const double median = estimate->ns[TCPLAN_MODEL_MEDIAN] * ratio;
    sum->low_ns += estimate->ns[TCPLAN_MODEL_MINIMUM] * fmin(ratio, 1) - median;
    sum->high_ns += estimate->ns[TCPLAN_MODEL_MAXIMUM] * fmax(ratio, 1) - median;
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) estimate->ns[s] *= ratio;
    sum->extrapolated_ns += estimate->ns[TCPLAN_MODEL_MEDIAN];
    sum->extrapolated++;
}

/**
 * Continues a model below its domain in a size that another size bounds, as the columns of larft
 * bound its rows: along the line through the times at the beginning of the domain and at twice
 * this size, but not below the time in proportion to the size.
 */
static void continue_below(struct tcplan_model_estimate *estimate, const struct source *source,
                           const struct tcplan_model *model, const int64_t size[]) {
    const struct tcplan_model_domain *domain = &model->domain;
    for (int s = 0; s < domain->count; s++) {
        const int argument = source->of.size_argument[s];
        const int64_t low = domain->low[s],
                      far = 2 * low < domain->high[s] ? 2 * low : domain->high[s];
        if (!source->statement->signature->argument[argument].least || size[s] >= low || far == low)
            continue;
        int64_t there[TCPLAN_MODEL_SIZES];
        struct tcplan_model_estimate other;
        memcpy(there, size, sizeof there);
        there[s] = far;
        tcplan_model_evaluate(&other, model, there);
        const double steps = (double)(low - size[s]) / (double)(far - low);
        for (int i = 0; i < TCPLAN_MODEL_STATISTICS; i++)
            estimate->ns[i] = fmax(estimate->ns[i] - steps * (other.ns[i] - estimate->ns[i]),
                                   estimate->ns[i] * (double)size[s] / (double)low);
    }
}

static bool add_call(void *context, const struct blocked_call *call) {
    struct sum *sum = context;
    const int number = call->statement->node->call.number;
    const struct source *source = &sum->predictor->source[number];
    struct tcplan_model_estimate estimate;
    int64_t size[TCPLAN_MODEL_SIZES], near[TCPLAN_MODEL_SIZES];
    bool below;
    sum->empty += call->empty;
    if (call->empty) return true;
    source_sizes(size, source, call);
    const struct source_candidate *candidate = source_model(source, size, &below);
    const bool is_inside = candidate != NULL;
    if (!candidate && sum->predictor->extrapolates) candidate = source_nearest(near, source, size);
    if (!candidate) {
        refuse(sum, source, size);
        return false;
    }
    const struct tcplan_model *model = candidate->model;
    tcplan_model_evaluate(&estimate, model, is_inside ? size : near);
    if (below && is_inside) continue_below(&estimate, source, model, size);
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) estimate.ns[s] *= candidate->factor;
    if (!is_inside) extrapolate(&estimate, sum, work_ratio(source, call, near));
    add(&sum->times, estimate.ns);
    sum->error_ns += estimate.ns[TCPLAN_MODEL_MEDIAN] *
                     fmax(estimate.error, model->check.points > 0 ? model->check.p90 : 0);
    sum->below += below;
    if (!sum->kernel) return true;
    add(&sum->kernel[number].times, estimate.ns);
    sum->kernel[number].flops += signature_flops(call->signature, call->value);
    return true;
}

static void name_kernel(char out[TCPLAN_BLOCKED_KERNEL_NAME],
                        const struct blocked_statement *statement) {
    const char *letters = statement->node->call.letters;
    snprintf(out, TCPLAN_BLOCKED_KERNEL_NAME, "%s%s%s", statement->signature->name,
             *letters ? "_" : "", letters);
}

static int compare_kernels(const void *a, const void *b) {
    const struct tcplan_blocked_kernel *x = a, *y = b;
    const double s = x->seconds[TCPLAN_MODEL_MEDIAN], t = y->seconds[TCPLAN_MODEL_MEDIAN];
    return s != t ? (s < t) - (s > t) : strcmp(x->name, y->name);
}

/** Returns the entry for the kernel of this name: an existing or a new one; if there are too many,
 * the last entry. */
static struct tcplan_blocked_kernel *find_kernel(struct tcplan_blocked_kernel kernel[], int *count,
                                                 const char *name) {
    for (int k = 0; k < *count; k++) {
        if (strcmp(kernel[k].name, name) == 0) return &kernel[k];
    }
    if (*count == TCPLAN_BLOCKED_KERNELS) {
        snprintf(kernel[*count - 1].name, TCPLAN_BLOCKED_KERNEL_NAME, "others");
        return &kernel[*count - 1];
    }
    kernel[*count] = (struct tcplan_blocked_kernel){.calls = 0};
    snprintf(kernel[*count].name, TCPLAN_BLOCKED_KERNEL_NAME, "%s", name);
    return &kernel[(*count)++];
}

/** Adds each statement to the entry of its kernel; statements with the same routine and flags are
 * one kernel. */
static void list_kernels(struct tcplan_blocked_kernel kernel[], int *count, const struct sum *sum) {
    struct times times[TCPLAN_BLOCKED_KERNELS] = {{.calls = 0}};
    *count = 0;
    for (int s = 0; s < sum->predictor->blocked->statement_count; s++) {
        const struct kernel_sum *own = &sum->kernel[s];
        char name[TCPLAN_BLOCKED_KERNEL_NAME];
        if (own->times.calls == 0) continue;
        name_kernel(name, sum->predictor->source[s].statement);
        struct tcplan_blocked_kernel *to = find_kernel(kernel, count, name);
        merge(&times[to - kernel], &own->times);
        to->calls += own->times.calls;
        to->flops += own->flops;
    }
    for (int k = 0; k < *count; k++) finish(kernel[k].seconds, &times[k]);
    if (*count > 1) qsort(kernel, (size_t)*count, sizeof *kernel, compare_kernels);
}

enum tcplan_status tcplan_blocked_predict(struct tcplan_blocked_prediction *out,
                                          struct tcplan_blocked_kernel kernel[], int *count,
                                          const struct tcplan_blocked_predictor *predictor,
                                          const struct tcplan_blocked_sizes *sizes,
                                          struct tcplan_error *error) {
    struct sum sum = {.predictor = predictor, .error = error};
    const enum tcplan_status status = tcplan_blocked_check(predictor->blocked, sizes, error);
    *out = (struct tcplan_blocked_prediction){.calls = 0};
    if (count) *count = 0;
    if (status != TCPLAN_OK) return status;
    if (kernel) {
        sum.kernel =
            base_alloc_zero((size_t)predictor->blocked->statement_count + 1, sizeof *sum.kernel);
        if (!sum.kernel) return error_no_memory(error);
    }
    blocked_walk(predictor->blocked, sizes, add_call, &sum);
    if (!sum.missing) {
        const double medians = sum.times.ns[TCPLAN_MODEL_MEDIAN];
        finish(out->seconds, &sum.times);
        out->flops = tcplan_blocked_flops(predictor->blocked, sizes);
        out->error = medians > 0 ? sum.error_ns / medians : 0;
        out->calls = sum.times.calls;
        out->empty = sum.empty;
        out->below = sum.below;
        out->extrapolated = sum.extrapolated;
        out->extrapolated_share = medians > 0 ? sum.extrapolated_ns / medians : 0;
        out->low_seconds = out->seconds[TCPLAN_MODEL_MEDIAN] + 1e-9 * sum.low_ns;
        out->high_seconds = out->seconds[TCPLAN_MODEL_MEDIAN] + 1e-9 * sum.high_ns;
        if (kernel && count) list_kernels(kernel, count, &sum);
    }
    base_free(sum.kernel);
    return sum.missing ? TCPLAN_INVALID : TCPLAN_OK;
}

void tcplan_blocked_performance(double out[TCPLAN_MODEL_STATISTICS],
                                const double seconds[TCPLAN_MODEL_STATISTICS], double flops) {
    const double mean = seconds[TCPLAN_MODEL_MEAN],
                 spread = mean > 0 ? seconds[TCPLAN_MODEL_DEVIATION] / mean : 0;
    static const enum tcplan_model_statistic of[] = {[TCPLAN_MODEL_MINIMUM] = TCPLAN_MODEL_MAXIMUM,
                                                     [TCPLAN_MODEL_MEDIAN] = TCPLAN_MODEL_MEDIAN,
                                                     [TCPLAN_MODEL_MAXIMUM] = TCPLAN_MODEL_MINIMUM,
                                                     [TCPLAN_MODEL_MEAN] = TCPLAN_MODEL_MEAN,
                                                     [TCPLAN_MODEL_DEVIATION] = TCPLAN_MODEL_MEAN};
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
        out[s] = seconds[of[s]] > 0 ? flops / seconds[of[s]] : 0;
    out[TCPLAN_MODEL_MEAN] *= 1 + spread * spread;
    out[TCPLAN_MODEL_DEVIATION] *= spread;
}
