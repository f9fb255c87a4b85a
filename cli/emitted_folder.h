/**
 * A folder with a C library: a function for the winner of every record of a document of results.
 */
#ifndef CLI_EMITTED_FOLDER_H
#define CLI_EMITTED_FOLDER_H

#include <stdbool.h>

#include "cli/diagnostics.h"

/**
 * Writes the library, as tcplan/emit_library.h describes it, into a folder, which is made where there is none. Each file appears complete
 * or not at all; the header, the CMake file and the test, which name all functions, are replaced last. Files of functions that are no
 * longer among the records stay, unused. Records that failed have no function.
 *
 * @param folder   its path
 * @param results  path of a document of results
 * @param quiet    without a word about what was written
 */
enum exit_status emitted_folder_write(const char *folder, const char *results, bool quiet);

#endif
