program limits
    implicit none
    character(16) :: what
    integer(8) :: n
    integer(1), allocatable :: part(:)
    read (*, *) what, n
    if (what == 'memory') then
        allocate (part(n * 1048576_8))
        part = 1_1
        n = n + part(n) - 1
    else if (what == 'depth') then
        n = depth(n)
    else
        error stop 7
    end if
    print '(a, i0)', 'done ', n
contains
    recursive function depth(n) result(r)
        integer(8), intent(in) :: n
        integer(8) :: r
        r = 0
        if (n > 0) r = 1 + depth(n - 1)
    end function
end program
