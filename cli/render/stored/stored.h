/** Output of stored data: entries of the store, and plans. */
#ifndef CLI_RENDER_STORED_STORED_H
#define CLI_RENDER_STORED_STORED_H

#include "base/strbuf.h"
#include "cli/render/view.h"
#include "tcplan/stored_plans.h"

/** Entries of a store to print; all pointers are borrowed. */
struct store_listing {
    const struct tcplan_store *store;
    const struct tcplan_store_list *list;
};

/** Plans to print; all pointers are borrowed. */
struct plans_listing {
    const char *path; /**< path of the file or folder; NULL: there is none */
    const struct tcplan_plan_list *list;
};

/** Appends a description of a plan as text. */
void plans_show(struct strbuf *out, const struct tcplan_plan_item *item);

#endif
