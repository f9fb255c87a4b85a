#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/sorted.h"
#include "tcplan/models.h"

enum { FIRST_CAPACITY = 64 };

/* One sample. */

static double mean_of(const double ns[], int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += ns[i];
    return sum / count;
}

static double deviation_of(const double ns[], int count, double mean) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += (ns[i] - mean) * (ns[i] - mean);
    return sqrt(sum / count);
}

/** Returns whether a time is valid; NaN is not. */
static bool is_time(double ns) {
    return ns >= TCPLAN_MODEL_LEAST_NS && ns <= TCPLAN_MODEL_MOST_NS;
}

enum tcplan_status tcplan_model_sample_make(struct tcplan_model_sample *out, const int64_t size[],
                                            int count, double ns[], int repetitions,
                                            struct tcplan_error *error) {
    for (int i = 0; i < repetitions; i++) {
        if (!is_time(ns[i]))
            return error_set(error, TCPLAN_INVALID, "%g ns is not a valid time of a call", ns[i]);
    }
    sort_numbers(ns, (size_t)repetitions);
    const double mean = mean_of(ns, repetitions);
    *out = (struct tcplan_model_sample){.repetitions = repetitions};
    for (int i = 0; i < count; i++) out->size[i] = size[i];
    out->ns[TCPLAN_MODEL_MINIMUM] = ns[0];
    out->ns[TCPLAN_MODEL_MEDIAN] = 0.5 * (ns[(repetitions - 1) / 2] + ns[repetitions / 2]);
    out->ns[TCPLAN_MODEL_MAXIMUM] = ns[repetitions - 1];
    out->ns[TCPLAN_MODEL_MEAN] = mean;
    out->ns[TCPLAN_MODEL_DEVIATION] = deviation_of(ns, repetitions, mean);
    return TCPLAN_OK;
}

/* Samples by point: a hash table with linear probing. */

static bool is_at(const struct tcplan_model_sample *sample, const int64_t size[]) {
    return memcmp(sample->size, size, sizeof sample->size) == 0;
}

/** Returns the slot of a point, or the free slot where it belongs. The table always has a free
 * slot. */
static uint32_t *slot_of(const struct tcplan_model_samples *samples, const int64_t size[]) {
    size_t at =
        (size_t)hash_spread(hash_add(HASH_OF_NOTHING, size, sizeof(int64_t) * TCPLAN_MODEL_SIZES)) &
        (samples->slots - 1);
    while (samples->slot[at] > 0 && !is_at(&samples->sample[samples->slot[at] - 1], size))
        at = (at + 1) & (samples->slots - 1);
    return &samples->slot[at];
}

/** Makes room for one more sample; at least half of the table stays empty. */
static bool reserve(struct tcplan_model_samples *samples) {
    if (samples->count < samples->capacity) return true;
    const size_t capacity = samples->capacity > 0 ? 2 * samples->capacity : FIRST_CAPACITY;
    if (capacity > UINT32_MAX / 2) return false;
    struct tcplan_model_sample *grown = base_realloc(samples->sample, capacity * sizeof *grown);
    if (!grown) return false;
    samples->sample = grown;
    uint32_t *slot = base_alloc_zero(2 * capacity, sizeof *slot);
    if (!slot) return false;
    base_free(samples->slot);
    samples->slot = slot;
    samples->slots = 2 * capacity;
    samples->capacity = capacity;
    for (size_t i = 0; i < samples->count; i++)
        *slot_of(samples, samples->sample[i].size) = (uint32_t)i + 1;
    return true;
}

static enum tcplan_status check(const struct tcplan_model_sample *sample,
                                struct tcplan_error *error) {
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) {
        const double ns = sample->ns[s];
        if (is_time(ns) || (s == TCPLAN_MODEL_DEVIATION && ns >= 0 && ns <= TCPLAN_MODEL_MOST_NS))
            continue;
        return error_set(error, TCPLAN_INVALID, "%g ns cannot be the %s of a sample", ns,
                         tcplan_model_statistic_name((enum tcplan_model_statistic)s));
    }
    return TCPLAN_OK;
}

enum tcplan_status tcplan_model_samples_add(struct tcplan_model_samples *samples,
                                            const struct tcplan_model_sample *sample,
                                            struct tcplan_error *error) {
    const enum tcplan_status status = check(sample, error);
    if (status != TCPLAN_OK) return status;
    if (!reserve(samples)) return error_no_memory(error);
    uint32_t *slot = slot_of(samples, sample->size);
    if (*slot == 0) *slot = (uint32_t)++samples->count;
    samples->sample[*slot - 1] = *sample;
    return TCPLAN_OK;
}

const struct tcplan_model_sample *tcplan_model_samples_find(
    const struct tcplan_model_samples *samples, const int64_t size[]) {
    if (samples->count == 0) return NULL;
    const uint32_t *slot = slot_of(samples, size);
    return *slot > 0 ? &samples->sample[*slot - 1] : NULL;
}

void tcplan_model_samples_free(struct tcplan_model_samples *samples) {
    base_free(samples->sample);
    base_free(samples->slot);
    *samples = (struct tcplan_model_samples){0};
}
