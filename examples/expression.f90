!> An expression of several tensors in Fortran: the integrals (ia|jb) in the basis of molecular orbitals, from density-fitting factors
!> in that of atomic orbitals. The order of the products is searched and planned once, then executed.
!>
!>     gfortran $(pkg-config --variable=fortran tcplan) expression.f90 $(pkg-config --libs tcplan) -o expression
program expression
    use, intrinsic :: iso_c_binding, only: c_loc
    use tcplan
    implicit none
    integer, parameter :: basis = 24, fitting = 40, occupied = 5, virtuals = 19
    type(tcplan_network_order) :: order
    type(tcplan_network_plan) :: plan
    double precision, allocatable, target :: B(:, :, :), C(:, :), D(:, :), R(:, :, :, :)
    double precision :: half(basis, virtuals), factor(occupied, virtuals, fitting)
    integer :: p
    allocate (B(basis, basis, fitting), C(basis, occupied), D(basis, virtuals), R(occupied, virtuals, occupied, virtuals))
    call random_number(B)
    call random_number(C)
    call random_number(D)

    ! Each tensor that the expression names is passed once, however often it is a factor.
    call tcplan_network_order_new(order, 'R_iajb=B_mnp*C_mi*D_na*B_klp*C_kj*D_lb', 'm=n=k=l=24,p=40,i=j=5,a=b=19', TCPLAN_DOUBLE)
    call tcplan_network_plan_new(plan, tcplan_network_order_tree(order))
    print '(2a)', 'order: ', tcplan_tree_text(tcplan_network_order_tree(order))
    call tcplan_network_execute(plan, [c_loc(B), c_loc(C), c_loc(D)], R)

    do p = 1, fitting
        half = matmul(B(:, :, p), D)
        factor(:, :, p) = matmul(transpose(C), half)
    end do
    if (abs(R(2, 3, 4, 5) - sum(factor(2, 3, :) * factor(4, 5, :))) > 1d-10 * R(2, 3, 4, 5)) error stop 'wrong'
    print '(a, g0)', 'checked: an integral is ', R(2, 3, 4, 5)
    call tcplan_network_plan_free(plan)
    call tcplan_network_order_free(order)
end program
