/**
 * What `advise` found: layouts of tensors, the advised first.
 */
#ifndef CLI_RENDER_ALGORITHMS_ADVICE_H
#define CLI_RENDER_ALGORITHMS_ADVICE_H

#include "cli/render/document.h"
#include "tcplan/advise.h"

/** Borrows all. */
struct advised {
    const struct request *request;
    const struct tcplan_advice *advice;
};

/** As a document where the writer has one, else as CSV or text, as the request's options say. */
void advice_print(struct writer *writer, const struct advised *advised);

#endif
