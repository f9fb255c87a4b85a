/**
 * What an experiment's report comes to, in every format.
 */
#ifndef CLI_RENDER_SAMPLING_EVALUATION_H
#define CLI_RENDER_SAMPLING_EVALUATION_H

#include "cli/render/format.h"
#include "tcplan/experiment.h"

/** What is printed. */
struct evaluation_print {
    const struct tcplan_evaluation *evaluation;
    unsigned statistics; /**< bits 1 << enum tcplan_statistic: columns of the text */
    bool discard_first;
};

void evaluation_print_text(struct writer *writer, const struct evaluation_print *print);

/** A heading and a line for each value of the range and selector, with all statistics. */
void evaluation_print_csv(struct writer *writer, const struct evaluation_print *print);

/** JSON or XML, whichever the writer's document is, with every sample. */
void document_evaluation(struct writer *writer, const struct evaluation_print *print);

#endif
