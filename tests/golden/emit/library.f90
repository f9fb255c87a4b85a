! Planned contractions for Fortran: interfaces of the functions in contractions.h, which says more.
! A function returns 0, or an error number of C if a temporary cannot be allocated.
!
! Emitted by tcplan @VERSION@.
module contractions
  use, intrinsic :: iso_c_binding, only: c_int, c_float, c_double, c_float_complex, c_double_complex
  implicit none
  private :: c_int, c_float, c_double, c_float_complex, c_double_complex

  interface
    ! C_abc=A_ai*B_ibc; column-major
    ! a=12,b=13,c=14,i=8
    ! c-dgemm
    ! as /* seen */ in *a* paper
    function contract_gemm(A, B, C) &
        bind(C, name="contract_gemm") result(status)
      import :: c_int, c_double
      integer(c_int) :: status
      real(c_double), intent(in) :: A(12,8)
      real(c_double), intent(in) :: B(8,13,14)
      real(c_double), intent(inout) :: C(12,13,14)
    end function
  end interface

  interface
    ! C_xacb=2*A_ija*B_jbicx-0.5*C_xacb; column-major
    ! x=3,a=12,c=14,b=13,i=8,j=9
    ! xb'i'-sgemm
    function contract_copies(A, B, C) &
        bind(C, name="contract_copies") result(status)
      import :: c_int, c_float
      integer(c_int) :: status
      real(c_float), intent(in) :: A(8,9,12)
      real(c_float), intent(in) :: B(9,13,8,14,3)
      real(c_float), intent(inout) :: C(3,12,14,13)
    end function
  end interface

  interface
    ! C[I,row]=(0,-1)*A[I,for]*B[for,row]+(0.5,2)*C[I,row]; row-major
    ! I=3,row=5,for=4
    ! row.I-zdotu
    function contract_zdot(A, B, C) &
        bind(C, name="contract_zdot") result(status)
      import :: c_int, c_double_complex
      integer(c_int) :: status
      complex(c_double_complex), intent(in) :: A(4,3)
      complex(c_double_complex), intent(in) :: B(5,4)
      complex(c_double_complex), intent(inout) :: C(5,3)
    end function
  end interface
end module
