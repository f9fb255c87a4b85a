/**
 * The machine that --machine names.
 *
 * hwloc writes to stderr where it dislikes a description, and some broken files kill it. So descriptions of other machines are read in a process
 * beside this one.
 */
#ifndef CLI_MACHINE_SOURCE_H
#define CLI_MACHINE_SOURCE_H

#include "cli/diagnostics.h"
#include "tcplan/machine.h"

/** Reads a machine: `live`, a file or a synthetic description. What goes wrong is told on stderr. */
enum exit_status machine_source_read(struct tcplan_machine *out, const char *spec);

/** Has hwloc say nothing on stderr, unless HWLOC_HIDE_ERRORS asks for it. To be called before anything else uses hwloc. */
void machine_source_quiet(void);

#endif
