/**
 * Completion of commands, options and their values for shells.
 */
#ifndef CLI_OPTIONS_COMPLETION_H
#define CLI_OPTIONS_COMPLETION_H

#include "base/strbuf.h"

/** The shells that have a script, for their completion. */
void completion_offer(struct strbuf *out);

#endif
