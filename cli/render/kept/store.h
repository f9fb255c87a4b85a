/**
 * What is kept about machines, as a list.
 */
#ifndef CLI_RENDER_KEPT_STORE_H
#define CLI_RENDER_KEPT_STORE_H

#include "cli/render/format.h"

/** All of it is borrowed. */
struct store_listing {
    const struct tcplan_store *store;
    const struct tcplan_store_list *list;
};

void store_print_text(struct writer *writer, const struct store_listing *listing);

#endif
