! Calls through procedures within the program: their entries in debug information are within that of the program.
program app
  use mpi
  implicit none
  integer :: error, i
  call MPI_Init(error)
  do i = 1, 3
    call outer(i)
  end do
  call MPI_Finalize(error)
contains
  subroutine outer(n)
    integer, intent(in) :: n
    call inner(n)
  end subroutine outer
  subroutine inner(n)
    integer, intent(in) :: n
    integer :: sum, error
    call MPI_Allreduce(n, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (sum < 0) print *, sum
  end subroutine inner
end program app
