/**
 * Which models blocked algorithms need.
 */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_NEEDS_H
#define CLI_RENDER_BLOCKED_BLOCKED_NEEDS_H

#include "cli/render/blocked/blocked_view.h"

/** All of it is borrowed. */
struct blocked_needs {
    struct blocked_view view;
    const struct tcplan_blocked_needs *needs;
};

/** Prints in the writer's format, between its begin and end. CSV has a line each; text ends with
 * the command that makes what is missing. */
void blocked_needs_print(struct writer *writer, const struct blocked_needs *needs);

/** Prints the command that makes what is missing, a KERNEL a line. */
void blocked_needs_print_command(FILE *file, const struct blocked_needs *needs);

#endif
