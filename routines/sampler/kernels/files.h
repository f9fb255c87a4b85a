/**
 * Data of scripts from files and into them: a file has the elements of a matrix, column by column
 * without gaps, as memory has them.
 *
 *   ?readfile(file, m, n, A, ldA, info)     info: 0; 1 the file cannot be opened; 2 it ends before
 *                                           all elements are there, and A has what it has
 *   ?writefile(file, m, n, A, ldA, info)    info: 0; 1 the file cannot be opened, or is `-`; 2 it
 *                                           cannot be written. It is there as a whole or as it was
 */
#ifndef SAMPLER_FILES_H
#define SAMPLER_FILES_H

#include "routines/sampler/timing/routine.h"

/** By type. */
extern routine_fn *const files_read[TCPLAN_DTYPES];
extern routine_fn *const files_write[TCPLAN_DTYPES];

#endif
