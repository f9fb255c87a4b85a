/**
 * The command line that emits an algorithm.
 */
#ifndef CLI_RENDER_ALGORITHMS_EMIT_COMMAND_H
#define CLI_RENDER_ALGORITHMS_EMIT_COMMAND_H

#include "cli/request.h"

/**
 * Returns `tcplan emit ...` as a shell takes it, for an algorithm that was ranked for this request
 * at one size point. Options that change what is emitted are repeated. To be freed with free();
 * NULL when memory is out.
 */
char *emit_command(const struct request *request, const struct tcplan_problem *problem,
                   const struct tcplan_algorithm *algorithm, int threads);

#endif
