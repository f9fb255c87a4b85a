/** The files of distributed/runtime as text. */
#ifndef DISTRIBUTED_RUNTIME_TEXT_H
#define DISTRIBUTED_RUNTIME_TEXT_H

extern const char shape_text[];
extern const char execute_text[];
extern const char check_text[];
extern const char count_text[];
extern const char compare_text[];
extern const char matrix_text[];
extern const char scalapack_text[];
extern const char steps_text[];
extern const char steps_check_text[];
extern const char steps_compare_text[];

#endif
