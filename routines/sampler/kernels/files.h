/**
 * Routines of scripts that read matrices from files and write them to files. A file contains the
 * elements of a matrix as in memory, column by column without gaps.
 *
 *     ?readfile(file, m, n, A, ldA, info)     info is 0; 1 if the file cannot be opened; 2 if it
 *                                             ends too early: A then has the elements before its
 *                                             end
 *     ?writefile(file, m, n, A, ldA, info)    info is 0; 1 if the file cannot be opened, or is `-`;
 *                                             2 if it cannot be written: an existing file is then
 *                                             unchanged
 */
#ifndef SAMPLER_FILES_H
#define SAMPLER_FILES_H

#include "routines/sampler/timing/routine.h"

/** The functions for each element type. */
extern routine_fn *const files_read[TCPLAN_DTYPES];
extern routine_fn *const files_write[TCPLAN_DTYPES];

#endif
