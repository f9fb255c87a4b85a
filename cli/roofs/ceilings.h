/**
 * The ceilings that a command stands on: those that are kept, or measured now and kept.
 */
#ifndef CLI_ROOFS_CEILINGS_H
#define CLI_ROOFS_CEILINGS_H

#include "cli/request.h"

/**
 * The ceilings that the options of `roofline` ask for.
 *
 * @param out   receives them, to be freed with tcplan_roofline_free()
 * @param kept  receives whether they were there
 * @return EXIT_DONE, or another status after its message was printed
 */
enum exit_status ceilings_obtain(struct tcplan_roofline **out, bool *kept, const struct request *request);

#endif
