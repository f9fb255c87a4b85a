!> Plan once, execute often, in Fortran: C_abc = A_ai B_ibc with the algorithm that is fastest on this machine.
!>
!>     gfortran $(pkg-config --variable=fortran tcplan) plan_once.f90 $(pkg-config --libs tcplan) -o plan_once
program plan_once
    use tcplan
    implicit none
    type(tcplan_product) :: product
    type(tcplan_plan) :: plan
    double precision :: A(64, 8), B(8, 64, 64), C(64, 64, 64)
    integer :: step
    call tcplan_product_parse(product, 'C_abc=A_ai*B_ibc', 'a=b=c=64,i=8')
    call tcplan_plan_new(plan, product)
    A = 1
    B = 0.5d0
    do step = 1, 10
        call tcplan_plan_execute(plan, A, B, C)
    end do
    print '(2a, g0)', tcplan_plan_algorithm(plan), ': every element of C is ', C(1, 1, 1)
    if (any(abs(C - 4) > 1d-12)) error stop 'it is not'
    call tcplan_plan_free(plan)
    call tcplan_product_free(product)
end program
