/**
 * The description of this machine: its record is a struct tcplan_host.
 */
#ifndef CLI_RENDER_HOST_H
#define CLI_RENDER_HOST_H

#include "cli/render/view.h"

extern const struct view host_view;

#endif
