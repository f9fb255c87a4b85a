/** Exported machines in memory. */
#ifndef STORE_MACHINE_FILE_H
#define STORE_MACHINE_FILE_H

#include "tcplan/machine_file.h"

/** Reads the text of an exported machine. Returns a status of tcplan_machine_import(). */
enum tcplan_status machine_file_read(struct tcplan_machine_file *out, const char *text,
                                     size_t length, struct tcplan_error *error);

#endif
