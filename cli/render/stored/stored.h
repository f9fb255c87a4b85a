/**
 * Lists of stored data: entries of the store, and plans.
 */
#ifndef CLI_RENDER_STORED_STORED_H
#define CLI_RENDER_STORED_STORED_H

#include "base/strbuf.h"
#include "cli/render/view.h"
#include "tcplan/stored_plans.h"

/** All of it is borrowed. */
struct store_listing {
    const struct tcplan_store *store;
    const struct tcplan_store_list *list;
};

/** All of it is borrowed. */
struct plans_listing {
    const char *path; /**< the file or folder; NULL: none */
    const struct tcplan_plan_list *list;
};

/** Appends a description of a plan as text. */
void plans_show(struct strbuf *out, const struct tcplan_plan_item *item);

#endif
