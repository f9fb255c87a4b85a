! Planned contractions for Fortran: interfaces of the functions in contractions.h, which says more.
! A function returns 0, or an error number of C if a temporary cannot be allocated.
!
! Emitted by tcplan EMIT_version.
module contractions
  use, intrinsic :: iso_c_binding, only: c_int, c_float, c_double, c_float_complex, c_double_complex
  implicit none
  private :: c_int, c_float, c_double, c_float_complex, c_double_complex
EMIT_functions
end module
