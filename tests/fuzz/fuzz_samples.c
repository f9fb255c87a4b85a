/**
 * Reads any bytes as a file of samples. Errors must have a message and a line; accepted points
 * must have samples with possible times, and are found by their sizes.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "fuzz.h"
#include "routines/sampler/generation/samples.h"

static void check_point(struct samples *samples, int64_t number) {
    const struct samples_point *point = samples_point(samples, number);
    require(samples_find(samples, point->case_number, point->size) == number && point->count > 0 &&
            point->case_number >= 0);
    for (int s = 0; s < point->count; s++) {
        const struct timed_sample *sample = &point->sample[s];
        require(sample->seconds > 0 && isfinite(sample->seconds) && sample->before >= 0 &&
                sample->after >= 0 && sample->apart_seconds >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct samples *samples = NULL;
    struct samples_setup setup;
    struct tcplan_error error = {0};
    size_t whole;
    if (samples_parse(&samples, &setup, &whole, size > 0 ? (const char *)data : "", size, &error) ==
        TCPLAN_OK) {
        require(whole <= size && setup.threads >= 1);
        int64_t count = 0;
        for (int64_t p = 0; p < samples_points(samples); p++) {
            check_point(samples, p);
            count += samples_point(samples, p)->count;
        }
        require(count == samples_count(samples));
        samples_close(samples);
    } else {
        require(error.status == TCPLAN_INVALID && error.message[0] != '\0' && error.line >= 1 &&
                !samples);
    }
    return 0;
}
