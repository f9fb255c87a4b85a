!> Block-sparse products for Fortran: functions of include/unstable/tcplan/blocksparse.h, which is the manual, with Fortran's strings and
!> arrays. Like that header, the module may change with any version.
!>
!> Compile this file with the program, and link with libtcplan:
!>
!>     gfortran $(pkg-config --variable=fortran_blocksparse tcplan) program.f90 $(pkg-config --libs tcplan)
!>
!> A tensor is one array with its blocks one after the other, in the order of its list of blocks; tcplan_block_offset() returns where a
!> block begins. Blocks are column-major. As in the header, tensors, blocks and sections are numbered from 0: tensors 0 and 1 are the
!> factors, 2 is the result.
!>
!> Procedures that can fail have the optional arguments stat, which receives a status (0: done), and errmsg, which receives the message of
!> a failure. Without stat, a failure ends the program with the message.
module tcplan_blocksparse
    use, intrinsic :: iso_c_binding
    implicit none
    private

    integer, parameter :: TCPLAN_MESSAGE_SIZE = 320
    integer(c_int), parameter :: INVALID = 2
    integer, parameter :: MOST_DIMENSIONS = 64

    ! Efforts of planning, as in tcplan/planner.h.
    enum, bind(C)
        enumerator :: TCPLAN_BLOCK_ESTIMATE, TCPLAN_BLOCK_QUICK, TCPLAN_BLOCK_NORMAL, TCPLAN_BLOCK_THOROUGH
    end enum
    public :: TCPLAN_BLOCK_ESTIMATE, TCPLAN_BLOCK_QUICK, TCPLAN_BLOCK_NORMAL, TCPLAN_BLOCK_THOROUGH

    ! Types of elements, as in tcplan/types.h.
    enum, bind(C)
        enumerator :: TCPLAN_BLOCK_FLOAT, TCPLAN_BLOCK_DOUBLE, TCPLAN_BLOCK_FLOAT_COMPLEX, TCPLAN_BLOCK_DOUBLE_COMPLEX
    end enum
    public :: TCPLAN_BLOCK_FLOAT, TCPLAN_BLOCK_DOUBLE, TCPLAN_BLOCK_FLOAT_COMPLEX, TCPLAN_BLOCK_DOUBLE_COMPLEX

    !> A product and its structure. Free it with tcplan_block_product_free() after its plans.
    type, public :: tcplan_block_product
        private
        type(c_ptr) :: object = c_null_ptr
    end type

    !> A plan of a product.
    type, public :: tcplan_block_plan
        private
        type(c_ptr) :: object = c_null_ptr
        type(c_ptr) :: product = c_null_ptr
    end type

    public :: tcplan_block_product_parse, tcplan_block_product_free, tcplan_block_product_blocks, tcplan_block_product_rank
    public :: tcplan_block_product_coordinate, tcplan_block_product_shape, tcplan_block_product_pairs, tcplan_block_product_flops
    public :: tcplan_block_product_unreached, tcplan_block_offset, tcplan_block_elements
    public :: tcplan_block_plan_new, tcplan_block_plan_free, tcplan_block_plan_execute, tcplan_block_plan_way
    public :: tcplan_block_plan_seconds, tcplan_block_plan_planning_seconds

    include 'tcplan_interfaces.inc'

    !> struct tcplan_block_text: `blocks` has the lists of eight factors and the result.
    type, bind(C) :: c_text
        type(c_ptr) :: sections = c_null_ptr, charge = c_null_ptr, blocks(9) = c_null_ptr, lists = c_null_ptr, extent = c_null_ptr
    end type

    interface
        integer(c_int) function c_contraction_parse(out, text, order, error) bind(C, name='tcplan_contraction_parse')
            import
            type(c_ptr), intent(inout) :: out
            character(kind=c_char), intent(in) :: text(*)
            integer(c_int), value :: order
            type(c_error), intent(inout) :: error
        end function
        subroutine c_contraction_free(contraction) bind(C, name='tcplan_contraction_free')
            import
            type(c_ptr), value :: contraction
        end subroutine
        integer(c_int) function c_product_parse(out, contraction, text, dtype, wrong, error) &
            bind(C, name='tcplan_block_product_parse')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: contraction, wrong
            type(c_text), intent(in) :: text
            integer(c_int), value :: dtype
            type(c_error), intent(inout) :: error
        end function
        subroutine c_product_free(product) bind(C, name='tcplan_block_product_free')
            import
            type(c_ptr), value :: product
        end subroutine
        integer(c_int64_t) function c_product_blocks(product, operand) bind(C, name='tcplan_block_product_blocks')
            import
            type(c_ptr), value :: product
            integer(c_int), value :: operand
        end function
        integer(c_int) function c_product_rank(product, operand) bind(C, name='tcplan_block_product_rank')
            import
            type(c_ptr), value :: product
            integer(c_int), value :: operand
        end function
        type(c_ptr) function c_product_coordinate(product, operand, block) bind(C, name='tcplan_block_product_coordinate')
            import
            type(c_ptr), value :: product
            integer(c_int), value :: operand
            integer(c_int64_t), value :: block
        end function
        subroutine c_product_shape(product, operand, block, extent, stride) bind(C, name='tcplan_block_product_shape')
            import
            type(c_ptr), value :: product
            integer(c_int), value :: operand
            integer(c_int64_t), value :: block
            integer(c_int64_t), intent(out) :: extent(*)
            type(c_ptr), value :: stride
        end subroutine
        integer(c_int64_t) function c_product_pairs(product) bind(C, name='tcplan_block_product_pairs')
            import
            type(c_ptr), value :: product
        end function
        integer(c_int64_t) function c_product_unreached(product) bind(C, name='tcplan_block_product_unreached')
            import
            type(c_ptr), value :: product
        end function
        real(c_double) function c_product_flops(product) bind(C, name='tcplan_block_product_flops')
            import
            type(c_ptr), value :: product
        end function
        integer(c_int) function c_pointers(pointer, product, operand, buffer, elements, offset, error) &
            bind(C, name='tcplan_block_pointers')
            import
            type(c_ptr), intent(inout) :: pointer(*)
            type(c_ptr), value :: product, offset
            integer(c_int), value :: operand
            type(*), intent(in) :: buffer(*)
            integer(c_int64_t), value :: elements
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_plan_new(out, planner, product, error) bind(C, name='tcplan_block_plan_new')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: planner, product
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_plan_named(out, planner, product, way, error) bind(C, name='tcplan_block_plan_named')
            import
            type(c_ptr), intent(inout) :: out
            type(c_ptr), value :: planner, product
            character(kind=c_char), intent(in) :: way(*)
            type(c_error), intent(inout) :: error
        end function
        integer(c_int) function c_plan_execute(plan, A, B, D, error) bind(C, name='tcplan_block_plan_execute')
            import
            type(c_ptr), value :: plan
            type(c_ptr), intent(in) :: A(*), B(*), D(*)
            type(c_error), intent(inout) :: error
        end function
        type(c_ptr) function c_plan_way(plan) bind(C, name='tcplan_block_plan_way')
            import
            type(c_ptr), value :: plan
        end function
        real(c_double) function c_plan_seconds(plan) bind(C, name='tcplan_block_plan_seconds')
            import
            type(c_ptr), value :: plan
        end function
        real(c_double) function c_plan_planning_seconds(plan) bind(C, name='tcplan_block_plan_planning_seconds')
            import
            type(c_ptr), value :: plan
        end function
        subroutine c_plan_free(plan) bind(C, name='tcplan_block_plan_free')
            import
            type(c_ptr), value :: plan
        end subroutine
    end interface

contains

    ! Products.

    !> Makes a product from its notation, sections, conservation rules and lists of blocks (`A:0 0|0 1; B:1 1`).
    subroutine tcplan_block_product_parse(product, notation, sections, charge, lists, dtype, stat, errmsg)
        type(tcplan_block_product), intent(inout) :: product
        character(*), intent(in) :: notation, sections
        character(*), intent(in), optional :: charge, lists
        integer, intent(in), optional :: dtype
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:, kind=c_char), allocatable, target :: own_sections, own_charge, own_lists
        type(c_text) :: text
        type(c_error) :: error
        type(c_ptr) :: contraction
        integer(c_int) :: status, type
        type = TCPLAN_BLOCK_DOUBLE
        if (present(dtype)) type = dtype
        contraction = c_null_ptr
        own_sections = sections//c_null_char
        text%sections = c_loc(own_sections)
        if (present(charge)) then
            own_charge = charge//c_null_char
            text%charge = c_loc(own_charge)
        end if
        if (present(lists)) then
            own_lists = lists//c_null_char
            text%lists = c_loc(own_lists)
        end if
        status = c_contraction_parse(contraction, notation//c_null_char, 0_c_int, error)
        if (status == 0) status = c_product_parse(product%object, contraction, text, type, c_null_ptr, error)
        call c_contraction_free(contraction)
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_block_product_free(product)
        type(tcplan_block_product), intent(inout) :: product
        call c_product_free(product%object)
        product%object = c_null_ptr
    end subroutine

    integer(c_int64_t) function tcplan_block_product_blocks(product, operand)
        type(tcplan_block_product), intent(in) :: product
        integer, intent(in) :: operand
        tcplan_block_product_blocks = c_product_blocks(product%object, operand)
    end function

    integer function tcplan_block_product_rank(product, operand)
        type(tcplan_block_product), intent(in) :: product
        integer, intent(in) :: operand
        tcplan_block_product_rank = c_product_rank(product%object, operand)
    end function

    !> Returns the section numbers of a block, from 0.
    function tcplan_block_product_coordinate(product, operand, block) result(coordinate)
        type(tcplan_block_product), intent(in) :: product
        integer, intent(in) :: operand
        integer(c_int64_t), intent(in) :: block
        integer(c_int32_t), allocatable :: coordinate(:)
        integer(c_int32_t), pointer :: numbers(:)
        integer :: rank
        rank = c_product_rank(product%object, operand)
        call c_f_pointer(c_product_coordinate(product%object, operand, block), numbers, [rank])
        coordinate = numbers
    end function

    !> Returns the extents of a block.
    function tcplan_block_product_shape(product, operand, block) result(extent)
        type(tcplan_block_product), intent(in) :: product
        integer, intent(in) :: operand
        integer(c_int64_t), intent(in) :: block
        integer(c_int64_t), allocatable :: extent(:)
        integer(c_int64_t) :: all(MOST_DIMENSIONS)
        call c_product_shape(product%object, operand, block, all, c_null_ptr)
        extent = all(:c_product_rank(product%object, operand))
    end function

    integer(c_int64_t) function tcplan_block_product_pairs(product)
        type(tcplan_block_product), intent(in) :: product
        tcplan_block_product_pairs = c_product_pairs(product%object)
    end function

    integer(c_int64_t) function tcplan_block_product_unreached(product)
        type(tcplan_block_product), intent(in) :: product
        tcplan_block_product_unreached = c_product_unreached(product%object)
    end function

    real(c_double) function tcplan_block_product_flops(product)
        type(tcplan_block_product), intent(in) :: product
        tcplan_block_product_flops = c_product_flops(product%object)
    end function

    !> Returns the number of elements before a block in the array of its tensor.
    integer(c_int64_t) function tcplan_block_offset(product, operand, block) result(offset)
        type(tcplan_block_product), intent(in) :: product
        integer, intent(in) :: operand
        integer(c_int64_t), intent(in) :: block
        offset = elements_before(product%object, operand, block)
    end function

    !> Returns the number of elements of a tensor's array.
    integer(c_int64_t) function tcplan_block_elements(product, operand) result(elements)
        type(tcplan_block_product), intent(in) :: product
        integer, intent(in) :: operand
        elements = elements_before(product%object, operand, c_product_blocks(product%object, operand))
    end function

    integer(c_int64_t) function elements_before(product, operand, block) result(elements)
        type(c_ptr), intent(in) :: product
        integer, intent(in) :: operand
        integer(c_int64_t), intent(in) :: block
        integer(c_int64_t) :: extent(MOST_DIMENSIONS), b
        elements = 0
        do b = 0, block - 1
            call c_product_shape(product, operand, b, extent, c_null_ptr)
            elements = elements + product_of(extent(:c_product_rank(product, operand)))
        end do
    end function

    pure integer(c_int64_t) function product_of(extent)
        integer(c_int64_t), intent(in) :: extent(:)
        product_of = product(extent)
    end function

    ! Plans.

    !> Plans a product: with an effort (default: TCPLAN_BLOCK_NORMAL), a number of threads (default: 1), or the way of this name.
    subroutine tcplan_block_plan_new(plan, product, effort, threads, way, stat, errmsg)
        type(tcplan_block_plan), intent(inout) :: plan
        type(tcplan_block_product), intent(in) :: product
        integer, intent(in), optional :: effort, threads
        character(*), intent(in), optional :: way
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr) :: planner
        type(c_error) :: error
        integer(c_int) :: status
        planner = c_null_ptr
        status = c_planner_new(planner, error)
        if (status == 0 .and. present(effort)) status = c_planner_set_effort(planner, effort, error)
        if (status == 0 .and. present(threads)) status = c_planner_set_threads(planner, threads, error)
        if (status == 0) then
            if (present(way)) then
                status = c_plan_named(plan%object, planner, product%object, way//c_null_char, error)
            else
                status = c_plan_new(plan%object, planner, product%object, error)
            end if
        end if
        call c_planner_free(planner)
        plan%product = product%object
        call finish(status, error, stat, errmsg)
    end subroutine

    subroutine tcplan_block_plan_free(plan)
        type(tcplan_block_plan), intent(inout) :: plan
        call c_plan_free(plan%object)
        plan%object = c_null_ptr
    end subroutine

    !> Computes D := alpha * A * B + beta * D with the factors of the notation. The arrays have the blocks of a tensor one after the other,
    !> and tcplan_block_elements() elements.
    subroutine tcplan_block_plan_execute(plan, A, B, D, stat, errmsg)
        type(tcplan_block_plan), intent(in) :: plan
        type(*), intent(in) :: A(*), B(*)
        type(*), intent(inout) :: D(*)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr), allocatable :: block_A(:), block_B(:), block_D(:)
        type(c_error) :: error
        integer(c_int) :: status
        allocate (block_A(c_product_blocks(plan%product, 0) + 1), block_B(c_product_blocks(plan%product, 1) + 1), &
            block_D(c_product_blocks(plan%product, 2) + 1))
        status = c_pointers(block_A, plan%product, 0, A, elements_of(plan, 0), c_null_ptr, error)
        if (status == 0) status = c_pointers(block_B, plan%product, 1, B, elements_of(plan, 1), c_null_ptr, error)
        if (status == 0) status = c_pointers(block_D, plan%product, 2, D, elements_of(plan, 2), c_null_ptr, error)
        if (status == 0) status = c_plan_execute(plan%object, block_A, block_B, block_D, error)
        call finish(status, error, stat, errmsg)
    end subroutine

    integer(c_int64_t) function elements_of(plan, operand)
        type(tcplan_block_plan), intent(in) :: plan
        integer, intent(in) :: operand
        elements_of = elements_before(plan%product, operand, c_product_blocks(plan%product, operand))
    end function

    !> Returns the name of the chosen way.
    function tcplan_block_plan_way(plan) result(text)
        type(tcplan_block_plan), intent(in) :: plan
        character(:), allocatable :: text
        text = copied(c_plan_way(plan%object))
    end function

    real(c_double) function tcplan_block_plan_seconds(plan)
        type(tcplan_block_plan), intent(in) :: plan
        tcplan_block_plan_seconds = c_plan_seconds(plan%object)
    end function

    real(c_double) function tcplan_block_plan_planning_seconds(plan)
        type(tcplan_block_plan), intent(in) :: plan
        tcplan_block_plan_planning_seconds = c_plan_planning_seconds(plan%object)
    end function

    include 'tcplan_procedures.inc'
end module
