!> Coupled cluster with singles and doubles: 32 products are planned once and executed in every iteration, until the amplitudes converge.
!> The system is small and has no physical meaning; the residual of the doubles is compared with naive loops over the equations as the paper prints them.
!> examples/ccsd_doubles.c is the same in C.
!>
!> J. F. Stanton, J. Gauss, J. D. Watts, R. J. Bartlett, J. Chem. Phys. 94, 4334 (1991), in spin orbitals; i, j, m, n are occupied,
!> a, b, e, f virtual.
!>
!>     ccsd_doubles [estimate|quick|normal|thorough]
program ccsd_doubles
    use, intrinsic :: iso_fortran_env, only: dp => real64, error_unit
    use tcplan
    implicit none

    integer, parameter :: occupied = 4, virtuals = 6, orbitals = occupied + virtuals

    !> The products in the order in which they are executed. V and W are both the array of integrals: the letter of an index selects its occupied or
    !> its virtual part, so an operand is a sub-tensor, used in place. K contains the whole term that is quadratic in the doubles, J nothing of it.
    character(*), parameter :: formula(32) = [character(32) :: &
        'P_abij=S_ai*S_bj', &
        'E_ae=S_fm*V_mafe', &
        'E_ae+=-0.5*X_afmn*V_mnef', &
        'G_mi=S_en*V_mnie', &
        'G_mi+=0.5*X_efin*V_mnef', &
        'H_me=S_fn*V_mnef', &
        'Q_ai=S_ei*E_ae', &
        'Q_ai+=-S_am*G_mi', &
        'Q_ai+=T_aeim*H_me', &
        'Q_ai+=-S_fn*V_naif', &
        'Q_ai+=-0.5*T_efim*V_maef', &
        'Q_ai+=-0.5*T_aemn*V_nmei', &
        'E_ae+=-0.5*S_am*H_me', &
        'G_mi+=0.5*S_ei*H_me', &
        'K_mnij=S_ej*V_mnie+W_mnij', &
        'K_mnij+=-S_ei*V_mnje', &
        'K_mnij+=0.5*U_efij*V_mnef', &
        'J_abef=-S_bm*V_amef+W_abef', &
        'J_abef+=S_am*V_bmef', &
        'M_mbej=S_fj*V_mbef+W_mbej', &
        'M_mbej+=-S_bn*V_mnej', &
        'M_mbej+=-Y_fbjn*V_mnef', &
        'L_mbij=S_ei*V_mbej', &
        'R_abij=0.5*U_abmn*K_mnij+W_ijab', &
        'R_abij+=0.5*U_efij*J_abef', &
        'B_abij=T_aeij*E_be', &
        'B_abij+=-S_am*V_mbij', &
        'C_abij=-T_abim*G_mj', &
        'C_abij+=S_ei*V_abej', &
        'D_abij=T_aeim*M_mbej', &
        'D_abij+=-S_am*L_mbij', &
        'Z=0.25*U_abij*V_ijab']

    !> A planned product, and the addresses of its tensors: the result, the two factors and, if there is one, the addend.
    type :: term
        type(tcplan_plan) :: plan
        integer :: tensors = 0
        integer :: name(4) = 0
        integer :: first(4) = 1
    end type

    !> The elements of each tensor, in the column of its name. Tensors that the program itself computes with also have pointers with a shape.
    real(dp), target :: storage(orbitals**4, ichar('A'):ichar('Z'))
    real(dp) :: energy(orbitals)
    real(dp), dimension(:, :, :, :), pointer :: integrals, t2, pairs, half_tau, tau, mixed, right, by_ab, by_ij, by_both
    real(dp), dimension(:, :), pointer :: t1, right_singles

    type(term) :: terms(size(formula))
    integer :: k, iterations
    real(dp) :: residual

    call make_up()
    call plan_terms()
    iterations = converge()
    residual = naive_residual()
    print '(a, f13.10, a, i0, a, i0, a, es8.1)', 'correlation energy ', storage(1, ichar('Z')), ' after ', iterations, &
        ' iterations of ', size(terms), ' planned products; residual by naive loops ', residual
    do k = 1, size(terms)
        call tcplan_plan_free(terms(k)%plan)
    end do
    if (residual > 1e-11_dp) error stop 'the residual is not that of naive loops'

contains

    !> Plans every formula, with the effort that the command line names.
    subroutine plan_terms()
        type(tcplan_planner) :: planner
        character(16) :: word
        integer :: t
        call tcplan_planner_new(planner)
        call get_command_argument(1, word)
        select case (word)
        case ('estimate')
            call tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE)
        case ('quick')
            call tcplan_planner_set_effort(planner, TCPLAN_EFFORT_QUICK)
        case ('thorough')
            call tcplan_planner_set_effort(planner, TCPLAN_EFFORT_THOROUGH)
        end select
        do t = 1, size(terms)
            call plan_term(terms(t), planner, trim(formula(t)))
        end do
        call tcplan_planner_free(planner)
    end subroutine

    subroutine plan_term(out, planner, text)
        type(term), intent(out) :: out
        type(tcplan_planner), intent(in) :: planner
        character(*), intent(in) :: text
        type(tcplan_product) :: product
        character(64) :: sizes
        character(128) :: strides, item
        integer :: at
        sizes = ''
        strides = ''
        do at = 1, len(text)
            if (text(at:at) >= 'A' .and. text(at:at) <= 'Z') then
                out%tensors = out%tensors + 1
                out%name(out%tensors) = ichar(merge('V', text(at:at), text(at:at) == 'W'))
                if (index('VW', text(at:at)) > 0) then
                    out%first(out%tensors) = first_element(text(at + 2:at + 5))
                    write (item, '(2a, 4(i0, :, ","))') text(at:at), '=', 1, orbitals, orbitals**2, orbitals**3
                    strides = trim(strides)//' '//item
                end if
            else if (text(at:at) >= 'a' .and. text(at:at) <= 'z' .and. index(text(:at - 1), text(at:at)) == 0) then
                write (item, '(2a, i0)') text(at:at), '=', merge(virtuals, occupied, is_virtual(text(at:at)))
                sizes = trim(sizes)//' '//item
            end if
        end do
        call tcplan_product_parse(product, text, sizes, strides)
        call tcplan_plan_new(out%plan, product, planner)
        call tcplan_product_free(product) ! the plan does not refer to the product
    end subroutine

    logical function is_virtual(letter)
        character, intent(in) :: letter
        is_virtual = index('abef', letter) > 0
    end function

    !> Returns the offset of the element whose indices are all 0. In a part of the integrals, that is the first occupied or the first virtual orbital.
    integer function first_element(indices)
        character(4), intent(in) :: indices
        integer :: d
        first_element = 1
        do d = 1, 4
            if (is_virtual(indices(d:d))) first_element = first_element + occupied*orbitals**(d - 1)
        end do
    end function

    subroutine execute(what)
        type(term), intent(in) :: what
        associate (name => what%name, first => what%first)
            if (what%tensors == 4) then
                call tcplan_plan_run(what%plan, storage(first(2), name(2)), storage(first(3), name(3)), &
                    storage(first(1), name(1)), C=storage(first(4), name(4)))
            else
                call tcplan_plan_execute(what%plan, storage(first(2), name(2)), storage(first(3), name(3)), &
                    storage(first(1), name(1)))
            end if
        end associate
    end subroutine

    !> Iterates to convergence and returns the number of iterations.
    integer function converge() result(iteration)
        integer :: t
        do iteration = 1, 100
            call execute(terms(1))
            half_tau = t2 + 0.5_dp*(pairs - exchanged_ab(pairs))
            tau = t2 + pairs - exchanged_ab(pairs)
            mixed = 0.5_dp*t2 + pairs
            do t = 2, size(terms)
                call execute(terms(t))
            end do
            if (update() < 1e-13_dp) return
        end do
        error stop 'ccsd_doubles: no convergence'
    end function

    !> Computes new amplitudes from the right-hand sides and returns the largest change of an amplitude.
    real(dp) function update() result(largest)
        real(dp) :: new1(occupied + 1:orbitals, occupied)
        real(dp), dimension(occupied + 1:orbitals, occupied + 1:orbitals, occupied, occupied) :: new2, both
        integer :: a, b, i, j
        both = by_both - exchanged_ab(by_both)
        new2 = right + by_ab - exchanged_ab(by_ab) + by_ij - exchanged_ij(by_ij) + both - exchanged_ij(both)
        do j = 1, occupied
            do a = occupied + 1, orbitals
                new1(a, j) = right_singles(a, j)/(energy(j) - energy(a))
            end do
            do i = 1, occupied
                do b = occupied + 1, orbitals
                    do a = occupied + 1, orbitals
                        new2(a, b, i, j) = new2(a, b, i, j)/(energy(i) + energy(j) - energy(a) - energy(b))
                    end do
                end do
            end do
        end do
        largest = max(maxval(abs(new1 - t1)), maxval(abs(new2 - t2)))
        t1 = new1
        t2 = new2
    end function

    pure function exchanged_ab(x) result(out)
        real(dp), intent(in) :: x(:, :, :, :)
        real(dp) :: out(size(x, 2), size(x, 1), size(x, 3), size(x, 4))
        integer :: b
        do b = 1, size(x, 2)
            out(b, :, :, :) = x(:, b, :, :)
        end do
    end function

    pure function exchanged_ij(x) result(out)
        real(dp), intent(in) :: x(:, :, :, :)
        real(dp) :: out(size(x, 1), size(x, 2), size(x, 4), size(x, 3))
        integer :: j
        do j = 1, size(x, 4)
            out(:, :, j, :) = x(:, :, :, j)
        end do
    end function

    !> Sets orbital energies with a gap, amplitudes of 0, and integrals <pq||rs> = (pr|qs) - (ps|qr) with the symmetries of integrals over
    !> real orbitals. (pr|qs) is a sum of five products.
    subroutine make_up()
        real(dp) :: factor(orbitals, orbitals, 5)
        integer :: p, q, r, s, x
        storage = 0
        call shape_orbitals('V', integrals)
        call shape_doubles('T', t2)
        call shape_doubles('P', pairs)
        call shape_doubles('X', half_tau)
        call shape_doubles('U', tau)
        call shape_doubles('Y', mixed)
        call shape_doubles('R', right)
        call shape_doubles('B', by_ab)
        call shape_doubles('C', by_ij)
        call shape_doubles('D', by_both)
        t1(occupied + 1:orbitals, 1:occupied) => storage(1:virtuals*occupied, ichar('S'))
        right_singles(occupied + 1:orbitals, 1:occupied) => storage(1:virtuals*occupied, ichar('Q'))
        do q = 1, orbitals
            energy(q) = merge(-3 + 0.2_dp*(q - 1), 1 + 0.3_dp*(q - 1 - occupied), q <= occupied)
            do p = 1, orbitals
                do x = 1, 5
                    factor(p, q, x) = 0.5_dp*cos(0.7_dp*x*p*q)/(1 + abs(p - q))
                end do
            end do
        end do
        do s = 1, orbitals
            do r = 1, orbitals
                do q = 1, orbitals
                    do p = 1, orbitals
                        integrals(p, q, r, s) = sum(factor(p, r, :)*factor(q, s, :) - factor(p, s, :)*factor(q, r, :))
                    end do
                end do
            end do
        end do
    end subroutine

    subroutine shape_orbitals(name, out)
        character, intent(in) :: name
        real(dp), pointer, intent(out) :: out(:, :, :, :)
        out(1:orbitals, 1:orbitals, 1:orbitals, 1:orbitals) => storage(:, ichar(name))
    end subroutine

    subroutine shape_doubles(name, out)
        character, intent(in) :: name
        real(dp), pointer, intent(out) :: out(:, :, :, :)
        out(occupied + 1:orbitals, occupied + 1:orbitals, 1:occupied, 1:occupied) => &
            storage(1:virtuals**2*occupied**2, ichar(name))
    end subroutine

    ! The equations of the paper as naive loops.

    pure real(dp) function half_tau_of(a, b, i, j)
        integer, intent(in) :: a, b, i, j
        half_tau_of = t2(a, b, i, j) + 0.5_dp*(t1(a, i)*t1(b, j) - t1(b, i)*t1(a, j))
    end function

    pure real(dp) function tau_of(a, b, i, j)
        integer, intent(in) :: a, b, i, j
        tau_of = t2(a, b, i, j) + t1(a, i)*t1(b, j) - t1(b, i)*t1(a, j)
    end function

    pure real(dp) function F_me(m, e)
        integer, intent(in) :: m, e
        integer :: n, f
        F_me = 0
        do n = 1, occupied
            do f = occupied + 1, orbitals
                F_me = F_me + t1(f, n)*integrals(m, n, e, f)
            end do
        end do
    end function

    pure real(dp) function F_ae(a, e)
        integer, intent(in) :: a, e
        integer :: m, n, f
        F_ae = 0
        do m = 1, occupied
            do f = occupied + 1, orbitals
                F_ae = F_ae + t1(f, m)*integrals(m, a, f, e)
                do n = 1, occupied
                    F_ae = F_ae - 0.5_dp*half_tau_of(a, f, m, n)*integrals(m, n, e, f)
                end do
            end do
        end do
    end function

    pure real(dp) function F_mi(m, i)
        integer, intent(in) :: m, i
        integer :: n, e, f
        F_mi = 0
        do n = 1, occupied
            do e = occupied + 1, orbitals
                F_mi = F_mi + t1(e, n)*integrals(m, n, i, e)
                do f = occupied + 1, orbitals
                    F_mi = F_mi + 0.5_dp*half_tau_of(e, f, i, n)*integrals(m, n, e, f)
                end do
            end do
        end do
    end function

    pure real(dp) function W_mnij(m, n, i, j)
        integer, intent(in) :: m, n, i, j
        integer :: e, f
        W_mnij = integrals(m, n, i, j)
        do e = occupied + 1, orbitals
            W_mnij = W_mnij + t1(e, j)*integrals(m, n, i, e) - t1(e, i)*integrals(m, n, j, e)
            do f = occupied + 1, orbitals
                W_mnij = W_mnij + 0.25_dp*tau_of(e, f, i, j)*integrals(m, n, e, f)
            end do
        end do
    end function

    pure real(dp) function W_abef(a, b, e, f)
        integer, intent(in) :: a, b, e, f
        integer :: m, n
        W_abef = integrals(a, b, e, f)
        do m = 1, occupied
            W_abef = W_abef + t1(a, m)*integrals(b, m, e, f) - t1(b, m)*integrals(a, m, e, f)
            do n = 1, occupied
                W_abef = W_abef + 0.25_dp*tau_of(a, b, m, n)*integrals(m, n, e, f)
            end do
        end do
    end function

    pure real(dp) function W_mbej(m, b, e, j)
        integer, intent(in) :: m, b, e, j
        integer :: n, f
        W_mbej = integrals(m, b, e, j)
        do f = occupied + 1, orbitals
            W_mbej = W_mbej + t1(f, j)*integrals(m, b, e, f)
        end do
        do n = 1, occupied
            W_mbej = W_mbej - t1(b, n)*integrals(m, n, e, j)
            do f = occupied + 1, orbitals
                W_mbej = W_mbej - (0.5_dp*t2(f, b, j, n) + t1(f, j)*t1(b, n))*integrals(m, n, e, f)
            end do
        end do
    end function

    !> The terms that the paper permutes in a and b, in i and j, or in both, and the terms that it does not permute.
    pure real(dp) function in_ab(a, b, i, j)
        integer, intent(in) :: a, b, i, j
        integer :: m, e
        real(dp) :: dressed
        in_ab = 0
        do e = occupied + 1, orbitals
            dressed = F_ae(b, e)
            do m = 1, occupied
                dressed = dressed - 0.5_dp*t1(b, m)*F_me(m, e)
            end do
            in_ab = in_ab + t2(a, e, i, j)*dressed
        end do
        do m = 1, occupied
            in_ab = in_ab - t1(a, m)*integrals(m, b, i, j)
        end do
    end function

    pure real(dp) function in_ij(a, b, i, j)
        integer, intent(in) :: a, b, i, j
        integer :: m, e
        real(dp) :: dressed
        in_ij = 0
        do m = 1, occupied
            dressed = F_mi(m, j)
            do e = occupied + 1, orbitals
                dressed = dressed + 0.5_dp*t1(e, j)*F_me(m, e)
            end do
            in_ij = in_ij - t2(a, b, i, m)*dressed
        end do
        do e = occupied + 1, orbitals
            in_ij = in_ij + t1(e, i)*integrals(a, b, e, j)
        end do
    end function

    pure real(dp) function in_both(a, b, i, j)
        integer, intent(in) :: a, b, i, j
        integer :: m, e
        in_both = 0
        do m = 1, occupied
            do e = occupied + 1, orbitals
                in_both = in_both + t2(a, e, i, m)*W_mbej(m, b, e, j) - t1(e, i)*t1(a, m)*integrals(m, b, e, j)
            end do
        end do
    end function

    pure real(dp) function in_none(a, b, i, j)
        integer, intent(in) :: a, b, i, j
        integer :: m, n, e, f
        in_none = integrals(i, j, a, b)
        do m = 1, occupied
            do n = 1, occupied
                in_none = in_none + 0.5_dp*tau_of(a, b, m, n)*W_mnij(m, n, i, j)
            end do
        end do
        do e = occupied + 1, orbitals
            do f = occupied + 1, orbitals
                in_none = in_none + 0.5_dp*tau_of(e, f, i, j)*W_abef(a, b, e, f)
            end do
        end do
    end function

    !> Returns the largest absolute residual of the doubles equations.
    real(dp) function naive_residual() result(largest)
        integer :: a, b, i, j
        real(dp) :: value
        largest = 0
        do j = 1, occupied
            do i = 1, occupied
                do b = occupied + 1, orbitals
                    do a = occupied + 1, orbitals
                        value = in_none(a, b, i, j) + in_ab(a, b, i, j) - in_ab(b, a, i, j) &
                            + in_ij(a, b, i, j) - in_ij(a, b, j, i) + in_both(a, b, i, j) - in_both(b, a, i, j) &
                            - in_both(a, b, j, i) + in_both(b, a, j, i)
                        value = value - (energy(i) + energy(j) - energy(a) - energy(b))*t2(a, b, i, j)
                        largest = max(largest, abs(value))
                    end do
                end do
            end do
        end do
    end function
end program
