/**
 * What `advise` found: layouts of tensors, the advised first.
 */
#ifndef CLI_RENDER_ALGORITHMS_ADVICE_H
#define CLI_RENDER_ALGORITHMS_ADVICE_H

#include "cli/render/view.h"
#include "tcplan/advise.h"

/** Borrows all. */
struct advised {
    const struct request *request;
    const struct tcplan_advice *advice;
};

extern const struct view advice_view;

#endif
