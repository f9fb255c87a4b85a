/**
 * Selects the calls of an experiment for a figure:
 *
 *   selector = [ label "=" ] term { ( "+" | "-" ) term } ;  term = [ number "*" ] name
 *
 * A name is the name of a call, or `all` for the sum of all calls. Blanks are ignored.
 */
#ifndef SAMPLER_SELECTOR_H
#define SAMPLER_SELECTOR_H

#include "routines/sampler/experiments/experiment.h"

struct selector {
    const char *label;
    double factor[EXPERIMENT_CALLS_MAX]; /**< factor of each call */
};

/**
 * Reads a selector.
 * @return TCPLAN_OK; TCPLAN_INVALID, with the position in `text`; TCPLAN_NO_MEMORY
 */
enum tcplan_status selector_parse(struct selector *out, struct arena *arena,
                                  const struct tcplan_experiment *experiment, const char *text,
                                  struct tcplan_error *error);

#endif
