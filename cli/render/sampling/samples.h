/**
 * Samples of `sample`, one after the other as they come.
 *
 * Text is one line for each: its time and then its counters, a `*` behind those that were
 * disturbed, a `-` for what is not counted. JSON and CSV have all that is known.
 */
#ifndef CLI_RENDER_SAMPLING_SAMPLES_H
#define CLI_RENDER_SAMPLING_SAMPLES_H

#include "cli/render/view.h"
#include "tcplan/sampler.h"

/** In what text says times. */
enum sample_unit { SAMPLE_CYCLES, SAMPLE_SECONDS, SAMPLE_NANOSECONDS };

/** Zero-initialise, then set the first three. */
struct samples {
    struct writer writer; /**< whose file is set */
    int format;           /**< enum output_format: text, JSON or CSV */
    int unit;             /**< enum sample_unit */
    int threads;
    int64_t count;
    int64_t disturbed;
};

/** Of their documents. */
extern const struct view samples_view;

void samples_begin(struct samples *samples);
void samples_add(struct samples *samples, const struct tcplan_call_sample *sample);
void samples_end(struct samples *samples);

#endif
