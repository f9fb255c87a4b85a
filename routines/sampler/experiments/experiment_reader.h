/**
 * The element <experiment>, in a document of its own or in a report: reading and writing it.
 */
#ifndef SAMPLER_EXPERIMENT_READER_H
#define SAMPLER_EXPERIMENT_READER_H

#include "base/strbuf.h"
#include "contractions/xml_reader.h"
#include "routines/sampler/experiments/experiment.h"

/**
 * Reads it from its beginning, which was the reader's last event, to its end.
 *
 * @param out  receives the experiment, to be freed with tcplan_experiment_free() whatever is
 *             returned; NULL if memory runs out
 * @return TCPLAN_OK; TCPLAN_INVALID or TCPLAN_OVERFLOW with the line; what the reader returned;
 *         TCPLAN_NO_MEMORY
 */
enum tcplan_status experiment_read_element(struct tcplan_experiment **out, struct xml_reader *xml,
                                           struct tcplan_error *error);

/**
 * Appends the element, the same text for the same experiment.
 *
 * @param indentation  blanks in front of its lines
 * @param sealed       with the checksum
 */
void experiment_add_element(struct strbuf *out, const struct tcplan_experiment *experiment,
                            int indentation, bool sealed);

#endif
