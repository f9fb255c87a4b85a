/** Reads and writes the element <experiment>, in a document of its own or in a report. */
#ifndef SAMPLER_EXPERIMENT_READER_H
#define SAMPLER_EXPERIMENT_READER_H

#include "base/strbuf.h"
#include "contractions/xml_reader.h"
#include "routines/sampler/experiments/experiment.h"

/**
 * Reads the element, from its beginning (the reader's last event) to its end.
 *
 * @param out  receives the experiment; free with tcplan_experiment_free() whatever is returned;
 *             NULL if memory runs out
 * @return TCPLAN_OK; TCPLAN_INVALID or TCPLAN_OVERFLOW with the line; the reader's status;
 *         TCPLAN_NO_MEMORY
 */
enum tcplan_status experiment_read_element(struct tcplan_experiment **out, struct xml_reader *xml,
                                           struct tcplan_error *error);

/**
 * Appends the element; equal experiments have equal text.
 *
 * @param indentation number of blanks before each line
 * @param sealed whether to add the checksum
 */
void experiment_add_element(struct strbuf *out, const struct tcplan_experiment *experiment,
                            int indentation, bool sealed);

#endif
