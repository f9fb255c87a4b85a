/**
 * What is kept about machines, as a list.
 */
#ifndef CLI_RENDER_KEPT_STORE_H
#define CLI_RENDER_KEPT_STORE_H

#include "cli/render/view.h"

/** All of it is borrowed. */
struct store_listing {
    const struct tcplan_store *store;
    const struct tcplan_store_list *list;
};

extern const struct view store_view;

#endif
