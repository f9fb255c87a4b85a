! contraction: R_abc=A_ai*T2_ibc
! sizes: a=4,b=5,c=6,i=8
! type: double
! storage: column-major: the first index is contiguous
! algorithm: c-dgemm
!
! The tensors are dense; R must not overlap A or T2, which may overlap each other:
!
!   A = A[a,i]: 4 x 8, strides 1, 4
!   T2 = T2[i,b,c]: 8 x 5 x 6, strides 1, 8, 40
!   R = R[a,b,c]: 4 x 5 x 6, strides 1, 4, 20
!
! Returns 0.
!
! Emitted by tcplan @VERSION@.
module contract_interface
  use, intrinsic :: iso_c_binding, only: c_int, c_double
  implicit none
  private :: c_int, c_double

  interface
    ! Returns 0, or the error number that the comment above names.
    function contract(A, T2, R) &
        bind(C, name="contract") result(status)
      import :: c_int, c_double
      integer(c_int) :: status
      real(c_double), intent(in) :: A(4,8)
      real(c_double), intent(in) :: T2(8,5,6)
      real(c_double), intent(inout) :: R(4,5,6)
    end function
  end interface
end module
