/**
 * The description of this machine for people.
 */
#ifndef CLI_RENDER_HOST_H
#define CLI_RENDER_HOST_H

#include "cli/render/format.h"

void host_print_text(struct writer *writer, const struct tcplan_host *host);

#endif
