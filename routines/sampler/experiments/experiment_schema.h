/**
 * The schemas of experiments and of their reports, as tables for the XML reader.
 * docs/schema/experiment.rng and experiment-report.rng are the same for other programs; a test
 * compares them.
 */
#ifndef SAMPLER_EXPERIMENT_SCHEMA_H
#define SAMPLER_EXPERIMENT_SCHEMA_H

#include "contractions/schema.h"

extern const struct schema schema_experiment;
extern const struct schema schema_experiment_report;

#endif
