!> tcplan for Fortran: the public C interface (include/tcplan/) with Fortran's strings, arrays and optional arguments. Procedures have the
!> names of the C functions; the C headers are the manual.
!>
!> Compile this file with the program, once, and link with libtcplan:
!>
!>     gfortran $(pkg-config --variable=fortran tcplan) program.f90 $(pkg-config --libs tcplan)
!>
!> or, with CMake, link with tcplan::fortran.
!>
!> Procedures that can fail have the optional arguments stat, which receives a TCPLAN_ status, and errmsg, which receives the message unless
!> the status is TCPLAN_OK. Without stat, a failure ends the program with the message, like that of an allocate statement. Free products,
!> planners and plans with their _free procedures; copying a variable does not copy the object.
!>
!> Arrays may have any rank. For a part of a larger array, pass its first element: Fortran passes the array from there on, and the product
!> has the strides. An array section would be copied. A result without indices is an array of one element.
module tcplan
    use, intrinsic :: iso_c_binding
    implicit none
    private

    ! tcplan/status.h
    enum, bind(C)
        enumerator :: TCPLAN_OK = 0, TCPLAN_NOT_APPLICABLE, TCPLAN_INVALID, TCPLAN_OVERFLOW, TCPLAN_NO_MEMORY, TCPLAN_ENVIRONMENT, &
            TCPLAN_MISMATCH, TCPLAN_BUSY, TCPLAN_CANCELLED
    end enum
    integer, parameter, public :: TCPLAN_MESSAGE_SIZE = 320
    public :: TCPLAN_OK, TCPLAN_NOT_APPLICABLE, TCPLAN_INVALID, TCPLAN_OVERFLOW, TCPLAN_NO_MEMORY, TCPLAN_ENVIRONMENT
    public :: TCPLAN_MISMATCH, TCPLAN_BUSY, TCPLAN_CANCELLED

    ! tcplan/types.h
    enum, bind(C)
        enumerator :: TCPLAN_FLOAT, TCPLAN_DOUBLE, TCPLAN_FLOAT_COMPLEX, TCPLAN_DOUBLE_COMPLEX, TCPLAN_DTYPES
    end enum
    enum, bind(C)
        enumerator :: TCPLAN_COLUMN_MAJOR, TCPLAN_ROW_MAJOR
    end enum
    enum, bind(C)
        enumerator :: TCPLAN_A, TCPLAN_B, TCPLAN_C, TCPLAN_RESULT = 2, TCPLAN_OPERANDS, TCPLAN_ADDEND = 3, TCPLAN_TENSORS
    end enum
    public :: TCPLAN_FLOAT, TCPLAN_DOUBLE, TCPLAN_FLOAT_COMPLEX, TCPLAN_DOUBLE_COMPLEX, TCPLAN_DTYPES
    public :: TCPLAN_COLUMN_MAJOR, TCPLAN_ROW_MAJOR, TCPLAN_A, TCPLAN_B, TCPLAN_C, TCPLAN_RESULT
    public :: TCPLAN_OPERANDS, TCPLAN_ADDEND, TCPLAN_TENSORS

    ! tcplan/planner.h
    enum, bind(C)
        enumerator :: TCPLAN_PREFER_SIMPLE, TCPLAN_PREFER_SPEED
    end enum
    enum, bind(C)
        enumerator :: TCPLAN_EFFORT_ESTIMATE, TCPLAN_EFFORT_QUICK, TCPLAN_EFFORT_NORMAL, TCPLAN_EFFORT_THOROUGH
    end enum
    public :: TCPLAN_PREFER_SIMPLE, TCPLAN_PREFER_SPEED
    integer(c_int), parameter, public :: TCPLAN_PREFER_EASE = TCPLAN_PREFER_SIMPLE ! deprecated: its name in 0.1.0
    public :: TCPLAN_EFFORT_ESTIMATE, TCPLAN_EFFORT_QUICK, TCPLAN_EFFORT_NORMAL, TCPLAN_EFFORT_THOROUGH

    ! tcplan/plan.h, where these names begin with TCPLAN_PLAN_. Fortran ignores case, and tcplan_plan_named is a function
    enum, bind(C)
        enumerator :: TCPLAN_ORIGIN_NAMED, TCPLAN_ORIGIN_ESTIMATED, TCPLAN_ORIGIN_TIMED, TCPLAN_ORIGIN_COMPARED, &
            TCPLAN_ORIGIN_STORED, TCPLAN_ORIGIN_IMPROVED
    end enum
    public :: TCPLAN_ORIGIN_NAMED, TCPLAN_ORIGIN_ESTIMATED, TCPLAN_ORIGIN_TIMED, TCPLAN_ORIGIN_COMPARED, TCPLAN_ORIGIN_STORED
    public :: TCPLAN_ORIGIN_IMPROVED

    ! tcplan/listing.h
    enum, bind(C)
        enumerator :: TCPLAN_ENTRY_PREDICTED, TCPLAN_ENTRY_PRUNED, TCPLAN_ENTRY_MEASURED, TCPLAN_ENTRY_NOT_APPLICABLE, &
            TCPLAN_ENTRY_OPEN
    end enum
    enum, bind(C)
        enumerator :: TCPLAN_BASIS_PROBE, TCPLAN_BASIS_WINDOWS, TCPLAN_BASIS_LONG, TCPLAN_BASIS_RUNS, TCPLAN_BASIS_OTHER, &
            TCPLAN_BASIS_ESTIMATE
    end enum
    public :: TCPLAN_ENTRY_PREDICTED, TCPLAN_ENTRY_PRUNED, TCPLAN_ENTRY_MEASURED, TCPLAN_ENTRY_NOT_APPLICABLE, TCPLAN_ENTRY_OPEN
    public :: TCPLAN_BASIS_PROBE, TCPLAN_BASIS_WINDOWS, TCPLAN_BASIS_LONG, TCPLAN_BASIS_RUNS, TCPLAN_BASIS_OTHER
    public :: TCPLAN_BASIS_ESTIMATE
    integer(c_int), parameter, public :: TCPLAN_BASIS_SCOUT = TCPLAN_BASIS_PROBE ! deprecated: its name in 0.1.0

    !> The opaque objects.
    type, public :: tcplan_product
        private
        type(c_ptr) :: object = c_null_ptr
    end type
    type, public :: tcplan_planner
        private
        type(c_ptr) :: object = c_null_ptr
    end type
    type, public :: tcplan_plan
        private
        type(c_ptr) :: object = c_null_ptr
    end type

    type, public :: tcplan_listing
        private
        type(c_ptr) :: object = c_null_ptr
    end type

    !> A line of a listing.
    type, public :: tcplan_listed
        character(:), allocatable :: algorithm
        integer :: status = TCPLAN_ENTRY_OPEN, basis = TCPLAN_BASIS_PROBE
        real(c_double) :: seconds = 0, low = 0, high = 0, bound_seconds = 0
        logical :: tied = .false., compared = .false., missed = .false., is_baseline = .false., chosen = .false.
        integer :: threads = 1
    end type

    !> An order of the products of several tensors, and a plan of such an order.
    type, public :: tcplan_network_order
        private
        type(c_ptr) :: object = c_null_ptr
    end type
    type, public :: tcplan_network_plan
        private
        type(c_ptr) :: object = c_null_ptr
    end type

    !> Summary of a listing.
    type, public :: tcplan_listing_summary
        integer :: lines = 0
        real(c_double) :: algorithms = 0, pruned = 0, open = 0, gemm_gflops = 0, planning_seconds = 0
        logical :: compared = .false., out_of_time = .false.
    end type

    !> struct tcplan_listed
    type, bind(C) :: c_listed
        integer(c_size_t) :: size
        type(c_ptr) :: algorithm
        integer(c_int) :: status, basis
        real(c_double) :: seconds, low, high, bound_seconds
        logical(c_bool) :: tied, compared, missed, is_baseline
        integer(c_int) :: threads
        logical(c_bool) :: chosen
    end type

    !> struct tcplan_listing_summary
    type, bind(C) :: c_summary
        integer(c_size_t) :: size, lines
        real(c_double) :: algorithms, pruned, open, gemm_gflops, planning_seconds
        logical(c_bool) :: compared, out_of_time
    end type

    !> The dimensions of a tensor: dimension d has the index label(d), extent(d) elements, and stride(d) elements between neighbours. Without
    !> labels the tensor is a scalar; without strides it is dense.
    type, public :: tcplan_dimensions
        integer(c_int64_t), allocatable :: label(:), extent(:), stride(:)
        logical :: conjugated = .false.
    end type

    include 'tcplan_interfaces.inc'

    !> struct tcplan_dimensions
    type, bind(C) :: c_dimensions
        integer(c_int) :: rank
        type(c_ptr) :: label, extent, stride
        logical(c_bool) :: conjugated
    end type

    !> struct tcplan_execution
    type, bind(C) :: c_execution
        integer(c_size_t) :: size
        type(c_ptr) :: A, B, C, D, alpha, beta, workspace
        integer(c_int64_t) :: workspace_bytes
        integer(c_int) :: threads
    end type

    !> struct tcplan_step_extents
    type, bind(C) :: c_step_extents
        real(c_double) :: batch, left, right, contracted
    end type

    !> struct tcplan_network_texts
    type, bind(C) :: c_network_texts
        type(c_ptr) :: notation, sizes, path
        integer(c_int) :: order
        logical(c_bool) :: frees_result
    end type

    !> struct tcplan_plans_choice
    type, bind(C) :: c_choice
        integer(c_size_t) :: size
        type(c_ptr) :: name
        real(c_double) :: least_days
        integer(c_int64_t) :: most
        integer(c_int) :: unusable
    end type

    public :: tcplan_product_parse, tcplan_product_make, tcplan_product_einsum, tcplan_product_text, tcplan_product_sizes
    public :: tcplan_product_strides, tcplan_product_dtype, tcplan_product_order, tcplan_product_has_addend, tcplan_product_flops
    public :: tcplan_product_rank, tcplan_product_shape, tcplan_product_span, tcplan_product_free
    public :: tcplan_planner_new, tcplan_planner_set_effort, tcplan_planner_set_time_limit, tcplan_planner_set_threads
    public :: tcplan_planner_set_workspace, tcplan_planner_set_alignment, tcplan_planner_set_preference, tcplan_planner_set_store
    public :: tcplan_planner_set_progress, tcplan_planner_cancel, tcplan_planner_free
    public :: tcplan_plan_new, tcplan_plan_named, tcplan_plan_execute, tcplan_plan_run, tcplan_plan_workspace, tcplan_plan_algorithm
    public :: tcplan_plan_execute_many, tcplan_plan_function, tcplan_function
    public :: tcplan_plan_threads, tcplan_plan_seconds, tcplan_plan_origin, tcplan_plan_describe, tcplan_plan_emit, tcplan_plan_free
    public :: tcplan_planner_set_improving, tcplan_planner_set_oversubscription
    public :: tcplan_planner_set_plans, tcplan_plans_describe, tcplan_plans_forget, tcplan_plans_export, tcplan_plans_import
    public :: tcplan_listing_new, tcplan_listing_summarize, tcplan_listing_line, tcplan_listing_free
    public :: tcplan_progress
    public :: tcplan_version, tcplan_status_text, tcplan_store_folder, tcplan_blas_advice
    public :: tcplan_network_order_new, tcplan_network_order_tree, tcplan_network_order_seconds, tcplan_network_order_flops
    public :: tcplan_network_order_free, tcplan_tree_text, tcplan_tree_path, tcplan_step_seconds
    public :: tcplan_network_plan_new, tcplan_network_plan_workspace, tcplan_network_plan_step_count, tcplan_network_plan_step
    public :: tcplan_network_execute, tcplan_network_plan_free
    public :: tcplan_network_emit, tcplan_network_emit_header, tcplan_network_emit_fortran, tcplan_network_emit_main

    abstract interface
        !> Interface of the procedure for tcplan_planner_set_progress(). The activity is a C string.
        subroutine tcplan_progress(context, activity, done, total) bind(C)
            import :: c_ptr, c_double
            type(c_ptr), value :: context, activity
            real(c_double), value :: done, total
        end subroutine

        !> Interface of the function that tcplan_plan_function() returns. Its arguments are the addresses of the arrays.
        subroutine tcplan_function(A, B, D) bind(C)
            import :: c_ptr
            type(c_ptr), value :: A, B, D
        end subroutine
    end interface

    ! The C functions.
    interface
        integer(c_int) function c_product_parse(out, notation, sizes, strides, dtype, order, error) &
            bind(C, name='tcplan_product_parse')
            import
            type(c_ptr), intent(inout) :: out
            character(kind=c_char), intent(in) :: notation(*)
            type(c_ptr), value :: sizes, strides
            integer(c_int), value :: dtype, order
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_product_make(out, A, B, C, D, dtype, order, error) &
            bind(C, name='tcplan_product_make')
            import
            type(c_ptr), intent(inout) :: out
            type(c_dimensions), intent(in) :: A, B, D
            type(c_dimensions), intent(in), optional :: C
            integer(c_int), value :: dtype, order
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_product_einsum(out, subscripts, A, B, stride_D, dtype, order, error) &
            bind(C, name='tcplan_product_einsum')
            import
            type(c_ptr), intent(inout) :: out
            character(kind=c_char), intent(in) :: subscripts(*)
            type(c_dimensions), intent(in) :: A, B
            integer(c_int64_t), intent(in), optional :: stride_D(*)
            integer(c_int), value :: dtype, order
            type(c_error), intent(inout) :: error
        end function
        type(c_ptr) function c_product_text(product) bind(C, name='tcplan_product_text')
            import
            type(c_ptr), value :: product
        end function
        type(c_ptr) function c_product_sizes(product) bind(C, name='tcplan_product_sizes')
            import
            type(c_ptr), value :: product
        end function
        type(c_ptr) function c_product_strides(product) bind(C, name='tcplan_product_strides')
            import
            type(c_ptr), value :: product
        end function
        integer(c_int) function c_product_dtype(product) bind(C, name='tcplan_product_dtype')
            import
            type(c_ptr), value :: product
        end function
        integer(c_int) function c_product_order(product) bind(C, name='tcplan_product_order')
            import
            type(c_ptr), value :: product
        end function
        logical(c_bool) function c_product_has_addend(product) bind(C, name='tcplan_product_has_addend')
            import
            type(c_ptr), value :: product
        end function
        real(c_double) function c_product_flops(product) bind(C, name='tcplan_product_flops')
            import
            type(c_ptr), value :: product
        end function
        integer(c_int) function c_product_rank(product, operand) bind(C, name='tcplan_product_rank')
            import
            type(c_ptr), value :: product
            integer(c_int), value :: operand
        end function
        integer(c_int) function c_product_shape(product, operand, extent, stride) bind(C, name='tcplan_product_shape')
            import
            type(c_ptr), value :: product
            integer(c_int), value :: operand
            integer(c_int64_t), intent(inout), optional :: extent(*), stride(*)
        end function
        integer(c_int64_t) function c_product_span(product, operand, first) bind(C, name='tcplan_product_span')
            import
            type(c_ptr), value :: product
            integer(c_int), value :: operand
            integer(c_int64_t), intent(out), optional :: first
        end function
        subroutine c_product_free(product) bind(C, name='tcplan_product_free')
            import
            type(c_ptr), value :: product
        end subroutine

        type(c_ptr) function c_version() &
            bind(C, name='tcplan_version')
            import
        end function
        type(c_ptr) function c_status_text(status) &
            bind(C, name='tcplan_status_text')
            import
            integer(c_int), value :: status
        end function
        type(c_ptr) function c_store_folder(variable) &
            bind(C, name='tcplan_store_folder')
            import
            type(c_funptr), value :: variable
        end function
        type(c_ptr) function c_blas_advice(folder, variable) &
            bind(C, name='tcplan_blas_advice')
            import
            character(kind=c_char), intent(in) :: folder(*)
            type(c_funptr), value :: variable
        end function
        integer(c_int) function c_network_order_new(out, planner, texts, dtype, error) &
            bind(C, name='tcplan_network_order_new')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: planner
            type(c_network_texts), intent(in) :: texts
            integer(c_int), value :: dtype
            type(c_error), intent(inout) :: error
        end function
        type(c_ptr) function c_network_order_tree(order) &
            bind(C, name='tcplan_network_order_tree')
            import
            type(c_ptr), value :: order
        end function
        real(c_double) function c_network_order_seconds(order) &
            bind(C, name='tcplan_network_order_seconds')
            import
            type(c_ptr), value :: order
        end function
        real(c_double) function c_network_order_flops(order) &
            bind(C, name='tcplan_network_order_flops')
            import
            type(c_ptr), value :: order
        end function
        integer(c_int) function c_step_seconds(out, planner, extents, dtype, error) &
            bind(C, name='tcplan_step_seconds')
            import
            real(c_double), intent(inout) :: out
            type(c_ptr), value :: planner
            type(c_step_extents), intent(in) :: extents
            integer(c_int), value :: dtype
            type(c_error), intent(inout) :: error
        end function
        subroutine c_network_order_free(order) &
            bind(C, name='tcplan_network_order_free')
            import
            type(c_ptr), value :: order
        end subroutine
        type(c_ptr) function c_tree_text(tree) &
            bind(C, name='tcplan_tree_text')
            import
            type(c_ptr), value :: tree
        end function
        type(c_ptr) function c_tree_path(tree) &
            bind(C, name='tcplan_tree_path')
            import
            type(c_ptr), value :: tree
        end function
        integer(c_int) function c_network_plan_new(out, tree, planner, error) &
            bind(C, name='tcplan_network_plan_new')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: tree, planner
            type(c_error), intent(inout) :: error
        end function
        integer(c_int64_t) function c_network_plan_workspace(plan) &
            bind(C, name='tcplan_network_plan_workspace')
            import
            type(c_ptr), value :: plan
        end function
        integer(c_int) function c_network_plan_step_count(plan) &
            bind(C, name='tcplan_network_plan_step_count')
            import
            type(c_ptr), value :: plan
        end function
        type(c_ptr) function c_network_plan_step(plan, step) &
            bind(C, name='tcplan_network_plan_step')
            import
            type(c_ptr), value :: plan
            integer(c_int), value :: step
        end function
        integer(c_int) function c_network_execute(plan, tensor, result, workspace, workspace_bytes, error) &
            bind(C, name='tcplan_network_execute')
            import
            type(c_ptr), value :: plan
            type(c_ptr), intent(in) :: tensor(*)
            type(c_ptr), value :: result, workspace
            integer(c_int64_t), value :: workspace_bytes
            type(c_error), intent(inout) :: error
        end function
        subroutine c_network_plan_free(plan) &
            bind(C, name='tcplan_network_plan_free')
            import
            type(c_ptr), value :: plan
        end subroutine
        integer(c_int) function c_network_emit(out, tree, planner, name, error) &
            bind(C, name='tcplan_network_emit')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: tree, planner, name
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_network_emit_header(out, tree, name, error) &
            bind(C, name='tcplan_network_emit_header')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: tree, name
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_network_emit_fortran(out, tree, name, error) &
            bind(C, name='tcplan_network_emit_fortran')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: tree, name
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_network_emit_main(out, tree, name, threads, error) &
            bind(C, name='tcplan_network_emit_main')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: tree, name
            integer(c_int), value :: threads
            type(c_error), intent(inout) :: error
        end function
        type(c_ptr) function c_getenv(name) bind(C, name='getenv')
            import
            type(c_ptr), value :: name
        end function
        integer(c_int) function c_planner_set_time_limit(planner, seconds, error) bind(C, name='tcplan_planner_set_time_limit')
            import
            type(c_ptr), value :: planner
            real(c_double), value :: seconds
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_planner_set_workspace(planner, bytes, error) bind(C, name='tcplan_planner_set_workspace')
            import
            type(c_ptr), value :: planner
            integer(c_int64_t), value :: bytes
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_planner_set_alignment(planner, bytes, error) bind(C, name='tcplan_planner_set_alignment')
            import
            type(c_ptr), value :: planner
            integer(c_int64_t), value :: bytes
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_planner_set_preference(planner, preference, error) bind(C, name='tcplan_planner_set_preference')
            import
            type(c_ptr), value :: planner
            integer(c_int), value :: preference
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_planner_set_store(planner, folder, error) bind(C, name='tcplan_planner_set_store')
            import
            type(c_ptr), value :: planner, folder
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_planner_set_plans(planner, file, error) bind(C, name='tcplan_planner_set_plans')
            import
            type(c_ptr), value :: planner, file
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_planner_set_improving(planner, executions, error) bind(C, name='tcplan_planner_set_improving')
            import
            type(c_ptr), value :: planner
            integer(c_int), value :: executions
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_planner_set_oversubscription(planner, allowed, error) &
                bind(C, name='tcplan_planner_set_oversubscription')
            import
            type(c_ptr), value :: planner
            logical(c_bool), value :: allowed
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_planner_set_progress(planner, progress, context, error) &
            bind(C, name='tcplan_planner_set_progress')
            import
            type(c_ptr), value :: planner, context
            type(c_funptr), value :: progress
            type(c_error), intent(inout) :: error
        end function
        subroutine c_planner_cancel(planner) bind(C, name='tcplan_planner_cancel')
            import
            type(c_ptr), value :: planner
        end subroutine

        integer(c_int) function c_plan_new(out, planner, product, error) bind(C, name='tcplan_plan_new')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: planner, product
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_plan_named(out, planner, product, algorithm, error) bind(C, name='tcplan_plan_named')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: planner, product
            character(kind=c_char), intent(in) :: algorithm(*)
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_plan_execute(plan, A, B, D, error) bind(C, name='tcplan_plan_execute')
            import
            type(c_ptr), value :: plan
            type(*), intent(in) :: A(*), B(*)
            type(*), intent(inout) :: D(*)
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_plan_execute_many(plan, count, A, B, D, error) bind(C, name='tcplan_plan_execute_many')
            import
            type(c_ptr), value :: plan
            integer(c_int64_t), value :: count
            type(c_ptr), intent(in) :: A(*), B(*), D(*)
            type(c_error), intent(inout) :: error
        end function
        type(c_funptr) function c_plan_function(plan) bind(C, name='tcplan_plan_function')
            import
            type(c_ptr), value :: plan
        end function
        integer(c_int) function c_plan_run(plan, execution, error) bind(C, name='tcplan_plan_run')
            import
            type(c_ptr), value :: plan
            type(c_execution), intent(in) :: execution
            type(c_error), intent(inout) :: error
        end function
        integer(c_int64_t) function c_plan_workspace(plan, threads) bind(C, name='tcplan_plan_workspace')
            import
            type(c_ptr), value :: plan
            integer(c_int), value :: threads
        end function
        type(c_ptr) function c_plan_algorithm(plan) bind(C, name='tcplan_plan_algorithm')
            import
            type(c_ptr), value :: plan
        end function
        integer(c_int) function c_plan_threads(plan) bind(C, name='tcplan_plan_threads')
            import
            type(c_ptr), value :: plan
        end function
        real(c_double) function c_plan_seconds(plan, low, high) bind(C, name='tcplan_plan_seconds')
            import
            type(c_ptr), value :: plan
            real(c_double), intent(out), optional :: low, high
        end function
        integer(c_int) function c_plan_origin(plan) bind(C, name='tcplan_plan_origin')
            import
            type(c_ptr), value :: plan
        end function
        type(c_ptr) function c_plan_describe(plan) bind(C, name='tcplan_plan_describe')
            import
            type(c_ptr), value :: plan
        end function
        integer(c_int) function c_plan_emit(out, plan, name, with_main, error) bind(C, name='tcplan_plan_emit')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: plan, name
            logical(c_bool), value :: with_main
            type(c_error), intent(inout) :: error
        end function
        subroutine c_plan_free(plan) bind(C, name='tcplan_plan_free')
            import
            type(c_ptr), value :: plan
        end subroutine

        integer(c_int) function c_plans_describe(out, count, file, error) bind(C, name='tcplan_plans_describe')
            import
            type(c_ptr), intent(inout) :: out
            integer(c_size_t), intent(inout) :: count
            character(kind=c_char), intent(in) :: file(*)
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_plans_forget(count, file, choice, error) bind(C, name='tcplan_plans_forget')
            import
            integer(c_size_t), intent(inout) :: count
            character(kind=c_char), intent(in) :: file(*)
            type(c_choice), intent(in) :: choice
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_plans_export(count, from, to, error) bind(C, name='tcplan_plans_export')
            import
            integer(c_size_t), intent(inout) :: count
            character(kind=c_char), intent(in) :: from(*), to(*)
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_plans_import(count, into, from, error) bind(C, name='tcplan_plans_import')
            import
            integer(c_size_t), intent(inout) :: count
            character(kind=c_char), intent(in) :: into(*), from(*)
            type(c_error), intent(inout) :: error
        end function

        integer(c_int) function c_listing_new(out, planner, product, error) bind(C, name='tcplan_listing_new')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: planner, product
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_listing_summarize(listing, out) bind(C, name='tcplan_listing_summarize')
            import
            type(c_ptr), value :: listing
            type(c_summary), intent(inout) :: out
        end function
        integer(c_int) function c_listing_line(listing, line, out) bind(C, name='tcplan_listing_line')
            import
            type(c_ptr), value :: listing
            integer(c_size_t), value :: line
            type(c_listed), intent(inout) :: out
        end function
        subroutine c_listing_free(listing) bind(C, name='tcplan_listing_free')
            import
            type(c_ptr), value :: listing
        end subroutine

        subroutine c_free(memory) bind(C, name='free')
            import
            type(c_ptr), value :: memory
        end subroutine
    end interface

contains

    ! --- products -------------------------------------------------------------------------------------------------------------------------

    !> Makes a product from texts: 'C_abc=A_ai*B_ibc' and the sizes 'a=b=c=400,i=8'. By default dtype is TCPLAN_DOUBLE and order TCPLAN_COLUMN_MAJOR.
    subroutine tcplan_product_parse(product, notation, sizes, strides, dtype, order, stat, errmsg)
        type(tcplan_product), intent(out) :: product
        character(*), intent(in) :: notation
        character(*), intent(in), optional :: sizes, strides
        integer, intent(in), optional :: dtype, order
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(kind=c_char), allocatable, target :: sizes_text(:), strides_text(:)
        type(c_error) :: error
        integer(c_int) :: status
        if (present(sizes)) call set_text(sizes_text, sizes)
        if (present(strides)) call set_text(strides_text, strides)
        status = c_product_parse(product%object, c_text(notation), location(sizes_text), location(strides_text), &
            dtype_or_double(dtype), order_or_columns(order), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Makes a product from lists of indices. Without C, beta scales D.
    subroutine tcplan_product_make(product, A, B, D, C, dtype, order, stat, errmsg)
        type(tcplan_product), intent(out) :: product
        type(tcplan_dimensions), intent(in), target :: A, B, D
        type(tcplan_dimensions), intent(in), target, optional :: C
        integer, intent(in), optional :: dtype, order
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        if (present(C)) then
            status = c_product_make(product%object, dimensions(A), dimensions(B), dimensions(C), dimensions(D), &
                dtype_or_double(dtype), order_or_columns(order), error)
        else
            status = c_product_make(product%object, dimensions(A), dimensions(B), D=dimensions(D), dtype=dtype_or_double(dtype), &
                order=order_or_columns(order), error=error)
        end if
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Makes a product from an einsum, 'ai,ibc->abc', and the shapes of the arrays; labels are ignored.
    subroutine tcplan_product_einsum(product, subscripts, A, B, stride_D, dtype, order, stat, errmsg)
        type(tcplan_product), intent(out) :: product
        character(*), intent(in) :: subscripts
        type(tcplan_dimensions), intent(in), target :: A, B
        integer(c_int64_t), intent(in), optional :: stride_D(:)
        integer, intent(in), optional :: dtype, order
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_product_einsum(product%object, c_text(subscripts), dimensions(A), dimensions(B), stride_D, &
            dtype_or_double(dtype), order_or_columns(order), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Returns the canonical notation; empty if out of memory.
    function tcplan_product_text(product) result(text)
        type(tcplan_product), intent(in) :: product
        character(:), allocatable :: text
        text = taken(c_product_text(product%object))
    end function

    function tcplan_product_sizes(product) result(text)
        type(tcplan_product), intent(in) :: product
        character(:), allocatable :: text
        text = taken(c_product_sizes(product%object))
    end function

    function tcplan_product_strides(product) result(text)
        type(tcplan_product), intent(in) :: product
        character(:), allocatable :: text
        text = taken(c_product_strides(product%object))
    end function

    integer function tcplan_product_dtype(product)
        type(tcplan_product), intent(in) :: product
        tcplan_product_dtype = c_product_dtype(product%object)
    end function

    integer function tcplan_product_order(product)
        type(tcplan_product), intent(in) :: product
        tcplan_product_order = c_product_order(product%object)
    end function

    logical function tcplan_product_has_addend(product)
        type(tcplan_product), intent(in) :: product
        tcplan_product_has_addend = c_product_has_addend(product%object)
    end function

    real(c_double) function tcplan_product_flops(product)
        type(tcplan_product), intent(in) :: product
        tcplan_product_flops = c_product_flops(product%object)
    end function

    !> Returns the number of dimensions of TCPLAN_A, TCPLAN_B, TCPLAN_C or TCPLAN_ADDEND; -1 if there is no such tensor.
    integer function tcplan_product_rank(product, operand)
        type(tcplan_product), intent(in) :: product
        integer, intent(in) :: operand
        tcplan_product_rank = c_product_rank(product%object, int(operand, c_int))
    end function

    !> Sets extents and strides; both arrays need at least tcplan_product_rank() elements.
    subroutine tcplan_product_shape(product, operand, extent, stride, stat)
        type(tcplan_product), intent(in) :: product
        integer, intent(in) :: operand
        integer(c_int64_t), intent(inout), optional :: extent(:), stride(:)
        integer, intent(out), optional :: stat
        call finish_without_text(c_product_shape(product%object, int(operand, c_int), extent, stride), 'tcplan_product_shape', stat)
    end subroutine

    !> Returns the number of elements that a tensor spans; `first` of them are before the one whose indices are all 0.
    integer(c_int64_t) function tcplan_product_span(product, operand, first)
        type(tcplan_product), intent(in) :: product
        integer, intent(in) :: operand
        integer(c_int64_t), intent(out), optional :: first
        tcplan_product_span = c_product_span(product%object, int(operand, c_int), first)
    end function

    subroutine tcplan_product_free(product)
        type(tcplan_product), intent(inout) :: product
        call c_product_free(product%object)
        product%object = c_null_ptr
    end subroutine

    ! --- planners -------------------------------------------------------------------------------------------------------------------------

    subroutine tcplan_planner_new(planner, stat, errmsg)
        type(tcplan_planner), intent(out) :: planner
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_planner_new(planner%object, error)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_planner_set_effort(planner, effort, stat, errmsg)
        type(tcplan_planner), intent(in) :: planner
        integer, intent(in) :: effort
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_planner_set_effort(planner%object, int(effort, c_int), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_planner_set_time_limit(planner, seconds, stat, errmsg)
        type(tcplan_planner), intent(in) :: planner
        real(c_double), intent(in) :: seconds
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_planner_set_time_limit(planner%object, seconds, error)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_planner_set_threads(planner, threads, stat, errmsg)
        type(tcplan_planner), intent(in) :: planner
        integer, intent(in) :: threads
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_planner_set_threads(planner%object, int(threads, c_int), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_planner_set_workspace(planner, bytes, stat, errmsg)
        type(tcplan_planner), intent(in) :: planner
        integer(c_int64_t), intent(in) :: bytes
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_planner_set_workspace(planner%object, bytes, error)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_planner_set_alignment(planner, bytes, stat, errmsg)
        type(tcplan_planner), intent(in) :: planner
        integer(c_int64_t), intent(in) :: bytes
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_planner_set_alignment(planner%object, bytes, error)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_planner_set_preference(planner, preference, stat, errmsg)
        type(tcplan_planner), intent(in) :: planner
        integer, intent(in) :: preference
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_planner_set_preference(planner%object, int(preference, c_int), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Sets the store's folder; without a folder, nothing is stored.
    subroutine tcplan_planner_set_store(planner, folder, stat, errmsg)
        type(tcplan_planner), intent(in) :: planner
        character(*), intent(in), optional :: folder
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        character(kind=c_char), allocatable, target :: text(:)
        if (present(folder)) call set_text(text, folder)
        status = c_planner_set_store(planner%object, location(text), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Sets the file of stored plans; without a file, no plans are stored.
    subroutine tcplan_planner_set_plans(planner, file, stat, errmsg)
        type(tcplan_planner), intent(in) :: planner
        character(*), intent(in), optional :: file
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        character(kind=c_char), allocatable, target :: text(:)
        if (present(file)) call set_text(text, file)
        status = c_planner_set_plans(planner%object, location(text), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_planner_set_improving(planner, executions, stat, errmsg)
        type(tcplan_planner), intent(in) :: planner
        integer, intent(in) :: executions
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_planner_set_improving(planner%object, int(executions, c_int), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Sets whether plans may use more threads than the machine has processing units; by default they may not.
    subroutine tcplan_planner_set_oversubscription(planner, allowed, stat, errmsg)
        type(tcplan_planner), intent(in) :: planner
        logical, intent(in) :: allowed
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_planner_set_oversubscription(planner%object, logical(allowed, c_bool), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Sets the procedure that receives reports of progress; without a procedure, there are none.
    subroutine tcplan_planner_set_progress(planner, progress, context, stat, errmsg)
        type(tcplan_planner), intent(in) :: planner
        procedure(tcplan_progress), optional :: progress
        type(c_ptr), intent(in), optional :: context
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        type(c_funptr) :: told
        type(c_ptr) :: with
        told = c_null_funptr
        if (present(progress)) told = c_funloc(progress)
        with = c_null_ptr
        if (present(context)) with = context
        status = c_planner_set_progress(planner%object, told, with, error)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_planner_cancel(planner)
        type(tcplan_planner), intent(in) :: planner
        call c_planner_cancel(planner%object)
    end subroutine

    subroutine tcplan_planner_free(planner)
        type(tcplan_planner), intent(inout) :: planner
        call c_planner_free(planner%object)
        planner%object = c_null_ptr
    end subroutine

    ! --- plans ----------------------------------------------------------------------------------------------------------------------------

    !> Plans a product. Without a planner, defaults are used.
    subroutine tcplan_plan_new(plan, product, planner, stat, errmsg)
        type(tcplan_plan), intent(out) :: plan
        type(tcplan_product), intent(in) :: product
        type(tcplan_planner), intent(in), optional :: planner
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_plan_new(plan%object, planner_or_none(planner), product%object, error)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_plan_named(plan, product, algorithm, planner, stat, errmsg)
        type(tcplan_plan), intent(out) :: plan
        type(tcplan_product), intent(in) :: product
        character(*), intent(in) :: algorithm
        type(tcplan_planner), intent(in), optional :: planner
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_plan_named(plan%object, planner_or_none(planner), product%object, c_text(algorithm), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Computes D := alpha A B + beta D. The arrays must have the product's type, which is not checked.
    subroutine tcplan_plan_execute(plan, A, B, D, stat, errmsg)
        type(tcplan_plan), intent(in) :: plan
        type(*), intent(in) :: A(*), B(*)
        type(*), intent(inout) :: D(*)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_plan_execute(plan%object, A, B, D, error)
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Computes many products one after the other: A(i), B(i) and D(i) are the addresses of their arrays.
    subroutine tcplan_plan_execute_many(plan, A, B, D, stat, errmsg)
        type(tcplan_plan), intent(in) :: plan
        type(c_ptr), intent(in) :: A(:), B(:), D(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        character(*), parameter :: refused = 'expected as many addresses of A and B as of D'//c_null_char
        status = TCPLAN_INVALID
        error%message(1:len(refused)) = transfer(refused, error%message, len(refused))
        if (size(A) == size(D) .and. size(B) == size(D)) then
            status = c_plan_execute_many(plan%object, size(D, kind=c_int64_t), A, B, D, error)
        end if
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Returns the plan's function, for c_f_procpointer() with the interface tcplan_function; a null pointer if the plan has none.
    type(c_funptr) function tcplan_plan_function(plan)
        type(tcplan_plan), intent(in) :: plan
        tcplan_plan_function = c_plan_function(plan%object)
    end function

    !> Executes a plan, optionally with an addend C, factors, a workspace or another number of threads. alpha and beta are numbers of the product's type. The
    !> workspace has the size that tcplan_plan_workspace() returns.
    subroutine tcplan_plan_run(plan, A, B, D, C, alpha, beta, workspace, workspace_bytes, threads, stat, errmsg)
        type(tcplan_plan), intent(in) :: plan
        type(*), intent(in), target :: A(*), B(*)
        type(*), intent(inout), target :: D(*)
        type(*), intent(in), target, optional :: C(*)
        type(*), intent(in), target, optional :: alpha, beta
        type(*), intent(inout), target, optional :: workspace(*)
        integer(c_int64_t), intent(in), optional :: workspace_bytes
        integer, intent(in), optional :: threads
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_execution) :: execution
        type(c_error) :: error
        integer(c_int) :: status
        execution = c_execution(c_sizeof(execution), c_loc(A), c_loc(B), c_null_ptr, c_loc(D), &
            c_null_ptr, c_null_ptr, c_null_ptr, 0, 0)
        if (present(C)) execution%C = c_loc(C)
        if (present(alpha)) execution%alpha = c_loc(alpha)
        if (present(beta)) execution%beta = c_loc(beta)
        if (present(workspace)) execution%workspace = c_loc(workspace)
        if (present(workspace_bytes)) execution%workspace_bytes = workspace_bytes
        if (present(threads)) execution%threads = threads
        status = c_plan_run(plan%object, execution, error)
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Returns the bytes of the workspace for a number of threads, by default that of the plan.
    integer(c_int64_t) function tcplan_plan_workspace(plan, threads)
        type(tcplan_plan), intent(in) :: plan
        integer, intent(in), optional :: threads
        integer(c_int) :: count
        count = 0
        if (present(threads)) count = threads
        tcplan_plan_workspace = c_plan_workspace(plan%object, count)
    end function

    function tcplan_plan_algorithm(plan) result(text)
        type(tcplan_plan), intent(in) :: plan
        character(:), allocatable :: text
        text = copied(c_plan_algorithm(plan%object))
    end function

    integer function tcplan_plan_threads(plan)
        type(tcplan_plan), intent(in) :: plan
        tcplan_plan_threads = c_plan_threads(plan%object)
    end function

    real(c_double) function tcplan_plan_seconds(plan, low, high)
        type(tcplan_plan), intent(in) :: plan
        real(c_double), intent(out), optional :: low, high
        tcplan_plan_seconds = c_plan_seconds(plan%object, low, high)
    end function

    integer function tcplan_plan_origin(plan)
        type(tcplan_plan), intent(in) :: plan
        tcplan_plan_origin = c_plan_origin(plan%object)
    end function

    !> Returns a description in a few lines, each ended by a newline; empty if out of memory.
    function tcplan_plan_describe(plan) result(text)
        type(tcplan_plan), intent(in) :: plan
        character(:), allocatable :: text
        text = taken(c_plan_describe(plan%object))
    end function

    !> Returns C11 code for the plan.
    subroutine tcplan_plan_emit(text, plan, name, with_main, stat, errmsg)
        character(:), allocatable, intent(out) :: text
        type(tcplan_plan), intent(in) :: plan
        character(*), intent(in), optional :: name
        logical, intent(in), optional :: with_main
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(kind=c_char), allocatable, target :: name_text(:)
        type(c_ptr) :: out
        type(c_error) :: error
        integer(c_int) :: status
        logical(c_bool) :: main
        main = .false._c_bool
        if (present(with_main)) main = logical(with_main, c_bool)
        if (present(name)) call set_text(name_text, name)
        out = c_null_ptr
        status = c_plan_emit(out, plan%object, location(name_text), main, error)
        text = taken(out)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_plan_free(plan)
        type(tcplan_plan), intent(inout) :: plan
        call c_plan_free(plan%object)
        plan%object = c_null_ptr
    end subroutine

    ! --- several tensors ------------------------------------------------------------------------------------------------------------------

    !> Finds an order. Without a planner, defaults are used; with a path, the order is not searched but given.
    subroutine tcplan_network_order_new(order, notation, sizes, dtype, planner, path, tensor_order, frees_result, stat, errmsg)
        type(tcplan_network_order), intent(out) :: order
        character(*), intent(in) :: notation
        character(*), intent(in), optional :: sizes, path
        integer, intent(in) :: dtype
        type(tcplan_planner), intent(in), optional :: planner
        integer, intent(in), optional :: tensor_order
        logical, intent(in), optional :: frees_result
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        type(c_network_texts) :: texts
        character(kind=c_char), allocatable, target :: notation_text(:), sizes_text(:), path_text(:)
        call set_text(notation_text, notation)
        if (present(sizes)) call set_text(sizes_text, sizes)
        if (present(path)) call set_text(path_text, path)
        texts = c_network_texts(location(notation_text), location(sizes_text), location(path_text), TCPLAN_COLUMN_MAJOR, &
            .false._c_bool)
        if (present(tensor_order)) texts%order = tensor_order
        if (present(frees_result)) texts%frees_result = logical(frees_result, c_bool)
        status = c_network_order_new(order%object, planner_or_none(planner), texts, int(dtype, c_int), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Returns the tree of products, valid as long as the order.
    type(c_ptr) function tcplan_network_order_tree(order)
        type(tcplan_network_order), intent(in) :: order
        tcplan_network_order_tree = c_network_order_tree(order%object)
    end function

    real(c_double) function tcplan_network_order_seconds(order)
        type(tcplan_network_order), intent(in) :: order
        tcplan_network_order_seconds = c_network_order_seconds(order%object)
    end function

    !> Predicts the seconds of a product of two tensors from the numbers of combinations of its batch indices, of those of the left
    !> and right factor alone, and of contracted ones.
    subroutine tcplan_step_seconds(seconds, batch, left, right, contracted, dtype, planner, stat, errmsg)
        real(c_double), intent(out) :: seconds
        real(c_double), intent(in) :: batch, left, right, contracted
        integer, intent(in) :: dtype
        type(tcplan_planner), intent(in), optional :: planner
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        seconds = 0
        status = c_step_seconds(seconds, planner_or_none(planner), c_step_extents(batch, left, right, contracted), &
            int(dtype, c_int), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    real(c_double) function tcplan_network_order_flops(order)
        type(tcplan_network_order), intent(in) :: order
        tcplan_network_order_flops = c_network_order_flops(order%object)
    end function

    subroutine tcplan_network_order_free(order)
        type(tcplan_network_order), intent(inout) :: order
        call c_network_order_free(order%object)
        order%object = c_null_ptr
    end subroutine

    function tcplan_tree_text(tree) result(text)
        type(c_ptr), intent(in) :: tree
        character(:), allocatable :: text
        text = taken(c_tree_text(tree))
    end function

    function tcplan_tree_path(tree) result(text)
        type(c_ptr), intent(in) :: tree
        character(:), allocatable :: text
        text = taken(c_tree_path(tree))
    end function

    subroutine tcplan_network_plan_new(plan, tree, planner, stat, errmsg)
        type(tcplan_network_plan), intent(out) :: plan
        type(c_ptr), intent(in) :: tree
        type(tcplan_planner), intent(in), optional :: planner
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_network_plan_new(plan%object, tree, planner_or_none(planner), error)
        call finish(status, error, stat, errmsg)
    end subroutine

    integer(c_int64_t) function tcplan_network_plan_workspace(plan)
        type(tcplan_network_plan), intent(in) :: plan
        tcplan_network_plan_workspace = c_network_plan_workspace(plan%object)
    end function

    integer function tcplan_network_plan_step_count(plan)
        type(tcplan_network_plan), intent(in) :: plan
        tcplan_network_plan_step_count = c_network_plan_step_count(plan%object)
    end function

    !> Returns the plan of a step, counted from 0. It belongs to the network's plan and must not be freed.
    type(tcplan_plan) function tcplan_network_plan_step(plan, step)
        type(tcplan_network_plan), intent(in) :: plan
        integer, intent(in) :: step
        tcplan_network_plan_step%object = c_network_plan_step(plan%object, int(step, c_int))
    end function

    !> tensor: the address of each distinct tensor, in the order in which the notation first names them. Without a workspace, the plan uses its own.
    subroutine tcplan_network_execute(plan, tensor, result, workspace, workspace_bytes, stat, errmsg)
        type(tcplan_network_plan), intent(in) :: plan
        type(c_ptr), intent(in) :: tensor(:)
        type(*), intent(inout), target :: result(*)
        type(*), intent(inout), target, optional :: workspace(*)
        integer(c_int64_t), intent(in), optional :: workspace_bytes
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        type(c_ptr) :: place
        integer(c_int64_t) :: bytes
        place = c_null_ptr
        bytes = 0
        if (present(workspace)) place = c_loc(workspace)
        if (present(workspace_bytes)) bytes = workspace_bytes
        status = c_network_execute(plan%object, tensor, c_loc(result), place, bytes, error)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_network_plan_free(plan)
        type(tcplan_network_plan), intent(inout) :: plan
        call c_network_plan_free(plan%object)
        plan%object = c_null_ptr
    end subroutine

    subroutine tcplan_network_emit(text, tree, planner, name, stat, errmsg)
        character(:), allocatable, intent(out) :: text
        type(c_ptr), intent(in) :: tree
        type(tcplan_planner), intent(in), optional :: planner
        character(*), intent(in), optional :: name
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(kind=c_char), allocatable, target :: name_text(:)
        type(c_ptr) :: out
        type(c_error) :: error
        integer(c_int) :: status
        if (present(name)) call set_text(name_text, name)
        out = c_null_ptr
        status = c_network_emit(out, tree, planner_or_none(planner), location(name_text), error)
        text = taken(out)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_network_emit_header(text, tree, name, stat, errmsg)
        character(:), allocatable, intent(out) :: text
        type(c_ptr), intent(in) :: tree
        character(*), intent(in), optional :: name
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(kind=c_char), allocatable, target :: name_text(:)
        type(c_ptr) :: out
        type(c_error) :: error
        integer(c_int) :: status
        if (present(name)) call set_text(name_text, name)
        out = c_null_ptr
        status = c_network_emit_header(out, tree, location(name_text), error)
        text = taken(out)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_network_emit_fortran(text, tree, name, stat, errmsg)
        character(:), allocatable, intent(out) :: text
        type(c_ptr), intent(in) :: tree
        character(*), intent(in), optional :: name
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(kind=c_char), allocatable, target :: name_text(:)
        type(c_ptr) :: out
        type(c_error) :: error
        integer(c_int) :: status
        if (present(name)) call set_text(name_text, name)
        out = c_null_ptr
        status = c_network_emit_fortran(out, tree, location(name_text), error)
        text = taken(out)
        call finish(status, error, stat, errmsg)
    end subroutine

    !> threads: number of threads of the emitted program, by default 1.
    subroutine tcplan_network_emit_main(text, tree, name, threads, stat, errmsg)
        character(:), allocatable, intent(out) :: text
        type(c_ptr), intent(in) :: tree
        character(*), intent(in), optional :: name
        integer, intent(in), optional :: threads
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(kind=c_char), allocatable, target :: name_text(:)
        type(c_ptr) :: out
        type(c_error) :: error
        integer(c_int) :: status, count
        count = 1
        if (present(threads)) count = int(threads, c_int)
        if (present(name)) call set_text(name_text, name)
        out = c_null_ptr
        status = c_network_emit_main(out, tree, location(name_text), count, error)
        text = taken(out)
        call finish(status, error, stat, errmsg)
    end subroutine

    ! --- the library ----------------------------------------------------------------------------------------------------------------------

    function tcplan_version() result(text)
        character(:), allocatable :: text
        text = copied(c_version())
    end function

    function tcplan_status_text(status) result(text)
        integer, intent(in) :: status
        character(:), allocatable :: text
        text = copied(c_status_text(int(status, c_int)))
    end function

    !> Returns the store's folder, by the environment of the program.
    function tcplan_store_folder() result(text)
        character(:), allocatable :: text
        text = taken(c_store_folder(c_funloc(c_getenv)))
    end function

    !> Returns advice about the BLAS, by the environment of the program and the store in the folder; an empty folder means no store.
    function tcplan_blas_advice(folder) result(text)
        character(*), intent(in) :: folder
        character(:), allocatable :: text
        text = taken(c_blas_advice(c_text(folder), c_funloc(c_getenv)))
    end function

    ! --- stored plans ---------------------------------------------------------------------------------------------------------------------

    !> Returns a line for each plan.
    subroutine tcplan_plans_describe(text, file, count, stat, errmsg)
        character(:), allocatable, intent(out) :: text
        character(*), intent(in) :: file
        integer, intent(out), optional :: count, stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr) :: out
        integer(c_size_t) :: counted
        type(c_error) :: error
        integer(c_int) :: status
        out = c_null_ptr
        counted = 0
        status = c_plans_describe(out, counted, c_text(file), error)
        text = taken(out)
        if (present(count)) count = int(counted)
        call finish(status, error, stat, errmsg)
    end subroutine

    !> Forgets the plans that match all given arguments; without any, all plans.
    subroutine tcplan_plans_forget(file, name, least_days, most, unusable, count, stat, errmsg)
        character(*), intent(in) :: file
        character(*), intent(in), optional :: name
        real(c_double), intent(in), optional :: least_days
        integer(c_int64_t), intent(in), optional :: most
        logical, intent(in), optional :: unusable
        integer, intent(out), optional :: count, stat
        character(*), intent(inout), optional :: errmsg
        character(kind=c_char), allocatable, target :: name_text(:)
        type(c_choice) :: choice
        integer(c_size_t) :: counted
        type(c_error) :: error
        integer(c_int) :: status
        if (present(name)) call set_text(name_text, name)
        choice = c_choice(c_sizeof(choice), location(name_text), 0, 0, 0)
        if (present(least_days)) choice%least_days = least_days
        if (present(most)) choice%most = most
        if (present(unusable)) choice%unusable = merge(1_c_int, 0_c_int, unusable)
        counted = 0
        status = c_plans_forget(counted, c_text(file), choice, error)
        if (present(count)) count = int(counted)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_plans_export(from, to, count, stat, errmsg)
        character(*), intent(in) :: from, to
        integer, intent(out), optional :: count, stat
        character(*), intent(inout), optional :: errmsg
        integer(c_size_t) :: counted
        type(c_error) :: error
        integer(c_int) :: status
        counted = 0
        status = c_plans_export(counted, c_text(from), c_text(to), error)
        if (present(count)) count = int(counted)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_plans_import(into, from, count, stat, errmsg)
        character(*), intent(in) :: into, from
        integer, intent(out), optional :: count, stat
        character(*), intent(inout), optional :: errmsg
        integer(c_size_t) :: counted
        type(c_error) :: error
        integer(c_int) :: status
        counted = 0
        status = c_plans_import(counted, c_text(into), c_text(from), error)
        if (present(count)) count = int(counted)
        call finish(status, error, stat, errmsg)
    end subroutine

    ! --- listings -------------------------------------------------------------------------------------------------------------------------

    subroutine tcplan_listing_new(listing, product, planner, stat, errmsg)
        type(tcplan_listing), intent(out) :: listing
        type(tcplan_product), intent(in) :: product
        type(tcplan_planner), intent(in), optional :: planner
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_error) :: error
        integer(c_int) :: status
        status = c_listing_new(listing%object, planner_or_none(planner), product%object, error)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_listing_summarize(listing, summary, stat)
        type(tcplan_listing), intent(in) :: listing
        type(tcplan_listing_summary), intent(out) :: summary
        integer, intent(out), optional :: stat
        type(c_summary) :: out
        integer(c_int) :: status
        out%size = c_sizeof(out)
        status = c_listing_summarize(listing%object, out)
        if (status == TCPLAN_OK) then
            summary = tcplan_listing_summary(int(out%lines), out%algorithms, out%pruned, out%open, out%gemm_gflops, &
                out%planning_seconds, logical(out%compared), logical(out%out_of_time))
        end if
        call finish_without_text(status, 'tcplan_listing_summarize', stat)
    end subroutine

    !> Returns a line of a listing; numbers begin at 1. The first line is the choice.
    subroutine tcplan_listing_line(listing, number, line, stat)
        type(tcplan_listing), intent(in) :: listing
        integer, intent(in) :: number
        type(tcplan_listed), intent(out) :: line
        integer, intent(out), optional :: stat
        type(c_listed) :: out
        integer(c_int) :: status
        out%size = c_sizeof(out)
        status = c_listing_line(listing%object, int(number - 1, c_size_t), out)
        if (status == TCPLAN_OK) then
            line%algorithm = copied(out%algorithm)
            line%status = out%status
            line%basis = out%basis
            line%seconds = out%seconds
            line%low = out%low
            line%high = out%high
            line%bound_seconds = out%bound_seconds
            line%tied = out%tied
            line%compared = out%compared
            line%missed = out%missed
            line%is_baseline = out%is_baseline
            line%chosen = out%chosen
            line%threads = out%threads
        end if
        call finish_without_text(status, 'tcplan_listing_line', stat)
    end subroutine

    subroutine tcplan_listing_free(listing)
        type(tcplan_listing), intent(inout) :: listing
        call c_listing_free(listing%object)
        listing%object = c_null_ptr
    end subroutine

    ! --- between the languages ------------------------------------------------------------------------------------------------------------

    integer(c_int) function dtype_or_double(dtype)
        integer, intent(in), optional :: dtype
        dtype_or_double = TCPLAN_DOUBLE
        if (present(dtype)) dtype_or_double = int(dtype, c_int)
    end function

    integer(c_int) function order_or_columns(order)
        integer, intent(in), optional :: order
        order_or_columns = TCPLAN_COLUMN_MAJOR
        if (present(order)) order_or_columns = int(order, c_int)
    end function

    type(c_ptr) function planner_or_none(planner)
        type(tcplan_planner), intent(in), optional :: planner
        planner_or_none = c_null_ptr
        if (present(planner)) planner_or_none = planner%object
    end function

    !> Converts to a C string: without trailing blanks, with a terminating zero.
    pure function c_text(text) result(out)
        character(*), intent(in) :: text
        character(kind=c_char) :: out(len_trim(text) + 1)
        integer :: i
        do i = 1, len_trim(text)
            out(i) = text(i:i)
        end do
        out(len_trim(text) + 1) = c_null_char
    end function

    subroutine set_text(out, text)
        character(kind=c_char), allocatable, intent(out) :: out(:)
        character(*), intent(in) :: text
        allocate (out(len_trim(text) + 1))
        out(:) = c_text(text)
    end subroutine

    !> Returns the address of a C string; a null pointer if it is not allocated.
    type(c_ptr) function location(text)
        character(kind=c_char), allocatable, target, intent(in) :: text(:)
        location = c_null_ptr
        if (allocated(text)) location = c_loc(text)
    end function

    !> Converts a C string, as above, and frees it.
    function taken(text) result(out)
        type(c_ptr), intent(in) :: text
        character(:), allocatable :: out
        out = copied(text)
        call c_free(text)
    end function

    function dimensions(of) result(out)
        type(tcplan_dimensions), intent(in), target :: of
        type(c_dimensions) :: out
        out = c_dimensions(0, c_null_ptr, c_null_ptr, c_null_ptr, logical(of%conjugated, c_bool))
        if (allocated(of%extent)) then
            out%rank = size(of%extent)
            if (out%rank > 0) out%extent = c_loc(of%extent)
        end if
        if (allocated(of%label)) then
            if (size(of%label) > 0) out%label = c_loc(of%label)
        end if
        if (allocated(of%stride)) then
            if (size(of%stride) > 0) out%stride = c_loc(of%stride)
        end if
    end function

    subroutine finish_without_text(status, name, stat)
        integer(c_int), intent(in) :: status
        character(*), intent(in) :: name
        integer, intent(out), optional :: stat
        character(16) :: number
        if (present(stat)) then
            stat = status
        else if (status /= TCPLAN_OK) then
            write (number, '(i0)') status
            error stop name//': status '//trim(number)
        end if
    end subroutine

    include 'tcplan_procedures.inc'
end module
