/** Prints data about calls of routines: samples, reports of experiments, models and their
 * generation. */
#ifndef CLI_RENDER_SAMPLING_SAMPLING_H
#define CLI_RENDER_SAMPLING_SAMPLING_H

#include "cli/models.h"
#include "cli/render/view.h"
#include "tcplan/experiment.h"
#include "tcplan/generation.h"
#include "tcplan/sampler.h"

/** Unit of times in text output. */
enum sample_unit { SAMPLE_CYCLES, SAMPLE_SECONDS, SAMPLE_NANOSECONDS };

/** State of printing samples. Zero-initialise, then set the first three members. */
struct samples {
    struct writer writer; /**< writer of the output; the caller sets its file */
    int format;           /**< output format: text, JSON or CSV of enum output_format */
    int unit;             /**< enum sample_unit */
    int threads;
    int64_t count;
    int64_t disturbed;
};

void samples_begin(struct samples *samples);
void samples_add(struct samples *samples, const struct tcplan_call_sample *sample);
void samples_end(struct samples *samples);

/** An evaluation to print. Documents have every sample; CSV has a line for each combination of a
 * value of the range and a selector. */
struct evaluated {
    const struct tcplan_evaluation *evaluation;
    unsigned statistics; /**< statistics that text shows in columns, as bits 1 << enum
                            tcplan_statistic */
    bool discard_first;
};

/** Result of making or checking models. All pointers are borrowed; exactly one of the results is
 * set. */
struct generation_result {
    struct tcplan_model_setup setup; /**< setup of the models */
    const char *samples;             /**< path of the file with the samples; NULL: no file */
    const struct tcplan_generation *generation;
    const struct tcplan_models_check *check;
    const struct tcplan_study *study;
};

/** Models to print; all pointers are borrowed. */
struct models_listing {
    const struct chosen_models *chosen;
    bool whole;                      /**< whether to print configurations and pieces, too */
    const struct model_sizes *sizes; /**< sizes for which to print predictions; if empty, none are
                                        printed */
};

/** Returns a domain as text: `[24,536]x[24,4152]`. */
struct field_value model_domain_value(const struct tcplan_model_domain *domain);

#endif
