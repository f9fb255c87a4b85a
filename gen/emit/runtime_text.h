/** The files of gen/runtime as strings. */
#ifndef GEN_EMIT_RUNTIME_TEXT_H
#define GEN_EMIT_RUNTIME_TEXT_H

extern const char copy_begin_text[];
extern const char copy_real_text[];
extern const char copy_complex_text[];
extern const char copy_transpose_4_text[];
extern const char copy_transpose_8_text[];
extern const char copy_transpose_16_text[];
extern const char copy_end_text[];
extern const char copy_sum_text[];
extern const char copy_scaled_text[];
extern const char general_text[];
extern const char parts_text[];
extern const char pool_text[];
extern const char products_text[];
extern const char mul_real_text[];
extern const char mul_complex_text[];
extern const char mul_end_text[];
extern const char mul_conjugated_text[];
extern const char places_text[];
extern const char team_text[];
extern const char terms_text[];
extern const char vectors_text[];
extern const char stores_text[];
extern const char masks_text[];
extern const char joins_text[];
extern const char swaps_text[];
extern const char mixes_text[];
extern const char past_text[];

#endif
