/** The files of gen/templates as strings. */
#ifndef GEN_EMIT_TEMPLATE_TEXT_H
#define GEN_EMIT_TEMPLATE_TEXT_H

extern const char block_buffers_text[];
extern const char block_check_text[];
extern const char block_divide_text[];
extern const char block_driver_text[];
extern const char block_function_text[];
extern const char block_fused_text[];
extern const char block_packed_text[];
extern const char block_pairs_text[];
extern const char block_scale_text[];
extern const char block_shares_text[];
extern const char block_steps_driver_text[];
extern const char block_sum_text[];
extern const char block_team_text[];
extern const char block_time_text[];
extern const char block_values_text[];
extern const char driver_text[];
extern const char lines_text[];
extern const char transposing_text[];
extern const char general_types_text[];
extern const char general_fetch_text[];
extern const char general_ahead_text[];
extern const char general_behind_text[];
extern const char general_scale_result_text[];
extern const char general_scale_block_text[];
extern const char general_driver_text[];
extern const char general_write_text[];
extern const char general_copy_text[];
extern const char general_transpose_text[];
extern const char general_loops_text[];
extern const char general_tiles_text[];
extern const char driver_fill_real_text[];
extern const char driver_fill_complex_text[];
extern const char library_header_text[];
extern const char library_fortran_text[];
extern const char library_cmake_text[];
extern const char library_test_text[];

#endif
