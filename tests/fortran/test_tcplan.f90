!> Compares the Fortran module with naive loops in the four types, and tests its optional arguments and errors. The exit status is not 0 if
!> a test fails.
program test_tcplan
    use, intrinsic :: iso_c_binding
    use tcplan
    implicit none
    integer :: failures = 0
    integer :: told = 0
    call notation_is_planned_and_executed_in_four_types()
    call alpha_beta_and_a_c_of_its_own_are_given_at_run_time()
    call parts_of_larger_arrays_are_passed_by_their_first_element()
    call lists_and_einsum_say_the_same_as_text()
    call row_major_order_is_that_of_c()
    call failures_have_a_status_and_a_message()
    call advice_about_the_blas_is_text()
    call a_planner_takes_what_it_is_set_to()
    call a_plan_says_what_it_is()
    call plans_are_stored_and_forgotten()
    call algorithms_are_listed()
    call several_tensors_are_planned_executed_and_emitted()
    if (failures > 0) error stop 'test_tcplan: failed'
    print '(a)', 'passed'

contains

    subroutine expect(condition, what)
        logical, intent(in) :: condition
        character(*), intent(in) :: what
        if (condition) return
        print '(2a)', 'FAILED: ', what
        failures = failures + 1
    end subroutine

    !> Returns a plan of C_ab=A_ai*B_ib with a, b, i = 5, 6, 7.
    subroutine plan_product(plan, dtype, algorithm)
        type(tcplan_plan), intent(out) :: plan
        integer, intent(in) :: dtype
        character(*), intent(in) :: algorithm
        type(tcplan_product) :: product
        call tcplan_product_parse(product, 'C_ab=A_ai*B_ib', 'a=5,b=6,i=7', dtype=dtype)
        call tcplan_plan_named(plan, product, algorithm)
        call tcplan_product_free(product)
    end subroutine

    subroutine notation_is_planned_and_executed_in_four_types()
        type(tcplan_plan) :: plan
        real(c_float) :: As(5, 7), Bs(7, 6), Cs(5, 6)
        real(c_double), target :: Ad(5, 7), Bd(7, 6), Cd(5, 6)
        integer :: stat
        complex(c_float_complex) :: Ac(5, 7), Bc(7, 6), Cc(5, 6)
        complex(c_double_complex) :: Az(5, 7), Bz(7, 6), Cz(5, 6)
        call random_number(Ad)
        call random_number(Bd)
        As = real(Ad, c_float)
        Bs = real(Bd, c_float)
        Az = cmplx(Ad, 1 - Ad, c_double_complex)
        Bz = cmplx(Bd, Bd**2, c_double_complex)
        Ac = cmplx(Az, kind=c_float_complex)
        Bc = cmplx(Bz, kind=c_float_complex)

        call plan_product(plan, TCPLAN_FLOAT, 'sgemm')
        call tcplan_plan_execute(plan, As, Bs, Cs)
        call expect(all(abs(Cs - matmul(As, Bs)) < 1e-5), 'single precision')
        call tcplan_plan_free(plan)
        call plan_product(plan, TCPLAN_DOUBLE, 'b-dgemv')
        call tcplan_plan_execute(plan, Ad, Bd, Cd)
        call expect(all(abs(Cd - matmul(Ad, Bd)) < 1e-13_c_double), 'double precision')
        Cd = 0
        call tcplan_plan_execute_many(plan, [c_loc(Ad), c_loc(Ad)], [c_loc(Bd), c_loc(Bd)], [c_loc(Cd), c_loc(Cd)])
        call expect(all(abs(Cd - matmul(Ad, Bd)) < 1e-13_c_double), 'many products')
        call tcplan_plan_execute_many(plan, [c_loc(Ad)], [c_loc(Bd)], [c_loc(Cd), c_loc(Cd)], stat=stat)
        call expect(stat == TCPLAN_INVALID, 'lists of different lengths')
        call expect(.not. c_associated(tcplan_plan_function(plan)), 'a plan that is no single function')
        call tcplan_plan_free(plan)
        call plan_product(plan, TCPLAN_FLOAT_COMPLEX, 'cgemm')
        call tcplan_plan_execute(plan, Ac, Bc, Cc)
        call expect(all(abs(Cc - matmul(Ac, Bc)) < 1e-5), 'complex')
        call tcplan_plan_free(plan)
        call plan_product(plan, TCPLAN_DOUBLE_COMPLEX, 'zgemm')
        call tcplan_plan_execute(plan, Az, Bz, Cz)
        call expect(all(abs(Cz - matmul(Az, Bz)) < 1e-13_c_double), 'double complex')
        call tcplan_plan_free(plan)
        call tcplan_plan_free(plan) ! again is fine
    end subroutine

    subroutine alpha_beta_and_a_c_of_its_own_are_given_at_run_time()
        type(tcplan_product) :: product
        type(tcplan_plan) :: plan
        real(c_double) :: A(5, 7), B(7, 6), C(6, 5), D(5, 6), before(5, 6)
        character(c_char), allocatable :: workspace(:)
        integer(c_int64_t) :: bytes
        call random_number(A)
        call random_number(B)
        call random_number(C)
        call random_number(D)
        before = D
        call plan_product(plan, TCPLAN_DOUBLE, 'dgemm')
        call tcplan_plan_run(plan, A, B, D, alpha=2.0_c_double, beta=-1.0_c_double)
        call expect(all(abs(D - (2*matmul(A, B) - before)) < 1e-13_c_double), 'alpha and beta')
        call tcplan_plan_free(plan)

        call tcplan_product_parse(product, 'D_ab=A_ai*B_ib+3*C_ba', 'a=5,b=6,i=7')
        call expect(tcplan_product_has_addend(product), 'C is a tensor of its own')
        call expect(tcplan_product_rank(product, TCPLAN_ADDEND) == 2, 'the rank of C')
        call tcplan_plan_new(plan, product)
        bytes = tcplan_plan_workspace(plan)
        call expect(bytes >= 0, 'the size of the workspace')
        call expect(tcplan_plan_workspace(plan, 2) >= 0, 'the size of the workspace for two threads')
        allocate (workspace(max(bytes, 1_c_int64_t)))
        call tcplan_plan_run(plan, A, B, D, C=C, workspace=workspace, workspace_bytes=bytes, threads=1)
        call expect(all(abs(D - (matmul(A, B) + 3*transpose(C))) < 1e-13_c_double), 'a C of its own')
        call tcplan_plan_free(plan)
        call tcplan_product_free(product)
    end subroutine

    subroutine parts_of_larger_arrays_are_passed_by_their_first_element()
        type(tcplan_product) :: product
        type(tcplan_plan) :: plan
        real(c_double) :: A(20, 30), B(9, 6), C(40, 8), expected(40, 8)
        integer(c_int64_t) :: first, span
        call random_number(A)
        call random_number(B)
        C = 1
        expected = C
        ! Of a section as it lies, backwards, libgfortran asks for a negative number of bytes.
        expected(3:7, 2:7) = matmul((A(10:14, 25:13:-2)), B(2:8, :))
        call tcplan_product_parse(product, 'C_ab=A_ai*B_ib', 'a=5,b=6,i=7', strides='A=1,-40;B=1,9;C=1,40')
        span = tcplan_product_span(product, TCPLAN_A, first)
        call expect(span == 245 .and. first == 240, 'what A spans')
        call tcplan_plan_new(plan, product)
        call tcplan_plan_execute(plan, A(10, 25), B(2, 1), C(3, 2))
        call expect(all(abs(C - expected) < 1e-13_c_double), 'parts of larger arrays')
        call tcplan_plan_free(plan)
        call tcplan_product_free(product)
    end subroutine

    subroutine lists_and_einsum_say_the_same_as_text()
        type(tcplan_product) :: product
        type(tcplan_dimensions) :: A, B, D
        integer(c_int64_t) :: extent(3), stride(3)
        A%label = [1, 9]
        A%extent = [4, 8]
        B%label = [9, 2, 3]
        B%extent = [8, 5, 6]
        D%label = [1, 2, 3]
        D%extent = [4, 5, 6]
        call tcplan_product_make(product, A, B, D)
        call tcplan_product_shape(product, TCPLAN_C, extent, stride)
        call expect(all(extent == [4, 5, 6]) .and. all(stride == [1, 4, 20]), 'the shape of what lists say')
        call expect(abs(tcplan_product_flops(product) - 2*4*8*5*6) < 0.5_c_double, 'the operations of what lists say')
        call expect(tcplan_product_strides(product) == '', 'dense is said by no strides')
        call tcplan_product_free(product)
        call tcplan_product_einsum(product, 'ai,ibc->abc', A, B, stride_D=[1_c_int64_t, 10_c_int64_t, 50_c_int64_t])
        call tcplan_product_shape(product, TCPLAN_C, stride=stride)
        call expect(all(stride == [1, 10, 50]), 'strides of the result of einsum')
        call expect(tcplan_product_text(product) == 'C_abc=A_ai*B_ibc', 'the text of einsum')
        call expect(index(tcplan_product_sizes(product), 'i=8') > 0, 'its sizes')
        call tcplan_product_free(product)
    end subroutine

    subroutine row_major_order_is_that_of_c()
        type(tcplan_product) :: product
        type(tcplan_plan) :: plan
        real(c_float) :: A(7, 5), B(6, 7), C(6, 5)
        call random_number(A)
        call random_number(B)
        call tcplan_product_parse(product, 'C_ab=A_ai*B_ib', 'a=5,b=6,i=7', dtype=TCPLAN_FLOAT, order=TCPLAN_ROW_MAJOR)
        call expect(tcplan_product_order(product) == TCPLAN_ROW_MAJOR, 'the order')
        call expect(tcplan_product_dtype(product) == TCPLAN_FLOAT, 'the type')
        call tcplan_plan_named(plan, product, 'sgemm')
        call tcplan_plan_execute(plan, A, B, C)
        call expect(all(abs(C - matmul(B, A)) < 1e-5), 'row-major order')
        call tcplan_plan_free(plan)
        call tcplan_product_free(product)
    end subroutine

    subroutine failures_have_a_status_and_a_message()
        type(tcplan_product) :: product
        type(tcplan_plan) :: plan
        integer :: stat
        character(200) :: message
        real(c_double) :: A(5, 7), B(7, 6), C(5, 6)
        message = 'untouched'
        call tcplan_product_parse(product, 'C_ab=A_ai*B_ib', 'a=5,b=6,i=7', stat=stat, errmsg=message)
        call expect(stat == TCPLAN_OK .and. message == 'untouched', 'errmsg stays where nothing failed')
        call tcplan_plan_named(plan, product, 'c-dgemm', stat=stat, errmsg=message)
        call expect(stat == TCPLAN_INVALID .and. index(message, 'c') > 0 .and. message /= 'untouched', 'an algorithm that is none')
        call tcplan_product_free(product)
        call tcplan_product_parse(product, 'C_ab=A_ai*B_ib', 'a=5,b=6', stat=stat, errmsg=message)
        call expect(stat == TCPLAN_INVALID .and. index(message, 'i') > 0, 'an index without a size')
        call tcplan_plan_new(plan, product, stat=stat)
        call expect(stat == TCPLAN_INVALID, 'a product that was not made')
        A = 1
        B = 1
        call tcplan_plan_execute(plan, A, B, C, stat=stat)
        call expect(stat == TCPLAN_INVALID, 'a plan that was not made')
    end subroutine

    subroutine advice_about_the_blas_is_text()
        character(:), allocatable :: advice
        advice = tcplan_blas_advice('')
        if (len(advice) > 0) call expect(advice(len(advice):) == new_line('a'), 'advice ends with a newline')
    end subroutine

    subroutine a_planner_takes_what_it_is_set_to()
        type(tcplan_planner) :: planner
        type(tcplan_product) :: product
        type(tcplan_plan) :: plan
        integer :: stat
        call tcplan_planner_new(planner)
        call tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE)
        call tcplan_planner_set_time_limit(planner, 1.0_c_double)
        call tcplan_planner_set_threads(planner, 2)
        call tcplan_planner_set_oversubscription(planner, .true.)
        call tcplan_planner_set_workspace(planner, 1000000_c_int64_t)
        call tcplan_planner_set_alignment(planner, 8_c_int64_t)
        call tcplan_planner_set_preference(planner, TCPLAN_PREFER_SPEED)
        call tcplan_planner_set_store(planner)
        call tcplan_planner_set_improving(planner, 3)
        call tcplan_planner_set_improving(planner, -1, stat)
        call expect(stat == TCPLAN_INVALID, 'a negative number of executions is refused')
        call tcplan_planner_set_improving(planner, 0)
        call tcplan_planner_set_progress(planner, count_calls)
        call tcplan_planner_set_progress(planner)
        call tcplan_planner_cancel(planner)
        call tcplan_planner_set_threads(planner, 0, stat)
        call expect(stat == TCPLAN_INVALID, 'no threads are refused')
        call tcplan_product_parse(product, 'C_ab=A_ai*B_ib', 'a=5,b=6,i=7')
        call tcplan_plan_new(plan, product, planner)
        call expect(tcplan_plan_origin(plan) == TCPLAN_ORIGIN_ESTIMATED, 'effort estimate')
        call expect(any(tcplan_plan_threads(plan) == [1, 2]), 'up to two threads')
        call expect(told == 0, 'progress that is no longer wanted')
        call tcplan_planner_free(planner)
        call tcplan_plan_free(plan)
        call tcplan_product_free(product)
    end subroutine

    subroutine count_calls(context, activity, done, total) bind(C)
        type(c_ptr), value :: context, activity
        real(c_double), value :: done, total
        if (c_associated(context) .or. .not. c_associated(activity) .or. done > total) return
        told = told + 1
    end subroutine

    subroutine plans_are_stored_and_forgotten()
        character(*), parameter :: file = 'fortran_plans.tcplan', copy = 'fortran_plans_copy.tcplan'
        type(tcplan_planner) :: planner
        type(tcplan_product) :: product
        type(tcplan_plan) :: first, second
        character(:), allocatable :: text
        integer :: count
        call delete(file)
        call delete(copy)
        call tcplan_planner_new(planner)
        call tcplan_planner_set_effort(planner, TCPLAN_EFFORT_QUICK)
        call tcplan_planner_set_plans(planner, file)
        call tcplan_product_parse(product, 'C_ab=A_ai*B_ib', 'a=15,b=16,i=17')
        call tcplan_plan_new(first, product, planner)
        call tcplan_plan_new(second, product, planner)
        if (tcplan_plan_origin(first) == TCPLAN_ORIGIN_COMPARED) then ! else a limit came before, and nothing is stored
            call expect(tcplan_plan_origin(second) == TCPLAN_ORIGIN_STORED, 'the second plan is the stored one')
            call tcplan_plans_describe(text, file, count)
            call expect(count == 1 .and. len(text) > 0, 'the stored plan is described')
            call tcplan_plans_export(file, copy, count)
            call expect(count == 1, 'the stored plan is exported')
            call tcplan_plans_forget(file, least_days=1.0_c_double, count=count)
            call expect(count == 0, 'a plan of today is not a day old')
            call tcplan_plans_forget(file, count=count)
            call expect(count == 1, 'the stored plan is forgotten')
            call tcplan_plans_import(file, copy, count)
            call expect(count == 1, 'the plan is imported')
        end if
        call tcplan_planner_set_plans(planner)
        call tcplan_plan_free(first)
        call tcplan_plan_free(second)
        call tcplan_product_free(product)
        call tcplan_planner_free(planner)
        call delete(file)
        call delete(copy)
    end subroutine

    subroutine delete(file)
        character(*), intent(in) :: file
        integer :: unit, status
        open (newunit=unit, file=file, status='old', iostat=status)
        if (status == 0) close (unit, status='delete')
    end subroutine

    subroutine algorithms_are_listed()
        type(tcplan_planner) :: planner
        type(tcplan_product) :: product
        type(tcplan_listing) :: listing
        type(tcplan_listing_summary) :: summary
        type(tcplan_listed) :: line
        integer :: stat
        call tcplan_planner_new(planner)
        call tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE)
        call tcplan_product_parse(product, 'C_abc=A_ai*B_ibc', 'a=7,b=8,c=9,i=5') ! more than one without libxsmm, too
        call tcplan_listing_new(listing, product, planner)
        call tcplan_listing_summarize(listing, summary)
        call expect(summary%lines > 1 .and. summary%algorithms >= summary%lines, 'there are several algorithms')
        call tcplan_listing_line(listing, 1, line)
        call expect(len(line%algorithm) > 0 .and. line%seconds > 0 .and. line%low <= line%high, 'the first line')
        call expect(line%status == TCPLAN_ENTRY_PREDICTED .and. line%basis == TCPLAN_BASIS_ESTIMATE, 'what it stands on')
        call tcplan_listing_line(listing, summary%lines + 1, line, stat)
        call expect(stat == TCPLAN_INVALID, 'a line behind the last')
        call tcplan_listing_free(listing)
        call tcplan_product_free(product)
        call tcplan_planner_free(planner)
    end subroutine

    subroutine several_tensors_are_planned_executed_and_emitted()
        type(tcplan_planner) :: planner
        type(tcplan_network_order) :: order
        type(tcplan_network_plan) :: plan
        type(tcplan_plan) :: step
        type(c_ptr) :: tree, tensors(3)
        character(*), parameter :: chain = 'E_ad=A_ab*B_bc*D_cd'
        character(:), allocatable :: text
        character(TCPLAN_MESSAGE_SIZE) :: message
        real(c_double), target :: A(4, 5), B(5, 6), D(6, 7), workspace(4096)
        real(c_double) :: E(4, 7), seconds
        integer :: n, stat
        call random_number(A)
        call random_number(B)
        call random_number(D)
        tensors = [c_loc(A), c_loc(B), c_loc(D)]
        call tcplan_planner_new(planner)
        call tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE)
        call tcplan_network_order_new(order, chain, 'a=4,b=5,c=6,d=7', TCPLAN_DOUBLE, planner, path='[(0, 1), (0, 1)]')
        tree = tcplan_network_order_tree(order)
        call expect(abs(tcplan_network_order_flops(order) - 2 * (4 * 5 * 6 + 4 * 6 * 7)) < 0.5, 'operations of an order')
        call tcplan_step_seconds(seconds, 1d0, 4d0, 5d0, 6d0, TCPLAN_DOUBLE)
        call expect(seconds > 0, 'seconds of a step')
        call tcplan_step_seconds(seconds, -1d0, 4d0, 5d0, 6d0, TCPLAN_DOUBLE, stat=stat)
        call expect(stat == TCPLAN_INVALID, 'a step with a negative extent')
        call expect(tcplan_network_order_seconds(order) > 0, 'seconds of an order')
        call expect(tcplan_tree_path(tree) == '[(0, 1), (0, 1)]', 'the path of an order')
        call expect(index(tcplan_tree_text(tree), '=A_ab*B_bc; E_ad=') > 0, 'the text of an order')
        call tcplan_network_plan_new(plan, tree, planner)
        call expect(tcplan_network_plan_step_count(plan) == 2, 'the number of steps')
        do n = 0, 1
            step = tcplan_network_plan_step(plan, n)
            call expect(len(tcplan_plan_algorithm(step)) > 0, 'the algorithm of a step')
        end do
        do n = 1, 2
            E = 7
            if (n == 1) call tcplan_network_execute(plan, tensors, E)
            if (n == 2) call tcplan_network_execute(plan, tensors, E, workspace, 8_c_int64_t * size(workspace))
            call expect(all(abs(E - matmul(matmul(A, B), D)) < 1e-12), 'the result of several tensors')
        end do
        call expect(tcplan_network_plan_workspace(plan) <= 8 * size(workspace), 'the workspace')
        call tcplan_network_emit(text, tree, planner, name='chain')
        call expect(index(text, 'int chain(const double *A, const double *B, const double *D, ') > 0, 'C of several tensors')
        call tcplan_network_emit_header(text, tree, name='chain')
        call expect(index(text, 'int chain(const double *A') > 0, 'a header of several tensors')
        call tcplan_network_emit_fortran(text, tree, name='chain')
        call expect(index(text, 'module chain_interface') > 0, 'a module of several tensors')
        call tcplan_network_emit_main(text, tree, name='chain', threads=2)
        call expect(index(text, 'int main(') > 0, 'a program of several tensors')
        call tcplan_network_emit_main(text, tree, name='int', stat=stat, errmsg=message)
        call expect(stat == TCPLAN_INVALID .and. len_trim(message) > 0, 'a name that C reserves')
        call tcplan_network_plan_free(plan)
        call tcplan_network_order_free(order)
        call tcplan_network_order_new(order, chain, 'a=4,b=5,c=6', TCPLAN_DOUBLE, planner, stat=stat, errmsg=message)
        call expect(stat == TCPLAN_INVALID .and. index(message, 'd') > 0, 'sizes that lack an index')
        call tcplan_planner_free(planner)
    end subroutine

    subroutine a_plan_says_what_it_is()
        type(tcplan_plan) :: plan
        character(:), allocatable :: text
        real(c_double) :: low, high
        call plan_product(plan, TCPLAN_DOUBLE, 'ba-ddot')
        call expect(tcplan_plan_algorithm(plan) == 'ba-ddot', 'the name of the algorithm')
        call expect(tcplan_plan_origin(plan) == TCPLAN_ORIGIN_NAMED, 'that it was named')
        call expect(tcplan_plan_seconds(plan, low, high) >= 0, 'seconds')
        call expect(low >= 0 .and. low <= high, 'their interval')
        call expect(index(tcplan_plan_describe(plan), 'ba-ddot') > 0, 'the description')
        call tcplan_plan_emit(text, plan, name='product', with_main=.false.)
        call expect(index(text, 'int product(const double *A') > 0, 'the C')
        call tcplan_plan_free(plan)
    end subroutine
end program
