! Balanced: nothing to find.
program main
  use mpi
  use planted
  implicit none
  integer, parameter :: steps = 6
  integer :: rank, size, error, i
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  do i = 1, steps
    call smooth()
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call planted_print('none', '-', '-')
  call MPI_Finalize(error)
contains
  subroutine smooth()
    double precision :: mine, other
    mine = rank
    call work(50d0)
    call MPI_Sendrecv(mine, 1, MPI_DOUBLE_PRECISION, modulo(rank + 1, size), 0, other, 1, MPI_DOUBLE_PRECISION, &
                      modulo(rank - 1, size), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end subroutine
end program
