!> A program of a user: makes a product, plans it with a named algorithm, and executes the plan.
program consumer
    use tcplan
    implicit none
    type(tcplan_product) :: product
    type(tcplan_plan) :: plan
    double precision :: A(2, 3), B(3, 2), C(2, 2)
    A = reshape([1, 2, 3, 4, 5, 6], [2, 3])
    B = reshape([1, 0, 2, 1, 1, 1], [3, 2])
    call tcplan_product_parse(product, 'C_ab = A_ai * B_ib', 'a=b=2,i=3')
    call tcplan_plan_named(plan, product, 'dgemm')
    call tcplan_plan_execute(plan, A, B, C)
    if (any(abs(C - matmul(A, B)) > 1d-13)) error stop 'wrong'
    print '(2a)', 'Fortran: ', tcplan_product_text(product)
    call tcplan_plan_free(plan)
    call tcplan_product_free(product)
end program
