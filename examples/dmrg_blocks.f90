!> The product of two neighbouring tensors of a matrix product state that conserves a charge, as in two-site DMRG. Only blocks whose charges
!> fit exist.
!>
!>     gfortran $(pkg-config --variable=fortran_blocksparse tcplan) dmrg_blocks.f90 $(pkg-config --libs tcplan) -o dmrg_blocks
program dmrg_blocks
    use, intrinsic :: iso_c_binding
    use tcplan_blocksparse
    implicit none
    type(tcplan_block_product) :: theta
    type(tcplan_block_plan) :: plan
    double precision, allocatable :: A(:), B(:), T(:)
    integer(c_int64_t), parameter :: middle(0:2) = [20, 38, 20]
    integer(c_int64_t) :: block, first
    integer(c_int32_t), allocatable :: at(:)
    integer :: step, stat, m
    character(200) :: message

    call tcplan_block_product_parse(theta, 'T_lstr=A_lsm*B_mtr', &
        'l=r=6@-2+38@0+38@2+6@4 m=20@-1+38@1+20@3 s=t=1@1+1@-1', charge='A:l+s-m=0; B:m+t-r=0')
    call tcplan_block_plan_new(plan, theta, effort=TCPLAN_BLOCK_QUICK)
    allocate (A(tcplan_block_elements(theta, 0)), B(tcplan_block_elements(theta, 1)), T(tcplan_block_elements(theta, 2)))
    A = 1
    B = 0.5d0
    do step = 1, 10
        call tcplan_block_plan_execute(plan, A, B, T)
    end do

    ! Elements of A are 1 and those of B 0.5: an element of T is half the extent of the section of m that l and s reach.
    do block = 0, tcplan_block_product_blocks(theta, 2) - 1
        at = tcplan_block_product_coordinate(theta, 2, block)
        m = at(1) - at(2) ! charge l + s: sections of l have the charges -2, 0, 2, 4, of m -1, 1, 3, of s 1 and -1
        first = tcplan_block_offset(theta, 2, block) + 1
        if (abs(T(first) - 0.5d0 * real(middle(m), c_double)) > 1d-12) error stop 'a block is wrong'
    end do
    print '(i0, 2a)', tcplan_block_product_blocks(theta, 2), ' blocks by ', tcplan_block_plan_way(plan)
    call tcplan_block_plan_free(plan)

    ! A failure has a status and a message.
    call tcplan_block_plan_new(plan, theta, way='sideways', stat=stat, errmsg=message)
    if (stat == 0 .or. index(message, "no way is named 'sideways'") == 0) error stop 'a wrong name is accepted'
    call tcplan_block_product_free(theta)
    call tcplan_block_product_parse(theta, 'T_lstr=A_lsm*B_mtr', 'l=r=m=3+5 s=2', stat=stat, errmsg=message)
    if (stat == 0 .or. index(message, 'index t has no sections') == 0) error stop 'missing sections are accepted'
end program
