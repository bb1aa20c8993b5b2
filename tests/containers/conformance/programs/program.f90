! What the tests ask of most languages: MODE N, and for `sort` N numbers.
module parts
    use iso_fortran_env, only: int64, error_unit
    implicit none
    type :: chunk
        integer(int64), allocatable :: numbers(:)
    end type chunk
contains
    recursive subroutine quick(a, first, last)
        integer(int64), intent(inout) :: a(:)
        integer, intent(in) :: first, last
        integer(int64) :: pivot, kept
        integer :: i, j
        if (first >= last) return
        pivot = a((first + last)/2)
        i = first
        j = last
        do
            do while (a(i) < pivot)
                i = i + 1
            end do
            do while (a(j) > pivot)
                j = j - 1
            end do
            if (i >= j) exit
            kept = a(i)
            a(i) = a(j)
            a(j) = kept
            i = i + 1
            j = j - 1
        end do
        call quick(a, first, i - 1)
        call quick(a, j + 1, last)
    end subroutine quick
end module parts

program main
    use parts
    character(len=16) :: mode
    integer(int64) :: n
    integer :: i
    integer(int64), allocatable :: numbers(:)
    type(chunk) :: all(100000)
    integer, volatile :: turns
    read (*, *) mode, n
    select case (mode)
    case ('sort')
        allocate (numbers(n))
        read (*, *) numbers
        call quick(numbers, 1, int(n))
        do i = 1, int(n)
            print '(i0)', numbers(i)
        end do
    case ('hoard')
        do i = 1, 100000
            allocate (all(i)%numbers(100000))
            all(i)%numbers = i
        end do
        print *, all(7)%numbers(3)
    case ('spin')
        turns = 1
        do while (turns /= 0)
            turns = 1
        end do
    case ('throw')
        error stop 'thrown'
    case ('exit')
        stop 3
    end select
end program main
