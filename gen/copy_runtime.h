/**
 * The files of gen/runtime as text.
 */
#ifndef GEN_COPY_RUNTIME_H
#define GEN_COPY_RUNTIME_H

extern const char copy_begin_text[];
extern const char copy_transpose_4_text[];
extern const char copy_transpose_8_text[];
extern const char copy_transpose_16_text[];
extern const char copy_end_text[];
extern const char copy_sum_text[];

#endif
