/**
 * Writes a folder with a C library: one function for the winner of every record in a document of
 * results.
 */
#ifndef TCPLAN_STUDY_FOLDER_H
#define TCPLAN_STUDY_FOLDER_H

#include "tcplan/status.h"
#include "tcplan/temporary.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Checks whether a library may be written into a folder, i.e. whether the files that name all
 * functions are absent or were emitted by tcplan.
 *
 * @return TCPLAN_OK, also if there is no such folder; TCPLAN_INVALID; TCPLAN_ENVIRONMENT if a file
 *         cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_folder_check(const char *folder, struct tcplan_error *error);

/**
 * Writes the library, as tcplan/emit_library.h describes it, into a folder, which is created if
 * necessary. Each file appears complete or not at all; the header, the CMake file and the test,
 * which name all functions, are replaced last. Files of functions from an earlier run that have no
 * record now stay in the folder, unused. Failed records have no function.
 *
 * @param count    receives the number of functions
 * @param folder   its path
 * @param results  path of a document of results
 * @param plans    folder of stored plans, from which block-sparse products have their libraries;
 *                 NULL: these are estimated. Nothing is timed
 * @param watch    receives temporary files; may be NULL
 * @return TCPLAN_OK; TCPLAN_INVALID if no record has a winner, or an algorithm cannot be built
 *         again; TCPLAN_ENVIRONMENT if something cannot be written; TCPLAN_NO_MEMORY; a status of
 *         tcplan_folder_check() or tcplan_results_next()
 */
TCPLAN_API enum tcplan_status tcplan_folder_emit(size_t *count, const char *folder,
                                                 const char *results, const char *plans,
                                                 const struct tcplan_temporary_watch *watch,
                                                 struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
