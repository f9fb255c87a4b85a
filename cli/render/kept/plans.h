/**
 * Stored plans, as a list and one by one.
 */
#ifndef CLI_RENDER_KEPT_PLANS_H
#define CLI_RENDER_KEPT_PLANS_H

#include "base/strbuf.h"
#include "cli/render/view.h"
#include "tcplan/stored_plans.h"

/** All of it is borrowed. */
struct plans_listing {
    const char *path; /**< the file or folder; NULL: there is none */
    const struct tcplan_plan_list *list;
};

extern const struct view plans_view;

/** Appends all that is known of a plan, for people. */
void plans_show(struct strbuf *out, const struct tcplan_plan_item *item);

#endif
