program smoke
    use iso_fortran_env, only: int64
    implicit none
    integer(int64) :: a, b
    read (*, *) a, b
    print '(i0)', a + b
end program smoke
